package tasks

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/store"
)

type deleteIn struct {
	ID      string   `json:"id"`
	IDs     []string `json:"ids"`
	Confirm bool     `json:"confirm"`
	DryRun  bool     `json:"dry_run"`
}

func (t *tool) delete(ctx context.Context, c *tools.Call, in deleteIn) (*tools.Result, error) {
	if in.ID != "" || len(in.IDs) == 0 {
		in.IDs = append(in.IDs, in.ID)
	}
	return t.change(ctx, c, in.DryRun, func(d *Document) (changed, error) {
		list, n, err := d.remove(in.IDs)
		if err != nil {
			return changed{}, err
		}
		var names []string
		for _, task := range list {
			names = append(names, fmt.Sprintf("#%s %s", task.ID, store.Quote(task.Content)))
		}
		what := store.Cut(strings.Join(names, ", "), 600)
		if more := n - len(list); more > 0 {
			what += fmt.Sprintf(" and %s", store.Count(more, "subtask", "subtasks"))
			if !in.Confirm && !in.DryRun {
				return changed{}, store.Confirm("this would delete " + what)
			}
		}
		out := changed{Text: "deleted " + what, Count: n}
		if len(list) == 1 {
			out.ID = list[0].ID
		}
		return out, nil
	})
}

// remove takes out tasks with all their subtasks and gives those that were named and how many went.
func (d *Document) remove(ids []string) (named []Task, n int, err error) {
	chosen, gone := map[string]bool{}, map[string]bool{}
	for _, id := range ids {
		i, err := d.find(id)
		if err != nil {
			return nil, 0, err
		}
		task := d.Items.At(i).V
		if !chosen[task.ID] {
			chosen[task.ID] = true
			named = append(named, task)
			maps.Copy(gone, d.below(task.ID))
		}
	}
	return named, d.Items.Remove(func(t *Task) bool { return gone[t.ID] }), nil
}

type archiveIn struct {
	filter
	ID     string   `json:"id"`
	IDs    []string `json:"ids"`
	DryRun bool     `json:"dry_run"`
}

// archive moves tasks to the second file: those of the ids, or all that are completed or cancelled, as far as they pass
// the filter. They are there before they leave the first one, so that a crash between leaves them in both; the next
// archive sees that.
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
		list, err := in.choose(d, time.Now())
		if err != nil {
			return changed{}, err
		}
		list = slices.DeleteFunc(list, func(it *store.Item[Task]) bool {
			return !chosen[it.V.ID] && (len(in.IDs) > 0 || it.V.open())
		})
		if len(list) == 0 {
			return changed{Text: "nothing to archive: no task that fits is completed or cancelled"}, nil
		}
		if !in.DryRun {
			if err := t.keep(ctx, c, list); err != nil {
				return changed{}, err
			}
		}
		away := map[*Task]bool{}
		for _, it := range list {
			away[&it.V] = true
		}
		n := d.Items.Remove(func(t *Task) bool { return away[t] })
		return changed{Text: "archived " + store.Count(n, "task", "tasks"), Count: n}, nil
	})
}

type restoreIn struct {
	ID     string   `json:"id"`
	IDs    []string `json:"ids"`
	DryRun bool     `json:"dry_run"`
}

// restore brings archived tasks back. As with archive, a crash between leaves them in both files.
func (t *tool) restore(ctx context.Context, c *tools.Call, in restoreIn) (*tools.Result, error) {
	if in.ID != "" || len(in.IDs) == 0 {
		in.IDs = append(in.IDs, in.ID)
	}
	old, err := t.archived.Read(ctx, c.Warn)
	if err != nil {
		return nil, err
	}
	var back []*store.Item[Task]
	for _, id := range in.IDs {
		i, err := old.find(id)
		if err != nil {
			e := *tools.AsError(err)
			e.Message += "; list with archived:true shows the archived ones"
			return nil, &e
		}
		if it := old.Items.At(i); !slices.Contains(back, it) {
			back = append(back, it)
		}
	}
	res, err := t.change(ctx, c, in.DryRun, func(d *Document) (changed, error) {
		for _, it := range back {
			i := d.Items.Find(func(t *Task) bool { return t.ID == it.V.ID })
			switch {
			case i < 0:
				d.Items.Add(it)
			case !same(&d.Items.At(i).V, &it.V):
				return changed{}, tools.Errorf(tools.Conflict, "another task has the id #%s by now; nothing was restored. Add it anew", it.V.ID).With(tools.Details{Param: "id", Actual: it.V.ID})
			}
		}
		return changed{Text: "restored " + store.Count(len(back), "task", "tasks"), Count: len(back)}, nil
	})
	if err != nil || in.DryRun {
		return res, err
	}
	return res, t.archived.Update(ctx, c.Warn, func(d *Document) (bool, error) {
		n := d.Items.Remove(func(t *Task) bool {
			return slices.ContainsFunc(back, func(it *store.Item[Task]) bool { return same(&it.V, t) })
		})
		return n > 0, nil
	})
}

// same reports whether two entries are one task: an id is given anew once its task is in the archive.
func same(a, b *Task) bool { return a.ID == b.ID && a.Created == b.Created }

// keep adds tasks to the archive.
func (t *tool) keep(ctx context.Context, c *tools.Call, list []*store.Item[Task]) error {
	return t.archived.Update(ctx, c.Warn, func(d *Document) (bool, error) {
		old := d.Items.Items()
		for _, it := range list {
			there := slices.ContainsFunc(old, func(o *store.Item[Task]) bool { return same(&o.V, &it.V) })
			if !there {
				d.Items.Add(it)
			}
		}
		return true, nil
	})
}
