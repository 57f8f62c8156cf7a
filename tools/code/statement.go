package code

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
)

// partOnly refuses an edit of a symbol that is only a part of its statement, as a struct in a typedef is: the rest would stand
// alone, or get a neighbour in its midst. It may be replaced, by a text that has nothing of what stands around it.
func partOnly(f *parsed, s *syntax.Symbol, does way, given string) error {
	if !s.Part || does == replaces && isShown(f, s, given) {
		return nil
	}
	line := bytes.LastIndexByte(f.text[:s.Start], '\n') + 1
	front := strings.TrimSpace(strings.TrimPrefix(string(f.text[line:s.Start]), bom))
	behind := strings.Trim(string(restOfLine(f, s.End)), "; \t")
	if behind != "" && onlyComment(f, []byte(behind)) {
		behind = ""
	}
	where := fmt.Sprintf("%s is only a part of the statement at line %d", s.Path, s.Line)
	if front != "" {
		where += ", behind " + clipLine(front)
	}
	if behind != "" && behind != ":" {
		where += ", in front of " + clipLine(behind)
	}
	code := strings.Trim(given, "; \t\n")
	words := strings.ContainsFunc(behind, unicode.IsLetter) // a bracket may be the end of anything
	switch {
	case does == follows && behind == "": // it goes behind the statement
		return nil
	case does != replaces:
		return tools.Errorf(tools.Conflict, "%s: edit the statement with fs.apply_patch; nothing was done", where).
			With(tools.Details{Param: "name_path", Actual: s.Path})
	case front != "" && strings.HasPrefix(code, front), words && strings.HasSuffix(code, behind):
		return tools.Errorf(tools.Conflict, "%s, which text has too: give text without, or edit the statement with fs.apply_patch; nothing was done", where).
			With(tools.Details{Param: "text", Actual: s.Path})
	}
	return nil
}
