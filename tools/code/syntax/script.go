//go:build cgo

package syntax

import (
	"strings"

	sitter "github.com/tree-sitter/go-tree-sitter"
)

// What modules of JavaScript and TypeScript take from others and hand on.

// handedOn is the definition of a name that a statement takes from another module: an export where the file hands it on.
func handedOn(statement, name *sitter.Node, src []byte) def {
	from, to := name.ByteRange()
	begin, end := statement.ByteRange()
	return def{
		kind: Passed, name: string(src[from:to]), nameAt: int(from), sig: clipped(strings.TrimRight(oneLine(src[begin:end]), "; ")),
		sigAt: int(from), start: int(from), end: int(to), body: -1,
	}
}

// passedOn is the definition of what a specifier exports: a, a as b, * as c. It names a symbol of the file where the statement
// has no source.
func passedOn(statement, specifier *sitter.Node, src []byte) def {
	here := specifier.ChildByFieldName("name")
	name := specifier.ChildByFieldName("alias")
	if name == nil {
		name = here
	}
	if name == nil { // of a namespace
		name = specifier
	}
	d := handedOn(statement, name, src)
	if d.exported = true; statement.ChildByFieldName("source") == nil && here != nil {
		d.owner = string(src[here.StartByte():here.EndByte()])
	}
	return d
}
