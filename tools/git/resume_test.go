package git

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// stoppedAt makes a branch topic whose first commit does not fit onto main and whose second one brings .env, which is
// ignored, and goes as far as that conflict. Then .env is written.
func stoppedAt(t *testing.T, action string) *world {
	w := newRepo(t)
	w.commit("base", "a", "1\n", ".gitignore", ".env\n")
	w.git("checkout", "-qb", "topic")
	w.commit("a2", "a", "topic\n")
	w.write(".env", "tracked\n")
	w.git("add", "-f", ".env")
	w.git("commit", "-qm", "env")
	w.git("checkout", "-q", "main")
	w.commit("main", "a", "main\n")
	if action == "rebase" {
		w.git("checkout", "-q", "topic")
		w.fails(tools.Conflict, "rebase", args{"ref": "main"})
	} else {
		w.fails(tools.Conflict, "cherry_pick", args{"ref": "main..topic"})
	}
	w.write(".env", "precious\n")
	return w
}

// TestGoingOnKeepsIgnoredFiles: what was written while a rebase or a cherry-pick had stopped.
func TestGoingOnKeepsIgnoredFiles(t *testing.T) {
	t.Parallel()
	for _, action := range []string{"rebase", "cherry_pick"} {
		for _, verb := range []string{"continue", "skip"} {
			t.Run(action+" "+verb, func(t *testing.T) {
				t.Parallel()
				w := stoppedAt(t, action)
				w.write("a", "mended\n")
				w.git("add", "a")
				head := w.git("rev-parse", "HEAD")
				out := w.fails(tools.Conflict, action, args{"sub_action": verb, "confirm": true})
				if m := out.Envelope.Error.Message; !strings.Contains(m, "--"+verb+" would overwrite") || !strings.Contains(m, ".env; nothing was done") {
					t.Error(m)
				}
				if w.text(".env") != "precious\n" || w.git("rev-parse", "HEAD") != head {
					t.Errorf(".env: %q", w.text(".env"))
				}
				if err := os.Remove(filepath.Join(w.dir, ".env")); err != nil {
					t.Fatal(err)
				}
				w.call(action, args{"sub_action": verb, "confirm": true})
				if w.text(".env") != "tracked\n" {
					t.Errorf(".env: %q", w.text(".env"))
				}
			})
		}
	}
	t.Run("rebase abort", func(t *testing.T) {
		t.Parallel()
		w := stoppedAt(t, "rebase")
		type list struct{ Files []entry }
		shown := data[list](t, w.call("rebase", args{"sub_action": "abort", "dry_run": true})).Files
		if len(shown) != 2 || shown[1].Path != ".env" {
			t.Errorf("dry run: %v", shown)
		}
		w.git("checkout", "-q", "HEAD", "a") // nothing else is left to ask for
		out := w.fails(tools.ConfirmRequired, "rebase", args{"sub_action": "abort"})
		if m := out.Envelope.Error.Message; !strings.Contains(m, ".env") || w.text(".env") != "precious\n" {
			t.Error(m)
		}
		w.call("rebase", args{"sub_action": "abort", "confirm": true})
	})
	t.Run("the commit that it has stopped at", func(t *testing.T) {
		t.Parallel()
		w := newRepo(t)
		w.commit("base", "a", "1\n", ".gitignore", ".env\n")
		w.git("checkout", "-qb", "side")
		w.write(".env", "tracked\n")
		w.git("add", "-f", ".env")
		w.commit("one", "a", "side\n")
		w.commit("two", "b", "1\n")
		w.git("checkout", "-q", "main")
		w.commit("main", "a", "main\n")
		w.fails(tools.Conflict, "cherry_pick", args{"ref": "main..side"})
		w.git("rm", "-q", "--cached", ".env") // not this one
		w.write("a", "mended\n")
		w.git("add", "a")
		w.call("cherry_pick", args{"sub_action": "continue"})
		if w.text(".env") != "tracked\n" {
			t.Errorf(".env: %q", w.text(".env"))
		}
	})
}

// TestWhyItCouldNotGoOn: git's own reason, not the conflict of before.
func TestWhyItCouldNotGoOn(t *testing.T) {
	t.Parallel()
	message := func(out *tools.Output) string { return out.Envelope.Error.Message }
	t.Run("abort", func(t *testing.T) {
		t.Parallel()
		w := stoppedAt(t, "rebase")
		w.write(".gitignore", "")
		w.git("add", ".gitignore") // so .env is untracked
		m := message(w.fails(tools.Conflict, "rebase", args{"sub_action": "abort", "confirm": true}))
		if !strings.Contains(m, "rebase --abort") || !strings.Contains(m, "would be overwritten") || strings.Contains(m, "or abort") {
			t.Error(m)
		}
	})
	t.Run("another reason", func(t *testing.T) {
		t.Parallel()
		w := newRepo(t)
		w.commit("base", "a", "1\n")
		w.git("checkout", "-qb", "side")
		w.commit("side", "a", "2\n")
		w.git("checkout", "-q", "main")
		w.commit("main", "a", "3\n")
		w.fails(tools.Conflict, "merge", args{"ref": "side"})
		if m := message(w.try("checkout", args{"ref": "nosuch"})); !strings.Contains(m, "nosuch") || strings.Contains(m, "stopped") {
			t.Error(m)
		}
		for _, a := range []args{{"ref": "side"}, {"ref": "side", "mode": "squash"}} {
			if m := message(w.fails(tools.Conflict, "merge", a)); !strings.Contains(m, "was not begun: 1 file(s)") {
				t.Error(m)
			}
		}
		w.git("merge", "--abort")
		w.git("config", "merge.verbosity", "0")
		w.write("a", "4\n")
		w.git("stash", "push", "-q")
		w.git("checkout", "-q", "side")
		if m := message(w.fails(tools.Conflict, "stash", args{"sub_action": "pop"})); !strings.Contains(m, "the stash was kept") {
			t.Error(m)
		}
	})
	for _, action := range []string{"merge", "rebase", "cherry_pick"} {
		t.Run(action+" continue", func(t *testing.T) {
			t.Parallel()
			w := newRepo(t)
			w.commit("base", "a", "1\n")
			w.git("checkout", "-qb", "side")
			w.commit("one", "a", "2\n")
			w.commit("two", "a", "3\n")
			w.git("checkout", "-q", "main")
			w.commit("main", "a", "4\n")
			ref := "side"
			if action == "cherry_pick" {
				ref = "main..side"
			}
			if m := message(w.fails(tools.Conflict, action, args{"ref": ref})); !strings.Contains(m, "stopped at 1 file(s)") {
				t.Error(m)
			}
			if m := message(w.fails(tools.Conflict, action, args{"sub_action": "continue"})); !strings.Contains(m, "cannot go on: 1 file(s) are still in conflict: a;") {
				t.Error(m)
			}
			if action != "cherry_pick" {
				return
			}
			w.write("a", "5\n")
			w.git("add", "a")
			if m := message(w.fails(tools.Conflict, action, args{"sub_action": "continue"})); !strings.Contains(m, "stopped at 1 file(s)") {
				t.Error(m)
			}
		})
	}
}
