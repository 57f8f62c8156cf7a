package code

import (
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// A text goes where its symbol stands, however far right it was written, and in what the file is indented with.
func TestTextOfAnotherIndentation(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	const two = "class A:\n  def f(self):\n    return 1\n\n  def h(self):\n    return 2\n"
	const tabs = "class A:\n\tdef f(self):\n\t\treturn 1\n\n\tdef h(self):\n\t\treturn 1\n"
	const four = "class A:\n    def f(self):\n        return 1\n\nX = 1\n"
	const inner = "class A:\n    class B:\n        def f(self):\n            return 1\n\n    def h(self):\n        return 1\n"
	for _, c := range []struct{ name, file, before, action, symbol, text, after string }{
		{"four columns in a file of two", "a.py", two, "insert_after", "A.f", "    def g(self):\n        return 3\n", strings.Replace(two, "return 1\n", "return 1\n\n  def g(self):\n      return 3\n", 1)},
		{"the last one", "a.py", two, "insert_after", "A.h", "    def g(self):\n        s = \"\"\"a\n b\"\"\"\n", two + "\n  def g(self):\n      s = \"\"\"a\n b\"\"\"\n"},
		{"in front", "a.py", two, "insert_before", "A.f", "    def g(self):\n        return 3\n", strings.Replace(two, "  def f", "  def g(self):\n      return 3\n\n  def f", 1)},
		{"in its place", "a.py", two, "replace_symbol", "A.f", "    def f(self):\n        return 3\n", strings.Replace(two, "    return 1\n", "      return 3\n", 1)},
		{"at the top", "a.py", four, "insert_after", "X", "    def g():\n        return 3\n", four + "\ndef g():\n    return 3\n"},
		{"too far left", "a.py", inner, "insert_after", "A.B.f", "    def g(self):\n        return 2\n", strings.Replace(inner, "return 1\n", "return 1\n\n        def g(self):\n            return 2\n", 1)},
		{"spaces in a file of tabs", "a.py", tabs, "insert_after", "A.f", "    def g(self):\n        if 1:\n            return 2\n", strings.Replace(tabs, "return 1\n", "return 1\n\n\tdef g(self):\n\t\tif 1:\n\t\t\treturn 2\n", 1)},
		{"in the place of the last one", "a.py", tabs, "replace_symbol", "A.h", "    def h(self):\n        return 2\n", strings.Replace(tabs, "h(self):\n\t\treturn 1", "h(self):\n\t\treturn 2", 1)},
		{"tabs in a file of spaces", "a.py", two, "insert_after", "A.h", "\tdef g(self):\n\t\treturn 2\n", two + "\n  def g(self):\n    return 2\n"},
		{"and from the first column", "a.py", two, "replace_symbol", "A.h", "def h(self):\n\tif 1:\n\t\treturn 2\n", strings.Replace(two, "    return 2\n", "    if 1:\n      return 2\n", 1)},
		{"a member behind its class", "a.py", strings.TrimSuffix(two, "\n"), "insert_after", "A", "    def g(self):\n        return 3", two + "\n  def g(self):\n      return 3"},
		{"yaml: too far left", "a.yaml", "a:\n    b: 1\n    c: 2\nd: 3\n", "insert_after", "a.b", "  x:\n    - y\n", "a:\n    b: 1\n    x:\n      - y\n    c: 2\nd: 3\n"},
		{"yaml: too far right", "a.yaml", "a:\n  b:\n  - 1\n  c: 2\n", "insert_after", "a.b", "      x: 1\n", "a:\n  b:\n  - 1\n  x: 1\n  c: 2\n"},
		{"yaml: an element of the list around", "a.yaml", "l:\n  - a: 1\n    b: 2\nz: 1\n", "insert_after", "l.b", "  - a: 3\n    b: 4\n", "l:\n  - a: 1\n    b: 2\n  - a: 3\n    b: 4\nz: 1\n"},
		{"yaml: an element under a comment", "a.yaml", "l:\n  - a: 1\n    b: 2\nz: 1\n", "insert_after", "l.b", "  # new\n  - a: 3\n    b: 4\n", "l:\n  - a: 1\n    b: 2\n  # new\n  - a: 3\n    b: 4\nz: 1\n"},
		{"yaml: a key under a comment", "a.yaml", "a:\n  b:\n    c: 1\n", "insert_after", "a.b", "# new\nd:\n  e: x\n", "a:\n  b:\n    c: 1\n  # new\n  d:\n    e: x\n"},
		{"yaml: two keys", "a.yaml", "a:\n  b:\n    c: 1\n", "insert_before", "a.b", "d: one\ne: |\n  text\n", "a:\n  d: one\n  e: |\n    text\n  b:\n    c: 1\n"},
		{"typescript", "a.ts", "class X {\n  a() {}\n}\n", "insert_after", "X.a", "    b() {\n        c();\n    }", "class X {\n  a() {}\n  b() {\n      c();\n  }\n}\n"},
		{"go", "a.go", "package a\n\ntype S struct {\n\tA int\n}\n", "insert_after", "S.A", "    // B is.\n    B int\n", "package a\n\ntype S struct {\n\tA int\n\t// B is.\n\tB int\n}\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := project(t, map[string]string{c.file: c.before})
			out := b.ok(c.action, "path", c.file, "name_path", c.symbol, "text", c.text)
			if got := b.read(c.file); got != c.after || out.data["parse_error"] == true {
				t.Errorf("%v\n%s\nwant\n%s", out.Envelope.Meta.Warnings, got, c.after)
			}
		})
	}
}

// Where a text cannot be moved and would be a part of something else, or refused by Python, nothing is done.
func TestTextOutOfScope(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	const four = "class A:\n    def f(self):\n        return 1\n\n    def h(self):\n        return 2\n"
	for _, c := range []struct{ file, before, symbol, text string }{
		{"a.py", four, "A.h", "        def g(self):\n            return 3\n    # end"},
		{"a.py", four, "A.h", "  def g(self):\n      return 3\n # end"},
		{"a.py", "class A:\n\tdef f(self):\n\t\treturn 1\n", "A.f", "        def g(self):\n            return 3\n    # end"},
		{"a.yaml", "a:\n    b:\n      c: 1\n    d: 2\n", "a.b", "      x: 1\n    # end"},
	} {
		b := project(t, map[string]string{c.file: c.before})
		out := b.fails(tools.Conflict, "insert_after", "path", c.file, "name_path", c.symbol, "text", c.text)
		if got := b.read(c.file); got != c.before || !strings.Contains(out.Envelope.Error.Message, "indent") {
			t.Errorf("%v\n%s", out.Envelope.Error, got)
		}
	}
}
