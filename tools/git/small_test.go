package git

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// TestConflictMarksAreNotCommitted: not unseen, at least.
func TestConflictMarksAreNotCommitted(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("one", "a", "1\n", "b", "1\n")
	w.write("a", "stashed\n")
	w.git("stash")
	w.commit("two", "a", "2\n")
	w.gitAny("stash", "pop")
	head := w.git("rev-parse", "HEAD")
	for _, a := range []args{{"message": "m", "all": true}, {"message": "m", "files": "a"}} {
		if out := w.fails(tools.Conflict, "commit", a); !strings.Contains(out.Envelope.Error.Message, "<<<<<<<") {
			t.Error(out.Envelope.Error)
		}
	}
	if w.git("rev-parse", "HEAD") != head {
		t.Error("something was committed")
	}
	w.write("a", "both\n")
	w.call("commit", args{"message": "m", "all": true})
}

// TestWordsForNames: what is said of names that git does not find.
func TestWordsForNames(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("one", "a.txt", "1\n")
	w.write("new", "1\n")
	w.write("a.txt", "2\n")
	for _, c := range []struct {
		action string
		args   args
		want   string
	}{
		{"add", args{"files": "*.txt"}, "all:true"}, {"add", args{"files": "-A"}, "literally"}, {"commit", args{"message": "m", "files": "new"}, "git.add"},
		{"stash", args{"sub_action": "push", "files": "new"}, "include_untracked"},
	} {
		if m := w.fails(tools.NotFound, c.action, c.args).Envelope.Error.Message; !strings.Contains(m, c.want) || strings.Contains(m, ":(top") {
			t.Errorf("%s %v: %s", c.action, c.args, m)
		}
	}
	w.git("checkout", "-q", "a.txt")
	if m := w.fails(tools.Conflict, "commit", args{"message": "m", "all": true}).Envelope.Error.Message; strings.Contains(m, "or give all") || !strings.Contains(m, "untracked") {
		t.Error(m)
	}
}

// TestWaitingChange: one that never began is not said to have been stopped.
func TestWaitingChange(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("one", "a", "1\n")
	w.script(w.dir, ".git/hooks/pre-commit", "touch begun; until [ -e go ]; do sleep 0.05; done")
	done := make(chan bool)
	go func() {
		defer close(done)
		w.try("commit", args{"message": "slow", "allow_empty": true})
	}()
	for end := time.Now().Add(30 * time.Second); !w.has("begun"); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the hook never ran")
		}
	}
	out := w.fails(tools.Timeout, "branch", args{"sub_action": "create", "name": "n", "timeout": 300})
	if m := out.Envelope.Error.Message; !strings.Contains(m, "not begun") {
		t.Error(m)
	}
	w.file(w.dir, "go", "")
	<-done
}

// TestGrepsOfModels: patterns as they are written elsewhere.
func TestGrepsOfModels(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	for _, m := range []string{"first", "second", "fix(ui): x", "use c++", "issue 12"} {
		w.commit(m)
	}
	for grep, want := range map[string]int{"first|second": 2, `issue \d+`: 1, `\d`: 1, "fix(ui)": 1, "c++": 1, "fi.st": 1, "nothing|at": 0, `first\|second`: 2, "(": 1} {
		if got := len(data[logData](t, w.call("log", args{"grep": grep})).Commits); got != want {
			t.Errorf("%s: %d, want %d", grep, got, want)
		}
	}
}

// TestRemoteGroup: git fetches from all of its members.
func TestRemoteGroup(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("one", "a", "1\n")
	for _, name := range []string{"x", "y"} {
		w.git("clone", "-q", "--bare", ".", name+".git")
		w.git("remote", "add", name, "./"+name+".git")
	}
	w.git("config", "remotes.grp", "x y")
	w.call("fetch", args{"name": "grp"})
	if got := w.git("branch", "-r", "--format=%(refname)"); got != "refs/remotes/x/main\nrefs/remotes/y/main\n" {
		t.Error(got)
	}
	w.git("config", "--add", "remotes.grp", "z")
	w.git("config", "remote.z.url", filepath.Join(w.out, "z"))
	w.fails(tools.PermissionDenied, "fetch", args{"name": "grp"})
}

// TestNestedRepositoryIsTold: also when everything is added.
func TestNestedRepositoryIsTold(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("one", "a", "1\n")
	w.git("init", "-q", "emb")
	w.gitIn(filepath.Join(w.dir, "emb"), "commit", "-q", "--allow-empty", "-m", "x")
	if out := w.call("add", args{"all": true}); !strings.Contains(warned(out), "emb is a repository of its own") {
		t.Error(warned(out))
	}
}

// TestSubmodulesOwnChanges: that they are not staged is said.
func TestSubmodulesOwnChanges(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("one", "a", "1\n")
	w.git("clone", "-q", ".", "from")
	w.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", "./from", "sub")
	w.git("commit", "-qm", "sub")
	w.write("sub/a", "2\n")
	if out := w.call("add", args{"files": "sub"}); !strings.Contains(warned(out), "sub is a submodule") {
		t.Error(warned(out))
	}
	if out := w.call("add", args{"files": "a"}); warned(out) != "" {
		t.Error(warned(out))
	}
}

// TestFetchOverOwnBranches: what is said of a fetch that git refuses.
func TestFetchOverOwnBranches(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("one", "a", "1\n")
	w.git("clone", "-q", "--bare", ".", "up.git")
	w.git("remote", "add", "origin", "./up.git")
	other := w.git("commit-tree", "-m", "x", "HEAD^{tree}")[:40]
	w.git("branch", "mine", other)
	w.git("tag", "v1", other)
	w.gitIn(filepath.Join(w.dir, "up.git"), "tag", "v1")
	for _, a := range []args{{"ref": "main:mine"}, {"tags": true}} {
		if m := w.fails(tools.Conflict, "fetch", a).Envelope.Error.Message; !strings.Contains(m, "force:true with confirm:true") {
			t.Error(m)
		}
	}
}
