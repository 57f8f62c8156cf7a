package code

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// withGo makes a project whose gopls has GOFLAGS in its environment; DIR in them is the folder of the project.
func withGo(t *testing.T, files map[string]string, flags string) *bench {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	env := []string{"GOENV=off", "GOFLAGS=" + strings.ReplaceAll(flags, "DIR", dir)}
	return withServersIn(t, dir, files, Config{Environ: func() []string { return env }}, "gopls", "go")
}

var vendored = map[string]string{
	"go.mod":                       "module example.test/v\n\ngo 1.21\n\nrequire example.test/dep v1.0.0\n",
	"vendor/modules.txt":           "# example.test/dep v1.0.0\n## explicit; go 1.21\nexample.test/dep\n",
	"vendor/example.test/dep/d.go": "package dep\n\n// Help helps.\nfunc Help() int { return 1 }\n\ntype I interface{ Do() }\n",
	"main.go":                      "package main\n\nimport \"example.test/dep\"\n\ntype T struct{}\n\nfunc (T) Stop() {}\n\nfunc main() { println(dep.Help()); T{}.Stop() }\n",
}

// What is in vendor is found there, as the go command does; it is not renamed.
func TestGoVendor(t *testing.T) {
	t.Parallel()
	b := withGo(t, vendored, "")
	if out := b.ok("diagnostics", "path", "main.go"); out.data["errors"] != 0.0 {
		t.Errorf("%s", out.Text)
	}
	b.ok("rename", "query", "T.Stop", "new_name", "Halt")
	if text := b.read("main.go"); strings.Count(text, "Halt") != 2 {
		t.Errorf("%s", text)
	}
	e := b.fails(tools.Conflict, "rename", "query", "Help", "new_name", "Aid").Envelope.Error
	if !strings.Contains(e.Message, "Help comes from vendor/example.test/dep/d.go:4") || b.read("vendor/example.test/dep/d.go") != vendored["vendor/example.test/dep/d.go"] {
		t.Errorf("%s", e.Message)
	}
}

// The user's build tags hold; what would run a program or change go.mod does not.
func TestGoFlagsOfTheUser(t *testing.T) {
	t.Parallel()
	b := withGo(t, map[string]string{
		"go.mod": "module example.test/q\n\ngo 1.21\n", "a.go": "package q\n\nfunc A() {}\n",
		"t.go": "//go:build integration\n\npackage q\n\nfunc T() { A(); undefinedX() }\n",
		"x.go": "//go:build other\n\npackage q\n\nfunc X() { A() }\n",
		"tool": "#!/bin/sh\necho ran >DIR/ran\nexec \"$@\"\n",
	}, "-tags=integration -toolexec=DIR/tool -mod=mod")
	write(t, filepath.Join(b.dir, "tool"), strings.ReplaceAll(b.read("tool"), "DIR", b.dir))
	if err := os.Chmod(filepath.Join(b.dir, "tool"), 0o755); err != nil {
		t.Fatal(err)
	}
	if out := b.ok("diagnostics", "path", "t.go"); out.data["errors"] != 1.0 || !strings.Contains(out.Text, "undefinedX") {
		t.Errorf("%s", out.Text)
	}
	out := b.ok("callers", "query", "A")
	if out.data["total"] != 1.0 || !strings.Contains(out.Text, "t.go:5:") || strings.Contains(out.warned(), "t.go") || !strings.Contains(out.warned(), "x.go:5") {
		t.Errorf("%s\n%s", out.Text, out.warned())
	}
	if _, err := os.Stat(filepath.Join(b.dir, "ran")); err == nil {
		t.Error("the program of -toolexec was run")
	}
	if b.read("go.mod") != "module example.test/q\n\ngo 1.21\n" {
		t.Errorf("%s", b.read("go.mod"))
	}
}

// A rename tells of the places that are left in files with errors.
func TestRenameTellsOfFaultyFiles(t *testing.T) {
	t.Parallel()
	b := withServers(t, map[string]string{
		"go.mod": "module example.test/f\n\ngo 1.21\n",
		"a/a.go": "package a\n\nfunc Turn() {}\n",
		"b/b.go": "package b\n\nimport \"example.test/old/a\"\n\nfunc B() { a.Turn() }\n",
		"c/c.go": "package c\n\nimport \"example.test/f/a\"\n\nfunc C() { a.Turn() }\n",
		"d/d.go": "package d\n\nfunc Turn() {}\n\nfunc E() { Turn() }\n",
		"e/e.go": "package e\n\ntype D struct{}\n\nfunc (D) Turn() { undefined() }\n",
	}, "gopls", "go")
	out := b.ok("rename", "query", "Turn", "path", "a/a.go", "new_name", "Spin")
	if w := out.warned(); !strings.Contains(w, "1 places of files with errors") || !strings.Contains(w, "b/b.go:5") {
		t.Errorf("%s\n%s", w, out.Text)
	}
	if !strings.Contains(b.read("c/c.go"), "Spin") {
		t.Errorf("%s", b.read("c/c.go"))
	}
}
