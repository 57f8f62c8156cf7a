package exec

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/job"
)

type waitArgs struct {
	ProcID   string        `json:"proc_id"`
	Timeout  time.Duration `json:"timeout"`
	Until    string        `json:"until"`
	Raw      bool          `json:"raw"`
	MaxChars int           `json:"max_chars"`
	otherTimes
}

// wait waits for a job's end or for a pattern, and gives the output that is new since the last read. The pattern is
// looked for in the reply to the start too, which may have come just before or just after what it is to match.
func (t *tool) wait(ctx context.Context, c *tools.Call, in waitArgs) (*tools.Result, error) {
	j, err := t.job(c, in.ProcID)
	if err != nil {
		return nil, err
	}
	re, err := pattern(in.Until)
	if err != nil {
		return nil, err
	}
	if err := in.check(); err != nil {
		return nil, err
	}
	hintMilliseconds(c)
	if in.Timeout == 0 && !c.Args.Has("timeout") { // 0 is a look, without waiting
		in.Timeout = t.Jobs.Limit()
	}
	v := view{call: c, job: j, raw: in.Raw, limit: tools.Limit(in.MaxChars)}
	from := j.Log().Shown()
	var matched *string
	if re == nil {
		_, err = j.Wait(ctx, in.Timeout, progress(c))
	} else {
		matched, err = v.await(ctx, re, j.Log().Sought(), in.Timeout)
	}
	if err != nil {
		return nil, err
	}
	return v.answer(from, re, matched), nil
}

// answer is what wait and write give back.
func (v view) answer(from int64, re *regexp.Regexp, matched *string) *tools.Result {
	res, d := v.output(from)
	running := !d.ended()
	d.Running, d.Matched = &running, matched
	if re != nil && matched == nil {
		state := "it goes on"
		if !running {
			state = "it has ended"
		}
		text := re.String()[len(multiline):]
		if slashed().MatchString(text) {
			state += "; the slashes were taken as part of the pattern: leave them out, and write (?i) in front to ignore case"
		}
		v.call.Warn(fmt.Sprintf("nothing matched %q; %s", text, state))
	}
	return res.with(d)
}

// slashed is a pattern as it stands in the source of some languages.
var slashed = tools.Pattern(`^/.+/[a-z]*$`)

// multiline lets ^ and $ stand at line breaks.
const multiline = "(?m)"

func pattern(text string) (*regexp.Regexp, error) {
	if text == "" {
		return nil, nil
	}
	_, err := regexp.Compile(text) // alone, so that an error shows what the caller wrote
	if err != nil {
		return nil, tools.Errorf(tools.InvalidParams, "until is no regular expression (RE2): %v", err).With(tools.Details{Param: "until", Actual: text})
	}
	return regexp.Compile(multiline + text)
}

const (
	scanStep = 1 << 20                // bytes looked at in one go
	overlap  = 4 << 10                // bytes looked at again, for a match that comes in pieces
	scanRest = 5 * time.Millisecond   // between looks at output that keeps coming
	quiet    = 150 * time.Millisecond // how long output rests before an answer is taken for whole
)

// await waits until re matches output after from, the job has ended or limit has passed. It gives the matched
// text, nil when there was none. The error is that of ctx.
func (v view) await(ctx context.Context, re *regexp.Regexp, from int64, limit time.Duration) (*string, error) {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	log := v.job.Log()
	for pos := from; ; {
		ended := !isOpen(v.job.Done())
		end := log.Len()
		to := min(end, pos+scanStep)
		b, _ := log.Slice(pos, to)
		text, _ := readable(string(b), v.raw, v.job.PTY())
		if m := re.FindStringIndex(text); m != nil {
			found, _ := tools.Head(text[m[0]:m[1]], 200)
			return &found, nil
		}
		if to-overlap > pos { // go on at the start of a line, so that ^ keeps its meaning
			keep := b[:len(b)-min(len(b), overlap)]
			pos = to - int64(len(b)) + int64(len(wholeLines(keep)))
		}
		if to < end {
			continue
		}
		if ended {
			return nil, nil
		}
		select {
		case <-log.Changed(end):
		case <-v.job.Done():
		case <-timer.C:
			return nil, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		select { // let what comes in a burst come
		case <-time.After(scanRest):
		case <-v.job.Done():
		case <-ctx.Done():
		}
	}
}

func isOpen(c <-chan struct{}) bool {
	select {
	case <-c:
		return false
	default:
		return true
	}
}

// calm waits until output after from has come and rests, the job has ended or limit has passed.
func (v view) calm(ctx context.Context, from int64, limit time.Duration) error {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	rest := time.NewTimer(limit)
	defer rest.Stop()
	log := v.job.Log()
	for {
		end := log.Len()
		if end > from {
			rest.Reset(quiet)
		}
		select {
		case <-log.Changed(end):
		case <-rest.C:
			return nil
		case <-v.job.Done():
			return nil
		case <-timer.C:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

type writeArgs struct {
	ProcID     string        `json:"proc_id"`
	Text       string        `json:"text"`
	Newline    *bool         `json:"newline"`
	CloseStdin bool          `json:"close_stdin"`
	Until      string        `json:"until"`
	Timeout    time.Duration `json:"timeout"`
	Raw        bool          `json:"raw"`
	MaxChars   int           `json:"max_chars"`
	otherTimes
}

const (
	answerLimit = 2 * time.Second  // for an answer of which nothing is known
	untilLimit  = 30 * time.Second // for a pattern
)

// write types into a job and gives the output that follows.
func (t *tool) write(ctx context.Context, c *tools.Call, in writeArgs) (*tools.Result, error) {
	j, err := t.job(c, in.ProcID)
	if err != nil {
		return nil, err
	}
	re, err := pattern(in.Until)
	if err != nil {
		return nil, err
	}
	if err := in.check(); err != nil {
		return nil, err
	}
	hintMilliseconds(c)
	limit := in.Timeout
	if limit == 0 && !c.Args.Has("timeout") {
		if limit = answerLimit; re != nil {
			limit = untilLimit
		}
	}
	text := in.Text
	if c.Args.Has("text") && (in.Newline == nil || *in.Newline) {
		text += "\n"
	}
	if text == "" && !in.CloseStdin {
		return nil, tools.Errorf(tools.InvalidParams, "text is missing; close_stdin:true alone ends the input").With(tools.Details{Param: "text"})
	}
	v := view{call: c, job: j, raw: in.Raw, limit: tools.Limit(in.MaxChars)}
	shown, from := j.Log().Shown(), j.Log().Len()
	if text != "" {
		typing, cancel := context.WithTimeout(ctx, max(limit, quiet))
		n, err := j.Input(typing, text)
		cancel()
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, job.ErrNotTaken):
			return nil, tools.Errorf(tools.Timeout, "%s took %d of %d bytes in %s and reads no more; see its output with exec logs, or end it with kill", j.ID, n, len(text), max(limit, quiet))
		case err != nil:
			return nil, noInput(j)
		}
	}
	if in.CloseStdin {
		j.CloseInput()
	}
	var matched *string
	if re != nil {
		matched, err = v.await(ctx, re, from, limit)
	} else {
		err = v.calm(ctx, from, limit)
	}
	if err != nil {
		return nil, err
	}
	return v.answer(shown, re, matched), nil
}

func noInput(j *job.Job) error {
	if s := j.State(); s.Ended() {
		return tools.Errorf(tools.Conflict, "%s has ended (%s, exit code %d); start it again with background:true", j.ID, s.Status, s.ExitCode)
	}
	return tools.Errorf(tools.Conflict, "the input of %s is closed: start it with background:true and without stdin to write to it", j.ID)
}
