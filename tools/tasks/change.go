package tasks

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/store"
)

// What a task may hold, in bytes.
const (
	maxContent = 4 << 10
	maxNotes   = 64 << 10
	maxName    = 200
	maxTags    = 32
)

// changed is what a changing action answers.
type changed struct {
	Text   string   `json:"text"`
	ID     string   `json:"id,omitempty"`
	Status string   `json:"status,omitempty"`
	Count  int      `json:"count,omitempty"`
	IDs    []string `json:"ids,omitempty"`
	DryRun bool     `json:"dry_run,omitempty"`
}

// fields are what a call may set of a task; nil leaves it as it is, "" takes an optional one away.
type fields struct {
	Content  *string   `json:"content" alias:"title,text,task"`
	Status   *string   `json:"status"`
	Priority *string   `json:"priority"`
	Due      *string   `json:"due"`
	Tags     *[]string `json:"tags"`
	Project  *string   `json:"project"`
	Assignee *string   `json:"assignee"`
	Parent   *string   `json:"parent"`
}

// check looks at what is to be set and brings it to the words of the file.
func (f *fields) check(now time.Time) error {
	var err error
	length := func(param string, s *string, most int) {
		if s != nil {
			err = cmp.Or(err, store.TooLong(param, len(*s), most))
		}
	}
	length("content", f.Content, maxContent)
	length("project", f.Project, maxName)
	length("assignee", f.Assignee, maxName)
	if f.Content != nil && strings.TrimSpace(*f.Content) == "" {
		err = cmp.Or(err, error(store.Missing("content", "say what is to be done")))
	}
	if f.Status != nil {
		s := status(*f.Status)
		f.Status, err = &s, cmp.Or(err, store.OneOf("status", s, states...))
	}
	if f.Priority != nil {
		p := priority(*f.Priority)
		f.Priority, err = &p, cmp.Or(err, store.OneOf("priority", p, priorities...))
	}
	if f.Due != nil {
		d, derr := date(*f.Due, now)
		f.Due, err = &d, cmp.Or(err, derr)
	}
	if f.Tags != nil {
		list := []string{}
		for _, tag := range *f.Tags {
			if tag = strings.TrimSpace(tag); tag != "" && !slices.Contains(list, tag) {
				list = append(list, tag)
			}
			err = cmp.Or(err, store.TooLong("tags", len(tag), maxName))
		}
		f.Tags, err = &list, cmp.Or(err, store.TooLong("tags", len(list), maxTags))
	}
	return err
}

func status(s string) string {
	s = strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(strings.TrimSpace(s)))
	switch s {
	case "done", "complete", "finished":
		return "completed"
	case "todo", "open":
		return "pending"
	case "doing", "started", "active":
		return "in_progress"
	case "canceled":
		return "cancelled"
	}
	return s
}

func priority(p string) string {
	p = strings.ToLower(strings.TrimSpace(p))
	switch p {
	case "urgent", "critical":
		return "high"
	case "normal", "med":
		return "medium"
	}
	return p
}

var span = tools.Pattern(`^\+?(\d{1,4}) ?(d|w|days?|weeks?)$`)

// date reads when a task is due: a date or time as it is, a word or a number of days as the day that it means.
func date(given string, now time.Time) (string, error) {
	given = strings.TrimSpace(given)
	word := strings.ToLower(given)
	if word == "none" {
		return "", nil
	}
	if _, ok := store.Time(given); ok || word == "" {
		return given, nil
	}
	days := -1
	switch m := span().FindStringSubmatch(strings.TrimPrefix(word, "in ")); {
	case word == "today":
		days = 0
	case word == "tomorrow":
		days = 1
	case m != nil:
		days, _ = strconv.Atoi(m[1])
		if m[2][0] == 'w' {
			days *= 7
		}
	}
	if days < 0 {
		return "", tools.Errorf(tools.InvalidParams, "due %s is no date; give 2030-01-31, a time such as 2030-01-31T12:00:00Z, tomorrow, 3d or 2w", store.Quote(given)).
			With(tools.Details{Param: "due", Actual: store.Cut(given, 60)})
	}
	return now.AddDate(0, 0, days).Format(time.DateOnly), nil
}

// put sets the fields of a task.
func (f *fields) put(t *Task, now time.Time) {
	set := func(to *string, from *string) {
		if from != nil {
			*to = *from
		}
	}
	set(&t.Content, f.Content)
	set(&t.Status, f.Status)
	set(&t.Priority, f.Priority)
	set(&t.Due, f.Due)
	set(&t.Project, f.Project)
	set(&t.Assignee, f.Assignee)
	set(&t.Parent, f.Parent)
	if f.Tags != nil {
		t.Tags = *f.Tags
		if len(t.Tags) == 0 {
			t.Tags = nil
		}
	}
	t.Updated = store.Stamp(now)
}

// add makes a task.
func (d *Document) add(f fields, now time.Time) (*Task, error) {
	if f.Content == nil {
		return nil, store.Missing("content", "say what is to be done")
	}
	t := Task{Status: "pending", Priority: "medium", Created: store.Stamp(now)}
	f.put(&t, now)
	if t.Parent != "" {
		i, err := d.find(t.Parent)
		if err != nil {
			return nil, badParent(t.Parent)
		}
		t.Parent = d.Items.At(i).V.ID
	}
	t.ID, d.LastID = store.NextID(&d.Items, d.LastID, func(t *Task) string { return t.ID })
	it := store.NewItem(t)
	d.Items.Add(it)
	return &it.V, nil
}

func badParent(id string) error {
	return tools.Errorf(tools.NotFound, "there is no task %s to be the parent; list shows the ids", store.Quote(id)).With(tools.Details{Param: "parent"})
}

// edit changes a task.
func (d *Document) edit(id string, f fields, now time.Time) (*Task, error) {
	i, err := d.find(id)
	if err != nil {
		return nil, err
	}
	if f.Parent != nil && *f.Parent != "" {
		n, err := d.find(*f.Parent)
		if err != nil {
			return nil, badParent(*f.Parent)
		}
		parent := d.Items.At(n).V.ID
		if d.below(d.Items.At(i).V.ID)[parent] {
			return nil, tools.Errorf(tools.InvalidParams, "#%s is #%s itself or a part of it; give another parent", parent, d.Items.At(i).V.ID).With(tools.Details{Param: "parent"})
		}
		f.Parent = &parent
	}
	d.Items.Change(i, func(t *Task) { f.put(t, now) })
	return &d.Items.At(i).V, nil
}

// setIn are the parameters that set fields.
type setIn struct {
	Content  *string   `json:"content"`
	Status   *string   `json:"status"`
	Priority *string   `json:"priority"`
	Due      *string   `json:"due"`
	Tags     *[]string `json:"tags"`
	Project  *string   `json:"project"`
	Assignee *string   `json:"assignee"`
	Parent   *string   `json:"parent"`
	DryRun   bool      `json:"dry_run"`
}

func (in setIn) fields() fields {
	return fields{in.Content, in.Status, in.Priority, in.Due, in.Tags, in.Project, in.Assignee, in.Parent}
}

type addIn struct {
	setIn
	Text *string `json:"text"`
}

func (t *tool) add(ctx context.Context, c *tools.Call, in addIn) (*tools.Result, error) {
	in.Content = cmp.Or(in.Content, in.Text)
	return t.make(ctx, c, in.fields(), in.DryRun)
}

func (t *tool) make(ctx context.Context, c *tools.Call, f fields, dry bool) (*tools.Result, error) {
	now := time.Now()
	if f.Content == nil {
		return nil, store.Missing("content", "say what is to be done")
	}
	if err := f.check(now); err != nil {
		return nil, err
	}
	return t.change(ctx, c, dry, func(d *Document) (changed, error) {
		task, err := d.add(f, now)
		if err != nil {
			return changed{}, err
		}
		return changed{Text: fmt.Sprintf("added #%s %s", task.ID, store.Quote(task.Content)), ID: task.ID, Status: task.Status}, nil
	})
}

type updateIn struct {
	ID  string   `json:"id"`
	IDs []string `json:"ids"`
	setIn
}

// meanings are the states that names of update set by themselves.
var meanings = map[string]string{"complete": "completed", "finish": "completed", "cancel": "cancelled", "start": "in_progress", "reopen": "pending"}

func (t *tool) update(ctx context.Context, c *tools.Call, in updateIn) (*tools.Result, error) {
	if s := meanings[c.Given]; s != "" && in.Status == nil {
		in.Status = &s
	}
	if len(in.IDs) > 0 && in.ID == "" {
		return t.batch(ctx, c, batchIn{IDs: in.IDs, setIn: in.setIn})
	}
	if err := in.fields().some(); err != nil {
		return nil, err
	}
	return t.set(ctx, c, in.ID, in.fields(), "updated", in.DryRun)
}

// some refuses a change of nothing.
func (f fields) some() error {
	if f == (fields{}) {
		return store.Missing("status", "give what changes: content, status, priority, due, tags, project, assignee or parent")
	}
	return nil
}

// set changes one task.
func (t *tool) set(ctx context.Context, c *tools.Call, id string, f fields, verb string, dry bool) (*tools.Result, error) {
	now := time.Now()
	if err := f.check(now); err != nil {
		return nil, err
	}
	return t.change(ctx, c, dry, func(d *Document) (changed, error) {
		task, err := d.edit(id, f, now)
		if err != nil {
			return changed{}, err
		}
		return changed{Text: fmt.Sprintf("%s #%s %s", verb, task.ID, store.Quote(task.Content)), ID: task.ID, Status: task.Status}, nil
	})
}

type moveIn struct {
	ID      string  `json:"id"`
	Project *string `json:"project"`
	Parent  *string `json:"parent"`
	DryRun  bool    `json:"dry_run"`
}

func (t *tool) move(ctx context.Context, c *tools.Call, in moveIn) (*tools.Result, error) {
	verb := "moved"
	switch {
	case in.Project == nil && in.Parent == nil:
		return nil, store.Missing("project", "give the project, or the parent, to move the task to")
	case in.Project != nil:
		verb = fmt.Sprintf("moved to project %s:", store.Quote(*in.Project))
	}
	return t.set(ctx, c, in.ID, fields{Project: in.Project, Parent: in.Parent}, verb, in.DryRun)
}

type prioritizeIn struct {
	ID       string  `json:"id"`
	Priority *string `json:"priority"`
	DryRun   bool    `json:"dry_run"`
}

func (t *tool) prioritize(ctx context.Context, c *tools.Call, in prioritizeIn) (*tools.Result, error) {
	if in.Priority == nil {
		return nil, store.Missing("priority", "give high, medium or low")
	}
	return t.set(ctx, c, in.ID, fields{Priority: in.Priority}, fmt.Sprintf("priority %s for", store.Quote(*in.Priority)), in.DryRun)
}

type assignIn struct {
	ID       string  `json:"id"`
	Assignee *string `json:"assignee"`
	DryRun   bool    `json:"dry_run"`
}

func (t *tool) assign(ctx context.Context, c *tools.Call, in assignIn) (*tools.Result, error) {
	if in.Assignee == nil {
		return nil, store.Missing("assignee", "say who does it")
	}
	return t.set(ctx, c, in.ID, fields{Assignee: in.Assignee}, fmt.Sprintf("assigned to %s:", store.Quote(*in.Assignee)), in.DryRun)
}

type notesIn struct {
	ID       string `json:"id"`
	Text     string `json:"text"`
	MaxChars int    `json:"max_chars"`
	DryRun   bool   `json:"dry_run"`
}

func (t *tool) notes(ctx context.Context, c *tools.Call, in notesIn) (*tools.Result, error) {
	if in.Text == "" {
		d, err := t.file.Read(ctx, c.Warn)
		if err != nil {
			return nil, err
		}
		i, err := d.find(in.ID)
		if err != nil {
			return nil, err
		}
		task := &d.Items.At(i).V
		text, over := tools.Head(task.Notes, tools.Limit(in.MaxChars))
		return &tools.Result{Text: text, Truncated: over, Data: changed{Text: fmt.Sprintf("notes of #%s (%s)", task.ID, store.Count(len(task.Notes), "byte", "bytes")), ID: task.ID, Status: task.Status}}, nil
	}
	return t.change(ctx, c, in.DryRun, func(d *Document) (changed, error) {
		i, err := d.find(in.ID)
		if err != nil {
			return changed{}, err
		}
		d.Items.Change(i, func(t *Task) {
			t.Notes, t.Updated = strings.TrimLeft(t.Notes+"\n"+in.Text, "\n"), store.Stamp(time.Now())
		})
		task := &d.Items.At(i).V
		return changed{Text: fmt.Sprintf("added to the notes of #%s", task.ID), ID: task.ID, Status: task.Status}, store.TooLong("text", len(task.Notes), maxNotes)
	})
}

// change writes a change of the document; on a dry run it only says what it would be.
func (t *tool) change(ctx context.Context, c *tools.Call, dry bool, do func(d *Document) (changed, error)) (*tools.Result, error) {
	var out changed
	err := t.file.Update(ctx, c.Warn, func(d *Document) (write bool, err error) {
		out, err = do(d)
		return !dry, err
	})
	if err != nil {
		return nil, err
	}
	if dry {
		out.DryRun, out.Text = true, "dry run, nothing changed: "+out.Text
	}
	return &tools.Result{Data: out}, nil
}
