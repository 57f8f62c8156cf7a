package code

import (
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

func TestDeclaration(t *testing.T) {
	t.Parallel()
	tool := New(Config{})
	if err := tool.Check(); err != nil {
		t.Error(err)
	}
	t.Logf("schema of %d bytes, description of %d", len(tool.Schema(false)), len(description))
}

// What was read before does not change the answer of a search, and initials come when nothing fits better.
func TestSearchForgetsNothing(t *testing.T) {
	t.Parallel()
	b := project(t, map[string]string{"a.go": "package a\n\nfunc Transmit() {}\n", "b.go": "package a\n\nfunc NewSymbolMap() {}\n"})
	first := b.ok("search_symbol", "query", "nsm")
	b.ok("summarize")
	if again := b.ok("search_symbol", "query", "nsm"); first.data["total"] != 1.0 || again.Text != first.Text {
		t.Errorf("%s\nthen\n%s", first.Text, again.Text)
	}
	if out := b.ok("search_symbol", "query", "newmap"); !strings.Contains(out.Text, "NewSymbolMap") {
		t.Errorf("initials: %s", out.Text)
	}
}

// An edit is of the symbol that was named, not of one of another case or of the one around it.
func TestEditsTakeNamesExactly(t *testing.T) {
	t.Parallel()
	b := project(t, map[string]string{"a.go": "package a\n\nfunc Walk() {}\n\ntype T struct{ x int }\n"})
	b.fails(tools.NotFound, "delete_symbol", "path", "a.go", "name_path", "walk")
	b.fails(tools.InvalidParams, "delete_symbol", "path", "a.go", "name_path", "T.*")
}

// A rename over several files says which of them do not parse any more.
func TestRenameThatBreaks(t *testing.T) {
	t.Parallel()
	b := project(t, map[string]string{"a.go": "package a\n\nfunc F() {}\n", "b.go": "package a\n\nvar f = F\n"})
	out := b.ok("rename", "query", "F", "new_name", "type", "kind", "text", "dry_run", true)
	if w := strings.Join(out.Envelope.Meta.Warnings, " "); !strings.Contains(w, "do not parse") || !strings.Contains(w, "a.go") {
		t.Errorf("%v\n%s", out.Envelope.Meta.Warnings, out.Text)
	}
	out = b.ok("rename", "query", "F", "new_name", "G", "kind", "text", "dry_run", true)
	if w := strings.Join(out.Envelope.Meta.Warnings, " "); strings.Contains(w, "do not parse") {
		t.Errorf("%v", out.Envelope.Meta.Warnings)
	}
}
