// Package plan is the tool that keeps plans of work: goals and steps that depend on one another.
//
// Its room: plans and their steps, kept by package store in a file that the other Hanzo servers use too. One file
// for each family of actions: find (which plan and which step a call means), create (create, clone, add and remove steps), update (what changes a plan as it is),
// show (what looks at one), draw (pictures of one).
//
// It must never lose what another server wrote, an unknown field included, and never fail on dependencies that lead
// nowhere or in a circle, since the other servers let them be made. It does no work itself and asks no model.
//
// Governing text: HIP-0300 §2 (the optional local tool plan).
package plan

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/store"
)

// Config is what the tool needs.
type Config struct {
	// Path is the state file: PLAN_PATH, else ~/.hanzo/plans.json. With "" nothing is kept on disk, and calls say so.
	Path string
}

//go:embed plan.md
var description string

// Plan is a goal with its steps.
type Plan struct {
	ID      string           `json:"id"`
	Name    string           `json:"name"`
	Goal    string           `json:"goal"`
	Steps   store.List[Step] `json:"steps"`
	Created string           `json:"created"`
	Updated string           `json:"updated"`
	Status  string           `json:"status"` // draft, active, completed, cancelled, archived
	Tags    []string         `json:"tags,omitempty"`
	Notes   string           `json:"notes,omitempty"`
	// LastStep is the highest number that a removed step had.
	LastStep int64 `json:"lastStep,omitempty"`
}

// Step is one piece of work. Its id is the plan's, a dot and a number that never comes back.
type Step struct {
	ID           string   `json:"id"`
	Description  string   `json:"description"`
	Status       string   `json:"status"` // pending, in_progress, completed, blocked, skipped
	Dependencies []string `json:"dependencies"`
	Output       string   `json:"output,omitempty"`
	Tools        []string `json:"tools,omitempty"`
	Estimate     string   `json:"estimate,omitempty"`
	Assignee     string   `json:"assignee,omitempty"`
}

// Document is the state file.
type Document struct {
	Plans  store.List[Plan] `json:"plans"`
	LastID int64            `json:"lastId"`
}

var (
	planStates = []string{"draft", "active", "completed", "cancelled", "archived"}
	stepStates = []string{"pending", "in_progress", "completed", "blocked", "skipped"}
)

type tool struct {
	file *store.Store[Document]
}

// New makes the tool. It reads nothing before the first call.
func New(cfg Config) *tools.Tool {
	t := &tool{file: store.New[Document](cfg.Path)}
	return &tools.Tool{
		Name: "plan", Title: "Plans", Description: description, Rewrite: rewrite,
		Hints: tools.Hints{Destructive: true},
		Params: []tools.Param{
			{Name: "id", Type: "string", Doc: "plan, by id or name; default the latest active one", Aliases: []string{"plan_id", "plan"}},
			{Name: "name", Type: "string", Doc: "name of the plan", Aliases: []string{"title", "plan_name"}},
			{Name: "goal", Type: "string", Doc: "what it is for"},
			{Name: "steps", Type: "array", Items: "object", Doc: "create: texts, or {description, dependencies, tools, estimate, assignee}"},
			{Name: "step_id", Type: "string", Doc: "step: \"2\" or \"1.2\"", Aliases: []string{"step"}},
			{Name: "status", Type: "string", Doc: "of the step (or, without step_id, of the plan)", Enum: append(slices.Clone(stepStates), "draft", "active", "cancelled", "archived")},
			{Name: "output", Type: "string", Doc: "update: what came of the step", Aliases: []string{"result"}},
			{Name: "description", Type: "string", Doc: "add_step, update: what to do", Aliases: []string{"content"}},
			{Name: "dependencies", Type: "array", Doc: "steps that must be done before", Aliases: []string{"depends_on", "deps"}},
			{Name: "tools", Type: "array", Hidden: true, Doc: "add_step: tools that it needs"},
			{Name: "estimate", Type: "string", Doc: "how long it takes"},
			{Name: "assignee", Type: "string", Doc: "who does it"},
			{Name: "after", Type: "string", Doc: "add_step: put it behind this step"},
			{Name: "text", Type: "string", Doc: "notes: what to add", Aliases: []string{"note", "notes"}},
			{Name: "tags", Type: "array", Doc: "create: tags"},
			{Name: "filter", Type: "string", Doc: "list: all, or plans of this status"},
			{Name: "format", Type: "string", Doc: "visualize", Enum: []string{"text", "mermaid"}},
			{Name: "limit", Type: "integer", Doc: "how many at most"},
			tools.DryRun("only say what would change"),
			{Name: "max_chars", Type: "integer", Doc: "of text, default 30000"},
		},
		Actions: []tools.Action{
			tools.Act(tools.Action{Name: "create", Aliases: []string{"new", "add"}, Effect: tools.Writes, Doc: "make a plan"}, t.create),
			tools.Act(tools.Action{Name: "show", Aliases: []string{"view"}, Doc: "a plan with its steps"}, t.show),
			tools.Act(tools.Action{Name: "update", Aliases: []string{"complete", "complete_step", "update_step"}, Effect: tools.Writes, Doc: "change a step, or the plan"}, t.update),
			tools.Act(tools.Action{Name: "list", Aliases: []string{"ls"}, Doc: "all plans"}, t.list),
			tools.Act(tools.Action{Name: "next", Doc: "steps that can be done now"}, t.next),
			tools.Act(tools.Action{Name: "archive", Effect: tools.Writes, Doc: "put a plan away"}, t.archive),
			tools.Act(tools.Action{Name: "add_step", Effect: tools.Writes, Doc: "add a step"}, t.addStep),
			tools.Act(tools.Action{Name: "remove_step", Aliases: []string{"delete_step"}, Effect: tools.Destroys, Doc: "remove a step"}, t.removeStep),
			tools.Act(tools.Action{Name: "visualize", Aliases: []string{"graph", "tree"}, Doc: "the order of the steps as a picture"}, t.visualize),
			tools.Act(tools.Action{Name: "clone", Aliases: []string{"copy"}, Effect: tools.Writes, Doc: "a fresh draft with the same steps"}, t.clone),
			tools.Act(tools.Action{Name: "cancel", Effect: tools.Writes, Doc: "give a plan up"}, t.cancel),
			tools.Act(tools.Action{Name: "notes", Effect: tools.Writes, EffectOf: notesEffect, Doc: "read the notes, or add text to them"}, t.notes),
			tools.Act(tools.Action{Name: "progress", Aliases: []string{"status"}, Doc: "how far it is"}, t.progress),
			tools.Act(tools.Action{Name: "get", Doc: "a plan, or one step, as JSON"}, t.get),
		},
	}
}

// rewrite takes ids that are given as numbers, and lists that are given as text.
func rewrite(_ *tools.Action, args *tools.Args) {
	args.Texts("id", "name", "step_id", "after", "estimate", "output", "assignee")
	store.Lists(args, "tags", "tools")
}

func notesEffect(c *tools.Call) tools.Effect {
	if c.Args.Has("text") {
		return tools.Writes
	}
	return tools.Reads
}

// newStepID is one more than every number that a step of the plan has or had.
func (p *Plan) newStepID() string {
	last := p.LastStep
	for _, it := range p.Steps.All() {
		last = max(last, it.V.number())
	}
	return p.ID + "." + strconv.FormatInt(last+1, 10)
}

// number is the step's number in its plan, 0 for an id of another form.
func (s *Step) number() int64 {
	n, err := strconv.ParseInt(s.ID[strings.LastIndexByte(s.ID, '.')+1:], 10, 32)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

func done(s *Step) bool { return s.Status == "completed" || s.Status == "skipped" }

// count gives how many steps are done.
func (p *Plan) count() (finished int) {
	for _, it := range p.Steps.All() {
		if done(&it.V) {
			finished++
		}
	}
	return finished
}

// ready gives the steps that can be done now: pending ones with all that they wait for done.
func (p *Plan) ready() (list []*Step) {
	finished, full := map[string]bool{}, p.ids()
	for _, it := range p.Steps.All() {
		finished[it.V.ID] = done(&it.V)
	}
	for _, it := range p.Steps.All() {
		waits := slices.ContainsFunc(it.V.Dependencies, func(id string) bool { return !finished[full(id)] })
		if it.V.Status == "pending" && !waits {
			list = append(list, &it.V)
		}
	}
	return list
}
