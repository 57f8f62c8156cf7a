package memory

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/store"
)

type exportIn struct {
	Path string `json:"path"`
	filter
	Overwrite bool `json:"overwrite"`
	MaxChars  int  `json:"max_chars"`
}

// export gives a document of the same shape as the state file. Facts have no namespace and go with the whole only.
func (t *tool) export(ctx context.Context, c *tools.Call, in exportIn) (*tools.Result, error) {
	d, list, err := t.entries(ctx, c, in.filter)
	if err != nil {
		return nil, err
	}
	out := Document{LastID: d.LastID, LastFactID: d.LastFactID}
	for _, it := range list {
		out.Entries.Add(it)
	}
	if in.Namespace == "" && len(in.tagged()) == 0 {
		out.Facts = d.Facts
	}
	what := fmt.Sprintf("%s and %s", entries(out.Entries.Len()), store.Count(out.Facts.Len(), "fact", "facts"))
	return store.Export(ctx, c, store.Text(out), store.ExportTo{Path: in.Path, Overwrite: in.Overwrite, MaxChars: in.MaxChars, What: what})
}

type importIn struct {
	Path      string          `json:"path"`
	Data      json.RawMessage `json:"data"`
	Namespace string          `json:"namespace"`
	Tags      []string        `json:"tags"`
	Overwrite bool            `json:"overwrite"`
	Confirm   bool            `json:"confirm"`
	DryRun    bool            `json:"dry_run"`
}

func (t *tool) importAll(ctx context.Context, c *tools.Call, in importIn) (*tools.Result, error) {
	raw, err := store.Import(ctx, c, in.Path, in.Data)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	given, err := read(raw, either(in.Namespace, defaultNamespace), now)
	if err != nil {
		return nil, err
	}
	tags := (&fields{Tags: in.Tags}).allTags()
	if err := checkTags(tags); err != nil {
		return nil, err
	}
	var out done
	err = t.change(ctx, c, now, func(d *Document) (bool, error) {
		added, replaced, skipped := d.add(given, in, tags, now)
		if replaced > 0 && in.Overwrite && !in.Confirm && !in.DryRun {
			return false, store.Confirm(fmt.Sprintf("this would replace the values of %s", entries(replaced)))
		}
		out = done{Text: fmt.Sprintf("imported %d new", added), Count: added + replaced, Total: added + replaced + skipped}
		if replaced > 0 {
			out.Text += fmt.Sprintf(", %d replaced", replaced)
		}
		switch {
		case skipped > 0 && in.Overwrite:
			out.Text += fmt.Sprintf(", %d left as they are (the same already)", skipped)
		case skipped > 0:
			out.Text += fmt.Sprintf(", %d left as they are (known already; overwrite:true replaces them)", skipped)
		}
		return added+replaced > 0, nil
	}, in.DryRun)
	return result(dry(out, in.DryRun), err)
}

// says reports whether an import of given would change nothing of e.
func (e *Entry) says(given *Entry) bool {
	return e.Value == given.Value && slices.Equal(e.Tags, given.Tags) && (given.TTL == "" || e.TTL == given.TTL) &&
		(given.Metadata == nil || bytes.Equal(e.Metadata, store.Merge(e.Metadata, given.Metadata)))
}

// add takes in what an import brings. Entries keep their ids where they are free.
func (d *Document) add(given *Document, in importIn, tags []string, now time.Time) (added, replaced, skipped int) {
	at, ids := map[[2]string]int{}, map[string]bool{}
	for i, it := range d.Entries.All() {
		at[[2]string{it.V.space(), it.V.Key}] = i
		ids[it.V.ID] = true
	}
	d.LastID = max(d.LastID, given.LastID)
	for _, it := range given.Entries.All() {
		if !it.V.live(now) {
			continue
		}
		it = it.With(func(e *Entry) { e.Tags = (&fields{Tags: append(slices.Clone(e.Tags), tags...)}).allTags() })
		i, known := at[[2]string{it.V.space(), it.V.Key}]
		switch {
		case known && (!in.Overwrite || d.Entries.At(i).V.says(&it.V)):
			skipped++
			continue
		case known:
			replaced++
			d.Entries.Change(i, func(e *Entry) {
				(&fields{Tags: it.V.Tags, Metadata: it.V.Metadata, TTL: it.V.TTL}).put(e, &it.V.Value, now)
			})
			continue
		}
		if it.V.ID == "" || ids[it.V.ID] {
			id, last := store.NextID(&d.Entries, d.LastID, func(e *Entry) string { return e.ID })
			d.LastID = last
			it = it.With(func(e *Entry) { e.ID = id })
		}
		ids[it.V.ID] = true
		at[[2]string{it.V.space(), it.V.Key}] = d.Entries.Len()
		d.Entries.Add(it)
		added++
	}
	facts, factIDs := map[[2]string]bool{}, map[string]bool{}
	for _, it := range d.Facts.All() {
		facts[[2]string{it.V.KB, it.V.Content}] = true
		factIDs[it.V.ID] = true
	}
	d.LastFactID = max(d.LastFactID, given.LastFactID)
	for _, it := range given.Facts.All() {
		if facts[[2]string{it.V.KB, it.V.Content}] {
			skipped++
			continue
		}
		if it.V.ID == "" || factIDs[it.V.ID] {
			id, last := store.NextID(&d.Facts, d.LastFactID, func(f *Fact) string { return f.ID })
			d.LastFactID = last
			it = it.With(func(f *Fact) { f.ID = id })
		}
		facts[[2]string{it.V.KB, it.V.Content}], factIDs[it.V.ID] = true, true
		d.Facts.Add(it)
		added++
	}
	return added, replaced, skipped
}

// read understands what export gives, a list of entries, and an object of keys and values.
func read(raw json.RawMessage, namespace string, now time.Time) (*Document, error) {
	var d store.Item[Document]
	if raw[0] == '[' {
		raw = slices.Concat([]byte(`{"entries":`), raw, []byte("}"))
	}
	var shape map[string]json.RawMessage
	if err := json.Unmarshal(raw, &shape); err != nil {
		return nil, tools.Errorf(tools.InvalidParams, "data must be what export gives, a list of entries, or an object of keys and values").With(tools.Details{Param: "data"})
	}
	if isList(shape["entries"]) || isList(shape["facts"]) {
		if err := d.UnmarshalJSON(raw); err != nil {
			return nil, tools.Errorf(tools.InvalidParams, "data cannot be read: %v", err).With(tools.Details{Param: "data"})
		}
	} else {
		for _, key := range slices.Sorted(maps.Keys(shape)) {
			value := shape[key]
			text := string(value)
			if value[0] == '"' {
				if err := json.Unmarshal(value, &text); err != nil {
					return nil, err
				}
			}
			d.V.Entries.Add(store.NewItem(Entry{Key: key, Value: text, Namespace: namespace, Tags: []string{}, Created: store.Stamp(now), Updated: store.Stamp(now)}))
		}
	}
	for i, it := range d.V.Entries.Items() {
		e := it.V
		if e.Namespace == "" || e.Created == "" || e.Updated == "" { // the other servers count on them
			d.V.Entries.Change(i, func(e *Entry) {
				e.Namespace, e.Created, e.Updated = either(e.Namespace, namespace), either(e.Created, store.Stamp(now)), either(e.Updated, store.Stamp(now))
			})
		}
		if err := (&fields{Key: e.Key, Value: &e.Value, Tags: e.Tags, Namespace: e.Namespace, Metadata: e.Metadata}).check(now); err != nil || e.Value == "" {
			return nil, tools.Errorf(tools.InvalidParams, "entry %d (%s) cannot be taken; nothing was imported: %v", i+1, store.Quote(e.Key), orEmpty(err)).With(tools.Details{Param: "data"})
		}
	}
	for i, it := range d.V.Facts.Items() {
		if it.V.Content == "" || len(it.V.Content) > maxValue {
			return nil, tools.Errorf(tools.InvalidParams, "fact %d has no content, or too much; nothing was imported", i+1).With(tools.Details{Param: "data"})
		}
		d.V.Facts.Change(i, func(f *Fact) {
			f.KB, f.Created, f.Tags = either(f.KB, defaultNamespace), either(f.Created, store.Stamp(now)), (&fields{Tags: f.Tags}).allTags()
		})
	}
	return &d.V, nil
}

func orEmpty(err error) string {
	if err == nil {
		return "it has no value"
	}
	return err.Error()
}

func isList(raw json.RawMessage) bool { return bytes.HasPrefix(raw, []byte("[")) }

type mergeIn struct {
	Key       string `json:"key"`
	Namespace string `json:"namespace"`
	DryRun    bool   `json:"dry_run"`
}

// merge joins the entries of one key into the one of namespace, or the oldest.
func (t *tool) merge(ctx context.Context, c *tools.Call, in mergeIn) (*tools.Result, error) {
	if in.Key == "" {
		return nil, store.Missing("key", "give the key whose entries to join")
	}
	now := time.Now()
	var out done
	err := t.change(ctx, c, now, func(d *Document) (bool, error) {
		target := d.Entries.Find(func(e *Entry) bool { return e.is(in.Key, in.Namespace) })
		if target < 0 {
			return false, d.unknown(in.Key, in.Namespace)
		}
		keep := d.Entries.At(target)
		values, tags, metadata := []string{keep.V.Value}, slices.Clone(keep.V.Tags), json.RawMessage(nil)
		n := d.Entries.Remove(func(e *Entry) bool {
			if e.Key != in.Key || e == &keep.V {
				return false
			}
			if !slices.Contains(values, e.Value) {
				values = append(values, e.Value)
			}
			tags, metadata = append(tags, e.Tags...), store.Merge(metadata, e.Metadata)
			return true
		})
		out = done{ID: keep.V.ID, Key: in.Key, Namespace: keep.V.space(), Count: n + 1}
		if n == 0 {
			out.Text = fmt.Sprintf("%s stands in one namespace only; there is nothing to merge", store.Quote(in.Key))
			return false, nil
		}
		value := strings.Join(values, "\n---\n")
		if err := store.TooLong("value", len(value), maxValue); err != nil {
			return false, err
		}
		i := d.Entries.Find(func(e *Entry) bool { return e == &keep.V })
		d.Entries.Change(i, func(e *Entry) {
			(&fields{Tags: tags}).put(e, &value, now)
			if all := store.Merge(metadata, keep.V.Metadata); len(all) > len("{}") {
				e.Metadata = all
			}
		})
		out.Text = fmt.Sprintf("merged %s of %s into namespace %s", entries(n+1), store.Quote(in.Key), store.Quote(keep.V.space()))
		return true, nil
	}, in.DryRun)
	return result(dry(out, in.DryRun), err)
}
