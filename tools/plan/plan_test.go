package plan

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// world is a state file with the tool over it.
type world struct {
	testing.TB
	file string
	tool *tools.Tool
}

func newWorld(t testing.TB, content string) *world {
	t.Helper()
	w := &world{TB: t, file: filepath.Join(t.TempDir(), "plans.json")}
	if content != "" {
		if err := os.WriteFile(w.file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	w.restart()
	return w
}

func (w *world) restart() { w.tool = New(Config{Path: w.file}) }

func (w *world) call(args string) *tools.Output {
	w.Helper()
	return tools.Invoke(context.Background(), w.tool, nil, nil, args)
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

func (w *world) file0() string {
	w.Helper()
	b, err := os.ReadFile(w.file)
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

func TestWorkOnAPlan(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.do(`{"action":"create","name":"Release","goal":"1.0 is out","steps":["write",{"description":"test","dependencies":[1]},{"description":"ship","depends_on":["#2","1"],"estimate":"1h","assignee":"ann"}],"tags":["r"]}`,
		`created plan #1`, `"next":["1.1"]`, `[ ] 1.3 ship (after 1.2, 1.1) [1h] @ann`)
	w.do(`{"action":"next"}`, "[ ] 1.1 write", "1 step of plan #1")
	w.do(`{"action":"update","stepId":"1.1","status":"done","output":"all of it"}`, `updated step 1.1: completed (1/3)`, `next: 1.2`)
	w.restart()
	w.do(`{"action":"update","id":"1","step_id":"2","status":"skipped"}`, `next: 1.3`)
	w.do(`{"action":"show"}`, "[x] 1.1 write", "→ all of it", "[-] 1.2", "2/3")
	w.do(`{"action":"add_step","description":"celebrate","dependencies":[3],"after":"3"}`, "added step 1.4", `"steps":4`)
	w.do(`{"action":"remove_step","step_id":"1.3"}`, "removed step 1.3")
	w.do(`{"action":"next"}`, "[ ] 1.4 celebrate\n")
	w.do(`{"action":"add_step","description":"again"}`, "added step 1.5") // numbers do not come back
	w.do(`{"action":"notes","text":"first"}`)
	w.do(`{"action":"notes","text":"second"}`)
	if got := w.do(`{"action":"notes"}`); got != "first\nsecond" {
		t.Errorf("notes %q", got)
	}
	w.do(`{"action":"progress"}`, "██████████░░░░░░░░░░ 50%", `"percent":50`, `"pending":2`)
	w.do(`{"action":"update","step_id":"4","status":"completed"}`)
	w.do(`{"action":"update","step_id":"5","status":"completed"}`, "the plan is completed", `"status":"completed"`)
	w.do(`{"action":"update","step_id":"5","status":"pending"}`, `"status":"active"`)
	w.do(`{"action":"clone","name":"Next release"}`, "as draft #2")
	w.do(`{"action":"get","step_id":"2.1"}`, `"description": "write"`, `"status": "pending"`)
	w.do(`{"action":"cancel","id":"2"}`, "cancelled plan #2")
	w.do(`{"action":"archive","id":"#1"}`, "archived plan #1")
	w.do(`{"action":"list"}`, "#2 [cancelled] Next release (0/4) [r]\n#1 [archived] Release (3/4) [r]\n")
	w.do(`{"action":"list","filter":"archived"}`, `"total":1`)
	w.do(`{"action":"get","id":"1"}`, `"name": "Release"`)
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.fail(tools.NotFound, `{"action":"show"}`, "no plan yet")
	w.fail(tools.InvalidParams, `{"action":"create","steps":["a"]}`, "name")
	w.fail(tools.InvalidParams, `{"action":"create","name":"n","steps":[{"x":1}]}`, "steps[0]", "description")
	w.fail(tools.InvalidParams, `{"action":"create","name":"n","steps":["a",{"description":"b","dependencies":[9]}]}`, "no step")
	w.fail(tools.InvalidParams, `{"action":"create","name":"n","steps":[{"description":"a","dependencies":[2]},{"description":"b","dependencies":[1]}]}`, "waits for itself")
	if _, err := os.Stat(w.file); err == nil {
		t.Error("a refused plan left a file")
	}
	w.do(`{"action":"create","name":"n","steps":"one\ntwo"}`, `"steps":2`)
	w.fail(tools.NotFound, `{"action":"update","step_id":"7","status":"completed"}`, "no step")
	w.fail(tools.InvalidParams, `{"action":"update","step_id":"1","status":"finished"}`, "one of")
	w.fail(tools.InvalidParams, `{"action":"update","step_id":"1","dependencies":["2","1"]}`, "waits for itself")
	w.fail(tools.InvalidParams, `{"action":"update","status":"in_progress"}`, "step_id")
	w.fail(tools.NotFound, `{"action":"show","id":"5"}`, "no plan")
	w.fail(tools.InvalidParams, `{"action":"visualize","format":"png"}`, "format")
}

func TestPictures(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.do(`{"action":"create","name":"n","steps":["a \"quoted\" <b>",{"description":"b","dependencies":[1]},{"description":"c","dependencies":[1]},{"description":"d","dependencies":[2,3]},"e"]}`)
	want := `Plan #1: n
├─ [ ] 1.1 a "quoted" <b>
│  ├─ [ ] 1.2 b (after 1.1)
│  │  └─ [ ] 1.4 d (after 1.2, 1.3)
│  └─ [ ] 1.3 c (after 1.1)
└─ [ ] 1.5 e
`
	if got := w.do(`{"action":"visualize"}`); got != want {
		t.Errorf("got\n%s", got)
	}
	w.do(`{"action":"visualize","format":"mermaid"}`, "flowchart TD\n", `s1["1.1 a #quot;quoted#quot; #lt;b#gt;"]:::pending`, "s1 --> s2\n", "s3 --> s4\n")
}

// TestPlansOfTheOtherServersStay: what the TypeScript server wrote is shown, and what we do not know of it stays.
func TestPlansOfTheOtherServersStay(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `{
  "plans": [
    {
      "id": "7",
      "name": "n",
      "goal": "g",
      "steps": [
        {
          "id": "7.1",
          "description": "one",
          "status": "completed",
          "dependencies": [],
          "output": "ok",
          "cost": 1.50
        },
        {
          "id": "7.2",
          "description": "two",
          "status": "pending",
          "dependencies": [
            "7.1"
          ],
          "estimate": "1h"
        }
      ],
      "created": "2026-11-30T02:19:08.676Z",
      "updated": "2026-11-30T02:19:08.681Z",
      "status": "active",
      "owner": {"team": "<a>"}
    }
  ],
  "lastId": 9,
  "version": 12345678901234567890
}`)
	w.do(`{"action":"next"}`, "7.2 two")
	w.do(`{"action":"update","step_id":"7.2","status":"completed"}`)
	w.do(`{"action":"create","name":"m"}`, "plan #10")
	text := w.file0()
	for _, keep := range []string{`"version": 12345678901234567890`, `"owner":{"team":"<a>"}`, `"cost":1.50`, `"output":"ok"`, `"lastId": 10`} {
		if !strings.Contains(text, keep) {
			t.Errorf("no %s in\n%s", keep, text)
		}
	}
}

// TestCirclesOfTheOtherServers do not hang or overflow anything.
func TestCirclesOfTheOtherServers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `{"plans":[{"id":"1","name":"n","goal":"g","status":"active","steps":[
		{"id":"1.1","description":"a","status":"pending","dependencies":["1.2"]},
		{"id":"1.2","description":"b","status":"pending","dependencies":["1.1"]},
		{"id":"1.3","description":"c","status":"pending","dependencies":["gone"]},
		{"id":"1.4","description":"d","status":"completed","dependencies":null},
		{"id":"1.4","description":"twice","status":"odd","dependencies":["1.4"]}]}],"lastId":1}`)
	w.do(`{"action":"visualize"}`, "in a circle", "1.1 a", "1.2 b", "twice")
	w.do(`{"action":"visualize","format":"mermaid"}`, "s2 --> s1")
	w.do(`{"action":"next"}`, "in a circle")
	w.do(`{"action":"update","step_id":"1.1","dependencies":[]}`)
	w.do(`{"action":"next"}`, "[ ] 1.1 a")
}
