package tasks

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/store"
)

// shown is what a looking action answers beside its payload.
type shown struct {
	Text  string `json:"text"`
	Count int    `json:"count"`
	Total int    `json:"total"`
}

type listIn struct {
	filter
	ID       string   `json:"id"`
	IDs      []string `json:"ids"`
	Query    string   `json:"query"`
	Archived bool     `json:"archived"`
	Sort     string   `json:"sort"`
	Limit    int      `json:"limit"`
	MaxChars int      `json:"max_chars"`
}

func (t *tool) list(ctx context.Context, c *tools.Call, in listIn) (*tools.Result, error) {
	by := cmp.Or(strings.ToLower(in.Sort), "priority")
	if err := cmp.Or(store.OneOf("sort", by, sorts...), store.Unheeded(c, "before", "content", "text")); err != nil {
		return nil, err
	}
	if in.Query != "" {
		return t.search(ctx, c, searchIn{Query: in.Query, filter: in.filter, Archived: in.Archived, Limit: in.Limit, MaxChars: in.MaxChars})
	}
	d, err := t.read(ctx, c, in.Archived)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	list, err := in.choose(d, now)
	if err != nil {
		return nil, err
	}
	if list, err = d.among(list, append(in.IDs, in.ID)); err != nil {
		return nil, err
	}
	slices.SortStableFunc(list, func(a, b *store.Item[Task]) int {
		state := cmp.Compare(rank(a.V.Status, order), rank(b.V.Status, order))
		switch by {
		case "due":
			return cmp.Compare(cmp.Or(a.V.Due, "z"), cmp.Or(b.V.Due, "z"))
		case "created":
			return cmp.Compare(b.V.Created, a.V.Created)
		case "status":
			return state
		}
		return cmp.Or(state, cmp.Compare(rank(a.V.Priority, priorities), rank(b.V.Priority, priorities)))
	})
	return page(list, store.Limit(in.Limit, 50), in.MaxChars, "", now), nil
}

// among gives those of the list that ids name, all when there are none.
func (d *Document) among(list []*store.Item[Task], ids []string) ([]*store.Item[Task], error) {
	named := map[*store.Item[Task]]bool{}
	for _, id := range ids {
		if id == "" {
			continue
		}
		i, err := d.find(id)
		if err != nil {
			return nil, err
		}
		named[d.Items.At(i)] = true
	}
	if len(named) == 0 {
		return list, nil
	}
	return slices.DeleteFunc(list, func(it *store.Item[Task]) bool { return !named[it] }), nil
}

// read gives the tasks, or the archived ones.
func (t *tool) read(ctx context.Context, c *tools.Call, archived bool) (*Document, error) {
	if archived {
		return t.archived.Read(ctx, c.Warn)
	}
	return t.file.Read(ctx, c.Warn)
}

var order = []string{"in_progress", "pending", "completed", "cancelled"}

// page gives tasks as lines.
func page(list []*store.Item[Task], limit, maxChars int, note string, now time.Time) *tools.Result {
	var b strings.Builder
	data := shown{Count: min(len(list), limit), Total: len(list)}
	for _, it := range list[:data.Count] {
		it.V.line(&b, now)
	}
	data.Text = store.Count(data.Total, "task", "tasks")
	if data.Count < data.Total {
		data.Text += fmt.Sprintf(", %d shown; give limit for more", data.Count)
	}
	data.Text += note
	text, over := tools.Head(b.String(), tools.Limit(maxChars))
	return &tools.Result{Text: text, Data: data, Truncated: over || data.Count < data.Total}
}

type searchIn struct {
	Query string `json:"query"`
	filter
	Archived bool `json:"archived"`
	Limit    int  `json:"limit"`
	MaxChars int  `json:"max_chars"`
}

func (t *tool) search(ctx context.Context, c *tools.Call, in searchIn) (*tools.Result, error) {
	terms := store.Terms(in.Query)
	if len(terms) == 0 {
		return nil, store.Missing("query", "give words to look for")
	}
	if err := store.Unheeded(c, "before"); err != nil {
		return nil, err
	}
	d, err := t.read(ctx, c, in.Archived)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	all, err := in.choose(d, now)
	if err != nil {
		return nil, err
	}
	list := match(all, terms, true)
	note := ""
	if len(list) == 0 {
		if list = match(all, store.Loose(terms), false); len(list) > 0 {
			note = "; none has all the words, these have some"
		}
	}
	return page(list, store.Limit(in.Limit, 20), in.MaxChars, note, now), nil
}

// match gives the tasks with the terms, best first, open ones first of equals.
func match(list []*store.Item[Task], terms []string, all bool) []*store.Item[Task] {
	scores := map[*store.Item[Task]]float64{}
	var hits []*store.Item[Task]
	for _, it := range list {
		text := it.Folded(func(t *Task) string {
			return strings.Join([]string{t.Content, strings.Join(t.Tags, " "), t.Project, t.Assignee, t.Notes}, "\n")
		})
		content, rest, _ := strings.Cut(text, "\n")
		if scores[it] = store.Score(terms, all, store.Field{Text: content, Weight: 2}, store.Field{Text: rest, Weight: 1}); scores[it] > 0 {
			hits = append(hits, it)
		}
	}
	slices.SortStableFunc(hits, func(a, b *store.Item[Task]) int {
		return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(rank(a.V.Status, order), rank(b.V.Status, order)))
	})
	return hits
}

type statsIn struct {
	Project string `json:"project"`
}

func (t *tool) stats(ctx context.Context, c *tools.Call, in statsIn) (*tools.Result, error) {
	d, err := t.file.Read(ctx, c.Warn)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	var data struct {
		Text     string         `json:"text"`
		Total    int            `json:"total"`
		Overdue  int            `json:"overdue"`
		Status   map[string]int `json:"status"`
		Priority map[string]int `json:"priority"` // of open ones
		Projects int            `json:"projects"`
	}
	data.Status, data.Priority = map[string]int{}, map[string]int{}
	projects := map[string]int{}
	open := 0
	for _, it := range d.Items.All() {
		task := &it.V
		if in.Project != "" && task.Project != in.Project {
			continue
		}
		data.Total++
		data.Status[states[min(rank(task.Status, states), len(states)-1)]]++
		if task.overdue(now) {
			data.Overdue++
		}
		if task.open() {
			open++
			data.Priority[priorities[min(rank(task.Priority, priorities), len(priorities)-1)]]++
			if task.Project != "" {
				projects[task.Project]++
			}
		}
	}
	data.Projects = len(projects)
	data.Text = fmt.Sprintf("%s, %d open, %d overdue", store.Count(data.Total, "task", "tasks"), open, data.Overdue)
	return &tools.Result{Data: data}, nil
}

type subtasksIn struct {
	ID string `json:"id"`
	setIn
	MaxChars int `json:"max_chars"`
}

func (t *tool) subtasks(ctx context.Context, c *tools.Call, in subtasksIn) (*tools.Result, error) {
	f := in.fields()
	if in.ID == "" && f.Parent != nil {
		in.ID = *f.Parent
	}
	if in.Content != nil {
		f.Parent = &in.ID
		if in.ID == "" {
			return nil, store.Missing("id", "give the task that gets the subtask")
		}
		return t.make(ctx, c, f, in.DryRun)
	}
	d, err := t.file.Read(ctx, c.Warn)
	if err != nil {
		return nil, err
	}
	i, err := d.find(in.ID)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	parent := &d.Items.At(i).V
	var b strings.Builder
	parent.line(&b, now)
	data := shown{}
	seen := map[string]bool{parent.ID: true}
	done := 0
	var draw func(id, indent string)
	draw = func(id, indent string) {
		for _, it := range d.Items.All() {
			if it.V.Parent != id || seen[it.V.ID] {
				continue
			}
			seen[it.V.ID] = true
			data.Count++
			if !it.V.open() {
				done++
			}
			b.WriteString(indent)
			it.V.line(&b, now)
			draw(it.V.ID, indent+"  ")
		}
	}
	draw(parent.ID, "  ")
	data.Total = data.Count
	data.Text = fmt.Sprintf("#%s has %s, %d done", parent.ID, store.Count(data.Count, "subtask", "subtasks"), done)
	text, over := tools.Head(b.String(), tools.Limit(in.MaxChars))
	return &tools.Result{Text: text, Data: data, Truncated: over}, nil
}
