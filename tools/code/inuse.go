package code

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// safeDelete is the name of delete_symbol under which callers expect that what is in use stays.
const safeDelete = "safe_delete_symbol"

// removeSymbol deletes a symbol. Under the name safe_delete_symbol one that is in use is refused; else where its name still
// stands is told.
func (t *tool) removeSymbol(ctx context.Context, c *tools.Call, in editIn) (*tools.Result, error) {
	g, err := t.locate(ctx, &tools.Call{Roots: c.Roots}, aim{Path: in.Path, Query: in.Query, NamePath: in.NamePath, Line: in.Line, exact: true})
	if err != nil || g.sym == nil || g.lang() == "" || g.src.lang.Data {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return t.deleteSymbol(ctx, c, in) // which says what is wrong
	}
	if c.Given == safeDelete {
		if err := t.refuseUsed(ctx, c, g); err != nil {
			return nil, err
		}
		return t.deleteSymbol(ctx, c, in)
	}
	left := t.stillNamed(ctx, c, g)
	r, err := t.deleteSymbol(ctx, c, in)
	if err == nil && len(left) > 0 {
		c.Warn(fmt.Sprintf("the name %s still stands at %s: of this symbol, or of another one of the name; look there", g.name, firstHits(left)))
	}
	return r, err
}

// What is said of the name of a deleted symbol must be worth a look, and found at once.
const (
	lookForName = 300 * time.Millisecond
	fewNames    = 20 // a name that stands in more places is one of many things
)

// stillNamed gives the places where the name of a symbol at the top of its file stands, none when they are many or take
// long to find. Members of many types bear one name: of theirs it says nothing.
func (t *tool) stillNamed(ctx context.Context, c *tools.Call, g *target) []hit {
	if g.sym.Parent >= 0 || strings.Contains(g.sym.Path, ".") {
		return nil
	}
	short, cancel := context.WithTimeout(ctx, lookForName)
	defer cancel()
	left, err := t.named(short, c, g)
	if short.Err() != nil && ctx.Err() == nil { // the file itself is looked at in any case
		here := *g
		here.scope = g.src.path
		left, err = t.named(ctx, c, &here)
	}
	if err != nil || len(left) > fewNames {
		return nil
	}
	slices.SortStableFunc(left, func(a, b hit) int {
		switch own := g.src.name(); {
		case a.file == b.file || a.file != own && b.file != own:
			return 0
		case a.file == own:
			return -1
		}
		return 1
	})
	return left
}

// named gives the places of a symbol's name in code, but for those in it and where another symbol of the name is defined.
func (t *tool) named(ctx context.Context, c *tools.Call, g *target) ([]hit, error) {
	quiet := &tools.Call{Roots: c.Roots}
	found, err := t.words(ctx, quiet, g.scope, g.name, look{lang: g.lang(), aliases: true})
	if err != nil {
		return nil, err
	}
	abroad, err := t.wordsAbroad(ctx, quiet, g.src.path, g.name, look{lang: g.lang(), aliases: true})
	if err != nil {
		return nil, err
	}
	return t.undefined(ctx, c, g.scope, g.name, append(g.outside(found.hits), abroad...))
}

// outside leaves out the hits in the target itself.
func (g *target) outside(hits []hit) []hit {
	return slices.DeleteFunc(slices.Clone(hits), func(h hit) bool {
		return h.file == g.src.name() && g.sym.Start <= h.at && h.at < g.sym.End
	})
}

// refuseUsed is the error for a symbol that is in use, or may be.
func (t *tool) refuseUsed(ctx context.Context, c *tools.Call, g *target) error {
	a, err := t.served(ctx, c, g)
	why, none := noServer(err)
	if err != nil && !none {
		return err
	}
	var used, may []hit
	if none {
		c.Warn(why + "; places with this name were looked up")
		if may, err = t.named(ctx, c, g); err != nil {
			return err
		}
	} else {
		used, may = g.outside(a.hits), append(g.outside(a.others.code), a.others.texts...)
	}
	more, mayBe, by, err := t.implied(ctx, c, g)
	if err != nil {
		return err
	}
	used, may = inOrder(append(used, more...)), inOrder(append(may, mayBe...))
	what, list := "is used in", used
	switch {
	case len(used) == 0 && len(may) == 0 && by != "":
		return tools.Errorf(tools.Conflict, "%s may be called by %s, where its name does not stand; delete_symbol deletes it all the same; nothing was done", g.sym.Path, by).
			With(tools.Details{Param: "name_path", Actual: g.sym.Path})
	case len(used) == 0 && len(may) == 0:
		return nil
	case len(used) == 0:
		what, list = "may be used in (its name stands there, perhaps of another symbol)", may
	}
	return tools.Errorf(tools.Conflict, "%s %s %d places: %s; change them first, or use delete_symbol, which deletes it all the same; nothing was done", g.sym.Path, what, len(list), firstHits(list)).
		With(tools.Details{Param: "name_path", Actual: g.sym.Path})
}
