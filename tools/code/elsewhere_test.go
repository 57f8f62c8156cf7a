package code

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// others gives the places beyond an answer as "path:line", and what is said of them.
func (o *output) others() (places, told string) {
	var names []string
	items, _ := o.data["others"].([]any)
	for _, it := range items {
		m := it.(map[string]any)
		names = append(names, m["path"].(string))
	}
	return strings.Join(names, " "), strings.Join(o.Envelope.Meta.Warnings, "\n")
}

// A server that cannot see how another project gets at a name must not let it look unused.
func TestPythonOfSeveralProjects(t *testing.T) {
	t.Parallel()
	b := withServers(t, map[string]string{
		"packages/a/pyproject.toml": "[project]\nname=\"pa\"\n", "packages/a/src/pa/__init__.py": "", "packages/a/src/pa/core.py": "def foo(): return 1\n\nclass K:\n    def m(self): pass\n",
		"packages/b/pyproject.toml": "[project]\nname=\"pb\"\n", "packages/b/src/pb/use.py": "from pa.core import foo, K\nfoo()\nK().m()\n",
	}, "pyright-langserver", "node")
	for _, call := range [][2]string{{"references", "foo"}, {"callers", "foo"}, {"callers", "K.m"}, {"callers", "K"}} {
		out := b.ok(call[0], "query", call[1])
		places, told := out.others()
		if !strings.Contains(places, "use.py") || !strings.Contains(told, "use.py:") || !strings.Contains(out.Text, "use.py:") || out.Text == "none\n" || out.data["backend"] != "lsp:pyright" {
			t.Errorf("%v: %s\n%s\n%s", call, out.raw, out.Text, told)
		}
	}
}

// What is imported under another name is used under that, and an answer that has all says nothing more.
func TestPythonAliases(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"core.py": "def foo(a): return a\n\nclass K:\n    def m(self): ...\n",
		"use.py":  "from core import (\n    foo as f2,\n    K as KK,\n)\nf2(1)\nf2(2)\nKK().m()\n",
		"more.py": "from core import foo\nfoo(3)\n",
	}
	for name, b := range map[string]*bench{"pyright": withServers(t, files, "pyright-langserver", "node"), "names": project(t, files)} {
		out := b.ok("callers", "query", "foo")
		if out.data["total"] != 3.0 || !strings.Contains(out.Text, "use.py:5:") || !strings.Contains(out.Text, "use.py:6:") || !strings.Contains(out.Text, "more.py:2:") {
			t.Errorf("%s, callers of a function: %s\n%s", name, out.raw, out.Text)
		}
		if name == "names" && !hasGrammars() {
			continue
		}
		if out = b.ok("callers", "query", "K", "path", "core.py"); out.data["total"] != 1.0 || !strings.Contains(out.Text, "use.py:7:") {
			t.Errorf("%s, callers of a class: %s\n%s", name, out.raw, out.Text)
		}
		if out = b.ok("references", "query", "foo"); !strings.Contains(out.Text, "use.py:5:") || out.data["others"] != nil {
			t.Errorf("%s, references: %s\n%s", name, out.raw, out.Text)
		}
	}
}

// The server of TypeScript has read one project of several: calls and implementations in the others are found all the same.
func TestTypeScriptOfSeveralProjects(t *testing.T) {
	t.Parallel()
	b := withServers(t, map[string]string{
		"package.json":            `{"private":true,"workspaces":["packages/*"]}`,
		"packages/a/package.json": `{"name":"@x/a","main":"src/index.ts","types":"src/index.ts"}`, "packages/a/tsconfig.json": `{"compilerOptions":{"strict":true,"composite":true,"outDir":"dist"},"include":["src"]}`,
		"packages/a/src/index.ts": "export function foo() { return 1 }\nexport class K { m() {} }\nexport interface I { run(): void }\nexport abstract class Abs { abstract go(): void }\n",
		"packages/b/package.json": `{"name":"@x/b","dependencies":{"@x/a":"*"}}`, "packages/b/tsconfig.json": `{"compilerOptions":{"strict":true,"baseUrl":".","paths":{"@x/a":["../a/src/index.ts"]}},"include":["src"],"references":[{"path":"../a"}]}`,
		"packages/b/src/m.ts":   "import { foo, K, I } from \"@x/a\";\nfoo();\nnew K().m();\nexport class J implements I { run() {} }\nexport function u(k: K, i: I) { k.m(); i.run(); }\n",
		"packages/b/src/rel.ts": "import { foo as f, Abs } from \"../../a/src/index\";\nf();\nexport class X extends Abs { go() {} }\n",
	}, "typescript-language-server", "node")
	for _, call := range []struct {
		action, query string
		want          []string
	}{
		{"callers", "K.m", []string{"m.ts:3:", "m.ts:5:"}}, {"implementations", "I", []string{"m.ts:4:"}}, {"implementations", "I.run", []string{"m.ts:4:"}},
		{"implementations", "Abs", []string{"rel.ts:3:"}}, {"callers", "foo", []string{"m.ts:2:", "rel.ts:2:"}}, {"callers", "K", []string{"m.ts:3:"}},
	} {
		out := b.ok(call.action, "query", call.query)
		for _, want := range call.want {
			if call.action == "implementations" && !hasGrammars() {
				want, _, _ = strings.Cut(want, ":") // as a file that holds the name
			}
			if !strings.Contains(out.Text, want) || out.data["backend"] != "lsp:typescript-language-server" {
				t.Errorf("%s of %s: no %s in\n%s\n%s %v", call.action, call.query, want, out.Text, out.raw, out.Envelope.Meta.Warnings)
			}
		}
	}
}

var pages = map[string]string{
	"a.ts": "export function foo() { return 1 }\n", "b.ts": "import { foo } from \"./a\";\nfoo();\n", "README.md": "Call foo.\n", "page.html": "<p>foo</p>\n<button onclick=\"foo()\">x</button>\n",
	"d.vue": "<script setup lang=\"ts\">\nimport { foo } from \"./a\"\nfoo()\n</script>\n", "e.svelte": "<script>\nimport { foo } from \"./a\";\nfoo();\n</script>\n",
}

// Files that hold code and are no sources are told of: they are not read by the server, and a rename breaks them.
func TestNamesInTemplates(t *testing.T) {
	t.Parallel()
	b := withServers(t, pages, "typescript-language-server", "node")
	for _, call := range [][]any{{"references", "query", "foo"}, {"callers", "query", "foo"}, {"rename", "query", "foo", "new_name", "bar", "dry_run", true}, {"rename", "query", "foo", "new_name", "bar", "kind", "text", "dry_run", true}} {
		out := b.ok(call[0].(string), call[1:]...)
		_, told := out.others()
		if !strings.Contains(told, "d.vue:") || !strings.Contains(told, "e.svelte:") || call[0] != "rename" && strings.Contains(told, "README.md:") {
			t.Errorf("%v: %s\n%s", call, told, out.Text)
		}
	}
	b = project(t, pages)
	if out := b.ok("references", "query", "foo"); !strings.Contains(out.Text, "d.vue:2:") || !strings.Contains(out.Text, "page.html:2:") || strings.Contains(out.Text, "page.html:1:") {
		t.Errorf("without a server: %s\n%s", out.raw, out.Text)
	}
}

// A script says in its first line what it is.
func TestNamesInScripts(t *testing.T) {
	t.Parallel()
	b := project(t, map[string]string{"core.py": "def foo(): return 1\n", "scripts/run": "#!/usr/bin/env python3\nfrom core import foo\nfoo()\n", "notes": "foo()\n"})
	if err := os.Chmod(filepath.Join(b.dir, "scripts/run"), 0o755); err != nil {
		t.Fatal(err)
	}
	if out := b.ok("callers", "query", "foo"); out.data["total"] != 1.0 || !strings.Contains(out.Text, "scripts/run:3:") {
		t.Errorf("%s\n%s", out.raw, out.Text)
	}
}

// A server that is sure of what it sees is not doubted, but "none" of it stands beside the places that there are.
func TestGoplsNone(t *testing.T) {
	t.Parallel()
	b := withServers(t, map[string]string{
		"go.mod": "module example.test/m\n\ngo 1.21\n",
		"a.go":   "package m\n\ntype A struct{}\n\nfunc (A) Run() {}\n\ntype B struct{}\n\nfunc (B) Run() {}\n\nfunc use(b B) { b.Run() }\n",
	}, "gopls", "go")
	if out := b.ok("callers", "query", "B.Run"); out.data["total"] != 1.0 || out.data["others"] != nil || len(out.Envelope.Meta.Warnings) > 0 {
		t.Errorf("%s %v\n%s", out.raw, out.Envelope.Meta.Warnings, out.Text)
	}
	if out := b.ok("callers", "query", "A.Run"); out.data["total"] != 0.0 || !strings.Contains(out.Text, "a.go:11:") {
		t.Errorf("%s %v\n%s", out.raw, out.Envelope.Meta.Warnings, out.Text)
	}
}

// Of what implements an interface one's own types come first, and a hierarchy has them too.
func TestImplementersOfMine(t *testing.T) {
	t.Parallel()
	b := withServers(t, map[string]string{
		"go.mod": "module example.test/m\n\ngo 1.21\n",
		"a.go":   "package m\n\nimport \"os\"\n\ntype I interface{ Error() string }\n\ntype MyErr struct{}\n\nfunc (MyErr) Error() string { return \"\" }\n\ntype Other struct{}\n\nvar _ = os.Open\n",
	}, "gopls", "go")
	for _, query := range []string{"I", "I.Error"} {
		out := b.ok("implementations", "query", query, "max_results", 5)
		if places := out.list("results", "path"); len(places) == 0 || places[0] != "a.go" || !strings.HasPrefix(out.Text, "a.go") {
			t.Errorf("%s: %s\n%s", query, out.raw, out.Text)
		}
	}
	if out := b.ok("hierarchy", "query", "I"); !strings.Contains(out.Text, "\n  v MyErr  a.go:7\n") || strings.Contains(out.Text, "Other") || strings.Count(out.Text, "\n") > 20 {
		t.Errorf("below: %s", out.Text)
	}
	if out := b.ok("hierarchy", "query", "MyErr"); !strings.Contains(out.Text, "  ^ I  a.go:5\n") {
		t.Errorf("above: %s", out.Text)
	}
}

// Without a server interfaces are compared by the names of their methods, which is said.
func TestHierarchyOfInterfaces(t *testing.T) {
	t.Parallel()
	b := project(t, map[string]string{"a.go": "package m\n\ntype I interface{ Error() string }\n\ntype MyErr struct{}\n\nfunc (MyErr) Error() string { return \"\" }\n"})
	out := b.ok("hierarchy", "query", "I")
	if w := strings.Join(out.Envelope.Meta.Warnings, " "); !strings.Contains(out.Text, "v MyErr  a.go:5") || !strings.Contains(w, "names of their methods") {
		t.Errorf("%s %s", w, out.Text)
	}
	if out = b.ok("hierarchy", "query", "MyErr"); !strings.Contains(strings.Join(out.Envelope.Meta.Warnings, " "), "not compared") {
		t.Errorf("%v", out.Envelope.Meta.Warnings)
	}
}

// A shell runs its functions without brackets, and its server has no call hierarchy.
func TestCallersInShells(t *testing.T) {
	t.Parallel()
	files := map[string]string{"lib.sh": "#!/bin/bash\ngreet() {\n  echo hi\n}\n\ngreet 1\nx=$(greet 2)\nif greet; then :; fi\nexport -f greet\n"}
	for name, b := range map[string]*bench{"names": project(t, files), "server": withServers(t, files, "bash-language-server", "node")} {
		out := b.ok("callers", "query", "greet")
		for _, line := range []string{"lib.sh:6:", "lib.sh:7:", "lib.sh:8:"} {
			if !strings.Contains(out.Text, line) || strings.Contains(out.Text, "lib.sh:9:") {
				t.Errorf("%s: %s\n%s", name, out.raw, out.Text)
			}
		}
	}
}
