package code

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
)

// A name that a file uses is looked for in its code, and behind the owner that a query gives.
func TestUsedNames(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file, text, name, owner string
		line                    int // 0: none
	}{
		{"a.ts", "// foo is used below\nimport { foo } from './foo';\nfoo(1);\n", "foo", "", 3},
		{"a.ts", "import { foo } from './foo';\n", "foo", "", 1},
		{"a.ts", "import { foo } from './foo';\n", "foo", "Nope", 0},
		{"a.ts", "import { foo } from './foo';\nlib.foo();\n", "foo", "lib", 2},
		{"a.ts", "const s = 'foo';\n", "foo", "", 0},
		{"m.py", "# helper is used\nfrom helper import helper\n", "helper", "", 2},
		{"m.py", "from lib import helper\nx.helper()\nhelper()\n", "helper", "lib", 1},
		{"main.c", "#include \"foo.h\"\n/* foo */\nint main(void) { return foo(); }\n", "foo", "", 3},
		{"a.go", "package a\n\nimport \"strings\"\n\nvar x = strings.ToUpper(\"ToUpper\")\n", "ToUpper", "strings", 5},
		{"a.go", "package a\n\nvar x = ystrings.ToUpper(\"\")\n", "ToUpper", "strings", 0},
		{"a.cpp", "int x = ns::foo();\n", "foo", "ns", 1},
	} {
		src := &source{text: []byte(c.text), lang: syntax.Detect(c.file, nil)}
		at, err := used(t.Context(), src, c.name, c.owner)
		if err != nil {
			t.Fatal(err)
		}
		line := 0
		if at >= 0 {
			line, _, _ = lineOf(src.text, at)
		}
		if line != c.line {
			t.Errorf("%s in %q: line %d, want %d", c.name, c.text, line, c.line)
		}
	}
}

// The pages of places lose none, in the payload as in the data.
func TestPagesOfPlaces(t *testing.T) {
	t.Parallel()
	files := map[string]string{"a.go": "package a\n\nfunc Foo() {}\n"}
	for i := range 12 {
		files[fmt.Sprintf("u%d.go", i)] = fmt.Sprintf("package a\n\nfunc use%d() {\n", i) + strings.Repeat("\tFoo() // what a long line this is, so that the payload is larger than the data\n", 10) + "}\n"
	}
	b := project(t, files)
	for _, args := range [][]any{{"max_results", 500, "max_chars", 2000}, {"max_results", 500}, {"max_chars", 700}} {
		lines, places, cursor := 0, 0, ""
		for page := 0; page < 200; page++ {
			out := b.ok("references", append([]any{"query", "Foo", "cursor", cursor}, args...)...)
			list, _ := out.data["results"].([]any)
			places += len(list)
			lines += strings.Count(out.Text, "\n  ")
			if len(list) == 0 || out.Envelope.Meta.Paging == nil {
				break
			}
			cursor = out.Envelope.Meta.Paging.Cursor
		}
		if places != 121 || lines != 121 {
			t.Errorf("%v: %d places, %d lines, want 121", args, places, lines)
		}
	}
}

// Calls that change many files and edits of symbols in them may come together.
func TestReplaceBesideEdits(t *testing.T) {
	t.Parallel()
	var src strings.Builder
	src.WriteString("package a\n")
	for i := range 8 {
		fmt.Fprintf(&src, "\nfunc F%d() int { return %d + 0 }\n\nvar v%d = 1\n", i, i, i)
	}
	b := project(t, map[string]string{"a.go": src.String()})
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			if out := b.call("grep_replace", "query", fmt.Sprintf(`\bv%d\b`, i), "replacement", fmt.Sprintf("w%d", i)); out.Envelope.Error != nil {
				t.Errorf("replace %d: %v", i, out.Envelope.Error)
			}
		})
		wait.Go(func() {
			if out := b.call("replace_symbol", "path", "a.go", "name_path", fmt.Sprintf("F%d", i), "text", fmt.Sprintf("func F%d() int { return 7 }", i)); out.Envelope.Error != nil {
				t.Errorf("edit %d: %v", i, out.Envelope.Error)
			}
		})
	}
	wait.Wait()
	if got := b.read("a.go"); strings.Count(got, "return 7") != 8 || strings.Count(got, "var w") != 8 {
		t.Errorf("%s", got)
	}
}

// A rename that would make two things one is refused or told of, wherever it is asked for.
func TestRenameOntoOthers(t *testing.T) {
	t.Parallel()
	b := withServers(t, map[string]string{
		"m.py": "def foo():\n    pass\n\n\ndef ov():\n    pass\n", "n.py": "from m import foo\n\nfoo()\n",
		"tsconfig.json": "{}\n", "k.ts": "export class K {\n  #priv = 1;\n  get v() { return this.#priv; }\n  set v(x: number) { this.#priv = x; }\n}\n",
		"a.ts": "export function foo(n: number) { return n; }\nexport const o = { a: foo(1) };\nexport function f({ foo }: any) { return foo; }\n",
	}, "pyright-langserver", "typescript-language-server")
	b.fails(tools.Conflict, "rename", "path", "n.py", "query", "foo", "new_name", "ov")
	b.fails(tools.InvalidParams, "rename", "path", "k.ts", "query", "K.#priv", "new_name", "hidden")
	b.fails(tools.NotFound, "rename", "path", "a.ts", "query", "f.foo", "new_name", "p")
	b.fails(tools.NotFound, "definition", "path", "a.ts", "query", "Nope.foo")
	if out := b.ok("rename", "path", "k.ts", "query", "K.v", "new_name", "w"); out.data["count"] != 2.0 {
		t.Errorf("the parts of a property: %s", out.raw)
	}
	if out := b.ok("rename", "path", ".", "query", "foo", "new_name", "n", "kind", "text", "dry_run", true); !strings.Contains(strings.Join(out.Envelope.Meta.Warnings, " "), "n is used already") {
		t.Errorf("%s", out.raw)
	}
}

// gopls sees one module: uses in another one below are told of.
func TestNestedModule(t *testing.T) {
	t.Parallel()
	b := withServers(t, map[string]string{
		"go.mod": "module ex.com/a\n\ngo 1.21\n", "a.go": "package a\n\nfunc Foo() {}\n",
		"sub/go.mod": "module ex.com/sub\n\ngo 1.21\n\nrequire ex.com/a v0.0.0\n\nreplace ex.com/a => ../\n", "sub/s.go": "package sub\n\nimport \"ex.com/a\"\n\nfunc S() { a.Foo() }\n",
	}, "gopls")
	if w := b.ok("rename", "path", "sub/s.go", "query", "Foo", "new_name", "Zed", "dry_run", true).Envelope.Meta.Warnings; len(w) > 0 {
		t.Errorf("all places are renamed, and yet: %s", w)
	}
	for _, action := range []string{"references", "rename"} {
		out := b.ok(action, "path", "a.go", "query", "Foo", "new_name", "Zed")
		if !strings.Contains(strings.Join(out.Envelope.Meta.Warnings, " "), "sub/s.go:5") {
			t.Errorf("%s: %s", action, out.raw)
		}
	}
}

// A number in brackets means one of the symbols of the very name, or none, in every action.
func TestNumbers(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"a.go": "package a\n\ntype Foo struct{}\n\nfunc foo() {}\n\nfunc use() { foo() }\n\ntype Base interface{ m() }\n",
		"b.go": "package a\n\ntype T struct{}\n\nfunc (T) bar() {}\n\nfunc bar() {}\n\nfunc Bar() { bar() }\n\ntype U struct{ Outer }\n",
	}
	if hasGrammars() {
		files["O.java"] = "class O {\n  void m(int a) {}\n  void m(long a) {}\n}\n"
	}
	b := project(t, files)
	missing := [][2]string{{"a.go", "foo[1]"}, {"a.go", "foo[9]"}, {"a.go", "Foo[1]"}, {"b.go", "bar[2]"}, {"b.go", "T.bar[1]"}, {".", "foo[1]"}, {".", "bar[2]"}, {".", "Foo[1]"}}
	for _, action := range []string{"definition", "hover", "references", "callers", "implementations", "search_symbol", "rename", "hierarchy", "delete_symbol"} {
		for _, m := range missing {
			if action == "delete_symbol" && m[0] == "." || action == "hierarchy" && m[1] != "Foo[1]" {
				continue
			}
			out := b.fails(tools.NotFound, action, "path", m[0], "query", m[1], "new_name", "zed")
			if said := out.Envelope.Error.Message; !strings.Contains(said, "called "+m[1][:len(m[1])-3]+", counted from 0") {
				t.Errorf("%s of %s in %s: %s", action, m[1], m[0], said)
			}
		}
		if action == "search_symbol" {
			continue
		}
		out := b.fails(tools.NotFound, action, "path", "a.go", "query", "gone[0]", "new_name", "zed")
		if said := out.Envelope.Error.Message; strings.Contains(said, "counted") {
			t.Errorf("%s: %s", action, said)
		}
	}
	b.fails(tools.InvalidParams, "rename", "path", "a.go", "query", "foo[0]", "new_name", "zed", "kind", "text")
	b.fails(tools.NotFound, "hierarchy", "query", "Outer[0]")
	for query, want := range map[string]string{"foo[0]": "a.go:5", "Foo[0]": "a.go:3", "bar[0]": "b.go:5", "bar[1]": "b.go:7"} {
		if out := b.ok("search_symbol", "query", query); !strings.HasPrefix(out.Text, want+":") {
			t.Errorf("%s: %s, want %s", query, out.Text, want)
		}
	}
	if hasGrammars() {
		if out := b.fails(tools.NotFound, "definition", "query", "O.m[2]"); !strings.Contains(out.Envelope.Error.Message, "has 2 symbols called O.m,") {
			t.Errorf("%v", out.Envelope.Error)
		}
	}
}
