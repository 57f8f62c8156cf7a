//go:build unix

package fs

import (
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools"
)

func TestPipesAreNoFilesAndNothingWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("sub/a", "needle\n")
	if err := syscall.Mkfifo(w.abs("sub/p"), 0o644); err != nil {
		t.Skip(err)
	}
	start := time.Now()
	r := w.call("read", args{"path": "sub/p"})
	if r.Envelope.OK || !strings.Contains(r.Envelope.Error.Message, "regular file") {
		t.Errorf("%+v", r.Envelope.Error)
	}
	if r := w.ok("stat", args{"path": "sub/p"}); r.data["type"] != "fifo" {
		t.Errorf("%v", r.data)
	}
	if r := w.ok("list", args{"path": "sub"}); !strings.Contains(r.Text, "p (fifo)") {
		t.Errorf("%q", r.Text)
	}
	if r := w.ok("list", args{"path": ".", "depth": 9}); r.data["count"] != 3.0 {
		t.Errorf("%q", r.Text)
	}
	if r := w.ok("search_text", args{"query": "needle"}); r.data["count"] != 1.0 {
		t.Errorf("%q", r.Text)
	}
	if r := w.refused(tools.InvalidParams, "search_text", args{"query": "x", "path": "sub/p"}); !strings.Contains(r.Envelope.Error.Message, "fifo") {
		t.Error(r.Envelope.Error)
	}
	for _, action := range []string{"write", "apply_patch"} {
		r := w.call(action, args{"path": "sub/p", "content": "x", "overwrite": true, "old_text": "a", "new_text": "b"})
		if r.Envelope.OK {
			t.Errorf("%s on a pipe: %v", action, r.data)
		}
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("took %v", took)
	}
	if _, err := os.Lstat(w.abs("sub/p")); err != nil {
		t.Error("the pipe is gone")
	}
}

func TestModesAreKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, mode := range []os.FileMode{0o755, 0o640, 0o600} {
		w.put("f", "one\n")
		if err := os.Chmod(w.abs("f"), mode); err != nil {
			t.Fatal(err)
		}
		w.ok("apply_patch", args{"path": "f", "old_text": "one", "new_text": "two"})
		w.ok("write", args{"path": "f", "content": "three\n", "overwrite": true})
		w.ok("patch", args{"patch": "*** Begin Patch\n*** Update File: f\n@@\n-three\n+four\n*** End Patch"})
		w.ok("patch", args{"patch": "*** Begin Patch\n*** Update File: f\n*** Move to: g\n@@\n-four\n+five\n*** End Patch"})
		w.is("g", "five\n")
		fi, err := os.Stat(w.abs("g"))
		if err != nil || fi.Mode().Perm() != mode {
			t.Errorf("%v became %v, %v", mode, fi.Mode(), err)
		}
		w.ok("rm", args{"path": "g"})
	}
	w.put("ro", "old\n")
	if err := os.Chmod(w.abs("ro"), 0o444); err != nil {
		t.Fatal(err)
	}
	w.refused(tools.PermissionDenied, "write", args{"path": "ro", "content": "x", "overwrite": true})
	w.refused(tools.PermissionDenied, "apply_patch", args{"path": "ro", "old_text": "old", "new_text": "new"})
	w.refused(tools.PermissionDenied, "apply_patch", args{"path": "ro", "old_text": "old", "new_text": "new", "dry_run": true})
	w.refused(tools.PermissionDenied, "patch", args{"dry_run": true, "patch": "*** Begin Patch\n*** Update File: ro\n@@\n-old\n+new\n*** End Patch"})
	w.is("ro", "old\n")
	if got := w.names("."); got != "ro" {
		t.Errorf("left behind: %s", got)
	}
}

func TestGitModesInPatches(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("s", "a\n")
	w.ok("patch", args{"patch": "diff --git a/s b/s\nold mode 100644\nnew mode 100755\ndiff --git a/n b/n\nnew file mode 100755\n--- /dev/null\n+++ b/n\n@@ -0,0 +1 @@\n+x\n"})
	for _, name := range []string{"s", "n"} {
		if fi, err := os.Stat(w.abs(name)); err != nil || fi.Mode()&0o100 == 0 {
			t.Errorf("%s: %v %v", name, fi.Mode(), err)
		}
	}
}
