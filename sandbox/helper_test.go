package sandbox

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"
)

// TestMain runs the helper processes of tests that need another process.
func TestMain(m *testing.M) {
	if h := helpers[os.Getenv("SANDBOX_TEST_HELPER")]; h != nil {
		if err := h(os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

var helpers = map[string]func(args []string) error{
	"overwrite": helperOverwrite,
	"increment": helperIncrement,
	"fill":      helperFill,
}

// helper returns a command that runs one of helpers, or this test program.
func helper(t *testing.T, name string, args ...string) *exec.Cmd {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, args...)
	cmd.Env = append(os.Environ(), "SANDBOX_TEST_HELPER="+name)
	return cmd
}

// world is a root W, a folder O beside it, and what a test needs to look at both.
type world struct {
	*Roots
	t    *testing.T
	W, O string
}

func newWorld(t *testing.T, change ...func(*Config)) *world {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, W: filepath.Join(base, "W"), O: filepath.Join(base, "O")}
	for _, d := range []string{w.W, w.O} {
		if err := os.Mkdir(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	cfg := Config{Dirs: []string{w.W}, Home: w.O, State: filepath.Join(base, "state")}
	for _, c := range change {
		c(&cfg)
	}
	if w.Roots, err = Open(cfg); err != nil {
		t.Fatal(err)
	}
	return w
}

// put writes a file below W, or an absolute one.
func (w *world) put(name, content string) string {
	w.t.Helper()
	name = w.abs(name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
		w.t.Fatal(err)
	}
	return name
}

func (w *world) link(target, name string) {
	w.t.Helper()
	name = w.abs(name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.Symlink(target, name); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) abs(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(w.W, name)
}

// get is the content of a file below W, or an absolute one.
func (w *world) get(name string) string {
	w.t.Helper()
	b, err := os.ReadFile(w.abs(name))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(b)
}

func (w *world) path(name string) Path {
	w.t.Helper()
	p, err := w.Resolve(name)
	if err != nil {
		w.t.Fatal(err)
	}
	return p
}

// read resolves and reads, as a tool does.
func (w *world) read(name string) (string, error) {
	p, err := w.Resolve(name)
	if err != nil {
		return "", err
	}
	f, err := w.Open(p)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(f)
	return string(b), err
}

func (w *world) write(name, content string, o ...WriteOptions) error {
	p, err := w.Resolve(name)
	if err != nil {
		return err
	}
	var opt WriteOptions
	if len(o) > 0 {
		opt = o[0]
	}
	_, err = w.WriteAtomic(w.t.Context(), p, strings.NewReader(content), opt)
	return err
}

// snapshot lists a folder with types, modes and contents, to see that nothing changed.
func snapshot(t *testing.T, dir string) string {
	t.Helper()
	var lines []string
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		line := fmt.Sprintf("%s %v %d", name, fi.Mode(), fi.ModTime().UnixNano())
		if fi.IsDir() {
			line = fmt.Sprintf("%s %v", name, fi.Mode())
		}
		switch {
		case fi.Mode().IsRegular():
			b, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			line += " " + string(b)
		case fi.Mode()&fs.ModeSymlink != 0:
			target, err := os.Readlink(name)
			if err != nil {
				return err
			}
			line += " -> " + target
		}
		lines = append(lines, line)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	sort.Strings(lines)
	return strings.Join(lines, "\n")
}

func wantKind(t *testing.T, what string, err error, kinds ...Kind) {
	t.Helper()
	if err == nil {
		t.Errorf("%s: done, want %v", what, kinds)
		return
	}
	for _, k := range kinds {
		if KindOf(err) == k {
			return
		}
	}
	t.Errorf("%s: %v (%v), want %v", what, err, KindOf(err), kinds)
}
