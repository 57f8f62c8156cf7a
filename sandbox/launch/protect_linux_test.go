package launch_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
)

// sh runs a script in dir as a child of l and gives its output.
func sh(t *testing.T, l *launch.Launcher, dir, script string) (string, launch.Status) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	env, _ := launch.Environ(launch.EnvConfig{Base: os.Environ(), Extra: []string{
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b",
	}})
	p, err := l.Start(t.Context(), launch.Cmd{Path: "/bin/sh", Args: []string{"sh", "-ec", script}, Dir: dir, Env: env, Stdout: w, Stderr: w})
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	r.SetReadDeadline(time.Now().Add(time.Minute))
	out, err := io.ReadAll(r)
	if err != nil {
		t.Fatalf("%v after %q", err, out)
	}
	return string(out), p.Wait()
}

// With the protection that the product has, git works in linked work trees and
// submodules, those made by the same session included, and what steers it stays.
func TestGitInWorkTreesAndSubmodulesUnderDefaultProtect(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/usr/bin/git"); err != nil {
		t.Skip("git is missing")
	}
	top := t.TempDir()
	free := launch.New(launch.Config{Confine: launch.Off})
	t.Cleanup(func() { free.Close() })
	setup := `git init -q lib; git -C lib commit -q --allow-empty -m lib
		git init -q repo; cd repo; git commit -q --allow-empty -m one
		git -c protocol.file.allow=always submodule --quiet add ../lib sub; git commit -qm sub
		git worktree add -q old; git init -q tools/nested; git -C tools/nested commit -q --allow-empty -m n`
	if out, s := sh(t, free, top, setup); !s.Success() {
		t.Fatalf("%s %s", s, out)
	}
	repo := filepath.Join(top, "repo")
	l := launch.New(launch.Config{Writable: []string{repo}, Protect: sandbox.DefaultProtect(), Mechanism: launch.Namespaces, Confine: launch.Required})
	t.Cleanup(func() { l.Close() })
	commit := "echo x >>f; git add f; git commit -qm more; git status --short; git log --oneline >/dev/null"
	for name, script := range map[string]string{
		"top":                              commit,
		"a work tree that was there":       "cd old; " + commit,
		"a new work tree":                  "git worktree add -q new; cd new; " + commit,
		"a submodule":                      "cd sub; " + commit + "; git checkout -q -b topic; git gc -q",
		"a nested repository":              "cd tools/nested; " + commit,
		"a new work tree taken away again": "git worktree add -q gone; git worktree remove gone; git branch -D gone",
	} {
		if out, s := sh(t, l, repo, script); !s.Success() {
			t.Errorf("%s: %s %s", name, s, out)
		}
	}
	if out, s := sh(t, l, filepath.Join(repo, "new"), commit); !s.Success() {
		t.Errorf("the new work tree as the folder of a later command: %s %s", s, out)
	}
	if got := l.Planted(); len(got) != 0 {
		t.Errorf("told as planted: %v", got)
	}
	for _, script := range []string{
		"echo /tmp/evil >.git/commondir", "rm .git/commondir", "git config core.fsmonitor evil", "echo x >.git/hooks/pre-commit",
		"echo /tmp/evil >.git/worktrees/old/commondir", "mv .git/worktrees/old .git/worktrees/x", "echo gitdir: /tmp/evil >old/.git",
		"git -C sub config core.fsmonitor evil", "echo x >.git/modules/sub/hooks/pre-commit", "echo /tmp/evil >.git/modules/sub/commondir", "mv .git/modules/sub .git/modules/x",
		"git -C tools/nested config core.fsmonitor evil", "echo x >tools/nested/.git/hooks/post-checkout", "echo /tmp/evil >tools/nested/.git/commondir",
		"mv tools/nested tools/x", "mv tools x",
	} {
		if out, s := sh(t, l, repo, script); s.Success() {
			t.Errorf("%s: allowed %s", script, out)
		}
	}
	// Nothing of the holding stays behind, and git outside never noticed.
	out, s := sh(t, free, repo, "git status --short; git fsck; git worktree list")
	if !s.Success() || strings.Contains(out, ".git ") {
		t.Errorf("git outside: %s %s", s, out)
	}
	l.Close()
	for _, dir := range []string{".git", ".git/modules/sub", "tools/nested/.git"} {
		if _, err := os.Lstat(filepath.Join(repo, dir, "commondir")); err == nil {
			t.Errorf("a placeholder stays in %s", dir)
		}
	}
}
