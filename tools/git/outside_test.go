package git

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
	"github.com/hanzoai/hanzo-mcp/tools"
)

// TestAddressesAreJudgedAsGitUsesThem: the rules of the repository's config for addresses lead to folders too.
func TestAddressesAreJudgedAsGitUsesThem(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("one", "a", "1\n", ".gitignore", "/in\n")
	w.gitIn(w.out, "init", "-q", "secret")
	secret := filepath.Join(w.out, "secret")
	w.file(secret, "secret.txt", "secret\n")
	w.gitIn(secret, "add", ".")
	w.gitIn(secret, "commit", "-qm", "secret")
	w.git("config", "url."+secret+".insteadOf", "https://x.invalid/o")
	w.git("config", "url."+secret+".pushInsteadOf", "https://y.invalid/")
	w.git("config", "url.https://z.invalid/.insteadOf", "https://y.invalid/")
	const from, to = "https://x.invalid/o", "https://y.invalid/o"
	for _, c := range []struct {
		action string
		args   args
	}{
		{"fetch", args{"name": from, "ref": "main"}}, {"pull", args{"name": from, "ref": "main"}},
		{"push", args{"name": from, "ref": "main:pwn"}}, {"push", args{"name": to, "ref": "main:pwn"}},
	} {
		w.fails(tools.PermissionDenied, c.action, c.args)
	}
	w.git("config", "branch.main.remote", from)
	w.fails(tools.PermissionDenied, "push", nil)
	w.fails(tools.PermissionDenied, "fetch", nil)
	w.git("config", "branch.main.remote", "origin")
	w.git("remote", "add", "origin", "https://127.0.0.1:1/x")
	w.git("remote", "add", "evil", secret)
	w.git("config", "remotes.origin", "evil")
	w.fails(tools.PermissionDenied, "fetch", nil)
	if w.has(".git/FETCH_HEAD") || w.gitIn(secret, "branch", "--list", "pwn") != "" {
		t.Error("it was reached")
	}

	// A folder inside is one, whatever its address looks like.
	w.git("init", "-q", "--bare", "in")
	w.git("config", "url."+filepath.Join(w.dir, "in")+".insteadOf", "https://in.invalid/o")
	seen := w.policies()
	w.call("push", args{"name": "https://in.invalid/o", "ref": "main"})
	if p := seen()["push"]; p != launch.Repository {
		t.Errorf("a push to a folder runs as %v", p)
	}
}

// TestTheGitFolderLeadsNowhere: more ways by which parts of a git folder could be outside the roots.
func TestTheGitFolderLeadsNowhere(t *testing.T) {
	t.Parallel()
	start := func(t *testing.T) (*world, string, string) {
		w := newRepo(t)
		w.commit("one", "a", "1\n")
		w.file(w.out, "secret.txt", "TOPSECRET\n")
		w.gitIn(w.out, "init", "-q")
		w.gitIn(w.out, "add", ".")
		w.gitIn(w.out, "commit", "-qm", "secret")
		hash := strings.TrimSpace(w.gitIn(w.out, "rev-parse", "HEAD"))
		return w, filepath.Join(w.out, ".git", "objects"), hash
	}
	link := func(w *world, to, name string) {
		w.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(w.dir, name)), 0o777); err != nil {
			w.Fatal(err)
		}
		w.link(to, name)
	}
	for name, before := range map[string]func(w *world, objects, hash string){
		"BISECT_LOG": func(w *world, _, _ string) {
			w.git("bisect", "start")
			os.Remove(filepath.Join(w.dir, ".git/BISECT_LOG"))
			link(w, filepath.Join(w.out, "secret.txt"), ".git/BISECT_LOG")
		},
		"MERGE_MSG":            func(w *world, _, _ string) { link(w, filepath.Join(w.out, "secret.txt"), ".git/MERGE_MSG") },
		"rebase-merge/message": func(w *world, _, _ string) { link(w, filepath.Join(w.out, "secret.txt"), ".git/rebase-merge/message") },
		"rebase-merge":         func(w *world, _, _ string) { link(w, w.out, ".git/rebase-merge") },
		"a work tree's lock":   func(w *world, _, _ string) { link(w, filepath.Join(w.out, "secret.txt"), ".git/worktrees/x/locked") },
		"a folder of objects": func(w *world, objects, hash string) {
			os.RemoveAll(filepath.Join(w.dir, ".git/objects", hash[:2])) // one of its own may have that name
			link(w, filepath.Join(objects, hash[:2]), ".git/objects/"+hash[:2])
		},
		"a folder of objects by a detour": func(w *world, objects, hash string) {
			link(w, filepath.Join(objects, hash[:2]), "mid/"+hash[:2])
			os.RemoveAll(filepath.Join(w.dir, ".git/objects/pack"))
			link(w, "../../mid", ".git/objects/pack")
		},
		"a pack": func(w *world, objects, _ string) {
			w.gitIn(w.out, "repack", "-adq")
			packs, _ := filepath.Glob(filepath.Join(objects, "pack/*"))
			for _, p := range packs {
				link(w, p, ".git/objects/pack/"+filepath.Base(p))
			}
		},
		"alternates of alternates": func(w *world, objects, _ string) {
			w.write("mid/info/alternates", objects+"\n")
			w.write(".git/objects/info/alternates", filepath.Join(w.dir, "mid")+"\n")
		},
		"alternates after many lines": func(w *world, objects, _ string) {
			w.write(".git/objects/info/alternates", strings.Repeat("# nothing\n", configMax/10+1)+objects+"\n")
		},
		"alternates of alternates after many lines": func(w *world, objects, _ string) {
			w.write("mid/info/alternates", strings.Repeat("# nothing\n", configMax/10+1)+objects+"\n")
			w.write(".git/objects/info/alternates", filepath.Join(w.dir, "mid")+"\n")
		},
		"a commondir by a link and up": func(w *world, _, _ string) {
			w.gitIn(w.dir, "init", "-q", "--bare", "x/.git") // what the text alone would mean
			w.link(filepath.Join(w.out, "sub"), "lnk")
			os.MkdirAll(filepath.Join(w.out, "sub"), 0o777)
			w.write(".git/commondir", "../lnk/../.git\n")
		},
		"a long commondir": func(w *world, _, _ string) {
			rel, err := filepath.Rel(filepath.Join(w.dir, ".git"), filepath.Join(w.out, ".git"))
			if err != nil {
				w.Fatal(err)
			}
			w.write(".git/commondir", strings.Repeat("./", gitFileMax/2+5)+rel+"\n")
		},
		"alternates behind a quote": func(w *world, objects, _ string) {
			w.write("mid/x", "")
			w.write(".git/objects/info/alternates", `"`+filepath.Join(w.dir, "mid")+`"X`+objects+"\n")
		},
		"alternates that end in a carriage return": func(w *world, objects, _ string) {
			w.link(objects, "lnk\r")
			w.write(".git/objects/info/alternates", filepath.Join(w.dir, "lnk")+"\r\n")
		},
		"alternates of objects that are a link": func(w *world, objects, _ string) {
			if err := os.MkdirAll(filepath.Join(w.dir, "deep/b/c/d"), 0o777); err != nil {
				w.Fatal(err)
			}
			if err := os.Rename(filepath.Join(w.dir, ".git/objects"), filepath.Join(w.dir, "deep/b/c/d/o")); err != nil {
				w.Fatal(err)
			}
			link(w, "../deep/b/c/d/o", ".git/objects")
			rel, err := filepath.Rel(filepath.Join(w.dir, "deep/b/c/d/o"), objects)
			if err != nil {
				w.Fatal(err)
			}
			w.write("deep/b/c/d/o/info/alternates", rel+"\n")
		},
		"links of alternates": func(w *world, objects, hash string) {
			link(w, filepath.Join(objects, hash[:2]), "mid/"+hash[:2])
			w.write(".git/objects/info/alternates", "../../mid\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, objects, hash := start(t)
			before(w, objects, hash)
			for _, c := range []struct {
				action string
				args   args
			}{{"bisect", nil}, {"show", args{"ref": hash}}, {"merge", args{"sub_action": "continue"}}, {"log", nil}, {"tag", nil},
				{"diff", nil}, {"blame", args{"files": "a"}}} {
				if out := w.fails(tools.PermissionDenied, c.action, c.args); strings.Contains(out.Text+out.Envelope.Error.Message, "TOPSECRET") {
					t.Errorf("%s: %s", c.action, out.Text)
				}
			}
		})
	}
	t.Run("links that stay inside", func(t *testing.T) {
		t.Parallel()
		w, _, _ := start(t)
		for _, name := range []string{"objects", "info"} {
			if err := os.Rename(filepath.Join(w.dir, ".git", name), filepath.Join(w.dir, name)); err != nil {
				t.Fatal(err)
			}
			link(w, "../"+name, ".git/"+name)
		}
		link(w, w.out, ".git/lfs")
		w.call("log", nil)
	})
	t.Run("a named pipe", func(t *testing.T) {
		t.Parallel()
		w, _, _ := start(t)
		w.git("branch", "x")
		os.RemoveAll(filepath.Join(w.dir, ".git/info"))
		if out, err := exec.Command("mkfifo", filepath.Join(w.dir, ".git/info")).CombinedOutput(); err != nil {
			t.Skipf("mkfifo: %v %s", err, out)
		}
		done := make(chan bool)
		go func() { w.try("branch", nil); close(done) }()
		select {
		case <-done:
		case <-time.After(20 * time.Second):
			t.Error("it waits")
		}
	})
}

// TestAddressesGoThroughLinks: the system goes through a link before it goes up.
func TestAddressesGoThroughLinks(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("one", "a", "1\n")
	w.gitIn(w.out, "init", "-q", "o")
	w.file(w.out, "o/secret.txt", "TOPSECRET\n")
	w.file(w.out, "mail", "TOPSECRET <someone@example.com>\n")
	w.gitIn(filepath.Join(w.out, "o"), "add", ".")
	w.gitIn(filepath.Join(w.out, "o"), "commit", "-qm", "secret")
	if err := os.MkdirAll(filepath.Join(w.out, "sub"), 0o777); err != nil {
		t.Fatal(err)
	}
	w.link(filepath.Join(w.out, "sub"), "docs")
	w.fails(tools.PermissionDenied, "clone", args{"url": "file://" + w.dir + "/docs/../o", "destination": "stolen"})
	w.fails(tools.PermissionDenied, "clone", args{"url": w.dir + "/docs/../o", "destination": "stolen"})
	w.fails(tools.PermissionDenied, "fetch", args{"name": "docs/../o", "ref": "main"})
	w.git("remote", "add", "origin", "docs/../o")
	w.fails(tools.PermissionDenied, "fetch", nil)
	if w.has("stolen") || w.has(".git/FETCH_HEAD") {
		t.Error("it was reached")
	}
	w.git("config", "blame.ignoreRevsFile", "docs/../o/secret.txt")
	if out := w.fails(tools.PermissionDenied, "blame", args{"files": "a"}); strings.Contains(out.Envelope.Error.Message, "TOPSECRET") {
		t.Error(out.Envelope.Error.Message)
	}
	w.git("config", "--unset", "blame.ignoreRevsFile")
	email := strings.TrimSpace(w.git("log", "-1", "--format=%ae"))
	w.file(w.out, "mail", "TOPSECRET <"+email+">\n")
	w.git("config", "mailmap.file", filepath.Join(w.out, "mail"))
	for _, action := range []string{"log", "show", "shortlog", "blame"} {
		if out := w.call(action, args{"path": "a"}); strings.Contains(out.Text, "TOPSECRET") {
			t.Errorf("%s: %s", action, out.Text)
		}
	}
	w.write("people", "Inside <"+email+">\n")
	w.git("config", "mailmap.file", "people")
	if out := w.call("log", nil); !strings.Contains(out.Text, "Inside") {
		t.Errorf("a file inside is not used: %s", out.Text)
	}
}

// TestManyLinksEndSoon: what many links and alternates lead to is looked at once.
func TestManyLinksEndSoon(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("one", "a", "1\n")
	for i := range 5 {
		from := ".git"
		if i > 0 {
			from = "x" + strconv.Itoa(i-1)
		}
		for j := range 30 {
			w.link(filepath.Join(w.dir, "x"+strconv.Itoa(i)), from+"/l"+strconv.Itoa(j))
		}
		if err := os.MkdirAll(filepath.Join(w.dir, "x"+strconv.Itoa(i)), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 5 {
		w.write("o"+strconv.Itoa(i)+"/info/alternates", strings.Repeat(filepath.Join(w.dir, "o"+strconv.Itoa(i+1))+"\n", 30))
	}
	w.write("o5/info/x", "")
	w.write(".git/objects/info/alternates", strings.Repeat(filepath.Join(w.dir, "o0")+"\n", 30))
	start := time.Now()
	w.call("log", nil)
	if d := time.Since(start); d > 20*time.Second {
		t.Errorf("%v", d)
	}
	for _, many := range []string{strings.Repeat(filepath.Join(w.dir, "o0")+"\n", maxFollowed+1), strings.Repeat("x\n", configMax/2), strings.Repeat("\"x\n", configMax/3)} {
		start = time.Now()
		w.write(".git/objects/info/alternates", many)
		w.fails(tools.PermissionDenied, "log", nil)
		if d := time.Since(start); d > 20*time.Second {
			t.Errorf("%v", d)
		}
	}
}

// TestFilesThatTheConfigNames: git quotes from those outside the roots.
func TestFilesThatTheConfigNames(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("one", "a", "1\n")
	w.commit("two", "a", "2\n")
	w.file(w.out, "secret.txt", "TOPSECRET\n")
	w.file(w.out, "out.ini", "[x]\n\tkey = TOPSECRET\n[TOPSECRET]\n\ty=1\n")
	w.git("config", "blame.ignoreRevsFile", filepath.Join(w.out, "secret.txt"))
	if out := w.fails(tools.PermissionDenied, "blame", args{"files": "a"}); strings.Contains(out.Envelope.Error.Message, "TOPSECRET") {
		t.Error(out.Envelope.Error.Message)
	}
	w.write("revs", strings.TrimSpace(w.git("rev-parse", "HEAD"))+"\n")
	w.git("config", "blame.ignoreRevsFile", "revs")
	w.call("blame", args{"files": "a"}) // one inside
	w.git("config", "include.path", filepath.Join(w.out, "out.ini"))
	w.git("config", "--add", "include.path", "../inside")
	w.write("inside", "[z]\n\tkey = shown\n")
	for _, a := range []args{nil, {"key": "x.key"}, {"key": "topsecret.y"}, {"key": "z.key"}} {
		out := w.try("config", a)
		said, err := json.Marshal(out.Envelope)
		if err != nil || strings.Contains(out.Text, "TOPSECRET") || strings.Contains(string(said), "TOPSECRET") {
			t.Errorf("%v: %s %s", a, out.Text, said)
		}
		if a == nil && !strings.Contains(out.Text, "z.key=shown") {
			t.Errorf("an include inside is not shown: %s", out.Text)
		}
	}
}
