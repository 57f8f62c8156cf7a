package git

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

func warned(out *tools.Output) string { return strings.Join(out.Envelope.Meta.Warnings, "\n") }

// TestCredentialsAreNotShown: neither in the config nor in what git has written down.
func TestCredentialsAreNotShown(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("one", "a", "1\n")
	for key, value := range map[string]string{
		"credential.helper": "!f() { echo username=u; echo password=SECRET; }; f", "http.proxy": "user:SECRET@127.0.0.1:1", "alias.x": "!curl -H Authorization:SECRET https://h/",
		"alias.y": `!curl -H "PRIVATE-TOKEN: SECRET"`, "remote.o.url": "https://h/x?private_token=SECRET&a=b", "remote.p.url": "https://u:SECRET@h/x",
	} {
		w.git("config", key, value)
		w.try("config", args{"key": key})
		if out := w.call("config", args{"key": key}); strings.Contains(jsonOf(t, out), "SECRET") {
			t.Errorf("%s: %s", key, jsonOf(t, out))
		}
	}
	w.git("config", "user.name", "Secret Agent")
	w.git("config", "remote.ssh.url", "git@host:a/b?c=d")
	for _, action := range []string{"config", "remote"} {
		out := w.call(action, nil)
		if text := out.Text + jsonOf(t, out); strings.Contains(text, "SECRET") || !strings.Contains(text, "git@host:a/b?c=d") {
			t.Errorf("%s: %s", action, text)
		}
	}
	if out := w.call("config", args{"key": "user.name"}); !strings.Contains(jsonOf(t, out), "Secret Agent") {
		t.Error(jsonOf(t, out))
	}
	w.git("update-ref", "-m", "pull https://user:SECRET@host/repo: Fast-forward", "HEAD", w.git("commit-tree", "-m", "x", "HEAD^{tree}")[:40])
	for _, a := range []args{nil, {"ref": "main"}, {"all": true}} {
		if out := w.call("reflog", a); strings.Contains(out.Text+jsonOf(t, out), "SECRET") {
			t.Errorf("%v: %s", a, out.Text)
		}
	}
}

// TestDamagedBranch: it is no repository without commits.
func TestDamagedBranch(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	hash := w.commit("one", "a", "1\n")
	w.write(".git/refs/heads/main", "")
	w.fails(tools.ExitNonzero, "branch", nil)
	w.write(".git/refs/heads/other", hash+"\n")
	if out := w.call("branch", nil); !strings.Contains(warned(out), "refs/heads/main cannot be read") || !strings.Contains(out.Text, "other") {
		t.Errorf("%s %s", out.Text, warned(out))
	}
}

// TestEscapedNamesAreTaken wherever a name can stand.
func TestEscapedNamesAreTaken(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("one", "caf\xe9.txt", "1\n", "a\nb", "2\n", "a\tb", "3\n")
	w.git("branch", "caf\xe9")
	const name = `"caf\351.txt"`
	for _, c := range []struct {
		action string
		args   args
		want   string
	}{
		{"log", args{"path": name}, "one"}, {"blame", args{"path": name}, "Ann Ash"}, {"log", args{"ref": `"caf\351"`}, "one"}, {"diff", args{"ref": `"caf\351"`}, "no changes"},
		{"diff", args{"ref": `"caf\351"..main`}, "no changes"}, {"log", args{"ref": `"caf\351"..main`}, "no commits match"},
		{"show", args{"ref": "HEAD:" + name}, "1\n"}, {"show", args{"ref": "HEAD:a\nb"}, "2\n"}, {"show", args{"ref": "HEAD:a\tb"}, "3\n"},
	} {
		if out := w.call(c.action, c.args); !strings.Contains(out.Text, c.want) {
			t.Errorf("%s %v: %s", c.action, c.args, out.Text)
		}
	}
	w.write("caf\xe9.txt", "2\n")
	w.call("add", args{"path": name})
	w.fails(tools.InvalidParams, "show", args{"ref": "a\nb:c"})
}

// TestDryRunsRunNothing that the repository's config names.
func TestDryRunsRunNothing(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("one", "a", "1\n", ".gitattributes", "* filter=trap\n")
	trap := w.script(w.dir, ".git/trap", "touch "+filepath.Join(w.dir, ".git/ran")+"; cat")
	w.git("config", "core.fsmonitor", trap)
	w.git("config", "filter.trap.clean", trap)
	w.script(w.dir, ".git/hooks/post-index-change", trap)
	w.write("a", "2\n")
	if out := w.call("add", args{"all": true, "dry_run": true}); !strings.Contains(out.Text, "add 'a'") {
		t.Error(out.Text)
	}
	w.call("apply", args{"patch": "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-2\n+3\n", "dry_run": true})
	if w.has(".git/ran") {
		t.Error("a program ran")
	}
}

// TestWordsThatHelp: what git says aside is passed on, and messages say what to do.
func TestWordsThatHelp(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("one", "a", "1\n2\n3\n", ".gitignore", "ign\n")
	says := func(out *tools.Output, words ...string) {
		t.Helper()
		text := warned(out)
		if out.Envelope.Error != nil {
			text += out.Envelope.Error.Message
		}
		for _, word := range words {
			if !strings.Contains(text, word) {
				t.Errorf("%q lacks %q", text, word)
			}
		}
	}
	w.git("init", "-q", "emb")
	w.gitIn(filepath.Join(w.dir, "emb"), "commit", "-q", "--allow-empty", "-m", "x")
	says(w.call("add", args{"files": "emb"}), "emb is a repository of its own")
	w.git("rm", "-qf", "--cached", "emb")
	w.write("ok", "1")
	w.write("ign", "1")
	says(w.try("add", args{"files": []string{"ok", "ign"}}), "The other files were staged")
	w.git("reset", "-q")
	says(w.fails(tools.NotFound, "push", nil), "git.remote", "sub_action add")
	says(w.fails(tools.InvalidParams, "clone", args{"url": "github.com/foo/bar"}), "https://github.com/foo/bar")
	says(w.fails(tools.InvalidParams, "merge", args{"ref": "HEAD", "mode": "no_ff", "message": strings.Repeat("m", 200_000)}), "too long")

	// A failed clone says so, and takes away what it has made, but no more.
	if err := os.Mkdir(filepath.Join(w.dir, "mine"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, dest := range []string{"mine", "p/q"} {
		if d := data[madeData](t, w.try("clone", args{"url": "nowhere", "destination": dest})); d.Status != "failed" {
			t.Errorf("clone to %s: %+v", dest, d)
		}
	}
	if !w.has("mine") || w.has("p") {
		t.Error("a folder of the user is gone, or one that was made is left")
	}

	// Patches as models write them.
	says(w.call("apply", args{"patch": "--- a/a\n+++ b/a\n@@ -1,7 +1,9 @@\n 1\n-2\n+two\n 3\n"}), "made anew")
	if got := w.text("a"); got != "1\ntwo\n3\n" {
		t.Errorf("%q", got)
	}
	says(w.try("apply", args{"patch": "*** Begin Patch\n*** End Patch\n"}), "fs.apply_patch")
	says(w.try("apply", args{"patch": "--- a/a\r\n+++ b/a\r\n@@ -1 +1 @@\r\n-1\r\n+x\r\n"}), "CRLF")
	w.git("checkout", "-q", ".")

	// Patterns that were none.
	w.git("-c", "user.name=dependabot[bot]", "commit", "-q", "--allow-empty", "-m", "bump [x")
	for _, a := range []args{{"author": "dependabot[bot]"}, {"grep": "[x"}} {
		out := w.call("log", a)
		if says(out, "literally"); len(data[logData](t, out).Commits) != 1 {
			t.Errorf("%v: %s", a, out.Text)
		}
	}

	// Names that mean two things.
	w.git("tag", "main", "HEAD~1")
	says(w.call("rev_parse", args{"ref": "main"}), "refname 'main' is ambiguous")
	w.git("tag", "-d", "main")
	w.git("tag", "-am", "inner", "inner")
	w.git("tag", "-am", "outer", "outer", "inner")
	for _, one := range data[tagData](t, w.call("tag", nil)).Tags {
		if one.Hash != strings.TrimSpace(w.git("rev-parse", "HEAD")) {
			t.Errorf("%+v", one)
		}
	}
	w.git("branch", "(detached)")
	w.git("checkout", "-q", "(detached)")
	if s := data[statusData](t, w.call("status", nil)); s.Detached || s.Branch != "(detached)" {
		t.Errorf("%+v", s)
	}

	// A change of branch is not stopped by conflicts: it does not begin.
	w.git("checkout", "-qb", "side", "main")
	w.commit("side", "a", "side\n")
	w.git("checkout", "-q", "main")
	w.commit("mine", "a", "mine\n")
	w.fails(tools.Conflict, "merge", args{"ref": "side"})
	says(w.fails(tools.Conflict, "checkout", args{"ref": "side"}), "was not begun", "state: merge")
	says(w.fails(tools.Conflict, "cherry_pick", args{"ref": "side"}), "was not begun")
}
