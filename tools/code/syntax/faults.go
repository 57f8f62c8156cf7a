//go:build cgo

package syntax

import (
	"fmt"
	"strings"
)

// What of a tree does not parse.

// cost tells how much of a source does not parse: what is missing, and the words that stand in no part of the tree.
func (t *tree) cost() int {
	sum := 0
	cursor := t.RootNode().Walk()
	defer cursor.Close()
	var outside []bool // whether the nodes around are errors
	for {
		n := cursor.Node()
		if n.IsMissing() || n.IsError() || len(outside) > 0 && outside[len(outside)-1] && n.ChildCount() == 0 && !n.IsExtra() {
			sum++
		}
		if n.HasError() && cursor.GotoFirstChild() {
			outside = append(outside, n.IsError())
			continue
		}
		for !cursor.GotoNextSibling() {
			if !cursor.GotoParent() {
				return sum
			}
			outside = outside[:len(outside)-1]
		}
	}
}

// faults lists the places that do not parse.
func (t *tree) faults(src []byte) []Fault {
	var list []Fault
	root := t.RootNode()
	cursor := root.Walk()
	defer cursor.Close()
	for len(list) < maxFaults {
		n := cursor.Node()
		if (n.IsError() || n.IsMissing()) && !t.bodyless(n, src) {
			p := n.StartPosition()
			msg := "missing " + n.Kind()
			if n.IsError() {
				text, _, _ := strings.Cut(string(src[n.StartByte():min(int(n.EndByte()), int(n.StartByte())+40)]), "\n")
				msg = fmt.Sprintf("unexpected %q", strings.ToValidUTF8(text, "\ufffd"))
			}
			list = append(list, Fault{int(p.Row) + 1, int(p.Column) + 1, msg})
		}
		if n.HasError() && !n.IsError() && cursor.GotoFirstChild() {
			continue
		}
		for !cursor.GotoNextSibling() {
			if !cursor.GotoParent() {
				return list
			}
		}
	}
	return list
}
