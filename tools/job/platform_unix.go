//go:build unix

package job

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// noFollow makes opening a link fail.
const noFollow = syscall.O_NOFOLLOW

// waiting is how many bytes lie in a pipe or terminal, to be read without waiting.
func waiting(f *os.File) int {
	n := 0
	if c, err := f.SyscallConn(); err == nil {
		c.Control(func(fd uintptr) { n, _ = unix.IoctlGetInt(int(fd), fionread) })
	}
	return n
}
