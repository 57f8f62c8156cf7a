package tasks

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// TestDueTodayLastsUntilTheUsersMidnight: days are those of the zone of the user, not of Greenwich.
func TestDueTodayLastsUntilTheUsersMidnight(t *testing.T) {
	t.Parallel()
	for name, zone := range map[string]*time.Location{"west": time.FixedZone("", -11*3600), "east": time.FixedZone("", 13*3600), "utc": time.UTC} {
		for _, hour := range []int{0, 12, 23} {
			now := time.Date(2030, 1, 31, hour, 30, 0, 0, zone)
			due, err := date("today", now)
			if err != nil {
				t.Fatal(err)
			}
			task := Task{Due: due, Status: "pending"}
			if task.overdue(now) {
				t.Errorf("%s: due %s is overdue at %s", name, due, now)
			}
			if !task.overdue(now.AddDate(0, 0, 1)) {
				t.Errorf("%s: due %s is not overdue a day later", name, due)
			}
			at := Task{Due: "2030-01-31T12:00", Status: "pending"}
			if got := at.overdue(now); got != (hour >= 12) {
				t.Errorf("%s: due at noon is overdue %v at %d:30", name, got, hour)
			}
		}
	}
}

// TestUpdateTakesNoNoteForTheContent: text is what notes adds; an update with it must not replace what is to be done.
func TestUpdateTakesNoNoteForTheContent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.Do(`{"action":"add","text":"buy milk"}`, "buy milk")
	w.Do(`{"action":"update","id":"1","text":"the shop was closed","status":"in_progress"}`, "does not take text")
	w.Do(`{"action":"list"}`, "buy milk")
	w.Fail(tools.InvalidParams, `{"action":"batch","ids":["1"],"text":"x"}`)
}

// TestBatchUpdateOfNothing: is told, as a plain update of nothing is.
func TestBatchUpdateOfNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.Do(`{"action":"add","content":"a"}`)
	w.Fail(tools.InvalidParams, `{"action":"batch","operations":[{"op":"update","id":"1","status":"completed"},{"op":"update","id":"1"}]}`, "operation 2")
	w.Do(`{"action":"list"}`, "[ ] #1")
}

// TestDryRunChangesNothing: every action that changes takes dry_run.
func TestDryRunChangesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.Do(`{"action":"add","content":"a"}`)
	w.Do(`{"action":"add","content":"b","status":"completed"}`)
	file := func() string {
		b, err := os.ReadFile(w.File)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	before := file()
	for _, args := range []string{
		`"action":"add","content":"c"`, `"action":"update","id":"1","status":"completed"`, `"action":"move","id":"1","project":"p"`, `"action":"prioritize","id":"1","priority":"high"`,
		`"action":"assign","id":"1","assignee":"me"`, `"action":"subtasks","id":"1","content":"c"`, `"action":"notes","id":"1","text":"n"`, `"action":"delete","id":"1"`,
		`"action":"archive"`, `"action":"batch","ids":["1"],"priority":"low"`, `"action":"import","data":[{"content":"c"}]`,
	} {
		w.Do("{"+args+`,"dry_run":true}`, `"dry_run":true`, "nothing changed")
		if got := file(); got != before {
			t.Fatalf("%s changed the file to %s", args, got)
		}
	}
}

// TestTasksDoNotForgeLines: a record of another program's stays on its line, and no character is cut.
func TestTasksDoNotForgeLines(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `{"items":[{"id":"1","content":"x","status":"pending","priority":"p\n[ ] #9","due":"明日の朝までに","tags":["t\n[ ] #9"],"project":"p\n[ ] #9","assignee":"a\n[ ] #9","parent":"7\n[ ] #9"}],"lastId":1}`)
	text, _ := w.Do(`{"action":"list"}`, "due 明日の朝までに")
	if strings.Count(text, "\n") != 1 || strings.ToValidUTF8(text, "") != text {
		t.Errorf("%q", text)
	}
}
