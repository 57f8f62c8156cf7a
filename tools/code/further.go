package code

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/index"
	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
)

// More than one root: a name without a path is looked for in all of them, the first one first. Which were not looked at is told.

// furtherTime is how long the further roots of a call are looked at: one may be a folder of folders.
const furtherTime = 10 * time.Second

// eachFurther looks at the further roots, until look is done or the time is over. It gives those that were not looked at.
func eachFurther(ctx context.Context, c *tools.Call, look func(ctx context.Context, dir string) (done bool, err error)) (left []string, err error) {
	short, cancel := context.WithTimeout(ctx, furtherTime)
	defer cancel()
	for _, dir := range c.Roots.Further() {
		done, err := look(short, dir)
		switch {
		case err != nil && ctx.Err() == nil && short.Err() != nil:
			left = append(left, sandbox.Printable(dir))
		case done || err != nil:
			return nil, err
		}
	}
	return left, nil
}

// locate finds what an aim means: the very name in any root, then one in other capitals.
func (t *tool) locate(ctx context.Context, c *tools.Call, in aim) (*target, error) {
	if in.Path != "" || in.Line > 0 || len(c.Roots.Further()) == 0 {
		return t.locateIn(ctx, c, in)
	}
	first, err := t.locateFurther(ctx, c, in, true)
	if in.exact || err == nil || tools.AsError(err).Code != tools.NotFound {
		return first, err
	}
	return t.locateFurther(ctx, c, in, false)
}

// locateFurther is locate in one of its steps.
func (t *tool) locateFurther(ctx context.Context, c *tools.Call, in aim, exact bool) (*target, error) {
	in.exact = exact
	g, err := t.locateIn(ctx, c, in)
	if err == nil || tools.AsError(err).Code != tools.NotFound {
		return g, err
	}
	return orFurther(ctx, c, err, func(ctx context.Context, dir string) (*target, error) {
		in.Path = dir
		return t.locateIn(ctx, c, in)
	})
}

// orFurther gives what the first of the further roots has, when the first root has nothing, as err says.
func orFurther[T any](ctx context.Context, c *tools.Call, err error, find func(ctx context.Context, dir string) (*T, error)) (found *T, _ error) {
	left, ferr := eachFurther(ctx, c, func(ctx context.Context, dir string) (bool, error) {
		there, err := find(ctx, dir)
		if err != nil {
			return false, ctx.Err() // what cannot be read of another root is not what was asked about
		}
		found = there
		return true, nil
	})
	if ferr != nil || found != nil {
		return found, ferr
	}
	e := tools.AsError(err)
	e.Message += "; " + furtherSearched(c, left)
	return nil, e
}

// furtherSearched says of the further roots that they hold nothing, or were not looked at.
func furtherSearched(c *tools.Call, left []string) string {
	if len(left) > 0 {
		return "not looked at in time: " + strings.Join(left, ", ") + " (give path)"
	}
	return "nor in the other roots: " + printable(c.Roots.Further())
}

func printable(dirs []string) string {
	dirs = slices.Clone(dirs)
	for i := range dirs {
		dirs[i] = sandbox.Printable(dirs[i])
	}
	return strings.Join(dirs, ", ")
}

// findFurther adds to what was found in the first root what the others hold.
func (t *tool) findFurther(ctx context.Context, c *tools.Call, q syntax.Query, kinds map[syntax.Kind]bool, globs []string, found []candidate, stats *index.Stats) ([]candidate, error) {
	left, err := eachFurther(ctx, c, func(ctx context.Context, dir string) (bool, error) {
		p, _, err := resolve(c, dir)
		if err != nil {
			return false, err
		}
		more, s, err := t.find(ctx, c, p, q, kinds, globs, syntax.Fuzzy)
		found = append(found, more...)
		stats.Files, stats.Passed = stats.Files+s.Files, stats.Passed+s.Passed
		return false, err
	})
	if err != nil {
		return nil, err
	}
	if len(left) > 0 {
		c.Warn(furtherSearched(c, left))
	}
	if slices.ContainsFunc(found, func(f candidate) bool { return f.rank < syntax.Like }) { // as within one root
		found = slices.DeleteFunc(found, func(f candidate) bool { return f.rank == syntax.Like })
	}
	slices.SortStableFunc(found, byFit)
	return found, nil
}

// warnFurther says which roots a call without a path leaves out.
func warnFurther(c *tools.Call, given string) {
	if dirs := c.Roots.Further(); given == "" && len(dirs) > 0 {
		c.Warn(fmt.Sprintf("only the first root was looked at; give path for another: %s", printable(dirs)))
	}
}
