package plan

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// three has the active plans Alpha, Beta and Gamma with two steps each.
func three(t testing.TB) *world {
	w := newWorld(t, "")
	for _, name := range []string{"Alpha", "Beta", "Gamma"} {
		w.Do(fmt.Sprintf(`{"action":"create","name":%q,"steps":["a","b"]}`, name))
	}
	return w
}

// TestTheNamedPlanIsMeant: a name finds its plan in every action, also where the id belongs.
func TestTheNamedPlanIsMeant(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		`"action":"cancel","name":"Alpha"`:                                   `cancelled plan #1`,
		`"action":"archive","name":"alpha"`:                                  `archived plan #1`,
		`"action":"cancel","plan":"Beta"`:                                    `cancelled plan #2`,
		`"action":"cancel","id":"Beta"`:                                      `cancelled plan #2`,
		`"action":"cancel","id":2`:                                           `cancelled plan #2`,
		`"action":"cancel","id":2,"name":"Beta"`:                             `cancelled plan #2`,
		`"action":"remove_step","name":"Beta","step_id":1`:                   `removed step 2.1`,
		`"action":"update","name":"Alpha","status":"cancelled"`:              `updated plan #1 \"Alpha\" (cancelled)`,
		`"action":"update","name":"Alpha","step_id":"1","status":"skipped"`:  `updated step 1.1`,
		`"action":"update","id":"Alpha","name":"Delta"`:                      `updated plan #1 \"Delta\"`,
		`"action":"update","step_id":2.1,"status":"completed"`:               `updated step 2.1`,
		`"action":"complete_step","name":"Beta","step_id":"2"`:               `updated step 2.2: completed`,
		`"action":"complete","name":"Beta"`:                                  `updated plan #2 \"Beta\" (completed)`,
		`"action":"add_step","name":"Beta","description":"c"`:                `added step 2.3`,
		`"action":"notes","name":"Beta","text":"n"`:                          `notes of plan #2`,
		`"action":"clone","name":"Beta"`:                                     `cloned plan #2 as draft #4 \"Beta (copy)\"`,
		`"action":"clone","id":"Beta","name":"Gamma"`:                        `cloned plan #2 as draft #4 \"Gamma\"`,
		`"action":"clone","name":"Delta"`:                                    `cloned plan #3 as draft #4 \"Delta\"`,
		`"action":"show","name":"Beta"`:                                      `plan #2`,
		`"action":"next","name":"Beta"`:                                      `of plan #2`,
		`"action":"progress","name":"Beta"`:                                  `plan #2`,
		`"action":"visualize","name":"Beta"`:                                 `plan #2`,
		`"action":"get","name":"Beta","step_id":"1"`:                         `step 2.1`,
		`"action":"update","step_id":"1","status":"completed"`:               `updated step 3.1`, // the latest active one
		`"action":"update","step_id":"1","assignee":7,"status":"completed"`:  `updated step 3.1`,
		`"action":"create","name":"D","steps":["x"],"tags":"a, b"`:           `[ ] 4.1 x`,
		`"action":"list","name":"alp"`:                                       `"total":1`,
		`"action":"list","tags":["none"]`:                                    `"total":0`,
		`"action":"update","id":"1","tags":"a, b","dry_run":true`:            `plan #1`,
		`"action":"add_step","plan_id":2,"description":"c","tools":"fs,git"`: `added step 2.3`,
	} {
		three(t).Do("{"+args+"}", want)
	}
}

// TestNoOtherPlanThanTheNamedOne: what cannot be found, or is one of several, changes nothing.
func TestNoOtherPlanThanTheNamedOne(t *testing.T) {
	t.Parallel()
	w := three(t)
	w.Do(`{"action":"create","name":"Beta","steps":["c"]}`)
	before := w.Read()
	for args, code := range map[string]tools.Code{
		`"action":"cancel","name":"Omega"`:                              tools.NotFound,
		`"action":"cancel","name":"Beta"`:                               tools.Ambiguous,
		`"action":"cancel","id":"1","name":"Beta"`:                      tools.InvalidParams,
		`"action":"cancel"`:                                             tools.Ambiguous,
		`"action":"archive"`:                                            tools.Ambiguous,
		`"action":"remove_step","step_id":"1"`:                          tools.Ambiguous,
		`"action":"remove_step","name":"Alpha","step_id":"2.1"`:         tools.NotFound,
		`"action":"update","name":"Omega","status":"cancelled"`:         tools.NotFound,
		`"action":"update","name":"Alpha"`:                              tools.InvalidParams,
		`"action":"update","status":"cancelled"`:                        tools.Ambiguous,
		`"action":"complete_step","name":"Alpha"`:                       tools.InvalidParams,
		`"action":"update","step_id":"9.1","status":"completed"`:        tools.NotFound,
		`"action":"add_step","name":"Omega","description":"x"`:          tools.NotFound,
		`"action":"notes","name":"Omega","text":"x"`:                    tools.NotFound,
		`"action":"update","name":"Beta","step_id":"1","status":"done"`: tools.Ambiguous,
	} {
		w.Fail(code, "{"+args+"}")
		if w.Read() != before {
			t.Fatalf("%s changed the file", args)
		}
	}
	e := w.Fail(tools.Ambiguous, `{"action":"cancel"}`)
	if got := strings.Join(e.Details.Available, ", "); got != "4 Beta, 3 Gamma, 2 Beta, 1 Alpha" {
		t.Errorf("available %s", got)
	}
}

// TestWhatWasGivenUpIsNotChanged: a call that names no plan never changes a cancelled or archived one.
func TestWhatWasGivenUpIsNotChanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.Do(`{"action":"create","name":"a","steps":["x"]}`)
	w.Do(`{"action":"create","name":"b","steps":["x"]}`)
	w.Do(`{"action":"cancel","id":"2"}`)
	w.Do(`{"action":"archive"}`, "archived plan #1") // the only active one
	before := w.Read()
	for _, args := range []string{
		`"action":"update","step_id":"1","status":"completed"`, `"action":"add_step","description":"c"`, `"action":"notes","text":"n"`, `"action":"remove_step","step_id":"1"`, `"action":"cancel"`,
	} {
		w.Fail(tools.Ambiguous, "{"+args+"}", "id")
	}
	if w.Read() != before {
		t.Error("the file changed")
	}
	w.Do(`{"action":"show"}`, "plan #2") // looking harms nothing
	w.Do(`{"action":"update","id":"1","step_id":"1","status":"completed"}`, "updated step 1.1")
}

// TestStepsOfAnyID: plans of other servers whose steps have ids without the plan's.
func TestStepsOfAnyID(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `{"plans":[{"id":"p1","name":"a","status":"active","steps":[
		{"id":"1","description":"x","status":"pending"},
		{"id":"2","description":"y","status":"pending","dependencies":["1"]},
		{"id":"setup.b","description":"z","status":"pending","dependencies":["2"]},
		{"description":"no id","status":"pending"}]}]}`)
	w.Do(`{"action":"next"}`, "[ ] 1 x")
	w.Do(`{"action":"update","id":"p1","step_id":1,"status":"completed"}`, "updated step 1: completed", "next: 2")
	w.Do(`{"action":"update","step_id":"setup.b","status":"skipped"}`, "updated step setup.b")
	w.Do(`{"action":"visualize"}`, "└─ [x] 1 x", "[ ] 2 y (after 1)", "have none:\n   [ ]  no id")
	w.Do(`{"action":"add_step","description":"new","dependencies":[2]}`, "added step p1.3")
	w.Do(`{"action":"get","step_id":"3"}`, `"p1.3"`, `"2"`)
	e := w.Fail(tools.NotFound, `{"action":"update","step_id":"7","status":"completed"}`)
	if got := strings.Join(e.Details.Available, " "); got != "1 2 setup.b p1.3" {
		t.Errorf("available %q", got)
	}
}
