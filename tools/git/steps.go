package git

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/job"
)

// networkLimit is how long an action may take that talks to another repository and was given no timeout.
const networkLimit = 10 * time.Minute

// tail is what git said, progress lines shortened to their last state.
func tail(text string) string {
	text = brief(text)
	text, _ = tools.HeadTail(text, tools.DefaultChars)
	return text
}

// brief drops the progress that git wrote over and over on one line.
func brief(text string) string {
	if !strings.Contains(text, "\r") {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		b.WriteString(strings.TrimRight(line[strings.LastIndexByte(line, '\r')+1:], " ") + "\n")
	}
	return b.String()
}

// runAll runs steps in turn until one fails; what they say is put together.
func (t *git) runAll(ctx context.Context, progress io.Writer, steps []spec) (all result, err error) {
	for i, sp := range steps {
		if sp.late != nil {
			if sp, err = sp.late(ctx); err != nil {
				return all, err
			}
		}
		sp.progress = progress
		res, err := t.runHeld(ctx, sp)
		if i+1 < len(steps) && steps[i+1].feed != nil {
			if steps[i+1].stdin = steps[i+1].feed(ctx, res); err == nil && (res.code == 0 || steps[i+1].stdin != "") {
				continue // it was but a look ahead
			}
		}
		if sp.feed != nil { // its standard output is no answer of git's
			res.out, res.stderr = nil, said(res)
		}
		all.out, all.stderr, all.code = append(all.out, res.out...), all.stderr+res.stderr, res.code
		if progress != nil {
			_, _ = io.WriteString(progress, redact(string(res.out)))
		}
		if err != nil || res.code != 0 {
			return all, err
		}
	}
	return all, nil
}

// asJob runs git as a job: when it takes longer than a call may, it goes on and id names it.
func (t *git) asJob(ctx context.Context, c *tools.Call, title string, timeout time.Duration, steps ...spec) (res result, id string, err error) {
	limit, wait := networkLimit, time.Duration(0)
	if timeout > 0 {
		limit, wait = timeout, min(timeout, tools.LocalLimit)
	}
	if t.cfg.Jobs == nil {
		ctx, cancel := context.WithTimeout(ctx, limit)
		defer cancel()
		res, err = t.runAll(ctx, nil, steps)
		return res, "", err
	}
	type ended struct {
		res result
		err error
	}
	end := make(chan ended, 1)
	j, err := t.cfg.Jobs.Go(job.Spec{Owner: c.Session.ID, Kind: "git", Title: title, Timeout: limit}, func(ctx context.Context, out io.Writer) error {
		res, err := t.runAll(ctx, out, steps)
		end <- ended{res, err}
		if err == nil && res.code != 0 {
			err = failure("failed", res)
		}
		return err
	})
	if err != nil {
		return res, "", err
	}
	done, err := t.cfg.Jobs.Foreground(ctx, j, wait, c.Progress)
	if err != nil {
		return res, "", err
	}
	if !done && timeout > 0 && timeout <= tools.LocalLimit {
		j.Stop(job.TimedOut, job.KillGrace)
		done = true
	}
	if !done {
		out, _ := j.Log().Slice(max(0, j.Log().Len()-4000), j.Log().Len())
		return result{stderr: string(out)}, j.ID, nil
	}
	j.Deliver()
	if j.State().Status == job.TimedOut {
		return res, "", context.DeadlineExceeded
	}
	select {
	case e := <-end:
		return e.res, "", e.err
	default:
		return res, "", errors.Join(j.State().Err, fmt.Errorf("git ended as %s", j.State().Status))
	}
}
