package fetch

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// echo answers with what was asked.
func echo(w http.ResponseWriter, r *http.Request) {
	b, _ := io.ReadAll(r.Body)
	w.Header().Set("Content-Type", "text/plain")
	fmt.Fprintf(w, "%s %s [%s] [%s] %s", r.Method, r.URL, r.Header.Get("Content-Type"), r.Header.Get("Authorization"), b)
}

// TestWhatMakesTheRequest: parts of a request in the words of other clients are sent, or refused before anything is.
func TestWhatMakesTheRequest(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Config{})
	at := serve(t, echo)
	for _, c := range []struct {
		action string
		args   args
		want   string
	}{
		{"post", args{"form": args{"a": "1 &", "b": []any{2, true}, "c": nil}}, "POST /x [application/x-www-form-urlencoded] [] a=1+%26&b=2&b=true"},
		{"request", args{"form": "a=1&b=2"}, "POST /x [application/x-www-form-urlencoded] [] a=1&b=2"},
		{"request", args{"form": args{"a": 1}, "method": "PUT", "headers": args{"content-type": "x/y"}}, "PUT /x [x/y] [] a=1"},
		{"get", args{"params": args{"q": "a b", "n": 3}}, "GET /x?n=3&q=a+b [] [] "},
		{"get", args{"query": `{"q":"x"}`}, "GET /x?q=x [] [] "},
		{"fetch", args{"query_params": "?q=%20x&r=1"}, "GET /x?q=+x&r=1 [] [] "},
		{"get", args{"auth": "u:p:q"}, "GET /x [] [Basic dTpwOnE=] "},
		{"get", args{"auth": args{"username": "u", "password": "p"}}, "GET /x [] [Basic dTpw] "},
		{"get", args{"auth": []string{"u", "p"}}, "GET /x [] [Basic dTpw] "},
		{"get", args{"authorization": "Bearer abc"}, "GET /x [] [Bearer abc] "},
		{"get", args{"auth": args{"token": "abc"}}, "GET /x [] [Bearer abc] "},
	} {
		c.args["url"] = at + "/x"
		if text, _ := w.ok(c.action, c.args); text != c.want {
			t.Errorf("%s %v: %q, not %q", c.action, c.args, text, c.want)
		}
	}
	if text, _ := w.ok("get", args{"url": at + "/x?a=1", "params": args{"b": 2}}); !strings.HasPrefix(text, "GET /x?a=1&b=2 ") {
		t.Errorf("%q", text)
	}
	refused := serve(t, func(http.ResponseWriter, *http.Request) { t.Error("something was sent") })
	for _, a := range []args{
		{"form": args{"a": 1}, "body": "x"}, {"form": args{"a": args{}}}, {"form": 5}, {"params": "word"}, {"params": []string{"a"}}, {"auth": "word"}, {"auth": 5}, {"auth": "Bearer a\r\nb"},
		{"auth": args{}}, {"auth": "u:p", "headers": args{"authorization": "x"}}, {"files": args{"f": "x"}}, {"cookies": args{"a": "b"}},
	} {
		a["url"] = refused
		out := w.fails(tools.InvalidParams, "post", a)
		if e := out.Envelope.Error; e.Details == nil || e.Details.Param == "" {
			t.Errorf("%v: %+v", a, e)
		}
	}
}

// TestFormIsAChange: a form makes a POST of a request, and so a call that changes something.
func TestFormIsAChange(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]tools.Effect{
		`{"url":"http://a/","form":{"a":1}}`: tools.Writes, `{"url":"http://a/","params":{"a":1},"auth":"u:p"}`: tools.Reads, `{"url":"http://a/","raw":true}`: tools.Reads,
	} {
		c, err := tools.Prepare(New(Config{}), []byte(given), &tools.Session{})
		if err != nil || c.Effect() != want {
			t.Errorf("%s: %v %v", given, c.Effect(), err)
		}
	}
}

// TestAddressWithoutScheme: this machine is meant by http; of others it is said how to write them.
func TestAddressWithoutScheme(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"localhost:3000/x": "http://localhost:3000/x", "localhost": "http://localhost", "LOCALHOST:80/a?b": "http://localhost/a?b", "127.0.0.1:3000": "http://127.0.0.1:3000", "[::1]:80/": "http://[::1]/",
		"api.localhost:1": "http://api.localhost:1", "example.com/x": "write https://example.com/x", "10.0.0.1:80": "write https://10.0.0.1:80", "[fe80::1]": "write https://[fe80::1]", "db:5432/x": "write http://db:5432/x",
		"word": "no scheme", "mailto:a@b.example": "scheme", "javascript:alert(1)": "scheme", "docs/readme.md": "no scheme", "file:///etc/passwd": "scheme", "//example.com": "no scheme",
	} {
		u, err := address(given)
		got := ""
		if err == nil {
			got = u.String()
		} else if got = err.Error(); strings.Contains(got, want) {
			got = want
		}
		if got != want {
			t.Errorf("%s: %s, not %s", given, got, want)
		}
	}
	w := newWorld(t, Config{})
	at := serve(t, echo)
	if text, _ := w.ok("fetch", args{"url": strings.TrimPrefix(at, "http://") + "/x"}); !strings.HasPrefix(text, "GET /x") {
		t.Errorf("%q", text)
	}
}

const threePart = `<!doctype html><title>T</title><body><header><a href="/">Home</a></header><div class="comments"><p>A comment that somebody left here, about the thing.</p></div>
<div class="content"><h1>T</h1>%s</div><div class="price">Price: $99.99</div>
<form action="/buy"><label>User <input name="user"></label><input type=password name=p value=geheim><input type=hidden name=h value=hid><input style="display:none" value=trap>
<select name="size"><option>Small<option>Large</select><textarea name=note></textarea><button>Buy now</button><input type=submit value="Log in"></form></body>`

// TestWholePage: what the main content leaves out is told, and can be had.
func TestWholePage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Config{})
	source := fmt.Sprintf(threePart, strings.Repeat("<p>The text goes on for a while, with commas, as articles do, and it says things about a subject.</p>", 12))
	short := `<title>S</title><form><label>User <input name=u></label><input type=password name=p><button>Log in</button></form>`
	at := serve(t, func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch r.URL.Path {
		case "/short":
			fmt.Fprint(rw, short)
		case "/moved":
			fmt.Fprint(rw, `<meta http-equiv="Refresh" content="0; URL='/a'"><p>moving</p>`)
		default:
			fmt.Fprint(rw, source)
		}
	})
	warned := func(out *tools.Output) string { return strings.Join(out.Envelope.Meta.Warnings, "\n") }
	for _, format := range []string{"auto", "markdown", "text"} {
		out := w.call("fetch", args{"url": at, "format": format})
		if strings.Contains(out.Text, "99.99") || !strings.Contains(warned(out), "format full") {
			t.Errorf("%s: %q", format, warned(out))
		}
	}
	out := w.call("fetch", args{"url": at, "format": "full"})
	for _, part := range []string{"Home", "A comment that", "The text goes on", "Price: $99.99", "User (text field: user)", "(password field: p)", "(choice: size) Small, Large", "(text area: note)", "Buy now (button)", "Log in (button)"} {
		if !strings.Contains(out.Text, part) {
			t.Errorf("no %q in\n%s", part, out.Text)
		}
	}
	for _, secret := range []string{"geheim", "hid ", "trap"} {
		if strings.Contains(out.Text, secret) {
			t.Errorf("%q in\n%s", secret, out.Text)
		}
	}
	if warned(out) != "" {
		t.Errorf("warned %q", warned(out))
	}
	if out := w.call("fetch", args{"url": at + "/short"}); !strings.Contains(warned(out), "form") {
		t.Errorf("short: %q", warned(out))
	}
	if out := w.call("fetch", args{"url": at + "/moved"}); !strings.Contains(warned(out), at+"/a") {
		t.Errorf("moved: %q", warned(out))
	}
	for _, a := range []args{{"raw": true}, {"format": "raw", "raw": false}, {"action": "fetch_html"}} {
		a["url"] = at + "/short"
		if text, _ := w.ok("fetch", a); text != short {
			t.Errorf("%v: %q", a, text)
		}
	}
}

// TestJSONThatIsCalledHTML is given as it is: many servers call all that they send so.
func TestJSONThatIsCalledHTML(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Config{})
	const body = ` {"a":1,"b":"<p>x</p>"}`
	at := serve(t, func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "text/html")
		fmt.Fprint(rw, body+strings.TrimPrefix(r.URL.Path, "/"))
	})
	if text, _ := w.ok("fetch", args{"url": at}); text != body {
		t.Errorf("%q", text)
	}
	if text, _ := w.ok("fetch", args{"url": at + "/x"}); strings.Contains(text, "<p>") { // no JSON
		t.Errorf("%q", text)
	}
}

// TestNamesOfTheFile: a download goes where the caller says, in whichever word.
func TestNamesOfTheFile(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Config{})
	at := serve(t, echo)
	for _, name := range []string{"filename", "save_path", "saveAs", "output-file"} {
		w.ok("download", args{"url": at + "/theirs.txt", name: "mine-" + name, "params": args{"k": "v"}, "auth": "u:p"})
		if b, err := os.ReadFile(filepath.Join(w.W, "mine-"+name)); err != nil || !strings.Contains(string(b), "/theirs.txt?k=v [] [Basic ") {
			t.Errorf("%s: %q %v", name, b, err)
		}
	}
}

// TestFaultsOfServers: each error says what is wrong, and what has become of the request.
func TestFaultsOfServers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Config{})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				r, err := http.ReadRequest(bufio.NewReader(c))
				if err != nil {
					return
				}
				switch r.URL.Path {
				case "/ssh":
					fmt.Fprint(c, "SSH-2.0-OpenSSH_9\r\n")
				case "/header":
					fmt.Fprint(c, "HTTP/1.1 200 OK\r\nX-\xc3\xa9: 1\r\nContent-Length: 0\r\n\r\n")
				case "/busy":
					fmt.Fprint(c, "HTTP/1.1 429 No\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n")
				}
			}()
		}
	}()
	at := "http://" + l.Addr().String()
	for _, c := range []struct{ action, path, want string }{
		{"get", "/ssh", "does not speak HTTP (it says \"SSH-2.0-OpenSSH_9\")"},
		{"get", "/header", "header that is no HTTP"},
		{"get", "/busy", "after 7 seconds"},
		{"get", "/close", "try again"},
		{"post", "/close", "the POST may have been carried out"},
		{"delete", "/close", "the DELETE may have been carried out"},
	} {
		if out := w.fails(tools.HTTPError, c.action, args{"url": at + c.path}); !strings.Contains(out.Envelope.Error.Message, c.want) {
			t.Errorf("%s %s: %s", c.action, c.path, out.Envelope.Error.Message)
		}
	}
}
