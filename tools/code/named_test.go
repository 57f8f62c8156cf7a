package code

import (
	"runtime"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

const namedGo = "package a\n\ntype A struct{}\n\nfunc (a A) F() int {\n\treturn 1\n}\n\nvar x, y = 1, 2\n\nfunc top() int { return A{}.F() }\n"

// A place as answers write it is taken where a path is wanted.
func TestPlacesAsAnswersWriteThem(t *testing.T) {
	t.Parallel()
	files := map[string]string{"a.go": namedGo, "d/b.go": "package d\n"}
	if runtime.GOOS != "windows" {
		files["d/b.go:7"] = "x\n"
	}
	b := project(t, files)
	for _, args := range [][]any{{"path", "a.go:11:29"}, {"path", "a.go", "position", "11:29"}, {"filename", "a.go", "line", 11, "column", 29}, {"paths", []string{"a.go"}, "line", 5}, {"path", "a.go:5"}, {"path", "a.go:5:"}, {"path", "a.go:11", "line", 5}} {
		out := b.ok("definition", args...)
		if out.data["path"] != "a.go" || out.data["line"] != 5.0 || strings.Contains(strings.Join(out.Envelope.Meta.Warnings, " "), "position") {
			t.Errorf("%v: %s %v", args, out.raw, out.Envelope.Meta.Warnings)
		}
	}
	for _, action := range []string{"outline", "delete_symbol"} {
		if e := b.fails(tools.NotFound, action, "path", "a.go:5", "name_path", "A.F").Envelope.Error; !strings.Contains(e.Message, "give path a.go, and line:5") {
			t.Errorf("%s: %s", action, e.Message)
		}
	}
	b.fails(tools.NotFound, "definition", "path", "gone.go:5")
	b.fails(tools.NotFound, "definition", "path", "d:5")
	if out := b.call("definition", "path", "d/b.go:7", "line", 1); runtime.GOOS != "windows" && strings.Contains(out.Text, "package d") {
		t.Errorf("a file that has such a name: %s", out.Text)
	}
	if out := b.ok("grep_replace", "search", "return 1", "replace", "return 2", "path", "a.go", "dry_run", true); out.data["count"] != 1.0 {
		t.Errorf("search: %s", out.raw)
	}
}

// An edit takes file:name, and a line in place of a name where one symbol begins there.
func TestEditByPlace(t *testing.T) {
	t.Parallel()
	fresh := "func (a A) F() int {\n\treturn 9\n}"
	want := strings.Replace(namedGo, "return 1", "return 9", 1)
	for _, args := range [][]any{{"name_path", "a.go:A.F"}, {"query", "d/../a.go::A.F"}, {"symbol", "a.go#A.F"}, {"path", "a.go", "line", 5}} {
		b := project(t, map[string]string{"a.go": namedGo, "d/b.go": "package d\n"})
		b.ok("replace_symbol", append(args, "text", fresh)...)
		if got := b.read("a.go"); got != want {
			t.Errorf("%v: %s", args, got)
		}
	}
	b := project(t, map[string]string{"a.go": namedGo})
	for _, c := range []struct {
		code tools.Code
		says string
		args []any
	}{
		{tools.NotFound, "it is in A.F, which begins at line 5", []any{"path", "a.go", "line", 6}},
		{tools.NotFound, "no symbol begins at line 4", []any{"path", "a.go", "line", 4}},
		{tools.NotFound, "no symbol begins at line 99", []any{"path", "a.go", "line", 99}},
		{tools.Ambiguous, "2 symbols begin at line 9: x, y", []any{"path", "a.go", "line", 9}},
		{tools.InvalidParams, "name_path is missing", []any{"path", "a.go"}},
		{tools.InvalidParams, "path is missing", []any{"name_path", "A.F"}},
	} {
		if e := b.fails(c.code, "replace_symbol", append(c.args, "text", fresh)...).Envelope.Error; !strings.Contains(e.Message, c.says) {
			t.Errorf("%v: %s", c.args, e.Message)
		}
	}
	b.ok("delete_symbol", "path", "a.go", "line", 5)
	if got := b.read("a.go"); strings.Contains(got, "return 1") || !strings.Contains(got, "var x, y") {
		t.Errorf("%s", got)
	}
}

// A name that kinds leave out is told of.
func TestOtherKinds(t *testing.T) {
	t.Parallel()
	b := project(t, map[string]string{"a.go": namedGo})
	for _, path := range []string{".", "a.go"} {
		if out := b.ok("search_symbol", "query", "F", "kind", "function", "path", path); out.data["total"] != 0.0 || !strings.Contains(out.Text, "1 of other kinds than those of kinds do: method A.F (a.go:5)") {
			t.Errorf("%s: %s", path, out.Text)
		}
		if out := b.ok("search_symbol", "query", "gone", "kind", "function", "path", path); strings.Contains(out.Text, "kinds") {
			t.Errorf("%s: %s", path, out.Text)
		}
		if out := b.ok("search_symbol", "query", "top", "kind", "function", "path", path); out.data["total"] != 1.0 {
			t.Errorf("%s: %s", path, out.Text)
		}
	}
}
