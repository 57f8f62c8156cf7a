package launch

import (
	"encoding/binary"
	"errors"
	"maps"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

const (
	launcherWord = "__launch" // argv[1] of a launcher process
	probeWord    = "__probe"  // argv[1] of a child that tries what it may do
	eventFd      = 3          // workers' sockets follow
)

// Main runs the launcher when args (os.Args) are a launcher's, and then does
// not return. A program that uses this package, a test binary included, calls
// it before anything else.
func Main(args []string) (handled bool) {
	if len(args) < 2 {
		return false
	}
	switch args[1] {
	case launcherWord:
		workers := 0
		if len(args) == 3 {
			workers, _ = strconv.Atoi(args[2])
		}
		syscall.Exit(serve(workers)) // at once: nothing waits for the end of a Go program here
	case probeWord:
		syscall.Exit(probe(args[2:]))
	}
	return false
}

// server is the launcher process: workers fork, one thread reaps, one reads events.
type server struct {
	setup
	event   rawSock
	send    sync.Mutex // of event
	devNull int
	rules   *ruleset // Landlock, nil without
	notes   []string
	open    []string        // what could not be guarded, and why
	holders map[string]int  // descriptors of the placeholders for missing protected paths
	pinned  map[string]bool // folders that cannot be renamed, see pin

	mu      sync.Mutex
	byPid   map[int]uint64
	early   map[int]syscall.WaitStatus // ended before their fork was entered in byPid
	forking int
	forked  int        // an eventfd: a child was made, for the reaper that had none
	dying   sync.Mutex // held for ever by who ends the process

	forks  sync.Mutex    // a fork has the limits of its own start
	starts atomic.Uint64 // made so far
}

func serve(workers int) int {
	// A thread that shares its state with nobody, for prctl and mounts.
	runtime.LockOSThread()
	debug.SetGCPercent(400)
	// A child that signals its parent, which is process 1 for it, must not end the launcher and with it all others.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGILL, syscall.SIGTRAP, syscall.SIGABRT,
		syscall.SIGBUS, syscall.SIGFPE, syscall.SIGSEGV, syscall.SIGTERM, syscall.SIGSTKFLT, syscall.SIGSYS)
	if workers < 1 || workers > 64 {
		return 2
	}
	closeOnExec(eventFd + workers + 1)
	for fd := eventFd; fd <= eventFd+workers; fd++ {
		if typ, err := unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TYPE); err != nil || typ != unix.SOCK_STREAM {
			os.Stderr.WriteString("hanzo-mcp: this word is for the server's own use\n")
			return 2
		}
		unix.CloseOnExec(fd)
	}
	s := &server{event: eventFd, holders: map[string]int{}, pinned: map[string]bool{}, byPid: map[int]uint64{}, early: map[int]syscall.WaitStatus{}}
	u, err := readFrame(s.event)
	if err != nil || u.kind != frameSetup {
		return 2
	}
	s.setup = u.setup()
	if u.err == nil {
		err = s.prepare(workers)
	} else {
		err = u.err
	}
	if err != nil {
		s.release()
		writeFrame(s.event, pack(frameFailed).str(err.Error()))
		return 1
	}
	if err := writeFrame(s.event, pack(frameReady).strs(s.notes).strs(slices.Sorted(maps.Keys(s.holders))).strs(s.open)); err != nil {
		s.end(0)
	}
	go s.reap()
	s.listen()
	return 0
}

// closeOnExec keeps children from what the server was itself started with.
func closeOnExec(from int) {
	if unix.CloseRange(uint(from), ^uint(0), unix.CLOSE_RANGE_CLOEXEC) == nil {
		return
	}
	entries, _ := os.ReadDir("/proc/self/fd")
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd >= from {
			unix.CloseOnExec(fd)
		}
	}
}

// step says which part of the set-up failed.
func step(what string, err error) error {
	if err == nil {
		return nil
	}
	return errors.New(what + ": " + err.Error())
}

func (s *server) prepare(workers int) error {
	fd, err := unix.Open("/dev/null", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return step("opening /dev/null", err)
	}
	s.devNull = fd
	if s.forked, err = unix.Eventfd(0, unix.EFD_CLOEXEC); err != nil {
		return step("making an eventfd", err)
	}
	if !s.pidNamespace() {
		if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
			return step("becoming a subreaper", err)
		}
	}
	if err := s.mark(0); err != nil {
		s.marks = 0
		s.notes = append(s.notes, "a daemon that clears its environment outlives the end of its command: no limit can be set: "+err.Error())
	}
	switch s.mechanism {
	case Namespaces:
		if err := s.mounts(); err != nil {
			return err
		}
		if !s.pidNamespace() {
			if s.rules, err = scopeRules(unix.LANDLOCK_SCOPE_SIGNAL | unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET); err != nil {
				s.notes = append(s.notes, "processes outside can be signalled: "+err.Error())
			}
		}
	case Landlock:
		if !s.perStart {
			if s.rules, err = s.fileRules(s.writable); err != nil {
				return err
			}
		} else if landlockABI() == 0 {
			return errors.New("the kernel has no Landlock")
		}
	}
	// Nobody may trace the launcher or read its memory; children are dumpable
	// again by their exec.
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return step("hiding the launcher", err)
	}
	ready := make(chan error)
	for i := range workers {
		go s.work(rawSock(eventFd+1+i), ready)
	}
	for range workers {
		err = errors.Join(err, <-ready)
	}
	return err
}

// restrict limits the calling thread, and by that what it forks. The goroutine
// stays on the thread for ever.
func (s *server) restrict(rules *ruleset) error {
	if s.mechanism == None {
		return nil
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return step("no_new_privs", err)
	}
	if err := rules.apply(); err != nil {
		return step("landlock", err)
	}
	return step("dropping capabilities", dropCaps())
}

// work serves one socket: it forks on a thread that is limited as children are.
func (s *server) work(conn rawSock, ready chan<- error) {
	runtime.LockOSThread()
	err := error(nil)
	if !s.perStart {
		err = s.restrict(s.rules)
	}
	ready <- err
	if err != nil {
		select {} // not back to the runtime: the thread may be half restricted
	}
	for {
		u, err := readFrame(conn)
		if err != nil {
			s.end(0)
		}
		req := u.request()
		if u.kind != frameStart || u.err != nil {
			s.end(0)
		}
		if s.perStart {
			s.startLimited(conn, &req, u)
		} else {
			s.start(conn, &req, u)
		}
		u.closeFds()
	}
}

// startLimited starts one child from a thread of its own, whose limits are this
// child's; the thread ends with the goroutine.
func (s *server) startLimited(conn rawSock, req *request, u *unpacker) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread()
		rules, err := s.fileRules(req.writable)
		if err == nil {
			err = s.restrict(rules)
			rules.close()
		}
		if err != nil {
			s.reply(conn, pack(frameRefused).num(uint64(unix.EPERM)).num(0).str(err.Error()))
			return
		}
		s.start(conn, req, u)
	}()
	<-done
}

func (s *server) start(conn rawSock, req *request, u *unpacker) {
	files := [3]uintptr{uintptr(s.devNull), uintptr(s.devNull), uintptr(s.devNull)}
	next := 0
	for i, has := range req.std {
		if has && next < len(u.fds) {
			files[i] = uintptr(u.fds[next])
			next++
		}
	}
	attr := &syscall.ProcAttr{Dir: req.dir, Env: req.env, Files: files[:], Sys: &syscall.SysProcAttr{Setsid: true}}
	if !s.pidNamespace() && !s.perStart {
		// The thread lives as long as the launcher does.
		attr.Sys.Pdeathsig = syscall.SIGKILL
	}
	var master, slave *os.File
	if req.pty {
		var err error
		if master, slave, err = openPTY(req.rows, req.cols); err != nil {
			s.reply(conn, pack(frameRefused).num(uint64(unix.EIO)).num(0).str("opening a terminal: "+err.Error()))
			return
		}
		defer master.Close()
		defer slave.Close()
		fd := slave.Fd()
		attr.Files = []uintptr{fd, fd, fd}
		attr.Sys.Setctty = true
	}
	s.mu.Lock()
	s.forking++
	s.mu.Unlock()
	pid, n, err := s.fork(req, attr)
	s.mu.Lock()
	s.forking--
	status, ended := syscall.WaitStatus(0), false
	if err == nil {
		if status, ended = s.early[pid]; ended {
			delete(s.early, pid)
		} else {
			s.byPid[pid] = req.id
		}
	}
	if s.forking == 0 {
		clear(s.early)
	}
	s.mu.Unlock()
	if err != nil {
		errno := syscall.EIO
		errors.As(err, &errno)
		s.reply(conn, pack(frameRefused).num(uint64(errno)).num(uint64(diagnose(req.dir, req.path))).str(""))
		return
	}
	reply := pack(frameStarted).num(uint64(pid)).num(n)
	if master != nil {
		s.reply(conn, reply, int(master.Fd()))
	} else {
		s.reply(conn, reply)
	}
	unix.Write(s.forked, binary.NativeEndian.AppendUint64(nil, 1))
	if ended {
		s.exited(req.id, pid, status)
	}
}

// fork starts the process as the n-th child.
func (s *server) fork(req *request, attr *syscall.ProcAttr) (pid int, n uint64, err error) {
	s.forks.Lock()
	defer s.forks.Unlock()
	n = s.starts.Add(1)
	if err := s.mark(n); err != nil {
		return 0, 0, err
	}
	pid, err = syscall.ForkExec(req.path, req.args, attr)
	return pid, n, err
}

// openPTY opens the terminal in the launcher's own /dev, so that its name is
// right for the child, and on a thread without the limits of children, who may
// open no terminal.
func openPTY(rows, cols uint16) (master, slave *os.File, err error) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		if master, slave, err = pty.Open(); err == nil && rows > 0 && cols > 0 {
			err = pty.Setsize(master, &pty.Winsize{Rows: rows, Cols: cols})
		}
	}()
	<-done
	if err != nil && master != nil {
		master.Close()
		slave.Close()
	}
	return master, slave, err
}

func (s *server) reply(conn rawSock, p *packer, fds ...int) {
	if writeFrame(conn, p, fds...) != nil {
		s.end(0)
	}
}

func (s *server) tell(p *packer) {
	s.send.Lock()
	err := writeFrame(s.event, p)
	s.send.Unlock()
	if err != nil {
		s.end(0)
	}
}

func (s *server) exited(id uint64, pid int, ws syscall.WaitStatus) {
	left := uint64(0)
	if syscall.Kill(-pid, 0) == nil { // each child leads a group
		left = 1
	}
	s.tell(pack(frameExited).num(id).num(uint64(ws)).num(left))
}

// reap waits for every child, the orphans it inherits included, and owns all
// exit statuses.
func (s *server) reap() {
	runtime.LockOSThread()
	for {
		var ws syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &ws, 0, nil)
		switch {
		case err == syscall.EINTR:
			continue
		case err != nil: // ECHILD: sleep until there is one. A channel would wake the thread by way of another.
			var count [8]byte
			unix.Read(s.forked, count[:])
			continue
		}
		s.mu.Lock()
		id, ours := s.byPid[pid]
		delete(s.byPid, pid)
		if !ours && s.forking > 0 {
			s.early[pid] = ws
		}
		s.mu.Unlock()
		if ours {
			s.exited(id, pid, ws)
		}
	}
}

// listen reads what is not a start. End of file means that the server is gone.
func (s *server) listen() {
	for {
		u, err := readFrame(s.event)
		if err != nil {
			s.end(0)
		}
		switch u.kind {
		case frameSignal:
			token, pid, sig := u.num(), int(u.num()), syscall.Signal(u.num())
			errno := syscall.ESRCH
			if u.err == nil && pid > 1 {
				errno = 0
				if err := syscall.Kill(-pid, sig); err != nil {
					errors.As(err, &errno)
				}
			}
			s.tell(pack(frameDone).num(token).num(uint64(errno)))
		case frameKill:
			token, id, n, pid, grace := u.num(), u.num(), u.num(), int(u.num()), time.Duration(u.num())
			if u.err == nil {
				go func() {
					s.killTree(id, n, pid, grace)
					s.tell(pack(frameDone).num(token).num(0))
				}()
			}
		case frameCover:
			s.coverMore(u.num(), u.strs())
		case frameShutdown:
			grace := time.Duration(u.num())
			go s.end(grace)
		}
		u.closeFds()
	}
}

// end ends every child and then the process. It does not return. The work is not
// the caller's, who may be limited as children are.
func (s *server) end(grace time.Duration) {
	go func() {
		s.dying.Lock()
		s.killAll(grace)
		s.release()
		syscall.Exit(0)
	}()
	select {}
}
