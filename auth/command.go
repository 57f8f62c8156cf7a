package auth

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	commandName    = "hanzo"
	commandLimit   = 10 * time.Second
	commandOutput  = 64 << 10
	keptWithoutExp = 5 * time.Minute
	expMargin      = 60 * time.Second
	failureMemory  = 15 * time.Second // a command that gave nothing is not run for each call
	minAlone       = 20               // bytes of a bearer that stands under other lines, or that is beyond doubt
	justNow        = time.Second      // nor again for the 401 of the call that it was run for
)

// command is the state of `hanzo auth token`: its last bearer and the run under
// way, which all who need it wait for.
type command struct {
	mu     sync.Mutex
	value  string
	until  time.Time
	failed time.Time
	flight *flight
	closed bool
	limit  time.Duration // 0: commandLimit
}

type flight struct {
	done   chan struct{}
	cancel context.CancelFunc
	value  string
}

func (c *command) stop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	if c.flight != nil {
		c.flight.cancel()
	}
}

// run gives the command's bearer, "" if it has none.
func (c *Chain) run(ctx context.Context, ask Ask) string {
	k, now := &c.command, c.now()
	k.mu.Lock()
	if k.value != "" && now.Before(k.until) && k.value != ask.Refused {
		defer k.mu.Unlock()
		return k.value
	}
	f := k.flight
	if f == nil {
		age := now.Sub(k.failed)
		if k.closed || !k.failed.IsZero() && (age < justNow || age < failureMemory && !ask.Retry) {
			k.mu.Unlock()
			return ""
		}
		// It outlives the call that started it: others may be waiting.
		limit := k.limit
		if limit == 0 {
			limit = commandLimit
		}
		limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
		f = &flight{done: make(chan struct{}), cancel: cancel}
		k.flight = f
		go c.fly(limited, f)
	}
	k.mu.Unlock()
	select {
	case <-f.done:
		return f.value
	case <-ctx.Done():
		return ""
	}
}

func (c *Chain) fly(ctx context.Context, f *flight) {
	defer f.cancel()
	value, k := c.ask(ctx), &c.command
	now := c.now()
	if expired(value, now) {
		value = ""
	}
	if len(value) >= minAlone {
		c.learn(value)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.value, k.until, k.failed = value, now.Add(keptWithoutExp), time.Time{}
	if exp := expiry(value); !exp.IsZero() {
		k.until = exp.Add(-expMargin)
	}
	if value == "" {
		k.failed = now
	}
	f.value, k.flight = value, nil
	close(f.done)
}

// ask runs the command. Whatever goes wrong is no credential, without a word:
// the door's 401 then tells the user what to do.
func (c *Chain) ask(ctx context.Context) string {
	path, err := c.LookPath(commandName)
	if err != nil {
		return ""
	}
	out := bounded{left: commandOutput}
	cmd := exec.CommandContext(ctx, path, "auth", "token")
	// The script that `hanzo` is may name its interpreter by name (#!/usr/bin/env node): it is found on the PATH that
	// is passed here, so that must be the cleaned one.
	cmd.Env, cmd.Stdout = []string{}, &out
	if c.Environ != nil {
		cmd.Env = c.Environ()
	}
	if cmd.Dir = c.Home; cmd.Dir == "" { // never the checkout: it could hold settings of the command
		cmd.Dir = string(os.PathSeparator)
	}
	cmd.WaitDelay = time.Second
	ownGroup(cmd)
	err = cmd.Run()
	endGroup(cmd)
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) || ctx.Err() != nil || out.over {
		return ""
	}
	text := strings.TrimSpace(out.text.String())
	if value := clean(text); value != "" {
		if isWord(value) {
			return ""
		}
		return value
	}
	// A line of greeting may stand above it.
	last := text[strings.LastIndexByte(text, '\n')+1:]
	if value := clean(last); len(value) >= minAlone {
		return value
	}
	return ""
}

// isWord reports whether the one word that a command printed is a word of a language or a program and no bearer: an
// unrelated program may bear the name.
func isWord(text string) bool {
	text = strings.Trim(strings.ToLower(text), `.,:;!?-<>()[]`)
	if strings.ContainsAny(text, "0123456789") || len(text) > 2*minAlone {
		return false
	}
	parts := strings.FieldsFunc(text, func(r rune) bool { return r < 'a' || r > 'z' })
	switch len(parts) {
	case 0: // punctuation
		return true
	case 1:
		return len(text) < minSecret || slices.Contains(words, text)
	}
	return slices.ContainsFunc(parts, func(part string) bool { return slices.Contains(words, part) })
}

// words say that there is no bearer.
var words = []string{"undefined", "logged", "login", "signin", "signed", "unauthorized", "unauthenticated", "anonymous", "authenticate"}

// bounded keeps the first bytes of an output; more is an error, which closes
// the pipe and so ends who writes.
type bounded struct {
	text bytes.Buffer
	left int
	over bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if len(p) > b.left {
		b.over = true
		return 0, errors.New("too much output")
	}
	b.left -= len(p)
	return b.text.Write(p)
}
