//go:build cgo

package syntax

import (
	"bytes"
	"regexp"
	"sync"

	sitter "github.com/tree-sitter/go-tree-sitter"
)

// Declarators of C and C++, in which the name stands inside whatever it is made of: int (*f(int x))(void).

// nestedRank puts what is found in a nested declarator behind what a pattern of the query names.
const nestedRank = 1 << 16

// declaredIn gives the name that a declarator of C declares and what it is, for a definition of some kind around it; nil for what
// is none of its own, as the definition of a static member.
func declaredIn(n *sitter.Node, around *found) (name *sitter.Node, kind Kind) {
	if n.HasError() {
		return nil, ""
	}
	if around.node.Kind() == "expression_statement" {
		return expressed(n)
	}
	whole := around.node.Kind() == "function_definition"
	called := false // the innermost of what the name is made of says what it is
	for n != nil {
		switch n.Kind() {
		case "function_declarator":
			inner := n.ChildByFieldName("declarator")
			if inner != nil && inner.Kind() == n.Kind() { // which none gives back: a macro makes the name
				return nil, ""
			}
			called, n = true, inner
			continue
		case "pointer_declarator", "reference_declarator", "array_declarator":
			called = false
		case "parenthesized_declarator", "init_declarator", "attributed_declarator":
		case "identifier", "field_identifier", "type_identifier":
			name = n
		case "qualified_identifier", "operator_name":
			if whole {
				name = n
			}
		case "template_function":
			name = n
		}
		if name != nil || n.NamedChildCount() == 0 {
			break
		}
		inner := n.ChildByFieldName("declarator")
		if inner == nil && n.Kind() != "qualified_identifier" && n.Kind() != "operator_name" {
			inner = n.NamedChild(n.NamedChildCount() - 1)
		}
		n = inner
	}
	kind = around.kind
	switch {
	case name == nil, whole && !called:
		return nil, ""
	case called && kind == Variable:
		kind = prototype
	case called && kind == Field:
		kind = Method
	}
	return name, kind
}

// expressed is declaredIn for what C++ may declare outside of functions, where there are no statements, and the grammar takes for
// one: int (*f())[3]; T (*a)[2] = b;
func expressed(n *sitter.Node) (name *sitter.Node, kind Kind) {
	if n.Kind() == "assignment_expression" {
		n = n.ChildByFieldName("left")
	}
	outer := 0
	for n != nil && (n.Kind() == "subscript_expression" || n.Kind() == "call_expression") {
		inner := n.ChildByFieldName("argument")
		if inner == nil {
			inner = n.ChildByFieldName("function")
		}
		if inner == nil || inner.Kind() != "subscript_expression" && inner.Kind() != "call_expression" {
			break
		}
		n = inner
		outer++
	}
	if n == nil || outer == 0 {
		return nil, ""
	}
	list := n.ChildByFieldName("arguments")
	if list == nil || list.NamedChildCount() != 1 || list.NamedChild(0).Kind() != "pointer_expression" {
		return nil, ""
	}
	kind = Variable
	for n = list.NamedChild(0); n != nil; {
		switch n.Kind() {
		case "pointer_expression", "subscript_expression":
			kind, n = Variable, n.ChildByFieldName("argument")
		case "call_expression":
			kind, n = prototype, n.ChildByFieldName("function")
		case "identifier":
			return n, kind
		default:
			return nil, ""
		}
	}
	return nil, ""
}

var (
	memberPointer = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`((?:\w+(?:<[^<>;{}()]*>)?\s*::\s*)+)\*`)
	})
	referenceIn = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m)^[ \t]*(?:(?:static|extern|const|constexpr|inline)\s+)*[\w:]+(?:<[^;{}()]*>)?[ \t]*\((&)[ \t]*\w+(?:\([^(){};]*\))?\)[ \t]*[\[(]`)
	})
)

// readable gives C++ with plain pointers for those to members, and for references that stand in brackets behind their type, and
// with plain members for those that are reached by such a pointer, which the grammar takes for other things.
func readable(src []byte) []byte {
	known := src
	hide := func(from, to int, as byte) {
		if &known[0] == &src[0] {
			known = bytes.Clone(src)
		}
		for i := from; i < to; i++ {
			known[i] = as
		}
	}
	if bytes.Contains(src, []byte("::*")) || bytes.Contains(src, []byte(":: *")) {
		for _, m := range memberPointer().FindAllSubmatchIndex(src, -1) {
			hide(m[2], m[3], ' ')
		}
	}
	if bytes.Contains(src, []byte("(&")) {
		for _, m := range referenceIn().FindAllSubmatchIndex(src, -1) {
			hide(m[2], m[3], '*')
		}
	}
	for _, mark := range []string{"->*", ".*"} { // a member by its pointer
		for from := 0; ; {
			i := bytes.Index(src[from:], []byte(mark))
			if i < 0 {
				break
			}
			from += i + len(mark)
			if at := from - len(mark) - 1; at >= 0 && from < len(src) && wordRune(rune(src[from])) && (wordRune(rune(src[at])) || src[at] == ')' || src[at] == ']') && !digitWord(src[:at+1]) {
				hide(from-1, from, ' ')
			}
		}
	}
	return known
}

// digitWord reports whether a part of a source ends with a number.
func digitWord(part []byte) bool {
	word := part[len(bytes.TrimRightFunc(part, wordRune)):]
	return len(word) > 0 && word[0] >= '0' && word[0] <= '9'
}
