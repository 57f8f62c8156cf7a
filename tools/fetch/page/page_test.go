package page

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func site(t testing.TB) *url.URL {
	u, err := url.Parse("https://site.example/docs/page.html")
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func load(t testing.TB, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	d, err := Decode(b, "text/html")
	if err != nil {
		t.Fatal(err)
	}
	return d.Text
}

// Pages of many kinds against what they should look like.
func TestGolden(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("testdata/*.html")
	if err != nil || len(pages) < 20 {
		t.Fatalf("%d pages, %v", len(pages), err)
	}
	for _, file := range pages {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			p := Render(load(t, file), site(t), Markdown)
			got := fmt.Sprintf("title: %s\nbyline: %s\nmain: %v\nneeds browser: %v\nnotes: %q\n\n%s\n", p.Title, p.Byline, p.Main, p.NeedsBrowser, p.Notes, p.Text)
			golden := strings.TrimSuffix(file, ".html") + ".md"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// notShown are elements whose text a reader of the main content does not want, as this test sees it.
var notShown = regexp.MustCompile(`^(script|style|template|noscript|svg|nav|button|select|textarea|title|iframe|video|math)$`)

// shownWords are the words of the element marked data-main, found without any code of the package.
func shownWords(t *testing.T, source string) (list []string) {
	t.Helper()
	doc, err := html.ParseWithOptions(strings.NewReader(source), html.ParseOptionEnableScripting(false))
	if err != nil {
		t.Fatal(err)
	}
	var main *html.Node
	for n := range doc.Descendants() {
		for _, a := range n.Attr {
			if a.Key == "data-main" {
				main = n
			}
		}
	}
	if main == nil {
		return nil
	}
	var text strings.Builder
	var visit func(n *html.Node)
	visit = func(n *html.Node) {
		if n.Type == html.TextNode {
			text.WriteString(n.Data)
		}
		if n.Type == html.ElementNode {
			gone := notShown.MatchString(n.Data) || n.Data == "dialog"
			for _, a := range n.Attr {
				gone = gone || a.Key == "hidden" || a.Key == "aria-hidden" || a.Key == "style" && strings.Contains(a.Val, "none") || a.Key == "style" && strings.Contains(a.Val, "hidden") ||
					a.Key == "class" && (a.Val == "sr-only" || a.Val == "headerlink" || a.Val == "anchor" || a.Val == "mw-editsection" || a.Val == "toc" || a.Val == "linenos" || a.Val == "mw-cite-backlink")
			}
			if gone {
				return
			}
			text.WriteString(" ")
			if n.Data == "span" || n.Data == "em" || n.Data == "b" {
				s := text.String()
				text.Reset()
				text.WriteString(s[:len(s)-1])
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			visit(c)
		}
		if n.Type == html.ElementNode && n.Data != "span" && n.Data != "em" && n.Data != "b" {
			text.WriteString(" ")
		}
	}
	visit(main)
	return splitWords(text.String())
}

var word = regexp.MustCompile(`[\pL\pN]+`)

func splitWords(s string) []string { return word.FindAllString(s, -1) }

var (
	linkTarget = regexp.MustCompile(`\]\([^()\s]*(\([^()\s]*\))?[^()\s]*\)`)
	imageAlt   = regexp.MustCompile(`!\[[^\]]*\]`)
	fenceInfo  = regexp.MustCompile("(?m)^( *)```+[a-z0-9]+$")
	listNumber = regexp.MustCompile(`(?m)^ *\d+\. `)
	escaped    = regexp.MustCompile(`\\(\W)`)
)

// Every visible word of the main content is there exactly once, and nothing else.
func TestEveryWordOnce(t *testing.T) {
	t.Parallel()
	pages, _ := filepath.Glob("testdata/*.html")
	checked := 0
	for _, file := range pages {
		source := load(t, file)
		want := shownWords(t, source)
		if len(want) == 0 {
			continue
		}
		checked++
		p := Render(source, site(t), Markdown)
		text := p.Text
		text = linkTarget.ReplaceAllString(text, "]")
		text = imageAlt.ReplaceAllString(text, "!")
		text = fenceInfo.ReplaceAllString(text, "$1```")
		text = listNumber.ReplaceAllString(text, "")
		text = escaped.ReplaceAllString(text, "$1")
		got := splitWords(html.UnescapeString(text))
		extra := map[string]bool{"links": true, "math": true} // labels of embedded things, and formulas
		slices.Sort(got)
		slices.Sort(want)
		missing, added := difference(want, got), difference(got, want)
		name := strings.TrimSuffix(filepath.Base(file), ".html")
		if len(missing) > 0 || len(added) > 0 && !extra[name] {
			t.Errorf("%s: missing %q, added %q", name, missing, added)
		}
		if bad := regexp.MustCompile(`(?i)scriptwords|stylewords|footerwords|sidebar|teaser|navbox|-link\b|reply-button|copy-code|tag-one`).FindString(p.Text); bad != "" {
			t.Errorf("%s: %q is in the text", name, bad)
		}
	}
	if checked < 15 {
		t.Errorf("only %d pages were checked", checked)
	}
}

// difference gives what sorted a has more of than sorted b.
func difference(a, b []string) (list []string) {
	j := 0
	for _, w := range a {
		for j < len(b) && b[j] < w {
			j++
		}
		if j < len(b) && b[j] == w {
			j++
			continue
		}
		list = append(list, w)
	}
	return list
}

func TestDecode(t *testing.T) {
	t.Parallel()
	pad := strings.Repeat(" ", 1100)
	for _, tt := range []struct {
		name, kind, in, want, charset string
		note                          bool
	}{
		{"header gbk", "text/plain; charset=gbk", "\xc4\xe3\xba\xc3", "你好", "gbk", false},
		{"meta shift_jis", "text/html", "<meta charset=shift_jis>\x93\xfa\x96{", "<meta charset=shift_jis>日本", "shift_jis", false},
		{"lone E9", "text/html", "caf\xe9", "café", "windows-1252", true},
		{"utf8 without hyphen", `text/html; charset="utf8"`, "é", "é", "utf-8", false},
		{"unknown label", "text/html; charset=foo", "é", "é", "utf-8", true},
		{"unknown label, meta says", "text/html; charset=foo", "<meta charset=iso-8859-1>\xe9", "<meta charset=iso-8859-1>é", "windows-1252", true},
		{"BOM wins over header", "text/plain; charset=utf-8", "\xff\xfeh\x00i\x00", "hi", "utf-16le", false},
		{"BOM big endian", "text/plain", "\xfe\xff\x00h\x00i", "hi", "utf-16be", false},
		{"UTF-8 BOM wins over gbk", "text/plain; charset=gbk", "\xef\xbb\xbfé", "é", "utf-8", false},
		{"header UTF-16 without BOM", "text/plain; charset=utf-16le", "h\x00i\x00", "hi", "utf-16le", false},
		{"meta in a comment", "text/html", "<!-- <meta charset=gbk> --><p>é", "<!-- <meta charset=gbk> --><p>é", "utf-8", false},
		{"meta in a script", "text/html", "<script>'<meta charset=gbk>'</script>é", "<script>'<meta charset=gbk>'</script>é", "utf-8", false},
		{"meta after 1024 bytes", "text/html", "<html>" + pad + "<meta charset=gbk>\xc4\xe3", "<html>" + pad + "<meta charset=gbk>你", "gbk", false},
		{"http-equiv", "text/html", `<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">` + "\xef\xf0\xe8", `<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">при`, "windows-1251", false},
		{"empty http-equiv", "text/html", `<meta http-equiv="content-type" content="charset=;x">é`, `<meta http-equiv="content-type" content="charset=;x">é`, "utf-8", false},
		{"meta says utf-16", "text/html", "<meta charset=utf-16>é", "<meta charset=utf-16>é", "utf-8", false},
		{"meta says gbk of a page that is utf-8", "text/html", "<meta charset=gbk>" + strings.Repeat("é", 30), "<meta charset=gbk>" + strings.Repeat("é", 30), "utf-8", true},
		{"xml declaration", "application/xml", "<?xml version='1.0' encoding='iso-8859-2'?>\xb1", "<?xml version='1.0' encoding='iso-8859-2'?>ą", "iso-8859-2", false},
		{"meta of plain text says nothing", "text/plain", "<meta charset=gbk>é", "<meta charset=gbk>é", "utf-8", false},
		{"invalid utf-8", "text/plain; charset=utf-8", "a\xffb", "a\ufffdb", "utf-8", true},
		{"euc-kr", "text/plain; charset=euc-kr", "\xb0\xa1", "가", "euc-kr", false},
		{"iso-2022-jp", "text/plain; charset=iso-2022-jp", "\x1b$B$\"\x1b(B", "あ", "iso-2022-jp", false},
	} {
		d, err := Decode([]byte(tt.in), tt.kind)
		if err != nil || d.Text != tt.want || d.Charset != tt.charset || (len(d.Notes) > 0) != tt.note {
			t.Errorf("%s: %q %s %q %v", tt.name, d.Text, d.Charset, d.Notes, err)
		}
	}
	for _, in := range []string{"\x89PNG\r\n\x1a\n", "%PDF-1.4", "a\x00b", "PK\x03\x04", "\x1f\x8b\x08", "\x7fELF\x00"} {
		if _, err := Decode([]byte(in), "text/html; charset=utf-8"); !errors.Is(err, ErrBinary) {
			t.Errorf("%q: %v", in, err)
		}
	}
}

// Guessing finds the common encodings of pages that say nothing.
func TestGuess(t *testing.T) {
	t.Parallel()
	for file, charset := range map[string]string{"testdata/gbk.html": "gbk", "testdata/shiftjis.html": "shift_jis"} {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		bare := regexp.MustCompile(`<meta[^>]*>`).ReplaceAll(b, nil)
		d, err := Decode(bare, "text/html")
		if err != nil || d.Charset != charset || len(d.Notes) != 1 {
			t.Errorf("%s: %s %q %v", file, d.Charset, d.Notes, err)
		}
	}
}

func TestNeedsBrowser(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]bool{
		`<div id=root></div><script src=a.js></script>`:                                               true,
		`<noscript>Please enable JavaScript.</noscript><div class=x></div><script src=a.js></script>`: true,
		`<app-root></app-root><script src=main.js></script>`:                                          true,
		`<div id=root></div>`: false,
		`<p>short</p>`:        false,
		`<div id=root>` + strings.Repeat("real words of a page ", 20) + `</div><script src=a.js></script>`: false,
		``: false,
	} {
		if got := Render(source, site(t), Markdown).NeedsBrowser; got != want {
			t.Errorf("%.80s: %v", source, got)
		}
	}
}

// Pages made to hurt: deep, wide, without end. They give their text in time.
func TestHostilePages(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]string{
		"deep":       strings.Repeat("<div>", 100_000) + "inner words",
		"formatting": strings.Repeat("<b><i>", 5000) + "inner words",
		"tables":     strings.Repeat("<table><tr><td>", 200) + "inner words",
		"lists":      strings.Repeat("<ul><li>", 200) + "inner words",
		"quotes":     strings.Repeat("<blockquote>", 200) + "inner words",
		"attributes": "<p " + strings.Repeat("a b=c ", 100_000) + ">inner words",
		"wide":       strings.Repeat("<p>x</p>", 100_000) + "inner words",
		"links":      strings.Repeat("<a href=x>y</a> ", 50_000) + "inner words",
		"unclosed":   strings.Repeat("<a href='", 50_000) + "inner words",
		"spans":      "<p>" + strings.Repeat("<span>x ", 400) + "inner words",
		"stars":      "<p>" + strings.Repeat("*_[`", 50_000) + " inner words",
		"cells":      "<table><tr>" + strings.Repeat("<td>x", 20_000) + "<td>inner words</table>",
		"colspan":    "<table><tr><td colspan=100000 rowspan=100000>inner words<tr><td>x</table>",
		"big":        strings.Repeat("word ", 2<<20) + "inner words",
		"entities":   strings.Repeat("&amp", 100_000) + " inner words",
		"codes":      strings.Repeat("<pre>x</pre>", 80_000) + "<pre>inner words</pre>",
	} {
		for _, form := range []Form{Markdown, PlainText} {
			start := time.Now()
			p := Render(source, site(t), form)
			if took := time.Since(start); took > 30*time.Second {
				t.Errorf("%s took %v", name, took)
			} else if took > time.Second/2 {
				t.Logf("%s took %v", name, took.Round(time.Millisecond))
			}
			if name != "unclosed" && !strings.Contains(p.Text, "inner words") {
				t.Errorf("%s: %.100q (%d bytes)", name, p.Text, len(p.Text))
			}
		}
	}
}

func TestLinks(t *testing.T) {
	t.Parallel()
	links, nofollow := Links(`<base href="/b/"><a href="x#1">1</a><a href="x#2">2</a><a href="mailto:a@b">m</a><a href=" /y ">y</a><a>z</a><area href="//o.example/">`, site(t))
	if got := fmt.Sprint(links); got != "[https://site.example/b/x https://site.example/y https://o.example/]" || nofollow {
		t.Errorf("%s %v", got, nofollow)
	}
	if _, nofollow := Links(`<meta name="robots" content="noindex, NOFOLLOW">`, site(t)); !nofollow {
		t.Error("nofollow was not seen")
	}
}

func FuzzRender(f *testing.F) {
	f.Add("<h1>a</h1><p>b <b>c</b><table><tr><td>d</table><dl><dt>e<dd>f</dl><pre><code class=language-go>g</code></pre>")
	f.Add("<ul><ul><li><dl><dd><table><caption>x")
	f.Add("<a href=x><h1>y</h1></a><img srcset=', ,' src=data:><math><annotation encoding=tex>")
	f.Fuzz(func(t *testing.T, source string) {
		u := site(t)
		for _, form := range []Form{Markdown, PlainText} {
			Render(source, u, form)
		}
		Links(source, u)
		Decode([]byte(source), "text/html")
	})
}

func BenchmarkRender(b *testing.B) {
	source := strings.Replace(load(b, "testdata/docs.html"), "</main>", strings.Repeat("<h2>More</h2><p>Some <b>words</b> with a <a href=\"x\">link</a> and <code>code</code> here to make it long enough for a page.</p><ul><li>one</li><li>two</li></ul>", 560)+"</main>", 1)
	b.SetBytes(int64(len(source)))
	u := site(b)
	for b.Loop() {
		if p := Render(source, u, Markdown); !p.Main {
			b.Fatal(p)
		}
	}
}

// Text that begins as a binary file does is text; bytes that only a byte order mark or a charset calls text are not.
func TestBinaryOrText(t *testing.T) {
	t.Parallel()
	noise := make([]byte, 4000)
	r := rand.New(rand.NewPCG(1, 2))
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	zip := "PK\x03\x04" + string(noise)
	for name, tt := range map[string]struct {
		body, kind string
		binary     bool
	}{
		"bmp": {"BMW cars", "text/plain", false}, "html bmp": {"BM<p>x", "text/html; charset=utf-8", false}, "otf": {"OTTO von Bismarck", "text/plain", false},
		"id3": {"ID3 tags", "", false}, "ttc": {"ttcf", "text/plain", false}, "woff": {"wOFF2", "text/plain", false}, "wave": {"RIFFabcdWAVE is", "text/plain", false},
		"latin": {"BMW gr\xf6\xdfer", "text/plain", false}, "real bmp": {"BM\x36\x00\x00\x00", "text/plain", true}, "jpeg": {"\xff\xd8\xff\xe0abc", "text/plain", true},
		"bom and zip": {"\xef\xbb\xbf" + zip, "text/plain", true}, "bom and NUL": {"\xef\xbb\xbfa\x00b", "text/plain", true}, "bom and text": {"\xef\xbb\xbfa", "text/plain", false},
		"le": {"\xff\xfe" + string(noise), "text/plain", true}, "be": {"\xfe\xff" + string(noise), "text/plain", true}, "utf-16 zip": {zip, "application/zip; charset=utf-16", true},
		"le text": {"\xff\xfeh\x00i\x00", "text/plain", false}, "utf-16 text": {"h\x00\n\x00\x3d\xd8\x00\xde", "text/plain; charset=utf-16", false},
		"utf-16 big": {"\x00h\x00i\x20\xac", "text/plain; charset=utf-16", false},
		"late pdf":   {"\n%PDF-1.4", "application/pdf", true}, "about pdf": {"a %PDF- begins", "text/plain", false},
	} {
		if _, err := Decode([]byte(tt.body), tt.kind); (err != nil) != tt.binary {
			t.Errorf("%s: %v, want binary %v", name, err, tt.binary)
		}
	}
}

// A Content-Type that is not written as it should be is read as far as it goes.
func TestLooseContentType(t *testing.T) {
	t.Parallel()
	for given, want := range map[string][2]string{
		"text/html; charset=gbk": {"text/html", "gbk"}, "text/html charset=gbk": {"text/html", "gbk"}, "text/html; charset=gbk, text/html": {"text/html", "gbk"},
		"text/html; charset=gbk; charset=utf-8": {"text/html", "gbk"}, `TEXT/HTML, charset="gbk"`: {"text/html", "gbk"}, "text/html;": {"text/html", ""}, "": {"", ""},
		"nonsense": {"nonsense", ""}, "a b": {"", ""}, "/,charset=": {"", ""}, "text/html,x": {"text/html", ""},
	} {
		if kind, charset := ContentType(given); (kind != want[0]) || charset != want[1] {
			t.Errorf("%q: %q %q, want %q", given, kind, charset, want)
		}
	}
}

// Lines of code are kept whatever their class, line numbers are not.
func TestCodeInTheClassOfLineNumbers(t *testing.T) {
	t.Parallel()
	p := Render(`<main><pre><span class="ln">1</span><span class="ln">let one</span>
<span class="lnt">2</span>two</pre><div class="gutter"><pre>whole block</pre></div></main>`, site(t), Markdown)
	if want := "```\nlet one\ntwo\n```\n\n```\nwhole block\n```"; p.Text != want {
		t.Errorf("%q, want %q", p.Text, want)
	}
}

// TestPipesInCells: a bar of code does not end its cell.
func TestPipesInCells(t *testing.T) {
	t.Parallel()
	p := Render("<table><tr><th>A<th>B<tr><td><code>a|b</code><td>c|d</table>", site(t), Markdown)
	if !strings.Contains(p.Text, "| `a\\|b` | c\\|d |") {
		t.Errorf("%s", p.Text)
	}
}
