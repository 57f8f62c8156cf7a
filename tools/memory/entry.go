package memory

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/store"
)

// What one entry may hold, in bytes.
const (
	maxKey      = 256
	maxValue    = 256 << 10
	maxTags     = 32
	maxTag      = 64
	maxMetadata = 16 << 10

	maxVersions     = 5        // earlier values that are kept
	maxVersionBytes = 32 << 10 // and how long they may be together
)

const defaultNamespace = "default"

// done is what a changing action answers.
type done struct {
	Text      string `json:"text"`
	ID        string `json:"id,omitempty"`
	Key       string `json:"key,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	Created   bool   `json:"created,omitempty"`
	Count     int    `json:"count,omitempty"`
	Total     int    `json:"total,omitempty"`
	DryRun    bool   `json:"dry_run,omitempty"`
}

// fields are what store and update set.
type fields struct {
	Key       string          `json:"key"`
	Value     *string         `json:"value"`
	Tags      []string        `json:"tags"`
	Tag       string          `json:"tag"`
	Namespace string          `json:"namespace"`
	Metadata  json.RawMessage `json:"metadata"`
	TTL       string          `json:"ttl"`
	DryRun    bool            `json:"dry_run"`
}

type storeIn struct {
	fields
	Append bool `json:"append"`
}

func (t *tool) store(ctx context.Context, c *tools.Call, in storeIn) (*tools.Result, error) {
	now := time.Now()
	if in.Value == nil || *in.Value == "" {
		return nil, store.Missing("value", "give the text to remember")
	}
	if err := in.check(now); err != nil {
		return nil, err
	}
	if in.Namespace == "" {
		in.Namespace = defaultNamespace
	}
	var out done
	err := t.change(ctx, c, now, func(d *Document) (bool, error) {
		i := d.Entries.Find(func(e *Entry) bool { return e.is(in.Key, in.Namespace) })
		out = done{Key: in.Key, Namespace: in.Namespace, Created: i < 0}
		if i < 0 {
			e := Entry{Key: in.Key, Value: *in.Value, Tags: in.allTags(), Namespace: in.Namespace, Created: store.Stamp(now), Updated: store.Stamp(now),
				Metadata: in.metadata(nil), TTL: in.TTL}
			e.ID, d.LastID = store.NextID(&d.Entries, d.LastID, func(e *Entry) string { return e.ID })
			d.Entries.Add(store.NewItem(e))
			out.ID = e.ID
			out.Text = fmt.Sprintf("stored %s (%s)", store.Quote(in.Key), size(e.Value))
			return true, nil
		}
		value := *in.Value
		if in.Append {
			value = d.Entries.At(i).V.Value + "\n" + value
			if err := store.TooLong("value", len(value), maxValue); err != nil {
				return false, err
			}
		}
		d.Entries.Change(i, func(e *Entry) { in.put(e, &value, now) })
		out.ID = d.Entries.At(i).V.ID
		out.Text = fmt.Sprintf("stored %s (%s, replaces the value it had)", store.Quote(in.Key), size(value))
		if in.Append {
			out.Text = fmt.Sprintf("added to %s (now %s)", store.Quote(in.Key), size(value))
		}
		return true, nil
	}, in.DryRun)
	return result(dry(out, in.DryRun), err)
}

func (t *tool) update(ctx context.Context, c *tools.Call, in fields) (*tools.Result, error) {
	now := time.Now()
	switch {
	case in.Value != nil && *in.Value == "":
		return nil, tools.Errorf(tools.InvalidParams, "value is empty; give the new text, or delete the entry. Nothing was changed").With(tools.Details{Param: "value"})
	case in.Value == nil && in.Tags == nil && in.Tag == "" && in.Metadata == nil && in.TTL == "":
		return nil, store.Missing("value", "give what changes: value, tags, metadata or ttl")
	}
	if err := in.check(now); err != nil {
		return nil, err
	}
	var out done
	err := t.change(ctx, c, now, func(d *Document) (bool, error) {
		i, err := d.entry(in.Key, in.Namespace)
		if err != nil {
			return false, err
		}
		d.Entries.Change(i, func(e *Entry) { in.put(e, in.Value, now) })
		e := &d.Entries.At(i).V
		out = done{Text: fmt.Sprintf("updated %s (%s)", store.Quote(e.Key), size(e.Value)), ID: e.ID, Key: e.Key, Namespace: e.space()}
		return true, nil
	}, in.DryRun)
	return result(dry(out, in.DryRun), err)
}

// put sets what was given, and keeps the value that it replaces.
func (in *fields) put(e *Entry, value *string, now time.Time) {
	if value != nil && *value != "" && *value != e.Value {
		e.History = kept(append(slices.Clone(e.History), Version{e.Value, e.Updated}))
		e.Value = *value
	}
	if in.Tags != nil || in.Tag != "" {
		e.Tags = in.allTags()
	}
	if in.Metadata != nil {
		e.Metadata = in.metadata(e.Metadata)
	}
	if in.TTL != "" {
		e.TTL = in.TTL
	}
	e.Namespace, e.Updated = e.space(), store.Stamp(now) // the other servers count on them
}

// kept are the latest of the versions, as many as an entry may hold.
func kept(list []Version) []Version {
	bytes := 0
	for i := len(list) - 1; i >= 0; i-- {
		bytes += len(list[i].Value)
		if bytes > maxVersionBytes || len(list)-i > maxVersions {
			return list[i+1:]
		}
	}
	return list
}

func (in *fields) allTags() []string {
	list := []string{}
	for _, tag := range append(slices.Clone(in.Tags), in.Tag) {
		if tag = strings.TrimSpace(tag); tag != "" && !slices.Contains(list, tag) {
			list = append(list, tag)
		}
	}
	return list
}

func (in *fields) metadata(old json.RawMessage) json.RawMessage {
	if in.Metadata == nil {
		return old
	}
	return store.Merge(old, in.Metadata)
}

// check looks at what was given and turns a time to live into a date.
func (in *fields) check(now time.Time) error {
	switch {
	case in.Key == "":
		return store.Missing("key", "give the name of the entry; {\"action\":\"facts\",\"value\":…} keeps a text without one")
	case in.Metadata != nil && in.Metadata[0] != '{':
		return tools.Errorf(tools.InvalidParams, "metadata must be an object").With(tools.Details{Param: "metadata", Expected: "object"})
	}
	value := ""
	if in.Value != nil {
		value = *in.Value
	}
	if err := cmp.Or(
		store.TooLong("key", len(in.Key), maxKey), store.TooLong("value", len(value), maxValue), store.TooLong("namespace", len(in.Namespace), maxTag),
		store.TooLong("metadata", len(in.Metadata), maxMetadata), checkTags(in.allTags())); err != nil {
		return err
	}
	if in.TTL == "" {
		return nil
	}
	end, err := deadline(in.TTL, now)
	if err != nil {
		return err
	}
	in.TTL = store.Stamp(end)
	return nil
}

func checkTags(tags []string) error {
	err := store.TooLong("tags", len(tags), maxTags)
	for _, tag := range tags {
		err = cmp.Or(err, store.TooLong("tags", len(tag), maxTag))
	}
	return err
}

// deadline reads a time to live: a date, whose day is still in it, or how long ("90m", "7d"; a bare number is seconds).
func deadline(ttl string, now time.Time) (time.Time, error) {
	end, ok := store.TimeIn(ttl, now.Location())
	if ok && len(ttl) == len(time.DateOnly) {
		end = end.AddDate(0, 0, 1)
	}
	if !ok {
		text := strings.TrimSpace(ttl)
		if _, err := strconv.ParseFloat(text, 64); err == nil {
			text += "s"
		}
		if n, found := strings.CutSuffix(text, "d"); found {
			if days, err := strconv.ParseFloat(n, 64); err == nil && days < 36500 {
				text = strconv.FormatFloat(days*24, 'f', -1, 64) + "h"
			}
		}
		d, err := time.ParseDuration(text)
		if err != nil {
			return end, tools.Errorf(tools.InvalidParams, "ttl %q is no time; give how long (\"12h\", \"7d\") or a date (\"2030-01-31\")", ttl).
				With(tools.Details{Param: "ttl", Actual: ttl})
		}
		end = now.Add(d)
	}
	if !end.After(now) {
		return end, tools.Errorf(tools.InvalidParams, "ttl %q has passed already; nothing was stored", ttl).With(tools.Details{Param: "ttl", Actual: ttl})
	}
	return end, nil
}

type deleteIn struct {
	Key string `json:"key"`
	filter
	DryRun bool `json:"dry_run"`
}

func (t *tool) delete(ctx context.Context, c *tools.Call, in deleteIn) (*tools.Result, error) {
	tags := in.tagged()
	if in.Key == "" && len(tags) == 0 {
		return nil, store.Missing("key", "give the key of the entry, or a tag to delete all that have it")
	}
	var out done
	err := t.change(ctx, c, time.Now(), func(d *Document) (bool, error) {
		if in.Key == "" {
			n := d.Entries.Remove(in.passes)
			out = done{Text: fmt.Sprintf("deleted %s tagged %s", entries(n), store.Quote(strings.Join(tags, ", "))), Count: n}
			return n > 0, nil
		}
		i, err := d.entry(in.Key, in.Namespace)
		if err != nil {
			return false, err
		}
		e := d.Entries.At(i).V
		if !store.Has(e.Tags, tags) {
			return false, tools.Errorf(tools.Conflict, "%s has not the tags %s, but %s; nothing was deleted", store.Quote(e.Key), store.Quote(strings.Join(tags, ", ")), store.Quote(strings.Join(e.Tags, ", "))).
				With(tools.Details{Param: "tags", Actual: store.Cut(strings.Join(e.Tags, ", "), 200)})
		}
		d.Entries.Remove(func(x *Entry) bool { return x.ID == e.ID && x.is(e.Key, e.space()) })
		out = done{Text: "deleted " + store.Quote(e.Key), ID: e.ID, Key: e.Key, Namespace: e.space(), Count: 1}
		return true, nil
	}, in.DryRun)
	return result(dry(out, in.DryRun), err)
}

type tagIn struct {
	Key       string   `json:"key"`
	Tag       string   `json:"tag"`
	Tags      []string `json:"tags"`
	Namespace string   `json:"namespace"`
	DryRun    bool     `json:"dry_run"`
}

func (t *tool) tag(ctx context.Context, c *tools.Call, in tagIn) (*tools.Result, error) {
	return t.retag(ctx, c, in, "tagged", func(has, given []string) []string {
		for _, tag := range given {
			if !slices.Contains(has, tag) {
				has = append(has, tag)
			}
		}
		return has
	})
}

func (t *tool) untag(ctx context.Context, c *tools.Call, in tagIn) (*tools.Result, error) {
	return t.retag(ctx, c, in, "untagged", func(has, given []string) []string {
		return slices.DeleteFunc(has, func(tag string) bool { return slices.Contains(given, tag) })
	})
}

func (t *tool) retag(ctx context.Context, c *tools.Call, in tagIn, verb string, change func(has, given []string) []string) (*tools.Result, error) {
	given := (&fields{Tags: in.Tags, Tag: in.Tag}).allTags()
	if in.Key == "" || len(given) == 0 {
		return nil, store.Missing("tag", "give key and tag")
	}
	now := time.Now()
	var out done
	err := t.change(ctx, c, now, func(d *Document) (bool, error) {
		i, err := d.entry(in.Key, in.Namespace)
		if err != nil {
			return false, err
		}
		e := d.Entries.At(i).V
		tags := change(append([]string{}, e.Tags...), given)
		out = done{Text: fmt.Sprintf("%s %s: now %s", verb, store.Quote(e.Key), store.Quote(strings.Join(tags, ", "))), ID: e.ID, Key: e.Key, Namespace: e.space()}
		if slices.Equal(tags, e.Tags) {
			return false, nil
		}
		if err := checkTags(tags); err != nil {
			return false, err
		}
		d.Entries.Change(i, func(e *Entry) { e.Tags, e.Updated = tags, store.Stamp(now) })
		return true, nil
	}, in.DryRun)
	return result(dry(out, in.DryRun), err)
}

// entry finds the entry of key: in the default namespace, or the only one that has it.
func (d *Document) entry(key, namespace string) (int, error) {
	if key == "" {
		return 0, store.Missing("key", "give the name of the entry")
	}
	want := namespace
	if want == "" {
		want = defaultNamespace
	}
	if i := d.Entries.Find(func(e *Entry) bool { return e.is(key, want) }); i >= 0 {
		return i, nil
	}
	return 0, d.unknown(key, namespace)
}

// unknown says that there is no entry of key, and what there is.
func (d *Document) unknown(key, namespace string) error {
	var spaces, keys []string
	now := time.Now()
	for _, it := range d.Entries.All() {
		if !it.V.live(now) {
			continue
		}
		if it.V.Key == key {
			spaces = append(spaces, it.V.space())
		} else if near := store.Fold(it.V.Key); len(keys) < 5 && (strings.Contains(near, store.Fold(key)) || strings.Contains(store.Fold(key), near)) {
			keys = append(keys, store.Cut(it.V.Key, 60))
		}
	}
	if len(spaces) > 0 {
		if len(spaces) > 5 {
			spaces = spaces[:5]
		}
		return tools.Errorf(tools.NotFound, "namespace %s has no %s, but others have; give one of them as namespace", store.Quote(either(namespace, defaultNamespace)), store.Quote(key)).
			With(tools.Details{Param: "namespace", Available: spaces})
	}
	e := tools.Errorf(tools.NotFound, "nothing is remembered under %s; search by words, or list the keys", store.Quote(key))
	if len(keys) > 0 {
		return e.With(tools.Details{Param: "key", Nearest: keys})
	}
	return e
}

// change writes a change of the document, and drops what has passed its time. With dry, nothing is written.
func (t *tool) change(ctx context.Context, c *tools.Call, now time.Time, change func(d *Document) (bool, error), dry ...bool) error {
	return t.file.Update(ctx, c.Warn, func(d *Document) (bool, error) {
		d.Entries.Remove(func(e *Entry) bool { return !e.live(now) })
		write, err := change(d)
		return write && !slices.Contains(dry, true), err
	})
}

func dry(out done, on bool) done {
	if on {
		out.DryRun, out.Text = true, "dry run, nothing changed: "+out.Text
	}
	return out
}

func result(out done, err error) (*tools.Result, error) {
	if err != nil {
		return nil, err
	}
	return &tools.Result{Data: out}, nil
}

func either(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func size(value string) string {
	return store.Count(utf8.RuneCountInString(value), "character", "characters")
}

func entries(n int) string { return store.Count(n, "entry", "entries") }
