package job

import (
	"runtime"
	"time"

	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
)

// reaped is how long what ends together with a process may still be seen.
const reaped = 10 * time.Millisecond

// look notes whether the process, which has ended by itself, left others of its group behind: "server > log &" runs
// on and keeps nothing open that would tell of it.
func (j *Job) look(exit launch.Status) {
	j.mu.Lock()
	stopped := j.want != ""
	j.mu.Unlock()
	if stopped || !exit.Left {
		return
	}
	<-time.After(reaped)
	left := j.grouped()
	j.mu.Lock()
	j.left = left
	j.mu.Unlock()
}

// remains reports whether what look found still runs. A group that is gone is not asked for again: its number may be
// another's by then.
func (j *Job) remains() bool {
	j.mu.Lock()
	left := j.left
	j.mu.Unlock()
	if !left || j.grouped() {
		return left
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.left = false
	return false
}

// grouped reports whether any process is in the job's group. Windows has no groups to ask.
func (j *Job) grouped() bool { return runtime.GOOS != "windows" && j.proc.Signal(0) == nil }
