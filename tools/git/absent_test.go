package git

import (
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// TestMisspeltNames: that there is nothing to say of a file is said only of files that there are.
func TestMisspeltNames(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("one", "src/some.ts", "1\n", "src/gone.ts", "1\n", "a", "1\n", "once", "1\n", ".gitignore", "ignored\n")
	w.git("rm", "-q", "once")
	w.commit("two", "b", "1\n")
	w.git("rm", "-q", "--cached", "src/gone.ts")
	w.write("ignored", "1\n")
	for _, c := range []struct {
		action  string
		args    args
		nearest string
	}{
		{"diff", args{"files": "src/sone.ts"}, "src/some.ts"}, {"diff", args{"files": "some.ts"}, "src/some.ts"}, {"diff", args{"files": "A"}, "a"}, {"diff", args{"ref": "HEAD", "files": "nosuch"}, ""},
		{"diff", args{"path": "src/sone.ts"}, "src/some.ts"}, {"diff", args{"staged": true, "files": []string{"nosuch", "x/y"}}, ""}, {"status", args{"files": "src/sone.ts"}, "src/some.ts"},
		{"log", args{"files": "src/sone.ts"}, "src/some.ts"}, {"log", args{"path": "nosuch/x"}, ""}, {"log", args{"ref": "HEAD~1..HEAD", "files": "nosuch"}, ""},
	} {
		out := w.fails(tools.NotFound, c.action, c.args)
		if d := out.Envelope.Error.Details; d.Nearest != c.nearest || d.Param == "" {
			t.Errorf("%s %v: %v", c.action, c.args, out.Envelope.Error)
		}
	}
	w.git("rm", "-q", "a")
	for _, c := range []struct {
		action string
		args   args
	}{
		{"diff", args{"files": "src"}}, {"diff", args{"files": "src/some.ts"}}, {"diff", args{"files": "src/"}}, {"diff", args{"files": "a"}}, {"diff", args{"ref": "HEAD~1..HEAD~1", "files": "once"}}, {"status", args{"files": "b"}},
		{"status", args{"files": "ignored"}}, {"status", args{"files": "."}}, {"log", args{"files": "once", "since": "2020-01-01", "until": "2020-01-02"}}, {"log", args{"files": "ignored"}}, {"log", args{"files": "a", "author": "nobody"}},
	} {
		if out := w.call(c.action, c.args); warned(out) != "" {
			t.Errorf("%s %v: %s", c.action, c.args, warned(out))
		}
	}
	w.write("b", "2\n")
	if out := w.call("diff", args{"files": []string{"b", "bb"}}); !strings.Contains(warned(out), "there is no bb") || !strings.Contains(out.Text, "+2") {
		t.Errorf("%s %s", out.Text, warned(out))
	}
	w.fails(tools.NotFound, "reflog", args{"ref": "nosuch"})
	w.fails(tools.NotFound, "reflog", args{"ref": "nosuch", "all": true})
	w.git("tag", "v1")
	w.call("reflog", args{"ref": "v1"})
	w.git("checkout", "-q", "--orphan", "new")
	w.call("reflog", args{"ref": "new"})
}
