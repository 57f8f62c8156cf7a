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

// A launcher that replaces another begins with what is there: what the one before has seen is not forgotten.
func TestPlantedIsRemembered(t *testing.T) {
	t.Parallel()
	w := t.TempDir()
	l := newLauncher(t, Config{Writable: []string{w}, Protect: []string{".vscode"}, Mechanism: Namespaces})
	mustRun(t, l, w, "true")
	p, err := l.Start(t.Context(), Cmd{Path: "/bin/sh", Args: []string{"sh", "-c", "sleep 0.2; mkdir .vscode"}, Dir: w})
	if err != nil {
		t.Fatal(err)
	}
	p.Wait()
	l.slots[Confined].in.lastLook = time.Time{}
	mustRun(t, l, w, "true") // by another launcher
	if got := l.Planted(); len(got) != 1 || filepath.Base(got[0]) != ".vscode" {
		t.Errorf("planted: %v", got)
	}
	if err := os.Remove(filepath.Join(w, ".vscode")); err != nil {
		t.Fatal(err)
	}
	if got := l.Planted(); len(got) != 0 {
		t.Errorf("planted and gone: %v", got)
	}
	mustRun(t, l, w, "echo gitdir: elsewhere >.git")
	if got := l.Planted(); len(got) != 1 || filepath.Base(got[0]) != ".git" {
		t.Errorf("planted: %v", got)
	}
}

// The launcher is process 1 of its children, whom they may signal.
func TestSignalsToTheLauncher(t *testing.T) {
	t.Parallel()
	w := t.TempDir()
	l := newLauncher(t, Config{Writable: []string{w}, Mechanism: Namespaces})
	mustRun(t, l, w, "for s in HUP INT QUIT ILL TRAP ABRT BUS FPE SEGV PIPE ALRM TERM STKFLT XCPU VTALRM PROF IO PWR SYS USR1 USR2; do kill -$s 1; done; sleep 0.1")
	in := l.slots[Confined].in
	mustRun(t, l, w, "true")
	if l.slots[Confined].in != in {
		t.Error("the launcher ended")
	}
}
