package code

import (
	"context"
	"slices"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/index"
	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
)

func (t *tool) implementations(ctx context.Context, c *tools.Call, in referencesIn) (*tools.Result, error) {
	g, err := t.locate(ctx, c, in.aim)
	if err != nil {
		return nil, err
	}
	g.warnOthers(c)
	a, err := t.implementing(ctx, c, g)
	if err == nil {
		return t.answerHits(ctx, c, g, a, in)
	}
	why, none := noServer(err)
	if !none {
		return nil, err
	}
	c.Warn(why + "; types were compared by what they name as their supertypes (Go: by the names of their methods)")
	hits, err := t.below(ctx, c, g, index.Options{})
	if err != nil {
		return nil, err
	}
	return t.answerHits(ctx, c, g, &answer{hits, syntaxBackend, &others{}}, in)
}

// implementing asks a server what implements the target. Where sources say that more does, it is asked for the uses of the
// target, for which some read further projects; what is not among them either is told as beyond the answer.
func (t *tool) implementing(ctx context.Context, c *tools.Call, g *target) (*answer, error) {
	k, _, err := t.serverFor(ctx, c, g, look{})
	if err != nil {
		return nil, err
	}
	hits, err := t.asked(ctx, c, k, g.at, "implementationProvider", "textDocument/implementation", nil)
	if err != nil {
		return nil, err
	}
	a := &answer{hits: hits, backend: k.backend(), others: &others{by: k.Name}}
	// What names a type holds its name; what has the methods of an interface of Go need not.
	list, err := t.below(ctx, c, g, index.Options{Needs: need(g)})
	if err != nil {
		return nil, err
	}
	left := slices.DeleteFunc(list, func(h hit) bool { return onLineOf(hits, h) })
	if k.ByProject() && len(left) > 0 && k.Can("referencesProvider") {
		uses, err := t.uses(ctx, c, k, g.at)
		if _, gone := noServer(err); err != nil && !gone {
			return nil, err
		}
		a.hits = inOrder(append(hits, t.confirmed(ctx, c, uses, left)...))
		left = slices.DeleteFunc(left, func(h hit) bool { return onLineOf(a.hits, h) })
	}
	if k.Sure() && slices.ContainsFunc(a.hits, func(h hit) bool { return !h.outside }) {
		left = slices.DeleteFunc(left, func(h hit) bool { return k.sees == nil || k.sees(h.file) })
	}
	a.others.code = left
	if !syntax.Grammars && g.lang() != "go" && len(list) == 0 && len(a.hits) < 2 { // nobody knows what sources say
		a.others, err = t.elsewhere(ctx, c, k, g, a.hits, false)
	}
	return a, err
}

// need is a text that a file with something below the target holds.
func need(g *target) string {
	if want := g.methods(); len(want) > 0 {
		return slices.MaxFunc(want, func(a, b string) int { return len(a) - len(b) })
	}
	return g.name
}

// onLineOf reports whether one of the hits is on the line of another.
func onLineOf(hits []hit, h hit) bool {
	return slices.ContainsFunc(hits, func(o hit) bool { return o.file == h.file && o.line == h.line })
}

// confirmed gives the definitions that a server's uses of what they implement stand in, or are.
func (t *tool) confirmed(ctx context.Context, c *tools.Call, uses, list []hit) []hit {
	files := map[string]*syntax.File{}
	return slices.DeleteFunc(slices.Clone(list), func(h hit) bool {
		return !slices.ContainsFunc(uses, func(u hit) bool {
			if u.file != h.file || u.at < 0 || u.at == h.at {
				return u.file == h.file && u.at == h.at
			}
			f, seen := files[u.file]
			if !seen {
				if p := t.parsedFile(ctx, c, u.file); p != nil {
					f = p.File
				}
				files[u.file] = f
			}
			if f == nil {
				return false
			}
			s := enclosing(f, u.at)
			return s != nil && s.NameStart == h.at
		})
	})
}

// below finds what is below a type, or what overrides a method, by what sources say of their supertypes.
func (t *tool) below(ctx context.Context, c *tools.Call, g *target, o index.Options) ([]hit, error) {
	if g.sym != nil && g.sym.Kind == syntax.Method && g.sym.Parent >= 0 {
		return t.overrides(ctx, c, g, o)
	}
	return t.subtypes(ctx, c, g, o)
}

// methods gives the names of the methods of an interface of Go.
func (g *target) methods() []string {
	var names []string
	if g.lang() == "go" && g.sym != nil && g.sym.Kind == syntax.Interface {
		for i := range g.src.Symbols {
			if s := &g.src.Symbols[i]; s.Parent >= 0 && &g.src.Symbols[s.Parent] == g.sym && s.Kind == syntax.Method {
				names = append(names, s.Name)
			}
		}
	}
	return names
}

// subtypes finds the types below one by what their heads name; for Go those that name a type among their supertypes, and for an
// interface those that have methods of all its names.
func (t *tool) subtypes(ctx context.Context, c *tools.Call, g *target, o index.Options) ([]hit, error) {
	if g.lang() == "go" {
		return t.subtypesOfGo(ctx, c, g, o)
	}
	below, err := t.typesBelow(ctx, c, g, g.sym, o)
	var hits []hit
	for _, n := range below {
		hits = append(hits, hit{file: n.file, line: n.sym.Line, col: 1, at: n.sym.NameStart})
	}
	slices.SortFunc(hits, byPlace)
	return hits, err
}

// typesBelow gives the types below one of the target's file, and those below them. Below a type that is not defined here are
// those that name it.
func (t *tool) typesBelow(ctx context.Context, c *tools.Call, g *target, sym *syntax.Symbol, o index.Options) ([]typeNode, error) {
	h := &lineage{given: g.scope, byName: map[string][]typeNode{}, below: map[string][]typeNode{}}
	add := func(name string, f *syntax.File) {
		if family(f.Language) == family(g.lang()) {
			h.add(name, f)
		}
	}
	if _, err := t.walk(ctx, c, g.scope, o, add); err != nil {
		return nil, err
	}
	if err := t.typesAbroad(ctx, c, g.scope, o, add); err != nil {
		return nil, err
	}
	var list []typeNode
	q := syntax.Query{}
	if sym != nil {
		list = keepTypes(slices.Clone(h.byName[sym.Name]), typeNode{g.src.name(), g.src.File, sym}.key(), nil)
	}
	if len(list) == 0 {
		var ok bool
		if q, ok = syntax.ParseQuery(g.name); !ok {
			return nil, nil
		}
	}
	return h.allUnder(list, q), nil
}

func (t *tool) subtypesOfGo(ctx context.Context, c *tools.Call, g *target, o index.Options) ([]hit, error) {
	want := g.methods()
	type typ struct {
		hit     hit
		methods map[string]bool
	}
	types := map[string]*typ{} // folder + name
	var hits []hit
	_, err := t.walk(ctx, c, g.scope, o, func(name string, f *syntax.File) {
		if family(f.Language) != family(g.lang()) {
			return
		}
		dir := name[:strings.LastIndexByte(name, '/')+1]
		for i := range f.Symbols {
			s := &f.Symbols[i]
			at := hit{file: name, line: s.Line, col: 1, at: s.NameStart}
			if hasSuper(f, s, g.name) {
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
		for _, m := range want {
			has = has && one.methods[m]
		}
		if has && !slices.Contains(hits, one.hit) {
			hits = append(hits, one.hit)
		}
	}
	slices.SortFunc(hits, byPlace)
	return hits, nil
}

// overrides finds the methods of a method's name in the types below its own.
func (t *tool) overrides(ctx context.Context, c *tools.Call, g *target, o index.Options) ([]hit, error) {
	o.Needs = "" // what is below a type below need not have its name
	below, err := t.typesBelow(ctx, c, g, &g.src.Symbols[g.sym.Parent], o)
	if err != nil {
		return nil, err
	}
	var hits []hit
	for _, n := range below {
		for i := range n.f.Symbols {
			s := &n.f.Symbols[i]
			if s.Kind == syntax.Method && s.Name == g.name && s.Parent >= 0 && &n.f.Symbols[s.Parent] == n.sym {
				hits = append(hits, hit{file: n.file, line: s.Line, col: 1, at: s.NameStart})
			}
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
