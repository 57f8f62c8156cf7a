package code

import (
	"bytes"
	"fmt"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
)

// What deleting a symbol of Python would leave that does not load.

// neededBy refuses to delete what a decorator below it names, as @v.setter does the property v: the module would not load.
func neededBy(f *parsed, s *syntax.Symbol) error {
	if f.lang.ID != "python" {
		return nil
	}
	for i := range f.Symbols {
		o := &f.Symbols[i]
		if o.Name != s.Name || o.Parent != s.Parent || o.NameStart == s.NameStart {
			continue
		}
		if o.Start < s.Start { // it has the name already
			return nil
		}
		head := f.text[o.Start:syntax.SkipAttributes(f.lang, f.text, o.Start)]
		for line := range bytes.Lines(head) {
			line = bytes.TrimSpace(line)
			if bytes.HasPrefix(line, []byte("@"+s.Name+".")) {
				return tools.Errorf(tools.Conflict, "%s of line %d is what %s at line %d is put on, which would be left alone; delete that first (line:%d), or edit all of it with fs.apply_patch; nothing was done", s.Path, s.Line, line, o.Line, o.Line).
					With(tools.Details{Param: "name_path", Actual: s.Path})
			}
		}
	}
	return nil
}

// warnBound says where a deleted name is bound once more: in another branch, or in another method.
func warnBound(warn func(string), f *parsed, after *syntax.File, s *syntax.Symbol) {
	if f.lang.ID != "python" {
		return
	}
	var left []*syntax.Symbol
	for i := range after.Symbols {
		if o := &after.Symbols[i]; o.Path == s.Path {
			left = append(left, o)
		}
	}
	if len(left) > 0 {
		warn(fmt.Sprintf("%s is bound elsewhere too, which stays: look at line %s of the file as it is now", s.Path, linesOf(left)))
	}
}

// emptied gives the range that a deleted symbol takes of a block of Python that holds nothing else, where "pass" has to stand
// in its place.
func emptied(f *parsed, s *syntax.Symbol, first int) (from, to int, ok bool) {
	if f.lang.ID != "python" || !bytes.HasSuffix(syntax.TrimRight(f.lang, f.text[:first]), []byte(":")) {
		return 0, 0, false
	}
	_, to = ownLines(f, first, s.End)
	if to == s.End && len(bytes.TrimSpace(restOfLine(f, to))) > 0 {
		return 0, 0, false
	}
	indent := len(columnOf(f, first))
	alone := first-bytes.LastIndexByte(f.text[:first], '\n')-1 == indent // else all of the block stands on its line
	for line := range bytes.Lines(f.text[to:]) {
		code := bytes.TrimSpace(line)
		if len(code) == 0 || startsComment(code, f.lang) {
			continue
		}
		if alone && len(line)-len(bytes.TrimLeft(line, " \t")) >= indent {
			return 0, 0, false
		}
		break
	}
	return first, len(bytes.TrimRight(f.text[:to], "\r\n")), true
}
