package sandbox

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A checkout that is deleted and cloned anew while the server runs: what it held is gone, and the answer must say so
// instead of calling the folder empty.
func TestRootThatWasReplaced(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("an open folder cannot be removed on Windows")
	}
	w := newWorld(t)
	if err := os.WriteFile(filepath.Join(w.W, "f"), []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	missing, err := w.Resolve("g")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Roots.Open(missing); err == nil || strings.Contains(err.Error(), "restart") {
		t.Fatalf("a missing file in a root that is there: %v", err)
	}
	if err := os.RemoveAll(w.W); err != nil {
		t.Fatal(err)
	}
	for _, again := range []bool{false, true} {
		if again {
			if err := os.Mkdir(w.W, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(w.W, "f"), []byte("new"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		p, err := w.Resolve("f")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Roots.Open(p); KindOf(err) != NotFound || !strings.Contains(err.Error(), "restart the server") {
			t.Errorf("made again %t: read: %v", again, err)
		}
		top, err := w.Resolve(".")
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := w.Sub(top); KindOf(err) != NotFound || !strings.Contains(err.Error(), "restart the server") {
			t.Errorf("made again %t: list: %v", again, err)
		}
	}
}
