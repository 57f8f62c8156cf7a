package code

import (
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// A variable whose declaration defines other names of what is around it, types and members of enums among them, does not go with
// them unsaid.
func TestDeclarationWithOthers(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	for _, c := range []struct{ file, text, name, fresh, lost string }{
		{"a.c", "enum color { RED, GREEN } cur;\nint f(void) { return RED; }\n", "cur", "int cur;", "color.RED"},
		{"a.cpp", "struct foo {\n\tint a;\n} bar;\n", "bar", "int bar;", "foo"},
		{"a.c", "static enum { A, B } ev;\n", "ev", "static int ev;", "A, B"},
		{"a.c", "struct S { enum { A, B } ev; int x; };\n", "S.ev", "int ev;", "S.A"},
		{"a.lua", "local a, b = 1, 2\nprint(b)\n", "a", "local a = 1", "b"},
		{"a.lua", "local M, N\n", "N", "local N", "M"},
		{"a.rb", "C = D = 3\n", "C", "C = 3", "D"},
		{"a.rb", "module Z\n  A, *B = 1, 2\nend\n", "Z.A", "A = 1", "Z.B"},
	} {
		b := project(t, map[string]string{c.file: c.text})
		gone := b.fails(tools.Conflict, "delete_symbol", "path", c.file, "name_path", c.name).Envelope.Error
		other := b.fails(tools.Conflict, "replace_symbol", "path", c.file, "name_path", c.name, "text", c.fresh).Envelope.Error
		if b.read(c.file) != c.text || !strings.Contains(gone.Message, c.lost) || !strings.Contains(other.Message, c.lost) {
			t.Errorf("%s of %q: %s; %s\n%s", c.name, c.text, gone.Message, other.Message, b.read(c.file))
		}
	}
}

// What stays is given, and so is what stands alone.
func TestDeclarationWithoutOthers(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	for _, c := range [][4]string{
		{"a.c", "enum color { RED, GREEN } cur;\n", "cur", "enum color { RED, GREEN };"},
		{"a.lua", "local a, b = 1, 2\n", "a", "local a, b = 3, 4"},
		{"a.rb", "C = D = 3\n", "C", "C = D = 4"},
	} {
		b := project(t, map[string]string{c[0]: c[1]})
		b.ok("replace_symbol", "path", c[0], "name_path", c[2], "text", c[3])
		if got := strings.TrimSpace(b.read(c[0])); !strings.HasPrefix(got, c[3]) {
			t.Errorf("%q", got)
		}
	}
	b := project(t, map[string]string{"a.c": "struct { int x; } v;\nint w;\n"})
	b.ok("delete_symbol", "path", "a.c", "name_path", "v")
	if got := b.read("a.c"); got != "int w;\n" {
		t.Errorf("%q", got)
	}
}
