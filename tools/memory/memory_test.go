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

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/tooltest"
)

type world struct{ *tooltest.World }

func newWorld(t testing.TB) *world {
	t.Helper()
	return &world{tooltest.New(t, "home/.hanzo/memory.json", "", func(file string) *tools.Tool { return New(Config{Path: file}) })}
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
	if err := json.Unmarshal([]byte(w.Read()), &d); err != nil {
		w.Fatalf("%v in %s", err, w.Read())
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
	_, env := w.Do(`{"action":"store","key":"build","value":"make all\n<b>&","tags":["ci"],"metadata":{"a":1}}`)
	contains(t, "store", env, `stored \"build\" (13 characters)`, `"id":"1"`, `"created":true`)
	text, env := w.Do(`{"action":"recall","key":"build"}`)
	if text != "make all\n<b>&" {
		t.Errorf("recalled %q", text)
	}
	contains(t, "recall", env, `"tags":["ci"]`, `"metadata":{"a":1}`)
	_, env = w.Do(`{"action":"store","key":"build","content":"make","append":true,"metadata":{"b":2}}`)
	contains(t, "append", env, `"id":"1"`)
	w.Restart()
	text, env = w.Do(`{"action":"get","id":"build"}`)
	if text != "make all\n<b>&\nmake" {
		t.Errorf("recalled %q", text)
	}
	contains(t, "recall", env, `"metadata":{"a":1,"b":2}`)
	fi, err := os.Stat(w.File)
	if err != nil || fi.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", fi.Mode(), err)
	}
	e := w.Fail(tools.NotFound, `{"action":"recall","key":"buil"}`)
	contains(t, "near", fmt.Sprint(e.Details.Nearest), "build")
	w.Fail(tools.InvalidParams, `{"action":"store","key":"x"}`)
	w.Fail(tools.InvalidParams, `{"action":"store","value":"x"}`)
	w.Fail(tools.InvalidParams, `{"action":"store","key":"`+strings.Repeat("k", 300)+`","value":"x"}`)
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
			if out, err := server(t, w.File, who).CombinedOutput(); err != nil {
				t.Errorf("server %s: %v %s", who, err, out)
			}
		})
	}
	wg.Go(func() { storeMany(w.Tool, "c", false) })
	wg.Wait()
	d := w.document()
	ids, keys := map[any]bool{}, map[any]bool{}
	for _, e := range d.Entries {
		ids[e["id"]], keys[e["key"]] = true, true
	}
	if len(d.Entries) != 3*ours || len(ids) != 3*ours || len(keys) != 3*ours {
		t.Errorf("%d entries with %d ids and %d keys, not %d", len(d.Entries), len(ids), len(keys), 3*ours)
	}
	left, _ := filepath.Glob(filepath.Join(filepath.Dir(w.File), "*"))
	if len(left) != 2 { // the file and its lock
		t.Errorf("left behind: %q", left)
	}
	w.Restart()
	if text, _ := w.Do(`{"action":"list","limit":1000}`); strings.Count(text, "\n") != 3*ours {
		t.Errorf("listed %d", strings.Count(text, "\n"))
	}
}
