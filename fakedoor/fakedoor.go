// Package fakedoor is a door (HIP-0300 §1) for tests and for trying by hand: a
// loopback HTTP server that lists tools and answers calls by JSON-RPC, one POST
// per message. Its zero value works: `describe` first, then 110 subsystem tools
// of about 740 bytes each, like the real one.
//
// Everything it can do wrong is a field of Script, and Set changes the script
// while it runs: statuses, delays, broken bodies, odd ids, event streams,
// redirects, challenges, pages. It records what it was asked.
//
// Only tests and fakedoor/serve import it; it imports no other package of ours.
package fakedoor

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Script says how the door behaves. The zero value is a door in good order that
// asks for no bearer.
type Script struct {
	// Who may call. With Token each tools/call needs it as its bearer; tools/list
	// needs none unless ListToken is set.
	Token     string
	ListToken string
	Refuse    string   // a bearer that is answered 401, while none is served
	Challenge []string // WWW-Authenticate of a 401; nil: with resource_metadata of this door

	// What tools there are: nil is DefaultTools. Each is raw JSON, right or not.
	Tools      []string
	Pages      int    // spread over so many pages; 0: one
	CursorLoop bool   // the last page's nextCursor is the first page's
	TTL        string // raw ttlMs, "": none
	ListMeta   string // raw _meta of the list; "": DefaultMeta, "-": none
	ListResult string // raw result of tools/list instead of all this

	// Results by tool name, raw; further ones: describe, echo, fixed_1k, fixed_1m, fixed_8m.
	Results map[string]string
	Errors  map[string]string // raw error objects by tool name

	// Answer, when it is not nil, is asked first for each tools/call; it gives nil for
	// those that are answered as above. Its messages before the answer come as events.
	Answer func(*Request) *Answer

	// What goes wrong. Methods limits it to some methods; nil: all.
	Methods       []string
	Status        int               // of the response; 0: 200
	Body          *string           // in place of the JSON-RPC message
	ContentType   string            // "": application/json, or text/event-stream; "-": none
	Delay         time.Duration     // before the answer, until the request is canceled
	Hang          bool              // no answer until the request is canceled
	HangBody      bool              // headers and half a body, then as Hang
	CutBody       bool              // half a body, then the connection is closed
	DropKept      bool              // a second request on a connection is read, and the connection closed without an answer
	SlowBody      time.Duration     // pause after each 1/8 of the body
	Endless       bool              // the body never ends
	BodyOpen      bool              // the body is left open after the answer, without a length but for ContentLength
	ContentLength int               // what the header says, whatever the body is
	ID            string            // raw id of the answer: see the ID constants; "": as sent
	Pretty        bool              // line breaks between the tokens
	Redirects     map[string]string // Location by path, with Status (0: 308)
	Header        http.Header       // further header fields of the response
	Echo          bool              // {{authorization}} in the message becomes the header that was sent

	// Event streams: the message framed in one of the ways of Stream.
	Stream     Stream
	StreamOpen bool     // the stream is left open after the answer
	Before     []string // messages that come before the answer, one event each
	Between    time.Duration
}

// Special values of Script.ID.
const (
	IDString  = "string"  // 7 comes back as "7"
	IDFloat   = "float"   // 7 comes back as 7.0
	IDMissing = "missing" // no id
	IDOther   = "99999999"
	IDNull    = "null"
)

// Request is what the door was asked.
type Request struct {
	Method    string // HTTP
	Path      string
	Header    http.Header
	Body      []byte
	RPC       string // the JSON-RPC method
	Tool      string // params.name
	ID        string // raw
	Arguments string // raw, "" when absent
	Params    string // raw
	Remote    string

	ended   chan struct{}
	endedAt time.Time
}

// EndedAt is when Ended was closed; it is for after that.
func (r *Request) EndedAt() time.Time { return r.endedAt }

// Ended is closed when the door is through with the request or the client has
// gone away.
func (r *Request) Ended() <-chan struct{} { return r.ended }

// Server is a door. The zero value is ready for Start.
type Server struct {
	Script Script // at the start; Set changes it later
	Addr   string // to listen on; "": a free port of 127.0.0.1

	// Observe is told of each request; it is called at the same time. nil: nobody is.
	Observe func(*Request)

	mu       sync.Mutex
	requests []*Request
	arrived  chan struct{} // closed and renewed at each request
	server   *http.Server
	done     chan struct{} // closed when nothing listens any more
	addr     string
	conns    map[net.Conn]http.ConnState
	opened   int
	release  func() // gives the port back that is held while the door is down
}

// TB is what Start needs of a test.
type TB interface {
	Helper()
	Cleanup(func())
	Fatal(args ...any)
}

// Start starts a door for a test and stops it at its end.
func Start(t TB, script Script) *Server {
	t.Helper()
	s := &Server{Script: script}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// Start listens; after Stop it listens on the same port again.
func (s *Server) Start() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.server != nil {
		return nil
	}
	if s.addr == "" {
		if s.addr = s.Addr; s.addr == "" {
			s.addr = "127.0.0.1:0"
		}
	}
	if s.release != nil {
		s.release()
		s.release = nil
	}
	listener, err := net.Listen("tcp", s.addr)
	if err != nil {
		return fmt.Errorf("listening: %w", err)
	}
	s.addr = listener.Addr().String()
	s.conns = map[net.Conn]http.ConnState{}
	s.server = &http.Server{Handler: s, ConnState: s.connState, ReadHeaderTimeout: 10 * time.Second, ConnContext: countUses}
	server, done := s.server, make(chan struct{})
	s.done = done
	go func() {
		defer close(done)
		_ = server.Serve(listener)
	}()
	return nil
}

// Stop closes the port and all connections: who connects is refused.
func (s *Server) Stop() {
	s.mu.Lock()
	server, done := s.server, s.done
	s.server = nil
	s.mu.Unlock()
	if server == nil {
		return
	}
	_ = server.Close()
	<-done
	s.mu.Lock()
	defer s.mu.Unlock()
	s.release = hold(s.addr)
}

// Close is Stop for good.
func (s *Server) Close() {
	s.Stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.release != nil {
		s.release()
		s.release = nil
	}
}

// URL is the door's address: /v1/mcp.
func (s *Server) URL() string { return s.Origin() + "/v1/mcp" }

// Origin is the address without a path.
func (s *Server) Origin() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return "http://" + s.addr
}

// Set changes the script for the requests to come.
func (s *Server) Set(change func(*Script)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.Script)
}

func (s *Server) connState(c net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch state {
	case http.StateNew:
		s.opened++
	case http.StateClosed, http.StateHijacked:
		delete(s.conns, c)
		return
	}
	s.conns[c] = state
}

// usesKey is the key, in the context of a connection, of how many requests it had.
type usesKey struct{}

func countUses(ctx context.Context, _ net.Conn) context.Context {
	return context.WithValue(ctx, usesKey{}, new(atomic.Int32))
}

// Conns is how many connections there are now, and how many there were.
func (s *Server) Conns() (open, ever int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.conns), s.opened
}

// Requests are those of one JSON-RPC method so far, "" for all.
func (s *Server) Requests(method string) []*Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	var found []*Request
	for _, r := range s.requests {
		if method == "" || r.RPC == method {
			found = append(found, r)
		}
	}
	return found
}

// Wait gives the requests of a method when there are n at least, nil when ctx
// ends before.
func (s *Server) Wait(ctx context.Context, method string, n int) []*Request {
	for {
		s.mu.Lock()
		if s.arrived == nil {
			s.arrived = make(chan struct{})
		}
		arrived := s.arrived
		s.mu.Unlock()
		if found := s.Requests(method); len(found) >= n {
			return found
		}
		select {
		case <-arrived:
		case <-ctx.Done():
			return nil
		}
	}
}

// keep bounds what is recorded of a run by hand.
const keep = 10_000

func (s *Server) record(r *Request) Script {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.requests) >= keep {
		s.requests = s.requests[1:]
	}
	s.requests = append(s.requests, r)
	if s.arrived != nil {
		close(s.arrived)
		s.arrived = nil
	}
	return s.Script
}

// ServeHTTP answers one request by the script.
func (s *Server) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return
	}
	var q struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params json.RawMessage `json:"params"`
	}
	var p struct {
		Name      string          `json:"name"`
		Cursor    string          `json:"cursor"`
		Arguments json.RawMessage `json:"arguments"`
	}
	parsed := json.Unmarshal(body, &q) == nil
	_ = json.Unmarshal(q.Params, &p)
	r := &Request{
		Method: req.Method, Path: req.URL.Path, Header: req.Header.Clone(), Body: body,
		RPC: q.Method, Tool: p.Name, ID: string(q.ID), Arguments: string(p.Arguments), Params: string(q.Params),
		Remote: req.RemoteAddr, ended: make(chan struct{}),
	}
	defer func() {
		r.endedAt = time.Now()
		close(r.ended)
	}()
	script := s.record(r)
	if s.Observe != nil {
		s.Observe(r)
	}
	if uses, ok := req.Context().Value(usesKey{}).(*atomic.Int32); ok && uses.Add(1) > 1 && script.DropKept {
		panic(http.ErrAbortHandler)
	}
	a := answerer{Script: script, w: w, req: req, door: s}
	switch {
	case req.Method != http.MethodPost:
		w.Header().Set("Allow", http.MethodPost)
		http.Error(w, "POST only", http.StatusMethodNotAllowed)
	case !parsed:
		http.Error(w, "bad JSON", http.StatusBadRequest)
	case !a.allowed(q.Method):
		a.challenge(q.ID)
	case len(q.ID) == 0:
		w.WriteHeader(http.StatusAccepted)
	default:
		member, value := a.reply(q.Method, p.Name, p.Cursor, p.Arguments)
		if own := a.own(r); own != nil {
			member, value = "result", []byte(own.Result)
			if own.Error != "" {
				member, value = "error", []byte(own.Error)
			}
			if own.Before != nil {
				a.Stream, a.Before = Plain, own.Before
			}
		}
		a.send(q.Method, q.ID, member, value)
	}
}

// echo is the result of the tool echo: the arguments as they came, as text and
// raw in structuredContent.
func echo(arguments []byte) []byte {
	if arguments == nil {
		arguments = []byte("null")
	}
	var b bytes.Buffer
	b.WriteString(`{"content":[{"type":"text","text":`)
	text, _ := json.Marshal(string(arguments))
	b.Write(text)
	b.WriteString(`}],"structuredContent":`)
	b.Write(arguments)
	b.WriteByte('}')
	return b.Bytes()
}
