package code

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/index"
	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
)

// In Go a type does not name the interfaces that it implements: it has their methods, which the server compares.

// maxForeign is how many types outside the roots a hierarchy names.
const maxForeign = 10

// kin are the types above or below a type of Go by their methods.
type kin struct {
	iface bool // the type is an interface: they are below it
	hits  []hit
}

// byMethods finds the types that a type of Go is above or below by their methods.
func (t *tool) byMethods(ctx context.Context, c *tools.Call, h *lineage, root []typeNode) (kin, error) {
	if len(root) == 0 || root[0].f.Language != "go" {
		return kin{}, nil
	}
	g, err := t.open(ctx, c, candidate{file: root[0].file, f: root[0].f, sym: root[0].sym})
	if err != nil {
		return kin{}, err
	}
	g.scope = workspaceOf(c, g.src.path)
	of := kin{iface: g.sym.Kind == syntax.Interface}
	of.hits, err = t.implemented(ctx, c, g)
	why, none := noServer(err)
	switch {
	case none && of.iface && len(g.methods()) == 0:
		err = nil
	case none && of.iface:
		c.Warn(why + "; types were compared with the interface by the names of their methods")
		of.hits, err = t.subtypes(ctx, c, g, index.Options{Needs: need(g)})
		of.hits = slices.DeleteFunc(of.hits, func(at hit) bool { // what names it is judged by the name
			n, ok := h.node(at)
			return ok && hasSuper(n.f, n.sym, g.name)
		})
	case none:
		c.Warn(why + "; which interfaces the type implements was not compared")
		err = nil
	default:
		h.data.Backend = "lsp:gopls"
	}
	return of, err
}

// implemented asks a server what implements an interface, or what a type implements.
func (t *tool) implemented(ctx context.Context, c *tools.Call, g *target) ([]hit, error) {
	k, err := t.server(ctx, c, g.src.source)
	if err != nil {
		return nil, err
	}
	return t.bound(ctx, c, k, k.known, g.at)
}

// bound asks a server of Go what is bound to a type or method by an interface, above it or below; nothing is an answer.
func (t *tool) bound(ctx context.Context, c *tools.Call, k *talk, known bool, at int) ([]hit, error) {
	if !k.Can("implementationProvider") {
		return nil, &unavailable{k.Name + " does not tell what implements"}
	}
	return t.located(ctx, c, k, known, "textDocument/implementation", k.document(at), func(json.RawMessage) bool { return true })
}

// node finds the type that is defined at a place.
func (h *lineage) node(at hit) (typeNode, bool) {
	for _, list := range h.byName {
		for _, n := range list {
			if n.file == at.file && n.sym.Line == at.line {
				return n, true
			}
		}
	}
	return typeNode{}, false
}

// above writes the interfaces that the type implements, one's own first.
func (h *lineage) above(of kin) {
	if of.iface {
		return
	}
	foreign := 0
	for _, at := range of.hits {
		n, own := h.node(at)
		switch {
		case own && !h.seen["^"+n.key()] && len(h.data.Supertypes) < maxTypes:
			h.seen["^"+n.key()] = true
			h.data.Supertypes = append(h.data.Supertypes, n.sym.Name)
			h.line(1, "^ ", n.sym.Name, []typeNode{n})
		case !own:
			foreign++
		}
	}
	h.foreign("^ ", of.hits, foreign)
}

// beneath writes the types that have the methods of the interface.
func (h *lineage) beneath(of kin) {
	if !of.iface {
		return
	}
	foreign := 0
	for _, at := range of.hits {
		n, own := h.node(at)
		key := fmt.Sprintf("%s:%d", at.file, at.line)
		switch {
		case own && !h.seen[key] && len(h.data.Subtypes) < maxTypes:
			h.seen[key] = true
			s := describe(n.file, n.sym)
			s.Signature, s.Parent = "", ""
			h.data.Subtypes = append(h.data.Subtypes, s)
			h.line(1, "v ", n.sym.Name, []typeNode{n})
		case !own:
			foreign++
		}
	}
	h.foreign("v ", of.hits, foreign)
}

// foreign writes the first of the n types that are none of this folder.
func (h *lineage) foreign(mark string, hits []hit, n int) {
	shown := 0
	for _, at := range hits {
		if _, own := h.node(at); own {
			continue
		}
		if shown++; shown > maxForeign {
			fmt.Fprintf(&h.text, "  %s… %d more\n", mark, n-maxForeign)
			return
		}
		fmt.Fprintf(&h.text, "  %s%s:%d\n", mark, sandbox.Printable(at.file), at.line)
	}
}
