package code

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
)

// What another root uses is told by all that ask where a name is used, and is in use.
func TestUsesInAnotherRoot(t *testing.T) {
	t.Parallel()
	lib := map[string]string{
		"go.mod": "module ex.com/lib\n\ngo 1.22\n", "l.go": "package lib\n\nfunc Help() {}\n\nfunc Own() {}\n", "l.py": "def pyf():\n    return 1\n",
	}
	app := map[string]string{
		"go.mod": "module ex.com/app\n\ngo 1.22\n\nrequire ex.com/lib v0.0.0\n\nreplace ex.com/lib => ../lib\n",
		"m.go":   "package main\n\nimport \"ex.com/lib\"\n\nfunc main() { lib.Help() }\n", "m.py": "from l import pyf\npyf()\n",
	}
	for name, b := range map[string]*bench{"names": project(t, lib), "servers": withServers(t, lib, "gopls", "pyright-langserver", "node")} {
		second, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		for file, text := range app {
			write(t, filepath.Join(second, file), text)
		}
		if b.roots, err = sandbox.Open(sandbox.Config{Dirs: []string{b.dir, second}, State: t.TempDir()}); err != nil {
			t.Fatal(err)
		}
		second = filepath.ToSlash(second)
		for _, at := range [][3]string{{"l.go", "Help", "/m.go:5"}, {"l.py", "pyf", "/m.py:2"}} {
			if at[0] == "l.py" && !hasGrammars() {
				continue
			}
			for _, action := range []string{"references", "callers"} {
				if out := b.ok(action, "path", at[0], "query", at[1]); !strings.Contains(out.Text, second+at[2]) {
					t.Errorf("%s, %s of %s: %s\n%s", name, action, at[1], out.raw, out.Text)
				}
			}
			if e := b.fails(tools.Conflict, safeDelete, "path", at[0], "name_path", at[1]).Envelope.Error; !strings.Contains(e.Message, second) {
				t.Errorf("%s: %s", name, e.Message)
			}
			if name == "servers" {
				out := b.ok("rename", "path", at[0], "query", at[1], "new_name", "fresh", "dry_run", true)
				if !strings.Contains(out.warned(), "places of other roots") || !strings.Contains(out.warned(), second+at[2][:5]) {
					t.Errorf("rename of %s: %s", at[1], out.warned())
				}
			}
		}
		b.ok(safeDelete, "path", "l.go", "name_path", "Own")
	}
}

// A rename changes names only: at the path of an import it would name a package that is not there.
func TestRenameAtAnImportPath(t *testing.T) {
	t.Parallel()
	files := map[string]string{"tsconfig.json": "{}\n", "a.ts": "export const f = 1;\nexport default 2;\n", "b.ts": "import d, { f } from './a';\nconsole.log(d, f);\n"}
	b := withServers(t, files, "typescript-language-server", "node")
	e := b.fails(tools.Conflict, "rename", "path", "b.ts", "line", 1, "column", 25, "new_name", "z").Envelope.Error
	if !strings.Contains(e.Message, "path of an import") {
		t.Error(e.Message)
	}
	for name, text := range files {
		if got := b.read(name); got != text {
			t.Errorf("%s: %s", name, got)
		}
	}
	b.ok("rename", "path", "b.ts", "line", 1, "column", 8, "new_name", "dd")
	if got := b.read("b.ts"); got != "import dd, { f } from './a';\nconsole.log(dd, f);\n" {
		t.Error(got)
	}
}

// What is below a type may be in another root.
func TestBelowInOtherRoots(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	b, further := twoRoots(t,
		map[string]string{"base.py": "class Base:\n    def run(self): pass\n", "o.py": "class Base: pass\n"},
		map[string]string{"sub.py": "from base import Base\nclass Sub(Base):\n    def run(self): pass\n"})
	for query, want := range map[string]string{"Base": further + "/sub.py:2", "Base.run": further + "/sub.py:3"} {
		if got := called(b.ok("implementations", "path", "base.py", "query", query)); got != want {
			t.Errorf("implementations of %s: %s, want %s", query, got, want)
		}
	}
	if out := b.ok("hierarchy", "path", "base.py", "query", "Base"); !strings.Contains(out.Text, further+"/sub.py:2") || strings.Contains(out.Text, "?") {
		t.Errorf("%s", out.Text)
	}
	if out := b.ok("hierarchy", "query", "Sub"); !strings.Contains(out.Text, "^ Base  base.py:1") {
		t.Errorf("%s", out.Text)
	}
}
