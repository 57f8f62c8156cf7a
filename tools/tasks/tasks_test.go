package tasks

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
)

// world is a state file and a project folder with the tool over them.
type world struct {
	testing.TB
	file, project string
	tool          *tools.Tool
	roots         *sandbox.Roots
}

func newWorld(t testing.TB, content string) *world {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{TB: t, file: filepath.Join(base, "todos.json"), project: filepath.Join(base, "project")}
	if err := os.Mkdir(w.project, 0o755); err != nil {
		t.Fatal(err)
	}
	if content != "" {
		if err := os.WriteFile(w.file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if w.roots, err = sandbox.Open(sandbox.Config{Dirs: []string{w.project}, State: filepath.Join(base, "state")}); err != nil {
		t.Fatal(err)
	}
	w.restart()
	return w
}

func (w *world) restart() { w.tool = New(Config{Path: w.file}) }

func (w *world) call(args string) *tools.Output {
	w.Helper()
	return tools.Invoke(context.Background(), w.tool, w.roots, nil, args)
}

// do is a call that must work and answer with these parts, in its payload or envelope.
func (w *world) do(args string, parts ...string) string {
	w.Helper()
	out := w.call(args)
	b, err := json.Marshal(out.Envelope)
	if err != nil {
		w.Fatal(err)
	}
	if !out.Envelope.OK {
		w.Fatalf("%s: %s", args, b)
	}
	if out.Text == "" && len(b) > 1024 {
		w.Errorf("%s: an envelope of %d bytes", args, len(b))
	}
	for _, p := range parts {
		if !strings.Contains(out.Text+string(b), p) {
			w.Errorf("%s: no %q in\n%s\n%s", args, p, out.Text, b)
		}
	}
	return out.Text
}

// fail is a call that must be refused with code and these parts in its message.
func (w *world) fail(code tools.Code, args string, parts ...string) {
	w.Helper()
	out := w.call(args)
	if out.Envelope.OK || out.Envelope.Error.Code != code {
		w.Fatalf("%s: %+v, not %s", args, out.Envelope, code)
	}
	for _, p := range parts {
		if !strings.Contains(out.Envelope.Error.Message, p) {
			w.Errorf("%s: no %q in %s", args, p, out.Envelope.Error.Message)
		}
	}
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
	w.do(`{"action":"add","title":"buy milk","priority":"low","due":"2020-01-31","tags":["home"," home "],"project":"p","assignee":"ann"}`, `added #1 \"buy milk\"`)
	w.do(`{"action":"add","text":"write","priority":"urgent"}`, `"id":"2"`)
	w.do(`{"action":"add","content":"chapter one","parent":"#2","due":"tomorrow"}`, `"id":"3"`)
	w.restart()
	w.do(`{"action":"list"}`, "[ ] #2 high: write\n[ ] #3 medium: chapter one due "+time.Now().AddDate(0, 0, 1).Format(time.DateOnly)+" ↑#2\n[ ] #1 low: buy milk [home] (p) @ann due 2020-01-31 OVERDUE\n")
	w.do(`{"action":"list","due":"overdue"}`, "#1", `"total":1`)
	w.do(`{"action":"list","due":"1w"}`, "#3", `"total":2`)
	w.do(`{"action":"list","tag":"home","project":"p","assignee":"@ann","priority":"low","status":"pending"}`, `"total":1`)
	w.do(`{"action":"list","sort":"due","limit":1}`, "buy milk", "1 shown", `"truncated":true`)
	w.do(`{"action":"update","id":"1","status":"in-progress","due":"","content":"buy oat milk"}`, `updated #1 \"buy oat milk\"`, `"status":"in_progress"`)
	w.do(`{"action":"prioritize","id":"1","priority":"high"}`, "high")
	w.do(`{"action":"assign","id":"2","assignee":"bob"}`, "bob")
	w.do(`{"action":"move","id":"1","project":"q"}`, "moved to project")
	w.do(`{"action":"list","project":"q"}`, "[~] #1 high: buy oat milk [home] (q) @ann\n")
	w.do(`{"action":"subtasks","id":"3","content":"first line"}`, `"id":"4"`)
	w.do(`{"action":"subtasks","id":"2"}`, "[ ] #2 high: write @bob\n  [ ] #3 medium", "\n    [ ] #4 medium: first line", "2 subtasks, 0 done")
	w.do(`{"action":"notes","id":"2","text":"a"}`)
	w.do(`{"action":"notes","id":"2","text":"b"}`)
	if got := w.do(`{"action":"notes","id":"2"}`); got != "a\nb" {
		t.Errorf("notes %q", got)
	}
	w.do(`{"action":"stats"}`, "4 tasks, 4 open, 0 overdue", `"in_progress":1`, `"projects":1`)
	w.do(`{"action":"search","query":"MILK oat"}`, "#1", `"total":1`)
	w.do(`{"action":"update","id":"1","status":"done"}`)
	w.do(`{"action":"archive"}`, "archived 1 task")
	w.do(`{"action":"archive"}`, "nothing to archive")
	if text := w.get(filepath.Join(filepath.Dir(w.file), "todos-archive.json")); !strings.Contains(text, "buy oat milk") {
		t.Errorf("archive: %s", text)
	}
	w.fail(tools.ConfirmRequired, `{"action":"delete","id":"2"}`, "2 subtasks")
	w.do(`{"action":"delete","id":"2","dry_run":true}`, "dry run", "2 subtasks")
	w.do(`{"action":"delete","id":"2","confirm":true}`, "and 2 subtasks", `"count":3`)
	w.do(`{"action":"list"}`, `"total":0`)
	w.do(`{"action":"add","content":"new"}`, `"id":"5"`) // ids do not come back
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.do(`{"action":"add","content":"a"}`)
	w.do(`{"action":"add","content":"b","parent":"1"}`)
	before := w.get(w.file)
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
		w.fail(code, args)
	}
	if after := w.get(w.file); after != before {
		t.Errorf("a refused call changed the file:\n%s", after)
	}
}

// TestBatchIsAllOrNothing: what comes last and fails takes back what came before.
func TestBatchIsAllOrNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	for range 3 {
		w.do(`{"action":"add","content":"x"}`)
	}
	before := w.get(w.file)
	w.fail(tools.NotFound, `{"action":"batch","ids":["1","2","7"],"status":"completed"}`, "operation 3", "nothing of the batch was done")
	w.fail(tools.InvalidParams, `{"action":"batch","operations":[{"op":"delete","id":"1"},{"op":"update","id":"2","status":"odd"}]}`, "operation 2")
	w.fail(tools.InvalidParams, `{"action":"batch","operations":[{"op":"add","content":"y"},{"op":"explode","id":"2"}]}`, "operation 2")
	if after := w.get(w.file); after != before {
		t.Errorf("the file changed:\n%s", after)
	}
	w.do(`{"action":"batch","ids":["1","2"],"status":"completed","dry_run":true}`, "dry run", "2 updated")
	w.do(`{"action":"batch","ids":["1","2"],"status":"completed","priority":"low"}`, "batch: 2 updated")
	w.do(`{"action":"batch","operations":[{"action":"add","title":"y"},{"op":"update","id":"3","tags":["t"]},{"op":"delete","id":"1"}]}`, "1 added, 1 updated, 1 deleted", `"ids":["4"]`)
	w.do(`{"action":"list"}`, "[ ] #3 medium: x [t]\n[ ] #4 medium: y\n[x] #2 low: x\n")
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
	w.fail(tools.NotFound, `{"action":"delete","id":"1"}`)
	w.fail(tools.Ambiguous, `{"action":"update","id":"7f3e","status":"completed"}`)
	w.do(`{"action":"update","id":"91cd","status":"completed"}`, `"id":"91cd-cc"`)
	w.do(`{"action":"update","id":"7f3e-b","status":"completed"}`, `"id":"7f3e-bb"`)
	w.do(`{"action":"add","content":"e"}`, `"id":"13"`)
}

// TestExportAndImportRoundTrip: through the payload and through a file, into an empty list and into one whose ids
// are taken.
func TestExportAndImportRoundTrip(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.do(`{"action":"add","content":"wörk <b>","tags":["a"],"due":"2030-01-31"}`)
	w.do(`{"action":"add","content":"part","parent":"1"}`)
	text := w.do(`{"action":"export"}`, "exported 2 tasks")
	w.do(`{"action":"export","path":"out/tasks.json"}`, "exported 2 tasks to out/tasks.json")
	w.fail(tools.Conflict, `{"action":"export","path":"out/tasks.json"}`, "overwrite")
	w.do(`{"action":"export","path":"out/tasks.json","overwrite":true}`)
	if got := w.get(filepath.Join(w.project, "out", "tasks.json")); got != text {
		t.Errorf("the file is not the payload:\n%s", got)
	}
	other := newWorld(t, "")
	data, _ := json.Marshal(text)
	other.do(`{"action":"import","data":`+string(data)+`}`, "imported 2 tasks")
	if got := other.do(`{"action":"export"}`); got != text {
		t.Errorf("exported\n%s\nand imported\n%s", text, got)
	}
	other.do(`{"action":"import","data":`+text+`}`, "imported 0 tasks, 2 were here already")

	taken := newWorld(t, "")
	taken.do(`{"action":"add","content":"mine"}`)
	taken.roots, taken.project = w.roots, w.project
	taken.do(`{"action":"import","path":"out/tasks.json","dry_run":true}`, "dry run")
	taken.do(`{"action":"import","path":"out/tasks.json"}`, "imported 2 tasks")
	taken.do(`{"action":"list"}`, "#1 medium: mine\n", "#3 medium: wörk <b> [a] due 2030-01-31\n", "#2 medium: part ↑#3\n")
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
	w.do(`{"action":"update","id":"5","priority":"high"}`)
	w.do(`{"action":"archive"}`, "archived 1")
	text := w.get(w.file)
	for _, keep := range []string{`"extra": [1, 2]`, `"estimate":{"h":1.0}`, `"priority":"high"`, "null"} {
		if !strings.Contains(text, keep) {
			t.Errorf("no %s in\n%s", keep, text)
		}
	}
	if a := w.get(filepath.Join(filepath.Dir(w.file), "todos-archive.json")); !strings.Contains(a, `"color":"#f00"`) {
		t.Errorf("archive %s", a)
	}
}
