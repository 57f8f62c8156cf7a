package git

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
	"github.com/hanzoai/hanzo-mcp/tools"
)

// TestOptionInAnEscapedRef: a ref that is not UTF-8 comes quoted, and is judged after the quotes are gone.
func TestOptionInAnEscapedRef(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("one", "a", "1\n")
	evil := `"--output=` + w.dir + `/pwn\377"`
	for _, action := range []string{"blame", "log", "diff", "show", "shortlog", "describe", "rev_parse", "reset", "checkout", "merge", "rebase", "cherry_pick", "reflog", "fetch", "push"} {
		w.try(action, args{"ref": evil, "files": []string{"a"}})
		w.try(action, args{"ref": evil})
	}
	w.fails(tools.InvalidParams, "blame", args{"ref": evil, "files": []string{"a"}})
	entries, err := os.ReadDir(w.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "pwn") {
			t.Fatalf("%q was written", e.Name())
		}
	}
}

// TestConfigThatCannotBeJudged: a config that git would read and the tool would not, or not whole.
func TestConfigThatCannotBeJudged(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]func(w *world, trap string){
		"filter behind a megabyte": func(w *world, trap string) {
			w.write(".git/config", "#"+strings.Repeat("x", configMax)+"\n[filter \"evil\"]\n\tclean = "+trap+"\n")
		},
		"work tree behind a megabyte": func(w *world, trap string) {
			w.write(".git/config", "#"+strings.Repeat("x", configMax)+"\n[core]\n\tworktree = "+w.out+"\n")
		},
		"link to outside": func(w *world, trap string) {
			w.file(w.out, "cfg", "[filter \"evil\"]\n\tclean = "+trap+"\n")
			link(w, filepath.Join(w.out, "cfg"), ".git/config")
		},
		"link through /proc": func(w *world, trap string) {
			w.write("cfg", "[filter \"evil\"]\n\tclean = "+trap+"\n")
			link(w, "/proc/self/cwd/cfg", ".git/config")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := trapped(t, set)
			later := time.Now().Add(time.Hour)
			if err := os.Chtimes(filepath.Join(w.dir, "a.txt"), later, later); err != nil {
				t.Fatal(err)
			}
			for _, action := range []string{"status", "diff", "log", "commit"} {
				if out := w.try(action, args{"message": "m"}); out.Envelope.OK {
					t.Errorf("%s went on: %s", action, out.Text)
				}
			}
			if w.has("pwn") {
				t.Error("the trap went off")
			}
		})
	}
}

// link replaces a file by a link.
func link(w *world, to, name string) {
	w.Helper()
	full := filepath.Join(w.dir, name)
	if err := os.RemoveAll(full); err != nil {
		w.Fatal(err)
	}
	if err := os.Symlink(to, full); err != nil {
		w.Fatal(err)
	}
}

// TestPartsOfARepositoryOutside: objects and refs that a hostile checkout takes from another repository.
func TestPartsOfARepositoryOutside(t *testing.T) {
	t.Parallel()
	secret := func(w *world) (gitDir, hash string) {
		w.gitIn(w.out, "init", "-q")
		w.gitIn(w.out, "commit", "-q", "--allow-empty", "-m", "secret")
		return filepath.Join(w.out, ".git"), strings.TrimSpace(w.gitIn(w.out, "rev-parse", "HEAD"))
	}
	t.Run("links", func(t *testing.T) {
		t.Parallel()
		for _, names := range [][]string{{"refs", "objects"}, {"HEAD"}, {"packed-refs"}, {"index"}, {"objects/pack"}} {
			w := newRepo(t)
			w.commit("one", "a", "1\n")
			dir, _ := secret(w)
			w.gitIn(w.out, "pack-refs", "--all")
			w.file(w.out, ".git/index", "")
			for _, name := range names {
				link(w, filepath.Join(dir, name), filepath.Join(".git", name))
			}
			if out := w.fails(tools.PermissionDenied, "log", nil); strings.Contains(out.Text, "secret") {
				t.Errorf("%v: %s", names, out.Text)
			}
		}
	})
	t.Run("alternates", func(t *testing.T) {
		t.Parallel()
		w := newRepo(t)
		w.commit("one", "a", "1\n")
		dir, hash := secret(w)
		w.write(".git/objects/info/alternates", filepath.Join(dir, "objects")+"\n")
		w.fails(tools.PermissionDenied, "show", args{"ref": hash})
		w.write(".git/objects/info/alternates", "../../../o/.git/objects\n")
		w.fails(tools.PermissionDenied, "show", args{"ref": hash})
		w.git("clone", "-q", "--shared", ".", "shared")
		w.write(".git/objects/info/alternates", "")
		w.call("log", args{"path": "shared"}) // inside the roots
	})
	t.Run("clone, fetch and push", func(t *testing.T) {
		t.Parallel()
		w := newRepo(t)
		w.commit("one", "a", "1\n")
		dir, _ := secret(w)
		w.write("x/.git", "gitdir: "+dir+"\n")
		for _, url := range []string{"x", "./x", "file://" + w.dir + "/x", "x/.git"} {
			w.fails(tools.PermissionDenied, "clone", args{"url": url, "destination": "y"})
			w.fails(tools.PermissionDenied, "fetch", args{"name": w.dir + "/x", "ref": "main"})
		}
		w.git("remote", "add", "origin", "./x")
		w.fails(tools.PermissionDenied, "fetch", nil)
		w.fails(tools.PermissionDenied, "push", args{"ref": "main:refs/heads/pwn"})
		if w.has("y/.git") || w.gitIn(w.out, "branch", "--list", "pwn") != "" {
			t.Error("it was reached")
		}
	})
}

// TestFolderAsRemoteNeverSeesTheKeys: hooks of a repository in a folder, and the programs that the config names for it,
// run without the user's keys in sight.
func TestFolderAsRemoteNeverSeesTheKeys(t *testing.T) {
	t.Parallel()
	w := remoteWorld(t)
	w.file(w.home, ".ssh/id", "KEY\n")
	l := launch.New(launch.Config{Writable: []string{w.dir}, Home: w.home, Hidden: []string{filepath.Join(w.home, ".ssh")}})
	t.Cleanup(func() { l.Close() })
	if !strings.Contains(l.Report(t.Context()).String(), "namespaces") {
		t.Skip("nothing hides files here")
	}
	w.tool = New(Config{Launcher: l, Look: exec.LookPath, Environ: func() []string { return w.env }})
	spy := "cat " + filepath.Join(w.home, ".ssh/id") + ` >>"` + w.dir + `/seen"`
	w.script(w.dir, "hub.git/hooks/pre-receive", spy+"; true")
	w.script(w.dir, ".git/hooks/pre-push", spy+"; true")
	up := w.script(w.dir, "up", spy+`; exec git-upload-pack "$@"`)
	w.call("push", args{"set_upstream": true})
	w.git("config", "remote.origin.uploadpack", up)
	w.call("fetch", nil)
	w.call("pull", nil)
	b, err := os.ReadFile(filepath.Join(w.dir, "seen"))
	if err != nil {
		t.Fatalf("the spies did not run: %v", err)
	}
	if strings.Contains(string(b), "KEY") {
		t.Errorf("a program of the repository read the user's key: %s %s", b, l.Report(t.Context()))
	}
	w.git("remote", "add", "host", "http://127.0.0.1:1/x")
	w.fails(tools.PermissionDenied, "fetch", args{"all": true})
	w.git("config", "remote.origin.pushurl", "http://127.0.0.1:1/x")
	w.git("config", "--add", "remote.origin.pushurl", filepath.Join(w.dir, "hub.git"))
	w.fails(tools.PermissionDenied, "push", nil)
	if b, _ := os.ReadFile(filepath.Join(w.dir, "seen")); strings.Contains(string(b), "KEY") {
		t.Error("a program of the repository read the user's key")
	}
}

// TestFetchStaysOutOfSubmodules: a submodule's own config would choose where to and by which program.
func TestFetchStaysOutOfSubmodules(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	up := filepath.Join(w.dir, "up")
	w.git("init", "-q", "up")
	w.gitIn(up, "commit", "-q", "--allow-empty", "-m", "1")
	w.git("init", "-q", "sup")
	sup := filepath.Join(w.dir, "sup")
	w.gitIn(sup, "submodule", "--quiet", "add", up, "sub")
	w.gitIn(sup, "commit", "-qm", "with sub")
	w.git("clone", "-q", "--recurse-submodules", "sup", "cl")
	w.gitIn(filepath.Join(sup, "sub"), "commit", "-q", "--allow-empty", "-m", "2")
	w.gitIn(filepath.Join(sup, "sub"), "push", "-q", "origin", "HEAD:side")
	w.gitIn(sup, "commit", "-qam", "bump")
	cl := filepath.Join(w.dir, "cl")
	trap := w.script(w.dir, "trap", "touch "+filepath.Join(w.dir, "pwn")+"; exit 1")
	w.gitIn(filepath.Join(cl, "sub"), "config", "remote.origin.uploadpack", trap)
	w.gitIn(cl, "config", "submodule.recurse", "true")
	for _, action := range []string{"fetch", "pull"} {
		w.call(action, args{"path": "cl"})
		if w.has("pwn") {
			t.Fatalf("%s went into the submodule", action)
		}
	}
}

// TestConnectorsOfTheRepositoryLose: of some settings git takes the first value or all of them, so that another one put
// after it changes nothing.
func TestConnectorsOfTheRepositoryLose(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("one", "a", "1\n")
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("WWW-Authenticate", `Basic realm="x"`)
		rw.WriteHeader(http.StatusUnauthorized)
	}))
	t.Cleanup(server.Close)
	trap := w.script(w.dir, ".git/trap", "touch "+filepath.Join(w.dir, "pwn")+"; exit 1")
	own := w.script(w.home, "helper", "touch "+filepath.Join(w.dir, "own"))
	w.git("config", "--global", "credential.helper", own)
	w.git("config", "credential.helper", trap)
	w.git("config", "credential."+server.URL+".helper", trap)
	w.git("config", "core.gitProxy", trap)
	for _, url := range []string{server.URL + "/x", "git://127.0.0.1:1/x"} {
		if out := w.try("fetch", args{"name": url, "ref": "main"}); out.Envelope.OK {
			t.Fatalf("%s: %s", url, out.Text)
		}
		if w.has("pwn") {
			t.Fatalf("%s: a program of the repository ran", url)
		}
		if !w.has("own") {
			t.Fatalf("%s: the user's own helper did not run", url)
		}
	}
}
