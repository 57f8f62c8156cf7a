package code

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
)

type editIn struct {
	Path     string `json:"path"`
	NamePath string `json:"name_path"`
	Query    string `json:"query"`
	Text     string `json:"text"`
	Body     string `json:"body"`
	Fresh    string `json:"replacement"`
	Line     int    `json:"line"`
	BaseHash string `json:"base_hash"`
	DryRun   bool   `json:"dry_run"`
	MaxChars int    `json:"max_chars"`
}

type editData struct {
	where
	Symbol       string         `json:"symbol"` // name path
	Line         int            `json:"line"`   // where it stood
	Hash         string         `json:"hash"`
	PreviousHash string         `json:"previous_hash"`
	DryRun       bool           `json:"dry_run,omitempty"`
	ParseError   bool           `json:"parse_error,omitempty"`
	Errors       []syntax.Fault `json:"errors,omitempty"`
}

func (t *tool) replaceSymbol(ctx context.Context, c *tools.Call, in editIn) (*tools.Result, error) {
	return t.edit(ctx, c, in, replaces, func(f *parsed, s *syntax.Symbol, given string) (int, int, string) {
		if given = strings.Trim(given, "\n"); isShown(f, s, given) {
			return s.Start, s.Start, ""
		}
		return replacing(ctx, c.Warn, f, s, given)
	})
}

// replacing gives the range that a text takes which replaces a symbol, and the text as it stands there.
func replacing(ctx context.Context, warn func(string), f *parsed, s *syntax.Symbol, given string) (from, to int, text string) {
	src := f.text
	given = withFront(warn, f, s, withoutKeyword(f, s, withKey(ctx, f, s, given)))
	from, to = s.Start, s.End
	bare := min(syntax.SkipAttributes(f.lang, src, from), s.NameStart)
	switch {
	case comments(given, f.lang):
		if from = leading(src, from, f.lang); bare > s.Start && !syntax.HasAttributes(f.lang, []byte(given)) {
			warn(fmt.Sprintf("what stood on %s is gone, since text has a comment and nothing of it: %s", s.Path, clipLine(strings.Join(strings.Fields(string(src[s.Start:bare])), " "))))
		}
		if kept := directives(f.lang, string(src[from:s.Start])); len(kept) > 0 && len(directives(f.lang, given)) == 0 {
			given = withDirectives(given, kept)
		}
	case bare > from && !syntax.HasAttributes(f.lang, []byte(given)):
		from = bare // decorators stay, as comments do, unless text brings its own
	}
	indent := columnOf(f, from)
	text = given
	if !asShown(f, s, given) {
		text = fit(ctx, f, given, indent)
	}
	if line := from - len(indent); len(bytes.TrimSpace(src[line:from])) == 0 && (line == 0 || src[line-1] == '\n' || line == len(bom)) {
		from = line
	} else {
		text = strings.TrimLeft(text, " \t")
	}
	to, text = withTail(f, to, text, indent)
	return from, to, text
}

func (t *tool) insertBefore(ctx context.Context, c *tools.Call, in editIn) (*tools.Result, error) {
	return t.edit(ctx, c, in, precedes, func(f *parsed, s *syntax.Symbol, given string) (int, int, string) {
		from := leading(f.text, s.Start, f.lang)
		indent := columnOf(f, from)
		line := from - len(indent)
		if commas(f, s) != none {
			given = marked(f.lang, given, ",")
		}
		text := fit(ctx, f, given, indent)
		if dashed(f, from) { // the first key of an element of a list of YAML
			return from, from, strings.TrimLeft(text, " ") + "\n" + indent
		}
		if len(bytes.TrimSpace(f.text[bytes.LastIndexByte(f.text[:from], '\n')+1:from])) > 0 && line != len(bom) {
			line = from // something else stands on the line
			if text = strings.TrimSpace(text); commas(f, s) != none && !strings.Contains(text, "\n") && !swallows(f.lang, text) {
				return line, line, text + " "
			}
		}
		return line, line, text + "\n" + strings.Repeat("\n", gap(f, s))
	})
}

func (t *tool) insertAfter(ctx context.Context, c *tools.Call, in editIn) (*tools.Result, error) {
	return t.edit(ctx, c, in, follows, func(f *parsed, s *syntax.Symbol, given string) (int, int, string) {
		indent := columnOf(f, s.Start)
		if member, ok := memberOf(c.Warn, f, s, given); ok {
			indent = member
		}
		parted := commas(f, s)
		if parted != none {
			given = marked(f.lang, given, "")
		}
		if from, to, text, ok := afterInList(f, s, given, func() string { return fit(ctx, f, given, indent) }); ok {
			return from, to, text
		}
		_, to := ownLines(f, s.Start, s.End)
		text := strings.Repeat("\n", gap(f, s)) + fit(ctx, f, given, indent)
		if parted == inside {
			text = marked(f.lang, text, ",")
		}
		if to == s.End || f.text[to-1] != '\n' {
			return to, to, "\n" + text // the last line has no ending, and keeps none
		}
		return to, to, text + "\n"
	})
}

func (t *tool) deleteSymbol(ctx context.Context, c *tools.Call, in editIn) (*tools.Result, error) {
	return t.edit(ctx, c, in, deletes, func(f *parsed, s *syntax.Symbol, _ string) (int, int, string) {
		src := f.text
		first := leading(src, s.Start, f.lang)
		if next := following(f, s); next != nil && f.lang.ID == "go" && s.Kind == syntax.Constant && !bytes.Contains(src[next.Start:next.End], []byte("=")) {
			c.Warn(fmt.Sprintf("%s took its value from the constants above it, %s among them: look at it", next.Path, s.Path))
		}
		if from, to, keep, ok := commaBefore(f, s, first); ok {
			return from, to, keep
		}
		if from, to, ok := emptied(f, s, first); ok {
			c.Warn(s.Path + " was all of its block, which must hold something: pass stands there now")
			return from, to, "pass"
		}
		from, to := ownLines(f, first, s.End)
		whole := to > s.End && src[to-1] == '\n' || to == len(src)
		if !whole || from > 0 && src[from-1] != '\n' && from != len(bom) {
			from, to = among(src, first, s)
			return from, to, ""
		}
		if from == 0 || from == len(bom) || blankBefore(src, from) {
			for to < len(src) {
				i := bytes.IndexByte(src[to:], '\n')
				if i < 0 || len(bytes.TrimSpace(src[to:to+i])) > 0 {
					break
				}
				to += i + 1
			}
		}
		for to == len(src) && from > 0 && blankBefore(src, from) { // nothing follows: no blank lines at the end
			from = bytes.LastIndexByte(src[:from-1], '\n') + 1
		}
		return from, to, ""
	})
}

// among widens the range of a symbol that shares its lines with others by what parts it from them.
func among(src []byte, from int, s *syntax.Symbol) (int, int) {
	to := s.End
	space := func(b []byte) []byte { return bytes.TrimLeft(b, " \t") }
	listed := s.NameStart == s.Start || s.Kind != syntax.Function && s.Kind != syntax.Class // else it may be an argument of a call
	rest := space(src[to:])
	switch {
	case bytes.HasPrefix(rest, []byte(";")), listed && bytes.HasPrefix(rest, []byte(",")):
		return from, len(src) - len(space(rest[1:]))
	case listed:
		if before := bytes.TrimRight(src[:from], " \t\r\n"); bytes.HasSuffix(before, []byte(",")) {
			return len(before) - 1, to
		}
	}
	if len(rest) == 0 || rest[0] == '\n' || rest[0] == '\r' { // the last one on its line
		return len(bytes.TrimRight(src[:from], " \t")), to
	}
	if s.Kind != syntax.Element && (from == 0 || bytes.IndexByte([]byte(" \t\n"), src[from-1]) >= 0) { // one of the blanks beside it
		to = len(src) - len(rest)
	}
	return from, to
}

// together names the symbols that one declaration defines with another.
func together(f *parsed, s *syntax.Symbol) []string {
	var names []string
	for i := range f.Symbols {
		if o := &f.Symbols[i]; o.NameStart != s.NameStart && o.Start == s.Start && o.End == s.End {
			names = append(names, o.Path)
		}
	}
	return names
}

// following is the symbol that begins after another one ends, nil at the end of the file.
func following(f *parsed, s *syntax.Symbol) *syntax.Symbol {
	for i := range f.Symbols {
		if o := &f.Symbols[i]; o.Start >= s.End {
			return o
		}
	}
	return nil
}

// what an edit does with its symbol.
type way int

const (
	replaces way = iota
	precedes
	follows
	deletes
)

// editor gives the range of a file that an edit of a symbol takes, and what stands there afterwards.
type editor func(f *parsed, s *syntax.Symbol, given string) (from, to int, text string)

// edit changes one symbol of a file.
func (t *tool) edit(ctx context.Context, c *tools.Call, in editIn, does way, make editor) (*tools.Result, error) {
	in.Text = strings.TrimSuffix(strings.ReplaceAll(cmp.Or(in.Text, in.Body, in.Fresh), "\r\n", "\n"), "\r") // of a last ending that was cut in two
	if text := strings.TrimSpace(in.Text); strings.HasPrefix(text, "```") && strings.HasSuffix(text, "\n```") {
		_, text, _ = strings.Cut(strings.TrimSuffix(text, "```"), "\n")
		in.Text = text
		c.Warn("the ``` around text was taken off")
	}
	if does != deletes && strings.TrimSpace(in.Text) == "" {
		return nil, tools.Errorf(tools.InvalidParams, "text is missing: give the new code; delete_symbol removes").With(tools.Details{Param: "text"})
	}
	if strings.Contains(in.Text, "\x00") {
		return nil, tools.Errorf(tools.InvalidParams, "text has a NUL byte, which no source may have; write it as an escape of the language; nothing was done").With(tools.Details{Param: "text"})
	}
	q, err := parseQuery(in.NamePath, in.Query)
	if err != nil && (in.Line <= 0 || in.NamePath+in.Query != "") {
		return nil, tools.Errorf(tools.InvalidParams, "name_path is missing: give the symbol to edit, such as Type.method").With(tools.Details{Param: "name_path"})
	}
	if in.Path == "" {
		return nil, tools.Errorf(tools.InvalidParams, "path is missing: give the file with the symbol").With(tools.Details{Param: "path"})
	}
	p, fi, err := resolve(c, in.Path)
	if err != nil {
		return nil, err
	}
	if fi.IsDir() {
		return nil, tools.Errorf(tools.InvalidParams, "%s is a folder; give the file with the symbol (search_symbol finds it)", sandbox.Printable(in.Path)).With(tools.Details{Param: "path"})
	}
	// Edits of one file wait for each other: each sees what the one before has made.
	unlock, err := c.Roots.Lock(ctx, p)
	if err != nil {
		return nil, about(err)
	}
	defer unlock()
	src, err := load(ctx, c, p)
	if err != nil {
		return nil, err
	}
	if !src.plain {
		return nil, tools.Errorf(tools.Unsupported, "%s is not UTF-8; symbols of other encodings are not edited: use fs.apply_patch", sandbox.Printable(in.Path)).With(tools.Details{Param: "path"})
	}
	if err := checkBase(in.BaseHash, src.bytes); err != nil {
		return nil, err
	}
	if why := cannotWrite(c, src); why != "" {
		return nil, tools.Errorf(tools.PermissionDenied, "write %s: %s", sandbox.Printable(in.Path), why).With(tools.Details{Param: "path"})
	}
	f, err := t.analyze(ctx, c, src)
	if err != nil {
		return nil, err
	}
	f.speak()
	s, err := t.single(ctx, c, p, f, q, in.Line)
	if err != nil {
		return nil, err
	}
	if f.Backend == "ctags" || strings.HasPrefix(f.Backend, "lsp:") && s.End-s.Start <= len(s.Name) {
		return nil, tools.Errorf(tools.Unsupported, "%s knows where %s is, not where it ends, so it is not edited by its name: use fs.edit at line %d", f.Backend, s.Path, s.Line).
			With(tools.Details{Param: "name_path"})
	}
	if err := sureBegin(f, s); err != nil {
		return nil, err
	}
	if names := together(f, s); len(names) > 0 && does == deletes {
		return nil, tools.Errorf(tools.Conflict, "one declaration at line %d defines %s and %s; replace_symbol with the declaration of those that stay, or fs.edit for all", s.Line, s.Path, strings.Join(names, ", ")).
			With(tools.Details{Param: "name_path", Available: names})
	}
	if does == deletes {
		if err := neededBy(f, s); err != nil {
			return nil, err
		}
	}
	in.Text = withoutOpening(c.Warn, f, in.Text)
	if err := partOnly(f, s, does, in.Text); err != nil {
		return nil, err
	}
	if l, err := declaratorOf(ctx, f, s); err != nil {
		return nil, err
	} else if l != nil {
		s, make = l.among(ctx, s, does, in.Text, make)
	}
	from, to, text := make(f, s, in.Text)
	if eol := eolAt(src.text, min(from, len(src.text))); eol == "\r\n" {
		text = strings.ReplaceAll(text, "\n", eol)
	}
	fresh := append(append(append([]byte{}, src.text[:from]...), text...), src.text[to:]...)
	d := &editData{where: where{p.Given, p.String()}, Symbol: s.Path, Line: s.Line, PreviousHash: hashOf(src.bytes), Hash: hashOf(fresh), DryRun: in.DryRun}
	if bytes.Equal(fresh, src.bytes) {
		return &tools.Result{Text: "no change\n", Data: d}, nil
	}
	if err := sureEnd(f, s, to); err != nil {
		return nil, err
	}
	after, err := syntax.Analyze(ctx, src.lang, fresh)
	if errors.Is(err, syntax.ErrUnsupported) {
		after, err = nil, nil
		c.Warn("whether the file still parses could not be checked in this build")
	}
	if err != nil {
		return nil, err
	}
	if after != nil {
		if err := checkEdit(c.Warn, f, after, s, does, in.Text, fresh, span{from, to, text}); err != nil {
			return nil, err
		}
	}
	if after != nil && after.Broken {
		d.ParseError, d.Errors = true, after.Faults[:min(len(after.Faults), 3)]
		w := "the file parsed before this edit and does not parse in full any more"
		if f.Broken {
			w = "the file does not parse in full, neither before this edit nor after it"
		}
		if len(after.Faults) > 0 {
			w += fmt.Sprintf(" (line %d: %s)", after.Faults[0].Line, after.Faults[0].Message)
		}
		c.Warn(w)
	}
	changes := []change{{src, fresh, 1}}
	if err := keepsMarks(&changes[0]); err != nil {
		return nil, err
	}
	if !in.DryRun {
		if err := writeAll(ctx, c, changes); err != nil {
			return nil, err
		}
	}
	diff, cut := showDiff(c, changes, in.MaxChars)
	return &tools.Result{Text: diff, Data: d, Truncated: cut}, nil
}
