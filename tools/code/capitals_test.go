package code

import (
	"slices"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

var capitals = map[string]string{
	"go.mod": "module example.test/n\n\ngo 1.21\n",
	"a.go":   "package n\n\ntype Server struct{}\n\nfunc New() *Server {\n\tserver := &Server{}\n\treturn server\n}\n\nfunc Other() { server := 1; _ = server }\n",
	"b.py":   "class Config:\n    pass\n\n\ndef load(config):\n    print(config)\n\n\ndef Apart():\n    return Config()\n",
}

func (o *output) warned() string { return strings.Join(o.Envelope.Meta.Warnings, "\n") }

// A rename never takes a symbol that differs from the query in capitals.
func TestRenameTakesNamesExactly(t *testing.T) {
	t.Parallel()
	b := answering(t, capitals, map[string]string{"textDocument/rename": `{"changes":{"DIR/a.go":[{"range":{"start":{"line":2,"character":5},"end":{"line":2,"character":11}},"newText":"Srv"}]}}`})
	for query, near := range map[string]string{"server": "Server", "other": "Other", "CONFIG": "Config", "apart": "Apart"} {
		if !hasGrammars() && (near == "Config" || near == "Apart") {
			continue
		}
		e := b.fails(tools.NotFound, "rename", "query", query, "new_name", "Srv").Envelope.Error
		names, _ := e.Details.Nearest.([]string)
		if !slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, near+" (") }) || !strings.Contains(e.Message, "differs in capitals") {
			t.Errorf("%s: %+v", query, e)
		}
	}
	for name, text := range capitals {
		if b.read(name) != text {
			t.Errorf("%s was changed:\n%s", name, b.read(name))
		}
	}
	b.fails(tools.NotFound, "delete_symbol", "path", "a.go", "name_path", "server")
}

// The variable of a file is meant by its word, not the type in other capitals; that another function has one too is told.
func TestRenameOfALocal(t *testing.T) {
	t.Parallel()
	b := withServers(t, capitals, "gopls", "go")
	out := b.ok("rename", "query", "server", "path", "a.go", "new_name", "srv")
	want := strings.Replace(capitals["a.go"], "server := &Server{}\n\treturn server", "srv := &Server{}\n\treturn srv", 1)
	if b.read("a.go") != want || !strings.Contains(out.warned(), "also stands in 2 places") {
		t.Errorf("%s\n%s", out.warned(), b.read("a.go"))
	}
}

// Who reads is told of a name in other capitals, and gets the places of the very word where it has any.
func TestReadingInOtherCapitals(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	b := project(t, capitals)
	for _, action := range []string{"definition", "hover"} {
		out := b.ok(action, "query", "config")
		if out.data["path"] != "b.py" || out.data["line"] != 1.0 || !strings.Contains(out.warned(), "no symbol is called config; this is about Config at b.py:1") {
			t.Errorf("%s: %s %s", action, out.raw, out.warned())
		}
	}
	for _, path := range []string{".", "b.py"} {
		out := b.ok("references", "query", "config", "path", path)
		if lines := out.list("results", "line"); !slices.Equal(lines, []string{"5", "6"}) {
			t.Errorf("references of a parameter in %s: %s %s", path, out.raw, out.warned())
		}
	}
	out := b.ok("callers", "query", "apart")
	if w := out.warned(); !strings.Contains(w, "this is about Apart at b.py:9") {
		t.Errorf("callers: %s %s", out.raw, w)
	}
	out = b.ok("references", "query", "load", "path", "b.py")
	if strings.Contains(out.warned(), "capitals") {
		t.Errorf("%s", out.warned())
	}
}

// A rule of several selectors is no name in other capitals.
func TestSelectorsAreNoCapitals(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	b := project(t, map[string]string{"a.css": ".a, .b { color: red }\n"})
	if out := b.ok("definition", "query", ".b"); out.data["line"] != 1.0 || strings.Contains(out.warned(), "capitals") {
		t.Errorf("%s %s", out.raw, out.warned())
	}
}
