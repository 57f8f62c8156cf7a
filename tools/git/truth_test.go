package git

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

func TestOddPages(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("one", "a", "1\n", "empty", "")
	for _, action := range []string{"status", "diff", "log", "show", "stash", "tag", "branch", "config", "clean", "reflog", "shortlog"} {
		w.fails(tools.InvalidParams, action, args{"offset": -1, "limit": 1})
	}
	if d := data[blameData](t, w.call("blame", args{"files": []string{"empty"}})); len(d.Lines) != 0 {
		t.Errorf("blame of an empty file: %+v", d.Lines)
	}
	w.fails(tools.InvalidParams, "blame", args{"files": []string{"a"}, "lines": "99999999999999999999"})
	w.fails(tools.ExitNonzero, "blame", args{"files": []string{"a"}, "offset": 1 << 62})
}

func TestNULInAParameter(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("one", "a", "1\n")
	for _, p := range []string{"since", "author", "grep"} {
		w.fails(tools.InvalidParams, "log", args{p: "x\x00--output=pwn"})
	}
	w.fails(tools.InvalidParams, "commit", args{"message": "m", "allow_empty": true, "author": "x\x00y"})
}

// TestDamagedRefIsNotAnEmptyRepository: a ref that points to nothing is a fault that must be told.
func TestDamagedRefIsNotAnEmptyRepository(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("one", "a", "1\n")
	for _, text := range []string{"0123456789012345678901234567890123456789\n", ""} {
		w.write(".git/refs/heads/main", text)
		if d := data[reflogData](t, w.call("reflog", nil)); len(d.Entries) != 1 { // the way back
			t.Errorf("reflog: %+v", d.Entries)
		}
		if out := w.try("rev_parse", nil); out.Envelope.OK && text == "" {
			t.Error("rev_parse of a ref that cannot be read")
		}
		for _, action := range []string{"status", "log", "show", "describe", "shortlog"} {
			out := w.try(action, nil)
			if out.Envelope.OK || strings.Contains(out.Envelope.Error.Message, "no commit") {
				t.Errorf("%q: %s: %s %+v", text, action, out.Text, out.Envelope.Error)
			}
		}
	}
}

func TestShowTakesOneCommit(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("one", "a", "1\n", "x:y", "1\n")
	w.commit("two", "a", "2\n")
	w.commit("three", "a", "+3\n")
	for _, ref := range []string{"HEAD~2..HEAD", "HEAD...HEAD~2"} {
		w.fails(tools.InvalidParams, "show", args{"ref": ref})
	}
	w.call("show", args{"ref": "HEAD^!"})
	w.fails(tools.NotFound, "show", args{"ref": "x:y"}) // a file's name, not a revision
	if out := w.call("show", args{"ref": "HEAD:x:y"}); out.Text != "1\n" {
		t.Errorf("%q", out.Text)
	}
}

func TestBranchInAWorktreeWithALineBreak(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("one")
	w.git("worktree", "add", "-q", "-b", "side", "wt\nx")
	d := data[branchData](t, w.call("branch", nil))
	if len(d.Branches) != 2 || d.Branches[1].Name != "side" || !strings.HasSuffix(d.Branches[1].Worktree, "wt\nx") {
		t.Errorf("%+v", d.Branches)
	}
}

func TestSecretsInKeysAndOddPasswords(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.git("config", "url.https://u:SECRET@h.example/.insteadOf", "https://h.example/")
	w.git("config", "http.https://u:SECRET@h.example/.proxy", "http://p:SECRET@q")
	w.git("config", "sendemail.smtpPass", "SECRET")
	w.git("config", "credential.https://SECRET@h.example.username", "u")
	w.git("config", "remote.o.url", "https://u:SEC'R\"ET@i.example/x")
	for _, c := range []struct {
		action string
		args   args
	}{{"config", nil}, {"remote", nil}, {"config", args{"key": "remote.o.url"}}, {"config", args{"key": "sendemail.smtppass"}}} {
		out := w.call(c.action, c.args)
		all := out.Text + jsonOf(t, out)
		if strings.Contains(all, "SECRET") || strings.Contains(all, "SEC'") {
			t.Errorf("%s %v: %s", c.action, c.args, all)
		}
	}
}

func TestCleanedNamesComeBack(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	name := "caf\xe9"
	if err := os.WriteFile(filepath.Join(w.dir, name), nil, 0o666); err != nil {
		t.Skip("the file system takes no such name")
	}
	d := data[cleanData](t, w.call("clean", args{"confirm": true}))
	if len(d.Removed) != 1 || d.Removed[0] != `"caf\351"` {
		t.Errorf("%q", d.Removed)
	}
}

func TestLogEndsWhereItEnds(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("one\n\n" + strings.Repeat("body ", 100))
	out := w.call("log", args{"max_chars": 300})
	if strings.Contains(out.Text, "more commits") || out.Envelope.Meta.Paging != nil {
		t.Errorf("%s %+v", out.Text, out.Envelope.Meta)
	}
}

func jsonOf(t *testing.T, out *tools.Output) string {
	t.Helper()
	raw, err := json.Marshal(out.Envelope)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}
