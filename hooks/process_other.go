//go:build unix && !linux

package hooks

import "syscall"

// groupAttr makes a hook the leader of its own group.
func groupAttr() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// awaitExit: these systems have no wait that leaves the process unreaped and does not mistake a stop for an end.
func awaitExit(int) bool { return false }
