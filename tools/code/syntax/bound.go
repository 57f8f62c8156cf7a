//go:build cgo

package syntax

import (
	"bytes"
	"slices"
	"strings"

	sitter "github.com/tree-sitter/go-tree-sitter"
)

// Where grammars see the ends of definitions elsewhere than people do.

// voids are elements of HTML that hold nothing: the grammar gives them what follows.
var voids = []string{"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"}

// bound takes from a definition what is not its own: white space around it, as macros of C have behind them, what follows
// an element that holds nothing. It gives what stands behind the body of a type of C, which it names or is of, the signature of it all, and a
// type the line of it too.
func (t *tree) bound(d *found, src []byte) {
	if t.lang.ID == "html" && slices.Contains(voids, strings.ToLower(d.name)) {
		if tag := d.node.Child(0); tag != nil {
			d.end = int(tag.EndByte())
		}
	}
	if t.lang.ID == "php" && d.kind == Member && !isCase(&d.node, src) {
		d.kind = Constant
	}
	if d.node.IsError() { // see bodyless; the way to a parent is as long as the tree is deep, so it is not asked for of all
		if around := d.node.Parent(); around != nil && around.Kind() == "expression_statement" {
			from, to := around.ByteRange()
			d.start, d.sigAt, d.end = int(from), int(from), int(to)
		}
	}
	d.end = d.sigAt + len(bytes.TrimRight(src[d.sigAt:d.end], " \t\r\n"))
	skip := func(at int) int { return at + len(src[at:d.nameAt]) - len(bytes.TrimLeft(src[at:d.nameAt], " \t\r\n")) }
	if d.start <= d.nameAt && d.sigAt <= d.nameAt {
		d.start, d.sigAt = skip(d.start), skip(d.sigAt)
	}
	if d.kind != Type && d.kind != Variable && d.kind != Field || t.lang.ID != "c" && t.lang.ID != "cpp" {
		return
	}
	typ := d.node.ChildByFieldName("type")
	if typ == nil {
		return
	}
	if body := typ.ChildByFieldName("body"); body != nil && int(body.EndByte()) <= d.nameAt {
		from, to := body.ByteRange()
		if d.kind != Type && bytes.IndexByte(src[to:d.end], '\n') >= 0 { // its head alone
			return
		}
		d.whole = d.kind == Type
		d.sig = clipped(oneLine(src[d.sigAt:from]) + " {…} " + oneLine(bytes.TrimRight(src[to:d.end], "; ")))
	}
}

// bodyless reports whether a fault is the declaration of a function without a name that a module gives by default, which
// the grammar knows only with a body: export default function (): string;
func (t *tree) bodyless(n *sitter.Node, src []byte) bool {
	if t.lang.ID != "typescript" || !n.IsError() {
		return false
	}
	before := n.PrevSibling()
	if before == nil || string(src[before.StartByte():before.EndByte()]) != "export" {
		return false
	}
	var kinds []string
	for i := range n.ChildCount() {
		c := n.Child(i)
		if c.HasError() || c.IsError() || c.IsMissing() {
			return false
		}
		kinds = append(kinds, c.Kind())
	}
	return strings.HasPrefix(strings.Join(kinds, " "), "default function formal_parameters")
}
