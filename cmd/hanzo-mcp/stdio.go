package main

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/hanzoai/hanzo-mcp/door"
)

const (
	drainLimit   = 10 * time.Second // at the end of input, for the calls already read
	abandonLimit = 4 * time.Second  // when nobody is left to read the answers
	parentPoll   = time.Second

	// inputBudget bounds the requests that are being answered: each counts its bytes and requestCost. Reading
	// stops while it is used up.
	inputBudget = 256 << 20
	requestCost = 64 << 10
)

// serveStdio reads messages from in, one a line, and answers on out until the input ends, the output breaks, the
// parent is gone or ctx is done. It returns when every call has ended or its time is up; it never waits for a
// blocked read.
func (s *server) serveStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	w := newLineWriter(out)
	calls, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	c := &stdioConn{srv: s, w: w, ctx: calls, budget: semaphore.NewWeighted(inputBudget)}
	c.peer = s.newPeer("stdio", func(m []byte) { _ = w.write(m) })
	s.addPeer(c.peer)
	defer s.dropPeer(c.peer)
	go s.settleFromFlags(calls, c.peer)

	eof := make(chan error, 1)
	go func() { eof <- c.read(in) }()
	orphaned := make(chan struct{})
	go watchParent(calls, orphaned)

	limit := drainLimit
	var err error
	select {
	case err = <-eof:
		if errors.Is(err, io.EOF) {
			err = nil
		}
	case <-w.failed:
		limit = 0
	case <-orphaned:
		limit = 0
	case <-ctx.Done():
		limit = 0
	}
	if limit == 0 {
		cancel()
		limit = abandonLimit
	}
	done := make(chan struct{})
	go func() { c.work.Wait(); close(done) }()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-done:
		return err
	case <-timer.C:
	case <-w.failed:
	case <-orphaned:
	case <-ctx.Done():
	}
	// What is still at work is told to end and gets a moment to say so.
	cancel()
	timer.Reset(abandonLimit)
	select {
	case <-done:
	case <-timer.C:
	}
	return err
}

// stdioConn is the one connection of a server over stdio.
type stdioConn struct {
	srv    *server
	peer   *peer
	w      *lineWriter
	ctx    context.Context
	budget *semaphore.Weighted
	work   sync.WaitGroup
}

func (c *stdioConn) read(in io.Reader) error {
	lines := newLineReader(in, c.srv.maxMessage)
	for {
		line, err := lines.next()
		if errors.Is(err, errLongLine) {
			_ = c.w.write(door.AppendError(nil, nil, -32600, tooLong(c.srv.maxMessage), nil))
			continue
		}
		if err != nil {
			return err
		}
		m, err := door.Split(line)
		if err != nil {
			var fault *door.Error
			if errors.As(err, &fault) {
				c.fault(m, fault)
			}
			continue
		}
		c.take(m, len(line))
	}
}

func (c *stdioConn) take(m door.Message, size int) {
	switch {
	case m.IsResponse():
		c.peer.response(m)
	case m.IsNotification():
		c.srv.notified(c.ctx, c.peer, m)
	default:
		weight := min(int64(size)+requestCost, inputBudget)
		if c.budget.Acquire(c.ctx, weight) != nil {
			return // shutting down
		}
		f := c.peer.begin(c.ctx, m, func(msg []byte) { _ = c.w.write(msg) })
		c.work.Add(1)
		go func() {
			defer c.work.Done()
			defer c.budget.Release(weight)
			defer f.end()
			reply := c.srv.answer(f)
			if !f.cancelled.Load() {
				_ = c.w.reply(f.msg.ID, &reply)
			}
		}()
	}
}

// fault answers a message that cannot be taken. A batch of a client that speaks 2025-03-26 is taken apart.
func (c *stdioConn) fault(m door.Message, fault *door.Error) {
	if m.Batch && c.peer.batches() {
		for raw := range m.Elements() {
			one, err := door.Split(raw)
			var inner *door.Error
			if errors.As(err, &inner) {
				if reply := c.srv.refuse(one, inner); reply != nil {
					_ = c.w.write(reply)
				}
				continue
			}
			c.take(one, len(raw))
		}
		return
	}
	if reply := c.srv.refuse(m, fault); reply != nil {
		_ = c.w.write(reply)
	}
}

// watchParent closes gone when the parent process that started us has ended: its pipes may be held open by
// somebody else.
func watchParent(ctx context.Context, gone chan<- struct{}) {
	parent := os.Getppid()
	if parent <= 1 {
		return
	}
	tick := time.NewTicker(parentPoll)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if os.Getppid() != parent {
				close(gone)
				return
			}
		}
	}
}
