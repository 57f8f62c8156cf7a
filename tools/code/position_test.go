package code

import (
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// A query and a position that mean two symbols are a conflict, which says what stands there.
func TestQueryAgainstPosition(t *testing.T) {
	t.Parallel()
	text := "package a\n\nfunc A() {}\n\nfunc B() { A() }\n\nfunc C() { B() }\n\ntype T struct{}\n\nfunc (T) M() {}\n"
	b := answering(t, map[string]string{"a.go": text}, map[string]string{
		"textDocument/rename": `{"changes":{"DIR/a.go":[{"range":{"start":{"line":4,"character":5},"end":{"line":4,"character":6}},"newText":"Zed"}]}}`,
	})
	for _, at := range [][2]int{{5, 6}, {7, 6}, {7, 12}, {5, 0}, {7, 0}, {5, 12}, {11, 10}} {
		query := "A"
		if at == [2]int{5, 12} || at == [2]int{5, 0} { // the line holds A there
			query = "C"
		}
		args := []any{"path", "a.go", "query", query, "line", at[0], "new_name", "Zed"}
		if at[1] > 0 {
			args = append(args, "column", at[1])
		}
		e := b.fails(tools.Conflict, "rename", args...).Envelope.Error
		if !strings.Contains(e.Message, "A is defined at line 3") && !strings.Contains(e.Message, "C is defined at line 7") {
			t.Errorf("%v: %s", at, e.Message)
		}
	}
	if e := b.fails(tools.Conflict, "rename", "path", "a.go", "query", "A", "line", 5, "column", 6, "new_name", "Zed").Envelope.Error; !strings.Contains(e.Message, "at 5:6 stands B, not A; A stands at column 12") {
		t.Errorf("%s", e.Message)
	}
	if e := b.fails(tools.Conflict, "rename", "path", "a.go", "query", "B.M", "line", 11, "column", 10, "new_name", "Zed").Envelope.Error; !strings.Contains(e.Message, "stands T.M, not B.M") {
		t.Errorf("%s", e.Message)
	}
	if b.read("a.go") != text {
		t.Errorf("%s", b.read("a.go"))
	}
	b.fails(tools.Conflict, "definition", "path", "a.go", "query", "A", "line", 7, "column", 6)
	out := b.ok("references", "path", "a.go", "query", "A", "line", 5, "column", 6) // the line holds it
	if out.data["name"] != "A" || !strings.Contains(out.warned(), "at 5:6 stands B, not A") {
		t.Errorf("%s %s", out.raw, out.warned())
	}
	for _, ok := range [][]any{{"query", "B", "line", 5}, {"name_path", "B", "line", 5, "column", 6}, {"query", "a.B", "line", 5, "column", 7}} {
		out := b.ok("rename", append(ok, "path", "a.go", "new_name", "Zed", "dry_run", true)...)
		if !strings.Contains(out.Text, "+func Zed() { A() }") {
			t.Errorf("%v: %s", ok, out.Text)
		}
	}
	// This server gives edits of B whatever it is asked.
	if e := b.fails(tools.Conflict, "rename", "path", "a.go", "query", "T.M", "line", 11, "new_name", "N", "dry_run", true).Envelope.Error; !strings.Contains(e.Message, `would change "B" at a.go:5, which is not the name M`) {
		t.Error(e.Message)
	}
}

// What a position names is found whatever marks its language writes around names.
func TestQueryWithPositionOfMarks(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	b := project(t, map[string]string{
		"a.php": "<?php\n$total = 1;\necho $total;\n", "a.rb": "class A\n  def ok?\n    @n\n  end\nend\n", "a.css": ".my-box { color: red }\n",
		"a.js": "class A { #x = 1; get() { return this.#x; } }\n", "a.py": "import x\n\n@x.d\ndef f():\n    return 1\n",
	})
	for _, call := range [][]any{
		{"a.php", "total", 2, 2}, {"a.php", "$total", 2, 1}, {"a.rb", "ok?", 2, 7}, {"a.rb", "A.ok?", 2, 8}, {"a.css", ".my-box", 1, 2}, {"a.css", "my-box", 1, 6},
		{"a.js", "#x", 1, 11}, {"a.js", "A.#x", 1, 12}, {"a.js", "x", 1, 12}, {"a.py", "f", 3, 0}, {"a.py", "f", 4, 5},
	} {
		b.ok("references", "path", call[0], "query", call[1], "line", call[2], "column", call[3])
	}
}
