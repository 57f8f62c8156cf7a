package hooks

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
)

const (
	maxRunning = 64                     // hooks at once; more wait for their turn
	drainTime  = 100 * time.Millisecond // how long a stranger that holds stderr may delay the end of a hook
	graceTime  = 2 * time.Second        // how long a killed hook may take to be gone before its caller is answered
)

// Config is what a Runner needs. The zero value has no hooks.
type Config struct {
	Hooks []Hook
	Names Names
	Env   []string // the whole base environment of a hook; bearers are dropped from it
	Temp  string   // where inputs too large for a variable are kept for the run; "" is the system's folder
	Shell string   // "" is /bin/sh, or the system's cmd.exe on Windows
	// Log takes one line for each hook that broke instead of deciding. It may be called at the same time from several
	// goroutines. Nil: nothing is logged.
	Log func(line string)
}

// Runner runs the hooks of one set of settings. It is immutable and safe for concurrent use.
type Runner struct {
	hooks    []compiledHook
	warnings []string
	env      []string
	temp     string
	shell    string
	log      func(string)
	slots    chan struct{}
}

type compiledHook struct {
	Hook
	pattern pattern
}

// NewRunner checks the hooks and compiles their patterns; an error names the hook at fault.
func NewRunner(c Config) (*Runner, error) {
	r := &Runner{env: baseEnv(c.Env), temp: c.Temp, shell: c.Shell, log: c.Log, slots: make(chan struct{}, maxRunning)}
	for _, h := range c.Hooks {
		if h.ToolPattern == "" {
			h.ToolPattern = "*"
		}
		if err := h.Check(); err != nil {
			return nil, fmt.Errorf("hook %s: %w", quoted(h.Command), err)
		}
		p, warning, err := c.Names.compile(h.ToolPattern)
		if err != nil {
			return nil, fmt.Errorf("hook %s: %w", quoted(h.Command), err)
		}
		if warning != "" {
			r.warnings = append(r.warnings, fmt.Sprintf("hook %s: %s", quoted(h.Command), warning))
		}
		r.hooks = append(r.hooks, compiledHook{h, p})
	}
	return r, nil
}

// Warnings lists the hooks that can match nothing, in words for the user.
func (r *Runner) Warnings() []string { return r.warnings }

// Matches reports whether any hook of the event is meant for the call, so that nothing need be prepared when none is.
func (r *Runner) Matches(event Event, s Subject) bool {
	return len(r.matching(event, s)) > 0
}

func (r *Runner) matching(event Event, s Subject) []Hook {
	var found []Hook
	f := s.fold()
	for i := range r.hooks {
		if h := &r.hooks[i]; h.Event == event && h.pattern.covers(&f, true) {
			found = append(found, h.Hook)
		}
	}
	return found
}

// Pre runs the matching pre-hooks in order until one denies. Whatever is not a clean exit 0 denies.
func (r *Runner) Pre(ctx context.Context, c Call) Decision {
	found := r.matching(PreToolUse, c.Subject)
	if len(found) == 0 {
		return Decision{}
	}
	in, err := newInput(PreToolUse, c, nil, r.env, r.temp)
	if err != nil {
		r.report(err.Error())
		return Decision{Denied: true, Failed: true, Hook: found[0].Command, Reason: err.Error()}
	}
	defer r.discard(in)
	return aggregate(func(yield func(Decision) bool) {
		for _, h := range found {
			d := decide(h, r.run(ctx, h, in))
			if d.Failed {
				r.report(d.Reason)
			}
			if !yield(d) {
				return
			}
		}
	})
}

// Post runs all matching post-hooks in order and returns a warning for each that did not end well. It takes at most the
// sum of their limits; the caller's result is not touched.
func (r *Runner) Post(ctx context.Context, c Call, output json.RawMessage) []string {
	found := r.matching(PostToolUse, c.Subject)
	if len(found) == 0 {
		return nil
	}
	in, err := newInput(PostToolUse, c, output, r.env, r.temp)
	if err != nil {
		return []string{err.Error()}
	}
	defer r.discard(in)
	var warnings []string
	for _, h := range found {
		if w := warning(h, r.run(ctx, h, in)); w != "" {
			warnings = append(warnings, w)
		}
	}
	return warnings
}

func (r *Runner) discard(in *input) {
	if err := in.close(); err != nil {
		r.report(fmt.Sprintf("removing a hook's input: %v", err))
	}
}

func (r *Runner) report(line string) {
	if r.log != nil {
		r.log(cut(strings.Join(strings.Fields(line), " "), 500))
	}
}

// run starts one hook and sees it end, within its limit and a little grace.
func (r *Runner) run(ctx context.Context, h Hook, in *input) outcome {
	select {
	case r.slots <- struct{}{}:
	case <-ctx.Done():
		return outcome{canceled: true}
	}
	p, err := plan(h.Command, h.Dir, r.shell, in.env)
	if err != nil {
		<-r.slots
		return outcome{cause: err.Error()}
	}
	limited, cancel := context.WithTimeout(ctx, h.timeout())
	defer cancel()
	ended := make(chan outcome, 1)
	go func() {
		// The system ends a child when the thread that started it ends, so the thread stays ours meanwhile.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer func() { <-r.slots }()
		ended <- start(limited, p, h, in)
	}()
	var o outcome
	select {
	case o = <-ended:
	case <-limited.Done():
		grace := time.NewTimer(graceTime)
		defer grace.Stop()
		select {
		case o = <-ended:
		case <-grace.C:
			o = outcome{killed: true} // it hangs in the kernel: the caller is answered all the same
		}
	}
	if o.killed {
		if o.canceled = ctx.Err() != nil; !o.canceled {
			o.timedOut = h.timeout()
		}
	}
	if o.decided() && (o.code == 126 || o.code == 127) && runtime.GOOS != "windows" {
		o.cause = missing(o.code, p, h.Dir, in.env)
	}
	return o
}

// start runs the program to its end and takes its process group with it.
func start(ctx context.Context, p program, h Hook, in *input) outcome {
	failed := func(err error) outcome { return outcome{cause: err.Error()} }
	stdin, toStdin, err := os.Pipe()
	if err != nil {
		return failed(err)
	}
	out, stdout, err := newListener(MaxStdout)
	if err != nil {
		return failed(errors.Join(err, stdin.Close(), toStdin.Close()))
	}
	said, stderr, err := newListener(MaxStderr)
	if err != nil {
		return failed(errors.Join(err, stdin.Close(), toStdin.Close(), stdout.Close()))
	}
	g, err := startGroup(p, &os.ProcAttr{
		Dir: h.Dir, Env: append(in.env[:len(in.env):len(in.env)], "PWD="+h.Dir), Files: []*os.File{stdin, stdout, stderr},
	})
	errs := errors.Join(stdin.Close(), stdout.Close(), stderr.Close())
	if err != nil {
		return failed(errors.Join(err, toStdin.Close()))
	}
	stop := context.AfterFunc(ctx, g.kill)
	written := make(chan struct{})
	go func() {
		defer close(written)
		// A hook need not read: a broken pipe is its choice, and so is leaving without the rest.
		_, _ = toStdin.Write(in.stdin)
		_ = toStdin.Close()
	}()
	state, err := g.wait()
	killed := !stop()
	_ = toStdin.Close() // ends the writer when nobody reads on
	out.stop()
	said.stop()
	settle(written)
	if err = errors.Join(err, errs); err != nil {
		return failed(err)
	}
	o := outcome{killed: killed, code: state.ExitCode(), signal: signalOf(state), stderr: said.heard.text()}
	o.stdout, o.cut = out.heard.raw()
	return o
}

// listener takes what a hook writes to one of its streams.
type listener struct {
	from  *os.File
	heard tailless
	read  chan struct{}
}

// newListener gives a listener that keeps up to limit bytes, and the end that the hook writes to.
func newListener(limit int) (*listener, *os.File, error) {
	from, to, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	l := &listener{from: from, heard: tailless{limit: limit}, read: make(chan struct{})}
	go func() {
		defer close(l.read)
		_, _ = io.Copy(&l.heard, from)
	}()
	return l, to, nil
}

// stop ends the listening when the hook has ended.
func (l *listener) stop() {
	if !settle(l.read) {
		// Somebody outside the group holds the pipe, or the reader had no turn yet: take what is there and leave.
		_ = l.from.SetReadDeadline(time.Now())
		settle(l.read)
		drain(l.from, &l.heard)
	}
	_ = l.from.Close()
}

// settle waits for a copy to end, but not for a stranger that still holds its pipe; it reports whether it has.
func settle(done <-chan struct{}) bool {
	timer := time.NewTimer(drainTime)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

// tailless keeps the head of what is written to it and swallows the rest.
type tailless struct {
	limit int // bytes, and the rest of a character

	mu   sync.Mutex
	head []byte
}

func (t *tailless) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if free := t.limit + utf8.UTFMax - len(t.head); free > 0 {
		t.head = append(t.head, b[:min(free, len(b))]...)
	}
	return len(b), nil
}

// raw is the head as it came, and whether it lacks the rest.
func (t *tailless) raw() (head []byte, cut bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.head), len(t.head) > t.limit
}

// text is the head as clean text: valid UTF-8, no control characters but line breaks and tabs, at most limit bytes.
func (t *tailless) text() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	head := t.head
	if len(head) > t.limit {
		head = []byte(cut(string(head), t.limit-len("…")))
	}
	clean := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(string(head), "\uFFFD"))
	return strings.TrimSpace(clean)
}
