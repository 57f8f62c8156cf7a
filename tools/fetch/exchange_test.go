package fetch

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zstd"

	"github.com/hanzoai/hanzo-mcp/tools"
)

const onePixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

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

// The content types that a server gives decide what is done with a body; the bytes have the last word.
func TestContent(t *testing.T) {
	t.Parallel()
	png, _ := base64.StdEncoding.DecodeString(onePixel)
	const page = "<title>T</title><h1>Head</h1><p>Text of a page &amp; more"
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		set := func(kind string) { w.Header().Set("Content-Type", kind) }
		switch r.URL.Path {
		case "/json":
			set("application/json")
			io.WriteString(w, `{"a":"<b>&amp;"}`)
		case "/text":
			set("text/plain")
			io.WriteString(w, "List<T> a && b")
		case "/xml":
			set("application/xml")
			io.WriteString(w, "<?xml version='1.0'?><a>&lt;</a>")
		case "/png", "/lie":
			set(map[string]string{"/png": "image/png", "/lie": "text/html"}[r.URL.Path])
			w.Write(png)
		case "/204":
			w.WriteHeader(204)
		case "/304":
			w.WriteHeader(304)
		case "/500":
			set("text/plain")
			w.WriteHeader(500)
			io.WriteString(w, "it broke: <x>")
		case "/404":
			set("text/html")
			w.WriteHeader(404)
			io.WriteString(w, page)
		case "/pdf":
			set("application/octet-stream")
			io.WriteString(w, "%PDF-1.7\n\x00\xff")
		case "/bin":
			set("text/plain; charset=utf-8")
			w.Write([]byte{0x7f, 'E', 'L', 'F', 0, 1, 2, 3, 0xff})
		case "/html":
			set("text/html; charset=utf-8")
			io.WriteString(w, page)
		case "/none":
			w.Header()["Content-Type"] = nil
			io.WriteString(w, "<!doctype html>"+page)
		case "/gif":
			set("image/gif")
			io.WriteString(w, "GIF89a\x01\x00\x01\x00\x00\x00\x00;")
		case "/empty":
			set("text/html")
		case "/svg":
			set("image/svg+xml")
			io.WriteString(w, "<svg xmlns='http://www.w3.org/2000/svg'/>")
		}
	})
	w := newWorld(t, Config{})
	for _, tt := range []struct {
		path, text string
		status     float64
	}{
		{"/json", `{"a":"<b>&amp;"}`, 200}, {"/text", "List<T> a && b", 200}, {"/xml", "<?xml version='1.0'?><a>&lt;</a>", 200}, {"/204", "", 204}, {"/304", "", 304}, {"/empty", "", 200},
		{"/html", "# Head\n\nText of a page & more", 200}, {"/none", "# Head\n\nText of a page & more", 200}, {"/svg", "<svg xmlns='http://www.w3.org/2000/svg'/>", 200},
	} {
		text, d := w.ok("fetch", args{"url": at + tt.path})
		if text != tt.text || d["status"] != tt.status {
			t.Errorf("fetch %s: %q, status %v", tt.path, text, d["status"])
		}
	}
	if text, _ := w.ok("request", args{"url": at + "/html"}); text != page {
		t.Errorf("request: %q", text)
	}
	if text, _ := w.ok("fetch", args{"url": at + "/html", "format": "raw"}); text != page {
		t.Errorf("raw: %q", text)
	}
	if text, d := w.ok("fetch", args{"url": at + "/html", "format": "text"}); text != "Head\n\nText of a page & more" || d["title"] != "T" {
		t.Errorf("text: %q %v", text, d)
	}
	for _, path := range []string{"/png", "/lie", "/gif"} {
		for _, action := range []string{"fetch", "request"} {
			out := w.call(action, args{"url": at + path})
			if out.Image == nil || out.Text != "" || !strings.HasPrefix(out.Image.MIME, "image/") {
				t.Errorf("%s %s: %+v", action, path, out)
			}
		}
	}
	if out := w.fails(tools.HTTPError, "fetch", args{"url": at + "/500"}); out.Text != "it broke: <x>" || dataOf(t, out)["status"] != 500.0 {
		t.Errorf("500: %q %v", out.Text, out.Envelope)
	}
	if out := w.fails(tools.HTTPError, "fetch", args{"url": at + "/404"}); !strings.Contains(out.Text, "Text of a page") {
		t.Errorf("404: %q", out.Text)
	}
	for path, mime := range map[string]string{"/pdf": "application/pdf", "/bin": "application/octet-stream"} {
		out := w.fails(tools.Binary, "fetch", args{"url": at + path})
		d := dataOf(t, out)
		if out.Text != "" || d["mime"] != mime || d["sha256"] == nil || d["size"].(float64) < 9 {
			t.Errorf("%s: %q %v", path, out.Text, d)
		}
	}
	if out := w.call("fetch", args{"url": at + "/pdf"}); !strings.Contains(out.Envelope.Error.Message, "PDF") {
		t.Errorf("pdf: %v", out.Envelope.Error)
	}
	text, d := w.ok("head", args{"url": at + "/json"})
	if headers := d["headers"].(map[string]any); text != "" || headers["Content-Type"] != "application/json" || d["status"] != 200.0 {
		t.Errorf("head: %q %v", text, d)
	}
	if out := w.fails(tools.HTTPError, "head", args{"url": at + "/500"}); dataOf(t, out)["status"] != 500.0 {
		t.Errorf("head 500: %v", out.Envelope)
	}
}

// A head with many headers stays small in the envelope, and is whole in the payload.
func TestHeadOfManyHeaders(t *testing.T) {
	t.Parallel()
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		for i := range 60 {
			w.Header().Set(fmt.Sprintf("X-Head-%02d", i), strings.Repeat("v", 100))
		}
	})
	w := newWorld(t, Config{})
	out := w.call("head", args{"url": at})
	line := out.AppendResult(nil, nil)
	env := line[bytes.LastIndex(line, []byte(`{"type":"text"`)):]
	if !strings.Contains(out.Text, "X-Head-59: vvv") || len(env) > 1400 {
		t.Errorf("payload %d bytes, envelope %d bytes: %s", len(out.Text), len(env), env)
	}
}

func TestRequestSends(t *testing.T) {
	t.Parallel()
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s|%s|%s|%s", r.Method, r.URL.RequestURI(), r.Header.Get("Content-Type"), r.Header.Get("X-A")+r.Header.Get("Authorization")+r.Host[:1], b)
	})
	w := newWorld(t, Config{})
	for _, tt := range []struct {
		action string
		args   args
		want   string
	}{
		{"post", args{"body": map[string]any{"a": []int{1}, "b": "é"}}, `POST /|application/json|1|{"a":[1],"b":"é"}`},
		{"put", args{"body": "plain"}, "PUT /|text/plain; charset=utf-8|1|plain"},
		{"request", args{"body": `{"x":1}`}, `POST /|application/json|1|{"x":1}`},
		{"patch", args{"body": "a=b", "headers": map[string]string{"content-type": "application/x-www-form-urlencoded", "x-a": "q"}}, "PATCH /|application/x-www-form-urlencoded|q1|a=b"},
		{"delete", args{}, "DELETE /||1|"},
		{"get", args{}, "GET /||1|"},
		{"request", args{"method": "options"}, "OPTIONS /||1|"},
		{"request", args{"headers": map[string]string{"Host": "vhost.example"}}, "GET /||v|"},
		{"request", args{"headers": map[string]any{"X-A": 5}}, "GET /||51|"},
	} {
		tt.args["url"] = at + "/"
		if text, _ := w.ok(tt.action, tt.args); text != tt.want {
			t.Errorf("%s %v: %s, want %s", tt.action, tt.args, text, tt.want)
		}
	}
	withUser := strings.Replace(at, "http://", "http://me:pa%20ss@", 1)
	text, d := w.ok("get", args{"url": withUser + "/q?a=1#f"})
	if want := "Basic " + base64.StdEncoding.EncodeToString([]byte("me:pa ss")); !strings.Contains(text, want) || !strings.Contains(text, "/q?a=1|") || strings.Contains(fmt.Sprint(d), "pa%20ss") {
		t.Errorf("user: %s %v", text, d)
	}
	for name, a := range map[string]args{
		"method with a space": {"method": "GET /x"}, "method with a break": {"method": "GET\r\nX: y"}, "CONNECT": {"method": "CONNECT"}, "TRACE": {"method": "TRACE"},
		"header with a break": {"headers": map[string]string{"X": "a\r\nY: b"}}, "header name": {"headers": map[string]string{"X Y": "a"}}, "length": {"headers": map[string]string{"content-length": "5"}},
		"transfer": {"headers": map[string]string{"Transfer-Encoding": "chunked"}}, "twice": {"headers": map[string]string{"X-A": "1", "x-a": "2"}}, "host": {"headers": map[string]string{"Host": "a/b c"}},
	} {
		a["url"] = at
		if out := w.call("request", a); out.Envelope.OK || out.Envelope.Error.Code != tools.InvalidParams {
			t.Errorf("%s: %+v", name, out.Envelope)
		}
	}
	w.fails(tools.InvalidParams, "get", args{"url": at, "method": "DELETE"})
}

func TestEncodings(t *testing.T) {
	t.Parallel()
	const said = "the same text, many times over. "
	text := strings.Repeat(said, 100)
	pack := func(name string, b []byte) []byte {
		var out bytes.Buffer
		var w io.WriteCloser
		switch name {
		case "gzip":
			w = gzip.NewWriter(&out)
		case "br":
			w = brotli.NewWriter(&out)
		case "zstd":
			w, _ = zstd.NewWriter(&out)
		case "deflate":
			w = zlib.NewWriter(&out)
		case "raw-deflate":
			w, _ = flate.NewWriter(&out, 5)
		}
		w.Write(b)
		w.Close()
		return out.Bytes()
	}
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		name := r.URL.Path[1:]
		switch name {
		case "raw-deflate":
			w.Header().Set("Content-Encoding", "deflate")
			w.Write(pack(name, []byte(text)))
		case "double":
			w.Header().Set("Content-Encoding", "gzip, br")
			w.Write(pack("br", pack("gzip", []byte(text))))
		case "liar":
			w.Header().Set("Content-Encoding", "gzip")
			io.WriteString(w, text)
		case "unknown":
			w.Header().Set("Content-Encoding", "x-lzw")
			io.WriteString(w, text)
		case "onion":
			w.Header().Set("Content-Encoding", "gzip, gzip, gzip, gzip, gzip")
			io.WriteString(w, text)
		case "cut":
			w.Header().Set("Content-Encoding", "gzip")
			b := pack("gzip", []byte(text))
			w.Write(b[:len(b)/2])
		case "empty":
			w.Header().Set("Content-Encoding", "br")
		default:
			w.Header().Set("Content-Encoding", name)
			w.Write(pack(name, []byte(text)))
		}
	})
	w := newWorld(t, Config{})
	for _, name := range []string{"gzip", "br", "zstd", "deflate", "raw-deflate", "double", "liar", "unknown"} {
		if got, _ := w.ok("fetch", args{"url": at + "/" + name}); got != text {
			t.Errorf("%s: %.60q", name, got)
		}
	}
	if got, _ := w.ok("fetch", args{"url": at + "/empty"}); got != "" {
		t.Errorf("empty: %q", got)
	}
	w.fails(tools.HTTPError, "fetch", args{"url": at + "/onion"})
	w.fails(tools.HTTPError, "fetch", args{"url": at + "/cut"})
}

// Bombs, endless and lying bodies stop at the limit, in little memory.
func TestBodiesWithoutEnd(t *testing.T) {
	bomb := func(kind string) []byte {
		var out bytes.Buffer
		var w io.WriteCloser
		switch kind {
		case "gzip":
			w = gzip.NewWriter(&out)
		case "br":
			w = brotli.NewWriterLevel(&out, 5)
		case "zstd":
			w, _ = zstd.NewWriter(&out)
		}
		zeros := bytes.Repeat([]byte("a"), 1<<20)
		for range 200 {
			w.Write(zeros)
		}
		w.Close()
		return out.Bytes()
	}
	bombs := map[string][]byte{"gzip": bomb("gzip"), "br": bomb("br"), "zstd": bomb("zstd")}
	var emptyMember bytes.Buffer
	gzip.NewWriter(&emptyMember).Close()
	at := rawServer(t, func(c net.Conn, r *http.Request) {
		head := func(extra string) { fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n%s\r\n", extra) }
		switch name := r.URL.Path[1:]; name {
		case "endless":
			head("")
			for chunk := bytes.Repeat([]byte("x"), 64<<10); ; {
				if _, err := c.Write(chunk); err != nil {
					return
				}
			}
		case "huge":
			head("Content-Length: 10000000000\r\n")
			for chunk := bytes.Repeat([]byte("x"), 64<<10); ; {
				if _, err := c.Write(chunk); err != nil {
					return
				}
			}
		case "members":
			head("Content-Encoding: gzip\r\n")
			for chunk := bytes.Repeat(emptyMember.Bytes(), 4000); ; {
				if _, err := c.Write(chunk); err != nil {
					return
				}
			}
		case "headers":
			fmt.Fprint(c, "HTTP/1.1 200 OK\r\n")
			for {
				if _, err := fmt.Fprintf(c, "X-A: %s\r\n", strings.Repeat("y", 4000)); err != nil {
					return
				}
			}
		default:
			head("Content-Encoding: " + name + "\r\n")
			c.Write(bombs[name])
		}
	})
	w := newWorld(t, Config{})
	var before, after runtime.MemStats
	for _, name := range []string{"endless", "huge", "gzip", "br", "zstd"} {
		runtime.GC()
		runtime.ReadMemStats(&before)
		start := time.Now()
		out := w.call("fetch", args{"url": at + "/" + name, "max_chars": 1000})
		runtime.ReadMemStats(&after)
		d := dataOf(t, out)
		if !out.Envelope.OK || !out.Envelope.Meta.Truncated || d["size"] != float64(maxBody) || len(out.Text) > 1000 {
			t.Errorf("%s: %v %v", name, out.Envelope.Error, d)
		}
		if used := after.Sys - min(before.Sys, after.Sys); used > 100<<20 {
			t.Errorf("%s: %d MiB more from the system", name, used>>20)
		}
		t.Logf("%s: %v, %d MiB allocated in all", name, time.Since(start).Round(time.Millisecond), (after.TotalAlloc-before.TotalAlloc)>>20)
		w.session = &tools.Session{ID: name}
	}
	w.fails(tools.HTTPError, "fetch", args{"url": at + "/members"})
	w.fails(tools.HTTPError, "fetch", args{"url": at + "/headers"})
}

// A slow body ends with the time for the call, and what came is given; a body that is shorter than announced too.
func TestSlowAndShort(t *testing.T) {
	t.Parallel()
	at := rawServer(t, func(c net.Conn, r *http.Request) {
		switch r.URL.Path {
		case "/slow":
			fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nstart ")
			for {
				if _, err := c.Write([]byte("x")); err != nil {
					return
				}
				time.Sleep(20 * time.Millisecond)
			}
		case "/silent":
			io.Copy(io.Discard, c)
		case "/short":
			fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\nonly this")
		}
	})
	w := newWorld(t, Config{})
	start := time.Now()
	if out := w.fails(tools.Timeout, "fetch", args{"url": at + "/slow", "timeout": 400}); !strings.HasPrefix(out.Text, "start x") {
		t.Errorf("slow: %q", out.Text)
	}
	w.fails(tools.Timeout, "fetch", args{"url": at + "/silent", "timeout": "300ms"})
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
	if out := w.fails(tools.HTTPError, "fetch", args{"url": at + "/short"}); out.Text != "only this" || !strings.Contains(out.Envelope.Error.Message, "100 bytes") {
		t.Errorf("short: %q %v", out.Text, out.Envelope.Error)
	}
}

// Cancelling closes the connection.
func TestCancelClosesTheConnection(t *testing.T) {
	t.Parallel()
	begun, closed := make(chan struct{}, 1), make(chan struct{}, 1)
	at := rawServer(t, func(c net.Conn, r *http.Request) {
		fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nx")
		begun <- struct{}{}
		io.Copy(io.Discard, c)
		closed <- struct{}{}
	})
	w := newWorld(t, Config{})
	ctx, cancel := context.WithCancel(context.Background())
	go func() { <-begun; cancel() }()
	out := w.callCtx(ctx, "fetch", args{"url": at})
	if out.Envelope.OK || out.Envelope.Error.Code != tools.Cancelled {
		t.Errorf("%+v", out.Envelope)
	}
	select {
	case <-closed:
	case <-time.After(time.Second):
		t.Error("the connection is still open")
	}
}

// Pages of text: every character once, in order, whatever the size of a part; later parts are of the same page.
func TestPaging(t *testing.T) {
	t.Parallel()
	var loads atomic.Int32
	text := strings.Repeat("日本語のテキスト😀 ab\n", 900) + strings.Repeat("界", 5000)
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		loads.Add(1)
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		io.WriteString(w, text)
	})
	for _, size := range []int{1, 7, 1000, 16384, 1 << 20} {
		w := newWorld(t, Config{})
		loads.Store(0)
		want := text
		if size < 10 {
			want = string([]rune(text)[:200*size])
		}
		var got strings.Builder
		next := 0
		for calls := 0; ; calls++ {
			part, d := w.ok("fetch", args{"url": at, "start_index": next, "max_chars": size})
			if n := len([]rune(part)); n > size {
				t.Fatalf("%d characters in a part of %d", n, size)
			}
			if d["total_chars"] != float64(len([]rune(text))) {
				t.Fatalf("total %v", d["total_chars"])
			}
			got.WriteString(part)
			n, more := d["next_index"].(float64)
			if !more || got.Len() >= len(want) {
				break
			}
			next = int(n)
		}
		if got.String()[:len(want)] != want {
			t.Errorf("parts of %d do not make the whole", size)
		}
		if n := loads.Load(); n != 1 {
			t.Errorf("parts of %d: loaded %d times", size, n)
		}
	}
	w := newWorld(t, Config{})
	total := len([]rune(text))
	if part, _ := w.ok("fetch", args{"url": at, "start_index": total}); part != "" {
		t.Errorf("at the end: %q", part)
	}
	for _, i := range []int{-1, total + 1} {
		w.fails(tools.InvalidParams, "fetch", args{"url": at, "start_index": i})
	}
}

// Reading on in the answer to a POST does not send it again.
func TestReadingOnSendsNothingAgain(t *testing.T) {
	t.Parallel()
	var posts atomic.Int32
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		posts.Add(1)
		io.WriteString(w, strings.Repeat("line\n", 100))
	})
	w := newWorld(t, Config{})
	_, d := w.ok("post", args{"url": at, "body": "x", "max_chars": 50})
	w.ok("post", args{"url": at, "body": "x", "max_chars": 50, "start_index": d["next_index"]})
	w.session = &tools.Session{ID: "other"}
	w.fails(tools.Conflict, "post", args{"url": at, "body": "x", "start_index": 50})
	if n := posts.Load(); n != 1 {
		t.Errorf("%d posts", n)
	}
}

// What a session keeps is bounded.
func TestKeptTextsAreBounded(t *testing.T) {
	t.Parallel()
	k := &kept{}
	for i := range 50 {
		k.put(fmt.Sprint(i), &rendered{text: strings.Repeat("x", 5<<20)})
	}
	size := 0
	for _, one := range k.list {
		size += len(one.text.text)
	}
	if len(k.list) == 0 || size > keepBytes || k.get("49") == nil {
		t.Errorf("%d texts, %d bytes", len(k.list), size)
	}
	for i := range 50 {
		k.put(fmt.Sprint(i), &rendered{text: "x"})
	}
	if len(k.list) != keepPages {
		t.Errorf("%d texts", len(k.list))
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
		Resolver: &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) { return nil, fmt.Errorf("no name server") }},
	})
	if text, _ := w.ok("fetch", args{"url": "http://public.example/x"}); text != "by proxy" {
		t.Errorf("%q", text)
	}
	for _, u := range []string{"http://169.254.169.254/", "http://10.0.0.1/", "http://2852039166/", "http://[::ffff:169.254.169.254]/", "http://metadata.google.internal/", "https://192.168.0.1/"} {
		w.fails(tools.PermissionDenied, "fetch", args{"url": u})
	}
	w.fails(tools.PermissionDenied, "fetch", args{"url": "http://public.example/redirect"})
	w.fails(tools.InvalidParams, "request", args{"url": "http://public.example/", "headers": map[string]string{"Host": "169.254.169.254"}})
	mu.Lock()
	defer mu.Unlock()
	if got := strings.Join(asked, " "); got != "GET http://public.example/x GET http://public.example/redirect" {
		t.Errorf("the proxy was asked for %s", got)
	}
}

// Nothing stays behind: no goroutine, no connection.
func TestNothingStays(t *testing.T) {
	at := serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "x") })
	secure, cfg := serveTLS(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "x") })
	w := newWorld(t, Config{TLS: cfg})
	w.ok("fetch", args{"url": at})
	w.ok("fetch", args{"url": secure})
	start := runtime.NumGoroutine()
	for range 20 {
		w.ok("fetch", args{"url": at})
		w.ok("fetch", args{"url": secure})
	}
	for deadline := time.Now().Add(3 * time.Second); runtime.NumGoroutine() > start+4; runtime.Gosched() {
		if time.Now().After(deadline) {
			b := make([]byte, 1<<16)
			t.Fatalf("%d goroutines, %d at first\n%s", runtime.NumGoroutine(), start, b[:runtime.Stack(b, true)])
		}
	}
}
