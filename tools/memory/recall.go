package memory

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/store"
)

// found is what a looking action answers beside its payload.
type found struct {
	Text    string `json:"text"`
	Count   int    `json:"count"`
	Total   int    `json:"total,omitempty"`
	Results []hit  `json:"results,omitempty"`
}

type hit struct {
	ID        string `json:"id"`
	Key       string `json:"key,omitempty"`
	Namespace string `json:"namespace,omitempty"`
	KB        string `json:"kb,omitempty"`
}

// maxHits bounds the results that data names; the payload has all that were asked for.
const maxHits = 50

type recallIn struct {
	choice
	Limit    int `json:"limit"`
	MaxChars int `json:"max_chars"`
}

func (t *tool) recall(ctx context.Context, c *tools.Call, in recallIn) (*tools.Result, error) {
	if in.Query != "" && in.Key == "" {
		return t.search(ctx, c, searchIn{Query: in.Query, filter: in.filter, Limit: in.Limit, MaxChars: in.MaxChars})
	}
	d, list, err := t.entries(ctx, c, in.filter)
	if err != nil {
		return nil, err
	}
	if in.Key != "" {
		list = slices.DeleteFunc(list, func(it *store.Item[Entry]) bool { return it.V.Key != in.Key })
		if len(list) == 0 {
			return nil, d.unknown(in.Key, in.Namespace)
		}
		if len(list) == 1 {
			return one(&list[0].V, in.MaxChars), nil
		}
	} else {
		sortBy(list, "updated")
	}
	return page(list, store.Limit(in.Limit, 10), in.MaxChars, 300, "recalled"), nil
}

// one gives an entry whole.
func one(e *Entry, maxChars int) *tools.Result {
	text, over := tools.Head(e.Value, tools.Limit(maxChars))
	data := struct {
		Text      string          `json:"text"`
		ID        string          `json:"id"`
		Key       string          `json:"key"`
		Namespace string          `json:"namespace"`
		Tags      []string        `json:"tags,omitempty"`
		Created   string          `json:"created"`
		Updated   string          `json:"updated"`
		TTL       string          `json:"ttl,omitempty"`
		Metadata  json.RawMessage `json:"metadata,omitempty"`
	}{fmt.Sprintf("recalled %s (%s)", store.Quote(e.Key), size(e.Value)), e.ID, e.Key, e.space(), e.Tags, e.Created, e.Updated, e.TTL, e.Metadata}
	if over {
		data.Text += "; cut, give max_chars for more"
	}
	return &tools.Result{Text: text, Data: data, Truncated: over}
}

// page gives entries as text, each value in at most most characters (0: no values).
func page(list []*store.Item[Entry], limit, maxChars, most int, verb string) *tools.Result {
	var b strings.Builder
	data := found{Total: len(list)}
	for i, it := range list {
		if i == limit {
			break
		}
		data.Count++
		if len(data.Results) < maxHits {
			data.Results = append(data.Results, hit{ID: it.V.ID, Key: it.V.Key, Namespace: it.V.space()})
		}
		it.V.write(&b, most)
	}
	data.Text = fmt.Sprintf("%s %s", verb, entries(data.Count))
	if data.Count < data.Total {
		data.Text += fmt.Sprintf(" of %d; give limit for more", data.Total)
	}
	text, over := tools.Head(b.String(), tools.Limit(maxChars))
	if over {
		data.Text += "; the text is cut, give max_chars for more"
	}
	if most == 0 {
		data.Results = nil // the payload names them, a line each
	}
	return &tools.Result{Text: text, Data: data, Truncated: over || data.Count < data.Total}
}

// write gives an entry as lines: what names it, then its value in at most most characters.
func (e *Entry) write(b *strings.Builder, most int) {
	fmt.Fprintf(b, "[%s] %s", store.Line(e.space()), store.Line(e.Key))
	if len(e.Tags) > 0 {
		fmt.Fprintf(b, " [%s]", store.Lines(e.Tags))
	}
	if most == 0 {
		fmt.Fprintf(b, " (%s, %s)\n", size(e.Value), store.Day(e.Updated))
		return
	}
	fmt.Fprintf(b, " (%s)\n  %s\n", store.Day(e.Updated), strings.ReplaceAll(store.Cut(e.Value, most), "\n", "\n  "))
}

type listIn struct {
	choice
	Sort     string `json:"sort"`
	Limit    int    `json:"limit"`
	MaxChars int    `json:"max_chars"`
}

func (t *tool) list(ctx context.Context, c *tools.Call, in listIn) (*tools.Result, error) {
	by := either(in.Sort, "updated")
	if err := cmp.Or(store.OneOf("sort", by, "updated", "created", "key", "namespace"), store.Unheeded(c, "value", "kb", "metadata")); err != nil {
		return nil, err
	}
	_, list, err := t.entries(ctx, c, in.filter)
	if err != nil {
		return nil, err
	}
	terms := store.Terms(in.Query)
	list = slices.DeleteFunc(list, func(it *store.Item[Entry]) bool { return !in.takes(it, terms) })
	sortBy(list, by)
	return page(list, store.Limit(in.Limit, 50), in.MaxChars, 0, "listed"), nil
}

// sortBy sorts entries in the order of the file by name, or the latest first, those of one millisecond too.
func sortBy(list []*store.Item[Entry], by string) {
	if by != "key" && by != "namespace" {
		slices.Reverse(list)
	}
	slices.SortStableFunc(list, func(a, b *store.Item[Entry]) int {
		switch by {
		case "key":
			return cmp.Compare(a.V.Key, b.V.Key)
		case "namespace":
			return cmp.Or(cmp.Compare(a.V.space(), b.V.space()), cmp.Compare(a.V.Key, b.V.Key))
		case "created":
			return cmp.Compare(b.V.Created, a.V.Created)
		}
		return cmp.Compare(b.V.Updated, a.V.Updated)
	})
}

type searchIn struct {
	Query string `json:"query"`
	filter
	Limit    int `json:"limit"`
	MaxChars int `json:"max_chars"`
}

func (t *tool) search(ctx context.Context, c *tools.Call, in searchIn) (*tools.Result, error) {
	terms := store.Terms(in.Query)
	if len(terms) == 0 {
		return nil, store.Missing("query", "give words to look for")
	}
	d, list, err := t.entries(ctx, c, in.filter)
	if err != nil {
		return nil, err
	}
	best := rank(list, terms, true)
	some := ""
	if len(best) == 0 {
		if best = rank(list, store.Loose(terms), false); len(best) > 0 {
			some = "; none has all the words, these have some"
		}
	}
	facts := 0
	if in.Namespace == "" {
		facts = len(d.recallFacts(terms, "", in.tagged()))
	}
	res := page(best, store.Limit(in.Limit, 20), in.MaxChars, 200, "found")
	data := res.Data.(found)
	data.Text += some
	if facts > 0 {
		data.Text += fmt.Sprintf("; also %s, see action facts", store.Count(facts, "fact", "facts"))
	}
	res.Data = data
	return res, nil
}

// rank gives the entries that match, best first, the latest of equals first.
func rank(list []*store.Item[Entry], terms []string, all bool) []*store.Item[Entry] {
	type scored struct {
		it    *store.Item[Entry]
		score float64
	}
	var hits []scored
	for _, it := range slices.Backward(list) { // of one millisecond, too
		if s := score(it, terms, all); s > 0 {
			hits = append(hits, scored{it, s})
		}
	}
	slices.SortStableFunc(hits, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.it.V.Updated, a.it.V.Updated))
	})
	out := make([]*store.Item[Entry], len(hits))
	for i, h := range hits {
		out[i] = h.it
	}
	return out
}

const part = "\x00" // between the parts of words

// words is what search looks at: key, tags with the namespace, value.
func (e *Entry) words() string {
	clean := func(s string) string { return strings.ReplaceAll(s, part, " ") }
	return clean(e.Key) + part + clean(strings.Join(append(slices.Clone(e.Tags), e.space()), " ")) + part + clean(e.Value)
}

func containsAll(text string, terms []string) bool {
	for _, t := range terms {
		if !strings.Contains(text, t) {
			return false
		}
	}
	return true
}

func (t *tool) stats(ctx context.Context, c *tools.Call, in filter) (*tools.Result, error) {
	d, list, err := t.entries(ctx, c, in)
	if err != nil {
		return nil, err
	}
	var data struct {
		Text       string `json:"text"`
		Entries    int    `json:"entries"`
		Facts      int    `json:"facts"`
		Bytes      int    `json:"bytes"`
		Namespaces int    `json:"namespaces"`
		Tags       int    `json:"tags"`
	}
	spaces, tags := map[string]bool{}, map[string]bool{}
	for _, it := range list {
		data.Bytes += len(it.V.Value)
		spaces[it.V.space()] = true
		for _, tag := range it.V.Tags {
			tags[tag] = true
		}
	}
	data.Entries, data.Facts, data.Namespaces, data.Tags = len(list), len(d.recallFacts(nil, "", in.tagged())), len(spaces), len(tags)
	data.Text = fmt.Sprintf("%s in %s, %s", entries(data.Entries), store.Count(data.Namespaces, "namespace", "namespaces"), store.Count(data.Facts, "fact", "facts"))
	return &tools.Result{Data: data}, nil
}

func (t *tool) namespaces(ctx context.Context, c *tools.Call, in filter) (*tools.Result, error) {
	_, list, err := t.entries(ctx, c, in)
	if err != nil {
		return nil, err
	}
	counts := map[string]int{}
	for _, it := range list {
		counts[it.V.space()]++
	}
	names := make([]string, 0, len(counts))
	for name := range counts {
		names = append(names, name)
	}
	slices.Sort(names)
	var b strings.Builder
	for _, name := range names {
		fmt.Fprintf(&b, "%s: %s\n", store.Line(name), entries(counts[name]))
	}
	text, over := tools.Head(b.String(), tools.DefaultChars)
	return &tools.Result{Text: text, Truncated: over, Data: found{Text: store.Count(len(names), "namespace", "namespaces"), Count: len(names)}}, nil
}

type historyIn struct {
	Key       string `json:"key"`
	Namespace string `json:"namespace"`
	MaxChars  int    `json:"max_chars"`
}

func (t *tool) history(ctx context.Context, c *tools.Call, in historyIn) (*tools.Result, error) {
	if in.Key == "" {
		return nil, store.Missing("key", "give the name of the entry")
	}
	d, list, err := t.entries(ctx, c, filter{Namespace: in.Namespace})
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	n := 0
	for _, it := range list {
		e := &it.V
		if e.Key != in.Key {
			continue
		}
		for _, v := range append(slices.Clone(e.History), Version{e.Value, e.Updated}) {
			n++
			fmt.Fprintf(&b, "[%s] %s\n  %s\n", store.Line(e.space()), store.Line(v.Updated), strings.ReplaceAll(store.Cut(v.Value, 1000), "\n", "\n  "))
		}
	}
	if n == 0 {
		return nil, d.unknown(in.Key, in.Namespace)
	}
	text, over := tools.Head(b.String(), tools.Limit(in.MaxChars))
	return &tools.Result{Text: text, Truncated: over, Data: found{Text: fmt.Sprintf("%s of %s, the oldest first", store.Count(n, "value", "values"), store.Quote(in.Key)), Count: n}}, nil
}

// entries gives the document and those of its live entries that pass the filter.
func (t *tool) entries(ctx context.Context, c *tools.Call, f filter) (*Document, []*store.Item[Entry], error) {
	d, err := t.file.Read(ctx, c.Warn)
	if err != nil {
		return nil, nil, err
	}
	now := time.Now()
	list := make([]*store.Item[Entry], 0, d.Entries.Len())
	for _, it := range d.Entries.All() {
		if it.V.live(now) && f.passes(&it.V) {
			list = append(list, it)
		}
	}
	return d, list, nil
}
