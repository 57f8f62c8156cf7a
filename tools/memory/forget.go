package memory

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/store"
)

type clearIn struct {
	choice
	Confirm bool `json:"confirm"`
	DryRun  bool `json:"dry_run"`
}

func (t *tool) clear(ctx context.Context, c *tools.Call, in clearIn) (*tools.Result, error) {
	if err := in.blank(c); err != nil {
		return nil, err
	}
	var out done
	err := t.change(ctx, c, time.Now(), func(d *Document) (bool, error) {
		gone, names := d.chosen(in.choice)
		what := entries(len(gone))
		if !in.all() {
			what += in.said(names)
		}
		if len(gone) > 0 && !in.Confirm && !in.DryRun {
			return false, store.Confirm(fmt.Sprintf("this would remove %s for good; export them first if they may be needed", what))
		}
		d.Entries.Remove(func(e *Entry) bool { return gone[e] })
		out = done{Text: "cleared " + what, Count: len(gone)}
		return len(gone) > 0, nil
	}, in.DryRun)
	return result(dry(out, in.DryRun), err)
}

// said names the entries that a choice takes.
func (f choice) said(names []string) string {
	if f.Key == "" && f.Query == "" && len(f.tagged()) == 0 {
		return " of namespace " + store.Quote(f.Namespace)
	}
	if len(names) == 0 {
		return ""
	}
	return " (" + store.Cut(store.Line(strings.Join(names, "; ")), 300) + ")"
}

type forgetIn struct {
	choice
	Confirm bool `json:"confirm"`
	DryRun  bool `json:"dry_run"`
}

func (t *tool) forget(ctx context.Context, c *tools.Call, in forgetIn) (*tools.Result, error) {
	if err := in.blank(c); err != nil {
		return nil, err
	}
	terms, tags := store.Terms(in.Query), in.tagged()
	if in.Key == "" && len(terms) == 0 && len(tags) == 0 {
		return nil, store.Missing("key", "give key (removed in every namespace), or query or tag for all that they find")
	}
	var out done
	var names []string
	err := t.change(ctx, c, time.Now(), func(d *Document) (bool, error) {
		var doomed map[*Entry]bool
		doomed, names = d.chosen(in.choice)
		out = done{Count: d.Entries.Remove(func(e *Entry) bool { return doomed[e] })}
		if in.Key == "" && in.Namespace == "" {
			gone := map[*Fact]bool{}
			for _, f := range d.recallFacts(terms, "", tags) {
				gone[f] = true
				names = append(names, "fact #"+f.ID+" "+store.Cut(f.Content, 60))
			}
			out.Count += d.Facts.Remove(func(f *Fact) bool { return gone[f] })
		}
		if out.Count == 0 {
			return false, tools.Errorf(tools.NotFound, "nothing that is remembered fits; nothing was removed. Search first")
		}
		if in.Key == "" && !in.Confirm && !in.DryRun {
			return false, store.Confirm(fmt.Sprintf("this would remove %d for good: %s", out.Count, store.Cut(strings.Join(names, "; "), 600)))
		}
		out.Text = fmt.Sprintf("forgot %s", store.Count(out.Count, "thing", "things"))
		return true, nil
	}, in.DryRun)
	res, err := result(dry(out, in.DryRun), err)
	if err == nil {
		res.Text, res.Truncated = tools.Head(strings.Join(names, "\n")+"\n", tools.DefaultChars)
	}
	return res, err
}
