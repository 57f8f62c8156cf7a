package code

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
)

// twoRoots makes two project folders with the tool over them.
func twoRoots(t *testing.T, first, second map[string]string) (b *bench, further string) {
	t.Helper()
	b = project(t, first)
	further, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range second {
		write(t, filepath.Join(further, name), text)
	}
	if b.roots, err = sandbox.Open(sandbox.Config{Dirs: []string{b.dir, further}, State: t.TempDir()}); err != nil {
		t.Fatal(err)
	}
	return b, filepath.ToSlash(further)
}

// A name without a path is found in whichever root has it, the very name before one in other capitals.
func TestTwoRoots(t *testing.T) {
	t.Parallel()
	b, further := twoRoots(t,
		map[string]string{"a.go": "package a\n\nfunc Foo() {}\n\nfunc SECOND() {}\n"},
		map[string]string{"b.go": "package b\n\nfunc Second() { third := 1; _ = third }\n\nfunc Foo() {}\n\nvar Used = Second\n", "c.go": "package b\n\ntype Far struct{}\n"})
	for _, action := range []string{"definition", "hover"} {
		if out := b.ok(action, "query", "Second"); out.data["path"] != further+"/b.go" || out.data["line"] != 3.0 {
			t.Errorf("%s: %s", action, out.raw)
		}
	}
	if out := b.ok("references", "query", "Second"); out.data["total"] != 2.0 || strings.Contains(out.warned(), "first root") {
		t.Errorf("%s %s", out.raw, out.warned())
	}
	if out := b.ok("definition", "query", "Foo"); out.data["path"] != "a.go" {
		t.Errorf("%s", out.raw)
	}
	if out := b.ok("hierarchy", "query", "Far"); out.data["path"] != further+"/c.go" || out.data["line"] != 3.0 {
		t.Errorf("%s", out.raw)
	}
	if e := b.fails(tools.NotFound, "hierarchy", "query", "Absent").Envelope.Error; !strings.Contains(e.Message, "nor in the other roots") {
		t.Errorf("%s", e.Message)
	}
	for _, action := range []string{"outline", "exports", "summarize", "diagnostics"} {
		if out := b.ok(action); !strings.Contains(out.warned(), "only the first root was looked at") {
			t.Errorf("%s: %s", action, out.warned())
		}
	}
	out := b.ok("search_symbol", "query", "Foo")
	if paths := out.list("results", "path"); !slices.Equal(paths, []string{"a.go", further + "/b.go"}) {
		t.Errorf("%s", out.raw)
	}
	if out = b.ok("search_symbol", "query", "Foo", "path", "."); out.data["total"] != 1.0 {
		t.Errorf("%s", out.raw)
	}
	if e := b.fails(tools.NotFound, "definition", "query", "Absent").Envelope.Error; !strings.Contains(e.Message, "nor in the other roots: "+further) {
		t.Errorf("%s", e.Message)
	}
	if out = b.call("references", "query", "third"); out.data["total"] != 2.0 || strings.Contains(out.warned(), "only the first root") {
		t.Errorf("%s %s", out.raw, out.warned())
	}
	out = b.ok("rename", "kind", "text", "query", "Foo", "new_name", "Bar", "dry_run", true)
	if !strings.Contains(out.warned(), "only the first root") || strings.Contains(out.Text, "b.go") {
		t.Errorf("%s %s", out.Text, out.warned())
	}
	out = b.ok("rename", "kind", "text", "query", "Foo", "new_name", "Bar", "path", further, "dry_run", true)
	if !strings.Contains(out.Text, "--- a"+further+"/b.go\n+++ b"+further+"/b.go\n") && !strings.Contains(out.Text, "--- a/"+further+"/b.go\n") {
		t.Errorf("%s", out.Text)
	}
}

// With one root nothing is said of others.
func TestOneRoot(t *testing.T) {
	t.Parallel()
	b := project(t, map[string]string{"a.go": "package a\n\nfunc Foo() {}\n"})
	if e := b.fails(tools.NotFound, "definition", "query", "Absent").Envelope.Error; strings.Contains(e.Message, "roots") {
		t.Errorf("%s", e.Message)
	}
}
