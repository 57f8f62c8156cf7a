package git

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
	"github.com/hanzoai/hanzo-mcp/tools"
)

// protect makes the usual places read-only to the tool and its children.
func (w *world) protect() {
	w.Helper()
	var err error
	if w.roots, err = sandbox.Open(sandbox.Config{Dirs: []string{w.dir}, Home: w.home, Protect: sandbox.DefaultProtect()}); err != nil {
		w.Fatal(err)
	}
	l := launch.New(launch.Config{Writable: []string{w.dir}, Protect: sandbox.DefaultProtect(), Home: w.home})
	w.Cleanup(func() { l.Close() })
	w.tool = New(Config{Launcher: l, Look: exec.LookPath, Environ: func() []string { return w.env }})
}

// TestProtectedFilesStopAMove: HEAD stays where the files are.
func TestProtectedFilesStopAMove(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, action string
		args         args
		before       func(w *world)
	}{
		{"checkout", "checkout", args{"ref": "side"}, nil},
		{"checkout of a commit", "checkout", args{"ref": "side~1"}, nil},
		{"where it is gone", "checkout", args{"ref": "gone"}, nil},
		{"by force", "checkout", args{"ref": "side", "force": true, "confirm": true}, nil},
		{"by force, over changes", "checkout", args{"ref": "main", "force": true, "confirm": true}, func(w *world) { w.write(".mcp.json", "mine\n") }},
		{"new branch", "checkout", args{"name": "new", "create": true, "ref": "side"}, nil},
		{"remote's branch", "checkout", args{"ref": "far/away"}, func(w *world) { w.git("update-ref", "refs/remotes/origin/far/away", "side") }},
		{"branch checkout", "branch", args{"sub_action": "checkout", "name": "side"}, nil},
		{"files", "checkout", args{"ref": "side", "files": []string{".mcp.json", "a"}, "confirm": true}, nil},
		{"restore", "restore", args{"ref": "side", "all": true, "confirm": true}, nil},
		{"restore of the index", "restore", args{"all": true, "confirm": true}, func(w *world) { w.write(".mcp.json", "mine\n"); w.write("a", "mine\n") }},
		{"bisect", "bisect", args{"sub_action": "start", "bad": "side", "good": "main"}, nil},
		{"bisect reset", "bisect", args{"sub_action": "reset", "ref": "side"}, func(w *world) { w.git("bisect", "start") }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newRepo(t)
			w.commit("base", "a", "1\n", ".mcp.json", "1\n")
			w.git("checkout", "-qb", "side")
			w.commit("change", "a", "2\n", ".mcp.json", "2\n")
			w.commit("more", "a", "3\n")
			w.git("checkout", "-qb", "gone")
			w.git("rm", "-q", ".mcp.json")
			w.commit("no more")
			w.git("checkout", "-q", "main")
			if c.before != nil {
				c.before(w)
			}
			w.protect()
			look := func() string {
				return w.git("status", "--porcelain", "--branch") + w.git("rev-parse", "HEAD") + w.text("a") + w.text(".mcp.json")
			}
			before := look()
			out := w.fails(tools.PermissionDenied, c.action, c.args)
			if m := out.Envelope.Error.Message; !strings.Contains(m, ".mcp.json; nothing was changed") {
				t.Error(m)
			}
			if after := look(); after != before {
				t.Errorf("before:\n%safter:\n%s", before, after)
			}
		})
	}
	t.Run("a file that git could not write", func(t *testing.T) {
		t.Parallel()
		for _, said := range []string{"error: unable to unlink old '.mcp.json': Device or resource busy", "error: unable to create file .vscode/s: Read-only file system"} {
			if partly(result{stderr: said}) == nil {
				t.Error(said)
			}
		}
	})
}

// TestDeeperDownNothingIsProtectedFromGit: of a package in a large repository git brings what its commits hold, by
// every act.
func TestDeeperDownNothingIsProtectedFromGit(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	base := w.commit("base", "a", "1\n", "pkg/.vscode/s", "1\n", "pkg/opencode.json", "1\n")
	w.git("checkout", "-qb", "side")
	side := w.commit("side", "pkg/.vscode/s", "2\n", "pkg/opencode.json", "2\n")
	w.git("checkout", "-q", "main")
	w.commit("mine", "m", "1\n")
	w.protect()
	for _, c := range []struct {
		action string
		args   args
	}{
		{"merge", args{"ref": "side"}}, {"cherry_pick", args{"ref": "side"}}, {"rebase", args{"ref": "side"}},
		{"checkout", args{"ref": side}}, {"reset", args{"ref": "side", "mode": "hard", "confirm": true}},
	} {
		w.git("checkout", "-q", "-B", "try", "main")
		w.call(c.action, c.args)
		if got := w.text("pkg/.vscode/s") + w.text("pkg/opencode.json"); got != "2\n2\n" {
			t.Errorf("%s: %q", c.action, got)
		}
	}
	w.git("checkout", "-q", "-B", "try", base)
	w.git("mv", "pkg/.vscode", ".vscode")
	w.commit("to the top")
	w.git("checkout", "-q", "main")
	w.fails(tools.PermissionDenied, "merge", args{"ref": "try"})
}

// TestProtectedFilesAreLeft: those that are in no commit stay where they are, and the rest is done.
func TestProtectedFilesAreLeft(t *testing.T) {
	t.Parallel()
	start := func(t *testing.T) *world {
		w := newRepo(t)
		w.commit("base", "a", "1\n", ".gitignore", "*.o\n")
		w.write("a", "2\n")
		for _, name := range []string{".vscode/s", ".vscode/deep/t", ".vscode/u.o", "new", "o.o", "pkg/.vscode/s"} {
			w.write(name, name+"\n")
		}
		w.protect()
		return w
	}
	left := func(w *world, out *tools.Output) {
		w.Helper()
		if m := strings.Join(out.Envelope.Meta.Warnings, " "); !strings.Contains(m, "left .vscode: protected") {
			w.Errorf("warnings: %s", m)
		}
		if !w.has(".vscode/s") || !w.has(".vscode/deep/t") || !w.has(".vscode/u.o") || w.has("new") || w.has("pkg/.vscode/s") {
			w.Error(w.git("status", "--porcelain", "--ignored"))
		}
	}
	for _, all := range []bool{false, true} {
		t.Run("stash", func(t *testing.T) {
			t.Parallel()
			w := start(t)
			a := args{"sub_action": "push", "include_untracked": true, "all": all}
			left(w, w.call("stash", a))
			if w.text("a") != "1\n" || w.has("o.o") == all || strings.Count(w.git("stash", "list"), "\n") != 1 {
				t.Error(w.git("status", "--porcelain", "--ignored"), w.git("stash", "list"))
			}
			w.fails(tools.Conflict, "stash", a) // what is left is no change
			w.call("stash", args{"sub_action": "pop"})
			if w.text("a") != "2\n" || !w.has("new") || !w.has("o.o") {
				t.Error(w.git("status", "--porcelain", "--ignored"))
			}
		})
		t.Run("clean", func(t *testing.T) {
			t.Parallel()
			w := start(t)
			a := args{"all": all}
			if out := w.call("clean", a); strings.Contains(out.Text, "remove .vscode") || !strings.Contains(out.Text, "remove pkg/.vscode") && !strings.Contains(out.Text, "remove pkg/") {
				t.Error(out.Text)
			}
			a["force"], a["confirm"] = true, true
			left(w, w.call("clean", a))
			if w.has("o.o") == all {
				t.Error(w.git("status", "--porcelain", "--ignored"))
			}
		})
	}
}

// clean and stash take no bare repository for a folder of files.
func TestCleanLeavesBareRepositories(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("base", "a", "1\n")
	w.git("init", "-q", "--bare", "hub.git")
	w.git("init", "-q", "--bare", "d/e/hub.git")
	w.write("d/x", "x\n")
	w.write("y", "y\n")
	if out := w.call("clean", nil); strings.Contains(out.Text, "hub.git") || !strings.Contains(out.Text, "would remove y") {
		t.Error(out.Text)
	}
	w.call("clean", args{"confirm": true})
	if w.has("y") || w.has("d/x") {
		t.Error("files are left")
	}
	w.write("d/x", "x\n")
	w.call("stash", args{"sub_action": "push", "include_untracked": true})
	if w.has("d/x") {
		t.Error("a file is left")
	}
	for _, name := range []string{"hub.git", "d/e/hub.git"} {
		w.git("--git-dir="+name, "fsck", "--strict")
	}
}
