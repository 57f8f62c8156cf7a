package git

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// TestIgnoredFilesAreKept: git takes files that it ignores without a word where a commit brings one of that name.
func TestIgnoredFilesAreKept(t *testing.T) {
	t.Parallel()
	start := func(t *testing.T) *world {
		w := newRepo(t, withJobs(t))
		base := w.commit("base", "f", "1\n", ".gitignore", ".env\n/data/\n/hub\n")
		w.git("checkout", "-qb", "side")
		w.write(".env", "tracked\n")
		w.git("add", "-f", ".env")
		w.git("commit", "-qm", "env")
		w.commit("side", "s", "1\n")
		w.git("checkout", "-qb", "file", "main")
		w.write("data", "a file\n")
		w.git("add", "-f", "data")
		w.git("commit", "-qm", "data")
		w.git("checkout", "-q", "main")
		w.commit("mine", "m", "1\n")
		w.git("branch", "old", base)
		w.write(".env", "precious\n")
		w.write("data/x", "precious\n")
		return w
	}
	hub := func(w *world) {
		w.git("init", "-q", "--bare", "hub")
		w.git("push", "-q", "hub", "side:main")
		w.git("remote", "add", "origin", filepath.Join(w.dir, "hub"))
	}
	for _, c := range []struct {
		name, action string
		args         args
		before       func(w *world)
	}{
		{"merge", "merge", args{"ref": "side"}, nil},
		{"merge no_ff", "merge", args{"ref": "side", "mode": "no_ff"}, nil},
		{"squash", "merge", args{"ref": "side", "mode": "squash"}, nil},
		{"a file where a folder is", "merge", args{"ref": "file"}, nil},
		{"rebase", "rebase", args{"ref": "side"}, nil},
		{"rebase of the commit", "rebase", args{"ref": "other"}, func(w *world) {
			w.git("checkout", "-q", "-f", "side")
			w.git("rm", "-q", "--cached", ".env")
			w.git("commit", "-qm", "no env")
			w.git("branch", "other", "main")
			w.write(".env", "precious\n")
		}},
		{"cherry_pick", "cherry_pick", args{"ref": "side~1"}, nil},
		{"cherry_pick of a range", "cherry_pick", args{"ref": "old..side"}, nil},
		{"reset keep", "reset", args{"ref": "side", "mode": "keep"}, nil},
		{"reset keep to a file", "reset", args{"ref": "file", "mode": "keep"}, nil},
		{"pull", "pull", args{"name": "origin", "ref": "main", "mode": "merge"}, hub},
		{"pull rebase", "pull", args{"name": "origin", "ref": "main", "mode": "rebase"}, hub},
		{"pull ff_only", "pull", args{"name": "origin", "ref": "main", "mode": "ff_only"}, func(w *world) { hub(w); w.git("reset", "-q", "--keep", "old") }},
		{"pull with a hook", "pull", args{"name": "origin", "ref": "main", "mode": "merge"}, func(w *world) { hub(w); w.script(w.dir, ".git/hooks/post-merge", "true") }},
		{"pull before the first commit", "pull", args{"name": "origin", "ref": "main", "mode": "rebase"}, func(w *world) {
			hub(w)
			w.git("checkout", "-q", "--orphan", "new")
			w.git("rm", "-rq", "--cached", ".")
		}},
		{"stash pop", "stash", args{"sub_action": "pop"}, func(w *world) {
			w.write(".env", "tracked\n")
			w.git("add", "-f", ".env")
			w.git("stash", "push", "-q")
			w.write(".env", "precious\n")
		}},
		{"bisect start", "bisect", args{"sub_action": "start", "bad": "top", "good": "old"}, func(w *world) {
			w.git("checkout", "-q", "--detach", "old")
			w.write(".env", "tracked\n")
			w.git("add", "-f", ".env")
			w.git("commit", "-qm", "env")
			w.git("rm", "-q", "--cached", ".env")
			w.git("commit", "-qm", "no env")
			w.commit("top")
			w.git("branch", "top")
			w.write(".env", "precious\n")
		}},
		{"bisect good", "bisect", args{"sub_action": "good", "ref": "old"}, func(w *world) {
			w.git("checkout", "-q", "-f", "side")
			w.git("rm", "-q", "--cached", ".env")
			w.git("commit", "-qm", "no env")
			w.git("bisect", "start", "HEAD")
			w.write(".env", "precious\n")
		}},
		{"bisect reset", "bisect", args{"sub_action": "reset", "ref": "side"}, func(w *world) { w.git("bisect", "start") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := start(t)
			if c.before != nil {
				c.before(w)
			}
			head := w.git("rev-parse", "--verify", "--quiet", "main")
			out := w.fails(tools.Conflict, c.action, c.args)
			if m := out.Envelope.Error.Message; !strings.Contains(m, "nothing was done") || !strings.Contains(m, ".env") && !strings.Contains(m, "data/x") {
				t.Error(m)
			}
			if w.text(".env") != "precious\n" || w.git("rev-parse", "--verify", "--quiet", "main") != head {
				t.Errorf(".env: %q", w.text(".env"))
			}
		})
	}
	t.Run("what is not in the way", func(t *testing.T) {
		t.Parallel()
		w := newRepo(t)
		w.commit("base", "f", "1\n", ".env", "1\n")
		w.git("branch", "side")
		w.git("rm", "-q", "--cached", ".env")
		w.write(".gitignore", ".env\n")
		w.git("add", ".gitignore")
		w.git("commit", "-qm", "no env")
		w.git("checkout", "-q", "-f", "side")
		w.git("rm", "-q", "--cached", ".env")
		w.git("commit", "-qm", "no env here either")
		w.commit("side", "s", "other\n", ".git/info/exclude", ".env\n")
		w.git("checkout", "-q", "main")
		w.write(".env", "precious\n")
		w.call("merge", args{"ref": "side"})
		w.call("merge", args{"ref": "side"})
		w.call("rebase", args{"ref": "side"})
		w.call("bisect", args{"sub_action": "start", "bad": "HEAD"})
		w.call("bisect", args{"sub_action": "reset"})
		if w.text(".env") != "precious\n" {
			t.Error(w.text(".env"))
		}
	})
}

// TestProtectedFilesStopActsAtOnce: the sandbox would stop git half-way.
func TestProtectedFilesStopActsAtOnce(t *testing.T) {
	t.Parallel()
	start := func(t *testing.T) *world {
		w := newRepo(t, withJobs(t))
		w.commit("base", "a", "1\n", ".vscode/settings.json", "{}\n", ".gitignore", "/hub\n")
		w.git("checkout", "-qb", "side")
		w.commit("side", "a", "2\n", "n", "1\n", ".vscode/settings.json", "{\"x\":1}\n")
		w.git("checkout", "-q", "main")
		w.commit("mine", "m", "1\n")
		w.git("init", "-q", "--bare", "hub")
		w.git("push", "-q", "hub", "side:main")
		w.git("remote", "add", "origin", filepath.Join(w.dir, "hub"))
		w.protect()
		return w
	}
	for _, c := range []struct {
		action string
		args   args
		before func(w *world)
	}{
		{"merge", args{"ref": "side"}, nil},
		{"cherry_pick", args{"ref": "side"}, nil},
		{"rebase", args{"ref": "side"}, nil},
		{"reset", args{"ref": "side", "mode": "hard", "confirm": true}, nil},
		{"reset", args{"ref": "side", "mode": "keep"}, nil},
		{"pull", args{"name": "origin", "ref": "main", "mode": "merge"}, nil},
		{"pull", args{"name": "origin", "ref": "main", "mode": "rebase"}, nil},
		{"stash", args{"sub_action": "push"}, func(w *world) { w.write("a", "3\n"); w.write(".vscode/settings.json", "3\n") }},
		{"reset", args{"mode": "hard", "confirm": true}, func(w *world) { w.write("a", "3\n"); w.write(".vscode/settings.json", "3\n") }},
	} {
		t.Run(c.action, func(t *testing.T) {
			t.Parallel()
			w := start(t)
			if c.before != nil {
				c.before(w)
			}
			look := func() string {
				return w.git("status", "--porcelain") + w.git("stash", "list") + w.git("rev-parse", "HEAD")
			}
			before := look()
			out := w.fails(tools.PermissionDenied, c.action, c.args)
			if m := out.Envelope.Error.Message; !strings.Contains(m, ".vscode/settings.json; nothing was changed") {
				t.Error(m)
			}
			if after := look(); after != before {
				t.Errorf("before:\n%safter:\n%s", before, after)
			}
		})
	}
	t.Run("others pass", func(t *testing.T) {
		t.Parallel()
		w := start(t)
		w.write("a", "3\n")
		w.write(".vscode/settings.json", "3\n")
		w.call("stash", args{"sub_action": "push", "files": []string{"a"}})
		w.call("stash", args{"sub_action": "pop"})
		w.git("checkout", "-q", "-f", ".")
		w.git("checkout", "-qb", "other", "main~1")
		w.commit("other", "o", "1\n")
		w.git("checkout", "-q", "main")
		w.call("merge", args{"ref": "other"})
		w.call("reset", args{"ref": "HEAD~1", "mode": "hard", "confirm": true})
	})
}

// TestPullBringsInWhatIsForMerge: with hooks as without, nothing comes in that nobody named, and commits of a rewritten
// upstream are not replayed.
func TestPullBringsInWhatIsForMerge(t *testing.T) {
	t.Parallel()
	for _, hook := range []bool{false, true} {
		w := remoteWorld(t)
		if hook {
			w.script(w.dir, ".git/hooks/post-merge", "true")
		}
		w.call("push", args{"set_upstream": true})
		w.git("push", "-q", "origin", "main:alpha")
		w.git("checkout", "-qb", "topic")
		w.commit("topic", "t", "1\n")
		head := w.git("rev-parse", "HEAD")
		for _, mode := range []string{"rebase", "merge", "ff_only"} {
			out := w.fails(tools.Conflict, "pull", args{"mode": mode})
			if m := out.Envelope.Error.Message; !strings.Contains(m, "topic") || w.git("rev-parse", "HEAD") != head {
				t.Errorf("hook %v, %s: %s", hook, mode, m)
			}
		}
		// The upstream is rewritten.
		w.git("checkout", "-q", "main")
		w.commit("upold", "u", "old\n")
		w.git("push", "-q")
		w.commit("local", "l", "1\n")
		w.git("clone", "-q", "hub.git", "other")
		other := filepath.Join(w.dir, "other")
		w.gitIn(other, "reset", "-q", "--hard", "HEAD~1")
		w.file(other, "u", "new\n")
		w.gitIn(other, "add", ".")
		w.gitIn(other, "commit", "-qm", "upnew")
		w.gitIn(other, "push", "-qf")
		w.call("pull", args{"mode": "rebase"})
		if got := strings.Fields(w.git("log", "--format=%s")); !slices.Equal(got, []string{"local", "upnew", "one"}) {
			t.Errorf("hook %v: %v", hook, got)
		}
		w.call("pull", args{"mode": "rebase"})
		w.git("reset", "-q", "--hard", "origin/main~1")
		w.call("pull", args{"mode": "rebase"})
		if got := strings.Fields(w.git("log", "--format=%s")); !slices.Equal(got, []string{"upnew", "one"}) {
			t.Errorf("hook %v: fast-forward gives %v", hook, got)
		}
		// Before the first commit.
		w.git("init", "-q", "cnew")
		w.git("-C", "cnew", "remote", "add", "origin", filepath.Join(w.dir, "hub.git"))
		w.call("pull", args{"path": "cnew", "name": "origin", "ref": "main", "mode": "rebase"})
		if !w.has("cnew/u") {
			t.Error("a pull before the first commit brought nothing")
		}
	}
}

// TestContinueKeepsTheMessage: lines that begin with # are no comments, but the list of conflicts is.
func TestContinueKeepsTheMessage(t *testing.T) {
	t.Parallel()
	const message = "#42 fix the thing\n\n#43 too\n; and\nbody\n"
	for _, mark := range []string{"", ";"} {
		for _, action := range []string{"cherry_pick", "rebase", "merge"} {
			w := newRepo(t)
			w.commit("base", "a", "1\n")
			w.git("checkout", "-qb", "side")
			w.write("a", "side\n")
			w.git("commit", "-qam", message, "--cleanup=verbatim")
			w.git("checkout", "-q", "main")
			w.commit("main", "a", "main\n")
			if mark != "" {
				w.git("config", "core.commentChar", mark)
			}
			ref := "side"
			if action == "rebase" {
				w.git("checkout", "-q", "side")
				ref = "main"
			}
			a := args{"ref": ref}
			if action == "merge" {
				a["message"] = message
			}
			w.fails(tools.Conflict, action, a)
			w.write("a", "mended\n")
			w.git("add", "a")
			w.call(action, args{"sub_action": "continue"})
			if got := w.git("log", "-1", "--format=%B"); strings.TrimSpace(got) != strings.TrimSpace(message) {
				t.Errorf("%s, comment character %q: %q", action, mark, got)
			}
		}
	}
}
