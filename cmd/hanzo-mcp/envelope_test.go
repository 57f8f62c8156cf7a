package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/fakedoor"
)

// uniform is a message as clients write it that have one type for all: what its kind has not is null. The id is spelled
// in another way than it came.
func uniform(id, method, params, result string) string {
	id = strings.Replace(id, `"hanzo`, `"h\u0061nzo`, 1)
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%s,"params":%s,"result":%s,"error":null}`+"\n", id, method, params, result)
}

// asked gives the raw id of the next request of the server, which is to have this method.
func (c *client) asked(method string) string {
	c.t.Helper()
	select {
	case line := <-c.asks:
		var ask struct {
			ID     json.RawMessage
			Method string
		}
		if err := json.Unmarshal([]byte(line), &ask); err != nil || ask.Method != method {
			c.t.Fatalf("asked %s, not %s", line, method)
		}
		return string(ask.ID)
	case <-time.After(30 * time.Second):
		c.t.Fatalf("not asked %s", method)
	}
	return ""
}

// Members that are null are none: requests, answers and notifications of such a client are taken as what they are.
func TestMembersThatAreNull(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "root")
	texts(t, map[string]string{root + "/f": "A"})
	d := fakedoor.Start(t, fakedoor.Script{})
	c := start(t, []string{"HANZO_MCP_DOOR=" + d.URL(), writeSettings(t, `{"permissions":{"billing":"prompt"}}`)}, "--sandbox", "workspace")
	c.raw(uniform("0", `"initialize"`, `{"protocolVersion":"2025-11-25","capabilities":{"roots":{},"elicitation":{}},"clientInfo":{"name":"x","version":"1"}}`, "null"))
	c.wait("0")
	c.raw(uniform("null", `"notifications/initialized"`, "null", "null"))
	_, told, _ := strings.Cut(toldRoots(root), ":")
	c.raw(uniform(c.asked("roots/list"), "null", "null", told))
	if r := c.do("fs", read("f")); r.Payload != "A" {
		t.Errorf("roots: %+v", r)
	}
	c.raw(uniform(`"b"`, `"tools/call"`, `{"name":"billing","arguments":{}}`, "null"))
	c.raw(uniform(c.asked("elicitation/create"), "null", "null", `{"action":"accept","content":{}}`))
	if got := c.wait(`"b"`); strings.Contains(got, "PERMISSION_DENIED") || len(d.Requests("tools/call")) != 1 {
		t.Errorf("an accepted call: %s", got)
	}
	c.alive()
}
