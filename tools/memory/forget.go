package memory

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/store"
)

type clearIn struct {
	Namespace string `json:"namespace"`
	Confirm   bool   `json:"confirm"`
	DryRun    bool   `json:"dry_run"`
}

func (t *tool) clear(ctx context.Context, c *tools.Call, in clearIn) (*tools.Result, error) {
	where := ""
	if in.Namespace != "" {
		where = " of namespace " + store.Quote(in.Namespace)
	}
	var out done
	err := t.change(ctx, c, time.Now(), func(d *Document) (bool, error) {
		n := d.Entries.Remove(func(e *Entry) bool { return in.Namespace == "" || e.Namespace == in.Namespace })
		if n > 0 && !in.Confirm && !in.DryRun {
			return false, store.Confirm(fmt.Sprintf("this would remove %s%s for good; export them first if they may be needed", entries(n), where))
		}
		out = done{Text: fmt.Sprintf("cleared %s%s", entries(n), where), Count: n}
		return n > 0, nil
	}, in.DryRun)
	return result(dry(out, in.DryRun), err)
}

type forgetIn struct {
	Key       string `json:"key"`
	Query     string `json:"query"`
	Tag       string `json:"tag"`
	Namespace string `json:"namespace"`
	Confirm   bool   `json:"confirm"`
	DryRun    bool   `json:"dry_run"`
}

func (t *tool) forget(ctx context.Context, c *tools.Call, in forgetIn) (*tools.Result, error) {
	terms := store.Terms(in.Query)
	if in.Key == "" && len(terms) == 0 && in.Tag == "" {
		return nil, store.Missing("key", "give key (removed in every namespace), or query or tag for all that they find")
	}
	var out done
	var names []string
	err := t.change(ctx, c, time.Now(), func(d *Document) (bool, error) {
		out, names = done{}, nil
		doomed := map[*Entry]bool{}
		for _, it := range d.Entries.All() {
			e := &it.V
			if in.Key != "" && e.Key != in.Key || in.Namespace != "" && e.Namespace != in.Namespace || in.Tag != "" && !slices.Contains(e.Tags, in.Tag) ||
				!containsAll(it.Folded((*Entry).words), terms) {
				continue
			}
			doomed[e] = true
			names = append(names, "["+e.Namespace+"] "+e.Key)
		}
		out.Count = d.Entries.Remove(func(e *Entry) bool { return doomed[e] })
		if in.Key == "" && in.Namespace == "" {
			gone := map[*Fact]bool{}
			for _, f := range d.recallFacts(terms, "", in.Tag) {
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
