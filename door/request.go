package door

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
)

// body is the message for the door: the caller's params with their bytes, and
// in _meta the members that each request must have there.
func (c *Client) body(m *Message, modern bool) []byte {
	params := m.Params
	if params == nil {
		params = []byte("{}")
	}
	method := jsonString(m.Method)
	dst := make([]byte, 0, len(params)+len(m.ID)+len(method)+len(c.metaHead)+len(m.Capabilities)+128)
	dst = append(dst, `{"jsonrpc":"2.0","id":`...)
	dst = append(dst, m.ID...)
	dst = append(dst, `,"method":`...)
	dst = append(dst, method...)
	dst = append(dst, `,"params":`...)
	if m.Meta == nil {
		inner := bytes.TrimRight(params[:len(params)-1], " \t\r\n")
		dst = append(dst, inner...)
		if len(inner) > 1 {
			dst = append(dst, ',')
		}
		dst = append(dst, `"_meta":`...)
		dst = append(c.appendMeta(dst, m, modern), '}')
	} else {
		dst = append(dst, params[:m.metaAt]...)
		dst = c.appendMeta(dst, m, modern)
		dst = append(dst, params[m.metaAt+len(m.Meta):]...)
	}
	return append(dst, '}')
}

// appendMeta appends _meta: what this hop must say, then the caller's other
// members.
func (c *Client) appendMeta(dst []byte, m *Message, modern bool) []byte {
	dst = append(dst, c.metaHead...)
	if modern && isObject(m.Capabilities) {
		dst = append(dst, m.Capabilities...)
	} else {
		dst = append(dst, "{}"...)
	}
	if isObject(m.Meta) {
		s := scanner{b: m.Meta}
		for s.enter(); s.member(); {
			key := s.key
			value := s.value(3)
			switch string(unquote(key)) {
			case metaVersion, metaInfo, metaCapabilities:
				continue
			}
			dst = append(append(append(append(dst, ','), key...), ':'), value...)
		}
	}
	return append(dst, '}')
}

// metaHead is the part of _meta that is the same in each request.
func metaHead(name, version string) []byte {
	return []byte(`{"` + metaVersion + `":"` + Revision + `","` + metaInfo + `":{"name":` +
		jsonString(name) + `,"version":` + jsonString(version) + `},"` + metaCapabilities + `":`)
}

// maxParamHeader bounds an argument that travels in a header too.
const maxParamHeader = 8 << 10

// header are the header fields of a request (MCP 2026-07-28, streamable HTTP).
func (c *Client) header(r request) http.Header {
	m := r.message
	h := make(http.Header, 8)
	h["Accept"] = acceptBoth
	h["Content-Type"] = contentJSON
	h["Mcp-Protocol-Version"] = revisionOnly
	h["User-Agent"] = c.agent
	if value, ok := mcp.EncodeHeaderValue(m.Method); ok {
		h["Mcp-Method"] = []string{value}
	}
	switch m.Method {
	case "tools/call", "prompts/get":
		if value, ok := mcp.EncodeHeaderValue(m.Name); ok {
			h["Mcp-Name"] = []string{value}
		}
	}
	if m.Method == "tools/call" {
		if tool := c.list.mirrored(c, m.Name); tool != nil {
			for name, value := range mcp.GenerateParamHeaders(tool, m.Params) {
				if len(value) <= maxParamHeader {
					h.Set(name, value)
				}
			}
		}
	}
	h[HopHeader] = []string{strings.Join(append(slices.Clone(r.hops), c.hop), ", ")}
	if r.bearer != "" {
		h["Authorization"] = []string{"Bearer " + r.bearer}
	}
	return h
}

// Header values that are the same in all requests. They are only read.
var (
	acceptBoth   = []string{"application/json, text/event-stream"}
	contentJSON  = []string{"application/json"}
	revisionOnly = []string{Revision}
)

func jsonString(s string) string {
	text, _ := json.Marshal(s)
	return string(text)
}
