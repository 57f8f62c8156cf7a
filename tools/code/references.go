package code

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/index"
	"github.com/hanzoai/hanzo-mcp/tools/code/lsp"
	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
)

type referencesIn struct {
	aim
	MaxResults int    `json:"max_results"`
	Cursor     string `json:"cursor"`
	MaxChars   int    `json:"max_chars"`
}

type referencesData struct {
	Name    string  `json:"name"`
	Results []place `json:"results"`
	Count   int     `json:"count"`
	Total   int     `json:"total"`
	Backend string  `json:"backend"`
}

// answerHits makes the answer of all actions that give places.
func (t *tool) answerHits(ctx context.Context, c *tools.Call, name string, hits []hit, backend string, in referencesIn) (*tools.Result, error) {
	page, paging, err := paginate(hits, in.Cursor, in.MaxResults, usualHit)
	if err != nil {
		return nil, err
	}
	text, places := t.showHits(ctx, c, page, in.MaxChars)
	if len(places) < len(page) {
		paging = after(in.Cursor, len(places), len(hits))
	}
	d := &referencesData{Name: name, Results: places, Count: len(places), Total: len(hits), Backend: backend}
	if len(hits) == 0 {
		text = "none\n"
	}
	return &tools.Result{Text: text, Data: d, Truncated: paging != nil, Paging: paging}, nil
}

// asked asks a server for places, or says why there is none.
func (t *tool) asked(ctx context.Context, c *tools.Call, g *target, capability, method string, more map[string]any) ([]hit, string, error) {
	k, _, err := t.serverFor(ctx, c, g)
	if err != nil {
		return nil, "", err
	}
	if !k.Can(capability) {
		return nil, "", &unavailable{k.Name + " does not answer " + strings.TrimPrefix(method, "textDocument/")}
	}
	params := k.document(g.at)
	for key, v := range more {
		params[key] = v
	}
	raw, err := k.Ask(ctx, k.known, method, params, func(raw json.RawMessage) bool {
		list, err := lsp.Locations(raw)
		return err == nil && len(list) > 0
	})
	if err != nil {
		return nil, "", down(ctx, err)
	}
	list, err := lsp.Locations(raw)
	if err != nil {
		return nil, "", err
	}
	hits := t.fromLocations(ctx, c, k.Encoding, list)
	k.warnUnseen(c, amongHits(hits))
	return hits, k.backend(), nil
}

func (t *tool) references(ctx context.Context, c *tools.Call, in referencesIn) (*tools.Result, error) {
	g, err := t.locateOrWord(ctx, c, in.aim)
	if err != nil {
		return nil, err
	}
	if g.src != nil {
		hits, backend, err := t.asked(ctx, c, g, "referencesProvider", "textDocument/references", map[string]any{"context": map[string]any{"includeDeclaration": true}})
		why, none := noServer(err)
		if err == nil {
			return t.answerHits(ctx, c, g.name, hits, backend, in)
		}
		if !none {
			return nil, err
		}
		if g.src.lang == nil {
			return nil, wordless(g, why)
		}
		c.Warn(why + "; places with this name were looked up, which may belong to other symbols of the same name")
	}
	hits, more, err := t.words(ctx, c, g.scope, g.name, g.lang())
	if err != nil {
		return nil, err
	}
	if more {
		c.Warn(fmt.Sprintf("more than %d places; narrow it by path", maxHits))
	}
	if g.src == nil && len(hits) == 0 {
		return nil, t.unfound(ctx, c, g, in.aim)
	}
	return t.answerHits(ctx, c, g.name, hits, syntaxBackend, in)
}

// unfound is the error for a name that nothing defines, as a word of which nothing was found either.
func (t *tool) unfound(ctx context.Context, c *tools.Call, g *target, in aim) error {
	q, err := parseQuery(in.Query, in.NamePath)
	if err != nil {
		return err
	}
	return t.notFound(ctx, c, g.scope, q)
}

// wordless is the error for a language of which not even names are compared, when its server does not answer.
func wordless(g *target, why string) error {
	return tools.Errorf(tools.Unsupported, "%s; names in files such as %s are not compared here: use fs.search_text with word:true", why, sandbox.Printable(g.src.name()))
}

func (g *target) lang() string {
	if g.src == nil || g.src.lang == nil {
		return ""
	}
	return g.src.lang.ID
}

// locateOrWord is locate, but a name that nothing defines is taken as a word: names of libraries are used, not defined.
func (t *tool) locateOrWord(ctx context.Context, c *tools.Call, in aim) (*target, error) {
	g, err := t.locate(ctx, c, in)
	if err == nil {
		g.warnOthers(c)
	}
	if err == nil || in.Line > 0 || tools.AsError(err).Code != tools.NotFound {
		return g, err
	}
	q, ok := syntax.ParseQuery(in.Query + in.NamePath)
	p, _, perr := resolve(c, in.Path)
	if !ok || perr != nil || q.Index >= 0 || !syntax.IsName(q.Last()) {
		return nil, err
	}
	c.Warn(fmt.Sprintf("nothing below %s defines %s; places of the word %s are given", sandbox.Printable(p.Given), q.String(), q.Last()))
	return &target{name: q.Last(), scope: p}, nil
}

func (t *tool) implementations(ctx context.Context, c *tools.Call, in referencesIn) (*tools.Result, error) {
	g, err := t.locate(ctx, c, in.aim)
	if err != nil {
		return nil, err
	}
	g.warnOthers(c)
	hits, backend, err := t.asked(ctx, c, g, "implementationProvider", "textDocument/implementation", nil)
	if err == nil {
		return t.answerHits(ctx, c, g.name, hits, backend, in)
	}
	why, none := noServer(err)
	if !none {
		return nil, err
	}
	c.Warn(why + "; types were compared by what they name as their supertypes (Go: by the names of their methods)")
	if g.sym != nil && g.sym.Kind == syntax.Method && g.sym.Parent >= 0 {
		hits, err = t.overrides(ctx, c, g)
	} else {
		hits, err = t.subtypes(ctx, c, g)
	}
	if err != nil {
		return nil, err
	}
	return t.answerHits(ctx, c, g.name, hits, syntaxBackend, in)
}

// subtypes finds types that name a type among their supertypes; for an interface of Go, those that have methods of all
// its names.
func (t *tool) subtypes(ctx context.Context, c *tools.Call, g *target) ([]hit, error) {
	want := map[string]bool{}
	if g.lang() == "go" && g.sym != nil && g.sym.Kind == syntax.Interface {
		for i := range g.src.Symbols {
			if s := &g.src.Symbols[i]; s.Parent >= 0 && &g.src.Symbols[s.Parent] == g.sym && s.Kind == syntax.Method {
				want[s.Name] = true
			}
		}
	}
	type typ struct {
		hit     hit
		methods map[string]bool
	}
	types := map[string]*typ{} // folder + name
	var hits []hit
	_, err := t.walk(ctx, c, g.scope, index.Options{}, func(name string, f *syntax.File) {
		if family(f.Language) != family(g.lang()) {
			return
		}
		dir := name[:strings.LastIndexByte(name, '/')+1]
		for i := range f.Symbols {
			s := &f.Symbols[i]
			at := hit{file: name, line: s.Line, col: 1, at: s.NameStart}
			if slices.ContainsFunc(s.Supers, func(super string) bool { return lastName(super) == g.name }) {
				hits = append(hits, at)
			}
			if len(want) == 0 {
				continue
			}
			owner, isMethod := strings.CutSuffix(s.Path, "."+s.Name)
			key := dir + s.Name
			if isMethod && s.Kind == syntax.Method {
				key = dir + owner
			} else if s.Kind != syntax.Struct && s.Kind != syntax.Type {
				continue
			}
			one := types[key]
			if one == nil {
				one = &typ{methods: map[string]bool{}}
				types[key] = one
			}
			if isMethod && s.Kind == syntax.Method {
				one.methods[s.Name] = true
			} else {
				one.hit = at
			}
		}
	})
	if err != nil {
		return nil, err
	}
	for _, one := range types {
		has := one.hit.file != ""
		for m := range want {
			has = has && one.methods[m]
		}
		if has && !slices.Contains(hits, one.hit) {
			hits = append(hits, one.hit)
		}
	}
	slices.SortFunc(hits, byPlace)
	return hits, nil
}

// overrides finds the methods of a method's name in the types that name its type among their supertypes, or one below it.
func (t *tool) overrides(ctx context.Context, c *tools.Call, g *target) ([]hit, error) {
	type method struct {
		hit   hit
		owner string
	}
	below := map[string][]string{} // type → those right below it
	var methods []method
	if _, err := t.walk(ctx, c, g.scope, index.Options{}, func(name string, f *syntax.File) {
		if family(f.Language) != family(g.lang()) {
			return
		}
		for i := range f.Symbols {
			s := &f.Symbols[i]
			for _, super := range s.Supers {
				below[lastName(super)] = append(below[lastName(super)], s.Name)
			}
			if s.Kind == syntax.Method && s.Name == g.name && s.Parent >= 0 {
				methods = append(methods, method{hit{file: name, line: s.Line, col: 1, at: s.NameStart}, f.Symbols[s.Parent].Name})
			}
		}
	}); err != nil {
		return nil, err
	}
	types := []string{g.src.Symbols[g.sym.Parent].Name}
	for i := 0; i < len(types); i++ {
		for _, sub := range below[types[i]] {
			if !slices.Contains(types, sub) {
				types = append(types, sub)
			}
		}
	}
	var hits []hit
	for _, m := range methods {
		if slices.Contains(types[1:], m.owner) {
			hits = append(hits, m.hit)
		}
	}
	slices.SortFunc(hits, byPlace)
	return hits, nil
}

// lastName is the last part of a qualified name.
func lastName(s string) string {
	if i := strings.LastIndexAny(s, ".:\\"); i >= 0 {
		return s[i+1:]
	}
	return s
}

func (t *tool) callers(ctx context.Context, c *tools.Call, in referencesIn) (*tools.Result, error) {
	g, err := t.locateOrWord(ctx, c, in.aim)
	if err != nil {
		return nil, err
	}
	if g.src != nil {
		hits, backend, err := t.incoming(ctx, c, g)
		if err == nil {
			return t.answerHits(ctx, c, g.name, hits, backend, in)
		}
		why, none := noServer(err)
		if !none {
			return nil, err
		}
		if g.src.lang == nil {
			return nil, wordless(g, why)
		}
		c.Warn(why + "; calls by this name were looked up, which may mean other symbols of the same name")
	}
	hits, _, err := t.words(ctx, c, g.scope, g.name, g.lang())
	if err != nil {
		return nil, err
	}
	hits = slices.DeleteFunc(hits, func(h hit) bool { return !h.call })
	defined := map[string]map[int]bool{} // by file: where the name is defined in it
	hits = slices.DeleteFunc(hits, func(h hit) bool {
		places, known := defined[h.file]
		if !known {
			places = t.definedIn(ctx, c, h.file, g.name)
			defined[h.file] = places
		}
		return places[h.at]
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if g.src == nil && len(hits) == 0 {
		return nil, t.unfound(ctx, c, g, in.aim)
	}
	return t.answerHits(ctx, c, g.name, hits, syntaxBackend, in)
}

// definedIn gives the offsets at which a file defines a name.
func (t *tool) definedIn(ctx context.Context, c *tools.Call, file, name string) map[int]bool {
	p, _, err := resolve(c, file)
	if err != nil {
		return nil
	}
	root, rel, err := c.Roots.Sub(p)
	if err != nil {
		return nil
	}
	f := t.index.File(root, rel)
	if f == nil {
		src, err := load(ctx, c, p)
		if err != nil {
			return nil
		}
		got, err := t.analyze(ctx, c, src)
		if err != nil {
			return nil
		}
		f = got.File
	}
	at := map[int]bool{}
	for i := range f.Symbols {
		if s := &f.Symbols[i]; s.Name == name {
			at[s.NameStart] = true
		}
	}
	return at
}

// incoming asks a server who calls the target.
func (t *tool) incoming(ctx context.Context, c *tools.Call, g *target) ([]hit, string, error) {
	k, _, err := t.serverFor(ctx, c, g)
	if err != nil {
		return nil, "", err
	}
	if !k.Can("callHierarchyProvider") {
		return nil, "", &unavailable{k.Name + " does not know who calls"}
	}
	raw, err := k.Ask(ctx, k.known, "textDocument/prepareCallHierarchy", k.document(g.at), func(raw json.RawMessage) bool { return len(raw) > 4 })
	if err != nil {
		return nil, "", down(ctx, err)
	}
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil || len(items) == 0 {
		return nil, "", &unavailable{k.Name + " sees no function there"}
	}
	var list []lsp.Location
	for _, item := range items[:min(len(items), 10)] {
		var calls []struct {
			From       lsp.CallItem `json:"from"`
			FromRanges []lsp.Range  `json:"fromRanges"`
		}
		if err := k.Call(ctx, "callHierarchy/incomingCalls", map[string]any{"item": item}, &calls); err != nil {
			return nil, "", down(ctx, err)
		}
		for _, call := range calls {
			for _, r := range call.FromRanges {
				list = append(list, lsp.Location{URI: call.From.URI, Range: r})
			}
		}
	}
	hits := t.fromLocations(ctx, c, k.Encoding, list)
	k.warnUnseen(c, amongHits(hits))
	return hits, k.backend(), nil
}
