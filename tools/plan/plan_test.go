package plan

import (
	"os"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/tooltest"
)

type world struct{ *tooltest.World }

func newWorld(t testing.TB, content string) *world {
	t.Helper()
	return &world{tooltest.New(t, "plans.json", content, func(file string) *tools.Tool { return New(Config{Path: file}) })}
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
	w.Do(`{"action":"create","name":"Release","goal":"1.0 is out","steps":["write",{"description":"test","dependencies":[1]},{"description":"ship","depends_on":["#2","1"],"estimate":"1h","assignee":"ann"}],"tags":["r"]}`,
		`created plan #1`, `"next":["1.1"]`, `[ ] 1.3 ship (after 1.2, 1.1) [1h] @ann`)
	w.Do(`{"action":"next"}`, "[ ] 1.1 write", "1 step of plan #1")
	w.Do(`{"action":"update","stepId":"1.1","status":"done","output":"all of it"}`, `updated step 1.1: completed (1/3)`, `next: 1.2`)
	w.Restart()
	w.Do(`{"action":"update","id":"1","step_id":"2","status":"skipped"}`, `next: 1.3`)
	w.Do(`{"action":"show"}`, "[x] 1.1 write", "→ all of it", "[-] 1.2", "2/3")
	w.Do(`{"action":"add_step","description":"celebrate","dependencies":[3],"after":"3"}`, "added step 1.4", `"steps":4`)
	w.Do(`{"action":"remove_step","step_id":"1.3"}`, "removed step 1.3")
	w.Do(`{"action":"next"}`, "[ ] 1.4 celebrate\n")
	w.Do(`{"action":"add_step","description":"again"}`, "added step 1.5") // numbers do not come back
	w.Do(`{"action":"notes","text":"first"}`)
	w.Do(`{"action":"notes","text":"second"}`)
	if got, _ := w.Do(`{"action":"notes"}`); got != "first\nsecond" {
		t.Errorf("notes %q", got)
	}
	w.Do(`{"action":"progress"}`, "██████████░░░░░░░░░░ 50%", `"percent":50`, `"pending":2`)
	w.Do(`{"action":"update","step_id":"4","status":"completed"}`)
	w.Do(`{"action":"update","step_id":"5","status":"completed"}`, "the plan is completed", `"status":"completed"`)
	w.Do(`{"action":"update","step_id":"5","status":"pending"}`, `"status":"active"`)
	w.Do(`{"action":"clone","name":"Next release"}`, "as draft #2")
	w.Do(`{"action":"get","step_id":"2.1"}`, `"description": "write"`, `"status": "pending"`)
	w.Do(`{"action":"cancel","id":"2"}`, "cancelled plan #2")
	w.Do(`{"action":"archive","id":"#1"}`, "archived plan #1")
	w.Do(`{"action":"list"}`, "#2 [cancelled] Next release (0/4) [r]\n#1 [archived] Release (3/4) [r]\n")
	w.Do(`{"action":"list","filter":"archived"}`, `"total":1`)
	w.Do(`{"action":"get","id":"1"}`, `"name": "Release"`)
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.Fail(tools.NotFound, `{"action":"show"}`, "no plan yet")
	w.Fail(tools.InvalidParams, `{"action":"create","steps":["a"]}`, "name")
	w.Fail(tools.InvalidParams, `{"action":"create","name":"n","steps":[{"x":1}]}`, "steps[0]", "description")
	w.Fail(tools.InvalidParams, `{"action":"create","name":"n","steps":["a",{"description":"b","dependencies":[9]}]}`, "no step")
	w.Fail(tools.InvalidParams, `{"action":"create","name":"n","steps":[{"description":"a","dependencies":[2]},{"description":"b","dependencies":[1]}]}`, "waits for itself")
	if _, err := os.Stat(w.File); err == nil {
		t.Error("a refused plan left a file")
	}
	w.Do(`{"action":"create","name":"n","steps":"one\ntwo"}`, `"steps":2`)
	w.Fail(tools.NotFound, `{"action":"update","step_id":"7","status":"completed"}`, "no step")
	w.Fail(tools.InvalidParams, `{"action":"update","step_id":"1","status":"finished"}`, "one of")
	w.Fail(tools.InvalidParams, `{"action":"update","step_id":"1","dependencies":["2","1"]}`, "waits for itself")
	w.Fail(tools.InvalidParams, `{"action":"update","status":"in_progress"}`, "step_id")
	w.Fail(tools.NotFound, `{"action":"show","id":"5"}`, "no plan")
	w.Fail(tools.InvalidParams, `{"action":"visualize","format":"png"}`, "format")
}

func TestPictures(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.Do(`{"action":"create","name":"n","steps":["a \"quoted\" <b>",{"description":"b","dependencies":[1]},{"description":"c","dependencies":[1]},{"description":"d","dependencies":[2,3]},"e"]}`)
	want := `Plan #1: n
├─ [ ] 1.1 a "quoted" <b>
│  ├─ [ ] 1.2 b (after 1.1)
│  │  └─ [ ] 1.4 d (after 1.2, 1.3)
│  └─ [ ] 1.3 c (after 1.1)
└─ [ ] 1.5 e
`
	if got, _ := w.Do(`{"action":"visualize"}`); got != want {
		t.Errorf("got\n%s", got)
	}
	w.Do(`{"action":"visualize","format":"mermaid"}`, "flowchart TD\n", `s1["1.1 a #quot;quoted#quot; #lt;b#gt;"]:::pending`, "s1 --> s2\n", "s3 --> s4\n")
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
	w.Do(`{"action":"next"}`, "7.2 two")
	w.Do(`{"action":"update","step_id":"7.2","status":"completed"}`)
	w.Do(`{"action":"create","name":"m"}`, "plan #10")
	text := w.Read()
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
	w.Do(`{"action":"visualize"}`, "in a circle", "1.1 a", "1.2 b", "twice")
	w.Do(`{"action":"visualize","format":"mermaid"}`, "s2 --> s1")
	w.Do(`{"action":"next"}`, "in a circle")
	w.Do(`{"action":"update","step_id":"1.1","dependencies":[]}`)
	w.Do(`{"action":"next"}`, "[ ] 1.1 a")
}
