package git

import (
	"encoding/json"
	"errors"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
	"github.com/hanzoai/hanzo-mcp/tools"
)

// noGit takes git away from the tool, so that the embedded backend answers.
func noGit(c *Config) {
	c.Look = func(name string) (string, error) {
		return "", &launch.StartError{Exit: 127, Path: name, Err: launch.ErrNotFound}
	}
}

// both asks the two backends the same.
type both struct {
	*world
	embedded *tools.Tool
}

func newBoth(t testing.TB) *both {
	w := newRepo(t)
	cfg := Config{Launcher: shared, Environ: func() []string { return w.env }}
	noGit(&cfg)
	return &both{w, New(cfg)}
}

func (b *both) goTry(action string, a args) *tools.Output {
	b.Helper()
	w := *b.world
	w.tool = b.embedded
	return w.try(action, a)
}

func (b *both) goCall(action string, a args) *tools.Output {
	b.Helper()
	out := b.goTry(action, a)
	if !out.Envelope.OK {
		b.Fatalf("go-git %s %v: %v", action, a, out.Envelope.Error)
	}
	if raw, _ := json.Marshal(out.Envelope.Data); !strings.Contains(string(raw), `"backend":"go-git"`) {
		b.Errorf("%s does not say its backend: %s", action, raw)
	}
	return out
}

// same compares what both say of status, diff, log, show and branch.
func (b *both) same(what string) {
	b.Helper()
	b.git("config", "diff.renames", "false")
	b.git("config", "status.renames", "false")
	defer b.git("config", "--unset", "diff.renames")
	compare := func(call string, x, y any) {
		b.Helper()
		jx, _ := json.Marshal(x)
		jy, _ := json.Marshal(y)
		if string(jx) != string(jy) {
			b.Errorf("%s: %s\n git    %s\n go-git %s", what, call, jx, jy)
		}
	}
	sx, sy := data[statusData](b, b.call("status", nil)), data[statusData](b, b.goCall("status", nil))
	sx.Submodules, sy.Backend = nil, ""
	compare("status", sx, sy)
	for _, a := range []args{{}, {"staged": true}} {
		dx, dy := data[diffData](b, b.call("diff", a)), data[diffData](b, b.goCall("diff", a))
		dy.Backend = ""
		compare("diff", dx, dy)
	}
	if !sx.Unborn {
		lx, ly := data[logData](b, b.call("log", nil)), data[logData](b, b.goCall("log", nil))
		ly.Backend = ""
		for i := range lx.Commits {
			slices.Sort(lx.Commits[i].Refs)
		}
		for i := range ly.Commits {
			slices.Sort(ly.Commits[i].Refs)
		}
		compare("log", lx, ly)
	}
	bx, by := data[branchData](b, b.call("branch", args{"all": true})), data[branchData](b, b.goCall("branch", args{"all": true}))
	by.Backend = ""
	compare("branch", bx, by)
}

func TestEmbeddedSaysTheSame(t *testing.T) {
	t.Parallel()
	base := func(b *both) {
		b.commit("one\n\nbody\nof it", "a", "1\n2\n3\n", "b", "b\n", "dir/c", "c\n", "bin", "\x00\x01", "crlf", "x\r\ny\r\n")
		b.commit("two", "a", "1\ntwo\n3\n")
	}
	for name, make := range map[string]func(b *both){
		"unborn":            func(b *both) {},
		"unborn, untracked": func(b *both) { b.write("x", "x") },
		"unborn, staged":    func(b *both) { b.write("x", "x"); b.git("add", "x") },
		"clean":             base,
		"changed":           func(b *both) { base(b); b.write("a", "1\n2\n"); b.write("bin", "\x00\x02") },
		"staged":            func(b *both) { base(b); b.write("a", "1\n"); b.git("add", "a"); b.write("a", "2\n") },
		"deleted":           func(b *both) { base(b); os.Remove(filepath.Join(b.dir, "b")) },
		"rm cached":         func(b *both) { base(b); b.git("rm", "-q", "--cached", "b") },
		"touched": func(b *both) {
			base(b)
			later := time.Now().Add(time.Hour)
			os.Chtimes(filepath.Join(b.dir, "crlf"), later, later)
		},
		"mode": func(b *both) { base(b); os.Chmod(filepath.Join(b.dir, "b"), 0o755) },
		"type": func(b *both) {
			base(b)
			os.Remove(filepath.Join(b.dir, "b"))
			os.Symlink("a", filepath.Join(b.dir, "b"))
		},
		"staged type": func(b *both) {
			base(b)
			os.Remove(filepath.Join(b.dir, "b"))
			os.Symlink("a", filepath.Join(b.dir, "b"))
			b.git("add", "b")
		},
		"file became folder": func(b *both) { base(b); os.Remove(filepath.Join(b.dir, "b")); b.write("b/x", "x") },
		"folder became file": func(b *both) { base(b); os.RemoveAll(filepath.Join(b.dir, "dir")); b.write("dir", "x") },
		"folder became link": func(b *both) {
			base(b)
			os.Rename(filepath.Join(b.dir, "dir"), filepath.Join(b.dir, "d2"))
			os.Symlink("d2", filepath.Join(b.dir, "dir"))
		},
		"odd names": func(b *both) {
			base(b)
			for _, n := range oddNames {
				b.write(n, "x\n")
			}
			b.git("add", "café.txt", "with space", `quote"in`, "a -> b")
		},
		"ignored": func(b *both) {
			base(b)
			b.write(".gitignore", "*.o\n!keep.o\nf/**\n!f/deno.json*\n/top\nlogs/\n") // C118
			for _, n := range []string{"x.o", "keep.o", "f/deno.json", "f/other", "top", "dir/top", "logs/l", "dir/logs/l"} {
				b.write(n, "x")
			}
			b.git("add", "-f", "x.o")
		},
		"info exclude": func(b *both) {
			base(b)
			b.write(".git/info/exclude", "secret\n")
			b.write("secret", "x")
			b.write("open", "x")
		},
		"excludes file": func(b *both) {
			base(b)
			b.file(b.home, ".config/git/ignore", "*~\n")
			b.write("x~", "x")
			b.write("y", "y")
		},
		"nested repository": func(b *both) {
			base(b)
			b.git("init", "-q", "inner")
			b.write("inner/x", "x")
		},
		"submodule not initialised": func(b *both) {
			base(b)
			b.git("update-index", "--add", "--cacheinfo", "160000,"+strings.TrimSpace(b.git("rev-parse", "HEAD"))+",sub")
			b.git("commit", "-qm", "sub")
			os.Mkdir(filepath.Join(b.dir, "sub"), 0o777)
		},
		"detached": func(b *both) { base(b); b.git("checkout", "-q", "HEAD~1") },
		"packed":   func(b *both) { base(b); b.git("branch", "side"); b.git("tag", "-am", "v", "v1"); b.git("gc", "-q") },
		"merge": func(b *both) {
			base(b)
			b.git("checkout", "-qb", "side", "HEAD~1")
			b.commit("side", "s", "s\n")
			b.git("checkout", "-q", "main")
			b.git("merge", "-q", "--no-edit", "side")
		},
		"upstream": func(b *both) {
			base(b)
			b.git("branch", "up", "HEAD~1")
			b.git("branch", "--set-upstream-to=up")
			b.git("checkout", "-qb", "other")
			b.git("checkout", "-q", "main")
		},
		"linked work tree elsewhere": func(b *both) {
			base(b)
			b.git("worktree", "add", "-q", "-b", "wt", filepath.Join(b.out, "wt"))
			b.git("worktree", "remove", filepath.Join(b.out, "wt"))
		},
		"no newline": func(b *both) { base(b); b.write("a", "1\ntwo\n3"); b.write("b", "") },
		"empty file": func(b *both) { base(b); b.write("e", ""); b.git("add", "e") },
		"attributes that change nothing": func(b *both) {
			base(b)
			b.write(".gitattributes", "*.go linguist-generated\n# text\n")
			b.git("add", ".")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBoth(t)
			make(b)
			b.same(name)
		})
	}
}

func TestEmbeddedRefusesWhatItGetsWrong(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		make   func(b *both)
		action string
		args   args
	}{
		"autocrlf":             {func(b *both) { b.git("config", "core.autocrlf", "true") }, "status", nil},
		"eol attribute":        {func(b *both) { b.commit("at", ".gitattributes", "*.txt eol=crlf\n") }, "status", nil},
		"untracked attributes": {func(b *both) { b.write(".gitattributes", "* text=auto\n") }, "status", nil},
		"untracked -diff":      {func(b *both) { b.write("a", "new\n"); b.write(".gitattributes", "* -diff\n") }, "diff", nil},
		"-diff of a commit":    {func(b *both) { b.commit("a", "a", "new\n"); b.write(".gitattributes", "* -diff\n") }, "show", nil},
		"info -diff":           {func(b *both) { b.write(".git/info/attributes", "* -diff\n") }, "show", nil},
		"filter":               {func(b *both) { b.commit("at", ".gitattributes", "*.big filter=lfs -text\n") }, "diff", nil},
		"info attributes":      {func(b *both) { b.write(".git/info/attributes", "* text\n") }, "add", args{"all": true}},
		"conflict":             {conflict, "status", nil},
		"sha256 extension": {func(b *both) {
			b.write(".git/config", "[core]\n\trepositoryFormatVersion = 1\n[extensions]\n\tobjectFormat = sha256\n")
		}, "status", nil},
		"sparse":           {func(b *both) { b.git("sparse-checkout", "set", "x") }, "status", nil},
		"split index":      {func(b *both) { b.git("update-index", "--split-index") }, "status", nil},
		"alternates":       {func(b *both) { b.write(".git/objects/info/alternates", b.dir+"/.git/objects\n") }, "log", nil},
		"shallow":          {func(b *both) { b.write(".git/shallow", strings.TrimSpace(b.git("rev-parse", "HEAD"))+"\n") }, "log", nil},
		"replace":          {func(b *both) { b.git("replace", "HEAD", "HEAD~1") }, "log", nil},
		"mailmap":          {func(b *both) { b.write(".mailmap", "X <ann@example.org>\n") }, "log", nil},
		"assume-unchanged": {func(b *both) { b.git("update-index", "--assume-unchanged", "a") }, "status", nil},
		"skip-worktree":    {func(b *both) { b.git("update-index", "--skip-worktree", "a") }, "status", nil},
		"intent to add":    {func(b *both) { b.write("n", "n"); b.git("add", "-N", "n") }, "status", nil},
		"fileMode":         {func(b *both) { b.git("config", "core.fileMode", "false") }, "status", nil},
		"include":          {func(b *both) { b.git("config", "include.path", "x") }, "status", nil},
		"index v4":         {func(b *both) { b.git("update-index", "--index-version", "4") }, "status", nil},
		"submodule": {func(b *both) {
			b.git("init", "-q", "sub")
			b.gitIn(b.dir+"/sub", "commit", "-q", "--allow-empty", "-m", "x")
			b.git("add", "sub")
		}, "status", nil},
		"hook":    {func(b *both) { b.script(b.dir, ".git/hooks/pre-commit", "exit 1") }, "commit", args{"message": "x", "allow_empty": true}},
		"signing": {func(b *both) { b.git("config", "commit.gpgSign", "true") }, "commit", args{"message": "x", "allow_empty": true}},
		"encoding": {func(b *both) {
			b.git("config", "i18n.commitEncoding", "latin1")
			b.git("commit", "-q", "--allow-empty", "-m", "caf\xe9")
		}, "log", nil},
		"blame":           {func(b *both) {}, "blame", args{"files": []string{"a"}}},
		"log with a path": {func(b *both) {}, "log", args{"files": []string{"a"}}},
		"log of all":      {func(b *both) {}, "log", args{"all": true}},
		"fetch":           {func(b *both) {}, "fetch", nil},
		"stash":           {func(b *both) {}, "stash", nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBoth(t)
			b.commit("one", "a", "1\n")
			b.commit("two", "a", "2\n")
			one.make(b)
			out := b.goTry(one.action, one.args)
			if out.Envelope.OK || out.Envelope.Error.Code != tools.Unsupported || !strings.Contains(out.Envelope.Error.Message, "not installed") {
				t.Errorf("%s: %+v", one.action, out.Envelope)
			}
		})
	}
}

func conflict(b *both) {
	b.git("checkout", "-qb", "side")
	b.commit("side", "a", "side\n")
	b.git("checkout", "-q", "main")
	b.commit("main", "a", "main\n")
	b.gitAny("merge", "side")
}

func TestEmbeddedWrites(t *testing.T) {
	t.Parallel()
	b := newBoth(t)
	if err := os.RemoveAll(filepath.Join(b.dir, ".git")); err != nil {
		t.Fatal(err)
	}
	if d := data[madeData](t, b.goCall("init", nil)); d.Branch != "main" {
		t.Errorf("init: %+v", d)
	}
	for i, n := range oddNames {
		if strings.ContainsFunc(n, unicode.IsControl) {
			b.write(n, "x")
			if out := b.goTry("add", args{"files": []string{n}}); out.Envelope.OK || out.Envelope.Error.Code != tools.Unsupported {
				t.Errorf("adding %q: %+v", n, out.Envelope)
			}
			os.Remove(filepath.Join(b.dir, n))
			continue
		}
		b.write(n, strings.Repeat("x\n", i))
	}
	b.script(b.dir, "run", "exit 0")
	if err := os.Symlink("run", filepath.Join(b.dir, "ln")); err != nil {
		t.Fatal(err)
	}
	b.write(".gitignore", "*.o\n")
	b.write("x.o", "x")
	b.goCall("add", args{"all": true})
	if got := b.git("diff", "--stat"); got != "" {
		t.Errorf("git sees a difference after add: %s", got)
	}
	out := b.goTry("add", args{"files": []string{"x.o"}})
	if out.Envelope.OK || out.Envelope.Error.Code != tools.NotFound {
		t.Errorf("adding an ignored file: %+v", out.Envelope.Error)
	}
	c := data[commitData](t, b.goCall("commit", args{"message": "subject  \n\n\n\n# not a comment\n$(touch PWN)"}))
	if got := b.git("log", "-1", "--format=%H%n%B%an <%ae>"); got != c.Hash+"\nsubject\n\n# not a comment\n$(touch PWN)\nAnn Ash <ann@example.org>\n" {
		t.Errorf("commit: %q", got)
	}
	if got := b.git("status", "--porcelain"); got != "" {
		t.Errorf("git's status after: %q", got)
	}
	b.git("fsck", "--strict")
	if out := b.goTry("commit", args{"message": "again"}); out.Envelope.OK || out.Envelope.Error.Code != tools.Conflict {
		t.Errorf("nothing staged: %+v", out.Envelope.Error)
	}
	if err := os.Remove(filepath.Join(b.dir, "plain")); err != nil {
		t.Fatal(err)
	}
	b.write("run", "#!/bin/sh\nexit 1\n")
	b.goCall("add", args{"files": []string{"plain", "run"}})
	if got := b.git("status", "--porcelain"); got != "D  plain\nM  run\n" {
		t.Errorf("status: %q", got)
	}
	b.write(".git/index.lock", "")
	if out := b.goTry("add", args{"all": true}); out.Envelope.OK || !b.has(".git/index.lock") {
		t.Errorf("the lock was not honoured: %+v", out.Envelope)
	}
}

func TestEmbeddedShow(t *testing.T) {
	t.Parallel()
	b := newBoth(t)
	text := strings.Repeat("line\n", 50)
	b.commit("one", "a", text)
	b.git("mv", "a", "b")
	b.commit("two", "b", text+"more\n", "n", "n")
	for _, ref := range []string{"HEAD", "HEAD~1", "main"} {
		x, y := data[showData](t, b.call("show", args{"ref": ref})), data[showData](t, b.goCall("show", args{"ref": ref}))
		jx, _ := json.Marshal(x.Files)
		jy, _ := json.Marshal(y.Files)
		if string(jx) != string(jy) || x.Commit.Hash != y.Commit.Hash {
			t.Errorf("show %s:\n git    %s\n go-git %s", ref, jx, jy)
		}
	}
	patch := b.goCall("diff", args{"ref": "HEAD~1..HEAD"}).Text
	b.git("checkout", "-q", "HEAD~1")
	b.write(".git/patch", patch)
	b.git("apply", "--check", ".git/patch")
	if out := b.goTry("show", args{"ref": "none"}); out.Envelope.OK || out.Envelope.Error.Code != tools.NotFound {
		t.Errorf("show of nothing: %+v", out.Envelope.Error)
	}
}

func TestEmbeddedClone(t *testing.T) {
	t.Parallel()
	b := newBoth(t)
	b.commit("one", "a", "1\n")
	exe, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is missing")
	}
	srv := httptest.NewServer(&cgi.Handler{Path: exe, Args: []string{"http-backend"}, Env: append(b.env, "GIT_PROJECT_ROOT="+b.dir, "GIT_HTTP_EXPORT_ALL=1")})
	defer srv.Close()
	out := b.goTry("clone", args{"url": srv.URL + "/.git", "destination": "c"})
	if !out.Envelope.OK || !b.has("c/a") {
		t.Errorf("clone: %+v", out.Envelope)
	}
	for url, code := range map[string]tools.Code{"ssh://x/y": tools.Unsupported, b.dir: tools.Unsupported, "ext::sh": tools.InvalidParams, b.out: tools.PermissionDenied} {
		if out := b.goTry("clone", args{"url": url, "destination": "d"}); out.Envelope.OK || out.Envelope.Error.Code != code {
			t.Errorf("clone %s: %+v", url, out.Envelope.Error)
		}
	}
}

func TestEmbeddedAsksWhoseRepositoryItIs(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("needs root to give the repository to another user")
	}
	b := newBoth(t)
	b.commit("one", "a", "1\n")
	if err := errors.Join(os.Chown(b.dir, 12345, 12345), os.Chown(filepath.Join(b.dir, ".git"), 12345, 12345)); err != nil {
		t.Fatal(err)
	}
	if out := b.goTry("status", nil); out.Envelope.OK || out.Envelope.Error.Code != tools.PermissionDenied {
		t.Errorf("status: %+v", out.Envelope)
	}
	b.git("config", "--global", "safe.directory", b.dir)
	b.goCall("status", nil)
}

// TestEmbeddedRevisions: what go-git resolves to something else than git does, or lists without being asked to choose.
func TestEmbeddedRevisions(t *testing.T) {
	t.Parallel()
	b := newBoth(t)
	b.commit("one", "a", "1\n")
	two := b.commit("two", "a", "2\n")
	b.git("tag", "-a", "-m", "x", "v1")
	b.git("branch", two[:6], "HEAD~1") // a ref like a short hash
	tag := strings.TrimSpace(b.git("rev-parse", "v1"))
	for _, ref := range []string{"HEAD@{1}", "@{1}", "main@{upstream}", "HEAD^{tree}", "HEAD^{/one}", ":/one", "HEAD^@", "HEAD^!", two[:6], "v1", "tags/v1", "refs/tags/v1", tag} {
		if out := b.goTry("show", args{"ref": ref}); out.Envelope.OK || out.Envelope.Error.Code != tools.Unsupported {
			t.Errorf("show %s: %+v", ref, out.Envelope)
		}
	}
	for _, ref := range []string{"HEAD@{1}", "HEAD^{/one}", two[:6]} {
		for _, c := range []struct {
			action string
			args   args
		}{{"log", args{"ref": ref}}, {"diff", args{"ref": ref + "..HEAD"}}} {
			if out := b.goTry(c.action, c.args); out.Envelope.OK || out.Envelope.Error.Code != tools.Unsupported {
				t.Errorf("%s %s: %+v", c.action, ref, out.Envelope)
			}
		}
	}
	for _, ref := range []string{"HEAD", "@", "@~1", "HEAD^", "HEAD~1", "main", "refs/heads/main", "heads/main", two, two[:8], "v1~0"} {
		want := data[showData](t, b.call("show", args{"ref": ref})).Commit.Hash
		if got := data[showData](t, b.goCall("show", args{"ref": ref})).Commit.Hash; got != want {
			t.Errorf("%s: %s, want %s", ref, got, want)
		}
	}
	for name, want := range map[string]int{"main": 1, "nothing": 0} {
		if d := data[branchData](t, b.goCall("branch", args{"name": name})); d.Count != want {
			t.Errorf("branch %s: %+v", name, d.Branches)
		}
	}
	b.write("x/.git/y", "")
	b.write("x/z", "")
	b.same("a folder .git that is no repository")
	b.write(".git/refs/heads/main", "")
	for _, action := range []string{"status", "log", "show", "diff"} {
		if out := b.goTry(action, args{"staged": action == "diff"}); out.Envelope.OK {
			t.Errorf("%s of a ref that cannot be read: %s", action, out.Text)
		}
	}
}
