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

// A parameter of a constructor that declares a field is a field of the class.
func TestFieldsOfConstructors(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	files := map[string]string{
		"a.ts":  "export class Sq {\n  constructor(public side: number, readonly n = 1) {}\n  area() { return this.side ** 2; }\n}\nnew Sq(1).side;\n",
		"a.php": "<?php\nclass A {\n  function __construct(public int $x) {}\n}\n",
	}
	b := project(t, files)
	for _, c := range [][3]string{{"a.ts", "Sq.side", "Sq.constructor.side"}, {"a.ts", "Sq.constructor.n", "Sq.constructor.n"}, {"a.php", "A.x", "A.__construct.x"}, {"a.php", "A::$x", "A.__construct.x"}} {
		out := b.ok("definition", "path", c[0], "query", c[1])
		if s, _ := out.data["symbol"].(map[string]any); s["name_path"] != c[2] {
			t.Errorf("%s: %s", c[1], out.raw)
		}
	}
	b.fails(tools.NotFound, "definition", "path", "a.ts", "query", "Sq.area.side")
	b = withServers(t, files, "typescript-language-server", "node")
	if out := b.ok("rename", "path", "a.ts", "query", "Sq.side", "new_name", "edge"); out.data["count"] != 3.0 || b.read("a.ts") != strings.ReplaceAll(files["a.ts"], "side", "edge") {
		t.Errorf("%s\n%s", out.raw, out.Text)
	}
}

// What stands under another owner is named among the nearest, and numbers that mean something else are told of.
func TestNearMisses(t *testing.T) {
	t.Parallel()
	b := project(t, map[string]string{"c/c.go": "package c\n\ntype Char struct{}\n\nfunc (c *Char) splice() {}\n\nvar splice2 = 1\n"})
	for _, query := range []string{"c.splice", "Nope.splice"} {
		d := b.fails(tools.NotFound, "definition", "query", query).Envelope.Error.Details
		if near, _ := d.Nearest.([]string); len(near) == 0 || near[0] != "Char.splice (c/c.go:5)" {
			t.Errorf("%s: %+v", query, d)
		}
	}
	needGrammars(t)
	b = project(t, map[string]string{
		"a.rs": "struct S { a: i32 }\n\nimpl S {\n    fn f(&self) {}\n}\n", "l.json": "{\"rules\": [\n{\"conditions\": [1], \"rules\": [{\"conditions\": [2]}]},\n{\"conditions\": [3]}]}\n",
	})
	for _, action := range []string{"definition", "delete_symbol"} {
		if e := b.fails(tools.NotFound, action, "path", "a.rs", "query", "S[1]").Envelope.Error; !strings.Contains(e.Message, "blocks of impl are not counted") {
			t.Errorf("%s: %s", action, e.Message)
		}
	}
	out := b.ok("definition", "path", "l.json", "query", "rules.conditions[2]")
	if w := strings.Join(out.Envelope.Meta.Warnings, " "); out.data["line"] != 3.0 || !strings.Contains(w, "elements of lists are no symbols") || !strings.Contains(w, "rules.conditions at line 3") {
		t.Errorf("%s %s", out.raw, w)
	}
	if out = b.ok("definition", "path", "l.json", "query", "rules.rules.conditions"); len(out.Envelope.Meta.Warnings) > 0 {
		t.Errorf("%v", out.Envelope.Meta.Warnings)
	}
}
