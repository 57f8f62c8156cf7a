// Package fetch is the tool fetch: what is at an address on the network.
//
// Its room: HTTP exchanges and what becomes of them. A page is answered as Markdown of its main content (page), a body
// as it came (request), a file goes into the roots (download), some pages of a site likewise (crawl), and an address
// is shown to the person (open). Which addresses may be reached is decided below, in guard, for every connection;
// bytes become text in page.
//
// It must never connect to an address that guard has not judged, send a caller's headers or body to another origin
// than they were given for, hold more of a body than its limit, give binary data as text, or write outside the roots.
// It has no bearer and needs none.
//
// Governing text: HIP-0300 §2 (the local fetch tool; searching the web is the cloud's), HIP-0301 §10.
package fetch

import (
	"cmp"
	"context"
	"crypto/tls"
	_ "embed"
	"encoding/json"
	"net"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/fetch/guard"
	"github.com/hanzoai/hanzo-mcp/tools/job"
)

//go:embed fetch.md
var description string

// Config is what the tool needs. The zero value reaches the public internet and literal loopback, waits for downloads
// and crawls as long as a call may last, and opens nothing.
type Config struct {
	AllowPrivate func() []string                   // addresses, CIDRs and hosts that may be reached beyond that
	Jobs         *job.Manager                      // keeps downloads and crawls that take longer than a call; nil: calls wait
	Launcher     *launch.Launcher                  // starts the program that opens a URL
	Look         func(name string) (string, error) // finds it on the cleaned PATH
	Environ      func() []string                   // its environment, DISPLAY among it
	Proxy        func(*url.URL) (*url.URL, error)  // the proxy for a URL; nil: as HTTP_PROXY, HTTPS_PROXY and NO_PROXY say
	Resolver     *net.Resolver                     // nil: the system's
	TLS          *tls.Config                       // nil: TLS 1.2 and the system's authorities
	MaxDownload  int64                             // bytes; 0: 1 GiB
}

// defaultTimeout is the time for fetch, request and head; maxTimeout is the most that a call may ask for.
const (
	defaultTimeout = 30 * time.Second
	maxTimeout     = 10 * time.Minute
)

const userAgent = "hanzo-mcp/1 (+https://github.com/hanzoai/hanzo-mcp)"

// tool is the state behind the actions.
type tool struct {
	cfg   Config
	guard guard.Guard
	large chan struct{} // a place for each large page that is being rendered
}

// New makes the tool.
func New(cfg Config) *tools.Tool {
	cfg.MaxDownload = cmp.Or(cfg.MaxDownload, 1<<30)
	t := &tool{cfg: cfg, guard: guard.Guard{Allow: cfg.AllowPrivate, Resolver: cfg.Resolver}, large: make(chan struct{}, largeAtOnce)}
	return &tools.Tool{
		Name:        "fetch",
		Title:       "Fetch",
		Description: description,
		Hints:       tools.Hints{Destructive: true, OpenWorld: true},
		Default:     "fetch",
		Rewrite:     rewrite,
		Params:      params,
		Actions:     []tools.Action{t.fetch(), t.request(), t.head(), t.download(), t.crawl(), t.open()},
	}
}

var params = []tools.Param{
	{Name: "url", Type: "string", Doc: "http or https", Aliases: []string{"uri", "link", "href", "address"}},
	{Name: "format", Type: "string", Enum: []string{"auto", "markdown", "text", "full", "raw"}, Doc: "auto: a page as Markdown of its main content, all else as it is; full: of the whole page"},
	{Name: "start_index", Type: "integer", Doc: "first character of the page of text (next_index of the one before)", Aliases: []string{"offset", "start"}},
	{Name: "max_chars", Type: "integer", Doc: "characters given (30000)", Aliases: []string{"max_length", "max_characters"}},
	{Name: "method", Type: "string", Doc: "GET, POST, …", Aliases: []string{"http_method", "verb"}},
	{Name: "headers", Type: "object", Doc: "sent to that origin only"},
	{Name: "body", Doc: "text; an object is sent as JSON", Aliases: []string{"data", "json", "payload"}},
	{Name: "params", Type: "object", Hidden: true, Doc: "added to the query of url", Aliases: []string{"query", "query_params", "query_string", "search_params"}},
	{Name: "form", Type: "object", Hidden: true, Doc: "body, sent as a form", Aliases: []string{"form_data", "form_fields"}},
	{Name: "auth", Hidden: true, Doc: "\"user:password\"", Aliases: []string{"authorization", "basic_auth"}},
	{Name: "raw", Type: "boolean", Hidden: true, Doc: "fetch: format raw"},
	{Name: "files", Hidden: true, Doc: "refused: exec with curl -F sends files"},
	{Name: "cookies", Hidden: true, Doc: "refused: give them in headers as Cookie"},
	{Name: "follow", Type: "boolean", Doc: "request: follow redirects (true)", Aliases: []string{"follow_redirects", "redirect"}},
	{Name: "output", Type: "string", Path: tools.WritePath, Doc: "download: file or folder; crawl: folder for the pages",
		Aliases: []string{"path", "file_path", "file", "destination", "dest", "output_path", "output_file", "filename", "file_name", "dir", "directory", "save_to", "save_path", "save_as"}},
	{Name: "overwrite", Type: "boolean", Doc: "replace existing files"},
	{Name: "sha256", Type: "string", Strict: true, Doc: "download: refuse another content", Aliases: []string{"checksum"}},
	{Name: "resume", Type: "boolean", Doc: "download: keep what came of a broken one, and go on from there"},
	{Name: "depth", Type: "integer", Doc: "crawl: links away from url (2)", Aliases: []string{"max_depth"}},
	{Name: "limit", Type: "integer", Doc: "crawl: pages (10)", Aliases: []string{"max_pages"}},
	{Name: "same_host", Type: "boolean", Doc: "crawl: stay on the host (true)", Aliases: []string{"same_domain"}},
	{Name: "robots", Type: "boolean", Doc: "crawl: heed robots.txt (true)", Aliases: []string{"respect_robots", "robots_txt"}},
	{Name: "delay", Doc: "crawl: pause between pages, ms or \"1s\""},
	{Name: "timeout", Doc: "ms or \"30s\""},
}

// verbs are the aliases of request that name a method.
var verbs = []string{"get", "post", "put", "delete", "patch"}

// methodOf is the method of a call: that of the alias that it was called by, else the parameter, else GET, or POST
// when there is a body.
func methodOf(c *tools.Call) string {
	given := strings.ToUpper(strings.TrimSpace(c.Args.String("method")))
	if given != "" {
		return given
	}
	for _, v := range verbs {
		if c.Given == v {
			return strings.ToUpper(v)
		}
	}
	if hasBody(c) {
		return http.MethodPost
	}
	return http.MethodGet
}

func hasBody(c *tools.Call) bool {
	for _, name := range []string{"body", "form"} {
		if raw := c.Args.Raw(name); len(raw) > 0 && string(raw) != `""` {
			return true
		}
	}
	return false
}

// effect is r for GET and HEAD without a body that mean what they say, w for all else.
func effect(c *tools.Call) tools.Effect {
	if m := methodOf(c); (m == http.MethodGet || m == http.MethodHead) && !hasBody(c) && !overridesMethod(c) {
		return tools.Reads
	}
	return tools.Writes
}

// requests has rules for request hold for a fetch that does more than read.
func requests(c *tools.Call) []string {
	if effect(c) == tools.Reads {
		return nil
	}
	return []string{"request"}
}

// overridesMethod reports whether a header asks the server to take the request for one of another method.
func overridesMethod(c *tools.Call) bool {
	var given map[string]json.RawMessage
	_ = json.Unmarshal(c.Args.Raw("headers"), &given) // what is no object is refused later
	for name := range given {
		switch textproto.CanonicalMIMEHeaderKey(strings.TrimSpace(name)) {
		case "X-Http-Method-Override", "X-Http-Method", "X-Method-Override":
			return true
		}
	}
	return false
}

// checkMethod refuses what is no method for a model to send, and a method that contradicts the alias.
func checkMethod(c *tools.Call) (string, error) {
	m := methodOf(c)
	bad := func(format string, args ...any) error {
		return tools.Errorf(tools.InvalidParams, format, args...).With(tools.Details{Param: "method", Actual: tools.Cut(m, 40)})
	}
	for _, v := range verbs {
		if c.Given == v && !strings.EqualFold(v, m) {
			return "", bad("%s and method %s say different things; give one", v, quote(m))
		}
	}
	if c.Tool.Action(m) != nil && m != http.MethodHead && !slices.Contains(verbs, strings.ToLower(m)) {
		return "", bad("method is the HTTP method; give the action as action:%q", strings.ToLower(m))
	}
	for _, r := range m {
		if (r < 'A' || r > 'Z') && r != '-' || len(m) > 30 {
			return "", bad("%s is no HTTP method", quote(m))
		}
	}
	if m == "CONNECT" || m == "TRACE" {
		return "", bad("%s is not sent by this tool", m)
	}
	return m, nil
}

// bodyOf is the body that a call wants to send, and its type: a string as it is, anything else as the JSON that it is.
func bodyOf(raw json.RawMessage) (body []byte, mime string) {
	switch {
	case len(raw) == 0 || string(raw) == `""`:
		return nil, ""
	case raw[0] != '"':
		return raw, "application/json"
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return raw, "application/json"
	}
	if trimmed := strings.TrimSpace(text); (strings.HasPrefix(trimmed, "{") || strings.HasPrefix(trimmed, "[")) && json.Valid([]byte(trimmed)) {
		return []byte(text), "application/json"
	}
	return []byte(text), "text/plain; charset=utf-8"
}

// address reads the url of a call.
func address(given string) (*url.URL, error) {
	if strings.TrimSpace(given) == "" {
		return nil, tools.Errorf(tools.InvalidParams, "url is missing; give an address such as https://example.org/page").With(tools.Details{Param: "url", Expected: "an http or https URL"})
	}
	text, suggestion := withScheme(given)
	u, err := guard.CanonicalURL(text)
	if err != nil {
		d := tools.Details{Param: "url", Expected: "an http or https URL", Actual: tools.Cut(given, 200), Suggestion: tools.Cut(suggestion, 200)}
		if u != nil && u.Scheme == "file" {
			d.Suggestion = "fs.read reads files of the project"
		}
		if suggestion != "" {
			return nil, tools.Errorf(tools.InvalidParams, "url %s has no scheme; write %s", quote(given), quote(suggestion)).With(d)
		}
		return nil, tools.Errorf(tools.InvalidParams, "url: %v", err).With(d)
	}
	return u, nil
}

// timed bounds a call. stop ends it with a cause.
func timed(ctx context.Context, given time.Duration) (context.Context, context.CancelCauseFunc, context.CancelFunc) {
	limit := min(cmp.Or(given, defaultTimeout), maxTimeout)
	ctx, stop := context.WithCancelCause(ctx)
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errTimeout)
	return ctx, stop, func() { cancel(); stop(nil) }
}
