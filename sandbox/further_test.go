package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// The further roots are the other folders of work, each once.
func TestFurther(t *testing.T) {
	t.Parallel()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir := func(name string) string {
		d := filepath.Join(top, filepath.FromSlash(name))
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
		return d
	}
	base, inner, other, deep := dir("w/base"), dir("w/base/inner"), dir("other"), dir("other/deep")
	for _, mode := range []Mode{Workspace, Off} {
		r, err := Open(Config{Dirs: []string{base, inner, other, deep, dir("w")}, Temp: dir("temp"), Mode: mode, State: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Further(); !slices.Equal(got, []string{other}) {
			t.Errorf("%v: %v", mode, got)
		}
	}
}
