package code

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/index"
	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
)

type hierarchyIn struct {
	Path     string `json:"path"`
	Query    string `json:"query"`
	NamePath string `json:"name_path"`
	Depth    int    `json:"depth"`
	MaxChars int    `json:"max_chars"`
}

type hierarchyData struct {
	Query      string   `json:"query"`
	Path       string   `json:"path,omitempty"` // where the type is defined
	Line       int      `json:"line,omitempty"`
	Supertypes []string `json:"supertypes"`
	Subtypes   []symbol `json:"subtypes"`
	Backend    string   `json:"backend"`
}

const maxTypes = 500 // above, and below, one

// hierarchy shows the types above and below one, of the first root that has it.
func (t *tool) hierarchy(ctx context.Context, c *tools.Call, in hierarchyIn) (*tools.Result, error) {
	res, err := t.hierarchyIn(ctx, c, in)
	if in.Path != "" || len(c.Roots.Further()) == 0 || err == nil || tools.AsError(err).Code != tools.NotFound {
		return res, err
	}
	return orFurther(ctx, c, err, func(ctx context.Context, dir string) (*tools.Result, error) {
		in.Path = dir
		return t.hierarchyIn(ctx, c, in)
	})
}

// hierarchyIn is hierarchy for one folder, by what the heads of types name.
func (t *tool) hierarchyIn(ctx context.Context, c *tools.Call, in hierarchyIn) (*tools.Result, error) {
	q, err := parseQuery(in.Query, in.NamePath)
	if err != nil {
		return nil, err
	}
	p, fi, err := resolve(c, in.Path)
	if err != nil {
		return nil, err
	}
	file := ""
	top := p
	if !fi.IsDir() {
		file, top = p.String(), workspaceOf(c, p)
	}
	h := &lineage{given: p, file: file, byName: map[string][]typeNode{}, below: map[string][]typeNode{}}
	if _, err := t.walk(ctx, c, top, index.Options{}, h.add); err != nil {
		return nil, err
	}
	root, err := h.root(q)
	if err != nil {
		return nil, err
	}
	if err := t.typesAbroad(ctx, c, top, index.Options{}, h.add); err != nil {
		return nil, err
	}
	if len(root) == 0 && (q.Index >= 0 || len(h.outside(q)) == 0) {
		return nil, t.notFound(ctx, c, p, q)
	}
	h.depth = in.Depth
	if h.depth <= 0 {
		h.depth = 5
	}
	h.seen = map[string]bool{}
	h.data = &hierarchyData{Query: q.String(), Backend: syntaxBackend, Subtypes: []symbol{}, Supertypes: []string{}}
	if len(root) > 0 {
		h.data.Path, h.data.Line = root[0].file, root[0].sym.Line
	}
	methods, err := t.byMethods(ctx, c, h, root)
	if err != nil {
		return nil, err
	}
	h.up(root, 1)
	h.above(methods)
	h.line(0, "", q.Last(), root)
	h.down(root, q, 1)
	h.beneath(methods)
	if h.unsure > 0 {
		c.Warn(fmt.Sprintf("which of several types of one name is meant was not sure in %d places: those marked with ?", h.unsure))
	}
	text, cut := tools.Head(valid(h.text.String()), tools.Limit(in.MaxChars))
	return &tools.Result{Text: text, Data: h.data, Truncated: cut}, nil
}

// typeNode is a declaration of a type, or a block of methods of one.
type typeNode struct {
	file string
	f    *syntax.File
	sym  *syntax.Symbol
}

// key is the same for the declarations of one type: its parts, and its variants for other systems.
func (n typeNode) key() string {
	switch n.f.Language {
	case "go":
		return dirOf(n.file) + "\x00" + n.f.Package + "\x00" + n.sym.Path
	case "csharp", "c", "cpp", "ruby", "lua":
		return family(n.f.Language) + "\x00" + n.sym.Path
	}
	return n.file + "\x00" + n.sym.Path
}

func dirOf(file string) string { return file[:strings.LastIndexByte(file, '/')+1] }

// lineage is the types of a folder, and the answer that is made of them.
type lineage struct {
	given  sandbox.Path
	file   string       // that was named, "" for a folder
	here   *syntax.File // what it holds
	byName map[string][]typeNode
	below  map[string][]typeNode // by the last name of a supertype

	depth  int
	seen   map[string]bool
	unsure int // links that may mean another type
	data   *hierarchyData
	text   strings.Builder
}

func (h *lineage) add(name string, f *syntax.File) {
	if name == h.file {
		h.here = f
	}
	for i := range f.Symbols {
		s := &f.Symbols[i]
		switch s.Kind {
		case syntax.Class, syntax.Struct, syntax.Interface, syntax.Trait, syntax.Enum, syntax.Type, syntax.Impl:
		default:
			continue
		}
		n := typeNode{name, f, s}
		if s.Kind != syntax.Impl {
			h.byName[s.Name] = append(h.byName[s.Name], n)
		}
		for _, super := range s.Supers {
			last := superName(f, super)
			h.below[last] = append(h.below[last], n)
		}
	}
}

// root gives the declarations of the type that a query means, in the file that was named if it is there, none when it is not
// defined here.
func (h *lineage) root(q syntax.Query) ([]typeNode, error) {
	var list []typeNode
	near := 0
	for _, n := range h.byName[q.Last()] {
		if q.Match(n.file, n.f, n.sym) != syntax.Exact {
			continue
		}
		at := q.Nearness(n.sym)
		if len(list) > 0 && at < near {
			list = list[:0]
		}
		if len(list) == 0 || at == near {
			list, near = append(list, n), at
		}
	}
	sortTypes(list)
	if own := slices.DeleteFunc(slices.Clone(list), func(n typeNode) bool { return n.file != h.file }); len(own) > 0 {
		list = keepTypes(list, own[0].key(), own)
	} else if h.here != nil && q.Index < 0 { // it is used there
		if used, sure := h.named(typeNode{h.file, h.here, nil}, q.String()); sure && len(used) > 0 {
			list = used
		}
	}
	if q.Index >= 0 && len(list) > 0 {
		if q.Index >= len(list) {
			return nil, noNumber(h.given, q, len(list), "query", "")
		}
		list = list[q.Index : q.Index+1]
	}
	if len(types(list)) < 2 {
		return list, nil
	}
	var names []string
	for _, n := range list[:min(len(list), 10)] {
		names = append(names, fmt.Sprintf("%s at %s:%d", n.sym.Path, sandbox.Printable(n.file), n.sym.Line))
	}
	return nil, tools.Errorf(tools.Ambiguous, "%d types are called %s; give path with the file of one, or the package or type that it is in", len(types(list)), q.String()).
		With(tools.Details{Param: "query", Available: names})
}

// keepTypes gives those of a list that declare the only type of own; of several all of own, which is ambiguous.
func keepTypes(list []typeNode, key string, own []typeNode) []typeNode {
	if len(types(own)) > 1 {
		return own
	}
	return slices.DeleteFunc(list, func(n typeNode) bool { return n.key() != key })
}

// types gives one key for each type that a list declares.
func types(list []typeNode) []string {
	var keys []string
	for _, n := range list {
		if k := n.key(); !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	return keys
}

func sortTypes(list []typeNode) {
	slices.SortFunc(list, func(a, b typeNode) int {
		return cmp.Or(byPlace(hit{file: a.file, line: a.sym.Line}, hit{file: b.file, line: b.sym.Line}), cmp.Compare(a.sym.NameStart, b.sym.NameStart))
	})
}

// named gives the declarations that a name most likely means where a node writes it: of what is named with its package or
// owner those there, else those of the file, of the folder, of any; in Go only those of the package. sure is false when they
// are of several types.
func (h *lineage) named(by typeNode, name string) (list []typeNode, sure bool) {
	name = strings.TrimLeft(name, "*& ")
	all := slices.DeleteFunc(slices.Clone(h.byName[superName(by.f, name)]), func(n typeNode) bool {
		return family(n.f.Language) != family(by.f.Language) || n.sym == by.sym
	})
	keep := func(fits func(n typeNode) bool) bool {
		list = slices.DeleteFunc(slices.Clone(all), func(n typeNode) bool { return !fits(n) })
		return len(list) > 0
	}
	if from := fromOrigin(by, name, all); len(from) > 0 {
		return from, len(types(from)) == 1
	}
	beside := func(n typeNode) bool { return dirOf(n.file) == dirOf(by.file) }
	qualified := lastName(name) != name
	if qualified {
		if q, ok := syntax.ParseQuery(name); ok && keep(func(n typeNode) bool { return q.Match(n.file, n.f, n.sym) == syntax.Exact }) {
			return list, len(types(list)) == 1
		}
	}
	switch {
	case by.f.Language == "go":
		if !qualified && keep(func(n typeNode) bool { return beside(n) && n.f.Package == by.f.Package }) {
			return list, len(types(list)) == 1
		}
		return nil, true
	case !qualified && keep(func(n typeNode) bool { return n.file == by.file }), !qualified && keep(beside):
	default:
		list = all
	}
	return list, len(types(list)) < 2
}

// outside gives the nodes that name a type which is not defined here as a supertype.
func (h *lineage) outside(q syntax.Query) []typeNode {
	return slices.DeleteFunc(slices.Clone(h.below[q.Last()]), func(n typeNode) bool {
		return !slices.ContainsFunc(n.sym.Supers, func(super string) bool {
			if superName(n.f, super) != q.Last() || len(q.Parts) > 1 && lastName(super) != super && strings.NewReplacer("::", ".", `\`, ".").Replace(super) != q.String() {
				return false
			}
			list, _ := h.named(n, super)
			return len(list) == 0
		})
	})
}

// line writes one type with the places of its declarations.
func (h *lineage) line(level int, mark, name string, list []typeNode) {
	fmt.Fprintf(&h.text, "%s%s%s", strings.Repeat("  ", level), mark, name)
	for _, n := range list[:min(len(list), 3)] {
		fmt.Fprintf(&h.text, "  %s:%d", sandbox.Printable(n.file), n.sym.Line)
	}
	h.text.WriteByte('\n')
}

// up writes the types above one.
func (h *lineage) up(list []typeNode, level int) {
	type above struct {
		by   typeNode
		name string
	}
	var supers []above
	for _, n := range slices.Concat(list, h.blocks(list)) {
		for _, s := range n.sym.Supers {
			supers = append(supers, above{n, s})
		}
	}
	slices.SortStableFunc(supers, func(a, b above) int { return strings.Compare(a.name, b.name) })
	for _, s := range supers {
		to, sure := h.named(s.by, s.name)
		key := "^" + s.name
		if sure && len(to) > 0 {
			key = "^" + to[0].key()
		}
		if h.seen[key] || level > h.depth || len(h.data.Supertypes) >= maxTypes {
			continue
		}
		h.seen[key] = true
		h.data.Supertypes = append(h.data.Supertypes, s.name)
		mark := "^ "
		if !sure {
			h.unsure++
			mark = "^? "
		}
		h.line(level, mark, s.name, to)
		if sure { // else nobody knows whose they would be
			h.up(to, level+1)
		}
	}
}

// blocks gives the blocks of methods of a type, which say of it what it is.
func (h *lineage) blocks(list []typeNode) []typeNode {
	var blocks []typeNode
	if len(list) == 0 || list[0].f.Language != "rust" {
		return nil
	}
	for _, nodes := range h.below {
		for _, n := range nodes {
			if n.sym.Kind != syntax.Impl || n.sym.Name != list[0].sym.Name {
				continue
			}
			if of, _ := h.named(n, n.sym.Name); slices.ContainsFunc(of, func(o typeNode) bool { return o.key() == list[0].key() }) {
				blocks = append(blocks, n)
			}
		}
	}
	sortTypes(blocks)
	return blocks
}

// down writes the types below one; below one that is not defined here, those that name it.
func (h *lineage) down(list []typeNode, q syntax.Query, level int) {
	for _, n := range h.under(list, q) {
		key := fmt.Sprintf("%s:%d", n.file, n.sym.Line)
		if h.seen[key] || level > h.depth || len(h.data.Subtypes) >= maxTypes {
			continue
		}
		h.seen[key] = true
		mark := "v "
		if len(list) > 0 && !h.surely(n, list) {
			h.unsure++
			mark = "v? "
		}
		s := describe(n.file, n.sym)
		s.Signature, s.Parent = "", ""
		h.data.Subtypes = append(h.data.Subtypes, s)
		h.line(level, mark, n.sym.Name, []typeNode{n})
		of := []typeNode{n}
		if n.sym.Kind == syntax.Impl {
			of, _ = h.named(n, n.sym.Name)
		}
		if len(of) > 0 {
			h.down(of, syntax.Query{}, level+1)
		}
	}
}

// under gives the nodes right below a type.
func (h *lineage) under(list []typeNode, q syntax.Query) []typeNode {
	if len(list) == 0 {
		out := h.outside(q)
		sortTypes(out)
		return out
	}
	out := slices.DeleteFunc(slices.Clone(h.below[list[0].sym.Name]), func(n typeNode) bool {
		return !slices.ContainsFunc(n.sym.Supers, func(super string) bool {
			to, _ := h.named(n, super)
			return superName(n.f, super) == list[0].sym.Name && slices.ContainsFunc(to, func(o typeNode) bool { return o.key() == list[0].key() })
		})
	})
	sortTypes(out)
	return out
}

// allUnder gives the nodes below a type, those right below it first.
func (h *lineage) allUnder(list []typeNode, q syntax.Query) (all []typeNode) {
	seen := map[*syntax.Symbol]bool{}
	for _, n := range list {
		seen[n.sym] = true
	}
	next := h.under(list, q)
	for len(next) > 0 && len(all) < maxTypes {
		n := next[0]
		if next = next[1:]; seen[n.sym] {
			continue
		}
		seen[n.sym] = true
		all = append(all, n)
		of := []typeNode{n}
		if n.sym.Kind == syntax.Impl {
			of, _ = h.named(n, n.sym.Name)
		}
		if len(of) > 0 {
			next = append(next, h.under(of, syntax.Query{})...)
		}
	}
	return all
}

// surely reports whether a node names this type and can mean no other.
func (h *lineage) surely(n typeNode, list []typeNode) bool {
	return slices.ContainsFunc(n.sym.Supers, func(super string) bool {
		to, sure := h.named(n, super)
		return sure && len(to) > 0 && to[0].key() == list[0].key()
	})
}
