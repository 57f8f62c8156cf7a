// Package mode is the tool that narrows a session to some of the local tools.
//
// Its room: the table of modes and presets, and switching between them. The session keeps the mode, and the gate and
// the list obey it; this package only sets it. A mode never widens what flags and settings left, and it is no
// security boundary: whoever may call mode may switch it off. The tool itself stays whatever the mode.
//
// Governing text: HIP-0300 §2 (the optional local tool mode).
package mode

import (
	"context"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
)

//go:embed mode.md
var description string

// mode is one entry of the table.
type mode struct {
	name, doc, text string
	tools           []string // nil: all
	readOnly        bool
	preset          bool
}

var modes = []mode{
	{name: "developer", preset: true, doc: "all tools", text: "Make the change that was asked for and no other. Read before you edit; run the tests before you say that it is done."},
	{name: "reviewer", preset: true, readOnly: true, doc: "all tools, only what reads", text: "Look, and change nothing. Report what you find with file and line, the worst first, and say what you did not look at."},
	{name: "research", readOnly: true, tools: []string{"fs", "code", "git", "fetch", "workspace", "think", "memory"}, doc: "looking things up, only what reads",
		text: "Find out, and change nothing. Say where each fact comes from, and what remains unknown."},
	{name: "minimal", preset: true, tools: []string{"fs", "exec", "git"}, doc: "fs, exec and git only", text: "Work with files, commands and git alone."},
}

// off are the names of having no mode.
var off = []string{"default", "none", "off", "all"}

// New makes the tool.
func New() *tools.Tool {
	return &tools.Tool{
		Name: "mode", Title: "Mode", Description: description,
		Hints: tools.Hints{Idempotent: true},
		Params: []tools.Param{
			{Name: "name", Type: "string", Doc: "developer, reviewer, research, minimal, or default for none", Aliases: []string{"mode", "preset"}},
			{Name: "verbose", Type: "boolean", Hidden: true, Doc: "list always gives all"},
		},
		// Switching leaves the machine as it is: it is open to read-only servers too.
		Actions: []tools.Action{
			tools.Act(tools.Action{Name: "list", Aliases: []string{"ls"}, NoSlot: true, Doc: "all modes"}, list(func(mode) bool { return true })),
			tools.Act(tools.Action{Name: "switch", Aliases: []string{"activate", "set", "use", "off", "reset", "clear"}, NoSlot: true, Doc: "go to a mode; off: to none"}, switchTo),
			tools.Act(tools.Action{Name: "current", Aliases: []string{"show"}, NoSlot: true, Doc: "the mode of this session"}, current),
			tools.Act(tools.Action{Name: "list_presets", NoSlot: true, Doc: "the modes to start with"}, list(func(m mode) bool { return m.preset })),
			tools.Act(tools.Action{Name: "select_preset", NoSlot: true, Doc: "as switch, presets only"}, selectPreset),
		},
	}
}

type listIn struct {
	Verbose bool `json:"verbose"`
}

func list(show func(mode) bool) func(context.Context, *tools.Call, listIn) (*tools.Result, error) {
	return func(_ context.Context, c *tools.Call, _ listIn) (*tools.Result, error) {
		now := name(c.Session.Mode())
		var b strings.Builder
		n := 0
		for _, m := range modes {
			if !show(m) {
				continue
			}
			n++
			mark := " "
			if m.name == now {
				mark = "*"
			}
			fmt.Fprintf(&b, "%s %s: %s\n", mark, m.name, m.doc)
		}
		return &tools.Result{Text: b.String(), Data: struct {
			Text    string `json:"text"`
			Current string `json:"current"`
		}{fmt.Sprintf("%d modes, now %s", n, now), now}}, nil
	}
}

type nameIn struct {
	Name string `json:"name"`
}

func switchTo(_ context.Context, c *tools.Call, in nameIn) (*tools.Result, error) {
	switch c.Given {
	case "off", "reset", "clear":
		in.Name = off[0]
	}
	return change(c, in.Name, modes)
}

func selectPreset(_ context.Context, c *tools.Call, in nameIn) (*tools.Result, error) {
	return change(c, in.Name, slices.DeleteFunc(slices.Clone(modes), func(m mode) bool { return !m.preset }))
}

func change(c *tools.Call, given string, among []mode) (*tools.Result, error) {
	if c.Session.Stateless {
		return nil, tools.Errorf(tools.Unsupported, "this connection keeps no session, so a mode would be forgotten after this call; use the tools that you need")
	}
	given = strings.ToLower(strings.TrimSpace(given))
	if slices.Contains(off, given) {
		c.Session.SetMode(nil)
		return &tools.Result{Data: state(nil, "no mode: all tools that the settings allow")}, nil
	}
	at := slices.IndexFunc(among, func(m mode) bool { return m.name == given })
	if at < 0 {
		var names []string
		for _, m := range among {
			names = append(names, m.name)
		}
		names = append(names, off[0])
		e := tools.Errorf(tools.NotFound, "there is no mode %.60q; use one of %s", given, strings.Join(names, ", "))
		if given == "" {
			e = tools.Errorf(tools.InvalidParams, "name is missing: give one of %s", strings.Join(names, ", "))
		}
		return nil, e.With(tools.Details{Param: "name", Available: names})
	}
	m := among[at]
	next := &tools.Mode{Name: m.name, ReadOnly: m.readOnly, Text: m.text}
	if m.tools != nil {
		next.Tools = map[string]bool{}
		for _, t := range m.tools {
			next.Tools[t] = true
		}
	}
	c.Session.SetMode(next)
	return &tools.Result{Text: m.text + "\n", Data: state(next, fmt.Sprintf("switched to %s: %s", m.name, m.doc))}, nil
}

type modeData struct {
	Text     string   `json:"text"`
	Mode     string   `json:"mode"`
	Tools    []string `json:"tools,omitempty"`     // absent: all
	ReadOnly bool     `json:"read_only,omitempty"` // absent: as flags and settings say
}

func state(m *tools.Mode, text string) modeData {
	d := modeData{Text: text, Mode: name(m)}
	if m != nil {
		d.Tools, d.ReadOnly = slices.Sorted(maps.Keys(m.Tools)), m.ReadOnly
	}
	return d
}

func name(m *tools.Mode) string {
	if m == nil {
		return off[0]
	}
	return m.Name
}

func current(_ context.Context, c *tools.Call, _ struct{}) (*tools.Result, error) {
	m := c.Session.Mode()
	if m == nil {
		return &tools.Result{Data: state(nil, "no mode: all tools that the settings allow")}, nil
	}
	return &tools.Result{Text: m.Text + "\n", Data: state(m, "mode "+m.Name)}, nil
}
