package git

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

func (w *world) text(name string) string {
	w.Helper()
	b, err := os.ReadFile(filepath.Join(w.dir, name))
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// TestNothingIsLostUnasked: files that git itself takes without a word.
func TestNothingIsLostUnasked(t *testing.T) {
	t.Parallel()
	t.Run("a file where a folder comes", func(t *testing.T) {
		t.Parallel()
		w := newRepo(t)
		one := w.commit("one", "foo/bar", "t\n")
		w.git("rm", "-rq", "foo")
		w.commit("two")
		w.write("foo", "precious\n")
		w.fails(tools.ConfirmRequired, "checkout", args{"ref": one, "force": true})
		w.fails(tools.ConfirmRequired, "restore", args{"ref": one, "all": true})
		if got := w.text("foo"); got != "precious\n" {
			t.Error(got)
		}
	})
	t.Run("a folder where a file comes", func(t *testing.T) {
		t.Parallel()
		w := newRepo(t)
		one := w.commit("one", "foo", "t\n")
		w.git("rm", "-q", "foo")
		two := w.commit("two", "foo/tracked", "t\n")
		w.call("checkout", args{"ref": one, "force": true}) // all that stands there is in a commit
		w.call("checkout", args{"ref": two, "force": true})
		w.write("foo/precious", "precious\n")
		w.fails(tools.ConfirmRequired, "checkout", args{"ref": one, "force": true})
	})
	t.Run("assume-unchanged", func(t *testing.T) {
		t.Parallel()
		w := newRepo(t)
		w.commit("one", "a b", "1\n", "same", "1\n")
		w.git("update-index", "--assume-unchanged", "a b", "same")
		w.write("a b", "precious\n")
		for _, c := range []struct {
			action string
			args   args
		}{
			{"restore", args{"files": []string{"a b"}}}, {"restore", args{"all": true}}, {"checkout", args{"files": []string{"a b"}}},
			{"checkout", args{"ref": "main", "force": true}}, {"reset", args{"mode": "hard"}},
		} {
			out := w.fails(tools.ConfirmRequired, c.action, c.args)
			if m := out.Envelope.Error.Message; !strings.Contains(m, "a b") || strings.Contains(m, "same") {
				t.Errorf("%s: %s", c.action, m)
			}
		}
		if got := w.text("a b"); got != "precious\n" {
			t.Error(got)
		}
		w.call("restore", args{"files": []string{"same"}})
	})
	t.Run("skip-worktree", func(t *testing.T) {
		t.Parallel()
		w := newRepo(t)
		w.commit("one", "skip", "1\n", "same", "1\n", "f", "1\n")
		w.git("checkout", "-qb", "side")
		w.commit("two", "skip", "2\n", "same", "2\n", "f", "2\n")
		w.git("checkout", "-q", "main")
		w.git("update-index", "--skip-worktree", "skip", "same")
		w.write("skip", "precious\n")
		w.write("f", "changed\n")
		for _, c := range []struct {
			action string
			args   args
		}{
			{"restore", args{"ref": "side", "files": []string{"skip"}}}, {"restore", args{"ref": "side", "all": true}},
			{"restore", args{"ref": "HEAD", "files": []string{"skip"}}}, {"checkout", args{"ref": "side", "files": []string{"skip", "f"}}},
		} {
			out := w.fails(tools.ConfirmRequired, c.action, c.args)
			if m := out.Envelope.Error.Message; !strings.Contains(m, "skip") || strings.Contains(m, "same") {
				t.Errorf("%s: %s", c.action, m)
			}
			c.args["dry_run"] = true
			if out := w.call(c.action, c.args); !strings.Contains(out.Text, "skip") {
				t.Errorf("%s: %s", c.action, out.Text)
			}
		}
		w.call("restore", args{"ref": "side", "files": []string{"same"}})
		w.call("restore", args{"all": true, "confirm": true}) // from the index: git leaves it alone
		if got := w.text("skip"); got != "precious\n" {
			t.Error(got)
		}
	})
	t.Run("ignored files", func(t *testing.T) {
		t.Parallel()
		w := newRepo(t)
		w.commit("base", "f", "1\n")
		w.git("checkout", "-qb", "side")
		w.commit("env", ".env", "tracked\n")
		w.git("checkout", "-q", "main")
		w.write(".env", "precious\n")
		w.write(".git/info/exclude", ".env\n")
		w.fails(tools.Conflict, "checkout", args{"ref": "side"})
		w.fails(tools.Conflict, "merge", args{"ref": "side"})
		w.fails(tools.ConfirmRequired, "checkout", args{"ref": "side", "force": true})
		if got := w.text(".env"); got != "precious\n" {
			t.Error(got)
		}
		w.call("checkout", args{"ref": "side", "force": true, "confirm": true})
	})
}

// TestGivingUpLosesNothingUnasked: conflicts that are mended, a stopped rebase's other changes, and the reflog of a work
// tree whose folder is on another disk today.
func TestGivingUpLosesNothingUnasked(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("base", "a", "1\n", "other", "1\n")
	w.git("checkout", "-qb", "side")
	side := w.commit("side", "a", "side\n")
	w.git("checkout", "-q", "main")
	main := w.commit("main", "a", "main\n")
	for _, c := range []struct{ action, verb string }{{"merge", "abort"}, {"cherry_pick", "abort"}, {"cherry_pick", "skip"}, {"rebase", "abort"}, {"rebase", "skip"}} {
		w.fails(tools.Conflict, c.action, args{"ref": side})
		w.write("a", "mended\n")
		w.git("add", "a")
		if c.action == "rebase" {
			w.write("other", "more\n")
		}
		out := w.fails(tools.ConfirmRequired, c.action, args{"sub_action": c.verb})
		if m := out.Envelope.Error.Message; !strings.Contains(m, ": a") && !strings.Contains(m, ", a") || c.action == "rebase" && !strings.Contains(m, "other") {
			t.Errorf("%s %s: %s", c.action, c.verb, m)
		}
		if w.text("a") != "mended\n" {
			t.Errorf("%s %s: a is %q", c.action, c.verb, w.text("a"))
		}
		w.call(c.action, args{"sub_action": c.verb, "confirm": true})
		w.git("reset", "-q", "--hard", main) // a skipped commit is gone from the branch
	}
	w.fails(tools.Conflict, "merge", args{"ref": side})
	w.git("checkout", "HEAD", "--", "a")
	w.call("merge", args{"sub_action": "abort"}) // nothing differs from HEAD

	w.call("worktree", args{"sub_action": "prune"})
	w.git("worktree", "add", "-q", "--detach", "wt")
	if err := os.Rename(filepath.Join(w.dir, "wt"), filepath.Join(w.dir, "away")); err != nil {
		t.Fatal(err)
	}
	if out := w.fails(tools.ConfirmRequired, "worktree", args{"sub_action": "prune"}); !strings.Contains(out.Envelope.Error.Message, "worktrees/wt") || !w.has(".git/worktrees/wt") {
		t.Errorf("prune: %s", out.Envelope.Error.Message)
	}
	w.call("worktree", args{"sub_action": "prune", "dry_run": true})
	w.call("worktree", args{"sub_action": "prune", "confirm": true})
	if w.has(".git/worktrees/wt") {
		t.Error("not pruned")
	}
}

// TestDryRunsAreHonest: they show what the act itself would take, and change nothing.
func TestDryRunsAreHonest(t *testing.T) {
	t.Parallel()
	type list struct{ Files []entry }
	names := func(w *world, action string, a args) string {
		a["dry_run"] = true
		var all []string
		for _, e := range data[list](t, w.call(action, a)).Files {
			all = append(all, e.Path)
		}
		return strings.Join(all, " ")
	}
	w := newRepo(t)
	w.commit("one", "a", "1\n", "b", "1\n", "c", "1\n", ".gitignore", "ign\n")
	w.write("a", "2\n")
	w.write("b", "2\n")
	w.git("add", "b")
	w.write("new", "n\n")
	w.write("ign", "i\n")
	for _, c := range []struct {
		action string
		args   args
		want   string
	}{
		{"stash", args{"sub_action": "push"}, "b a"},
		{"stash", args{"sub_action": "push", "files": []string{"a"}}, "a"},
		{"stash", args{"sub_action": "push", "staged": true}, "b"},
		{"stash", args{"sub_action": "push", "include_untracked": true}, "b a new"},
		{"stash", args{"sub_action": "push", "all": true}, "b a new ign"},
		{"restore", args{"all": true, "staged": true}, "b"},
		{"restore", args{"all": true}, "a"},
	} {
		if got := names(w, c.action, c.args); got != c.want {
			t.Errorf("%s %v: %q, want %q", c.action, c.args, got, c.want)
		}
	}
	w.git("reset", "-q", "--hard")
	w.git("clean", "-qfdx")
	w.git("checkout", "-qb", "side")
	w.commit("side", "a", "side\n")
	w.git("checkout", "-q", "main")
	w.commit("main", "a", "main\n")
	w.fails(tools.Conflict, "merge", args{"ref": "side"})
	if got := names(w, "merge", args{"sub_action": "abort"}); got != "a" {
		t.Errorf("merge abort: %q", got)
	}
}

// TestDryFetchLeavesTheHistoryWhole: git makes the repository shallow in spite of --dry-run.
func TestDryFetchLeavesTheHistoryWhole(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("one")
	w.commit("two")
	w.git("clone", "-q", "file://"+w.dir, "cl")
	w.commit("three")
	w.call("fetch", args{"path": "cl", "depth": 1, "dry_run": true})
	if w.has("cl/.git/shallow") {
		t.Error("a dry run cut the history")
	}
}

func TestPushKnowsItsVerbs(t *testing.T) {
	t.Parallel()
	w := remoteWorld(t)
	w.call("push", args{"ref": "main"})
	w.call("push", args{"ref": "main:refs/heads/old"})
	hub := func() string { return w.gitIn(filepath.Join(w.dir, "hub.git"), "for-each-ref") }
	before := hub()
	for _, a := range []args{{"sub_action": "dry-run"}, {"sub_action": "mirror"}, {"mode": "mirror"}, {"sub_action": "prune"}} {
		a["ref"] = "main:refs/heads/new"
		w.fails(tools.InvalidParams, "push", a)
	}
	for _, a := range []args{{"sub_action": "remove"}, {"sub_action": "rm"}, {"mode": "delete"}, {"mode": "force"}, {"sub_action": "force-with-lease"}} {
		a["ref"] = "old"
		if a["mode"] == "force" || a["sub_action"] == "force-with-lease" {
			a["ref"] = "main"
		}
		w.fails(tools.ConfirmRequired, "push", a)
	}
	w.fails(tools.InvalidParams, "fetch", args{"sub_action": "prune"})
	if after := hub(); after != before {
		t.Errorf("a refused push changed the remote:\n%s\n%s", before, after)
	}
	w.commit("mine")
	w.git("push", "-q", "origin", "main")
	w.git("reset", "-q", "--hard", "HEAD~1")
	w.commit("other")
	w.git("config", "remote.origin.push", "+refs/heads/*:refs/heads/*") // maps a plain ref, and forces it
	before = hub()
	w.fails(tools.ConfirmRequired, "push", args{"ref": "main"})
	if after := hub(); after != before {
		t.Errorf("the remote has changed:\n%s%s", before, after)
	}
	w.call("push", args{"ref": "old", "sub_action": "remove", "confirm": true})
	if strings.Contains(hub(), "heads/old") {
		t.Error("old is still there")
	}
}

// TestWorkTreeKeepsIgnoredFiles: git removes a work tree that it calls clean.
func TestWorkTreeKeepsIgnoredFiles(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("one", "a", "1\n", ".gitignore", ".env\n/wt\n/empty\n")
	w.call("worktree", args{"sub_action": "add", "destination": "wt"})
	w.call("worktree", args{"sub_action": "add", "destination": "empty"})
	w.write("wt/.env", "precious\n")
	out := w.fails(tools.ConfirmRequired, "worktree", args{"sub_action": "remove", "destination": "wt"})
	if m := out.Envelope.Error.Message; !strings.Contains(m, ".env") || !w.has("wt/.env") {
		t.Error(m)
	}
	w.call("worktree", args{"sub_action": "remove", "destination": "empty"})
	w.call("worktree", args{"sub_action": "remove", "destination": "wt", "confirm": true})
	if w.has("wt") {
		t.Error("not removed")
	}
}

// TestWorkTreeKeepsItsCommits: with a work tree goes its reflog, the only way back to what it has on no branch.
func TestWorkTreeKeepsItsCommits(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("one", "a", "1\n")
	for _, name := range []string{"alone", "tagged", "same"} {
		w.git("worktree", "add", "-q", "--detach", name)
	}
	commit := func(name string) string {
		w.gitIn(filepath.Join(w.dir, name), "commit", "-q", "--allow-empty", "-m", name)
		return strings.TrimSpace(w.gitIn(filepath.Join(w.dir, name), "rev-parse", "HEAD"))
	}
	commit("alone")
	head := commit("alone")
	w.git("tag", "kept", commit("tagged"))
	for _, force := range []bool{false, true} {
		a := args{"sub_action": "remove", "destination": "alone", "force": force}
		out := w.fails(tools.ConfirmRequired, "worktree", a)
		if m := out.Envelope.Error.Message; !strings.Contains(m, "2 commit(s)") || !strings.Contains(m, head) || !w.has("alone") {
			t.Error(m)
		}
		a["dry_run"] = true
		if out := w.call("worktree", a); !strings.Contains(out.Text, head) || !w.has("alone") {
			t.Error(out.Text)
		}
	}
	w.call("worktree", args{"sub_action": "remove", "destination": "tagged"})
	w.call("worktree", args{"sub_action": "remove", "destination": "same"})
	w.call("worktree", args{"sub_action": "remove", "destination": "alone", "confirm": true})
	if w.has("alone") || w.has("tagged") || w.has("same") {
		t.Error("not removed")
	}
}

// TestFetchByConfigAsks: refspecs that overwrite or prune what is only here.
func TestFetchByConfigAsks(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		config [][2]string
		args   args
		asks   bool
	}{
		{"usual", nil, args{"prune": true}, false},
		{"mirror", [][2]string{{"remote.origin.fetch", "+refs/heads/*:refs/heads/*"}}, nil, true},
		{"everything", [][2]string{{"remote.origin.fetch", "+refs/*:refs/*"}}, nil, true},
		{"one branch, by the way", [][2]string{{"remote.origin.fetch", "+refs/heads/main:refs/heads/other"}}, args{"ref": "main"}, true},
		{"no force", [][2]string{{"remote.origin.fetch", "refs/heads/main:refs/heads/other"}}, nil, false},
		{"prune", [][2]string{{"remote.origin.fetch", "refs/heads/*:refs/heads/*"}}, args{"prune": true}, true},
		{"prune by config", [][2]string{{"remote.origin.fetch", "refs/heads/*:refs/heads/*"}, {"fetch.prune", "true"}}, nil, true},
		{"prune of a given refspec", nil, args{"prune": true, "ref": "refs/heads/m*:refs/heads/m*"}, true},
		{"prune of tags", [][2]string{{"fetch.pruneTags", "true"}, {"remote.origin.prune", "true"}}, nil, true},
		{"tags without prune", [][2]string{{"fetch.pruneTags", "true"}}, nil, false},
		{"short, a branch", [][2]string{{"remote.origin.fetch", "+main:topic2"}}, nil, true},
		{"short, a tag", [][2]string{{"remote.origin.fetch", "+main:tags/mine"}}, nil, true},
		{"short, pruned", nil, args{"prune": true, "ref": "main:topic2"}, true},
		{"short, a remote's", [][2]string{{"remote.origin.fetch", "+main:remotes/origin/main"}}, nil, false},
		{"no target", [][2]string{{"remote.origin.fetch", "+main"}}, nil, false},
		{"the stashes", [][2]string{{"remote.origin.fetch", "+refs/heads/main:refs/stash"}}, nil, true},
		{"by force, of all", [][2]string{{"remote.origin.fetch", "+refs/heads/*:refs/tags/*"}}, args{"all": true}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := remoteWorld(t)
			w.call("push", args{"ref": "main"})
			w.git("tag", "mine")
			w.git("checkout", "-qb", "topic")
			for _, kv := range c.config {
				w.git("config", kv[0], kv[1])
			}
			before := w.git("for-each-ref", "refs/heads", "refs/tags")
			if !c.asks {
				w.call("fetch", c.args)
				return
			}
			w.fails(tools.ConfirmRequired, "fetch", c.args)
			if after := w.git("for-each-ref", "refs/heads", "refs/tags"); after != before {
				t.Errorf("%s%s", before, after)
			}
		})
	}
}

// TestFetchOfAGroupAsks: the refspecs of each of its remotes count.
func TestFetchOfAGroupAsks(t *testing.T) {
	t.Parallel()
	s := &settings{list: []setting{
		{key: "remotes.grp", value: "a b"}, {key: "remote.a.fetch", value: "+refs/heads/*:refs/remotes/a/*"}, {key: "remote.b.fetch", value: "+main:mine"},
	}}
	if err := s.guardFetch("fetch", netIn{Name: "a"}); err != nil {
		t.Error(err)
	}
	if err := s.guardFetch("fetch", netIn{Name: "grp"}); err == nil {
		t.Error("not asked")
	}
}
