package code

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
)

// Places as answers write them, given back: path:line:column in place of a path, and the line of a symbol in place of its name.

// placed matches path:line and path:line:column, and path#Lline as web pages write it.
var placed = tools.Pattern(`^(.+?)(?::|#L)([1-9]\d{0,8})(?:(?::|C)([1-9]\d{0,8})|-L?\d+)?:?$`)

// place takes the line and column off a path that names no file, where it names one without them.
func (in *aim) place(c *tools.Call, err error) bool {
	file, line, column := cutPlace(c, in.Path, err)
	if file == "" {
		return false
	}
	in.Path = file
	if in.Line <= 0 {
		in.Line, in.Column = line, cmp.Or(in.Column, column)
	}
	return true
}

// cutPlace takes path:line:column apart that names no file, as err says; file is "" where it names none without them either.
func cutPlace(c *tools.Call, given string, err error) (file string, line, column int) {
	m := placed().FindStringSubmatch(given)
	if err == nil || m == nil || tools.AsError(err).Code != tools.NotFound {
		return "", 0, 0
	}
	if p, err := c.Roots.Resolve(m[1]); err != nil {
		return "", 0, 0
	} else if fi, _, err := c.Roots.Stat(p); err != nil || fi.IsDir() {
		return "", 0, 0
	}
	line, _ = strconv.Atoi(m[2])
	column, _ = strconv.Atoi(m[3])
	return m[1], line, column
}

// withPlace says of a path that names no file that it names one without the line behind it.
func withPlace(c *tools.Call, given string, err error) error {
	if file, line, _ := cutPlace(c, given, err); file != "" {
		return tools.Errorf(tools.NotFound, "%s: no such file; give path %s, and line:%d where the action takes one", sandbox.Printable(given), sandbox.Printable(file), line).
			With(tools.Details{Param: "path", Actual: given, Suggestion: file})
	}
	return err
}

// begins reports whether a symbol begins on a line, or its name stands there.
func begins(f *parsed, s *syntax.Symbol, line int) bool {
	name, _, _ := lineOf(f.text, s.NameStart)
	return line == s.Line || line == name
}

// atLine gives the one symbol that begins on a line.
func atLine(f *parsed, line int) (*syntax.Symbol, error) {
	var found []*syntax.Symbol
	var names []string
	for i := range f.Symbols {
		if s := &f.Symbols[i]; begins(f, s, line) {
			found, names = append(found, s), append(names, s.Path)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		in := ""
		if from, _ := lineAt(f.text, line); from >= 0 {
			if s := enclosing(f.File, from); s != nil {
				in = fmt.Sprintf("; it is in %s, which begins at line %d", s.Path, s.Line)
			}
		}
		return nil, tools.Errorf(tools.NotFound, "no symbol begins at line %d%s: give name_path; nothing was done", line, in).With(tools.Details{Param: "line"})
	}
	return nil, tools.Errorf(tools.Ambiguous, "%d symbols begin at line %d: %s; give name_path; nothing was done", len(found), line, strings.Join(names[:min(len(names), 10)], ", ")).
		With(tools.Details{Param: "name_path", Available: names[:min(len(names), 10)]})
}
