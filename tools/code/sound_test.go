package code

import (
	"path"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// Where a symbol of a file that does not parse ends is not guessed: what would take lines of others or leave some of
// its own is refused, and nothing is written.
func TestEditsOfBrokenFiles(t *testing.T) {
	t.Parallel()
	const (
		css    = ".a { color: red;\n.b { color: blue; }\n.c { color: green; }\n"
		json   = "{\n  \"a\": { \"x\": 1,\n  \"b\": 2,\n  \"c\": 3\n}\n"
		method = "class A {\n  b() {}\n\n  a() {\n    if (x) {\n  }\n}\nclass B {\n  c() {}\n}\n"
		block  = "function f() {\n  if (x)\n    g();\n  }\n  return 1;\n}\n\nfunction h() {}\n"
		raw    = "package a\n\nfunc TestX() {\n\tsrc := `\nfunc fake() {}\n`\n\tif x {\n}\n\nfunc B() {\n}\n"
	)
	python := func(lines string) string { return "def a():\n" + lines + "\n\ndef b():\n    pass\n" }
	for _, c := range []struct{ name, file, text, action, symbol, fresh string }{
		{"a rule takes those behind it", "a.css", css, "delete_symbol", ".a", ""},
		{"and when it is mended", "a.css", css, "replace_symbol", ".a", ".a { color: red; }"},
		{"a key takes those behind it", "a.json", json, "delete_symbol", "a", ""},
		{"and on one line", "a.json", "{\"a\": {\"x\": 1, \"b\": 2}\n", "delete_symbol", "a", ""},
		{"the last method takes the brace of its class", "a.ts", method, "delete_symbol", "A.a", ""},
		{"and behind it", "a.ts", method, "insert_after", "A.a", "d() {}"},
		{"java", "A.java", strings.ReplaceAll(method, "  a()", "  void a()"), "delete_symbol", "A.a", ""},
		{"php", "a.php", "<?php\n" + strings.ReplaceAll(method, "  a()", "  function a()"), "delete_symbol", "A.a", ""},
		{"rust", "a.rs", "mod t {\n    fn a() {\n        if x {\n    }\n\n    fn b() {}\n}\n\nfn c() {}\n", "delete_symbol", "t.a", ""},
		{"a brace too few closes early", "a.ts", block, "replace_symbol", "f", "function f() { return 1; }"},
		{"a class that ends early", "a.ts", "class A {\n  b()\n    if (x) { y(); }\n  }\n\n  c() {}\n}\n", "delete_symbol", "A", ""},
		{"a function without its body", "a.go", raw, "delete_symbol", "TestX", ""},
		{"ruby", "a.rb", "module M\n  def a\n    if x\n    1\n  end\n\n  def b\n    2\n  end\nend\n", "delete_symbol", "a", ""},
		{"python: an open string", "a.py", python("    s = \"\"\"\ndef fake():\n    pass\n\"\"\"\n    x = (1,\n    return s\n"), "delete_symbol", "a", ""},
		{"python: a line between the levels", "a.py", python("    x = 1\n   y = 2\n    return 1\n"), "replace_symbol", "a", "def a(): pass"},
		{"python: a line in the first column", "a.py", python("    x = 1\ny = 2\n    return 1\n"), "replace_symbol", "a", "def a(): pass"},
		{"text that takes others in", "a.css", ".a { x: y }\n.b { x: y }\n.c { x: }\n", "insert_before", ".b", ".d { x: y"},
		{"go", "a.go", "package a\n\nfunc A() {\n\tif x {\n}\n\nfunc B() {\n}\n", "replace_symbol", "A", "func A() {}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if path.Ext(c.file) != ".go" {
				needGrammars(t)
			}
			b := project(t, map[string]string{c.file: c.text})
			out := b.call(c.action, "path", c.file, "name_path", c.symbol, "text", c.fresh)
			if b.read(c.file) != c.text {
				t.Fatalf("written:\n%s", b.read(c.file))
			}
			if e := out.Envelope.Error; e == nil || e.Code != tools.Conflict && e.Code != tools.NotFound || e.Code == tools.Conflict && (!strings.Contains(e.Message, "fs.edit") || !strings.Contains(e.Message, "(line ")) {
				t.Errorf("%+v", e)
			}
		})
	}
}

// A fault elsewhere, or one inside brackets that close, does not keep a symbol from being edited.
func TestEditsOfBrokenFilesThatAreSure(t *testing.T) {
	t.Parallel()
	const broken = "\n\nfunction c() {\n  if (x {\n  }\n}\n"
	for _, c := range []struct{ name, file, text, action, symbol, fresh, want string }{
		{"mended", "a.ts", "function a() {\n  return 1 +;\n}\n\nfunction b() {}\n", "replace_symbol", "a", "function a() {\n  return 1;\n}", "function a() {\n  return 1;\n}\n\nfunction b() {}\n"},
		{"mended in go", "a.go", "package a\n\nfunc A() string {\n\treturn \"a\n}\n\nfunc B() {}\n", "replace_symbol", "A", "func A() string { return \"a\" }", "package a\n\nfunc A() string { return \"a\" }\n\nfunc B() {}\n"},
		{"mended in a class", "A.java", "class A {\n  int a() {\n    return 1 +;\n  }\n\n  int b() { return 2; }\n}\n", "replace_symbol", "A.a", "int a() {\n  return 1;\n}", "class A {\n  int a() {\n    return 1;\n  }\n\n  int b() { return 2; }\n}\n"},
		{"mended in python", "a.py", "def a():\n    if x\n        y()\n\n\ndef b():\n    pass\n", "replace_symbol", "a", "def a():\n    if x:\n        y()", "def a():\n    if x:\n        y()\n\n\ndef b():\n    pass\n"},
		{"deleted beside a fault", "a.ts", "function a() {\n  const s = `\nx\n`;\n}\n\nfunction b() {}" + broken, "delete_symbol", "a", "", "function b() {}" + broken},
		{"a bracket in a regular expression", "a.js", "function a(s) {\n  return /[/}]/.test(s);\n}\n\nfunction b() {}" + broken, "delete_symbol", "a", "", "function b() {}" + broken},
		{"replaced beside a fault", "a.ts", "function a() {}\n\nfunction b() {}" + broken, "replace_symbol", "b", "function b() { a(); }", "function a() {}\n\nfunction b() { a(); }" + broken},
		{"behind one beside a fault", "a.go", "package a\n\nfunc A() {\nout:\n\tfor {\n\t}\n}\n\nfunc B() {\n\tx := (1\n}\n", "insert_after", "A", "func C() {}", "package a\n\nfunc A() {\nout:\n\tfor {\n\t}\n}\n\nfunc C() {}\n\nfunc B() {\n\tx := (1\n}\n"},
		{"in front of the fault", "a.go", "package a\n\nfunc A() {}\n\nfunc B() {\n\tx := (1\n}\n", "insert_before", "B", "func C() {}", "package a\n\nfunc A() {}\n\nfunc C() {}\n\nfunc B() {\n\tx := (1\n}\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if path.Ext(c.file) != ".go" {
				needGrammars(t)
			}
			b := project(t, map[string]string{c.file: c.text})
			b.ok(c.action, "path", c.file, "name_path", c.symbol, "text", c.fresh)
			if got := b.read(c.file); got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// [n] behind the name of a list is an element of it, which is no symbol.
func TestEditsOfElements(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	files := map[string]string{
		"a.json": "{\n  \"steps\": [\n    {\"run\": \"a\"},\n    {\"run\": \"b\"}\n  ],\n  \"z\": 1\n}\n",
		"a.yaml": "steps: # all\n  - run: a\n  - run: b\nflow: &f [1]\nz: 1\n",
	}
	b := project(t, files)
	for _, c := range [][2]string{{"a.json", "steps[0]"}, {"a.json", "steps[1]"}, {"a.json", "steps[0].run"}, {"a.yaml", "steps[0]"}, {"a.yaml", "steps[7]"}, {"a.yaml", "flow[0]"}, {"a.yaml", "steps[1].run"}} {
		e := b.fails(tools.Unsupported, "delete_symbol", "path", c[0], "name_path", c[1]).Envelope.Error
		if !strings.Contains(e.Message, "fs.edit") || b.read(c[0]) != files[c[0]] {
			t.Errorf("%s: %s\n%s", c, e.Message, b.read(c[0]))
		}
	}
}

// A specialization that is not there means no other one.
func TestEditsOfSpecializations(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	b := project(t, map[string]string{"a.cpp": special})
	b.fails(tools.NotFound, "delete_symbol", "path", "a.cpp", "name_path", "A.get<long>")
	b.fails(tools.NotFound, "delete_symbol", "path", "a.cpp", "name_path", "get<long>")
	b.ok("delete_symbol", "path", "a.cpp", "name_path", "get<char>", "dry_run", true)
}
