package main

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/hanzoai/hanzo-mcp/door"
	"github.com/hanzoai/hanzo-mcp/tools"
)

// answer gives the reply to a request: tools/list and tools/call here, where raw bytes are kept; the rest of the
// protocol by mcp-go.
func (s *server) answer(f *inflight) (reply door.Reply) {
	m := &f.msg
	defer func() {
		if p := recover(); p != nil {
			s.ui.errorf("internal fault answering %s: %v %s", m.Method, p, debug.Stack())
			reply = rpcError(mcp.INTERNAL_ERROR, "internal fault; other calls still work, please report it")
		}
	}()
	switch m.Method {
	case "tools/call":
		if r, bad := s.eraFault(m); bad {
			return r
		}
		return s.callTool(f)
	case "tools/list":
		if r, bad := s.eraFault(m); bad {
			return r
		}
		return s.listTools(f)
	case "initialize":
		if !m.Modern() {
			return s.initialize(f)
		}
	case "subscriptions/listen":
		if m.Modern() {
			return s.listen(f)
		}
	case "resources/list", "resources/templates/list", "prompts/list":
		if r, bad := cursorFault(m); bad {
			return r
		}
	case "resources/read":
		return s.named(f, "uri", systemPromptURI+" is the one there is")
	case "prompts/get":
		return s.named(f, "name", "there are no prompts")
	}
	return s.library(f.ctx, m.Method, m.Params)
}

// named answers a request that needs one parameter, a string, of which rest tells what there is.
func (s *server) named(f *inflight, param, rest string) door.Reply {
	m := &f.msg
	if r, bad := s.eraFault(m); bad {
		return r
	}
	switch raw := member(m.Params, param); {
	case raw == nil || string(raw) == "null":
		return rpcError(mcp.INVALID_PARAMS, "params."+param+" is missing; "+rest)
	case raw[0] != '"':
		return rpcError(mcp.INVALID_PARAMS, "params."+param+" must be a string; "+rest)
	}
	reply := s.library(f.ctx, m.Method, m.Params)
	if reply.Error != nil { // the code is the revision's, the words are for who reads them
		var e struct {
			Code int             `json:"code"`
			Data json.RawMessage `json:"data"`
		}
		if json.Unmarshal(reply.Error, &e) == nil && e.Data == nil && e.Code != mcp.INTERNAL_ERROR {
			return rpcError(e.Code, fmt.Sprintf("there is no %s %.200q; %s", param, textMember(m.Params, param), rest))
		}
	}
	return reply
}

// library lets mcp-go answer. It gets a small id of ours, since it would change or refuse some; the reply gets the raw one.
func (s *server) library(ctx context.Context, method string, params []byte) door.Reply {
	raw := tools.AppendString([]byte(`{"jsonrpc":"2.0","id":1,"method":`), method)
	if params != nil {
		raw = append(append(raw, `,"params":`...), params...)
	}
	raw = append(raw, '}')
	switch resp := s.mcp.HandleMessage(ctx, raw).(type) {
	case mcp.JSONRPCResponse:
		result, err := json.Marshal(resp.Result)
		if err != nil {
			return rpcError(mcp.INTERNAL_ERROR, "encoding the result: "+err.Error())
		}
		return door.Reply{Result: result}
	case mcp.JSONRPCError:
		e, err := json.Marshal(resp.Error)
		if err != nil {
			return rpcError(resp.Error.Code, resp.Error.Message)
		}
		return door.Reply{Error: e}
	}
	return rpcError(mcp.INTERNAL_ERROR, "no answer")
}

func rpcError(code int, text string) door.Reply {
	e, _ := json.Marshal(struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}{code, text})
	return door.Reply{Error: e}
}

// initialize remembers who the client is. A version that is no string is an error; one that is missing means the
// latest legacy revision, where mcp-go would assume an old one.
func (s *server) initialize(f *inflight) door.Reply {
	params := f.msg.Params
	version := mcp.LATEST_LEGACY_PROTOCOL_VERSION
	if raw := member(params, "protocolVersion"); raw != nil && string(raw) != "null" {
		if version = textMember(params, "protocolVersion"); version == "" {
			return rpcError(mcp.INVALID_PARAMS, `protocolVersion must be a string such as "`+mcp.LATEST_LEGACY_PROTOCOL_VERSION+`"`)
		}
	}
	request, err := json.Marshal(map[string]any{"protocolVersion": version, "capabilities": struct{}{}, "clientInfo": struct{}{}})
	if err != nil {
		return rpcError(mcp.INTERNAL_ERROR, err.Error())
	}
	reply := s.library(f.ctx, "initialize", request)
	if reply.Error == nil {
		p := f.peer
		p.mu.Lock()
		p.version, p.caps = mcp.NegotiateLegacyVersion(version), parseCaps(member(params, "capabilities"))
		p.mu.Unlock()
	}
	return reply
}

// batches reports whether the client negotiated the one revision that has JSON-RPC batches.
func (p *peer) batches() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.version == mcp.ProtocolVersion20250326
}

// notified takes a notification. Unknown ones are ignored, as JSON-RPC wants it.
func (s *server) notified(p *peer, m door.Message) {
	switch m.Method {
	case "notifications/cancelled":
		p.cancelRequest(m.RequestID)
	case "notifications/initialized":
		go s.settle(p, s.clientRoots(p))
	case "notifications/roots/list_changed":
		p.round.Add(1) // calls from now on wait for the new roots
		go s.settle(p, s.clientRoots(p))
	}
}

// refuse answers a message that Split found at fault, nil for one that gets no answer.
func (s *server) refuse(m door.Message, fault *door.Error) []byte {
	if fault.Kind == door.AmbiguousArgument && !fault.Silent {
		out := tools.Refusal(m.Name, tools.Errorf(tools.InvalidParams, "%s; nothing was done", fault.Text).
			With(tools.Details{Param: fault.Member}))
		return door.AppendResult(nil, fault.ID, s.resultBytes(out, m.Modern()))
	}
	return fault.Reply()
}

// eraFault refuses a 2026-07-28 request whose _meta is not as that revision wants it, and one of a revision that
// is not known, in mcp-go's words.
func (s *server) eraFault(m *door.Message) (door.Reply, bool) {
	if m.Version == nil {
		return door.Reply{}, false
	}
	if m.Modern() && len(m.Capabilities) > 0 && m.Capabilities[0] == '{' {
		return door.Reply{}, false
	}
	var version string
	if json.Unmarshal(m.Version, &version) != nil || !mcp.IsModernProtocol(version) {
		return door.Reply{}, false // mcp-go takes these for legacy requests too
	}
	reply := s.library(context.Background(), "tools/list", fmt.Appendf(nil, `{"_meta":%s}`, m.Meta))
	return reply, reply.Error != nil
}

// listen holds a subscriptions/listen of 2026-07-28 open: the acknowledgement, then list changes, until the client
// cancels it.
func (s *server) listen(f *inflight) door.Reply {
	if r, bad := s.eraFault(&f.msg); bad {
		return r
	}
	wanted, fault := listensFor(f.msg.Params)
	if fault != "" {
		return rpcError(mcp.INVALID_PARAMS, "subscriptions/listen: "+fault)
	}
	granted := "{}"
	if wanted {
		granted = `{"toolsListChanged":true}`
	}
	id := string(f.msg.ID)
	f.send([]byte(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":` +
		id + `},"notifications":` + granted + `}}`))
	if wanted {
		p := f.peer
		p.listedAs(s.merged(f.ctx, p, 0))
		p.mu.Lock()
		p.listens[f] = f.msg.ID
		p.mu.Unlock()
		<-f.ctx.Done()
	}
	return door.Reply{Result: []byte(`{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":` + id +
		`,"io.modelcontextprotocol/serverInfo":` + s.serverInfo + `}}`)}
}

// listensFor reports whether a subscriptions/listen asks for changes of the list of tools, or what is wrong with it.
func listensFor(params []byte) (tools bool, fault string) {
	what := member(params, "notifications")
	switch {
	case what == nil || string(what) == "null":
		return false, ""
	case what[0] != '{':
		return false, `params.notifications must be an object such as {"toolsListChanged":true}`
	}
	switch word := string(member(what, "toolsListChanged")); word {
	case "true":
		return true, ""
	case "", "null", "false":
		return false, ""
	default:
		return false, "params.notifications.toolsListChanged must be true or false"
	}
}
