package code

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
)

// withServers makes a project whose tool may start the language servers that are installed.
func withServers(t testing.TB, files map[string]string, programs ...string) *bench {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return withServersIn(t, dir, files, Config{}, programs...)
}

func withServersIn(t testing.TB, dir string, files map[string]string, cfg Config, programs ...string) *bench {
	t.Helper()
	path := launch.NewPath(launch.PathConfig{Env: os.Environ(), Roots: []string{dir}, WorkDir: dir, NoLoginShell: true})
	for _, p := range programs {
		if _, err := path.Look(p); err != nil {
			t.Skipf("%s is not installed", p)
		}
	}
	home, err := os.UserHomeDir()
	if err != nil {
		t.Skip("no home folder")
	}
	temp, cache := t.TempDir(), t.TempDir()
	caches, err := launch.CacheEnv(os.Environ(), home, cache)
	if err != nil {
		t.Fatal(err)
	}
	l := launch.New(launch.Config{Writable: []string{dir}, TempDir: temp, CacheDir: cache})
	t.Cleanup(func() {
		l.Close()
		filepath.Walk(cache, func(p string, fi os.FileInfo, err error) error { // the module cache is read-only
			if err == nil && fi.IsDir() {
				os.Chmod(p, 0o755)
			}
			return nil
		})
	})
	env, _ := launch.Environ(launch.EnvConfig{Base: os.Environ(), Path: path.String(), TempDir: temp, Cache: caches})
	if cfg.Environ != nil { // over that of the test
		env = launch.MergeEnv(env, cfg.Environ())
	}
	cfg.Launcher, cfg.Look = l, path.Look
	cfg.Environ = func() []string { return env }
	if cfg.Allowed == nil {
		cfg.Allowed = func() (bool, string) { return true, "" }
	}
	return over(t, dir, files, cfg)
}

var goProject = map[string]string{
	"go.mod": "module example.test/m\n\ngo 1.21\n",
	"a.go": `package m

// Shape has an area.
type Shape interface {
	Area() float64
}

// Square is a shape.
type Square struct{ side float64 }

// Area of the square.
func (s *Square) Area() float64 { return s.side * s.side }

type Field struct{ acres float64 }

func (f Field) Size() float64 { return f.acres }

func (s *Square) Size() float64 { return s.side }
`,
	"b.go": `package m

import "fmt"

// Show prints "Area" and Size.
func Show(s *Square, f Field) {
	fmt.Println("Size", s.Area(), s.Size(), f.Size())
}

func Twice(s *Square, f Field) { Show(s, f); Show(s, f) }
`,
}

func TestGopls(t *testing.T) {
	t.Parallel()
	b := withServers(t, goProject, "gopls", "go")
	out := b.ok("definition", "path", "b.go", "line", 7, "column", strings.Index("	fmt.Println(\"Size\", s.Area()", "Area")+1)
	if out.data["backend"] != "lsp:gopls" || out.data["path"] != "a.go" || out.data["line"] != 12.0 || !strings.Contains(out.Text, "return s.side * s.side") {
		t.Errorf("definition: %s\n%s", out.raw, out.Text)
	}
	out = b.ok("references", "query", "Square.Size")
	if out.data["backend"] != "lsp:gopls" || out.data["total"] != 2.0 || !strings.Contains(out.Text, "b.go:7:") || !strings.Contains(out.Text, "in func Show(") {
		t.Errorf("references of one of two methods of a name: %s\n%s", out.raw, out.Text)
	}
	out = b.ok("implementations", "query", "Shape")
	if !strings.Contains(out.Text, "a.go:9:") || strings.Contains(out.Text, "Field") {
		t.Errorf("implementations: %s", out.Text)
	}
	out = b.ok("hover", "query", "Square.Area")
	if !strings.Contains(out.Text, "Area of the square") || out.data["backend"] != "lsp:gopls" {
		t.Errorf("hover: %s %s", out.raw, out.Text)
	}
	out = b.ok("callers", "query", "Show")
	if out.data["total"] != 2.0 || !strings.Contains(out.Text, "b.go:10:") {
		t.Errorf("callers: %s\n%s", out.raw, out.Text)
	}
	// A definition in a library is not read, but told.
	out = b.ok("definition", "path", "b.go", "line", 7, "column", 7)
	if !strings.Contains(out.Text, "outside the roots") || !strings.Contains(out.Text, "func fmt.Println") {
		t.Errorf("definition in a library: %s", out.Text)
	}
	// A file that changes on disk, one that is opened and one that is not.
	write(t, filepath.Join(b.dir, "c.go"), "package m\n\nfunc Third(s *Square) { Show(s, Field{}) }\n")
	if out = b.ok("callers", "query", "Show"); out.data["total"] != 3.0 {
		t.Errorf("callers after a file was made: %s", out.Text)
	}
	write(t, filepath.Join(b.dir, "a.go"), strings.Replace(goProject["a.go"], "s.side * s.side", "s.syde", 1))
	out = b.ok("diagnostics", "path", "a.go")
	if out.data["backend"] != "lsp:gopls" || out.data["errors"] != 1.0 || !strings.Contains(out.Text, "a.go:12:") || !strings.Contains(out.Text, "syde") {
		t.Errorf("diagnostics: %s\n%s", out.raw, out.Text)
	}
}

// A rename of a method leaves the method of that name of another type alone, and strings (text rename does not).
func TestSemanticRename(t *testing.T) {
	t.Parallel()
	b := withServers(t, goProject, "gopls", "go")
	dry := b.ok("rename", "query", "(*Square).Size", "new_name", "Length", "dry_run", true)
	if b.read("b.go") != goProject["b.go"] || !strings.Contains(dry.Text, "+++ b/b.go") {
		t.Fatalf("dry run: %s", dry.Text)
	}
	b.fails(tools.Conflict, "rename", "query", "Square.Size", "new_name", "Length", "expected_count", 7)
	out := b.ok("rename", "query", "Square.Size", "new_name", "Length", "expected_count", 2)
	want := strings.Replace(goProject["b.go"], "s.Size()", "s.Length()", 1)
	if got := b.read("b.go"); got != want {
		t.Errorf("b.go:\n%s", got)
	}
	if got := b.read("a.go"); got != strings.Replace(goProject["a.go"], "(s *Square) Size", "(s *Square) Length", 1) {
		t.Errorf("a.go:\n%s", got)
	}
	if out.data["files_changed"] != 2.0 || out.Text != dry.Text {
		t.Errorf("%s", out.raw)
	}
	// A name that is taken is the server's to refuse.
	b.fails(tools.Conflict, "rename", "query", "Square.Length", "new_name", "Area")
	// All files or none: one that may not be written keeps all as they are.
	before := b.read("a.go")
	if err := os.Chmod(filepath.Join(b.dir, "b.go"), 0o444); err != nil {
		t.Fatal(err)
	}
	refused := b.fails(tools.PermissionDenied, "rename", "query", "Square.Length", "new_name", "Width")
	if b.read("a.go") != before || len(refused.list("skipped", "path")) != 1 {
		t.Errorf("half a rename: %s", refused.raw)
	}
}

func TestTypeScriptServer(t *testing.T) {
	t.Parallel()
	b := withServers(t, map[string]string{
		"tsconfig.json": `{"compilerOptions":{"strict":true,"module":"esnext","moduleResolution":"bundler","plugins":[{"name":"evil"}]},"include":["*.ts"]}`,
		"a.ts":          "export function area(side: number): number {\n  return side * side;\n}\n",
		"b.ts":          "import { area } from './a';\n\nexport const two = () => area(2) + area(3);\nexport const bad: string = area(1);\n",
	}, "typescript-language-server", "node")
	out := b.ok("definition", "path", "b.ts", "line", 3, "column", 26)
	if out.data["path"] != "a.ts" || out.data["line"] != 1.0 || out.data["backend"] != "lsp:typescript-language-server" {
		t.Errorf("the first answer is the import line, not the target: %s\n%s", out.raw, out.Text)
	}
	if out = b.ok("references", "query", "area"); out.data["total"].(float64) < 5 {
		t.Errorf("references: %s", out.Text)
	}
	out = b.ok("diagnostics", "path", "b.ts")
	if out.data["errors"] != 1.0 || !strings.Contains(out.Text, "b.ts:4:14: error") {
		t.Errorf("diagnostics: %s", out.Text)
	}
	b.ok("rename", "query", "area", "new_name", "square")
	if got := b.read("b.ts"); !strings.Contains(got, "import { square } from") || !strings.Contains(got, "square(2) + square(3)") {
		t.Errorf("rename: %s", got)
	}
}

func TestPyright(t *testing.T) {
	t.Parallel()
	b := withServers(t, map[string]string{
		"shapes.py": "class Square:\n    \"\"\"A square.\"\"\"\n\n    def area(self) -> int:\n        return 1\n",
		"use.py":    "from shapes import Square\n\n\ndef show(s: Square) -> str:\n    return s.area()\n",
	}, "pyright-langserver", "node")
	out := b.ok("definition", "path", "use.py", "line", 5, "column", 14)
	if out.data["path"] != "shapes.py" || out.data["line"] != 4.0 || out.data["backend"] != "lsp:pyright" {
		t.Errorf("definition: %s\n%s", out.raw, out.Text)
	}
	out = b.ok("diagnostics", "path", "use.py")
	if out.data["errors"] != 1.0 || !strings.Contains(out.Text, "use.py:5:12: error") {
		t.Errorf("diagnostics: %s", out.Text)
	}
	// Places are right behind characters that servers count as two, a BOM and CRLF.
	wide := bom + "from shapes import Square\r\n\r\ns = '😀ä'; n = Square().area()  # area\r\n"
	write(t, filepath.Join(b.dir, "wide.py"), wide)
	b.ok("rename", "path", "shapes.py", "line", 4, "column", 9, "new_name", "size")
	if got := b.read("wide.py"); got != strings.Replace(wide, "Square().area()", "Square().size()", 1) {
		t.Errorf("%q", got)
	}
	if got := b.read("use.py"); !strings.Contains(got, "return s.size()") {
		t.Errorf("%q", got)
	}
}

// The first answer of this server is null.
func TestBashServer(t *testing.T) {
	t.Parallel()
	b := withServers(t, map[string]string{
		"lib.sh": "#!/bin/bash\ngreet() {\n  echo hi\n}\n\nmain() {\n  greet\n}\n",
	}, "bash-language-server", "node")
	out := b.ok("definition", "path", "lib.sh", "line", 7, "column", 3)
	if out.data["line"] != 2.0 || out.data["backend"] != "lsp:bash-language-server" {
		t.Errorf("definition: %s\n%s", out.raw, out.Text)
	}
}

// A checkout's own tsserver and its plugins are never run.
func TestHostileTypeScriptProject(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	marker := filepath.Join(dir, "owned")
	evil := "require('fs').writeFileSync(" + quoteJS(marker) + ", 'x');\nmodule.exports = () => ({ create: (i) => { require('fs').writeFileSync(" + quoteJS(marker) + ", 'y'); return i.languageService; } });\n"
	files := map[string]string{
		"node_modules/typescript/package.json":         `{"name":"typescript","version":"5.9.3","main":"lib/typescript.js"}`,
		"node_modules/typescript/lib/tsserver.js":      evil,
		"node_modules/typescript/lib/typescript.js":    evil,
		"node_modules/typescript/lib/_tsserver.js":     evil,
		"node_modules/evil/package.json":               `{"name":"evil","version":"1.0.0","main":"index.js"}`,
		"node_modules/evil/index.js":                   evil,
		"node_modules/.bin/typescript-language-server": "#!/bin/sh\necho x >" + marker + "\n",
		".vscode/settings.json":                        `{"typescript.tsdk":"node_modules/typescript/lib"}`,
		"package.json":                                 `{"name":"x","version":"1.0.0"}`,
		"tsconfig.json":                                `{"compilerOptions":{"plugins":[{"name":"evil"}]}}`,
		"a.ts":                                         "export function area(): number {\n  return 1;\n}\narea();\n",
	}
	b := withServersIn(t, dir, files, Config{}, "typescript-language-server", "node")
	os.Chmod(filepath.Join(dir, "node_modules/.bin/typescript-language-server"), 0o755)
	out := b.ok("references", "query", "area")
	if out.data["backend"] != "lsp:typescript-language-server" || out.data["total"] != 2.0 {
		t.Errorf("the user's own server did not answer: %s %v", out.raw, out.Envelope.Meta.Warnings)
	}
	if _, err := os.Stat(marker); err == nil {
		t.Error("code of the project was run")
	}
}

// A toolchain that a checkout names is not run in place of the user's.
func TestHostileRustToolchain(t *testing.T) {
	t.Parallel()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	marker := filepath.Join(dir, "owned")
	files := map[string]string{
		"rust-toolchain.toml":    "[toolchain]\npath = \"" + filepath.ToSlash(filepath.Join(dir, "evil")) + "\"\n",
		"evil/bin/rust-analyzer": "#!/bin/sh\necho x >" + marker + "\n",
		"evil/bin/rustc":         "#!/bin/sh\necho x >" + marker + "\n",
		"evil/bin/cargo":         "#!/bin/sh\necho x >" + marker + "\n",
		"evil/lib/x":             "",
		"Cargo.toml":             "[package]\nname = \"x\"\nversion = \"0.1.0\"\n",
		"build.rs":               "fn main() { std::fs::write(" + strconv.Quote(marker) + ", \"x\").unwrap(); }\n",
		".cargo/config.toml":     "[build]\nrustc-wrapper = \"" + filepath.ToSlash(filepath.Join(dir, "evil/bin/rustc")) + "\"\n",
		"src/lib.rs":             "pub fn area() -> i32 {\n    1\n}\n",
	}
	b := withServersIn(t, dir, files, Config{}, "rust-analyzer")
	for _, name := range []string{"rust-analyzer", "rustc", "cargo"} {
		os.Chmod(filepath.Join(dir, "evil/bin", name), 0o755)
	}
	b.call("hover", "query", "area", "path", "src/lib.rs")
	if _, err := os.Stat(marker); err == nil {
		t.Error("code of the project was run")
	}
}

func quoteJS(s string) string { return "'" + strings.ReplaceAll(s, "\\", "\\\\") + "'" }

// Without leave nothing is started, and the answer says why and that names were compared.
func TestNotAllowed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cfg := Config{Allowed: func() (bool, string) { return false, "children cannot be confined, and the project is not trusted" }}
	b := withServersIn(t, dir, goProject, cfg)
	out := b.ok("references", "query", "Show")
	if out.data["backend"] != "syntax" || out.data["total"] != 3.0 || !strings.Contains(strings.Join(out.Envelope.Meta.Warnings, " "), "cannot be confined") {
		t.Errorf("%s %v\n%s", out.raw, out.Envelope.Meta.Warnings, out.Text)
	}
	b.fails(tools.Unsupported, "rename", "query", "Show", "new_name", "Print")
}

// A server that hangs, crashes or floods costs an answer by names, and not the call's time.
func TestBadServers(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"crash":          "exit 3",
		"crash later":    `read line; echo 'Content-Length: 3' >&2; exit 1`,
		"no header":      "while :; do echo -n xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx; done",
		"huge message":   `printf 'Content-Length: 99999999999\r\n\r\n'; sleep 60`,
		"header forever": `while :; do printf 'A: b\r\n'; done`,
		"no JSON":        `printf 'Content-Length: 5\r\n\r\nhello'; sleep 60`,
		"flood":          `while :; do printf 'Content-Length: 40\r\n\r\n{"jsonrpc":"2.0","method":"x","params":{}'; done`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			bin, ran := filepath.Join(dir, ".server"), filepath.Join(dir, "ran") // where a confined program is seen
			write(t, bin, "#!/bin/sh\n: >'"+ran+"'\n"+script+"\n")
			os.Chmod(bin, 0o755)
			b := withServersIn(t, dir, map[string]string{"a.go": goProject["a.go"]}, Config{Servers: []Server{{Name: "go", Command: []string{bin}}}})
			start := time.Now()
			out := b.ok("references", "query", "Square")
			if out.data["backend"] != "syntax" || out.data["total"] != 3.0 {
				t.Errorf("%s %v", out.raw, out.Envelope.Meta.Warnings)
			}
			if _, err := os.Stat(ran); err != nil {
				t.Error("the server never ran")
			}
			if took := time.Since(start); took > 15*time.Second {
				t.Errorf("took %s", took)
			}
		})
	}
}

// The server of TypeScript sees what a project or an import names, so it is shown the files that hold the name.
func TestTypeScriptWithoutProject(t *testing.T) {
	t.Parallel()
	b := withServers(t, map[string]string{
		"lib/a.js":       "export function area(x) { return x }\nexport function other() {}\n",
		"app/b.js":       "import { area } from '../lib/a.js'\nconsole.log(area(1))\n",
		"test/a.test.js": "import { area } from '../lib/a.js'\narea(2); area(3)\n",
	}, "typescript-language-server", "node")
	out := b.ok("references", "path", "lib/a.js", "query", "area")
	if out.data["backend"] != "lsp:typescript-language-server" || out.data["total"] != 6.0 {
		t.Errorf("references: %s\n%s", out.raw, out.Text)
	}
	b.fails(tools.Conflict, "rename", "path", "lib/a.js", "query", "area", "new_name", "other")
	out = b.ok("rename", "path", "lib/a.js", "query", "area", "new_name", "size")
	if out.data["files_changed"] != 3.0 || !strings.Contains(b.read("test/a.test.js"), "size(2); size(3)") {
		t.Errorf("rename: %s\n%s", out.raw, out.Text)
	}
}

// Files of other systems and of build tags are out of gopls' sight, which is said.
func TestGoplsBuildTags(t *testing.T) {
	t.Parallel()
	b := withServers(t, map[string]string{
		"go.mod": "module example.test/m\n\ngo 1.21\n", "a.go": "package m\n\nfunc Run() { run() }\n",
		"run_plan9.go": "package m\n\nfunc run() {}\n", "run_tag.go": "//go:build special\n\npackage m\n\nfunc init() { run() }\n", "run.go": "//go:build !plan9\n\npackage m\n\nfunc run() {}\n",
	}, "gopls", "go")
	for _, call := range [][]any{{"references", "path", "run.go", "query", "run"}, {"rename", "path", "run.go", "query", "run", "new_name", "walk", "dry_run", true}} {
		out := b.ok(call[0].(string), call[1:]...)
		if w := strings.Join(out.Envelope.Meta.Warnings, " "); !strings.Contains(w, "2 places") || !strings.Contains(w, "run_plan9.go:3") || !strings.Contains(w, "run_tag.go:5") {
			t.Errorf("%v: %s", call, w)
		}
	}
}

// A rename after which a file would not parse, or onto a name that is taken, changes nothing.
func TestRenameRefused(t *testing.T) {
	t.Parallel()
	b := withServers(t, map[string]string{"a.py": "def one():\n    pass\n\n\ndef two():\n    one()\n"}, "pyright-langserver", "node")
	for _, name := range []string{"class", "two"} {
		for _, kind := range []string{"semantic", "text"} {
			if kind == "text" && name == "two" || name == "class" && !syntax.Grammars { // nobody there can tell
				continue
			}
			out := b.fails(tools.Conflict, "rename", "path", "a.py", "query", "one", "new_name", name, "kind", kind)
			if got := b.read("a.py"); !strings.HasPrefix(got, "def one") {
				t.Errorf("%s %s: %s\n%s", kind, name, out.raw, got)
			}
		}
	}
}

// Diagnostics of a file follow changes of the files that it uses, to and fro, and files that are made.
func TestDiagnosticsFollow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		server       string
		files        map[string]string
		about, other string
		good, bad    string // of other; "" is no file
	}{
		{"gopls", map[string]string{"go.mod": "module m\n\ngo 1.21\n", "a.go": "package m\n\nvar X = f(1)\n"}, "a.go", "b.go",
			"package m\n\nfunc f(n int) int { return n }\n", "package m\n\nfunc f(s string) int { return 0 }\n"},
		{"gopls", map[string]string{"go.mod": "module m\n\ngo 1.21\n", "a.go": "package m\n\nvar X = f(1)\n"}, "a.go", "b.go", "package m\n\nfunc f(n int) int { return n }\n", ""},
		{"typescript-language-server", map[string]string{"tsconfig.json": "{}\n", "q.ts": "import { f } from './p';\nf(1);\n"}, "q.ts", "p.ts",
			"export function f(a: number) {}\n", "export function f(a: string) {}\n"},
		{"typescript-language-server", map[string]string{"tsconfig.json": "{}\n", "q.ts": "import { f } from './p';\nf(1);\n"}, "q.ts", "p.ts", "export function f(a: number) {}\n", ""},
		{"pyright-langserver", map[string]string{"a.py": "from b import f\n\nf(1)\n"}, "a.py", "b.py", "def f(a: int): ...\n", "def f(a: str): ...\n"},
		{"pyright-langserver", map[string]string{"a.py": "from b import f\n\nf(1)\n"}, "a.py", "b.py", "def f(a: int): ...\n", ""},
		{"clangd", map[string]string{"a.c": "#include \"h.h\"\nint x(void) { return foo(1); }\n"}, "a.c", "h.h", "int foo(int);\n", "int foo(int, int);\n"},
	} {
		t.Run(c.server+" "+strconv.FormatBool(c.bad == ""), func(t *testing.T) {
			t.Parallel()
			if c.server == "clangd" && missing(c.server) {
				t.Skip("clangd is not installed: TestClangd says so too")
			}
			b := withServers(t, c.files, c.server)
			for round := range 2 {
				for _, text := range []string{c.bad, c.good, c.good + "\n"} { // the last one changes nothing of what is told
					file := filepath.Join(b.dir, c.other)
					if text == "" {
						os.Remove(file)
					} else {
						write(t, file, text)
					}
					out := b.ok("diagnostics", "path", c.about)
					if out.data["backend"] != "lsp:"+strings.TrimSuffix(c.server, "-langserver") {
						t.Fatalf("%s", out.raw)
					}
					if got := out.data["errors"] != 0.0; got != (text == c.bad) {
						t.Errorf("round %d: with %q errors are %v: %s", round, text, out.data["errors"], out.Text)
					}
				}
			}
			if out := b.ok("diagnostics", "path", "."); out.data["errors"] != 0.0 || len(out.Envelope.Meta.Warnings) > 0 {
				t.Errorf("the folder: %s", out.raw)
			}
		})
	}
}

func missing(program string) bool {
	_, err := exec.LookPath(program)
	return err != nil
}
