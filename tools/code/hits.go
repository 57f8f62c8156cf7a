package code

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/lsp"
	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
	"github.com/hanzoai/hanzo-mcp/tools/tree"
)

const (
	maxHits  = 20_000 // places of a name that are gathered
	maxLine  = 200    // characters of a line shown
	usualHit = 50
)

// hit is a place in a file.
type hit struct {
	file string // as results show it; an absolute path outside the roots
	line int
	col  int // in characters
	at   int // byte offset, -1 outside the roots

	call    bool
	alias   int  // where the name stands that an import gives it in this file, 0 without one
	outside bool // of the roots
}

// place is how results describe a hit.
type place struct {
	Path   string `json:"path"`
	Line   int    `json:"line"`
	Column int    `json:"column,omitempty"` // not known: of a definition
	Symbol string `json:"symbol,omitempty"` // name path of the symbol around it
}

// family are languages that refer to each other.
func family(id string) string {
	switch id {
	case "javascript", "typescript", "typescriptreact":
		return "script"
	case "c", "cpp":
		return "c"
	case "java", "kotlin":
		return "jvm"
	}
	return id
}

// byPlace puts what is outside the roots last: it is somebody else's.
func byPlace(a, b hit) int {
	if a.outside != b.outside {
		return order(a.outside) - order(b.outside)
	}
	return cmp.Or(tree.ComparePaths(a.file, b.file), cmp.Compare(a.line, b.line), cmp.Compare(a.col, b.col))
}

// fromLocations turns what a server answered into hits, in order and each once.
func (t *tool) fromLocations(ctx context.Context, c *tools.Call, lines lsp.Lines, list []lsp.Location) []hit {
	texts := map[string][]byte{}
	var hits []hit
	behind := ""
	for _, l := range list[:min(len(list), maxHits)] {
		file := lsp.Path(l.URI)
		if file == "" {
			hits = append(hits, hit{file: l.URI, line: l.Range.Start.Line + 1, col: l.Range.Start.Character + 1, at: -1, outside: true})
			continue
		}
		h := hit{file: file, line: l.Range.Start.Line + 1, col: l.Range.Start.Character + 1, at: -1}
		p, err := c.Roots.Resolve(file)
		h.outside = err != nil
		if err == nil {
			text, seen := texts[file]
			if !seen {
				s, err := load(ctx, c, p)
				if err == nil {
					text = s.text
				} else if tools.AsError(err).Code == tools.NotFound {
					continue // the server has not noticed that it is gone
				}
				texts[file] = text
			}
			h.file = p.String()
			if text != nil {
				at, ok := lines.Offset(withoutBOM(text), l.Range.Start)
				if !ok {
					behind = h.file
					continue
				}
				h.at = at + len(text) - len(withoutBOM(text))
				var line []byte
				var start int
				h.line, line, start = lineOf(text, h.at)
				h.col = utf8.RuneCount(line[:min(len(line), h.at-start)]) + 1
			}
		}
		hits = append(hits, h)
	}
	if behind != "" {
		c.Warn("the language server named places behind the end of " + sandbox.Printable(behind) + ", which are left out")
	}
	slices.SortFunc(hits, byPlace)
	return slices.Compact(hits)
}

// showHits writes hits under the symbols around them, as many as have room in payload and data, one line's at least.
func (t *tool) showHits(ctx context.Context, c *tools.Call, hits []hit, maxChars int) (string, []place) {
	var b strings.Builder
	places := make([]place, 0, len(hits))
	files := map[string]*parsed{}
	room := tools.NewRoom(maxChars)
	last := "\x00"
	for len(hits) > 0 {
		n := 1 // one line for all on it
		for n < len(hits) && hits[n].file == hits[0].file && hits[n].line == hits[0].line && hits[n].at >= 0 == (hits[0].at >= 0) {
			n++
		}
		f, seen := files[hits[0].file]
		if !seen && hits[0].at >= 0 {
			f = t.parsedFile(ctx, c, hits[0].file)
			files[hits[0].file] = f
		}
		head, text, page := "", "(outside the roots)", []place{}
		for _, h := range hits[:n] {
			one := place{Path: h.file, Line: h.line, Column: h.col}
			if f != nil {
				if s := enclosing(f.File, h.at); s != nil {
					one.Symbol = s.Path
					head = headline(s)
				}
			}
			page = append(page, one)
		}
		if f != nil {
			text = ""
			if start, end := lineAt(f.text, hits[0].line); start >= 0 {
				text = clipLine(strings.TrimSpace(string(f.text[start:end])))
			}
		}
		name := sandbox.Printable(hits[0].file)
		shown := fmt.Sprintf("  %s:%d: %s", name, hits[0].line, text)
		if n > 1 {
			shown += fmt.Sprintf("  [%d times]", n)
		}
		shown += "\n"
		if group := hits[0].file + "\x00" + head; group != last {
			last = group
			if head != "" {
				head = "  in " + head
			}
			shown = name + head + "\n" + shown
		}
		if !room.Takes(shown, page) {
			break
		}
		b.WriteString(shown)
		places = append(places, page...)
		hits = hits[n:]
	}
	return valid(b.String()), places
}

// parsedFile is a file with its symbols, as far as they can be read; nil when it cannot be.
func (t *tool) parsedFile(ctx context.Context, c *tools.Call, name string) *parsed {
	p, _, err := resolve(c, name)
	if err != nil {
		return nil
	}
	s, err := load(ctx, c, p)
	if err != nil {
		return nil
	}
	if s.lang != nil {
		if f, err := t.analyze(ctx, c, s); err == nil {
			return f
		}
	}
	return &parsed{s, &syntax.File{}}
}

func clipLine(s string) string {
	if utf8.RuneCountInString(s) <= maxLine {
		return s
	}
	return string([]rune(s)[:maxLine]) + "…"
}
