package main

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/hanzoai/hanzo-mcp/door"
	"github.com/hanzoai/hanzo-mcp/tools"
)

// answer gives the reply to a request: tools/list and tools/call here, where raw bytes are kept; the rest of the
// protocol by mcp-go.
func (s *server) answer(f *inflight) door.Reply {
	m := &f.msg
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
	}
	return s.library(f.ctx, m.Raw)
}

// library lets mcp-go answer. The id it echoes is not used: the reply gets the raw one.
func (s *server) library(ctx context.Context, raw []byte) door.Reply {
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
	raw := f.msg.Raw
	var in struct {
		ProtocolVersion json.RawMessage `json:"protocolVersion"`
		Capabilities    clientCaps      `json:"capabilities"`
		ClientInfo      struct {
			Name string `json:"name"`
		} `json:"clientInfo"`
	}
	if f.msg.Params != nil {
		if err := json.Unmarshal(f.msg.Params, &in); err != nil {
			return rpcError(mcp.INVALID_PARAMS, "initialize: "+err.Error())
		}
	}
	version := ""
	if len(in.ProtocolVersion) > 0 && json.Unmarshal(in.ProtocolVersion, &version) != nil {
		return rpcError(mcp.INVALID_PARAMS, `protocolVersion must be a string such as "`+mcp.LATEST_LEGACY_PROTOCOL_VERSION+`"`)
	}
	if version == "" {
		version = mcp.LATEST_LEGACY_PROTOCOL_VERSION
	}
	request, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": 0, "method": "initialize",
		"params": map[string]any{"protocolVersion": version, "capabilities": struct{}{}, "clientInfo": in.ClientInfo},
	})
	if err == nil {
		raw = request
	}
	reply := s.library(f.ctx, raw)
	if reply.Error == nil {
		p := f.peer
		p.mu.Lock()
		p.version, p.caps, p.client = mcp.NegotiateLegacyVersion(version), in.Capabilities, in.ClientInfo.Name
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
func (s *server) notified(ctx context.Context, p *peer, m door.Message) {
	switch m.Method {
	case "notifications/cancelled":
		p.cancelRequest(m.RequestID)
	case "notifications/initialized", "notifications/roots/list_changed":
		go s.settleFromClient(ctx, p, m.Method == "notifications/roots/list_changed")
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
	meta := fmt.Sprintf(`{"jsonrpc":"2.0","id":0,"method":"tools/list","params":{"_meta":%s}}`, m.Meta)
	reply := s.library(context.Background(), []byte(meta))
	return reply, reply.Error != nil
}

// listen holds a subscriptions/listen of 2026-07-28 open: the acknowledgement, then list changes, until the client
// cancels it.
func (s *server) listen(f *inflight) door.Reply {
	if r, bad := s.eraFault(&f.msg); bad {
		return r
	}
	var in struct {
		Notifications struct {
			ToolsListChanged bool `json:"toolsListChanged"`
		} `json:"notifications"`
	}
	if f.msg.Params != nil {
		if err := json.Unmarshal(f.msg.Params, &in); err != nil {
			return rpcError(mcp.INVALID_PARAMS, "subscriptions/listen: "+err.Error())
		}
	}
	granted := "{}"
	if in.Notifications.ToolsListChanged {
		granted = `{"toolsListChanged":true}`
	}
	id := string(f.msg.ID)
	f.send([]byte(`{"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{"_meta":{"io.modelcontextprotocol/subscriptionId":` +
		id + `},"notifications":` + granted + `}}`))
	if in.Notifications.ToolsListChanged {
		p := f.peer
		p.mu.Lock()
		p.listens[f] = f.msg.ID
		p.mu.Unlock()
		<-f.ctx.Done()
	}
	return door.Reply{Result: []byte(`{"resultType":"complete","_meta":{"io.modelcontextprotocol/subscriptionId":` + id +
		`,"io.modelcontextprotocol/serverInfo":` + s.serverInfo + `}}`)}
}
