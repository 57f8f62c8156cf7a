package git

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// withSubmodule makes a repository whose submodule sm stands at another commit on the branch f.
func withSubmodule(t *testing.T) (w *world, in string) {
	t.Helper()
	w = newRepo(t)
	up := filepath.Join(w.dir, "up")
	w.git("init", "-q", "up")
	w.file(up, "a.txt", "1\n")
	w.gitIn(up, "add", ".")
	w.gitIn(up, "commit", "-qm", "1")
	w.write(".gitignore", "/up/\n")
	w.git("submodule", "--quiet", "add", "./up", "sm")
	w.commit("one")
	in = filepath.Join(w.dir, "sm")
	w.git("checkout", "-qb", "f")
	w.file(in, "a.txt", "2\n")
	w.gitIn(in, "commit", "-qam", "2")
	w.commit("two")
	w.git("checkout", "-q", "main")
	w.git("submodule", "--quiet", "update")
	return w, in
}

// TestSubmodulesKeepTheirChanges: with submodule.recurse git would overwrite them on every change of the tree above.
func TestSubmodulesKeepTheirChanges(t *testing.T) {
	t.Parallel()
	w, in := withSubmodule(t)
	w.git("config", "--global", "submodule.recurse", "true")
	head := w.gitIn(in, "rev-parse", "HEAD")
	w.file(in, "a.txt", "LOST\n")
	for _, c := range []struct {
		action string
		args   args
	}{
		{"checkout", args{"ref": "f", "force": true}}, {"checkout", args{"files": []string{"sm"}, "confirm": true}},
		{"restore", args{"files": []string{"sm"}, "confirm": true}}, {"restore", args{"all": true, "confirm": true}},
		{"reset", args{"mode": "hard", "ref": "main", "confirm": true}}, {"checkout", args{"ref": "main", "force": true, "confirm": true}},
		{"branch", args{"sub_action": "checkout", "name": "f", "force": true}}, {"rebase", args{"ref": "main"}},
	} {
		out := w.try(c.action, c.args)
		if got := w.text("sm/a.txt"); got != "LOST\n" || w.gitIn(in, "rev-parse", "HEAD") != head {
			t.Fatalf("%s %v: sm/a.txt is %q: %s", c.action, c.args, got, out.Text)
		}
		if c.args["ref"] != nil && c.action != "rebase" && !strings.Contains(warned(out), "submodule.recurse") {
			t.Errorf("%s %v: %v %s", c.action, c.args, out.Envelope.Error, warned(out))
		}
	}
}

// TestAddDryRunStaysOutOfSubmodules, whose own config names programs, and yet tells of their commits.
func TestAddDryRunStaysOutOfSubmodules(t *testing.T) {
	t.Parallel()
	w, in := withSubmodule(t)
	trap := w.script(w.dir, ".git/trap", "touch "+filepath.Join(w.dir, ".git/ran")+"; cat")
	w.gitIn(in, "config", "filter.x.clean", trap)
	w.file(w.dir, ".git/modules/sm/info/attributes", "* filter=x\n")
	w.file(in, "a.txt", "3\n") // as long as it was
	w.write("new", "n\n")
	for _, a := range []args{{"all": true}, {"files": []string{"sm", "new"}}, {"path": "sm/..", "all": true}} {
		a["dry_run"] = true
		if out := w.call("add", a); out.Text != "would stage:\nadd 'new'\n" {
			t.Errorf("%v: %s", a, out.Text)
		}
		if w.has(".git/ran") {
			t.Fatalf("%v: a program of the submodule ran", a)
		}
	}
	w.gitIn(in, "config", "--unset", "filter.x.clean")
	w.gitIn(in, "commit", "-qam", "3")
	for _, a := range []args{{"all": true}, {"files": []string{"sm"}}} {
		a["dry_run"] = true
		if out := w.call("add", a); !strings.Contains(out.Text, "add 'sm'") {
			t.Errorf("%v: %s", a, out.Text)
		}
	}
	w.fails(tools.NotFound, "add", args{"files": []string{"sm", "missing"}, "dry_run": true})
}
