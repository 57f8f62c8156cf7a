package fs

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// size is how many characters the whole answer has.
func (r reply) size(t *testing.T) int {
	t.Helper()
	b, err := json.Marshal(r.Envelope)
	if err != nil {
		t.Fatal(err)
	}
	return len(r.Text) + len(b)
}

func TestReckonedSizes(t *testing.T) {
	t.Parallel()
	for _, e := range []entry{{"a/b.go", "file", 0, ""}, {"x", "dir", 4096, "2026-11-30T10:22:21Z"}} {
		if got, want := e.size(), tools.SizeOf(e); got != want {
			t.Errorf("%v: %d, want %d", e, got, want)
		}
	}
	if h := (hit{"a/b.go", 12, 7}); h.size() != tools.SizeOf(h) {
		t.Errorf("%v: %d, want %d", h, h.size(), tools.SizeOf(h))
	}
}

// The payload and what the data says of it are bounded together, and the pages lose nothing.
func TestAnswersAreBoundedWhole(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("c/x", "")
	const files = 520
	for i := range files {
		if err := os.WriteFile(w.abs(fmt.Sprintf("c/SomeWidgetComponentWithALongName%03d.test.tsx", i)), []byte("a needle\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Remove(w.abs("c/x")); err != nil {
		t.Fatal(err)
	}
	for action, a := range map[string]args{
		"list":        {"path": "c", "limit": 10000},
		"find":        {"pattern": "*.tsx", "limit": 10000},
		"search_text": {"query": "needle", "max_results": 10000},
	} {
		seen := map[string]bool{}
		for pages := 0; ; pages++ {
			r := w.ok(action, a)
			if n := r.size(t); n > tools.DefaultChars+1000 {
				t.Fatalf("%s: %d characters", action, n)
			}
			for line := range strings.Lines(r.Text) {
				seen[line] = true
			}
			if r.Envelope.Meta.Paging == nil || pages > 20 {
				break
			}
			a["cursor"] = r.Envelope.Meta.Paging.Cursor
		}
		if len(seen) != files {
			t.Errorf("%s: %d lines in all", action, len(seen))
		}
	}
	var names []string
	for i := range maxFiles {
		names = append(names, fmt.Sprintf("c/SomeWidgetComponentWithALongName%03d.test.tsx", i))
	}
	r := w.ok("read", args{"paths": names})
	read, left := len(r.data["files"].([]any)), r.data["left"]
	if n := r.size(t); n > tools.DefaultChars+2000 || left != float64(maxFiles-read) || !r.warned(names[read]) || !r.Envelope.Meta.Truncated {
		t.Errorf("%d characters, %d read, %v left, %v", n, read, left, r.Envelope.Meta)
	}
}

func TestNothingFoundTellsWhatWasIgnored(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put(".git/HEAD", "ref: x")
	w.put(".gitignore", "node_modules/\n")
	w.put("node_modules/p/i.js", "needle")
	w.put("venv/.gitignore", "*\n")
	w.put("venv/lib/m.py", "needle")
	for action, a := range map[string]args{
		"search_text": {"query": "needle"},
		"find":        {"pattern": "node_modules/**"},
		"list":        {"pattern": "*.js"},
	} {
		if r := w.ok(action, a); r.data["count"] != 0.0 || !r.warned("no_ignore:true") {
			t.Errorf("%s: %v %v", action, r.data, r.Envelope.Meta.Warnings)
		}
	}
	for action, a := range map[string]args{
		"search_text": {"query": "needle", "path": "venv"},
		"list":        {"path": "venv"},
	} {
		if r := w.ok(action, a); r.data["count"] == 0.0 || !r.warned("ignored") {
			t.Errorf("%s: %v %v", action, r.data, r.Envelope.Meta.Warnings)
		}
	}
}
