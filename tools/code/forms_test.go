package code

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// The words of other servers of symbols mean here what they mean there.
func TestFormsOfOtherServers(t *testing.T) {
	t.Parallel()
	b := project(t, map[string]string{"a.go": "package a\n\ntype T struct{ N int }\n\nfunc (t *T) Get() int { return t.N }\n\nfunc use() { (&T{}).Get() }\n"})
	out := b.ok("find_symbol", "name_path_pattern", "T/Get", "relative_path", "a.go", "include_body", true, "depth", 0)
	if !strings.Contains(out.Text, "return t.N }") || len(out.Envelope.Meta.Warnings) > 0 {
		t.Errorf("include_body: %v\n%s", out.Envelope.Meta.Warnings, out.Text)
	}
	if out = b.ok("find_symbol", "name_path", "T", "depth", 1); !strings.Contains(out.Text, "  3: N int") || len(out.Envelope.Meta.Warnings) > 0 {
		t.Errorf("depth: %v\n%s", out.Envelope.Meta.Warnings, out.Text)
	}
	if out = b.ok("find_symbol", "name_path", "T", "include_body", true, "max_chars", 40); len(out.Text) > 60 || !out.Envelope.Meta.Truncated {
		t.Errorf("a body that does not fit: %q", out.Text)
	}
	if out = b.ok("search_symbol", "query", "e", "kind", "method"); out.data["total"] != 1.0 || len(out.Envelope.Meta.Warnings) > 0 {
		t.Errorf("kind: %s %v", out.raw, out.Envelope.Meta.Warnings)
	}
	for _, at := range [][]any{{"path", "a.go"}, {"textDocument", map[string]any{"uri": "file://" + b.dir + "/a.go"}}} {
		out = b.ok("definition", append(at, "position", map[string]any{"line": 6, "character": 20})...)
		if out.data["line"] != 5.0 {
			t.Errorf("position: %s %v", out.raw, out.Envelope.Meta.Warnings)
		}
	}
	for _, path := range []any{"a.go#L7", "a.go:7:20", []string{"a.go"}} {
		if out = b.ok("definition", "path", path, "query", "Get"); out.data["line"] != 5.0 {
			t.Errorf("%v: %s", path, out.raw)
		}
	}
	if out = b.ok("symbols", "path", "a.go", "max_results", 1, "cursor", 1); strings.Join(out.list("symbols", "name"), " ") != "N" {
		t.Errorf("a cursor of digits: %s", out.raw)
	}
	if out = b.ok("get_symbols_overview", "relative_path", "a.go", "depth", 0); len(out.list("symbols", "name")) != 3 {
		t.Errorf("depth 0: %s", out.raw)
	}
	for _, arg := range [][]any{{"case_insensitive", true}, {"ignoreCase", true}, {"flags", "gi"}} {
		out = b.ok("grep_replace", append(arg, "query", "USE", "replacement", "run", "dry_run", true)...)
		if out.data["count"] != 1.0 || len(out.Envelope.Meta.Warnings) > 0 {
			t.Errorf("%v: %s %v", arg, out.raw, out.Envelope.Meta.Warnings)
		}
	}
}

// What is in use stays under the name that promises it, and under the other one the places are told.
func TestDeleteOfWhatIsUsed(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"go.mod": "module example.test/m\n\ngo 1.21\n",
		"a.go":   "package m\n\ntype A struct{}\n\nfunc (A) Bar() int { return 1 }\n\nfunc top() int { return A{}.Bar() }\n\nfunc self() { self() }\n", "b.go": "package m\n\nvar x = top()\n",
	}
	for name, b := range map[string]*bench{"names": project(t, files), "gopls": withServers(t, files, "gopls", "go")} {
		for _, one := range [][2]string{{"A/Bar", "a.go:7"}, {"top", "b.go:3"}} {
			e := b.fails(tools.Conflict, "safe_delete_symbol", "name_path_pattern", one[0], "relative_path", "a.go").Envelope.Error
			if !strings.Contains(e.Message, one[1]) || b.read("a.go") != files["a.go"] {
				t.Errorf("%s %v: %s", name, one, e.Message)
			}
		}
		b.ok("safe_delete_symbol", "name_path", "self", "path", "a.go")
		if strings.Contains(b.read("a.go"), "self") {
			t.Errorf("%s: what only names itself stays:\n%s", name, b.read("a.go"))
		}
		out := b.ok("delete_symbol", "name_path", "top", "path", "a.go")
		if w := strings.Join(out.Envelope.Meta.Warnings, " "); !strings.Contains(w, "b.go:3") || strings.Contains(b.read("a.go"), "func top") {
			t.Errorf("%s: %s", name, w)
		}
	}
}

// A diff of a path with blanks can be applied by patch.
func TestDiffOfPathWithBlanks(t *testing.T) {
	t.Parallel()
	b := project(t, map[string]string{"t/b c.txt": "foo\n"})
	out := b.ok("transform", "kind", "grep_replace", "query", "foo", "replacement", "bar")
	if !strings.Contains(out.Text, "--- a/t/b c.txt\t\n") {
		t.Errorf("%q", out.Text)
	}
	if _, err := exec.LookPath("patch"); err == nil {
		cmd := exec.Command("patch", "-p1", "--dry-run")
		cmd.Dir, cmd.Stdin, cmd.Env = b.dir, strings.NewReader(out.Text), os.Environ()
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("patch: %v\n%s", err, text)
		}
	}
	applyPatch(t, b.dir, out.Text)
}
