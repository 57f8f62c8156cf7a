package main

import (
	"fmt"
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// pipeSize is what waits in the pipe to a client or from it, in bytes: four times the usual, so that a large message
// makes the two take turns less often. An ordinary user may have 64 MiB in all pipes.
const pipeSize = 256 << 10

// widen gives a pipe that size. What is no pipe stays as it is, and so does one that the system does not enlarge: it is
// no loss.
func widen(stream any) {
	if f, ok := stream.(syscall.Conn); ok {
		if raw, err := f.SyscallConn(); err == nil {
			_ = raw.Control(func(fd uintptr) {
				if size, err := unix.FcntlInt(fd, unix.F_GETPIPE_SZ, 0); err == nil && size < pipeSize {
					_, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeSize)
				}
			})
		}
	}
}

// polled opens the pipe that in is again, so that the runtime waits for its messages and a read does not: one that
// blocks in a thread holds a processor for up to 10 ms, half of what a machine of two has for the start. A descriptor of
// its own, since to be non-blocking is a property of the open file, which a parent may share. What is no pipe, or is
// another user's, or cannot be read from, is given back as it is. done closes what was opened.
func polled(in io.Reader) (polled io.Reader, done func()) {
	same := func() {}
	f, ok := in.(syscall.Conn)
	if !ok {
		return in, same
	}
	raw, err := f.SyscallConn()
	if err != nil {
		return in, same
	}
	again := -1
	_ = raw.Control(func(fd uintptr) {
		var stat unix.Stat_t
		flags, err := unix.FcntlInt(fd, unix.F_GETFL, 0)
		if err != nil || flags&(unix.O_NONBLOCK|unix.O_ACCMODE) != unix.O_RDONLY || unix.Fstat(int(fd), &stat) != nil || stat.Mode&unix.S_IFMT != unix.S_IFIFO {
			return
		}
		again, _ = unix.Open(fmt.Sprintf("/proc/self/fd/%d", fd), unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	})
	if again < 0 {
		return in, same
	}
	r := os.NewFile(uintptr(again), os.Stdin.Name())
	return r, func() { r.Close() }
}
