package fetch

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// sent is what fetch and request have in common.
type sent struct {
	URL     string            `json:"url"`
	Method  string            `json:"method"`
	Headers map[string]string `json:"headers"`
	Body    json.RawMessage   `json:"body"`
	Form    json.RawMessage   `json:"form"`
	extras
	StartIndex int           `json:"start_index"`
	MaxChars   int           `json:"max_chars"`
	Timeout    time.Duration `json:"timeout"`
}

type fetchIn struct {
	sent
	Format string `json:"format"`
}

type requestIn struct {
	sent
	Follow *bool `json:"follow"`
}

// manner is how an answer is asked for and given.
type manner struct {
	accept  string
	format  string
	follow  bool
	headers bool // say them
}

// pageAccept asks for pages, in the form that is read best.
const pageAccept = "text/html,application/xhtml+xml,text/markdown;q=0.9,application/json;q=0.8,*/*;q=0.7"

// formats are those that names of the action ask for.
var formats = map[string]string{"fetch_html": "raw", "fetch_markdown": "markdown", "fetch_txt": "text"}

func (t *tool) fetch() tools.Action {
	return tools.Act(tools.Action{
		Name: "fetch", Aliases: []string{"read", "scrape", "fetch_html", "fetch_markdown", "fetch_txt", "fetch_json", "search", "web_search"}, OwnTime: true, Effect: tools.Reads, EffectOf: effect, Also: requests,
		Doc: "what is at url, as text: pages as Markdown, in parts by start_index",
	}, func(ctx context.Context, c *tools.Call, in fetchIn) (*tools.Result, error) {
		if c.Given == "search" || c.Given == "web_search" {
			return nil, tools.Errorf(tools.Unsupported, "this machine does not search the web; the tools of the door do that (call `describe` to find them), and fetch reads what they find")
		}
		switch in.Format = strings.ToLower(cmp.Or(in.Format, formats[c.Given])); in.Format {
		case "", "auto", "markdown", "text", "full", "raw":
		case "md":
			in.Format = "markdown"
		case "html", "source":
			in.Format = "raw"
		default:
			return nil, tools.Errorf(tools.InvalidParams, "format %s: use auto, markdown, text, full or raw", quote(in.Format)).
				With(tools.Details{Param: "format", Available: []string{"auto", "markdown", "text", "full", "raw"}})
		}
		return t.exchange(ctx, c, in.sent, manner{accept: pageAccept, format: in.Format, follow: true})
	})
}

func (t *tool) request() tools.Action {
	return tools.Act(tools.Action{
		Name: "request", Aliases: verbs, OwnTime: true, Effect: tools.Reads, EffectOf: effect,
		Doc: "one HTTP exchange: status, headers and the body as it came",
	}, func(ctx context.Context, c *tools.Call, in requestIn) (*tools.Result, error) {
		return t.exchange(ctx, c, in.sent, manner{accept: "*/*", format: "raw", follow: in.Follow == nil || *in.Follow, headers: true})
	})
}

// exchange makes one request and gives a part of its answer. Later parts are those of the same answer.
func (t *tool) exchange(ctx context.Context, c *tools.Call, in sent, m manner) (*tools.Result, error) {
	a, err := prepare(c, in, m)
	if err != nil {
		return nil, err
	}
	kept, key := keptTexts(c.Session), a.key(m)
	if in.StartIndex > 0 {
		if r := kept.get(key); r != nil {
			return r.part(c, in.StartIndex, in.MaxChars)
		}
		if c.Effect() != tools.Reads {
			return nil, tools.Errorf(tools.Conflict, "the answer to this request is no longer kept, and a %s is not sent again to read on; call without start_index to send it again", a.method).
				With(tools.Details{Param: "start_index"})
		}
	}
	ctx, stop, cancel := timed(ctx, in.Timeout)
	defer cancel()
	conns := t.newClient()
	defer conns.Close()
	start := time.Now()
	got, err := conns.do(ctx, *a)
	if err != nil {
		return nil, err
	}
	body := got.read(ctx, stop)
	if ctx.Err() != nil {
		if errors.Is(context.Cause(ctx), context.Canceled) {
			return nil, context.Canceled
		}
		m.format = "raw" // there is no time left for more
	}
	r, err := conns.render(ctx, got, body, m.format)
	if err != nil {
		return nil, ended(ctx, got.url)
	}
	r.data.DurationMS = max(time.Since(start).Milliseconds(), 1)
	if m.headers {
		r.data.Headers, _ = flatHeaders(got.Header, 4000)
	}
	if body.err == nil && r.image == nil {
		kept.put(key, r)
	}
	return r.part(c, in.StartIndex, in.MaxChars)
}

// Limits of rendering: the tree of a large page has many times its size.
const (
	largePage   = 256 << 10
	largeAtOnce = 2
)

// render makes of an answer what a model can read, of large pages a few at a time. What is given raw has no tree.
func (c *client) render(ctx context.Context, got *answer, body content, format string) (*rendered, error) {
	work := func() *rendered { return got.render(body, format) }
	if len(body.data) < largePage || format == "raw" {
		return await(ctx, work)
	}
	select {
	case c.large <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return await(ctx, func() *rendered {
		defer func() { <-c.large }() // when it is done, which may be after its call
		return work()
	})
}

// await runs work that nothing can interrupt, and waits for it until ctx ends. What it works on is bounded, so it ends
// soon after. When ctx is over already, it waits all the same.
func await[T any](ctx context.Context, work func() T) (T, error) {
	type outcome struct {
		value T
		fault any
	}
	done := make(chan outcome, 1)
	over := ctx.Done()
	if ctx.Err() != nil {
		over = nil
	}
	go func() {
		var o outcome
		defer func() {
			o.fault = recover()
			done <- o
		}()
		o.value = work()
	}()
	select {
	case o := <-done:
		if o.fault != nil {
			panic(o.fault)
		}
		return o.value, nil
	case <-over:
		var none T
		return none, ctx.Err()
	}
}

// prepare checks what a call wants to send.
func prepare(c *tools.Call, in sent, m manner) (*ask, error) {
	u, err := address(in.URL)
	if err != nil {
		return nil, err
	}
	method, err := checkMethod(c)
	if err != nil {
		return nil, err
	}
	h, err := callerHeaders(in.Headers)
	if err != nil {
		return nil, err
	}
	if err := in.apply(c, u, h); err != nil {
		return nil, err
	}
	body, kind := bodyOf(in.Body)
	if in.Form != nil && string(in.Form) != `""` {
		if body != nil {
			return nil, tools.Errorf(tools.InvalidParams, "body and form are both given; give one. Nothing was sent").With(tools.Details{Param: "form"})
		}
		fields, err := pairs("form", in.Form)
		if err != nil {
			return nil, err
		}
		body, kind = []byte(fields.Encode()), "application/x-www-form-urlencoded"
	}
	if _, given := h["Content-Type"]; body != nil && !given {
		h["Content-Type"] = []string{kind}
	}
	if _, given := h["Accept"]; !given {
		h["Accept"] = []string{m.accept}
	}
	if u.User != nil {
		if _, given := h["Authorization"]; !given {
			password, _ := u.User.Password()
			r := http.Request{Header: http.Header{}}
			r.SetBasicAuth(u.User.Username(), password)
			h["Authorization"] = r.Header["Authorization"]
		}
		u.User = nil
	}
	return &ask{method: method, url: u, header: h, body: body, follow: m.follow}, nil
}

// key names the answer that a call is about.
func (a *ask) key(m manner) string {
	h := sha256.New()
	put := func(s string) { fmt.Fprintf(h, "%d:%s", len(s), s) }
	put(a.method)
	put(a.url.String())
	put(m.format)
	put(fmt.Sprint(m.follow))
	put(string(a.body))
	for _, name := range slices.Sorted(maps.Keys(a.header)) {
		put(name)
		put(strings.Join(a.header[name], ","))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Limits of the texts that a session keeps, so that reading on does not load a page again and does not change it
// under the reader.
const (
	keepPages = 8
	keepBytes = 16 << 20
	keepTime  = 15 * time.Minute
)

type keptText struct {
	key  string
	at   time.Time
	text *rendered
}

// kept are the texts of a session, oldest first.
type kept struct {
	mu   sync.Mutex
	list []keptText
}

func keptTexts(s *tools.Session) *kept {
	if s == nil || s.Stateless {
		return &kept{}
	}
	return s.Value("fetch.texts", func() any { return &kept{} }).(*kept)
}

func (k *kept) get(key string) *rendered {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, one := range k.list {
		if one.key == key && time.Since(one.at) < keepTime {
			return one.text
		}
	}
	return nil
}

func (k *kept) put(key string, r *rendered) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.list = slices.DeleteFunc(k.list, func(one keptText) bool { return one.key == key || time.Since(one.at) >= keepTime })
	k.list = append(k.list, keptText{key, time.Now(), r})
	size := 0
	for i := len(k.list) - 1; i >= 0; i-- {
		size += len(k.list[i].text.text)
		if size > keepBytes || len(k.list)-i > keepPages {
			k.list = slices.Delete(k.list, 0, i+1)
			return
		}
	}
}
