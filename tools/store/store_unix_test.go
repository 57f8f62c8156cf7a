//go:build unix

package store

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// TestPipeDoesNotHang: opening a pipe would wait for its other end.
func TestPipeDoesNotHang(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "x")
	if err := errors.Join(os.Remove(w.file), unix.Mkfifo(w.file, 0o600)); err != nil {
		t.Skip("no pipes here:", err)
	}
	if err := w.add("x"); code(err) != tools.PermissionDenied {
		t.Errorf("%v", err)
	}
	if err := errors.Join(os.Remove(w.file), unix.Mkfifo(w.file+".lock", 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := w.add("x"); err != nil {
		t.Errorf("a pipe as lock file: %v", err)
	}
}

// TestLinkOfAnotherUserIsRefused: as root, a link that a user made; else one that is root's would do.
func TestLinkOfAnotherUserIsRefused(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can make another user's link")
	}
	w := newWorld(t, "x")
	target := filepath.Join(t.TempDir(), "target")
	if err := os.WriteFile(target, []byte(`{"records":[{"id":"1","name":"secret"}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Remove(w.file), os.Symlink(target, w.file), os.Lchown(w.file, 12345, 12345)); err != nil {
		t.Fatal(err)
	}
	if _, err := w.store.Read(t.Context(), w.warn); code(err) != tools.PermissionDenied {
		t.Errorf("read: %v", err)
	}
	if err := w.add("x"); code(err) != tools.PermissionDenied {
		t.Errorf("write: %v", err)
	}
}

// TestRootDoesNotLockTheUserOut: files in a user's folder are the user's, whoever ran the server.
func TestRootDoesNotLockTheUserOut(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can act for another user")
	}
	home := t.TempDir()
	if err := os.Chown(home, 12345, 12345); err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, "")
	w.file = filepath.Join(home, ".hanzo", "state.json")
	w.store = New[document](w.file)
	if err := w.add("a"); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{filepath.Dir(w.file), w.file, w.file + ".lock"} {
		fi, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if st := fi.Sys().(*syscall.Stat_t); st.Uid != 12345 || fi.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: owner %d, mode %v", name, st.Uid, fi.Mode())
		}
	}
}
