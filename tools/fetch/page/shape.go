package page

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// shape brings what Markdown has no word for into a form that it has.
func shape(region *html.Node) {
	plainCode(region)
	tables(region)
	walk(region, func(n *html.Node) bool {
		if n.Type != html.ElementNode {
			return true
		}
		switch n.DataAtom {
		case atom.Pre:
			return false
		case atom.Dl:
			definitions(n)
		case atom.Summary, atom.Legend, atom.Figcaption, atom.Caption:
			rename(n, atom.P)
		case atom.Details, atom.Figure, atom.Fieldset, atom.Center, atom.Address, atom.Dialog:
			rename(n, atom.Div)
		case atom.Dd, atom.Dt:
			if n.Parent == nil || n.Parent.DataAtom != atom.Ul {
				rename(n, atom.P)
			}
		case atom.Ul, atom.Ol, atom.Menu, atom.Dir:
			if n.DataAtom == atom.Menu || n.DataAtom == atom.Dir {
				rename(n, atom.Ul)
			}
			items(n)
		case atom.A:
			if attr(n, "href") == "" || holdsBlocks(n) {
				unlink(n)
			}
		case atom.Abbr, atom.Cite, atom.Time, atom.Font, atom.Label:
			rename(n, atom.Span)
		}
		return true
	})
}

// unlink makes a span or a div of a link that leads nowhere or goes around whole blocks; in the second case the
// address stays, as a link on the first heading or text.
func unlink(a *html.Node) {
	href := attr(a, "href")
	block := holdsBlocks(a)
	a.Attr = nil
	if !block {
		rename(a, atom.Span)
		return
	}
	rename(a, atom.Div)
	if href == "" {
		return
	}
	var first *html.Node
	walk(a, func(n *html.Node) bool {
		if first == nil && n.Type == html.TextNode && strings.TrimSpace(n.Data) != "" && !within(n, atom.Pre) {
			first = n
		}
		return first == nil
	})
	if first != nil {
		link := element(atom.A, html.Attribute{Key: "href", Val: href})
		link.AppendChild(textNode(first.Data))
		replace(first, link)
	}
}

func holdsBlocks(n *html.Node) bool {
	found := false
	walk(n, func(c *html.Node) bool {
		if c != n && c.Type == html.ElementNode && isBlock(c.DataAtom) {
			found = true
		}
		return !found
	})
	return found
}

// items puts what stands loose in a list into items, a list in a list among it.
func items(list *html.Node) {
	var last *html.Node
	for c := list.FirstChild; c != nil; {
		next := c.NextSibling
		switch {
		case c.Type == html.ElementNode && c.DataAtom == atom.Li:
			last = c
		case c.Type == html.ElementNode && (c.DataAtom == atom.Dt || c.DataAtom == atom.Dd):
		case c.Type == html.TextNode && strings.TrimSpace(c.Data) == "":
		default:
			if last == nil {
				last = element(atom.Li)
				list.InsertBefore(last, c)
			}
			list.RemoveChild(c)
			last.AppendChild(c)
		}
		c = next
	}
}

// definitions makes a list of a list of definitions: an item for each group of terms, in bold, with what is said of
// them below.
func definitions(dl *html.Node) {
	list := element(atom.Ul)
	var item *html.Node
	var take func(n *html.Node)
	take = func(n *html.Node) {
		for c := n.FirstChild; c != nil; {
			next := c.NextSibling
			switch {
			case c.DataAtom == atom.Dt:
				n.RemoveChild(c)
				if item == nil || item.LastChild == nil || item.LastChild.Data != "p" || attr(item.LastChild, "term") == "" {
					item = element(atom.Li)
					list.AppendChild(item)
				}
				item.AppendChild(term(c))
			case c.DataAtom == atom.Dd:
				n.RemoveChild(c)
				if item == nil {
					item = element(atom.Li)
					list.AppendChild(item)
				}
				rename(c, atom.Div)
				item.AppendChild(c)
			case c.DataAtom == atom.Div:
				take(c)
			case c.Type == html.TextNode && strings.TrimSpace(c.Data) == "":
			default:
				n.RemoveChild(c)
				if item == nil {
					item = element(atom.Li)
					list.AppendChild(item)
				}
				item.AppendChild(c)
			}
			c = next
		}
	}
	take(dl)
	dl.Attr = nil
	rename(dl, atom.Ul)
	for c := dl.FirstChild; c != nil; c = dl.FirstChild {
		dl.RemoveChild(c)
	}
	adopt(dl, list)
}

// term is the paragraph of a term: bold when it is plain text.
func term(dt *html.Node) *html.Node {
	p := element(atom.P, html.Attribute{Key: "term", Val: "1"})
	if holdsBlocks(dt) {
		rename(p, atom.Div)
		adopt(p, dt)
		return p
	}
	inner := p
	if find(dt, atom.Code) == nil && find(dt, atom.B) == nil && find(dt, atom.Strong) == nil && find(dt, atom.A) == nil && find(dt, atom.Em) == nil {
		inner = element(atom.Strong)
		p.AppendChild(inner)
	}
	adopt(inner, dt)
	return p
}

// tables leaves to the Markdown writer the tables that Markdown can write, and makes blocks of the others: those for
// layout, those in tables, and those whose cells hold lists or code.
func tables(region *html.Node) {
	var all []*html.Node
	walk(region, func(n *html.Node) bool {
		if n.DataAtom == atom.Table && n.Type == html.ElementNode {
			all = append(all, n)
		}
		return true
	})
	for i := len(all) - 1; i >= 0; i-- { // inner ones first
		t := all[i]
		if caption := find(t, atom.Caption); caption != nil && squash(textContent(caption)) != "" {
			p := element(atom.P)
			remove(caption)
			adopt(p, caption)
			t.Parent.InsertBefore(p, t)
		}
		if layout(t) {
			blocks(t)
			continue
		}
		cells(t)
	}
}

// layout reports whether a table cannot be written as one.
func layout(t *html.Node) bool {
	if role := attr(t, "role"); role == "presentation" || role == "none" {
		return true
	}
	is, rows, widest := false, 0, 0
	walk(t, func(n *html.Node) bool {
		switch n.DataAtom {
		case atom.Pre, atom.H1, atom.H2, atom.H3, atom.H4, atom.Table, atom.Blockquote, atom.Dl, atom.Hr:
			is = is || n != t
		case atom.Ul, atom.Ol:
			is = is || countItems(n) > 12
		case atom.Tr:
			rows++
			width := 0
			for c := n.FirstChild; c != nil; c = c.NextSibling {
				if c.DataAtom == atom.Td || c.DataAtom == atom.Th {
					width++
					if weigh(c).plain > 150 {
						is = true
					}
				}
			}
			widest = max(widest, width)
		}
		return !is
	})
	return is || rows == 0 || widest < 2 && find(t, atom.Th) == nil
}

func countItems(list *html.Node) (n int) {
	for c := list.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom == atom.Li {
			n++
		}
	}
	return n
}

// blocks makes each cell of a table a block.
func blocks(t *html.Node) {
	walk(t, func(n *html.Node) bool {
		switch n.DataAtom {
		case atom.Table, atom.Tbody, atom.Thead, atom.Tfoot, atom.Tr, atom.Td, atom.Th, atom.Caption, atom.Colgroup:
			if n.Type == html.ElementNode {
				n.Attr = nil
				rename(n, atom.Div)
			}
		}
		return true
	})
}

// cells makes the content of each cell one line.
func cells(t *html.Node) {
	var list []*html.Node
	walk(t, func(n *html.Node) bool {
		if n.DataAtom == atom.Td || n.DataAtom == atom.Th {
			list = append(list, n)
			return false
		}
		return true
	})
	for _, cell := range list {
		first := true
		var flatten func(n *html.Node)
		flatten = func(n *html.Node) {
			for c := n.FirstChild; c != nil; {
				next := c.NextSibling
				switch {
				case c.Type == html.TextNode:
					c.Data = strings.NewReplacer("\n", " ", "\r", " ").Replace(c.Data)
					if within(c, atom.Code) { // the writer escapes it elsewhere
						c.Data = strings.ReplaceAll(c.Data, "|", `\|`)
					}
					first = first && strings.TrimSpace(c.Data) == ""
				case c.DataAtom == atom.Br:
					replace(c, textNode(" "))
				case c.Type == html.ElementNode && isBlock(c.DataAtom):
					if !first {
						sep := " "
						if c.DataAtom == atom.Li {
							sep = "; "
						}
						n.InsertBefore(textNode(sep), c)
					}
					rename(c, atom.Span)
					c.Attr = nil
					flatten(c)
				default:
					flatten(c)
				}
				c = next
			}
		}
		flatten(cell)
	}
}
