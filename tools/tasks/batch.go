package tasks

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/store"
)

const maxBatch = 500

// operation is one change of a batch.
type operation struct {
	Op     string          `json:"op" alias:"action"`
	ID     json.RawMessage `json:"id" alias:"task_id"` // a text or a number, as
	Parent json.RawMessage `json:"parent" alias:"parent_id"`
	fields

	id string // of ID
}

type batchIn struct {
	IDs        []string    `json:"ids"`
	Operations []operation `json:"operations"`
	setIn
	Confirm bool `json:"confirm"`
}

// batchEffect is Destroys when an operation may delete.
func batchEffect(c *tools.Call) tools.Effect {
	if slices.Contains(batched(c), "delete") {
		return tools.Destroys
	}
	return tools.Writes
}

// batched names the actions whose work the operations do: what cannot be read counts as all of them.
func batched(c *tools.Call) []string {
	raw := c.Args.Raw("operations")
	if raw == nil {
		return []string{"update"}
	}
	var ops []struct{ Op, Action string }
	if json.Unmarshal(raw, &ops) != nil {
		return []string{"add", "update", "delete"}
	}
	var names []string
	for _, o := range ops {
		op := verb(o.Op + o.Action)
		if op != "add" && op != "update" {
			op = "delete"
		}
		if !slices.Contains(names, op) {
			names = append(names, op)
		}
	}
	return names
}

func verb(op string) string {
	op = strings.ToLower(strings.TrimSpace(op))
	switch op {
	case "create", "new":
		return "add"
	case "edit", "set":
		return "update"
	case "remove":
		return "delete"
	}
	return op
}

func (t *tool) batch(ctx context.Context, c *tools.Call, in batchIn) (*tools.Result, error) {
	ops := in.Operations
	if f := in.fields(); len(in.IDs) > 0 {
		if err := f.some(); err != nil {
			return nil, err
		}
		for _, id := range in.IDs {
			ops = append(ops, operation{Op: "update", id: id, fields: f})
		}
	}
	if len(ops) == 0 {
		return nil, store.Missing("operations", "give ids and what changes, or operations")
	}
	if err := store.TooLong("operations", len(ops), maxBatch); err != nil {
		return nil, err
	}
	now := time.Now()
	for i := range ops {
		err := ops[i].understand()
		if err == nil {
			err = ops[i].check(now)
		}
		if err == nil && ops[i].Op == "update" {
			err = ops[i].some()
		}
		if err != nil {
			return nil, at(i, err)
		}
	}
	return t.change(ctx, c, in.DryRun, func(d *Document) (changed, error) {
		counts := map[string]int{}
		out := changed{Count: len(ops)}
		for i, o := range ops {
			var task *Task
			var err error
			switch o.Op {
			case "add":
				task, err = d.add(o.fields, now)
			case "update":
				task, err = d.edit(o.id, o.fields, now)
			case "delete":
				gone, n, derr := d.remove([]string{o.id})
				err = derr
				if derr == nil && n > 1 && !in.Confirm && !in.DryRun {
					err = store.Confirm(fmt.Sprintf("this would delete #%s and %s", gone[0].ID, store.Count(n-1, "subtask", "subtasks")))
				}
			default:
				err = store.OneOf("operations", o.Op, "add", "update", "delete")
			}
			if err != nil {
				return changed{}, at(i, err)
			}
			counts[o.Op]++
			if o.Op == "add" && len(out.IDs) < 50 {
				out.IDs = append(out.IDs, task.ID)
			}
		}
		var parts []string
		for _, op := range []string{"add", "update", "delete"} {
			if counts[op] > 0 {
				parts = append(parts, fmt.Sprintf("%d %s", counts[op], strings.TrimSuffix(op, "e")+"ed"))
			}
		}
		out.Text = "batch: " + strings.Join(parts, ", ")
		return out, nil
	})
}

// understand takes an operation as callers write it.
func (o *operation) understand() error {
	o.Op = verb(o.Op)
	var err error
	if o.id == "" {
		if o.id, err = idOf(o.ID); err != nil {
			return err
		}
	}
	if o.Parent != nil {
		parent, err := idOf(o.Parent)
		if err != nil {
			return err
		}
		o.fields.Parent = &parent
	}
	if o.Tags != nil && len(*o.Tags) == 1 {
		list := store.Split((*o.Tags)[0])
		o.Tags = &list
	}
	return nil
}

// idOf reads an id, which lists show as a number.
func idOf(raw json.RawMessage) (id string, err error) {
	if len(raw) == 0 {
		return "", nil
	}
	switch raw[0] {
	case '"':
		err = json.Unmarshal(raw, &id)
		return id, err
	case '{', '[', 't', 'f':
		return "", tools.Errorf(tools.InvalidParams, "an id must be a text or a number").With(tools.Details{Param: "operations"})
	}
	return string(raw), nil
}

// at says which operation of a batch was refused.
func at(i int, err error) error {
	e := *tools.AsError(err)
	e.Message = fmt.Sprintf("operation %d: %s; nothing of the batch was done", i+1, e.Message)
	return &e
}
