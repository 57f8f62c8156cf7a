package page

import (
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// clean takes out of the whole page what nobody sees, and makes its links absolute. With forms, their fields are written as
// words.
func clean(doc *html.Node, base *url.URL, forms bool) {
	bare := countWords(textOf(doc, atom.Noscript)) < 5 // then what noscript says is all there is
	walk(doc, func(n *html.Node) bool {
		switch n.Type {
		case html.CommentNode:
			remove(n)
			return false
		case html.TextNode:
			if strings.Contains(n.Data, "\u00ad") || strings.Contains(n.Data, "\u200b") || strings.Contains(n.Data, "\ufeff") {
				n.Data = invisible.Replace(n.Data)
			}
			return false
		case html.ElementNode:
		default:
			return true
		}
		if forms && !concealed(n) && control(n) {
			return false
		}
		if unseen(n, bare) {
			remove(n)
			return false
		}
		switch n.DataAtom {
		case atom.Pre:
			return true
		case atom.Noscript:
			rename(n, atom.Div) // the writer of Markdown passes over the other
		case atom.A:
			absolute(n, "href", base)
			drop(n, "title")
		case atom.Img:
			return image(n, base)
		case atom.Iframe, atom.Embed, atom.Video, atom.Audio, atom.Object, atom.Frame:
			embedded(n, base)
			return false
		case atom.Math:
			formula(n)
			return false
		}
		return true
	})
}

// invisible are characters that only say where a word may be broken.
var invisible = strings.NewReplacer("\u00ad", "", "\u200b", "", "\ufeff", "")

// textOf is the visible text below n without that of the elements a.
func textOf(n *html.Node, a atom.Atom) string {
	var b strings.Builder
	walk(n, func(c *html.Node) bool {
		if c.Type == html.ElementNode && (c.DataAtom == a || c.DataAtom == atom.Head || unseen(c, false)) {
			return false
		}
		if c.Type == html.TextNode {
			b.WriteString(c.Data + " ")
		}
		return true
	})
	return b.String()
}

// unseen reports whether an element is never shown.
func unseen(n *html.Node, noscript bool) bool {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Template, atom.Link, atom.Meta, atom.Title, atom.Canvas, atom.Map, atom.Area, atom.Datalist, atom.Param, atom.Source, atom.Track:
		return true
	case atom.Noscript:
		return !noscript
	case atom.Svg:
		return true
	case atom.Dialog:
		return !hasAttr(n, "open")
	case atom.Input:
		return true
	case atom.Body, atom.Html:
		return false // pages hide all of it until a script has run
	}
	return concealed(n)
}

// concealed reports whether the markup of an element keeps it from being shown.
func concealed(n *html.Node) bool {
	if hasAttr(n, "hidden") && !strings.EqualFold(attr(n, "hidden"), "until-found") || strings.EqualFold(attr(n, "aria-hidden"), "true") {
		return true
	}
	if style := attr(n, "style"); style != "" {
		style = strings.ReplaceAll(strings.ToLower(style), " ", "")
		for part := range strings.SplitSeq(style, ";") {
			switch strings.TrimSuffix(part, "!important") {
			case "display:none", "visibility:hidden":
				return true
			}
		}
	}
	return hasClass(n, "sr-only", "visually-hidden", "visuallyhidden", "screen-reader-text", "show-for-sr", "screenreader-only", "mw-editsection", "mw-jump-link", "noprint-only")
}

// absolute resolves the address in an attribute; one that no reader could use goes.
func absolute(n *html.Node, name string, base *url.URL) bool {
	value := strings.TrimSpace(attr(n, name))
	u, err := base.Parse(strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || r == '\r' {
			return -1
		}
		return r
	}, value))
	if value == "" || err != nil {
		drop(n, name)
		return false
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https", "mailto", "tel", "ftp", "magnet", "geo", "xmpp", "irc", "ircs", "sms":
		setAttr(n, name, u.String())
		return true
	}
	drop(n, name)
	return false
}

func drop(n *html.Node, name string) {
	for i := range n.Attr {
		if n.Attr[i].Key == name {
			n.Attr = append(n.Attr[:i], n.Attr[i+1:]...)
			return
		}
	}
}

// image finds the address of an image, lazy ones too, and drops what is no picture for a reader.
func image(n *html.Node, base *url.URL) bool {
	if attr(n, "width") == "1" && attr(n, "height") == "1" {
		remove(n)
		return false
	}
	src := strings.TrimSpace(attr(n, "src"))
	if src == "" || strings.HasPrefix(src, "data:") {
		for _, name := range []string{"data-src", "data-original", "data-lazy-src", "srcset", "data-srcset"} {
			if v, _, _ := strings.Cut(strings.TrimSpace(attr(n, name)), " "); v != "" && !strings.HasPrefix(v, "data:") {
				src = strings.TrimSuffix(v, ",")
				break
			}
		}
	}
	setAttr(n, "src", src)
	setAttr(n, "alt", squash(attr(n, "alt")))
	drop(n, "title")
	if !absolute(n, "src", base) {
		if alt := attr(n, "alt"); alt != "" {
			replace(n, textNode(alt))
		} else {
			remove(n)
		}
	}
	return false
}

// embedded puts a link in the place of what a page shows from elsewhere.
func embedded(n *html.Node, base *url.URL) {
	name := "src"
	if n.DataAtom == atom.Object {
		name = "data"
	}
	if attr(n, name) == "" {
		if s := find(n, atom.Source); s != nil {
			setAttr(n, name, attr(s, "src"))
		}
	}
	if !absolute(n, name, base) {
		remove(n)
		return
	}
	label := squash(attr(n, "title"))
	if label == "" {
		label = n.Data
	}
	a := element(atom.A, html.Attribute{Key: "href", Val: attr(n, name)})
	a.AppendChild(textNode(label))
	p := element(atom.P)
	p.AppendChild(a)
	replace(n, p)
}

// formula puts the TeX source of a formula in its place, where the page has it.
func formula(n *html.Node) {
	tex := attr(n, "alttext")
	walk(n, func(c *html.Node) bool {
		if strings.EqualFold(c.Data, "annotation") && strings.Contains(attr(c, "encoding"), "tex") {
			tex = textContent(c)
		}
		return true
	})
	if tex = squash(tex); tex == "" {
		tex = squash(textContent(n))
		replace(n, textNode(tex))
		return
	}
	code := element(atom.Code)
	code.AppendChild(textNode(tex))
	replace(n, code)
}

// prune takes navigation and controls out of the part that is written. Inside the main content of a page only what
// is marked as navigation goes; of a whole body also what frames it.
func prune(region *html.Node, main bool) {
	walk(region, func(n *html.Node) bool {
		if n.Type != html.ElementNode || n == region {
			return true
		}
		if chrome(n) || !main && frame(n, region) || isGutter(n) {
			remove(n)
			return false
		}
		switch n.DataAtom {
		case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Dt:
			permalinks(n)
		}
		return true
	})
}

// chrome reports whether an element is for moving around or for input wherever it stands.
func chrome(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Nav, atom.Button, atom.Select, atom.Textarea, atom.Search:
		return true
	}
	switch strings.ToLower(attr(n, "role")) {
	case "navigation", "search", "menu", "menubar", "toolbar", "button", "tooltip":
		return n.DataAtom != atom.A || attr(n, "href") == ""
	}
	return hasClass(n, "breadcrumb", "breadcrumbs", "skip-link", "skiplink", "toc", "table-of-contents", "navbox", "share-buttons", "social-share", "cookie-banner", "cookie-consent")
}

// frame reports whether an element stands around the content of a whole body.
func frame(n, region *html.Node) bool {
	switch strings.ToLower(attr(n, "role")) {
	case "banner", "contentinfo", "complementary":
		return true
	}
	switch n.DataAtom {
	case atom.Header, atom.Footer, atom.Aside:
		for p := n.Parent; p != nil && p != region; p = p.Parent {
			switch p.DataAtom {
			case atom.Article, atom.Section, atom.Main, atom.Blockquote, atom.Figure, atom.Li:
				return false
			}
		}
		return true
	}
	return false
}

// permalinks takes the link to itself out of a heading.
func permalinks(heading *html.Node) {
	walk(heading, func(n *html.Node) bool {
		if n.DataAtom != atom.A || n.Type != html.ElementNode {
			return true
		}
		switch squash(textContent(n)) {
		case "", "#", "¶", "§", "🔗", "link", "Link", "\u200b":
			if find(n, atom.Img) == nil {
				remove(n)
			}
			return false
		}
		return true
	})
}
