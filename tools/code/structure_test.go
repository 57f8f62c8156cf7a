package code

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
)

func needGrammars(t testing.TB) {
	t.Helper()
	if !syntax.Grammars {
		t.Skip("this build has no tree-sitter (cgo)")
	}
}

// Go methods are found by bare name, by type and by receiver (C185, W46).
func TestMethodsByName(t *testing.T) {
	t.Parallel()
	b := project(t, map[string]string{
		"go.mod":      "module m\n",
		"lib/char.go": "package lib\n\ntype Char struct{}\n\nfunc (c *Char) splice() {}\n\ntype List[T any] struct{}\n\nfunc (l *List[T]) Len() int { return 0 }\n\nfunc F() {}\n",
		"main.go":     "package main\n\nfunc F() {}\n",
	})
	for query, want := range map[string]string{
		"splice": "lib/char.go:5", "Char.splice": "lib/char.go:5", "(*Char).splice": "lib/char.go:5", "Char/splice": "lib/char.go:5", "Char::splice": "lib/char.go:5",
		"(Char).splice": "lib/char.go:5", "lib.Char.splice": "lib/char.go:5", "/Char/splice": "lib/char.go:5", "splice()": "lib/char.go:5",
		"List.Len": "lib/char.go:9", "(*List[T]).Len": "lib/char.go:9", "lib.F": "lib/char.go:11", "main.F": "main.go:3", "F[1]": "main.go:3",
		"SPLICE": "lib/char.go:5", "spl": "lib/char.go:5", "lice": "lib/char.go:5",
	} {
		out := b.ok("search_symbol", "query", query)
		if got, _, _ := strings.Cut(out.Text, ": "); got != want {
			t.Errorf("%s: %s, want %s", query, out.Text, want)
		}
	}
	if out := b.ok("search_symbol", "query", "Other.splice"); out.data["total"] != 0.0 || len(out.list("results", "name")) != 0 {
		t.Errorf("a method of another type: %s", out.raw)
	}
	b.fails(tools.InvalidParams, "search_symbol", "query", " ")
	b.fails(tools.InvalidParams, "search_symbol", "query", "x", "kinds", []string{"gadget"})
	if out := b.ok("search_symbol", "query", "Char", "kinds", "method"); out.data["total"] != 0.0 {
		t.Errorf("kinds: %s", out.raw)
	}
}

// A file of a language that is not supported is no empty list (C187).
func TestUnsupported(t *testing.T) {
	t.Parallel()
	b := project(t, map[string]string{
		"a.zig": "pub fn main() void {}\n", "a.txt": "hello\n", "script": "#!/usr/bin/env python3\n\ndef run():\n    pass\n", "empty.go": "", "none": "text\n",
	})
	for _, name := range []string{"a.zig", "a.txt", "none"} {
		out := b.fails(tools.Unsupported, "outline", "path", name)
		if !strings.Contains(out.Envelope.Error.Message, name) || len(out.Envelope.Error.Details.Available) == 0 {
			t.Errorf("%+v", out.Envelope.Error)
		}
	}
	out := b.ok("outline", "path", "empty.go")
	if list, ok := out.data["symbols"].([]any); !ok || len(list) != 0 || out.data["parse_error"] == true {
		t.Errorf("an empty file: %s", out.raw)
	}
	if syntax.Grammars {
		if out := b.ok("outline", "path", "script"); out.data["language"] != "python" || !strings.Contains(out.Text, "def run()") {
			t.Errorf("%s %s", out.raw, out.Text)
		}
	}
}

// A minified bundle neither stalls a search nor hides, and a pipe is not opened (C189, C120).
func TestHostileTree(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	b := project(t, map[string]string{
		"a.js":          "export function wanted() {}\n",
		"bundle.min.js": strings.Repeat("function wanted(){};", 5<<20/20),
		"packed.js":     strings.Repeat("var a=1;function wanted(){};", 100<<10/28),
		"big.py":        strings.Repeat("def wanted(): pass\n", 2<<20/19),
		"sub/real.py":   "def wanted(): pass\n",
	})
	makeFIFO(t, filepath.Join(b.dir, "sub", "pipe.py"))
	start := time.Now()
	out := b.ok("search_symbol", "query", "wanted")
	if took := time.Since(start); took > 10*time.Second {
		t.Errorf("took %s", took)
	}
	if out.data["total"] != 2.0 {
		t.Errorf("%s", out.Text)
	}
	said := strings.Join(out.Envelope.Meta.Warnings, "\n")
	for _, name := range []string{"bundle.min.js", "packed.js", "big.py"} {
		if !strings.Contains(said, name) {
			t.Errorf("%s is not named among what was left out: %s", name, said)
		}
	}
	for _, action := range []string{"search_symbol", "definition"} {
		if w := b.call(action, "query", "absent_name").Envelope.Meta.Warnings; len(w) != 1 || !strings.HasPrefix(w[0], "3 files were left out: big.py: ") {
			t.Errorf("%s: %q", action, w)
		}
	}
	b.fails(tools.TooLarge, "outline", "path", "bundle.min.js")
	b.fails(tools.InvalidParams, "outline", "path", "sub/pipe.py")
	b.fails(tools.NotFound, "outline", "path", "-")
	b.fails(tools.PermissionDenied, "outline", "path", "/dev/stdin")
}

// What stands before a fault is found, with the right lines, and the fault is told (C190).
func TestBrokenSource(t *testing.T) {
	t.Parallel()
	cases := map[string]string{
		"a.go":   "package a\n\nfunc one() {}\n\nfunc two() {}\n\nfunc three() {\n\tif x {\n}\n\nfunc four() {}\n\nfunc five() {}\n",
		"a.py":   "def one():\n    pass\n\ndef two():\n    pass\n\ndef three():\n    x = (1,\n\ndef four():\n    pass\n\ndef five():\n    pass\n",
		"a.ts":   "function one() {}\nfunction two() {}\nfunction three() {\n  if (x) {\n}\nfunction four() {}\nfunction five() {}\n",
		"tab.py": "def one():\n\tx = 1\n        y = 2\n\treturn x\n\ndef two():\n    pass\n",
		"bom.go": "\xef\xbb\xbfpackage a\r\n\r\nfunc one() {\r\n}\r\n\r\nfunc two() {}\r\n",
	}
	b := project(t, cases)
	for name := range cases {
		if !syntax.Grammars && !strings.HasSuffix(name, ".go") {
			continue
		}
		out := b.ok("outline", "path", name)
		names, lines := out.list("symbols", "name"), out.list("symbols", "line")
		if len(names) < 2 || names[0] != "one" || names[1] != "two" {
			t.Errorf("%s: %v", name, names)
			continue
		}
		want := map[string]string{"a.go": "3 5", "a.py": "1 4", "a.ts": "1 2", "tab.py": "1 6", "bom.go": "3 6"}[name]
		if lines[0]+" "+lines[1] != want {
			t.Errorf("%s: lines %v, want %s", name, lines, want)
		}
		broken := strings.HasPrefix(name, "a.")
		if (out.data["parse_error"] == true) != broken && name != "tab.py" {
			t.Errorf("%s: parse_error %v", name, out.data["parse_error"])
		}
		if broken && len(out.Envelope.Meta.Warnings) == 0 {
			t.Errorf("%s: no warning", name)
		}
	}
}

// Nothing outside the roots is reached, by name or by link (C191).
func TestStaysInside(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	write(t, filepath.Join(outside, "a.go"), "package o\n\nfunc Secret() {}\n")
	b := project(t, map[string]string{"in.go": "package in\n\nfunc Open() {}\n"})
	if err := os.Symlink(outside, filepath.Join(b.dir, "link")); err != nil {
		t.Skip(err)
	}
	os.Symlink(filepath.Join(outside, "a.go"), filepath.Join(b.dir, "file.go"))
	for _, p := range []string{filepath.Join(outside, "a.go"), "../" + filepath.Base(outside) + "/a.go", "link/a.go", "file.go"} {
		for _, action := range []string{"outline", "definition", "parse", "diagnostics", "delete_symbol", "rename", "grep_replace", "references"} {
			b.fails(tools.PermissionDenied, action, "path", p, "query", "Secret", "new_name", "X", "kind", "text", "replacement", "y")
		}
	}
	for _, action := range []string{"search_symbol", "references"} {
		if out := b.call(action, "query", "Secret"); out.data["total"] != nil && out.data["total"] != 0.0 {
			t.Errorf("%s: %s", action, out.raw)
		}
	}
}

func TestOutline(t *testing.T) {
	t.Parallel()
	b := project(t, map[string]string{
		"a/x.go": "package a\n\n// T is a thing.\ntype T struct {\n\tName string\n}\n\nfunc (t *T) Do(n int) error {\n\treturn nil\n}\n\nfunc helper() {}\n",
		"b.go":   "package b\n\nconst Max = 1\n",
	})
	out := b.ok("outline", "path", "a/x.go")
	want := "a/x.go (go, 12 lines)\n 4-6  type T struct\n   5    Name string\n8-10  func (t *T) Do(n int) error\n  12  func helper()\n"
	if out.Text != want {
		t.Errorf("outline:\n%s\nwant:\n%s", out.Text, want)
	}
	out = b.ok("symbols", "path", "a/x.go", "kinds", []string{"methods"})
	if got := out.list("symbols", "signature"); len(got) != 1 || got[0] != "func (t *T) Do(n int) error" || out.list("symbols", "name_path")[0] != "T.Do" || out.list("symbols", "parent")[0] != "T" {
		t.Errorf("symbols: %s", out.raw)
	}
	out = b.ok("outline")
	if !strings.Contains(out.Text, "a/x.go (go") || !strings.Contains(out.Text, "b.go (go") || strings.Contains(out.Text, "Name string") {
		t.Errorf("folder: %s", out.Text)
	}
	out = b.ok("symbols", "max_results", 1)
	if out.Envelope.Meta.Paging == nil || !out.Envelope.Meta.Paging.More || out.data["count"] != 4.0 {
		t.Errorf("a page: %+v %s", out.Envelope.Meta, out.raw)
	}
	next := b.ok("symbols", "max_results", 1, "cursor", out.Envelope.Meta.Paging.Cursor)
	if got := next.list("symbols", "name"); len(got) != 1 || got[0] == out.list("symbols", "name")[0] {
		t.Errorf("the next page: %s", next.raw)
	}
	if out = b.ok("exports", "path", "a/x.go"); strings.Contains(out.Text, "helper") || !strings.Contains(out.Text, "Do(n int)") {
		t.Errorf("exports: %s", out.Text)
	}
	if out = b.ok("types"); !strings.Contains(out.Text, "type T struct") || strings.Contains(out.Text, "func") {
		t.Errorf("types: %s", out.Text)
	}
}

// A file that changes is parsed anew, one that goes is forgotten, and ignored files are not looked at.
func TestFreshness(t *testing.T) {
	t.Parallel()
	b := project(t, map[string]string{".git/HEAD": "ref: refs/heads/main\n", ".gitignore": "gen/\n", "a.go": "package a\n\nfunc Old() {}\n", "gen/x.go": "package gen\n\nfunc Old() {}\n"})
	if out := b.ok("search_symbol", "query", "Old"); out.data["total"] != 1.0 {
		t.Errorf("%s", out.Text)
	}
	write(t, filepath.Join(b.dir, "a.go"), "package a\n\n\nfunc Fresh() {}\n")
	if out := b.ok("search_symbol", "query", "Old"); out.data["total"] != 0.0 {
		t.Errorf("%s", out.Text)
	}
	if out := b.ok("search_symbol", "query", "Fresh"); !strings.HasPrefix(out.Text, "a.go:4:") {
		t.Errorf("%s", out.Text)
	}
	os.Remove(filepath.Join(b.dir, "a.go"))
	if out := b.ok("search_symbol", "query", "Fresh"); out.data["total"] != 0.0 {
		t.Errorf("%s", out.Text)
	}
}

// A limit is one over all files, and the rest can be had (W47).
func TestReferencesAcrossFiles(t *testing.T) {
	t.Parallel()
	files := map[string]string{"go.mod": "module m\n"}
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j"} {
		files[name+".go"] = "package m\n\nfunc " + name + "() {\n" + strings.Repeat("\ttarget()\n", 50) + "}\n"
	}
	files["z.go"] = "package m\n\n// target is it: target\nfunc target() { _ = \"target\" }\n\nfunc targets() {}\n"
	b := project(t, files)
	out := b.ok("references", "query", "target", "limit", 20)
	if out.data["count"] != 20.0 || out.data["total"] != 501.0 || !out.Envelope.Meta.Truncated || out.data["backend"] != "syntax" {
		t.Errorf("%s", out.raw)
	}
	if len(out.list("results", "line")) != 20 || !strings.Contains(out.Text, "a.go  in func a()\n  a.go:4: target()\n") {
		t.Errorf("%s", out.Text)
	}
	seen := 20
	for cursor := out.Envelope.Meta.Paging.Cursor; cursor != ""; {
		out = b.ok("references", "query", "target", "limit", 200, "cursor", cursor)
		seen += len(out.list("results", "line"))
		cursor = ""
		if p := out.Envelope.Meta.Paging; p != nil {
			cursor = p.Cursor
		}
	}
	if seen != 501 {
		t.Errorf("%d of 501 over all pages", seen)
	}
	// All spellings of the parameter mean the same (W3).
	for _, name := range []string{"query", "pattern", "symbol", "name"} {
		if out := b.ok("references", name, "target", "path", "."); out.data["total"] != 501.0 {
			t.Errorf("%s: %s", name, out.raw)
		}
	}
	if out := b.ok("callers", "query", "target", "max_results", 1000); out.data["total"] != 500.0 {
		t.Errorf("callers: %v", out.data["total"])
	}
	out = b.ok("definition", "path", "a.go", "line", 4, "column", 3)
	if out.data["path"] != "z.go" || out.data["line"] != 4.0 || !strings.HasPrefix(out.Text, "// target is it") {
		t.Errorf("definition by name: %s %s", out.raw, out.Text)
	}
	b.fails(tools.NotFound, "definition", "query", "nowhere")
	b.fails(tools.NotFound, "references", "query", "nowhere")
	if e := b.fails(tools.NotFound, "references", "query", "targ.et").Envelope.Error; e.Details == nil {
		t.Errorf("%+v", e)
	}
	b.fails(tools.InvalidParams, "definition", "path", "a.go", "line", 99)
}

func TestDefinitionByQuery(t *testing.T) {
	t.Parallel()
	b := project(t, map[string]string{
		"a.go": "package a\n\n// One is first.\n// It does nothing.\nfunc One() {\n\tTwo()\n}\n\nfunc Two() {}\n",
		"b.go": "package a\n\ntype X struct{}\n\nfunc (X) Two() {}\n",
	})
	out := b.ok("definition", "query", "One")
	if out.Text != "// One is first.\n// It does nothing.\nfunc One() {\n\tTwo()\n}\n" || out.data["line"] != 5.0 || out.data["end_line"] != 7.0 {
		t.Errorf("%s\n%s", out.raw, out.Text)
	}
	out = b.ok("definition", "query", "Two", "include_body", false)
	if len(out.list("others", "path")) != 1 || out.Text != "a.go:9: func Two()\n" {
		t.Errorf("%s\n%s", out.raw, out.Text)
	}
	if !strings.HasPrefix(out.data["hash"].(string), "sha256:") {
		t.Errorf("no hash: %s", out.raw)
	}
	if out = b.ok("hover", "query", "One"); out.Text != "func One()\n// One is first.\n// It does nothing.\n" {
		t.Errorf("hover: %q", out.Text)
	}
	b.fails(tools.NotFound, "definition", "query", "On.e")
}

func TestHierarchyAndImplementations(t *testing.T) {
	t.Parallel()
	b := project(t, map[string]string{
		"a.go": "package a\n\ntype Shape interface {\n\tArea() int\n\tName() string\n}\n\ntype Base struct{}\n\nfunc (Base) Name() string { return \"\" }\n\ntype Square struct{ Base }\n\nfunc (s Square) Area() int { return 1 }\n\nfunc (s Square) Name() string { return \"\" }\n",
	})
	out := b.ok("hierarchy", "query", "Base")
	if !strings.Contains(out.Text, "v Square  a.go:12") {
		t.Errorf("%s", out.Text)
	}
	out = b.ok("implementations", "query", "Shape")
	if out.data["total"] != 1.0 || !strings.Contains(out.Text, "a.go:12") || out.data["backend"] != "syntax" {
		t.Errorf("%s\n%s", out.raw, out.Text)
	}
	b.fails(tools.NotFound, "hierarchy", "query", "Nothing")
	if !syntax.Grammars {
		return
	}
	write(t, filepath.Join(b.dir, "a.py"), "class A: pass\nclass B(A): pass\nclass C(B, x.Mixin): pass\n")
	out = b.ok("hierarchy", "query", "B")
	if !strings.Contains(out.Text, "  ^ A  a.py:1\nB  a.py:2\n  v C  a.py:3\n") {
		t.Errorf("%s", out.Text)
	}
}

func TestInspect(t *testing.T) {
	t.Parallel()
	b := project(t, map[string]string{
		"a.go": "package a\n\n// Comment.\nfunc F(x int) int {\n\tif x > 1 && x < 5 {\n\t\treturn 1\n\t}\n\tfor {\n\t}\n}\n",
	})
	out := b.ok("metrics", "path", "a.go")
	if out.data["complexity"] != 4.0 || out.data["comment"] != 1.0 || out.data["blank"] != 1.0 || out.data["functions"] != 1.0 {
		t.Errorf("%s\n%s", out.raw, out.Text)
	}
	out = b.ok("summarize")
	if out.data["files"] != 1.0 || !strings.Contains(out.Text, "F") {
		t.Errorf("%s", out.Text)
	}
	out = b.ok("parse", "text", "func x( {", "language", "go")
	if out.data["parse_error"] != true || len(out.list("errors", "line")) == 0 {
		t.Errorf("%s", out.raw)
	}
	out = b.ok("parse", "path", "a.go", "depth", 2)
	if out.Text == "" || !out.Envelope.Meta.Truncated {
		t.Errorf("%s", out.Text)
	}
	b.fails(tools.Unsupported, "serialize", "path", "a.go")
	b.fails(tools.Unsupported, "parse", "text", "x", "language", "klingon")
	b.fails(tools.InvalidParams, "parse")
	if out = b.ok("diagnostics", "path", "a.go"); out.data["backend"] != "syntax" || out.data["total"] != 0.0 {
		t.Errorf("%s", out.raw)
	}
	write(t, filepath.Join(b.dir, "b.go"), "package a\n\nfunc (\n")
	if out = b.ok("diagnostics"); out.data["errors"] == 0.0 || !strings.Contains(out.Text, "b.go:") {
		t.Errorf("%s\n%s", out.raw, out.Text)
	}
}

// Annotations with arguments, however long, hide neither who may see a symbol nor what it is.
func TestAnnotatedSymbols(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	long := strings.Repeat("x", 300)
	b := project(t, map[string]string{
		"B.java": "@RestController\n@RequestMapping(\"/x\")\npublic class B {\n  @Doc(\"" + long + "\") public void seen() {}\n  @Doc(\"(public\") private void hidden() {}\n}\n",
		"a.kt":   "package a\n\nimport b.c\n\n@Ann(\"x\")\nclass Seen {\n  @Ann(1) private fun hidden() {}\n}\n",
		"a.cs":   "[Route(\"x\")] public class C {\n  [HttpGet(\"x\")] public void seen() {}\n  [A(1)] void hidden() {}\n}\n",
		"a.php":  "<?php\nclass C {\n  #[Route(\"/x\")] private function hidden() {}\n  #[Route(\"/y\")] public function seen() {}\n}\n",
		"a.ts":   "@dec({ a: 1 }) export class Seen { @o() m() {} }\n@dec() class Hidden {}\n",
	})
	for file, want := range map[string]string{"B.java": "B B.seen", "a.kt": "Seen", "a.cs": "C C.seen", "a.php": "C C.seen", "a.ts": "Seen Seen.m"} {
		out := b.ok("exports", "path", file)
		if got := strings.Join(out.list("symbols", "name_path"), " "); got != want {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}
	if out := b.ok("outline", "path", "B.java"); !strings.Contains(out.Text, "public void seen()") {
		t.Errorf("%s", out.Text)
	}
}

// Names that stand in patterns, chains and inner scopes are found too.
func TestNamesInPatterns(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	b := project(t, map[string]string{
		"a.py": "type Alias[T] = list[T]\nY = Z = 2\n(c, d) = 1, 2\nclass A:\n    p, q = 1, 2\n",
		"a.c":  "struct s { char **v; int (*fp)(int); };\nstatic int a, *b;\nchar **c;\nstatic const char *names[] = { 0 };\nint (*hook)(int) = 0;\nvoid f(void) { int *local; }\n",
		"a.ts": "export const { d1, d2: renamed } = f({ a: 1 });\nconst [e1, e2] = g;\nnamespace N { export const k3 = 1; const k4 = 2 }\n",
	})
	for file, want := range map[string]string{"a.py": "Alias Y Z c d A A.p A.q", "a.c": "s s.v s.fp a b c names hook f", "a.ts": "d1 renamed e1 e2 N N.k3 N.k4"} {
		out := b.ok("symbols", "path", file)
		if got := strings.Join(out.list("symbols", "name_path"), " "); got != want {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}
	if out := b.ok("outline", "path", "a.ts"); !strings.Contains(out.Text, "export const { d1, d2: renamed } = f(") {
		t.Errorf("%s", out.Text)
	}
}

// Two uses on one line are two results, and one line of the answer.
func TestUsesOnOneLine(t *testing.T) {
	t.Parallel()
	b := project(t, map[string]string{"a.go": "package a\n\nfunc f() int { return 1 }\n\nfunc g() int { return f() + f() }\n"})
	out := b.ok("references", "query", "f")
	if out.data["total"] != 3.0 || strings.Count(out.Text, "a.go:5:") != 1 || !strings.Contains(out.Text, "f() + f() }  [2 times]") {
		t.Errorf("%s\n%s", out.raw, out.Text)
	}
}
