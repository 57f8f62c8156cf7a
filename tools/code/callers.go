package code

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/lsp"
	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
)

func (t *tool) callers(ctx context.Context, c *tools.Call, in referencesIn) (*tools.Result, error) {
	g, err := t.locateOrWord(ctx, c, in.aim)
	if err != nil {
		return nil, err
	}
	a, err := t.calls(ctx, c, g)
	if err != nil {
		return nil, err
	}
	if g.src == nil && len(a.hits) == 0 {
		return nil, t.unfound(ctx, c, g, in.aim)
	}
	if class := g.class(); class != nil {
		if a, err = t.makings(ctx, c, class, a); err != nil {
			return nil, err
		}
	}
	if err := t.warnImplied(ctx, c, g, len(a.hits)); err != nil {
		return nil, err
	}
	return t.answerHits(ctx, c, g, a, in)
}

// calls finds who calls a target: its server knows that, or else its name is compared.
func (t *tool) calls(ctx context.Context, c *tools.Call, g *target) (*answer, error) {
	if g.src != nil {
		a, err := t.incoming(ctx, c, g)
		if err == nil {
			return a, nil
		}
		why, none := noServer(err)
		if !none {
			return nil, err
		}
		if g.src.lang == nil {
			return nil, wordless(g, why)
		}
		c.Warn(why + "; calls by this name were looked up, which may mean other symbols of the same name")
	}
	found, err := t.words(ctx, c, g.scope, g.name, look{lang: g.lang(), calls: true, aliases: true, others: mayHoldCode(g.lang())})
	if err != nil {
		return nil, err
	}
	if found.hits, err = t.withAbroad(ctx, c, g, found.hits, look{lang: g.lang(), calls: true, aliases: true}); err != nil {
		return nil, err
	}
	hits := slices.DeleteFunc(slices.Clone(found.hits), func(h hit) bool { return !h.call })
	if hits, err = t.undefined(ctx, c, g.scope, g.name, hits); err != nil {
		return nil, err
	}
	t.warnGivenOn(ctx, c, found.hits)
	return byNames(hits, found, true), nil
}

// incoming asks a server who calls the target: its call hierarchy, and where that may be less than what is there, which of
// the places that use the target are calls.
func (t *tool) incoming(ctx context.Context, c *tools.Call, g *target) (*answer, error) {
	k, _, err := t.serverFor(ctx, c, g, look{calls: true, aliases: true, others: mayHoldCode(g.lang())})
	if err != nil {
		return nil, err
	}
	hits, err := t.hierarchyOf(ctx, c, k, g)
	_, none := noServer(err)
	if err != nil && !none {
		return nil, err
	}
	more, gone := t.constructed(ctx, c, k, g)
	if gone != nil {
		return nil, gone
	}
	hits = append(hits, more...)
	if k.Can("referencesProvider") && (none || mayBeMore(k, hits) || g.class() != nil) {
		more, err := t.callsAmongUses(ctx, c, k, g)
		if _, gone := noServer(err); err != nil && (none || !gone) {
			return nil, err
		}
		hits = inOrder(append(hits, more...))
	} else if none && len(hits) == 0 {
		return nil, err
	}
	o, err := t.elsewhere(ctx, c, k, g, hits, true)
	return &answer{hits, k.backend(), o}, err
}

// mayBeMore reports whether there may be calls that a call hierarchy does not have.
func mayBeMore(k *talk, hits []hit) bool {
	gave := amongHits(hits)
	return len(hits) == 0 || slices.ContainsFunc(k.words, func(h hit) bool {
		return h.alias > 0 || !k.Sure() && h.call && !gave(h)
	})
}

// callsAmongUses gives those of the places that a server names which are calls.
func (t *tool) callsAmongUses(ctx context.Context, c *tools.Call, k *talk, g *target) ([]hit, error) {
	uses, err := t.whole(ctx, c, k, g)
	if err != nil {
		return nil, err
	}
	uses, err = t.called(ctx, c, k, uses)
	if err != nil {
		return nil, err
	}
	return t.undefined(ctx, c, k.root, g.name, uses)
}

// called leaves of some places those where what stands there is called, whatever name it has there.
func (t *tool) called(ctx context.Context, c *tools.Call, k *talk, hits []hit) ([]hit, error) {
	known, calls := amongHits(k.words), amongHits(slices.DeleteFunc(slices.Clone(k.words), func(h hit) bool { return !h.call }))
	type name struct{ file, text string }
	asked := map[name][]int{}
	for _, h := range hits {
		if h.at < 0 || known(h) {
			continue
		}
		if f := t.parsedFile(ctx, c, h.file); f != nil {
			_, line, start := lineOf(f.text, h.at)
			from, to := wordAt(line, h.at-start)
			n := name{h.file, string(line[from:to])}
			asked[n] = append(asked[n], h.at)
		}
	}
	var others []hit
	for n, at := range asked {
		f := t.parsedFile(ctx, c, n.file)
		if f == nil || f.lang == nil {
			continue
		}
		is, err := syntax.Calls(ctx, f.lang, f.text, at, n.text)
		if err != nil {
			return nil, err
		}
		for i, a := range at {
			if is[i] {
				others = append(others, hit{file: n.file, at: a})
			}
		}
	}
	other := amongHits(others)
	return slices.DeleteFunc(hits, func(h hit) bool { return h.at < 0 || !calls(h) && !other(h) }), nil
}

// uncalled are kinds that no call hierarchy knows; what is called of them is among their uses.
var uncalled = []syntax.Kind{syntax.Field, syntax.Member, syntax.Variable, syntax.Constant, syntax.Interface, syntax.Type, syntax.Enum, syntax.Trait, syntax.Module}

// hierarchyOf asks the call hierarchy of a server.
func (t *tool) hierarchyOf(ctx context.Context, c *tools.Call, k *talk, g *target) ([]hit, error) {
	if !k.Can("callHierarchyProvider") {
		return nil, &unavailable{k.Name + " does not know who calls"}
	}
	if g.sym != nil && slices.Contains(uncalled, g.sym.Kind) { // that it has none would be doubted for long
		return nil, &unavailable{k.Name + " knows who calls functions only"}
	}
	raw, err := k.Ask(ctx, k.known, "textDocument/prepareCallHierarchy", k.document(g.at), func(raw json.RawMessage) bool { return len(raw) > 4 })
	if err != nil {
		return nil, down(ctx, err)
	}
	var items []json.RawMessage
	if err := json.Unmarshal(raw, &items); err != nil || len(items) == 0 {
		return nil, &unavailable{k.Name + " sees no function there"}
	}
	var list []lsp.Location
	for _, item := range items[:min(len(items), 10)] {
		var calls []struct {
			From       lsp.CallItem `json:"from"`
			FromRanges []lsp.Range  `json:"fromRanges"`
		}
		if err := k.Call(ctx, "callHierarchy/incomingCalls", map[string]any{"item": item}, &calls); err != nil {
			return nil, down(ctx, err)
		}
		for _, call := range calls {
			for _, r := range call.FromRanges {
				list = append(list, lsp.Location{URI: call.From.URI, Range: r})
			}
		}
	}
	return t.fromLocations(ctx, c, k.Lines, list), nil
}
