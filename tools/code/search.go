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

type searchIn struct {
	Query       string   `json:"query"`
	NamePath    string   `json:"name_path"`
	Path        string   `json:"path"`
	Kinds       []string `json:"kinds"`
	Glob        []string `json:"glob"`
	IncludeBody bool     `json:"include_body"`
	Depth       int      `json:"depth"`
	MaxResults  int      `json:"max_results"`
	Cursor      string   `json:"cursor"`
	MaxChars    int      `json:"max_chars"`
}

type searchData struct {
	where
	Results []symbol `json:"results"`
	Count   int      `json:"count"`
	Total   int      `json:"total"`
	Files   int      `json:"files,omitempty"` // looked at
}

// candidate is a symbol that a query may mean.
type candidate struct {
	file string
	f    *syntax.File
	sym  *syntax.Symbol
	rank syntax.Rank
	near int // as Query.Nearness has it
}

func (t *tool) searchSymbol(ctx context.Context, c *tools.Call, in searchIn) (*tools.Result, error) {
	q, err := parseQuery(in.Query, in.NamePath)
	if err != nil {
		return nil, err
	}
	kinds, err := parseKinds(in.Kinds)
	if err != nil {
		return nil, err
	}
	p, _, err := resolve(c, in.Path)
	if err != nil {
		return nil, err
	}
	found, stats, err := t.find(ctx, c, p, q, kinds, in.Glob, syntax.Fuzzy)
	if err != nil {
		return nil, err
	}
	if in.Path == "" {
		if found, err = t.findFurther(ctx, c, q, kinds, in.Glob, found, &stats); err != nil {
			return nil, err
		}
	}
	files := stats.Files + stats.Passed
	d := &searchData{where: where{p.Given, p.String()}, Results: []symbol{}, Total: len(found), Files: files}
	page, paging, err := paginate(found, in.Cursor, in.MaxResults, 20)
	if err != nil {
		return nil, err
	}
	for _, f := range page {
		d.Results = append(d.Results, describe(f.file, f.sym))
	}
	if shown := tools.Fitting(d.Results, in.MaxChars); shown < len(page) {
		page, d.Results, paging = page[:shown], d.Results[:shown], after(in.Cursor, shown, len(found))
	}
	var b strings.Builder
	for _, f := range page {
		fmt.Fprintf(&b, "%s:%d: %s", sandbox.Printable(f.file), f.sym.Line, headline(f.sym))
		if in := strings.TrimSuffix(strings.TrimSuffix(f.sym.Path, f.sym.Name), "."); in != "" && !strings.Contains(f.sym.Signature, in) {
			b.WriteString("  (in " + in + ")")
		}
		b.WriteByte('\n')
		if in.IncludeBody || in.Depth > 0 {
			if err := t.within(ctx, c, &b, f, in); err != nil {
				return nil, err
			}
		}
	}
	d.Count = len(page)
	if d.Count == 0 {
		if strings.ContainsAny(in.Query, "|^$*?+\\") {
			c.Warn("query is a name or a part of one, not a pattern")
		}
		if w := overlooked(p, stats, in.Glob); w != "" && d.Total == 0 {
			c.Warn(w)
		}
		of := ""
		if d.Total == 0 && kinds != nil {
			if of, err = t.ofOtherKinds(ctx, c, p, q, in.Glob); err != nil {
				return nil, err
			}
		}
		fmt.Fprintf(&b, "no symbol matches %q in %d files; %sfs.search_text looks for text\n", q.String(), files, of)
	}
	text, cut := tools.Head(valid(b.String()), tools.Limit(in.MaxChars))
	return &tools.Result{Text: text, Data: d, Truncated: cut || paging != nil, Paging: paging}, nil
}

// ofOtherKinds says which symbols of a name the kinds that were asked for leave out.
func (t *tool) ofOtherKinds(ctx context.Context, c *tools.Call, p sandbox.Path, q syntax.Query, globs []string) (string, error) {
	found, _, err := t.find(ctx, &tools.Call{Roots: c.Roots}, p, q, nil, globs, syntax.Part)
	if err != nil || len(found) == 0 {
		return "", err
	}
	var names []string
	for _, f := range found[:min(len(found), maxOthers)] {
		names = append(names, fmt.Sprintf("%s %s (%s:%d)", f.sym.Kind, f.sym.Path, sandbox.Printable(f.file), f.sym.Line))
	}
	return fmt.Sprintf("%d of other kinds than those of kinds do: %s; ", len(found), strings.Join(names, ", ")), nil
}

// within writes what is in a symbol that was found: its source, or the symbols in it.
func (t *tool) within(ctx context.Context, c *tools.Call, b *strings.Builder, f candidate, in searchIn) error {
	if b.Len() > tools.Limit(in.MaxChars) {
		return nil // it is cut already
	}
	if in.IncludeBody {
		g, err := t.open(ctx, c, f)
		if err != nil {
			return err
		}
		b.WriteString(bodyOf(g.src.text, g.src.lang, g.sym))
		return nil
	}
	for i := range f.f.Symbols {
		s := &f.f.Symbols[i]
		if s.Start >= f.sym.Start && s.End <= f.sym.End && s.Depth > f.sym.Depth && s.Depth <= f.sym.Depth+in.Depth {
			fmt.Fprintf(b, "%s%d: %s\n", strings.Repeat("  ", s.Depth-f.sym.Depth), s.Line, headline(s))
		}
	}
	return nil
}

// parseQuery reads a name path from the first parameter that has one.
func parseQuery(given ...string) (syntax.Query, error) {
	said := ""
	for _, read := range []func(string) (syntax.Query, bool){syntax.ParseQuery, syntax.Literal} {
		for _, s := range given {
			if q, ok := read(s); ok {
				return q, nil
			}
			said = cmp.Or(said, strings.TrimSpace(s))
		}
	}
	if said != "" {
		return syntax.Query{}, tools.Errorf(tools.InvalidParams, "query %q holds no name: give one, such as Foo, Type.method or pkg.Func, or a part of one; outline lists all symbols", said).
			With(tools.Details{Param: "query", Actual: said})
	}
	return syntax.Query{}, tools.Errorf(tools.InvalidParams, "query is missing: give a name such as Foo, Type.method or pkg.Func").
		With(tools.Details{Param: "query", Expected: "string"})
}

// find gives the symbols below p, or in the file p, that a query may mean, best first; none worse than least. stats
// tells what was looked at.
func (t *tool) find(ctx context.Context, c *tools.Call, p sandbox.Path, q syntax.Query, kinds map[syntax.Kind]bool, globs []string, least syntax.Rank) (found []candidate, stats index.Stats, err error) {
	guess := false
	match := func(name string, f *syntax.File) {
		for i := range f.Symbols {
			s := &f.Symbols[i]
			if kinds != nil && !kinds[s.Kind] || kinds == nil && s.Kind == syntax.Impl {
				continue
			}
			r := q.Match(name, f, s)
			if r == syntax.NoMatch && guess && q.Resembles(s) {
				r = syntax.Like
			}
			if r <= least {
				found = append(found, candidate{name, f, s, r, q.Nearness(s)})
			}
		}
	}
	fi, _, err := c.Roots.Stat(p)
	if err != nil {
		return nil, stats, about(err)
	}
	if !fi.IsDir() {
		s, err := load(ctx, c, p)
		if err != nil {
			return nil, stats, err
		}
		f, err := t.analyze(ctx, c, s)
		if err != nil {
			return nil, stats, err
		}
		match(s.name(), f.File)
		if len(found) == 0 && least == syntax.Fuzzy {
			guess, least = true, syntax.Like
			match(s.name(), f.File)
		}
		stats.Files = 1
	} else {
		// Files without the name are not read at first. Symbols that may be meant by their initials come when nothing
		// fits better: what was read before must not change the answer.
		o := index.Options{Needs: q.Needs(), Globs: globs}
		initials := least == syntax.Fuzzy
		if initials {
			least = syntax.Part
		}
		if least < syntax.Fuzzy {
			o.Worth = q.MayHold
		}
		if stats, err = t.survey(ctx, c, p, &o, kinds, match); err != nil {
			return nil, stats, err
		}
		if len(found) == 0 && initials && len(q.Last()) >= 3 {
			o.Needs, o.Worth, guess, least = "", nil, true, syntax.Like
			if _, err = t.walk(ctx, c, p, o, match); err != nil {
				return nil, stats, err
			}
			if slices.ContainsFunc(found, func(f candidate) bool { return f.rank < syntax.Like }) {
				found = slices.DeleteFunc(found, func(f candidate) bool { return f.rank == syntax.Like })
			}
		}
	}
	if q.Index >= 0 {
		if found, err = numbered(p, q, found); err != nil || len(found) < 2 {
			return found, stats, err
		}
	}
	slices.SortFunc(found, func(a, b candidate) int { return cmp.Or(byFit(a, b), byCandidate(a, b)) })
	return found, stats, nil
}

// byFit puts what fits best first.
func byFit(a, b candidate) int {
	order := cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.near, b.near), cmp.Compare(kindOrder(a.sym), kindOrder(b.sym)))
	if order == 0 && a.rank == syntax.Like {
		order = cmp.Compare(len(a.sym.Name), len(b.sym.Name))
	}
	return order
}

// byCandidate orders by place.
func byCandidate(a, b candidate) int {
	return cmp.Or(tree.ComparePaths(a.file, b.file), cmp.Compare(a.sym.NameStart, b.sym.NameStart))
}

// numbered picks the one that the number in brackets of a query means: as edits count them, in the order of the file, and only
// among those of the very name. Where nothing has that, all stay.
func numbered(p sandbox.Path, q syntax.Query, found []candidate) ([]candidate, error) {
	slices.SortFunc(found, func(a, b candidate) int { return cmp.Or(cmp.Compare(a.rank, b.rank), byCandidate(a, b)) })
	if i := slices.IndexFunc(found, func(f candidate) bool { return q.Written(f.sym) }); i >= 0 {
		return found[i : i+1], nil
	}
	if len(found) == 0 || found[0].rank > syntax.ExactFold {
		return found, nil
	}
	n := 1
	for n < len(found) && found[n].rank == found[0].rank {
		n++
	}
	if q.Index >= n {
		return nil, noNumber(p, q, n, "query", found[0].f.Language)
	}
	return found[q.Index : q.Index+1], nil
}

// noNumber is the error for a number in brackets that none of n symbols has.
func noNumber(p sandbox.Path, q syntax.Query, n int, param, lang string) error {
	hint := ""
	if lang == "rust" {
		hint = "; blocks of impl are not counted: give path and the line of one"
	}
	return tools.Errorf(tools.NotFound, "%s has %d symbols called %s, counted from 0%s", sandbox.Printable(p.Given), n, q.String(), hint).
		With(tools.Details{Param: param, Actual: fmt.Sprintf("%s[%d]", q.String(), q.Index)})
}

// kindOrder puts what people look for first in front of what merely has the same name.
func kindOrder(s *syntax.Symbol) int {
	switch s.Kind {
	case syntax.Field, syntax.Member, syntax.Variable, syntax.Key, syntax.Element, syntax.Rule, syntax.Impl:
		return 1
	}
	return 0
}

// treeError turns an error of a walk into one for the caller.
func treeError(err error) error {
	if errors.Is(err, tree.ErrGlob) {
		return tools.Errorf(tools.InvalidParams, "%v", err).With(tools.Details{Param: "glob"})
	}
	return err
}
