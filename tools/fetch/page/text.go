package page

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// text writes what is below n as plain text: blocks on lines of their own, white space as a browser shows it.
func text(n *html.Node) string {
	w := textWriter{}
	w.node(n, false)
	return tidy(w.b.String())
}

type textWriter struct{ b strings.Builder }

func (w *textWriter) node(n *html.Node, pre bool) {
	switch n.Type {
	case html.TextNode:
		if pre {
			w.b.WriteString(n.Data)
			return
		}
		w.inline(n.Data)
		return
	case html.CommentNode, html.DoctypeNode:
		return
	}
	switch n.DataAtom {
	case atom.Br:
		w.b.WriteByte('\n')
		return
	case atom.Hr:
		w.b.WriteString("\n\n")
		return
	case atom.Li:
		w.b.WriteString("\n- ")
	case atom.Td, atom.Th:
		w.b.WriteString("\t")
	case atom.Pre:
		w.b.WriteString("\n\n" + codeText(n) + "\n\n")
		return
	}
	gap := ""
	switch n.DataAtom {
	case atom.P, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Blockquote, atom.Ul, atom.Ol, atom.Dl, atom.Table, atom.Figure, atom.Details, atom.Section, atom.Article:
		gap = "\n\n"
	default:
		if isBlock(n.DataAtom) && n.DataAtom != atom.Li {
			gap = "\n"
		}
	}
	w.b.WriteString(gap)
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		w.node(c, pre || n.DataAtom == atom.Textarea)
	}
	w.b.WriteString(gap)
	if n.DataAtom == atom.Li {
		w.b.WriteByte('\n')
	}
}

func (w *textWriter) inline(s string) {
	space := false
	for i := range len(s) {
		switch c := s[i]; c {
		case ' ', '\t', '\n', '\r', '\f':
			space = true
		default:
			if space {
				w.b.WriteByte(' ')
				space = false
			}
			w.b.WriteByte(c)
		}
	}
	if space {
		w.b.WriteByte(' ')
	}
}

// tidy drops white space at the ends of lines and more than one empty line.
func tidy(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	empty := 2
	for line := range strings.SplitSeq(s, "\n") {
		line = strings.TrimRight(line, " \t\r")
		if strings.TrimSpace(line) == "" {
			empty++
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
			if empty > 0 {
				b.WriteByte('\n')
			}
		}
		empty = 0
		b.WriteString(line)
	}
	return b.String()
}
