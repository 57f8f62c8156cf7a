// Package tools says what a local tool is and carries a call to it.
//
// Its room: the description of a tool (one Tool value: schema, actions, hints), the lenient decoding of
// arguments (args.go), results as payload and envelope (result.go, encode.go), the schema that clients see
// (schema.go) and the one gate that every call passes, local or forwarded (gate.go). Each tool lives in a
// folder of its own below, named as it is on the wire, and gives a *Tool from its New.
//
// It never opens a socket, never reads a settings file, never writes to stdout or stderr, and never imports
// the door: a call that is not local is none of its business once the gate has let it pass.
//
// Governing text: HIP-0300 §2 (local tools), HIP-0301 §7, §9, §10 (rules, hooks, sandbox).
package tools

import (
	"bytes"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/hanzoai/hanzo-mcp/sandbox"
)

// Effect is what an action may do to the world; rules, read-only mode and presets judge by it.
type Effect int

const (
	Reads    Effect = iota // leaves everything as it was
	Writes                 // changes something, and it can be brought back
	Destroys               // what it does may not be brought back
)

// Hints are the MCP tool annotations. All are always written out, since the defaults of the protocol are the
// pessimistic ones.
type Hints struct {
	ReadOnly, Destructive, Idempotent, OpenWorld bool
}

// PathKind says how a parameter names files, so that the gate can show its paths to rules and people, and so
// that the escape tests find every path parameter by themselves.
type PathKind int

const (
	NoPath    PathKind = iota
	ReadPath           // a file or folder that is only read
	WritePath          // a file or folder that may be created, changed or removed
)

// Param declares one parameter of a tool. Every parameter that an action decodes must be declared: New panics
// through Check otherwise.
type Param struct {
	Name    string   // snake_case, the canonical spelling
	Type    string   // "string", "integer", "number", "boolean", "array", "object"; "" is shown as string and may be anything
	Items   string   // of an array: the type of its items ("" is string; "object" for nested)
	Doc     string   // one line, shown in the schema and in help
	Aliases []string // other spellings accepted silently; camelCase and kebab-case of all are accepted too
	Enum    []string // shown in the schema, not enforced here
	Path    PathKind // whether it names files
	Strict  bool     // a misspelling near this name is refused, since ignoring it would do harm (dry_run …)
	Hidden  bool     // accepted, but kept out of the schema
}

// DryRun declares dry_run, in all the words that callers have for it: to overlook one would do what was only to be shown.
func DryRun(doc string) Param {
	return Param{Name: "dry_run", Type: "boolean", Strict: true, Doc: doc, Aliases: dryRunWords}
}

var dryRunWords = []string{"preview", "simulate", "dry", "what_if", "whatif", "check_only"}

// Action is one verb of a tool. Make it with Act.
type Action struct {
	Name    string
	Aliases []string
	Effect  Effect // the least that a call of the action does
	Doc     string // one line, for help and for the schema of the action parameter

	// EffectOf is what this call does, where the arguments decide (git branch lists or deletes); nil means Effect.
	EffectOf func(c *Call) Effect
	// Also names other actions of the tool whose work this call does (a patch that deletes files does that of rm): rules and
	// hooks on these hold too. Nil: none.
	Also func(c *Call) []string
	// Confirms reports whether this call needs confirm:true: rules of the cautious preset ask for it; the
	// action itself refuses without it. Nil means Destroys does not confirm.
	Confirms func(c *Call) bool
	// Paths lists every path that the call names beyond its declared path parameters (the files of a patch).
	Paths func(c *Call) []string
	// NoSlot is set on actions that only wait or look (wait, ps, logs, kill): they take none of the slots.
	NoSlot bool
	// OwnTime is set on actions that keep their own time limit (jobs); others end after LocalLimit.
	OwnTime bool

	params []string // names of the parameters that it decodes, from the argument struct
	run    func(ctx context.Context, c *Call) (*Result, error)
}

// Act makes an action whose arguments are decoded into In, a struct whose json tags name declared parameters.
// Decoding is lenient as args.go says; an argument of the wrong type is answered before run is called.
func Act[In any](a Action, run func(ctx context.Context, c *Call, in In) (*Result, error)) Action {
	a.params = fieldNames[In]()
	a.run = func(ctx context.Context, c *Call) (*Result, error) {
		var in In
		if err := c.Args.Decode(&in); err != nil {
			return nil, err
		}
		return run(ctx, c, in)
	}
	return a
}

// ActWithTimeout is Act for an action that takes timeout, a duration that ends its context; 0 or none leaves it as it is.
func ActWithTimeout[In any](a Action, run func(ctx context.Context, c *Call, in In) (*Result, error)) Action {
	a = Act(a, func(ctx context.Context, c *Call, in In) (*Result, error) {
		if c.Args.Has("timeout") {
			var t struct {
				Timeout time.Duration `json:"timeout"`
			}
			if err := c.Args.Decode(&t); err != nil {
				return nil, err
			}
			if t.Timeout > 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, t.Timeout)
				defer cancel()
			}
		}
		return run(ctx, c, in)
	})
	if !slices.Contains(a.params, "timeout") {
		a.params = append(a.params, "timeout")
	}
	return a
}

// Params are the names of the parameters that the action decodes.
func (a *Action) Params() []string { return a.params }

// Tool is a local tool, complete: what clients see of it and what it does. It is immutable once made.
type Tool struct {
	Name        string // wire name, ^[a-z0-9_]+$
	Title       string
	Description string // at most 1 KiB
	Hints       Hints
	Params      []Param
	Actions     []Action
	Rewrite     func(a *Action, args *Args) // puts what callers say in other words under the declared names; nil: nothing to do
	Default     string                      // action of a call that names none but has other arguments; "" gives help
}

// Action finds an action by its name or an alias, ignoring case and taking '-' for '_'.
func (t *Tool) Action(name string) *Action {
	name = snake(name)
	for i := range t.Actions {
		a := &t.Actions[i]
		if a.Name == name {
			return a
		}
		for _, alias := range a.Aliases {
			if alias == name {
				return a
			}
		}
	}
	return nil
}

// Call is one call as an action sees it: canonical arguments, the session it belongs to, where it may go.
type Call struct {
	Tool   *Tool
	Action *Action
	Given  string // the action as the caller spelled it, normalised (an alias stays visible: "get", "ls")
	Args   Args

	Session *Session
	Roots   *sandbox.Roots // where files may be read and written; never nil, may hold no project folder

	// Progress reports to the caller that asked for it; a no-op otherwise. Rate limits and redaction are the
	// transport's.
	Progress func(message string)

	secrets []string // never shown

	mu       sync.Mutex
	warnings []string
}

// Redact replaces the secrets of the server in a text, for an action that shows a part of it: cut in two, a secret would
// not be found any more where all answers are searched for them.
func (c *Call) Redact(text string) string { return Redact(text, c.secrets) }

// Holds reports whether bytes that are shown in another form hold a secret of the server.
func (c *Call) Holds(b []byte) bool {
	return slices.ContainsFunc(c.secrets, func(s string) bool { return len(s) >= minSecret && bytes.Contains(b, []byte(s)) })
}

// LongestSecret is how many bytes the longest secret of the server has.
func (c *Call) LongestSecret() int {
	most := 0
	for _, s := range c.secrets {
		most = max(most, len(s))
	}
	return most
}

// Warn adds a line to meta.warnings of the result, each once. It may be called from several goroutines.
func (c *Call) Warn(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Contains(c.warnings, text) {
		c.warnings = append(c.warnings, text)
	}
}

// Session is one client's connection, as far as tools know it.
type Session struct {
	ID string // opaque; goes to hooks and the audit log

	// Changed is called when what tools/list gives has changed for this session; nil is allowed.
	Changed func()
	// Stateless is set when the transport keeps no state between calls, so that nothing can be remembered.
	Stateless bool

	mu     sync.Mutex
	values map[string]any
	mode   *Mode
}

// Mode narrows a session to some local tools. It is a convenience for models, no security boundary.
type Mode struct {
	Name     string
	Tools    map[string]bool // local tools that stay; nil means all
	ReadOnly bool            // only actions that read stay
	Text     string
}

// SetMode switches the session to m (nil: no narrowing) and tells the client that its list changed.
func (s *Session) SetMode(m *Mode) {
	s.mu.Lock()
	s.mode = m
	s.mu.Unlock()
	if s.Changed != nil {
		s.Changed()
	}
}

// Mode is the session's mode, nil when none was switched on.
func (s *Session) Mode() *Mode {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mode
}

// Value keeps state of a tool for as long as the session lasts: the value under key, made by create at first use.
func (s *Session) Value(key string, create func() any) any {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.values == nil {
		s.values = map[string]any{}
	}
	v, ok := s.values[key]
	if !ok {
		v = create()
		s.values[key] = v
	}
	return v
}
