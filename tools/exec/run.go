package exec

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"time"

	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/job"
)

type execArgs struct {
	Command    json.RawMessage   `json:"command"`
	Args       json.RawMessage   `json:"args"`
	Cwd        string            `json:"cwd"`
	Env        map[string]string `json:"env"`
	Timeout    time.Duration     `json:"timeout"`
	Yield      *time.Duration    `json:"yield_time_ms"`
	Background bool              `json:"background"`
	Confirm    *bool             `json:"confirm"`
	ProcID     string            `json:"proc_id"`
	Stdin      *string           `json:"stdin"`
	Shell      string            `json:"shell"`
	PTY        bool              `json:"pty"`
	Raw        bool              `json:"raw"`
	Until      string            `json:"until"`
	MaxChars   int               `json:"max_chars"`
	otherTimes
}

const (
	terminalRows, terminalCols = 40, 120
	// firstLook is how long a background start is watched, so that its reply tells of a command that ends at once.
	firstLook = 100 * time.Millisecond
)

func (t *tool) exec(ctx context.Context, c *tools.Call, in execArgs) (*tools.Result, error) {
	line, argv, err := parse(in.Command)
	if err != nil {
		return nil, err
	}
	if err := in.check(c); err != nil {
		return nil, err
	}
	if in.Args != nil {
		return nil, tools.Errorf(tools.InvalidParams, "args cannot be joined to this command: give command as an array of the program and its arguments, or all in one line. Nothing was run").
			With(tools.Details{Param: "args"})
	}
	until, err := pattern(in.Until)
	if err != nil {
		return nil, err
	}
	in.Background = in.Background || c.Given == "start" || c.Given == "background" || c.Given == "spawn" || c.Given == "run_background" || c.Given == "exec_background" || until != nil
	if in.PTY && runtime.GOOS == "windows" {
		return nil, tools.Errorf(tools.Unsupported, "pty is not available on Windows; leave it out")
	}
	dir, err := folder(c, in.Cwd)
	if err != nil {
		return nil, err
	}
	env, err := t.environ(in, dir)
	if err != nil {
		return nil, err
	}
	hintMilliseconds(c)
	in.Background = in.Background || in.Yield != nil && *in.Yield == 0
	spec := job.Spec{
		Owner: c.Session.ID, ID: in.ProcID, Kind: "exec", Title: title(line, argv), Timeout: in.Timeout,
		Cmd:   launch.Cmd{Dir: dir, Env: env, PTY: in.PTY, Rows: terminalRows, Cols: terminalCols},
		Input: in.Stdin, Open: in.Background && in.Stdin == nil, Background: in.Background,
	}
	if until != nil {
		spec.Timeout = 0 // it bounds the wait
	}
	if !in.Background {
		spec.Memory = min(in.MaxChars, tools.MaxChars)
	}
	j, err := t.start(ctx, spec, line, argv, in)
	if err != nil {
		return startError(err, argv)
	}
	if i := slices.IndexFunc(argv, isOperator); i > 0 {
		c.Warn(fmt.Sprintf("an array is run without a shell: %s was an argument like others; for the shell give the command as one string", argv[i]))
	}
	v := view{call: c, job: j, raw: in.Raw, limit: tools.Limit(in.MaxChars), first: true, path: launch.Getenv(env, "PATH")}
	if until != nil {
		return t.startUntil(ctx, v, until, min(cmp.Or(in.Timeout, t.Jobs.Limit()), t.Jobs.Limit()))
	}
	ended, err := t.Jobs.Foreground(ctx, j, in.wait(t.Jobs.Limit()), progress(c))
	if err != nil {
		return nil, err
	}
	res, d := v.output(0)
	if !ended {
		if !in.Background {
			end := ""
			if in.Timeout > 0 {
				end = fmt.Sprintf("; it is ended when it has run for %s", in.Timeout)
			}
			c.Warn(fmt.Sprintf("still running: exec wait, logs and kill take proc_id %q%s", j.ID, end))
		}
		return res.with(d), nil
	}
	return res.with(d), t.verdict(v, in.Timeout)
}

// check refuses what would run otherwise than it was meant, before anything runs.
func (in execArgs) check(c *tools.Call) error {
	if in.Confirm != nil && !*in.Confirm {
		return tools.Errorf(tools.InvalidParams, "confirm is false: nothing was run. Leave it out when the command is to run").With(tools.Details{Param: "confirm"})
	}
	if err := in.otherTimes.check(); err != nil || in.Until != "" {
		return err
	}
	return tooShort(c)
}

// wait is how long a call waits for its command, of which limit is the most: clients give up not long after, and the
// command would be killed and its output lost. Its timeout goes on counting then. Below 0 the job ends by itself.
func (in execArgs) wait(limit time.Duration) time.Duration {
	switch {
	case in.Background:
		return firstLook
	case in.Yield != nil:
		return min(*in.Yield, limit)
	case in.Timeout > 0 && in.Timeout <= limit:
		return -1
	}
	return limit
}

// startUntil waits for a pattern in the output of a job that was just started in the background.
func (t *tool) startUntil(ctx context.Context, v view, until *regexp.Regexp, limit time.Duration) (*tools.Result, error) {
	matched, err := v.await(ctx, until, 0, limit)
	if err != nil {
		v.job.Stop(job.Killed, job.KillGrace)
		return nil, err
	}
	res := v.answer(0, until, matched)
	if v.job.State().Ended() {
		return res, t.verdict(v, 0)
	}
	return res, nil
}

// start starts the command: without a shell when it is an array, or when a shell would do nothing but start it.
func (t *tool) start(ctx context.Context, spec job.Spec, line string, argv []string, in execArgs) (j *job.Job, err error) {
	if argv != nil {
		if spec.Cmd.Path, err = t.look(argv[0]); err != nil {
			return nil, err
		}
		spec.Cmd.Args = argv
		return t.Jobs.Start(ctx, spec)
	}
	if path, args, ok := t.plain(line, in, spec.Cmd.Env); ok {
		spec.Cmd.Path, spec.Cmd.Args = path, args
		var refused *launch.StartError // a script without a first line that names its shell
		if j, err = t.Jobs.Start(ctx, spec); !errors.As(err, &refused) {
			return j, err
		}
	}
	if spec.Cmd.Path, spec.Cmd.Args, err = t.shell(in.Shell, line); err != nil {
		return nil, err
	}
	return t.Jobs.Start(ctx, spec)
}

// progress hands the last line of output to whoever watches the call.
func progress(c *tools.Call) func(string) {
	return func(line string) {
		text, _ := readable(line, false, true)
		if text, _ = tools.Head(text, 200); text != "" {
			c.Progress(text)
		}
	}
}

// verdict is the error of a command that has ended, nil for exit code 0.
func (t *tool) verdict(v view, timeout time.Duration) error {
	c, s := v.call, v.job.State()
	switch {
	case s.Status == job.Completed:
		t.tellHidden(v, nil)
		if s.Lingering {
			c.Warn(fmt.Sprintf("the command has ended, but processes that it started in the background go on; exec kill with proc_id %q ends them", v.job.ID))
		}
		return nil
	case s.Status == job.TimedOut:
		return tools.Errorf(tools.Timeout, "ended with all its processes after its timeout of %s; give a longer one, or run it with background:true", timeout)
	case s.Lost:
		return tools.Errorf(tools.InternalError, "the launcher of processes ended and took the command along; run it again")
	case s.Status == job.Killed:
		return tools.Errorf(tools.ExitNonzero, "killed while it ran (%s)", s.Signal)
	case s.Err != nil && !errors.Is(s.Err, context.Canceled):
		return tools.AsError(s.Err)
	case s.Signal != "":
		return tools.Errorf(tools.ExitNonzero, "ended by the signal %s (exit code %d)", s.Signal, s.ExitCode)
	}
	t.explain(v, s.ExitCode)
	return tools.Errorf(tools.ExitNonzero, "exit code %d", s.ExitCode)
}
