package code

import (
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
)

// A server of the settings gives the symbols of a language that has no grammar here.
func TestSymbolsOfConfiguredServer(t *testing.T) {
	t.Parallel()
	b := withServersIn(t, t.TempDir(), map[string]string{"a.foo": "#!/bin/bash\ngreet() {\n  echo hi\n}\n\nbye() {\n  greet\n}\n", "b.foo": "greet() {\n  echo hi\n}\n"},
		Config{Servers: []Server{{Name: "foo", Command: []string{"bash-language-server", "start"}, Extensions: []string{".foo"}}}}, "bash-language-server", "node")
	out := b.ok("outline", "path", "a.foo")
	if got := strings.Join(out.list("symbols", "name"), " "); got != "greet bye" || out.data["backend"] != "lsp:foo" {
		t.Errorf("%s\n%s", out.raw, out.Text)
	}
	// Nothing about the file tells a language that is known here.
	b.ok("replace_symbol", "path", "b.foo", "name_path", "greet", "text", "greet() {\n  echo ho\n}")
	if got := b.read("b.foo"); got != "greet() {\n  echo ho\n}\n" {
		t.Errorf("%q", got)
	}
	for _, action := range []string{"metrics", "parse"} {
		if out := b.ok(action, "path", "b.foo"); !strings.Contains(strings.Join(out.Envelope.Meta.Warnings, " "), "not known") {
			t.Errorf("%s: %v", action, out.Envelope.Meta.Warnings)
		}
	}
	b.ok("delete_symbol", "path", "a.foo", "name_path", "greet")
	if got := b.read("a.foo"); got != "#!/bin/bash\n\nbye() {\n  greet\n}\n" {
		t.Errorf("%q", got)
	}
}

// Without tree-sitter, ctags gives the symbols of other languages than Go; without ctags the answer says what is missing.
func TestWithoutGrammars(t *testing.T) {
	t.Parallel()
	if syntax.Grammars {
		t.Skip("this build has tree-sitter")
	}
	files := map[string]string{"sub/a.py": "class A:\n    def run(self):\n        pass\n\ndef top():\n    pass\n", "b.go": "package b\n\nfunc top() {}\n"}
	bare := project(t, files)
	e := bare.fails(tools.Unsupported, "outline", "path", "sub/a.py").Envelope.Error
	if !strings.Contains(e.Message, "cgo") || !strings.Contains(e.Message, "language server") {
		t.Errorf("%s", e.Message)
	}
	out := bare.ok("search_symbol", "query", "top")
	if out.data["total"] != 1.0 || !strings.Contains(strings.Join(out.Envelope.Meta.Warnings, " "), "no tree-sitter") {
		t.Errorf("%s %v", out.raw, out.Envelope.Meta.Warnings)
	}
	b := withServersIn(t, t.TempDir(), files, Config{}, "ctags")
	if out = b.ok("search_symbol", "query", "A.run"); !strings.HasPrefix(out.Text, "sub/a.py:2:") {
		t.Errorf("%s %v", out.Text, out.Envelope.Meta.Warnings)
	}
	if out = b.ok("search_symbol", "query", "top"); out.data["total"] != 2.0 {
		t.Errorf("%s", out.Text)
	}
	out = b.ok("outline", "path", "sub/a.py")
	if got := strings.Join(out.list("symbols", "name"), " "); got != "A run top" {
		t.Errorf("%s\n%s", out.raw, out.Text)
	}
}
