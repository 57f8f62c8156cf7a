//go:build cgo

package syntax

import (
	"bytes"
	"sort"
	"strings"

	sitter "github.com/tree-sitter/go-tree-sitter"
)

// What the matches of a query say together: definitions, with what wraps them, what stands in front of them and what their
// heads name.

type spanKey struct{ from, to int }

// found is what a query gave for one definition.
type found struct {
	def
	node sitter.Node
}

// super is a type that stands in the head of another.
type super struct {
	at   int
	name string
}

// gathering is what the matches of a source have given.
type gathering struct {
	*tree
	src []byte

	list    []found
	supers  []super
	wraps   map[spanKey]spanKey
	inners  map[spanKey]int // how many a wrap has
	pieces  map[spanKey]bool
	keys    objects
	exports map[string]bool
	more    []def // what statements bind or hand on
	bound   []sitter.Node
	lambdas []spanKey
}

func newGathering(t *tree, src []byte) *gathering {
	return &gathering{tree: t, src: src, wraps: map[spanKey]spanKey{}, inners: map[spanKey]int{}, pieces: map[spanKey]bool{}, keys: objects{}, exports: map[string]bool{}}
}

// match takes one match.
func (g *gathering) match(m *sitter.QueryMatch) {
	d := found{def: def{body: -1, rank: int(m.PatternIndex)}}
	var wrap, inner spanKey
	var names []sitter.Node
	var owner, name, binds, passed, holds, declares *sitter.Node
	for i := range m.Captures {
		n := &m.Captures[i].Node
		from, to := n.ByteRange()
		at := spanKey{int(from), int(to)}
		switch r := g.g.roles[m.Captures[i].Index]; r.part {
		case definition:
			d.kind, d.node = r.kind, *n
			d.sigAt, d.start, d.end = at.from, at.from, at.to
		case nameOf:
			d.name, d.nameAt, name = string(g.src[from:to]), at.from, n
		case ownerOf:
			owner = n
		case bindsOf:
			binds = n
		case walrusOf:
			g.bound = append(g.bound, *n)
		case passedOf:
			passed = n
		case visibilityOf:
			g.visibility = append(g.visibility, Span{at.from, at.to})
		case takesOf:
			g.more = append(g.more, g.taken(n)...)
		case stateOf:
			d.node = *n
		case patternOf:
			names, holds = g.pattern(&d, n), n.Parent()
		case declaratorOf:
			declares = n
		case scopeOf:
			d.scope = string(g.src[from:to])
		case superOf:
			g.supers = append(g.supers, super{at.from, superName(g.src[from:to])})
		case wrapOf:
			wrap = at
		case innerOf:
			inner = at
		case emptyOf:
			if from == to {
				g.empty = append(g.empty, n.StartPosition())
			}
		case pieceOf:
			g.pieces[at] = true
		case keyedOf:
			g.keys.keys(n, "", false, g.src, 0)
		case madeOf:
			g.keys.keys(n, "", true, g.src, 0)
		case lambdaOf:
			g.lambdas = append(g.lambdas, at)
		case exportOf:
			g.exports[string(g.src[from:to])] = true
		}
	}
	switch {
	case binds != nil:
		g.more = append(g.more, g.bindings(binds, g.src)...)
	case passed != nil:
		g.more = append(g.more, passedOn(&d.node, passed, g.src))
	case owner != nil:
		g.more = append(g.more, field(&d.node, owner, name, g.src))
	case wrap != spanKey{} && g.lang.ID == "ruby" && wrap.to != inner.to: // brackets close behind it, or a block
	case wrap != spanKey{}:
		g.wraps[inner] = wrap
		g.inners[wrap]++
	case declares != nil:
		if name, kind := declaredIn(declares, &d); name != nil {
			from, to := name.ByteRange()
			d.kind, d.name, d.nameAt, d.rank = kind, string(g.src[from:to]), int(from), nestedRank+d.rank
			g.list = append(g.list, d)
		}
	case d.kind != "" && d.name != "":
		g.list = append(g.list, d)
	}
	if holds != nil && holds.Kind() == "variable_declarator" { // its neighbours are others
		from, to := holds.ByteRange()
		d.node, d.sigAt, d.start, d.end = *holds, int(from), int(from), int(to)
	}
	for i := range names {
		from, to := names[i].ByteRange()
		d.name, d.nameAt = string(g.src[from:to]), int(from)
		g.list = append(g.list, d)
	}
}

// pattern gives the names that a pattern binds, but for those of another module, which are handed on at most.
func (g *gathering) pattern(d *found, n *sitter.Node) []sitter.Node {
	names := boundNames(n, nil)
	if !imported(g.src[n.EndByte():]) || bytes.HasSuffix(bytes.TrimRight(g.src[:d.start], " \t\r\n"), []byte("export")) {
		return names
	}
	for i := range names {
		g.more = append(g.more, handedOn(&d.node, &names[i], g.src))
	}
	return nil
}

// defs gives the definitions when all matches are there.
func (g *gathering) defs() []def {
	more := append(g.more, walruses(g.bound, g.lambdas, g.src)...)
	defs := make([]def, 0, len(g.list)+len(more))
	for _, d := range more {
		if d.name == "" { // that the parser put in, where there is none
			continue
		}
		d.exported = d.exported || g.exports[d.name]
		d.hidden = d.hidden || len(g.exports) > 0 && !d.exported
		defs = append(defs, d)
	}
	for i := range g.list {
		if d := &g.list[i]; g.finish(d) {
			defs = append(defs, d.def)
		}
	}
	place(defs, g.supers)
	return defs
}

// finish completes a definition by what stands around it; false for what is none.
func (g *gathering) finish(d *found) bool {
	d.body = bodyOf(&d.node)
	at := spanKey{d.sigAt, d.end}
	above, known := g.keys[at]
	if !known && d.kind == Method && isOption(&d.node) {
		return false
	}
	for range 4 {
		wrap, ok := g.wraps[at]
		if !ok || g.inners[wrap] != 1 {
			break
		}
		at = wrap
	}
	d.start, d.end, d.part = at.from, at.to, g.pieces[at]
	// What stands in front on the same line (export, const) is part of the signature, decorators are not.
	from := min(SkipAttributes(g.lang, g.src, d.start), d.sigAt)
	from += bytes.LastIndexByte(g.src[from:d.sigAt], '\n') + 1
	d.sigAt = from + len(g.src[from:d.sigAt]) - len(bytes.TrimLeft(g.src[from:d.sigAt], " \t"))
	d.start = g.attributesOf(&d.node, g.src, d.start)
	g.tree.bound(d, g.src)
	d.exported = g.exports[d.name]
	d.hidden = g.lang.ID == "python" && len(g.exports) > 0 && !d.exported
	cleanName(g.lang, &d.def)
	d.within(above)
	return d.name != ""
}

// attributesOf gives where the decorators or attributes begin that the grammar puts beside a definition, in front of it.
func (t *tree) attributesOf(n *sitter.Node, src []byte, start int) int {
	before := bytes.TrimRight(src[:start], " \t\r\n")
	if len(before) == 0 {
		return start
	}
	// Looking for siblings is slow where there are many, so only where one may stand.
	switch last := before[len(before)-1]; t.lang.ID {
	case "rust":
		if last != ']' && bytes.LastIndex(before[bytes.LastIndexByte(before, '\n')+1:], []byte("//")) < 0 && !bytes.HasSuffix(before, []byte("*/")) {
			return start
		}
	case "javascript", "typescript", "typescriptreact":
		if last == '}' || last == ';' || last == '{' || last == ',' {
			return start
		}
	default:
		return start
	}
	for s := n.PrevSibling(); s != nil; s = s.PrevSibling() {
		switch kind := s.Kind(); {
		case kind == "decorator" || kind == "attribute_item":
			start = min(start, int(s.StartByte()))
		case !strings.HasSuffix(kind, "comment"):
			return start
		}
	}
	return start
}

// place gives supertypes to the definitions whose heads they stand in.
func place(defs []def, supers []super) {
	if len(supers) == 0 {
		return
	}
	order := make([]int, 0, len(defs))
	for i := range defs {
		switch defs[i].kind {
		case Class, Struct, Interface, Trait, Impl, Enum, Type, Module:
			order = append(order, i)
		}
	}
	sort.Slice(order, func(a, b int) bool { return defs[order[a]].sigAt < defs[order[b]].sigAt })
	for _, s := range supers {
		best := -1
		for _, i := range order {
			if defs[i].sigAt > s.at {
				break
			}
			if s.at < defs[i].end {
				best = i
			}
		}
		if best >= 0 && s.name != "" {
			defs[best].supers = append(defs[best].supers, s.name)
		}
	}
}

// bodyOf gives the offset of a definition's body, -1 when it has none that can be told.
func bodyOf(n *sitter.Node) int {
	b := n.ChildByFieldName("body")
	if b == nil {
		if v := n.ChildByFieldName("value"); v != nil {
			b = v.ChildByFieldName("body")
			args := v.ChildByFieldName("arguments")
			if b == nil && args != nil && args.NamedChildCount() > 0 && v.EndPosition().Row > v.StartPosition().Row { // of a function that a call is given
				b = args.NamedChild(0).ChildByFieldName("body")
			}
		}
	}
	if b == nil || b.Kind() == "ordered_field_declaration_list" { // of Rust: it is part of the head
		return -1
	}
	return int(b.StartByte())
}
