package git

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// TestPlainFilesSayWhatGitSays: HEAD, reflogs and stashes read from files, beside git's own answers.
func TestPlainFilesSayWhatGitSays(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	same := func(state, dir string) {
		t.Helper()
		full := filepath.Join(w.dir, dir)
		head := strings.TrimSpace(w.gitIn(full, "rev-parse", "HEAD"))
		if d := data[struct{ Hash string }](t, w.call("rev_parse", args{"path": dir})); d.Hash != head {
			t.Errorf("%s: HEAD is %s, want %s", state, d.Hash, head)
		}
		for _, ref := range []string{"HEAD", "main", "side/x", "refs/heads/main"} {
			log := w.gitIn(full, "log", "-g", "--date=iso-strict", "--format=%gd %H %gs", ref, "--")
			log = strings.ReplaceAll(log, "Z} ", "+00:00} ")
			var b strings.Builder
			d := data[reflogData](t, w.call("reflog", args{"path": dir, "ref": ref, "limit": 1000}))
			for _, e := range d.Entries {
				b.WriteString(strings.TrimPrefix(ref, "refs/heads/") + "@{" + e.Date + "} " + e.Hash + " " + e.Message + "\n")
			}
			if b.String() != log {
				t.Errorf("%s: reflog of %s:\n%swant\n%s", state, ref, b.String(), log)
			}
			index := w.gitIn(full, "log", "-g", "--format=%gd", ref, "--")
			b.Reset()
			for _, e := range d.Entries {
				b.WriteString(e.Ref + "\n")
			}
			if b.String() != index {
				t.Errorf("%s: reflog of %s:\n%swant\n%s", state, ref, b.String(), index)
			}
		}
		var b strings.Builder
		for _, s := range data[stashData](t, w.call("stash", args{"path": dir})).Stashes {
			b.WriteString(s.Ref + ": " + s.Message + " " + s.Hash + "\n")
		}
		if want := w.gitIn(full, "stash", "list", "--format=%gd: %gs %H"); b.String() != want {
			t.Errorf("%s: stashes\n%swant\n%s", state, b.String(), want)
		}
	}
	w.commit("one", "a", "1\n")
	w.git("branch", "side/x")
	same("loose", "")
	w.git("commit", "-q", "--allow-empty", "-m", "tab\tand  spaces > x\n\nbody")
	for i := range 3 {
		w.write("a", strings.Repeat("x", i+2))
		w.git("stash", "push", "-q", "-m", "caf\xc3\xa9 "+strings.Repeat("s", i))
	}
	w.git("stash", "drop", "-q", "stash@{1}")
	same("stashes", "")
	w.git("checkout", "-q", "--detach", "HEAD~1")
	same("detached", "")
	w.git("checkout", "-q", "main")
	w.git("branch", "-m", "main", "other") // leaves entries without a commit
	w.git("branch", "-m", "other", "main")
	same("renamed", "")
	w.git("pack-refs", "--all")
	same("packed", "")
	w.git("worktree", "add", "-q", "wt", "side/x")
	w.gitIn(filepath.Join(w.dir, "wt"), "commit", "-q", "--allow-empty", "-m", "in wt")
	same("linked work tree", "wt")
	w.git("stash", "clear")
	same("no stash", "")
	w.write("other/x", "")
	link(w, "refs/heads/main", ".git/HEAD")
	if d := data[branchData](t, w.call("branch", nil)); d.Current == nil || *d.Current != "main" {
		t.Errorf("HEAD as a link: %+v", d)
	}
	same("HEAD as a link", "")
	if os.Geteuid() == 0 {
		if err := os.Lchown(w.dir, 12345, 12345); err != nil {
			t.Fatal(err)
		}
		for _, action := range []string{"rev_parse", "reflog", "stash"} {
			if out := w.try(action, nil); out.Envelope.OK || out.Envelope.Error.Code != tools.PermissionDenied {
				t.Errorf("%s in another user's repository: %+v", action, out.Envelope)
			}
		}
	}
}
