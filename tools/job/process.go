package job

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
)

const (
	// KillGrace is how long a process that was asked to end has before KILL.
	KillGrace = 2 * time.Second
	// endGrace is the same for a call that was cancelled or ran out of time: all must be gone within 2 s.
	endGrace = 500 * time.Millisecond
	// linger is how long an ended process's output is waited for while another process keeps it open.
	linger = 100 * time.Millisecond
	// stuck is how long the end of a killed job is waited for: one that the kernel holds never ends.
	stuck = 5 * time.Second
	// readSize is how much is read at once; a read of that size makes the pipe wider.
	readSize = 64 << 10
)

var buffers = sync.Pool{New: func() any { return new([readSize]byte) }}

// Job is one piece of work. Its exported fields never change.
type Job struct {
	ID      string
	Owner   string
	Kind    string
	Title   string
	Started time.Time

	manager *Manager
	log     Log
	done    chan struct{} // closed when the work has ended and its output is in the log
	over    chan struct{} // closed when no more output can come, from what it left behind either

	proc   *launch.Process // of a process
	cancel func()          // of a function
	pty    bool

	mu        sync.Mutex
	status    Status
	want      Status         // what a stop makes of the status; "" while nobody stopped it
	told      syscall.Signal // the last one that was sent without a stop; it may end the process all the same
	exit      launch.Status
	err       error
	ended     time.Time
	timer     *time.Timer
	input     *os.File // the open end of its input, nil when closed
	delivered bool
	left      bool // others of its group ran when it ended, and did whenever that was asked for since
}

// launch starts the process and gives the end of its output that is ours.
func (j *Job) launch(ctx context.Context, l *launch.Launcher, spec Spec) (ours *os.File, err error) {
	if l == nil {
		return nil, errors.New("no launcher to start processes with")
	}
	cmd := spec.Cmd
	var theirs *os.File
	defer func() {
		closeAll(theirs, cmd.Stdin)
		if err != nil {
			closeAll(ours, j.input)
		}
	}()
	j.pty = cmd.PTY
	if !cmd.PTY {
		if ours, theirs, err = outputPipe(); err != nil {
			return nil, err
		}
		cmd.Stdout, cmd.Stderr = theirs, theirs
		if spec.Open || spec.Input != nil {
			if cmd.Stdin, j.input, err = inputPipe(); err != nil {
				return ours, err // closed above
			}
		}
	}
	if j.proc, err = l.Start(ctx, cmd); err != nil {
		return ours, err // closed above
	}
	if cmd.PTY {
		ours, j.input = j.proc.PTY, j.proc.PTY
	}
	return ours, nil
}

// follow watches over the started process.
func (j *Job) follow(out *os.File, spec Spec) {
	settled := make(chan struct{})
	go j.collect(out, settled)
	go j.attend(out, settled)
	j.expire(spec.Timeout)
	if spec.Input != nil && !spec.Open {
		j.feed(*spec.Input)
	}
}

func closeAll(files ...*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}

// collect reads the output until its end. When the process has ended but others keep the output open, it reads
// what lies there, reports settled, and goes on.
func (j *Job) collect(r *os.File, settled chan struct{}) {
	buf := buffers.Get().(*[readSize]byte)
	wide := false
	for {
		n, err := r.Read(buf[:])
		if n > 0 {
			j.log.Write(buf[:n])
		}
		if n == readSize && !wide {
			wide = true
			widen(r)
		}
		if errors.Is(err, os.ErrDeadlineExceeded) {
			r.SetReadDeadline(time.Time{})
			for left := waiting(r); left > 0; left -= n {
				if n, err = r.Read(buf[:min(left, readSize)]); err != nil {
					break
				}
				j.log.Write(buf[:n])
			}
			close(settled)
			continue
		}
		if err != nil {
			break
		}
	}
	buffers.Put(buf)
	j.log.finish()
	close(j.over)
	if j.pty {
		<-j.done // the terminal is also the input
	}
	r.Close()
}

// attend waits for the end of the process and then for its output.
func (j *Job) attend(r *os.File, settled chan struct{}) {
	exit := j.proc.Wait()
	select {
	case <-j.over:
	default:
		wait := time.NewTimer(linger)
		select {
		case <-j.over:
		case <-wait.C:
			if r.SetReadDeadline(time.Unix(1, 0)) == nil {
				select {
				case <-settled:
				case <-j.over:
				}
			}
		}
		wait.Stop()
	}
	j.look(exit)
	j.end(exit, nil)
}

// run runs a function as the job.
func (j *Job) run(ctx context.Context, spec Spec, work func(context.Context, io.Writer) error) {
	j.expire(spec.Timeout)
	go func() {
		defer j.cancel()
		err := shielded(ctx, &j.log, work)
		var exit launch.Status
		if err != nil {
			exit.Code = 1
		}
		j.log.finish()
		close(j.over)
		j.end(exit, err)
	}()
}

// shielded runs work and makes an error of its panic: the server must live on.
func shielded(ctx context.Context, out io.Writer, work func(context.Context, io.Writer) error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("internal fault: %v; please report it", p)
		}
	}()
	return work(ctx, out)
}

// expire ends the job after d, never when d is 0.
func (j *Job) expire(d time.Duration) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if d <= 0 || j.status != Running {
		return
	}
	j.timer = time.AfterFunc(d, func() { j.Stop(TimedOut, endGrace) })
}

// end records how the job ended.
func (j *Job) end(exit launch.Status, err error) {
	j.mu.Lock()
	j.exit, j.err, j.ended = exit, err, time.Now()
	switch {
	case j.want != "":
		j.status = j.want
	case exit.Lost, j.told != 0 && exit.Code == 128+int(j.told): // as shells say it, too
		j.status = Killed
	case exit.Success() && err == nil:
		j.status = Completed
	default:
		j.status = Failed
	}
	if j.timer != nil {
		j.timer.Stop()
	}
	if j.input != nil && !j.pty {
		j.input.Close()
	}
	j.input = nil
	j.mu.Unlock()
	unload := j.manager.settle(j)
	close(j.done)
	for _, j := range unload {
		j.log.unload()
	}
}

// Stop ends the job and everything it started: TERM, and KILL after grace. The job's status becomes as unless it
// has ended already. It returns when all is gone, or when nothing more can be done about it.
func (j *Job) Stop(as Status, grace time.Duration) {
	j.mark(as)
	if j.cancel != nil {
		j.cancel()
	} else {
		j.proc.Kill(grace)
	}
	wait := time.NewTimer(stuck)
	defer wait.Stop()
	for _, c := range []chan struct{}{j.done, j.over} {
		select {
		case <-c:
		case <-wait.C:
			return
		}
	}
}

func (j *Job) mark(as Status) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.status == Running && j.want == "" {
		j.want = as
	}
}

// Signal sends sig to the process's group. With end, a process that is still there after KillGrace is killed
// with everything it started, and Signal returns when it has ended. A function is stopped by any signal.
func (j *Job) Signal(sig syscall.Signal, end bool) error {
	if j.cancel != nil {
		j.Stop(Killed, 0)
		return nil
	}
	if !end {
		j.mu.Lock()
		j.told = sig
		j.mu.Unlock()
		return j.proc.Signal(sig)
	}
	switch sig {
	case syscall.SIGTERM:
		j.Stop(Killed, KillGrace)
	case syscall.SIGKILL:
		j.Stop(Killed, 0)
	default:
		j.mark(Killed)
		if err := j.proc.Signal(sig); err == nil {
			wait := time.NewTimer(KillGrace)
			defer wait.Stop()
			select {
			case <-j.done:
			case <-wait.C:
			}
		}
		j.Stop(Killed, 0)
	}
	return nil
}

// active reports whether the job, or what it left behind holding its output, still runs.
func (j *Job) active() bool {
	select {
	case <-j.done:
	default:
		return true
	}
	select {
	case <-j.over:
		return false
	default:
		return true
	}
}
