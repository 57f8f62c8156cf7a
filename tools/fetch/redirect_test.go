package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/fetch/guard/guardtest"
)

// Metadata and link-local addresses are refused in every spelling, private ones too, other schemes as well; literal
// loopback works.
func TestAddressesThatAreNotReached(t *testing.T) {
	t.Parallel()
	var hits atomic.Int32
	at := serve(t, func(w http.ResponseWriter, r *http.Request) { hits.Add(1); io.WriteString(w, "secret") })
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(at, "http://"))
	w := newWorld(t, Config{})
	for _, host := range []string{"0.0.0.0", "10.0.0.1", "192.168.1.1", "169.254.169.254", "[fd00:ec2::254]", "[::]", "0", "0x0", "[::ffff:0.0.0.0]", "2852039166", "0xa9.0xfe.0xa9.0xfe",
		"169.254.169.254.", "[::ffff:169.254.169.254]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]", "[::127.0.0.1]", "100.100.100.200", "metadata.google.internal", "METADATA.google.internal.", "１６９.254.169.254", "[fe80::1]"} {
		for _, action := range []string{"fetch", "request", "head", "download"} {
			out := w.fails(tools.PermissionDenied, action, args{"url": "http://" + host + ":" + port + "/"})
			if !strings.Contains(out.Envelope.Error.Message, "fetch does not reach") {
				t.Errorf("%s %s: %s", action, host, out.Envelope.Error.Message)
			}
		}
	}
	if n := hits.Load(); n != 0 {
		t.Fatalf("the loopback server saw %d requests", n)
	}
	for _, host := range []string{"127.0.0.1", "localhost", "LOCALHOST.", "app.localhost", "127.1", "2130706433", "[::ffff:127.0.0.1]"} {
		if text, _ := w.ok("fetch", args{"url": "http://" + host + ":" + port + "/"}); text != "secret" {
			t.Errorf("%s: %q", host, text)
		}
	}
}

// A redirect is judged like an address of its own, at every hop.
func TestRedirectsToWhereNothingIsReached(t *testing.T) {
	t.Parallel()
	var inner atomic.Int32
	other := serve(t, func(w http.ResponseWriter, r *http.Request) { inner.Add(1) })
	w := newWorld(t, Config{})
	for _, to := range []string{"http://169.254.169.254/", "//169.254.169.254/", "file:///etc/passwd", "gopher://127.0.0.1/", "http://[::ffff:a9fe:a9fe]/", "http://0xa9fea9fe/", "http://10.0.0.1/",
		"http://metadata.google.internal/", "/hop?to=http://169.254.169.254/", "javascript:alert(1)", "http://x:y@169.254.169.254/", other + "/", strings.Replace(other, "127.0.0.1", "localhost", 1)} {
		at := serve(t, func(w http.ResponseWriter, r *http.Request) {
			if q := r.URL.Query().Get("to"); r.URL.Path == "/hop" {
				w.Header()["Location"] = []string{q}
			} else {
				w.Header()["Location"] = []string{to}
			}
			w.WriteHeader(302)
		})
		for _, action := range []string{"fetch", "request", "download", "head"} {
			out := w.fails(tools.PermissionDenied, action, args{"url": at})
			if !strings.Contains(out.Envelope.Error.Message, "redirect") {
				t.Errorf("%s to %s: %s", action, to, out.Envelope.Error.Message)
			}
		}
	}
	if n := inner.Load(); n != 0 {
		t.Errorf("another loopback server was reached %d times through redirects", n)
	}
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	type seen struct{ method, body, contentType string }
	var mu sync.Mutex
	var last seen
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var code int
		if n, _ := fmt.Sscanf(r.URL.Path, "/r%d", &code); n == 1 {
			w.Header().Set("Location", "/end#frag")
			w.WriteHeader(code)
			io.WriteString(w, "moved")
			return
		}
		switch r.URL.Path {
		case "/loop":
			w.Header().Set("Location", "/loop2")
			w.WriteHeader(302)
		case "/loop2":
			w.Header().Set("Location", "/loop")
			w.WriteHeader(302)
		case "/deep":
			var n int
			fmt.Sscan(r.URL.RawQuery, &n)
			w.Header().Set("Location", fmt.Sprintf("/deep?%d", n+1))
			w.WriteHeader(302)
		case "/cookie":
			if _, err := r.Cookie("ok"); err != nil {
				http.SetCookie(w, &http.Cookie{Name: "ok", Value: "1", Path: "/"})
				w.Header().Set("Location", "/cookie")
				w.WriteHeader(302)
				return
			}
			io.WriteString(w, "with cookie")
		case "/nowhere":
			w.WriteHeader(302)
			io.WriteString(w, "no location")
		default:
			b, _ := io.ReadAll(r.Body)
			mu.Lock()
			last = seen{r.Method, string(b), r.Header.Get("Content-Type")}
			mu.Unlock()
			io.WriteString(w, "end")
		}
	})
	w := newWorld(t, Config{})
	for _, tt := range []struct {
		code        int
		method      string
		want        string
		body, ctype string
	}{
		{301, "POST", "GET", "", ""}, {302, "POST", "GET", "", ""}, {303, "PUT", "GET", "", ""}, {302, "GET", "GET", "", ""}, {303, "DELETE", "GET", "", ""},
		{301, "PUT", "PUT", `{"a":1}`, "application/json"}, {302, "DELETE", "DELETE", `{"a":1}`, "application/json"}, {302, "PATCH", "PATCH", `{"a":1}`, "application/json"},
		{307, "POST", "POST", `{"a":1}`, "application/json"}, {308, "PUT", "PUT", `{"a":1}`, "application/json"},
	} {
		a := args{"url": fmt.Sprintf("%s/r%d", at, tt.code), "method": tt.method}
		if tt.method != "GET" {
			a["body"] = map[string]any{"a": 1}
		}
		text, d := w.ok("request", a)
		mu.Lock()
		got := last
		mu.Unlock()
		if (got != seen{tt.want, tt.body, tt.ctype}) || text != "end" || d["url"] != at+"/end#frag" {
			t.Errorf("%d %s: the target saw %+v, the answer is %q at %v", tt.code, tt.method, got, text, d["url"])
		}
	}
	text, d := w.ok("request", args{"url": at + "/r301", "follow": false})
	if text != "moved" || d["status"] != 301.0 || d["location"] != at+"/end#frag" {
		t.Errorf("follow:false: %q %v", text, d)
	}
	if text, _ := w.ok("fetch", args{"url": at + "/cookie"}); text != "with cookie" {
		t.Errorf("cookie: %q", text)
	}
	if text, d := w.ok("fetch", args{"url": at + "/nowhere"}); text != "no location" || d["status"] != 302.0 {
		t.Errorf("no Location: %q %v", text, d)
	}
	if out := w.fails(tools.HTTPError, "fetch", args{"url": at + "/loop"}); !strings.Contains(out.Envelope.Error.Message, "loop") {
		t.Errorf("loop: %v", out.Envelope.Error)
	}
	if out := w.fails(tools.HTTPError, "fetch", args{"url": at + "/deep"}); !strings.Contains(out.Envelope.Error.Message, "more than 10") {
		t.Errorf("deep: %v", out.Envelope.Error)
	}
	if out := w.call("head", args{"url": at + "/r302"}); !out.Envelope.OK {
		t.Errorf("head: %v", out.Envelope.Error)
	}
	if mu.Lock(); last.method != "HEAD" {
		t.Errorf("a HEAD became %s", last.method)
	}
	mu.Unlock()
}

// Secrets that a caller gave for one origin do not reach another: not the well-known ones, nor any other, nor a body.
func TestCrossOriginRedirects(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var got http.Header
	reached := 0
	other := serve(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		got, reached = r.Header.Clone(), reached+1
		if r.URL.Path == "/back" {
			w.Header().Set("Location", r.URL.Query().Get("to"))
			w.WriteHeader(302)
		}
	})
	var back http.Header
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/home" {
			mu.Lock()
			back = r.Header.Clone()
			mu.Unlock()
			return
		}
		code := 302
		fmt.Sscan(r.URL.Query().Get("code"), &code)
		to := other + "/x"
		if r.URL.Path == "/roundtrip" {
			to = other + "/back?to=" + url.QueryEscape("http://"+r.Host+"/home")
		}
		w.Header().Set("Location", to)
		w.WriteHeader(code)
	})
	w := newWorld(t, Config{AllowPrivate: func() []string { return []string{"127.0.0.1"} }})
	headers := map[string]string{"Authorization": "Bearer s3cret", "X-Api-Key": "s3cret", "Cookie": "s=s3cret", "X-Payment": "s3cret", "Accept": "text/x-mine", "User-Agent": "mine/1", "Referer": "s3cret"}
	for _, path := range []string{"/", "/roundtrip"} {
		out := w.call("request", args{"url": at + path, "headers": headers})
		if !out.Envelope.OK {
			t.Fatal(out.Envelope.Error)
		}
		mu.Lock()
		for _, h := range []http.Header{got, back} {
			if strings.Contains(fmt.Sprint(h), "s3cret") {
				t.Errorf("%s: the other origin saw %v", path, h)
			}
		}
		if got.Get("Accept") != "text/x-mine" || got.Get("User-Agent") != "mine/1" {
			t.Errorf("Accept and User-Agent were lost: %v", got)
		}
		mu.Unlock()
		if len(out.Envelope.Meta.Warnings) == 0 {
			t.Error("no warning that headers were not sent")
		}
	}
	mu.Lock()
	before := reached
	mu.Unlock()
	for _, code := range []int{307, 308} {
		out := w.fails(tools.PermissionDenied, "post", args{"url": fmt.Sprintf("%s/?code=%d", at, code), "body": "s3cret"})
		if !strings.Contains(out.Envelope.Error.Message, other+"/x") {
			t.Errorf("%d: the target is not named: %s", code, out.Envelope.Error.Message)
		}
	}
	w.ok("post", args{"url": at + "/?code=303", "body": "s3cret"})
	mu.Lock()
	defer mu.Unlock()
	if reached != before+1 || got.Get("Content-Type") != "" {
		t.Errorf("reached %d times after %d, headers %v", reached, before, got)
	}
}

// Another host's name that leads to this machine, or turns to it between two looks, reaches nothing here.
func TestNamesOfOthersThatLeadHere(t *testing.T) {
	t.Parallel()
	var hits atomic.Int32
	at := serve(t, func(w http.ResponseWriter, r *http.Request) { hits.Add(1); io.WriteString(w, "secret") })
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(at, "http://"))
	w := newWorld(t, Config{Resolver: guardtest.Resolver(map[string][]string{
		"evil.example.": {"127.0.0.1"}, "turn.example.": {"192.0.2.1", "127.0.0.1"}, "six.example.": {"::ffff:127.0.0.1"}, "lan.example.": {"192.168.1.1"}, "meta.example.": {"169.254.169.254"},
	})})
	for _, host := range []string{"evil.example", "turn.example", "turn.example", "six.example", "lan.example", "meta.example", "EVIL.example."} {
		w.fails(tools.PermissionDenied, "fetch", args{"url": "http://" + host + ":" + port + "/"})
		w.fails(tools.PermissionDenied, "download", args{"url": "http://" + host + ":" + port + "/"})
	}
	if n := hits.Load(); n != 0 {
		t.Errorf("the server was reached %d times", n)
	}
}

// From https to plain http nothing of a caller's goes, nor is it followed in silence.
func TestDowngrade(t *testing.T) {
	t.Parallel()
	plain := serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "plain") })
	secure, cfg := serveTLS(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", plain)
		w.WriteHeader(302)
	})
	w := newWorld(t, Config{TLS: cfg, AllowPrivate: func() []string { return []string{"127.0.0.1"} }})
	w.fails(tools.PermissionDenied, "request", args{"url": secure, "headers": map[string]string{"X-Token": "s"}})
	if text, _ := w.ok("request", args{"url": secure}); text != "plain" {
		t.Errorf("without headers: %q", text)
	}
}

func serveTLS(t testing.TB, h http.HandlerFunc) (string, *tls.Config) {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.EnableHTTP2 = true
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.StartTLS()
	t.Cleanup(s.Close)
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	return s.URL, &tls.Config{RootCAs: pool}
}

func TestTLSFaults(t *testing.T) {
	t.Parallel()
	secure, cfg := serveTLS(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, r.Proto) })
	if text, _ := newWorld(t, Config{TLS: cfg}).ok("request", args{"url": secure}); text != "HTTP/2.0" {
		t.Errorf("protocol %q", text)
	}
	plain := serve(t, func(http.ResponseWriter, *http.Request) {})
	for _, tt := range []struct {
		name, url, want string
		cfg             *tls.Config
	}{
		{"unknown authority", secure, "authority that this machine does not know", nil},
		{"wrong name", strings.Replace(secure, "127.0.0.1", "localhost", 1), "not for localhost", cfg},
		{"expired", secure, "expired or is not yet valid", &tls.Config{RootCAs: cfg.RootCAs, Time: func() time.Time { return time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC) }}},
		{"no TLS", strings.Replace(plain, "http:", "https:", 1), "http://", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			out := newWorld(t, Config{TLS: tt.cfg}).fails(tools.HTTPError, "fetch", args{"url": tt.url})
			if !strings.Contains(out.Envelope.Error.Message, tt.want) {
				t.Errorf("message %q, want %q in it", out.Envelope.Error.Message, tt.want)
			}
		})
	}
}

func TestNoServer(t *testing.T) {
	t.Parallel()
	l, _ := net.Listen("tcp", "127.0.0.1:0")
	addr := l.Addr().String()
	l.Close()
	w := newWorld(t, Config{Resolver: &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) { return nil, fmt.Errorf("no network") }}})
	if out := w.fails(tools.HTTPError, "fetch", args{"url": "http://" + addr}); !strings.Contains(out.Envelope.Error.Message, "refused") {
		t.Errorf("%v", out.Envelope.Error)
	}
	if out := w.fails(tools.HTTPError, "fetch", args{"url": "http://no.such.example/"}); !strings.Contains(out.Envelope.Error.Message, "looking up") {
		t.Errorf("%v", out.Envelope.Error)
	}
	at := rawServer(t, func(c net.Conn, _ *http.Request) {})
	if out := w.fails(tools.HTTPError, "fetch", args{"url": at}); !strings.Contains(out.Envelope.Error.Message, "without an answer") {
		t.Errorf("%v", out.Envelope.Error)
	}
}

// Behind a proxy the target is judged first, and the proxy's own address may be anything.
func TestProxy(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var asked []string
	proxy := serve(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, r.Method+" "+r.RequestURI)
		if r.URL.Path == "/redirect" {
			w.Header().Set("Location", "http://169.254.169.254/latest")
			w.WriteHeader(302)
			return
		}
		io.WriteString(w, "by proxy")
	})
	through, _ := url.Parse(proxy)
	w := newWorld(t, Config{
		Proxy:    func(u *url.URL) (*url.URL, error) { return through, nil },
		Resolver: guardtest.Resolver(map[string][]string{"inner.example.": {"10.0.0.1"}, "meta.example.": {"8.8.8.8,169.254.169.254"}}),
	})
	if text, _ := w.ok("fetch", args{"url": "http://public.example/x"}); text != "by proxy" {
		t.Errorf("%q", text)
	}
	for _, u := range []string{"http://169.254.169.254/", "http://10.0.0.1/", "http://2852039166/", "http://[::ffff:169.254.169.254]/", "http://metadata.google.internal/", "https://192.168.0.1/", "http://inner.example/", "http://meta.example/"} {
		w.fails(tools.PermissionDenied, "fetch", args{"url": u})
	}
	w.fails(tools.PermissionDenied, "fetch", args{"url": "http://public.example/redirect"})
	w.fails(tools.InvalidParams, "request", args{"url": "http://public.example/", "headers": map[string]string{"Host": "169.254.169.254"}})
	down := newWorld(t, Config{Proxy: func(u *url.URL) (*url.URL, error) { return url.Parse("http://u:secret@127.0.0.1:1") }})
	if said := down.fails(tools.HTTPError, "fetch", args{"url": "http://public.example/x"}).Envelope.Error.Message; !strings.Contains(said, "the proxy that") || strings.Contains(said, "secret") {
		t.Errorf("proxy down: %s", said)
	}
	mu.Lock()
	defer mu.Unlock()
	if got := strings.Join(asked, " "); got != "GET http://public.example/x GET http://public.example/redirect" {
		t.Errorf("the proxy was asked for %s", got)
	}
}

// ALL_PROXY counts where the variable of the scheme says nothing; no test runs beside this one.
func TestAllProxy(t *testing.T) {
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "all_proxy"} {
		t.Setenv(name, "")
	}
	t.Setenv("ALL_PROXY", "socks5://127.0.0.1:1080")
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:3128")
	t.Setenv("NO_PROXY", "direct.example")
	choose := environmentProxy()
	for given, want := range map[string]string{"http://a.example/": "http://127.0.0.1:3128", "https://a.example/": "socks5://127.0.0.1:1080", "https://direct.example/": "<nil>", "http://127.0.0.1/": "<nil>"} {
		u, _ := url.Parse(given)
		through, err := choose(u)
		if got := fmt.Sprint(through); err != nil || got != want {
			t.Errorf("%s: by %s, %v; want %s", given, got, err, want)
		}
	}
}
