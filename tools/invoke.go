package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/hanzoai/hanzo-mcp/sandbox"
)

// LocalLimit is how long a local call may take that gives no timeout of its own: clients give up after 60 s.
const LocalLimit = 45 * time.Second

// Prepare parses the raw arguments of a call of t and makes the Call, ready to be judged and run. A call of
// help has a nil Action.
func Prepare(t *Tool, raw json.RawMessage, s *Session) (*Call, error) {
	a, given, args, warnings, err := Parse(t, raw)
	c := &Call{Tool: t, Action: a, Given: given, Args: args, Session: s, warnings: warnings, Progress: func(string) {}}
	if err == nil && a != nil {
		if err = c.checkUnused(); err != nil {
			c.warnings = nil // of what was ignored: nothing was
		}
	}
	return c, err
}

// checkUnused warns of parameters that the tool knows and this action does not take. One that would have kept the
// action from doing harm (dry_run, base_hash), or that names another place, is an error instead; so is an unknown one that
// seems to.
func (c *Call) checkUnused() error {
	located := slices.ContainsFunc(c.Tool.Params, func(p Param) bool { return p.Path != NoPath && slices.Contains(c.Action.params, p.Name) })
	for _, name := range c.Args.unknown {
		if why := c.needed(name, located); why != "" {
			e := Errorf(InvalidParams, "unknown parameter %q, %s: nothing was done. %s.%s takes %s", name, why, c.Tool.Name, c.Action.Name, strings.Join(c.Action.params, ", "))
			return e.With(Details{Param: name, Available: c.Action.params, Nearest: Nearest(name, c.Action.params)})
		}
	}
	for _, m := range c.Args.members {
		if slices.Contains(c.Action.params, m.name) {
			continue
		}
		p := c.Tool.declared(m.name)
		if p != nil && (p.Path != NoPath && located || p.Strict && m.name != "confirm" && c.Effect() != Reads || c.NeedsConfirm() && !slices.Contains(harmless, m.name)) {
			return Errorf(InvalidParams, "%s.%s does not take %s; nothing was done", c.Tool.Name, c.Action.Name, m.name).
				With(Details{Param: m.name, Available: c.Action.params})
		}
		c.warnings = append(c.warnings, fmt.Sprintf("%s.%s does not take %s, which was ignored", c.Tool.Name, c.Action.Name, m.name))
	}
	return nil
}

// Effect is what this very call may do.
func (c *Call) Effect() Effect {
	switch {
	case c.Action == nil:
		return Reads
	case c.Action.EffectOf != nil:
		return c.Action.EffectOf(c)
	}
	return c.Action.Effect
}

// NeedsConfirm reports whether this very call needs confirm:true.
func (c *Call) NeedsConfirm() bool {
	return c.Action != nil && c.Action.Confirms != nil && c.Action.Confirms(c)
}

// ActionName is the canonical action, "help" when none was named.
func (c *Call) ActionName() string {
	if c.Action == nil {
		return "help"
	}
	return c.Action.Name
}

// Paths lists the paths that the call names, as given, for rules, prompts and tests.
func (c *Call) Paths() []string {
	var list []string
	for i := range c.Tool.Params {
		if p := &c.Tool.Params[i]; p.Path != NoPath {
			list = append(list, c.Args.Strings(p.Name)...)
		}
	}
	if c.Action != nil && c.Action.Paths != nil {
		list = append(list, c.Action.Paths(c)...)
	}
	return list
}

// Run runs a prepared call that the gate has let pass and gives its output. It never panics and never returns
// nil: a panic of a handler becomes INTERNAL_ERROR without a stack trace.
func (c *Call) Run(ctx context.Context) *Output {
	start := time.Now()
	res, err := c.run(ctx)
	c.mu.Lock()
	warnings := c.warnings
	c.mu.Unlock()
	return finish(c.Tool.Name, c.ActionName(), res, err, warnings, time.Since(start))
}

// Refusal gives the output of a call of a tool that could not even be prepared.
func Refusal(tool string, err error) *Output { return finish(tool, "", nil, err, nil, 0) }

// Fail gives the output of a call that was refused before it ran.
func (c *Call) Fail(err error) *Output {
	return finish(c.Tool.Name, c.ActionName(), nil, err, c.warnings, 0)
}

func (c *Call) run(ctx context.Context) (res *Result, err error) {
	defer func() {
		if p := recover(); p != nil {
			res, err = nil, &panicError{value: p, stack: debug.Stack()}
		}
	}()
	if c.Action == nil {
		return c.Tool.help(false), nil
	}
	if c.Roots == nil {
		c.Roots = new(sandbox.Roots)
	}
	if !c.Action.OwnTime {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, LocalLimit)
		defer cancel()
	}
	return c.Action.run(ctx, c)
}

// panicError keeps the stack for the log; the caller of the tool sees only that it is our fault.
type panicError struct {
	value any
	stack []byte
}

func (e *panicError) Error() string {
	return fmt.Sprintf("internal fault: %v; other calls still work, please report it", e.value)
}

// Invoke prepares and runs a call in one step, without any gate: for tests of tools.
func Invoke(ctx context.Context, t *Tool, roots *sandbox.Roots, s *Session, args string) *Output {
	if s == nil {
		s = &Session{ID: "test"}
	}
	c, err := Prepare(t, json.RawMessage(args), s)
	if err != nil {
		return c.Fail(err)
	}
	c.Roots = roots
	return c.Run(ctx)
}
