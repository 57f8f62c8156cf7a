// Package tooltest is what the tests of tools share: calls that must work or must be refused, and for tools that keep
// one a state file and a project folder. It is imported by tests only.
package tooltest

import (
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
)

// World is a tool and what its calls work on. New gives one with a state file and a project folder.
type World struct {
	testing.TB
	File, Project string
	Tool          *tools.Tool
	Roots         *sandbox.Roots
	Session       *tools.Session

	make func(file string) *tools.Tool
}

// New makes a world whose state file has a name and, unless that is "", a content. create makes the tool over the file.
func New(t testing.TB, file, content string, create func(file string) *tools.Tool) *World {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &World{TB: t, File: filepath.Join(base, file), Project: filepath.Join(base, "project"), make: create}
	if err := os.Mkdir(w.Project, 0o755); err != nil {
		t.Fatal(err)
	}
	if content != "" {
		w.Write(content)
	}
	if w.Roots, err = sandbox.Open(sandbox.Config{Dirs: []string{w.Project}, State: filepath.Join(base, "state")}); err != nil {
		t.Fatal(err)
	}
	w.Restart()
	return w
}

// Restart forgets all that is only in memory.
func (w *World) Restart() { w.Tool = w.make(w.File) }

// Write puts text in place of the state file.
func (w *World) Write(text string) {
	w.Helper()
	if err := os.MkdirAll(filepath.Dir(w.File), 0o700); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(w.File, []byte(text), 0o644); err != nil {
		w.Fatal(err)
	}
}

// Read gives the text of the state file.
func (w *World) Read() string {
	w.Helper()
	b, err := os.ReadFile(w.File)
	if err != nil {
		w.Fatal(err)
	}
	return string(b)
}

// Call calls the tool.
func (w *World) Call(args string) *tools.Output {
	w.Helper()
	return tools.Invoke(context.Background(), w.Tool, w.Roots, w.Session, args)
}

// Do is a call that must work and answer with these parts, in its payload or its envelope; it gives both.
func (w *World) Do(args string, parts ...string) (text, envelope string) {
	w.Helper()
	out := w.Call(args)
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
	for _, p := range parts {
		if !strings.Contains(out.Text+string(b), p) {
			w.Errorf("%s: no %q in\n%s\n%s", args, p, out.Text, b)
		}
	}
	return out.Text, string(b)
}

// Fail is a call that must be refused with a code and these parts in its message.
func (w *World) Fail(code tools.Code, args string, parts ...string) *tools.Error {
	w.Helper()
	out := w.Call(args)
	if out.Envelope.OK || out.Envelope.Error.Code != code {
		w.Fatalf("%s: %+v, not %s", args, out.Envelope, code)
	}
	for _, p := range parts {
		if !strings.Contains(out.Envelope.Error.Message, p) {
			w.Errorf("%s: no %q in %s", args, p, out.Envelope.Error.Message)
		}
	}
	return out.Envelope.Error
}

// Wide has more tests run at once than there are cores, unless -parallel says how many: for tests that mostly wait for another
// process. TestMain calls it before it runs them.
func Wide() {
	flag.Parse()
	if f := flag.Lookup("test.parallel"); f.Value.String() == f.DefValue {
		_ = f.Value.Set(strconv.Itoa(2 * runtime.GOMAXPROCS(0)))
	}
}
