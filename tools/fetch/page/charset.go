package page

import (
	"bytes"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"strings"
	utf "unicode"
	"unicode/utf8"

	"github.com/gogs/chardet"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// ErrBinary is returned by Decode for bytes that are no text.
var ErrBinary = errors.New("binary")

// prescan is how far into a page its own declaration of a charset is looked for. Browsers must look at 1,024 bytes;
// pages that put it later exist.
const prescan = 8 << 10

// Decoded is text with how it was read.
type Decoded struct {
	Text    string // valid UTF-8 without a byte order mark
	Charset string // WHATWG name of the encoding that was used
	Notes   []string
}

// Decode turns bytes into text. The charset is that of the byte order mark, else of the Content-Type header, else the
// one that the page declares itself (HTML and XML), else what the bytes look like. A label that nobody knows is passed
// over, with a note. contentType may be empty. ErrBinary is returned for what is no text, whatever its type says.
func Decode(b []byte, contentType string) (Decoded, error) {
	kind, charset := ContentType(contentType)
	var d Decoded
	if kind == "application/pdf" && bytes.Contains(b[:min(len(b), 1024)], []byte("%PDF-")) {
		return d, ErrBinary
	}
	if enc, name, size := bom(b); enc != nil {
		if name == "utf-8" && isBinary(b[size:]) {
			return d, ErrBinary
		}
		return d.with(b[size:], enc, name)
	}
	labels := []struct{ from, label string }{{"the Content-Type header", charset}}
	if isMarkup(kind, b) {
		labels = append(labels, struct{ from, label string }{"the page", declaredCharset(b)})
	}
	for _, l := range labels {
		if l.label == "" {
			continue
		}
		label := strings.Trim(strings.TrimSpace(l.label), `"'`)
		enc, err := htmlindex.Get(label)
		if err != nil {
			d.Notes = append(d.Notes, fmt.Sprintf("%s names the charset %q, which is not known", l.from, tools.Cut(label, 40)))
			continue
		}
		name, _ := htmlindex.Name(enc)
		if strings.HasPrefix(name, "utf-16") {
			switch {
			case l.from == "the page":
				enc, name = unicode.UTF8, "utf-8" // it was read as ASCII, so it is not UTF-16
			case strings.EqualFold(label, "utf-16") && bigEndian(b):
				enc, name = unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), "utf-16be"
			}
		} else if isBinary(b) {
			return d, ErrBinary
		}
		if name == "utf-8" && !valid(b) {
			// A header that says UTF-8 for a page of another charset is common; bytes do not lie.
			if guess, ok := guess(b); ok && l.from == "the page" {
				d.Notes = append(d.Notes, "the page says utf-8 but is not; read as "+guess)
				enc, _ = htmlindex.Get(guess)
				name = guess
			}
		}
		if name != "utf-8" && l.from == "the page" && looksUTF8(b) {
			d.Notes = append(d.Notes, "the page says "+name+" but is utf-8")
			enc, name = unicode.UTF8, "utf-8"
		}
		if name == "x-user-defined" || name == "replacement" {
			enc, _ = htmlindex.Get("windows-1252")
			name = "windows-1252"
		}
		return d.with(b, enc, name)
	}
	if isBinary(b) {
		return d, ErrBinary
	}
	if valid(b) {
		return d.with(b, unicode.UTF8, "utf-8")
	}
	name, _ := guess(b)
	enc, _ := htmlindex.Get(name)
	d.Notes = append(d.Notes, "no charset is given; read as "+name+", which is a guess")
	return d.with(b, enc, name)
}

func (d Decoded) with(b []byte, enc encoding.Encoding, name string) (Decoded, error) {
	d.Charset = name
	if name == "utf-8" {
		d.Text = strings.ToValidUTF8(string(b), "\ufffd")
		if len(d.Text) != len(b) || !utf8.Valid(b) {
			d.Notes = append(d.Notes, "some bytes are no UTF-8; they are shown as U+FFFD")
		}
		return d, nil
	}
	out, err := enc.NewDecoder().Bytes(b)
	if err != nil {
		return d, ErrBinary
	}
	d.Text = strings.ToValidUTF8(string(out), "\ufffd")
	if strings.HasPrefix(name, "utf-16") && isNoise(d.Text) {
		return d, ErrBinary
	}
	if strings.Contains(d.Text, "\ufffd") {
		d.Notes = append(d.Notes, "some bytes mean nothing in "+name+"; they are shown as U+FFFD")
	}
	return d, nil
}

// looksUTF8 reports whether b has so many characters of several bytes, all of them right, that nothing but UTF-8 could
// be the reason: what a page says of itself is older than the copy at times.
func looksUTF8(b []byte) bool {
	if !valid(b) {
		return false
	}
	many := 0
	for _, c := range b {
		if c >= 0xc0 {
			many++
		}
	}
	return many >= 20
}

// valid reports whether b is UTF-8; of a body that is so long that it may have been cut, the last character aside.
func valid(b []byte) bool {
	if len(b) < 1<<20 {
		return utf8.Valid(b)
	}
	for i := len(b) - 1; i >= 0 && i >= len(b)-3; i-- {
		if utf8.RuneStart(b[i]) {
			if !utf8.FullRune(b[i:]) {
				b = b[:i]
			}
			break
		}
	}
	return utf8.Valid(b)
}

func bom(b []byte) (encoding.Encoding, string, int) {
	switch {
	case bytes.HasPrefix(b, []byte{0xef, 0xbb, 0xbf}):
		return unicode.UTF8, "utf-8", 3
	case bytes.HasPrefix(b, []byte{0xff, 0xfe}):
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), "utf-16le", 2
	case bytes.HasPrefix(b, []byte{0xfe, 0xff}):
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), "utf-16be", 2
	}
	return nil, "", 0
}

func isMarkup(kind string, b []byte) bool {
	if kind == "" {
		kind, _, _ = mime.ParseMediaType(http.DetectContentType(b))
	}
	return IsHTML(kind) || strings.HasSuffix(kind, "xml")
}

// IsHTML reports whether a media type is that of a web page.
func IsHTML(kind string) bool { return kind == "text/html" || kind == "application/xhtml+xml" }

// isBinary reports whether b is no text: a NUL in it, or the signature of a well-known kind.
func isBinary(b []byte) bool {
	head := b[:min(len(b), 64<<10)]
	if bytes.IndexByte(head, 0) >= 0 || bytes.HasPrefix(head, []byte("%PDF-")) {
		return true
	}
	control := 0
	for _, c := range head {
		if c < 0x20 && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != 0x1b {
			control++
		}
	}
	if control > len(head)/20 {
		return true
	}
	if control == 0 && (len(head) == 0 || head[0] < 0x80) {
		return false // "BMW" and "OTTO" begin as an image and a font do, which go on with other bytes
	}
	kind := http.DetectContentType(head)
	for _, p := range []string{"image/", "audio/", "video/", "font/", "application/zip", "application/x-gzip", "application/x-rar", "application/wasm", "application/pdf", "application/vnd"} {
		if strings.HasPrefix(kind, p) {
			return true
		}
	}
	return false
}

// bigEndian reports whether UTF-16 without a mark has its high bytes first: those of spaces and line breaks are zero.
func bigEndian(b []byte) bool {
	first, second := 0, 0
	for i := 0; i+1 < min(len(b), 4096); i += 2 {
		if b[i] == 0 {
			first++
		}
		if b[i+1] == 0 {
			second++
		}
	}
	return first > second
}

// isNoise reports whether what was decoded from UTF-16 is none: any bytes at all can be read as it.
func isNoise(text string) bool {
	bad, all := 0, 0
	for _, r := range text {
		if all++; all > 32<<10 {
			break
		}
		if r == '\ufffd' || !textRune(r) {
			bad++
		}
	}
	return bad > all/20
}

func textRune(r rune) bool {
	switch r {
	case '\n', '\r', '\t', '\f', 0x1b:
		return true
	}
	return utf.IsGraphic(r) || utf.Is(utf.Cf, r) || utf.IsSpace(r)
}

// ContentType reads a Content-Type header: the media type in lower case, and the label of its charset. What is written
// wrongly, as many do (a comma or a space where a semicolon belongs, a parameter twice), is read as far as it goes.
func ContentType(header string) (kind, charset string) {
	kind, params, err := mime.ParseMediaType(header)
	if err == nil {
		return kind, params["charset"]
	}
	text := strings.ToLower(header)
	if end := strings.IndexAny(text, ";, \t"); end >= 0 {
		kind, text = text[:end], text[end:]
	} else {
		kind, text = text, ""
	}
	if major, minor, ok := strings.Cut(kind, "/"); !ok || major == "" || minor == "" {
		kind = ""
	}
	if _, label, ok := strings.Cut(text, "charset="); ok {
		label = strings.TrimLeft(label, `"' `)
		charset = label[:strings.IndexAny(label+";", `"'; ,`)]
	}
	return kind, charset
}

// declaredCharset is the label that a page gives in a meta element or an XML declaration, "" when it gives none.
func declaredCharset(b []byte) string {
	b = b[:min(len(b), prescan)]
	if rest, ok := bytes.CutPrefix(bytes.TrimLeft(b, " \t\r\n"), []byte("<?xml")); ok {
		if end := bytes.Index(rest, []byte("?>")); end > 0 {
			if _, after, ok := strings.Cut(string(rest[:end]), "encoding"); ok {
				after = strings.TrimLeft(after, " \t\r\n=")
				if len(after) > 1 && (after[0] == '"' || after[0] == '\'') {
					if label, _, ok := strings.Cut(after[1:], after[:1]); ok {
						return label
					}
				}
			}
		}
	}
	z := html.NewTokenizer(bytes.NewReader(b))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return ""
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			if t.DataAtom != atom.Meta {
				continue
			}
			if label := attrOf(t.Attr, "charset"); label != "" {
				return label
			}
			if strings.EqualFold(attrOf(t.Attr, "http-equiv"), "content-type") {
				_, params, err := mime.ParseMediaType(attrOf(t.Attr, "content"))
				if err == nil && params["charset"] != "" {
					return params["charset"]
				}
				if _, label, ok := strings.Cut(strings.ToLower(attrOf(t.Attr, "content")), "charset="); ok {
					end := strings.IndexAny(label+";", "; ,")
					return label[:end]
				}
			}
		}
	}
}

// guess names the encoding that bytes look like when nothing says so. sure is set when more than the absence of
// another answer speaks for it.
func guess(b []byte) (name string, sure bool) {
	const fallback = "windows-1252"
	high := 0
	for _, c := range b {
		if c >= 0x80 {
			high++
		}
	}
	if high < 4 {
		return fallback, false
	}
	best, err := chardet.NewTextDetector().DetectBest(b[:min(len(b), 64<<10)])
	if err != nil || best.Confidence < 30 {
		return fallback, false
	}
	label := strings.ToLower(best.Charset)
	if strings.HasPrefix(label, "gb") { // the subset that nearly all of it is
		label = "gbk"
	}
	enc, err := htmlindex.Get(label)
	if err != nil {
		return fallback, false
	}
	name, err = htmlindex.Name(enc)
	if err != nil || name == "utf-8" || strings.HasPrefix(name, "utf-16") {
		return fallback, false
	}
	if out, err := enc.NewDecoder().Bytes(b); err != nil || bytes.Count(out, []byte("\ufffd")) > high/20 {
		return fallback, false
	}
	return name, best.Confidence >= 50
}
