package page

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// walk visits n and all below it until visit says not to go below a node.
func walk(n *html.Node, visit func(*html.Node) bool) {
	if !visit(n) {
		return
	}
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling // visit may take c out
		walk(c, visit)
		c = next
	}
}

func attr(n *html.Node, name string) string { return attrOf(n.Attr, name) }

func attrOf(list []html.Attribute, name string) string {
	for _, a := range list {
		if a.Key == name && a.Namespace == "" {
			return a.Val
		}
	}
	return ""
}

func hasAttr(n *html.Node, name string) bool {
	for _, a := range n.Attr {
		if a.Key == name {
			return true
		}
	}
	return false
}

func setAttr(n *html.Node, name, value string) {
	for i := range n.Attr {
		if n.Attr[i].Key == name {
			n.Attr[i].Val = value
			return
		}
	}
	n.Attr = append(n.Attr, html.Attribute{Key: name, Val: value})
}

func remove(n *html.Node) {
	if n.Parent != nil {
		n.Parent.RemoveChild(n)
	}
}

// replace puts other in the place of n.
func replace(n, other *html.Node) {
	n.Parent.InsertBefore(other, n)
	n.Parent.RemoveChild(n)
}

// adopt moves the children of from to the end of to.
func adopt(to, from *html.Node) {
	for c := from.FirstChild; c != nil; c = from.FirstChild {
		from.RemoveChild(c)
		to.AppendChild(c)
	}
}

func element(a atom.Atom, attrs ...html.Attribute) *html.Node {
	return &html.Node{Type: html.ElementNode, DataAtom: a, Data: a.String(), Attr: attrs}
}

func textNode(s string) *html.Node { return &html.Node{Type: html.TextNode, Data: s} }

func rename(n *html.Node, a atom.Atom) { n.DataAtom, n.Data = a, a.String() }

// within reports whether an element a is n or above it.
func within(n *html.Node, a atom.Atom) bool {
	for ; n != nil; n = n.Parent {
		if n.DataAtom == a {
			return true
		}
	}
	return false
}

func contains(outer, n *html.Node) bool {
	for ; n != nil; n = n.Parent {
		if n == outer {
			return true
		}
	}
	return false
}

func find(n *html.Node, a atom.Atom) (found *html.Node) {
	walk(n, func(c *html.Node) bool {
		if found == nil && c.DataAtom == a && c.Type == html.ElementNode {
			found = c
		}
		return found == nil
	})
	return found
}

func body(doc *html.Node) *html.Node {
	if b := find(doc, atom.Body); b != nil {
		return b
	}
	if b := find(doc, atom.Frameset); b != nil {
		return b
	}
	return doc
}

// textContent is all text below n, as it stands in the source.
func textContent(n *html.Node) string {
	var b strings.Builder
	walk(n, func(c *html.Node) bool {
		if c.Type == html.TextNode {
			b.WriteString(c.Data)
		}
		return true
	})
	return b.String()
}

// squash is s on one line, single spaces between words.
func squash(s string) string { return strings.Join(strings.Fields(s), " ") }

func classes(n *html.Node) []string { return strings.Fields(strings.ToLower(attr(n, "class"))) }

func hasClass(n *html.Node, names ...string) bool {
	for _, c := range classes(n) {
		for _, name := range names {
			if c == name {
				return true
			}
		}
	}
	return false
}

// isBlock reports whether an element begins and ends a line.
func isBlock(a atom.Atom) bool {
	switch a {
	case atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Body, atom.Center, atom.Dd, atom.Details, atom.Dialog, atom.Dir, atom.Div, atom.Dl, atom.Dt,
		atom.Fieldset, atom.Figcaption, atom.Figure, atom.Footer, atom.Form, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Header,
		atom.Hgroup, atom.Hr, atom.Legend, atom.Li, atom.Main, atom.Menu, atom.Nav, atom.Ol, atom.Optgroup, atom.Option, atom.P, atom.Pre, atom.Search, atom.Section,
		atom.Summary, atom.Table, atom.Caption, atom.Tbody, atom.Thead, atom.Tfoot, atom.Tr, atom.Ul:
		return true
	}
	return false
}

// words calls f for each run of letters and digits of s.
func words(s string, f func(word string)) {
	start := -1
	for i, r := range s {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r) {
			if start < 0 {
				start = i
			}
		} else if start >= 0 {
			f(s[start:i])
			start = -1
		}
	}
	if start >= 0 {
		f(s[start:])
	}
}

// countWords counts the words of s; a letter of a script without spaces counts as half a word.
func countWords(s string) int {
	n, half := 0, 0
	words(s, func(w string) {
		wide := 0
		for _, r := range w {
			if r >= 0x2e80 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai) {
				wide++
			}
		}
		if half += wide; wide == 0 {
			n++
		}
	})
	return n + (half+1)/2
}

// lost reports whether a part of plain is not in written. White space does not count: a link ends a word that nothing
// else ends. What is written has the same letters in the same order, and more (addresses); where that does not hold,
// one word in two hundred may be missing.
func lost(plain, written string) bool {
	if sameLetters(plain, written) {
		return false
	}
	count := map[string]int{}
	total, missing := 0, 0
	words(plain, func(w string) { count[w]++; total++ })
	words(written, func(w string) {
		if count[w] > 0 {
			count[w]--
		}
	})
	for _, n := range count {
		missing += n
	}
	return missing > total/200
}

// sameLetters reports whether the letters and digits of plain stand in written, in their order.
func sameLetters(plain, written string) bool {
	counts := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	for _, r := range plain {
		if !counts(r) {
			continue
		}
		i := strings.IndexRune(written, r)
		if i < 0 {
			return false
		}
		written = written[i+utf8.RuneLen(r):]
	}
	return true
}
