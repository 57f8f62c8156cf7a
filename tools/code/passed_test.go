package code

import (
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// What a module of JavaScript takes from others is no definition, and an export of it where it hands that on.
func TestHandedOnNames(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	b := project(t, map[string]string{
		"core.js":   "exports.coreFn = function coreFn(n) { return n; };\nexports.other = function () {};\n",
		"app.js":    "const { coreFn, other: renamed } = require('./core');\nconst ui = require('./ui');\ncoreFn(2);\n",
		"index.js":  "const { coreFn, other } = require('./core');\nmodule.exports = { coreFn };\n",
		"index.ts":  "import { Local } from './local';\nexport { default as Button, Icon } from './button';\nexport * from './all';\nexport * as ns from './ns';\nexport type { Props } from './props';\nconst own = 1;\nexport { own as mine, Local as Here };\n",
		"await.mjs": "const { read } = await import('fs');\nexport const { write } = require('fs');\nconst { a, b } = make();\n",
		"made.js":   "const { Client } = require('./lib')({ a: 1 });\nconst { Server } = require('./lib').all;\n",
	})
	if got := strings.Join(b.ok("symbols", "path", "made.js").list("symbols", "name"), " "); got != "Client" {
		t.Errorf("what a call gives: %s", got)
	}
	if e := b.fails(tools.NotFound, "delete_symbol", "path", "made.js", "name_path", "Server").Envelope.Error; !strings.Contains(e.Message, "its word stands at line 2") {
		t.Error(e.Message)
	}
	b.fails(tools.NotFound, "definition", "path", "app.js", "query", "renamed")
	if out := b.ok("search_symbol", "query", "coreFn"); strings.Contains(out.Text, "app.js") || strings.Contains(out.Text, "index.js") || !strings.Contains(out.Text, "core.js:1") {
		t.Errorf("%s", out.Text)
	}
	for file, want := range map[string]string{"app.js": "ui", "index.js": "coreFn", "index.ts": "Button Icon ns Props own mine Here", "await.mjs": "write a b"} {
		if got := strings.Join(b.ok("symbols", "path", file).list("symbols", "name"), " "); got != want {
			t.Errorf("symbols of %s: %s, want %s", file, got, want)
		}
	}
	for file, want := range map[string]string{"app.js": "", "index.js": "coreFn", "index.ts": "Button Icon ns Props own mine Here", "await.mjs": "write"} {
		if got := strings.Join(b.ok("exports", "path", file).list("symbols", "name"), " "); got != want {
			t.Errorf("exports of %s: %s, want %s", file, got, want)
		}
	}
	if out := b.ok("exports", "path", "index.ts"); !strings.Contains(strings.Join(out.Envelope.Meta.Warnings, " "), "(1): export * from './all'") || !strings.Contains(out.Text, "2  export { default as Button, Icon } from './button'\n") {
		t.Errorf("%v\n%s", out.Envelope.Meta.Warnings, out.Text)
	}
}
