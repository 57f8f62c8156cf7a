package sandbox

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestLinksInside: relative and absolute ones, at any level, to files and folders.
func TestLinksInside(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("real/sub/f", "F")
	w.link("real", "link")
	w.link(w.abs("real"), "abs")
	w.link("../real/sub", "other/up")
	w.link(w.abs("abs/sub"), "other/abs2")
	w.link("../W/real", "out-and-in")
	w.link("/"+strings.Repeat("/", 3)+w.abs("real")+"/./sub/../sub/", "odd")
	w.link(".", "loop")
	for _, name := range []string{"link/sub/f", "abs/sub/f", "other/up/f", "other/abs2/f", "out-and-in/sub/f", "odd/f", "loop/loop/loop/link/sub/f", w.W + "/abs/sub/f"} {
		if got, err := w.read(name); got != "F" || err != nil {
			t.Errorf("%s = %q, %v", name, got, err)
		}
		q, err := w.Follow(w.path(name))
		if err != nil || q.String() != "real/sub/f" {
			t.Errorf("%s leads to %s, %v", name, q, err)
		}
	}
	for _, name := range []string{"link/sub", "abs/sub", "other/up", "other/abs2"} {
		f, err := w.OpenDir(w.path(name))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		entries, err := f.ReadDir(-1)
		f.Close()
		if err != nil || len(entries) != 1 || entries[0].Name() != "f" {
			t.Errorf("%s lists %v, %v", name, entries, err)
		}
		root, rel, err := w.Sub(w.path(name))
		if err != nil || rel != "real/sub" {
			t.Errorf("%s is %s, %v", name, rel, err)
			continue
		}
		if b, err := root.ReadFile(rel + "/f"); string(b) != "F" || err != nil {
			t.Errorf("%s/f = %q, %v", name, b, err)
		}
	}
	if fi, err := w.Lstat(w.path("abs")); err != nil || fi.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("lstat: %v, %v", fi, err)
	}
	if s, err := w.Readlink(w.path("other/up")); s != "../real/sub" || err != nil {
		t.Errorf("readlink: %q, %v", s, err)
	}
	if fi, err := w.Lstat(w.path("abs/sub/f")); err != nil || fi.Size() != 1 {
		t.Errorf("lstat through an absolute link: %v", err)
	}
}

func TestLinkCyclesEnd(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.link("b", "a")
	w.link("a", "b")
	w.link(w.abs("c"), "c")
	w.link("d/x", "d")
	for _, name := range []string{"a", "b", "a/x", "c", "c/x", "d", "d/x"} {
		for op, do := range operations {
			if strings.HasPrefix(op, "exclusive") || op == "near" || op == "protected" {
				continue
			}
			if _, err := do(w, w.path(name)); err == nil {
				t.Errorf("%s %s: done", op, name)
			}
		}
		_, err := w.read(name)
		wantKind(t, name, err, TooManyLinks)
	}
	for _, step := range []struct {
		n    int
		kind Kind
	}{{30, Other}, {40, Other}, {41, TooManyLinks}, {60, TooManyLinks}} {
		dir := fmt.Sprintf("chain%d/", step.n)
		w.put(dir+"0", "end")
		for i := range step.n {
			w.link(fmt.Sprint(i), dir+fmt.Sprint(i+1))
		}
		got, err := w.read(dir + fmt.Sprint(step.n))
		if step.kind == Other && (got != "end" || err != nil) {
			t.Errorf("%d links: %q, %v", step.n, got, err)
		} else if step.kind != Other {
			wantKind(t, dir, err, step.kind)
		}
	}
}

// TestWalkOfSubListsEachFileOnce in spite of a link to the folder itself.
func TestWalkOfSubListsEachFileOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("f", "")
	w.put("d/g", "")
	w.link(".", "loop")
	root, rel, err := w.Sub(w.path("loop/loop"))
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	err = fs.WalkDir(root.FS(), rel, func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			found = append(found, name)
		}
		return err
	})
	if want := []string{"d/g", "f"}; err != nil || !slices.Equal(found, want) {
		t.Errorf("found %v, %v, want %v", found, err, want)
	}
}

// TestRootMovedAway: the tree is the folder, not its name.
func TestRootMovedAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("f", "mine")
	if err := os.Rename(w.W, w.W+"2"); err != nil {
		t.Skip(err)
	}
	w.link(w.O, w.W)
	w.put(filepath.Join(w.O, "f"), "OUTSIDE")
	if got, err := w.read("f"); got != "mine" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestCloseLeavesCallsInFlight(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("f", "F")
	p := w.path("f")
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	f, err := w.Open(p)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
}
