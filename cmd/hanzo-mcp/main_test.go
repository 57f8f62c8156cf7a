package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
	"github.com/hanzoai/hanzo-mcp/tools/tooltest"
)

// asProgram in the environment makes the test binary behave as hanzo-mcp.
const asProgram = "HANZO_MCP_TEST_PROGRAM"

func TestMain(m *testing.M) {
	if launch.Main(os.Args) {
		return
	}
	if os.Getenv(asProgram) != "" {
		os.Unsetenv(asProgram)
		tellGoroutines()
		main()
		return
	}
	testscript.Main(suite{m}, map[string]func(){"hanzo-mcp": main})
}

// suite is the tests, where this is not the program that one of them runs.
type suite struct{ *testing.M }

func (s suite) Run() int {
	tooltest.Wide()
	return s.M.Run()
}

// TestScript runs what a person or a client sees of the command line.
func TestScript(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("HOME", e.WorkDir)
			e.Setenv("HANZO_MCP_DOOR", "http://127.0.0.1:9/v1/mcp") // nobody listens there
			return nil
		},
	})
}

// client drives one hanzo-mcp over its standard streams.
type client struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	dir    string // working folder, the only root
	stderr errorLog
	calls  int // made with do

	mu      sync.Mutex
	lines   []string               // all of stdout
	replies map[string]chan string // by raw id
	notes   chan string            // notifications
	asks    chan string            // requests of the server
	ended   chan struct{}          // stdout is at its end
	exit    chan error
}

// errorLog is a file for what a server says on stderr: what it says before a reply is there when the reply is, which
// is not so of a pipe that somebody copies.
type errorLog struct{ *os.File }

func newErrorLog(tb testing.TB) errorLog {
	tb.Helper()
	f, err := os.Create(filepath.Join(tb.TempDir(), "stderr"))
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { f.Close() })
	return errorLog{f}
}

func (l errorLog) String() string {
	text, err := os.ReadFile(l.Name())
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// start starts hanzo-mcp in a fresh folder. env is NAME=value over a clean environment; args come after `serve`.
func start(t *testing.T, env []string, args ...string) *client {
	t.Helper()
	return startIn(t, t.TempDir(), env, args...)
}

func startIn(t *testing.T, dir string, env []string, args ...string) *client {
	t.Helper()
	log := newErrorLog(t)
	return startSaying(t, log.File, dir, append([]string{"HOME=" + t.TempDir()}, env...), args...)
}

// startSaying starts hanzo-mcp with this file as its stderr, and no HOME but what env names.
func startSaying(t *testing.T, stderr *os.File, dir string, env []string, args ...string) *client {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	c := &client{t: t, dir: dir, stderr: errorLog{stderr}, replies: map[string]chan string{},
		notes: make(chan string, 10_000), asks: make(chan string, 100), ended: make(chan struct{}), exit: make(chan error, 1)}
	c.cmd = exec.Command(self, append([]string{"serve"}, args...)...)
	c.cmd.Dir = dir
	c.cmd.Env = append([]string{asProgram + "=1", "PATH=" + os.Getenv("PATH"), "TMPDIR=" + t.TempDir(),
		"HANZO_MCP_DOOR=http://127.0.0.1:9/v1/mcp"}, env...)
	c.cmd.Stderr = c.stderr.File
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go c.read(out)
	t.Cleanup(func() {
		c.in.Close()
		select {
		case <-c.ended:
		case <-time.After(20 * time.Second):
			c.cmd.Process.Kill()
			t.Error("hanzo-mcp did not end within 20 s of the end of its input")
		}
	})
	return c
}

func (c *client) read(out io.Reader) {
	r := bufio.NewReaderSize(out, 1<<20)
	for {
		line, err := r.ReadString('\n')
		if line != "" {
			c.take(strings.TrimSuffix(line, "\n"))
		}
		if err != nil {
			c.exit <- c.cmd.Wait()
			close(c.ended)
			return
		}
	}
}

func (c *client) take(line string) {
	var m struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  string          `json:"method"`
	}
	if err := json.Unmarshal([]byte(line), &m); err != nil || m.JSONRPC != "2.0" {
		c.t.Errorf("stdout has a line that is no JSON-RPC message: %.200q", line)
		return
	}
	c.mu.Lock()
	c.lines = append(c.lines, line)
	c.mu.Unlock()
	switch {
	case m.Method != "" && m.ID != nil:
		c.asks <- line
	case m.Method != "":
		c.notes <- line
	default:
		select {
		case c.reply(string(m.ID)) <- line:
		default:
			c.t.Errorf("more replies than expected to id %s: %.200s", m.ID, line)
		}
	}
}

func (c *client) reply(id string) chan string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.replies[id] == nil {
		c.replies[id] = make(chan string, 4)
	}
	return c.replies[id]
}

// raw writes bytes as they are.
func (c *client) raw(text string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, text); err != nil {
		c.t.Errorf("writing: %v", err)
	}
}

// wait gives the next reply with this raw id.
func (c *client) wait(id string) string {
	c.t.Helper()
	select {
	case line := <-c.reply(id):
		return line
	case <-time.After(30 * time.Second):
		c.t.Fatalf("no reply to id %s within 30 s; stderr:\n%s", id, c.stderr)
	case <-c.ended:
		select {
		case line := <-c.reply(id):
			return line
		default:
		}
		c.t.Fatalf("hanzo-mcp ended without a reply to id %s; stderr:\n%s", id, c.stderr)
	}
	return ""
}

// ask sends a request and gives its reply.
func (c *client) ask(id, method, params string) string {
	c.t.Helper()
	c.raw(request(id, method, params))
	return c.wait(id)
}

func request(id, method, params string) string {
	if params != "" {
		params = `,"params":` + params
	}
	return `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `"` + params + "}\n"
}

func call(id, tool, arguments string) string {
	return request(id, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, arguments))
}

// initialize does the handshake of a revision.
func (c *client) initialize(version, capabilities string) string {
	c.t.Helper()
	reply := c.ask(`"init"`, "initialize", fmt.Sprintf(`{"protocolVersion":%q,"capabilities":%s,"clientInfo":{"name":"test","version":"1"}}`, version, capabilities))
	c.raw(`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n")
	return reply
}

// alive fails the test when the server does not answer a ping.
func (c *client) alive() {
	c.t.Helper()
	if got := c.ask(`"alive"`, "ping", ""); got != `{"jsonrpc":"2.0","id":"alive","result":{}}` {
		c.t.Errorf("ping: %s", got)
	}
}

// end closes the input and gives the exit error.
func (c *client) end() error {
	c.t.Helper()
	c.in.Close()
	return c.waitExit(20 * time.Second)
}

func (c *client) waitExit(limit time.Duration) error {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	select {
	case err := <-c.exit:
		c.exit <- err
		return err
	case <-ctx.Done():
		c.t.Fatalf("hanzo-mcp did not end within %v", limit)
		return nil
	}
}

// toolResult is a result of a local tool, taken apart.
type toolResult struct {
	Content []struct{ Type, Text, MimeType, Data string }
	IsError bool
	Payload string // first text block when there are two

	OK    bool
	Data  map[string]any
	Error struct {
		Code, Message string
		Details       map[string]any
	}
	Meta map[string]any
}

func parseResult(t *testing.T, line string) toolResult {
	t.Helper()
	var m struct {
		Result *toolResult
		Error  json.RawMessage
	}
	if err := json.Unmarshal([]byte(line), &m); err != nil || m.Result == nil {
		t.Fatalf("no tool result: %.500s", line)
	}
	r := m.Result
	if n := len(r.Content); n > 1 {
		r.Payload = r.Content[0].Text
	}
	if n := len(r.Content); n > 0 {
		if err := json.Unmarshal([]byte(r.Content[n-1].Text), r); err != nil {
			t.Fatalf("the last block is no envelope: %.500s", r.Content[n-1].Text)
		}
	}
	if r.OK == r.IsError {
		t.Errorf("ok is %v and isError is %v", r.OK, r.IsError)
	}
	return *r
}
