package git

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
	"github.com/hanzoai/hanzo-mcp/tools"
)

// TestUnderTheRealLimits runs the writing actions as a server does: only the root is writable, and git's config and
// hooks are protected from children but for those that must write them.
func TestUnderTheRealLimits(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	l := launch.New(launch.Config{Writable: []string{w.dir}, Protect: sandbox.DefaultProtect(), Home: w.home})
	t.Cleanup(func() { l.Close() })
	w.tool = New(Config{Launcher: l, Look: exec.LookPath, Environ: func() []string { return w.env }})
	w.call("init", nil)
	w.write("a", "1\n")
	w.call("add", args{"all": true})
	w.call("commit", args{"message": "one"})
	w.call("config", args{"sub_action": "set", "key": "user.name", "value": "Bea"})
	w.call("branch", args{"sub_action": "create", "name": "side"})
	w.call("branch", args{"sub_action": "rename", "name": "side", "new_name": "other"})
	w.call("branch", args{"sub_action": "set_upstream", "name": "other", "ref": "main"})
	w.call("checkout", args{"create": true, "name": "third"})
	w.write("b", "b\n")
	w.call("add", args{"files": "b"})
	w.call("commit", args{"message": "two"})
	w.call("checkout", args{"ref": "main"})
	w.call("merge", args{"ref": "third", "mode": "no_ff"})
	w.call("rebase", args{"ref": "third"})
	w.call("tag", args{"sub_action": "create", "name": "v1", "message": "v"})
	w.write("a", "2\n")
	w.call("stash", args{"sub_action": "push"})
	w.call("stash", args{"sub_action": "pop"})
	w.call("reset", args{"mode": "hard", "confirm": true})
	w.call("worktree", args{"sub_action": "add", "destination": "wt", "name": "wt"})
	w.write("wt/c", "c\n")
	w.call("add", args{"path": "wt", "all": true})
	w.call("commit", args{"path": "wt", "message": "in wt"})
	w.call("reset", args{"path": "wt", "ref": "HEAD~1"})
	w.call("worktree", args{"sub_action": "remove", "destination": "wt", "force": true, "confirm": true})
	w.call("init", args{"path": "hub.git", "bare": true})
	w.call("remote", args{"sub_action": "add", "name": "origin", "url": "hub.git"})
	w.call("push", args{"set_upstream": true})
	w.call("fetch", nil)
	w.call("clone", args{"url": "hub.git", "destination": "copy"})
	w.call("clean", args{"confirm": true})
	w.call("branch", args{"sub_action": "delete", "name": "other"})
	w.call("bisect", args{"sub_action": "start"})
	w.call("bisect", args{"sub_action": "reset"})

	// A hook may not rewrite the hooks, nor write outside.
	w.script(w.dir, ".git/hooks/pre-commit", "echo x >.git/hooks/post-commit; echo x >"+filepath.Join(w.out, "pwn")+"; true")
	w.call("commit", args{"message": "three", "allow_empty": true})
	if w.has(".git/hooks/post-commit") || w.has(filepath.Join(w.out, "pwn")) {
		if r := l.Report(t.Context()); strings.Contains(r.String(), "namespaces") {
			t.Error("a hook wrote where it may not")
		}
	}
}

// TestProtectedFileKeepsItsContent: git calls it a success when the sandbox keeps a file from being written on a
// change of branch; the answer must not.
func TestProtectedFileKeepsItsContent(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.commit("one", "a", "1\n", ".vscode/settings.json", "{}\n")
	w.git("checkout", "-qb", "side")
	w.commit("two", "a", "2\n", ".vscode/settings.json", "{\"x\":1}\n")
	w.git("checkout", "-q", "main")
	l := launch.New(launch.Config{Writable: []string{w.dir}, Protect: sandbox.DefaultProtect(), Home: w.home})
	t.Cleanup(func() { l.Close() })
	w.tool = New(Config{Launcher: l, Look: exec.LookPath, Environ: func() []string { return w.env }})
	out := w.try("checkout", args{"ref": "side"})
	if dirty := w.git("status", "--porcelain"); dirty != "" && (out.Envelope.OK || out.Envelope.Error.Code != tools.PermissionDenied) {
		t.Errorf("%q is left, and the answer is %+v", dirty, out.Envelope)
	}
}

func TestHelpAndReadOnlySchema(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	if out := w.call("help", nil); !strings.Contains(out.Text, "cherry_pick") {
		t.Errorf("help: %.200s", out.Text)
	}
	schema := string(w.tool.Schema(true))
	for _, action := range []string{"commit", "reset", "clone", "apply", "add"} {
		if strings.Contains(schema, `"`+action+`"`) {
			t.Errorf("read-only offers %s", action)
		}
	}
	for _, action := range []string{"status", "stash", "branch", "config"} {
		if !strings.Contains(schema, `"`+action+`"`) {
			t.Errorf("read-only hides %s", action)
		}
	}
	w.fails(tools.UnknownAction, "statsu", nil)
	w.fails(tools.InvalidParams, "reset", args{"mode": "hard", "confrim": true})
}
