// Package page turns what a server sent into text: bytes of any charset into UTF-8, and HTML into Markdown of its
// main content.
//
// Its room: finding the charset (charset.go), bringing the tree of a page into a plain form (clean.go, form.go, code.go,
// table.go), finding the part that matters (main.go), and writing it (markdown.go, text.go). Readability only points at
// the main content; what is written comes from the page's own tree, so nothing inside it is lost, and every word of
// it is checked to be there.
//
// It opens no connection and no file, runs no script, and gives nothing of scripts, styles or hidden elements.
// All of it is bounded by the size of its input, which callers cap.
package page

import (
	"bytes"
	"cmp"
	"net/url"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// Page is an HTML page as text.
type Page struct {
	Text         string // Markdown, or plain text
	Title        string
	Byline       string
	Main         bool     // Text is the main content; unset: the whole body
	NeedsBrowser bool     // the page builds itself by scripts, its HTML has next to nothing
	Left         int      // words of running text outside of the main content
	Form         bool     // it asks for input that Text does not show
	Refresh      string   // where the page sends its reader on to
	Notes        []string // what is doubtful about Text
}

// Form is how a page is written.
type Form int

const (
	Markdown Form = iota
	PlainText
	Full // Markdown of the whole page, what frames it and its forms included
)

// Limits of what is parsed as a tree: what is larger is written as plain text in one pass.
const (
	maxTree     = 6 << 20 // bytes
	maxElements = 250_000
)

// Render writes a page of UTF-8 HTML that was loaded from base.
func Render(source string, base *url.URL, form Form) Page {
	doc, err := parse(source)
	if err != nil {
		return Page{Text: flat(source), Notes: []string{"the page is too large or too deeply nested to be read as a tree; this is its plain text"}}
	}
	p := Page{Title: title(doc)}
	p.NeedsBrowser = isShell(doc)
	base = baseOf(doc, base)
	if to := refresh(doc); to != "" {
		if u, err := base.Parse(to); err == nil {
			p.Refresh = u.String()
		}
	}
	p.Form = form != Full && asksFor(doc)
	opinion := make(chan reading, 1)
	if form == Full || speaksForItself(body(doc)) {
		opinion <- reading{}
	} else {
		go func() { opinion <- read(source, base) }()
	}
	p.Byline = author(doc)
	number(doc)
	clean(doc, base, form == Full)
	region := body(doc)
	found := <-opinion
	p.Byline = cmp.Or(p.Byline, found.byline)
	if form == Full {
		return p.write(region, form)
	}
	if main := mainPart(region, found.chosen); main != nil {
		p.Left = max(0, framed(region).plain-weigh(main).plain)
		region, p.Main = main, true
	}
	if heading := headingOutside(doc, region, p.Title); heading != nil && p.Main {
		region.InsertBefore(heading, region.FirstChild)
	}
	prune(region, p.Main)
	return p.write(region, form)
}

// write gives the page with the text of the part that is chosen.
func (p Page) write(region *html.Node, form Form) Page {
	plain := text(region)
	if form == PlainText {
		p.Text = plain
		return p
	}
	shape(region)
	var err error
	p.Text, err = markdown(region)
	switch {
	case err != nil:
		p.Text = plain
		p.Notes = append(p.Notes, "the page could not be written as Markdown; this is its plain text")
	case lost(plain, p.Text):
		p.Text = plain
		p.Notes = append(p.Notes, "Markdown would lose a part of the page; this is its plain text")
	}
	return p
}

// Links gives the absolute http and https links of a page, in their order, each once, without fragments. nofollow
// reports that the page asks not to follow them.
func Links(source string, base *url.URL) (links []*url.URL, nofollow bool) {
	seen := map[string]bool{}
	z := html.NewTokenizer(strings.NewReader(source))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return links, nofollow
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			switch t.DataAtom {
			case atom.Base:
				if u, err := base.Parse(attrOf(t.Attr, "href")); err == nil && attrOf(t.Attr, "href") != "" {
					base = u
				}
			case atom.Meta:
				if strings.EqualFold(attrOf(t.Attr, "name"), "robots") && strings.Contains(strings.ToLower(attrOf(t.Attr, "content")), "nofollow") {
					nofollow = true
				}
			case atom.A, atom.Area:
				href := strings.TrimSpace(attrOf(t.Attr, "href"))
				u, err := base.Parse(href)
				if href == "" || err != nil || u.Scheme != "http" && u.Scheme != "https" {
					continue
				}
				u.Fragment, u.RawFragment = "", ""
				if key := u.String(); !seen[key] {
					seen[key] = true
					links = append(links, u)
				}
			}
		}
	}
}

// parse makes the tree of a page. Scripting counts as off, so that noscript holds elements.
func parse(source string) (*html.Node, error) {
	if len(source) > maxTree || strings.Count(source, "<") > 2*maxElements {
		return nil, html.ErrBufferExceeded
	}
	doc, err := html.ParseWithOptions(strings.NewReader(source), html.ParseOptionEnableScripting(false))
	if err != nil {
		return nil, err
	}
	return doc, nil
}

// flat gives the text of a page without making a tree of it.
func flat(source string) string {
	var b bytes.Buffer
	z := html.NewTokenizer(strings.NewReader(source))
	skip := atom.Atom(0)
	for {
		switch z.Next() {
		case html.ErrorToken:
			return tidy(b.String())
		case html.StartTagToken:
			name, _ := z.TagName()
			a := atom.Lookup(name)
			if skip == 0 && (a == atom.Script || a == atom.Style || a == atom.Template || a == atom.Noscript) {
				skip = a
			}
			if isBlock(a) || a == atom.Br {
				b.WriteByte('\n')
			}
		case html.EndTagToken:
			name, _ := z.TagName()
			a := atom.Lookup(name)
			if a == skip {
				skip = 0
			}
			if isBlock(a) {
				b.WriteByte('\n')
			}
		case html.TextToken:
			if skip == 0 {
				b.Write(z.Text())
			}
		}
	}
}

// title is the page's own name: of its title element, else of its Open Graph data, else its first heading.
func title(doc *html.Node) string {
	var og, h1 string
	var name string
	walk(doc, func(n *html.Node) bool {
		switch n.DataAtom {
		case atom.Title:
			if name == "" && !within(n, atom.Svg) {
				name = squash(textContent(n))
			}
		case atom.Meta:
			if attr(n, "property") == "og:title" && og == "" {
				og = squash(attr(n, "content"))
			}
		case atom.H1:
			if h1 == "" {
				h1 = squash(textContent(n))
			}
		}
		return true
	})
	for _, t := range []string{name, og, h1} {
		if t != "" {
			return tools.Cut(t, 300)
		}
	}
	return ""
}

func baseOf(doc *html.Node, page *url.URL) *url.URL {
	base := page
	found := false
	walk(doc, func(n *html.Node) bool {
		if n.DataAtom == atom.Base && !found && attr(n, "href") != "" {
			if u, err := page.Parse(attr(n, "href")); err == nil && (u.Scheme == "http" || u.Scheme == "https") {
				base, found = u, true
			}
		}
		return n.DataAtom != atom.Body && !found
	})
	return base
}

// isShell reports whether a page has next to no text and scripts that would make some.
func isShell(doc *html.Node) bool {
	count, scripts, root, demands := 0, 0, false, false
	walk(doc, func(n *html.Node) bool {
		switch {
		case n.Type == html.TextNode:
			if !within(n, atom.Head) {
				count += countWords(n.Data)
			}
		case n.DataAtom == atom.Script:
			if attr(n, "src") != "" || len(textContent(n)) > 500 {
				scripts++
			}
			return false
		case n.DataAtom == atom.Noscript:
			said := strings.ToLower(textContent(n))
			demands = demands || strings.Contains(said, "javascript") || strings.Contains(said, "enable js")
			return false
		case n.DataAtom == atom.Style || n.DataAtom == atom.Template || n.DataAtom == atom.Title || n.DataAtom == atom.Svg:
			return false
		case n.DataAtom == atom.Div || n.DataAtom == atom.Main || strings.Contains(n.Data, "-"):
			switch strings.ToLower(attr(n, "id")) {
			case "root", "app", "__next", "__nuxt", "main-app", "react-root", "svelte", "___gatsby", "q-app", "app-root", "mount":
				root = true
			}
			root = root || n.Data == "app-root" || n.Data == "my-app"
		}
		return true
	})
	return scripts > 0 && (count < 25 && (root || demands) || count < 5)
}
