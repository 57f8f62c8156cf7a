package memory

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/store"
)

// typescript is a file as the TypeScript server writes it, with members that no server knows.
const typescript = `{
  "entries": [
    {
      "id": "4",
      "key": "k",
      "value": "v <b> 中文",
      "tags": [
        "a"
      ],
      "namespace": "default",
      "created": "2026-11-30T02:19:08.592Z",
      "updated": "2026-11-30T02:19:08.592Z",
      "metadata": {
        "x": 1.0
      },
      "embedding": [0.25, 1e-9]
    },
    {
      "id": "6",
      "key": "old",
      "value": "gone",
      "tags": [],
      "namespace": "default",
      "created": "2020-01-01T00:00:00.000Z",
      "updated": "2020-01-01T00:00:00.000Z",
      "ttl": "2020-01-02"
    }
  ],
  "lastId": 6,
  "facts": [
    {
      "id": "2",
      "content": "water is wet",
      "kb": "physics",
      "tags": [],
      "created": "2026-11-30T02:19:08.610Z",
      "source": "me"
    }
  ],
  "lastFactId": 2,
  "schema": 9007199254740993
}`

// TestMemoriesOfTheOtherServersStay: a file with facts and unknown fields survives a store (the Rust server took it
// for empty and wiped it).
func TestMemoriesOfTheOtherServersStay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Write(typescript)
	if text, _ := w.Do(`{"action":"recall","key":"k"}`); text != "v <b> 中文" {
		t.Errorf("recalled %q", text)
	}
	if w.Read() != typescript {
		t.Error("looking changed the file")
	}
	_, env := w.Do(`{"action":"store","key":"new","value":"n"}`)
	contains(t, "store", env, `"id":"7"`)
	w.Do(`{"action":"update","key":"k","value":"w"}`)
	contains(t, "file", w.Read(), `"embedding":[0.25,1e-9]`, `"metadata":{"x":1.0}`, `"source":"me"`, `"content":"water is wet"`, `"schema": 9007199254740993`, `"value":"w"`)
	d := w.document()
	if len(d.Entries) != 2 || len(d.Facts) != 1 || d.LastID != 7 || d.LastFactID != 2 || d.Entries[0]["id"] != "4" {
		t.Errorf("%+v", d)
	}
	if _, env := w.Do(`{"action":"facts","fact_action":"recall_facts","query":"WET","kb":"physics"}`); !strings.Contains(env, `"count":1`) {
		t.Errorf("facts %s", env)
	}
}

// TestHalfARecordAppended: the other entries are there, with one warning, and the bytes are kept.
func TestHalfARecordAppended(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	broken := typescript + "\n    {\n      \"id\": \"8\",\n      \"key\": \"ha"
	w.Write(broken)
	out := w.Call(`{"action":"list"}`)
	if !out.Envelope.OK || len(out.Envelope.Meta.Warnings) != 1 || !strings.Contains(out.Text, "] k [a]") {
		t.Errorf("%s %+v", out.Text, out.Envelope)
	}
	out = w.Call(`{"action":"store","key":"x","value":"y"}`)
	if !out.Envelope.OK || len(out.Envelope.Meta.Warnings) != 1 {
		t.Errorf("%+v", out.Envelope)
	}
	if d := w.document(); len(d.Entries) != 2 || len(d.Facts) != 1 {
		t.Errorf("%+v", d)
	}
	kept, _ := filepath.Glob(w.File + ".bad-*")
	if len(kept) != 1 {
		t.Fatalf("kept %q", kept)
	}
	if b, err := os.ReadFile(kept[0]); err != nil || string(b) != broken {
		t.Errorf("kept %q, %v", b, err)
	}
}

// TestCorruptFileIsNotOverwritten: it is kept in a copy, and the call says where.
func TestCorruptFileIsNotOverwritten(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Write("\x00\x00\x00 not JSON")
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(w.File, old, old); err != nil {
		t.Fatal(err)
	}
	out := w.Call(`{"action":"store","key":"x","value":"y"}`)
	kept, _ := filepath.Glob(w.File + ".bad-*")
	if !out.Envelope.OK || len(kept) != 1 || len(out.Envelope.Meta.Warnings) != 1 || !strings.Contains(out.Envelope.Meta.Warnings[0], kept[0]) {
		t.Fatalf("%+v, kept %q", out.Envelope, kept)
	}
	if b, err := os.ReadFile(kept[0]); err != nil || string(b) != "\x00\x00\x00 not JSON" {
		t.Errorf("kept %q, %v", b, err)
	}
}

// TestKilledServerLosesAtMostTheCallInFlight: what it had answered for is there, and the file is whole.
func TestKilledServerLosesAtMostTheCallInFlight(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	total := 4000 // as many as make a write take its time
	if err := store.New[Document](w.File).Update(t.Context(), func(string) {}, func(d *Document) (bool, error) {
		for i := range total {
			d.Entries.Add(store.NewItem(Entry{ID: fmt.Sprint(i), Key: fmt.Sprint("old ", i), Value: strings.Repeat("v", 500)}))
		}
		return true, nil
	}); err != nil {
		t.Fatal(err)
	}
	for round := range 12 {
		cmd := server(t, w.File, fmt.Sprint("s", round), "MEMORY_TEST_ENDLESS=1")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		answered := -1
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if _, err := fmt.Sscan(lines.Text(), &answered); err != nil {
				t.Fatal(lines.Text())
			}
			if answered == 2 {
				time.AfterFunc(rand.N(15*time.Millisecond), func() { cmd.Process.Kill() }) // at any moment of a write
			}
		}
		cmd.Wait()
		has := map[any]bool{}
		d := w.document()
		for _, e := range d.Entries {
			has[e["key"]] = true
		}
		for i := range answered + 1 {
			if !has[fmt.Sprintf("s%d %d", round, i)] {
				t.Errorf("round %d: store %d of %d was answered for and is gone", round, i, answered)
			}
		}
		total += answered + 1
		if n := len(d.Entries); n < total || n > total+1 {
			t.Errorf("round %d: %d entries, %d were answered for", round, n, total)
		}
		total = len(d.Entries)
	}
	w.Do(`{"action":"store","key":"after","value":"v"}`) // no lock is left behind
}

// TestFileIsWholeAtEveryMoment: whoever looks at it while it is written sees the old or the new one.
func TestFileIsWholeAtEveryMoment(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Do(`{"action":"store","key":"long","value":"` + strings.Repeat("v", 200_000) + `"}`)
	var looks atomic.Int64
	done := make(chan int)
	go func() {
		code := 0
		for code == 0 && looks.Load() < 20 {
			code = storeMany(w.Tool, "x", false)
		}
		done <- code
	}()
	for ; ; looks.Add(1) {
		if b, err := os.ReadFile(w.File); err != nil || !json.Valid(b) {
			t.Fatalf("look %d: %v, %d bytes", looks.Load(), err, len(b))
		}
		select {
		case code := <-done:
			if code != 0 {
				t.Errorf("code %d after %d looks", code, looks.Load())
			}
			return
		default:
		}
	}
}

// TestFiftyStoresOfOneReply: all at once from one client, then a restart.
func TestFiftyStoresOfOneReply(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if storeMany(w.Tool, "x", false) != 0 {
		t.Fatal("a store failed")
	}
	ids := map[any]any{}
	for _, e := range w.document().Entries {
		ids[e["key"]] = e["id"]
	}
	w.Restart()
	w.Do(`{"action":"store","key":"x 7","value":"other"}`)
	d := w.document()
	if len(d.Entries) != ours {
		t.Errorf("%d entries", len(d.Entries))
	}
	for _, e := range d.Entries { // ids do not change over a restart, and an update is kept
		if ids[e["key"]] != e["id"] {
			t.Errorf("%v was %v and is %v", e["key"], ids[e["key"]], e["id"])
		}
		if e["key"] == "x 7" && e["value"] != "other" {
			t.Errorf("%v", e)
		}
	}
}

func TestTimeToLive(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Write(typescript)
	w.Fail(tools.NotFound, `{"action":"recall","key":"old"}`)
	w.Do(`{"action":"store","key":"x","value":"y","ttl":"7d"}`)
	w.Do(`{"action":"store","key":"z","value":"y","ttl":"2099-01-31"}`)
	w.Fail(tools.InvalidParams, `{"action":"store","key":"p","value":"y","ttl":"2001-01-01"}`)
	w.Fail(tools.InvalidParams, `{"action":"store","key":"p","value":"y","ttl":"soon"}`)
	for _, e := range w.document().Entries {
		switch e["key"] {
		case "old":
			t.Error("what has passed is still in the file")
		case "x":
			end, err := time.Parse(time.RFC3339, e["ttl"].(string))
			if d := time.Until(end); err != nil || d < 6*24*time.Hour || d > 7*24*time.Hour {
				t.Errorf("ttl %v, %v", e["ttl"], err)
			}
		case "z":
			if want := time.Date(2099, 2, 1, 0, 0, 0, 0, time.Local).UTC().Format("2006-01-02T15:04:05.000Z"); e["ttl"] != want {
				t.Errorf("ttl %v", e["ttl"])
			}
		}
	}
}

// TestExportAndImportRoundTrip: through the payload, and through a file of the project.
func TestExportAndImportRoundTrip(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Write(typescript)
	text, _ := w.Do(`{"action":"export"}`)
	_, env := w.Do(`{"action":"export","path":"out/m.json"}`)
	contains(t, "export", env, "exported 1 entry and 1 fact to out/m.json")
	w.Fail(tools.Conflict, `{"action":"export","path":"out/m.json"}`)
	w.Do(`{"action":"export","path":"out/m.json","overwrite":true}`)
	if b, err := os.ReadFile(filepath.Join(w.Project, "out", "m.json")); err != nil || string(b) != text {
		t.Errorf("the file is not the payload: %s %v", b, err)
	}
	w.Fail(tools.PermissionDenied, `{"action":"export","path":"../m.json"}`)
	w.Fail(tools.PermissionDenied, `{"action":"import","path":"/etc/passwd"}`)

	other := newWorld(t)
	quoted, _ := json.Marshal(text)
	_, env = other.Do(`{"action":"import","data":` + string(quoted) + `}`)
	contains(t, "import", env, "imported 2 new")
	if again, _ := other.Do(`{"action":"export"}`); again != text {
		t.Errorf("exported\n%s\nand imported\n%s", text, again)
	}

	taken := newWorld(t)
	taken.Roots = w.Roots
	taken.Do(`{"action":"store","key":"k","value":"mine"}`)
	_, env = taken.Do(`{"action":"import","path":"out/m.json"}`)
	contains(t, "import", env, "imported 1 new", "1 left as they are")
	if v, _ := taken.Do(`{"action":"recall","key":"k"}`); v != "mine" {
		t.Errorf("replaced without overwrite: %q", v)
	}
	taken.Fail(tools.ConfirmRequired, `{"action":"import","path":"out/m.json","overwrite":true}`)
	_, env = taken.Do(`{"action":"import","path":"out/m.json","overwrite":true,"dry_run":true}`)
	contains(t, "dry run", env, "1 replaced", "dry run")
	if v, _ := taken.Do(`{"action":"recall","key":"k"}`); v != "mine" {
		t.Errorf("replaced by a dry run: %q", v)
	}
	taken.Do(`{"action":"import","path":"out/m.json","overwrite":true,"confirm":true}`)
	if v, _ := taken.Do(`{"action":"recall","key":"k"}`); v != "v <b> 中文" {
		t.Errorf("recalled %q", v)
	}

	_, env = taken.Do(`{"action":"import","data":{"a":"1","b":{"c":2}},"namespace":"n","tags":["t"]}`)
	contains(t, "map", env, "imported 2 new")
	if v, _ := taken.Do(`{"action":"recall","key":"b","namespace":"n"}`); v != `{"c":2}` {
		t.Errorf("recalled %q", v)
	}
	taken.Do(`{"action":"import","data":{"entries":[{"key":"bare","value":"v"}],"facts":[{"content":"bare"}]}}`)
	for _, list := range [][]map[string]any{taken.document().Entries, taken.document().Facts} { // what the other servers count on
		last := list[len(list)-1]
		if last["tags"] == nil || last["created"] == nil || last["id"] == nil {
			t.Errorf("imported %v", last)
		}
	}
	before := taken.Read()
	taken.Fail(tools.InvalidParams, `{"action":"import","data":[{"key":"ok","value":"v"},{"key":"","value":"v"}]}`)
	taken.Fail(tools.InvalidParams, `{"action":"import","data":"{"}`)
	taken.Fail(tools.InvalidParams, `{"action":"import"}`)
	if taken.Read() != before {
		t.Error("a refused import changed the file")
	}
}
