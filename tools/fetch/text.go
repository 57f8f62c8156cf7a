package fetch

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/fetch/page"
)

// maxImage is how large an image is shown; clients refuse larger ones.
const maxImage = 5 << 20

// data is what fetch and request say about an answer.
type data struct {
	URL         string            `json:"url"` // where it came from in the end
	Status      int               `json:"status"`
	Headers     map[string]string `json:"headers,omitempty"`
	Redirects   []hop             `json:"redirects,omitempty"`
	Location    string            `json:"location,omitempty"`
	Title       string            `json:"title,omitempty"`
	Byline      string            `json:"byline,omitempty"`
	MIME        string            `json:"mime,omitempty"`
	Charset     string            `json:"charset,omitempty"`
	Size        int64             `json:"size"`
	SHA256      string            `json:"sha256,omitempty"`
	Main        bool              `json:"main_content,omitempty"`
	Browser     bool              `json:"needs_browser,omitempty"`
	TotalChars  int               `json:"total_chars,omitempty"`
	StartIndex  int               `json:"start_index,omitempty"`
	NextIndex   int               `json:"next_index,omitempty"`
	DurationMS  int64             `json:"duration_ms,omitempty"`
	ContentSize int64             `json:"content_length,omitempty"` // as announced, when less was read
}

// rendered is an answer, ready to be given in parts.
type rendered struct {
	text  string
	image *tools.Image
	data  data
	notes []string
	err   error // beside the text
	cut   bool  // the body was larger than its limit
}

// render makes of an answer what a model can read.
func (a *answer) render(c content, format string) *rendered {
	r := &rendered{data: data{URL: tools.Cut(shown(a.url), 2000), Status: a.StatusCode, Redirects: a.hops, Size: int64(len(c.data))}, notes: a.notes, cut: c.more}
	if len(r.data.Redirects) > 5 {
		r.data.Redirects = append(slices.Clone(a.hops[:2]), a.hops[len(a.hops)-3:]...)
	}
	if location := a.Header.Get("Location"); location != "" {
		if u, err := a.url.Parse(location); err == nil {
			r.data.Location = tools.Cut(u.String(), 500)
		}
	}
	declared := a.Header.Get("Content-Type")
	kind, _ := page.ContentType(declared)
	r.data.MIME = tools.Cut(kind, 100)
	if kind == "" && len(c.data) > 0 {
		r.data.MIME, _, _ = mime.ParseMediaType(http.DetectContentType(c.data))
	}
	if c.more {
		r.notes = append(r.notes, fmt.Sprintf("the body is larger than %d bytes; only that much was read, download gets all of it", maxBody))
		r.data.ContentSize = max(a.ContentLength, 0)
	}
	if c.err != nil {
		r.data.ContentSize = max(a.ContentLength, 0)
	}
	r.body(a, c, declared, format)
	r.err = a.failure(r.err, c)
	return r
}

// body fills in what the bytes are.
func (r *rendered) body(a *answer, c content, declared, format string) {
	if len(c.data) == 0 {
		return
	}
	if image := pictureOf(c.data); image != "" {
		r.data.MIME = image
		r.sum(c)
		switch {
		case c.more || c.err != nil || len(c.data) > maxImage:
			r.err = tools.Errorf(tools.TooLarge, "an image of %d bytes (%s) is not shown; download it", len(c.data), image)
		default:
			r.image = &tools.Image{Data: c.data, MIME: image}
		}
		return
	}
	d, err := page.Decode(c.data, declared)
	if err != nil {
		r.sum(c)
		r.data.MIME = binaryKind(c.data, r.data.MIME)
		what := "binary data"
		if r.data.MIME == "application/pdf" {
			what = "a PDF"
		}
		r.err = tools.Errorf(tools.Binary, "the answer is %s (%s, %d bytes), which is not given as text; save it with action download", what, r.data.MIME, len(c.data)).
			With(tools.Details{Param: "url", Actual: r.data.MIME, Suggestion: "download"})
		return
	}
	r.data.Charset = d.Charset
	if declared == "" && !strings.HasPrefix(r.data.MIME, "text/") {
		r.data.MIME = "text/plain" // its first letters look like the mark of something else
	}
	r.notes = append(r.notes, d.Notes...)
	r.text = d.Text
	if looksLikeJSON(d.Text) {
		return // whatever the server calls it: many say text/html of all that they send
	}
	if (page.IsHTML(r.data.MIME) || r.data.MIME == "" && page.IsHTML(http.DetectContentType(c.data))) && format != "raw" {
		form := page.Markdown
		switch format {
		case "text":
			form = page.PlainText
		case "full":
			form = page.Full
		}
		p := page.Render(d.Text, a.url, form)
		r.text, r.data.Title, r.data.Byline, r.data.Main, r.data.Browser = p.Text, p.Title, p.Byline, p.Main, p.NeedsBrowser
		r.notes = append(append(r.notes, p.Notes...), leftOut(p)...)
		if p.NeedsBrowser {
			r.notes = append(r.notes, "the page makes its text by scripts, which are not run here; look for an API, a feed or a static version of it, or open it in the person's browser")
		}
	}
}

// leftOut says what of a page is not in its text.
func leftOut(p page.Page) (notes []string) {
	switch {
	case p.Left > 0:
		notes = append(notes, fmt.Sprintf("this is the main content; about %d words beside it are left out, format full gives the whole page", p.Left))
	case p.Form:
		notes = append(notes, "the page has a form, whose fields are left out; format full shows them")
	}
	if p.Refresh != "" {
		notes = append(notes, "the page sends its reader on to "+tools.Cut(p.Refresh, 300)+", which was not followed; fetch that to read on")
	}
	return notes
}

// looksLikeJSON reports whether a text is a JSON object or list.
func looksLikeJSON(text string) bool {
	text = strings.TrimSpace(text)
	return text != "" && (text[0] == '{' || text[0] == '[') && json.Valid([]byte(text))
}

func (r *rendered) sum(c content) {
	if !c.more && c.err == nil {
		sum := sha256.Sum256(c.data)
		r.data.SHA256 = hex.EncodeToString(sum[:])
	}
}

// failure is what an answer as a whole amounts to: a body that broke off, a status of failure, or what is wrong with
// its content.
func (a *answer) failure(err error, c content) error {
	if c.err != nil {
		e := tools.AsError(c.err)
		if e.Code == tools.InternalError {
			e = tools.Errorf(tools.HTTPError, "%v; %d bytes came, they are given as far as they can be. Try again, or use download", c.err, len(c.data))
		}
		return e
	}
	if a.StatusCode >= 400 {
		e := tools.Errorf(tools.HTTPError, "%s answered %d %s%s", tools.Cut(shown(a.url), 300), a.StatusCode, http.StatusText(a.StatusCode), advice(a.Response)).
			With(tools.Details{Param: "url", Actual: fmt.Sprint(a.StatusCode)})
		return e
	}
	return err
}

// advice is what to do about a status.
func advice(r *http.Response) string {
	switch r.StatusCode {
	case 401, 407:
		return "; it wants a sign-in, give headers with Authorization"
	case 403:
		return "; access is denied, it may want a sign-in or refuse programs"
	case 404, 410:
		return "; check the URL"
	case 405:
		return "; allowed methods: " + tools.Cut(r.Header.Get("Allow"), 100)
	case 429, 503:
		if after := strings.TrimSpace(r.Header.Get("Retry-After")); after != "" {
			if _, err := strconv.Atoi(after); err == nil {
				after += " seconds"
			}
			return "; try again after " + tools.Cut(after, 40)
		}
		return "; try again later"
	}
	return "; what it said is beside this"
}

// pictureOf names the kind of an image that models are shown, "" for all else. The bytes decide.
func pictureOf(b []byte) string {
	switch kind := http.DetectContentType(b); kind {
	case "image/png", "image/jpeg":
		return kind
	case "image/gif", "image/webp": // they begin with letters, as a text may
		if bytes.IndexByte(b, 0) >= 0 {
			return kind
		}
	}
	return ""
}

func binaryKind(b []byte, declared string) string {
	kind, _, _ := mime.ParseMediaType(http.DetectContentType(b))
	if kind == "application/octet-stream" || strings.HasPrefix(kind, "text/") {
		if declared != "" && !strings.HasPrefix(declared, "text/") {
			return declared
		}
		return "application/octet-stream"
	}
	return kind
}

// part gives the text from a character on, as much as a call may have.
func (r *rendered) part(c *tools.Call, start, maxChars int) (*tools.Result, error) {
	for _, n := range r.notes {
		c.Warn(n)
	}
	d := r.data
	res := &tools.Result{Image: r.image, Truncated: r.cut}
	total := runes(r.text)
	d.TotalChars = total
	if start < 0 || start > total {
		return nil, tools.Errorf(tools.InvalidParams, "start_index %d: the text has %d characters; use 0 to %d", start, total, total).With(tools.Details{Param: "start_index"})
	}
	d.StartIndex = start
	rest := r.text[byteIndex(r.text, start):]
	given, more := tools.Head(rest, tools.Limit(maxChars))
	if more {
		d.NextIndex = start + runes(given)
		res.Truncated = true
		res.Paging = &tools.Paging{Cursor: fmt.Sprint(d.NextIndex), More: true, Total: total}
	}
	res.Text, res.Data = given, d
	return res, r.err
}

func runes(s string) (n int) {
	for range s {
		n++
	}
	return n
}

// byteIndex is where character n of s begins.
func byteIndex(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}

// flatHeaders are the headers of an answer for data, at most about n bytes of them. cut reports that some were cut.
func flatHeaders(h http.Header, n int) (m map[string]string, cut bool) {
	m = map[string]string{}
	names := make([]string, 0, len(h))
	for name := range h {
		names = append(names, name)
	}
	slices.SortFunc(names, func(a, b string) int {
		return cmp.Or(slices.Index(unimportant, a)-slices.Index(unimportant, b), strings.Compare(a, b))
	})
	for _, name := range names {
		value := strings.Join(h[name], ", ")
		room := n - len(name) - 6
		if room < 20 {
			return m, true
		}
		short := tools.Cut(strings.ToValidUTF8(value, "\ufffd"), min(room, 500))
		cut = cut || short != value
		m[name] = short
		n = room - len(short)
	}
	return m, cut
}

// unimportant are headers that are long and say little; they come last.
var unimportant = []string{"Vary", "Alt-Svc", "Nel", "Report-To", "Reporting-Endpoints", "Strict-Transport-Security", "Permissions-Policy",
	"Content-Security-Policy-Report-Only", "Content-Security-Policy"}
