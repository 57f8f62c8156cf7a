package launch

import (
	"crypto/rand"
	"encoding/binary"

	"golang.org/x/sys/unix"
)

// Whose process is it? A daemon has left its parents, its group and its session,
// and may have cleared its environment. What it cannot shed is its limits: every
// start lowers RLIMIT_RTTIME, which only matters to real-time threads and of
// which there are 2^61 µs, by one; all that the child starts inherit it, and
// nobody can raise it again. One that lowers its own further passes for a later
// child, or for none.

// maxStarts is how many one launcher may make.
const maxStarts = 1<<32 - 1

// newMarks gives the limit to count down from, of a launcher's own; 0 where the
// limit is taken.
func newMarks() uint64 {
	var r unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_RTTIME, &r) != nil || r.Max != unix.RLIM_INFINITY {
		return 0
	}
	var b [8]byte
	rand.Read(b[:])
	return 1<<61 | binary.LittleEndian.Uint64(b[:])>>3&^maxStarts
}

// mark limits this process, and so what it forks next, as the n-th start.
func (s *server) mark(n uint64) error {
	if s.marks == 0 {
		return nil
	}
	r := unix.Rlimit{Cur: s.marks - n, Max: s.marks - n}
	return unix.Setrlimit(unix.RLIMIT_RTTIME, &r)
}

// origin is the number of the start that a process comes from, 0 when it is not
// known; none says that it bears no number of the starts up to last, which only
// one that has changed its own can.
func (s *setup) origin(pid int, last uint64) (n uint64, none bool) {
	if s.marks == 0 {
		return 0, false
	}
	var r unix.Rlimit
	if unix.Prlimit(pid, unix.RLIMIT_RTTIME, nil, &r) != nil {
		return 0, false
	}
	if r.Max >= s.marks || s.marks-r.Max > last {
		return 0, true
	}
	return s.marks - r.Max, false
}
