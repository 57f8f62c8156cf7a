package tasks

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// some has six tasks of two projects in all states.
func some(t testing.TB) *world {
	w := newWorld(t, "")
	for _, args := range []string{
		`"content":"one","project":"p","tags":"x, y","due":"2020-01-31"`, `"content":"two","project":"q","tags":["x"],"status":"in_progress"`, `"content":"three"`,
		`"content":"four","project":"p","status":"completed","tags":["y"]`, `"content":"five","project":"q","status":"completed"`, `"content":"six","project":"p","status":"cancelled"`,
	} {
		w.Do(`{"action":"add",` + args + `}`)
	}
	return w
}

var number = regexp.MustCompile(`#(\d+) `)

// ids are the tasks of a text.
func ids(text string) string {
	var list []string
	for _, m := range number.FindAllStringSubmatch(text, -1) {
		list = append(list, m[1])
	}
	return strings.Join(list, " ")
}

// TestListHeedsEveryFilter: a filter is never overlooked.
func TestListHeedsEveryFilter(t *testing.T) {
	t.Parallel()
	w := some(t)
	for args, want := range map[string]string{
		`"tags":["x"]`: "2 1", `"tags":"x,y"`: "1", `"tag":"y","tags":["x"]`: "1", `"labels":["none"]`: "",
		`"query":"three"`: "3", `"query":"one","tags":["x"]`: "1", `"query":"one","tag":"z"`: "",
		`"overdue":true`: "1", `"overdue":"true"`: "1", `"due":"overdue"`: "1", `"filter":"overdue"`: "1", `"overdue":false`: "2 1 3 4 5 6",
		`"completed":true`: "4 5", `"completed":false`: "2 1 3", `"done":true,"project":"p"`: "4", `"filter":"completed"`: "4 5",
		`"status":["pending","in_progress"]`: "2 1 3", `"status":"pending,in_progress"`: "2 1 3", `"status":"open"`: "2 1 3", `"status":"closed"`: "4 5 6", `"status":"done"`: "4 5", `"status":["all","pending"]`: "2 1 3 4 5 6",
		`"id":3`: "3", `"id":"#3"`: "3", `"id":3,"status":"completed"`: "", `"ids":[3,"5"]`: "3 5", `"ids":"1,2","id":3`: "2 1 3",
	} {
		if text, _ := w.Do(`{"action":"list",` + args + `}`); ids(text) != want {
			t.Errorf("%s: %q, not %q", args, ids(text), want)
		}
	}
	w.Do(`{"action":"search","query":"o","status":["pending"],"tags":["x"]}`, `"total":0`)
	w.Fail(tools.InvalidParams, `{"action":"list","status":["pending","odd"]}`, "odd")
	w.Fail(tools.NotFound, `{"action":"show","id":9}`)
	for _, unheeded := range []string{"before", "since", "content", "text"} {
		w.Fail(tools.InvalidParams, `{"action":"list","`+unheeded+`":"x"}`, "does not choose by")
	}
	w.Do(`{"action":"export","status":"open"}`, "exported 3 tasks")
}

// TestArchiveHeedsEveryFilter, and what was archived can be seen and comes back.
func TestArchiveHeedsEveryFilter(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		`"project":"p"`: "2 1 3 5", `"status":"completed"`: "2 1 3 6", `"status":["completed"],"project":"q"`: "2 1 3 4 6", `"tags":["y"]`: "2 1 3 5 6", `"filter":"cancelled"`: "2 1 3 4 5",
		`"status":"pending"`: "2 1 3 4 5 6", `"project":"none"`: "2 1 3 4 5 6", `"ids":[4,"5"]`: "2 1 3 6", `"ids":"1"`: "2 3 4 5 6", `"id":4,"project":"q"`: "2 1 3 4 5 6",
		`"project":"p","dry_run":true`: "2 1 3 4 5 6", `"sort":"due"`: "2 1 3",
	} {
		w := some(t)
		w.Do(`{"action":"archive",` + args + `}`)
		if text, _ := w.Do(`{"action":"list"}`); ids(text) != want {
			t.Errorf("%s left %q, not %q", args, ids(text), want)
		}
	}
	w := some(t)
	for _, word := range []string{"before", "older_than"} {
		w.Fail(tools.InvalidParams, `{"action":"archive","`+word+`":"2020-01-31"}`, "nothing was done")
	}
	w.Do(`{"action":"archive"}`, "archived 3 tasks")
	if text, _ := w.Do(`{"action":"list","archived":true}`); ids(text) != "4 5 6" {
		t.Errorf("archived %q", text)
	}
	w.Do(`{"action":"search","query":"five","archived":true}`, "#5")
	before := w.Read()
	w.Do(`{"action":"restore","ids":[5,6],"dry_run":true}`, "dry run")
	w.Fail(tools.NotFound, `{"action":"restore","ids":[5,9]}`, "archived:true")
	w.Fail(tools.InvalidParams, `{"action":"restore"}`)
	if w.Read() != before {
		t.Error("a refused call or a dry run changed the file")
	}
	w.Do(`{"action":"unarchive","ids":"6, 5, #6"}`, "restored 2 tasks")
	w.Restart()
	if text, _ := w.Do(`{"action":"list"}`); ids(text) != "2 1 3 5 6" && ids(text) != "2 1 3 6 5" {
		t.Errorf("list %q", text)
	}
	if text, _ := w.Do(`{"action":"list","archived":true}`); ids(text) != "4" {
		t.Errorf("archived %q", text)
	}
	archive := w.get(filepath.Join(filepath.Dir(w.File), "todos-archive.json"))
	other := strings.ReplaceAll(w.Read(), `"id":"3"`, `"id":"4"`)
	w.Write(regexp.MustCompile(`"created":"[^"]*"`).ReplaceAllString(other, `"created":"2020-01-01T00:00:00.000Z"`)) // all of one call may be of one millisecond
	w.Fail(tools.Conflict, `{"action":"restore","id":4}`, "#4")
	if got := w.get(filepath.Join(filepath.Dir(w.File), "todos-archive.json")); got != archive {
		t.Errorf("the archive changed: %s", got)
	}
}

// TestIDsAsNumbers: lists show them so.
func TestIDsAsNumbers(t *testing.T) {
	t.Parallel()
	w := some(t)
	w.Do(`{"action":"update","id":1,"status":"in_progress","project":7}`, "updated #1")
	w.Do(`{"action":"add","content":8,"parent":1}`, `added #7 \"8\"`)
	w.Do(`{"action":"batch","ids":[2,"3"],"priority":"low"}`, "2 updated")
	w.Do(`{"action":"batch","operations":[{"op":"update","id":4,"tags":"a, b"},{"op":"delete","task_id":"5"},{"op":"add","content":"part","parent":1}]}`, "1 added, 1 updated, 1 deleted")
	w.Do(`{"action":"list","parent":1}`, "7 medium: 8", "8 medium: part")
	w.Do(`{"action":"list","tags":["a","b"]}`, "#4")
	w.Fail(tools.InvalidParams, `{"action":"batch","operations":[{"op":"delete","id":[6]}]}`, "operation 1", "nothing of the batch")
	w.Do(`{"action":"complete","id":3}`, `"status":"completed"`)
	w.Do(`{"action":"update","ids":[3,6],"status":"pending"}`, "2 updated")
	w.Do(`{"action":"notes","id":3,"text":9}`)
	if text, _ := w.Do(`{"action":"notes","id":3}`); text != "9" {
		t.Errorf("notes %q", text)
	}
}

// TestDeletingSeveral: all or none, and subtasks want a confirm.
func TestDeletingSeveral(t *testing.T) {
	t.Parallel()
	w := some(t)
	w.Do(`{"action":"add","content":"part","parent":"3"}`)
	before := w.Read()
	w.Fail(tools.NotFound, `{"action":"delete","ids":[1,9]}`)
	w.Fail(tools.ConfirmRequired, `{"action":"delete","ids":[1,3]}`, "#1", "#3", "1 subtask")
	w.Fail(tools.InvalidParams, `{"action":"delete"}`, "id")
	if w.Read() != before {
		t.Error("a refused call changed the file")
	}
	w.Do(`{"action":"delete","ids":[3,7,"#7"]}`, `"count":2`) // the part is named itself
	w.Do(`{"action":"delete","ids":[1,2]}`, `deleted #1 \"one\", #2 \"two\"`)
	if text, _ := w.Do(`{"action":"list"}`); ids(text) != "4 5 6" {
		t.Errorf("left %q", text)
	}
}
