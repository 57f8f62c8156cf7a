package main

import (
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools"
)

const (
	progressEvery  = 250 * time.Millisecond // at most, on output
	progressBeat   = 5 * time.Second        // at least, while nothing is to be told
	progressLength = 200                    // characters of a message
)

// progress sends notifications/progress for one local call whose caller gave a token: rising values, nothing after
// stop. Forwarded calls have the door's.
type progress struct {
	f      *inflight
	secret func() []string

	mu    sync.Mutex
	n     int
	last  time.Time
	held  string // waits for its turn
	flush *time.Timer
	beat  *time.Timer
	done  bool
}

func (s *server) startProgress(f *inflight) *progress {
	p := &progress{f: f, secret: s.secrets}
	if f.msg.ProgressToken == nil {
		p.done = true
		return p
	}
	p.beat = time.AfterFunc(progressBeat, p.tick)
	return p
}

// report tells one line of output. Lines that come too fast are dropped but for the last.
func (p *progress) report(message string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.done {
		return
	}
	if wait := progressEvery - time.Since(p.last); wait > 0 {
		if p.held == "" && p.flush == nil {
			p.flush = time.AfterFunc(wait, p.flushHeld)
		}
		p.held = message
		return
	}
	p.sendLocked(message)
}

func (p *progress) flushHeld() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.flush = nil
	if !p.done && p.held != "" {
		p.sendLocked(p.held)
		p.held = ""
	}
}

func (p *progress) tick() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.done {
		return
	}
	if time.Since(p.last) >= progressBeat {
		p.sendLocked("")
	}
	p.beat.Reset(progressBeat)
}

func (p *progress) sendLocked(message string) {
	p.last = time.Now()
	p.n++
	b := append([]byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`), p.f.msg.ProgressToken...)
	b = append(append(b, `,"progress":`...), strconv.Itoa(p.n)...)
	if message = tools.Redact(strings.ToValidUTF8(message, "\ufffd"), p.secret()); message != "" {
		if r := []rune(message); len(r) > progressLength {
			message = string(r[:progressLength-1]) + "…"
		}
		b = tools.AppendString(append(b, `,"message":`...), message)
	}
	p.f.send(append(b, "}}"...))
}

// stop ends the progress: when it has returned, nothing more is sent.
func (p *progress) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done = true
	if p.beat != nil {
		p.beat.Stop()
	}
	if p.flush != nil {
		p.flush.Stop()
	}
}
