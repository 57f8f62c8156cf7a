package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// changes is everything that changes a name.
var changes = map[string]func(w *world, p Path) error{
	"write": func(w *world, p Path) error { return w.write(p.Given, "EVIL", WriteOptions{Mkdirs: true}) },
	"exclusive": func(w *world, p Path) error {
		return w.write(p.Given, "EVIL", WriteOptions{Mkdirs: true, Exclusive: true})
	},
	"append": func(w *world, p Path) error {
		f, err := w.OpenFile(p, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
		if err == nil {
			f.Close()
		}
		return err
	},
	"truncate": func(w *world, p Path) error {
		f, err := w.OpenFile(p, os.O_RDWR|os.O_TRUNC, 0)
		if err == nil {
			f.Close()
		}
		return err
	},
	"mkdir":       func(w *world, p Path) error { return w.Mkdir(p, 0o755) },
	"mkdir below": func(w *world, p Path) error { return w.MkdirAll(p.Join("x/y"), 0o755) },
	"chmod":       func(w *world, p Path) error { return w.Chmod(p, 0o777) },
	"remove":      func(w *world, p Path) error { return w.Remove(p) },
	"remove all":  func(w *world, p Path) error { return w.RemoveAll(p) },
	"rename":      func(w *world, p Path) error { return w.Rename(p, w.path("gone"), true) },
	"rename onto": func(w *world, p Path) error { return w.Rename(w.path("evil"), p, true) },
	"folder onto": func(w *world, p Path) error { return w.Rename(w.path("evildir"), p, true) },
	"link":        func(w *world, p Path) error { return w.Symlink("evil", p) },
}

func TestProtectedNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{
		".git/config", ".git/hooks", ".git/hooks/pre-commit", ".git/config.worktree", ".git/commondir", ".git/modules/m/config", ".git/worktrees/t/config.worktree",
		".hanzo/settings.json", ".hanzo", ".mcp.json", ".cursor/mcp.json", ".claude/settings.json", ".vscode/tasks.json",
		"sub/repo/.git/config", "sub/.vscode/tasks.json", "a/b/c/.claude/x/y",
		".GIT/config", ".Git/Hooks/x", ".VSCODE/tasks.json", ".vscode./tasks.json", ".vscode /x", ".g\u200cit/config", "GIT~1/config", ".mcp.json::$DATA", ".v\u017fcode/tasks.json",
		"conf/settings.json", "conf/hooks/check.sh", "x/../.git/config", "./.git//config",
		"to-git/config", "to-git/hooks/x", "abs-git/config", "to-config", "to-vscode/tasks.json", "to-settings", "dangling",
	} {
		for op, do := range changes {
			t.Run(strings.ReplaceAll(name, "/", "|")+" "+op, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, func(c *Config) {
					c.Protect = append(DefaultProtect(), filepath.Join(c.Dirs[0], "conf", "settings.json"), filepath.Join(c.Dirs[0], "conf", "hooks", "check.sh"))
				})
				for _, f := range []string{".git/config", ".git/HEAD", ".git/hooks/x", ".vscode/tasks.json", "conf/settings.json", "conf/hooks/check.sh", "sub/repo/.git/config", "evil", "evildir/config", ".mcp.json"} {
					w.put(f, "safe")
				}
				w.link(".git", "to-git")
				w.link(w.abs(".git"), "abs-git")
				w.link(".git/config", "to-config")
				w.link(".vscode", "to-vscode")
				w.link("conf/settings.json", "to-settings")
				w.link(".hanzo/settings.json", "dangling")
				before := snapshot(t, w.W)
				p := w.path(name)
				err := do(w, p)
				link := strings.HasPrefix(name, "to-") || strings.HasPrefix(name, "dang")
				if link && !strings.Contains(name, "/") && (strings.HasPrefix(op, "re") || strings.HasPrefix(op, "link") || strings.HasPrefix(op, "folder") || op == "exclusive" || op == "mkdir") {
					return // about the link itself, which is an ordinary entry
				}
				wantKind(t, op, err, Protected)
				if after := snapshot(t, w.W); after != before {
					t.Errorf("became:\n%s\nwas:\n%s", after, before)
				}
				if why, ok := w.Protected(p); !ok || why == "" {
					t.Error("Protected does not know")
				}
				if _, err := w.read(".git/config"); err != nil {
					t.Errorf("not readable: %v", err)
				}
			})
		}
	}
}

// TestProtectedByTheFolderAbove: what a protected file hangs on is not moved
// from under it, nor another put in its place.
func TestProtectedByTheFolderAbove(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config) {
		c.Protect = append(DefaultProtect(), "etc/app/run.sh", filepath.Join(c.Dirs[0], "conf", "settings.json"))
	})
	w.put(".git/config", "safe")
	w.put("conf/settings.json", "safe")
	w.put("etc/app/run.sh", "safe")
	w.put("sub/etc/app/run.sh", "safe")
	w.put("git/config", "EVIL")
	w.put("app/run.sh", "EVIL")
	w.put("harmless/x", "")
	w.put("empty/repo/x", "")
	w.put("file", "gitdir: git")
	w.link("git", "lgit")
	before := snapshot(t, w.W)
	for _, name := range []string{".git", "conf", "etc/app", "etc", "sub/etc", "sub/etc/app"} {
		wantKind(t, "rename "+name, w.Rename(w.path(name), w.path("x"), false), Protected)
		wantKind(t, "remove "+name, w.RemoveAll(w.path(name)), Protected)
	}
	for _, c := range [][2]string{{"git", "empty/.git"}, {"git", "empty/repo/.git"}, {"file", "empty/.git"}, {"lgit", "empty/.git"}} {
		wantKind(t, c[0]+" as "+c[1], w.Rename(w.path(c[0]), w.path(c[1]), true), Protected)
	}
	wantKind(t, "a file as .git", w.write("empty/.git", "gitdir: ../git"), Protected)
	wantKind(t, "a link as .git", w.Symlink("../git", w.path("empty/.git")), Protected)
	wantKind(t, "a link as etc/app", w.Symlink("../app", w.path("empty/etc")), Protected)
	if after := snapshot(t, w.W); after != before {
		t.Fatalf("became:\n%s\nwas:\n%s", after, before)
	}
	if err := w.Mkdir(w.path("harmless/etc"), 0o755); err != nil {
		t.Error(err)
	}
	wantKind(t, "brings run.sh", w.Rename(w.path("app"), w.path("harmless/etc/app"), false), Protected)
	w.put("x/app/run.sh", "EVIL")
	w.put("sub/new/x", "")
	wantKind(t, "brings app/run.sh", w.Rename(w.path("x"), w.path("sub/new/etc"), true), Protected)
}

// TestProtectLeavesTheRestAlone: no name is protected that need not be.
func TestProtectLeavesTheRestAlone(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config) { c.Protect = append(DefaultProtect(), "etc/app/run.sh") })
	w.put(".git/info/exclude", "")
	w.put("node_modules/p/.vscode/x", "")
	for _, name := range []string{".git/info/exclude", ".git/COMMIT_EDITMSG", ".gitignore", ".github/workflows/x.yml", ".vscodeignore", "vscode/x", "config", "hooks/x", "etc", "app/run.sh", "etc2/app/run.sh", ".hanzo2/x", "x.git", "mcp.json"} {
		if err := w.write(name, "x", WriteOptions{Mkdirs: true}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := w.Rename(w.path("node_modules"), w.path("nm"), false); err != nil {
		t.Error(err)
	}
	wantKind(t, "still protected", w.write("nm/p/.vscode/x", "y"), Protected)
	if err := w.RemoveAll(w.path("nm")); err != nil {
		t.Error(err)
	}
	if err := w.MkdirAll(w.path("s/etc/app"), 0o755); err != nil {
		t.Error(err)
	}
	if err := w.Rename(w.path("s/etc"), w.path("s2"), false); err != nil {
		t.Error(err)
	}

	none := newWorld(t, func(c *Config) { c.Protect = []string{} })
	if err := none.write(".vscode/x", "x", WriteOptions{Mkdirs: true}); err != nil {
		t.Error(err)
	}
}

// TestRootInsideAProtectedName can be used, as the user named it.
func TestRootInsideAProtectedName(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	r := func(dir string) *world {
		if err := os.MkdirAll(w.abs(dir), 0o755); err != nil {
			t.Fatal(err)
		}
		r, err := Open(Config{Dirs: []string{w.abs(dir)}})
		if err != nil {
			t.Fatal(err)
		}
		return &world{Roots: r, t: t, W: w.abs(dir)}
	}
	if err := r(".hanzo/work").write("x", "x"); err != nil {
		t.Error(err)
	}
	if err := r(".vscode").write("x", "x"); err != nil {
		t.Error(err)
	}
	wantKind(t, ".git as root", r(".git").write("config", "x"), Protected)
	wantKind(t, "work in .hanzo", r(".hanzo/work").write("sub/.hanzo/x", "x", WriteOptions{Mkdirs: true}), Protected)
}

// TestOffProtectsOnlySettingsAndHookScripts.
func TestOffProtectsOnlySettingsAndHookScripts(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config) {
		c.Mode = Off
		c.Protect = append(DefaultProtect(), c.Dirs[0]+"/../O/settings.json")
	})
	w.link(w.O, "l")
	if err := w.write(".vscode/tasks.json", "x", WriteOptions{Mkdirs: true}); err != nil {
		t.Error(err)
	}
	if err := w.write(".git/config", "x", WriteOptions{Mkdirs: true}); err != nil {
		t.Error(err)
	}
	for _, name := range []string{w.O + "/settings.json", "l/settings.json", "../O/settings.json", w.O + "/Settings.json"} {
		wantKind(t, name, w.write(name, "x"), Protected)
	}
	wantKind(t, ".git", w.RemoveAll(w.path(".git")), Protected)
	wantKind(t, "the folder above", w.Rename(w.path(w.O), w.path("x"), false), Denied, Protected)
}

func TestDefaultProtectHoldsTheContract(t *testing.T) {
	t.Parallel()
	for _, name := range []string{".git/config", ".git/hooks", ".hanzo", ".mcp.json", ".cursor", ".claude", ".vscode"} {
		if !slices.Contains(DefaultProtect(), name) {
			t.Errorf("%s is missing", name)
		}
	}
}

// A folder becomes a repository of git by what lies in it, in whatever order that comes, and none that obeys a config is
// made; in one that is there the config and the hooks are not changed.
func TestBareRepositoryIsNotPlanted(t *testing.T) {
	t.Parallel()
	parts := map[string]string{"HEAD": "ref: refs/heads/main\n", "objects/.k": "", "refs/heads/.k": "", "config": "[core]\n\tfsmonitor = evil\n"}
	for _, order := range [][]string{{"HEAD", "objects/.k", "refs/heads/.k", "config"}, {"config", "HEAD", "refs/heads/.k", "objects/.k"}, {"objects/.k", "config", "refs/heads/.k", "HEAD"}} {
		for _, dir := range []string{"", "sub/x/"} {
			w := newWorld(t)
			refused := 0
			for i, name := range order {
				if err := w.write(dir+name, parts[name], WriteOptions{Mkdirs: true}); err != nil {
					refused++
					if KindOf(err) != Protected || i != len(order)-1 {
						t.Errorf("%s%s: %v", dir, name, err)
					}
				}
			}
			if refused != 1 {
				t.Errorf("%v in %q: %d refused", order, dir, refused)
			}
		}
	}
	w := newWorld(t)
	for name, text := range map[string]string{"b.git/HEAD": "ref: refs/heads/main\n", "b.git/objects/x": "", "b.git/refs/x": "", "b.git/config": "", "b.git/description": "", "other": "x", "config": "mine"} {
		w.put(name, text)
	}
	for _, name := range []string{"b.git/config", "b.git/hooks/pre-receive", "b.git/CONFIG.worktree"} {
		if err := w.write(name, "x", WriteOptions{Mkdirs: true}); KindOf(err) != Protected {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := w.Rename(w.path("other"), w.path("b.git/commondir"), false); KindOf(err) != Protected {
		t.Errorf("rename: %v", err)
	}
	for _, name := range []string{"b.git/description", "b.git/objects/y", "config", "refs/x"} {
		if err := w.write(name, "x", WriteOptions{Mkdirs: true}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
