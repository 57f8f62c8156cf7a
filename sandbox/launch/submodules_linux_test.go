package launch_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
)

// The user's git status runs what the config of a submodule says, wherever the
// submodule is: neither that nor the way to it can be changed.
func TestSubmodulesAreGuardedWhereverTheyAre(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/usr/bin/git"); err != nil {
		t.Skip("git is missing")
	}
	places := []string{"libs/a", "vendor/b", ".hid/c", "node_modules/m", "a/b/c/d/e/f/g/h/i/j", "sub/vendor/inner"}
	add := "git -c protocol.file.allow=always submodule --quiet add"
	script := "git init -q ../lib; git -C ../lib commit -q --allow-empty -m lib; cp -r ../lib ../outer; (cd ../outer; " + add + " ../lib vendor/inner; git commit -qm inner); " +
		repo + add + " ../outer sub; git -c protocol.file.allow=always submodule --quiet update --init --recursive; "
	for _, dir := range places[:len(places)-1] {
		script += add + " ../lib " + dir + "; "
	}
	w, l := layout(t, script+"mkdir old; git init -q old/kept; git -C old/kept commit -q --allow-empty -m k; git add old/kept 2>/dev/null; "+add+" ../lib gone; git commit -qm subs; git submodule deinit -q -f gone")
	for _, dir := range append(places, "old/kept", "sub") {
		for _, script := range []string{
			"echo gitdir: /tmp/evil >.git", "rm .git", "mv .git x", "git config core.fsmonitor evil",
			`d=$(git rev-parse --git-dir); echo x >$d/hooks/pre-commit`, `d=$(git rev-parse --git-dir); echo /tmp/evil >$d/commondir`,
		} {
			if out, s := sh(t, l, filepath.Join(w, dir), script); s.Success() {
				t.Errorf("%s: %s: allowed %s", dir, script, out)
			}
		}
		if out, s := sh(t, l, filepath.Join(w, dir), "echo x >>f; git add f; git commit -qm more"); !s.Success() {
			t.Errorf("%s: git: %s %s", dir, s, out)
		}
	}
	if out, s := sh(t, l, w, "mv vendor x"); s.Success() {
		t.Errorf("moved away: %s", out)
	}
	if got := l.Planted(); len(got) != 0 {
		t.Errorf("told as planted: %v", got)
	}
	// One that is not checked out may be, which is told.
	if out, s := sh(t, l, w, "git init -q gone"); !s.Success() {
		t.Errorf("%s %s", s, out)
	}
	if got, want := l.Planted(), []string{filepath.Join(w, "gone/.git")}; !slices.Equal(got, want) {
		t.Errorf("told as planted: %v, want %v", got, want)
	}
}

// A repository that is not called .git stays movable as a whole: a change of what git obeys in it is told, and so is
// one that comes.
func TestBareRepositoriesBelowTheRoot(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/usr/bin/git"); err != nil {
		t.Skip("git is missing")
	}
	w, l := layout(t, repo+"git init -q --bare srv.git; mkdir -p d/objects d/refs d/hooks; cp .git/HEAD d/HEAD; git init -q --bare e.git; rm -r e.git/hooks")
	if out, s := sh(t, l, w, "git push -q ./srv.git HEAD:refs/heads/m; git -C srv.git log m; git -C srv.git gc -q; git clone -q -b m srv.git c"); !s.Success() {
		t.Errorf("%s %s", s, out)
	}
	if got := l.Planted(); len(got) != 0 {
		t.Errorf("told as planted: %v", got)
	}
	if out, s := sh(t, l, w, "echo x >srv.git/hooks/post-update; echo x >>srv.git/config"); !s.Success() {
		t.Errorf("%s %s", s, out)
	}
	toldSoon(t, l, filepath.Join(w, "srv.git/config"), filepath.Join(w, "srv.git/hooks"))
	if out, s := sh(t, l, w, "mv d d2 && rm -rf srv.git d2 && test ! -e srv.git"); !s.Success() { // whole, not half
		t.Errorf("%s %s", s, out)
	}
	if out, s := sh(t, l, w, "git init -q --bare new; mkdir e.git/hooks; echo x >e.git/hooks/post-update"); !s.Success() {
		t.Errorf("%s %s", s, out)
	}
	toldSoon(t, l, filepath.Join(w, "e.git/hooks"), filepath.Join(w, "new"))
}

func toldSoon(t *testing.T, l *launch.Launcher, want ...string) {
	t.Helper()
	var got []string
	for end := time.Now().Add(15 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if got = l.Planted(); slices.Equal(got, want) {
			return
		}
	}
	t.Errorf("told as planted: %v, want %v", got, want)
}

// In the folders of package managers all stays movable; a change of what git obeys
// there is told.
func TestRepositoriesOfPackageManagersAreWatched(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/usr/bin/git"); err != nil {
		t.Skip("git is missing")
	}
	dirs := []string{"vendor/plain", ".dot/r", "node_modules/x/.cache/y"}
	script := repo
	for _, dir := range dirs {
		script += "git init -q " + dir + "; "
	}
	w, l := layout(t, script+"git init -q --bare .dot/b; printf '#!/bin/sh\n' >.dot/b/hooks/update")
	for _, dir := range dirs {
		if out, s := sh(t, l, filepath.Join(w, dir), "echo a >f; git add f; git commit -qm a"); !s.Success() {
			t.Errorf("%s: %s %s", dir, s, out)
		}
	}
	if got := l.Planted(); len(got) != 0 {
		t.Errorf("told too early: %v", got)
	}
	if out, s := sh(t, l, w, "echo x >>vendor/plain/.git/config; echo x >.dot/r/.git/hooks/pre-commit; echo x >>.dot/b/hooks/update; mv node_modules n"); !s.Success() {
		t.Errorf("%s %s", s, out)
	}
	got := l.Planted()
	for i := range got {
		got[i] = strings.TrimPrefix(got[i], w+"/")
	}
	if want := []string{".dot/b/hooks/update", ".dot/r/.git/hooks", "vendor/plain/.git/config"}; !slices.Equal(got, want) {
		t.Errorf("told as planted: %v, want %v", got, want)
	}
}
