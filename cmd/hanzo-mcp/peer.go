package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/hanzoai/hanzo-mcp/door"
	"github.com/hanzoai/hanzo-mcp/tools"
)

// peer is one client: the connection over stdio, or one session over HTTP. It keeps what the client said of
// itself, the calls in flight and the requests that we sent and that it has not answered.
type peer struct {
	srv     *server
	session *tools.Session
	remote  bool // over HTTP: its roots are not taken over, nothing is asked outside a call's own stream

	// send gives the client a message that belongs to no call. Over HTTP it goes to an open listening stream and
	// is lost when there is none.
	send func(message []byte)

	mu       sync.Mutex
	caps     clientCaps // of the initialize request
	version  string     // negotiated, "" before initialize
	inflight map[string][]*inflight
	pending  map[string]chan door.Message // by door.IDKey, as inflight
	nextID   atomic.Int64
	listens  map[*inflight]json.RawMessage // open subscriptions/listen of 2026-07-28, by request
	listed   []byte                        // hash of the list that the client was given last, nil before

	input <-chan struct{}         // closed when nothing more comes from the client; nil over HTTP
	ctx   context.Context         // of the connection
	place atomic.Pointer[settled] // roots and settings, nil before they are known
	round atomic.Int64            // counts the changes of the client's roots
	roots sync.Mutex              // one round of roots at a time
}

// clientCaps are the capabilities that matter here.
type clientCaps struct{ roots, elicitation bool }

func parseCaps(raw []byte) clientCaps {
	has := func(name string) bool {
		m := member(raw, name)
		return m != nil && string(m) != "null"
	}
	return clientCaps{roots: has("roots"), elicitation: has("elicitation")}
}

func (s *server) newPeer(ctx context.Context, id string, send func([]byte)) *peer {
	p := &peer{
		srv: s, ctx: ctx, send: send,
		session:  &tools.Session{ID: id},
		inflight: map[string][]*inflight{}, pending: map[string]chan door.Message{}, listens: map[*inflight]json.RawMessage{},
	}
	p.session.Changed = func() { p.listChanged() }
	return p
}

// inflight is a request that is being answered.
type inflight struct {
	peer      *peer
	msg       door.Message
	ctx       context.Context
	cancel    context.CancelFunc
	cancelled atomic.Bool          // by the client: no reply is sent
	send      func(message []byte) // to the client, on this call's own stream
	deaf      bool                 // the stream cannot carry anything before the reply: nobody can be asked
	held      []func()             // given back once the reply is written
	hops      []string             // the servers of ours that the call came through, over HTTP
	approved  []byte               // what the user said yes to, nil when nobody was asked
}

// hold keeps something, a slot, until the reply is written, so that replies nobody reads do not pile up.
func (f *inflight) hold(release func()) { f.held = append(f.held, release) }

// begin registers a request so that it can be cancelled. end must be called when it is answered.
func (p *peer) begin(ctx context.Context, m door.Message, send func([]byte)) *inflight {
	f := &inflight{peer: p, msg: m, send: send}
	f.ctx, f.cancel = context.WithCancel(ctx)
	p.mu.Lock()
	key := door.IDKey(m.ID)
	p.inflight[key] = append(p.inflight[key], f)
	p.mu.Unlock()
	return f
}

func (f *inflight) end() {
	f.cancel()
	for _, release := range f.held {
		release()
	}
	p, id := f.peer, door.IDKey(f.msg.ID)
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.inflight[id]
	for i, other := range list {
		if other == f {
			list = append(list[:i:i], list[i+1:]...)
			break
		}
	}
	if len(list) == 0 {
		delete(p.inflight, id)
	} else {
		p.inflight[id] = list
	}
	delete(p.listens, f)
}

// cancelRequest ends the work of a request; its reply will not be sent. initialize cannot be cancelled.
func (p *peer) cancelRequest(id []byte) {
	p.mu.Lock()
	list := p.inflight[door.IDKey(id)]
	p.mu.Unlock()
	for _, f := range list {
		if f.msg.Method != "initialize" {
			f.cancelled.Store(true)
			f.cancel()
		}
	}
}

// request sends the client a request and waits for its answer.
func (p *peer) request(ctx context.Context, send func([]byte), method, params string) (door.Message, error) {
	id := `"hanzo-` + strconv.FormatInt(p.nextID.Add(1), 10) + `"`
	answer := make(chan door.Message, 1)
	p.mu.Lock()
	p.pending[id] = answer
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		delete(p.pending, id)
		p.mu.Unlock()
	}()
	message := `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `"`
	if params != "" {
		message += `,"params":` + params
	}
	send([]byte(message + "}"))
	select {
	case m := <-answer:
		if m.Error != nil {
			return m, fmt.Errorf("the client answered %s with an error: %s", method, clipBytes(m.Error, 200))
		}
		return m, nil
	case <-p.input:
		return door.Message{}, errors.New("the client has closed its end and cannot answer")
	case <-ctx.Done():
		send([]byte(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`))
		return door.Message{}, ctx.Err()
	}
}

// response hands an answer of the client to the request that waits for it; others are dropped.
func (p *peer) response(m door.Message) {
	p.mu.Lock()
	id := door.IDKey(m.ID)
	answer := p.pending[id]
	delete(p.pending, id)
	p.mu.Unlock()
	if answer != nil {
		answer <- m
	}
}

// listChanged tells the client that tools/list would answer differently now. A legacy client that has not listed
// yet needs no word; a 2026-07-28 client gets it on the streams that asked for it.
func (p *peer) listChanged() {
	p.mu.Lock()
	streams := maps.Clone(p.listens)
	legacy := p.listed != nil && p.version != ""
	p.mu.Unlock()
	for f, id := range streams {
		f.send([]byte(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":` + string(id) + `}}}`))
	}
	if legacy {
		p.send([]byte(`{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}`))
	}
}

func clipBytes(b []byte, n int) string {
	if len(b) > n {
		return string(b[:n]) + "…"
	}
	return string(b)
}
