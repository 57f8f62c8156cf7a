package plan

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/store"
)

// look gives a plan as it is now.
func (t *tool) look(ctx context.Context, c *tools.Call, w which) (*Plan, error) {
	d, err := t.file.Read(ctx, c.Warn)
	if err != nil {
		return nil, err
	}
	i, err := d.find(w, toLook)
	if err != nil {
		return nil, err
	}
	return &d.Plans.At(i).V, nil
}

type showIn struct {
	which
	MaxChars int `json:"max_chars"`
}

func (t *tool) show(ctx context.Context, c *tools.Call, in showIn) (*tools.Result, error) {
	p, err := t.look(ctx, c, in.which)
	if err != nil {
		return nil, err
	}
	return answer(p.text(), in.MaxChars, p.changed(p.headline()), nil)
}

func (p *Plan) headline() string {
	return fmt.Sprintf("plan #%s %s: %d/%d done, %s", p.ID, store.Quote(p.Name), p.count(), p.Steps.Len(), p.Status)
}

// text is a plan with its steps, a line each.
func (p *Plan) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Plan #%s: %s [%s] %d/%d\n", store.Line(p.ID), store.Line(p.Name), store.Line(p.Status), p.count(), p.Steps.Len())
	if p.Goal != "" && p.Goal != p.Name {
		fmt.Fprintf(&b, "Goal: %s\n", store.Line(p.Goal))
	}
	if len(p.Tags) > 0 {
		fmt.Fprintf(&b, "Tags: %s\n", store.Lines(p.Tags))
	}
	for _, it := range p.Steps.All() {
		fmt.Fprintf(&b, "  %s\n", it.V.line())
		if it.V.Output != "" {
			fmt.Fprintf(&b, "      → %s\n", store.Cut(store.Line(it.V.Output), 200))
		}
	}
	if p.Notes != "" {
		fmt.Fprintf(&b, "Notes: %s\n", store.Cut(store.Line(p.Notes), 300))
	}
	return b.String()
}

func mark(status string) string {
	switch status {
	case "completed":
		return "[x]"
	case "in_progress":
		return "[~]"
	case "blocked":
		return "[!]"
	case "skipped":
		return "[-]"
	}
	return "[ ]"
}

// line is a step in one line.
func (s *Step) line() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s %s", mark(s.Status), store.Line(s.ID), store.Line(s.Description))
	if len(s.Dependencies) > 0 {
		fmt.Fprintf(&b, " (after %s)", store.Lines(s.Dependencies))
	}
	if s.Estimate != "" {
		fmt.Fprintf(&b, " [%s]", store.Line(s.Estimate))
	}
	if s.Assignee != "" {
		fmt.Fprintf(&b, " @%s", store.Line(s.Assignee))
	}
	if len(s.Tools) > 0 {
		fmt.Fprintf(&b, " tools: %s", store.Lines(s.Tools))
	}
	return b.String()
}

type listIn struct {
	Name     string   `json:"name"`
	Tags     []string `json:"tags"`
	Filter   string   `json:"filter"`
	Status   string   `json:"status"`
	Limit    int      `json:"limit"`
	MaxChars int      `json:"max_chars"`
}

func (t *tool) list(ctx context.Context, c *tools.Call, in listIn) (*tools.Result, error) {
	if err := store.Unheeded(c, "id", "goal", "step_id", "description", "text"); err != nil {
		return nil, err
	}
	filter := strings.ToLower(cmp.Or(in.Filter, in.Status))
	if filter != "" && filter != "all" {
		if err := store.OneOf("filter", filter, append([]string{"all"}, planStates...)...); err != nil {
			return nil, err
		}
	}
	d, err := t.file.Read(ctx, c.Warn)
	if err != nil {
		return nil, err
	}
	var data struct {
		Text  string `json:"text"`
		Count int    `json:"count"`
		Total int    `json:"total"`
	}
	var b strings.Builder
	for _, it := range slices.Backward(d.Plans.Items()) {
		p := &it.V
		if filter != "" && filter != "all" && p.Status != filter || !store.Has(p.Tags, in.Tags) || !strings.Contains(store.Fold(p.Name), store.Fold(in.Name)) {
			continue
		}
		if data.Total++; data.Total > store.Limit(in.Limit, 20) {
			continue
		}
		data.Count++
		fmt.Fprintf(&b, "#%s [%s] %s (%d/%d)", store.Line(p.ID), store.Line(p.Status), store.Line(p.Name), p.count(), p.Steps.Len())
		if len(p.Tags) > 0 {
			fmt.Fprintf(&b, " [%s]", store.Lines(p.Tags))
		}
		b.WriteByte('\n')
	}
	data.Text = store.Count(data.Total, "plan", "plans") + ", the latest first"
	if data.Count < data.Total {
		data.Text += fmt.Sprintf("; %d shown, give limit for more", data.Count)
	}
	res, err := answer(b.String(), in.MaxChars, data, nil)
	res.Truncated = res.Truncated || data.Count < data.Total
	return res, err
}

func (t *tool) next(ctx context.Context, c *tools.Call, in which) (*tools.Result, error) {
	p, err := t.look(ctx, c, in)
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	ready := p.ready()
	for _, s := range ready {
		fmt.Fprintf(&b, "%s\n", s.line())
	}
	text := fmt.Sprintf("%s of plan #%s can be done now", store.Count(len(ready), "step", "steps"), p.ID)
	if len(ready) == 0 {
		counts := p.counts()
		text = fmt.Sprintf("no step of plan #%s can be started: %d in progress, %d blocked, %d waiting, %d/%d done",
			p.ID, counts["in_progress"], counts["blocked"], counts["pending"], p.count(), p.Steps.Len())
		if p.checkOrders() != nil {
			text += "; some wait for steps that do not exist, or in a circle: update their dependencies"
		}
	}
	return answer(b.String(), 0, p.changed(text), nil)
}

func (p *Plan) counts() map[string]int {
	counts := map[string]int{}
	for _, it := range p.Steps.All() {
		counts[it.V.Status]++
	}
	return counts
}

func (t *tool) progress(ctx context.Context, c *tools.Call, in which) (*tools.Result, error) {
	p, err := t.look(ctx, c, in)
	if err != nil {
		return nil, err
	}
	counts := p.counts()
	percent := 0
	if n := p.Steps.Len(); n > 0 {
		percent = p.count() * 100 / n
	}
	data := struct {
		changed
		Percent int            `json:"percent"`
		Counts  map[string]int `json:"counts"`
	}{p.changed(p.headline()), percent, counts}
	bar := strings.Repeat("█", percent/5) + strings.Repeat("░", 20-percent/5)
	return answer(fmt.Sprintf("%s %d%%\n", bar, percent), 0, data, nil)
}

type getIn struct {
	which
	StepID   string `json:"step_id"`
	MaxChars int    `json:"max_chars"`
}

// get gives the record as it stands in the file.
func (t *tool) get(ctx context.Context, c *tools.Call, in getIn) (*tools.Result, error) {
	d, err := t.file.Read(ctx, c.Warn)
	if err != nil {
		return nil, err
	}
	i, err := d.find(d.ofStep(in.which, in.StepID), toLook)
	if err != nil {
		return nil, err
	}
	it := d.Plans.At(i)
	raw, err := it.MarshalJSON()
	text := it.V.headline()
	if in.StepID != "" {
		n, serr := it.V.step(in.StepID)
		if serr != nil {
			return nil, serr
		}
		raw, err = it.V.Steps.At(n).MarshalJSON()
		text = "step " + it.V.Steps.At(n).V.ID
	}
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		return nil, err
	}
	return answer(b.String()+"\n", in.MaxChars, it.V.changed(text), nil)
}
