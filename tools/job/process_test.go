package job

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
)

func processes(t *testing.T) (*Manager, func(line string) Spec) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("runs sh")
	}
	dir := t.TempDir()
	l := launch.New(launch.Config{Confine: launch.Off})
	m := newManager(t, Config{Launcher: l})
	t.Cleanup(func() { m.Close(); l.Close() })
	return m, func(line string) Spec {
		return Spec{Kind: "test", Title: line, Cmd: launch.Cmd{Path: "/bin/sh", Args: []string{"sh", "-c", line}, Dir: dir, Env: []string{"PATH=" + os.Getenv("PATH")}}}
	}
}

// TestSlowReaderLosesNothing holds the reader up until long after the process has ended, while another process
// keeps the output open.
func TestSlowReaderLosesNothing(t *testing.T) {
	t.Parallel()
	m, sh := processes(t)
	j, err := m.Start(context.Background(), sh("sleep 0.3; echo first; sleep 0.3; echo second; sleep 60 &"))
	if err != nil {
		t.Fatal(err)
	}
	j.log.mu.Lock()
	<-j.proc.Done()
	// The reader waits with the first line, which it has read, and then with the second, which lay in the pipe. (A
	// mutex goes to who waits only the second time.)
	for range 3 {
		select {
		case <-j.Done():
			if got := string(j.log.mem); got != "first\nsecond\n" {
				t.Errorf("done before its output was read: %q", got)
			}
		case <-time.After(3 * linger):
		}
		j.log.mu.Unlock()
		j.log.mu.Lock()
	}
	j.log.mu.Unlock()
	<-j.Done()
	if got := all(j); got != "first\nsecond\n" {
		t.Errorf("%q", got)
	}
	if s := j.State(); !s.Lingering || s.Status != Completed {
		t.Errorf("%+v", s)
	}
	j.Signal(9, true)
	select {
	case <-j.over:
	case <-time.After(20 * time.Second):
		t.Error("what it left behind is still there")
	}
}

// TestLingeringOutputIsCollected: what a process leaves behind may still write, and finds a reader.
func TestLingeringOutputIsCollected(t *testing.T) {
	t.Parallel()
	m, sh := processes(t)
	spec := sh("(until [ -e go ]; do sleep 0.05; done; echo late; echo later) & echo now")
	j, err := m.Start(context.Background(), spec)
	if err != nil {
		t.Fatal(err)
	}
	<-j.Done()
	if got := all(j); got != "now\n" {
		t.Errorf("%q", got)
	}
	if err := os.WriteFile(filepath.Join(spec.Cmd.Dir, "go"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	<-j.over
	// Its output ends a moment before the process does.
	for end := time.Now().Add(10 * time.Second); j.State().Lingering && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	if got := all(j); got != "now\nlate\nlater\n" || j.State().Lingering {
		t.Errorf("%q %+v", got, j.State())
	}
}

func TestStartThatFails(t *testing.T) {
	t.Parallel()
	m, sh := processes(t)
	spec := sh("true")
	spec.ID, spec.Cmd.Path = "x", "/nosuch/program"
	if _, err := m.Start(context.Background(), spec); err == nil {
		t.Fatal("no error")
	}
	if len(m.List("")) != 0 {
		t.Error("it is listed")
	}
	spec.Cmd.Path = "/bin/sh"
	j, err := m.Start(context.Background(), spec)
	if err != nil {
		t.Fatalf("the id stays taken: %v", err)
	}
	<-j.Done()
}

// TestStartThatFailsLeavesNothingOpen: a call cancelled before its process has started comes in storms.
func TestStartThatFailsLeavesNothingOpen(t *testing.T) {
	t.Parallel()
	m, sh := processes(t)
	spec := sh("true")
	spec.Open, spec.Cmd.Path = true, "/nosuch/program"
	j, err := m.reserve(spec)
	if err != nil {
		t.Fatal(err)
	}
	defer m.release(j)
	out, err := j.launch(context.Background(), m.cfg.Launcher, spec)
	if err == nil {
		t.Fatal("no error")
	}
	for name, f := range map[string]*os.File{"output": out, "input": j.input} {
		if f == nil || !errors.Is(f.Close(), os.ErrClosed) {
			t.Errorf("the pipe for the %s is still open", name)
		}
	}
}
