package code

import (
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// What an edit defines a second time is told of, and what may be there twice is not.
func TestDefinedTwice(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	const py = "def f():\n    return 1\n\n\ndef g():\n    return 2\n"
	for _, c := range []struct{ file, before, action, symbol, text, told string }{
		{"a.py", py, "replace_symbol", "f", "def f():\n    return 3\n\n\ndef g():\n    return 4", "lines 5, 9"},
		{"a.py", py, "insert_after", "f", "def g():\n    return 4", "g is now defined 2 times"},
		{"a.py", py, "replace_symbol", "f", "def f():\n    return 3", ""},
		{"a.py", py, "replace_symbol", "f", "def g():\n    return 3", "g is now defined 2 times"},
		{"a.py", "class A:\n    @property\n    def f(self): return 1\n", "insert_after", "A.f", "@f.setter\ndef f(self, v): pass", ""},
		{"a.py", "X = 1\n", "insert_after", "X", "X = X + 1", ""},
		{"a.go", "package a\n\nfunc f() {}\n\nfunc init() {}\n", "insert_after", "f", "func init() {}", ""},
		{"a.go", "package a\n\nfunc f() {}\n\nfunc g() {}\n", "replace_symbol", "f", "func f() { g() }\n\nfunc g() { f() }", "g is now defined 2 times"},
		{"a.go", "package a\n\ntype S struct {\n\tA int\n\tB int\n}\n", "insert_after", "S.A", "B string", "S.B is now defined 2 times"},
		{"a.ts", "class A {\n  get v() { return 1; }\n  f() {}\n}\n", "insert_after", "A.v", "set v(x) {}", ""},
		{"a.ts", "class A {\n  get v() { return 1; }\n  f() {}\n}\n", "insert_after", "A.v", "f() {}", "A.f is now defined 2 times"},
		{"a.ts", "function f(a: string): void;\nfunction f(a: any) {}\n", "insert_before", "f[0]", "function f(a: number): void;", ""},
		{"A.java", "class A {\n    void f() {}\n}\n", "insert_after", "A.f", "void f(int x) {}", ""},
		{"a.rs", "struct S;\nimpl A for S {\n    fn f() {}\n}\nimpl B for S {\n    fn g() {}\n}\n", "insert_after", "S.g", "fn f() {}", ""},
		{"a.css", ".a { x: y }\n", "insert_after", ".a", ".a { x: z }", ""},
		{"a.html", "<p>a</p>\n", "insert_after", "p", "<p>b</p>", ""},
	} {
		b := project(t, map[string]string{c.file: c.before})
		out := b.ok(c.action, "path", c.file, "name_path", c.symbol, "text", c.text)
		told := strings.Join(out.Envelope.Meta.Warnings, " ")
		if !strings.Contains(told, c.told) || c.told == "" && strings.Contains(told, "defined") {
			t.Errorf("%s of %s in %s: %q, want %q", c.action, c.symbol, c.file, told, c.told)
		}
	}
}

// A key is in an object once.
func TestKeysTwice(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	for _, c := range []struct {
		file, before, action, symbol, text string
		refused                            bool
	}{
		{"a.json", "{\n  \"a\": 1,\n  \"b\": 2\n}\n", "insert_after", "a", "\"b\": 3", true},
		{"a.json", "{\n  \"a\": 1,\n  \"b\": 2\n}\n", "replace_symbol", "a", "\"b\": 3", true},
		{"a.json", "{\n  \"a\": 1,\n  \"b\": 2\n}\n", "insert_after", "a", "\"c\": 3,\n\"c\": 4", true},
		{"a.json", "[{\"a\": 1, \"b\": 2}, {\"a\": 1}]\n", "insert_after", "a[1]", "\"b\": 3", false},
		{"a.json", "{\n  \"a\": 1,\n  \"x\": {\"b\": 2}\n}\n", "insert_after", "a", "\"b\": 3", false},
		{"a.json", "{\n  \"a\": 1,\n  \"b\": 2\n}\n", "insert_after", "b", "\"c\": [{\"x\": 1}, {\"x\": 2}]", false},
		{"a.yaml", "a: 1\nb: 2\n", "insert_after", "a", "b: 3", true},
		{"a.yaml", "x:\n  a: 1\n  l:\n  - 1\n  b: 2\n", "insert_after", "x.a", "b: 3", true},
		{"a.yaml", "x:\n  - a: 1\n    b: 2\n  - a: 3\n", "insert_after", "x.a[1]", "b: 3", false},
		{"a.yaml", "x:\n- b: 1\n- a: 3\n", "insert_after", "x.a", "b: 3", false},
		{"a.yaml", "a: 1\n---\nb: 2\n", "insert_after", "a", "b: 3", false},
		{"a.yaml", "a: 1\nb: 2\n", "insert_after", "b", "c:\n  - x: 1\n  - x: 2\n", false},
	} {
		b := project(t, map[string]string{c.file: c.before})
		args := []any{"path", c.file, "name_path", c.symbol, "text", c.text}
		if !c.refused {
			b.ok(c.action, args...)
			continue
		}
		b.fails(tools.Conflict, c.action, args...)
		if got := b.read(c.file); got != c.before {
			t.Errorf("%s", got)
		}
	}
}
