package code

import (
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// Kinds come as the numbers of the language server protocol, and a path as a list of one.
func TestOtherForms(t *testing.T) {
	t.Parallel()
	b := project(t, map[string]string{"a.go": "package a\n\ntype Foo struct{}\n\ntype FooI interface{ m() }\n\nfunc FooF() {}\n"})
	for _, c := range []struct {
		kinds any
		want  string
	}{{[]int{12}, "FooF"}, {[]any{23, "interface"}, "Foo FooI"}, {11, "FooI"}, {"12,23", "Foo FooF"}, {[]string{"12"}, "FooF"}, {[]int{6}, ""}} {
		out := b.ok("search_symbol", "query", "Foo", "kinds", c.kinds)
		if got := strings.Join(out.list("results", "name"), " "); got != c.want {
			t.Errorf("%v: %s, want %s", c.kinds, got, c.want)
		}
	}
	for _, kinds := range []any{[]int{1}, []int{-12}, []int{99}, []any{true}, 1.5} {
		b.fails(tools.InvalidParams, "search_symbol", "query", "Foo", "kinds", kinds)
	}
	if out := b.ok("outline", "path", []string{"a.go"}); !strings.Contains(out.Text, "FooI") {
		t.Errorf("%s", out.Text)
	}
	b.fails(tools.InvalidParams, "outline", "path", []string{"a.go", "b.go"})
	b.fails(tools.InvalidParams, "outline", "path", []int{1})
}

// A symbol that is not there, and that nothing calls by its name, is not one without callers.
func TestCallersOfNothing(t *testing.T) {
	t.Parallel()
	b := project(t, map[string]string{"a.go": "package a\n\ntype T struct{}\n\nfunc (T) m() {}\n\nfunc used() { lib.Call() }\n"})
	for _, path := range []string{"a.go", "."} {
		for _, query := range []string{"K.m", "K.used", "gone"} {
			out := b.fails(tools.NotFound, "callers", "path", path, "query", query)
			if m := out.Envelope.Error.Message; !strings.Contains(m, `"`+query+`"`) {
				t.Errorf("%s in %s: %s", query, path, m)
			}
		}
		if out := b.ok("callers", "path", path, "query", "lib.Call"); out.data["total"] != 1.0 {
			t.Errorf("%s: %s", path, out.raw)
		}
	}
}

// One selector of a rule finds it for reading, as what an at-rule holds does.
func TestSelectors(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	b := project(t, map[string]string{"s.css": ".a, .b > p {}\n\n@media print {\n  .c { color: red }\n}\n\n.d {}\n\n.d, .e {}\n"})
	for query, want := range map[string]float64{".a": 1, ".b > p": 1, ".c": 4, ".d": 7, ".e": 9} {
		for _, path := range []string{"s.css", "."} {
			if out := b.ok("definition", "path", path, "query", query); out.data["line"] != want {
				t.Errorf("%s in %s: %s", query, path, out.raw)
			}
		}
	}
	b.fails(tools.NotFound, "delete_symbol", "path", "s.css", "name_path", ".a")
	b.fails(tools.NotFound, "definition", "path", "s.css", "query", ".p")
}
