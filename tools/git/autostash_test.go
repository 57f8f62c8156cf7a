package git

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// TestAutostashInConflict: git calls it a success.
func TestAutostashInConflict(t *testing.T) {
	t.Parallel()
	for _, action := range []string{"merge", "rebase", "pull"} {
		t.Run(action, func(t *testing.T) {
			t.Parallel()
			w := newRepo(t)
			w.commit("one", "a.txt", "1\n")
			w.git("checkout", "-qb", "f")
			w.commit("two", "a.txt", "2\n")
			w.git("checkout", "-q", "main")
			w.commit("other", "b", "1\n")
			w.git("config", "merge.autoStash", "true")
			w.git("config", "rebase.autoStash", "true")
			a := args{"ref": "f"}
			if action == "pull" {
				w.git("clone", "-q", "--bare", ".", filepath.Join(w.dir, ".git/up.git"))
				w.git("remote", "add", "origin", ".git/up.git")
				a = args{"ref": "f", "mode": "rebase"}
			}
			w.write("a.txt", "mine\n")
			out := w.fails(tools.Conflict, action, a)
			if d := data[outcomeData](t, out); len(d.Conflicts) != 1 || d.Conflicts[0].Path != "a.txt" || d.State != "" {
				t.Errorf("%+v", d)
			}
			if m := out.Envelope.Error.Message; !strings.Contains(m, action+" was done") || !strings.Contains(m, "a.txt") || !strings.Contains(m, "stash@{0}") {
				t.Error(m)
			}
			w.write("a.txt", "both\n")
			w.call("add", args{"files": "a.txt"})
			w.call("stash", args{"sub_action": "drop", "confirm": true})
		})
	}
	t.Run("commit", func(t *testing.T) {
		t.Parallel()
		w := newRepo(t)
		w.commit("one", "a.txt", "1\n", "b", "1\n")
		w.git("checkout", "-qb", "f")
		w.commit("two", "a.txt", "2\n", "b", "2\n")
		w.git("checkout", "-q", "main")
		w.commit("other", "b", "3\n")
		w.git("config", "merge.autoStash", "true")
		w.write("a.txt", "mine\n")
		w.fails(tools.Conflict, "merge", args{"ref": "f"})
		w.write("b", "4\n")
		w.call("add", args{"files": "b"})
		if m := w.fails(tools.Conflict, "commit", args{"message": "m"}).Envelope.Error.Message; !strings.Contains(m, "commit was done") || !strings.Contains(m, "a.txt") {
			t.Error(m)
		}
	})
}

// TestMergeUnderOtherSettings: the message is the one given, and what the config makes of a merge is said.
func TestMergeUnderOtherSettings(t *testing.T) {
	t.Parallel()
	merged := func(t *testing.T, settings ...string) *world {
		w := newRepo(t)
		w.commit("one", "a", "1\n")
		w.git("checkout", "-qb", "f")
		w.commit("f commit", "b", "1\n")
		w.git("checkout", "-q", "main")
		w.commit("main commit", "c", "1\n")
		for i := 0; i+1 < len(settings); i += 2 {
			w.git("config", settings[i], settings[i+1])
		}
		return w
	}
	for _, a := range []args{{"ref": "f"}, {"ref": "f", "mode": "no_ff"}} {
		w := merged(t, "merge.log", "3", "merge.branchdesc", "true", "branch.f.description", "words")
		a["message"] = "my message\n\nand # more\n"
		w.call("merge", a)
		if got := w.git("log", "-1", "--format=%B"); got != "my message\n\nand # more\n\n" {
			t.Errorf("%v: %q", a, got)
		}
	}
	w := merged(t, "branch.main.mergeOptions", "--no-commit")
	out := w.call("merge", args{"ref": "f", "message": "m"})
	if !strings.Contains(warned(out), "not committed") || data[outcomeData](t, out).State != "merge" {
		t.Errorf("%s %s", out.Text, warned(out))
	}
	w.call("merge", args{"sub_action": "continue"})
	if got := w.git("log", "-1", "--format=%s %P"); !strings.HasPrefix(got, "m ") || len(strings.Fields(got)) != 3 {
		t.Error(got)
	}
	w = merged(t, "branch.main.mergeOptions", "--squash")
	if out := w.call("merge", args{"ref": "f", "message": "m"}); !strings.Contains(warned(out), "git.commit") {
		t.Errorf("%s %s", out.Text, warned(out))
	}
	w = merged(t)
	for _, a := range []args{{"ref": "f", "no_commit": true}, {"ref": "f", "mode": "squash"}} {
		if out := w.call("merge", a); warned(out) != "" {
			t.Errorf("%v: %s", a, warned(out))
		}
		w.git("reset", "-q", "--hard")
	}
	w = merged(t, "merge.ff", "only")
	if m := w.fails(tools.Conflict, "merge", args{"ref": "f"}).Envelope.Error.Message; !strings.Contains(m, "no_ff") || strings.Contains(m, "mode rebase") {
		t.Error(m)
	}
	w.call("merge", args{"ref": "f", "mode": "no_ff"})
}

// TestConflictsResolvedBefore: git stops although it has resolved and staged them all.
func TestConflictsResolvedBefore(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("one", "a", "1\n")
	w.git("checkout", "-qb", "f")
	w.commit("two", "a", "2\n")
	w.git("checkout", "-q", "main")
	main := w.commit("three", "a", "3\n")
	w.git("config", "rerere.enabled", "true")
	w.git("config", "rerere.autoupdate", "true")
	w.gitAny("merge", "f")
	w.write("a", "both\n")
	w.git("commit", "-qam", "resolved")
	for _, action := range []string{"merge", "cherry_pick", "rebase"} {
		w.git("reset", "-q", "--hard", main)
		a := args{"ref": "f"}
		if m := w.fails(tools.Conflict, action, a).Envelope.Error.Message; !strings.Contains(m, "sub_action continue") || !strings.Contains(m, "resolved") {
			t.Errorf("%s: %s", action, m)
		}
		w.call(action, args{"sub_action": "continue"})
		if got := w.git("show", "HEAD:a") + w.git("status", "--porcelain"); got != "both\n" {
			t.Errorf("%s: %q", action, got)
		}
	}
}
