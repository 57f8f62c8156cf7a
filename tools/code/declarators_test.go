package code

import (
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// One of several names of a declaration of JavaScript goes with one comma, wherever that stands.
func TestDeleteDeclarator(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	const ahead = "var a = 1 // a\n  , b = 2 // b\n  , c = 3 // c\n\nfoo = 1\n"
	const lines = "// all\nvar a = 1, // a\n    // about b\n    b = 2, // b\n    c = 3; // c\nd = 4;\n"
	for _, c := range [][3]string{
		{"let x = 1, y = 2;\nz = 3;\n", "y", "let x = 1;\nz = 3;\n"},
		{"let x = 1, y = 2;\nz = 3;\n", "x", "let y = 2;\nz = 3;\n"},
		{"let x = 1, y = 2\nz = 3\n", "y", "let x = 1\nz = 3\n"},
		{"const a = 1, b = () => 2, c = 3;\n", "b", "const a = 1, c = 3;\n"},
		{"export const a = 1, b = () => 2, c = 3; // all\n", "c", "export const a = 1, b = () => 2; // all\n"},
		{"export const a = 1, b = () => 2, c = 3;\n", "a", "export const b = () => 2, c = 3;\n"},
		{"let a: number, b: string;\nb = 'x';\n", "b", "let a: number;\nb = 'x';\n"},
		{"declare let a: number, b: string;\n", "a", "declare let b: string;\n"},
		{"var fs = require('fs'),\r\n    path = require('path');\r\n\r\nexports.x = 1;\r\n", "path", "var fs = require('fs');\r\n\r\nexports.x = 1;\r\n"},
		{"var fs = require('fs'),\r\n    path = require('path');\r\n", "fs", "var path = require('path');\r\n"},
		{"const a = 1,\n  b = 2,\n  c = function () {\n    return 1;\n  };\n\nx();\n", "c", "const a = 1,\n  b = 2;\n\nx();\n"},
		{"const a = 1,\n  b = 2, c = 3,\n  d = 4;\n", "b", "const a = 1,\n  c = 3,\n  d = 4;\n"},
		{"const a = 1,\n  b = 2, c = 3,\n  d = 4;\n", "c", "const a = 1,\n  b = 2,\n  d = 4;\n"},
		{lines, "a", "// all\nvar // about b\n    b = 2, // b\n    c = 3; // c\nd = 4;\n"},
		{lines, "b", strings.Replace(lines, "    // about b\n    b = 2, // b\n", "", 1)},
		{lines, "c", strings.Replace(lines, "b = 2, // b\n    c = 3; // c\n", "b = 2; // b\n", 1)},
		{strings.ReplaceAll(lines, "\n", "\r\n"), "b", strings.Replace(strings.ReplaceAll(lines, "\n", "\r\n"), "    // about b\r\n    b = 2, // b\r\n", "", 1)},
		{ahead, "a", strings.Replace(ahead, "a = 1 // a\n  , ", "", 1)},
		{ahead, "b", strings.Replace(ahead, "  , b = 2 // b\n", "", 1)},
		{ahead, "c", strings.Replace(ahead, "\n  , c = 3 // c", "", 1)},
		{"var a = 1 // a\n  , b = 2;\nfoo();\n", "b", "var a = 1; // a\nfoo();\n"},
		{"function f() {\n  const g = () => 1, h = () => 2;\n  return g() + h();\n}\n", "f.h", "function f() {\n  const g = () => 1;\n  return g() + h();\n}\n"},
	} {
		b := project(t, map[string]string{"a.ts": c[0]})
		out := b.ok("delete_symbol", "path", "a.ts", "name_path", c[1])
		if got := b.read("a.ts"); got != c[2] || out.data["parse_error"] == true {
			t.Errorf("%q without %s:\n%q, want\n%q", c[0], c[1], got, c[2])
		}
	}
}

// What is inserted beside one of several names is another one of the declaration, or stands in front of it or behind it.
func TestInsertDeclarator(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	const lines = "var a = 1, // a\n    b = 2; // b\nc = 3;\n"
	const ahead = "var a = 1 // a\n  , b = 2; // b\n"
	const before, after = "insert_before", "insert_after"
	for _, c := range [][5]string{
		{"let x = 1, y = 2;\nz = 3;\n", after, "y", "w = 5", "let x = 1, y = 2, w = 5;\nz = 3;\n"},
		{"let x = 1, y = 2;\nz = 3;\n", before, "y", "w = 5,", "let x = 1, w = 5, y = 2;\nz = 3;\n"},
		{"let x = 1, y = 2;\nz = 3;\n", before, "x", "w = 5;", "let w = 5, x = 1, y = 2;\nz = 3;\n"},
		{"let x = 1, y = 2;\nz = 3;\n", after, "y", "w = 5 // w", "let x = 1, y = 2, w = 5; // w\nz = 3;\n"},
		{lines, after, "a", "q = 9", "var a = 1, // a\n    q = 9,\n    b = 2; // b\nc = 3;\n"},
		{lines, after, "b", "    q = 9,", "var a = 1, // a\n    b = 2, // b\n    q = 9;\nc = 3;\n"},
		{lines, before, "a", "q = 9 // q", "var q = 9, // q\n    a = 1, // a\n    b = 2; // b\nc = 3;\n"},
		{strings.ReplaceAll(lines, "\n", "\r\n"), after, "b", "q = 9", "var a = 1, // a\r\n    b = 2, // b\r\n    q = 9;\r\nc = 3;\r\n"},
		{lines, after, "b", "q = () => {\n  x();\n}", "var a = 1, // a\n    b = 2, // b\n    q = () => {\n      x();\n    };\nc = 3;\n"},
		{ahead, after, "a", "  , q = 9", "var a = 1 // a\n  , q = 9\n  , b = 2; // b\n"},
		{ahead, after, "b", "q = 9", "var a = 1 // a\n  , b = 2 // b\n  , q = 9;\n"},
		{ahead, before, "a", "q = 9", "var q = 9\n  , a = 1 // a\n  , b = 2; // b\n"},
		{"const a = 1, b = () => 2, c = 3;\n", after, "b", "export const q = 1;", "const a = 1, b = () => 2, c = 3;\nexport const q = 1;\n"},
		{"export const a = 1, b = () => 2, c = 3;\n", before, "b", "const q = 1;", "const q = 1;\nexport const a = 1, b = () => 2, c = 3;\n"},
		{"// all\nvar a = 1,\n    b = 2;\nc = 3;\n", before, "b", "function q() {}", "function q() {}\n// all\nvar a = 1,\n    b = 2;\nc = 3;\n"},
		{lines, after, "b", "foo();", "var a = 1, // a\n    b = 2; // b\nfoo();\nc = 3;\n"},
	} {
		b := project(t, map[string]string{"a.ts": c[0]})
		out := b.ok(c[1], "path", "a.ts", "name_path", c[2], "text", c[3])
		if got := b.read("a.ts"); got != c[4] || out.data["parse_error"] == true {
			t.Errorf("%s of %q at %s in %q:\n%q, want\n%q", c[1], c[3], c[2], c[0], got, c[4])
		}
	}
}

// What a pattern binds is one of the parts too, and of several names in it none goes alone.
func TestDeclaratorBesidePattern(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	const text = "const x = 1, { a } = f(), [b, c] = g();\nlog(a);\n"
	b := project(t, map[string]string{"a.js": text})
	b.fails(tools.Conflict, "delete_symbol", "path", "a.js", "name_path", "b")
	if b.read("a.js") != text {
		t.Error(b.read("a.js"))
	}
	b.ok("delete_symbol", "path", "a.js", "name_path", "x")
	b.ok("replace_symbol", "path", "a.js", "name_path", "a", "text", "const { a } = h();")
	b.ok("delete_symbol", "path", "a.js", "name_path", "a")
	if got := b.read("a.js"); got != "const [b, c] = g();\nlog(a);\n" {
		t.Error(got)
	}
}
