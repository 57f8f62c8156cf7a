package code

import (
	"context"
	"fmt"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
)

// Names that differ from a query in capitals only: server is often a variable and Server its type. Who reads may follow such a
// name, and is told; who writes gets NOT_FOUND with the names that are near; the very word, where it is used without being
// a symbol, comes first for both.

// inOtherCapitals reports whether the best of what was found differs from the query in capitals.
func inOtherCapitals(q syntax.Query, found []candidate) bool {
	if len(found) == 0 || found[0].rank != syntax.ExactFold {
		return false
	}
	return !q.Selects(found[0].sym) // a rule of several selectors is ranked so too
}

// warnCapitals says that an answer is about a name in other capitals.
func warnCapitals(c *tools.Call, q syntax.Query, f candidate) {
	c.Warn(fmt.Sprintf("no symbol is called %s; this is about %s at %s:%d, which differs in capitals (a local or a parameter is asked about by path and line)",
		q.String(), f.sym.Path, sandbox.Printable(f.file), f.sym.Line))
}

// withCapitals adds to the error for a name that nothing has what differs from it in capitals.
func withCapitals(err error, f candidate) error {
	e := tools.AsError(err)
	if e.Code == tools.NotFound {
		e.Message += fmt.Sprintf("; %s at %s:%d differs in capitals; a local or a parameter is named by path, line and column", f.sym.Path, sandbox.Printable(f.file), f.sym.Line)
	}
	return e
}

// locateWritten is locate for questions about all the places of a name: a symbol in other capitals is meant only where the
// very word stands nowhere in code.
func (t *tool) locateWritten(ctx context.Context, c *tools.Call, in aim) (*target, error) {
	in.exact = in.Line <= 0
	g, err := t.locate(ctx, c, in)
	if err == nil || !in.exact || tools.AsError(err).Code != tools.NotFound {
		return g, err
	}
	in.exact = false
	quiet := &tools.Call{Roots: c.Roots}
	g, foldErr := t.locate(ctx, quiet, in)
	q, perr := parseQuery(in.Query, in.NamePath)
	if foldErr != nil || perr != nil || g.sym == nil {
		return nil, err
	}
	if g.name != q.Last() { // else what is around it differs
		p, _, err := resolve(c, in.Path)
		if err != nil {
			return nil, err
		}
		if found, err := t.words(ctx, quiet, p, q.Last(), look{}); err == nil && len(found.hits) > 0 {
			c.Warn(fmt.Sprintf("%s at %s:%d, which differs in capitals, is not meant", g.sym.Path, sandbox.Printable(g.src.name()), g.sym.Line))
			return nil, t.notFound(ctx, c, p, q)
		}
	}
	return t.locate(ctx, c, in)
}

// is reports whether two candidates are one symbol.
func (f candidate) is(o candidate) bool {
	return f.file == o.file && f.sym.NameStart == o.sym.NameStart
}

// warnScopes says that a rename of what is no symbol, of which a query gives the word only, is of the first of them in
// its file: another function may have one of the name too.
func (g *target) warnScopes(c *tools.Call, left []hit) {
	if !g.first || len(left) == 0 {
		return
	}
	line, _, _ := lineOf(g.src.text, g.at)
	c.Warn(fmt.Sprintf("the word %s also stands in %d places that are of something else, which stay: this is about that of line %d; give path, line and column for another: %s",
		sandbox.Printable(g.name), len(left), line, firstHits(left)))
}
