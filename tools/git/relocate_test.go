package git

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// TestIgnoredFilesAreKeptInMovedFolders: git puts a file that one side brings into the folder to which the other one has
// moved its neighbours, and overwrites what it ignores there.
func TestIgnoredFilesAreKeptInMovedFolders(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, action string
		args         args
		before       func(w *world)
	}{
		{"merge", "merge", args{"ref": "side"}, nil},
		{"squash", "merge", args{"ref": "side", "mode": "squash"}, nil},
		{"merge, moved there", "merge", args{"ref": "main"}, func(w *world) { w.git("checkout", "-q", "side"); w.git("checkout", "-q", "-b", "here") }},
		{"rebase", "rebase", args{"ref": "main"}, func(w *world) { w.git("checkout", "-q", "side") }},
		{"rebase of the move", "rebase", args{"ref": "side"}, nil},
		{"cherry_pick", "cherry_pick", args{"ref": "side~1"}, nil},
		{"cherry_pick of a range", "cherry_pick", args{"ref": "base..side"}, nil},
		{"cherry_pick of the move", "cherry_pick", args{"ref": "main"}, func(w *world) { w.git("checkout", "-q", "side") }},
		{"pull", "pull", args{"name": "origin", "ref": "side", "mode": "merge"}, nil},
		{"pull rebase", "pull", args{"name": "origin", "ref": "side", "mode": "rebase"}, nil},
		{"stash pop", "stash", args{"sub_action": "pop"}, func(w *world) {
			w.git("checkout", "-q", "base")
			w.write("x/deep/new.env", "tracked\n")
			w.git("add", "-f", "x/deep/new.env")
			w.git("stash", "push", "-q")
			w.git("checkout", "-q", "main")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newRepo(t)
			w.commit("base", "x/a", "1\n", "x/deep/b", "2\n", "x/deep/c", "3\n", ".gitignore", "new.env\n/hub\n")
			w.git("tag", "base")
			w.git("checkout", "-qb", "side")
			w.write("x/deep/new.env", "tracked\n")
			w.git("add", "-f", ".")
			w.git("commit", "-qm", "env")
			w.commit("more", "s", "1\n")
			w.git("clone", "-q", "--bare", ".", "hub")
			w.git("remote", "add", "origin", filepath.Join(w.dir, "hub"))
			w.git("checkout", "-q", "main")
			w.git("mv", "x", "y")
			w.commit("moved")
			if c.before != nil {
				c.before(w)
			}
			w.write("y/deep/new.env", "precious\n")
			head := w.git("rev-parse", "HEAD")
			out := w.fails(tools.Conflict, c.action, c.args)
			if m := out.Envelope.Error.Message; !strings.Contains(m, "y/deep/new.env; nothing was done") {
				t.Error(m)
			}
			if w.text("y/deep/new.env") != "precious\n" || w.git("rev-parse", "HEAD") != head {
				t.Errorf("%q", w.text("y/deep/new.env"))
			}
		})
	}
}

func TestNamesInMovedFolders(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ from, to, added, want string }{
		{"x/a", "y/a", "x/n", "y/n"},
		{"x/deep/a", "y/deep/a", "x/n x/deep/n x/deep/er/n z/n", "y/n y/deep/n y/deep/n y/deep/er/n y/deep/er/n"},
		{"x/sub/a", "sub/a", "x/n", "n"},
		{"a", "x/a", "n d/n", "x/n x/d/n"},
		{"x/a", "x/b", "x/n", ""},
		{"p/a", "q/r/a", "p/n", "q/r/n"},
	} {
		s := strand{moved: map[string][]string{}}
		s.move(filepath.ToSlash(filepath.Dir(c.from)), filepath.ToSlash(filepath.Dir(c.to)))
		var got []string
		for _, one := range s.follow(strings.Fields(c.added)) {
			got = append(got, one.name)
		}
		if want := strings.Fields(c.want); !slices.Equal(got, want) {
			t.Errorf("%s to %s: %q, want %q", c.from, c.to, got, want)
		}
	}
}
