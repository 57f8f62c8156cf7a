package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/hanzoai/hanzo-mcp/door"
)

const (
	drainLimit   = 10 * time.Second // at the end of input, for the calls already read
	abandonLimit = 4 * time.Second  // when nobody is left to read the answers
	parentPoll   = time.Second

	// inputBudget bounds the requests of a lane that are being answered: each counts its bytes three times, since they
	// are copied, and requestCost. More are read and wait, maxQueued of them and queuedBytes together; what comes then
	// is refused.
	inputBudget   = 256 << 20
	controlBudget = 64 << 20
	requestCost   = 64 << 10
	maxQueued     = 64 << 10
	queuedBytes   = 128 << 20
)

// serveStdio reads messages from in, one a line, and answers on out until the input ends, the output breaks, the
// parent is gone or ctx is done. It returns when every call has ended or its time is up; it never waits for a
// blocked read.
func (s *server) serveStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	widen(in)
	widen(out)
	in, closeInput := polled(in)
	defer closeInput()
	w := newLineWriter(out)
	calls, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	listening, unlisten := context.WithCancel(calls)
	defer unlisten()
	c := &stdioConn{srv: s, w: w, ctx: calls, listening: listening,
		control: newLane(controlBudget), local: newLane(inputBudget), cloud: newLane(inputBudget)}
	c.peer = s.newPeer(calls, "stdio-"+runID(), func(m []byte) { _ = w.write(m) })
	c.peer.input = listening.Done()
	s.addPeer(c.peer)
	defer s.dropPeer(c.peer)
	for _, l := range []*lane{c.control, c.local, c.cloud} {
		go c.startQueued(l)
	}

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
		if limit = 0; !isHangup(w.err) {
			err = fmt.Errorf("writing to the client: %w", w.err)
		}
	case <-orphaned:
		limit = 0
	case <-ctx.Done():
		limit = 0
	}
	unlisten() // nothing more will come on open subscriptions: the drain does not wait for them
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
		if err == nil && w.stuck() {
			err = errors.New("the client did not read its answers: some are lost")
		}
	}
	return err
}

// stdioConn is the one connection of a server over stdio. Its reader never waits for a call: what cannot start yet is
// queued, so that a cancel, an answer to a prompt or a ping behind it is read.
type stdioConn struct {
	srv  *server
	peer *peer
	w    *lineWriter
	ctx  context.Context

	control, local, cloud *lane

	listening context.Context // of open subscriptions: done at the end of the input

	work  sync.WaitGroup
	first sync.Once // reply
	odd   sync.Once // line that is no message
}

func (c *stdioConn) read(in io.Reader) error {
	lines := newLineReader(in, c.srv.maxMessage)
	for {
		line, err := lines.next()
		if errors.Is(err, errLongLine) {
			_ = c.w.write(door.AppendError(nil, door.FrontID(line), -32600, tooLong(c.srv.maxMessage), nil))
			continue
		}
		if err != nil {
			return err
		}
		m, err := door.Split(line)
		if err != nil {
			var fault *door.Error
			if errors.As(err, &fault) {
				c.hint(line, fault)
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
		c.srv.notified(c.peer, m)
	case m.Method == "ping", m.Method == "initialize": // in order: what follows may depend on it
		f := c.peer.begin(c.ctx, m, nil)
		c.finish(f, c.srv.answer(f))
	default:
		ctx := c.ctx
		if m.Method == "subscriptions/listen" {
			ctx = c.listening
		}
		f := c.peer.begin(ctx, m, func(msg []byte) { _ = c.w.write(msg) })
		l := c.lane(&f.msg)
		weight := 3*int64(size) + requestCost
		if m.Method == "tools/list" {
			weight += 2 * c.srv.listed.Load()
		}
		q := queued{f, l, int64(size), min(weight, l.size)}
		c.work.Add(1)
		if l.queue.empty() && l.budget.TryAcquire(q.weight) {
			go c.run(q)
			return
		}
		if !l.queue.push(q) {
			c.finish(f, rpcError(-32000, "the server is busy: too many requests are waiting; send fewer at once"))
			c.work.Done()
		}
	}
}

// lane is the one that a request waits in. Calls that hang at the door do not keep local ones waiting, nor do local
// ones those that look after them, such as exec kill.
func (c *stdioConn) lane(m *door.Message) *lane {
	switch {
	case m.Method != "tools/call":
		return c.control
	case !c.srv.ours[m.Name]:
		return c.cloud
	}
	if t := c.srv.tool(m.Name); t != nil && len(m.Arguments) <= 4<<10 {
		if a := t.Action(textMember(m.Arguments, "action")); a != nil && a.NoSlot {
			return c.control
		}
	}
	return c.local
}

// startQueued begins the requests of a lane that had to wait, in order. When the connection ends each still gets its reply.
func (c *stdioConn) startQueued(l *lane) {
	for {
		for q, ok := l.queue.pop(); ok; q, ok = l.queue.pop() {
			c.startOne(q)
		}
		select {
		case <-l.queue.more:
		case <-c.ctx.Done():
			if l.queue.empty() {
				return
			}
		}
	}
}

func (c *stdioConn) startOne(q queued) {
	if q.lane.budget.Acquire(q.f.ctx, q.weight) != nil { // cancelled, or the connection is ending
		c.finish(q.f, rpcError(mcp.INTERNAL_ERROR, "the server is shutting down"))
		c.work.Done()
		return
	}
	go c.run(q)
}

func (c *stdioConn) run(q queued) {
	defer c.work.Done()
	defer q.lane.budget.Release(q.weight)
	c.finish(q.f, c.srv.answer(q.f))
}

// finish sends the reply, unless the client has cancelled the request, and gives back what was held for it.
func (c *stdioConn) finish(f *inflight, reply door.Reply) {
	defer f.end()
	if !f.cancelled.Load() {
		_ = c.w.reply(f.msg.ID, &reply)
	}
	c.first.Do(func() { go c.warm() })
}

func (c *stdioConn) warm() {
	c.srv.warm()
	if len(c.srv.opts.projectDirs) > 0 {
		c.srv.settle(c.peer, nil)
	}
}

// hint adds to the fault of a line that is no JSON what to do next, for the person who reads the log too, once.
func (c *stdioConn) hint(line []byte, fault *door.Error) {
	if fault.Kind != door.ParseError {
		return
	}
	if why := misframed(line); why != "" {
		fault.Text += "; " + why
		c.odd.Do(func() { c.srv.ui.warnf("the client sent what is no message: %s", fault.Text) })
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
