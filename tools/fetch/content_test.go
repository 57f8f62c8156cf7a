package fetch

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

const onePixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

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
	w.fails(tools.InvalidParams, "fetch", args{"url": at, "method": "download"})
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

// Large pages wait for each other, since a tree has many times the size of its page; small ones and raw text do not.
func TestLargePagesWait(t *testing.T) {
	t.Parallel()
	large := "<main>" + strings.Repeat("text<br>", largePage/8) + "</main>"
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/large" {
			io.WriteString(w, large)
			return
		}
		io.WriteString(w, "<p>small")
	})
	made := &tool{large: make(chan struct{}, largeAtOnce), cfg: Config{Proxy: func(*url.URL) (*url.URL, error) { return nil, nil }}}
	w := newWorld(t, Config{})
	w.tool = &tools.Tool{Name: "fetch", Title: "Fetch", Default: "fetch", Params: params, Actions: []tools.Action{made.fetch()}}
	for range largeAtOnce {
		made.large <- struct{}{}
	}
	w.fails(tools.Timeout, "fetch", args{"url": at + "/large", "timeout": 300})
	w.ok("fetch", args{"url": at + "/large", "format": "raw"})
	w.ok("fetch", args{"url": at + "/small"})
	<-made.large
	w.ok("fetch", args{"url": at + "/large"})
	w.ok("fetch", args{"url": at + "/large"}) // the place is given back
	if len(made.large) != largeAtOnce-1 {
		t.Errorf("%d places are taken", len(made.large))
	}
}
