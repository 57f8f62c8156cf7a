//go:build unix

package git

import (
	"net/http/cgi"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// host serves the repositories below the root of a world over HTTP, and makes hub.git its remote.
func (w *world) host(t *testing.T) {
	t.Helper()
	exe, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is missing")
	}
	srv := httptest.NewServer(&cgi.Handler{Path: exe, Args: []string{"http-backend"}, Env: append(w.env, "GIT_PROJECT_ROOT="+w.dir, "GIT_HTTP_EXPORT_ALL=1")})
	t.Cleanup(srv.Close)
	w.write(".git/info/exclude", "hub.git\nseen\n")
	w.git("init", "-q", "--bare", "hub.git")
	w.gitIn(filepath.Join(w.dir, "hub.git"), "config", "http.receivepack", "true")
	w.git("remote", "add", "origin", srv.URL+"/hub.git")
}

// TestPrePushHookSeesNoKeys: a push to a host has the user's keys in sight, the hooks of the checkout have not.
func TestPrePushHookSeesNoKeys(t *testing.T) {
	t.Parallel()
	w := signingWorld(t)
	w.host(t)
	one := w.commit("one", "a", "1\n")
	w.script(w.dir, ".git/hooks/pre-push", w.spy("pre-push")+`; echo "$*" >.git/asked; cat >.git/said; test ! -e .git/refuse`)
	w.script(w.dir, ".git/hooks/reference-transaction", w.spy("reference-transaction"))
	zero := strings.Repeat("0", 40)
	pushed := func(want string, a args) {
		t.Helper()
		out := w.call("push", a)
		if seen := w.spied(); !strings.Contains(seen, "pre-push") {
			t.Errorf("%v: the hook did not run: %s", a, seen)
		}
		if got := w.text(".git/said"); got != want {
			t.Errorf("%v: the hook read %q, want %q\n%s", a, got, want, out.Text)
		}
	}
	pushed("refs/heads/main "+one+" refs/heads/main "+zero+"\n", args{"set_upstream": true})
	if got := w.text(".git/asked"); !strings.HasPrefix(got, "origin http://127.0.0.1:") {
		t.Errorf("asked %q", got)
	}
	pushed("", nil)
	two := w.commit("two", "a", "2\n")
	w.forget()
	pushed("refs/heads/main "+two+" refs/heads/main "+one+"\n", nil)
	pushed("HEAD "+two+" refs/heads/side "+zero+"\n", args{"ref": "HEAD:refs/heads/side"})
	pushed("(delete) "+zero+" refs/heads/side "+zero+"\n", args{"ref": "side", "sub_action": "delete", "confirm": true})
	w.git("reset", "-q", "--hard", one)
	three := w.commit("three", "a", "3\n")
	w.forget()
	w.fails(tools.Conflict, "push", args{"ref": "main"})
	w.fails(tools.Conflict, "push", args{"ref": "main main:refs/heads/other"}) // the one is refused, the other goes
	if got := w.text(".git/said"); got != "refs/heads/main "+three+" refs/heads/other "+zero+"\n" {
		t.Errorf("the hook read %q", got)
	}
	w.spied()
	pushed("refs/heads/main "+three+" refs/heads/main "+two+"\n", args{"ref": "main", "force": true, "confirm": true})

	w.commit("four", "a", "4\n")
	w.write(".git/refuse", "")
	w.forget()
	w.try("push", nil)
	if got := strings.TrimSpace(w.gitIn(filepath.Join(w.dir, "hub.git"), "rev-parse", "main")); got != three {
		t.Errorf("pushed in spite of the hook: %s", got)
	}
	w.spied()
}

// TestLFSPushesWithTheKeys: the hook that git lfs install writes needs them; one that only looks like it gets none.
func TestLFSPushesWithTheKeys(t *testing.T) {
	t.Parallel()
	w := signingWorld(t)
	w.host(t)
	w.script(w.home, "bin/git-lfs", `echo "lfs $1 $2 $(git config lfs.customtransfer.x.path)" >.git/lfs; cat >>.git/lfs; cat "`+filepath.Join(w.home, ".ssh", "id")+`" >>.git/lfs; true`)
	w.env = append(w.env, "PATH="+filepath.Join(w.home, "bin")+":/usr/bin:/bin")
	g := New(Config{Launcher: w.launcher, Environ: func() []string { return w.env }, Look: func(name string) (string, error) {
		if name == "git-lfs" {
			return filepath.Join(w.home, "bin", name), nil
		}
		return exec.LookPath(name)
	}})
	w.tool = g
	w.git("config", "lfs.customTransfer.x.path", "/evil")
	hook := `command -v git-lfs >/dev/null 2>&1 || { printf >&2 "\n%s\n\n" "This repository is configured for Git LFS but 'git-lfs' was not found on your path."; exit 2; }
git lfs pre-push "$@"`
	one := w.commit("one", "a", "1\n")
	w.script(w.dir, ".git/hooks/pre-push", hook)
	w.call("push", args{"set_upstream": true})
	if got := w.text(".git/lfs"); !strings.HasPrefix(got, "lfs pre-push origin \nrefs/heads/main "+one) || !strings.Contains(got, "PRIVATE KEY") {
		t.Errorf("git-lfs: %q", got)
	}
	w.write(".git/lfs", "")
	for _, extra := range []string{w.spy("evil") + "\n" + hook, hook + "\n" + w.spy("evil") + "; true", strings.Replace(hook, "This", "$("+w.spy("evil")+")This", 1) + "; " + w.spy("evil") + "; true"} {
		w.commit("more")
		w.script(w.dir, ".git/hooks/pre-push", extra)
		w.call("push", nil)
		if seen := w.spied(); !strings.Contains(seen, "evil") {
			t.Errorf("the hook did not run: %s", extra)
		}
		if got := w.text(".git/lfs"); strings.Contains(got, "PRIVATE KEY") {
			t.Errorf("%s: git-lfs saw the key", extra)
		}
	}
}
