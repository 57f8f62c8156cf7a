package main

import (
	"io"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/hanzoai/hanzo-mcp/fakedoor"
)

// relay is an address that leads to another one, named later.
type relay struct {
	*httptest.Server
	to       atomic.Pointer[url.URL]
	requests atomic.Int32
}

func newRelay(t *testing.T) *relay {
	t.Helper()
	r := &relay{}
	r.Server = httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) {
		r.requests.Add(1)
		to := *r.to.Load()
		p.Out.URL, p.Out.Host = &to, to.Host
	}})
	t.Cleanup(r.Close)
	r.to.Store(&url.URL{Scheme: "http", Host: "127.0.0.1:9", Path: "/"})
	return r
}

// A server that is its own door, and two that are each other's, answer at once that the door leads back.
func TestDoorThatLeadsBack(t *testing.T) {
	t.Parallel()
	for name, n := range map[string]int{"itself": 1, "each other's": 2} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var relays []*relay
			var servers []*httpServer
			for range n {
				r := newRelay(t)
				relays = append(relays, r)
				servers = append(servers, serveHTTP(t, t.TempDir(), []string{"HANZO_MCP_DOOR=" + r.URL + "/mcp"}, "--http-no-token"))
			}
			for i, r := range relays {
				to, err := url.Parse(servers[(i+1)%n].url)
				if err != nil {
					t.Fatal(err)
				}
				r.to.Store(to)
			}
			resp := servers[0].do("POST", modernCall("t"), modernHeaders("t")...)
			body, _ := io.ReadAll(resp.Body)
			if got := string(body); !strings.Contains(got, "leads back to this server") || !strings.Contains(got, `"isError":true`) {
				t.Errorf("%d %s", resp.StatusCode, got)
			}
			for i, r := range relays {
				if got := r.requests.Load(); got > 10 {
					t.Errorf("door %d had %d requests", i, got)
				}
			}
		})
	}
}

// A call that came through servers of ours is forwarded with their ids and ours, in the header only; one that came
// through too many is not.
func TestHops(t *testing.T) {
	t.Parallel()
	d := fakedoor.Start(t, fakedoor.Script{Results: map[string]string{"t": good}})
	h := serveHTTP(t, t.TempDir(), []string{"HANZO_MCP_DOOR=" + d.URL()}, "--http-no-token")
	for hops, want := range map[string]int{"": 1, "A": 2, "A,B , C, D": 5, "A, B, C, D, E": 0} {
		before := len(d.Requests("tools/call"))
		resp := h.do("POST", modernCall("t"), append(modernHeaders("t"), "Hanzo-Mcp-Hop: "+hops)...)
		body, _ := io.ReadAll(resp.Body)
		requests := d.Requests("tools/call")[before:]
		if want == 0 {
			if len(requests) != 0 || !strings.Contains(string(body), "nothing was done. Set HANZO_MCP_DOOR") {
				t.Errorf("%s: %d requests, %s", hops, len(requests), body)
			}
			continue
		}
		if len(requests) != 1 {
			t.Fatalf("%s: %d requests, %s", hops, len(requests), body)
		}
		list := strings.Split(requests[0].Header.Get("Hanzo-Mcp-Hop"), ", ")
		if len(list) != want || len(list[want-1]) < 16 || strings.Contains(string(requests[0].Body), list[want-1]) {
			t.Errorf("%s: %q", hops, list)
		}
		if got := resp.StatusCode; got != 200 || !strings.Contains(string(body), good[1:len(good)-1]) {
			t.Errorf("%s: %d %s", hops, got, body)
		}
	}
}

func modernCall(tool string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + tool + `","arguments":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`
}

func modernHeaders(tool string) []string {
	return []string{"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: " + tool}
}
