package job

import (
	"context"
	"errors"
	"os"
	"time"
)

// Status is what has become of a job.
type Status string

const (
	Running   Status = "running"
	Completed Status = "completed" // exit code 0
	Failed    Status = "failed"    // another exit code, or a signal that was not ours
	Killed    Status = "killed"    // by kill, a cancelled call or the end of the server
	TimedOut  Status = "timed_out"
)

// State is a job at one moment.
type State struct {
	Status    Status
	ExitCode  int    // once it has ended: as a shell says it, 128 + the signal's number for a signal
	Signal    string // "SIGKILL" …, "" when it ended by itself
	Lost      bool   // the launcher died and took it along
	Err       error  // what a function returned
	PID       int    // of a process, as its own children see it
	Duration  time.Duration
	Lingering bool // it has ended, but a process that it left behind runs: it keeps the output open, or is in the job's group
}

// Ended reports whether the job is over.
func (s State) Ended() bool { return s.Status != Running }

// State gives what is known now.
func (j *Job) State() State {
	remains := j.remains()
	j.mu.Lock()
	defer j.mu.Unlock()
	s := State{Status: j.status, ExitCode: j.exit.Code, Signal: j.exit.SignalName(), Lost: j.exit.Lost, Err: j.err}
	if j.proc != nil {
		s.PID = j.proc.Pid
	}
	if s.Ended() {
		s.Duration = j.ended.Sub(j.Started)
		s.Lingering = j.active() || remains
	} else {
		s.Duration = time.Since(j.Started)
	}
	return s
}

// Log is the job's output.
func (j *Job) Log() *Log { return &j.log }

// PTY reports whether the job has a terminal.
func (j *Job) PTY() bool { return j.pty }

// Done is closed when the job has ended and what it put out itself is in the log.
func (j *Job) Done() <-chan struct{} { return j.done }

// Deliver notes that a call has given all that the job put out, so that it is the first to be dropped.
func (j *Job) Deliver() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.delivered = true
}

// Delivered reports whether Deliver was called.
func (j *Job) Delivered() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.delivered
}

// progressEvery is how often the last line is reported at most.
const progressEvery = 250 * time.Millisecond

// Wait waits until the job has ended (true), limit has passed (false; no limit when it is below 0) or ctx ends.
// The last line of output goes to progress, when that is not nil, at most four times a second.
func (j *Job) Wait(ctx context.Context, limit time.Duration, progress func(line string)) (bool, error) {
	select {
	case <-j.done:
		return true, nil
	default:
	}
	var over, tick <-chan time.Time
	if limit >= 0 {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		over = timer.C
	}
	if progress != nil {
		ticker := time.NewTicker(progressEvery)
		defer ticker.Stop()
		tick = ticker.C
	}
	var said int64
	for {
		select {
		case <-j.done:
			return true, nil
		case <-over:
			return false, nil
		case <-ctx.Done():
			return false, ctx.Err()
		case <-tick:
			if n := j.log.Len(); n > said {
				said = n
				progress(j.log.LastLine())
			}
		}
	}
}

// Errors of input.
var (
	ErrNoInput  = errors.New("its input is closed")
	ErrNotTaken = errors.New("it does not read its input")
)

// Input writes text to the job's input until ctx ends. It gives the number of bytes taken.
func (j *Job) Input(ctx context.Context, text string) (int, error) {
	j.mu.Lock()
	w := j.input
	j.mu.Unlock()
	if w == nil {
		return 0, ErrNoInput
	}
	interrupted := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		w.SetWriteDeadline(time.Unix(1, 0))
		close(interrupted)
	})
	n, err := w.WriteString(text)
	if !stop() {
		<-interrupted
		w.SetWriteDeadline(time.Time{})
	}
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return n, ErrNotTaken
	case err != nil:
		j.CloseInput()
		return n, ErrNoInput
	}
	return n, nil
}

// endOfText is what a terminal takes for the end of input, at the start of a line.
const endOfText = "\x04"

// CloseInput ends the job's input.
func (j *Job) CloseInput() {
	j.mu.Lock()
	w := j.input
	if !j.pty {
		j.input = nil
	}
	j.mu.Unlock()
	switch {
	case w == nil:
	case j.pty:
		w.SetWriteDeadline(time.Now().Add(time.Second)) // a terminal that nobody reads fills up
		w.WriteString(endOfText)
		w.SetWriteDeadline(time.Time{})
	default:
		w.Close()
	}
}

// smallInput fits into every pipe.
const smallInput = 4 << 10

// feed gives the process its whole input, then the end of it.
func (j *Job) feed(text string) {
	write := func() {
		if j.pty && text != "" && text[len(text)-1] != '\n' {
			text += endOfText // ends the line; the next one ends the input
		}
		j.Input(context.Background(), text)
		j.CloseInput()
	}
	if len(text) <= smallInput && !j.pty {
		write()
	} else {
		go write()
	}
}

// LastLine gives the last line of output that has any text, at most 400 bytes, as it came.
func (l *Log) LastLine() string {
	end := l.Len()
	b, _ := l.Slice(end-400, end)
	for len(b) > 0 && (b[len(b)-1] == '\n' || b[len(b)-1] == '\r' || b[len(b)-1] == ' ') {
		b = b[:len(b)-1]
	}
	for i := len(b) - 1; i >= 0; i-- {
		if b[i] == '\n' || b[i] == '\r' {
			return string(b[i+1:])
		}
	}
	return string(b)
}
