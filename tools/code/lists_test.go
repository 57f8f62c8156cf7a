package code

import (
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
)

// What stands in a list that commas part gets its comma, whatever the list is a value of and however few are in it.
func TestInsertInLists(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	const exported = "module.exports = {\n  a,\n  f: async () => {\n    x();\n  },\n};\n"
	const before, after = "insert_before", "insert_after"
	for _, c := range [][6]string{
		{"a.js", exported, before, "f", "g: 1", strings.Replace(exported, "  f:", "  g: 1,\n\n  f:", 1)},
		{"a.js", exported, after, "f", "g: 1", strings.Replace(exported, "  },\n}", "  },\n\n  g: 1,\n}", 1)},
		{"a.js", "exports.q = { g() {}, h() {} };\n", after, "h", "i: 1", "exports.q = { g() {}, h() {}, i: 1 };\n"},
		{"a.js", "export default { g() {} };\n", before, "g", "i: 1", "export default { i: 1, g() {} };\n"},
		{"a.js", "module.exports = class {\n  b() {}\n};\n", after, "b", "d() {}", "module.exports = class {\n  b() {}\n  d() {}\n};\n"},
		{"a.rs", "enum E { A, C { x: i32 } }\n", before, "E.C.x", "y: u8", "enum E { A, C { y: u8, x: i32 } }\n"},
		{"a.rs", "enum E { A, C { x: i32 } }\n", after, "E.C.x", "y: u8,", "enum E { A, C { x: i32, y: u8 } }\n"},
		{"a.rs", "struct S {\n    x: i32\n}\n", after, "S.x", "y: u8", "struct S {\n    x: i32,\n    y: u8\n}\n"},
		{"a.kt", "class A(val x: Int)\n", after, "A.x", "val y: Int", "class A(val x: Int, val y: Int)\n"},
	} {
		b := project(t, map[string]string{c[0]: c[1]})
		out := b.ok(c[2], "path", c[0], "name_path", c[3], "text", c[4])
		if got := b.read(c[0]); got != c[5] || out.data["parse_error"] == true {
			t.Errorf("%s of %q at %s in %q:\n%q, want\n%q", c[2], c[4], c[3], c[1], got, c[5])
		}
	}
}

// Imports stand at the top of a file, and are not written into its middle.
func TestImportsInText(t *testing.T) {
	t.Parallel()
	const text = "package a\n\nimport \"os\"\n\nfunc A() { os.Exit(1) }\n"
	const fresh = "import \"fmt\"\n\nfunc B() { fmt.Println() }"
	b := project(t, map[string]string{"a.go": text})
	e := b.fails(tools.Conflict, "insert_after", "path", "a.go", "name_path", "A", "text", fresh).Envelope.Error
	if !strings.Contains(e.Message, `import "fmt"`) || b.read("a.go") != text {
		t.Errorf("%s\n%s", e.Message, b.read("a.go"))
	}
	b.fails(tools.Conflict, "replace_symbol", "path", "a.go", "name_path", "A", "text", text)
	b.ok("insert_before", "path", "a.go", "name_path", "A", "text", fresh)
	if want := strings.Replace(text, "func A", fresh+"\n\nfunc A", 1); b.read("a.go") != want {
		t.Errorf("%q", b.read("a.go"))
	}
	if !syntax.Grammars {
		return
	}
	const class = "package p;\n\nclass A {\n    void f() {}\n}\n"
	b = project(t, map[string]string{"A.java": class, "a.php": "<?php\nfunction a() {}\n"})
	b.fails(tools.Conflict, "insert_after", "path", "A.java", "name_path", "A", "text", "// B is new.\nimport java.util.List;\n\nclass B {}")
	if b.read("A.java") != class {
		t.Error(b.read("A.java"))
	}
	b.ok("insert_after", "path", "a.php", "name_path", "a", "text", "<?php\n\nfunction b() {}\n")
	if got := b.read("a.php"); got != "<?php\nfunction a() {}\nfunction b() {}\n" {
		t.Errorf("%q", got)
	}
}
