package door

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// A server of another maker checks what each request of 2026-07-28 must carry:
// headers against body, _meta, mirrored arguments.
func TestAgainstAnMCPServer(t *testing.T) {
	t.Parallel()
	s := server.NewMCPServer("door", "1", server.WithToolCapabilities(true))
	geo := mcp.NewToolWithRawSchema("geo", "", []byte(`{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"n":{"type":"integer","x-mcp-header":"N"}}}`))
	s.AddTool(geo, func(_ context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("in " + r.GetString("region", "")), nil
	})
	passedOn := make(chan struct{})
	s.AddTool(mcp.NewTool("slow"), func(ctx context.Context, r mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if r.Params.Meta != nil && r.Params.Meta.ProgressToken != nil {
			_ = s.SendNotificationToClient(ctx, "notifications/progress", map[string]any{"progressToken": r.Params.Meta.ProgressToken, "progress": 1})
			select { // it drops what it sends right before its result
			case <-passedOn:
			case <-ctx.Done():
			}
		}
		return mcp.NewToolResultError("no"), nil
	})
	web := httptest.NewServer(server.NewStreamableHTTPServer(s))
	defer web.Close()
	c := open(t, Config{URL: web.URL + "/mcp"})
	l := c.List(deadline(t), 2*time.Second)
	equal(t, toolNames(l), "geo slow")

	r := c.Call(deadline(t), Caller{}, call(t, "9007199254740993", "geo", `,"arguments":{"region":"zürich ","n":5}`))
	if r.Made || r.Error != nil || !strings.Contains(string(r.Result), "in zürich ") {
		t.Errorf("%s%s", r.Result, r.Error)
	}
	var notes []string
	r = c.Call(deadline(t), Caller{Notify: func(m []byte) {
		notes = append(notes, string(m))
		close(passedOn)
	}}, call(t, `"a"`, "slow", `,"_meta":{"progressToken":"p1"}`))
	if r.Made || !r.IsError {
		t.Errorf("%s%s", r.Result, r.Error)
	}
	equal(t, strings.Join(notes, "\n"), `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1,"progressToken":"p1"}}`)
	for _, name := range []string{"nope", "Ns/Do.It é", "=?base64?x?="} {
		r = c.Call(deadline(t), Caller{}, call(t, "1", name, ""))
		if r.Error == nil || !strings.Contains(string(r.Error), "-32602") || strings.Contains(strings.ToLower(string(r.Error)), "header") {
			t.Errorf("%s%s", r.Result, r.Error)
		}
	}
}
