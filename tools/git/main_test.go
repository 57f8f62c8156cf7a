package git

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/job"
)

// shared is the launcher of all tests; its children may write below scratch only.
var (
	shared  *launch.Launcher
	scratch string
)

func TestMain(m *testing.M) {
	if launch.Main(os.Args) {
		return
	}
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "git-tool-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		if scratch, err = filepath.EvalSymlinks(dir); err != nil {
			return 1
		}
		os.Setenv("TMPDIR", scratch)
		shared = launch.New(launch.Config{Writable: []string{scratch}, Home: scratch})
		defer shared.Close()
		code := m.Run()
		if left, _ := filepath.Glob(filepath.Join(scratch, "git-key-*")); len(left) > 0 {
			fmt.Fprintln(os.Stderr, "keys were left behind:", left)
			return 1
		}
		return code
	}())
}

// world is a test's own: a root, a folder outside it, a home with a global config, and the tool.
type world struct {
	testing.TB
	dir   string // the first root
	out   string // not in the roots
	home  string
	roots *sandbox.Roots
	tool  *tools.Tool
	env   []string

	launcher *launch.Launcher // its own, if not shared
}

func newWorld(t testing.TB, change ...func(*Config)) *world {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is missing")
	}
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{TB: t, dir: filepath.Join(base, "w"), out: filepath.Join(base, "o"), home: filepath.Join(base, "h")}
	for _, d := range []string{w.dir, w.out, w.home} {
		if err := os.Mkdir(d, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	w.file(w.home, ".gitconfig", "[user]\n\tname = Ann Ash\n\temail = ann@example.org\n[init]\n\tdefaultBranch = main\n[protocol \"file\"]\n\tallow = always\n")
	w.env = []string{"HOME=" + w.home, "PATH=" + os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "TMPDIR=" + scratch}
	if w.roots, err = sandbox.Open(sandbox.Config{Dirs: []string{w.dir}, Home: w.home}); err != nil {
		t.Fatal(err)
	}
	cfg := Config{
		Launcher: shared,
		Look:     func(name string) (string, error) { return exec.LookPath(name) },
		Environ:  func() []string { return w.env },
	}
	for _, f := range change {
		f(&cfg)
	}
	w.tool = New(cfg)
	return w
}

// repo makes a repository in a new world.
func newRepo(t testing.TB, change ...func(*Config)) *world {
	t.Helper()
	w := newWorld(t, change...)
	w.git("init", "-q")
	return w
}

func withJobs(t testing.TB) func(*Config) {
	return func(c *Config) {
		jobs := job.New(job.Config{Launcher: shared, Dir: scratch})
		t.Cleanup(jobs.Close)
		c.Jobs = jobs
	}
}

// git runs git itself in the root, without the tool.
func (w *world) git(args ...string) string {
	w.Helper()
	return w.gitIn(w.dir, args...)
}

func (w *world) gitIn(dir string, args ...string) string {
	w.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, w.env
	out, err := cmd.Output()
	if err != nil {
		if ee, ok := err.(*exec.ExitError); ok {
			err = fmt.Errorf("%w: %s%s", err, out, ee.Stderr)
		}
		w.Fatalf("git %q: %v", args, err)
	}
	return string(out)
}

// gitFails runs git and ignores how it ends.
func (w *world) gitAny(args ...string) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = w.dir, w.env
	_ = cmd.Run()
}

func (w *world) file(dir, name, text string) {
	w.Helper()
	full := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(full), 0o777); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o666); err != nil {
		w.Fatal(err)
	}
}

func (w *world) write(name, text string) { w.Helper(); w.file(w.dir, name, text) }

func (w *world) script(dir, name, text string) string {
	w.Helper()
	w.file(dir, name, "#!/bin/sh\n"+text+"\n")
	full := filepath.Join(dir, name)
	if err := os.Chmod(full, 0o755); err != nil {
		w.Fatal(err)
	}
	return full
}

// commit puts files (name, text, …) into a commit.
func (w *world) commit(message string, files ...string) string {
	w.Helper()
	for i := 0; i+1 < len(files); i += 2 {
		w.write(files[i], files[i+1])
	}
	w.git("add", "-A")
	w.git("commit", "-q", "--allow-empty", "-m", message)
	return strings.TrimSpace(w.git("rev-parse", "HEAD"))
}

func (w *world) has(name string) bool {
	full := name
	if !filepath.IsAbs(full) {
		full = filepath.Join(w.dir, name)
	}
	_, err := os.Lstat(full)
	return err == nil
}

// args are the arguments of a call.
type args map[string]any

func (w *world) try(action string, a args) *tools.Output {
	w.Helper()
	all := map[string]any{"action": action}
	for k, v := range a {
		all[k] = v
	}
	raw, err := json.Marshal(all)
	if err != nil {
		w.Fatal(err)
	}
	return tools.Invoke(context.Background(), w.tool, w.roots, nil, string(raw))
}

// call is try for calls that must succeed.
func (w *world) call(action string, a args) *tools.Output {
	w.Helper()
	out := w.try(action, a)
	if !out.Envelope.OK {
		w.Fatalf("%s %v: %v\n%s", action, a, out.Envelope.Error, out.Text)
	}
	return out
}

// fails is try for calls that must be refused with a code.
func (w *world) fails(code tools.Code, action string, a args) *tools.Output {
	w.Helper()
	out := w.try(action, a)
	if out.Envelope.OK {
		w.Fatalf("%s %v: succeeded, want %s\n%s", action, a, code, out.Text)
	}
	if got := out.Envelope.Error.Code; got != code {
		w.Fatalf("%s %v: %v, want %s", action, a, out.Envelope.Error, code)
	}
	return out
}

// data gives the data of an answer as the caller sees it.
func data[T any](t testing.TB, out *tools.Output) T {
	t.Helper()
	raw, err := json.Marshal(out.Envelope.Data)
	if err != nil {
		t.Fatal(err)
	}
	var v T
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// link makes a symbolic link in the root.
func (w *world) link(to, name string) {
	w.Helper()
	if err := os.Symlink(to, filepath.Join(w.dir, name)); err != nil {
		w.Fatal(err)
	}
}

// taken are those of the arguments that an action takes.
func (w *world) taken(action string, a args) args {
	out := args{}
	for name, v := range a {
		if slices.Contains(w.tool.Action(action).Params(), name) {
			out[name] = v
		}
	}
	return out
}

// policies makes the tool note under which limits git runs, by its command.
func (w *world) policies() func() map[string]launch.Policy {
	var mu sync.Mutex
	seen := map[string]launch.Policy{}
	g := &git{cfg: Config{Launcher: shared, Look: exec.LookPath, Environ: func() []string { return w.env }}}
	run := launched(shared, exec.LookPath)
	g.run = func(ctx context.Context, s spec) (result, error) {
		mu.Lock()
		for _, a := range s.args {
			if slices.Contains([]string{"fetch", "merge", "rebase", "pull", "push", "commit"}, a) {
				seen[a] = s.policy
				break
			}
		}
		mu.Unlock()
		return run(ctx, s)
	}
	w.tool = g.tool()
	return func() map[string]launch.Policy {
		mu.Lock()
		defer mu.Unlock()
		return maps.Clone(seen)
	}
}

// stdin runs git with text on its standard input.
func (w *world) stdin(text string, args ...string) {
	w.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env, cmd.Stdin = w.dir, w.env, strings.NewReader(text)
	if out, err := cmd.CombinedOutput(); err != nil {
		w.Fatalf("git %q: %v: %s", args, err, out)
	}
}
