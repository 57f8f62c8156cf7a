package launch

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// The test binary is its own launcher, attacker and second server.
func TestMain(m *testing.M) {
	if Main(os.Args) {
		return
	}
	if len(os.Args) > 2 {
		switch os.Args[1] {
		case "__attack":
			os.Exit(attack(os.Args[2]))
		case "__server":
			os.Exit(secondServer(os.Args[2], os.Args[3]))
		}
	}
	os.Exit(m.Run())
}

var mechanisms = []Mechanism{Namespaces, Landlock, None}

// newLauncher makes a launcher that is closed with the test and fails it when
// the asked mechanism is not in force.
func newLauncher(t testing.TB, cfg Config) *Launcher {
	t.Helper()
	if cfg.Mechanism == Namespaces || cfg.Mechanism == Landlock {
		cfg.Confine = Required
	}
	l := New(cfg)
	t.Cleanup(func() { l.Close() })
	return l
}

// eachMechanism runs a test under every mechanism.
func eachMechanism(t *testing.T, cfg Config, test func(t *testing.T, l *Launcher)) {
	t.Helper()
	for _, m := range mechanisms {
		t.Run(string(m), func(t *testing.T) {
			t.Parallel()
			c := cfg
			c.Mechanism = m
			test(t, newLauncher(t, c))
		})
	}
}

func baseEnv(more ...string) []string {
	env, _ := Environ(EnvConfig{Base: os.Environ()})
	return MergeEnv(env, more)
}

// started is a process with its output.
type started struct {
	*Process
	out *os.File
}

func start(t testing.TB, l *Launcher, c Cmd) *started {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	c.Stdout, c.Stderr = w, w
	if c.Env == nil {
		c.Env = baseEnv()
	}
	if c.Dir == "" {
		c.Dir = "/"
	}
	p, err := l.Start(t.Context(), c)
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	return &started{p, r}
}

func shell(t testing.TB, l *Launcher, dir, script string, env ...string) *started {
	t.Helper()
	return start(t, l, Cmd{Path: "/bin/sh", Args: []string{"sh", "-c", script}, Dir: dir, Env: baseEnv(env...)})
}

// output waits for the pipe to close and the process to end.
func (s *started) output(t testing.TB) (string, Status) {
	t.Helper()
	s.out.SetReadDeadline(time.Now().Add(60 * time.Second))
	out, err := io.ReadAll(s.out)
	if err != nil {
		t.Fatalf("reading output: %v, so far %q", err, out)
	}
	return string(out), s.Wait()
}

func run(t testing.TB, l *Launcher, dir, script string, env ...string) (string, Status) {
	t.Helper()
	return shell(t, l, dir, script, env...).output(t)
}

func mustRun(t testing.TB, l *Launcher, dir, script string, env ...string) string {
	t.Helper()
	out, s := run(t, l, dir, script, env...)
	if !s.Success() {
		t.Fatalf("%s: %s\n%s", script, s, out)
	}
	return out
}

// line reads one line of output.
func (s *started) line(t testing.TB) string {
	t.Helper()
	s.out.SetReadDeadline(time.Now().Add(30 * time.Second))
	var b bytes.Buffer
	for one := make([]byte, 1); ; {
		if _, err := io.ReadFull(s.out, one); err != nil {
			t.Fatalf("reading a line: %v, so far %q", err, b.String())
		}
		if one[0] == '\n' {
			return b.String()
		}
		b.WriteByte(one[0])
	}
}

// eventually waits for a condition that nothing announces.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
	defer cancel()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-ctx.Done():
			t.Fatalf("%s: not within 15 s", what)
		}
	}
}

// running counts processes of this machine whose arguments hold a text.
func running(text string) int {
	n := 0
	for _, p := range procs() {
		data, _ := os.ReadFile(filepath.Join("/proc", itoa(p.pid), "cmdline"))
		if bytes.Contains(data, []byte(text)) {
			n++
		}
	}
	return n
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

func need(t testing.TB, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is missing", tool)
		}
	}
}

// gitRepo makes a repository with one commit.
func gitRepo(t testing.TB, dir string) {
	t.Helper()
	need(t, "git")
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"}, {"config", "user.email", "a@b"}, {"config", "user.name", "a"}, {"commit", "-q", "--allow-empty", "-m", "one"},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = dir, append(baseEnv(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
}

func contains(t testing.TB, what, text, part string) {
	t.Helper()
	if !strings.Contains(text, part) {
		t.Errorf("%s: %q not in %q", what, part, text)
	}
}
