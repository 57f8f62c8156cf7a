//go:build unix

package exec

import "syscall"

type sysSignal = syscall.Signal

// signals are those that kill takes.
var signals = map[string]syscall.Signal{
	"SIGTERM": syscall.SIGTERM, "SIGKILL": syscall.SIGKILL, "SIGINT": syscall.SIGINT, "SIGHUP": syscall.SIGHUP,
	"SIGQUIT": syscall.SIGQUIT, "SIGUSR1": syscall.SIGUSR1, "SIGUSR2": syscall.SIGUSR2,
}

var signalNames = []string{"TERM", "KILL", "INT", "HUP", "QUIT", "USR1", "USR2"}

var defaultShells = []string{"bash", "sh"}
