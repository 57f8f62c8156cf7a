package code

import (
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// PHP by its server: places and types across files, faults, and no rename, which it does not give.
func TestIntelephense(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	b := withServers(t, map[string]string{
		"a.php": "<?php\nnamespace App;\nclass Box {\n    public function __construct(public int $n) {}\n    public function size(): int { return $this->n; }\n}\nfunction make(int $k): Box { return new Box($k); }\n",
		"b.php": "<?php\nnamespace App;\n$b = make(3);\necho $b->size(); // size\necho make(1)->size();\n",
		"c.php": "<?php\nnamespace App;\nclass Other { function size() {} }\nnothing_of_the_name();\n",
	}, "intelephense", "node")
	if out := b.ok("definition", "path", "b.php", "line", 4, "column", 11); out.data["path"] != "a.php" || out.data["line"] != 5.0 || out.data["backend"] != "lsp:intelephense" {
		t.Errorf("definition: %s", out.raw)
	}
	if got, want := called(b.ok("references", "path", "a.php", "query", "Box.size")), "a.php:5 b.php:4 b.php:5"; got != want {
		t.Errorf("references: %s, want %s", got, want)
	}
	if got, want := called(b.ok("callers", "query", "make")), "b.php:3 b.php:5"; got != want {
		t.Errorf("callers: %s, want %s", got, want)
	}
	if got, want := called(b.ok("callers", "query", "Box.__construct")), "a.php:7"; got != want {
		t.Errorf("callers of the constructor: %s, want %s", got, want)
	}
	if out := b.ok("hover", "path", "b.php", "line", 3, "column", 6); !strings.Contains(out.Text, `\App\Box`) {
		t.Errorf("hover: %s", out.Text)
	}
	if out := b.ok("diagnostics", "path", "."); out.data["errors"] != 1.0 || !strings.Contains(out.Text, "c.php:4:1: error: Undefined function") {
		t.Errorf("diagnostics: %s", out.Text)
	}
	b.fails(tools.Unsupported, "rename", "path", "a.php", "query", "Box.size", "new_name", "count")
}
