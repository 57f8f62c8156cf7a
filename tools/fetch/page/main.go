package page

import (
	"net/url"
	"strconv"
	"strings"

	readability "codeberg.org/readeck/go-readability/v2"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// mark is the attribute by which the elements of the page are found again in what readability made of a copy.
const mark = "data-hanzo-n"

// reading is what readability says of a page.
type reading struct {
	chosen map[string]bool // numbers of the elements of the main content
	byline string
}

// read asks readability for the main content of a page. It works on a tree of its own, which it takes apart: parsing
// twice is cheaper than a copy. Whatever goes wrong in it, the page is written without its opinion.
func read(source string, base *url.URL) (r reading) {
	defer func() {
		if recover() != nil {
			r = reading{}
		}
	}()
	doc, err := parse(source)
	if err != nil || number(doc) > maxElements/10 {
		return r // it takes time that grows faster than the page
	}
	thin(doc)
	p := readability.NewParser()
	p.KeepClasses = true
	article, err := p.ParseAndMutate(doc, base)
	if err != nil || article.Node == nil {
		return r
	}
	r = reading{chosen: map[string]bool{}, byline: tools.Cut(squash(article.Byline()), 200)}
	walk(article.Node, func(e *html.Node) bool {
		if id := attr(e, mark); id != "" && hasOwnText(e) {
			r.chosen[id] = true
		}
		return true
	})
	return r
}

// speaksForItself reports whether a page names its main content, and that is running text without what others say of
// it or what else there is to read: then nobody else needs to be asked, which is half of the work.
func speaksForItself(body *html.Node) bool {
	main := declared(body)
	if main == nil {
		return false
	}
	plain, linked, mixed := 0, 0, false
	var count func(n *html.Node, link bool)
	count = func(n *html.Node, link bool) {
		switch n.Type {
		case html.TextNode:
			if link {
				linked += countWords(n.Data)
			} else {
				plain += countWords(n.Data)
			}
			return
		case html.ElementNode:
			if unseen(n, false) {
				return
			}
			for _, name := range []string{attr(n, "class"), attr(n, "id")} {
				if name != "" && n != main {
					name = strings.ToLower(name)
					for _, other := range []string{"comment", "related", "recommend", "sidebar", "promo", "newsletter", "teaser"} {
						mixed = mixed || strings.Contains(name, other)
					}
				}
			}
			if mixed = mixed || n.DataAtom == atom.Aside && !hasClass(n, "note", "warning", "tip", "caution", "admonition"); mixed {
				return
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			count(c, link || n.DataAtom == atom.A)
		}
	}
	count(main, false)
	return !mixed && plain >= 100 && linked*4 < plain
}

// author is who wrote the page, as far as its markup says so.
func author(doc *html.Node) (who string) {
	var named string
	walk(doc, func(n *html.Node) bool {
		switch {
		case n.DataAtom == atom.Meta && (strings.EqualFold(attr(n, "name"), "author") || attr(n, "property") == "article:author"):
			if v := squash(attr(n, "content")); who == "" && !strings.Contains(v, "://") {
				who = v
			}
		case n.DataAtom == atom.A && attr(n, "rel") == "author", n.Type == html.ElementNode && attr(n, "itemprop") == "author":
			if named == "" {
				named = squash(textContent(n))
			}
		}
		return true
	})
	if who == "" {
		who = named
	}
	return tools.Cut(who, 200)
}

// thin takes the marking up of single words out of a tree, which says nothing about where the main content is: what
// remains is half the work.
func thin(n *html.Node) {
	for c := n.FirstChild; c != nil; {
		next := c.NextSibling
		switch c.DataAtom {
		case atom.B, atom.I, atom.Em, atom.Strong, atom.Code, atom.Span, atom.Kbd, atom.Abbr, atom.Sup, atom.Sub, atom.Small, atom.U, atom.S, atom.Mark, atom.Var, atom.Samp, atom.Q:
			only := c.FirstChild
			if len(c.Attr) <= 1 && only != nil && only.NextSibling == nil && only.Type == html.TextNode {
				said := only.Data
				if p := c.PrevSibling; p != nil && p.Type == html.TextNode {
					said = p.Data + said
					n.RemoveChild(p)
				}
				if next != nil && next.Type == html.TextNode {
					after := next.NextSibling
					said += next.Data
					n.RemoveChild(next)
					next = after
				}
				replace(c, textNode(said))
			}
		default:
			thin(c)
		}
		c = next
	}
}

// number marks the elements of a tree in their order, the same for every tree of one page.
func number(doc *html.Node) (n int) {
	walk(doc, func(e *html.Node) bool {
		if e.Type == html.ElementNode {
			n++
			setAttr(e, mark, strconv.Itoa(n))
		}
		return true
	})
	return n
}

func hasOwnText(e *html.Node) bool {
	for c := e.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.TextNode && strings.TrimSpace(c.Data) != "" {
			return true
		}
	}
	return false
}

// weight is how much text an element holds, outside of links and within them.
type weight struct{ plain, linked int }

func weigh(n *html.Node) (w weight) {
	linked := 0
	var count func(n *html.Node)
	count = func(n *html.Node) {
		switch {
		case n.Type == html.TextNode && linked > 0:
			w.linked += countWords(n.Data)
		case n.Type == html.TextNode:
			w.plain += countWords(n.Data)
		case n.Type == html.ElementNode && chrome(n):
			return
		}
		if n.DataAtom == atom.A {
			linked++
			defer func() { linked-- }()
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			count(c)
		}
	}
	count(n)
	return w
}

// mainPart finds the element of a clean body that holds the main content: where the page says so itself (main), and
// inside of it what readability chose, as long as that leaves little text outside. Nil: the whole body.
func mainPart(body *html.Node, chosen map[string]bool) *html.Node {
	all := framed(body)
	region := body
	if m := declared(body); m != nil && enough(weigh(m), all, 3) {
		region, all = m, weigh(m)
	}
	if best := common(region, chosen); best != nil && best != region {
		best = siblings(best, region)
		w := weigh(best)
		most := region == body || 7*(w.plain+w.linked) < 6*(all.plain+all.linked) // what the page declares holds much more
		if best != region && most && enough(w, all, 2) {
			region = best
		}
	}
	if region == body {
		return nil
	}
	return region
}

// enough reports whether the part leaves no more than 1/share of the running text out, and is no mere list of links.
func enough(part, all weight, share int) bool {
	out := all.plain - part.plain
	return part.plain > 0 && out <= all.plain/share
}

// framed weighs a body without what frames it.
func framed(body *html.Node) weight {
	w := weigh(body)
	walk(body, func(n *html.Node) bool {
		if n.Type == html.ElementNode && n != body && !chrome(n) && frame(n, body) {
			f := weigh(n)
			w.plain -= f.plain
			w.linked -= f.linked
			return false
		}
		return n.Type != html.ElementNode || n == body || !chrome(n)
	})
	return w
}

// declared is the one element that the page itself calls its main content.
func declared(body *html.Node) *html.Node {
	var mains, articles []*html.Node
	walk(body, func(n *html.Node) bool {
		if n.Type == html.ElementNode {
			switch {
			case n.DataAtom == atom.Main || strings.EqualFold(attr(n, "role"), "main"):
				mains = append(mains, n)
				return false
			case n.DataAtom == atom.Article:
				articles = append(articles, n)
				return false
			}
		}
		return true
	})
	switch {
	case len(mains) == 1:
		return mains[0]
	case len(mains) == 0 && len(articles) == 1:
		return articles[0]
	}
	return nil
}

// common is the lowest element of region above all chosen ones that are in it.
func common(region *html.Node, chosen map[string]bool) (best *html.Node) {
	walk(region, func(n *html.Node) bool {
		if n.Type != html.ElementNode || !chosen[attr(n, mark)] {
			return true
		}
		if best == nil {
			best = n
		}
		for !contains(best, n) {
			best = best.Parent
		}
		return true
	})
	for best != nil && best != region && !isBlock(best.DataAtom) && best.DataAtom != atom.Td {
		best = best.Parent
	}
	return best
}

// siblings climbs from one post of a thread to the thread: as long as the element has siblings of its kind with text
// of their own, the content is what holds them all.
func siblings(n, region *html.Node) *html.Node {
	for at := n; at != region && at.Parent != nil; at = at.Parent {
		like := 0
		for s := at.Parent.FirstChild; s != nil; s = s.NextSibling {
			if s != at && s.Type == html.ElementNode && s.DataAtom == at.DataAtom && kin(s, at) && weigh(s).plain >= 8 {
				like++
			}
		}
		if like > 0 {
			n = at.Parent
		}
	}
	for n != region && (n.DataAtom == atom.Tr || n.DataAtom == atom.Tbody || n.DataAtom == atom.Li) {
		n = n.Parent
	}
	return n
}

// kin reports whether two elements of one name share a class, or are of a kind that comes in series.
func kin(a, b *html.Node) bool {
	ca, cb := classes(a), classes(b)
	if len(ca) == 0 && len(cb) == 0 {
		switch a.DataAtom {
		case atom.Article, atom.Li, atom.Tr, atom.Section:
			return true
		}
		return false
	}
	for _, x := range ca {
		for _, y := range cb {
			if x == y {
				return true
			}
		}
	}
	return false
}

// headingOutside is the page's first heading when region does not have it and the title says the same.
func headingOutside(doc, region *html.Node, title string) *html.Node {
	h := find(doc, atom.H1)
	if h == nil || contains(region, h) || contains(h, region) {
		return nil
	}
	said := squash(textContent(h))
	if said == "" || !strings.Contains(strings.ToLower(title), strings.ToLower(said)) {
		return nil
	}
	remove(h)
	return h
}
