package hooks

import (
	"errors"
	"fmt"
	"iter"
	"strings"
	"time"
	"unicode/utf8"
)

// Event says when a hook runs.
type Event string

// The events, as settings spell them.
const (
	PreToolUse  Event = "pre_tool_use"
	PostToolUse Event = "post_tool_use"
)

// ParseEvent reads an event, in this program's spelling or in Claude Code's.
func ParseEvent(text string) (Event, error) {
	for _, e := range [...]Event{PreToolUse, PostToolUse} {
		if text == string(e) || text == e.Name() {
			return e, nil
		}
	}
	return "", fmt.Errorf("unknown event %q: use %q or %q", text, PreToolUse, PostToolUse)
}

// Name is the event as a hook reads it in `hook_event_name`: Claude Code's spelling.
func (e Event) Name() string {
	if e == PostToolUse {
		return "PostToolUse"
	}
	return "PreToolUse"
}

// Limits of a hook.
const (
	DefaultTimeoutMS = 5000
	MaxTimeoutMS     = 10 * 60 * 1000
	MaxStderr        = 64 << 10 // bytes kept of a hook's standard error
	MaxStdout        = 1 << 20  // bytes of standard output that an answer may have
	MaxCommand       = 64 << 10 // bytes of a command
	// MaxVariable is the longest environment value a hook is given, in bytes; Linux refuses 128 KiB. A longer one goes
	// into a file that NAME_FILE names.
	MaxVariable = 100 << 10
)

// Hook is one program of the user's.
type Hook struct {
	Event       Event
	Command     string // a shell command, or the path of a program, spaces and all
	ToolPattern string // see the package documentation; "" is "*"
	TimeoutMS   int    // 0: DefaultTimeoutMS
	Dir         string // where it runs: the folder of the settings file it stands in
}

// Check reports what is wrong with a hook, or nil.
func (h Hook) Check() error {
	switch {
	case h.Event != PreToolUse && h.Event != PostToolUse:
		return fmt.Errorf("unknown event %q: use %q or %q", h.Event, PreToolUse, PostToolUse)
	case strings.TrimSpace(h.Command) == "":
		return errors.New("the command is empty")
	case len(h.Command) > MaxCommand:
		return fmt.Errorf("the command is longer than %d bytes", MaxCommand)
	case strings.ContainsRune(h.Command, 0):
		return errors.New("the command holds a NUL byte")
	case h.TimeoutMS < 0 || h.TimeoutMS > MaxTimeoutMS:
		return fmt.Errorf("timeout_ms %d is out of range: use 1 to %d, or leave it out for %d", h.TimeoutMS, MaxTimeoutMS, DefaultTimeoutMS)
	}
	if h.ToolPattern == "" {
		return nil
	}
	return CheckPattern(h.ToolPattern)
}

func (h Hook) timeout() time.Duration {
	if h.TimeoutMS == 0 {
		return DefaultTimeoutMS * time.Millisecond
	}
	return time.Duration(h.TimeoutMS) * time.Millisecond
}

// Decision is what the pre-hooks of a call say together.
type Decision struct {
	Denied bool
	Failed bool   // the hook did not decide but broke; it was logged
	Hook   string // the command that denied
	Reason string // for the caller: the hook's stderr, or what broke and how to mend it
}

// aggregate takes decisions in order up to the first that denies.
func aggregate(decisions iter.Seq[Decision]) Decision {
	for d := range decisions {
		if d.Denied {
			return d
		}
	}
	return Decision{}
}

// outcome is how one run of a hook ended.
type outcome struct {
	cause    string        // set when it could not be started or understood: says why
	killed   bool          // ended by us, for one of the next two
	timedOut time.Duration // the limit it ran over
	canceled bool          // with its call
	signal   string        // set when a signal ended it
	code     int
	stderr   string
	stdout   []byte
	cut      bool   // stdout is not whole
	unclear  string // set when stdout cannot be understood: says why
}

// decide gives a pre-hook's outcome its meaning.
func decide(h Hook, o outcome) Decision {
	switch {
	case o.ok():
		reason, fault, denied := verdict(o.stdout, o.cut)
		switch {
		case fault != "":
			o.unclear = fault
		case denied:
			return denial(h, reason)
		default:
			return Decision{}
		}
	case o.refuses():
		return denial(h, o.stderr)
	}
	return Decision{Denied: true, Failed: !o.canceled, Hook: h.Command, Reason: describe(h, o)}
}

// denial is the refusal of a hook that has decided.
func denial(h Hook, reason string) Decision {
	return Decision{Denied: true, Hook: h.Command, Reason: orElse(reason, fmt.Sprintf("the hook %s gave no reason", quoted(h.Command)))}
}

// warning gives a post-hook's outcome its meaning: "" when all is well.
func warning(h Hook, o outcome) string {
	if o.ok() {
		return ""
	}
	return describe(h, o)
}

func (o outcome) decided() bool {
	return o.cause == "" && !o.killed && !o.canceled && o.signal == ""
}
func (o outcome) ok() bool      { return o.decided() && o.code == 0 }
func (o outcome) refuses() bool { return o.decided() && o.code == 2 }

// describe tells what happened to a hook that did not simply allow.
func describe(h Hook, o outcome) string {
	what := fmt.Sprintf("the %s hook %s ", h.Event, quoted(h.Command))
	switch {
	case o.canceled:
		return what + "was stopped since the call was cancelled"
	case o.timedOut > 0:
		what += fmt.Sprintf("ran over its limit of %d ms and was killed (timeout_ms in the settings raises it)", o.timedOut.Milliseconds())
	case o.signal != "":
		what += "was killed by the signal " + o.signal
	case o.unclear != "":
		what += "gave no decision that can be read: " + o.unclear
	case o.cause != "":
		what += "could not run: " + o.cause
	default:
		what += fmt.Sprintf("ended with exit code %d (0 allows, 2 denies)", o.code)
	}
	if o.stderr != "" {
		what += "; it said: " + o.stderr
	}
	return what
}

func orElse(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// quoted is a command for a message: one line, at most 200 characters, control characters escaped.
func quoted(command string) string {
	return fmt.Sprintf("%q", cut(command, 200))
}

// cut ends a text at a rune boundary at or below the limit in bytes, and says so by an ellipsis.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	for limit > 0 && !utf8.RuneStart(text[limit]) {
		limit--
	}
	return text[:limit] + "…"
}
