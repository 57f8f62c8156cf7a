package code

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/index"
	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
	"github.com/hanzoai/hanzo-mcp/tools/tree"
)

type outlineIn struct {
	Path       string   `json:"path"`
	Text       string   `json:"text"`
	Language   string   `json:"language"`
	Depth      int      `json:"depth"`
	Kinds      []string `json:"kinds"`
	MaxResults int      `json:"max_results"`
	Cursor     string   `json:"cursor"`
	MaxChars   int      `json:"max_chars"`
}

// symbol is how results describe a symbol.
type symbol struct {
	Name      string `json:"name"`
	Kind      string `json:"kind"`
	Path      string `json:"path,omitempty"` // of its file, where there are several
	Line      int    `json:"line"`
	EndLine   int    `json:"end_line"`
	Signature string `json:"signature,omitempty"`
	Parent    string `json:"parent,omitempty"`
	Exported  bool   `json:"exported,omitempty"`
	NamePath  string `json:"name_path"`
}

func describe(file string, s *syntax.Symbol) symbol {
	return symbol{
		Name: s.Name, Kind: string(s.Kind), Path: file, Line: s.Line, EndLine: s.EndLine, Signature: s.Signature,
		Parent: strings.TrimSuffix(strings.TrimSuffix(s.Path, s.Name), "."), Exported: s.Exported, NamePath: s.Path,
	}
}

type outlineData struct {
	where
	Language string         `json:"language,omitempty"`
	Backend  string         `json:"backend,omitempty"`
	Lines    int            `json:"lines,omitempty"`
	Files    int            `json:"files,omitempty"`
	Count    int            `json:"count"` // in all pages
	Symbols  []symbol       `json:"symbols"`
	Errors   []syntax.Fault `json:"errors,omitempty"`
	Broken   bool           `json:"parse_error,omitempty"`
}

// defaultSymbols is how many symbols a page has.
const defaultSymbols = 500

func (t *tool) symbols(ctx context.Context, c *tools.Call, in outlineIn) (*tools.Result, error) {
	return t.structure(ctx, c, in, false, nil)
}

func (t *tool) outline(ctx context.Context, c *tools.Call, in outlineIn) (*tools.Result, error) {
	return t.structure(ctx, c, in, true, nil)
}

// listed is a symbol with its file.
type listed struct {
	file string
	sym  *syntax.Symbol
}

// structure answers the actions that list symbols. pick, when set, chooses which.
func (t *tool) structure(ctx context.Context, c *tools.Call, in outlineIn, short bool, pick func(*syntax.Symbol) bool) (*tools.Result, error) {
	kinds, err := parseKinds(in.Kinds)
	if err != nil {
		return nil, err
	}
	p, s, err := t.subject(ctx, c, in.Path, in.Text, in.Language)
	if err != nil {
		return nil, err
	}
	d := &outlineData{where: where{p.Given, p.String()}, Symbols: []symbol{}}
	chosen := func(s *syntax.Symbol, depth int) bool {
		return (kinds == nil || kinds[s.Kind]) && (depth <= 0 || s.Depth < depth) && (pick == nil || pick(s))
	}
	var list []listed
	files := map[string]*syntax.File{}
	if s == nil {
		depth := in.Depth
		if depth <= 0 && kinds == nil && pick == nil {
			depth = 1
		}
		stats, err := t.survey(ctx, c, p, &index.Options{}, kinds, func(name string, f *syntax.File) {
			files[name] = f
			for i := range f.Symbols {
				if chosen(&f.Symbols[i], depth) {
					list = append(list, listed{file: name, sym: &f.Symbols[i]})
				}
			}
			list = withPassed(list, name, f, chosen)
		})
		if err != nil {
			return nil, err
		}
		if w := overlooked(p, stats, nil); w != "" && len(list) == 0 {
			c.Warn(w)
		}
		d.Files = stats.Files
		slices.SortStableFunc(list, func(a, b listed) int { return tree.ComparePaths(a.file, b.file) })
	} else {
		f, err := t.analyze(ctx, c, s)
		if err != nil {
			return nil, err
		}
		depth := in.Depth
		if s.lang != nil && s.lang.Data && depth <= 0 {
			depth = 3
		}
		d.Language, d.Backend, d.Lines, d.Errors, d.Broken = f.Language, f.Backend, f.Lines, f.Faults, f.Broken
		files[d.Resolved] = f.File
		for i := range f.Symbols {
			if chosen(&f.Symbols[i], depth) {
				list = append(list, listed{file: d.Resolved, sym: &f.Symbols[i]})
			}
		}
		list = withPassed(list, d.Resolved, f.File, chosen)
		if f.Broken {
			c.Warn(faultWarning(s.path.Given, f.File))
		}
	}
	d.Count = len(list)
	page, paging, err := paginate(list, in.Cursor, in.MaxResults, defaultSymbols)
	if err != nil {
		return nil, err
	}
	for _, l := range page {
		one := describe("", l.sym)
		if s == nil {
			one.Path = l.file
		}
		if short {
			one.Signature, one.Parent = "", ""
		}
		d.Symbols = append(d.Symbols, one)
	}
	text, shown := render(page[:tools.Fitting(d.Symbols, in.MaxChars)], files, s == nil, tools.Limit(in.MaxChars))
	if d.Symbols = d.Symbols[:shown]; shown < len(page) {
		paging = after(in.Cursor, shown, len(list))
	}
	if len(list) == 0 && text == "" {
		text = "no symbols\n"
	}
	return &tools.Result{Text: text, Data: d, Truncated: paging != nil, Paging: paging}, nil
}

// withPassed adds to the symbols of a file what it exports of others.
func withPassed(list []listed, name string, f *syntax.File, chosen func(*syntax.Symbol, int) bool) []listed {
	for i := range f.Passed {
		s := &f.Passed[i]
		if !s.Exported && path.Base(name) == "__init__.py" { // a package is there to hand on what it takes from its modules
			own := *s
			own.Exported = true
			s = &own
		}
		if !s.Exported || !chosen(s, 1) {
			continue
		}
		at := len(list)
		for at > 0 && list[at-1].file == name && list[at-1].sym.Start > s.Start {
			at--
		}
		list = slices.Insert(list, at, listed{file: name, sym: s})
	}
	return list
}

// walk visits the source files below a folder; visit is called by one goroutine at a time, with names as results show
// them.
func (t *tool) walk(ctx context.Context, c *tools.Call, p sandbox.Path, o index.Options, visit func(name string, f *syntax.File)) (index.Stats, error) {
	root, rel, err := c.Roots.Sub(p)
	if err != nil {
		return index.Stats{}, about(err)
	}
	o.Excludes = t.excludes
	var mu sync.Mutex
	var unparsed []sandbox.Path
	if !syntax.Grammars {
		o.Unparsed = func(name string) {
			q := p
			q.Rel = name
			mu.Lock()
			defer mu.Unlock()
			unparsed = append(unparsed, q)
		}
	}
	stats, err := t.index.Each(ctx, root, rel, o, func(name string, f *syntax.File) {
		q := p
		q.Rel = name
		mu.Lock()
		defer mu.Unlock()
		visit(q.String(), f)
	})
	if stats.Passed > 0 && err == nil {
		t.index.Fill(root, rel, o)
	}
	if len(unparsed) > 0 && err == nil {
		if err := t.walkTags(ctx, c, unparsed, visit); err != nil {
			return stats, err
		}
	}
	if stats.SkippedN > 0 {
		w := fmt.Sprintf("%d files were left out: %s", stats.SkippedN, strings.Join(stats.Skipped[:min(len(stats.Skipped), 5)], ", "))
		if stats.SkippedN > 5 {
			w += ", …"
		}
		c.Warn(w)
	}
	if stats.Truncated {
		c.Warn("the folder has too many entries; only a part was looked at: narrow it by path")
	}
	return stats, treeError(err)
}

// walkTags visits files that this build cannot parse with what ctags says of them.
func (t *tool) walkTags(ctx context.Context, c *tools.Call, list []sandbox.Path, visit func(name string, f *syntax.File)) error {
	files, err := t.tags(ctx, list)
	if why, none := noServer(err); none {
		c.Warn(fmt.Sprintf("%d files of other languages than Go were left out: this build has no tree-sitter, and %s", len(list), why))
		return nil
	}
	if err != nil {
		return err
	}
	if len(list) > maxTagged {
		c.Warn(fmt.Sprintf("ctags read the first %d of %d files; narrow it by path", maxTagged, len(list)))
	}
	for _, p := range list {
		f := files[p.Abs()]
		if f == nil {
			continue
		}
		if src, err := load(ctx, c, p); err == nil {
			locateTags(f, src.text)
			f.Lines = strings.Count(string(src.text), "\n")
			visit(p.String(), f)
		}
	}
	return nil
}

// paginate gives one page of a list; the cursor is the number of its first element.
func paginate[T any](list []T, cursor string, limit, usual int) ([]T, *tools.Paging, error) {
	start := 0
	if cursor != "" {
		n, err := strconv.Atoi(cursor)
		if err != nil || n < 0 {
			return nil, nil, tools.Errorf(tools.InvalidParams, "cursor: pass the cursor of the previous page, or none").With(tools.Details{Param: "cursor", Actual: cursor})
		}
		start = min(n, len(list))
	}
	if limit <= 0 {
		limit = usual
	}
	end := min(len(list), start+min(limit, 10_000))
	if end < len(list) {
		return list[start:end], &tools.Paging{Cursor: strconv.Itoa(end), More: true, Total: len(list)}, nil
	}
	return list[start:end], nil, nil
}

// after is the paging of an answer that ends after shown elements of its page.
func after(cursor string, shown, total int) *tools.Paging {
	start, _ := strconv.Atoi(cursor)
	return &tools.Paging{Cursor: strconv.Itoa(start + shown), More: true, Total: total}
}

// render writes symbols as an indented outline of at most room characters, and says how many it wrote.
func render(page []listed, files map[string]*syntax.File, several bool, room int) (string, int) {
	var b strings.Builder
	last := ""
	width := 0
	for _, l := range page {
		width = max(width, len(lineRange(l.sym)))
	}
	for i, l := range page {
		if i > 0 && sameLine(page[i-1], l) {
			continue
		}
		before := b.Len()
		if l.file != last {
			last = l.file
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			f := files[l.file]
			fmt.Fprintf(&b, "%s (%s, %d lines)\n", sandbox.Printable(l.file), f.Language, f.Lines)
		}
		fmt.Fprintf(&b, "%*s  %s%s\n", width, lineRange(l.sym), strings.Repeat("  ", min(l.sym.Depth, 20)), headline(l.sym))
		if b.Len() > room && i > 0 {
			return valid(b.String()[:before]), i
		}
	}
	return valid(b.String()), len(page)
}

// sameLine reports whether a symbol is another name of the statement that the line of the one before shows: a, b = c.
func sameLine(before, l listed) bool {
	return before.file == l.file && before.sym.Line == l.sym.Line && before.sym.EndLine == l.sym.EndLine && before.sym.Depth == l.sym.Depth && headline(before.sym) == headline(l.sym)
}

func lineRange(s *syntax.Symbol) string {
	if s.EndLine <= s.Line {
		return strconv.Itoa(s.Line)
	}
	return strconv.Itoa(s.Line) + "-" + strconv.Itoa(s.EndLine)
}

// headline is the signature, with the kind in front where it does not say it.
func headline(s *syntax.Symbol) string {
	if s.Signature == "" {
		return string(s.Kind) + " " + s.Name
	}
	return s.Signature
}
