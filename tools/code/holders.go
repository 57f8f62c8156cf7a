package code

import (
	"context"
	"fmt"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/lsp"
)

// maxHolders is how many files a server that knows open files only is shown for one question.
const maxHolders = 50

// serverFor is server for a question about all the places of a name: a server that knows open files only, or has not
// read the project yet, is shown the files that hold the name first. whole is false when there are too many of them.
func (t *tool) serverFor(ctx context.Context, c *tools.Call, g *target) (k *talk, whole bool, err error) {
	k, err = t.server(ctx, c, g.src.source)
	if err != nil || !k.WantsHolders() {
		return k, true, err
	}
	hits, more, err := t.words(ctx, c, k.root, g.name, g.lang())
	if err != nil {
		return nil, false, err
	}
	k.words = hits
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
	whole = whole || !k.KnowsOpen() // it comes to know the others by itself
	if !whole {
		c.Warn(fmt.Sprintf("%s was shown %d of %d files that hold the name; places in the others are missing", k.Name, len(opened)+1, len(holders)))
	}
	return k, whole, down(ctx, k.Read(ctx, opened))
}

// warnLeft says where the name of a renamed symbol stands in code that the server's edits leave as it is: another
// symbol of the name, or a place that the server does not see, such as the body of a macro.
func (k *talk) warnLeft(c *tools.Call, edits map[string][]lsp.TextEdit) {
	if !k.KnowsOpen() {
		return
	}
	changed := map[string]bool{}
	for uri, list := range edits {
		p, err := c.Roots.Resolve(lsp.Path(uri))
		if err != nil {
			continue
		}
		for _, e := range list {
			changed[fmt.Sprintf("%s:%d", p.String(), e.Range.Start.Line+1)] = true
		}
	}
	var left []string
	for _, h := range k.words {
		if at := fmt.Sprintf("%s:%d", h.file, h.line); !changed[at] {
			changed[at] = true
			left = append(left, at)
		}
	}
	if len(left) > 0 {
		c.Warn(fmt.Sprintf("the name also stands in %d places that %s did not rename (another symbol, or the body of a macro); look at them: %s", len(left), k.Name, strings.Join(left[:min(len(left), 5)], ", ")))
	}
}
