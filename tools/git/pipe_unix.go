//go:build unix

package git

import (
	"os"
	"syscall"
)

// readNow reads what lies in a pipe, whatever its deadline; 0 when there is nothing.
func readNow(f *os.File, b []byte) int {
	n := 0
	if conn, err := f.SyscallConn(); err == nil {
		_ = conn.Control(func(fd uintptr) {
			for again := true; again; {
				var err error
				n, err = syscall.Read(int(fd), b)
				again = err == syscall.EINTR
			}
		})
	}
	return max(n, 0)
}
