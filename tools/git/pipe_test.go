//go:build unix

package git

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// TestPipesAreNotWaitedFor: a named pipe in the place of a file that git reads.
func TestPipesAreNotWaitedFor(t *testing.T) {
	t.Parallel()
	for _, name := range []string{".gitignore", ".gitattributes", ".mailmap", ".git/index", ".git/packed-refs", ".git/info/exclude", ".git/info/attributes", ".git/commondir", ".git/objects/info/alternates", ".git/shallow"} {
		w := newRepo(t)
		w.commit("one", "a", "1\n")
		full := filepath.Join(w.dir, name)
		_ = os.Remove(full)
		if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(full, 0o666); err != nil {
			t.Fatal(err)
		}
		for _, action := range []string{"status", "log", "show", "diff", "blame", "tag"} {
			start := time.Now()
			if m := w.fails(tools.PermissionDenied, action, args{"timeout": 60_000, "path": "a"}).Envelope.Error.Message; !strings.Contains(m, "named pipe") {
				t.Errorf("%s, %s: %s", action, name, m)
			}
			if d := time.Since(start); d > 20*time.Second {
				t.Errorf("%s, %s: %v", action, name, d)
			}
		}
	}
	w := newRepo(t)
	w.commit("one", "a", "1\n")
	if err := os.Remove(filepath.Join(w.dir, ".git/HEAD")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(w.dir, ".git/HEAD"), 0o666); err != nil {
		t.Fatal(err)
	}
	start := time.Now()
	if out := w.try("log", args{"timeout": 60_000}); out.Envelope.OK || time.Since(start) > 20*time.Second {
		t.Errorf("%v after %v", out.Envelope.Error, time.Since(start))
	}
}
