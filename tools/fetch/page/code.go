package page

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// codeText is the text of a pre element as it is seen: line breaks where highlighters make them with elements, no
// line numbers.
func codeText(pre *html.Node) string {
	var b strings.Builder
	var write func(n *html.Node)
	write = func(n *html.Node) {
		switch {
		case n.Type == html.TextNode:
			b.WriteString(n.Data)
			return
		case n.Type != html.ElementNode:
			return
		case n.DataAtom == atom.Br:
			b.WriteByte('\n')
			return
		case n.DataAtom == atom.Button || isGutter(n):
			return
		}
		line := n != pre && (isBlock(n.DataAtom) || hasClass(n, "token-line", "code-line"))
		if line && b.Len() > 0 && !strings.HasSuffix(b.String(), "\n") {
			b.WriteByte('\n')
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			write(c)
		}
		if line && !strings.HasSuffix(b.String(), "\n") {
			b.WriteByte('\n')
		}
	}
	write(pre)
	s := strings.ReplaceAll(strings.ReplaceAll(b.String(), "\r\n", "\n"), "\u00a0", " ")
	return strings.Trim(s, "\n")
}

// isGutter reports whether an element holds line numbers and nothing else.
func isGutter(n *html.Node) bool {
	return n.Type == html.ElementNode && hasClass(n, "gutter", "linenos", "lineno", "line-numbers-rows", "blob-num", "hljs-ln-numbers", "rouge-gutter", "linenodiv", "lnt", "ln") &&
		strings.Trim(textContent(n), "0123456789 \n\t\r") == ""
}

var (
	languageName  = tools.Pattern(`^[a-z0-9+#._-]{1,24}$`)
	languageClass = tools.Pattern(`^(?:language|lang|highlight-source|highlight|brush:?|sourcecode|code|prettyprint lang)[-:]([a-z0-9+#._-]{1,24})$`)
)

// language finds the language of a pre in the classes and data attributes that highlighters leave on it, on the code
// in it, or on what wraps it.
func language(pre *html.Node) string {
	look := []*html.Node{}
	if code := find(pre, atom.Code); code != nil {
		look = append(look, code)
	}
	for n, up := pre, 0; n != nil && up < 5 && n.Type == html.ElementNode; n, up = n.Parent, up+1 {
		if up > 0 && !isWrapper(n) {
			break
		}
		look = append(look, n)
	}
	for _, n := range look {
		for _, name := range []string{"data-lang", "data-language", "data-code-language", "data-highlight-language", "lang"} {
			if v := strings.ToLower(attr(n, name)); v != "" && isLanguage(v) && !(name == "lang" && len(v) < 3 && v != "c" && v != "go" && v != "js" && v != "ts" && v != "rs") {
				return v
			}
		}
		list := classes(n)
		for i, c := range list {
			if c == "brush:" && i+1 < len(list) {
				return strings.TrimSuffix(list[i+1], ";")
			}
			if m := languageClass().FindStringSubmatch(strings.TrimSuffix(c, ";")); m != nil && isLanguage(m[1]) {
				return m[1]
			}
		}
		// Pandoc and highlight.js: the bare name beside the mark of the highlighter.
		for _, c := range list {
			if (hasClass(n, "sourcecode", "hljs", "src") || n.DataAtom == atom.Code && len(list) == 1) && known[c] {
				return c
			}
			if rest, ok := strings.CutPrefix(c, "src-"); ok && hasClass(n, "src") {
				return rest
			}
		}
	}
	return ""
}

// isWrapper reports whether an element holds nothing but one block of code and its furniture.
func isWrapper(n *html.Node) bool {
	pres := 0
	var alone func(n *html.Node) bool // it stops at the first that says no: a page may have very many
	alone = func(n *html.Node) bool {
		switch n.DataAtom {
		case atom.Pre:
			pres++
			return pres <= 2
		case atom.P, atom.H1, atom.H2, atom.H3, atom.H4, atom.Ul, atom.Ol:
			return false
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			if !alone(c) {
				return false
			}
		}
		return true
	}
	return alone(n) && pres > 0
}

func isLanguage(s string) bool {
	switch s {
	case "default", "none", "text", "plain", "plaintext", "txt", "notranslate", "auto", "nohighlight", "block", "wrapper", "toolbar", "listing", "example":
		return false
	}
	return languageName().MatchString(s)
}

// known are the names that count as a language when they stand alone as a class.
var known = map[string]bool{
	"bash": true, "c": true, "clojure": true, "cpp": true, "csharp": true, "css": true, "diff": true, "dockerfile": true, "elixir": true, "elisp": true, "erlang": true,
	"go": true, "graphql": true, "groovy": true, "haskell": true, "html": true, "ini": true, "java": true, "javascript": true, "js": true, "json": true, "julia": true,
	"kotlin": true, "lua": true, "makefile": true, "nix": true, "objectivec": true, "ocaml": true, "perl": true, "php": true, "powershell": true, "python": true, "r": true,
	"ruby": true, "rust": true, "scala": true, "scss": true, "sh": true, "shell": true, "sql": true, "swift": true, "toml": true, "ts": true, "typescript": true,
	"vim": true, "xml": true, "yaml": true, "yml": true, "zig": true,
}

// plainCode gives every pre below region the one form that the Markdown writer knows, and takes a table of line
// numbers and code apart.
func plainCode(region *html.Node) {
	var pres []*html.Node
	walk(region, func(n *html.Node) bool {
		if n.DataAtom == atom.Pre && n.Type == html.ElementNode {
			pres = append(pres, n)
			return false
		}
		return true
	})
	for _, pre := range pres {
		lang, said := language(pre), codeText(pre)
		if gutter := aboveWith(pre, isGutter, 3); gutter != nil {
			remove(gutter)
			continue
		}
		if strings.TrimSpace(said) == "" {
			remove(pre)
			continue
		}
		code := element(atom.Code)
		if lang != "" {
			code.Attr = append(code.Attr, html.Attribute{Key: "class", Val: "language-" + lang})
		}
		code.AppendChild(textNode(said))
		fresh := element(atom.Pre)
		fresh.AppendChild(code)
		replace(pre, fresh)
	}
	// <code> around a pre of another writer, or with line breaks, is a block too.
	walk(region, func(n *html.Node) bool {
		if n.DataAtom == atom.Pre {
			return false
		}
		if n.DataAtom == atom.Code && n.Type == html.ElementNode {
			if find(n, atom.Pre) != nil {
				rename(n, atom.Div)
				return false
			}
			if find(n, atom.Br) != nil {
				code := element(atom.Code)
				code.AppendChild(textNode(codeText(n)))
				fresh := element(atom.Pre)
				fresh.AppendChild(code)
				replace(n, fresh)
				return false
			}
			return false
		}
		return true
	})
}

func aboveWith(n *html.Node, is func(*html.Node) bool, levels int) *html.Node {
	for n = n.Parent; n != nil && levels > 0; n, levels = n.Parent, levels-1 {
		if n.Type == html.ElementNode && is(n) {
			return n
		}
	}
	return nil
}
