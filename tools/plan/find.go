package plan

import (
	"slices"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/store"
)

// which are the parameters that say which plan a call means.
type which struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// purpose is what a plan is looked for, which decides what may stand for one that no parameter names.
type purpose int

const (
	toLook purpose = iota // the latest active plan, else the latest
	toWork                // the latest active plan, else the only one that is not put away
	toEnd                 // the only active plan, else the only one that is not put away
)

// find gives the index of the plan that is meant: by its id, by its name, or by what may stand for none.
func (d *Document) find(w which, to purpose) (int, error) {
	id := strings.TrimPrefix(strings.TrimSpace(w.ID), "#")
	if id == "latest" {
		id = ""
	}
	switch {
	case id != "":
		i, err := d.byID(id)
		if err == nil && w.Name != "" && !d.Plans.At(i).V.called(w.Name) {
			p := &d.Plans.At(i).V
			return 0, tools.Errorf(tools.InvalidParams, "plan #%s is called %s, not %s; give id or name alone. Nothing was done", p.ID, store.Quote(p.Name), store.Quote(w.Name)).
				With(tools.Details{Param: "name", Expected: store.Cut(p.Name, 60), Actual: store.Cut(w.Name, 60)})
		}
		return i, err
	case w.Name != "":
		return d.byName(w.Name, "name")
	}
	return d.meant(to)
}

// byID finds a plan by its id, or by its name where an id is asked for.
func (d *Document) byID(id string) (int, error) {
	if i := d.Plans.Find(func(p *Plan) bool { return p.ID == id }); i >= 0 {
		return i, nil
	}
	return d.byName(id, "id")
}

// byName finds the plan of a name. Of several the one that is active is meant.
func (d *Document) byName(name, param string) (int, error) {
	var all, active []int
	for i, it := range d.Plans.All() {
		if it.V.called(name) {
			all = append(all, i)
			if it.V.Status == "active" {
				active = append(active, i)
			}
		}
	}
	switch {
	case len(all) == 1:
		return all[0], nil
	case len(active) == 1:
		return active[0], nil
	case len(all) > 1:
		return 0, tools.Errorf(tools.Ambiguous, "%d plans are called %s; give the id of one. Nothing was done", len(all), store.Quote(name)).
			With(tools.Details{Param: "id", Available: d.names(all)})
	}
	return 0, tools.Errorf(tools.NotFound, "there is no plan %s; list shows ids and names. Nothing was done", store.Quote(name)).
		With(tools.Details{Param: param, Available: d.names(d.latest(func(*Plan) bool { return true }))})
}

// meant gives the plan that a call means which names none.
func (d *Document) meant(to purpose) (int, error) {
	active := d.latest(func(p *Plan) bool { return p.Status == "active" })
	kept := d.latest(func(p *Plan) bool { return p.Status != "cancelled" && p.Status != "archived" })
	switch {
	case d.Plans.Len() == 0:
		return 0, tools.Errorf(tools.NotFound, "there is no plan yet; create makes one")
	case len(active) == 1, len(active) > 1 && to != toEnd:
		return active[0], nil
	case to == toLook:
		return d.Plans.Len() - 1, nil
	case len(active) > 1:
		return 0, tools.Errorf(tools.Ambiguous, "%d plans are active; give the id of the one that is meant. Nothing was done", len(active)).
			With(tools.Details{Param: "id", Available: d.names(active)})
	case len(kept) == 1:
		return kept[0], nil
	}
	return 0, tools.Errorf(tools.Ambiguous, "no plan is active; give the id of the one that is meant. Nothing was done").
		With(tools.Details{Param: "id", Available: d.names(d.latest(func(*Plan) bool { return true }))})
}

// latest gives the indices of the plans that fit, the latest first.
func (d *Document) latest(fits func(p *Plan) bool) (list []int) {
	for i := d.Plans.Len() - 1; i >= 0; i-- {
		if fits(&d.Plans.At(i).V) {
			list = append(list, i)
		}
	}
	return list
}

// names are the ids and names of plans, for a message.
func (d *Document) names(plans []int) (list []string) {
	for _, i := range plans[:min(len(plans), 10)] {
		p := &d.Plans.At(i).V
		list = append(list, p.ID+" "+store.Cut(store.Line(p.Name), 40))
	}
	return list
}

// called reports whether the plan has a name, however it is written.
func (p *Plan) called(name string) bool {
	return store.Fold(strings.TrimSpace(p.Name)) == store.Fold(strings.TrimSpace(name))
}

// ofStep is the plan that a call means: the one that it names, else the one that the step's id begins with.
func (d *Document) ofStep(w which, stepID string) which {
	if w.ID != "" || w.Name != "" {
		return w
	}
	head, _, dotted := strings.Cut(strings.TrimPrefix(strings.TrimSpace(stepID), "#"), ".")
	if dotted && d.Plans.Find(func(p *Plan) bool { return p.ID == head }) >= 0 {
		w.ID = head
	}
	return w
}

// step finds a step by its id or its number.
func (p *Plan) step(given string) (int, error) {
	id := p.ids()(given)
	if i := p.Steps.Find(func(s *Step) bool { return s.ID == id }); i >= 0 && id != "" {
		return i, nil
	}
	if given == "" {
		return 0, store.Missing("step_id", "give the step, as show lists it")
	}
	var known []string
	for _, it := range p.Steps.All() {
		if it.V.ID != "" {
			known = append(known, it.V.ID)
		}
	}
	return 0, tools.Errorf(tools.NotFound, "plan #%s has no step %s; show lists them", p.ID, store.Quote(given)).
		With(tools.Details{Param: "step_id", Available: known[:min(len(known), 20)]})
}

// ids gives what finds the id of a step that is given by its id or its number. The other servers have ids of any form.
func (p *Plan) ids() func(given string) string {
	known := map[string]bool{}
	for _, it := range p.Steps.All() {
		known[it.V.ID] = true
	}
	return func(given string) string {
		given = strings.TrimPrefix(strings.TrimSpace(given), "#")
		if full := p.ID + "." + given; given != "" && !known[given] && (known[full] || !strings.Contains(given, ".")) {
			return full
		}
		return given
	}
}

// fullIDs are the ids of steps that are given by their ids or their numbers, each once.
func (p *Plan) fullIDs(given []string) []string {
	list, full := []string{}, p.ids()
	for _, g := range given {
		if id := full(g); id != "" && !slices.Contains(list, id) {
			list = append(list, id)
		}
	}
	return list
}
