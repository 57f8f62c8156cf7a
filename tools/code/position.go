package code

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
)

// A query beside a position names the same symbol twice. Where they disagree the position is often one from before an
// edit, and nobody knows which of the two is meant.

// onLine gives where the name of a query stands that comes with a line only: the symbol that begins there, else the first word
// on it. start is where the line begins; the name of a symbol may stand on a further one.
func (in aim) onLine(f *parsed, q syntax.Query, start int) (from int, line []byte, at int, err error) {
	for i := range f.Symbols {
		s := &f.Symbols[i]
		if q.Match(f.name(), f.File, s) != syntax.Exact {
			continue
		}
		first, _, _ := lineOf(f.text, s.Start) // of its decorators
		last, line, from := lineOf(f.text, s.NameStart)
		if first <= in.Line && in.Line <= last {
			return from, line, s.NameStart - from, nil
		}
	}
	_, line, _ = lineOf(f.text, start)
	if w := wordsOf(f, q, line); len(w) > 0 {
		return start, line, w[0], nil
	}
	what := strings.TrimSpace(string(line))
	return 0, nil, 0, in.disagree(f, q, fmt.Sprintf("line %d does not hold %s (it is %q)", in.Line, q.Last(), clipLine(what)))
}

// there checks that the name at a byte of a line is that of the query. Who only reads gets that of the query, and is told,
// where the line holds it at another column.
func (in aim) there(c *tools.Call, f *parsed, q syntax.Query, start, at int) (int, error) {
	_, line, _ := lineOf(f.text, start)
	from, to := wordAt(line, at)
	is := string(line[from:to])
	w := wordsOf(f, q, line)
	on := bareWord(is) == bareWord(q.Last()) || slices.ContainsFunc(w, func(a int) bool { return a <= at && at <= a+len(q.Last()) })
	for i := range f.Symbols {
		if s := &f.Symbols[i]; on && s.NameStart == start+from && q.Match(f.name(), f.File, s) > syntax.ExactFold {
			on, is, w = false, s.Path, nil
		}
	}
	if on {
		return at, nil
	}
	place := fmt.Sprintf("at %d:%d stands %s, not %s", in.Line, in.Column, is, q.String())
	if is == "" {
		place = fmt.Sprintf("at %d:%d stands no name, and not %s", in.Line, in.Column, q.String())
	}
	if len(w) == 0 {
		return 0, in.disagree(f, q, place)
	}
	place += fmt.Sprintf("; %s stands at column %d of that line", q.Last(), utf8.RuneCount(line[:w[0]])+1)
	if in.exact {
		return 0, in.disagree(f, q, place)
	}
	c.Warn(place + ", which was taken")
	return w[0], nil
}

// wordsOf gives where the name of a query stands on a line.
func wordsOf(f *parsed, q syntax.Query, line []byte) []int {
	w := syntax.Words(f.lang, line, q.Last())
	if len(w) == 0 && bytes.Contains(line, []byte("$"+q.Last())) {
		w = syntax.Words(f.lang, line, "$"+q.Last())
	}
	return w
}

// bareWord is a name without the marks that some languages write around it.
func bareWord(s string) string { return strings.TrimRight(strings.TrimLeft(s, "$#@"), "?!=") }

// disagree is the error for a query and a position that do not mean one symbol.
func (in aim) disagree(f *parsed, q syntax.Query, why string) error {
	var lines []string
	for i := range f.Symbols {
		if s := &f.Symbols[i]; len(lines) < 5 && q.Match(f.name(), f.File, s) == syntax.Exact {
			lines = append(lines, fmt.Sprintf("%s is defined at line %d", s.Path, s.Line))
		}
	}
	slices.Sort(lines)
	if lines = slices.Compact(lines); len(lines) > 0 {
		why += "; " + strings.Join(lines, ", ")
	}
	return tools.Errorf(tools.Conflict, "%s: %s. Give the query alone, or the line and column of what is meant: the file may have changed since", sandbox.Printable(f.name()), why).
		With(tools.Details{Param: "line", Actual: q.String()})
}
