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
	return handed(name, string(src[from:to]), strings.TrimRight(string(src[begin:end]), "; \r\n"))
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

// keys notes, of the functions that are properties of what a variable or an export is made of, the keys that they stand below, with
// dots: of a: { b: { c() {} } } they are a.b for c. Those of objects that calls are given count where entered says so: at the top of
// a file such a call makes what is declared, elsewhere they are its options.
func (k objects) keys(n *sitter.Node, above string, entered bool, src []byte, depth int) {
	if depth > maxDepth {
		return
	}
	switch n.Kind() {
	case "object":
		k.object(n, above, entered, src, depth)
	case "parenthesized_expression", "as_expression", "satisfies_expression", "await_expression":
		if inner := n.NamedChild(0); inner != nil {
			k.keys(inner, above, entered, src, depth+1)
		}
	case "call_expression", "new_expression":
		if args := n.ChildByFieldName("arguments"); args != nil && entered {
			for i := range min(args.NamedChildCount(), maxArguments) {
				k.keys(args.NamedChild(i), above, entered, src, depth+1)
			}
		}
	}
}

// objects are the properties of objects that are functions, with the keys above them.
type objects map[spanKey]string

// maxArguments is how many arguments of a call are looked at.
const maxArguments = 20

// object notes the properties of an object.
func (k objects) object(n *sitter.Node, above string, entered bool, src []byte, depth int) {
	c := n.Walk()
	defer c.Close()
	for ok := c.GotoFirstChild(); ok; ok = c.GotoNextSibling() {
		p := c.Node()
		from, to := p.ByteRange()
		switch p.Kind() {
		case "method_definition":
			k[spanKey{int(from), int(to)}] = above
		case "pair":
			k[spanKey{int(from), int(to)}] = above
			key, value := p.ChildByFieldName("key"), p.ChildByFieldName("value")
			if key != nil && value != nil && len(above) < maxPath {
				k.keys(value, strings.TrimPrefix(above+"."+strings.Trim(string(src[key.StartByte():key.EndByte()]), "\"'"), "."), entered, src, depth+1)
			}
		}
	}
}

// within puts a definition below the keys of an object.
func (d *def) within(keys string) {
	if keys != "" {
		d.scope = strings.TrimSuffix(keys+"."+d.scope, ".")
	}
}

// isOption reports whether a function is a property of an object by a colon, which is a symbol only below what keys notes.
func isOption(n *sitter.Node) bool { return n.Kind() == "pair" }
