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
		{"a.ts", "export type C = {\n  a: string;\n  b: any;\n};\n", after, "C.a", "c: boolean;", "export type C = {\n  a: string;\n  c: boolean;\n  b: any;\n};\n"},
		{"a.ts", "export type C = {\n  a: string;\n  b: any;\n};\n", before, "C.a", "c: boolean;", "export type C = {\n  c: boolean;\n  a: string;\n  b: any;\n};\n"},
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

// Members of an enum without values count on from those in front of them.
func TestWarnsOfValues(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	for _, c := range []struct{ file, action, name, moved string }{
		{"a.c", "delete_symbol", "E.A", "E.B"},
		{"a.c", "delete_symbol", "E.B", ""},
		{"a.c", "insert_before", "E.B", "E.B"},
		{"a.ts", "insert_after", "E.A", "E.B"},
		{"a.ts", "insert_after", "E.B", ""},
		{"a.ts", "delete_symbol", "E.C", "E.D"},
		{"a.ts", "delete_symbol", "E.D", ""},
	} {
		b := project(t, map[string]string{c.file: "enum E { A, B, C = 5, D };\nenum F { G };\n"})
		args := []any{"path", c.file, "name_path", c.name}
		if c.action != "delete_symbol" {
			args = append(args, "text", "Q")
		}
		told := strings.Join(b.ok(c.action, args...).Envelope.Meta.Warnings, " ")
		if c.moved == "" && told != "" || !strings.Contains(told, c.moved) {
			t.Errorf("%s %s of %s: %q, want %q", c.action, c.name, c.file, told, c.moved)
		}
	}
}

// What is deleted of a line takes one of the blanks around it with it.
func TestDeleteOnOneLine(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	for _, c := range [][4]string{
		{"a.java", "class A {\n    int a; static B b;\n}\n", "A.a", "class A {\n    static B b;\n}\n"},
		{"a.java", "class A { int a; }\n", "A.a", "class A { }\n"},
		{"a.css", ":root { --x: 1; --y: 2 }\n", "--y", ":root { --x: 1; }\n"},
		{"a.rs", "static A: i32 = 1; static B: i32 = 2;\n", "A", "static B: i32 = 2;\n"},
		{"a.c", "struct S { int a; int b; };\n", "S.a", "struct S { int b; };\n"},
	} {
		b := project(t, map[string]string{c[0]: c[1]})
		b.ok("delete_symbol", "path", c[0], "name_path", c[2])
		if got := b.read(c[0]); got != c[3] {
			t.Errorf("%q without %s: %q, want %q", c[1], c[2], got, c[3])
		}
	}
}

// The name of a function of a shell is all of it.
func TestNamesOfShell(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	b := project(t, map[string]string{"a.sh": "g-h::i() { :; }\na.b() { :; }\ng-h::i\n"})
	for _, name := range []string{"g-h::i", "a.b"} {
		if out := b.ok("definition", "query", name, "path", "a.sh"); !strings.Contains(string(out.raw), `"`+name+`"`) {
			t.Errorf("%s: %s", name, out.raw)
		}
	}
	if out := b.ok("callers", "query", "g-h::i"); !strings.Contains(out.Text, "a.sh:3") {
		t.Errorf("%s", out.Text)
	}
}
