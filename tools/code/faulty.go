package code

import (
	"context"
	"fmt"
	"slices"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// maxFaulty is how many files in which a renamed name is left are looked at for faults.
const maxFaulty = 20

// warnFaulty says where a name is left in files with faults: a server that is sure of what it sees takes a name there for
// nothing where an import could not be resolved or a type could not be told.
func (t *tool) warnFaulty(ctx context.Context, c *tools.Call, k *talk, g *target, gone func(hit) bool) error {
	unseen := amongHits(k.unseen)
	left := slices.DeleteFunc(slices.Clone(k.words), func(h hit) bool { return gone(h) || unseen(h) })
	defined, err := t.definitions(ctx, c, k.root, g.name, left)
	if err != nil {
		return err
	}
	left = slices.DeleteFunc(left, func(h hit) bool { return defined.isOther(h, g) })
	files := map[string]string{} // with their absolute paths
	var shown []string
	for _, h := range left {
		if _, seen := files[h.file]; seen || len(files) == maxFaulty {
			continue
		}
		p, _, err := resolve(c, h.file)
		if err != nil {
			continue
		}
		files[h.file] = p.Abs()
		ok, err := show(ctx, c, k.Client, p)
		if err != nil {
			return down(ctx, err)
		}
		if ok {
			shown = append(shown, p.Abs())
		}
	}
	if len(shown) == 0 {
		return nil
	}
	if err := k.Read(ctx, shown); err != nil {
		return down(ctx, err)
	}
	left = slices.DeleteFunc(left, func(h hit) bool { return files[h.file] == "" || !k.Faulty(files[h.file]) })
	if len(left) > 0 {
		c.Warn(fmt.Sprintf("the name also stands in %d places of files with errors, where %s may not see what it means, and which it did not rename; look at them, or mend the errors first (diagnostics): %s", len(left), k.Name, firstHits(left)))
	}
	return nil
}
