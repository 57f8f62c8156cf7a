//go:build unix

package launch

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func script(t *testing.T, path, body string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// npx puts the checkout's node_modules/.bin first; a checkout must not choose
// which git, shell or hanzo runs.
func TestPathIsCleaned(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	root, good := filepath.Join(top, "ws", "root"), filepath.Join(top, "good")
	for _, dir := range []string{"bin", "sub/bin", "node_modules/.bin", "../node_modules/.bin"} {
		script(t, filepath.Join(root, dir, "git"), "")
	}
	script(t, filepath.Join(good, "git"), "")
	script(t, filepath.Join(top, "ws2", "git"), "")
	link := filepath.Join(top, "link")
	os.Symlink(filepath.Join(root, "bin"), link)
	rootLink := filepath.Join(top, "rootlink")
	os.Symlink(root, rootLink)
	list := strings.Join([]string{
		"", ".", "bin", "./node_modules/.bin", filepath.Join(root, "bin"), filepath.Join(root, "sub/bin"), filepath.Join(root, "node_modules/.bin"),
		filepath.Join(top, "ws", "node_modules/.bin"), link, good + "/", good, filepath.Join(top, "ws2"), filepath.Join(root, "../../good"), "/nowhere",
	}, ":")
	for _, given := range []string{root, rootLink} {
		p := NewPath(PathConfig{Env: []string{"PATH=" + list}, Roots: []string{given, "/"}, NoLoginShell: true})
		want := strings.Join([]string{good, filepath.Join(top, "ws2"), "/nowhere"}, ":")
		if got := p.String(); got != want {
			t.Errorf("%s", got)
		}
		if dropped, _ := p.Dropped(); len(dropped) != 9 {
			t.Errorf("%v", dropped)
		}
		if got, err := p.Look("git"); got != filepath.Join(good, "git") {
			t.Errorf("%s %v", got, err)
		}
	}
}

func TestLook(t *testing.T) {
	t.Parallel()
	dir, second := t.TempDir(), t.TempDir()
	os.WriteFile(filepath.Join(dir, "plain"), []byte("x"), 0o644)
	os.WriteFile(filepath.Join(dir, "both"), []byte("x"), 0o644)
	os.Mkdir(filepath.Join(dir, "folder"), 0o755)
	script(t, filepath.Join(second, "both"), "")
	p := NewPath(PathConfig{Env: []string{"PATH=" + dir + ":" + second}, NoLoginShell: true})
	for name, want := range map[string]struct {
		path string
		exit int
	}{"both": {filepath.Join(second, "both"), 0}, "plain": {"", 126}, "folder": {"", 127}, "none": {"", 127}, "": {"", 127}, "./x": {"./x", 0}} {
		got, err := p.Look(name)
		var se *StartError
		if got != want.path || errors.As(err, &se) != (want.exit != 0) || se != nil && se.Exit != want.exit {
			t.Errorf("%q: %q %v", name, got, err)
		}
		if name == "none" && !strings.Contains(err.Error(), dir) {
			t.Errorf("the path searched is not shown: %v", err)
		}
	}
}

// Desktop starts have a bare PATH; the login shell knows the rest.
func TestBarePathIsCompletedOnce(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	tool := script(t, filepath.Join(top, "local/bin/mytool"), "")
	count := filepath.Join(top, "count")
	shell := script(t, filepath.Join(top, "shell"), `echo welcome; echo x >>`+count+`; PATH="`+filepath.Dir(tool)+`:$PATH"; [ "$1" = -lc ] && eval "$2"; echo bye`)
	p := NewPath(PathConfig{Env: []string{"PATH=/usr/bin:/bin", "SHELL=" + shell}})
	if _, err := os.Stat(count); err == nil {
		t.Error("the shell ran before it was needed")
	}
	for range 3 {
		if got, err := p.Look("mytool"); got != tool {
			t.Errorf("%q %v", got, err)
		}
	}
	if data, _ := os.ReadFile(count); string(data) != "x\n" {
		t.Errorf("the shell ran %d times", len(data)/2)
	}
	// A PATH that somebody has set up is taken as it is.
	NewPath(PathConfig{Env: []string{"PATH=/usr/bin:" + top, "SHELL=" + shell}}).Dirs()
	if data, _ := os.ReadFile(count); string(data) != "x\n" {
		t.Error("the shell ran for a full PATH")
	}
	// A shell of the checkout is not run.
	if dirs := NewPath(PathConfig{Env: []string{"PATH=/bin", "SHELL=" + shell}, Roots: []string{top}}).Dirs(); len(dirs) != 1 {
		t.Error(dirs)
	}
	if data, _ := os.ReadFile(count); string(data) != "x\n" {
		t.Error("a shell inside a root ran")
	}
}

// A client that starts the server without a PATH gets the programs of the system.
func TestNoPath(t *testing.T) {
	t.Parallel()
	for _, env := range [][]string{nil, {"PATH="}, {"PATH=:"}} {
		if got, err := NewPath(PathConfig{Env: env}).Look("sh"); err != nil || !filepath.IsAbs(got) {
			t.Errorf("%q: %q %v", env, got, err)
		}
	}
}

func TestLoginShellThatHangs(t *testing.T) {
	t.Parallel()
	shell := script(t, filepath.Join(t.TempDir(), "shell"), "sleep 600 & read x; sleep 600")
	begin := time.Now()
	p := NewPath(PathConfig{Env: []string{"PATH=/bin", "SHELL=" + shell}})
	if got := p.String(); got != "/bin" {
		t.Error(got)
	}
	if _, note := p.Dropped(); !strings.Contains(note, "3s") {
		t.Error(note)
	}
	if d := time.Since(begin); d > 10*time.Second {
		t.Errorf("took %s", d)
	}
}
