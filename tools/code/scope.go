package code

import (
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
)

// Where indentation says what a line is a part of, as in Python and YAML, a text that stands elsewhere than it should is a part
// of something else, and the file parses all the same.

// memberOf gives the indentation of the members of a class of Python for a text behind it that is indented as one of them.
func memberOf(warn func(string), f *parsed, s *syntax.Symbol, given string) (indent string, ok bool) {
	if f.lang.ID != "python" || s.Kind != syntax.Class {
		return "", false
	}
	first := strings.TrimLeft(strings.ReplaceAll(given, "\r\n", "\n"), "\n")
	if own := first[:len(first)-len(strings.TrimLeft(first, " \t"))]; own == "" || strings.HasPrefix(columnOf(f, s.Start), own) {
		return "", false
	}
	for i := range f.Symbols {
		if o := &f.Symbols[i]; o.Parent >= 0 && &f.Symbols[o.Parent] == s && o.EndLine > s.Line {
			warn("text is indented as a member of " + s.Path + ", and becomes its last one; give it without indentation to put it behind " + s.Path)
			return columnOf(f, o.Start), true
		}
	}
	return "", false
}

// sameScope refuses an edit whose text does not stand beside its symbol, or as Python allows it nowhere.
func sameScope(f *parsed, after *syntax.File, s *syntax.Symbol, does way, fresh []byte, e span) error {
	if f.Broken || f.lang.ID != "python" && f.lang.ID != "yaml" {
		return nil
	}
	for _, tab := range []int{syntax.TabWidth, 1} {
		if f.lang.ID != "python" {
			break
		}
		if _, ok := syntax.Indents(f.text, tab); ok {
			continue
		}
		if x, ok := syntax.Indents(fresh, tab); ok {
			return tools.Errorf(tools.Conflict, "with text, line %d would be indented as nothing around it (%s), which Python refuses: give text without indentation, or indented as %s is; nothing was done", x.Line, x.Message, s.Path).
				With(tools.Details{Param: "text"})
		}
	}
	first := firstIn(after, e)
	if first == nil || around(after, first) == around(f.File, s) || does == follows && s.Kind == syntax.Class && around(after, first) == s.Path {
		return nil
	}
	inside := around(after, first)
	if inside == "" {
		inside = "no other symbol"
	}
	return tools.Errorf(tools.Conflict, "text is indented in such a way that it would stand in %s, not where %s does: give it without indentation, or indented as %s is; nothing was done", inside, s.Path, s.Path).
		With(tools.Details{Param: "text", Actual: first.Path})
}

// firstIn is the outermost symbol that the text of an edit defines, the first of several.
func firstIn(f *syntax.File, e span) (first *syntax.Symbol) {
	for i := range f.Symbols {
		s := &f.Symbols[i]
		if e.made(s) && (first == nil || s.Depth < first.Depth) {
			first = s
		}
	}
	return first
}

// around is the path of what a symbol stands in, "" at the top of the file.
func around(f *syntax.File, s *syntax.Symbol) string {
	if s.Parent < 0 {
		return ""
	}
	return f.Symbols[s.Parent].Path
}
