package code

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
)

func hasGrammars() bool { return syntax.Grammars }

// answering makes a project whose server for Go gives one answer to each method; DIR in it is the folder of the project.
func answering(t testing.TB, files map[string]string, answers map[string]string) *bench {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var cases strings.Builder
	answers["initialize"] = `{"capabilities":{"positionEncoding":"utf-8","definitionProvider":true,"implementationProvider":true,"hoverProvider":true,"renameProvider":true,"referencesProvider":true}}`
	for method, answer := range answers {
		cases.WriteString("*'\"method\":\"" + method + "\"'*) r='" + strings.ReplaceAll(answer, "DIR", "file://"+filepath.ToSlash(dir)) + "' ;;\n")
	}
	bin := filepath.Join(dir, ".server") // where a confined program is seen
	write(t, bin, `#!/bin/sh
LC_ALL=C; n=0
while IFS= read -r line; do
  line=$(printf %s "$line" | tr -d '\r')
  case "$line" in
  Content-Length:*) n=${line#*: } ;;
  '')
    body=$(head -c "$n")
    case "$body" in *'"id":'*) ;; *) continue ;; esac
    id=${body#*\"id\":}; id=${id%%[,\}]*}
    r=null
    case "$body" in
`+cases.String()+`    esac
    m="{\"jsonrpc\":\"2.0\",\"id\":$id,\"result\":$r}"
    printf 'Content-Length: %d\r\n\r\n%s' "${#m}" "$m" ;;
  esac
done
`)
	if err := os.Chmod(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	return withServersIn(t, dir, files, Config{Servers: []Server{{Name: "go", Command: []string{bin}}}})
}

const places = `{"start":{"line":2,"character":5},"end":{"line":2,"character":8}}`

// What a server gives wrongly is not passed on: places behind the end of a file, edits that overlap, commands for a terminal.
func TestServersThatAreWrong(t *testing.T) {
	t.Parallel()
	text := "package a\n\nfunc Foo() {}\n\nfunc Bar() { Foo() }\n"
	behind := `{"uri":"DIR/a.go","range":{"start":{"line":99999,"character":0},"end":{"line":99999,"character":3}}}`
	b := answering(t, map[string]string{"a.go": text}, map[string]string{
		"textDocument/definition": behind, "textDocument/references": "[" + behind + `,{"uri":"DIR/a.go","range":` + places + "}]",
		"textDocument/hover":  `{"contents":"\u001b[31mfunc\u001b[0m Foo\u001b]0;title\u0007\u0008"}`,
		"textDocument/rename": `{"changes":{"DIR/a.go":[{"range":` + places + `,"newText":"Zed"},{"range":` + places + `,"newText":"Zed"}]}}`,
	})
	out := b.ok("definition", "path", "a.go", "line", 5, "column", 14)
	if out.data["line"] != 3.0 || !strings.Contains(out.Text, "func Foo") {
		t.Errorf("definition: %s\n%s", out.raw, out.Text)
	}
	if out = b.ok("references", "path", "a.go", "query", "Foo"); out.data["total"] != 1.0 || !strings.Contains(strings.Join(out.Envelope.Meta.Warnings, " "), "behind the end") {
		t.Errorf("references: %s", out.raw)
	}
	if out = b.ok("hover", "path", "a.go", "query", "Foo"); out.Text != "func Foo\n" {
		t.Errorf("hover: %q", out.Text)
	}
	if out = b.ok("rename", "path", "a.go", "query", "Foo", "new_name", "Zed"); b.read("a.go") != strings.Replace(text, "Foo", "Zed", 1) {
		t.Errorf("an edit that is given twice: %s\n%s", out.Text, b.read("a.go"))
	}
	for name, edits := range map[string]string{
		"overlap": `{"range":` + places + `,"newText":"Zed"},{"range":{"start":{"line":2,"character":6},"end":{"line":2,"character":9}},"newText":"Q"}`,
		"behind":  `{"range":{"start":{"line":77,"character":0},"end":{"line":77,"character":1}},"newText":"Q"}`,
	} {
		b := answering(t, map[string]string{"a.go": text}, map[string]string{"textDocument/rename": `{"changes":{"DIR/a.go":[` + edits + `]}}`})
		e := b.fails(tools.Conflict, "rename", "path", "a.go", "query", "Foo", "new_name", "Zed").Envelope.Error
		if b.read("a.go") != text || !strings.Contains(e.Message, "nothing was changed") {
			t.Errorf("%s: %s", name, e.Message)
		}
	}
	if out = b.ok("rename", "path", "a.go", "query", "Bar", "new_name", "Bar"); out.Text != "no change\n" {
		t.Errorf("the same name: %s", out.Text)
	}
}

// The diagnostics of a folder are of all its files, and a script is parsed where its server finds nothing by itself.
func TestDiagnosticsOfAllFiles(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	files := map[string]string{
		"a.yaml": "a: [1\nb: 2\n", "b.json": "{\"a\": 1,,}\n", "c.css": ".a { x: y;\n", "h.html": "<a", "r.rb": "def f(\nend\n", "s.sh": "f() { echo $1; }\nif then\n",
		"tsconfig.json": "{\n  // all, of \"it\"\n  \"a\": [1, \",]\",],\n}\n", "ok.json": "{\"a\": 1}\n", "sub/tsconfig.json": "{\"a\": [1,,]}\n",
	}
	b := withServers(t, files)
	out := b.ok("diagnostics", "path", ".")
	seen := map[string]bool{}
	for _, name := range out.list("diagnostics", "path") {
		seen[name] = true
	}
	for name := range files {
		if want := name != "ok.json" && name != "tsconfig.json"; seen[name] != want {
			t.Errorf("%s has faults: %v, want %v\n%s", name, seen[name], want, out.Text)
		}
	}
	if w := strings.Join(out.Envelope.Meta.Warnings, " "); strings.Contains(w, "for json") || strings.Contains(w, "for yaml") {
		t.Errorf("%s", w)
	}
	if out := b.ok("diagnostics", "path", "s.sh"); out.data["errors"] == 0.0 {
		t.Errorf("%s %v", out.raw, out.Envelope.Meta.Warnings)
	}
}

// A private name of JavaScript stays private, with and without its class in front.
func TestPrivateNames(t *testing.T) {
	t.Parallel()
	text := "export class K {\n  #priv = 1;\n  get priv() { return this.#priv; }\n}\nexport const y = new K().priv;\n"
	b := withServers(t, map[string]string{"tsconfig.json": "{}\n", "a.ts": text}, "typescript-language-server", "node")
	for _, at := range [][]any{{"query", "#priv"}, {"query", "K.#priv"}, {"line", 3, "column", 30}, {"line", 3, "column", 29}, {"query", "#priv", "kind", "text"}} {
		args := append([]any{"path", "a.ts", "new_name", "hidden"}, at...)
		b.fails(tools.InvalidParams, "rename", args...)
		args[3] = "#h"
		if out := b.ok("rename", append(args, "dry_run", true)...); out.data["count"] != 2.0 || strings.Contains(out.Text, "+  get #h") || !strings.Contains(out.Text, "+  #h = 1;") {
			t.Errorf("%v: %s\n%s", at, out.raw, out.Text)
		}
	}
	for _, kind := range []string{"semantic", "text"} {
		if out := b.ok("rename", "path", "a.ts", "query", "priv", "new_name", "open", "kind", kind, "dry_run", true); out.data["count"] != 2.0 || strings.Contains(out.Text, "#open") {
			t.Errorf("%s: %s\n%s", kind, out.raw, out.Text)
		}
	}
	b.fails(tools.Conflict, "rename", "path", "a.ts", "query", "y", "new_name", "default")
	if out := b.ok("rename", "path", "a.ts", "query", "K.priv", "new_name", "default", "dry_run", true); out.data["count"] != 2.0 {
		t.Errorf("a member may have any word: %s", out.raw)
	}
}

// A rename says which methods of the name it leaves as they are, and not of places that it has renamed.
func TestRenameSaysWhatIsLeft(t *testing.T) {
	t.Parallel()
	b := withServers(t, map[string]string{
		"m.py": "class A:\n    def m(self): return 1\n\nclass B(A):\n    def m(self): return super().m()\n", "n.py": "import m\n",
	}, "pyright-langserver", "node")
	out := b.ok("rename", "path", "m.py", "query", "A.m", "new_name", "q", "dry_run", true)
	if w := strings.Join(out.Envelope.Meta.Warnings, " "); !strings.Contains(w, "look at them: m.py:5, n.py:1") {
		t.Errorf("%s", w)
	}
}

// An empty answer of a new server is doubted at length once, not at every call.
func TestEmptyAnswersAreDoubtedOnce(t *testing.T) {
	t.Parallel()
	b := answering(t, map[string]string{"a.go": "package a\n\ntype T interface{ F() }\n"}, map[string]string{})
	b.ok("implementations", "path", "a.go", "query", "T")
	start := time.Now()
	if out := b.ok("implementations", "path", "a.go", "query", "T"); out.data["backend"] != "lsp:go" || out.data["total"] != 0.0 {
		t.Errorf("%s %v", out.raw, out.Envelope.Meta.Warnings)
	}
	if took := time.Since(start); took > 6*time.Second {
		t.Errorf("the second answer took %s", took)
	}
}

// A path may have any character in it.
func TestServedPaths(t *testing.T) {
	t.Parallel()
	files := map[string]string{"packages/@scope/a+b/$id.py": "bar\n", "packages/@scope/a+b/c&d=e,f;g.py": "bar\n"}
	b := withServers(t, files, "pyright-langserver", "node")
	for name := range files {
		if out := b.ok("diagnostics", "path", name); out.data["errors"] != 1.0 || out.data["backend"] != "lsp:pyright" {
			t.Errorf("%s: %s %v", name, out.raw, out.Envelope.Meta.Warnings)
		}
	}
}

// gopls renames a method of an interface in what its package needs: the methods of types that other packages use as the
// interface are told of.
func TestRenameOfInterfaceMethod(t *testing.T) {
	t.Parallel()
	b := withServers(t, map[string]string{
		"go.mod": "module ex.com/m\n\ngo 1.21\n",
		"a/a.go": "package a\n\ntype Doer interface{ Do(n int) error }\n\ntype Impl struct{ N int }\n\nfunc (i *Impl) Do(n int) error { return nil }\n\ntype other struct{}\n\nfunc (other) Do() {}\n\nfunc Use(d Doer) { _ = d.Do(1) }\n",
		"b/b.go": "package b\n\nimport al \"ex.com/m/a\"\n\nfunc F() { al.Use(&al.Impl{}) }\n",
	}, "gopls", "go")
	for _, at := range [][]any{{"query", "Doer.Do"}, {"line", 13, "column", 26}} {
		out := b.ok("rename", append(at, "path", "a/a.go", "new_name", "Perform", "dry_run", true)...)
		if w := out.Envelope.Meta.Warnings; len(w) != 1 || !strings.HasSuffix(w[0], "rename them too: a/a.go:7") {
			t.Errorf("%v: %v", at, w)
		}
	}
	for _, at := range [][]any{{"query", "other.Do"}, {"query", "Use"}, {"query", "Impl.N"}, {"query", "Impl"}} {
		if w := b.ok("rename", append(at, "path", "a/a.go", "new_name", "Perform", "dry_run", true)...).Envelope.Meta.Warnings; len(w) > 0 {
			t.Errorf("%v: %v", at, w)
		}
	}
}
