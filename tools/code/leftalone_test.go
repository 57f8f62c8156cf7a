package code

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// A replacement tells of each file that matches and is left as it is, and why.
func TestReplaceTellsWhatItLeaves(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"u16.txt": "\xff\xfef\x00o\x00o\x00\n\x00", "none.txt": "\xff\xfez\x00\n\x00", "cp.txt": "foo caf\xe9\n", "m.min.js": strings.Repeat("var foo=1;", 8000), "b.dat": "foo\x00\x01",
	}
	b := project(t, files)
	out := b.ok("grep_replace", "query", "foo", "replacement", "fuu")
	told := strings.Join(out.Envelope.Meta.Warnings, "; ")
	if got := strings.Join(out.list("skipped", "path"), " "); got != "cp.txt m.min.js u16.txt" || !strings.Contains(told, "m.min.js (minified") || !strings.Contains(told, "cp.txt, u16.txt (not UTF-8") || !strings.Contains(out.Text, told) || strings.Contains(told, "none.txt") {
		t.Errorf("%s\n%s", out.raw, told)
	}
	for name, code := range map[string]tools.Code{"u16.txt": tools.Unsupported, "cp.txt": tools.Unsupported, "b.dat": tools.Binary, "none.txt": tools.NotFound} {
		b.fails(code, "grep_replace", "query", "foo", "replacement", "fuu", "path", name)
	}
	if os.Getuid() != 0 {
		write(t, filepath.Join(b.dir, "ro.txt"), "foo\n")
		os.Chmod(filepath.Join(b.dir, "ro.txt"), 0o444)
		b.fails(tools.PermissionDenied, "grep_replace", "query", "foo", "replacement", "fuu", "path", "ro.txt")
	}
	for name, text := range files {
		if b.read(name) != text {
			t.Errorf("%s is changed", name)
		}
	}
	if b.ok("grep_replace", "query", "foo", "replacement", "fuu", "path", "m.min.js"); strings.Contains(b.read("m.min.js"), "foo") {
		t.Error("a file that was named is not changed")
	}
}
