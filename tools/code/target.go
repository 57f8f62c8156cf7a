package code

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
)

// aim is how a caller names a place: by a query, or by a position in a file.
type aim struct {
	Path     string `json:"path"`
	Query    string `json:"query"`
	NamePath string `json:"name_path"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`

	exact bool // what differs from the query in capitals is not meant: of what writes
}

// target is the place that was meant.
type target struct {
	name   string
	src    *parsed // the file with the place
	at     int     // byte offset of the name there
	sym    *syntax.Symbol
	near   int          // how much of its path the query has written, as Query.Nearness has it
	others []candidate  // further symbols that the query may mean
	scope  sandbox.Path // the folder that was named, the file's root else
	first  bool         // the first of the places where a file uses what it does not define
}

// locateIn finds what an aim means, in the first root where it names no path.
func (t *tool) locateIn(ctx context.Context, c *tools.Call, in aim) (*target, error) {
	p, fi, err := resolve(c, in.Path)
	if in.place(c, err) {
		p, fi, err = resolve(c, in.Path)
	}
	if err != nil {
		return nil, err
	}
	if in.Line > 0 {
		if fi.IsDir() {
			return nil, tools.Errorf(tools.InvalidParams, "line needs a file: give path").With(tools.Details{Param: "path"})
		}
		return t.byPosition(ctx, c, p, in)
	}
	q, err := parseQuery(in.Query, in.NamePath)
	if err != nil {
		return nil, tools.Errorf(tools.InvalidParams, "give query (a name such as Type.method), or path with line and column").With(tools.Details{Param: "query"})
	}
	found, _, err := t.find(ctx, c, p, q, nil, nil, syntax.ExactFold)
	if err != nil {
		return nil, err
	}
	found = overloaded(c, q, found)
	warnElement(c, q, found)
	folds := inOtherCapitals(q, found)
	if (len(found) == 0 || folds) && !fi.IsDir() && q.Index < 0 { // not defined in the file, but used there
		if src, err := load(ctx, c, p); err == nil && src.lang != nil && q.Reaches(src.lang.ID) {
			owner := ""
			if len(q.Parts) > 1 {
				owner = q.Parts[len(q.Parts)-2]
			}
			at, err := used(ctx, src, q.Last(), owner)
			if err != nil {
				return nil, err
			}
			if at >= 0 {
				f, err := t.analyze(ctx, c, src)
				if err != nil {
					return nil, err
				}
				return &target{name: q.Last(), src: f, at: at, scope: workspaceOf(c, p), first: true}, nil
			}
		}
	}
	switch {
	case len(found) == 0:
		return nil, t.notFound(ctx, c, p, q)
	case folds && in.exact:
		return nil, withCapitals(t.notFound(ctx, c, p, q), found[0])
	case folds:
		warnCapitals(c, q, found[0])
	}
	scope := p
	if !fi.IsDir() {
		scope = workspaceOf(c, p)
	}
	g, err := t.open(ctx, c, found[0])
	if err != nil {
		return nil, err
	}
	g.scope, g.near = scope, found[0].near
	for _, f := range found[1:] {
		// A constructor has the name of its class, and is renamed with it.
		if f.rank == found[0].rank && !(f.file == found[0].file && f.sym.Path == found[0].sym.Path+"."+found[0].sym.Name) {
			g.others = append(g.others, f)
		}
	}
	return g, nil
}

// used finds the place of a name that a file uses without defining it: the first in code, on a line that imports it only
// when there is none below. With an owner, that stands before it there. It is -1 when there is none.
func used(ctx context.Context, src *source, name, owner string) (int, error) {
	at, err := syntax.Uses(ctx, src.lang, src.text, name)
	if err != nil {
		return -1, err
	}
	imported, line := -1, -1
	for _, a := range at {
		n, text, start := lineOf(src.text, a)
		imports := importing().Match(text)
		if owner != "" && !belongsTo(src.text[start:a], owner) && !(imports && len(syntax.Words(src.lang, text, owner)) > 0) {
			continue
		}
		if !imports {
			return a, nil
		}
		if line < 0 || line == n { // the name of a module stands before what is taken from it
			imported, line = a, n
		}
	}
	return imported, nil
}

// importing matches lines that name modules and what is taken from them.
var importing = tools.Pattern(`^\s*(import|from|export\s+.*from|#\s*include|use|using|require|package)\b`)

// belongsTo reports whether a name behind before is written as one of owner's.
func belongsTo(before []byte, owner string) bool {
	for _, sep := range []string{".", "::", "->", "?.", "!.", "!!.", "\\"} {
		if rest, ok := bytes.CutSuffix(before, []byte(owner+sep)); ok {
			r, _ := utf8.DecodeLastRune(rest)
			return len(rest) == 0 || r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
		}
	}
	return false
}

// warnOthers says which of several symbols of a name an answer is about.
func (g *target) warnOthers(c *tools.Call) {
	if len(g.others) > 0 && g.sym != nil {
		c.Warn(fmt.Sprintf("%d symbols are called %s; this is about %s at %s:%d: give path and line, or a longer name path, for another",
			len(g.others)+1, g.name, g.sym.Path, sandbox.Printable(g.src.name()), g.sym.Line))
	}
}

// open loads the file of a candidate and finds the symbol in it again: the file may have changed.
func (t *tool) open(ctx context.Context, c *tools.Call, f candidate) (*target, error) {
	p, _, err := resolve(c, f.file)
	if err != nil {
		return nil, err
	}
	src, err := load(ctx, c, p)
	if err != nil {
		return nil, err
	}
	file, err := t.analyze(ctx, c, src)
	if err != nil {
		return nil, err
	}
	for i := range file.Symbols {
		s := &file.Symbols[i]
		if s.Path == f.sym.Path && s.NameStart == f.sym.NameStart {
			return &target{name: s.Name, src: file, at: s.NameStart, sym: s}, nil
		}
	}
	return nil, tools.Errorf(tools.Conflict, "%s changed while it was read; try again", sandbox.Printable(f.file))
}

func (t *tool) byPosition(ctx context.Context, c *tools.Call, p sandbox.Path, in aim) (*target, error) {
	src, err := load(ctx, c, p)
	if err != nil {
		return nil, err
	}
	f := &parsed{src, &syntax.File{}}
	if src.lang != nil {
		if f, err = t.analyze(ctx, c, src); err != nil {
			if tools.AsError(err).Code != tools.Unsupported {
				return nil, err
			}
			f = &parsed{src, &syntax.File{Language: src.lang.ID}}
		}
	}
	start, end := lineAt(src.text, in.Line)
	if start < 0 {
		return nil, tools.Errorf(tools.InvalidParams, "line %d: the file has %d lines", in.Line, bytes.Count(src.text, []byte{'\n'})+1).With(tools.Details{Param: "line"})
	}
	line := src.text[start:end]
	at := 0
	q, err := parseQuery(in.Query, in.NamePath)
	named := err == nil && syntax.IsName(strings.Trim(q.Last(), "$#@?!="))
	switch {
	case in.Column > 0:
		for col := 1; col < in.Column && at < len(line); col++ {
			_, n := utf8.DecodeRune(line[at:])
			at += n
		}
		if named {
			if at, err = in.there(c, f, q, start, at); err != nil {
				return nil, err
			}
		}
	case named:
		if start, line, at, err = in.onLine(f, q, start); err != nil {
			return nil, err
		}
	default:
		for i := range f.Symbols {
			if f.Symbols[i].Line == in.Line {
				at = f.Symbols[i].NameStart - start
				break
			}
		}
		if at == 0 {
			at = max(0, bytes.IndexFunc(line, func(r rune) bool { return unicode.IsLetter(r) || r == '_' }))
		}
	}
	if at < len(line) && line[at] == '#' && syntax.Private(src.lang, line, at+1) {
		at++
	}
	from, to := wordAt(line, at)
	if syntax.Private(src.lang, line, from) {
		from--
	}
	g := &target{name: string(line[from:to]), src: f, at: start + from, scope: workspaceOf(c, p)}
	if from == to {
		return nil, tools.Errorf(tools.InvalidParams, "%s:%d has no name at column %d: give the column of the first character of a name, or a query", sandbox.Printable(in.Path), in.Line, max(in.Column, 1)).
			With(tools.Details{Param: "column"})
	}
	for i := range f.Symbols {
		if f.Symbols[i].NameStart == g.at {
			g.sym = &f.Symbols[i]
		}
	}
	return g, nil
}

// lineAt gives the bytes of a 1-based line without its ending; -1 when there is none.
func lineAt(text []byte, line int) (start, end int) {
	for n := 1; n < line; n++ {
		i := bytes.IndexByte(text[start:], '\n')
		if i < 0 {
			return -1, -1
		}
		start += i + 1
	}
	end = len(text)
	if i := bytes.IndexByte(text[start:], '\n'); i >= 0 {
		end = start + i
	}
	if end > start && text[end-1] == '\r' {
		end--
	}
	return start, end
}

// wordAt gives the ends of the name that stands at a byte of a line, or right before it.
func wordAt(line []byte, at int) (from, to int) {
	word := func(r rune) bool { return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r) }
	at = min(at, len(line))
	from, to = at, at
	for to < len(line) {
		r, n := utf8.DecodeRune(line[to:])
		if !word(r) {
			break
		}
		to += n
	}
	for from > 0 {
		r, n := utf8.DecodeLastRune(line[:from])
		if !word(r) {
			break
		}
		from -= n
	}
	return from, to
}

// notFound names what is near a name that nothing has.
func (t *tool) notFound(ctx context.Context, c *tools.Call, p sandbox.Path, q syntax.Query) error {
	name, hint := q.String(), ""
	if q.Bracketed() {
		name, hint = q.Given(), "; brackets hold a key of data or JavaScript in quotes, or parameters of types"
	}
	d := tools.Details{Param: "query", Actual: name}
	q.Index = -1
	near, stats, err := t.find(ctx, c, p, q, nil, nil, syntax.Fuzzy)
	if last, ok := syntax.ParseQuery(q.Last()); ok && err == nil && len(q.Parts) > 1 { // of another owner
		same, _, _ := t.find(ctx, c, p, last, nil, nil, syntax.Exact)
		near = append(same[:min(len(same), 3)], slices.DeleteFunc(near, func(n candidate) bool {
			return n.rank == syntax.Exact || slices.ContainsFunc(same, n.is)
		})...)
	}
	left := ""
	if err == nil {
		if left = overlooked(p, stats, nil); left != "" {
			left = "; " + left
		}
		var names []string
		for _, n := range near[:min(len(near), 5)] {
			names = append(names, fmt.Sprintf("%s (%s:%d)", n.sym.Path, sandbox.Printable(n.file), n.sym.Line))
		}
		if len(names) > 0 {
			d.Nearest = names
		}
	}
	where := "below " + sandbox.Printable(p.Given)
	if _, fi, err := resolve(c, p.Given); err == nil && !fi.IsDir() {
		where = "in or used by " + sandbox.Printable(p.Given) + " (without path all files are searched)"
		if src, err := load(ctx, c, p); err == nil && src.lang != nil && hint == "" {
			if at, err := used(ctx, src, q.Last(), ""); err == nil && at >= 0 {
				line, _, _ := lineOf(src.text, at)
				hint = fmt.Sprintf("; its word stands at line %d, in what is no symbol of its own, as an import is none: fs.edit changes that", line)
			}
		}
	}
	return tools.Errorf(tools.NotFound, "no symbol is called %q %s; search_symbol finds parts of names, fs.search_text any text%s%s", name, where, hint, left).With(d)
}

// enclosing gives the innermost symbol around an offset, nil when there is none.
func enclosing(f *syntax.File, at int) *syntax.Symbol {
	var best *syntax.Symbol
	for i := range f.Symbols {
		s := &f.Symbols[i]
		if s.Start > at {
			break
		}
		if at < s.End && s.Kind != syntax.Field && s.Kind != syntax.Member {
			best = s
		}
	}
	return best
}

// lineOf gives the 1-based line of an offset and the text of that line.
func lineOf(src []byte, at int) (line int, text []byte, start int) {
	at = min(at, len(src))
	start = bytes.LastIndexByte(src[:at], '\n') + 1
	end := len(src)
	if i := bytes.IndexByte(src[at:], '\n'); i >= 0 {
		end = at + i
	}
	return bytes.Count(src[:start], []byte{'\n'}) + 1, bytes.TrimRight(src[start:end], "\r"), start
}
