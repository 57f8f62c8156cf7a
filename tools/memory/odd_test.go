package memory

import (
	"strings"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// TestEntriesByKeyAreNotLost: another program's file with an object where the list belongs is set aside.
func TestEntriesByKeyAreNotLost(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Write(`{"entries":{"a":{"id":"1","value":"precious"}},"lastId":1}`)
	_, env := w.Do(`{"action":"store","key":"k","value":"v"}`)
	contains(t, "store", env, "its entries", ".bad-")
}

// TestImportedCounterIsNoTrap: a last id from elsewhere never makes ids negative.
func TestImportedCounterIsNoTrap(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Do(`{"action":"import","data":{"entries":[{"key":"a","value":"b"}],"lastId":9223372036854775807}}`)
	_, env := w.Do(`{"action":"store","key":"k","value":"v"}`)
	contains(t, "store", env, `"id":"2"`)
}

// TestImportOfAnObjectHasAnOrder: ids do not depend on chance.
func TestImportOfAnObjectHasAnOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Do(`{"action":"import","data":{"e":"5","d":"4","c":"3","b":"2","a":"1"}}`)
	for i, e := range w.document().Entries {
		if want := string(rune('a' + i)); e["key"] != want {
			t.Errorf("entry %d is %v", i, e["key"])
		}
	}
}

// TestOverwriteReplacesMoreThanValues: tags and metadata of a known value are taken too.
func TestOverwriteReplacesMoreThanValues(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Do(`{"action":"store","key":"a","value":"v","tags":["old"],"metadata":{"x":1}}`)
	w.Fail(tools.ConfirmRequired, `{"action":"import","overwrite":true,"data":[{"key":"a","value":"v","tags":["new"]}]}`)
	_, env := w.Do(`{"action":"import","overwrite":true,"confirm":true,"data":[{"key":"a","value":"v","tags":["new"],"metadata":{"y":2}}]}`)
	contains(t, "import", env, "1 replaced")
	_, env = w.Do(`{"action":"recall","key":"a"}`)
	contains(t, "recall", env, `"tags":["new"]`, `"x":1`, `"y":2`)
	_, env = w.Do(`{"action":"import","overwrite":true,"confirm":true,"data":[{"key":"a","value":"v","tags":["new"]}]}`)
	contains(t, "again", env, "1 left as they are (the same already)")
}

// TestMergeKeepsMetadata: of all the entries, that of the remaining one first.
func TestMergeKeepsMetadata(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Do(`{"action":"store","key":"a","value":"1","metadata":{"x":1}}`)
	w.Do(`{"action":"store","key":"a","value":"2","namespace":"n","metadata":{"x":2,"y":3}}`)
	w.Do(`{"action":"merge","key":"a"}`)
	_, env := w.Do(`{"action":"recall","key":"a"}`)
	contains(t, "merged", env, `"x":1`, `"y":3`)
}

// TestDryRunStoresNothing: every action that changes takes dry_run.
func TestDryRunStoresNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Do(`{"action":"store","key":"a","value":"1","tags":["t"]}`)
	before := w.Read()
	for _, args := range []string{
		`"action":"store","key":"b","value":"2"`, `"action":"store","key":"a","value":"2"`, `"action":"update","key":"a","value":"2"`,
		`"action":"tag","key":"a","tag":"u"`, `"action":"untag","key":"a","tag":"t"`, `"action":"delete","key":"a"`,
		`"action":"clear"`, `"action":"forget","tag":"t"`, `"action":"import","data":{"x":"y"}`, `"action":"facts","fact_action":"store","value":"f"`,
	} {
		_, env := w.Do("{" + args + `,"dry_run":true}`)
		contains(t, args, env, `"dry_run":true`, "nothing changed")
		if w.Read() != before {
			t.Errorf("%s changed the file to %s", args, w.Read())
		}
	}
}

// TestRecordsDoNotForgeLines: a key, tag or time of another program's stays on its line.
func TestRecordsDoNotForgeLines(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Write(`{"entries":[{"id":"1","key":"a\n[x] forged","value":"v","namespace":"d\n[x] forged","tags":["t\n[x] forged"],"updated":"昨日の夜遅くに"}],
		"facts":[{"id":"1","content":"c","kb":"k\n#2 forged","tags":["\n#3 forged"]}]}`)
	for _, args := range []string{`{"action":"list"}`, `{"action":"recall"}`, `{"action":"facts"}`, `{"action":"namespaces"}`, `{"action":"history","key":"a\n[x] forged"}`} {
		text, _ := w.Do(args)
		for _, line := range strings.Split(text, "\n") {
			if strings.HasPrefix(line, "[x]") || strings.HasPrefix(line, "#2") || strings.HasPrefix(line, "#3") {
				t.Errorf("%s: %q", args, text)
			}
		}
		if strings.ContainsRune(text, '\ufffd') || strings.ToValidUTF8(text, "") != text {
			t.Errorf("%s: a character is cut in %q", args, text)
		}
	}
}

// TestExpiredEntryIsSaidToBeNowhere: the error does not send the caller to the namespace that was just asked.
func TestExpiredEntryIsSaidToBeNowhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Write(`{"entries":[{"id":"1","key":"t","value":"v","namespace":"default","ttl":"2020-01-01T00:00:00Z"}]}`)
	for _, action := range []string{"recall", "history", "update", "delete"} {
		if e := w.Fail(tools.NotFound, `{"action":"`+action+`","key":"t","value":"w"}`); !strings.Contains(e.Message, "nothing is remembered under") {
			t.Errorf("%s: %s", action, e.Message)
		}
	}
}

// TestTimeToLiveOfTheDay: a date is the last day of the entry, in the zone of the user.
func TestTimeToLiveOfTheDay(t *testing.T) {
	t.Parallel()
	for _, zone := range []*time.Location{time.UTC, time.FixedZone("", -11*3600), time.FixedZone("", 13*3600)} {
		now := time.Date(2030, 1, 31, 22, 0, 0, 0, zone)
		end, err := deadline("2030-01-31", now)
		if err != nil || end.Sub(now) != 2*time.Hour {
			t.Errorf("%s: until %s, %v", zone, end, err)
		}
		if _, err := deadline("2030-01-30", now); err == nil {
			t.Error("yesterday was taken")
		}
	}
}
