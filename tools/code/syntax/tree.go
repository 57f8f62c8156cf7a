//go:build cgo

package syntax

import (
	"context"
	"fmt"
	"sort"
	"strings"

	sitter "github.com/tree-sitter/go-tree-sitter"
)

func classify(ctx context.Context, lang *Language, src []byte, spans []Span) ([]Place, error) {
	t, err := parseTree(ctx, lang, src)
	if err != nil {
		return nil, err
	}
	defer t.close()
	root := t.RootNode()
	out := make([]Place, len(spans))
	for i, s := range spans {
		n := root.DescendantForByteRange(uint(s.Start), uint(s.End))
		out[i] = placeOf(n)
		if out[i] == InCode && partOfName(n, src, s) {
			out[i] = InText
		}
		if out[i] == InText && lang.ID == "kotlin" && s.Start > 0 && src[s.Start-1] == '$' {
			out[i] = InCode // the grammar takes a name in a string for its text
		}
	}
	return out, nil
}

// partOfName reports whether a word is a part of a name with hyphens, as attributes of JSX and words of a shell have.
func partOfName(n *sitter.Node, src []byte, s Span) bool {
	if n == nil || n.ChildCount() > 0 {
		return false
	}
	from, to := int(n.StartByte()), int(n.EndByte())
	return from < s.Start && src[s.Start-1] == '-' || s.End < to && src[s.End] == '-'
}

// placeOf judges by the smallest node around a word: grammars give the text of strings a node of its own, and what is
// interpolated into one as well.
func placeOf(n *sitter.Node) Place {
	for up := 0; n != nil && up < 2; up++ {
		kind := n.Kind()
		switch {
		case strings.Contains(kind, "comment"):
			return InComment
		case kind == "string_type" || kind == "predefined_type":
			return InCode
		case n.IsError(): // not read: nobody knows
			return InText
		case strings.Contains(kind, "string"), strings.Contains(kind, "escape"), strings.Contains(kind, "char"), strings.Contains(kind, "heredoc"),
			strings.Contains(kind, "regex"), kind == "text", kind == "jsx_text", kind == "rune_literal":
			return InText
		}
		if n.IsNamed() {
			return InCode
		}
		n = n.Parent()
	}
	return InCode
}

func branches(ctx context.Context, lang *Language, src []byte) ([]int, error) {
	t, err := parseTree(ctx, lang, src)
	if err != nil {
		return nil, err
	}
	defer t.close()
	q := t.g.branches(lang)
	if q == nil {
		return nil, fmt.Errorf("the complexity of %s is %w", lang.ID, ErrUnsupported)
	}
	cursor := sitter.NewQueryCursor()
	defer cursor.Close()
	matches := cursor.Matches(q, t.RootNode(), src)
	var at []int
	for m := matches.Next(); m != nil; m = matches.Next() {
		if len(at)%1000 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		at = append(at, int(m.Captures[0].Node.StartByte()))
	}
	sort.Ints(at)
	return at, nil
}

// Dump writes the syntax tree of a source, named nodes only, an indented line each with its field, its place and, for
// a leaf, its text; down to depth levels, at most max bytes. cut reports that there is more.
func Dump(ctx context.Context, lang *Language, src []byte, depth, max int) (text string, cut bool, err error) {
	t, err := parseTree(ctx, lang, src)
	if err != nil {
		return "", false, err
	}
	defer t.close()
	var b strings.Builder
	cursor := t.RootNode().Walk()
	defer cursor.Close()
	level := 0 // of named nodes
	var named []bool
	for n := 0; ; n++ {
		if n%1000 == 0 && ctx.Err() != nil {
			return "", false, ctx.Err()
		}
		node := cursor.Node()
		show := node.IsNamed() || node.IsError() || node.IsMissing()
		if show && level < depth {
			if b.Len() > max {
				return b.String(), true, nil
			}
			b.WriteString(strings.Repeat("  ", level))
			if f := cursor.FieldName(); f != "" {
				b.WriteString(f + ": ")
			}
			from, to := node.StartPosition(), node.EndPosition()
			fmt.Fprintf(&b, "%s %d:%d-%d:%d", node.Kind(), from.Row+1, from.Column+1, to.Row+1, to.Column+1)
			if node.IsMissing() {
				b.WriteString(" (missing)")
			}
			if node.ChildCount() == 0 {
				leaf := src[node.StartByte():min(node.EndByte(), node.StartByte()+60)]
				fmt.Fprintf(&b, " %q", leaf)
			}
			b.WriteByte('\n')
		}
		if (!show || level+1 < depth) && cursor.GotoFirstChild() {
			named = append(named, show)
			if show {
				level++
			}
			continue
		}
		cut = cut || show && level+1 >= depth && node.NamedChildCount() > 0
		for !cursor.GotoNextSibling() {
			if !cursor.GotoParent() {
				return b.String(), cut, nil
			}
			if named[len(named)-1] {
				level--
			}
			named = named[:len(named)-1]
		}
	}
}
