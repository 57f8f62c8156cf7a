package fetch

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/textproto"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"
	"golang.org/x/net/http/httpproxy"
	"golang.org/x/net/publicsuffix"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/fetch/guard"
)

// Limits of one exchange.
const (
	maxRedirects   = 10
	maxHeaderBytes = 256 << 10 // of an answer
	headerWait     = 60 * time.Second
)

// errTimeout is the cause of a context whose time ran out, errIdle of one whose server sent nothing more.
var (
	errTimeout = errors.New("the time for the call ran out")
	errIdle    = errors.New("the server sent nothing for " + idleLimit.String())
)

// client is the connections of one call: they end with it, so no call finds one that another was allowed to make.
type client struct {
	guard  *guard.Guard
	proxy  func(*url.URL) (*url.URL, error)
	direct *http.Transport
	behind *http.Transport // by a proxy; made at first need
	large  chan struct{}
	jar    http.CookieJar // for sites that set a cookie and send one back to the same page
}

// newClient makes the connections of one call. Close must be called.
func (t *tool) newClient() *client {
	c := &client{guard: &t.guard, proxy: t.cfg.Proxy, large: t.large}
	if c.proxy == nil {
		c.proxy = environmentProxy()
	}
	c.direct = c.transport()
	c.direct.DialContext = c.guard.Dial
	c.jar, _ = cookiejar.New(&cookiejar.Options{PublicSuffixList: publicsuffix.List})
	if t.cfg.TLS != nil {
		c.direct.TLSClientConfig = t.cfg.TLS.Clone()
	}
	return c
}

// environmentProxy is the choice of HTTP_PROXY, HTTPS_PROXY and NO_PROXY, with ALL_PROXY for what the first two leave open.
func environmentProxy() func(*url.URL) (*url.URL, error) {
	e := httpproxy.FromEnvironment()
	all := cmp.Or(os.Getenv("ALL_PROXY"), os.Getenv("all_proxy"))
	e.HTTPProxy, e.HTTPSProxy = cmp.Or(e.HTTPProxy, all), cmp.Or(e.HTTPSProxy, all)
	return e.ProxyFunc()
}

func (c *client) transport() *http.Transport {
	return &http.Transport{
		TLSHandshakeTimeout: 10 * time.Second, ResponseHeaderTimeout: headerWait, ExpectContinueTimeout: time.Second,
		MaxResponseHeaderBytes: maxHeaderBytes, DisableCompression: true, ForceAttemptHTTP2: true,
		TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12}, WriteBufferSize: 16 << 10, ReadBufferSize: 16 << 10,
		MaxIdleConnsPerHost: 2, IdleConnTimeout: 30 * time.Second,
	}
}

// Close ends the connections.
func (c *client) Close() {
	c.direct.CloseIdleConnections()
	if c.behind != nil {
		c.behind.CloseIdleConnections()
	}
}

// ask is what to send.
type ask struct {
	method string
	url    *url.URL // canonical
	header http.Header
	body   []byte
	follow bool
	within func(*url.URL) bool // a redirect to another place is given back instead of followed; nil: anywhere
}

// hop is one redirect that was followed.
type hop struct {
	Status int    `json:"status"`
	To     string `json:"to"`
}

// answer is what came back. Its Body must be closed.
type answer struct {
	*http.Response
	url   *url.URL // where it came from
	hops  []hop
	notes []string
}

// do sends a and follows redirects. An error is a *tools.Error that says what to do next.
func (c *client) do(ctx context.Context, a ask) (*answer, error) {
	method, at, header, body := a.method, a.url, a.header, a.body
	var hops []hop
	var notes []string
	seen := map[string]bool{}
	for {
		if err := c.guard.Literal(at.Hostname()); err != nil {
			return nil, refusal(err, hops)
		}
		resp, err := c.send(ctx, method, at, header, body)
		if err != nil {
			return nil, explain(ctx, err, method, at, hops)
		}
		next, ok, err := target(resp, at)
		if !ok || !a.follow {
			return &answer{Response: resp, url: at, hops: hops, notes: notes}, nil
		}
		resp.Body.Close()
		if err != nil {
			return nil, tools.Errorf(tools.PermissionDenied, "%s redirects (%d) to %s, which is not followed: %v", shown(at), resp.StatusCode, quote(resp.Header.Get("Location")), err).
				With(tools.Details{Param: "url", Actual: tools.Cut(resp.Header.Get("Location"), 300)})
		}
		if a.within != nil && !a.within(next) {
			return nil, &elsewhere{from: at, to: next, status: resp.StatusCode}
		}
		crossing := !sameOrigin(at, next)
		if crossing && guard.IsLoopback(next.Hostname()) && !c.guard.Allowed(next.Hostname()) {
			return nil, tools.Errorf(tools.PermissionDenied, "%s redirects to %s on this machine, which is not followed from another origin; fetch that URL itself if you want it", shown(at), shown(next)).
				With(tools.Details{Param: "url", Actual: shown(next)})
		}
		next.Fragment = keepFragment(at, next)
		method, body, err = again(resp.StatusCode, method, body, crossing, next)
		if err != nil {
			return nil, err
		}
		if body == nil {
			header = without(header, func(name string) bool { return strings.HasPrefix(name, "Content-") })
		}
		if crossing {
			rest := without(header, func(name string) bool { return name != "Accept" && name != "User-Agent" })
			dropped := len(header) - len(rest)
			if dropped > 0 && at.Scheme == "https" && next.Scheme == "http" {
				return nil, tools.Errorf(tools.PermissionDenied, "%s redirects from https to plain http (%s), which is not followed for a request with headers of its own; fetch that URL itself, without them, if you want it", shown(at), shown(next)).
					With(tools.Details{Param: "url", Actual: shown(next)})
			}
			if dropped > 0 {
				notes = append(notes, fmt.Sprintf("the redirect to %s led to another origin; %d of your headers were not sent there", tools.Cut(shown(next), 200), dropped))
			}
			header = rest
		}
		hops = append(hops, hop{resp.StatusCode, tools.Cut(shown(next), 500)})
		key := method + " " + next.String() + " " + fmt.Sprint(c.jar.Cookies(next))
		if seen[key] {
			return nil, tools.Errorf(tools.HTTPError, "the redirects go round in a loop at %s; give follow:false to request to see one of them", shown(next))
		}
		seen[key] = true
		if len(hops) > maxRedirects {
			return nil, tools.Errorf(tools.HTTPError, "more than %d redirects, the last to %s; fetch that URL itself to go on", maxRedirects, shown(next))
		}
		at = next
	}
}

// send makes one exchange, through a proxy when the environment names one for the URL.
func (c *client) send(ctx context.Context, method string, at *url.URL, header http.Header, body []byte) (*http.Response, error) {
	plain := *at
	plain.Fragment, plain.RawFragment = "", ""
	req, err := http.NewRequestWithContext(ctx, method, plain.String(), nil)
	if err != nil {
		return nil, err
	}
	if body != nil {
		req, err = http.NewRequestWithContext(ctx, method, plain.String(), strings.NewReader(string(body)))
		if err != nil {
			return nil, err
		}
	}
	for name, values := range header {
		req.Header[name] = slices.Clone(values)
	}
	for name, value := range map[string]string{"User-Agent": userAgent, "Accept": "*/*", "Accept-Encoding": "gzip, br, zstd"} {
		if _, given := req.Header[name]; !given {
			req.Header.Set(name, value)
		}
	}
	for _, cookie := range c.jar.Cookies(at) {
		req.AddCookie(cookie)
	}
	host := req.Header.Get("Host")
	req.Header.Del("Host")
	through, err := c.proxy(at)
	if err != nil {
		return nil, fmt.Errorf("the proxy of the environment: %w", err)
	}
	rt := c.direct
	if through != nil {
		if err := c.guard.Name(ctx, at.Hostname()); err != nil {
			return nil, err
		}
		if host != "" {
			return nil, errHostBehindProxy
		}
		if c.behind == nil {
			c.behind = c.transport()
			c.behind.Proxy = func(r *http.Request) (*url.URL, error) { return c.proxy(r.URL) }
			c.behind.TLSClientConfig = c.direct.TLSClientConfig
		}
		rt = c.behind
	} else if host != "" {
		req.Host = host
	}
	resp, err := rt.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	if cookies := resp.Cookies(); len(cookies) > 0 {
		c.jar.SetCookies(at, cookies)
	}
	return resp, nil
}

var errHostBehindProxy = errors.New("the header Host cannot be set behind a proxy, which would connect to that host")

// elsewhere is the error for a redirect that leaves the place a crawl keeps to.
type elsewhere struct {
	from, to *url.URL
	status   int
}

func (e *elsewhere) Error() string { return "redirects to " + shown(e.to) }

// target is where a response redirects to; ok is false when it does not. With an error the place is refused.
func target(resp *http.Response, at *url.URL) (next *url.URL, ok bool, err error) {
	switch resp.StatusCode {
	case 301, 302, 303, 307, 308:
	default:
		return nil, false, nil
	}
	location := resp.Header.Get("Location")
	if location == "" {
		return nil, false, nil
	}
	next, err = at.Parse(location)
	if err != nil {
		return nil, true, errors.New("no valid URL")
	}
	next.User = nil
	return next, true, guard.Canonicalise(next)
}

// again is how a request is repeated at the target of a redirect (RFC 9110 §15.4): 301 and 302 make a GET of a POST, 303
// of everything but HEAD, and all others keep method and body. What changes something is not repeated elsewhere.
func again(status int, method string, body []byte, crossing bool, next *url.URL) (string, []byte, error) {
	safe := method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
	switch {
	case status == http.StatusSeeOther && method != http.MethodHead, method == http.MethodPost && (status == http.StatusMovedPermanently || status == http.StatusFound):
		return http.MethodGet, nil, nil
	case crossing && (body != nil || !safe):
		return "", nil, tools.Errorf(tools.PermissionDenied, "the server redirects (%d) to another origin, %s; the %s is not sent there. Repeat the request with that URL if it should be", status, shown(next), what(method, body)).
			With(tools.Details{Param: "url", Actual: shown(next)})
	}
	return method, body, nil
}

func what(method string, body []byte) string {
	if body != nil {
		return "body"
	}
	return method
}

func keepFragment(from, to *url.URL) string {
	if to.Fragment != "" {
		return to.Fragment
	}
	return from.Fragment
}

func sameOrigin(a, b *url.URL) bool { return a.Scheme == b.Scheme && a.Host == b.Host }

func without(h http.Header, drop func(name string) bool) http.Header {
	rest := http.Header{}
	for name, values := range h {
		if !drop(name) {
			rest[name] = values
		}
	}
	return rest
}

// callerHeaders checks the headers that a caller gave. Those of the connection itself are not the caller's to set.
func callerHeaders(given map[string]string) (http.Header, error) {
	h := http.Header{}
	for name, value := range given {
		key := textproto.CanonicalMIMEHeaderKey(strings.TrimSpace(name))
		bad := func(why string) error {
			return tools.Errorf(tools.InvalidParams, "header %s: %s", quote(name), why).With(tools.Details{Param: "headers", Actual: tools.Cut(name, 100)})
		}
		switch key {
		case "Connection", "Content-Length", "Keep-Alive", "Te", "Trailer", "Transfer-Encoding", "Upgrade", "Expect", "Proxy-Authorization", "Proxy-Connection":
			return nil, bad("it belongs to the connection and cannot be given; leave it out")
		case "Host":
			if !httpguts.ValidHostHeader(value) || value == "" {
				return nil, bad("no valid host")
			}
		}
		if !httpguts.ValidHeaderFieldName(key) || !httpguts.ValidHeaderFieldValue(value) {
			return nil, bad("no valid header; names are tokens, values have no line breaks")
		}
		if _, twice := h[key]; twice {
			return nil, bad("it is given twice, in different letter case; give it once")
		}
		h[key] = []string{value}
	}
	return h, nil
}
