package code

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// renaming answers a rename with edits of the first line of several files, where the name stands at a column.
func renaming(at map[string]int, length int) map[string]string {
	var edits []string
	for name, col := range at {
		edits = append(edits, fmt.Sprintf(`"DIR/%s":[{"range":{"start":{"line":0,"character":%d},"end":{"line":0,"character":%d}},"newText":"zed"}]`, name, col, col+length))
	}
	return map[string]string{"textDocument/rename": `{"changes":{` + strings.Join(edits, ",") + `}}`}
}

// A rename writes into the project's own sources only, and says where a name comes from that others declare.
func TestRenameStaysInOwnSources(t *testing.T) {
	t.Parallel()
	const declares, uses = "package p; func help() {}\n", "package p; var _ = help\n"
	for name, test := range map[string]struct {
		files map[string]string
		at    map[string]int
		says  string // "": it is done
		warns string
		kept  string // a file that stays
	}{
		"node_modules": {map[string]string{"a.go": declares, "node_modules/l/b.go": declares}, map[string]int{"a.go": 16, "node_modules/l/b.go": 16}, "comes from node_modules/l/b.go:1", "", "node_modules/l/b.go"},
		"site-packages": {map[string]string{"a.go": declares, ".venv/lib/python3/site-packages/b.go": uses}, map[string]int{"a.go": 16, ".venv/lib/python3/site-packages/b.go": 19},
			"is used at .venv/lib/python3/site-packages/b.go:1", "", ".venv/lib/python3/site-packages/b.go"},
		"vendor":  {map[string]string{"a.go": declares, "vendor/l/b.go": declares}, map[string]int{"a.go": 16, "vendor/l/b.go": 16}, "comes from vendor/l/b.go:1", "", "vendor/l/b.go"},
		"ignored": {map[string]string{"a.go": declares, "gen/b.go": declares, ".gitignore": "gen/\n"}, map[string]int{"a.go": 16, "gen/b.go": 16}, "comes from gen/b.go:1", "", "gen/b.go"},
		"ignored use": {map[string]string{"a.go": declares, "b.go": uses, "local.go": uses, ".gitignore": "local.go\n"}, map[string]int{"a.go": 16, "b.go": 19, "local.go": 19},
			"", "1 files that git ignores use the name and stay as they are; look at them: local.go:1", "local.go"},
		"about vendors": {map[string]string{"a.go": declares, "go.mod": "module m\n", "app/vendor/b.go": declares}, map[string]int{"a.go": 16, "app/vendor/b.go": 16}, "", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := answering(t, test.files, renaming(test.at, 4))
			args := []any{"path", "a.go", "query", "help", "new_name", "zed"}
			if test.says != "" {
				for _, dry := range []bool{true, false} {
					e := b.fails(tools.Conflict, "rename", append(args, "dry_run", dry)...).Envelope.Error
					if !strings.Contains(e.Message, test.says) || !strings.Contains(e.Message, "nothing was changed") {
						t.Errorf("%s", e.Message)
					}
				}
				for name, text := range test.files {
					if b.read(name) != text {
						t.Errorf("%s: %s", name, b.read(name))
					}
				}
				return
			}
			out := b.ok("rename", args...)
			if !strings.Contains(out.warned(), test.warns) {
				t.Errorf("%s", out.warned())
			}
			for name := range test.at {
				if changed := strings.Contains(b.read(name), "zed"); changed == (name == test.kept) {
					t.Errorf("%s: %s", name, b.read(name))
				}
			}
		})
	}
}

// Who names a file that git ignores works in it.
func TestRenameInAnIgnoredFile(t *testing.T) {
	t.Parallel()
	b := answering(t, map[string]string{"scratch/a.go": "package p; func help() {}\n", ".gitignore": "scratch\n"}, renaming(map[string]int{"scratch/a.go": 16}, 4))
	b.ok("rename", "path", "scratch/a.go", "query", "help", "new_name", "zed")
	if !strings.Contains(b.read("scratch/a.go"), "zed") {
		t.Error(b.read("scratch/a.go"))
	}
}

// A method that a library calls cannot be renamed.
func TestRenameOfAMethodOfALibrary(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"package.json": "{\"dependencies\":{\"lib\":\"1\"}}\n", "tsconfig.json": `{"compilerOptions":{"module":"nodenext","moduleResolution":"nodenext"},"include":["src"]}`,
		"node_modules/lib/package.json": `{"name":"lib","version":"1.0.0","main":"i.js","types":"i.d.ts"}`,
		"node_modules/lib/i.d.ts":       "export declare class Lib { run(): void }\n",
		"node_modules/lib/i.js":         "exports.Lib = class Lib { start() { this.run() } run() {} }\n",
		"src/a.ts":                      "import { Lib } from 'lib';\n\nexport class Mine extends Lib {\n  run() {}\n}\n\nnew Mine().run();\n",
	}
	b := withServers(t, files, "typescript-language-server")
	e := b.fails(tools.Conflict, "rename", "query", "Mine.run", "new_name", "go").Envelope.Error
	if !strings.Contains(e.Message, "run comes from node_modules/lib/i.d.ts:1") {
		t.Errorf("%s", e.Message)
	}
	for name, text := range files {
		if b.read(name) != text {
			t.Errorf("%s: %s", name, b.read(name))
		}
	}
	b.ok("rename", "query", "Mine", "new_name", "Ours")
}
