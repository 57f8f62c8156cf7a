package exec

import "syscall"

type sysSignal = syscall.Signal

// signals are those that kill takes; here each of them ends the process.
var signals = map[string]syscall.Signal{
	"SIGTERM": syscall.SIGTERM, "SIGKILL": syscall.SIGKILL, "SIGINT": syscall.SIGINT, "SIGHUP": syscall.SIGHUP, "SIGQUIT": syscall.SIGQUIT,
}

var signalNames = []string{"TERM", "KILL", "INT", "HUP", "QUIT"}

var defaultShells = []string{"pwsh", "powershell"}
