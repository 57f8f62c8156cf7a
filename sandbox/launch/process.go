package launch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Errors that a StartError wraps.
var (
	ErrNotFound      = errors.New("command not found")
	ErrNotExecutable = errors.New("not an executable program")
	ErrNoDir         = errors.New("no such folder to run in")
)

// StartError says why a command could not be started, with the exit code a
// shell would give: 127 not found, 126 not executable. Exit is 0 when the
// working folder is to blame.
type StartError struct {
	Exit int
	Path string
	Err  error
}

func (e *StartError) Error() string { return e.Path + ": " + e.Err.Error() }
func (e *StartError) Unwrap() error { return e.Err }

// Process is a started child.
type Process struct {
	// Pid is the child's number as it and its siblings see it: in the
	// launcher's pid namespace, where there is one. See HostPid.
	Pid int
	PTY *os.File // master of the terminal, the caller's to close; nil without Cmd.PTY

	done   chan struct{}
	status Status
	handle handle
}

// Status is how a child ended.
type Status struct {
	Code   int            // exit code, or 128 + the signal's number
	Signal syscall.Signal // 0 when it ended by itself
	Lost   bool           // the launcher died and took it along
	Left   bool           // others of its group, which it started, had not ended yet
}

// Success reports exit code 0.
func (s Status) Success() bool { return s.Code == 0 && s.Signal == 0 }

// SignalName is "SIGKILL" or the like, or "" when no signal ended it.
func (s Status) SignalName() string { return signalName(s.Signal) }

func (s Status) String() string {
	switch {
	case s.Lost:
		return "killed with the launcher"
	case s.Signal != 0:
		return s.SignalName()
	}
	return fmt.Sprintf("exit code %d", s.Code)
}

// Done is closed when the child has ended; its own children may live on.
func (p *Process) Done() <-chan struct{} { return p.done }

// Wait waits for the child, not for those that it started.
func (p *Process) Wait() Status {
	<-p.done
	return p.status
}

// Signal sends sig to the child's process group. It is an error when none is left.
func (p *Process) Signal(sig syscall.Signal) error { return p.handle.signal(p, sig) }

// Kill ends the child and everything it started, those that left its group
// included: TERM, then KILL after grace; at once when grace is 0. It returns
// when they are gone, or when nothing more can be done (grace + 5 s).
func (p *Process) Kill(grace time.Duration) { p.handle.kill(p, grace) }

// HostPid is the child's number on the host, 0 when it is not known.
func (p *Process) HostPid() int { return p.handle.hostPid(p) }

// handle is the way back to what started the process.
type handle interface {
	signal(p *Process, sig syscall.Signal) error
	kill(p *Process, grace time.Duration)
	hostPid(p *Process) int
}

func (p *Process) end(s Status) {
	p.status = s
	close(p.done)
}

// check refuses what no kernel call would name well.
func (c *Cmd) check() error {
	for _, s := range append(append([]string{c.Path, c.Dir}, c.Args...), c.Env...) {
		if strings.IndexByte(s, 0) >= 0 {
			return fmt.Errorf("a NUL byte in the command, its arguments, folder or environment")
		}
	}
	if c.Path == "" {
		return &StartError{Exit: 127, Path: `""`, Err: ErrNotFound}
	}
	if !strings.ContainsRune(filepath.ToSlash(c.Path), '/') {
		return &StartError{Exit: 127, Path: c.Path, Err: fmt.Errorf("%w: it was not looked up on the path", ErrNotFound)}
	}
	if !filepath.IsAbs(c.Dir) {
		return fmt.Errorf("the folder to run in, %q, is not absolute", c.Dir)
	}
	return nil
}

// fault is what is wrong with a command that did not start.
type fault uint8

const (
	noFault fault = iota
	dirMissing
	dirIsFile
	pathMissing
	pathIsDir
)

// diagnose looks from where the child would have run.
func diagnose(dir, path string) fault {
	st, err := os.Stat(dir)
	switch {
	case err != nil:
		return dirMissing
	case !st.IsDir():
		return dirIsFile
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	st, err = os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return pathMissing
	case err == nil && st.IsDir():
		return pathIsDir
	}
	return noFault
}

// startError puts what the kernel said, and what diagnose found, into words.
func startError(c *Cmd, err error, f fault) error {
	switch {
	case errors.Is(err, syscall.E2BIG):
		return &StartError{Exit: 126, Path: c.Path, Err: errors.New("the arguments and environment are too long: pass the text through stdin or a file")}
	case f == dirMissing:
		return &StartError{Path: c.Dir, Err: ErrNoDir}
	case f == dirIsFile:
		return &StartError{Path: c.Dir, Err: fmt.Errorf("%w: it is a file", ErrNoDir)}
	case f == pathMissing:
		return &StartError{Exit: 127, Path: c.Path, Err: ErrNotFound}
	case f == pathIsDir:
		return &StartError{Exit: 126, Path: c.Path, Err: fmt.Errorf("%w: it is a folder", ErrNotExecutable)}
	case errors.Is(err, fs.ErrNotExist):
		return &StartError{Exit: 127, Path: c.Path, Err: fmt.Errorf("%w: its interpreter (first line, or the dynamic loader) is missing", ErrNotFound)}
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.ENOEXEC):
		return &StartError{Exit: 126, Path: c.Path, Err: fmt.Errorf("%w: %w", ErrNotExecutable, cause(err))}
	}
	return fmt.Errorf("starting %s: %w", c.Path, cause(err))
}

// cause drops the path that the error carries, since the caller names it.
func cause(err error) error {
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
