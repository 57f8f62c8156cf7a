package code

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/lsp"
	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
)

type definitionIn struct {
	aim
	IncludeBody *bool `json:"include_body"`
	Body        *bool `json:"body"`
	MaxChars    int   `json:"max_chars"`
}

type definitionData struct {
	Path    string  `json:"path"`
	Line    int     `json:"line"`
	EndLine int     `json:"end_line,omitempty"`
	Column  int     `json:"column,omitempty"`
	Symbol  *symbol `json:"symbol,omitempty"`
	Hash    string  `json:"hash,omitempty"` // of the file, for base_hash
	Others  []place `json:"others"`
	Backend string  `json:"backend"`
}

// hoverDoubt is how long a server may say nothing of a definition.
const hoverDoubt = 2 * time.Second

const syntaxBackend = "syntax"

func (t *tool) definition(ctx context.Context, c *tools.Call, in definitionIn) (*tools.Result, error) {
	g, err := t.locate(ctx, c, in.aim)
	if err != nil {
		return nil, err
	}
	body := (in.IncludeBody == nil || *in.IncludeBody) && (in.Body == nil || *in.Body)
	if in.Line <= 0 && g.sym != nil { // the query itself found it
		return t.showDefinition(c, g, body, in.MaxChars, syntaxBackend), nil
	}
	res, err := t.serverDefinition(ctx, c, g, body, in.MaxChars)
	why, none := noServer(err)
	if err == nil && res != nil || err != nil && !none {
		return res, err
	}
	if none {
		c.Warn(why + "; the definition was looked up by its name")
	}
	if g.sym != nil {
		return t.showDefinition(c, g, body, in.MaxChars, syntaxBackend), nil
	}
	if err := t.byName(ctx, c, g); err != nil {
		return nil, err
	}
	return t.showDefinition(c, g, body, in.MaxChars, syntaxBackend), nil
}

// byName moves a target to the symbol that its name most likely means: of the same file or folder, of the languages that
// the file can name things of.
func (t *tool) byName(ctx context.Context, c *tools.Call, g *target) error {
	q, ok := syntax.ParseQuery(g.name)
	if !ok {
		return tools.Errorf(tools.NotFound, "there is no name here; give the line and column of one")
	}
	found, _, err := t.find(ctx, c, g.scope, q, nil, nil, syntax.Exact)
	if err != nil {
		return err
	}
	if lang := g.lang(); lang != "" {
		found = slices.DeleteFunc(found, func(f candidate) bool { return family(f.f.Language) != family(lang) })
	}
	if len(found) == 0 {
		return t.notFound(ctx, c, g.scope, q)
	}
	from := g.src.name()
	dir := g.src.path.Dir().String()
	far := func(f candidate) int {
		switch {
		case f.file == from:
			return 0
		case strings.HasPrefix(f.file, dir+"/") && !strings.Contains(f.file[len(dir)+1:], "/") || dir == "." && !strings.Contains(f.file, "/"):
			return 1
		}
		return 2
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return far(a) - far(b) })
	o, err := t.open(ctx, c, found[0])
	if err != nil {
		return err
	}
	o.scope = g.scope
	o.others = found[1:]
	*g = *o
	return nil
}

// showDefinition answers with the symbol of a target.
func (t *tool) showDefinition(c *tools.Call, g *target, body bool, maxChars int, backend string) *tools.Result {
	s := describe("", g.sym)
	d := &definitionData{Path: g.src.name(), Line: g.sym.Line, EndLine: g.sym.EndLine, Symbol: &s, Hash: hashOf(g.src.bytes), Backend: backend, Others: []place{}}
	for _, o := range g.others[:min(len(g.others), 20)] {
		d.Others = append(d.Others, place{Path: o.file, Line: o.sym.Line, Symbol: o.sym.Path})
	}
	if len(g.others) > 20 {
		c.Warn(fmt.Sprintf("%d more symbols have this name; search_symbol lists them", len(g.others)-20))
	}
	text := fmt.Sprintf("%s:%d: %s\n", sandbox.Printable(d.Path), d.Line, headline(g.sym))
	if body {
		text = shownOf(g.src, g.sym)
	}
	if g.src.Broken {
		c.Warn(faultWarning(d.Path, g.src.File))
	}
	text, cut := tools.Head(valid(text), tools.Limit(maxChars))
	if cut {
		c.Warn(fmt.Sprintf("the body has lines %d to %d and is cut; give max_chars, or read the rest with fs.read", g.sym.Line, g.sym.EndLine))
	}
	return &tools.Result{Text: text, Data: d, Truncated: cut}
}

// shownOf is the text of a symbol as definition shows it: a name that a statement binds which does more is shown with its line.
func shownOf(f *parsed, s *syntax.Symbol) string {
	if s.Part && s.End == s.NameStart+len(s.Name) {
		_, line, _ := lineOf(f.text, s.NameStart)
		return string(line) + "\n"
	}
	return bodyOf(f.text, f.lang, s)
}

// isShown reports whether a text is what definition shows of a symbol, whatever its lines end with.
func isShown(f *parsed, s *syntax.Symbol, given string) bool {
	return strings.Trim(given, "\n") == strings.Trim(strings.ReplaceAll(shownOf(f, s), "\r\n", "\n"), "\n")
}

// bodyOf is the text of a symbol: whole lines, with the comment above it.
func bodyOf(src []byte, lang *syntax.Language, s *syntax.Symbol) string {
	start, end := wholeLines(src, leading(src, s.Start, lang), s.End)
	text := string(src[start:end])
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text
}

// serverDefinition asks a language server. A nil result without an error means that it knows none.
func (t *tool) serverDefinition(ctx context.Context, c *tools.Call, g *target, body bool, maxChars int) (*tools.Result, error) {
	k, err := t.server(ctx, c, g.src.source)
	if err != nil {
		return nil, err
	}
	if !k.Can("definitionProvider") {
		return nil, &unavailable{k.Name + " knows no definitions"}
	}
	line, _, _ := lineOf(g.src.text, g.at)
	raw, err := k.Ask(ctx, k.known, "textDocument/definition", k.document(g.at), func(raw json.RawMessage) bool {
		list, err := lsp.Locations(raw)
		if err != nil || len(list) == 0 {
			return false
		}
		// A new server may point at the very line that was asked about, or at an import: it has not read more yet.
		return !lsp.IsFile(list[0].URI, g.src.path.Abs()) || g.sym != nil || list[0].Range.Start.Line+1 != line && !imports(g.src.text, list[0].Range.Start.Line+1)
	})
	if err != nil {
		return nil, down(ctx, err)
	}
	list, err := lsp.Locations(raw)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	hits := t.fromLocations(ctx, c, k.Lines, list)
	if len(hits) == 0 {
		return nil, nil
	}
	h := hits[0]
	d := &definitionData{Path: h.file, Line: h.line, Column: h.col, Backend: k.backend(), Others: []place{}}
	for _, o := range hits[1:min(len(hits), 21)] {
		d.Others = append(d.Others, place{Path: o.file, Line: o.line, Column: o.col})
	}
	if h.at < 0 { // a library: not ours to read
		text := fmt.Sprintf("%s:%d (outside the roots, not read)\n", sandbox.Printable(h.file), h.line)
		if about, err := t.hoverText(ctx, k, g.at, false); err == nil && about != "" {
			text += about + "\n"
		}
		text, cut := tools.Head(valid(text), tools.Limit(maxChars))
		return &tools.Result{Text: text, Data: d, Truncated: cut}, nil
	}
	p, _, err := resolve(c, h.file)
	if err != nil {
		return nil, err
	}
	src, err := load(ctx, c, p)
	if err != nil {
		return nil, err
	}
	f := &parsed{src, &syntax.File{}}
	if src.lang != nil {
		if got, err := t.analyze(ctx, c, src); err == nil {
			f = got
		}
	}
	var best *syntax.Symbol
	for i := range f.Symbols {
		if s := &f.Symbols[i]; s.NameStart == h.at || s.Line == h.line && (best == nil || best.NameStart != h.at) {
			best = s
		}
	}
	if best != nil {
		r := t.showDefinition(c, &target{name: best.Name, src: f, at: best.NameStart, sym: best}, body, maxChars, k.backend())
		r.Data.(*definitionData).Others = d.Others
		r.Data.(*definitionData).Column = h.col
		return r, nil
	}
	start, end := lineAt(src.text, h.line)
	text := ""
	if start >= 0 {
		text = fmt.Sprintf("%s:%d: %s\n", sandbox.Printable(h.file), h.line, clipLine(strings.TrimSpace(string(src.text[start:end]))))
	}
	return &tools.Result{Text: valid(text), Data: d}, nil
}

// imports reports whether a line brings in a name from elsewhere.
func imports(src []byte, line int) bool {
	start, end := lineAt(src, line)
	if start < 0 {
		return false
	}
	text := strings.TrimSpace(string(src[start:end]))
	return strings.HasPrefix(text, "import ") || strings.HasPrefix(text, "from ") || strings.Contains(text, "require(")
}

type hoverIn struct {
	aim
	MaxChars int `json:"max_chars"`
}

type hoverData struct {
	Path    string `json:"path"`
	Line    int    `json:"line"`
	Name    string `json:"name"`
	Backend string `json:"backend"`
}

func (t *tool) hover(ctx context.Context, c *tools.Call, in hoverIn) (*tools.Result, error) {
	g, err := t.locate(ctx, c, in.aim)
	if err != nil {
		return nil, err
	}
	g.warnOthers(c)
	line, _, _ := lineOf(g.src.text, g.at)
	d := &hoverData{Path: g.src.name(), Line: line, Name: g.name, Backend: syntaxBackend}
	k, err := t.server(ctx, c, g.src.source)
	text := ""
	if err == nil && k.Can("hoverProvider") {
		d.Backend = k.backend()
		text, err = t.hoverText(ctx, k, g.at, g.sym != nil)
	}
	if why, none := noServer(err); none {
		c.Warn(why + "; signature and comment of the source are given")
		d.Backend = syntaxBackend
	} else if err != nil {
		return nil, err
	}
	if text == "" {
		if g.sym == nil {
			if err := t.byName(ctx, c, g); err != nil {
				return nil, err
			}
			d.Path, d.Line = g.src.name(), g.sym.Line
		}
		d.Backend = syntaxBackend
		comment := string(g.src.text[leading(g.src.text, g.sym.Start, g.src.lang):g.sym.Start])
		text = headline(g.sym) + "\n" + strings.TrimRight(comment, " \t\r\n")
	}
	text, cut := tools.Head(valid(strings.TrimSpace(text)+"\n"), tools.Limit(in.MaxChars))
	return &tools.Result{Text: text, Data: d, Truncated: cut}, nil
}

// hoverText is what a server says of a place, "" when that is nothing. Of what is defined there, of which the source says
// something too, that is not doubted for long: some servers speak only of uses.
func (t *tool) hoverText(ctx context.Context, k *talk, at int, defined bool) (string, error) {
	var first time.Time
	raw, err := k.Ask(ctx, k.known, "textDocument/hover", k.document(at), func(raw json.RawMessage) bool {
		if first.IsZero() {
			first = time.Now()
		}
		return hoverContents(raw) != "" || defined && time.Since(first) > hoverDoubt
	})
	if err != nil {
		return "", down(ctx, err)
	}
	return hoverContents(raw), nil
}

// hoverContents reads the three forms of the answer: a text, {value}, or a list of either.
func hoverContents(raw json.RawMessage) string {
	var h struct {
		Contents json.RawMessage `json:"contents"`
	}
	if json.Unmarshal(raw, &h) != nil || len(h.Contents) == 0 {
		return ""
	}
	var read func(raw json.RawMessage) string
	read = func(raw json.RawMessage) string {
		var s string
		var v struct {
			Value string `json:"value"`
		}
		var list []json.RawMessage
		switch {
		case json.Unmarshal(raw, &s) == nil:
			return s
		case json.Unmarshal(raw, &list) == nil:
			var parts []string
			for _, one := range list {
				parts = append(parts, read(one))
			}
			return strings.Join(parts, "\n")
		case json.Unmarshal(raw, &v) == nil:
			return v.Value
		}
		return ""
	}
	return strings.TrimSpace(said(read(h.Contents)))
}
