//go:build cgo

package syntax

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	sitter "github.com/tree-sitter/go-tree-sitter"
)

// What Python binds: names that stand in the statements of a module or a class, in whatever blocks of it, and what methods give
// to the object that they are called on (own.go).

// maxBlocks is how many blocks in blocks are looked into.
const maxBlocks = 100

// bindings gathers the names that the statements of a module or a class bind. Those of its functions are their own.
type bindings struct {
	src   []byte
	kind  Kind
	whole bool // it has no fault: what stands in which block is no guess
	defs  []def
}

// bindings gives the definitions of the names that a module, or the block of a class, binds.
func (t *tree) bindings(scope *sitter.Node, src []byte) []def {
	b := bindings{src: src, kind: Field, whole: !scope.HasError()}
	if scope.Kind() == "module" {
		b.kind = Variable
	}
	cursor := scope.Walk()
	defer cursor.Close()
	b.block(cursor, 0)
	return b.defs
}

// block looks at the statements below a node.
func (b *bindings) block(c *sitter.TreeCursor, depth int) {
	around := c.Node().Kind()
	if depth > maxBlocks || !c.GotoFirstChild() {
		return
	}
	for ok := true; ok; ok = c.GotoNextSibling() {
		switch n := c.Node(); n.Kind() {
		case "expression_statement":
			if first := n.NamedChild(0); first != nil && first.Kind() == "assignment" {
				b.assignment(first)
			}
		case "for_statement":
			if b.sure(n, depth) {
				b.loose(n.ChildByFieldName("left"))
				b.block(c, depth+1)
			}
		case "case_clause":
			for i := range n.NamedChildCount() {
				if p := n.NamedChild(i); p.Kind() == "case_pattern" {
					b.captured(p, depth)
				}
			}
			b.block(c, depth+1)
		case "as_pattern":
			if around == "with_item" { // the name of an exception lives no longer than its clause
				b.loose(n.ChildByFieldName("alias"))
			}
		case "if_statement", "elif_clause", "else_clause", "try_statement", "except_clause", "except_group_clause", "finally_clause", "while_statement",
			"with_statement", "with_clause", "with_item", "match_statement", "block":
			if b.sure(n, depth) {
				script, from := b.asScript(n), len(b.defs)
				b.block(c, depth+1)
				for i := from; i < len(b.defs) && b.defs[i].start < script; i++ {
					b.defs[i].hidden = true
				}
			}
		}
	}
	c.GotoParent()
}

// sure reports whether what stands in a statement is what it seems. Where the scope does not parse, that is sure of those in the
// first column of a module that do: the body of a function that lost its head stands further right.
func (b *bindings) sure(n *sitter.Node, depth int) bool {
	return b.whole || depth > 0 || b.kind == Variable && !n.HasError() && n.StartPosition().Column == 0
}

// asScript gives up to where a statement is what a module does when it is run, and not where it is imported; 0 when it is not.
func (b *bindings) asScript(n *sitter.Node) int {
	test, body := n.ChildByFieldName("condition"), n.ChildByFieldName("consequence")
	if n.Kind() != "if_statement" || test == nil || body == nil {
		return 0
	}
	from, to := test.ByteRange()
	if !bytes.Contains(b.src[from:to], []byte("__name__")) || !bytes.Contains(b.src[from:to], []byte("__main__")) {
		return 0
	}
	return int(body.EndByte())
}

// assignment adds the names that an assignment gives a value, or a type: a = b, c = 1.
func (b *bindings) assignment(n *sitter.Node) {
	from, to := n.ByteRange()
	var names []sitter.Node
	alone := true // they are all that is bound
	for next := n; next != nil && next.Kind() == "assignment"; next = next.ChildByFieldName("right") {
		var only bool
		names, only = targets(next.ChildByFieldName("left"), names)
		alone = alone && only
	}
	for i := range names {
		at, end := names[i].ByteRange()
		b.defs = append(b.defs, def{
			kind: b.kind, name: string(b.src[at:end]), nameAt: int(at),
			sigAt: int(from), start: int(from), end: int(to), body: -1, part: !alone,
		})
	}
}

// targets adds the names among what is assigned to, and reports whether there is nothing else: no field, no element.
func targets(n *sitter.Node, names []sitter.Node) ([]sitter.Node, bool) {
	if n == nil {
		return names, true
	}
	switch n.Kind() {
	case "identifier":
		return append(names, *n), true
	case "pattern_list", "tuple_pattern", "list_pattern", "list_splat_pattern", "as_pattern_target", "tuple", "list":
		alone := true
		for i := range n.NamedChildCount() {
			var only bool
			names, only = targets(n.NamedChild(i), names)
			alone = alone && only
		}
		return names, alone
	}
	return names, n.IsExtra()
}

// loose adds names that stand in the head of a statement, as those of a loop do.
func (b *bindings) loose(n *sitter.Node) {
	names, _ := targets(n, nil)
	for i := range names {
		b.defs = append(b.defs, looseDef(&names[i], b.kind, b.src))
	}
}

// looseDef is the definition of a name that is bound where it stands, by a statement that does more than that.
func looseDef(n *sitter.Node, kind Kind, src []byte) def {
	from, to := n.ByteRange()
	return def{
		kind: kind, name: string(src[from:to]), nameAt: int(from), sig: lineSig(src, int(from)),
		sigAt: int(from), start: int(from), end: int(to), body: -1, part: true, loose: true,
	}
}

// captured adds the names that a pattern of a case binds.
func (b *bindings) captured(n *sitter.Node, depth int) {
	if depth > maxBlocks {
		return
	}
	kind := n.Kind()
	for i := range n.NamedChildCount() {
		c := n.NamedChild(i)
		switch c.Kind() {
		case "identifier":
			if kind != "keyword_pattern" || i > 0 {
				b.defs = append(b.defs, looseDef(c, b.kind, b.src))
			}
		case "dotted_name":
			if c.NamedChildCount() == 1 && (kind != "class_pattern" || i > 0) {
				b.defs = append(b.defs, looseDef(c, b.kind, b.src))
			}
		default:
			b.captured(c, depth+1)
		}
	}
}

// walruses gives the definitions of names that expressions bind, but for those in a lambda, whose names they are.
func walruses(names []sitter.Node, lambdas []spanKey, src []byte) []def {
	if len(names) == 0 {
		return nil
	}
	slices.SortFunc(lambdas, func(a, b spanKey) int { return cmp.Compare(a.from, b.from) })
	for i := 1; i < len(lambdas); i++ { // each ends where the last of those that begin before it does
		lambdas[i].to = max(lambdas[i].to, lambdas[i-1].to)
	}
	var defs []def
	for i := range names {
		at := int(names[i].StartByte())
		k, _ := slices.BinarySearchFunc(lambdas, at, func(l spanKey, at int) int { return cmp.Compare(l.from, at) })
		if k == 0 || lambdas[k-1].to <= at {
			defs = append(defs, looseDef(&names[i], Variable, src))
		}
	}
	return defs
}

// field gives the definition of what a statement of a function gives to an object, which owned judges: self.a = b. n is the
// assignment, or what in a statement binds several.
func field(n, owner, name *sitter.Node, src []byte) def {
	from, to := owner.StartByte(), name.EndByte()
	d := def{
		kind: Field, name: string(src[name.StartByte():to]), nameAt: int(name.StartByte()), owner: string(src[from:owner.EndByte()]),
		sigAt: int(from), start: int(from), end: int(to), body: -1, part: true,
	}
	if n.Kind() != "assignment" || bytes.HasSuffix(bytes.TrimRight(src[:n.StartByte()], " \t"), []byte("=")) {
		d.sig = lineSig(src, d.start)
		return d
	}
	d.sigAt, d.start, d.end = int(n.StartByte()), int(n.StartByte()), int(n.EndByte())
	left, right := n.ChildByFieldName("left"), n.ChildByFieldName("right")
	d.part = left.Kind() != "attribute" || right != nil && right.Kind() == "assignment"
	return d
}

// lineSig is the signature of what a statement binds that does more than that: its first line.
func lineSig(src []byte, at int) string {
	line := bytes.LastIndexByte(src[:at], '\n') + 1
	return strings.TrimRight(clipped(oneLine(lineAt(src, line))), ": ")
}

// templates are what strings with a t in front begin with.
var templates = strings.Fields(`t" t' T" T' tr" tr' tR" tR' Tr" Tr' TR" TR'`)

// withoutTemplates makes templates of Python f-strings, which its grammar knows and which hold the same. A letter in a string that
// is taken for a mark changes nothing of the tree.
func withoutTemplates(src []byte) []byte {
	known := src
	for _, mark := range templates {
		for from := 0; ; {
			i := bytes.Index(src[from:], []byte(mark))
			if i < 0 {
				break
			}
			at := from + i
			from = at + len(mark)
			before := src[:at]
			if n := len(before); n > 0 && before[n-1]|0x20 == 'r' {
				before = before[:n-1]
			}
			if n := len(before); n > 0 && (before[n-1] >= 0x80 || wordRune(rune(before[n-1]))) {
				continue
			}
			if &known[0] == &src[0] {
				known = bytes.Clone(src)
			}
			known[at] = 'f'
		}
	}
	return known
}
