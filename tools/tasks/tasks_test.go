package tasks

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/tooltest"
)

type world struct{ *tooltest.World }

func newWorld(t testing.TB, content string) *world {
	t.Helper()
	return &world{tooltest.New(t, "todos.json", content, func(file string) *tools.Tool { return New(Config{Path: file}) })}
}

func (w *world) get(name string) string {
	w.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		w.Fatal(err)
	}
	return string(b)
}

func TestDeclaration(t *testing.T) {
	t.Parallel()
	tool := New(Config{})
	if err := tool.Check(); err != nil {
		t.Error(err)
	}
	t.Logf("schema %d bytes", len(tool.Schema(false)))
}

func TestLifeOfTasks(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.Do(`{"action":"add","title":"buy milk","priority":"low","due":"2020-01-31","tags":["home"," home "],"project":"p","assignee":"ann"}`, `added #1 \"buy milk\"`)
	w.Do(`{"action":"add","text":"write","priority":"urgent"}`, `"id":"2"`)
	w.Do(`{"action":"add","content":"chapter one","parent":"#2","due":"tomorrow"}`, `"id":"3"`)
	w.Restart()
	w.Do(`{"action":"list"}`, "[ ] #2 high: write\n[ ] #3 medium: chapter one due "+time.Now().AddDate(0, 0, 1).Format(time.DateOnly)+" ↑#2\n[ ] #1 low: buy milk [home] (p) @ann due 2020-01-31 OVERDUE\n")
	w.Do(`{"action":"list","due":"overdue"}`, "#1", `"total":1`)
	w.Do(`{"action":"list","due":"1w"}`, "#3", `"total":2`)
	w.Do(`{"action":"list","tag":"home","project":"p","assignee":"@ann","priority":"low","status":"pending"}`, `"total":1`)
	w.Do(`{"action":"list","sort":"due","limit":1}`, "buy milk", "1 shown", `"truncated":true`)
	w.Do(`{"action":"update","id":"1","status":"in-progress","due":"","content":"buy oat milk"}`, `updated #1 \"buy oat milk\"`, `"status":"in_progress"`)
	w.Do(`{"action":"prioritize","id":"1","priority":"high"}`, "high")
	w.Do(`{"action":"assign","id":"2","assignee":"bob"}`, "bob")
	w.Do(`{"action":"move","id":"1","project":"q"}`, "moved to project")
	w.Do(`{"action":"list","project":"q"}`, "[~] #1 high: buy oat milk [home] (q) @ann\n")
	w.Do(`{"action":"subtasks","id":"3","content":"first line"}`, `"id":"4"`)
	w.Do(`{"action":"subtasks","id":"2"}`, "[ ] #2 high: write @bob\n  [ ] #3 medium", "\n    [ ] #4 medium: first line", "2 subtasks, 0 done")
	w.Do(`{"action":"notes","id":"2","text":"a"}`)
	w.Do(`{"action":"notes","id":"2","text":"b"}`)
	if got, _ := w.Do(`{"action":"notes","id":"2"}`); got != "a\nb" {
		t.Errorf("notes %q", got)
	}
	w.Do(`{"action":"stats"}`, "4 tasks, 4 open, 0 overdue", `"in_progress":1`, `"projects":1`)
	w.Do(`{"action":"search","query":"MILK oat"}`, "#1", `"total":1`)
	w.Do(`{"action":"update","id":"1","status":"done"}`)
	w.Do(`{"action":"archive"}`, "archived 1 task")
	w.Do(`{"action":"archive"}`, "nothing to archive")
	if text := w.get(filepath.Join(filepath.Dir(w.File), "todos-archive.json")); !strings.Contains(text, "buy oat milk") {
		t.Errorf("archive: %s", text)
	}
	w.Fail(tools.ConfirmRequired, `{"action":"delete","id":"2"}`, "2 subtasks")
	w.Do(`{"action":"delete","id":"2","dry_run":true}`, "dry run", "2 subtasks")
	w.Do(`{"action":"delete","id":"2","confirm":true}`, "and 2 subtasks", `"count":3`)
	w.Do(`{"action":"list"}`, `"total":0`)
	w.Do(`{"action":"add","content":"new"}`, `"id":"5"`) // ids do not come back
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.Do(`{"action":"add","content":"a"}`)
	w.Do(`{"action":"add","content":"b","parent":"1"}`)
	before := w.get(w.File)
	for args, code := range map[string]tools.Code{
		`{"action":"add"}`:                                          tools.InvalidParams,
		`{"action":"add","content":" "}`:                            tools.InvalidParams,
		`{"action":"add","content":"x","priority":"very"}`:          tools.InvalidParams,
		`{"action":"add","content":"x","due":"someday"}`:            tools.InvalidParams,
		`{"action":"add","content":"x","parent":"9"}`:               tools.NotFound,
		`{"action":"update","id":"1"}`:                              tools.InvalidParams,
		`{"action":"update","id":"9","content":"x"}`:                tools.NotFound,
		`{"action":"update","content":"x"}`:                         tools.InvalidParams,
		`{"action":"update","id":"1","parent":"2"}`:                 tools.InvalidParams,
		`{"action":"list","status":"sleeping"}`:                     tools.InvalidParams,
		`{"action":"list","sort":"size"}`:                           tools.InvalidParams,
		`{"action":"batch"}`:                                        tools.InvalidParams,
		`{"action":"batch","ids":["1"]}`:                            tools.InvalidParams,
		`{"action":"import"}`:                                       tools.InvalidParams,
		`{"action":"import","data":"nonsense"}`:                     tools.InvalidParams,
		`{"action":"import","data":[{"content":""}]}`:               tools.InvalidParams,
		`{"action":"import","path":"../other.json"}`:                tools.PermissionDenied,
		`{"action":"export","path":"/etc/hanzo-tasks-export.json"}`: tools.PermissionDenied,
	} {
		w.Fail(code, args)
	}
	if after := w.get(w.File); after != before {
		t.Errorf("a refused call changed the file:\n%s", after)
	}
}

// TestBatchIsAllOrNothing: what comes last and fails takes back what came before.
func TestBatchIsAllOrNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	for range 3 {
		w.Do(`{"action":"add","content":"x"}`)
	}
	before := w.get(w.File)
	w.Fail(tools.NotFound, `{"action":"batch","ids":["1","2","7"],"status":"completed"}`, "operation 3", "nothing of the batch was done")
	w.Fail(tools.InvalidParams, `{"action":"batch","operations":[{"op":"delete","id":"1"},{"op":"update","id":"2","status":"odd"}]}`, "operation 2")
	w.Fail(tools.InvalidParams, `{"action":"batch","operations":[{"op":"add","content":"y"},{"op":"explode","id":"2"}]}`, "operation 2")
	if after := w.get(w.File); after != before {
		t.Errorf("the file changed:\n%s", after)
	}
	w.Do(`{"action":"batch","ids":["1","2"],"status":"completed","dry_run":true}`, "dry run", "2 updated")
	w.Do(`{"action":"batch","ids":["1","2"],"status":"completed","priority":"low"}`, "batch: 2 updated")
	w.Do(`{"action":"batch","operations":[{"action":"add","title":"y"},{"op":"update","id":"3","tags":["t"]},{"op":"delete","id":"1"}]}`, "1 added, 1 updated, 1 deleted", `"ids":["4"]`)
	w.Do(`{"action":"list"}`, "[ ] #3 medium: x [t]\n[ ] #4 medium: y\n[x] #2 low: x\n")
}

func TestBatchEffect(t *testing.T) {
	t.Parallel()
	tool := New(Config{})
	for args, want := range map[string]tools.Effect{
		`{"action":"batch","ids":["1"],"status":"completed"}`:          tools.Writes,
		`{"action":"batch","operations":[{"op":"add","content":"x"}]}`: tools.Writes,
		`{"action":"batch","operations":[{"op":"Remove","id":"1"}]}`:   tools.Destroys,
		`{"action":"batch","operations":[{"op":"add"},{"id":"1"}]}`:    tools.Destroys,
		`{"action":"batch","operations":"[{\"op\":\"delete\"}]"}`:      tools.Destroys,
		`{"action":"notes","id":"1"}`:                                  tools.Reads,
		`{"action":"notes","id":"1","text":"x"}`:                       tools.Writes,
		`{"action":"export"}`:                                          tools.Reads,
		`{"action":"export","path":"x"}`:                               tools.Writes,
	} {
		c, err := tools.Prepare(tool, json.RawMessage(args), &tools.Session{})
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Effect(); got != want {
			t.Errorf("%s: effect %v, not %v", args, got, want)
		}
	}
}

// TestIDPrefixes: the beginning of an id does where ids are no numbers; #1 is never #12.
func TestIDPrefixes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `{"items":[{"id":"12","content":"a"},{"id":"7f3e-aa","content":"b"},{"id":"7f3e-bb","content":"c"},{"id":"91cd-cc","content":"d"}],"lastId":12}`)
	w.Fail(tools.NotFound, `{"action":"delete","id":"1"}`)
	w.Fail(tools.Ambiguous, `{"action":"update","id":"7f3e","status":"completed"}`)
	w.Do(`{"action":"update","id":"91cd","status":"completed"}`, `"id":"91cd-cc"`)
	w.Do(`{"action":"update","id":"7f3e-b","status":"completed"}`, `"id":"7f3e-bb"`)
	w.Do(`{"action":"add","content":"e"}`, `"id":"13"`)
}

// TestExportAndImportRoundTrip: through the payload and through a file, into an empty list and into one whose ids
// are taken.
func TestExportAndImportRoundTrip(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.Do(`{"action":"add","content":"wörk <b>","tags":["a"],"due":"2030-01-31"}`)
	w.Do(`{"action":"add","content":"part","parent":"1"}`)
	text, _ := w.Do(`{"action":"export"}`, "exported 2 tasks")
	w.Do(`{"action":"export","path":"out/tasks.json"}`, "exported 2 tasks to out/tasks.json")
	w.Fail(tools.Conflict, `{"action":"export","path":"out/tasks.json"}`, "overwrite")
	w.Do(`{"action":"export","path":"out/tasks.json","overwrite":true}`)
	if got := w.get(filepath.Join(w.Project, "out", "tasks.json")); got != text {
		t.Errorf("the file is not the payload:\n%s", got)
	}
	other := newWorld(t, "")
	data, _ := json.Marshal(text)
	other.Do(`{"action":"import","data":`+string(data)+`}`, "imported 2 tasks")
	if got, _ := other.Do(`{"action":"export"}`); got != text {
		t.Errorf("exported\n%s\nand imported\n%s", text, got)
	}
	other.Do(`{"action":"import","data":`+text+`}`, "imported 0 tasks, 2 were here already")

	taken := newWorld(t, "")
	taken.Do(`{"action":"add","content":"mine"}`)
	taken.Roots, taken.Project = w.Roots, w.Project
	taken.Do(`{"action":"import","path":"out/tasks.json","dry_run":true}`, "dry run")
	taken.Do(`{"action":"import","path":"out/tasks.json"}`, "imported 2 tasks")
	taken.Do(`{"action":"list"}`, "#1 medium: mine\n", "#3 medium: wörk <b> [a] due 2030-01-31\n", "#2 medium: part ↑#3\n")
}

// TestTasksOfTheOtherServersStay: a list that the TypeScript server wrote, with members that we do not know.
func TestTasksOfTheOtherServersStay(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `{
  "items": [
    {
      "id": "4",
      "content": "one",
      "status": "completed",
      "priority": "medium",
      "created": "2026-11-30T02:19:08.748Z",
      "updated": "2026-11-30T02:19:08.748Z",
      "due": "2030-01-01",
      "color": "#f00"
    },
    null,
    {
      "id": "5",
      "content": "two",
      "status": "pending",
      "priority": "medium",
      "created": "2026-11-30T02:19:08.753Z",
      "updated": "2026-11-30T02:19:08.753Z",
      "parent": "4",
      "estimate": {"h": 1.0}
    }
  ],
  "lastId": 5,
  "extra": [1, 2]
}`)
	w.Do(`{"action":"update","id":"5","priority":"high"}`)
	w.Do(`{"action":"archive"}`, "archived 1")
	text := w.get(w.File)
	for _, keep := range []string{`"extra": [1, 2]`, `"estimate":{"h":1.0}`, `"priority":"high"`, "null"} {
		if !strings.Contains(text, keep) {
			t.Errorf("no %s in\n%s", keep, text)
		}
	}
	if a := w.get(filepath.Join(filepath.Dir(w.File), "todos-archive.json")); !strings.Contains(a, `"color":"#f00"`) {
		t.Errorf("archive %s", a)
	}
}
