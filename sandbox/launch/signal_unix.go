//go:build unix

package launch

import (
	"syscall"

	"golang.org/x/sys/unix"
)

func signalName(s syscall.Signal) string {
	if s == 0 {
		return ""
	}
	return unix.SignalName(s)
}
