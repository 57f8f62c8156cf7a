package code

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/tooltest"
)

// The test binary is its own launcher.
func TestMain(m *testing.M) {
	if launch.Main(os.Args) {
		return
	}
	tooltest.Wide()
	os.Exit(m.Run())
}

// bench is a project folder with the tool over it.
type bench struct {
	testing.TB
	dir   string
	roots *sandbox.Roots
	tool  *tools.Tool
}

// project makes a folder with files and the tool over it.
func project(t testing.TB, files map[string]string) *bench {
	t.Helper()
	return over(t, t.TempDir(), files, Config{})
}

func over(t testing.TB, dir string, files map[string]string, cfg Config) *bench {
	t.Helper()
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	for name, text := range files {
		write(t, filepath.Join(dir, name), text)
	}
	roots, err := sandbox.Open(sandbox.Config{Dirs: []string{dir}, State: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if cfg.Done == nil {
		done := make(chan struct{})
		t.Cleanup(func() { close(done) })
		cfg.Done = done
	}
	return &bench{t, dir, roots, New(cfg)}
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func (b *bench) read(name string) string {
	b.Helper()
	text, err := os.ReadFile(filepath.Join(b.dir, name))
	if err != nil {
		b.Fatal(err)
	}
	return string(text)
}

// output is an answer with its data decoded.
type output struct {
	*tools.Output
	data map[string]any
	raw  json.RawMessage
}

// call runs an action; args are pairs of names and values.
func (b *bench) call(action string, args ...any) *output {
	b.Helper()
	in := map[string]any{"action": action}
	for i := 0; i+1 < len(args); i += 2 {
		in[args[i].(string)] = args[i+1]
	}
	raw, err := json.Marshal(in)
	if err != nil {
		b.Fatal(err)
	}
	ctx := b.Context()
	out := &output{Output: tools.Invoke(ctx, b.tool, b.roots, nil, string(raw))}
	if out.raw, err = json.Marshal(out.Envelope.Data); err != nil {
		b.Fatal(err)
	}
	if err := json.Unmarshal(out.raw, &out.data); err != nil {
		b.Fatal(err)
	}
	return out
}

// ok is call that must succeed.
func (b *bench) ok(action string, args ...any) *output {
	b.Helper()
	out := b.call(action, args...)
	if e := out.Envelope.Error; e != nil {
		b.Fatalf("%s %v: %s: %s", action, args, e.Code, e.Message)
	}
	return out
}

// fails is call that must fail with a code.
func (b *bench) fails(code tools.Code, action string, args ...any) *output {
	b.Helper()
	out := b.call(action, args...)
	if e := out.Envelope.Error; e == nil || e.Code != code {
		b.Fatalf("%s %v: %+v, want %s\n%s", action, args, e, code, out.Text)
	}
	return out
}

// list gives the values of one field of the elements of a list in the data.
func (o *output) list(list, field string) []string {
	var out []string
	items, _ := o.data[list].([]any)
	for _, it := range items {
		m, _ := it.(map[string]any)
		b, _ := json.Marshal(m[field])
		out = append(out, strings.Trim(string(b), `"`))
	}
	return out
}

// applyPatch has git apply a diff.
func applyPatch(t testing.TB, dir, diff string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	cmd := exec.Command("git", "apply", "-")
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(diff)
	cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git apply: %v\n%s\n%s", err, out, diff)
	}
}

func goroot(t testing.TB) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skip("go is not installed")
	}
	return strings.TrimSpace(string(out))
}
