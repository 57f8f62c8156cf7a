package git

import (
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// TestPathLimitsChanges: what path names below the top level is all that a change touches.
func TestPathLimitsChanges(t *testing.T) {
	t.Parallel()
	start := func(t *testing.T) *world {
		w := newRepo(t)
		w.commit("base", "a.txt", "1\n", "sub/b.txt", "1\n", "sub/deep/c.txt", "1\n")
		for _, name := range []string{"a.txt", "sub/b.txt", "sub/deep/c.txt"} {
			w.write(name, "2\n")
		}
		w.write("notes", "n\n")
		w.write("sub/new", "n\n")
		return w
	}
	const all = " M a.txt\n M sub/b.txt\n M sub/deep/c.txt\n?? notes\n?? sub/new\n"
	for _, c := range []struct {
		name, action string
		args         args
		want         string // git status afterwards
	}{
		{"clean a folder", "clean", args{"path": "sub", "force": true, "confirm": true}, " M a.txt\n M sub/b.txt\n M sub/deep/c.txt\n?? notes\n"},
		{"clean a file", "clean", args{"path": "notes", "force": true, "confirm": true}, " M a.txt\n M sub/b.txt\n M sub/deep/c.txt\n?? sub/new\n"},
		{"restore all in a folder", "restore", args{"path": "sub", "all": true, "confirm": true}, " M a.txt\n?? notes\n?? sub/new\n"},
		{"restore .", "restore", args{"cwd": "sub", "files": []string{"."}, "confirm": true}, " M a.txt\n?? notes\n?? sub/new\n"},
		{"restore ./name", "restore", args{"cwd": "sub", "files": []string{"./b.txt"}, "confirm": true}, " M a.txt\n M sub/deep/c.txt\n?? notes\n?? sub/new\n"},
		{"restore ../name", "restore", args{"cwd": "sub", "files": []string{"../a.txt"}, "confirm": true}, " M sub/b.txt\n M sub/deep/c.txt\n?? notes\n?? sub/new\n"},
		{"restore . beside a file", "restore", args{"path": "sub/deep/c.txt", "files": []string{"."}, "confirm": true}, " M a.txt\n M sub/b.txt\n?? notes\n?? sub/new\n"},
		{"restore . at the top", "restore", args{"files": []string{"."}, "confirm": true}, "?? notes\n?? sub/new\n"},
		{"add .", "add", args{"cwd": "sub", "files": []string{"."}}, " M a.txt\nM  sub/b.txt\nM  sub/deep/c.txt\nA  sub/new\n?? notes\n"},
		{"add all in a folder", "add", args{"path": "sub", "all": true}, " M a.txt\nM  sub/b.txt\nM  sub/deep/c.txt\nA  sub/new\n?? notes\n"},
		{"stash a file", "stash", args{"sub_action": "push", "path": "sub/b.txt"}, " M a.txt\n M sub/deep/c.txt\n?? notes\n?? sub/new\n"},
		{"checkout .", "checkout", args{"cwd": "sub", "files": []string{"."}, "confirm": true}, " M a.txt\n?? notes\n?? sub/new\n"},
		{"commit a file", "commit", args{"path": "sub/b.txt", "message": "only b"}, " M a.txt\n M sub/deep/c.txt\n?? notes\n?? sub/new\n"},
		{"commit all in a folder", "commit", args{"path": "sub", "all": true, "message": "only sub"}, " M a.txt\n?? notes\n?? sub/new\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := start(t)
			if got := w.git("status", "--porcelain", "-uall"); got != all {
				t.Fatalf("before: %q", got)
			}
			w.call(c.action, c.args)
			if got := w.git("status", "--porcelain", "-uall"); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
	t.Run("reset", func(t *testing.T) {
		t.Parallel()
		w := start(t)
		w.git("add", "-A")
		for _, a := range []args{{"path": "a.txt", "mode": "hard"}, {"path": "sub", "mode": "hard"}, {"path": "sub", "mode": "keep"}, {"path": "sub", "hard": true}} {
			a["confirm"] = true
			w.fails(tools.InvalidParams, "reset", a)
		}
		w.fails(tools.InvalidParams, "checkout", args{"path": "a.txt", "ref": "HEAD", "force": true, "confirm": true})
		w.call("reset", args{"path": "a.txt"})
		w.call("reset", args{"path": "sub/deep"})
		if got, want := w.git("status", "--porcelain", "-uall"), " M a.txt\nA  notes\nM  sub/b.txt\n M sub/deep/c.txt\nA  sub/new\n"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
		out := w.call("commit", args{"path": "sub", "message": "the index"})
		if warn := strings.Join(out.Envelope.Meta.Warnings, "\n"); !strings.Contains(warn, "1 file(s) outside sub") {
			t.Errorf("warnings: %q", warn)
		}
	})
	t.Run("through a link", func(t *testing.T) {
		t.Parallel()
		w := start(t)
		w.link("sub", "link")
		w.write(".git/info/exclude", "link\n")
		w.call("clean", args{"path": "link", "force": true, "confirm": true})
		w.call("restore", args{"path": "link/b.txt", "all": true, "confirm": true})
		if got, want := w.git("status", "--porcelain", "-uall"), " M a.txt\n M sub/deep/c.txt\n?? notes\n"; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	})
}
