package memory

import (
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// four has two entries with tag x, one of them in namespace p, and two without.
func four(t testing.TB) *world {
	w := newWorld(t)
	w.Do(`{"action":"store","key":"a","value":"v one","tags":["x"]}`)
	w.Do(`{"action":"store","key":"b","value":"v two","tags":"x, y","namespace":"p"}`)
	w.Do(`{"action":"store","key":"c","value":"v three","tags":["y"]}`)
	w.Do(`{"action":"store","key":"d","value":"other"}`)
	return w
}

// left are the keys that are still there.
func (w *world) left() string {
	w.Helper()
	text, _ := w.Do(`{"action":"list","sort":"key"}`)
	return keys(text)
}

// TestRemovingHeedsEveryFilter: nothing goes that the call does not choose.
func TestRemovingHeedsEveryFilter(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		`"action":"clear","tag":"x"`:                     "c d",
		`"action":"clear","tags":["x","y"]`:              "a c d",
		`"action":"clear","tags":"x,y"`:                  "a c d",
		`"action":"clear","key":"a"`:                     "b c d",
		`"action":"clear","query":"v"`:                   "d",
		`"action":"clear","query":"v","tag":"x"`:         "c d",
		`"action":"clear","tag":"x","namespace":"p"`:     "a c d",
		`"action":"clear","namespace":"default"`:         "b",
		`"action":"clear"`:                               "",
		`"action":"forget","query":"v","tags":["x"]`:     "c d",
		`"action":"forget","tags":["x"]`:                 "c d",
		`"action":"forget","key":"a","tags":["y"]`:       "a b c d", // found nowhere
		`"action":"forget","query":"e"`:                  "a b c d", // in words, but none
		`"action":"delete","tags":["x"]`:                 "c d",
		`"action":"delete","tags":"x,y"`:                 "a c d",
		`"action":"delete","key":"a","tag":"y"`:          "a b c d",
		`"action":"delete","key":"c","tag":"y"`:          "a b d",
		`"action":"clear","project":"p1"`:                "a b c d",
		`"action":"clear","query":" "`:                   "a b c d",
		`"action":"clear","tags":[]`:                     "a b c d",
		`"action":"clear","namespace":""`:                "a b c d",
		`"action":"forget","query":"v","tag":" "`:        "a b c d",
		`"action":"clear","tag":"x","dry_run":true`:      "a b c d",
		`"action":"forget","tags":["x"],"dry_run":true`:  "a b c d",
		`"action":"clear","tag":"x","confirm":false`:     "a b c d",
		`"action":"forget","tags":["x"],"confirm":false`: "a b c d",
	} {
		w := four(t)
		if !strings.Contains(args, "confirm") && !strings.Contains(args, "delete") {
			args += `,"confirm":true`
		}
		w.Call("{" + args + "}")
		if got := w.left(); got != want {
			t.Errorf("%s left %q, not %q", args, got, want)
		}
	}
	w := four(t)
	e := w.Fail(tools.ConfirmRequired, `{"action":"clear","tag":"x"}`)
	contains(t, "clear", e.Message, "2 entries ([default] a; [p] b)")
	w.Do(`{"action":"facts","fact_action":"add","value":"v fact","tags":["x"]}`)
	w.Do(`{"action":"facts","fact_action":"store","value":"v other fact"}`)
	w.Do(`{"action":"forget","query":"v","tags":["x"],"confirm":true}`, "forgot 3 things")
	if text, _ := w.Do(`{"action":"facts"}`); text != "#2 [default] v other fact\n" {
		t.Errorf("facts %q", text)
	}
}

// TestLookingHeedsEveryFilter: a filter is never overlooked.
func TestLookingHeedsEveryFilter(t *testing.T) {
	t.Parallel()
	w := four(t)
	for args, want := range map[string]string{
		`"action":"list","sort":"key","tags":["x"]`:             "a b",
		`"action":"list","sort":"key","labels":"x,y"`:           "b",
		`"action":"list","sort":"key","query":"v"`:              "a b c",
		`"action":"list","sort":"key","tags":["y"],"query":"v"`: "b c",
		`"action":"list","key":"a"`:                             "a",
		`"action":"search","query":"two","tags":["x"]`:          "b",
		`"action":"search","query":"two","tags":["z"]`:          "",
		`"action":"recall","tags":["y","x"]`:                    "b",
		`"action":"recall","query":"three","tags":["y"]`:        "c",
	} {
		if text, _ := w.Do("{" + args + "}"); keys(text) != want {
			t.Errorf("%s: %q, not %q", args, keys(text), want)
		}
	}
	w.Fail(tools.InvalidParams, `{"action":"list","kb":"x"}`, "does not choose by kb")
	w.Do(`{"action":"stats","tags":["x"]}`, "2 entries in 2 namespaces")
	w.Do(`{"action":"namespaces","tag":"y"}`, "default: 1 entry\np: 1 entry\n")
	w.Do(`{"action":"export","tags":["x"]}`, "exported 2 entries and 0 facts")
	w.Do(`{"action":"facts","fact_action":"store","value":"f","namespace":"n"}`, `in \"n\"`)
	w.Do(`{"action":"facts","namespace":"other"}`, "found 0 facts")
}

// TestValuesOfAnyKind: numbers and objects are remembered as their text.
func TestValuesOfAnyKind(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Do(`{"action":"store","key":7,"value":5,"ttl":60,"tags":[1]}`, `stored \"7\"`)
	w.Do(`{"action":"store","key":"o","value":{"a": [1]}}`)
	w.Do(`{"action":"update","key":"o","value":false,"tag":2}`)
	w.Do(`{"action":"store","key":"o","value":[1],"append":true}`)
	if text, _ := w.Do(`{"action":"recall","key":"o"}`); text != "false\n[1]" {
		t.Errorf("recalled %q", text)
	}
	w.Do(`{"action":"list","tags":1}`, "[default] 7 [1]")
	w.Do(`{"action":"history","key":"o"}`, `{"a": [1]}`)
}

// TestUpdateOfNothing: says so, as tasks do.
func TestUpdateOfNothing(t *testing.T) {
	t.Parallel()
	w := four(t)
	before := w.Read()
	w.Fail(tools.InvalidParams, `{"action":"update","key":"a"}`, "value, tags, metadata or ttl")
	w.Fail(tools.InvalidParams, `{"action":"update","key":"a","value":""}`, "delete")
	w.Fail(tools.InvalidParams, `{"action":"store","value":"x"}`, "facts")
	if w.Read() != before {
		t.Error("the file changed")
	}
}

// TestEntriesWithoutANamespace are those of the default one: the other servers leave it out.
func TestEntriesWithoutANamespace(t *testing.T) {
	t.Parallel()
	const file = `{"entries":[{"id":"1","key":"a","value":"b"},{"id":"2","key":"c","value":"d"}],"lastId":2}`
	for args, want := range map[string]string{
		`"action":"delete","key":"a"`:                                 "c",
		`"action":"delete","key":"a","namespace":"default"`:           "c",
		`"action":"clear","namespace":"default","confirm":true`:       "",
		`"action":"update","key":"a","value":"x"`:                     "a c",
		`"action":"store","key":"a","value":"x"`:                      "a c", // no second one
		`"action":"tag","key":"a","tag":"t"`:                          "a c",
		`"action":"store","key":"a","value":"x","namespace":"p"`:      "a a c",
		`"action":"import","data":{"a":"other"}`:                      "a c",
		`"action":"import","data":[{"id":"9","key":"a","value":"b"}]`: "a c",
	} {
		w := newWorld(t)
		w.Write(file)
		w.Do("{" + args + "}")
		if got := w.left(); got != want {
			t.Errorf("%s left %q, not %q", args, got, want)
		}
	}
	w := newWorld(t)
	w.Write(file)
	w.Do(`{"action":"list","namespace":"default"}`, "[default] a", "[default] c")
	w.Do(`{"action":"namespaces"}`, "default: 2 entries\n")
	w.Do(`{"action":"recall","key":"a"}`, `"namespace":"default"`)
	w.Do(`{"action":"update","key":"a","value":"x"}`)
	if d := w.document(); d.Entries[0]["namespace"] != "default" || d.Entries[1]["namespace"] != nil {
		t.Errorf("%v", d.Entries)
	}
	w.Fail(tools.NotFound, `{"action":"delete","key":"a","namespace":"p"}`, "namespace")
}

// TestSearchForWordsThatSaySomething: the words of a sentence that all texts have do not decide.
func TestSearchForWordsThatSaySomething(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Do(`{"action":"store","key":"build with make","value":"make all"}`)
	w.Do(`{"action":"store","key":"deploy to prod","value":"push"}`)
	if text, _ := w.Do(`{"action":"search","query":"how to build"}`); keys(text) != "build" {
		t.Errorf("found %q", text)
	}
	if text, _ := w.Do(`{"action":"search","query":"a"}`); keys(text) != "" {
		t.Errorf("found %q", text)
	}
}
