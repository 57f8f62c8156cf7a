package code

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/index"
	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
	"github.com/hanzoai/hanzo-mcp/tools/tree"
)

type parseIn struct {
	Path     string `json:"path"`
	Text     string `json:"text"`
	Language string `json:"language"`
	Depth    int    `json:"depth"`
	MaxChars int    `json:"max_chars"`
}

type parseData struct {
	Path     string         `json:"path,omitempty"`
	Language string         `json:"language"`
	Lines    int            `json:"lines"`
	Symbols  int            `json:"symbols"`
	Errors   []syntax.Fault `json:"errors"`
	Broken   bool           `json:"parse_error"`
	Backend  string         `json:"backend"`
}

// source gives the text that an action is about: text with language, or a file.
func (t *tool) source(ctx context.Context, c *tools.Call, path, text, language string) (*source, error) {
	if text == "" {
		if path == "" {
			return nil, tools.Errorf(tools.InvalidParams, "give path, or text with language").With(tools.Details{Param: "path"})
		}
		p, fi, err := resolve(c, path)
		if err != nil {
			return nil, err
		}
		if fi.IsDir() {
			return nil, tools.Errorf(tools.InvalidParams, "%s is a folder; give a file", sandbox.Printable(path)).With(tools.Details{Param: "path"})
		}
		s, err := load(ctx, c, p)
		if err == nil && language != "" {
			if l := syntax.ByID(language); l != nil {
				s.lang = l
			}
		}
		return s, err
	}
	s := &source{bytes: []byte(text), text: []byte(text), plain: true, lang: syntax.ByID(language)}
	s.path.Given = "text"
	if s.lang == nil && language == "" {
		s.lang = syntax.Detect(path, s.text)
	}
	if s.lang == nil {
		var known []string
		for _, l := range syntax.Languages() {
			known = append(known, l.ID)
		}
		return nil, tools.Errorf(tools.Unsupported, "language %q is not known", language).With(tools.Details{Param: "language", Available: known, Nearest: tools.Nearest(language, known)})
	}
	return s, nil
}

func (t *tool) parse(ctx context.Context, c *tools.Call, in parseIn) (*tools.Result, error) {
	if c.Given == "serialize" {
		return nil, tools.Errorf(tools.Unsupported, "trees are not serialized; parse shows one, symbols gives structure as data")
	}
	s, err := t.source(ctx, c, in.Path, in.Text, in.Language)
	if err != nil {
		return nil, err
	}
	f, err := t.analyze(ctx, c, s)
	if err != nil {
		return nil, err
	}
	f.speak()
	depth := in.Depth
	if depth <= 0 {
		depth = 6
	}
	room := tools.Limit(in.MaxChars)
	text, cut, err := syntax.Dump(ctx, s.lang, s.text, depth, room)
	if err != nil && !errors.Is(err, syntax.ErrUnsupported) {
		return nil, err
	}
	if err != nil {
		c.Warn(fmt.Sprintf("the symbols are those of %s; there is no tree, and faults are not known: %v", f.Backend, err))
	}
	d := &parseData{Language: f.Language, Lines: f.Lines, Symbols: len(f.Symbols), Errors: f.Faults, Broken: f.Broken, Backend: f.Backend}
	if d.Errors == nil {
		d.Errors = []syntax.Fault{}
	}
	if in.Text == "" {
		d.Path = s.name()
	}
	text, short := tools.Head(valid(text), room)
	if cut || short {
		c.Warn(fmt.Sprintf("the tree is shown to depth %d and %d characters; give depth or max_chars", depth, room))
	}
	return &tools.Result{Text: text, Data: d, Truncated: cut || short}, nil
}

func (t *tool) exports(ctx context.Context, c *tools.Call, in outlineIn) (*tools.Result, error) {
	return t.structure(ctx, c, in, false, func(s *syntax.Symbol) bool { return s.Exported && s.Kind != syntax.Module && s.Kind != syntax.Impl })
}

func (t *tool) types(ctx context.Context, c *tools.Call, in outlineIn) (*tools.Result, error) {
	return t.structure(ctx, c, in, false, func(s *syntax.Symbol) bool {
		switch s.Kind {
		case syntax.Class, syntax.Struct, syntax.Interface, syntax.Trait, syntax.Enum, syntax.Type:
			return true
		}
		return false
	})
}

type hierarchyIn struct {
	Path     string `json:"path"`
	Query    string `json:"query"`
	NamePath string `json:"name_path"`
	Depth    int    `json:"depth"`
	MaxChars int    `json:"max_chars"`
}

type typeNode struct {
	file string
	sym  *syntax.Symbol
}

type hierarchyData struct {
	Query      string   `json:"query"`
	Supertypes []string `json:"supertypes"`
	Subtypes   []symbol `json:"subtypes"`
	Backend    string   `json:"backend"`
}

// hierarchy shows the types above and below one, by what their heads name.
func (t *tool) hierarchy(ctx context.Context, c *tools.Call, in hierarchyIn) (*tools.Result, error) {
	q, err := parseQuery(in.Query, in.NamePath)
	if err != nil {
		return nil, err
	}
	p, fi, err := resolve(c, in.Path)
	if err != nil {
		return nil, err
	}
	if !fi.IsDir() {
		p = workspaceOf(c, p)
	}
	byName := map[string][]typeNode{}
	below := map[string][]typeNode{}
	if _, err := t.walk(ctx, c, p, index.Options{}, func(name string, f *syntax.File) {
		for i := range f.Symbols {
			s := &f.Symbols[i]
			switch s.Kind {
			case syntax.Class, syntax.Struct, syntax.Interface, syntax.Trait, syntax.Enum, syntax.Type, syntax.Impl:
			default:
				continue
			}
			if s.Kind != syntax.Impl {
				byName[s.Name] = append(byName[s.Name], typeNode{name, s})
			}
			for _, super := range s.Supers {
				below[lastName(super)] = append(below[lastName(super)], typeNode{name, s})
			}
		}
	}); err != nil {
		return nil, err
	}
	if len(byName[q.Last()]) == 0 && len(below[q.Last()]) == 0 {
		return nil, t.notFound(ctx, c, p, q)
	}
	depth := in.Depth
	if depth <= 0 {
		depth = 5
	}
	d := &hierarchyData{Query: q.String(), Backend: syntaxBackend, Subtypes: []symbol{}, Supertypes: []string{}}
	var b strings.Builder
	seen := map[string]bool{}
	line := func(level int, mark, name string, list []typeNode) {
		fmt.Fprintf(&b, "%s%s%s", strings.Repeat("  ", level), mark, name)
		for _, n := range list[:min(len(list), 3)] {
			fmt.Fprintf(&b, "  %s:%d", sandbox.Printable(n.file), n.sym.Line)
		}
		b.WriteByte('\n')
	}
	var up func(name string, level int)
	up = func(name string, level int) {
		var supers []string
		for _, n := range byName[name] {
			supers = append(supers, n.sym.Supers...)
		}
		for _, list := range below { // what blocks of methods say of the type
			for _, n := range list {
				if n.sym.Kind == syntax.Impl && n.sym.Name == name {
					supers = append(supers, n.sym.Supers...)
				}
			}
		}
		slices.Sort(supers)
		for _, s := range slices.Compact(supers) {
			if seen["^"+s] || level > depth {
				continue
			}
			seen["^"+s] = true
			d.Supertypes = append(d.Supertypes, s)
			line(level, "^ ", s, byName[lastName(s)])
			up(lastName(s), level+1)
		}
	}
	up(q.Last(), 1)
	line(0, "", q.Last(), byName[q.Last()])
	var down func(name string, level int)
	down = func(name string, level int) {
		list := below[name]
		slices.SortFunc(list, func(a, b typeNode) int {
			return cmp.Or(tree.ComparePaths(a.file, b.file), cmp.Compare(a.sym.Line, b.sym.Line))
		})
		for _, n := range list {
			key := fmt.Sprintf("%s:%d", n.file, n.sym.Line)
			if seen[key] || level > depth || len(d.Subtypes) >= 500 {
				continue
			}
			seen[key] = true
			s := describe(n.file, n.sym)
			s.Signature, s.Parent = "", ""
			d.Subtypes = append(d.Subtypes, s)
			line(level, "v ", n.sym.Name, []typeNode{n})
			down(n.sym.Name, level+1)
		}
	}
	down(q.Last(), 1)
	text, cut := tools.Head(valid(b.String()), tools.Limit(in.MaxChars))
	return &tools.Result{Text: text, Data: d, Truncated: cut}, nil
}
