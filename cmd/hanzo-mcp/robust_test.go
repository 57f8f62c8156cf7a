package main

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The robustness suite: faults of the door, of the client and of the machine, each with its outcome. Whatever happens,
// a request gets exactly one reply, the server stays alive, and nothing is left behind.

// robust is a running server and one client of it, whatever the transport.
type robust struct {
	t       *testing.T
	process *os.Process
	dir     string
	counts  string // file of countGoroutines
	stderr  errorLog
	ask     func(id, method, params string) string // fails the test unless there is exactly one reply
}

// transports are the ways to reach a server.
var transports = []struct {
	name  string
	start func(t *testing.T, env []string, args ...string) *robust
}{
	{"stdio", robustStdio},
	{"http", robustHTTP},
}

func robustStdio(t *testing.T, env []string, args ...string) *robust {
	t.Helper()
	counts := filepath.Join(t.TempDir(), "goroutines")
	c := start(t, append(env, countGoroutines+"="+counts), append([]string{"--sandbox", "workspace"}, args...)...)
	c.initialize("2025-11-25", "{}")
	t.Cleanup(func() {
		// One more reply to any id than was asked for shows here.
		c.mu.Lock()
		defer c.mu.Unlock()
		for id, ch := range c.replies {
			if len(ch) > 0 {
				t.Errorf("a second reply to id %s: %.200s", id, <-ch)
			}
		}
	})
	return &robust{t: t, process: c.cmd.Process, dir: c.dir, counts: counts, stderr: c.stderr, ask: func(id, method, params string) string {
		t.Helper()
		return c.ask(id, method, params)
	}}
}

func robustHTTP(t *testing.T, env []string, args ...string) *robust {
	t.Helper()
	counts := filepath.Join(t.TempDir(), "goroutines")
	h := serveHTTP(t, t.TempDir(), append(env, countGoroutines+"="+counts), append([]string{"--sandbox", "workspace"}, args...)...)
	session := h.session("2025-11-25", "{}")
	return &robust{t: t, process: h.cmd.Process, dir: h.dir, counts: counts, stderr: h.stderr, ask: func(id, method, params string) string {
		t.Helper()
		return oneReply(t, text(t, h.do("POST", strings.TrimSpace(request(id, method, params)), session)), id)
	}}
}

// oneReply finds the one reply in the body of an answer over HTTP, plain or a stream.
func oneReply(t *testing.T, body, id string) string {
	t.Helper()
	var found []string
	for line := range strings.Lines(body) {
		line = strings.TrimPrefix(strings.TrimSpace(line), "data: ")
		var m struct {
			ID     json.RawMessage
			Method string
		}
		if json.Unmarshal([]byte(line), &m) == nil && m.Method == "" && m.ID != nil {
			found = append(found, line)
			if string(m.ID) != id {
				t.Errorf("a reply to %s on the stream of %s", m.ID, id)
			}
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d replies to id %s in %.500q", len(found), id, body)
	}
	return found[0]
}

// local fails the test when the local tools do not work.
func (r *robust) local(id string) {
	r.t.Helper()
	got := r.ask(id, "tools/call", `{"name":"fs","arguments":{"action":"stat","path":"."}}`)
	if !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":`+id+`,"result":`) || strings.Contains(got, `"isError":true`) {
		r.t.Errorf("local call: %.300s", got)
	}
}

// rawLines starts reading a stream of lines and gives them one by one; it ends with the stream.
func rawLines(r *bufio.Reader) <-chan string {
	lines := make(chan string, 1024)
	go func() {
		defer close(lines)
		for {
			line, err := r.ReadString('\n')
			if line != "" {
				lines <- strings.TrimSuffix(line, "\n")
			}
			if err != nil {
				return
			}
		}
	}()
	return lines
}
