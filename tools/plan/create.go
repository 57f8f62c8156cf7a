package plan

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/store"
)

// What a plan may hold, texts in bytes.
const (
	maxSteps  = 200
	maxLine   = 2000
	maxOutput = 16 << 10
	maxNotes  = 64 << 10
	maxList   = 50
)

// changed is what a changing action answers.
type changed struct {
	Text   string   `json:"text"`
	ID     string   `json:"id"`
	StepID string   `json:"step_id,omitempty"`
	Status string   `json:"status,omitempty"`
	Done   int      `json:"done"`
	Steps  int      `json:"steps"`
	Next   []string `json:"next,omitempty"` // ids of steps that can be done now
	DryRun bool     `json:"dry_run,omitempty"`
}

// result is the answer of an action that changed a plan, or on a dry run would have.
func result(text string, out changed, dry bool, err error) (*tools.Result, error) {
	if dry {
		out.DryRun, out.Text = true, "dry run, nothing changed: "+out.Text
	}
	return answer(text, 0, out, err)
}

func (p *Plan) changed(text string) changed {
	c := changed{Text: text, ID: p.ID, Status: p.Status, Done: p.count(), Steps: p.Steps.Len()}
	if p.Status == "active" {
		for _, s := range p.ready() {
			if len(c.Next) < 5 && s.ID != "" {
				c.Next = append(c.Next, s.ID)
			}
		}
	}
	return c
}

type createIn struct {
	Name   string          `json:"name"`
	Goal   string          `json:"goal"`
	Steps  json.RawMessage `json:"steps"`
	Tags   []string        `json:"tags"`
	DryRun bool            `json:"dry_run"`
}

func (t *tool) create(ctx context.Context, c *tools.Call, in createIn) (*tools.Result, error) {
	name, goal := cmp.Or(in.Name, in.Goal), cmp.Or(in.Goal, in.Name)
	if name == "" {
		return nil, store.Missing("name", "give name, goal and steps")
	}
	steps, err := parseSteps(in.Steps)
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(store.TooLong("name", len(name), maxLine), store.TooLong("goal", len(goal), maxLine), checkList("tags", in.Tags)); err != nil {
		return nil, err
	}
	now := store.Stamp(time.Now())
	var out changed
	var text string
	err = t.file.Update(ctx, c.Warn, func(d *Document) (bool, error) {
		p := Plan{Name: name, Goal: goal, Created: now, Updated: now, Status: "active", Tags: in.Tags}
		p.ID, d.LastID = store.NextID(&d.Plans, d.LastID, func(p *Plan) string { return p.ID })
		for i, s := range steps {
			s.ID = fmt.Sprintf("%s.%d", p.ID, i+1)
			// The id of the plan is not known to who makes it: whatever stands before the dot means this plan.
			deps := []string{}
			for _, given := range s.Dependencies {
				number := given[strings.LastIndexByte(given, '.')+1:]
				deps = append(deps, p.ID+"."+strings.TrimPrefix(strings.TrimSpace(number), "#"))
			}
			s.Dependencies = deps
			p.Steps.Add(store.NewItem(s))
		}
		if err := p.checkOrders(); err != nil {
			return false, err
		}
		d.Plans.Add(store.NewItem(p))
		out, text = p.changed(fmt.Sprintf("created plan #%s %s with %s", p.ID, store.Quote(name), store.Count(len(steps), "step", "steps"))), p.text()
		return !in.DryRun, nil
	})
	return result(text, out, in.DryRun, err)
}

// parseSteps reads steps: a list of texts and objects, or text with a step in each line.
func parseSteps(raw json.RawMessage) ([]Step, error) {
	if raw == nil {
		return nil, nil
	}
	if raw[0] == '"' {
		var text string
		_ = json.Unmarshal(raw, &text) // the message was valid JSON as a whole
		if raw = json.RawMessage(strings.TrimSpace(text)); !json.Valid(raw) {
			lines, err := json.Marshal(strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }))
			if err != nil {
				return nil, err
			}
			raw = lines
		}
	}
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return nil, tools.Errorf(tools.InvalidParams, "steps must be a list of texts or objects with a description").With(tools.Details{Param: "steps", Expected: "array"})
	}
	if len(list) > maxSteps {
		return nil, store.TooLong("steps", len(list), maxSteps)
	}
	steps := make([]Step, 0, len(list))
	for i, raw := range list {
		s, err := parseStep(raw)
		if err != nil {
			return nil, tools.Errorf(tools.InvalidParams, "steps[%d]: %v", i, err).With(tools.Details{Param: "steps"})
		}
		steps = append(steps, s)
	}
	return steps, nil
}

func parseStep(raw json.RawMessage) (Step, error) {
	var in struct {
		Description, Text, Title, Content, Name, Estimate, Assignee string
		Dependencies, DependsOn, Depends_On                         json.RawMessage
		Tools                                                       []string
	}
	var err error
	if raw[0] == '"' {
		err = json.Unmarshal(raw, &in.Description)
	} else {
		err = json.Unmarshal(raw, &in)
	}
	if err != nil {
		return Step{}, fmt.Errorf("it must be a text, or {description, dependencies, tools, estimate, assignee}")
	}
	s := Step{Description: strings.TrimSpace(cmp.Or(in.Description, in.Text, in.Title, in.Content, in.Name)), Status: "pending",
		Estimate: in.Estimate, Assignee: in.Assignee, Tools: in.Tools}
	for _, raw := range []json.RawMessage{in.Dependencies, in.DependsOn, in.Depends_On} {
		list, err := references(raw)
		if err != nil {
			return s, err
		}
		s.Dependencies = append(s.Dependencies, list...)
	}
	return s, s.check()
}

// references reads ids or numbers of steps, as texts or numbers; 1.2 is step 2 of plan 1.
func references(raw json.RawMessage) (list []string, err error) {
	if raw == nil || string(raw) == "null" {
		return nil, nil
	}
	if raw[0] != '[' {
		raw = slices.Concat([]byte("["), raw, []byte("]"))
	}
	var items []any
	numbers := json.NewDecoder(bytes.NewReader(raw))
	numbers.UseNumber() // as it is written: 1.10 is step 10
	if err := numbers.Decode(&items); err != nil {
		return nil, err
	}
	for _, item := range items {
		switch item := item.(type) {
		case string:
			list = append(list, item)
		case json.Number:
			list = append(list, item.String())
		default:
			return nil, tools.Errorf(tools.InvalidParams, "dependencies must be numbers or ids of steps").With(tools.Details{Param: "dependencies"})
		}
	}
	return list, checkList("dependencies", list)
}

func (s *Step) check() error {
	if s.Description == "" {
		return store.Missing("description", "say what is to be done")
	}
	return cmp.Or(store.TooLong("description", len(s.Description), maxLine), store.TooLong("estimate", len(s.Estimate), 100), store.TooLong("assignee", len(s.Assignee), 100),
		checkList("dependencies", s.Dependencies), checkList("tools", s.Tools))
}

func checkList(param string, list []string) error {
	err := store.TooLong(param, len(list), maxList)
	for _, s := range list {
		err = cmp.Or(err, store.TooLong(param, len(s), 100))
	}
	return err
}

// checkOrder refuses a step that waits for one that is not there, or for itself by way of others.
func (p *Plan) checkOrder(id string) error {
	deps, full := map[string][]string{}, p.ids()
	for _, it := range p.Steps.All() {
		deps[it.V.ID] = it.V.Dependencies
	}
	for _, d := range deps[id] {
		if _, known := deps[full(d)]; !known {
			return tools.Errorf(tools.InvalidParams, "step %s waits for %s, which is no step of the plan; give numbers of its %s", id, store.Quote(d), store.Count(len(deps), "step", "steps")).
				With(tools.Details{Param: "dependencies", Actual: store.Cut(d, 60)})
		}
	}
	seen := map[string]bool{}
	for todo := slices.Clone(deps[id]); len(todo) > 0; {
		d := full(todo[len(todo)-1])
		todo = todo[:len(todo)-1]
		if d == id {
			return tools.Errorf(tools.InvalidParams, "step %s waits for itself, by way of its dependencies; leave one of them out", id).With(tools.Details{Param: "dependencies"})
		}
		if !seen[d] {
			seen[d] = true
			todo = append(todo, deps[d]...)
		}
	}
	return nil
}

// checkOrders is checkOrder of all steps.
func (p *Plan) checkOrders() error {
	for _, it := range p.Steps.All() {
		if err := p.checkOrder(it.V.ID); err != nil {
			return err
		}
	}
	return nil
}

type addStepIn struct {
	which
	Description  string          `json:"description"`
	Text         string          `json:"text"`
	Dependencies json.RawMessage `json:"dependencies"`
	Tools        []string        `json:"tools"`
	Estimate     string          `json:"estimate"`
	Assignee     string          `json:"assignee"`
	After        string          `json:"after"`
	DryRun       bool            `json:"dry_run"`
}

func (t *tool) addStep(ctx context.Context, c *tools.Call, in addStepIn) (*tools.Result, error) {
	s := Step{Description: in.Description, Status: "pending", Tools: in.Tools, Estimate: in.Estimate, Assignee: in.Assignee}
	if in.Description == "" {
		s.Description = in.Text
	} else {
		s.Estimate = cmp.Or(s.Estimate, in.Text) // as the other servers take it
	}
	deps, err := references(in.Dependencies)
	if err = cmp.Or(s.check(), err); err != nil {
		return nil, err
	}
	return t.change(ctx, c, in.which, "", toWork, in.DryRun, func(p *Plan) (string, error) {
		if err := store.TooLong("steps", p.Steps.Len()+1, maxSteps); err != nil {
			return "", err
		}
		s := s
		s.ID, s.Dependencies = p.newStepID(), p.fullIDs(deps)
		at := p.Steps.Len()
		if in.After != "" {
			i, err := p.step(in.After)
			if err != nil {
				return "", err
			}
			at = i + 1
		}
		p.Steps.Insert(at, store.NewItem(s))
		if p.Status == "completed" {
			p.Status = "active"
		}
		return fmt.Sprintf("added step %s: %s", s.ID, store.Quote(s.Description)), p.checkOrder(s.ID)
	})
}

type stepIn struct {
	which
	StepID string `json:"step_id"`
	DryRun bool   `json:"dry_run"`
}

// removeStep takes a step out. Steps that waited for it no longer do.
func (t *tool) removeStep(ctx context.Context, c *tools.Call, in stepIn) (*tools.Result, error) {
	return t.change(ctx, c, in.which, in.StepID, toEnd, in.DryRun, func(p *Plan) (string, error) {
		i, err := p.step(in.StepID)
		if err != nil {
			return "", err
		}
		gone := p.Steps.At(i).V
		p.LastStep = max(p.LastStep, gone.number())
		p.Steps.Remove(func(s *Step) bool { return s.ID == gone.ID })
		for i, it := range p.Steps.Items() {
			if slices.Contains(it.V.Dependencies, gone.ID) {
				p.Steps.Change(i, func(s *Step) {
					s.Dependencies = slices.DeleteFunc(append([]string{}, s.Dependencies...), func(id string) bool { return id == gone.ID })
				})
			}
		}
		return fmt.Sprintf("removed step %s: %s", gone.ID, store.Quote(gone.Description)), nil
	})
}

type cloneIn struct {
	which
	DryRun bool `json:"dry_run"`
}

func (t *tool) clone(ctx context.Context, c *tools.Call, in cloneIn) (*tools.Result, error) {
	if err := store.TooLong("name", len(in.Name), maxLine); err != nil {
		return nil, err
	}
	now := store.Stamp(time.Now())
	var out changed
	err := t.file.Update(ctx, c.Warn, func(d *Document) (bool, error) {
		of, name := d.toClone(in.which)
		i, err := d.find(of, toWork)
		if err != nil {
			return false, err
		}
		old := &d.Plans.At(i).V
		p := Plan{Name: cmp.Or(name, old.Name+" (copy)"), Goal: old.Goal, Created: now, Updated: now, Status: "draft", Tags: old.Tags}
		p.ID, d.LastID = store.NextID(&d.Plans, d.LastID, func(p *Plan) string { return p.ID })
		ids, full := map[string]string{}, old.ids()
		for n, it := range old.Steps.All() {
			ids[it.V.ID] = fmt.Sprintf("%s.%d", p.ID, n+1)
		}
		for _, it := range old.Steps.All() {
			p.Steps.Add(it.With(func(s *Step) {
				deps := []string{}
				for _, id := range s.Dependencies {
					if fresh := ids[full(id)]; fresh != "" {
						deps = append(deps, fresh)
					}
				}
				s.ID, s.Status, s.Output, s.Dependencies = ids[s.ID], "pending", "", deps
			}))
		}
		d.Plans.Add(store.NewItem(p))
		out = p.changed(fmt.Sprintf("cloned plan #%s as draft #%s %s; update with status \"active\" starts it", old.ID, p.ID, store.Quote(p.Name)))
		return !in.DryRun, nil
	})
	return result("", out, in.DryRun, err)
}

// toClone tells the plan that is copied from the name that the copy gets: a name that one plan has, without an id, is
// that plan.
func (d *Document) toClone(w which) (of which, name string) {
	if w.ID == "" && slices.ContainsFunc(d.Plans.Items(), func(it *store.Item[Plan]) bool { return it.V.called(w.Name) }) {
		return w, ""
	}
	return which{ID: w.ID}, w.Name
}
