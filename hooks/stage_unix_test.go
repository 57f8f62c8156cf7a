//go:build unix

package hooks

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"
)

// limit is how long anything here may take that must not hang.
const limit = 30 * time.Second

// stage holds a folder of hooks, and what was logged about them.
type stage struct {
	t   testing.TB
	dir string
	env []string
	mu  sync.Mutex
	log []string
}

func newStage(t testing.TB) *stage {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &stage{t: t, dir: dir, env: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}}
}

func (s *stage) write(name, text string, mode os.FileMode) string {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		s.t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		s.t.Fatal(err)
	}
	return path
}

func (s *stage) read(name string) string {
	s.t.Helper()
	text, err := os.ReadFile(filepath.Join(s.dir, name))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(text)
}

func (s *stage) exists(name string) bool {
	_, err := os.Lstat(filepath.Join(s.dir, name))
	return err == nil
}

func (s *stage) runner(hooks ...Hook) *Runner {
	s.t.Helper()
	for i := range hooks {
		if hooks[i].Dir == "" {
			hooks[i].Dir = s.dir
		}
	}
	r, err := NewRunner(Config{Hooks: hooks, Names: testNames(), Env: s.env, Temp: s.dir, Log: func(line string) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.log = append(s.log, line)
	}})
	if err != nil {
		s.t.Fatal(err)
	}
	return r
}

func (s *stage) logged() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.log)
}

func pre(command string) Hook  { return Hook{Event: PreToolUse, Command: command} }
func post(command string) Hook { return Hook{Event: PostToolUse, Command: command} }

func writeCall(input string) Call {
	return Call{Subject: Subject{Tool: "fs", Action: "write", Local: true}, Input: json.RawMessage(input), SessionID: "s1"}
}

// pipe is a named pipe in the stage's folder: what a hook opens for writing shows by it whether the hook lives.
type pipe struct {
	t      testing.TB
	reader *os.File
	writer *os.File // ours, so that a pipe that no hook has opened yet does not look abandoned
}

func (s *stage) pipe(name string) *pipe {
	s.t.Helper()
	path := filepath.Join(s.dir, name)
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		s.t.Fatal(err)
	}
	p := &pipe{t: s.t}
	var err error
	if p.reader, err = os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0); err == nil {
		p.writer, err = os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		_ = p.reader.Close()
		_ = p.writer.Close()
	})
	return p
}

// begun waits for a first byte.
func (p *pipe) begun() {
	if _, err := p.reader.Read(make([]byte, 1)); err != nil {
		p.t.Errorf("waiting for the hook to start: %v", err)
	}
}

// gone fails the test unless all that held the pipe have ended.
func (p *pipe) gone() {
	p.t.Helper()
	_ = p.writer.Close()
	if err := p.reader.SetReadDeadline(time.Now().Add(limit)); err != nil {
		p.t.Fatal(err)
	}
	if _, err := io.Copy(io.Discard, p.reader); err != nil {
		p.t.Fatalf("a process of the hook is still there: %v", err)
	}
}
