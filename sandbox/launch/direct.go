//go:build !linux

package launch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// backend starts children directly: here the system has no namespaces, so there
// is no launcher process; the system's own means are in confine and group.
type backend struct {
	live sync.Map // *direct → struct{}
	once sync.Once
	wrap wrapper
}

// direct is the handle of one child.
type direct struct {
	cmd   *exec.Cmd
	group group
	owner *Launcher
}

// Main would run the launcher; this system has none.
func Main([]string) bool { return false }

func (l *Launcher) start(ctx context.Context, c Cmd) (*Process, error) {
	cfg, err := l.config()
	if err != nil {
		return nil, err
	}
	l.once.Do(func() { l.wrap = newWrapper() })
	path, args, err := l.wrap.command(l, cfg, c)
	if err != nil {
		return nil, err
	}
	cmd := &exec.Cmd{Path: path, Args: args, Dir: c.Dir, Env: c.Env}
	if cmd.Env == nil {
		cmd.Env = []string{}
	}
	// A typed nil must not become an io.Reader.
	if c.Stdin != nil {
		cmd.Stdin = c.Stdin
	}
	if c.Stdout != nil {
		cmd.Stdout = c.Stdout
	}
	if c.Stderr != nil {
		cmd.Stderr = c.Stderr
	}
	d := &direct{cmd: cmd, owner: l}
	master, err := d.group.start(cmd, c)
	if err != nil {
		return nil, startError(&c, err, diagnose(c.Dir, c.Path))
	}
	p := &Process{Pid: cmd.Process.Pid, PTY: master, done: make(chan struct{}), handle: d}
	l.live.Store(d, p)
	go func() {
		err := cmd.Wait()
		l.live.Delete(d)
		st := exitStatus(cmd.ProcessState, err)
		st.Left = runtime.GOOS != "windows" && d.group.signal(p, 0) == nil
		p.end(st)
	}()
	if err := ctx.Err(); err != nil {
		p.Kill(0)
		if master != nil {
			master.Close()
		}
		return nil, err
	}
	return p, nil
}

func (l *Launcher) stop(grace time.Duration) error {
	var wait sync.WaitGroup
	l.live.Range(func(_, v any) bool {
		wait.Go(func() { v.(*Process).Kill(grace) })
		return true
	})
	wait.Wait()
	return nil
}

// Reconfigure applies cfg to children that start from now on.
func (l *Launcher) Reconfigure(cfg Config) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.cfg = cfg
}

// Planted is always empty here.
func (l *Launcher) Planted() []string { return nil }

func (d *direct) signal(p *Process, sig syscall.Signal) error { return d.group.signal(p, sig) }
func (d *direct) hostPid(p *Process) int                      { return p.Pid }

func (d *direct) kill(p *Process, grace time.Duration) {
	if grace > 0 && d.group.signal(p, syscall.SIGTERM) == nil {
		select {
		case <-p.done:
		case <-time.After(grace):
		}
	}
	d.group.killAll(p)
	select {
	case <-p.done:
	case <-time.After(5 * time.Second):
	}
}

func exitStatus(ps *os.ProcessState, err error) Status {
	if ps == nil {
		return Status{Code: 1, Lost: true}
	}
	if ws, ok := ps.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return Status{Code: 128 + int(ws.Signal()), Signal: ws.Signal()}
	}
	if ps.ExitCode() < 0 && err != nil && !errors.As(err, new(*exec.ExitError)) {
		return Status{Code: 1}
	}
	return Status{Code: ps.ExitCode()}
}

var errRequired = fmt.Errorf("nothing on this system confines children, and sandbox.confine is \"required\": set it to \"auto\" or use Linux")
