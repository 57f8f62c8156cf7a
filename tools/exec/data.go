package exec

import (
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/job"
)

// data is the envelope's data of every action on one process.
type data struct {
	ProcID     string  `json:"proc_id,omitempty"`
	Status     string  `json:"status"`
	Running    *bool   `json:"running,omitempty"`
	ExitCode   *int    `json:"exit_code,omitempty"`
	Signal     string  `json:"signal,omitempty"`
	DurationMS int64   `json:"duration_ms"`
	PID        int     `json:"pid,omitempty"`
	Bytes      int64   `json:"bytes"`
	Truncated  bool    `json:"truncated,omitempty"`
	LogFile    string  `json:"log_file,omitempty"`
	NextOffset *int64  `json:"next_offset,omitempty"`
	Dropped    int64   `json:"dropped,omitempty"`
	Matched    *string `json:"matched,omitempty"`
	Lingering  bool    `json:"lingering,omitempty"`
	Command    string  `json:"command,omitempty"`
	Kind       string  `json:"kind,omitempty"`
	Started    string  `json:"started,omitempty"`
}

func (d data) ended() bool { return d.Status != string(job.Running) }

// describe gives what is known of a job.
func describe(j *job.Job) data {
	s := j.State()
	d := data{ProcID: j.ID, Status: string(s.Status), Signal: s.Signal, DurationMS: s.Duration.Milliseconds(),
		PID: s.PID, Bytes: j.Log().Bytes(), LogFile: j.Log().File(), Lingering: s.Lingering}
	if s.Ended() {
		d.ExitCode = &s.ExitCode
	}
	return d
}

// result is a payload on its way to a tools.Result.
type result struct {
	text string
	cut  bool
}

func (r result) with(d data) *tools.Result {
	return &tools.Result{Text: r.text, Data: d, Truncated: r.cut}
}
