package launch

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// What appears is found however soon after the last look, and however its folder's times are set.
func TestVacant(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	deep, flat := filepath.Join(dir, ".git/hooks/pre-commit"), filepath.Join(dir, ".mcp.json")
	v := &vacant{paths: []string{deep, flat}}
	look := func(what string, want ...string) {
		t.Helper()
		for range 2 {
			if got := v.appeared(); !slices.Equal(got, want) {
				t.Fatalf("%s: %v, want %v", what, got, want)
			}
		}
	}
	look("nothing")
	write(t, flat, "{}")
	look("at once", flat)
	if err := os.Remove(flat); err != nil {
		t.Fatal(err)
	}
	look("gone again")
	write(t, filepath.Join(dir, ".git/HEAD"), "")
	time.Sleep(2 * sameTick) // so that the folders count as settled
	look("a part of the way")
	if !v.unchanged() {
		t.Error("a settled folder is looked through again")
	}
	write(t, deep, "")
	past := time.Now().Add(-time.Hour)
	for _, d := range []string{dir, filepath.Join(dir, ".git"), filepath.Dir(deep)} {
		if err := os.Chtimes(d, past, past); err != nil {
			t.Fatal(err)
		}
	}
	look("with times set back", deep)
	if err := os.Rename(filepath.Join(dir, ".git"), filepath.Join(dir, "away")); err != nil {
		t.Fatal(err)
	}
	look("moved away")
}
