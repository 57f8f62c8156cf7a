package memory

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
)

// world is a state file and a project folder with the tool over them.
type world struct {
	testing.TB
	file, project string
	tool          *tools.Tool
	roots         *sandbox.Roots
}

func newWorld(t testing.TB) *world {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{TB: t, file: filepath.Join(base, "home", ".hanzo", "memory.json"), project: filepath.Join(base, "project")}
	if err := os.Mkdir(w.project, 0o755); err != nil {
		t.Fatal(err)
	}
	if w.roots, err = sandbox.Open(sandbox.Config{Dirs: []string{w.project}, State: filepath.Join(base, "state")}); err != nil {
		t.Fatal(err)
	}
	w.restart()
	return w
}

// restart forgets all that is only in memory.
func (w *world) restart() { w.tool = New(Config{Path: w.file}) }

func (w *world) put(text string) {
	w.Helper()
	if err := os.MkdirAll(filepath.Dir(w.file), 0o700); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(w.file, []byte(text), 0o644); err != nil {
		w.Fatal(err)
	}
}

func (w *world) get() string {
	w.Helper()
	b, err := os.ReadFile(w.file)
	if err != nil {
		w.Fatal(err)
	}
	return string(b)
}

func (w *world) call(args string) *tools.Output {
	w.Helper()
	return tools.Invoke(context.Background(), w.tool, w.roots, nil, args)
}

// do is a call that must work. It gives the payload and the envelope.
func (w *world) do(args string) (text, envelope string) {
	w.Helper()
	out := w.call(args)
	b, err := json.Marshal(out.Envelope)
	if err != nil {
		w.Fatal(err)
	}
	if !out.Envelope.OK {
		w.Fatalf("%s: %s", args, b)
	}
	if out.Text == "" && len(b) > 1024 {
		w.Errorf("%s: an envelope of %d bytes", args, len(b))
	}
	return out.Text, string(b)
}

// fail is a call that must be refused with code.
func (w *world) fail(code tools.Code, args string) *tools.Error {
	w.Helper()
	out := w.call(args)
	if out.Envelope.OK || out.Envelope.Error.Code != code {
		w.Fatalf("%s: %+v, not %s", args, out.Envelope, code)
	}
	return out.Envelope.Error
}

func contains(t testing.TB, what, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Errorf("%s: no %q in %s", what, p, text)
		}
	}
}

// document is the state file as any JSON reader sees it.
func (w *world) document() (d struct {
	Entries, Facts     []map[string]any
	LastID, LastFactID float64
}) {
	w.Helper()
	if err := json.Unmarshal([]byte(w.get()), &d); err != nil {
		w.Fatalf("%v in %s", err, w.get())
	}
	return d
}

func TestDeclaration(t *testing.T) {
	t.Parallel()
	tool := New(Config{})
	if err := tool.Check(); err != nil {
		t.Error(err)
	}
	t.Logf("schema %d bytes", len(tool.Schema(false)))
}

func TestStoreAndRecall(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, env := w.do(`{"action":"store","key":"build","value":"make all\n<b>&","tags":["ci"],"metadata":{"a":1}}`)
	contains(t, "store", env, `stored \"build\" (13 characters)`, `"id":"1"`, `"created":true`)
	text, env := w.do(`{"action":"recall","key":"build"}`)
	if text != "make all\n<b>&" {
		t.Errorf("recalled %q", text)
	}
	contains(t, "recall", env, `"tags":["ci"]`, `"metadata":{"a":1}`)
	_, env = w.do(`{"action":"store","key":"build","content":"make","append":true,"metadata":{"b":2}}`)
	contains(t, "append", env, `"id":"1"`)
	w.restart()
	text, env = w.do(`{"action":"get","id":"build"}`)
	if text != "make all\n<b>&\nmake" {
		t.Errorf("recalled %q", text)
	}
	contains(t, "recall", env, `"metadata":{"a":1,"b":2}`)
	fi, err := os.Stat(w.file)
	if err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", fi.Mode(), err)
	}
	e := w.fail(tools.NotFound, `{"action":"recall","key":"buil"}`)
	contains(t, "near", fmt.Sprint(e.Details.Nearest), "build")
	w.fail(tools.InvalidParams, `{"action":"store","key":"x"}`)
	w.fail(tools.InvalidParams, `{"action":"store","value":"x"}`)
	w.fail(tools.InvalidParams, `{"action":"store","key":"`+strings.Repeat("k", 300)+`","value":"x"}`)
}

const ours = 50

// TestMain lets this binary be another server: it stores memories named for its argument, one call beside the other.
func TestMain(m *testing.M) {
	file, who := os.Getenv("MEMORY_TEST_FILE"), os.Getenv("MEMORY_TEST_WHO")
	if file == "" {
		os.Exit(m.Run())
	}
	os.Exit(storeMany(New(Config{Path: file}), who, os.Getenv("MEMORY_TEST_ENDLESS") != ""))
}

func storeMany(tool *tools.Tool, who string, endless bool) int {
	if endless {
		for i := 0; ; i++ {
			args := fmt.Sprintf(`{"action":"store","key":"%s %d","value":"%s"}`, who, i, strings.Repeat("v", i%500+1))
			if out := tools.Invoke(context.Background(), tool, nil, nil, args); !out.Envelope.OK {
				fmt.Println(out.Envelope.Error)
				return 1
			}
			fmt.Println(i)
		}
	}
	var wg sync.WaitGroup
	failed := make(chan error, ours)
	for i := range ours {
		wg.Go(func() {
			out := tools.Invoke(context.Background(), tool, nil, nil, fmt.Sprintf(`{"action":"store","key":"%s %d","value":"v"}`, who, i))
			if !out.Envelope.OK {
				failed <- out.Envelope.Error
			}
		})
	}
	wg.Wait()
	close(failed)
	for err := range failed {
		fmt.Println(err)
		return 1
	}
	return 0
}

func server(t *testing.T, file, who string, env ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = append(os.Environ(), append(env, "MEMORY_TEST_FILE="+file, "MEMORY_TEST_WHO="+who)...)
	return cmd
}

// TestSimultaneousStoresOfTwoServersAreKept: 50 at once from each, none is lost, and each has an id of its own.
func TestSimultaneousStoresOfTwoServersAreKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var wg sync.WaitGroup
	for _, who := range []string{"a", "b"} {
		wg.Go(func() {
			if out, err := server(t, w.file, who).CombinedOutput(); err != nil {
				t.Errorf("server %s: %v %s", who, err, out)
			}
		})
	}
	wg.Go(func() { storeMany(w.tool, "c", false) })
	wg.Wait()
	d := w.document()
	ids, keys := map[any]bool{}, map[any]bool{}
	for _, e := range d.Entries {
		ids[e["id"]], keys[e["key"]] = true, true
	}
	if len(d.Entries) != 3*ours || len(ids) != 3*ours || len(keys) != 3*ours {
		t.Errorf("%d entries with %d ids and %d keys, not %d", len(d.Entries), len(ids), len(keys), 3*ours)
	}
	left, _ := filepath.Glob(filepath.Join(filepath.Dir(w.file), "*"))
	if len(left) != 2 { // the file and its lock
		t.Errorf("left behind: %q", left)
	}
	w.restart()
	if text, _ := w.do(`{"action":"list","limit":1000}`); strings.Count(text, "\n") != 3*ours {
		t.Errorf("listed %d", strings.Count(text, "\n"))
	}
}
