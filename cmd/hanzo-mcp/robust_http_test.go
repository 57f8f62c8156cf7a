package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/fakedoor"
)

// dial opens a connection to the server by hand.
func (h *httpServer) dial() net.Conn {
	h.t.Helper()
	u, err := url.Parse(h.url)
	if err != nil {
		h.t.Fatal(err)
	}
	c, err := net.Dial("tcp", u.Host)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { c.Close() })
	return c
}

// TestHTTPUnusedConnectionDoesNotDelayTheEnd: clients open connections to spare; nothing has come on them.
func TestHTTPUnusedConnectionDoesNotDelayTheEnd(t *testing.T) {
	t.Parallel()
	var took time.Duration
	for range 3 { // net/http waits five seconds for such a connection; a busy machine may take some, but not each time
		h := serveHTTP(t, t.TempDir(), nil, "--no-door")
		h.session("2025-11-25", "{}")
		for range 3 {
			h.dial()
		}
		time.Sleep(50 * time.Millisecond) // until they are accepted: a request of ours may overtake them
		begun := time.Now()
		_ = h.cmd.Process.Signal(syscall.SIGTERM)
		err := <-h.exit
		h.exit <- err
		if err != nil {
			t.Fatal(err)
		}
		if took = time.Since(begun); took < 3*time.Second {
			return
		}
	}
	t.Errorf("ended after %v", took)
}

// TestHTTPBrokenClients: requests that stop in the middle, half-closed and vanished connections, readers that do not
// read: others are served meanwhile, and nothing is left when they have gone.
func TestHTTPBrokenClients(t *testing.T) {
	t.Parallel()
	d := fakedoor.Start(t, fakedoor.Script{Hang: true, Methods: []string{"tools/call"}})
	counts := filepath.Join(t.TempDir(), "goroutines")
	h := serveHTTP(t, t.TempDir(), []string{"HANZO_MCP_DOOR=" + d.URL(), countGoroutines + "=" + counts}, "--sandbox", "workspace")
	session := h.session("2025-11-25", "{}")
	ping := request("1", "ping", "")
	head := func(length int) string {
		return fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n%s\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: %d\r\n\r\n", h.token, session, length)
	}
	hanging := request("5", "tools/call", `{"name":"t","_meta":{"progressToken":1}}`)
	text(t, h.do("POST", request("1", "tools/list", ""), session))
	before := use(t, h.cmd.Process, counts)
	for _, c := range []struct {
		name, send string
		half       bool   // close only our side
		want       string // of the answer, "" for none
	}{
		{"half a request line", "POST /mc", false, ""},
		{"half a header", "POST /mcp HTTP/1.1\r\nHost: loc", false, ""},
		{"half a body", head(1000) + ping, false, ""},
		{"no HTTP", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", true, "400"},
		{"JSON without HTTP", ping, true, "400"},
		{"negative length", strings.Replace(head(7), "Length: 7", "Length: -7", 1), true, "400"},
		{"two lengths", strings.Replace(head(len(ping)), "Content-Length", "Content-Length: 3\r\nContent-Length", 1) + ping, true, "400"},
		{"length and chunks", strings.Replace(head(5), "\r\n\r\n", "\r\nTransfer-Encoding: chunked\r\n\r\n", 1) + "0\r\n\r\n", true, "400"},
		{"two hosts", strings.Replace(head(len(ping)), "Host: localhost", "Host: localhost\r\nHost: evil.com", 1) + ping, true, "400"},
		{"no host", strings.Replace(head(len(ping)), "Host: localhost\r\n", "", 1) + ping, true, "400"},
		{"a host of the request line", strings.Replace(head(len(ping)), "POST /mcp", "POST http://evil.com/mcp", 1) + ping, true, "403"},
		{"two requests in one write", head(len(ping)) + ping + head(len(ping)) + ping, false, `{"jsonrpc":"2.0","id":1,"result":{}}`},
		{"gone while its call is at the door", head(len(hanging)) + hanging, false, ""},
		{"half-closed while its call is at the door", head(len(hanging)) + hanging, true, ""},
		{"headers too large", "POST /mcp HTTP/1.1\r\nHost: localhost\r\nX-A: " + strings.Repeat("a", 100<<10) + "\r\n\r\n", true, "431"},
	} {
		t.Run(c.name, func(t *testing.T) {
			conn := h.dial().(*net.TCPConn)
			calls := len(d.Requests("tools/call"))
			if _, err := io.WriteString(conn, c.send); err != nil && c.want == "" {
				t.Fatal(err)
			}
			if strings.Contains(c.name, "at the door") {
				waitFor(t, 20*time.Second, "the call at the door", func() bool { return len(d.Requests("tools/call")) > calls })
			}
			if c.half {
				_ = conn.CloseWrite()
			}
			if c.want != "" {
				_ = conn.SetReadDeadline(time.Now().Add(10 * time.Second))
				buf := make([]byte, 0, 4096)
				for !strings.Contains(string(buf), c.want) {
					n, err := conn.Read(buf[len(buf):cap(buf)])
					buf = buf[:len(buf)+n]
					if err != nil {
						break
					}
				}
				if !strings.Contains(string(buf), c.want) {
					t.Errorf("answer %.300q, want %s", buf, c.want)
				}
			}
			if got := text(t, h.do("POST", ping, session)); got != `{"jsonrpc":"2.0","id":1,"result":{}}` {
				t.Errorf("another client got %s", got)
			}
			conn.Close()
			if strings.Contains(c.name, "at the door") {
				requests := d.Requests("tools/call")
				select {
				case <-requests[len(requests)-1].Ended():
				case <-time.After(20 * time.Second):
					t.Error("the call goes on at the door")
				}
			}
		})
	}
	atRest(t, h.cmd.Process, counts, before, 6)
}

// TestHTTPSlowReaderHoldsNobody: a client that does not read its large answers, and one that does not read its stream,
// keep nobody else waiting, and their connections end with them.
func TestHTTPSlowReaderHoldsNobody(t *testing.T) {
	t.Parallel()
	d := fakedoor.Start(t, fakedoor.Script{})
	counts := filepath.Join(t.TempDir(), "goroutines")
	h := serveHTTP(t, t.TempDir(), []string{"HANZO_MCP_DOOR=" + d.URL(), countGoroutines + "=" + counts}, "--sandbox", "workspace")
	session := h.session("2025-11-25", "{}")
	text(t, h.do("POST", request("1", "tools/call", `{"name":"fixed_1k"}`), session))
	before := use(t, h.cmd.Process, counts)
	body := request("5", "tools/call", `{"name":"fixed_8m"}`)
	var conns []net.Conn
	for range 4 {
		c := h.dial()
		conns = append(conns, c)
		fmt.Fprintf(c, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n%s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", h.token, session, len(body), body)
	}
	stream := h.dial()
	fmt.Fprintf(stream, "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n%s\r\nAccept: text/event-stream\r\n\r\n", h.token, session)
	conns = append(conns, stream)
	waitFor(t, 20*time.Second, "the calls at the door", func() bool { return len(d.Requests("tools/call")) == 5 })
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	for range 50 {
		resp := h.doContext(ctx, http.MethodPost, request("6", "tools/call", `{"name":"fs","arguments":{"action":"stat","path":"."}}`), session)
		if resp == nil {
			t.Fatal("another client waits")
		}
		if got := text(t, resp); !strings.Contains(got, `"id":6,"result"`) || strings.Contains(got, `"isError":true`) {
			t.Fatalf("another client got %.300s", got)
		}
	}
	for _, c := range conns {
		c.Close()
	}
	atRest(t, h.cmd.Process, counts, before, 8)
}

// TestHTTPCancelStorm: 120 calls at once in one session, half of them taken back by a notification, half by a client that
// goes away: none gets a reply, nothing runs on, and the session goes on.
func TestHTTPCancelStorm(t *testing.T) {
	t.Parallel()
	d := fakedoor.Start(t, fakedoor.Script{Hang: true, Methods: []string{"tools/call"}})
	counts := filepath.Join(t.TempDir(), "goroutines")
	h := serveHTTP(t, t.TempDir(), []string{"HANZO_MCP_DOOR=" + d.URL(), countGoroutines + "=" + counts}, "--sandbox", "workspace")
	session := h.session("2025-11-25", "{}")
	text(t, h.do("POST", strings.TrimSpace(call("0", "exec", `{"command":"true"}`)), session))
	text(t, h.do("POST", request("0", "tools/list", ""), session))
	before := use(t, h.cmd.Process, counts)
	mark := fmt.Sprintf("44%d", os.Getpid())
	const n = 120
	gone, vanish := context.WithCancel(context.Background())
	defer vanish()
	var all sync.WaitGroup
	for i := range n {
		ctx := context.Background()
		if i%2 == 0 {
			ctx = gone
		}
		body := request(fmt.Sprint(i), "tools/call", `{"name":"t"}`)
		if i%4 < 2 {
			body = call(fmt.Sprint(i), "exec", `{"command":"sleep `+mark+`"}`)
		}
		all.Go(func() {
			resp := h.doContext(ctx, "POST", strings.TrimSpace(body), session)
			if resp == nil {
				return
			}
			if got, _ := io.ReadAll(resp.Body); len(got) > 0 {
				t.Errorf("a cancelled call was answered: %s %.300s", resp.Status, got)
			}
		})
	}
	waitFor(t, 30*time.Second, "the forwarded calls", func() bool { return len(d.Requests("tools/call")) == n/2 })
	waitFor(t, 30*time.Second, "commands", func() bool {
		out, _ := exec.Command("pgrep", "-f", "sleep "+mark).Output()
		return len(out) > 0
	})
	vanish()
	for i := 1; i < n; i += 2 {
		all.Go(func() { // again and again: it may come before its call
			for range 3 {
				if resp := h.do("POST", strings.TrimSpace(cancelOf(fmt.Sprint(i))), session); resp.StatusCode != http.StatusAccepted {
					t.Errorf("notification: %s", resp.Status)
				}
			}
		})
	}
	all.Wait()
	waitFor(t, 20*time.Second, "the commands to end", func() bool {
		out, _ := exec.Command("pgrep", "-f", "sleep "+mark).Output()
		return len(out) == 0
	})
	for _, r := range d.Requests("tools/call") {
		select {
		case <-r.Ended():
		case <-time.After(20 * time.Second):
			t.Fatal("a request at the door is still open")
		}
	}
	if got := text(t, h.do("POST", request("1", "ping", ""), session)); got != `{"jsonrpc":"2.0","id":1,"result":{}}` {
		t.Errorf("after the storm: %s", got)
	}
	http.DefaultClient.CloseIdleConnections()
	atRest(t, h.cmd.Process, counts, before, 8)
}
