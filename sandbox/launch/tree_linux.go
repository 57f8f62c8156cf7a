package launch

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	killPoll  = 4 * time.Millisecond
	killLimit = 5 * time.Second // of KILLs that do not empty the tree: processes in the kernel's hands
)

// proc is what /proc says of one process.
type proc struct{ pid, parent, group, session int }

// procs lists the processes that are alive, zombies left out.
func procs() []proc {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	var out []proc
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if p, ok := readProc(pid); ok {
			out = append(out, p)
		}
	}
	return out
}

func readProc(pid int) (proc, bool) {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return proc{}, false
	}
	// The name is in brackets and may hold any byte.
	i := bytes.LastIndexByte(data, ')')
	if i < 0 {
		return proc{}, false
	}
	f := strings.Fields(string(data[i+1:]))
	if len(f) < 4 || f[0] == "Z" || f[0] == "X" {
		return proc{}, false
	}
	num := func(s string) int { n, _ := strconv.Atoi(s); return n }
	return proc{pid: pid, parent: num(f[1]), group: num(f[2]), session: num(f[3])}, true
}

// below gives root and its descendants among all.
func below(all []proc, roots ...int) map[int]bool {
	children := map[int][]int{}
	for _, p := range all {
		children[p.parent] = append(children[p.parent], p.pid)
	}
	set := map[int]bool{}
	for todo := roots; len(todo) > 0; {
		next := []int{}
		for _, pid := range todo {
			if !set[pid] {
				set[pid] = true
				next = append(next, children[pid]...)
			}
		}
		todo = next
	}
	return set
}

// environHas looks for the mark that Start put into the environment.
func environHas(pid int, mark func(string) bool) bool {
	data, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return false
	}
	for kv := range bytes.SplitSeq(data, []byte{0}) {
		if mark(string(kv)) {
			return true
		}
	}
	return false
}

// ours lists the launcher's children, grandchildren and so on, itself left out.
func (s *server) ours() []proc {
	all := procs()
	self := os.Getpid()
	set := map[int]bool{}
	if !s.pidNamespace() {
		set = below(all, self)
	}
	out := all[:0]
	for _, p := range all {
		if p.pid != self && (s.pidNamespace() || set[p.pid]) {
			out = append(out, p)
		}
	}
	return out
}

// tree lists what the child of this id, the n-th start, started and still runs:
// its descendants, its session and group, those that bear its mark, and orphans
// that hide theirs.
func (s *server) tree(id, n uint64, pid int) []int {
	all := s.ours()
	last := s.starts.Load() // all of them are from starts up to this one
	direct := map[int]bool{}
	s.mu.Lock()
	owner, taken := s.byPid[pid]
	for pid := range s.byPid {
		direct[pid] = true
	}
	s.mu.Unlock()
	// The number may by now be another child's.
	reused := taken && owner != id
	set := map[int]bool{}
	if !reused {
		set = below(all, pid)
	}
	self := os.Getpid()
	mark := func(kv string) bool { return kv == marker+"="+markOf(s.cookie, id) }
	comes := func(p proc) bool {
		from, none := s.origin(p.pid, last)
		return from == n && n > 0 || none && p.parent == self && !direct[p.pid]
	}
	roots := []int{}
	for _, p := range all {
		switch {
		case set[p.pid]:
		case !reused && (p.session == pid || p.group == pid), comes(p), environHas(p.pid, mark):
			roots = append(roots, p.pid)
		}
	}
	for pid := range below(all, roots...) {
		set[pid] = true
	}
	var out []int
	for _, p := range all {
		if set[p.pid] {
			out = append(out, p.pid)
		}
	}
	return out
}

func markOf(cookie string, id uint64) string { return cookie + "-" + strconv.FormatUint(id, 10) }

// killTree ends a child and all it started: TERM, KILL after grace.
func (s *server) killTree(id, n uint64, pid int, grace time.Duration) {
	endAll(func() []int { return s.tree(id, n, pid) }, grace)
}

// killAll ends every child of the launcher.
func (s *server) killAll(grace time.Duration) {
	endAll(func() []int {
		var pids []int
		for _, p := range s.ours() {
			pids = append(pids, p.pid)
		}
		return pids
	}, grace)
}

func endAll(once func() []int, grace time.Duration) {
	// /proc is not read at one moment: who forks meanwhile is found by a second look.
	list := func() []int {
		if pids := once(); len(pids) > 0 {
			return pids
		}
		return once()
	}
	sent := map[int]bool{}
	if grace > 0 {
		for until := time.Now().Add(grace); ; time.Sleep(killPoll) {
			pids := list()
			if len(pids) == 0 {
				return
			}
			// One TERM each; those born meanwhile get theirs. CONT, for one that
			// is stopped takes none.
			for _, pid := range pids {
				if !sent[pid] {
					sent[pid] = true
					syscall.Kill(pid, syscall.SIGTERM)
					syscall.Kill(pid, syscall.SIGCONT)
				}
			}
			if time.Now().After(until) {
				break
			}
		}
	}
	for until := time.Now().Add(killLimit); time.Now().Before(until); time.Sleep(killPoll) {
		pids := list()
		if len(pids) == 0 {
			return
		}
		for _, pid := range pids {
			syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}
