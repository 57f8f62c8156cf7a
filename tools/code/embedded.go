package code

import (
	"context"
	"regexp"
	"slices"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// maxFields is how many places of a name a server is asked about that may be of an embedded type's field.
const maxFields = 10

// embeddings adds the places where an embedded type of Go is used as the field that it is there: u.Base, User{Base: b}.
// For gopls that is another symbol of the name, declared at the same place.
func (t *tool) embeddings(ctx context.Context, c *tools.Call, k *talk, g *target, hits []hit) ([]hit, error) {
	if g.lang() != "go" || !isType(g.sym) || !t.embedding(ctx, c, hits, g.name) {
		return hits, nil
	}
	has := amongHits(hits)
	other := func(hit) bool { return false }
	var others []hit
	asked := 0
	for _, w := range k.words {
		if asked == maxFields || has(w) || other(w) || !k.sees(w.file) {
			continue
		}
		asked++
		uses, err := t.referring(ctx, c, k, w.file, w.at)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(uses, has) { // it is declared where the type is embedded
			hits = append(hits, uses...)
			has = amongHits(hits)
		} else {
			others = append(others, uses...)
			other = amongHits(others)
		}
	}
	return inOrder(hits), nil
}

// embedding reports whether one of the places of a type of Go is a field that is the type alone.
func (t *tool) embedding(ctx context.Context, c *tools.Call, hits []hit, name string) bool {
	alone := regexp.MustCompile(`^\s*\*?(?:\w+\.)?` + regexp.QuoteMeta(name) + `(?:\[[^=]*\])?\s*(?:$|//|/\*|` + "`" + `)`)
	file, text := "", []byte(nil)
	return slices.ContainsFunc(hits, func(h hit) bool {
		if h.at < 0 {
			return false
		}
		if h.file != file {
			file, text = h.file, nil
			if p, _, err := resolve(c, file); err == nil {
				if src, err := load(ctx, c, p); err == nil {
					text = src.text
				}
			}
		}
		_, line, _ := lineOf(text, h.at)
		return alone.Match(line)
	})
}
