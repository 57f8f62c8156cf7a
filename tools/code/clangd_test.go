package code

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// clangd keeps no index here, so it is shown the files that hold a name: places, callers and renames are whole, and
// nothing is written into the project.
func TestClangd(t *testing.T) {
	t.Parallel()
	b := withServers(t, map[string]string{
		"geo.h":   "#pragma once\nstruct Shape {\n  virtual double area() const = 0;\n};\nstruct Circle : Shape {\n  double r = 1;\n  double area() const override;\n};\n",
		"geo.cc":  "#include \"geo.h\"\ndouble Circle::area() const { return 3.14 * r * r; }\n",
		"main.cc": "#include \"geo.h\"\n// area in a comment\nint main() {\n  Circle c;\n  return (int)c.area();\n}\n",
		"c.h":     "struct Field { double area; };\nstruct Point { Point(int x); };\n",
	}, "clangd")
	at := []any{"path", "geo.h", "line", 7, "column", 10}
	out := b.ok("references", at...)
	if out.data["backend"] != "lsp:clangd" || !strings.Contains(out.Text, "geo.cc:2:") || !strings.Contains(out.Text, "main.cc:5:") || strings.Contains(out.Text, "c.h:") {
		t.Errorf("references: %s\n%s", out.raw, out.Text)
	}
	if out = b.ok("callers", at...); out.data["total"] != 1.0 || !strings.Contains(out.Text, "main.cc:5:") {
		t.Errorf("callers: %s\n%s", out.raw, out.Text)
	}
	if out = b.ok("implementations", "path", "geo.h", "line", 2, "column", 8); !strings.Contains(out.Text, "geo.h:5:") {
		t.Errorf("implementations: %s\n%s", out.raw, out.Text)
	}
	out = b.ok("rename", "path", "geo.h", "line", 6, "column", 10, "new_name", "radius")
	if out.data["count"] != 3.0 || !strings.Contains(b.read("geo.cc"), "3.14 * radius * radius") {
		t.Errorf("rename: %s\n%s", out.raw, out.Text)
	}
	// The constructor goes with its class.
	if out = b.ok("rename", "path", "c.h", "query", "Point", "new_name", "Place", "dry_run", true); out.data["count"] != 2.0 {
		t.Errorf("rename of a class: %s\n%s", out.raw, out.Text)
	}
	if left, _ := filepath.Glob(filepath.Join(b.dir, ".cache")); len(left) > 0 {
		t.Errorf("left in the project: %v", left)
	}
}

// Without a C++ source a header is C, a file that goes away is forgotten, and a rename says what it could not see.
func TestClangdPlainC(t *testing.T) {
	t.Parallel()
	b := withServers(t, map[string]string{
		"api.h":  "int list_len(int n);\n#define LEN(n) list_len(n)\n",
		"list.c": "#include \"api.h\"\nint list_len(int n) { return n; }\n",
		"use.c":  "#include \"api.h\"\nint use(int n) { return list_len(n); }\n",
	}, "clangd")
	at := []any{"path", "api.h", "line", 1, "column", 5}
	if out := b.ok("callers", at...); !strings.Contains(out.Text, "use.c:2:") {
		t.Errorf("callers: %s\n%s", out.raw, out.Text)
	}
	if err := os.Rename(filepath.Join(b.dir, "use.c"), filepath.Join(b.dir, "moved.c")); err != nil {
		t.Fatal(err)
	}
	if out := b.ok("callers", at...); !strings.Contains(out.Text, "moved.c:2:") || strings.Contains(out.Text, "use.c") {
		t.Errorf("callers after a move: %s\n%s", out.raw, out.Text)
	}
	out := b.ok("rename", append(at, "new_name", "list_length")...)
	if out.data["count"] != 3.0 || !strings.Contains(strings.Join(out.Envelope.Meta.Warnings, " "), "api.h:2") {
		t.Errorf("rename: %s\n%s", out.raw, out.Text)
	}
}

// Where C and C++ stand side by side, a header of C is C all the same: its declarations and what sources of C define and
// call are one.
func TestClangdMixed(t *testing.T) {
	t.Parallel()
	b := withServers(t, map[string]string{
		"inc/a.h":   "#ifndef A_H\n#define A_H\nstruct Dev { int id; };\nint dev_open(struct Dev *d);\nstatic inline int two(void) { return 2; }\n#endif\n",
		"src/a.c":   "#include \"../inc/a.h\"\n\nint dev_open(struct Dev *d)\n{\n\treturn d->id;\n}\n",
		"src/m.c":   "#include \"../inc/a.h\"\n\nint main(void)\n{\n\tstruct Dev d;\n\treturn dev_open(&d) + two();\n}\n",
		"cpp/k.hpp": "#pragma once\nstruct Base { virtual int run(int x) = 0; };\n", "cpp/u.cpp": "#include \"k.hpp\"\nstruct L : Base { int run(int) override { return 2; } };\n",
	}, "clangd")
	if out := b.ok("callers", "query", "two"); out.data["total"] != 1.0 || !strings.Contains(out.Text, "m.c:6:") {
		t.Errorf("callers: %s\n%s", out.raw, out.Text)
	}
	for _, path := range []string{"inc/a.h", "src/a.c"} {
		out := b.ok("references", "query", "dev_open", "path", path)
		if out.data["total"] != 3.0 || !strings.Contains(out.Text, "a.h:4:") || !strings.Contains(out.Text, "a.c:3:") || !strings.Contains(out.Text, "m.c:6:") {
			t.Errorf("references from %s: %s\n%s", path, out.raw, out.Text)
		}
		if out = b.ok("callers", "query", "dev_open", "path", path); out.data["total"] != 1.0 || !strings.Contains(out.Text, "m.c:6:") {
			t.Errorf("callers from %s: %s\n%s", path, out.raw, out.Text)
		}
		if out = b.ok("rename", "query", "dev_open", "path", path, "new_name", "dev_start", "dry_run", true); out.data["count"] != 3.0 || out.data["files_changed"] != 3.0 {
			t.Errorf("rename from %s: %s\n%s", path, out.raw, out.Text)
		}
	}
}

// The tag of a type of C is no other symbol.
func TestClangdTags(t *testing.T) {
	t.Parallel()
	needGrammars(t) // clangd tells the tag alone
	b := withServers(t, map[string]string{
		"n.h": "#ifndef N_H\n#define N_H\ntypedef struct node { int v; struct node *next; } node;\n#endif\n",
		"n.c": "#include \"n.h\"\n\nint first(node *n) { return n->v; }\n",
	}, "clangd")
	if out := b.ok("references", "query", "node", "path", "n.h"); !strings.Contains(out.Text, "n.c:3:") || strings.Contains(out.Text, "beyond this answer") {
		t.Errorf("%s\n%s", out.raw, out.Text)
	}
}

// The faults of a file stay when it is touched, or when a change is taken back before anybody asked.
func TestClangdTouched(t *testing.T) {
	t.Parallel()
	text := "int f(void) { return x; }\n"
	b := withServers(t, map[string]string{"c++/e.c": text, "c++/ok.c": "int g(void) { return 1; }\n"}, "clangd")
	check := func(what string) {
		t.Helper()
		for _, path := range []string{"c++/e.c", "."} {
			if path == "." && !hasGrammars() {
				continue // it does not see the files of a folder
			}
			if out := b.ok("diagnostics", "path", path); out.data["errors"] != 1.0 || out.data["backend"] != "lsp:clangd" || !strings.Contains(out.Text, "e.c:1:22: error") {
				t.Errorf("%s: %s %v", what, out.raw, out.Envelope.Meta.Warnings)
			}
		}
	}
	check("at first")
	file := filepath.Join(b.dir, "c++", "e.c")
	for i := range 2 {
		if err := os.Chtimes(file, time.Time{}, time.Now().Add(time.Duration(i+1)*time.Hour)); err != nil {
			t.Fatal(err)
		}
		check("touched")
	}
	write(t, file, "int f(void) { return 1; }\n")
	write(t, file, text)
	check("taken back")
	write(t, file, "int f(void) { return 1; }\n")
	b.ok("references", "path", "c++/e.c", "query", "f")
	write(t, file, text)
	check("changed and changed back")
}

// What clangd keeps of a header that a rename has changed is no fault of the files that include it.
func TestClangdHeaderRenamed(t *testing.T) {
	t.Parallel()
	b := withServers(t, map[string]string{
		"a.h": "int f(void);\n", "a.c": "#include \"a.h\"\nint f(void) { return 1; }\nint g(void) { return f(); }\n", "b.c": "#include \"a.h\"\nint h(void) { return f(); }\n",
	}, "clangd")
	for range 2 {
		b.ok("rename", "path", "a.c", "query", "f", "new_name", "k")
		b.ok("rename", "path", "a.c", "query", "k", "new_name", "f")
		for _, path := range []string{"a.c", "b.c"} {
			if out := b.ok("diagnostics", "path", path); out.data["total"] != 0.0 || out.data["backend"] != "lsp:clangd" {
				t.Errorf("%s %v", out.Text, out.Envelope.Meta.Warnings)
			}
		}
	}
}
