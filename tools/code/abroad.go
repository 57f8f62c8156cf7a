package code

import (
	"context"
	"fmt"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/index"
	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
)

// Places of a name in other roots than that of the symbol. A server is started for one root and sees no other, but one project
// may use what another defines.

// otherRoots are the roots beside the one that a path is in.
func otherRoots(c *tools.Call, p sandbox.Path) []sandbox.Path {
	dirs := c.Roots.Further()
	if len(dirs) == 0 {
		return nil
	}
	var roots []sandbox.Path
	for _, dir := range append([]string{""}, dirs...) {
		if other, _, err := resolve(c, dir); err == nil && other.Root != p.Root {
			roots = append(roots, other)
		}
	}
	return roots
}

// wordsAbroad finds a name in the sources of the other roots.
func (t *tool) wordsAbroad(ctx context.Context, c *tools.Call, p sandbox.Path, name string, l look) ([]hit, error) {
	roots := otherRoots(c, p)
	if len(roots) == 0 {
		return nil, nil
	}
	var hits []hit
	err := eachAbroad(ctx, c, roots, func(ctx context.Context, root sandbox.Path) error {
		found, err := t.words(ctx, &tools.Call{Roots: c.Roots}, root, name, l)
		if err == nil {
			hits = append(hits, found.hits...)
		}
		return err
	})
	return hits, err
}

// typesAbroad gives the files of the other roots to an answer about the types of a whole root.
func (t *tool) typesAbroad(ctx context.Context, c *tools.Call, p sandbox.Path, o index.Options, add func(name string, f *syntax.File)) error {
	if p.Rel != "." {
		return nil
	}
	return eachAbroad(ctx, c, otherRoots(c, p), func(ctx context.Context, root sandbox.Path) error {
		_, err := t.walk(ctx, &tools.Call{Roots: c.Roots}, root, o, add)
		return err
	})
}

// eachAbroad looks at other roots. Those that take too long are told.
func eachAbroad(ctx context.Context, c *tools.Call, roots []sandbox.Path, look func(ctx context.Context, root sandbox.Path) error) error {
	short, cancel := context.WithTimeout(ctx, furtherTime)
	defer cancel()
	for _, root := range roots {
		switch err := look(short, root); {
		case err != nil && ctx.Err() == nil && short.Err() != nil:
			c.Warn("not looked at in time: " + sandbox.Printable(root.String()))
		case err != nil:
			return err
		}
	}
	return nil
}

// withAbroad adds to the places of a name in a whole root those in the others.
func (t *tool) withAbroad(ctx context.Context, c *tools.Call, g *target, hits []hit, l look) ([]hit, error) {
	if g.scope.Rel != "." {
		return hits, nil
	}
	abroad, err := t.wordsAbroad(ctx, c, g.scope, g.name, l)
	return append(hits, abroad...), err
}

// warnAbroad says where a name that was renamed stands in other roots, which a server does not see.
func (k *talk) warnAbroad(c *tools.Call, name string, gone func(hit) bool) {
	var left []hit
	for _, h := range k.abroad {
		if !gone(h) {
			left = append(left, h)
		}
	}
	if len(left) > 0 {
		c.Warn(fmt.Sprintf("the name %s also stands in %d places of other roots, which %s does not see and which stay; look at them: %s", sandbox.Printable(name), len(left), k.Name, firstHits(left)))
	}
}
