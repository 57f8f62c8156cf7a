package git

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
)

// TestUnborn: C166, C167.
func TestUnborn(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.write("x", "x\n")
	s := data[statusData](t, w.call("status", nil))
	if !s.Unborn || s.Branch != "main" || s.Head != "" || len(s.Untracked) != 1 {
		t.Errorf("status: %+v", s)
	}
	if out := w.call("log", nil); !strings.Contains(out.Text, "no commits yet on main") || len(data[logData](t, out).Commits) != 0 {
		t.Errorf("log: %s", out.Text)
	}
	w.call("add", args{"all": true})
	if d := data[diffData](t, w.call("diff", args{"staged": true})); len(d.Files) != 1 || d.Files[0].Status != "added" {
		t.Errorf("staged diff: %+v", d)
	}
	if d := data[branchData](t, w.call("branch", nil)); d.Current == nil || *d.Current != "main" || d.Count != 0 {
		t.Errorf("branch: %+v", d)
	}
	out := w.fails(tools.NotFound, "show", nil)
	if !strings.Contains(out.Envelope.Error.Message, "no commit yet on main") {
		t.Errorf("show: %s", out.Envelope.Error.Message)
	}
	w.fails(tools.Conflict, "merge", args{"ref": "main"})
	w.call("reset", nil)
	if got := w.git("status", "--porcelain"); got != "?? x\n" {
		t.Errorf("bare reset before the first commit: %q", got)
	}
	w.call("reflog", nil)
	w.call("stash", nil)
	w.call("rev_parse", nil)
	w.call("add", args{"all": true})
	w.call("reset", args{"files": []string{"x"}})
	w.fails(tools.Conflict, "commit", args{"message": "nothing"})
	w.call("add", args{"all": true})
	w.call("commit", args{"message": "root"})
}

// TestRepositoriesOutsideTheRoots: C162.
func TestRepositoriesOutsideTheRoots(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.gitIn(w.out, "init", "-q", "repo")
	w.file(w.out, "repo/a", "a")
	w.gitIn(w.out+"/repo", "add", ".")
	w.gitIn(w.out+"/repo", "commit", "-qm", "x")
	if err := os.Symlink(w.out+"/repo", filepath.Join(w.dir, "link")); err != nil {
		t.Fatal(err)
	}
	w.write("gitfile/.git", "gitdir: "+w.out+"/repo/.git\n")
	w.write("gitlink/x", "")
	if err := os.Symlink(w.out+"/repo/.git", filepath.Join(w.dir, "gitlink/.git")); err != nil {
		t.Fatal(err)
	}
	w.git("init", "-q", "common")
	w.write("common/.git/commondir", w.out+"/repo/.git\n")
	w.git("init", "-q", "moved")
	w.write("moved/.git/config", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tWorkTree = "+w.out+"/repo\n")
	for _, path := range []string{w.out + "/repo", "../o/repo", "link", "gitfile", "gitlink", "common", "moved", "file://" + w.out + "/repo", w.out + "/repo/a"} {
		for i := range w.tool.Actions {
			name := w.tool.Actions[i].Name
			if name == "clone" || name == "init" && (path == "gitfile" || path == "gitlink" || path == "common" || path == "moved") {
				continue
			}
			a := args{"path": path, "message": "m", "files": []string{"a"}, "ref": "HEAD", "patch": "--- a/a\n+++ b/a\n@@ -1 +1 @@\n-a\n+b\n", "confirm": true, "sub_action": nil}
			out := w.try(name, w.taken(name, a))
			if out.Envelope.OK || out.Envelope.Error.Code != tools.PermissionDenied {
				t.Errorf("%s in %s: %+v", name, path, out.Envelope.Error)
			}
		}
	}
	if got := w.gitIn(w.out+"/repo", "status", "--porcelain"); got != "" {
		t.Errorf("the repository outside was changed: %q", got)
	}
	// A repository above the root.
	w.gitIn(filepath.Dir(w.dir), "init", "-q")
	out := w.fails(tools.PermissionDenied, "status", nil)
	if !strings.Contains(out.Envelope.Error.Message, filepath.Dir(w.dir)) {
		t.Errorf("message: %s", out.Envelope.Error.Message)
	}
	for _, a := range []args{{"path": "../o/new"}, {"path": "link/new"}, {"destination": w.out + "/new"}} {
		w.fails(tools.PermissionDenied, "init", a)
	}
	if w.has(w.out + "/new") {
		t.Error("a repository was made outside")
	}
}

func TestNoRepository(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if os.Getenv("TMPDIR") == "" {
		t.Fatal("TestMain sets TMPDIR")
	}
	w.fails(tools.NotFound, "status", nil)
	w.fails(tools.NotFound, "log", args{"path": "no/such/folder"})
	w.write("broken/.git", "nonsense\n")
	w.fails(tools.NotFound, "status", args{"path": "broken"})
	w.write("x/.git/HEAD", "ref: refs/heads/main\n") // no repository: the search goes on
	w.fails(tools.NotFound, "status", args{"path": "x"})
}

func TestBareRepository(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	head := w.commit("one", "a", "1\n")
	w.git("clone", "-q", "--bare", ".", "b.git")
	w.fails(tools.Unsupported, "status", args{"path": "b.git"})
	if l := data[logData](t, w.call("log", args{"path": "b.git"})); l.Commits[0].Hash != head {
		t.Errorf("log: %+v", l)
	}
	w.call("branch", args{"path": "b.git"})
	w.call("show", args{"path": "b.git", "ref": "HEAD:a"})
	w.fails(tools.InvalidParams, "log", args{"path": ".git"})
}

func TestStatesOfTheIndexAndHistory(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	for _, n := range []string{"1", "2", "3"} {
		w.commit(n, "a", n+"\n", "keep/k", "k"+n+"\n", "drop/d", "d\n")
	}
	w.git("clone", "-q", "--depth=1", "file://"+w.dir, "shallow")
	if l := data[logData](t, w.call("log", args{"path": "shallow"})); len(l.Commits) != 1 {
		t.Errorf("shallow log: %+v", l)
	}
	w.git("clone", "-q", ".", "sparse")
	w.gitIn(w.dir+"/sparse", "sparse-checkout", "set", "keep")
	if s := data[statusData](t, w.call("status", args{"path": "sparse"})); !s.Clean {
		t.Errorf("sparse: %+v", s)
	}
	w.git("clone", "-q", ".", "split")
	w.gitIn(w.dir+"/split", "update-index", "--split-index")
	w.write("split/a", "changed\n")
	if s := data[statusData](t, w.call("status", args{"path": "split"})); len(s.Unstaged) != 1 {
		t.Errorf("split index: %+v", s)
	}
	w.git("init", "-q", "--object-format=sha256", "sha")
	w.write("sha/a", "1\n")
	w.call("add", args{"path": "sha", "all": true})
	c := data[commitData](t, w.call("commit", args{"path": "sha", "message": "m"}))
	if len(c.Hash) != 64 {
		t.Errorf("sha256 commit: %+v", c)
	}
	if b := data[blameData](t, w.call("blame", args{"path": "sha/a"})); len(b.Lines) != 1 || b.Lines[0].Hash != c.Hash {
		t.Errorf("sha256 blame: %+v", b)
	}
	w.call("show", args{"path": "sha"})
}

// TestCRLF: C170.
func TestCRLF(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("one", "a.txt", "1\n2\n")
	w.git("config", "core.autocrlf", "true")
	if err := os.Remove(filepath.Join(w.dir, "a.txt")); err != nil {
		t.Fatal(err)
	}
	w.git("checkout", "-q", "--", "a.txt")
	if b, _ := os.ReadFile(filepath.Join(w.dir, "a.txt")); string(b) != "1\r\n2\r\n" {
		t.Fatalf("checkout gave %q", b)
	}
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(filepath.Join(w.dir, "a.txt"), later, later); err != nil {
		t.Fatal(err)
	}
	if s := data[statusData](t, w.call("status", nil)); !s.Clean {
		t.Errorf("a clean CRLF checkout is shown as changed: %+v", s)
	}
	if d := data[diffData](t, w.call("diff", nil)); len(d.Files) != 0 {
		t.Errorf("diff: %+v", d)
	}
	w.call("add", args{"all": true})
	w.fails(tools.Conflict, "commit", args{"message": "m"})
}

// TestHugeDiff: C178, W70.
func TestHugeDiff(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	var old, now strings.Builder
	for i := range 60_000 {
		fmt.Fprintf(&old, "old %d\n", i)
		fmt.Fprintf(&now, "new %d\n", i)
	}
	w.commit("one", "a.lock", old.String(), "b.txt", "1\n")
	w.write("a.lock", now.String())
	w.write("b.txt", "2\n")
	for _, ref := range []any{nil, "HEAD"} {
		out := w.call("diff", args{"ref": ref})
		d := data[diffData](t, out)
		if n := len([]rune(out.Text)); n > tools.DefaultChars || !out.Envelope.Meta.Truncated {
			t.Errorf("%d characters, truncated %v", n, out.Envelope.Meta.Truncated)
		}
		if len(d.Files) != 2 || d.Files[0].Additions != 60_000 || d.Files[0].Deletions != 60_000 || !d.Files[0].Cut || d.Files[1].Additions != 1 {
			t.Errorf("files: %+v", d.Files)
		}
		if !strings.Contains(out.Text, "+2\n") {
			t.Error("the small file is not shown beside the large one")
		}
	}
	if out := w.call("diff", args{"files": []string{"a.lock"}, "max_chars": 4 << 20}); out.Envelope.Meta.Truncated || strings.Count(out.Text, "\n+new ") != 60_000 {
		t.Errorf("the whole diff is not to be had: %d bytes", len(out.Text))
	}
	w.git("commit", "-qam", "two")
	if out := w.call("show", nil); len(out.Text) > tools.DefaultChars+2000 || data[showData](t, out).Files[0].Deletions != 60_000 {
		t.Errorf("show: %d bytes", len(out.Text))
	}
	if out := w.call("show", args{"ref": "HEAD:a.lock"}); !out.Envelope.Meta.Truncated || !strings.HasPrefix(out.Text, "new 0\n") {
		t.Errorf("show of a file: %d bytes, %+v", len(out.Text), out.Envelope.Meta)
	} else if next := w.call("show", args{"ref": "HEAD:a.lock", "offset": out.Envelope.Meta.Paging.Cursor}); !strings.HasPrefix(next.Text, "new ") || strings.HasPrefix(next.Text, "new 0\n") {
		t.Errorf("the next page: %.40q", next.Text)
	}
}

func TestDiffPages(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("one", "z", "z")
	for i := range 40 {
		w.write(fmt.Sprintf("f%02d", i), strings.Repeat("some text\n", 100))
	}
	w.git("add", ".")
	seen := map[string]int{}
	offset, pages := any(0), 0
	for {
		out := w.call("diff", args{"staged": true, "offset": offset, "max_chars": 5000})
		if d := data[diffData](t, out); d.Count != 40 {
			t.Fatalf("page %d counts %d files", pages, d.Count)
		}
		for line := range strings.Lines(out.Text) {
			if name, ok := strings.CutPrefix(line, "+++ b/"); ok {
				seen[strings.TrimSpace(name)]++
			}
		}
		pages++
		if out.Envelope.Meta.Paging == nil {
			break
		}
		offset = out.Envelope.Meta.Paging.Cursor
	}
	for i := range 40 {
		if n := seen[fmt.Sprintf("f%02d", i)]; n != 1 {
			t.Errorf("f%02d stands on %d pages", i, n)
		}
	}
	if pages < 5 {
		t.Errorf("%d pages", pages)
	}
}

// TestOptionsInDisguise: C160, W8.
func TestOptionsInDisguise(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("one", "a", "1\n")
	bad := "--output=" + filepath.Join(w.out, "pwn")
	for _, c := range []struct {
		action string
		args   args
	}{
		{"log", args{"ref": bad}}, {"diff", args{"target": bad}}, {"diff", args{"ref": "HEAD " + bad}}, {"show", args{"ref": bad}}, {"blame", args{"ref": bad, "files": "a"}},
		{"branch", args{"sub_action": "create", "name": bad}}, {"branch", args{"sub_action": "create", "name": "x", "ref": bad}}, {"branch", args{"sub_action": "delete", "name": "-D"}},
		{"tag", args{"sub_action": "create", "name": bad}}, {"checkout", args{"ref": bad}}, {"checkout", args{"create": true, "name": bad}}, {"merge", args{"ref": bad}}, {"rebase", args{"ref": "--exec=touch pwn"}},
		{"rebase", args{"ref": "main", "onto": bad}}, {"cherry_pick", args{"ref": "HEAD " + bad}}, {"reset", args{"ref": bad}}, {"restore", args{"ref": bad, "files": "a"}}, {"worktree", args{"sub_action": "add", "destination": "x", "ref": bad}},
		{"worktree", args{"sub_action": "add", "destination": "x", "name": bad}}, {"bisect", args{"sub_action": "bad", "ref": bad}}, {"reflog", args{"ref": bad}}, {"shortlog", args{"ref": bad}}, {"rev_parse", args{"ref": bad}}, {"describe", args{"ref": bad}},
		{"fetch", args{"name": "--upload-pack=touch pwn"}}, {"fetch", args{"name": "origin", "ref": bad}}, {"push", args{"name": "--receive-pack=touch pwn"}}, {"push", args{"name": "origin", "ref": "+--exec=x"}}, {"pull", args{"name": bad}},
		{"clone", args{"url": "--upload-pack=touch pwn"}}, {"clone", args{"url": "https://x/y", "ref": bad, "destination": "x"}}, {"remote", args{"sub_action": "add", "name": "-x", "url": "https://x/y"}}, {"init", args{"path": "n", "ref": bad}},
		{"log", args{"ref": "a\nb"}}, {"log", args{"since": "--output=x"}}, {"stash", args{"sub_action": "show", "ref": bad}},
	} {
		out := w.try(c.action, c.args)
		if out.Envelope.OK || out.Envelope.Error.Code != tools.InvalidParams {
			t.Errorf("%s %v: %+v", c.action, c.args, out.Envelope.Error)
		}
	}
	for _, action := range []string{"log", "commit"} {
		w.call(action, args{"author": "--output=x <a@b>", "message": "--output=x", "allow_empty": true})
	}
	if w.has(w.out+"/pwn") || w.has("pwn") || w.has("x") {
		t.Error("an option was taken")
	}
}

// TestMessagesAreStoredAsTheyAre: W4.
func TestMessagesAreStoredAsTheyAre(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	for _, m := range []string{"`touch PWN` $(touch PWN) \"q\" 'x' \\n", "-F/etc/passwd", "#123 fix\n\n# still text\n", "日本 | bar\n\nbody", "--amend"} {
		w.call("commit", args{"message": m, "allow_empty": true})
		if got := w.git("log", "-1", "--format=%B"); strings.TrimRight(got, "\n") != strings.TrimRight(m, "\n") {
			t.Errorf("message %q is stored as %q", m, got)
		}
	}
	if w.has("PWN") {
		t.Error("a message ran")
	}
}

// TestLogFields: W69.
func TestLogFields(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.git("config", "user.name", "A|B \"c\" <x>")
	w.commit("subject | with\ttab\n\nbody line 1\n\nbody | 2\x01", "a", "1\n")
	c := data[logData](t, w.call("log", nil)).Commits[0]
	if c.Author != strings.TrimSuffix(w.git("log", "-1", "--format=%an"), "\n") || c.Subject != "subject | with\ttab" || c.Body != "body line 1\n\nbody | 2\x01" || len(c.Parents) != 0 {
		t.Errorf("%+v", c)
	}
	w.git("tag", "v1")
	w.commit("diff --git a/x b/x\n\n+++ b/x\n@@ -1 +1 @@", "a", "2\n")
	if s := data[showData](t, w.call("show", nil)); len(s.Files) != 1 || s.Files[0].Path != "a" || s.Files[0].Additions != 1 {
		t.Errorf("a message that looks like a diff: %+v", s)
	}
	w.git("checkout", "-qb", "side", "HEAD~1")
	w.commit("side", "b", "b\n")
	if l := data[logData](t, w.call("log", args{"all": true})); len(l.Commits) != 3 {
		t.Errorf("all: %d commits", len(l.Commits))
	}
	if l := data[logData](t, w.call("log", args{"ref": "main..side"})); len(l.Commits) != 1 {
		t.Errorf("range: %+v", l)
	}
	for _, ref := range []string{"side@{1 second ago}", "side@{0} main", ":/side", "HEAD^{/subject | with}"} {
		if l := data[logData](t, w.call("log", args{"ref": ref, "limit": 1})); len(l.Commits) != 1 {
			t.Errorf("%s: %+v", ref, l)
		}
	}
	w.call("diff", args{"ref": "main side"})
	if l := data[logData](t, w.call("log", args{"grep": "SIDE"})); len(l.Commits) != 1 {
		t.Errorf("grep: %+v", l)
	}
	if l := data[logData](t, w.call("log", args{"author": "nobody"})); len(l.Commits) != 0 {
		t.Errorf("author: %+v", l)
	}
	if l := data[logData](t, w.call("log", args{"until": "2001-01-01"})); len(l.Commits) != 0 {
		t.Errorf("until: %+v", l)
	}
	out := w.call("log", args{"limit": 1, "ref": "main"})
	next := w.call("log", args{"limit": 1, "ref": "main", "cursor": out.Envelope.Meta.Paging.Cursor})
	if data[logData](t, next).Commits[0].Hash == data[logData](t, out).Commits[0].Hash || next.Envelope.Meta.Paging != nil {
		t.Error("pages repeat or do not end")
	}
}

func TestShowOfObjects(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("one: colon", "a b.txt", "text\n", "bin", "\x00\x01\x02", "dir/c", "c")
	if out := w.call("show", args{"ref": "HEAD:a b.txt"}); out.Text != "text\n" || data[showData](t, out).Type != "blob" {
		t.Errorf("file: %q", out.Text)
	}
	if out := w.call("show", args{"ref": "HEAD:dir"}); !strings.Contains(out.Text, "c\n") || data[showData](t, out).Type != "tree" {
		t.Errorf("folder: %q %+v", out.Text, out.Envelope.Data)
	}
	w.fails(tools.Binary, "show", args{"ref": "HEAD:bin"})
	w.fails(tools.NotFound, "show", args{"ref": "HEAD:none"})
	w.call("show", args{"ref": ":/one:"})
	blob := strings.TrimSpace(w.git("rev-parse", "HEAD:a b.txt"))
	if out := w.call("show", args{"ref": blob}); out.Text != "text\n" {
		t.Errorf("blob by hash: %q", out.Text)
	}
	if out := w.try("show", args{"ref": strings.TrimSpace(w.git("rev-parse", "HEAD:bin"))}); out.Envelope.OK || out.Envelope.Error.Code != tools.Binary {
		t.Errorf("binary blob by hash: %+v", out.Envelope)
	}
}

func TestBlameRanges(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	var text strings.Builder
	for i := range 30 {
		fmt.Fprintf(&text, "line %d\n", i+1)
	}
	head := w.commit("one", "f", text.String())
	w.write("f", strings.Replace(text.String(), "line 5\n", "changed\n", 1))
	for lines, want := range map[string][2]int{"": {1, 30}, "10,20": {10, 20}, "10-12": {10, 12}, "7": {7, 7}, "29,": {29, 30}, "3,+2": {3, 4}, "20,10": {10, 20}} {
		b := data[blameData](t, w.call("blame", args{"path": "f", "lines": lines}))
		if n := len(b.Lines); n == 0 || b.Lines[0].Line != want[0] || b.Lines[n-1].Line != want[1] {
			t.Errorf("lines %q: %+v", lines, b.Lines)
		}
	}
	b := data[blameData](t, w.call("blame", args{"files": []string{"f"}}))
	if b.Lines[3].Hash != head || strings.Trim(b.Lines[4].Hash, "0") != "" {
		t.Errorf("hashes: %+v", b.Lines[3:5])
	}
	out := w.call("blame", args{"path": "f", "limit": 10})
	if b := data[blameData](t, out); len(b.Lines) != 10 || !out.Envelope.Meta.Truncated {
		t.Errorf("page: %d lines", len(b.Lines))
	}
	out = w.call("blame", args{"path": "f", "limit": 10, "offset": 20})
	if b := data[blameData](t, out); b.Lines[0].Line != 21 || out.Envelope.Meta.Truncated {
		t.Errorf("last page: %+v %v", b.Lines[0], out.Envelope.Meta)
	}
	w.fails(tools.InvalidParams, "blame", args{"path": "f", "lines": "a;b"})
	w.fails(tools.InvalidParams, "blame", nil)
	w.fails(tools.NotFound, "blame", args{"files": []string{"none"}})
}

func TestEffects(t *testing.T) {
	t.Parallel()
	tool := New(Config{})
	for _, c := range []struct {
		args    string
		effect  tools.Effect
		confirm bool
	}{
		{`{"action":"status"}`, tools.Reads, false}, {`{"action":"branch"}`, tools.Reads, false}, {`{"action":"branch","op":"create"}`, tools.Writes, false},
		{`{"action":"branch","op":"DELETE","force":true}`, tools.Destroys, true}, {`{"action":"branch","subAction":"delete"}`, tools.Destroys, false},
		{`{"action":"stash"}`, tools.Reads, false}, {`{"action":"stash","op":"push"}`, tools.Writes, false}, {`{"action":"stash","op":"clear"}`, tools.Destroys, true},
		{`{"action":"stash","op":"weird"}`, tools.Destroys, false}, {`{"action":"push"}`, tools.Writes, false}, {`{"action":"push","force":"true"}`, tools.Destroys, true},
		{`{"action":"push","ref":"+a"}`, tools.Destroys, true}, {`{"action":"push","ref":"a :b"}`, tools.Destroys, true}, {`{"action":"reset"}`, tools.Destroys, false}, {`{"action":"reset","mode":"hard"}`, tools.Destroys, true},
		{`{"action":"clean"}`, tools.Destroys, false}, {`{"action":"clean","force":true}`, tools.Destroys, true}, {`{"action":"config","key":"a.b"}`, tools.Reads, false}, {`{"action":"config","op":"set"}`, tools.Writes, false},
		{`{"action":"tag","op":"create"}`, tools.Writes, false}, {`{"action":"tag","op":"create","force":true}`, tools.Destroys, true}, {`{"action":"reflog","op":"expire"}`, tools.Destroys, true}, {`{"action":"reflog"}`, tools.Reads, false},
		{`{"action":"checkout","ref":"x"}`, tools.Writes, false}, {`{"action":"checkout","files":["x"]}`, tools.Destroys, true}, {`{"action":"restore","files":["x"]}`, tools.Destroys, true}, {`{"action":"unstage","files":["x"]}`, tools.Writes, false},
		{`{"action":"worktree","op":"remove"}`, tools.Writes, false}, {`{"action":"worktree","op":"remove","force":true}`, tools.Destroys, true}, {`{"action":"fetch"}`, tools.Writes, false}, {`{"action":"bisect"}`, tools.Reads, false},
		{`{"action":"remote","op":"add"}`, tools.Writes, false}, {`{"action":"merge","ref":"x"}`, tools.Writes, false}, {`{"action":"apply"}`, tools.Writes, false},
		{`{"action":"merge","op":"abort"}`, tools.Destroys, true}, {`{"action":"rebase","op":"skip"}`, tools.Destroys, true}, {`{"action":"rebase","op":"continue"}`, tools.Writes, false}, {`{"action":"worktree","op":"prune"}`, tools.Destroys, true},
	} {
		call, err := tools.Prepare(tool, json.RawMessage(c.args), &tools.Session{})
		if err != nil {
			t.Fatal(err)
		}
		if call.Effect() != c.effect || call.NeedsConfirm() != c.confirm {
			t.Errorf("%s: effect %d, confirm %v", c.args, call.Effect(), call.NeedsConfirm())
		}
	}
}

func TestSeveralRoots(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.git("init", "-q", "r")
	w.write("r/sub/a", "1\n")
	var err error
	// The root is a folder inside the repository, and the repository's top level is another root.
	if w.roots, err = sandbox.Open(sandbox.Config{Dirs: []string{w.dir + "/r/sub", w.dir + "/r"}}); err != nil {
		t.Fatal(err)
	}
	if s := data[statusData](t, w.call("status", nil)); len(s.Untracked) != 1 || s.Untracked[0] != "sub/a" || s.Repo != w.dir+"/r" {
		t.Errorf("status: %+v", s)
	}
	w.call("add", args{"files": []string{"a"}})
	w.call("commit", args{"message": "m"})
	for _, whole := range []string{".", w.dir + "/r", "./"} {
		w.write("r/top", whole)
		w.call("add", args{"files": []string{whole}})
		if got := w.gitIn(w.dir+"/r", "status", "--porcelain"); got != "A  top\n" {
			t.Errorf("add %s: %q", whole, got)
		}
		w.call("reset", nil)
	}
}
