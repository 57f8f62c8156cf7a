package memory

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

type factsIn struct {
	Do       string   `json:"fact_action"`
	Key      string   `json:"key"`
	Value    string   `json:"value"`
	Query    string   `json:"query"`
	KB       string   `json:"kb"`
	Tag      string   `json:"tag"`
	Tags     []string `json:"tags"`
	Limit    int      `json:"limit"`
	MaxChars int      `json:"max_chars"`
	DryRun   bool     `json:"dry_run"`
}

// factVerb is what a facts call does: store, recall, delete or list. The other servers append _fact or _facts.
func factVerb(do string) string {
	do = strings.ToLower(strings.TrimSpace(do))
	do = strings.TrimSuffix(strings.TrimSuffix(strings.ReplaceAll(do, "-", "_"), "_facts"), "_fact")
	switch do {
	case "":
		return "list"
	case "add", "save", "remember", "create":
		return "store"
	case "get", "search", "find":
		return "recall"
	case "remove", "forget":
		return "delete"
	}
	return do
}

func factEffect(c *tools.Call) tools.Effect {
	switch factVerb(c.Args.String("fact_action")) {
	case "recall", "list":
		return tools.Reads
	case "store":
		return tools.Writes
	}
	return tools.Destroys
}

func (t *tool) facts(ctx context.Context, c *tools.Call, in factsIn) (*tools.Result, error) {
	switch factVerb(in.Do) {
	case "store":
		return t.storeFact(ctx, c, in)
	case "delete":
		return t.deleteFact(ctx, c, in)
	case "recall", "list":
		return t.lookAtFacts(ctx, c, in)
	}
	return nil, store.OneOf("fact_action", in.Do, "store", "recall", "delete", "list")
}

func (t *tool) storeFact(ctx context.Context, c *tools.Call, in factsIn) (*tools.Result, error) {
	kb, tags := either(in.KB, defaultNamespace), (&fields{Tags: in.Tags, Tag: in.Tag}).allTags()
	if in.Value == "" {
		return nil, store.Missing("value", "give the sentence to remember")
	}
	if err := cmp.Or(store.TooLong("value", len(in.Value), maxValue), store.TooLong("kb", len(kb), maxTag), checkTags(tags)); err != nil {
		return nil, err
	}
	now := time.Now()
	var out done
	err := t.change(ctx, c, now, func(d *Document) (bool, error) {
		if i := d.Facts.Find(func(f *Fact) bool { return f.KB == kb && f.Content == in.Value }); i >= 0 {
			f := &d.Facts.At(i).V
			out = done{Text: fmt.Sprintf("fact #%s of %s says that already", f.ID, store.Quote(kb)), ID: f.ID}
			return false, nil
		}
		f := Fact{Content: in.Value, KB: kb, Tags: tags, Created: store.Stamp(now)}
		f.ID, d.LastFactID = store.NextID(&d.Facts, d.LastFactID, func(f *Fact) string { return f.ID })
		d.Facts.Add(store.NewItem(f))
		out = done{Text: fmt.Sprintf("stored fact #%s in %s (%s)", f.ID, store.Quote(kb), size(in.Value)), ID: f.ID, Created: true}
		return true, nil
	}, in.DryRun)
	return result(dry(out, in.DryRun), err)
}

func (t *tool) deleteFact(ctx context.Context, c *tools.Call, in factsIn) (*tools.Result, error) {
	if in.Key == "" {
		return nil, store.Missing("key", "give the id of the fact, as facts lists it")
	}
	id := strings.TrimPrefix(in.Key, "#")
	var out done
	err := t.change(ctx, c, time.Now(), func(d *Document) (bool, error) {
		i := d.Facts.Find(func(f *Fact) bool { return f.ID == id && (in.KB == "" || f.KB == in.KB) })
		if i < 0 {
			return false, tools.Errorf(tools.NotFound, "there is no fact #%s; facts with fact_action \"list\" shows the ids", store.Cut(id, 20)).With(tools.Details{Param: "key"})
		}
		f := d.Facts.At(i).V
		d.Facts.Remove(func(x *Fact) bool { return x.ID == id && x.KB == f.KB })
		out = done{Text: fmt.Sprintf("deleted fact #%s: %s", id, store.Quote(f.Content)), ID: id, Count: 1}
		return true, nil
	}, in.DryRun)
	return result(dry(out, in.DryRun), err)
}

func (t *tool) lookAtFacts(ctx context.Context, c *tools.Call, in factsIn) (*tools.Result, error) {
	d, err := t.file.Read(ctx, c.Warn)
	if err != nil {
		return nil, err
	}
	list := d.recallFacts(store.Terms(either(in.Query, in.Value)), in.KB, (&fields{Tags: in.Tags, Tag: in.Tag}).allTags())
	var b strings.Builder
	data := found{Total: len(list)}
	for _, f := range list[:min(len(list), store.Limit(in.Limit, 50))] {
		data.Count++
		fmt.Fprintf(&b, "#%s [%s]", store.Line(f.ID), store.Line(f.KB))
		if len(f.Tags) > 0 {
			fmt.Fprintf(&b, " [%s]", store.Lines(f.Tags))
		}
		fmt.Fprintf(&b, " %s\n", strings.ReplaceAll(store.Cut(f.Content, 1000), "\n", "\n  "))
	}
	data.Text = "found " + store.Count(data.Count, "fact", "facts")
	if data.Count < data.Total {
		data.Text += fmt.Sprintf(" of %d; give limit for more", data.Total)
	}
	text, over := tools.Head(b.String(), tools.Limit(in.MaxChars))
	return &tools.Result{Text: text, Data: data, Truncated: over || data.Count < data.Total}, nil
}

// recallFacts gives the facts with all the terms, best first; without terms all, the latest first.
func (d *Document) recallFacts(terms []string, kb string, tags []string) []*Fact {
	var list []*Fact
	scores := map[*Fact]float64{}
	for _, it := range d.Facts.All() {
		f := &it.V
		if kb != "" && f.KB != kb || !store.Has(f.Tags, tags) {
			continue
		}
		if len(terms) > 0 {
			text := it.Folded(func(f *Fact) string { return f.Content + "\n" + strings.Join(f.Tags, " ") + "\n" + f.KB })
			if scores[f] = store.Score(terms, true, store.Field{Text: text, Weight: 1}); scores[f] == 0 {
				continue
			}
		}
		list = append(list, f)
	}
	slices.Reverse(list)
	slices.SortStableFunc(list, func(a, b *Fact) int {
		switch {
		case scores[a] > scores[b]:
			return -1
		case scores[a] < scores[b]:
			return 1
		}
		return 0
	})
	return list
}
