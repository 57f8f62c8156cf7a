package launch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const handshakeLimit = 10 * time.Second

// instance is the server's side of one launcher process.
type instance struct {
	plan
	cfg      Config
	cmd      *exec.Cmd
	event    connSock
	send     sync.Mutex    // of event
	free     chan connSock // workers without a request
	notes    []string      // the plan's, the failed attempts', the launcher's
	holders  []string
	gone     chan struct{} // closed when the process has ended and been reaped
	lastLook time.Time     // of plan.appeared; guarded by slot
	looking  sync.Mutex    // of plan.planted

	mu      sync.Mutex
	procs   map[uint64]*Process
	pending map[uint64]chan syscall.Errno // by token
	next    uint64                        // of ids and tokens
	busy    int                           // starts on their way
	dead    bool
	retired bool

	watching bool // what is hidden is looked at while children run
}

// errLost means that the launcher ended before it answered.
var errLost = errors.New("the launcher ended; the next command starts a new one")

// spawn starts a launcher for a policy, trying the ways one after the other.
func spawn(ctx context.Context, cfg Config, policy Policy) (*instance, error) {
	var failed []string
	ways := attempts(cfg, policy)
	for _, s := range ways {
		p := makePlan(cfg, policy, s)
		in, err := launch(ctx, cfg, p)
		if err == nil {
			if cfg.Mechanism == Best && s.mechanism != ways[0].mechanism {
				in.weak = append(in.weak, fmt.Sprintf("commands are confined by %s only: %s", s.mechanism, strings.Join(slices.Compact(slices.Clone(failed)), "; ")))
			}
			in.notes = slices.Concat(failed, in.plan.notes, in.notes, in.weak)
			return in, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if isShort(err) {
			return nil, fmt.Errorf("starting the launcher: %w; try again when less runs", err)
		}
		failed = append(failed, fmt.Sprintf("%s: %v", s.mechanism, err))
		cfg.log("confinement by " + failed[len(failed)-1])
	}
	if cfg.Confine == Required && policy != Unconfined {
		return nil, fmt.Errorf("nothing on this machine confines children, and sandbox.confine is \"required\" (%v): set it to \"auto\" in the user settings, or allow user namespaces or Landlock", failed)
	}
	return nil, fmt.Errorf("starting the launcher: %v", failed)
}

func launch(ctx context.Context, cfg Config, p plan) (in *instance, err error) {
	if len(os.Args) > 1 && os.Args[1] == launcherWord {
		return nil, errors.New("this program was started as a launcher and does not call launch.Main first")
	}
	workers := p.workers()
	in = &instance{plan: p, cfg: cfg, free: make(chan connSock, workers), gone: make(chan struct{}), procs: map[uint64]*Process{}, pending: map[uint64]chan syscall.Errno{}}
	var theirs []*os.File
	var conns []connSock
	closeAll := func() {
		for _, f := range theirs {
			f.Close()
		}
	}
	defer func() {
		closeAll()
		if err != nil {
			for _, c := range conns {
				c.Close()
			}
		}
	}()
	for range workers + 1 {
		mine, their, err := socketpair()
		if err != nil {
			return nil, err
		}
		conns, theirs = append(conns, mine), append(theirs, their)
	}
	self := cfg.Self
	if self == "" {
		self = "/proc/self/exe" // also when the file has been replaced by an update
	}
	in.cmd = &exec.Cmd{
		Path: self, Args: []string{"hanzo-mcp", launcherWord, strconv.Itoa(workers)}, Env: []string{}, Dir: "/",
		ExtraFiles: theirs, SysProcAttr: p.attr(),
	}
	if err := spare(startFiles); err != nil {
		return nil, err
	}
	if err := in.begin(); err != nil {
		return nil, err
	}
	closeAll()
	theirs = nil
	in.event = conns[0]
	stop := context.AfterFunc(ctx, func() { in.event.SetDeadline(time.Now()) })
	in.event.SetDeadline(time.Now().Add(handshakeLimit))
	err = in.handshake()
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		in.cmd.Process.Kill()
		in.cmd.Wait()
		removePlaceholders(in.holders)
		return nil, err
	}
	in.event.SetDeadline(time.Time{})
	for _, c := range conns[1:] {
		in.free <- c
	}
	go in.listen()
	return in, nil
}

// isShort reports whether a start failed for want of what may be there a moment later: no reason to confine less.
func isShort(err error) bool {
	return slices.ContainsFunc([]error{unix.EMFILE, unix.ENFILE, unix.EAGAIN, unix.ENOMEM}, func(want error) bool { return errors.Is(err, want) })
}

// startFiles is more than a start opens for a moment.
const startFiles = 16

// spare fails when fewer than n descriptors can be had. A start that runs out of them half-way leaves two open for good:
// the standard library does not close its pipe for the maps of ids when clone fails.
func spare(n int) error {
	for range n {
		fd, err := unix.Eventfd(0, unix.EFD_CLOEXEC)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
	}
	return nil
}

// workers is how many threads fork. Each that restricts itself by Landlock makes
// a domain of its own, and children of two could not signal or trace each other;
// so only a launcher that is in its domain from birth, or in none, has several.
func (p *plan) workers() int {
	if p.pidNamespace() || p.mechanism == None || p.perStart {
		return min(max(runtime.GOMAXPROCS(0), 2), 8)
	}
	return 1
}

// begin starts the process from a thread that has what the launcher's are to have
// from birth, and that ends with its goroutine: a session keyring of its own, and
// in a pid namespace, where nobody inside can end it, the Landlock domain that
// keeps its children from abstract sockets.
func (in *instance) begin() error {
	if in.mechanism == None || in.perStart {
		return in.cmd.Start()
	}
	done := make(chan error)
	go func() {
		runtime.LockOSThread()
		// Without keyrings there is none to share.
		if _, err := unix.KeyctlInt(unix.KEYCTL_JOIN_SESSION_KEYRING, 0, 0, 0, 0); err != nil && err != unix.ENOSYS {
			in.plan.notes = append(in.plan.notes, "keys of the session's keyring can be used: "+err.Error())
		}
		if in.pidNamespace() {
			in.scope()
		}
		done <- in.cmd.Start()
	}()
	return <-done
}

func (in *instance) scope() {
	rules, err := scopeRules(unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET)
	if err == nil {
		defer rules.close()
		if err = unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err == nil {
			err = rules.apply()
		}
	}
	if err != nil {
		in.plan.notes = append(in.plan.notes, "abstract sockets of other programs (X11, session bus) can be reached: "+err.Error())
	}
}

// attr are the namespaces of the launcher. The user keeps the number it has, so
// that files keep their owner.
func (p *plan) attr() *syscall.SysProcAttr {
	attr := &syscall.SysProcAttr{Setsid: true}
	if p.mechanism != Namespaces {
		return attr
	}
	attr.Cloneflags = unix.CLONE_NEWUSER | unix.CLONE_NEWNS
	if p.proc {
		attr.Cloneflags |= unix.CLONE_NEWPID
	}
	if p.noNetwork {
		attr.Cloneflags |= unix.CLONE_NEWNET
	}
	// An exec by a user other than root keeps these alone.
	attr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_SETPCAP}
	attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: os.Geteuid(), HostID: os.Geteuid(), Size: 1}}
	attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: os.Getegid(), HostID: os.Getegid(), Size: 1}}
	return attr
}

func (in *instance) handshake() error {
	u := (*unpacker)(nil)
	err := writeFrame(in.event, in.setup.pack())
	if err == nil {
		u, err = readFrame(in.event)
	}
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return fmt.Errorf("no answer from %s: does its main call launch.Main first?", in.cmd.Path)
	case err != nil:
		return fmt.Errorf("no answer from %s (%w): does its main call launch.Main first?", in.cmd.Path, err)
	case u.kind == frameFailed:
		return errors.New(u.str())
	case u.kind != frameReady:
		return errFrame
	}
	in.notes, in.holders = u.strs(), u.strs()
	in.weak = append(in.weak, u.strs()...)
	for _, path := range in.protect {
		if in.places[path] == (fileID{}) {
			in.places[path] = identifyPlace(path) // a placeholder by now
		}
	}
	return u.err
}

// listen takes the launcher's news until it ends.
func (in *instance) listen() {
	for {
		u, err := readFrame(in.event)
		if err != nil {
			break
		}
		switch u.kind {
		case frameExited:
			id, ws, left := u.num(), syscall.WaitStatus(u.num()), u.num()
			in.mu.Lock()
			p := in.procs[id]
			delete(in.procs, id)
			in.mu.Unlock()
			if p != nil && u.err == nil {
				st := statusOf(ws)
				st.Left = left != 0
				p.end(st)
			}
			in.leave()
		case frameDone:
			token, errno := u.num(), syscall.Errno(u.num())
			in.mu.Lock()
			ch := in.pending[token]
			delete(in.pending, token)
			in.mu.Unlock()
			if ch != nil {
				ch <- errno
			}
		}
		u.closeFds()
	}
	in.bury()
}

// bury cleans up after the launcher's end.
func (in *instance) bury() {
	in.mu.Lock()
	in.dead = true
	procs, pending := in.procs, in.pending
	in.procs, in.pending = nil, nil
	in.mu.Unlock()
	in.event.Close()
	in.cmd.Process.Kill()
	in.cmd.Wait()
	if !in.pidNamespace() {
		// Killed from outside, it left orphans: they bear its mark.
		sweep(&in.setup)
	}
	removePlaceholders(in.holders)
	for range cap(in.free) {
		select {
		case c := <-in.free:
			c.Close()
		default: // with a start that fails, and is closed there
		}
	}
	close(in.gone)
	for _, ch := range pending {
		ch <- syscall.ESRCH
	}
	for _, p := range procs {
		p.end(Status{Code: 128 + int(syscall.SIGKILL), Signal: syscall.SIGKILL, Lost: true})
	}
}

func statusOf(ws syscall.WaitStatus) Status {
	if ws.Signaled() {
		return Status{Code: 128 + int(ws.Signal()), Signal: ws.Signal()}
	}
	return Status{Code: ws.ExitStatus()}
}

// sweep kills what a dead launcher's children left behind.
func sweep(s *setup) {
	prefix := marker + "=" + s.cookie + "-"
	endAll(func() []int {
		var out []int
		for _, p := range procs() {
			if n, _ := s.origin(p.pid, maxStarts); n > 0 || environHas(p.pid, func(kv string) bool { return len(kv) > len(prefix) && kv[:len(prefix)] == prefix }) {
				out = append(out, p.pid)
			}
		}
		return out
	}, 0)
}

// enter counts a start on its way, so that a retired launcher waits for it.
func (in *instance) enter(p *Process) (id uint64, err error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.dead || in.retired {
		return 0, errLost
	}
	in.busy++
	in.next++
	in.procs[in.next] = p
	if in.mechanism == Namespaces && !in.watching {
		in.watching = true
		time.AfterFunc(lookEvery, in.watch)
	}
	return in.next, nil
}

// leave shuts a retired launcher down when its last child has ended.
func (in *instance) leave() {
	in.mu.Lock()
	idle := in.retired && !in.dead && in.busy == 0 && len(in.procs) == 0
	in.mu.Unlock()
	if idle {
		in.shutdown(0)
	}
}

func (in *instance) retire() {
	in.mu.Lock()
	in.retired = true
	in.mu.Unlock()
	in.leave()
}

func (in *instance) tell(p *packer) error {
	in.send.Lock()
	defer in.send.Unlock()
	return writeFrame(in.event, p)
}

func (in *instance) shutdown(grace time.Duration) { in.tell(pack(frameShutdown).num(uint64(grace))) }

// close ends the launcher and everything in it, and waits.
func (in *instance) close(grace time.Duration) {
	in.shutdown(grace)
	select {
	case <-in.gone:
	case <-time.After(grace + killLimit + time.Second):
		in.cmd.Process.Kill()
		<-in.gone
	}
}

// ask sends a frame with a token and waits for its answer.
func (in *instance) ask(limit time.Duration, build func(token uint64) *packer) error {
	ch := make(chan syscall.Errno, 1)
	in.mu.Lock()
	if in.dead {
		in.mu.Unlock()
		return syscall.ESRCH
	}
	in.next++
	token := in.next
	in.pending[token] = ch
	in.mu.Unlock()
	if err := in.tell(build(token)); err != nil {
		return syscall.ESRCH
	}
	select {
	case errno := <-ch:
		if errno != 0 {
			return errno
		}
		return nil
	case <-time.After(limit):
		in.mu.Lock()
		delete(in.pending, token)
		in.mu.Unlock()
		return errors.New("the launcher did not answer")
	}
}
