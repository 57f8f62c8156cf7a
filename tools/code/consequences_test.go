package code

import (
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// What an edit does to other lines is told.
func TestConsequences(t *testing.T) {
	t.Parallel()
	const group = "package a\n\nconst (\n\tA = iota\n\tB\n\tC\n)\n\nconst (\n\tX = 1\n\tY = 2\n)\n"
	const anchors = "base: &b\n  x: 1\nuse:\n  <<: *b\n  y: 2\nz: '*q'\n"
	const types = "package a\n\ntype T struct{}\n\nfunc (T) a() {}\n\nfunc (T) b() {}\n\ntype U struct{ x int }\n"
	for _, c := range []struct{ file, before, action, symbol, text, told string }{
		{"a.go", group, "insert_after", "A", "N", "B and what stands below it"}, {"a.go", group, "insert_before", "A", "N = iota", "A and what"}, {"a.go", group, "insert_before", "C", "N", "C and what"},
		{"a.go", group, "insert_after", "C", "N", ""}, {"a.go", group, "insert_after", "X", "N = 3", ""},
		{"a.yaml", anchors, "delete_symbol", "base", "", "*b at line 2"}, {"a.yaml", anchors, "replace_symbol", "base", "base:\n  x: 2", "*b at line 4"}, {"a.yaml", anchors, "replace_symbol", "base", "base: &b\n  x: 2", ""},
		{"a.yaml", anchors, "delete_symbol", "use", "", ""},
		{"a.go", types, "delete_symbol", "T", "", "stays, at lines 5, 7: 2 in all"}, {"a.go", types, "delete_symbol", "U", "", ""}, {"a.rs", "struct S;\n\nimpl S {\n    fn a() {}\n}\n\nimpl D for S {}\n", "delete_symbol", "S", "", "at lines 3, 7"},
	} {
		if c.file != "a.go" && !hasGrammars() {
			continue
		}
		b := project(t, map[string]string{c.file: c.before})
		out := b.ok(c.action, "path", c.file, "name_path", c.symbol, "text", c.text)
		if told := strings.Join(out.Envelope.Meta.Warnings, " "); !strings.Contains(told, c.told) || c.told == "" && told != "" {
			t.Errorf("%s of %s: %q, want %q", c.action, c.symbol, told, c.told)
		}
	}
}

// A text that was never meant to be in a file as it is does not break one.
func TestTextsThatAreNoCode(t *testing.T) {
	t.Parallel()
	const src = "package a\n\nfunc f() int {\n\treturn 1\n}\n"
	b := project(t, map[string]string{"a.go": src, "b.go": "package a\n\nfunc f( {\n"})
	for _, text := range []string{"3: func f() int {\n4: \treturn 2\n5: }", "  3\tfunc f() int {\n  4\t\treturn 2\n  5\t}", "  3\u2192func f() {}", "<<<<<<< SEARCH\nfunc f() int {\n=======\nfunc f() {\n>>>>>>> REPLACE", `func f() int {\n\treturn 2\n}`} {
		b.fails(tools.Conflict, "replace_symbol", "path", "a.go", "name_path", "f", "text", text)
	}
	b.fails(tools.InvalidParams, "replace_symbol", "path", "a.go", "name_path", "f", "text", "func f() string { return \"\x00\" }")
	if got := b.read("a.go"); got != src {
		t.Errorf("%s", got)
	}
	if out := b.ok("insert_after", "path", "a.go", "name_path", "f", "text", "func g( {"); out.data["parse_error"] != true { // what a grammar may not know
		t.Errorf("%s", out.raw)
	}
}

// Extensions and members of companions of Kotlin have the names that their users give them.
func TestNamesOfKotlin(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	b := project(t, map[string]string{"a.kt": "fun String.ext() = 1\n\nfun Int.ext() = 2\n\nfun <T> List<T>?.second(): T = this[1]\n\nval kotlin.String.last: Int get() = 1\n\nclass A {\n    companion object {\n        fun make() = 1\n    }\n}\n"})
	for query, line := range map[string]float64{"String.ext": 1, "Int.ext": 3, "List.second": 5, "List<T>.second": 5, "String.last": 7, "A.Companion.make": 11, "A.make": 11} {
		for _, path := range []string{"a.kt", "."} {
			if out := b.ok("definition", "path", path, "query", query); out.data["line"] != line || len(out.data["others"].([]any)) > 0 {
				t.Errorf("%s: %s", query, out.raw)
			}
		}
	}
	b.fails(tools.NotFound, "delete_symbol", "path", "a.kt", "name_path", "Long.ext")
	b.ok("delete_symbol", "path", "a.kt", "name_path", "String.ext")
}
