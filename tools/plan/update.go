package plan

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/store"
)

type updateIn struct {
	which
	StepID       string          `json:"step_id"`
	Status       string          `json:"status"`
	Output       string          `json:"output"`
	Description  string          `json:"description"`
	Dependencies json.RawMessage `json:"dependencies"`
	Estimate     string          `json:"estimate"`
	Assignee     string          `json:"assignee"`
	Goal         string          `json:"goal"`
	Tags         []string        `json:"tags"`
	DryRun       bool            `json:"dry_run"`
}

func (t *tool) update(ctx context.Context, c *tools.Call, in updateIn) (*tools.Result, error) {
	if err := cmp.Or(store.TooLong("output", len(in.Output), maxOutput), store.TooLong("description", len(in.Description), maxLine), store.TooLong("estimate", len(in.Estimate), 100),
		store.TooLong("assignee", len(in.Assignee), 100), store.TooLong("name", len(in.Name), maxLine), store.TooLong("goal", len(in.Goal), maxLine), checkList("tags", in.Tags)); err != nil {
		return nil, err
	}
	if c.Given == "complete" || c.Given == "complete_step" {
		in.Status = cmp.Or(in.Status, "completed")
	}
	if in.StepID == "" && c.Given != "complete_step" {
		return t.updatePlan(ctx, c, in)
	}
	if in.Status == "" && in.Output == "" && in.Description == "" && in.Dependencies == nil && in.Estimate == "" && in.Assignee == "" {
		return nil, store.Missing("status", "give what changes of the step: status, output, description, dependencies, estimate or assignee")
	}
	deps, err := references(in.Dependencies)
	if err != nil {
		return nil, err
	}
	status := strings.ReplaceAll(strings.ToLower(in.Status), "-", "_")
	if status == "done" {
		status = "completed"
	}
	if in.Status != "" {
		if err := store.OneOf("status", status, stepStates...); err != nil {
			return nil, err
		}
	}
	return t.change(ctx, c, in.which, in.StepID, toWork, in.DryRun, func(p *Plan) (string, error) {
		i, err := p.step(in.StepID)
		if err != nil {
			return "", err
		}
		p.Steps.Change(i, func(s *Step) {
			s.Status, s.Output, s.Description = cmp.Or(status, s.Status), cmp.Or(in.Output, s.Output), cmp.Or(in.Description, s.Description)
			s.Estimate, s.Assignee = cmp.Or(in.Estimate, s.Estimate), cmp.Or(in.Assignee, s.Assignee)
			if in.Dependencies != nil {
				s.Dependencies = p.fullIDs(deps)
			}
		})
		if in.Dependencies != nil {
			if err := p.checkOrder(p.Steps.At(i).V.ID); err != nil {
				return "", err
			}
		}
		s := p.Steps.At(i).V
		text := fmt.Sprintf("updated step %s: %s (%d/%d)", s.ID, s.Status, p.count(), p.Steps.Len())
		switch finished := p.count() == p.Steps.Len(); {
		case finished && p.Status == "active":
			p.Status = "completed"
			text += "; the plan is completed"
		case !finished && p.Status == "completed":
			p.Status = "active"
		}
		if next := p.ready(); len(next) > 0 {
			text += fmt.Sprintf("; next: %s %s", next[0].ID, store.Quote(next[0].Description))
		}
		return text, nil
	})
}

func (t *tool) updatePlan(ctx context.Context, c *tools.Call, in updateIn) (*tools.Result, error) {
	w, name, to := in.which, "", toWork
	if w.ID != "" {
		w.Name, name = "", in.Name // the plan is named by its id: this is its new name
	}
	if in.Status != "" {
		to = toEnd
	}
	if in.Status == "" && name == "" && in.Goal == "" && in.Tags == nil {
		give := "give the step to update, or goal, tags or status of the plan"
		if w.Name != "" {
			give += "; to give it another name, give its id too"
		}
		return nil, store.Missing("step_id", give)
	}
	if in.Status != "" {
		if err := store.OneOf("status", in.Status, planStates...); err != nil {
			return nil, tools.Errorf(tools.InvalidParams, "a plan has no status %s (%s); for a step give step_id", store.Quote(in.Status), strings.Join(planStates, ", ")).
				With(tools.Details{Param: "step_id"})
		}
	}
	return t.change(ctx, c, w, "", to, in.DryRun, func(p *Plan) (string, error) {
		p.Status, p.Name, p.Goal = cmp.Or(in.Status, p.Status), cmp.Or(name, p.Name), cmp.Or(in.Goal, p.Goal)
		if in.Tags != nil {
			p.Tags = in.Tags
		}
		return fmt.Sprintf("updated plan #%s %s (%s)", p.ID, store.Quote(p.Name), p.Status), nil
	})
}

type endIn struct {
	which
	DryRun bool `json:"dry_run"`
}

func (t *tool) archive(ctx context.Context, c *tools.Call, in endIn) (*tools.Result, error) {
	return t.end(ctx, c, in, "archived")
}

func (t *tool) cancel(ctx context.Context, c *tools.Call, in endIn) (*tools.Result, error) {
	return t.end(ctx, c, in, "cancelled")
}

func (t *tool) end(ctx context.Context, c *tools.Call, in endIn, status string) (*tools.Result, error) {
	return t.change(ctx, c, in.which, "", toEnd, in.DryRun, func(p *Plan) (string, error) {
		p.Status = status
		return fmt.Sprintf("%s plan #%s %s", status, p.ID, store.Quote(p.Name)), nil
	})
}

type notesIn struct {
	which
	Text     string `json:"text"`
	MaxChars int    `json:"max_chars"`
	DryRun   bool   `json:"dry_run"`
}

func (t *tool) notes(ctx context.Context, c *tools.Call, in notesIn) (*tools.Result, error) {
	if in.Text == "" {
		p, err := t.look(ctx, c, in.which)
		if err != nil {
			return nil, err
		}
		return answer(p.Notes, in.MaxChars, p.changed(fmt.Sprintf("notes of plan #%s (%s)", p.ID, store.Count(len(p.Notes), "byte", "bytes"))), nil)
	}
	return t.change(ctx, c, in.which, "", toWork, in.DryRun, func(p *Plan) (string, error) {
		notes := strings.TrimLeft(p.Notes+"\n"+in.Text, "\n")
		p.Notes = notes
		return fmt.Sprintf("added to the notes of plan #%s", p.ID), store.TooLong("text", len(notes), maxNotes)
	})
}

// change changes one plan, or on a dry run says what it would change. do gives the line for people.
func (t *tool) change(ctx context.Context, c *tools.Call, w which, stepID string, to purpose, dry bool, do func(p *Plan) (string, error)) (*tools.Result, error) {
	now := store.Stamp(time.Now())
	var out changed
	err := t.file.Update(ctx, c.Warn, func(d *Document) (bool, error) {
		i, err := d.find(d.ofStep(w, stepID), to)
		if err != nil {
			return false, err
		}
		var text string
		d.Plans.Change(i, func(p *Plan) {
			p.Updated = now
			text, err = do(p)
		})
		out = d.Plans.At(i).V.changed(text)
		return !dry, err
	})
	return result("", out, dry, err)
}

// answer makes the result of an action: the payload cut to size, and data.
func answer(text string, maxChars int, data any, err error) (*tools.Result, error) {
	if err != nil {
		return nil, err
	}
	shown, over := tools.Head(text, tools.Limit(maxChars))
	return &tools.Result{Text: shown, Data: data, Truncated: over}, nil
}
