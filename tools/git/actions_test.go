package git

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

func TestBranches(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	first := w.commit("one", "a", "1\n")
	w.call("branch", args{"op": "create", "name": "feature"})
	w.call("branch", args{"sub_action": "create", "name": "old", "ref": first})
	w.call("branch", args{"sub_action": "rename", "name": "old", "new_name": "older"})
	d := data[branchData](t, w.call("branch", nil))
	if d.Current == nil || *d.Current != "main" || d.Count != 3 {
		t.Fatalf("branches: %+v", d)
	}
	out := w.call("branch", args{"name": "typo"})
	if len(out.Envelope.Meta.Warnings) == 0 {
		t.Error("a name without sub_action gave no warning")
	}
	w.call("branch", args{"sub_action": "checkout", "name": "feature"})
	w.commit("two", "b", "2\n")
	w.call("checkout", args{"ref": "main"})
	w.fails(tools.ConfirmRequired, "branch", args{"sub_action": "delete", "name": "feature"})
	out = w.fails(tools.ConfirmRequired, "branch", args{"sub_action": "delete", "name": "feature", "force": true})
	if !strings.Contains(out.Envelope.Error.Message, "1 commits") {
		t.Errorf("what would be lost is not said: %v", out.Envelope.Error)
	}
	if out := w.call("branch", args{"sub_action": "delete", "name": "feature", "force": true, "dry_run": true}); !strings.Contains(out.Text, "1 commits") {
		t.Errorf("dry run: %s", out.Text)
	}
	w.call("branch", args{"sub_action": "delete", "name": "feature", "force": true, "confirm": true})
	w.call("branch", args{"sub_action": "delete", "name": "older"})
	if d := data[branchData](t, w.call("branch", nil)); d.Count != 1 {
		t.Errorf("branches left: %+v", d.Branches)
	}
	w.fails(tools.ConfirmRequired, "branch", args{"sub_action": "create", "name": "main", "force": true, "ref": first})
	w.fails(tools.NotFound, "branch", args{"sub_action": "delete", "name": "none"})
	w.fails(tools.InvalidParams, "branch", args{"sub_action": "explode"})
}

func TestMergeConflict(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("one", "a b", "1\n2\n3\n")
	w.git("checkout", "-qb", "side")
	w.commit("side", "a b", "1\nside\n3\n")
	w.git("checkout", "-q", "main")
	w.commit("main", "a b", "1\nmain\n3\n")
	if out := w.call("merge", args{"ref": "side", "dry_run": true}); !strings.Contains(out.Text, "side") {
		t.Errorf("dry run: %s", out.Text)
	}
	out := w.fails(tools.Conflict, "merge", args{"ref": "side"})
	d := data[outcomeData](t, out)
	if d.State != "merge" || len(d.Conflicts) != 1 || d.Conflicts[0] != (entry{Path: "a b", Status: "both modified"}) {
		t.Errorf("outcome: %+v", d)
	}
	s := data[statusData](t, w.call("status", nil))
	if s.State != "merge" || s.Clean || len(s.Conflicts) != 1 || s.Conflicts[0].Status != "both modified" {
		t.Errorf("status: %+v", s)
	}
	dd := data[diffData](t, w.call("diff", nil))
	if len(dd.Files) != 1 || dd.Files[0].Path != "a b" {
		t.Errorf("diff in conflict: %+v", dd)
	}
	if dd := data[diffData](t, w.call("diff", args{"staged": true})); len(dd.Files) != 1 || dd.Files[0].Status != "unmerged" {
		t.Errorf("staged diff in conflict: %+v", dd)
	}
	w.fails(tools.Conflict, "commit", args{"message": "no"})
	w.call("merge", args{"sub_action": "abort", "confirm": true})
	w.fails(tools.Conflict, "merge", args{"sub_action": "continue"})
	w.fails(tools.Conflict, "merge", args{"ref": "side"})
	w.write("a b", "1\nboth\n3\n")
	w.call("add", args{"files": "a b"})
	w.call("merge", args{"sub_action": "continue"})
	if s := data[statusData](t, w.call("status", nil)); !s.Clean || s.State != "" {
		t.Errorf("after continue: %+v", s)
	}
	sh := data[showData](t, w.call("show", nil))
	if len(sh.Commit.Parents) != 2 || len(sh.Files) != 1 || sh.Files[0].Path != "a b" {
		t.Errorf("show of a merge: %+v", sh)
	}
}

func TestRebaseAndCherryPick(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("base", "a", "1\n", "z", "z\n")
	w.git("checkout", "-qb", "side")
	w.commit("side 1", "b", "1\n")
	side := w.commit("side 2", "a", "side\n")
	w.git("checkout", "-q", "main")
	w.commit("main", "a", "main\n")
	w.fails(tools.Conflict, "cherry_pick", args{"ref": side})
	if s := data[statusData](t, w.call("status", nil)); s.State != "cherry_pick" {
		t.Errorf("state %q", s.State)
	}
	w.call("cherry_pick", args{"sub_action": "abort", "confirm": true})
	w.call("cherry_pick", args{"ref": side + "~1"})
	w.git("checkout", "-q", "side")
	w.fails(tools.Conflict, "rebase", args{"ref": "main"})
	if s := data[statusData](t, w.call("status", nil)); s.State != "rebase" || !s.Detached {
		t.Errorf("state in a rebase: %+v", s)
	}
	w.write("a", "both\n")
	w.call("add", args{"files": []string{"a"}})
	w.call("rebase", args{"sub_action": "continue"})
	if got := w.git("log", "--format=%s"); got != "side 2\nside 1\nmain\nbase\n" {
		t.Errorf("after the rebase:\n%s", got)
	}
	w.git("revert", "--no-commit", "HEAD")
	if s := data[statusData](t, w.call("status", nil)); s.State != "revert" {
		t.Errorf("state %q, want revert", s.State)
	}
}

func TestBisect(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	first := w.commit("0", "n", "0\n")
	for _, n := range []string{"1", "2", "3", "4", "5", "6"} {
		w.commit(n, "n", n+"\n")
	}
	w.call("bisect", args{"sub_action": "start", "bad": "HEAD", "good": first})
	if s := data[statusData](t, w.call("status", nil)); s.State != "bisect" {
		t.Errorf("state %q", s.State)
	}
	w.call("bisect", args{"sub_action": "good"})
	if out := w.call("bisect", nil); !strings.Contains(out.Text, "git bisect good") {
		t.Errorf("log: %s", out.Text)
	}
	w.call("bisect", args{"sub_action": "reset"})
	w.fails(tools.Unsupported, "bisect", args{"sub_action": "run"})
	w.fails(tools.InvalidParams, "bisect", args{"sub_action": "start", "bad": "--first-parent"})
}

func TestStash(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.write("u", "u")
	w.fails(tools.Conflict, "stash", args{"sub_action": "push"}) // unborn
	w.commit("one", "a", "1\n")
	w.write("a", "2\n")
	if out := w.call("stash", nil); !strings.Contains(out.Text, "no stashes") || !strings.Contains(w.git("status", "--short"), " M a") {
		t.Errorf("bare stash did more than list: %s", out.Text)
	}
	w.call("stash", args{"sub_action": "push", "message": "$(touch PWN) `x` \"q\""})
	d := data[stashData](t, w.call("stash", nil))
	if d.Count != 1 || !strings.HasSuffix(d.Stashes[0].Message, "$(touch PWN) `x` \"q\"") || w.has("PWN") {
		t.Fatalf("stashes: %+v", d)
	}
	if s := data[diffData](t, w.call("stash", args{"sub_action": "show", "ref": "0"})); len(s.Files) != 1 || s.Files[0].Path != "a" {
		t.Errorf("show: %+v", s)
	}
	w.call("stash", args{"sub_action": "apply"})
	w.write("n", "new\n")
	w.call("stash", args{"sub_action": "push", "include_untracked": true})
	if w.has("n") {
		t.Error("the untracked file stayed")
	}
	w.call("stash", args{"sub_action": "pop", "ref": "stash@{0}"})
	w.fails(tools.ConfirmRequired, "stash", args{"sub_action": "drop"})
	w.fails(tools.ConfirmRequired, "stash", args{"sub_action": "clear"})
	w.call("stash", args{"sub_action": "clear", "dry_run": true})
	if d := data[stashData](t, w.call("stash", nil)); d.Count != 1 {
		t.Fatalf("a refused or dry run dropped: %+v", d)
	}
	w.call("stash", args{"sub_action": "drop", "confirm": true})
	w.fails(tools.NotFound, "stash", args{"sub_action": "drop", "confirm": true})
	w.fails(tools.InvalidParams, "stash", args{"sub_action": "show", "ref": "--output=x"})
}

func TestTags(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.fails(tools.Conflict, "tag", args{"sub_action": "create", "name": "v0"})
	first := w.commit("one", "a", "1\n")
	w.call("tag", args{"sub_action": "create", "name": "v1", "message": "# not a comment\nsecond"})
	if got := w.git("tag", "-l", "--format=%(contents)", "v1"); !strings.HasPrefix(got, "# not a comment\nsecond") {
		t.Errorf("message %q", got)
	}
	w.commit("two", "a", "2\n")
	w.call("tag", args{"sub_action": "create", "name": "light"})
	w.fails(tools.Conflict, "tag", args{"sub_action": "create", "name": "v1"})
	w.fails(tools.ConfirmRequired, "tag", args{"sub_action": "create", "name": "v1", "force": true})
	w.fails(tools.ConfirmRequired, "tag", args{"sub_action": "delete", "name": "v1"})
	d := data[tagData](t, w.call("tag", nil))
	if d.Count != 2 {
		t.Fatalf("tags: %+v", d)
	}
	for _, one := range d.Tags {
		if one.Name == "v1" && (one.Type != "tag" || one.Hash != first) {
			t.Errorf("v1: %+v", one)
		}
	}
	out := w.call("describe", nil)
	if got := data[map[string]string](t, out)["describe"]; got != "light" {
		t.Errorf("describe: %q", got)
	}
	sh := data[showData](t, w.call("show", args{"ref": "v1"}))
	if sh.Type != "tag" || sh.Commit.Hash != first {
		t.Errorf("show of a tag: %+v", sh)
	}
	w.call("tag", args{"sub_action": "delete", "name": "v1", "confirm": true})
	w.fails(tools.NotFound, "tag", args{"sub_action": "delete", "name": "v1", "confirm": true})
}

func TestReset(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	first := w.commit("one", "a", "1\n")
	second := w.commit("two", "a", "2\n")
	w.write("a", "3\n")
	w.git("add", "a")
	w.call("reset", nil) // bare: un-stages, never un-commits
	if got := strings.TrimSpace(w.git("rev-parse", "HEAD")); got != second || !strings.Contains(w.git("status", "--short"), " M a") {
		t.Errorf("bare reset: HEAD %s, status %q", got, w.git("status", "--short"))
	}
	out := w.fails(tools.ConfirmRequired, "reset", args{"mode": "hard"})
	if !strings.Contains(out.Envelope.Error.Message, "a") || !strings.Contains(out.Envelope.Error.Message, "1 file(s)") {
		t.Errorf("message: %s", out.Envelope.Error.Message)
	}
	d := data[resetData](t, w.call("reset", args{"hard": true, "ref": "HEAD~1", "dry_run": true}))
	if d.Undone != 1 || len(d.Changed) != 1 || d.To != first {
		t.Errorf("dry run: %+v", d)
	}
	w.call("reset", args{"mode": "soft", "ref": "HEAD~1"})
	if got := w.git("status", "--short"); !strings.HasPrefix(got, "MM a") {
		t.Errorf("soft reset: %q", got)
	}
	w.call("reset", args{"files": []string{"a"}})
	w.call("reset", args{"mode": "--hard", "ref": second, "confirm": true})
	if got := w.git("status", "--short"); got != "" {
		t.Errorf("hard reset left %q", got)
	}
	w.fails(tools.InvalidParams, "reset", args{"mode": "harder"})
	w.fails(tools.InvalidParams, "reset", args{"ref": "--hard"})
	w.fails(tools.NotFound, "reset", args{"ref": "nowhere"})
}

func TestClean(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("one", ".gitignore", "*.o\n")
	w.write("new", "x")
	w.write("dir/é \"q\"", "x")
	w.write("x.o", "x")
	d := data[cleanData](t, w.call("clean", nil))
	if d.Count != 2 || !d.DryRun || !w.has("new") {
		t.Errorf("bare clean: %+v", d)
	}
	w.fails(tools.ConfirmRequired, "clean", args{"force": true})
	w.call("clean", args{"force": true, "confirm": true, "dry_run": true})
	if !w.has("new") {
		t.Error("a dry run removed a file")
	}
	w.call("clean", args{"force": true, "confirm": true})
	if w.has("new") || w.has("dir") || !w.has("x.o") {
		t.Error("clean removed the wrong files")
	}
	w.call("clean", args{"all": true, "confirm": true})
	if w.has("x.o") {
		t.Error("all left an ignored file")
	}
}

func TestCheckoutAndRestore(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	first := w.commit("one", "a", "1\n", "b", "1\n")
	w.commit("two", "a", "2\n")
	w.write("a", "precious\n")
	for action, a := range map[string]args{
		"checkout": {"files": []string{"a"}},
		"restore":  {"files": []string{"a"}},
	} {
		out := w.fails(tools.ConfirmRequired, action, a)
		if !strings.Contains(out.Envelope.Error.Message, "1 file(s) would be lost: a") {
			t.Errorf("%s: %s", action, out.Envelope.Error.Message)
		}
		a["dry_run"] = true
		w.call(action, a)
	}
	w.fails(tools.ConfirmRequired, "checkout", args{"ref": first, "force": true})
	w.fails(tools.Conflict, "checkout", args{"ref": first}) // git's own refusal
	if b, _ := os.ReadFile(filepath.Join(w.dir, "a")); string(b) != "precious\n" {
		t.Fatalf("the change was lost: %q", b)
	}
	w.call("restore", args{"files": []string{"b"}}) // nothing to lose: no confirm
	w.git("add", "a")
	w.call("restore", args{"files": []string{"a"}, "staged": true})
	if got := w.git("status", "--short"); got != " M a\n" {
		t.Errorf("unstaged: %q", got)
	}
	w.call("restore", args{"files": []string{"a"}, "confirm": true})
	out := w.call("checkout", args{"ref": first})
	if len(out.Envelope.Meta.Warnings) == 0 {
		t.Error("a detached HEAD gave no warning")
	}
	if d := data[branchData](t, w.call("branch", nil)); d.Current != nil || !d.Detached || d.Head != first {
		t.Errorf("detached: %+v", d)
	}
	if s := data[statusData](t, w.call("status", nil)); !s.Detached || s.Branch != "" || s.Head != first {
		t.Errorf("detached: %+v", s)
	}
	if out := w.call("commit", args{"message": "loose", "allow_empty": true}); len(out.Envelope.Meta.Warnings) == 0 {
		t.Error("a commit on a detached HEAD gave no warning")
	}
	w.call("checkout", args{"create": true, "name": "kept"})
	w.call("switch", args{"branch": "main"})
	w.call("checkout", args{"files": []string{"a"}, "ref": first})
	if got := w.git("status", "--short"); got != "M  a\n" {
		t.Errorf("checkout of a file: %q", got)
	}
}

func TestWorktrees(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("one", "a", "1\n")
	w.call("worktree", args{"sub_action": "add", "destination": "wt", "name": "feature"})
	wt := filepath.Join(w.dir, "wt")
	if s := data[statusData](t, w.call("status", args{"path": "wt"})); s.Branch != "feature" || !s.Clean {
		t.Errorf("status in the work tree: %+v", s)
	}
	w.file(wt, "b", "b\n")
	w.call("add", args{"path": "wt", "files": []string{"b"}})
	c := data[commitData](t, w.call("commit", args{"path": "wt", "message": "in wt"}))
	if c.Branch != "feature" || strings.TrimSpace(w.git("rev-parse", "feature")) != c.Hash {
		t.Errorf("commit: %+v", c)
	}
	for _, action := range []string{"log", "diff", "branch", "show"} {
		w.call(action, args{"path": "wt"})
	}
	d := data[struct{ Worktrees []worktreeOne }](t, w.call("worktree", nil))
	if len(d.Worktrees) != 2 || d.Worktrees[1].Branch != "feature" || d.Worktrees[1].Path != wt {
		t.Errorf("worktrees: %+v", d)
	}
	w.file(wt, "dirty", "x")
	w.fails(tools.ConfirmRequired, "worktree", args{"sub_action": "remove", "destination": "wt"})
	w.fails(tools.ConfirmRequired, "worktree", args{"sub_action": "remove", "destination": "wt", "force": true})
	if !w.has("wt/dirty") {
		t.Fatal("the work tree was removed without confirm")
	}
	w.call("worktree", args{"sub_action": "remove", "destination": "wt", "force": true, "confirm": true})
	w.fails(tools.PermissionDenied, "worktree", args{"sub_action": "add", "destination": "../o/wt"})
	w.fails(tools.PermissionDenied, "worktree", args{"sub_action": "add", "destination": ".git/x"})
}

func TestApply(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("one", "sub/a", "1\n2\n3\n")
	w.write("sub/a", "1\ntwo\n3\n")
	patch := w.git("diff")
	w.git("checkout", "-q", "--", ".")
	w.call("apply", args{"patch": patch, "dry_run": true, "path": "sub"})
	if got := w.git("status", "--short"); got != "" {
		t.Fatalf("dry run changed %q", got)
	}
	out := w.call("apply", args{"patch": strings.TrimSuffix(patch, "\n"), "path": "sub"}) // from a subfolder too
	if got := w.git("status", "--short"); got != " M sub/a\n" {
		t.Errorf("status %q: %s", got, out.Text)
	}
	w.fails(tools.Conflict, "apply", args{"patch": patch})
	if got := w.git("status", "--short"); got != " M sub/a\n" { // nothing left behind by a failed apply
		t.Errorf("status %q", got)
	}
	w.call("apply", args{"patch": patch, "reverse": true})
	for _, name := range []string{"../o/x", ".git/hooks/post-commit", ".claude/settings.json"} {
		bad := "--- /dev/null\n+++ b/" + name + "\n@@ -0,0 +1 @@\n+x\n"
		if out := w.try("apply", args{"patch": bad}); out.Envelope.OK || w.has(name) {
			t.Errorf("a patch wrote %s: %+v", name, out.Envelope)
		}
	}
	if got := patchPaths(patch + "rename from x y\n+++ \"b/\\303\\251\"\n"); strings.Join(got, "|") != "sub/a|x y|é" {
		t.Errorf("paths of the patch: %q", got)
	}
}

func TestRemotesAndConfig(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.call("remote", args{"sub_action": "add", "name": "origin", "url": "https://me:hunter22@example.org/x.git"})
	out := w.call("remote", nil)
	d := data[struct{ Remotes []remoteOne }](t, out)
	if len(d.Remotes) != 1 || strings.Contains(out.Text, "hunter22") || d.Remotes[0].URL != "https://***@example.org/x.git" {
		t.Errorf("remotes: %+v\n%s", d, out.Text)
	}
	for _, bad := range []string{"ext::sh -c 'touch pwn'", "fd::7", "-oProxyCommand=x", "foo://x/y", "file://host/x", "ssh://-oProxyCommand=x/y", "a\nb"} {
		w.fails(tools.InvalidParams, "remote", args{"sub_action": "add", "name": "x", "url": bad})
	}
	w.fails(tools.PermissionDenied, "remote", args{"sub_action": "add", "name": "x", "url": "file://" + w.out})
	w.fails(tools.PermissionDenied, "remote", args{"sub_action": "add", "name": "x", "url": "../o/r"})
	w.call("config", args{"sub_action": "set", "key": "user.Email", "value": "--weird"})
	if got := w.git("config", "user.email"); got != "--weird\n" {
		t.Errorf("user.email %q", got)
	}
	for key, value := range map[string]string{
		"core.fsmonitor": "x", "core.hooksPath": "x", "alias.st": "!x", "core.sshCommand": "x", "remote.origin.uploadpack": "x",
		"remote.origin.vcs": "x", "branch.main.mergeOptions": "-s x", "include.path": "x", "filter.x.clean": "x", "pull.twohead": "x",
		"core.pager": "x", "gpg.program": "x", "credential.helper": "x", "url.x.insteadOf": "y", "user": "x",
		"remote.origin.url": "../o/r",
	} {
		w.fails(tools.PermissionDenied, "config", args{"sub_action": "set", "key": key, "value": value})
	}
	w.fails(tools.InvalidParams, "config", args{"sub_action": "set", "key": "remote.origin.url", "value": "ext::sh"})
	w.fails(tools.InvalidParams, "config", args{"sub_action": "set", "key": "branch.main.remote", "value": "https://x/y"})
	w.call("config", args{"sub_action": "set", "key": "remote.origin.url", "value": "git@example.org:x.git"})
	w.call("config", args{"sub_action": "set", "key": "push.default", "value": "current"})
	w.git("config", "http.extraheader", "Authorization: Basic c2VjcmV0")
	if out := w.call("config", nil); strings.Contains(out.Text, "c2VjcmV0") || !strings.Contains(out.Text, "push.default=current") {
		t.Errorf("list: %s", out.Text)
	}
	if got := data[struct{ Value string }](t, w.call("config", args{"key": "User.name"})).Value; got != "Ann Ash" {
		t.Errorf("user.name %q", got)
	}
	w.fails(tools.NotFound, "config", args{"key": "no.such"})
}

// TestSquashInConflict: nothing is under way then, so that continue and abort would be refused.
func TestSquashInConflict(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("one", "a", "1\n")
	w.git("checkout", "-qb", "side")
	w.commit("side", "a", "side\n")
	w.git("checkout", "-q", "main")
	w.commit("main", "a", "main\n")
	out := w.fails(tools.Conflict, "merge", args{"ref": "side", "mode": "squash"})
	if m := out.Envelope.Error.Message; strings.Contains(m, "continue") || !strings.Contains(m, "git.commit") {
		t.Error(m)
	}
	w.write("a", "both\n")
	w.call("add", args{"files": []string{"a"}})
	w.call("commit", args{"message": "squashed"})
}
