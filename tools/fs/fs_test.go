package fs

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
)

// world is a root W with a folder O beside it, and the tool over it.
type world struct {
	testing.TB
	W, O    string
	tool    *tools.Tool
	roots   *sandbox.Roots
	session *tools.Session
}

func newWorld(t testing.TB, change ...func(*sandbox.Config)) *world {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{TB: t, W: filepath.Join(base, "W"), O: filepath.Join(base, "O"), tool: New(Config{}), session: &tools.Session{ID: "test"}}
	for _, d := range []string{w.W, w.O} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	cfg := sandbox.Config{Dirs: []string{w.W}, Home: w.O, State: filepath.Join(base, "state")}
	for _, f := range change {
		f(&cfg)
	}
	w.roots = mustOpen(t, cfg)
	return w
}

func rootAt(dir string) func(*sandbox.Config) {
	return func(c *sandbox.Config) { c.Dirs = []string{dir} }
}

// newWorldAt is a second server over the same folders.
func newWorldAt(t testing.TB, w *world) *world {
	t.Helper()
	return &world{TB: t, W: w.W, O: w.O, tool: New(Config{}), session: &tools.Session{ID: "other"}, roots: mustOpen(t, sandbox.Config{
		Dirs: []string{w.W}, Home: w.O, State: filepath.Join(filepath.Dir(w.W), "state")})}
}

func mustOpen(t testing.TB, cfg sandbox.Config) *sandbox.Roots {
	t.Helper()
	r, err := sandbox.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func openRoots(dir string) (*sandbox.Roots, error) {
	return sandbox.Open(sandbox.Config{Dirs: []string{dir}, State: filepath.Join(filepath.Dir(dir), "state")})
}

func (w *world) abs(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(w.W, name)
}

func (w *world) put(name, content string) {
	w.Helper()
	if err := os.MkdirAll(filepath.Dir(w.abs(name)), 0o755); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(w.abs(name), []byte(content), 0o644); err != nil {
		w.Fatal(err)
	}
}

func (w *world) get(name string) string {
	w.Helper()
	b, err := os.ReadFile(w.abs(name))
	if err != nil {
		w.Fatal(err)
	}
	return string(b)
}

func (w *world) link(target, name string) {
	w.Helper()
	if err := os.Symlink(target, w.abs(name)); err != nil {
		w.Fatal(err)
	}
}

// args are the arguments of a call.
type args map[string]any

// reply is what a call answered, its data as a map.
type reply struct {
	*tools.Output
	data map[string]any
}

func (w *world) call(action string, a args) reply {
	w.Helper()
	all := args{"action": action}
	for k, v := range a {
		all[k] = v
	}
	b, err := json.Marshal(all)
	if err != nil {
		w.Fatal(err)
	}
	out := tools.Invoke(w.Context(), w.tool, w.roots, w.session, string(b))
	raw, err := json.Marshal(out.Envelope)
	if err != nil {
		w.Fatal(err)
	}
	var env struct{ Data map[string]any }
	if err := json.Unmarshal(raw, &env); err != nil {
		w.Fatal(err)
	}
	return reply{out, env.Data}
}

// ok calls and fails the test when that failed.
func (w *world) ok(action string, a args) reply {
	w.Helper()
	r := w.call(action, a)
	if !r.Envelope.OK {
		w.Fatalf("%s %v: %v", action, a, r.Envelope.Error)
	}
	return r
}

// refused calls and fails the test when that did not give the code.
func (w *world) refused(code tools.Code, action string, a args) reply {
	w.Helper()
	r := w.call(action, a)
	if r.Envelope.OK || r.Envelope.Error.Code != code {
		w.Fatalf("%s %v: ok %t, %v; want %s", action, a, r.Envelope.OK, r.Envelope.Error, code)
	}
	if r.Envelope.Error.Message == "" {
		w.Errorf("%s %v: the error says nothing", action, a)
	}
	return r
}

func (w *world) is(name, want string) {
	w.Helper()
	if got := w.get(name); got != want {
		w.Errorf("%s holds %.200q, want %.200q", name, got, want)
	}
}

func (r reply) warned(part string) bool {
	for _, s := range r.Envelope.Meta.Warnings {
		if strings.Contains(s, part) {
			return true
		}
	}
	return false
}

// names lists a folder, hidden files too: nothing may be left behind.
func (w *world) names(dir string) string {
	w.Helper()
	list, err := os.ReadDir(w.abs(dir))
	if err != nil {
		w.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

func TestDeclaration(t *testing.T) {
	t.Parallel()
	tool := New(Config{})
	if err := tool.Check(); err != nil {
		t.Error(err)
	}
	t.Logf("schema %d bytes, description %d", len(tool.Schema(false)), len(tool.Description))
	for _, name := range []string{"edit", "replace", "tree", "ls", "grep", "search", "glob", "info", "move", "rename", "remove", "delete", "copy", "applyPatch", "search-text"} {
		if tool.Action(name) == nil {
			t.Errorf("no action %s", name)
		}
	}
}

func TestWrongArgumentsNameTheField(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, a := range []string{`{"action":"read"}`, `{"action":"read","path":123}`, `{"action":"read","path":null}`, `{"action":"write","content":"","path":["a","b"]}`, `{"action":"read","path":{}}`, `{"action":"read","path":""}`} {
		out := tools.Invoke(t.Context(), w.tool, w.roots, w.session, a)
		if out.Envelope.OK || out.Envelope.Error.Code != tools.InvalidParams || !strings.Contains(out.Envelope.Error.Message, "path") {
			t.Errorf("%s: %+v", a, out.Envelope.Error)
		}
	}
}
