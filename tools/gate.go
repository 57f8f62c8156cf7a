package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/hanzoai/hanzo-mcp/hooks"
	"github.com/hanzoai/hanzo-mcp/sandbox"
)

// MaxAtWork is how many local calls work at once; more wait. Calls that only wait or look take no slot, and
// neither do prompts and hooks.
const MaxAtWork = 32

// slotWait is how long a call waits for a slot before it is told that the server is busy.
const slotWait = 40 * time.Second

// Guard is what is in force for a session once its roots and settings are known. The zero value allows all.
type Guard struct {
	Lockdown error          // set: every call is refused with it (a settings file that cannot be trusted)
	ReadOnly bool           // only calls that read pass
	Rules    *hooks.Policy  // nil: no rule
	Hooks    *hooks.Runner  // nil: no hook
	Audit    *hooks.Audit   // nil: no log
	Roots    *sandbox.Roots // where the session's calls may read and write
	Project  string         // first root, for hooks; "" when there is none
}

// Asker asks the user whether a call may run. It gives false with a reason, or an *InputRequired error that the
// transport turns into a round trip. Nil means that nobody can be asked.
type Asker func(ctx context.Context, q Question) (allowed bool, reason string, err error)

// Question is one prompt. Bound is what the answer is good for: the tool and its canonical arguments.
type Question struct {
	Text  string
	Bound []byte
}

// InputRequired is the error of an Asker whose client answers by calling again (2026-07-28): Result is the
// input_required result to send.
type InputRequired struct{ Result []byte }

func (e *InputRequired) Error() string { return "the client must answer first" }

// Gate is the one place that every call passes, local or forwarded, in this order: lockdown, read-only, the
// session's mode, permission rules (with a prompt where they say so), pre-hooks; then the work; then post-hooks.
type Gate struct {
	slots chan struct{}
}

// NewGate makes a gate with MaxAtWork slots.
func NewGate() *Gate { return &Gate{slots: make(chan struct{}, MaxAtWork)} }

// Caller is what the transport knows of the one who calls. The zero value can be asked nothing.
type Caller struct {
	Ask     Asker
	Secrets []string             // replaced in what post-hooks see
	Hold    func(release func()) // keeps the call's slot until its reply is written; nil: until the work is done
}

// Local passes a prepared call through the gate and runs it. The only error is *InputRequired; every refusal is
// an Output. Post-hooks see the result with the secrets replaced, as the client does.
func (g *Gate) Local(ctx context.Context, c *Call, guard *Guard, caller Caller) (*Output, error) {
	c.Roots, c.secrets = guard.Roots, caller.Secrets
	if m := c.Session.Mode(); m != nil && c.Tool.Name != "mode" {
		if m.Tools != nil && !m.Tools[c.Tool.Name] {
			return c.Fail(Errorf(Unsupported, "the mode %q has no %s; mode.switch to one that has it", m.Name, c.Tool.Name)), nil
		}
		if m.ReadOnly && c.Effect() != Reads {
			return c.Fail(Errorf(ReadOnly, "the mode %q only reads; mode.switch to another to change things", m.Name)), nil
		}
	}
	s := subject{
		Subject: hooks.Subject{
			Tool: c.Tool.Name, Action: c.ActionName(), Local: true,
			ReadOnlyHint: c.Effect() == Reads, NeedsConfirm: c.NeedsConfirm(), Opens: c.Tool.Name == "fetch" && c.ActionName() == "open",
		},
		session: c.Session.ID,
		input:   c.hookInput,
		text:    func() string { return question(c) },
	}
	if c.Action != nil && c.Action.Also != nil {
		for _, name := range c.Action.Also(c) {
			other := s.Subject
			other.Action = name
			s.also = append(s.also, other)
		}
	}
	if err := g.admit(ctx, &s, guard, caller.Ask); err != nil {
		if in, ok := errors.AsType[*InputRequired](err); ok {
			return nil, in
		}
		return c.Fail(err), nil
	}
	if c.Action == nil {
		return finish(c.Tool.Name, "help", c.Tool.help(guard.ReadOnly), nil, c.warnings, 0), nil
	}
	if err := g.enter(ctx, c.Action); err != nil {
		return c.Fail(err), nil
	}
	leave := sync.OnceFunc(func() { g.leave(c.Action) })
	post := guard.hooked(hooks.PostToolUse, s.Subject)
	if caller.Hold != nil && !post {
		caller.Hold(leave)
	} else {
		defer leave()
	}
	out := c.Run(ctx)
	if post {
		leave() // hooks take no slot
		warnings := guard.Hooks.Post(context.WithoutCancel(ctx), s.hookCall(guard), out.AppendResult(nil, caller.Secrets))
		out.Envelope.Meta.Warnings = append(out.Envelope.Meta.Warnings, warnings...)
	}
	return out, nil
}

// Forwarded is a call that goes to the door, as the gate judges it.
type Forwarded struct {
	Tool     string
	Op       string          // its `op` argument, "" when absent or no string
	Known    bool            // the cached list has the tool
	ReadOnly bool            // and says that it only reads
	Input    json.RawMessage // the raw arguments, nil when absent
}

// Forward passes a forwarded call through the gate: send does the work and gives the raw result, which the gate
// never changes. The error is *InputRequired or an *Error that says why the call was refused. Failures of
// post-hooks go to warn.
func (g *Gate) Forward(ctx context.Context, sess *Session, f Forwarded, guard *Guard, ask Asker, warn func(string), send func(context.Context) []byte) ([]byte, error) {
	if guard.ReadOnly && !f.ReadOnly {
		return nil, Errorf(ReadOnly, "the server is read-only, and the door does not say that %s only reads; nothing was sent", f.Tool)
	}
	input := f.Input
	if input == nil {
		input = json.RawMessage("{}")
	}
	s := subject{
		Subject: hooks.Subject{Tool: f.Tool, Action: f.Op, ReadOnlyHint: f.ReadOnly},
		session: sess.ID,
		input:   func() json.RawMessage { return input },
		text: func() string {
			return clip("Allow "+f.Tool+" "+f.Op+" (sent to the cloud) "+string(input), maxQuestion) + "?"
		},
	}
	if err := g.admit(ctx, &s, guard, ask); err != nil {
		return nil, err
	}
	result := send(ctx)
	if guard.hooked(hooks.PostToolUse, s.Subject) {
		for _, w := range guard.Hooks.Post(context.WithoutCancel(ctx), s.hookCall(guard), result) {
			warn(w)
		}
	}
	return result, nil
}

// subject is a call on its way through the gate. The parts that only rules, prompts and hooks need are made when
// one of them asks.
type subject struct {
	hooks.Subject
	also    []hooks.Subject // other actions of the tool that the call does the work of
	session string
	input   func() json.RawMessage
	text    func() string
}

func (s *subject) hookCall(guard *Guard) hooks.Call {
	return hooks.Call{Subject: s.Subject, Input: s.input(), SessionID: s.session, ProjectDir: guard.Project, Cwd: guard.Project}
}

func (guard *Guard) hooked(e hooks.Event, s hooks.Subject) bool {
	return guard.Hooks != nil && guard.Hooks.Matches(e, s)
}

func (guard *Guard) record(s *subject, v hooks.Verdict, outcome string) {
	guard.Audit.Log(hooks.Entry{Time: time.Now(), Subject: s.Subject, Verdict: v, SessionID: s.session, Outcome: outcome})
}

// admit judges one call. It fails closed: whatever cannot be decided is refused.
func (g *Gate) admit(ctx context.Context, s *subject, guard *Guard, ask Asker) error {
	if guard.Lockdown != nil {
		return Errorf(PermissionDenied, "%v", guard.Lockdown)
	}
	if guard.ReadOnly && s.Local && !s.ReadOnlyHint {
		return Errorf(ReadOnly, "the server is read-only: %s would change something, and nothing was done", s.Subject)
	}
	if guard.Rules != nil {
		v := guard.Rules.Evaluate(s.Subject)
		for _, other := range s.also {
			if w := guard.Rules.Evaluate(other); w.Mode < v.Mode { // stricter
				v = w
			}
		}
		outcome := v.Mode.String()
		var err error
		switch v.Mode {
		case hooks.Allow:
		case hooks.Prompt:
			outcome, err = g.prompt(ctx, s, v, ask)
		default:
			err = Errorf(PermissionDenied, "%s is denied: %s", s.Subject, orDefault(v.Reason, "a permission rule forbids it"))
		}
		guard.record(s, v, outcome)
		if err != nil {
			return err
		}
	} else if guard.Audit != nil {
		guard.record(s, hooks.Verdict{Mode: hooks.Allow}, "allow")
	}
	for _, one := range append([]hooks.Subject{s.Subject}, s.also...) {
		if !guard.hooked(hooks.PreToolUse, one) {
			continue
		}
		call := s.hookCall(guard)
		call.Subject = one
		if d := guard.Hooks.Pre(ctx, call); d.Denied {
			return Errorf(PermissionDenied, "%s was refused by a hook: %s", one, Cut(d.Reason, maxReason))
		}
	}
	return nil
}

func (g *Gate) prompt(ctx context.Context, s *subject, v hooks.Verdict, ask Asker) (string, error) {
	if ask == nil {
		return "deny", Errorf(PermissionDenied, "%s needs the user's approval (%s), and this client cannot ask; allow it in the settings, or ask the user to do it",
			s.Subject, orDefault(v.Reason, "rule "+v.Rule))
	}
	bound := append([]byte(s.Tool+"\x00"+s.Action+"\x00"), s.input()...)
	ok, reason, err := ask(ctx, Question{Text: s.text(), Bound: bound})
	switch {
	case err != nil:
		if _, round := errors.AsType[*InputRequired](err); round {
			return "asked", err
		}
		return "deny", Errorf(PermissionDenied, "%s was not approved: %v", s.Subject, err)
	case !ok:
		return "deny", Errorf(PermissionDenied, "%s was not approved: %s", s.Subject, orDefault(reason, "the user declined"))
	}
	return "approved", nil
}

func (g *Gate) enter(ctx context.Context, a *Action) error {
	if a.NoSlot {
		return nil
	}
	select {
	case g.slots <- struct{}{}:
		return nil
	default:
	}
	timer := time.NewTimer(slotWait)
	defer timer.Stop()
	select {
	case g.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return Errorf(Timeout, "%d calls are at work already; try again when some have ended", MaxAtWork)
	}
}

func (g *Gate) leave(a *Action) {
	if !a.NoSlot {
		<-g.slots
	}
}

// hookInput is the canonical arguments with the action in front, as hooks and approvals see the call.
func (c *Call) hookInput() json.RawMessage {
	b := []byte(`{"action":`)
	b = AppendString(b, c.ActionName())
	if rest := c.Args.JSON(); len(rest) > 2 {
		b = append(append(b, ','), rest[1:]...)
		return b
	}
	return append(b, '}')
}

// question is what a person reads before saying yes: the action, its paths and every argument. What decides how a
// command runs (shell, env, cwd) stands before the command, so that no length can push it out.
func question(c *Call) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Allow %s.%s", c.Tool.Name, c.ActionName())
	for _, p := range c.Paths() {
		b.WriteString(" " + strconv.Quote(p))
	}
	head := clip(b.String(), 400)
	var long []member
	rest := ""
	for _, m := range c.Args.members {
		if len(m.raw) > 100 || m.name == "command" {
			long = append(long, m)
			continue
		}
		rest += fmt.Sprintf(" %s=%s", m.name, m.raw)
	}
	text := head + clip(rest, 300)
	for _, m := range long {
		// What is left is shared out; the shares of short ones go to the next.
		share := max(60, (maxQuestion-len(text))/len(long)-len(m.name)-4)
		text += ends(fmt.Sprintf("%s=%s", m.name, m.raw), share)
	}
	return clip(text, maxQuestion) + "?"
}

// ends makes a text safe to show, as clip does, in n bytes: blanks in a row become one, and where that is not enough the
// middle goes, since what matters may stand at the end.
func ends(text string, n int) string {
	text = clip(" "+strings.Join(strings.Fields(text), " "), math.MaxInt)
	if len(text) <= n {
		return text
	}
	gap := fmt.Sprintf(" … %d bytes … ", len(text)-n)
	half := max((n-len(gap))/2, 0)
	return strings.ToValidUTF8(text[:half], "") + gap + strings.ToValidUTF8(text[len(text)-half:], "")
}

// maxReason bounds what a hook says in an error, in bytes.
const maxReason = 4 << 10

// maxQuestion is the longest prompt, in bytes and so in characters at most, without its end.
const maxQuestion = 990

// clip makes text safe to show to a person: control and bidirectional characters escaped, at most n characters.
func clip(text string, n int) string {
	var b strings.Builder
	count := 0
	for _, r := range text {
		s := string(r)
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar || (unicode.IsSpace(r) && r != ' ') {
			s = strings.Trim(strconv.QuoteRuneToASCII(r), "'")
		}
		if count += len(s); count > n {
			return b.String() + "…"
		}
		b.WriteString(s)
	}
	return b.String()
}

func orDefault(s, def string) string {
	if s == "" {
		return def
	}
	return s
}
