//go:build cgo

package syntax

import (
	"strings"

	sitter "github.com/tree-sitter/go-tree-sitter"
)

// What modules of JavaScript and TypeScript take from others and hand on, and functions that stand in objects.

// boundNames adds the names that a pattern of JavaScript binds: of { a, b: { c = 1 }, ...d } they are a, c and d.
func boundNames(n *sitter.Node, names []sitter.Node) []sitter.Node {
	switch n.Kind() {
	case "identifier", "shorthand_property_identifier_pattern":
		return append(names, *n)
	case "pair_pattern":
		n = n.ChildByFieldName("value")
	case "assignment_pattern", "object_assignment_pattern":
		n = n.ChildByFieldName("left")
	case "object_pattern", "array_pattern", "rest_pattern":
		for i := range n.NamedChildCount() {
			names = boundNames(n.NamedChild(i), names)
		}
		return names
	default:
		n = nil
	}
	if n == nil {
		return names
	}
	return boundNames(n, names)
}

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

// keysAround gives the keys that a property of an object stands below, with dots: of a: { b: { c() {} } } they are a.b for c. ok is
// true where the object is, or is in, what a variable or an export is made of; where a call makes it, that stands at the top of
// the file, since the objects that other calls are given are options of theirs.
func keysAround(property *sitter.Node, src []byte) (keys string, ok bool) {
	called := false
	for n := property.Parent(); n != nil; n = n.Parent() {
		switch n.Kind() {
		case "object", "arguments", "parenthesized_expression", "as_expression", "satisfies_expression", "await_expression":
		case "pair":
			if k := n.ChildByFieldName("key"); k != nil {
				keys = strings.TrimSuffix(strings.Trim(string(src[k.StartByte():k.EndByte()]), "\"'")+"."+keys, ".")
			}
		case "call_expression", "new_expression":
			called = true
		case "variable_declarator", "assignment_expression":
			n = n.Parent()
			return keys, n != nil && (!called || atTop(n))
		case "export_statement":
			return keys, true
		default:
			return "", false
		}
	}
	return "", false
}

// atTop reports whether a statement stands in no other.
func atTop(n *sitter.Node) bool {
	up := n.Parent()
	return up != nil && (up.Kind() == "program" || up.Kind() == "export_statement")
}

// within puts a definition below the keys of an object.
func (d *def) within(keys string) {
	if keys != "" {
		d.scope = strings.TrimSuffix(keys+"."+d.scope, ".")
	}
}
