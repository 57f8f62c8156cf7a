// Package job keeps work that may outlast the call that began it: commands, network git, downloads, crawls.
//
// A [Manager] is made once for the server. It starts a [Job], a process or a Go function, collects its output
// in a bounded [Log], remembers how it ended and ends all that is left when the server does. A call waits for
// its job by [Manager.Foreground]; what takes longer goes on, and exec's ps, logs, wait and kill reach every
// kind of job by its id.
//
// The package must never hold more of an output than the limits say, write output to a file before secrets are
// replaced, let a finished child's own children delay anything, or leave a process, descriptor or goroutine
// behind. It decides nothing about which command may run, and nothing here is text for a model but errors.
// (HIP-0300 §2, long-running work.)
package job

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
	"github.com/hanzoai/hanzo-mcp/tools"
)

// Config is what a Manager needs. Zero values mean the default.
type Config struct {
	Launcher *launch.Launcher // starts processes; without it only functions can be run
	Secrets  func() []string  // bearers known now, replaced in every output
	Dir      string           // where the folder of log files is made; default os.TempDir, which children cannot write

	Foreground time.Duration // how long a call waits for its job; default tools.LocalLimit
	Memory     int           // bytes of output kept in memory per job; default 1 MiB
	File       int64         // bytes of output kept in a job's log file; default 100 MiB
	Running    int           // jobs at once that go on in the background; default 64, and a few more for calls that wait
	Finished   int           // ended jobs kept; default 100
}

// idle is how much memory the output of ended jobs may take together; what is more goes to files.
const idle = 32 << 20

// Manager starts jobs and knows them by id.
type Manager struct {
	cfg Config

	mu     sync.Mutex
	jobs   map[key]*Job
	taken  map[key]bool // jobs that are being started
	ended  []*Job       // in the order they ended
	serial int
	closed bool

	dirOnce sync.Once
	dirLock *os.File // says to other servers that the folder is in use; nil where that needs no lock
	dir     *os.Root
	dirErr  error
	sweeps  sync.WaitGroup
}

// key is how a job is known: each owner has ids of its own.
type key struct{ owner, id string }

func (j *Job) key() key { return key{j.Owner, j.ID} }

// New makes a manager. It starts nothing and makes no file.
func New(cfg Config) *Manager {
	cfg.Foreground = cmp.Or(cfg.Foreground, tools.LocalLimit)
	cfg.Memory = cmp.Or(cfg.Memory, 1<<20)
	cfg.File = cmp.Or(cfg.File, 100<<20)
	cfg.Running = cmp.Or(cfg.Running, 64)
	cfg.Finished = cmp.Or(cfg.Finished, 100)
	return &Manager{cfg: cfg, jobs: map[key]*Job{}, taken: map[key]bool{}}
}

// Spec says what to start.
type Spec struct {
	Owner   string        // the session that it belongs to: no other sees it, and it ends with it
	ID      string        // chosen by the caller: letters, digits, '.', '_', '-'; "" gives the next free "p1", "p2", …
	Kind    string        // the tool that started it: "exec", "git", "download", "crawl"
	Title   string        // the command, or what is done, for people
	Timeout time.Duration // the job is ended then; 0 is never
	Memory  int           // bytes of output kept in memory, when the call itself will give more than Config.Memory
	// Background is set when no call waits for the job: such jobs leave room for those of calls that do.
	Background bool

	Cmd   launch.Cmd // of a process; its Stdin, Stdout and Stderr are the manager's to set
	Input *string    // text for the process to read, then its end; nil is nothing at all
	Open  bool       // keep the input open for Job.Input (Input is then ignored)
}

// Limit is how long a call waits for its job.
func (m *Manager) Limit() time.Duration { return m.cfg.Foreground }

// Start starts a process. It runs until it ends, its timeout passes or it is killed: ctx only bounds the start.
// An error of the command itself is a *launch.StartError.
func (m *Manager) Start(ctx context.Context, spec Spec) (*Job, error) {
	j, err := m.reserve(spec)
	if err != nil {
		return nil, err
	}
	out, err := j.launch(ctx, m.cfg.Launcher, spec)
	if err != nil {
		m.release(j)
		return nil, err
	}
	m.register(j)
	j.follow(out, spec)
	return j, m.late(j)
}

// Go runs work as a job of its own. What work writes is the job's output; its context ends when the job is
// killed or timed out, and it must return soon after. An error makes the job failed, with exit code 1.
func (m *Manager) Go(spec Spec, work func(ctx context.Context, out io.Writer) error) (*Job, error) {
	j, err := m.reserve(spec)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	j.cancel = cancel
	m.register(j)
	j.run(ctx, spec, work)
	return j, m.late(j)
}

// reserve takes an id and one of the places for running jobs.
func (m *Manager) reserve(spec Spec) (*Job, error) {
	if spec.ID != "" && !validID(spec.ID) {
		return nil, tools.Errorf(tools.InvalidParams, "proc_id %q: use up to 64 letters, digits, '.', '_' or '-'", spec.ID).
			With(tools.Details{Param: "proc_id"})
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil, errClosed
	}
	if err := m.fullLocked(spec); err != nil {
		return nil, err
	}
	at := key{spec.Owner, spec.ID}
	old := m.jobs[at]
	if m.taken[at] || old != nil && old.active() {
		return nil, tools.Errorf(tools.Conflict, "proc_id %q is still running; choose another, or end it with exec kill", spec.ID).
			With(tools.Details{Param: "proc_id", Actual: spec.ID})
	}
	if old != nil {
		m.forgetLocked(old)
	}
	m.serial++
	for n := m.serial; at.id == ""; n++ {
		if at.id = fmt.Sprintf("p%d", n); m.jobs[at] != nil || m.taken[at] {
			at.id = ""
		}
	}
	m.taken[at] = true
	j := &Job{ID: at.id, Owner: spec.Owner, Kind: spec.Kind, Title: spec.Title, Started: time.Now(), manager: m,
		done: make(chan struct{}), over: make(chan struct{}), status: Running}
	name := fmt.Sprintf("%d-%s.log", m.serial, at.id)
	j.log = Log{memory: max(m.cfg.Memory, spec.Memory), usual: m.cfg.Memory, limit: m.cfg.File, redact: redactor{secrets: m.cfg.Secrets},
		create: func() (*os.File, error) { return m.logFile(name) }}
	return j, nil
}

var errClosed = tools.Errorf(tools.Cancelled, "the server is shutting down; nothing was started")

// release gives up what reserve took.
func (m *Manager) release(j *Job) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.taken, j.key())
}

// register makes a started job known.
func (m *Manager) register(j *Job) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.taken, j.key())
	m.jobs[j.key()] = j
}

// late ends a job that was started while the manager was being closed.
func (m *Manager) late(j *Job) error {
	m.mu.Lock()
	closed := m.closed
	m.mu.Unlock()
	if !closed {
		return nil
	}
	j.Stop(Killed, 0)
	j.log.remove()
	return errClosed
}

func validID(id string) bool {
	for _, r := range id {
		if (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && r != '.' && r != '_' && r != '-' {
			return false
		}
	}
	return len(id) <= 64
}

// Get finds a job of an owner. The error for an unknown id lists the known ones.
func (m *Manager) Get(owner, id string) (*Job, error) {
	m.mu.Lock()
	j := m.jobs[key{owner, id}]
	m.mu.Unlock()
	if j != nil {
		return j, nil
	}
	var ids []string
	for _, j := range m.List(owner) {
		if ids = append(ids, j.ID); len(ids) == 20 {
			break
		}
	}
	switch {
	case id == "":
		return nil, tools.Errorf(tools.InvalidParams, "proc_id is missing; exec ps lists the processes").With(tools.Details{Param: "proc_id", Available: ids})
	case len(ids) == 0:
		return nil, tools.Errorf(tools.NotFound, "no process has proc_id %q, and none is known; start one with exec", id)
	}
	return nil, tools.Errorf(tools.NotFound, "no process has proc_id %q; known are %s", id, strings.Join(ids, ", ")).
		With(tools.Details{Param: "proc_id", Actual: id, Available: ids, Nearest: tools.Nearest(id, ids)})
}

// EndOwner ends the jobs of an owner that is gone, with all that they started.
func (m *Manager) EndOwner(owner string) {
	var all sync.WaitGroup
	for _, j := range m.List(owner) {
		if j.active() || j.remains() {
			all.Go(func() { j.Stop(Killed, KillGrace) })
		}
	}
	all.Wait()
}

// List gives the jobs of an owner: the running ones first, each group newest first.
func (m *Manager) List(owner string) []*Job {
	list := m.all()
	list = slices.DeleteFunc(list, func(j *Job) bool { return j.Owner != owner })
	running := map[*Job]bool{}
	for _, j := range list {
		running[j] = j.active()
	}
	slices.SortFunc(list, func(a, b *Job) int {
		if running[a] != running[b] {
			if running[a] {
				return -1
			}
			return 1
		}
		return b.Started.Compare(a.Started)
	})
	return list
}

func (m *Manager) all() []*Job {
	m.mu.Lock()
	defer m.mu.Unlock()
	list := make([]*Job, 0, len(m.jobs))
	for _, j := range m.jobs {
		list = append(list, j)
	}
	return list
}

// settle is called when a job has ended. The oldest ended jobs beyond the limit are dropped, those whose output was
// delivered first. Beyond idle, memory is given back: what was delivered is dropped, the rest is to be unloaded.
func (m *Manager) settle(j *Job) (unload []*Job) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.jobs[j.key()] != j {
		return nil
	}
	m.ended = append(m.ended, j)
	for len(m.ended) > m.cfg.Finished {
		old := slices.IndexFunc(m.ended, func(j *Job) bool { return j.Delivered() && !j.active() })
		if old < 0 {
			old = slices.IndexFunc(m.ended, func(j *Job) bool { return !j.active() })
		}
		if old < 0 {
			break
		}
		m.forgetLocked(m.ended[old])
	}
	memory := 0
	for _, j := range slices.Backward(slices.Clone(m.ended)) {
		size := j.log.inMemory()
		if memory += size; memory <= idle || size == 0 || j.active() {
			continue
		}
		if memory -= size; j.Delivered() {
			m.forgetLocked(j)
		} else {
			unload = append(unload, j)
		}
	}
	return unload
}

func (m *Manager) forgetLocked(j *Job) {
	if m.jobs[j.key()] == j {
		delete(m.jobs, j.key())
	}
	if i := slices.Index(m.ended, j); i >= 0 {
		m.ended = slices.Delete(m.ended, i, i+1)
	}
	j.log.remove()
}

// logFolder begins the names of the folders of logs.
const logFolder = "hanzo-mcp-log-"

// logFile makes a log file in a folder of our own that only the user may enter.
func (m *Manager) logFile(name string) (*os.File, error) {
	m.dirOnce.Do(func() {
		var dir string
		if dir, m.dirErr = os.MkdirTemp(m.cfg.Dir, logFolder); m.dirErr == nil {
			m.dir, m.dirErr = os.OpenRoot(dir)
			m.dirLock = hold(dir)
			m.sweeps.Go(func() { sweep(dir) })
		}
	})
	if m.dirErr != nil {
		return nil, m.dirErr
	}
	return m.dir.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL|noFollow, 0o600)
}

// Foreground waits until the job has ended (true), the time for a call has passed (false: it goes on), or ctx
// ends: then the job is killed, and the error is ctx's. With a wait above 0 that is the time instead, below 0
// there is none. The last line of output goes to progress, which may be nil, at most four times a second.
func (m *Manager) Foreground(ctx context.Context, j *Job, wait time.Duration, progress func(line string)) (ended bool, err error) {
	if wait == 0 {
		wait = m.cfg.Foreground
	}
	ended, err = j.Wait(ctx, wait, progress)
	if err != nil {
		j.Stop(Killed, endGrace)
	}
	if !ended {
		j.log.shrink()
	}
	return ended, err
}

// Close ends all jobs (TERM, then KILL after 2 s), waits for them and deletes the log files. Nothing can be
// started afterwards.
func (m *Manager) Close() {
	m.mu.Lock()
	m.closed = true
	m.mu.Unlock()
	var all sync.WaitGroup
	for _, j := range m.all() {
		if j.active() {
			all.Go(func() { j.Stop(Killed, KillGrace) })
		}
	}
	all.Wait()
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, j := range m.jobs {
		j.log.remove()
	}
	m.dirOnce.Do(func() { m.dirErr = os.ErrClosed })
	m.sweeps.Wait()
	if m.dir != nil {
		os.RemoveAll(m.dir.Name())
		m.dir.Close()
		if m.dirLock != nil {
			m.dirLock.Close()
		}
	}
}
