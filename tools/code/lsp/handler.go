package lsp

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/sourcegraph/jsonrpc2"
)

// handler takes what a server sends by itself. It runs in the read loop and so never waits.
type handler struct{ c *Client }

// Handle implements jsonrpc2.Handler.
func (h handler) Handle(_ context.Context, conn *jsonrpc2.Conn, req *jsonrpc2.Request) {
	var params json.RawMessage
	if req.Params != nil {
		params = *req.Params
	}
	if req.Notif {
		h.notification(req.Method, params)
		return
	}
	result, known := h.answer(req.Method, params)
	id := req.ID
	send := func() {
		ctx, cancel := context.WithTimeout(context.Background(), writeLimit)
		defer cancel()
		if !known {
			_ = conn.ReplyWithError(ctx, id, &jsonrpc2.Error{Code: jsonrpc2.CodeMethodNotFound, Message: "not offered"})
			return
		}
		_ = conn.Reply(ctx, id, result)
	}
	select {
	case h.c.replies <- send:
	default:
		h.c.errTail.Write([]byte("\nit asked more than could be answered"))
		go conn.Close() // Close waits for nothing, but this is its own read loop
	}
}

// answer says what a server gets that asks.
func (h handler) answer(method string, params json.RawMessage) (result any, known bool) {
	switch method {
	case "workspace/configuration":
		var p struct {
			Items []struct {
				Section string `json:"section"`
			} `json:"items"`
		}
		_ = json.Unmarshal(params, &p)
		out := make([]any, len(p.Items))
		for i, it := range p.Items {
			out[i] = section(h.c.spec.Settings, it.Section)
		}
		return out, true
	case "workspace/workspaceFolders":
		return []any{map[string]any{"uri": URI(h.c.root), "name": h.c.root}}, true
	case "workspace/applyEdit":
		return map[string]any{"applied": false, "failureReason": "this client applies no edit by itself"}, true
	case "window/showDocument":
		return map[string]any{"success": false}, true
	case "client/registerCapability", "client/unregisterCapability", "window/workDoneProgress/create", "window/showMessageRequest":
		return nil, true
	}
	if strings.HasPrefix(method, "workspace/") && strings.HasSuffix(method, "/refresh") {
		return nil, true
	}
	return nil, false
}

// section finds a part of the settings by its dotted name.
func section(settings map[string]any, name string) any {
	if settings == nil {
		return nil
	}
	if name == "" {
		return settings
	}
	var at any = settings
	for part := range strings.SplitSeq(name, ".") {
		m, ok := at.(map[string]any)
		if !ok {
			return nil
		}
		if at, ok = m[part]; !ok {
			return nil
		}
	}
	return at
}

func (h handler) notification(method string, params json.RawMessage) {
	c := h.c
	switch method {
	case "$/progress":
		var p struct {
			Token json.RawMessage `json:"token"`
			Value struct {
				Kind  string `json:"kind"`
				Title string `json:"title"`
			} `json:"value"`
		}
		if json.Unmarshal(params, &p) != nil || len(p.Token) > 200 {
			return
		}
		c.mu.Lock()
		switch p.Value.Kind {
		case "begin":
			// gopls shows what keeps it from working as work that never ends.
			if len(c.progress) < 1000 && !strings.HasPrefix(p.Value.Title, "Error") {
				c.progress[string(p.Token)] = true
			}
		case "end":
			delete(c.progress, string(p.Token))
			c.settled = time.Now()
		}
		c.signal()
		c.mu.Unlock()
	case "textDocument/publishDiagnostics":
		var p struct {
			URI         string       `json:"uri"`
			Version     *int         `json:"version"`
			Diagnostics []Diagnostic `json:"diagnostics"`
		}
		if json.Unmarshal(params, &p) != nil {
			return
		}
		c.mu.Lock()
		name := key(p.URI)
		if _, known := c.diags[name]; known || len(c.diags) < maxDiagDocs {
			c.diags[name] = published{p.Diagnostics[:min(len(p.Diagnostics), maxDiags)], p.Version, time.Now()}
		}
		c.signal()
		c.mu.Unlock()
	}
}

// signal wakes those who wait for a change. The lock is held.
func (c *Client) signal() {
	close(c.changed)
	c.changed = make(chan struct{})
}
