package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// What still settles when the server has ended makes no folder that nobody would remove, and warns of nothing.
func TestNothingIsMadeAfterTheEnd(t *testing.T) {
	t.Parallel()
	home, dir := t.TempDir(), t.TempDir()
	var said bytes.Buffer
	s := newServer(&console{w: &said, level: warnLevel}, options{noDoor: true, sandbox: "workspace", projectDirs: []string{dir}}, func(name string) string {
		return map[string]string{"HOME": home}[name]
	})
	pl := s.settle(s.newPeer(context.Background(), "x", func([]byte) {}), nil)
	temp := s.tempDir()
	if temp == "" || len(pl.guard.Roots.Dirs()) != 2 {
		t.Fatalf("temporary folder %q, roots %q: %s", temp, pl.guard.Roots.Dirs(), &said)
	}
	s.close()
	if _, err := os.Stat(temp); !os.IsNotExist(err) {
		t.Errorf("it is still there: %v", err)
	}
	s.newPlace([]string{dir})
	if again := s.tempDir(); again != "" {
		os.RemoveAll(again)
		t.Errorf("%s was made", again)
	}
	if said.Len() > 0 {
		t.Errorf("stderr: %s", &said)
	}
}

// A place where commands write is the last choice, by whatever name.
func TestTemporaryFolderIsNotWhereCommandsWrite(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("there is one place on Windows")
	}
	top := realPath(t.TempDir())
	w, o := filepath.Join(top, "w"), filepath.Join(top, "o")
	for _, dir := range []string{filepath.Join(w, "t"), o} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{filepath.Join(w, "out"): o, filepath.Join(top, "in"): filepath.Join(w, "t"), filepath.Join(top, "fine"): o} {
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	for wanted, first := range map[string]bool{o: true, filepath.Join(top, "fine"): true, w: false, filepath.Join(w, "t"): false, filepath.Join(w, "out"): false, filepath.Join(top, "in"): false} {
		places := tempPlaces(wanted, o, []string{w})
		if (places[0] == realPath(wanted)) != first {
			t.Errorf("%s: %q", wanted, places)
		}
	}
	if places := tempPlaces(top, "", []string{top, "/"}); places[0] != top {
		t.Errorf("where commands write everywhere: %q", places)
	}
}

// Before each start TMPDIR is what was made, or is made anew; what else stands there is not used, and nothing is lost.
func TestTemporaryFolderIsMadeAnew(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("an open folder cannot be removed on Windows")
	}
	base, o := realPath(t.TempDir()), realPath(t.TempDir())
	if err := os.MkdirAll(filepath.Join(o, "tmp"), 0o700); err != nil {
		t.Fatal(err)
	}
	f := &tempFolder{}
	if err := f.create(base); err != nil {
		t.Fatal(err)
	}
	run, tmp := f.path(), f.path("tmp")
	for what, do := range map[string]func() error{
		"nothing":              func() error { return nil },
		"tmp removed":          func() error { return os.RemoveAll(tmp) },
		"tmp a link":           func() error { return errors.Join(os.RemoveAll(tmp), os.Symlink(o, tmp)) },
		"tmp another folder":   func() error { return errors.Join(os.Rename(tmp, filepath.Join(base, "away")), os.Mkdir(tmp, 0o755)) },
		"tmp a file":           func() error { return errors.Join(os.RemoveAll(tmp), os.WriteFile(tmp, nil, 0o600)) },
		"the folder removed":   func() error { return os.RemoveAll(run) },
		"the folder a link":    func() error { return errors.Join(os.RemoveAll(run), os.Symlink(o, run)) },
		"the folder elsewhere": func() error { return os.Rename(run, filepath.Join(base, "gone")) },
	} {
		if err := do(); err != nil {
			t.Fatal(what, err)
		}
		if err := f.check(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		if real, err := filepath.EvalSymlinks(tmp); err != nil || real != tmp || !f.stands() {
			t.Errorf("%s: %s %v", what, real, err)
		}
		if _, err := os.Lstat(filepath.Join(run, "lock")); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := errors.Join(os.RemoveAll(tmp), os.MkdirAll(filepath.Join(tmp, "work"), 0o755)); err != nil {
		t.Fatal(err)
	}
	if err := f.check(); err == nil || !strings.Contains(err.Error(), tmp) {
		t.Errorf("a folder with something in it: %v", err)
	}
	if err := os.RemoveAll(tmp); err != nil {
		t.Fatal(err)
	}
	if err := f.check(); err != nil {
		t.Error(err)
	}
	if err := os.RemoveAll(base); err != nil {
		t.Fatal(err)
	}
	if err := f.check(); err != nil {
		t.Errorf("all of TMPDIR is gone: %v", err)
	}
	if err := f.remove(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(o, "tmp")); err != nil {
		t.Error(err)
	}
}
