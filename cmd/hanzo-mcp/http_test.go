package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/fakedoor"
)

// httpServer is one hanzo-mcp serving HTTP.
type httpServer struct {
	t      *testing.T
	cmd    *exec.Cmd
	url    string
	token  string
	home   string
	dir    string
	stderr errorLog
	exit   chan error
}

func serveHTTP(t *testing.T, home string, env []string, args ...string) *httpServer {
	t.Helper()
	return prepareHTTP(t, home, env, func(*exec.Cmd) {}, args...)
}

// prepareHTTP is serveHTTP with a change of the command before it starts.
func prepareHTTP(t *testing.T, home string, env []string, prepare func(*exec.Cmd), args ...string) *httpServer {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	h := &httpServer{t: t, home: home, dir: t.TempDir(), stderr: newErrorLog(t), exit: make(chan error, 1)}
	if err := os.Mkdir(filepath.Join(h.dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	h.cmd = exec.Command(self, append([]string{"serve", "--http=127.0.0.1:0"}, args...)...)
	h.cmd.Dir = h.dir
	h.cmd.Env = append([]string{asProgram + "=1", "HOME=" + home, "PATH=" + os.Getenv("PATH"), "TMPDIR=" + t.TempDir(), "HANZO_MCP_DOOR=http://127.0.0.1:9/v1/mcp"}, env...)
	h.cmd.Stderr = h.stderr.File
	prepare(h.cmd)
	if err := h.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { h.exit <- h.cmd.Wait() }()
	t.Cleanup(func() {
		_ = h.cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-h.exit:
		case <-time.After(10 * time.Second):
			_ = h.cmd.Process.Kill()
			t.Error("hanzo-mcp did not end within 10 s of SIGTERM")
		}
	})
	entry := regexp.MustCompile(`"url":"(http://[^"]+)"(?:,"headers":\{"Authorization":"Bearer ([^"]+)"\})?`)
	waitFor(t, 10*time.Second, "the server to listen", func() bool {
		m := entry.FindStringSubmatch(h.stderr.String())
		if m != nil {
			h.url, h.token = m[1], m[2]
		}
		return m != nil
	})
	return h
}

// do sends one request; headers are "Name: value" and replace the usual ones.
func (h *httpServer) do(method, body string, headers ...string) *http.Response {
	h.t.Helper()
	return h.doContext(context.Background(), method, body, headers...)
}

func (h *httpServer) doContext(ctx context.Context, method, body string, headers ...string) *http.Response {
	h.t.Helper()
	req, err := http.NewRequestWithContext(ctx, method, h.url, strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if h.token != "" {
		req.Header.Set("Authorization", "Bearer "+h.token)
	}
	for _, line := range headers {
		name, value, _ := strings.Cut(line, ": ")
		switch {
		case name == "Host":
			req.Host = value
		case value == "":
			req.Header.Del(strings.TrimSuffix(name, ":"))
		default:
			req.Header.Set(name, value)
		}
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		if ctx.Err() == nil {
			h.t.Fatal(err)
		}
		return nil
	}
	h.t.Cleanup(func() { resp.Body.Close() })
	return resp
}

func text(t *testing.T, resp *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Errorf("reading the answer: %v", err)
	}
	return strings.TrimSpace(string(b))
}

// session begins a session and gives its header.
func (h *httpServer) session(version, capabilities string) string {
	h.t.Helper()
	resp := h.do("POST", fmt.Sprintf(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":%q,"capabilities":%s,"clientInfo":{"name":"t","version":"1"}}}`, version, capabilities))
	if resp.StatusCode != 200 {
		h.t.Fatalf("initialize: %s", resp.Status)
	}
	text(h.t, resp)
	return "Mcp-Session-Id: " + resp.Header.Get("Mcp-Session-Id")
}

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`

// People and clients write the address with a slash at its end.
func TestHTTPPath(t *testing.T) {
	t.Parallel()
	h := serveHTTP(t, t.TempDir(), nil, "--no-door")
	for end, status := range map[string]int{"": 200, "/": 200, "//": 404, "/x": 404} {
		other := *h
		other.url += end
		resp := other.do("POST", `{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`)
		if text(t, resp); resp.StatusCode != status {
			t.Errorf("%s: %s", end, resp.Status)
		}
	}
}

func TestHTTPStatuses(t *testing.T) {
	t.Parallel()
	h := serveHTTP(t, t.TempDir(), nil, "--http-host", "tools.example")
	port := h.url[len("http://127.0.0.1:"):strings.LastIndex(h.url, "/")]
	session := h.session("2025-11-25", "{}")
	old := h.session("2025-03-26", "{}")
	ping := `{"jsonrpc":"2.0","id":7,"method":"ping"}`
	pong := `{"jsonrpc":"2.0","id":7,"result":{}}`
	big := `{"jsonrpc":"2.0","id":7,"method":"ping","params":{"x":"` + strings.Repeat("a", 70<<20) + `"}}`
	for _, c := range []struct {
		name, method, body string
		headers            []string
		status             int
		want               string // part of the body
	}{
		{"host of a web page", "POST", ping, []string{session, "Host: evil.com"}, 403, "evil.com"},
		{"host with our port", "POST", ping, []string{session, "Host: evil.com:" + port}, 403, ""},
		{"host that begins like ours", "POST", ping, []string{session, "Host: 127.0.0.1.evil.com"}, 403, ""},
		{"host by name", "POST", ping, []string{session, "Host: localhost:" + port}, 200, pong},
		{"host by IPv6", "POST", ping, []string{session, "Host: [::1]:" + port}, 200, pong},
		{"host that a flag adds", "POST", ping, []string{session, "Host: Tools.Example"}, 200, pong},
		{"origin of a web page", "POST", ping, []string{session, "Origin: http://evil.com"}, 403, ""},
		{"origin null", "POST", ping, []string{session, "Origin: null"}, 403, ""},
		{"origin of this machine", "POST", ping, []string{session, "Origin: http://localhost:3000"}, 200, pong},
		{"no token", "POST", ping, []string{session, "Authorization:"}, 401, "Authorization"},
		{"wrong token", "POST", ping, []string{session, "Authorization: Bearer x"}, 401, ""},
		{"token of another scheme", "POST", ping, []string{session, "Authorization: Basic " + h.token}, 401, ""},
		{"no session", "POST", ping, nil, 400, "Mcp-Session-Id"},
		{"unknown session", "POST", ping, []string{"Mcp-Session-Id: 0123"}, 404, "initialize"},
		{"ping", "POST", ping, []string{session}, 200, pong},
		{"notification", "POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, []string{session}, 202, ""},
		{"unknown notification", "POST", `{"jsonrpc":"2.0","method":"notifications/nope"}`, []string{session}, 202, ""},
		{"charset", "POST", ping, []string{session, "Content-Type: application/json; charset=utf-8"}, 200, pong},
		{"text", "POST", ping, []string{session, "Content-Type: text/plain"}, 415, ""},
		{"cut off", "POST", `{`, []string{session}, 400, "-32700"},
		{"empty", "POST", ``, []string{session}, 400, "-32700"},
		{"batch", "POST", "[" + ping + "]", []string{session}, 400, "-32600"},
		{"batch of 2025-03-26", "POST", "[" + ping + `,{"jsonrpc":"2.0","method":"notifications/initialized"}]`, []string{old}, 200, "[" + pong + "]"},
		{"accepts anything", "POST", ping, []string{session, "Accept: */*"}, 200, pong},
		{"accepts JSON", "POST", ping, []string{session, "Accept: application/json"}, 200, pong},
		{"accepts nothing said", "POST", ping, []string{session, "Accept:"}, 200, pong},
		{"accepts events", "POST", ping, []string{session, "Accept: text/event-stream"}, 200, "data: " + pong},
		{"accepts pictures", "POST", ping, []string{session, "Accept: image/png"}, 406, ""},
		{"unknown revision", "POST", ping, []string{session, "MCP-Protocol-Version: 1999-01-01"}, 400, ""},
		{"revision of the future", "POST", ping, []string{session, "MCP-Protocol-Version: 2099-01-01"}, 400, "2099-01-01 is not supported"},
		{"unknown revision beside a legacy one", "POST", `{"jsonrpc":"2.0","id":7,"method":"ping","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2025-11-25"}}}`,
			[]string{session, "MCP-Protocol-Version: 1999-01-01"}, 400, "1999-01-01 is not supported"},
		{"initialize of one that falls back", "POST", `{"jsonrpc":"2.0","id":7,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`,
			[]string{"MCP-Protocol-Version: 2026-07-28"}, 200, `"protocolVersion":"2025-11-25"`},
		{"too large", "POST", big, []string{session}, 413, ""},
		{"GET without a session", "GET", "", nil, 405, ""},
		{"PUT", "PUT", ping, []string{session}, 405, ""},
		{"DELETE without a session", "DELETE", "", nil, 400, ""},
		{"modern", "POST", `{"jsonrpc":"2.0","id":7,"method":"server/discover","params":{` + modernMeta + `}}`,
			[]string{"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: server/discover"}, 200, "supportedVersions"},
		{"modern, header missing", "POST", `{"jsonrpc":"2.0","id":7,"method":"server/discover","params":{` + modernMeta + `}}`, nil, 400, "-32020"},
		{"modern, method of another", "POST", `{"jsonrpc":"2.0","id":7,"method":"server/discover","params":{` + modernMeta + `}}`,
			[]string{"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/list"}, 400, "-32020"},
		{"modern, no such method", "POST", `{"jsonrpc":"2.0","id":7,"method":"nope","params":{` + modernMeta + `}}`,
			[]string{"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: nope"}, 404, "-32601"},
		{"modern GET", "GET", "", []string{"MCP-Protocol-Version: 2026-07-28"}, 405, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			resp := h.do(c.method, c.body, c.headers...)
			body := text(t, resp)
			if resp.StatusCode != c.status || !strings.Contains(body, c.want) || (c.status == 202 && body != "") {
				t.Errorf("%s %.300s, want %d with %q", resp.Status, body, c.status, c.want)
			}
			if c.status == 405 && resp.Header.Get("Allow") == "" {
				t.Error("no Allow")
			}
		})
	}
}

func TestHTTPDoubledHeaderIsRefused(t *testing.T) {
	t.Parallel()
	h := serveHTTP(t, t.TempDir(), nil, "--no-door")
	req, err := http.NewRequest("POST", h.url, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header["Authorization"] = []string{"Bearer " + h.token, "Bearer " + h.token}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != 400 {
		t.Error(resp.Status)
	}
}

func TestHTTPSessionEnds(t *testing.T) {
	t.Parallel()
	h := serveHTTP(t, t.TempDir(), nil, "--no-door")
	session := h.session("2025-11-25", "{}")
	up := filepath.Join(h.dir, "up")
	mark := fmt.Sprintf("39%d", os.Getpid())
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		h.do("POST", strings.TrimSpace(call("1", "exec", `{"command":"touch up; sleep `+mark+`"}`)), session)
	}()
	waitFor(t, 20*time.Second, "the command", func() bool { _, err := os.Stat(up); return err == nil })
	if resp := h.do("DELETE", "", session); resp.StatusCode != 204 {
		t.Errorf("DELETE: %s", resp.Status)
	}
	waitFor(t, 20*time.Second, "the command to end", func() bool {
		out, _ := exec.Command("pgrep", "-f", "sleep "+mark).Output()
		return len(out) == 0
	})
	<-gone
	if resp := h.do("POST", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, session); resp.StatusCode != 404 {
		t.Errorf("POST after DELETE: %s", resp.Status)
	}
	if resp := h.do("DELETE", "", session); resp.StatusCode != 404 {
		t.Errorf("second DELETE: %s", resp.Status)
	}
}

func TestHTTPDroppedConnectionCancelsItsCall(t *testing.T) {
	t.Parallel()
	h := serveHTTP(t, t.TempDir(), nil, "--no-door")
	session := h.session("2025-11-25", "{}")
	mark := fmt.Sprintf("40%d", os.Getpid())
	ctx, drop := context.WithCancel(context.Background())
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		h.doContext(ctx, "POST", strings.TrimSpace(call("1", "exec", `{"command":"touch up; sleep `+mark+`"}`)), session)
	}()
	waitFor(t, 20*time.Second, "the command", func() bool { _, err := os.Stat(filepath.Join(h.dir, "up")); return err == nil })
	drop()
	waitFor(t, 20*time.Second, "the command to end", func() bool {
		out, _ := exec.Command("pgrep", "-f", "sleep "+mark).Output()
		return len(out) == 0
	})
	<-gone
	if got := text(t, h.do("POST", `{"jsonrpc":"2.0","id":2,"method":"ping"}`, session)); !strings.Contains(got, `"result":{}`) {
		t.Error(got)
	}
}

func TestHTTPTokenIsKept(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	first := serveHTTP(t, home, nil, "--no-door")
	second := serveHTTP(t, home, nil, "--no-door")
	if first.token == "" || first.token != second.token {
		t.Errorf("tokens %q and %q", first.token, second.token)
	}
	info, err := os.Stat(filepath.Join(home, ".local", "state", "hanzo-mcp", "http-token"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("token file: %v %v", info, err)
	}
}

func TestHTTPRefusesOpenAddresses(t *testing.T) {
	t.Parallel()
	self, _ := os.Executable()
	for _, args := range [][]string{{"--http=:0"}, {"--http=0.0.0.0:0"}, {"--http=10.255.255.1:0", "--http-no-token"}, {"--http=nonsense"}} {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		cmd := exec.CommandContext(ctx, self, append([]string{"serve", "--no-door"}, args...)...)
		cmd.Env = []string{asProgram + "=1", "HOME=" + t.TempDir()}
		out, err := cmd.CombinedOutput()
		cancel()
		if err == nil || !strings.Contains(string(out), "hanzo-mcp: error:") || !strings.Contains(string(out), "hint:") {
			t.Errorf("%v: %v, %s", args, err, out)
		}
	}
}

func TestHTTPSessionsDoNotCross(t *testing.T) {
	t.Parallel()
	results := map[string]string{"a": `{"content":[{"type":"text","text":"A"}]}`, "b": `{"content":[{"type":"text","text":"B"}]}`}
	d := fakedoor.Start(t, fakedoor.Script{Results: results})
	h := serveHTTP(t, t.TempDir(), []string{"HANZO_MCP_DOOR=" + d.URL()})
	var all sync.WaitGroup
	for name, result := range results {
		session := h.session("2025-11-25", "{}")
		for i := range 100 {
			all.Go(func() {
				id := fmt.Sprint(i + 1)
				got := text(t, h.do("POST", request(id, "tools/call", `{"name":"`+name+`"}`), session))
				if want := `{"jsonrpc":"2.0","id":` + id + `,"result":` + result + `}`; got != want {
					t.Errorf("got %s, want %s", got, want)
				}
			})
		}
	}
	all.Wait()
}

func TestHTTPProgressComesOnTheCallsStream(t *testing.T) {
	t.Parallel()
	h := serveHTTP(t, t.TempDir(), nil, "--no-door")
	session := h.session("2025-11-25", "{}")
	resp := h.do("POST", strings.TrimSpace(request("1", "tools/call",
		`{"name":"exec","arguments":{"command":"for i in 1 2 3; do echo line $i; sleep 0.4; done"},"_meta":{"progressToken":"p"}}`)), session)
	if kind := resp.Header.Get("Content-Type"); kind != "text/event-stream" {
		t.Fatalf("Content-Type %s", kind)
	}
	var progress, replies int
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		switch line := lines.Text(); {
		case strings.Contains(line, "notifications/progress") && strings.Contains(line, `"progressToken":"p"`):
			progress++
			if replies > 0 {
				t.Error("progress after the reply")
			}
		case strings.Contains(line, `"id":1`):
			replies++
		}
	}
	if progress == 0 || replies != 1 {
		t.Errorf("%d progress notifications, %d replies", progress, replies)
	}
}

func TestHTTPListChangedOnTheStream(t *testing.T) {
	t.Parallel()
	d := fakedoor.Start(t, fakedoor.Script{Delay: 2500 * time.Millisecond, Methods: []string{"tools/list"}})
	h := serveHTTP(t, t.TempDir(), []string{"HANZO_MCP_DOOR=" + d.URL()})
	session := h.session("2025-11-25", "{}")
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	stream := h.doContext(ctx, "GET", "", session, "Accept: text/event-stream")
	modern := h.doContext(ctx, "POST", `{"jsonrpc":"2.0","id":"L","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},`+modernMeta+`}}`,
		"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: subscriptions/listen")
	text(t, h.do("POST", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, session))
	for name, resp := range map[string]*http.Response{"GET": stream, "listen": modern} {
		if resp == nil || resp.StatusCode != 200 {
			t.Fatalf("%s: %v", name, resp)
		}
		found := false
		for lines := bufio.NewScanner(resp.Body); !found && lines.Scan(); {
			found = strings.Contains(lines.Text(), "notifications/tools/list_changed")
		}
		if !found {
			t.Errorf("%s: no word of the change", name)
		}
	}
}

func TestHTTPTermEndsOpenStreamsAndCalls(t *testing.T) {
	t.Parallel()
	h := serveHTTP(t, t.TempDir(), nil, "--no-door")
	session := h.session("2025-11-25", "{}")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	h.doContext(ctx, "GET", "", session, "Accept: text/event-stream")
	go h.doContext(ctx, "POST", strings.TrimSpace(call("1", "exec", `{"command":"touch up; sleep 41"}`)), session)
	waitFor(t, 20*time.Second, "the command", func() bool { _, err := os.Stat(filepath.Join(h.dir, "up")); return err == nil })
	begun := time.Now()
	_ = h.cmd.Process.Signal(syscall.SIGTERM)
	err := <-h.exit
	h.exit <- err
	if took := time.Since(begun); took > 20*time.Second || err != nil {
		t.Errorf("ended after %v: %v", took, err)
	}
}

// A message that belongs to no call goes to the newest stream that is open, and waits for one when there is none.
func TestMessagesFindAStream(t *testing.T) {
	t.Parallel()
	s := &httpSession{}
	older, newer, last := make(chan []byte, 4), make(chan []byte, 4), make(chan []byte, 4)
	got := func(ch chan []byte) string {
		select {
		case m := <-ch:
			return string(m)
		default:
			return ""
		}
	}
	s.attach(older)
	s.attach(newer)
	s.tell([]byte("1"))
	s.detach(newer)
	s.tell([]byte("2"))
	s.detach(older)
	s.tell([]byte("3"))
	s.tell([]byte("4"))
	s.attach(last)
	for i, c := range []struct {
		ch   chan []byte
		want string
	}{{newer, "1"}, {older, "2"}, {older, ""}, {last, "4"}, {last, ""}} {
		if m := got(c.ch); m != c.want {
			t.Errorf("%d: %q, want %q", i, m, c.want)
		}
	}
}
