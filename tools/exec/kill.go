package exec

import (
	"context"
	"encoding/json"
	"sync"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/job"
)

type killArgs struct {
	ProcID  string          `json:"proc_id"`
	ProcIDs []string        `json:"proc_ids"`
	Signal  json.RawMessage `json:"signal"`
}

// kill ends jobs, or sends them a signal that only tells them something.
func (t *tool) kill(_ context.Context, c *tools.Call, in killArgs) (*tools.Result, error) {
	sig, name, err := parseSignal(in.Signal)
	if err != nil {
		return nil, err
	}
	if in.ProcID != "" && in.ProcIDs != nil {
		in.ProcIDs = append(in.ProcIDs, in.ProcID)
	}
	jobs, several, err := t.doomed(c, in)
	if err != nil {
		return nil, err
	}
	errs := make([]error, len(jobs))
	var all sync.WaitGroup
	for i, j := range jobs {
		all.Go(func() { errs[i] = end(c, j, sig, name, tells[name] || c.Given == "signal") })
	}
	all.Wait()
	list := []data{}
	for i, j := range jobs {
		switch {
		case errs[i] != nil && !several:
			return nil, errs[i]
		case errs[i] != nil:
			c.Warn(errs[i].Error())
		}
		list = append(list, describe(j))
	}
	if !several {
		return result{}.with(list[0]), nil
	}
	return &tools.Result{Data: struct {
		Processes []data `json:"processes"`
		Count     int    `json:"count"`
	}{list, len(list)}}, nil
}

// doomed finds the jobs that a kill means: one, several, or all that run. Nothing is ended when one is not known.
func (t *tool) doomed(c *tools.Call, in killArgs) (jobs []*job.Job, several bool, err error) {
	if in.ProcIDs != nil {
		for _, id := range in.ProcIDs {
			j, err := t.job(c, id)
			if err != nil {
				return nil, false, err
			}
			jobs = append(jobs, j)
		}
		return jobs, true, nil
	}
	j, err := t.job(c, in.ProcID)
	if err == nil || in.ProcID != "all" && in.ProcID != "*" {
		return []*job.Job{j}, false, err
	}
	for _, j := range t.Jobs.List(c.Session.ID) {
		if s := j.State(); !s.Ended() || s.Lingering {
			jobs = append(jobs, j)
		}
	}
	if len(jobs) == 0 {
		c.Warn("nothing was running")
	}
	return jobs, true, nil
}

// end ends one job, or only tells it something.
func end(c *tools.Call, j *job.Job, sig sysSignal, name string, only bool) error {
	switch s := j.State(); {
	case s.Ended() && !s.Lingering && only:
		c.Warn("it had ended before; nothing was sent")
	case s.Ended() && !s.Lingering:
		c.Warn("it had ended before; what it may have left running was ended")
		j.Stop(job.Killed, job.KillGrace)
	default:
		if err := j.Signal(sig, !only); err != nil {
			return tools.Errorf(tools.Conflict, "%s was not sent to %s: %v", name, j.ID, err)
		}
	}
	return nil
}
