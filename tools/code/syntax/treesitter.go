//go:build cgo

package syntax

import (
	"bytes"
	"context"
	"fmt"
	"sort"
	"strings"
	"time"

	sitter "github.com/tree-sitter/go-tree-sitter"
)

const (
	slice     = 100_000  // microseconds of parsing between looks at the context
	chunk     = 64 << 10 // of the source handed over at a time: it is copied
	bigSource = 256 << 10
	maxDefs   = 200_000         // of one file
	queryTime = 3 * time.Second // of a query, after which what was found counts
)

// big lets one large file at a time be parsed: a tree takes up to 100 times the memory of its source.
var big = make(chan struct{}, 1)

// tree is a parsed source. It holds memory that is not Go's: close it.
type tree struct {
	*sitter.Tree
	g     *grammar
	lang  *Language
	done  func()
	empty []sitter.Point // blocks that hold nothing, but must
	late  bool           // its definitions were not all found in time
}

func (t *tree) close() {
	t.Tree.Close()
	t.done()
}

// parseTree parses a source of any language.
func parseTree(ctx context.Context, lang *Language, src []byte) (*tree, error) {
	g := grammars[lang.ID]
	if g == nil {
		return nil, fmt.Errorf("%s is %w", lang.ID, ErrUnsupported)
	}
	if err := g.ready(); err != nil {
		return nil, err
	}
	done := func() {}
	if len(src) > bigSource {
		select {
		case big <- struct{}{}:
			done = func() { <-big }
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	t, err := parseText(ctx, lang, g, masked(lang, src))
	if err != nil {
		done()
		return nil, err
	}
	t.done = done
	return t, nil
}

func parseText(ctx context.Context, lang *Language, g *grammar, src []byte) (*tree, error) {
	p := sitter.NewParser()
	defer p.Close()
	if err := p.SetLanguage(g.language); err != nil {
		return nil, err
	}
	p.SetTimeoutMicros(slice)
	read := func(i int, _ sitter.Point) []byte {
		if i >= len(src) {
			return nil
		}
		return src[i:min(len(src), i+chunk)]
	}
	for {
		if t := p.ParseWithOptions(read, nil, nil); t != nil {
			return &tree{Tree: t, g: g, lang: lang, done: func() {}}, nil
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
}

// masked hides from the parser, byte for byte, what its grammar does not know: "global {" in a module of TypeScript, which
// is a plain block to it then, marks of C++, and what withoutTemplates does.
func masked(lang *Language, src []byte) []byte {
	switch lang.ID {
	case "python":
		return withoutTemplates(src)
	case "cpp":
		return readable(src)
	}
	if !strings.HasPrefix(lang.ID, "typescript") {
		return src
	}
	word, known := []byte("global"), src
	for from := 0; ; {
		i := bytes.Index(src[from:], word)
		if i < 0 {
			return known
		}
		at := from + i
		from = at + len(word)
		line := src[bytes.LastIndexByte(src[:at], '\n')+1 : at]
		if len(bytes.TrimSpace(line)) > 0 || !bytes.HasPrefix(bytes.TrimLeft(src[from:], " \t"), []byte("{")) {
			continue
		}
		if &known[0] == &src[0] {
			known = bytes.Clone(src)
		}
		copy(known[at:], "      ")
	}
}

// parse finds the symbols of a source by the query of its language.
func parse(ctx context.Context, lang *Language, src []byte) (*File, error) {
	t, err := parseTree(ctx, lang, src)
	if err != nil {
		return nil, err
	}
	defer func() { t.close() }()
	f := &File{Language: lang.ID, Backend: "tree-sitter", Broken: t.RootNode().HasError()}
	var h *hidden
	if f.Broken {
		if t, h, err = t.mended(ctx, src); err != nil {
			return nil, err
		}
		f.Faults = h.faults
		f.Broken = len(f.Faults) > 0 // some grammars flag what they have mended
	}
	root := t.RootNode()
	defs, err := t.definitions(ctx, root, src)
	if err != nil {
		return nil, err
	}
	lines := newLineIndex(src)
	if f.Broken && root.HasError() {
		if defs, err = t.reread(ctx, root, h.text, defs); err != nil {
			return nil, err
		}
	}
	if h != nil {
		defs = h.whole(src, defs, root.HasError())
	}
	for _, p := range t.empty[:min(len(t.empty), maxFaults-len(f.Faults))] {
		f.Faults = append(f.Faults, Fault{int(p.Row) + 1, int(p.Column) + 1, "expected an indented block"})
		f.Broken = true
	}
	if t.late {
		f.Left = "it is nested so deeply that its symbols are not all found in the time for one file"
	}
	build(f, lang, src, lines, defs)
	return f, nil
}

// queryLimit is how long a query may take: no longer than its context lives.
func queryLimit(ctx context.Context) time.Duration {
	if end, ok := ctx.Deadline(); ok {
		return max(min(queryTime, time.Until(end)), time.Millisecond)
	}
	return queryTime
}

type spanKey struct{ from, to int }

// found is what a query gave for one definition.
type found struct {
	def
	node sitter.Node
}

func (t *tree) definitions(ctx context.Context, root *sitter.Node, src []byte) ([]def, error) {
	cursor := sitter.NewQueryCursor()
	defer cursor.Close()
	cursor.SetMatchLimit(4096)
	limit, began := queryLimit(ctx), time.Now()
	cursor.SetTimeoutMicros(uint64(limit.Microseconds()))
	matches := cursor.Matches(t.g.query, root, src)
	var list []found
	var supers []struct {
		at   int
		name string
	}
	wraps := map[spanKey]spanKey{}
	inners := map[spanKey]int{} // how many a wrap has
	pieces, keys := map[spanKey]bool{}, objects{}
	exports := map[string]bool{}
	var more []def // what statements bind or hand on
	var bound []sitter.Node
	var lambdas []spanKey
	for n := 0; ; n++ {
		if n%1000 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		m := matches.Next()
		if m == nil || len(list) >= maxDefs {
			break
		}
		var d found
		var wrap, inner spanKey
		var names []sitter.Node
		owner, name, binds, passed := -1, -1, -1, -1
		var holds *sitter.Node // the pattern
		var declares sitter.Node
		inside := false
		d.body = -1
		for i, c := range m.Captures {
			r := t.g.roles[c.Index]
			from, to := c.Node.ByteRange()
			at := spanKey{int(from), int(to)}
			switch r.part {
			case definition:
				d.kind, d.node = r.kind, c.Node
				d.sigAt, d.start, d.end = at.from, at.from, at.to
			case nameOf:
				d.name, d.nameAt, name = string(src[at.from:at.to]), at.from, i
			case ownerOf:
				owner = i
			case bindsOf:
				binds = i
			case walrusOf:
				bound = append(bound, c.Node)
			case passedOf:
				passed = i
			case stateOf:
				d.node = c.Node
			case patternOf:
				names = boundNames(&c.Node, nil)
				if imported(src[to:]) && !bytes.HasSuffix(bytes.TrimRight(src[:d.start], " \t\r\n"), []byte("export")) {
					for i := range names {
						more = append(more, handedOn(&d.node, &names[i], src))
					}
					names = nil
				}
				holds = c.Node.Parent()
			case declaratorOf:
				declares, inside = c.Node, true
			case scopeOf:
				d.scope = string(src[at.from:at.to])
			case superOf:
				supers = append(supers, struct {
					at   int
					name string
				}{at.from, superName(src[at.from:at.to])})
			case wrapOf:
				wrap = at
			case innerOf:
				inner = at
			case emptyOf:
				if from == to {
					t.empty = append(t.empty, c.Node.StartPosition())
				}
			case pieceOf:
				pieces[at] = true
			case keyedOf:
				keys.keys(&c.Node, "", false, src, 0)
			case madeOf:
				keys.keys(&c.Node, "", true, src, 0)
			case lambdaOf:
				lambdas = append(lambdas, at)
			case exportOf:
				exports[string(src[at.from:at.to])] = true
			}
		}
		switch {
		case binds >= 0:
			more = append(more, t.bindings(&m.Captures[binds].Node, src)...)
		case passed >= 0:
			more = append(more, passedOn(&d.node, &m.Captures[passed].Node, src))
		case owner >= 0:
			more = append(more, field(&d.node, &m.Captures[owner].Node, &m.Captures[name].Node, src))
		case wrap != spanKey{} && t.lang.ID == "ruby" && wrap.to != inner.to: // brackets close behind it, or a block
		case wrap != spanKey{}:
			wraps[inner] = wrap
			inners[wrap]++
		case inside:
			name, kind := declaredIn(&declares, &d)
			if name == nil {
				break
			}
			from, to := name.ByteRange()
			d.kind, d.name, d.nameAt, d.rank = kind, string(src[from:to]), int(from), nestedRank+int(m.PatternIndex)
			list = append(list, d)
		case d.kind != "" && d.name != "":
			d.rank = int(m.PatternIndex)
			list = append(list, d)
		}
		if holds != nil && holds.Kind() == "variable_declarator" { // its neighbours are others
			from, to := holds.ByteRange()
			d.node, d.sigAt, d.start, d.end = *holds, int(from), int(from), int(to)
		}
		for i := range names {
			from, to := names[i].ByteRange()
			d.name, d.nameAt, d.rank = string(src[from:to]), int(from), int(m.PatternIndex)
			list = append(list, d)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if time.Since(began) >= limit {
		if limit < queryTime { // which the context set, a moment before its end
			return nil, context.DeadlineExceeded
		}
		t.late = true
	}
	more = append(more, walruses(bound, lambdas, src)...)
	defs := make([]def, 0, len(list)+len(more))
	for _, d := range more {
		d.exported = d.exported || exports[d.name]
		d.hidden = len(exports) > 0 && !d.exported
		defs = append(defs, d)
	}
	for i := range list {
		d := &list[i]
		d.body = bodyOf(&d.node)
		at := spanKey{d.sigAt, d.end}
		above, known := keys[at]
		if !known && d.kind == Method && isOption(&d.node) {
			continue
		}
		for range 4 {
			wrap, ok := wraps[at]
			if !ok || inners[wrap] != 1 {
				break
			}
			at = wrap
		}
		d.start, d.end, d.part = at.from, at.to, pieces[at]
		// What stands in front on the same line (export, const) is part of the signature, decorators are not.
		from := min(SkipAttributes(t.lang, src, d.start), d.sigAt)
		from += bytes.LastIndexByte(src[from:d.sigAt], '\n') + 1
		d.sigAt = from + len(src[from:d.sigAt]) - len(bytes.TrimLeft(src[from:d.sigAt], " \t"))
		d.start = t.attributesOf(&d.node, src, d.start)
		t.bound(d, src)
		d.exported = exports[d.name]
		d.hidden = t.lang.ID == "python" && len(exports) > 0 && !d.exported
		cleanName(t.lang, &d.def)
		d.within(above)
		if d.name != "" {
			defs = append(defs, d.def)
		}
	}
	place(defs, supers)
	return defs, nil
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
func place(defs []def, supers []struct {
	at   int
	name string
}) {
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
			if args := v.ChildByFieldName("arguments"); b == nil && args != nil && args.NamedChildCount() > 0 { // of a function that a call is given
				b = args.NamedChild(0).ChildByFieldName("body")
			}
		}
	}
	if b == nil || b.Kind() == "ordered_field_declaration_list" { // of Rust: it is part of the head
		return -1
	}
	return int(b.StartByte())
}
