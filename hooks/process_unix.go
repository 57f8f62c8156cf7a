//go:build unix

package hooks

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// shellProgram hands a command to the shell.
func shellProgram(shell, command string) program {
	if shell == "" {
		shell = "/bin/sh"
	}
	return program{path: shell, argv: []string{shell, "-c", command}}
}

func sameVariable(key, name string) bool { return key == name }

// group is a running program with the process group that it leads.
type group struct {
	process *os.Process
	mu      sync.Mutex
	reaped  bool // its number may belong to somebody else from here on
}

func startGroup(p program, attr *os.ProcAttr) (*group, error) {
	attr.Sys = groupAttr()
	process, err := os.StartProcess(p.path, p.argv, attr)
	if err != nil {
		return nil, fmt.Errorf("starting %s: %w", p.path, reason(err))
	}
	return &group{process: process}, nil
}

// kill ends the whole group, if its leader has not been waited for.
func (g *group) kill() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.reaped {
		_ = syscall.Kill(-g.process.Pid, syscall.SIGKILL)
	}
}

// wait sees the leader end and ends the rest of its group.
func (g *group) wait() (*os.ProcessState, error) {
	seen := awaitExit(g.process.Pid)
	if seen {
		// The leader is a zombie: the number of its group cannot have been given to others yet.
		g.kill()
	}
	state, err := g.process.Wait()
	g.mu.Lock()
	defer g.mu.Unlock()
	if !seen {
		// The number stays taken while a member lives; only an emptied group's could be new, for a moment.
		_ = syscall.Kill(-g.process.Pid, syscall.SIGKILL)
	}
	g.reaped = true
	return state, err
}

func signalOf(state *os.ProcessState) string {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return status.Signal().String()
	}
	return ""
}

// drain takes what a pipe holds without waiting for more, up to what is kept anyway.
func drain(file *os.File, w io.Writer) {
	if err := file.SetReadDeadline(time.Time{}); err != nil {
		return
	}
	conn, err := file.SyscallConn()
	if err != nil {
		return
	}
	buffer := make([]byte, MaxStderr)
	_ = conn.Read(func(fd uintptr) bool {
		for taken := 0; taken < 2*MaxStderr; {
			n, err := syscall.Read(int(fd), buffer)
			if errors.Is(err, syscall.EINTR) {
				continue
			}
			if n <= 0 {
				break
			}
			taken += n
			_, _ = w.Write(buffer[:n])
		}
		return true
	})
}

// checkExecutable says why the system would not run a regular file as a program.
func checkExecutable(path string, info os.FileInfo) error {
	if info.Mode()&0o111 == 0 {
		return fmt.Errorf("%s is not executable: chmod +x it", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil // may be run without being readable; the system says what is wrong otherwise
	}
	defer func() { _ = file.Close() }()
	head := make([]byte, 512)
	n, err := io.ReadFull(file, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	head = head[:n]
	if !bytes.HasPrefix(head, []byte("#!")) {
		if bytes.IndexByte(head, 0) >= 0 {
			return nil // a binary
		}
		return fmt.Errorf("%s has no #! line: begin it with one, such as #!/bin/sh", path)
	}
	line, _, _ := bytes.Cut(head[2:], []byte("\n"))
	if bytes.IndexByte(line, '\r') >= 0 {
		return fmt.Errorf("the #! line of %s ends in CRLF: save the file with LF line ends", path)
	}
	fields := strings.Fields(string(line))
	if len(fields) == 0 {
		return fmt.Errorf("the #! line of %s names no interpreter", path)
	}
	if filepath.IsAbs(fields[0]) && !isFile(fields[0]) {
		return fmt.Errorf("the #! line of %s names %s, which does not exist", path, fields[0])
	}
	return nil
}
