package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// A door that sends more than it said: net/http tells its logger of the rest, which must not come to stderr.
func TestRestOfAnAnswerIsNotLogged(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				for r := bufio.NewReader(conn); ; {
					req, err := http.ReadRequest(r)
					if err != nil {
						return
					}
					body, _ := io.ReadAll(req.Body)
					_, id, _ := strings.Cut(string(body), `"id":`)
					id = id[:strings.IndexAny(id, ",}")]
					reply := `{"jsonrpc":"2.0","id":` + id + `,"result":{"content":[]}}`
					fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%sthe rest: %s", len(reply), reply, req.Header.Get("Authorization"))
				}
			}()
		}
	}()
	c := start(t, []string{"HANZO_MCP_DOOR=http://" + listener.Addr().String() + "/v1/mcp", "HANZO_TOKEN=S3CRETS3CRETS3CRETS3CRET"})
	if got := c.ask("1", "tools/call", `{"name":"t","arguments":{}}`); !strings.Contains(got, `"content":[]`) {
		t.Fatal(got)
	}
	time.Sleep(300 * time.Millisecond)
	if got := c.stderr.String(); strings.Contains(got, "the rest") || strings.Contains(got, "S3CRET") {
		t.Errorf("stderr: %s", got)
	}
}
