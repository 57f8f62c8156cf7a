package page

import (
	"cmp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// maxOptions is how many choices of a field are written.
const maxOptions = 50

// control puts words in the place of a form's field or button, and reports whether n is one.
func control(n *html.Node) bool {
	said := ""
	switch n.DataAtom {
	case atom.Input:
		said = input(n)
	case atom.Button:
		if label := cmp.Or(squash(textContent(n)), attr(n, "aria-label"), attr(n, "title")); label != "" {
			said = label + " (button)"
		}
	case atom.Textarea:
		said = field("text area", n)
		if inside := squash(textContent(n)); inside != "" {
			said += " " + inside
		}
	case atom.Select:
		said = choice(n)
	default:
		return false
	}
	if said == "" {
		remove(n)
	} else {
		replace(n, textNode(" "+said+" "))
	}
	return true
}

// input is what a reader sees of an input; what stands in one for a password is not shown.
func input(n *html.Node) string {
	switch kind := strings.ToLower(cmp.Or(attr(n, "type"), "text")); kind {
	case "hidden":
		return ""
	case "submit", "button", "reset", "image":
		return squash(cmp.Or(attr(n, "value"), attr(n, "alt"), kind)) + " (button)"
	case "checkbox", "radio":
		return field(kind, n)
	case "password":
		return field("password field", n)
	default:
		said := field(kind+" field", n)
		if value := squash(attr(n, "value")); value != "" {
			said += " " + tools.Cut(value, 200)
		}
		return said
	}
}

// field names a field by what kind it is and what it is called.
func field(kind string, n *html.Node) string {
	name := squash(cmp.Or(attr(n, "placeholder"), attr(n, "aria-label"), attr(n, "name"), attr(n, "id")))
	if name == "" {
		return "(" + kind + ")"
	}
	return "(" + kind + ": " + tools.Cut(name, 100) + ")"
}

// choice is a field with what may be chosen in it.
func choice(n *html.Node) string {
	var options []string
	walk(n, func(c *html.Node) bool {
		if c.Type == html.ElementNode && c.DataAtom == atom.Option && len(options) <= maxOptions {
			if text := squash(textContent(c)); text != "" {
				options = append(options, text)
			}
		}
		return true
	})
	if len(options) > maxOptions {
		options[maxOptions] = "…"
	}
	return field("choice", n) + " " + strings.Join(options, ", ")
}

// asksFor reports whether the page has fields for more than a search.
func asksFor(doc *html.Node) bool {
	found := false
	walk(doc, func(n *html.Node) bool {
		if n.Type == html.ElementNode {
			found = found || n.DataAtom == atom.Textarea || n.DataAtom == atom.Input && strings.EqualFold(attr(n, "type"), "password")
		}
		return !found
	})
	return found
}

// refresh is the address that the page sends its reader on to, "" when it sends nowhere else.
func refresh(doc *html.Node) (to string) {
	walk(doc, func(n *html.Node) bool {
		if n.DataAtom != atom.Meta || !strings.EqualFold(attr(n, "http-equiv"), "refresh") || to != "" {
			return n.DataAtom != atom.Noscript
		}
		_, rest, _ := strings.Cut(attr(n, "content"), ";")
		if rest = strings.TrimSpace(rest); len(rest) > 4 && strings.EqualFold(rest[:3], "url") {
			to = strings.Trim(strings.TrimLeft(rest[3:], " ="), `'" `)
		}
		return true
	})
	return to
}
