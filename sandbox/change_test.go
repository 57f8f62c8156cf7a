package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestRootsAndHomeAreNeverRemoved nor renamed, nor what holds them, nor .git.
func TestRootsAndHomeAreNeverRemoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config) {
		home := filepath.Join(c.Dirs[0], "home", "me")
		if err := os.MkdirAll(home, 0o755); err != nil {
			t.Fatal(err)
		}
		c.Home = home
	})
	w.put("f", "")
	w.put(".git/HEAD", "ref")
	w.put("sub/.git/HEAD", "ref")
	w.put("module/.git", "gitdir: x")
	w.link(".", "self")
	w.link(w.W, "self2")
	before := snapshot(t, w.W)
	for _, name := range []string{".", "./", "x/..", w.W, w.W + "/", "file://" + w.W, "self/.", "home", "home/me", "~", "self/home", "self2/home/me", ".git", "sub/.git", "module/.git", "self/.git", ".GIT"} {
		p := w.path(name)
		if strings.HasPrefix(name, "self/.") && p.Rel == "self" {
			continue // cleaned by its text: the link itself
		}
		wantKind(t, "remove all "+name, w.RemoveAll(p), Denied, Protected)
		wantKind(t, "remove "+name, w.Remove(p), Denied, Protected)
		wantKind(t, "rename "+name, w.Rename(p, w.path("gone"), true), Denied, Protected)
		wantKind(t, "rename onto "+name, w.Rename(w.path("f"), p, true), Denied, Protected)
	}
	for _, name := range []string{"", "/", "//"} {
		if p, err := w.Resolve(name); err == nil {
			t.Errorf("%q is %v", name, p)
		}
	}
	if after := snapshot(t, w.W); after != before {
		t.Errorf("became:\n%s\nwas:\n%s", after, before)
	}
}

func TestRemove(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("f", "F")
	w.put("d/x/y", "")
	w.put("empty/x", "")
	os.Remove(w.abs("empty/x"))
	w.link("f", "l")
	w.link(w.O, "out")
	w.put(filepath.Join(w.O, "keep"), "")
	wantKind(t, "non-empty", w.Remove(w.path("d")), NotEmpty, Exists)
	wantKind(t, "missing", w.Remove(w.path("no")), NotFound)
	wantKind(t, "missing, all", w.RemoveAll(w.path("no")), NotFound)
	wantKind(t, "through a link out", w.RemoveAll(w.path("out/keep")), Denied)
	for _, name := range []string{"l", "empty", "out"} {
		if err := w.Remove(w.path(name)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := w.RemoveAll(w.path("d")); err != nil {
		t.Error(err)
	}
	if got := names(t, w.W); got != "f" {
		t.Errorf("left: %s", got)
	}
	if got := names(t, w.O); got != "keep" {
		t.Errorf("outside: %s", got)
	}
}

// TestRename: nothing is lost unless said, onto itself neither.
func TestRename(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	second := newWorld(t, func(c *Config) { c.Dirs = append(c.Dirs, w.W) })
	w.put("f", "F")
	w.put("g", "G")
	w.put("d/x", "X")
	w.put("e/y", "Y")
	w.link("d", "ld")
	w.link("f", "lf")
	move := func(from, to string, replace bool) error { return w.Rename(w.path(from), w.path(to), replace) }
	before := snapshot(t, w.W)
	wantKind(t, "onto a file", move("f", "g", false), Exists)
	wantKind(t, "onto a folder", move("f", "d", false), Exists)
	wantKind(t, "onto a folder, replacing", move("f", "d", true), NotRegular, Exists)
	wantKind(t, "folder onto a file", move("d", "f", true), NotDir)
	wantKind(t, "folder onto a full folder", move("d", "e", true), NotEmpty, Exists)
	wantKind(t, "onto a link", move("g", "lf", false), Exists)
	wantKind(t, "onto itself", move("f", "f", false), Exists)
	wantKind(t, "onto itself by a link", move("d/x", "ld/x", false), Exists)
	wantKind(t, "into itself", move("d", "d/z", true), Invalid)
	wantKind(t, "into itself by a link", move("d", "ld/z", true), Invalid)
	wantKind(t, "missing", move("no", "new", false), NotFound)
	wantKind(t, "into a missing folder", move("f", "no/new", false), NotFound)
	for _, to := range []string{"f", "./f", "ld/../f"} {
		if err := move("f", to, true); err != nil {
			t.Errorf("onto itself as %s, replacing: %v", to, err)
		}
	}
	if after := snapshot(t, w.W); after != before {
		t.Fatalf("became:\n%s\nwas:\n%s", after, before)
	}
	if runtime.GOOS != "windows" {
		if err := os.Link(w.abs("f"), w.abs("hard")); err != nil {
			t.Fatal(err)
		}
		wantKind(t, "onto another link of it", move("f", "hard", true), Exists)
		os.Remove(w.abs("hard"))
	}
	for _, m := range []struct {
		from, to string
		replace  bool
	}{{"f", "d/f", false}, {"d", "dd", false}, {"lf", "ll", false}, {"g", "dd/f", true}, {"dd/x", "e/y", true}} {
		if err := move(m.from, m.to, m.replace); err != nil {
			t.Errorf("%s to %s: %v", m.from, m.to, err)
		}
	}
	if w.get("dd/f") != "G" || w.get("e/y") != "X" || mode(t, w.abs("ll"))&fs.ModeSymlink == 0 {
		t.Errorf("%q, %q", w.get("dd/f"), w.get("e/y"))
	}
	if runtime.GOOS != "windows" {
		if err := second.Rename(second.path(w.W+"/dd"), second.path("dd"), false); err != nil {
			t.Errorf("from root to root: %v", err)
		}
		if second.get("dd/f") != "G" {
			t.Error("not moved")
		}
	}
}

// TestRenameWithoutKernelHelp covers the way for file systems that cannot
// rename without replacing.
func TestRenameOverKeepsWhatIsThere(t *testing.T) {
	t.Parallel()
	testRenameOver(t)
}

func TestMkdir(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("f", "")
	w.link(w.abs("made"), "l")
	if err := w.MkdirAll(w.path("a/b/c"), 0o755); err != nil {
		t.Error(err)
	}
	if err := w.MkdirAll(w.path("a/b/c"), 0o755); err != nil {
		t.Error(err)
	}
	if err := w.MkdirAll(w.path("."), 0o755); err != nil {
		t.Error(err)
	}
	if err := w.MkdirAll(w.path("l/x"), 0o755); err != nil {
		t.Error(err)
	}
	if fi, err := os.Stat(w.abs("made/x")); err != nil || !fi.IsDir() {
		t.Error(err)
	}
	deep := strings.Repeat("d/", 100)
	if err := w.MkdirAll(w.path(deep), 0o755); err != nil {
		t.Error(err)
	}
	if err := w.write(deep+deep+"f", "x", WriteOptions{Mkdirs: true}); err != nil || w.get(deep+deep+"f") != "x" {
		t.Error(err)
	}
	wantKind(t, "exists", w.Mkdir(w.path("a"), 0o755), Exists)
	wantKind(t, "no parent", w.Mkdir(w.path("no/x"), 0o755), NotFound)
	wantKind(t, "below a file", w.MkdirAll(w.path("f/x/y"), 0o755), NotDir)
	wantKind(t, "a file", w.MkdirAll(w.path("f"), 0o755), NotDir, Exists)
}
