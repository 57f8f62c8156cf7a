package hooks

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

// groupAttr makes a hook the leader of its own group, and ends it when this program is killed.
func groupAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// awaitExit returns when the process has ended, without reaping it; false when the system cannot say so.
func awaitExit(pid int) bool {
	for {
		err := unix.Waitid(unix.P_PID, pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
		if !errors.Is(err, unix.EINTR) {
			return err == nil
		}
	}
}
