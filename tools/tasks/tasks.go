// Package tasks is the tool that keeps to-dos.
//
// Its room: tasks and subtasks, kept by package store in a file that the other Hanzo servers use too, and a second
// file for archived ones. One file for each family of actions: change (add, update and the like), filter (what chooses
// tasks), remove (delete, archive, restore), batch, show (what looks), transfer (export, import).
//
// It must never lose what another server wrote, an unknown field included; never do half of a batch; and reach
// files that a call names only through the roots.
//
// Governing text: HIP-0300 §2 (the optional local tool tasks).
package tasks

import (
	_ "embed"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/store"
)

// Config is what the tool needs.
type Config struct {
	// Path is the state file: TODO_PATH, else ~/.hanzo/todos.json; archived tasks go to todos-archive.json beside
	// it. With "" nothing is kept on disk, and calls say so.
	Path string
}

//go:embed tasks.md
var description string

// Task is one to-do. Its id never changes and never comes back.
type Task struct {
	ID       string   `json:"id"`
	Content  string   `json:"content"`
	Status   string   `json:"status"`
	Priority string   `json:"priority"`
	Created  string   `json:"created"`
	Updated  string   `json:"updated"`
	Due      string   `json:"due,omitempty"` // a date, or a time with one
	Tags     []string `json:"tags,omitempty"`
	Project  string   `json:"project,omitempty"`
	Assignee string   `json:"assignee,omitempty"`
	Parent   string   `json:"parent,omitempty"`
	Notes    string   `json:"notes,omitempty"`
}

// Document is the state file.
type Document struct {
	Items  store.List[Task] `json:"items"`
	LastID int64            `json:"lastId"`
}

var (
	states     = []string{"pending", "in_progress", "completed", "cancelled"}
	priorities = []string{"high", "medium", "low"}
	sorts      = []string{"priority", "due", "created", "status"}
)

type tool struct {
	file, archived *store.Store[Document]
}

// New makes the tool. It reads nothing before the first call.
func New(cfg Config) *tools.Tool {
	t := &tool{file: store.New[Document](cfg.Path), archived: store.New[Document]("")}
	if cfg.Path != "" {
		t.archived = store.New[Document](filepath.Join(filepath.Dir(cfg.Path), "todos-archive.json"))
	}
	return &tools.Tool{
		Name: "tasks", Title: "Tasks", Description: description, Rewrite: rewrite,
		Hints: tools.Hints{Destructive: true},
		Params: []tools.Param{
			{Name: "content", Type: "string", Doc: "what to do", Aliases: []string{"title", "task", "description"}},
			{Name: "id", Type: "string", Doc: "the task", Aliases: []string{"task_id"}},
			{Name: "ids", Type: "array", Doc: "several tasks: batch, update, delete, archive, restore"},
			{Name: "status", Type: "string", Doc: "filter, or new status", Enum: states},
			{Name: "priority", Type: "string", Doc: "filter, or new priority (medium)", Enum: priorities},
			{Name: "due", Type: "string", Doc: "date, or \"tomorrow\", \"3d\", \"2w\"; list: overdue, or due until then", Aliases: []string{"due_date"}},
			{Name: "tags", Type: "array", Doc: "its tags; filter: it has all of them", Aliases: []string{"labels"}},
			{Name: "tag", Type: "string", Doc: "filter", Aliases: []string{"label"}},
			{Name: "project", Type: "string", Doc: "filter, or new project"},
			{Name: "assignee", Type: "string", Doc: "filter, or who does it"},
			{Name: "parent", Type: "string", Doc: "task that this is a part of", Aliases: []string{"parent_id"}},
			{Name: "text", Type: "string", Doc: "notes: what to add; add: same as content", Aliases: []string{"note", "notes"}},
			{Name: "query", Type: "string", Doc: "search: words", Aliases: []string{"q"}},
			{Name: "operations", Type: "array", Items: "object", Doc: "batch: {op: add|update|delete, id, content, …}", Aliases: []string{"ops"}},
			{Name: "sort", Type: "string", Doc: "list: order", Enum: sorts},
			{Name: "limit", Type: "integer", Doc: "how many at most"},
			{Name: "path", Type: "string", Path: tools.WritePath, Doc: "export, import: a file in the project", Aliases: []string{"uri", "file_path", "file"}},
			{Name: "data", Type: "object", Doc: "import: what export gave"},
			{Name: "overwrite", Type: "boolean", Doc: "export: replace the file"},
			{Name: "confirm", Type: "boolean", Strict: true, Doc: "delete with subtasks"},
			tools.DryRun("only say what would change"),
			{Name: "archived", Type: "boolean", Hidden: true, Doc: "list, search: the archived tasks"},
			{Name: "overdue", Type: "boolean", Hidden: true, Doc: "list: same as due overdue"},
			{Name: "completed", Type: "boolean", Hidden: true, Doc: "list: same as status completed, or open"},
			{Name: "done", Type: "boolean", Hidden: true, Doc: "list: as completed"},
			{Name: "filter", Type: "string", Hidden: true, Doc: "list: a status, or overdue"},
			{Name: "before", Type: "string", Hidden: true, Strict: true, Doc: "refused: tasks are not chosen by when they changed", Aliases: []string{"after", "older_than", "since", "changed_before"}},
			{Name: "max_chars", Type: "integer", Doc: "of text, default 30000"},
		},
		Actions: []tools.Action{
			tools.Act(tools.Action{Name: "add", Aliases: []string{"create", "new"}, Effect: tools.Writes, Doc: "a new task"}, t.add),
			tools.Act(tools.Action{Name: "list", Aliases: []string{"ls", "show"}, Doc: "tasks, open ones first"}, t.list),
			tools.Act(tools.Action{Name: "update", Aliases: []string{"edit", "set", "complete", "finish", "cancel", "start", "reopen"}, Effect: tools.Writes, Doc: "change a task"}, t.update),
			tools.Act(tools.Action{Name: "delete", Aliases: []string{"remove"}, Effect: tools.Destroys, Doc: "remove a task and its subtasks"}, t.delete),
			tools.Act(tools.Action{Name: "stats", Doc: "how many of which kind"}, t.stats),
			tools.Act(tools.Action{Name: "search", Aliases: []string{"find"}, Doc: "tasks by words, best first"}, t.search),
			tools.Act(tools.Action{Name: "batch", Effect: tools.Writes, EffectOf: batchEffect, Also: batched, Doc: "many changes, all or none"}, t.batch),
			tools.Act(tools.Action{Name: "archive", Effect: tools.Writes, Doc: "put completed and cancelled tasks (or ids, or those of a project …) away"}, t.archive),
			tools.Act(tools.Action{Name: "restore", Aliases: []string{"unarchive"}, Effect: tools.Writes, Doc: "bring archived tasks (ids) back"}, t.restore),
			tools.Act(tools.Action{Name: "move", Effect: tools.Writes, Doc: "to another project or parent"}, t.move),
			tools.Act(tools.Action{Name: "prioritize", Effect: tools.Writes, Doc: "set the priority"}, t.prioritize),
			tools.Act(tools.Action{Name: "assign", Effect: tools.Writes, Doc: "set the assignee"}, t.assign),
			tools.Act(tools.Action{Name: "subtasks", Effect: tools.Reads, EffectOf: addsSubtask, Doc: "the parts of a task; with content: add one"}, t.subtasks),
			tools.Act(tools.Action{Name: "notes", Effect: tools.Writes, EffectOf: addsNote, Doc: "read the notes, or add text to them"}, t.notes),
			tools.Act(tools.Action{Name: "export", EffectOf: writesPath, Doc: "tasks as JSON, to path or as text"}, t.export),
			tools.Act(tools.Action{Name: "import", Effect: tools.Writes, Doc: "add the tasks of path or data"}, t.importAll),
		},
	}
}

func writesIf(c *tools.Call, param string) tools.Effect {
	if c.Args.Has(param) {
		return tools.Writes
	}
	return tools.Reads
}

func addsSubtask(c *tools.Call) tools.Effect { return writesIf(c, "content") }
func addsNote(c *tools.Call) tools.Effect    { return writesIf(c, "text") }
func writesPath(c *tools.Call) tools.Effect  { return writesIf(c, "path") }

// find gives the index of a task by its id, or by the beginning of an id that is no number.
func (d *Document) find(given string) (int, error) {
	id := strings.TrimPrefix(strings.TrimSpace(given), "#")
	if id == "" {
		return 0, store.Missing("id", "give the id of the task, as list shows it")
	}
	if i := d.Items.Find(func(t *Task) bool { return t.ID == id }); i >= 0 {
		return i, nil
	}
	var near []string
	at := -1
	for i, it := range d.Items.All() {
		if len(id) >= 3 && strings.HasPrefix(it.V.ID, id) && strings.Trim(it.V.ID, "0123456789") != "" {
			near, at = append(near, it.V.ID), i
		}
	}
	switch {
	case len(near) == 1:
		return at, nil
	case len(near) > 1:
		return 0, tools.Errorf(tools.Ambiguous, "%s begins the ids of %d tasks; give more of it", store.Quote(id), len(near)).
			With(tools.Details{Param: "id", Available: near[:min(len(near), 10)]})
	}
	return 0, tools.Errorf(tools.NotFound, "there is no task %s; list shows the ids", store.Quote(id)).With(tools.Details{Param: "id"})
}

// below gives the ids of a task and of all its subtasks, theirs too.
func (d *Document) below(id string) map[string]bool {
	all := map[string]bool{id: true}
	for grown := true; grown; {
		grown = false
		for _, it := range d.Items.All() {
			if all[it.V.Parent] && it.V.Parent != "" && !all[it.V.ID] {
				all[it.V.ID], grown = true, true
			}
		}
	}
	return all
}

func (t *Task) open() bool { return t.Status != "completed" && t.Status != "cancelled" }

// overdue reports whether the task should be done by now. A day lasts until its end.
func (t *Task) overdue(now time.Time) bool {
	end, ok := t.end(now.Location())
	return ok && t.open() && end.Before(now)
}

// end is when the task should be done. Days are those of the user's zone.
func (t *Task) end(zone *time.Location) (time.Time, bool) {
	end, ok := store.TimeIn(t.Due, zone)
	if len(t.Due) == len(time.DateOnly) {
		end = end.AddDate(0, 0, 1)
	}
	return end, ok
}

// line is a task in one line.
func (t *Task) line(b *strings.Builder, now time.Time) {
	mark := "[ ]"
	switch t.Status {
	case "completed":
		mark = "[x]"
	case "in_progress":
		mark = "[~]"
	case "cancelled":
		mark = "[-]"
	}
	b.WriteString(mark + " #" + store.Line(t.ID) + " " + store.Line(t.Priority) + ": " + store.Cut(store.Line(t.Content), 300))
	if len(t.Tags) > 0 {
		b.WriteString(" [" + store.Lines(t.Tags) + "]")
	}
	if t.Project != "" {
		b.WriteString(" (" + store.Line(t.Project) + ")")
	}
	if t.Assignee != "" {
		b.WriteString(" @" + store.Line(t.Assignee))
	}
	if t.Due != "" {
		b.WriteString(" due " + store.Day(t.Due))
		if t.overdue(now) {
			b.WriteString(" OVERDUE")
		}
	}
	if t.Parent != "" {
		b.WriteString(" ↑#" + store.Line(t.Parent))
	}
	b.WriteByte('\n')
}

// rank is where a word stands in a list, behind all when it is not there.
func rank(word string, list []string) int {
	if i := slices.Index(list, word); i >= 0 {
		return i
	}
	return len(list)
}
