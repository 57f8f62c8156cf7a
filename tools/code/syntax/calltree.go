//go:build cgo

package syntax

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	sitter "github.com/tree-sitter/go-tree-sitter"
)

// callees are the nodes that call something, with the field that holds what they call; "" for the first named child.
var callees = map[string]string{
	"call_expression": "function", "call": "function", "new_expression": "constructor", "invocation_expression": "function",
	"method_invocation": "name", "object_creation_expression": "type", "instance_expression": "", "compound_literal_expression": "type",
	"function_call_expression": "function", "member_call_expression": "name", "nullsafe_member_call_expression": "name", "scoped_call_expression": "name",
	"function_call": "name", "command": "name", "macro_invocation": "macro", "decorator": "",
	"jsx_opening_element": "name", "jsx_self_closing_element": "name", "annotation": "", "marker_annotation": "",
}

// longer are the nodes that say more of the name which they end with, but for types that it is given.
var longer = map[string]bool{
	"member_expression": true, "attribute": true, "field_expression": true, "scoped_identifier": true, "qualified_identifier": true,
	"generic_function": true, "template_function": true, "template_method": true, "generic_name": true, "generic_type": true, "scoped_type_identifier": true,
	"member_access_expression": true, "member_binding_expression": true, "conditional_access_expression": true, "qualified_name": true,
	"dot_index_expression": true, "method_index_expression": true, "navigation_expression": true, "scope_resolution": true, "command_name": true,
	"non_null_expression": true, "parenthesized_expression": true, "instantiation_expression": true, "user_type": true, "nested_type_identifier": true,
}

func calledInTree(ctx context.Context, lang *Language, src []byte, at []int, length int, calls []bool) error {
	t, err := parseTree(ctx, lang, src)
	if errors.Is(err, ErrUnsupported) {
		return nil
	}
	if err != nil {
		return err
	}
	defer t.close()
	root := t.RootNode()
	for i, a := range at {
		if i%1000 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if n := root.NamedDescendantForByteRange(uint(a), uint(a+length)); n != nil {
			calls[i] = !declares(n) && (calls[i] || called(lang, src, n))
		}
	}
	return nil
}

// declares reports whether a node is the name of what a node around it declares.
func declares(n *sitter.Node) bool {
	p := n.Parent()
	for p != nil && longer[p.Kind()] && same(n, tailOf(p)) { // of a type that is named in front
		n, p = p, p.Parent()
	}
	if p == nil {
		return false
	}
	switch kind := p.Kind(); {
	case kind == "destructor_name": // of C++: ~K is no K
		return true
	case kind == "function_declarator":
		return same(n, p.ChildByFieldName("declarator"))
	case kind == "method", kind == "singleton_method", strings.HasSuffix(kind, "_declaration"), strings.HasSuffix(kind, "_definition"), strings.HasSuffix(kind, "_item"), strings.HasSuffix(kind, "_signature"):
		return same(n, p.ChildByFieldName("name"))
	}
	return false
}

// called reports whether what a node names is called: by a node around it of which it is the last of the callee.
func called(lang *Language, src []byte, n *sitter.Node) bool {
	for range 20 {
		p := n.Parent()
		if p == nil {
			return false
		}
		kind := p.Kind()
		if field, ok := callees[kind]; ok {
			return same(n, calleeOf(p, field)) || made(src, p, n)
		}
		switch {
		case kind == "infix_expression": // of Kotlin: a f b
			return same(n, p.NamedChild(1))
		case lang.ID == "ruby" && n.Kind() == "identifier":
			return bareCall(p, n)
		case kind == "member_expression" && same(n, p.ChildByFieldName("object")): // f.call(this)
			return slices.Contains([]string{"call", "apply"}, text(src, p.ChildByFieldName("property"))) && called(lang, src, p)
		case !longer[kind] || !same(n, tailOf(p)):
			return false
		}
		n = p
	}
	return false
}

// calleeOf is what a node calls.
func calleeOf(p *sitter.Node, field string) *sitter.Node {
	for _, name := range []string{field, "method", "type"} { // of Ruby; of C++
		if name == "" {
			continue
		}
		if c := p.ChildByFieldName(name); c != nil {
			return c
		}
	}
	return p.NamedChild(0)
}

// made reports whether a class of Ruby makes one of itself: Foo.new.
func made(src []byte, p, n *sitter.Node) bool {
	return same(n, p.ChildByFieldName("receiver")) && text(src, p.ChildByFieldName("method")) == "new"
}

// bareCall reports whether a name of Ruby that stands alone may call a method: it is given no value and is no parameter.
func bareCall(p, n *sitter.Node) bool {
	switch kind := p.Kind(); {
	case strings.HasSuffix(kind, "parameters"), strings.HasSuffix(kind, "parameter"), kind == "method", kind == "singleton_method", kind == "alias", kind == "undef", kind == "left_assignment_list":
		return false
	case kind == "assignment", kind == "operator_assignment", kind == "for":
		return !same(n, p.NamedChild(0))
	}
	return true
}

// tailOf is the last part of a node, but for types that it is given.
func tailOf(p *sitter.Node) *sitter.Node {
	for i := p.NamedChildCount(); i > 0; i-- {
		if c := p.NamedChild(i - 1); !strings.Contains(c.Kind(), "argument") && !strings.HasSuffix(c.Kind(), "comment") {
			return c
		}
	}
	return nil
}

func same(a, b *sitter.Node) bool {
	return b != nil && a.StartByte() == b.StartByte() && a.EndByte() == b.EndByte()
}

func text(src []byte, n *sitter.Node) string {
	if n == nil {
		return ""
	}
	return string(bytes.TrimSpace(src[n.StartByte():n.EndByte()]))
}
