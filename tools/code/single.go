package code

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
)

// Which of several symbols a name path means.

// single gives the one symbol of a file that a name path means, on a line when one is given; without a name that of the line.
func (t *tool) single(ctx context.Context, c *tools.Call, p sandbox.Path, f *parsed, q syntax.Query, line int) (*syntax.Symbol, error) {
	if len(q.Parts) == 0 {
		return atLine(f, line)
	}
	var found []*syntax.Symbol
	for i := range f.Symbols { // the case of letters counts: what is deleted by mistake is gone
		s := &f.Symbols[i]
		if s.Kind != syntax.Impl && q.Match(f.name(), f.File, s) == syntax.Exact && (line <= 0 || begins(f, s, line)) {
			found = append(found, s)
		}
	}
	if len(found) == 0 && line > 0 {
		if s, err := t.single(ctx, c, p, f, q, 0); err == nil {
			return nil, tools.Errorf(tools.NotFound, "%s stands at line %d, not at line %d; nothing was done", s.Path, s.Line, line).With(tools.Details{Param: "line"})
		}
	}
	if err := element(f, q, found); err != nil {
		return nil, err
	}
	all := found // numbers count these
	found = overloads(c, f.Language, q, found)
	found, q.Index = q.Narrow(f.Symbols, found)
	if q.Index < 0 && f.Language == "python" {
		found = defined(c, found)
	}
	switch {
	case len(found) == 0:
		return nil, t.notFound(ctx, c, p, q)
	case q.Index >= len(found):
		return nil, noNumber(p, q, len(found), "name_path", f.Language)
	case q.Index >= 0:
		return found[q.Index], nil
	case len(found) > 1:
		var names []string
		for _, s := range found[:min(len(found), 10)] {
			names = append(names, fmt.Sprintf("%s[%d] at line %d (%s)", q.String(), slices.Index(all, s), s.Line, s.Path))
		}
		return nil, tools.Errorf(tools.Ambiguous, "%d symbols are called %s; give more of the path, the number in brackets, or line", len(found), q.String()).
			With(tools.Details{Param: "name_path", Available: names})
	}
	return found[0], nil
}

// defined leaves of the symbols of one name in Python the function or class that is defined, where else the name is only given
// another value: a fallback in an if or try, a decorator that is called.
func defined(c *tools.Call, list []*syntax.Symbol) []*syntax.Symbol {
	var defs []*syntax.Symbol
	var lines []string
	for _, s := range list {
		switch s.Kind {
		case syntax.Function, syntax.Method, syntax.Class:
			defs = append(defs, s)
		default:
			lines = append(lines, strconv.Itoa(s.Line))
		}
	}
	if len(defs) != 1 || len(lines) == 0 {
		return list
	}
	c.Warn(fmt.Sprintf("%s is bound elsewhere too, which stays: look at line %s", defs[0].Path, strings.Join(lines[:min(len(lines), 5)], ", ")))
	return defs
}

// overloads leaves of the symbols that fit a query equally well those with the parameters that it has, and says so when none has
// them; empty brackets say nothing.
func overloads(c *tools.Call, lang string, q syntax.Query, list []*syntax.Symbol) []*syntax.Symbol {
	given := q.Parameters()
	if given == "" || q.Index >= 0 || len(list) == 0 || !syntax.Overloads(lang) {
		return list
	}
	if chosen := q.Chosen(list); len(chosen) > 0 {
		return chosen
	}
	if strings.Trim(given, "( )") == "" {
		return list
	}
	var heads []string
	for _, s := range list[:min(len(list), 5)] {
		heads = append(heads, fmt.Sprintf("%s (line %d)", s.Signature, s.Line))
	}
	c.Warn(fmt.Sprintf("no %s takes %s; there is %s", q.String(), given, strings.Join(heads, ", ")))
	return list
}

// overloaded is overloads for candidates, best first: of those that fit best some stay.
func overloaded(c *tools.Call, q syntax.Query, found []candidate) []candidate {
	var list []*syntax.Symbol
	for _, f := range found {
		if f.rank == found[0].rank {
			list = append(list, f.sym)
		}
	}
	if len(list) == 0 {
		return found
	}
	rank, chosen := found[0].rank, overloads(c, found[0].f.Language, q, list)
	return slices.DeleteFunc(found, func(f candidate) bool { return f.rank == rank && !slices.Contains(chosen, f.sym) })
}
