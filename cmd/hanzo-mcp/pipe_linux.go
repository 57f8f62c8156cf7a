package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// pipeSize is what waits in the pipe to a client or from it, in bytes: four times the usual, so that a large message
// makes the two take turns less often. An ordinary user may have 64 MiB in all pipes.
const pipeSize = 256 << 10

// widen gives a pipe that size. What is no pipe stays as it is, and so does one that the system does not enlarge: it is
// no loss.
func widen(stream any) {
	if f, ok := stream.(*os.File); ok {
		if raw, err := f.SyscallConn(); err == nil {
			_ = raw.Control(func(fd uintptr) {
				if size, err := unix.FcntlInt(fd, unix.F_GETPIPE_SZ, 0); err == nil && size < pipeSize {
					_, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeSize)
				}
			})
		}
	}
}
