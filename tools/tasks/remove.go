package tasks

import (
	"context"
	"fmt"
	"slices"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/store"
)

type deleteIn struct {
	ID      string `json:"id"`
	Confirm bool   `json:"confirm"`
	DryRun  bool   `json:"dry_run"`
}

func (t *tool) delete(ctx context.Context, c *tools.Call, in deleteIn) (*tools.Result, error) {
	return t.change(ctx, c, in.DryRun, func(d *Document) (changed, error) {
		task, n, err := d.remove(in.ID)
		if err != nil {
			return changed{}, err
		}
		what := fmt.Sprintf("#%s %s", task.ID, store.Quote(task.Content))
		if n > 1 {
			what += fmt.Sprintf(" and %s", store.Count(n-1, "subtask", "subtasks"))
			if !in.Confirm && !in.DryRun {
				return changed{}, store.Confirm("this would delete " + what)
			}
		}
		return changed{Text: "deleted " + what, ID: task.ID, Count: n}, nil
	})
}

// remove takes out a task with all its subtasks and gives it and how many went.
func (d *Document) remove(id string) (Task, int, error) {
	i, err := d.find(id)
	if err != nil {
		return Task{}, 0, err
	}
	task := d.Items.At(i).V
	gone := d.below(task.ID)
	return task, d.Items.Remove(func(t *Task) bool { return gone[t.ID] }), nil
}

type archiveIn struct {
	ID     string   `json:"id"`
	IDs    []string `json:"ids"`
	DryRun bool     `json:"dry_run"`
}

// archive moves tasks to the second file. They are there before they leave the first one, so that a crash between
// leaves them in both; the next archive sees that.
func (t *tool) archive(ctx context.Context, c *tools.Call, in archiveIn) (*tools.Result, error) {
	if in.ID != "" {
		in.IDs = append(in.IDs, in.ID)
	}
	return t.change(ctx, c, in.DryRun, func(d *Document) (changed, error) {
		chosen := map[string]bool{}
		for _, id := range in.IDs {
			i, err := d.find(id)
			if err != nil {
				return changed{}, err
			}
			chosen[d.Items.At(i).V.ID] = true
		}
		away := func(t *Task) bool { return chosen[t.ID] || len(in.IDs) == 0 && !t.open() }
		var list []*store.Item[Task]
		for _, it := range d.Items.All() {
			if away(&it.V) {
				list = append(list, it)
			}
		}
		if len(list) > 0 && !in.DryRun {
			if err := t.keep(ctx, c, list); err != nil {
				return changed{}, err
			}
		}
		n := d.Items.Remove(away)
		text := "archived " + store.Count(n, "task", "tasks")
		if n == 0 {
			text = "nothing to archive: no task is completed or cancelled"
		}
		return changed{Text: text, Count: n}, nil
	})
}

// keep adds tasks to the archive.
func (t *tool) keep(ctx context.Context, c *tools.Call, list []*store.Item[Task]) error {
	return t.archived.Update(ctx, c.Warn, func(d *Document) (bool, error) {
		old := d.Items.Items()
		for _, it := range list {
			there := slices.ContainsFunc(old, func(o *store.Item[Task]) bool { return o.V.ID == it.V.ID && o.V.Created == it.V.Created })
			if !there {
				d.Items.Add(it)
			}
		}
		return true, nil
	})
}
