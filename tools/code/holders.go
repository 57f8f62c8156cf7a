package code

import (
	"context"
	"fmt"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// maxHolders is how many files a server that knows open files only is shown for one question.
const maxHolders = 50

// serverFor is server for a question about all the places of a name: a server that knows open files only is shown the
// files that hold the name first. whole is false when there are too many of them.
func (t *tool) serverFor(ctx context.Context, c *tools.Call, g *target) (k *talk, whole bool, err error) {
	k, err = t.server(ctx, c, g.src.source)
	if err != nil || !k.KnowsOpen() {
		return k, true, err
	}
	hits, more, err := t.words(ctx, c, k.root, g.name, g.lang())
	if err != nil {
		return nil, false, err
	}
	holders := map[string]bool{g.src.name(): true}
	var opened []string
	whole = !more
	for _, h := range hits {
		if holders[h.file] {
			continue
		}
		holders[h.file] = true
		if len(opened) == maxHolders {
			whole = false
			continue
		}
		p, _, err := resolve(c, h.file)
		if err != nil {
			continue
		}
		src, err := load(ctx, c, p)
		if err != nil || src.lang == nil {
			continue
		}
		if _, err := k.Open(ctx, p.Abs(), src.lang.ID, stampOf(src.info.ModTime(), src.info.Size()), string(withoutBOM(src.text))); err != nil {
			return nil, false, down(ctx, err)
		}
		opened = append(opened, p.Abs())
	}
	if !whole {
		c.Warn(fmt.Sprintf("%s was shown %d of %d files that hold the name; places in the others are missing", k.Name, len(opened)+1, len(holders)))
	}
	return k, whole, down(ctx, k.Read(ctx, opened))
}
