package tasks

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/store"
)

// filter are the parameters that choose tasks.
type filter struct {
	Status   []string `json:"status"`
	Priority string   `json:"priority"`
	Project  string   `json:"project"`
	Tag      string   `json:"tag"`
	Tags     []string `json:"tags"`
	Assignee string   `json:"assignee"`
	Parent   *string  `json:"parent"`
	Due      string   `json:"due"`
}

// choose gives the tasks of a document that pass.
func (f filter) choose(d *Document, now time.Time) ([]*store.Item[Task], error) {
	states, err := f.states()
	if err != nil {
		return nil, err
	}
	until, err := f.until(now)
	if err != nil {
		return nil, err
	}
	level := priority(f.Priority)
	if f.Priority != "" {
		if err := store.OneOf("priority", level, priorities...); err != nil {
			return nil, err
		}
	}
	tags := f.Tags
	if f.Tag != "" {
		tags = append(slices.Clone(tags), f.Tag)
	}
	return slices.DeleteFunc(d.Items.Items(), func(it *store.Item[Task]) bool {
		t := &it.V
		end, due := t.end(now.Location())
		return states != nil && !slices.Contains(states, t.Status) || f.Priority != "" && t.Priority != level || f.Project != "" && t.Project != f.Project ||
			!store.Has(t.Tags, tags) || f.Assignee != "" && t.Assignee != strings.TrimPrefix(f.Assignee, "@") ||
			f.Parent != nil && t.Parent != strings.TrimPrefix(*f.Parent, "#") ||
			f.Due != "" && (!due || !t.open() || end.After(until))
	}), nil
}

// states are those that a task may be in, nil for any.
func (f filter) states() (list []string, err error) {
	for _, given := range f.Status {
		switch word := strings.ToLower(strings.TrimSpace(given)); word {
		case "all", "any":
			return nil, nil
		case "open":
			list = append(list, "pending", "in_progress")
		case "closed":
			list = append(list, "completed", "cancelled")
		default:
			if err := store.OneOf("status", status(word), append([]string{"open", "closed", "all"}, states...)...); err != nil {
				return nil, err
			}
			list = append(list, status(word))
		}
	}
	return list, nil
}

// until is the end of the time in which a task must be due.
func (f filter) until(now time.Time) (time.Time, error) {
	if f.Due == "" || strings.EqualFold(f.Due, "overdue") {
		return now, nil
	}
	day, err := date(f.Due, now)
	end, _ := (&Task{Due: day}).end(now.Location())
	return end, err
}

// rewrite takes ids that are given as numbers, lists that are given as text, and the words that callers have for filters.
func rewrite(a *tools.Action, args *tools.Args) {
	args.Texts("id", "parent", "project", "assignee", "content", "text", "query", "due", "tag")
	store.Lists(args, "ids", "tags")
	switch a.Name {
	case "list", "search", "export", "archive":
	default:
		return
	}
	for _, word := range []struct{ name, param, yes, no string }{
		{"overdue", "due", "overdue", ""}, {"completed", "status", "completed", "open"}, {"done", "status", "completed", "open"},
	} {
		if !args.Has(word.name) || args.Has(word.param) {
			continue
		}
		value := word.no
		if args.Bool(word.name) {
			value = word.yes
		}
		args.Take(word.name)
		if raw, err := json.Marshal(value); err == nil && value != "" {
			args.Put(word.param, raw)
		}
	}
	switch chosen := strings.ToLower(args.String("filter")); {
	case chosen == "overdue" && !args.Has("due"):
		args.Put("due", args.Take("filter"))
	case !args.Has("status"):
		args.Put("status", args.Take("filter"))
	}
	store.Lists(args, "status")
}
