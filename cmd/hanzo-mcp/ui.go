package main

import (
	"fmt"
	"io"
	"log"
	"strings"
	"sync"
)

// console is the only writer to stderr: short lines for the person who reads the client's log. Secrets known to the
// server are replaced in every line.
type console struct {
	w       io.Writer
	out     outlet // to w
	secrets func() []string

	mu    sync.Mutex
	level level
}

type level int

const (
	quiet level = iota
	errorLevel
	warnLevel
	infoLevel
	debugLevel
)

var levelNames = map[string]level{
	"off": quiet, "none": quiet, "error": errorLevel, "critical": errorLevel, "warn": warnLevel, "warning": warnLevel,
	"info": infoLevel, "debug": debugLevel, "trace": debugLevel,
}

func (u *console) errorf(format string, args ...any) { u.line(errorLevel, "error: ", format, args...) }
func (u *console) warnf(format string, args ...any)  { u.line(warnLevel, "warning: ", format, args...) }
func (u *console) infof(format string, args ...any)  { u.line(infoLevel, "", format, args...) }
func (u *console) debugf(format string, args ...any) { u.line(debugLevel, "debug: ", format, args...) }

// fail writes an error and, when there is one, a hint at what to do next.
func (u *console) fail(err error) {
	u.errorf("%v", err)
	var h *hintError
	if asHint(err, &h) && h.hint != "" {
		u.line(errorLevel, "", "hint: %s", h.hint)
	}
}

// tell sets the level up to which lines are written.
func (u *console) tell(l level) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.level = l
}

// told is the level that tell has set.
func (u *console) told() level {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.level
}

func (u *console) line(l level, prefix, format string, args ...any) {
	if l > u.told() {
		return
	}
	text := fmt.Sprintf(format, args...)
	if u.secrets != nil {
		text = redact(text, u.secrets())
	}
	text = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' || r == 0x7f {
			return ' '
		}
		return r
	}, text)
	u.out.put(u.w, "hanzo-mcp: "+prefix+text+"\n")
}

// httpLog takes what net/http has to say.
func (u *console) httpLog() *log.Logger { return log.New(httpLog{u}, "", 0) }

type httpLog struct{ u *console }

func (l httpLog) Write(line []byte) (int, error) {
	l.u.debugf("http: %s", strings.TrimSpace(string(line)))
	return len(line), nil
}

// hintError is an error with a line that says what to do next.
type hintError struct {
	err  error
	hint string
}

func (e *hintError) Error() string { return e.err.Error() }
func (e *hintError) Unwrap() error { return e.err }

func withHint(err error, format string, args ...any) error {
	return &hintError{err: err, hint: fmt.Sprintf(format, args...)}
}
