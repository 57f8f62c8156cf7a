package tasks

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/store"
)

type exportIn struct {
	filter
	Path      string `json:"path"`
	Overwrite bool   `json:"overwrite"`
	MaxChars  int    `json:"max_chars"`
}

// export gives a document of the same shape as the state file.
func (t *tool) export(ctx context.Context, c *tools.Call, in exportIn) (*tools.Result, error) {
	d, err := t.file.Read(ctx, c.Warn)
	if err != nil {
		return nil, err
	}
	list, err := in.choose(d, time.Now())
	if err != nil {
		return nil, err
	}
	out := Document{LastID: d.LastID}
	for _, it := range list {
		out.Items.Add(it)
	}
	return store.Export(ctx, c, store.Text(out), store.ExportTo{Path: in.Path, Overwrite: in.Overwrite, MaxChars: in.MaxChars, What: store.Count(len(list), "task", "tasks")})
}

type importIn struct {
	Path   string          `json:"path"`
	Data   json.RawMessage `json:"data"`
	DryRun bool            `json:"dry_run"`
}

func (t *tool) importAll(ctx context.Context, c *tools.Call, in importIn) (*tools.Result, error) {
	raw, err := store.Import(ctx, c, in.Path, in.Data)
	if err != nil {
		return nil, err
	}
	if raw[0] == '[' {
		raw = slices.Concat([]byte(`{"items":`), raw, []byte("}"))
	}
	var given store.Item[Document]
	if err := given.UnmarshalJSON(raw); err != nil {
		return nil, tools.Errorf(tools.InvalidParams, "the tasks cannot be read: %v", err).With(tools.Details{Param: "data"})
	}
	if given.V.Items.Len() == 0 {
		return nil, tools.Errorf(tools.InvalidParams, "there is no task in it: give what export gave, or a list of objects with content").With(tools.Details{Param: "data"})
	}
	now := time.Now()
	for i, it := range given.V.Items.Items() {
		v := it.V
		f := fields{Content: &v.Content, Project: &v.Project, Assignee: &v.Assignee, Tags: &v.Tags, Due: &v.Due}
		if v.Status != "" {
			f.Status = &v.Status
		}
		if v.Priority != "" {
			f.Priority = &v.Priority
		}
		if err := cmp.Or(f.check(now), store.TooLong("notes", len(v.Notes), maxNotes)); err != nil {
			e := *tools.AsError(err)
			e.Message = fmt.Sprintf("task %d: %s; nothing was imported", i+1, e.Message)
			return nil, &e
		}
		given.V.Items.Change(i, func(t *Task) {
			t.Status, t.Priority = status(cmp.Or(t.Status, "pending")), priority(cmp.Or(t.Priority, "medium"))
			t.Created, t.Updated = cmp.Or(t.Created, store.Stamp(now)), cmp.Or(t.Updated, store.Stamp(now))
			t.Due = *f.Due
		})
	}
	return t.change(ctx, c, in.DryRun, func(d *Document) (changed, error) {
		added, skipped := d.take(&given.V)
		text := fmt.Sprintf("imported %s", store.Count(added, "task", "tasks"))
		if skipped > 0 {
			text += fmt.Sprintf(", %d were here already", skipped)
		}
		return changed{Text: text, Count: added}, nil
	})
}

// take adds tasks that are not here yet. They keep their ids where these are free; parents follow.
func (d *Document) take(given *Document) (added, skipped int) {
	here := map[string]*Task{}
	for _, it := range d.Items.All() {
		here[it.V.ID] = &it.V
	}
	ids := map[string]string{} // of parents, old to new
	var fresh []*store.Item[Task]
	for _, it := range given.Items.All() {
		old := here[it.V.ID]
		if old != nil && old.Created == it.V.Created && old.Content == it.V.Content {
			skipped++
			continue
		}
		fresh = append(fresh, it)
	}
	d.LastID = max(d.LastID, given.LastID)
	for i, it := range fresh {
		id := it.V.ID
		if id == "" || here[id] != nil {
			var free string
			free, d.LastID = store.NextID(&d.Items, d.LastID, func(t *Task) string { return t.ID })
			for _, other := range given.Items.All() { // not one that is still to come
				if other.V.ID == free {
					free, d.LastID = store.NextID(&given.Items, d.LastID, func(t *Task) string { return t.ID })
					break
				}
			}
			fresh[i] = it.With(func(t *Task) { t.ID = free })
			if id != "" {
				ids[id] = free
			}
		}
		here[fresh[i].V.ID] = &fresh[i].V
		d.Items.Add(fresh[i])
		added++
	}
	if len(ids) > 0 {
		ours := map[string]bool{}
		for _, it := range fresh {
			ours[it.V.ID] = true
		}
		for i, it := range d.Items.Items() {
			if to := ids[it.V.Parent]; ours[it.V.ID] && to != "" {
				d.Items.Change(i, func(t *Task) { t.Parent = to })
			}
		}
	}
	return added, skipped
}
