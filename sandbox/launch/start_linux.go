package launch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// backend holds a launcher process for each policy in use.
type backend struct {
	slots [policies]slot
	old   map[*instance]struct{} // retired, with children; guarded by Launcher.mu

	planted map[string]bool // what retired launchers have seen; guarded by Launcher.mu
	wait    sync.WaitGroup
}

// slot is a lock that a context can give up on, and the launcher it guards.
type slot struct {
	once sync.Once
	lock chan struct{}
	in   *instance
}

func (s *slot) acquire(ctx context.Context) error {
	s.once.Do(func() { s.lock = make(chan struct{}, 1) })
	select {
	case s.lock <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s *slot) free() { <-s.lock }

// lookEvery is how often paths that were missing are looked for again.
const lookEvery = time.Second

// instance is the launcher for a policy, started when there is none, or when
// what it covers is no longer all.
func (l *Launcher) instance(ctx context.Context, policy Policy) (*instance, error) {
	s := &l.slots[policy]
	if err := s.acquire(ctx); err != nil {
		return nil, err
	}
	defer s.free()
	cfg, err := l.config()
	if err != nil {
		return nil, err
	}
	l.coverAgain()
	if s.in != nil {
		stale := s.in.isDead() || s.in.replaced()
		if now := time.Now(); !stale && now.Sub(s.in.lastLook) > lookEvery {
			s.in.lastLook = now
			s.in.unseen.lookAgain()
			stale = s.in.appeared() || s.in.moved() || s.in.called()
		}
		if !stale && s.in.coverAgain() {
			return s.in, nil
		}
		l.drop(s.in)
		s.in = nil
	}
	in, err := spawn(ctx, cfg, policy)
	if err != nil {
		return nil, err
	}
	in.lastLook = time.Now()
	s.in = in
	l.warn(cfg, &l.weak, in.weak)
	l.warn(cfg, &l.left, in.left)
	return in, nil
}

// drop retires a launcher and remembers it until it is gone.
func (l *Launcher) drop(in *instance) {
	l.keep(in)
	l.mu.Lock()
	if l.old == nil {
		l.old = map[*instance]struct{}{}
	}
	l.old[in] = struct{}{}
	l.mu.Unlock()
	in.retire()
	l.wait.Go(func() {
		<-in.gone
		l.keep(in)
		l.mu.Lock()
		delete(l.old, in)
		l.mu.Unlock()
	})
}

func (in *instance) isDead() bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.dead
}

// Reconfigure applies cfg to children that start from now on. Those that run
// keep their limits; their launcher ends with the last of them.
func (l *Launcher) Reconfigure(cfg Config) {
	l.mu.Lock()
	l.cfg = cfg
	l.mu.Unlock()
	for i := range l.slots {
		s := &l.slots[i]
		s.acquire(context.Background())
		if s.in != nil {
			l.drop(s.in)
			s.in = nil
		}
		s.free()
	}
}

func (l *Launcher) stop(grace time.Duration) error {
	var all []*instance
	for i := range l.slots {
		s := &l.slots[i]
		s.acquire(context.Background())
		if s.in != nil {
			all = append(all, s.in)
			s.in = nil
		}
		s.free()
	}
	l.mu.Lock()
	for in := range l.old {
		all = append(all, in)
	}
	l.mu.Unlock()
	var ends sync.WaitGroup
	for _, in := range all {
		ends.Go(func() { in.close(grace) })
	}
	ends.Wait()
	l.wait.Wait()
	return nil
}

func (l *Launcher) start(ctx context.Context, c Cmd) (*Process, error) {
	cfg, err := l.config()
	if err != nil {
		return nil, err
	}
	policy := c.Policy
	if policy < 0 || policy >= policies {
		return nil, fmt.Errorf("no policy %d", policy)
	}
	if cfg.Confine == Off {
		policy = Unconfined
	}
	for try := 0; ; try++ {
		in, err := l.instance(ctx, policy)
		if err != nil {
			return nil, err
		}
		p, err := in.start(ctx, cfg, &c)
		// A launcher that died or retired meanwhile has started nothing.
		if errors.Is(err, errLost) && try < 2 && ctx.Err() == nil {
			continue
		}
		return p, err
	}
}

func (in *instance) start(ctx context.Context, cfg Config, c *Cmd) (*Process, error) {
	p := &Process{done: make(chan struct{})}
	id, err := in.enter(p)
	if err != nil {
		return nil, err
	}
	p.handle = &child{in: in, id: id}
	req := request{
		id: id, path: c.Path, dir: c.Dir, args: c.Args, pty: c.PTY, rows: c.Rows, cols: c.Cols,
		env: append(slices.Clip(c.Env), marker+"="+markOf(in.cookie, id)),
	}
	if in.perStart {
		req.writable = append(realPaths(expand(cfg.Home, c.Writable)), in.writable...)
	}
	var conn connSock
	select {
	case conn = <-in.free:
	case <-in.gone:
		err = errLost
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil {
		in.forget(id)
		return nil, err
	}
	var fds []int
	if !c.PTY {
		for i, f := range []*os.File{c.Stdin, c.Stdout, c.Stderr} {
			if f != nil {
				fd := int(f.Fd())
				syscall.SetNonblock(fd, false)
				fds, req.std[i] = append(fds, fd), true
			}
		}
	}
	p1 := req.pack()
	if _, err := p1.frame(); err != nil {
		in.putBack(conn)
		in.forget(id)
		return nil, startError(c, err, noFault)
	}
	type answer struct {
		u   *unpacker
		err error
	}
	// Bounded by the kernel alone: a folder on a dead network disk may keep the
	// fork waiting, so the context must not depend on it.
	reply := make(chan answer, 1)
	err = writeFrame(conn, p1, fds...)
	if err != nil {
		conn.Close()
		in.forget(id)
		return nil, errLost
	}
	go func() {
		u, err := readFrame(conn)
		if err != nil {
			conn.Close()
			err = errLost
		} else {
			in.putBack(conn)
		}
		reply <- answer{u, err}
	}()
	select {
	case a := <-reply:
		if err := in.started(p, c, a.u, a.err); err != nil {
			in.forget(id)
			return nil, err
		}
	case <-ctx.Done():
		go func() {
			a := <-reply
			if in.started(p, c, a.u, a.err) != nil {
				in.forget(id)
				return
			}
			in.done()
			p.discard()
		}()
		return nil, ctx.Err()
	}
	in.done()
	if err := ctx.Err(); err != nil {
		p.discard()
		return nil, err
	}
	return p, nil
}

// discard ends a process that nobody waits for.
func (p *Process) discard() {
	p.Kill(0)
	if p.PTY != nil {
		p.PTY.Close()
	}
}

// started reads the launcher's answer into p.
func (in *instance) started(p *Process, c *Cmd, u *unpacker, err error) error {
	if err != nil {
		return err
	}
	switch u.kind {
	case frameStarted:
		p.Pid = int(u.num())
		p.handle.(*child).n = u.num()
		if c.PTY && len(u.fds) == 1 {
			syscall.SetNonblock(u.fds[0], true)
			p.PTY = os.NewFile(uintptr(u.fds[0]), "pty")
			u.fds = nil
		}
		u.closeFds()
		return u.err
	case frameRefused:
		errno, f, text := syscall.Errno(u.num()), fault(u.num()), u.str()
		if text != "" {
			return errors.New(text)
		}
		return startError(c, errno, f)
	}
	u.closeFds()
	return errFrame
}

// putBack gives a worker's socket to the next start.
func (in *instance) putBack(conn connSock) {
	in.mu.Lock()
	dead := in.dead
	if !dead {
		in.free <- conn
	}
	in.mu.Unlock()
	if dead {
		conn.Close()
	}
}

// forget undoes enter for a process that did not start.
func (in *instance) forget(id uint64) {
	in.mu.Lock()
	delete(in.procs, id)
	in.mu.Unlock()
	in.done()
}

func (in *instance) done() {
	in.mu.Lock()
	in.busy--
	in.mu.Unlock()
	in.leave()
}

// child is the handle of a process.
type child struct {
	in *instance
	id uint64
	n  uint64 // of the start, as the launcher counts
}

func (h *child) signal(p *Process, sig syscall.Signal) error {
	return h.in.ask(killLimit, func(token uint64) *packer {
		return pack(frameSignal).num(token).num(uint64(p.Pid)).num(uint64(sig))
	})
}

func (h *child) kill(p *Process, grace time.Duration) {
	grace = max(grace, 0)
	err := h.in.ask(grace+killLimit, func(token uint64) *packer {
		return pack(frameKill).num(token).num(h.id).num(h.n).num(uint64(p.Pid)).num(uint64(grace))
	})
	if err == nil {
		// Its exit is on its way, before or after the answer.
		select {
		case <-p.done:
		case <-time.After(killLimit):
		}
	}
}

// hostPid looks for the process of the launcher's namespace that has this number there.
func (h *child) hostPid(p *Process) int {
	if !h.in.pidNamespace() {
		return p.Pid
	}
	space := func(pid int) string {
		link, _ := os.Readlink("/proc/" + strconv.Itoa(pid) + "/ns/pid")
		return link
	}
	ours := space(h.in.cmd.Process.Pid)
	for _, q := range procs() {
		data, err := os.ReadFile("/proc/" + strconv.Itoa(q.pid) + "/status")
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(data), "\nNSpid:")
		line, _, _ := strings.Cut(rest, "\n")
		f := strings.Fields(line)
		if len(f) > 1 && f[len(f)-1] == strconv.Itoa(p.Pid) && ours != "" && space(q.pid) == ours {
			return q.pid
		}
	}
	return 0
}
