package sandbox

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A check says what the change itself would say, and changes nothing.
func TestChecksSayWhatTheChangesSay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, name := range []string{"a", "b", "d/x", "full/x/y", "repo/.git/config", "ro"} {
		w.put(name, name)
	}
	if err := os.Chmod(w.abs("ro"), 0o444); err != nil {
		t.Fatal(err)
	}
	w.link(w.O, "out")
	w.link("b", "l")
	before := snapshot(t, w.W)
	type call struct {
		name  string
		check error
		kind  Kind // Other: it passes
	}
	rename := func(from, to string, mkdirs bool) error { return w.CheckRename(w.path(from), w.path(to), mkdirs) }
	for _, c := range []call{
		{"write new", w.CheckWrite(w.path("new"), false), Other},
		{"write below nothing", w.CheckWrite(w.path("no/new"), false), NotFound},
		{"write below what is made", w.CheckWrite(w.path("no/new"), true), Other},
		{"write below a file", w.CheckWrite(w.path("a/new"), true), NotDir},
		{"write a folder", w.CheckWrite(w.path("d"), true), NotRegular},
		{"write read-only", w.CheckWrite(w.path("ro"), true), ReadOnly},
		{"write outside", w.CheckWrite(w.path("out/x"), true), Denied},
		{"write protected", w.CheckWrite(w.path(".git/hooks/x"), true), Protected},
		{"mkdir", w.CheckMkdir(w.path("x/y/z")), Other},
		{"mkdir below a file", w.CheckMkdir(w.path("a/y/z")), NotDir},
		{"mkdir protected", w.CheckMkdir(w.path(".git/hooks")), Protected},
		{"remove", w.CheckRemove(w.path("full")), Other},
		{"remove a link outside", w.CheckRemove(w.path("out")), Other},
		{"remove nothing", w.CheckRemove(w.path("no")), NotFound},
		{"remove .git", w.CheckRemove(w.path("repo/.git")), Protected},
		{"remove the root", w.CheckRemove(Path{Root: w.trees[0], Rel: ".", Given: ".", roots: w.Roots}), Denied},
		{"rename", rename("a", "c", false), Other},
		{"rename over", rename("a", "b", false), Other},
		{"rename over read-only", rename("a", "ro", false), ReadOnly},
		{"rename to below nothing", rename("a", "no/c", false), NotFound},
		{"rename to below what is made", rename("a", "no/c", true), Other},
		{"rename to below a file", rename("a", "b/c", true), NotDir},
		{"rename into itself", rename("d", "d/e/f", true), Invalid},
		{"rename .git", rename("repo/.git", "g", false), Protected},
		{"rename to .git", rename("d", "no/.git", true), Protected},
		{"new", w.CheckNew(w.path("no/new"), false, true), Other},
		{"new link", w.CheckNew(w.path("no/new"), true, true), Other},
		{"new .git", w.CheckNew(w.path("no/.git"), false, true), Protected},
		{"new below a file", w.CheckNew(w.path("a/new"), false, true), NotDir},
	} {
		if c.kind == Other && c.check == nil {
			continue
		}
		wantKind(t, c.name, c.check, c.kind)
	}
	if after := snapshot(t, w.W); after != before {
		t.Errorf("became:\n%s\nwas:\n%s", after, before)
	}
	wantKind(t, "rename over read-only", w.Rename(w.path("a"), w.path("ro"), true), ReadOnly)
	if w.get("ro") != "ro" || w.get("a") != "a" {
		t.Error("a read-only file was replaced")
	}
}

func TestLinksThatLeadNowhereAreLocked(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.link(w.O, "out")
	w.link("c2", "c1")
	w.link("c1", "c2")
	w.link("none", "dangling")
	for _, name := range []string{"out", "c1", "dangling"} {
		unlock, err := w.LockEntries(t.Context(), w.path(name))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		unlock()
		if err := w.Rename(w.path(name), w.path(name+".moved"), false); err != nil {
			t.Error(err)
		}
		if err := w.Remove(w.path(name + ".moved")); err != nil {
			t.Error(err)
		}
	}
	w.link(w.O, "out")
	_, err := w.Lock(t.Context(), w.path("out"))
	if wantKind(t, "lock", err, Denied); strings.Contains(err.Error(), "lock") {
		t.Error(err)
	}
}

// What could not be removed is named.
func TestPartialRemovalNamesWhatIsLeft(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("tree/x/1", "")
	w.put("tree/y/2", "")
	if s, err := w.removable("remove", w.path("tree"), false); err != nil {
		t.Error(err)
	} else {
		if got := s.leaf(); got != "tree/x/1" && got != "tree/y/2" {
			t.Error(got)
		}
		s.close()
	}
	if runtime.GOOS == "windows" || os.Getuid() == 0 {
		return
	}
	if err := os.Chmod(w.abs("tree/y"), 0o555); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.Chmod(w.abs("tree/y"), 0o755) }()
	err := w.RemoveAll(w.path("tree"))
	if wantKind(t, "remove", err, Permission); !strings.Contains(err.Error(), filepath.ToSlash("tree/y/2")) {
		t.Error(err)
	}
}
