package main

import (
	"fmt"
	"io"
	"sync"
	"time"
)

const (
	maxUnsaid = 256 << 10              // bytes of lines that wait to be written
	promptly  = time.Second            // a write that takes longer is stuck
	lastWords = 200 * time.Millisecond // at the end of the program, for what is not written yet
)

// outlet writes lines for a console. A client that does not read stderr blocks the write, perhaps for ever: so a
// goroutine writes, at most maxUnsaid wait for it, and what does not fit is dropped and counted. The zero value is ready.
type outlet struct {
	mu    sync.Mutex    // not held during a write
	next  *unsaid       // nil when nothing waits
	idle  chan struct{} // closed when the goroutine has ended; nil while there is none
	stuck bool          // nobody waits for a write before all is written
}

// unsaid are lines that wait to be written.
type unsaid struct {
	lines   []string
	size    int
	dropped int           // after these
	written chan struct{} // closed when all are
}

// put has a line written. It returns when that is done, so that who has a reply finds in the log what was said before
// it, or at once while writes are stuck.
func (o *outlet) put(w io.Writer, line string) {
	o.mu.Lock()
	if o.next == nil {
		o.next = &unsaid{written: make(chan struct{})}
	}
	b, stuck := o.next, o.stuck
	if b.dropped > 0 || b.size+len(line) > maxUnsaid {
		b.dropped++
	} else {
		b.lines, b.size = append(b.lines, line), b.size+len(line)
	}
	if o.idle == nil {
		o.idle = make(chan struct{})
		go o.write(w)
	}
	o.mu.Unlock()
	if stuck || closedWithin(b.written, promptly) {
		return
	}
	o.mu.Lock()
	o.stuck = o.idle != nil
	o.mu.Unlock()
}

// write writes until nothing waits.
func (o *outlet) write(w io.Writer) {
	for {
		o.mu.Lock()
		b := o.next
		if o.next = nil; b == nil {
			close(o.idle)
			o.idle, o.stuck = nil, false
			o.mu.Unlock()
			return
		}
		o.mu.Unlock()
		for _, line := range b.lines {
			_, _ = io.WriteString(w, line) // there is no other place to tell of it
		}
		if b.dropped > 0 {
			fmt.Fprintf(w, "hanzo-mcp: warning: nobody was reading this log: %d lines were dropped\n", b.dropped)
		}
		close(b.written)
	}
}

// flush gives what is not written yet a moment.
func (o *outlet) flush() {
	o.mu.Lock()
	idle := o.idle
	o.mu.Unlock()
	if idle != nil {
		closedWithin(idle, lastWords)
	}
}

// closedWithin reports whether a channel is closed before the time is over.
func closedWithin(c <-chan struct{}, limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-c:
		return true
	case <-timer.C:
		return false
	}
}
