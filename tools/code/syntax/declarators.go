//go:build cgo

package syntax

import (
	"context"

	sitter "github.com/tree-sitter/go-tree-sitter"
)

// declarators finds the declaration of several names of JavaScript that one part of it stands in.
func declarators(ctx context.Context, lang *Language, src []byte, part Span) (*Declaration, error) {
	t, err := parseTree(ctx, lang, src)
	if err != nil {
		return nil, err
	}
	defer t.close()
	n := t.RootNode().DescendantForByteRange(uint(part.Start), uint(part.End))
	for n != nil && n.Kind() != "variable_declarator" && int(n.StartByte()) == part.Start && int(n.EndByte()) == part.End {
		n = n.Parent()
	}
	if n == nil || n.Kind() != "variable_declarator" || int(n.StartByte()) != part.Start || int(n.EndByte()) != part.End {
		return nil, nil
	}
	return declarationAround(n.Parent()), nil
}

// declarationAround reads the parts of a declaration; nil when it has one.
func declarationAround(n *sitter.Node) *Declaration {
	if n == nil {
		return nil
	}
	var d Declaration
	for i := range n.NamedChildCount() {
		if c := n.NamedChild(i); c.Kind() == "variable_declarator" {
			d.Parts = append(d.Parts, Span{int(c.StartByte()), int(c.EndByte())})
		}
	}
	if len(d.Parts) < 2 {
		return nil
	}
	for p := n.Parent(); p != nil && (p.Kind() == "export_statement" || p.Kind() == "ambient_declaration"); p = p.Parent() {
		n = p
	}
	d.Start, d.End = int(n.StartByte()), int(n.EndByte())
	return &d
}
