package code

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// Data and markup are part of a folder that holds nothing else, or where glob or kinds name them; else it is said that they were
// left out.
func TestDataInFolders(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	b := project(t, map[string]string{
		"data/o.yaml": "on:\n  push:\n    branches: [main]\n", "data/p.json": "{\"name\": \"x\", \"foo<x>bar\": 1, \"a(b)c\": 2, \"my key (x)\": 3}\n", "data/s.css": ".box { color: red }\n", "data/i.html": "<html><body id=\"top\"></body></html>\n",
		"mixed/a.go": "package a\n\nfunc F() {}\n", "mixed/o.yaml": "on:\n  push:\n    branches: [main]\n", "mixed/p.json": "{\"branches\": 1}\n",
		"odd/a.vue": "<template/>\n", "none/x.txt": "",
	})
	program := filepath.Join(b.dir, "data/program")
	write(t, program, "\x7fELF\x00\x01")
	if err := os.Chmod(program, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		path, query string
		more        []any
		want        string // "" for a warning
	}{
		{"data", "branches", nil, "data/o.yaml:3"}, {"data", "name", nil, "data/p.json:1"}, {"data", ".box", nil, "data/s.css:1"}, {"data", "box", nil, "data/s.css:1"}, {"data", "brnches", nil, "data/o.yaml:3"},
		{"data", "branches", []any{"glob", []string{"*.yaml"}}, "data/o.yaml:3"}, {"data", "branches", []any{"kinds", []string{"key"}}, "data/o.yaml:3"},
		{"mixed", "branches", []any{"glob", []string{"*.{go,yaml}"}}, "mixed/o.yaml:3"}, {"mixed", "branches", []any{"kinds", []string{"key"}}, "mixed/p.json:1"},
		{"mixed", "branches", []any{"glob", []string{"!*.json"}}, ""}, {"mixed", "branches", nil, ""}, {"odd", "branches", nil, ""}, {"none", "branches", nil, ""},
	} {
		out := b.ok("search_symbol", append([]any{"path", c.path, "query", c.query}, c.more...)...)
		warnings := strings.Join(out.Envelope.Meta.Warnings, " ")
		if c.want != "" && !strings.HasPrefix(out.Text, c.want+":") || (c.want == "") == (warnings == "") {
			t.Errorf("%s in %s %v: %s (%s), want %s", c.query, c.path, c.more, out.Text, warnings, c.want)
		}
	}
	if out := b.ok("definition", "path", "data", "query", "push.branches"); out.data["path"] != "data/o.yaml" {
		t.Errorf("%s", out.raw)
	}
	for _, key := range []string{"foo<x>bar", "a(b)c", "my key (x)"} {
		if out := over(t, b.dir, nil, Config{}).ok("definition", "path", "data", "query", key); out.data["path"] != "data/p.json" {
			t.Errorf("%s: %s", key, out.raw)
		}
	}
	for path, want := range map[string]string{"mixed": "2 files of data and markup", "odd": "no file below odd is in a language"} {
		if out := b.fails(tools.NotFound, "definition", "path", path, "query", "branches"); !strings.Contains(out.Envelope.Error.Message, want) {
			t.Errorf("%s: %s", path, out.Envelope.Error.Message)
		}
	}
	if out := b.ok("definition", "path", "mixed", "query", "F"); len(out.Envelope.Meta.Warnings) > 0 {
		t.Errorf("%v", out.Envelope.Meta.Warnings)
	}
	for _, action := range []string{"outline", "symbols", "summarize", "metrics"} {
		if out := b.ok(action, "path", "data"); !strings.Contains(out.Text, "o.yaml") && !strings.Contains(out.Text, "4 source files") || len(out.Envelope.Meta.Warnings) > 0 {
			t.Errorf("%s: %s %v", action, out.Text, out.Envelope.Meta.Warnings)
		}
		if out := b.ok(action, "path", "odd"); len(out.Envelope.Meta.Warnings) != 1 {
			t.Errorf("%s: %s %v", action, out.Text, out.Envelope.Meta.Warnings)
		}
		if out := b.ok(action, "path", "mixed"); strings.Contains(out.Text, "yaml") {
			t.Errorf("%s: %s", action, out.Text)
		}
	}
	if out := b.ok("outline", "path", "mixed", "kinds", "key"); !strings.Contains(out.Text, "o.yaml") || !strings.Contains(out.Text, "branches") {
		t.Errorf("%s", out.Text)
	}
}
