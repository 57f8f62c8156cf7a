package main

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/hanzoai/hanzo-mcp/door"
)

// callStream writes the answer to one POST: a plain JSON body, or, once something must be sent before the reply and
// the client takes it, a stream of events.
type callStream struct {
	w      http.ResponseWriter
	accept acceptable

	mu     sync.Mutex
	stream bool
	done   bool
}

// begin turns the answer into a stream.
func (c *callStream) begin() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.beginLocked()
}

func (c *callStream) beginLocked() {
	if c.stream || c.done {
		return
	}
	c.stream = true
	header := c.w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-cache, no-transform")
	header.Set("X-Accel-Buffering", "no")
	c.w.WriteHeader(http.StatusOK)
	c.flush()
}

// send puts a message before the reply. A client that takes no stream does not get it.
func (c *callStream) send(message []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done || !c.accept.sse {
		return
	}
	c.limit()
	c.beginLocked()
	c.event(message)
}

func (c *callStream) event(message []byte) {
	_, _ = c.w.Write([]byte("event: message\ndata: "))
	_, _ = c.w.Write(message)
	_, _ = c.w.Write([]byte("\n\n"))
	c.flush()
}

func (c *callStream) comment() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.stream && !c.done {
		c.limit()
		_, _ = c.w.Write([]byte(": keep-alive\n\n"))
		c.flush()
	}
}

func (c *callStream) flush() { _ = http.NewResponseController(c.w).Flush() }

// limit gives the client writeTime for what comes next: one that does not read is given up.
func (c *callStream) limit() {
	_ = http.NewResponseController(c.w).SetWriteDeadline(time.Now().Add(writeTime))
}

// keepAlive sends comments on the stream until stop is called or ctx ends, so that nobody between takes it for dead.
func (c *callStream) keepAlive(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		beat := time.NewTicker(keepAliveStream)
		defer beat.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-beat.C:
				c.comment()
			}
		}
	}()
	return func() { cancel(); <-ended }
}

// finish writes the reply: as the last event of a stream, else as the body.
func (c *callStream) finish(status int, id []byte, reply *door.Reply) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done = true
	c.limit()
	if !c.stream && c.accept.json {
		c.w.Header().Set("Content-Type", "application/json")
		c.w.WriteHeader(status)
		_ = reply.WriteLine(c.w, id)
		return
	}
	c.done = false
	c.beginLocked()
	c.done = true
	c.event(reply.Append(nil, id))
}

// abandon ends the answer of a cancelled call: there is no reply.
func (c *callStream) abandon() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.stream && !c.done {
		c.w.WriteHeader(http.StatusAccepted)
	}
	c.done = true
}

func writeJSON(w http.ResponseWriter, status int, message []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(message, '\n'))
}

func writeRPC(w http.ResponseWriter, status int, id []byte, code int, text string) {
	writeJSON(w, status, door.AppendError(nil, id, code, text, nil))
}
