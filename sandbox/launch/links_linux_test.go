package launch_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
)

// layout makes a folder by a script, unconfined, and a launcher that may write it.
func layout(t *testing.T, script string) (string, *launch.Launcher) {
	t.Helper()
	w := filepath.Join(t.TempDir(), "w")
	if err := os.Mkdir(w, 0o755); err != nil {
		t.Fatal(err)
	}
	free := launch.New(launch.Config{Confine: launch.Off})
	defer free.Close()
	if out, s := sh(t, free, w, script); !s.Success() {
		t.Fatalf("%s %s", s, out)
	}
	l := launch.New(launch.Config{Writable: []string{w}, Protect: sandbox.DefaultProtect(), Mechanism: launch.Namespaces, Confine: launch.Required})
	t.Cleanup(func() { l.Close() })
	return w, l
}

const repo = "git init -q .; git commit -q --allow-empty -m one; "

// A name that programs obey may be a link in a checkout. It stays one, to where it
// leads, and what is obeyed there is not written; all else is.
func TestProtectedNamesThatAreLinks(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/usr/bin/git"); err != nil {
		t.Skip("git is missing")
	}
	gitLink := "git init -q x; git -C x commit -q --allow-empty -m one; mv x/.git realgit; rmdir x; ln -s realgit .git; "
	for name, c := range map[string]struct {
		layout  string
		allowed []string
		refused []string
		planted string // by the last of allowed
	}{
		".git to a folder inside": {
			gitLink + "mkdir .claude; echo {} >.claude/settings.json",
			[]string{"echo a >f; git add f; git commit -qm f; git status"},
			[]string{
				"rm .git", "mv .git x", "ln -sfn other .git", "mkdir d; mv -T d .git", "mv realgit x", "echo x >>.git/config", "echo x >>realgit/config",
				"echo x >.git/hooks/pre-commit", "echo x >realgit/hooks/pre-commit", "echo x >realgit/commondir", "echo x >.claude/settings.json",
			}, "",
		},
		".git by two links": {
			gitLink + "mv .git two; ln -s two .git", []string{"git status"}, []string{"rm .git", "rm two", "echo x >>.git/config", "mv realgit x"}, "",
		},
		".git to a folder outside": {
			"git init -q ../out; ln -s ../out/.git .git", []string{"git status"}, []string{"rm .git", "echo x >>.git/config", "echo x >../out/.git/config"}, "",
		},
		".git to nothing": {
			"ln -s nowhere .git", []string{"mkdir nowhere; echo x >nowhere/config"}, []string{"rm .git", "mv .git x"}, "nowhere/config",
		},
		".git to itself": {"ln -s .git .git", []string{"echo a >f"}, []string{"rm .git", "mv .git x"}, ""},
		".git a file into the root": {
			strings.Replace(gitLink, "ln -s realgit .git", "echo gitdir: realgit >.git", 1), []string{"git status; git commit -q --allow-empty -m two"},
			[]string{"echo gitdir: x >.git", "echo x >>realgit/config", "echo x >realgit/hooks/pre-commit", "mv realgit x"}, "",
		},
		".git/config": {repo + "mv .git/config c; ln -s ../c .git/config", []string{"git status"}, []string{"rm .git/config", "echo x >>c", "rm c", "mv c d"}, ""},
		".git/hooks": {
			repo + "rm -r .git/hooks; mkdir hk; ln -s ../hk .git/hooks", []string{"git status"}, []string{"rm .git/hooks", "echo x >hk/pre-commit", "mv hk x"}, "",
		},
		".git/hooks to nothing": {repo + "rm -r .git/hooks; ln -s ../hk .git/hooks", []string{"git status", "mkdir hk"}, []string{"rm .git/hooks"}, "hk"},
		"a hook": {
			repo + "echo x >check.sh; ln -s ../../check.sh .git/hooks/pre-commit", []string{"echo a >f"}, []string{"rm .git/hooks/pre-commit", "echo evil >check.sh", "rm check.sh"}, "",
		},
		".mcp.json": {
			"mkdir a; echo {} >a/m.json; ln -s a/m.json .mcp.json", []string{"echo a >a/f", "rm a/f"}, []string{"rm .mcp.json", "ln -sf x .mcp.json", "echo x >a/m.json", "rm a/m.json", "mv a b"}, "",
		},
		".mcp.json to a folder": {"mkdir src; ln -s src .mcp.json", []string{"echo a >src/f"}, []string{"rm .mcp.json"}, ""},
		".mcp.json to nothing":  {"ln -s m.json .mcp.json", []string{"echo {} >m.json"}, []string{"rm .mcp.json"}, "m.json"},
		"settings": {
			"mkdir .claude; echo {} >s.json; ln -s ../s.json .claude/settings.json", []string{"echo a >f"}, []string{"echo x >s.json", "rm s.json", "rm .claude/settings.json"}, "",
		},
		".claude": {
			"mkdir ag; echo {} >ag/settings.json; ln -s ag .claude", []string{"echo a >f"},
			[]string{"rm .claude", "rm .claude; mkdir .claude", "echo x >ag/settings.json", "echo x >ag/new", "mv ag x"}, "",
		},
		".claude to an empty folder": {
			"mkdir ag; ln -s ag .claude", []string{"echo a >ag/f", "echo {} >.claude/settings.json"}, []string{"rm .claude"}, "ag/settings.json",
		},
		".claude to the root": {
			repo + "echo {} >settings.json; ln -s . .claude", []string{"echo a >f; mkdir d; git add f; git commit -qm f", "echo {} >hooks.json"}, []string{"rm .claude", "echo x >settings.json"}, "hooks.json",
		},
		".claude to a parent":     {"ln -s .. .claude", []string{"echo a >f"}, []string{"rm .claude"}, ""},
		".claude to the whole":    {"ln -s / .claude", []string{"echo a >f"}, []string{"rm .claude"}, ""},
		".claude to the git data": {repo + "ln -s .git .claude", []string{"echo a >f; git add f; git commit -qm f"}, []string{"rm .claude"}, ""},
		".vscode to the source": {
			"mkdir -p src/pkg; echo a >src/a.go; ln -s src .vscode", []string{"echo b >>src/a.go; mkdir src/new", "echo {} >src/tasks.json"}, []string{"rm .vscode"}, "src/tasks.json",
		},
		".vscode to a folder of many": {
			"mkdir src; echo {} >src/settings.json; for i in $(seq 600); do : >src/$i; done; ln -s src .vscode", []string{"echo a >src/1; rm src/2"}, []string{"echo x >src/settings.json", "rm src/settings.json", "mv src x"}, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, l := layout(t, c.layout)
			for _, script := range c.allowed {
				if out, s := sh(t, l, w, script); !s.Success() {
					t.Errorf("%s: %s %s", script, s, out)
				}
			}
			var want []string
			if c.planted != "" {
				want = []string{filepath.Join(w, c.planted)}
			}
			if got := l.Planted(); !slices.Equal(got, want) {
				t.Errorf("told as planted: %v, want %v", got, want)
			}
			for _, script := range c.refused {
				if out, s := sh(t, l, w, script); s.Success() {
					t.Errorf("%s: allowed %s", script, out)
				}
			}
			slow := func(s string) bool { return strings.Contains(s, "too much to look through") } // on a busy machine
			if got := slices.DeleteFunc(l.Weakened(), slow); len(got) != 0 {
				t.Errorf("weaker: %v", got)
			}
		})
	}
}

// A link that the user replaces by a folder is covered again.
func TestALinkThatTheUserReplaces(t *testing.T) {
	t.Parallel()
	w, l := layout(t, "mkdir ag; echo {} >ag/settings.json; ln -s ag .claude")
	if _, s := sh(t, l, w, "rm .claude"); s.Success() {
		t.Fatal("not kept at all")
	}
	place := filepath.Join(w, ".claude")
	if err := os.Remove(place); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(place, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, s := sh(t, l, w, "echo x >.claude/settings.json"); s.Success() {
		t.Error("the new folder is writable")
	}
	if out, s := sh(t, l, w, "echo x >ag/settings.json"); !s.Success() {
		t.Errorf("the old one is not: %s", out)
	}
}
