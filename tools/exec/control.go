package exec

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/job"
)

type psArgs struct {
	ProcID string `json:"proc_id"`
	Filter string `json:"filter"`
	Limit  int    `json:"limit"`
}

// ps lists the jobs.
func (t *tool) ps(_ context.Context, c *tools.Call, in psArgs) (*tools.Result, error) {
	jobs := t.Jobs.List(c.Session.ID)
	if in.ProcID != "" {
		j, err := t.job(c, in.ProcID)
		if err != nil {
			return nil, err
		}
		jobs = []*job.Job{j}
	}
	if in.Limit <= 0 {
		in.Limit = 50
	}
	list, total := []data{}, 0
	for _, j := range jobs {
		d := describe(j)
		d.Kind, d.Started = j.Kind, j.Started.Format(time.RFC3339)
		if d.Command, _ = tools.Head(j.Title, 200); len(d.Command) < len(j.Title) {
			d.Command += " …"
		}
		if f := in.Filter; f != "" && !strings.Contains(strings.Join([]string{d.ProcID, d.Kind, d.Status, j.Title}, "\n"), f) {
			continue
		}
		if total++; total <= in.Limit {
			list = append(list, d)
		}
	}
	return &tools.Result{Truncated: total > len(list), Data: struct {
		Processes []data `json:"processes"`
		Count     int    `json:"count"`
	}{list, total}}, nil
}

// job finds a job by its id, or by the process id that answers tell of it too.
func (t *tool) job(c *tools.Call, id string) (*job.Job, error) {
	j, err := t.Jobs.Get(c.Session.ID, id)
	pid, perr := strconv.Atoi(id)
	if err == nil || perr != nil {
		return j, err
	}
	var found []*job.Job
	for _, j := range t.Jobs.List(c.Session.ID) {
		if j.State().PID == pid && pid > 0 {
			found = append(found, j)
		}
	}
	if len(found) != 1 { // process ids come again, in each sandbox
		return nil, err
	}
	return found[0], nil
}

// tells are the signals that programs take as a message, so that no KILL follows.
var tells = map[string]bool{"SIGUSR1": true, "SIGUSR2": true}

// parseSignal reads a signal's name, with or without SIG in any case, or its number.
func parseSignal(raw json.RawMessage) (sig sysSignal, name string, err error) {
	text := strings.Trim(string(raw), `"`)
	name = strings.ToUpper(strings.TrimSpace(text))
	if name == "" {
		name = "TERM"
	}
	if n, err := strconv.Atoi(name); err == nil {
		for known, sig := range signals {
			if int(sig) == n {
				return sig, known, nil
			}
		}
	}
	if !strings.HasPrefix(name, "SIG") {
		name = "SIG" + name
	}
	if sig, ok := signals[name]; ok {
		return sig, name, nil
	}
	return 0, "", tools.Errorf(tools.InvalidParams, "signal %s is not known; use %s", text, strings.Join(signalNames, ", ")).
		With(tools.Details{Param: "signal", Actual: text, Available: signalNames})
}

type logsArgs struct {
	ProcID   string `json:"proc_id"`
	Tail     int    `json:"tail"`
	Offset   *int64 `json:"offset"`
	Since    bool   `json:"since"`
	Stream   string `json:"stream"`
	Filter   string `json:"filter"`
	Raw      bool   `json:"raw"`
	MaxChars int    `json:"max_chars"`
}

// logs shows output of a job, running or ended.
func (t *tool) logs(_ context.Context, c *tools.Call, in logsArgs) (*tools.Result, error) {
	j, err := t.job(c, in.ProcID)
	if err != nil {
		return nil, err
	}
	switch in.Stream {
	case "", "both":
	case "stdout", "stderr":
		c.Warn("stdout and stderr share one pipe, to keep their order: both are shown; redirect one in the command to have it alone")
	default:
		return nil, tools.Errorf(tools.InvalidParams, "stream %q is not known; use both", in.Stream).With(tools.Details{Param: "stream"})
	}
	v := view{call: c, job: j, raw: in.Raw, limit: tools.Limit(in.MaxChars), only: lineFilter(in.Filter)}
	in.Since = in.Since || c.Given == "bash_output" || c.Given == "poll" // by which other servers give what is new
	var res result
	var d data
	switch {
	case in.Offset != nil:
		if *in.Offset < 0 {
			return nil, tools.Errorf(tools.InvalidParams, "offset must not be negative; tail gives the last lines").With(tools.Details{Param: "offset"})
		}
		res, d = v.page(*in.Offset)
	case in.Since && in.Tail <= 0:
		res, d = v.output(j.Log().Shown())
	default:
		if in.Tail <= 0 {
			in.Tail = 50
		}
		res, d = v.tail(in.Tail)
	}
	running := !d.ended()
	d.Running = &running
	return res.with(d), nil
}

// page gives what follows an offset, as much as the limit allows.
func (v view) page(from int64) (result, data) {
	log := v.job.Log()
	d := describe(v.job)
	end := v.end(d)
	skipped := int64(0)
	until := end
	switch start, stop := log.Gap(); {
	case from < start:
		until = min(end, start) // a page ends where the gap begins, the next one where it ends
	case from < stop:
		skipped = stop - from
		from = stop
	}
	to := min(until, from+int64(max(v.limit, utf8.UTFMax)))
	b, dropped := log.Slice(from, to)
	cut := to < end
	if to < until {
		b = wholeLines(b)
	}
	next := min(end, from+dropped+int64(len(b)))
	dropped += skipped
	d.NextOffset, d.Dropped, d.Truncated = &next, dropped, cut
	log.Show(next)
	return result{text: v.text(string(v.pick(b))), cut: cut}, d
}

// tail gives the last lines.
func (v view) tail(lines int) (result, data) {
	log := v.job.Log()
	d := describe(v.job)
	end := v.end(d)
	reach := int64(v.limit)
	if v.only != nil {
		reach = max(reach, foldable)
	}
	from := max(0, end-reach)
	b, dropped := log.Slice(from, end)
	b = v.pick(b)
	all := len(b)
	b = lastLines(b, lines)
	cut := from > 0 && len(b) == all // the limit, not the number of lines, is why it begins here
	if over := len(b) - v.limit; over > 0 {
		b, cut = b[over:], true
	}
	if cut {
		b = b[firstLine(b):]
	}
	d.NextOffset, d.Dropped, d.Truncated = &end, dropped, cut
	log.Show(end)
	switch {
	case cut && v.only != nil && all <= v.limit:
		v.call.Warn("only the last MiB of the output was looked through; earlier: exec logs with offset")
	case cut:
		v.call.Warn(fmt.Sprintf("%d lines are more than %d characters; earlier ones: exec logs with offset, or a larger max_chars", lines, v.limit))
	}
	return result{text: v.text(string(b)), cut: cut}, d
}

// commands tells that what is typed into a process may be commands to it.
func commands(*tools.Call) []string { return []string{"exec"} }
