package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/hanzoai/hanzo-mcp/door"
)

// post takes one message, or a batch of a 2025-03-26 session.
func (h *httpFront) post(w http.ResponseWriter, r *http.Request) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		refuseHTTP(w, http.StatusUnsupportedMediaType, "send Content-Type: application/json")
		return
	}
	accept := parseAccept(r.Header.Values("Accept"))
	if !accept.json && !accept.sse {
		refuseHTTP(w, http.StatusNotAcceptable, "answers are application/json or text/event-stream; accept both")
		return
	}
	if coding := r.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		refuseHTTP(w, http.StatusUnsupportedMediaType, "a body in the encoding "+clipBytes([]byte(coding), 40)+" is not read; send it plain")
		return
	}
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(bodyTime))
	body, free, err := h.bodies.read(r.Context(), http.MaxBytesReader(w, r.Body, int64(h.srv.maxMessage)))
	defer free()
	_ = control.SetReadDeadline(time.Time{})
	if err != nil {
		var long *http.MaxBytesError
		switch {
		case errors.Is(err, errNoRoom):
			w.Header().Set("Retry-After", "5")
			refuseHTTP(w, http.StatusServiceUnavailable, err.Error()+": there was no room for this one within "+roomTime.String()+"; try again")
		case errors.As(err, &long):
			refuseHTTP(w, http.StatusRequestEntityTooLarge, tooLong(h.srv.maxMessage))
		case errors.Is(err, os.ErrDeadlineExceeded):
			refuseHTTP(w, http.StatusRequestTimeout, "the body did not come within "+bodyTime.String())
		default:
			refuseHTTP(w, http.StatusBadRequest, "the body ended early")
		}
		return
	}
	m, err := door.Split(body)
	var fault *door.Error
	if errors.As(err, &fault) && !m.Batch {
		h.fault(w, m, fault)
		return
	}
	header, version := r.Header.Get(mcp.HeaderProtocolVersion), metaVersion(&m)
	known := header == "" || mcp.IsValidProtocolVersion(header)
	modern := mcp.IsModernProtocol(version) || mcp.IsModernProtocol(header) && (known || version != "")
	begins := m.Method == "initialize" && version == "" // a client that falls back may still name the revision it began with
	switch {
	case modern && !m.Batch && !begins:
		h.modern(w, r, m, accept, header)
		return
	case !known:
		writeRPC(w, http.StatusBadRequest, m.ID, mcp.INVALID_REQUEST, "the MCP-Protocol-Version "+clipBytes([]byte(header), 40)+" is not supported")
		return
	}
	h.legacy(w, r, m, accept)
}

func metaVersion(m *door.Message) string {
	var v string
	if m.Version != nil {
		_ = json.Unmarshal(m.Version, &v)
	}
	return v
}

func (h *httpFront) fault(w http.ResponseWriter, m door.Message, fault *door.Error) {
	reply := h.srv.refuse(m, fault)
	if reply == nil {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	status := http.StatusBadRequest
	if fault.Kind == door.AmbiguousArgument {
		status = http.StatusOK
	}
	writeJSON(w, status, reply)
}

// legacy takes a message of a client that began with initialize.
func (h *httpFront) legacy(w http.ResponseWriter, r *http.Request, m door.Message, accept acceptable) {
	id := r.Header.Get(mcp.HeaderSessionID)
	var s *httpSession
	switch {
	case m.Method == "initialize" && m.ID != nil:
		h.begin(w, r, m, accept)
		return
	case id == "":
		writeRPC(w, http.StatusBadRequest, m.ID, mcp.INVALID_REQUEST, "the header Mcp-Session-Id is missing; begin with initialize")
		return
	default:
		if s = h.sessions.get(id); s == nil {
			writeRPC(w, http.StatusNotFound, m.ID, mcp.INVALID_REQUEST, "no such session; begin again with initialize")
			return
		}
	}
	defer s.release()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	if m.Batch {
		h.batch(ctx, w, s.peer, m, door.Hops(r.Header))
		return
	}
	if h.oneWay(w, s.peer, m) {
		return
	}
	h.call(ctx, w, s.peer, m, accept, door.Hops(r.Header), false)
}

// begin answers initialize. Only one that went well leaves a session.
func (h *httpFront) begin(w http.ResponseWriter, r *http.Request, m door.Message, accept acceptable) {
	s := h.sessions.create(context.WithoutCancel(h.stop))
	defer s.release()
	f := s.peer.begin(r.Context(), m, func([]byte) {})
	defer f.end()
	reply := h.srv.answer(f)
	if reply.Error == nil {
		if !h.sessions.keep(s) {
			writeRPC(w, http.StatusServiceUnavailable, m.ID, mcp.INTERNAL_ERROR, "too many sessions are in use; end some with DELETE")
			return
		}
		w.Header().Set(mcp.HeaderSessionID, s.id)
	} else {
		s.cancel()
	}
	out := &callStream{w: w, accept: accept}
	out.finish(http.StatusOK, m.ID, &reply)
}

// oneWay takes a notification or a response: 202 without a body.
func (h *httpFront) oneWay(w http.ResponseWriter, p *peer, m door.Message) bool {
	switch {
	case m.IsResponse():
		p.response(m)
	case m.IsNotification():
		h.srv.notified(p, m)
	default:
		return false
	}
	w.WriteHeader(http.StatusAccepted)
	return true
}

// modern takes a message of 2026-07-28: no session, and the headers must say what the body says.
func (h *httpFront) modern(w http.ResponseWriter, r *http.Request, m door.Message, accept acceptable, header string) {
	refuse := func(code int, text string) { writeRPC(w, http.StatusBadRequest, m.ID, code, text) }
	version := metaVersion(&m)
	switch {
	case r.Header.Get(mcp.HeaderLastEventID) != "":
		refuse(mcp.HEADER_MISMATCH, "Last-Event-ID is not used in 2026-07-28: call again with a new id")
		return
	case header == "":
		refuse(mcp.HEADER_MISMATCH, "the header MCP-Protocol-Version is missing")
		return
	case version == "" && m.ID != nil:
		refuse(mcp.INVALID_PARAMS, "missing or invalid _meta field "+mcp.MetaKeyProtocolVersion)
		return
	case version != "" && version != header:
		refuse(mcp.HEADER_MISMATCH, "the header MCP-Protocol-Version and "+mcp.MetaKeyProtocolVersion+" differ")
		return
	}
	p := h.srv.newPeer(r.Context(), h.id, func([]byte) {})
	p.remote, p.session.Stateless = true, true
	if h.oneWay(w, p, m) {
		return
	}
	if err := h.headersMatch(r, m, header); err != nil {
		refuse(mcp.HEADER_MISMATCH, err.Error())
		return
	}
	h.srv.addPeer(p)
	defer h.srv.dropPeer(p)
	ctx := r.Context()
	if m.Method == "subscriptions/listen" {
		var cancel context.CancelFunc
		ctx, cancel = context.WithCancel(ctx)
		defer cancel()
		defer context.AfterFunc(h.stop, cancel)()
		if !accept.sse {
			writeRPC(w, http.StatusNotAcceptable, m.ID, mcp.INVALID_REQUEST, "subscriptions/listen answers with text/event-stream")
			return
		}
	}
	h.call(ctx, w, p, m, accept, door.Hops(r.Header), true)
}

// headersMatch compares Mcp-Method, Mcp-Name and the Mcp-Param headers with the body.
func (h *httpFront) headersMatch(r *http.Request, m door.Message, version string) error {
	params := json.RawMessage(m.Params)
	if params == nil {
		params = json.RawMessage("{}")
	}
	if err := mcp.ValidateStandardHeaders(r.Header.Get, version, mcp.MCPMethod(m.Method), params); err != nil {
		return err
	}
	if m.Method != "tools/call" {
		return nil
	}
	raw := h.srv.listedTool(m.Name)
	if !bytes.Contains(raw, []byte("x-mcp-header")) {
		return nil
	}
	for name, values := range r.Header {
		if strings.HasPrefix(name, mcp.HeaderParamPrefix) && len(values) > 1 {
			return fmt.Errorf("the header %s is given twice", name)
		}
	}
	var tool mcp.Tool
	if json.Unmarshal(raw, &tool) != nil {
		return nil
	}
	return mcp.ValidateParamHeadersLookup(func(name string) (string, bool) {
		values := r.Header.Values(name)
		if len(values) == 0 {
			return "", false
		}
		return values[0], true
	}, &tool, params)
}

// call answers one request. The answer is plain JSON unless something had to be sent before it; then it is a stream
// of events that ends with the reply. A client that goes away cancels its call.
func (h *httpFront) call(ctx context.Context, w http.ResponseWriter, p *peer, m door.Message, accept acceptable, hops []string, modern bool) {
	out := &callStream{w: w, accept: accept}
	f := p.begin(ctx, m, out.send)
	f.deaf, f.hops = !accept.sse, hops
	defer f.end()
	if m.Method == "subscriptions/listen" {
		defer out.keepAlive(ctx)()
	}
	reply := h.srv.answer(f)
	if f.cancelled.Load() {
		out.abandon()
		return
	}
	status := http.StatusOK
	if modern && reply.Error != nil {
		status = modernStatus(reply.Error)
	}
	out.finish(status, m.ID, &reply)
}

// modernStatus is the HTTP status that 2026-07-28 wants for a JSON-RPC error.
func modernStatus(rpc []byte) int {
	var e struct {
		Code int `json:"code"`
	}
	_ = json.Unmarshal(rpc, &e)
	switch e.Code {
	case mcp.METHOD_NOT_FOUND:
		return http.StatusNotFound
	case mcp.HEADER_MISMATCH, mcp.MISSING_REQUIRED_CLIENT_CAPABILITY, mcp.UNSUPPORTED_PROTOCOL_VERSION,
		mcp.INVALID_REQUEST, mcp.INVALID_PARAMS, mcp.PARSE_ERROR:
		return http.StatusBadRequest
	}
	return http.StatusOK
}

// batch answers the requests of a batch together, in order.
func (h *httpFront) batch(ctx context.Context, w http.ResponseWriter, p *peer, m door.Message, hops []string) {
	if !p.batches() {
		writeRPC(w, http.StatusBadRequest, nil, mcp.INVALID_REQUEST, "a message is a JSON object: batches are of 2025-03-26 only")
		return
	}
	var replies []*[]byte
	var calls sync.WaitGroup
	for raw := range m.Elements() {
		one, err := door.Split(raw)
		reply := new([]byte)
		var fault *door.Error
		switch {
		case errors.As(err, &fault):
			if *reply = h.srv.refuse(one, fault); *reply == nil {
				continue
			}
		case one.IsResponse():
			p.response(one)
			continue
		case one.IsNotification():
			h.srv.notified(p, one)
			continue
		default:
			f := p.begin(ctx, one, func([]byte) {})
			f.deaf, f.hops = true, hops
			calls.Go(func() {
				defer f.end()
				if r := h.srv.answer(f); !f.cancelled.Load() {
					*reply = r.Append(nil, one.ID)
				}
			})
		}
		replies = append(replies, reply)
	}
	calls.Wait()
	replies = slices.DeleteFunc(replies, func(r *[]byte) bool { return *r == nil })
	if len(replies) == 0 {
		w.WriteHeader(http.StatusAccepted)
		return
	}
	all := []byte{'['}
	for i, r := range replies {
		if i > 0 {
			all = append(all, ',')
		}
		all = append(all, *r...)
	}
	writeJSON(w, http.StatusOK, append(all, ']'))
}

// get opens the stream on which a legacy session hears of list changes.
func (h *httpFront) get(w http.ResponseWriter, r *http.Request) {
	id := r.Header.Get(mcp.HeaderSessionID)
	if id == "" || mcp.IsModernProtocol(r.Header.Get(mcp.HeaderProtocolVersion)) {
		w.Header().Set("Allow", "POST, DELETE")
		refuseHTTP(w, http.StatusMethodNotAllowed, "there is no stream without a session; begin with initialize")
		return
	}
	s := h.sessions.get(id)
	if s == nil {
		refuseHTTP(w, http.StatusNotFound, "no such session; begin again with initialize")
		return
	}
	defer s.release()
	if accept := parseAccept(r.Header.Values("Accept")); !accept.sse {
		refuseHTTP(w, http.StatusNotAcceptable, "the stream is text/event-stream")
		return
	}
	out := &callStream{w: w, accept: acceptable{sse: true}}
	messages := make(chan []byte, 64)
	s.attach(messages)
	defer s.detach(messages)
	out.begin()
	beat := time.NewTicker(keepAliveStream)
	defer beat.Stop()
	for {
		select {
		case m := <-messages:
			out.send(m)
		case <-beat.C:
			out.comment()
		case <-r.Context().Done():
			return
		case <-s.ctx.Done():
			return
		case <-h.stop.Done():
			return
		}
	}
}

// delete ends a session and its calls.
func (h *httpFront) delete(w http.ResponseWriter, r *http.Request) {
	id := r.Header.Get(mcp.HeaderSessionID)
	switch {
	case mcp.IsModernProtocol(r.Header.Get(mcp.HeaderProtocolVersion)):
		w.Header().Set("Allow", "POST")
		refuseHTTP(w, http.StatusMethodNotAllowed, "2026-07-28 has no sessions")
	case id == "":
		refuseHTTP(w, http.StatusBadRequest, "the header Mcp-Session-Id is missing")
	case !h.sessions.end(id):
		refuseHTTP(w, http.StatusNotFound, "no such session")
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

// acceptable are the types of answer that a client takes.
type acceptable struct{ json, sse bool }

// parseAccept reads Accept; a client that says nothing takes JSON.
func parseAccept(values []string) acceptable {
	var a acceptable
	list := strings.Split(strings.Join(values, ","), ",")
	if len(values) == 0 || strings.TrimSpace(values[0]) == "" {
		return acceptable{json: true}
	}
	for _, part := range list {
		kind, params, err := mime.ParseMediaType(part)
		if err != nil || slices.Contains([]string{"0", "0.0", "0.00", "0.000"}, params["q"]) {
			continue
		}
		a.json = a.json || kind == "application/json" || kind == "application/*" || kind == "*/*"
		a.sse = a.sse || kind == "text/event-stream" || kind == "text/*" || kind == "*/*"
	}
	return a
}
