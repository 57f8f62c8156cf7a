package code

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/lsp"
)

// Python in a folder below the root is seen as its own configuration has it, by a bounded number of servers.
func TestPythonOfASubfolder(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	files := map[string]string{
		"api/pyrightconfig.json": `{"reportMissingImports":"warning","extraPaths":["lib","src"]}`, "api/lib/util.py": "def slug(s: str) -> str:\n    return s\n",
		"api/app.py": "from util import slug\n\nslug(1)\n", "api/src/pk/__init__.py": "def pf(n: int): ...\n", "api/tests/t.py": "from pk import pf\n\npf('x')\n",
		"work/pyproject.toml": "[project]\nname = 'w'\n\n[tool.pyright]\nvenvPath = '.'\nvenv = 'env'\n", "work/env/pyvenv.cfg": "home = /usr/bin\n",
		"work/env/lib/python3.11/site-packages/dep.py": "def made() -> int:\n    return 1\n", "work/w.py": "from dep import made\n\nx: str = made()\n",
		"top.py": "from api.lib.util import slug\n\nslug('a')\n",
	}
	b := withServers(t, files, "pyright-langserver", "node")
	for name, want := range map[string]string{"api/app.py": "app.py:3:", "api/tests/t.py": "t.py:3:", "work/w.py": "w.py:3:"} {
		out := b.ok("diagnostics", "path", name)
		if out.data["errors"] != 1.0 || !strings.Contains(out.Text, want) || strings.Contains(out.Text, "could not be resolved") {
			t.Errorf("%s: %s", name, out.Text)
		}
	}
	out := b.ok("references", "query", "slug")
	for _, want := range []string{"api/app.py:1:", "api/app.py:3:", "top.py:1:", "top.py:3:"} {
		if !strings.Contains(out.Text, want) {
			t.Errorf("references: no %s: %s", want, out.Text)
		}
	}
	out = b.ok("diagnostics", "path", ".")
	if out.data["errors"] != 3.0 {
		t.Errorf("%s", out.Text)
	}
}

// More folders with a configuration than servers may run are looked at one after the other.
func TestPythonOfManySubfolders(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	files := map[string]string{}
	for i := range 6 {
		dir := fmt.Sprintf("p%d/", i)
		files[dir+"pyproject.toml"] = "[tool.pyright]\nextraPaths = ['lib']\n"
		files[dir+"lib/util.py"] = "def slug(s: str) -> str:\n    return s\n"
		files[dir+"app.py"] = "from util import slug\n\nslug(1)\n"
	}
	b := withServers(t, files, "pyright-langserver", "node")
	if out := b.ok("diagnostics", "path", "."); out.data["errors"] != 6.0 || out.data["backend"] != "lsp:pyright" {
		t.Errorf("%s\n%s", out.warned(), out.Text)
	}
}

// A configuration in a folder below the root starts nothing of the checkout.
func TestHostilePythonProject(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	marker := filepath.Join(dir, "owned")
	evil, script := "open('"+marker+"', 'w').write('x')\n", "#!/bin/sh\necho x >'"+marker+"'\n"
	files := map[string]string{
		"sub/pyproject.toml": "[tool.pyright]\nvenvPath = '.'\nvenv = 'env'\npythonPath = './env/bin/python'\ndefaultInterpreterPath = './env/bin/python'\n",
		"sub/env/pyvenv.cfg": "home = " + dir + "/sub/env/bin\n", "sub/env/bin/python": script, "sub/env/bin/python3": script, "sub/python3": script, "sub/python": script,
		"sub/json.py": evil, "sub/os.py": evil, "sub/site.py": evil, "sub/sitecustomize.py": evil, "sub/usercustomize.py": evil,
		"sub/env/lib/python3.11/site-packages/a.pth": "import os; open('" + marker + "', 'w')\n",
		"sub/package.json":                           `{"main":"x.js","type":"module"}`, "sub/node_modules/pyright/index.js": "require('fs').writeFileSync('" + marker + "', 'x')\n",
		"sub/a.py": "def area(n: int) -> int:\n    return n\n\narea('x')\n",
	}
	b := withServersIn(t, dir, files, Config{}, "pyright-langserver", "node")
	for _, name := range []string{"env/bin/python", "env/bin/python3", "python", "python3"} {
		if err := os.Chmod(filepath.Join(dir, "sub", name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if out := b.ok("diagnostics", "path", "sub/a.py"); out.data["backend"] != "lsp:pyright" || !strings.Contains(out.Text, "a.py:4:") {
		t.Errorf("%s\n%s", out.warned(), out.Text)
	}
	if out := b.ok("references", "query", "area"); out.data["total"] != 2.0 {
		t.Errorf("%s", out.Text)
	}
	if _, err := os.Stat(marker); err == nil {
		t.Error("code of the project was run")
	}
}

// The nearest configuration counts, as far as the root and no further.
func TestHomeOf(t *testing.T) {
	t.Parallel()
	b := project(t, map[string]string{
		"a/pyproject.toml": "[tool.ruff]\nx = 1\n", "a/b/pyproject.toml": "[build-system]\n\n  [ tool . pyright.x ]\n", "a/b/c/m.py": "", "a/m.py": "", "m.py": "",
		"a/b/d/pyrightconfig.json/x": "", "a/b/d/m.py": "", "a/e/pyrightconfig.json": "{}", "a/e/m.py": "",
	})
	for file, want := range map[string]string{"m.py": ".", "a/m.py": ".", "a/b/c/m.py": "a/b", "a/b/d/m.py": "a/b", "a/e/m.py": "a/e"} {
		if got := b.home(file); got != want {
			t.Errorf("%s: %s, want %s", file, got, want)
		}
	}
}

func (b *bench) home(file string) string {
	b.Helper()
	c := &tools.Call{Roots: b.roots}
	p, _, err := resolve(c, file)
	if err != nil {
		b.Fatal(err)
	}
	return homeOf(b.Context(), c, &lsp.Spec{ByConfig: true}, p, workspaceOf(c, p)).Rel
}
