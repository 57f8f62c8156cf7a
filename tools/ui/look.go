package ui

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/store"
)

type listIn struct {
	Framework string `json:"framework"`
	Category  string `json:"category"`
	Limit     int    `json:"limit"`
	MaxChars  int    `json:"max_chars"`
}

func (t *tool) listComponents(ctx context.Context, c *tools.Call, in listIn) (*tools.Result, error) {
	return t.list(ctx, c, in, "component", func(it *Item) bool {
		kind := strings.TrimPrefix(it.Type, "registry:")
		return kind == "ui" || kind == "component" || kind == "hook" || kind == ""
	})
}

func (t *tool) listBlocks(ctx context.Context, c *tools.Call, in listIn) (*tools.Result, error) {
	return t.list(ctx, c, in, "block", func(it *Item) bool { return strings.TrimPrefix(it.Type, "registry:") == "block" })
}

func (t *tool) list(ctx context.Context, c *tools.Call, in listIn, noun string, show func(*Item) bool) (*tools.Result, error) {
	s, registry, _, err := t.pick(c, in.Framework, "")
	if err != nil {
		return nil, err
	}
	all, err := s.index(ctx)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(it Item) bool {
		return !show(&it) || in.Category != "" && it.Category != in.Category && !slices.Contains(it.Categories, in.Category)
	})
	slices.SortStableFunc(all, func(a, b Item) int { return cmp.Compare(a.Name, b.Name) })
	return page(all, registry, noun, store.Limit(in.Limit, 100), in.MaxChars), nil
}

// page gives items as lines.
func page(list []Item, registry, noun string, limit, maxChars int) *tools.Result {
	var b strings.Builder
	data := struct {
		Text      string `json:"text"`
		Framework string `json:"framework"`
		Count     int    `json:"count"`
		Total     int    `json:"total"`
	}{"", registry, min(limit, len(list)), len(list)}
	for _, it := range list[:data.Count] {
		b.WriteString(it.Name)
		if text := cmp.Or(it.Description, it.Title); text != "" {
			b.WriteString(": " + store.Cut(store.Line(text), 160))
		}
		b.WriteByte('\n')
	}
	data.Text = fmt.Sprintf("%s in %s", store.Count(data.Total, noun, noun+"s"), store.Quote(registry))
	if data.Count < data.Total {
		data.Text += fmt.Sprintf(", %d shown; give limit for more", data.Count)
	}
	text, over := tools.Head(b.String(), tools.Limit(maxChars))
	return &tools.Result{Text: text, Data: data, Truncated: over || data.Count < data.Total}
}

type searchIn struct {
	Query     string `json:"query"`
	Framework string `json:"framework"`
	Limit     int    `json:"limit"`
	MaxChars  int    `json:"max_chars"`
}

func (t *tool) search(ctx context.Context, c *tools.Call, in searchIn) (*tools.Result, error) {
	terms := store.Terms(in.Query)
	if len(terms) == 0 {
		return nil, store.Missing("query", "give words to look for")
	}
	s, registry, _, err := t.pick(c, in.Framework, "")
	if err != nil {
		return nil, err
	}
	all, err := s.index(ctx)
	if err != nil {
		return nil, err
	}
	list := match(all, terms, true)
	if len(list) == 0 {
		list = match(all, store.Loose(terms), false)
	}
	return page(list, registry, "hit", store.Limit(in.Limit, 20), in.MaxChars), nil
}

func match(list []Item, terms []string, all bool) []Item {
	type scored struct {
		Item
		score float64
	}
	var hits []scored
	for _, it := range list {
		s := store.Score(terms, all, store.Field{Text: store.Fold(it.Name), Weight: 3}, store.Field{Text: store.Fold(it.Title), Weight: 2},
			store.Field{Text: store.Fold(it.Description + "\n" + it.Category + "\n" + strings.Join(it.Categories, "\n")), Weight: 1})
		if s > 0 {
			hits = append(hits, scored{it, s})
		}
	}
	slices.SortStableFunc(hits, func(a, b scored) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.Name, b.Name)) })
	out := make([]Item, len(hits))
	for i, h := range hits {
		out[i] = h.Item
	}
	return out
}

type nameIn struct {
	Component string `json:"component"`
	Framework string `json:"framework"`
	MaxChars  int    `json:"max_chars"`
}

// find gives the item that a call names.
func (t *tool) find(ctx context.Context, c *tools.Call, framework, name string) (*Item, string, error) {
	s, registry, name, err := t.pick(c, framework, name)
	if err != nil {
		return nil, "", err
	}
	if err := checkName(name); err != nil {
		return nil, "", err
	}
	it, err := s.item(ctx, name)
	return it, registry, err
}

// itemData is what data says of an item.
type itemData struct {
	Text         string   `json:"text"`
	Name         string   `json:"name"`
	Type         string   `json:"type,omitempty"`
	Framework    string   `json:"framework"`
	Files        []string `json:"files,omitempty"`
	NPM          []string `json:"npm_dependencies,omitempty"`
	NPMDev       []string `json:"npm_dev_dependencies,omitempty"`
	Dependencies []string `json:"registry_dependencies,omitempty"`
}

func dataOf(it *Item, registry, text string) itemData {
	d := itemData{Text: text, Name: it.Name, Type: store.Cut(it.Type, 40), Framework: registry, NPM: few(it.Dependencies), NPMDev: few(it.DevDependencies), Dependencies: few(it.RegistryDependencies)}
	return d
}

// few bounds a list that a registry sent.
func few(list []string) []string {
	out := make([]string, 0, min(len(list), 30))
	for _, s := range list[:min(len(list), 30)] {
		out = append(out, store.Cut(store.Line(s), 120))
	}
	return out
}

func (t *tool) getItem(ctx context.Context, c *tools.Call, in nameIn) (*tools.Result, error) {
	it, registry, err := t.find(ctx, c, in.Framework, in.Component)
	if err != nil {
		return nil, err
	}
	return filesOf(it, registry, in.MaxChars), nil
}

// filesOf gives the files of an item, one behind the other, each below a line with its path.
func filesOf(it *Item, registry string, maxChars int) *tools.Result {
	var b strings.Builder
	size := 0
	for _, f := range it.Files {
		fmt.Fprintf(&b, "=== %s\n%s", store.Cut(store.Line(f.Path), 200), f.Content)
		if !strings.HasSuffix(f.Content, "\n") {
			b.WriteByte('\n')
		}
		size += len(f.Content)
	}
	text, over := tools.Head(b.String(), tools.Limit(maxChars))
	note := fmt.Sprintf("%s of %s, %d bytes", store.Count(len(it.Files), "file", "files"), store.Quote(it.Name), size)
	if over {
		note += "; cut, give max_chars for more"
	}
	return &tools.Result{Text: text, Data: dataOf(it, registry, note), Truncated: over}
}

// getDemo looks for the items that registries keep examples in.
func (t *tool) getDemo(ctx context.Context, c *tools.Call, in nameIn) (*tools.Result, error) {
	s, registry, name, err := t.pick(c, in.Framework, in.Component)
	if err != nil {
		return nil, err
	}
	if err := checkName(name); err != nil {
		return nil, err
	}
	for _, ending := range []string{"-demo", "-example"} {
		it, err := s.item(ctx, name+ending)
		if err == nil {
			return filesOf(it, registry, in.MaxChars), nil
		}
		var e *tools.Error
		if !errors.As(err, &e) || e.Code != tools.NotFound {
			return nil, err
		}
	}
	return nil, tools.Errorf(tools.NotFound, "registry %s has no example of %s (no %s-demo, no %s-example); get_component shows the component itself", store.Quote(registry), store.Quote(name), name, name).
		With(tools.Details{Param: "component"})
}

// getMetadata gives the item without the content of its files.
func (t *tool) getMetadata(ctx context.Context, c *tools.Call, in nameIn) (*tools.Result, error) {
	it, registry, err := t.find(ctx, c, in.Framework, in.Component)
	if err != nil {
		return nil, err
	}
	bare := *it
	bare.Files = slices.Clone(it.Files)
	for i := range bare.Files {
		bare.Files[i].Content = ""
	}
	b, err := json.MarshalIndent(bare, "", "  ")
	if err != nil {
		return nil, err
	}
	text, over := tools.Head(string(b)+"\n", tools.Limit(in.MaxChars))
	return &tools.Result{Text: text, Truncated: over, Data: struct {
		Text      string `json:"text"`
		Name      string `json:"name"`
		Framework string `json:"framework"`
	}{"metadata of " + store.Quote(it.Name), it.Name, registry}}, nil
}
