package fetch

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
	"github.com/hanzoai/hanzo-mcp/tools"
)

func TestMain(m *testing.M) {
	launch.Main(os.Args)
	os.Exit(m.Run())
}

// world is a root W with a folder O beside it, and the tool over it.
type world struct {
	testing.TB
	W, O    string
	tool    *tools.Tool
	roots   *sandbox.Roots
	session *tools.Session
}

func newWorld(t testing.TB, cfg Config) *world {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if cfg.Proxy == nil {
		cfg.Proxy = func(*url.URL) (*url.URL, error) { return nil, nil }
	}
	w := &world{TB: t, W: filepath.Join(base, "W"), O: filepath.Join(base, "O"), tool: New(cfg), session: &tools.Session{ID: "test"}}
	for _, d := range []string{w.W, w.O} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	w.roots, err = sandbox.Open(sandbox.Config{Dirs: []string{w.W}, Home: w.O, State: filepath.Join(base, "state")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.roots.Close() })
	return w
}

// args is the JSON of a call.
type args map[string]any

// call makes a call of an action.
func (w *world) call(action string, a args) *tools.Output {
	w.Helper()
	return w.callCtx(context.Background(), action, a)
}

func (w *world) callCtx(ctx context.Context, action string, a args) *tools.Output {
	w.Helper()
	all := args{"action": action}
	for k, v := range a {
		all[k] = v
	}
	raw, err := json.Marshal(all)
	if err != nil {
		w.Fatal(err)
	}
	return tools.Invoke(ctx, w.tool, w.roots, w.session, string(raw))
}

// ok makes a call that must succeed and gives its data.
func (w *world) ok(action string, a args) (string, map[string]any) {
	w.Helper()
	out := w.call(action, a)
	if !out.Envelope.OK {
		w.Fatalf("%s %v: %v", action, a, out.Envelope.Error)
	}
	return out.Text, dataOf(w, out)
}

// fails makes a call that must fail with a code, and gives the message.
func (w *world) fails(code tools.Code, action string, a args) *tools.Output {
	w.Helper()
	out := w.call(action, a)
	if out.Envelope.OK || out.Envelope.Error.Code != code {
		w.Fatalf("%s %v: got %v (%.200s), want %s", action, a, out.Envelope.Error, out.Text, code)
	}
	return out
}

func dataOf(t testing.TB, out *tools.Output) map[string]any {
	t.Helper()
	raw, err := json.Marshal(out.Envelope.Data)
	if err != nil {
		t.Fatal(err)
	}
	m := map[string]any{}
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// serve starts a server on loopback and gives its URL without a final slash.
func serve(t testing.TB, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// raw starts a server that answers every connection with what write does.
func rawServer(t testing.TB, write func(net.Conn, *http.Request)) string {
	t.Helper()
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
				if err == nil {
					write(c, r)
				}
			}()
		}
	}()
	return "http://" + l.Addr().String()
}

func (w *world) read(name string) string {
	w.Helper()
	b, err := os.ReadFile(filepath.Join(w.W, name))
	if err != nil {
		w.Fatal(err)
	}
	return string(b)
}

func (w *world) put(name, text string) {
	w.Helper()
	p := filepath.Join(w.W, name)
	if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
		w.Fatal(err)
	}
}

// files lists all files below a folder.
func files(t testing.TB, dir string) (list []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			rel, _ := filepath.Rel(dir, p)
			list = append(list, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestDeclaration(t *testing.T) {
	t.Parallel()
	tool := New(Config{})
	if err := tool.Check(); err != nil {
		t.Error(err)
	}
	t.Logf("schema of %d bytes, description of %d", len(tool.Schema(false)), len(tool.Description))
}

// What is sent decides whether a call only reads.
func TestEffect(t *testing.T) {
	t.Parallel()
	tool := New(Config{})
	for _, tt := range []struct {
		args string
		want tools.Effect
	}{
		{`{"url":"x"}`, tools.Reads},
		{`{"action":"fetch","url":"x","method":"head"}`, tools.Reads},
		{`{"action":"fetch","url":"x","method":"POST"}`, tools.Writes},
		{`{"action":"fetch","url":"x","body":"a"}`, tools.Writes},
		{`{"action":"fetch","url":"x","method":"GET","body":{}}`, tools.Writes},
		{`{"action":"fetch","url":"x","body":""}`, tools.Reads},
		{`{"action":"request","url":"x"}`, tools.Reads},
		{`{"action":"get","url":"x"}`, tools.Reads},
		{`{"action":"GET","url":"x"}`, tools.Reads},
		{`{"action":"post","url":"x"}`, tools.Writes},
		{`{"action":"delete","url":"x"}`, tools.Writes},
		{`{"action":"patch","url":"x"}`, tools.Writes},
		{`{"action":"request","url":"x","method":"OPTIONS"}`, tools.Writes},
		{`{"action":"get","url":"x","method":"DELETE"}`, tools.Writes},
		{`{"action":"request","url":"x","http_method":"delete"}`, tools.Writes},
		{`{"action":"request","url":"x","data":[1]}`, tools.Writes},
		{`{"action":"head","url":"x"}`, tools.Reads},
		{`{"action":"get","url":"x","headers":{"X-Other":"DELETE"}}`, tools.Reads},
		{`{"action":"get","url":"x","headers":{"x-http-METHOD-override":"DELETE"}}`, tools.Writes},
		{`{"action":"fetch","url":"x","headers":{" X-Method-Override ":"DELETE"}}`, tools.Writes},
		{`{"action":"head","url":"x","headers":{"X-HTTP-Method":"DELETE"}}`, tools.Writes},
		{`{"action":"download","url":"x"}`, tools.Writes},
		{`{"action":"crawl","url":"x"}`, tools.Writes},
		{`{"action":"open","url":"x"}`, tools.Writes},
	} {
		c, err := tools.Prepare(tool, json.RawMessage(tt.args), &tools.Session{})
		if err != nil {
			t.Fatalf("%s: %v", tt.args, err)
		}
		if got := c.Effect(); got != tt.want {
			t.Errorf("%s: effect %v, want %v", tt.args, got, tt.want)
		}
	}
}

func TestSearchIsTheDoors(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Config{})
	out := w.fails(tools.Unsupported, "search", args{"query": "x"})
	if !strings.Contains(out.Envelope.Error.Message, "door") {
		t.Errorf("message %q", out.Envelope.Error.Message)
	}
}

func TestBadAddresses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, Config{})
	for _, u := range []string{"", "  ", "example.org", "file:///etc/passwd", "gopher://x/", "ftp://x/", "javascript:alert(1)", "data:text/plain,x", "http://", "http:///x", "http://a b/",
		"http://x:99999/", "http://1.2.3.4.5/", "http://0x100000000/", "http://[::1/", "//x/", "http:x", "http://..", "unix:///var/run/docker.sock", "http://ex\nample.org/"} {
		for _, action := range []string{"fetch", "request", "head", "download", "crawl", "open"} {
			out := w.fails(tools.InvalidParams, action, args{"url": u})
			if action == "fetch" && out.Envelope.Error.Details.Param != "url" {
				t.Errorf("%q: details %+v", u, out.Envelope.Error.Details)
			}
		}
	}
	if got := fmt.Sprint(files(t, w.W)); got != "[]" {
		t.Errorf("files %s", got)
	}
}

// Under read-only what may only read is still offered.
func TestReadOnlySchema(t *testing.T) {
	t.Parallel()
	if s := string(New(Config{}).Schema(true)); !strings.Contains(s, `"enum":["fetch","request","head","help"]`) {
		t.Error(s)
	}
}
