package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
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

// pipes is a hanzo-mcp whose pipes the test holds itself: it may leave them unread.
type pipes struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    *bufio.Reader
	dir    string
	counts string
}

// newPipes prepares a program, begin starts it.
func newPipes(t *testing.T, env []string, args ...string) *pipes {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &pipes{t: t, dir: t.TempDir(), counts: filepath.Join(t.TempDir(), "goroutines")}
	if err := os.Mkdir(filepath.Join(p.dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	p.cmd = exec.Command(self, append([]string{"serve", "--sandbox", "workspace"}, args...)...)
	p.cmd.Dir = p.dir
	p.cmd.Env = append([]string{asProgram + "=1", "HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH"), "TMPDIR=" + t.TempDir(),
		"HANZO_MCP_DOOR=http://127.0.0.1:9/v1/mcp", countGoroutines + "=" + p.counts}, env...)
	return p
}

func (p *pipes) begin() (err error) {
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	p.out = bufio.NewReaderSize(out, 1<<20)
	if err := p.cmd.Start(); err != nil {
		return err
	}
	p.t.Cleanup(func() { _ = p.in.Close(); _ = p.cmd.Process.Kill() })
	return nil
}

func openPipes(t *testing.T, env []string, args ...string) *pipes {
	t.Helper()
	p := newPipes(t, env, args...)
	if err := p.begin(); err != nil {
		t.Fatal(err)
	}
	return p
}

// send writes in the background: the server may stop reading.
func (p *pipes) send(text string) (done <-chan struct{}) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = io.WriteString(p.in, text)
	}()
	return ended
}

// lines reads until n replies have come, or the stream ends, and gives them by id.
func (p *pipes) lines(n int) map[string][]string {
	p.t.Helper()
	got := map[string][]string{}
	limit := time.AfterFunc(60*time.Second, func() { _ = p.cmd.Process.Kill() })
	defer limit.Stop()
	for seen := 0; seen < n; {
		line, err := p.out.ReadString('\n')
		if err != nil {
			p.t.Fatalf("the stream ended after %d of %d replies: %v", seen, n, err)
		}
		if id, isReply := replyID(p.t, line); isReply {
			got[id] = append(got[id], line)
			seen++
		}
	}
	return got
}

// replies counts the next n replies by id.
func (p *pipes) replies(n int) map[string]int {
	p.t.Helper()
	got := map[string]int{}
	for id, lines := range p.lines(n) {
		got[id] = len(lines)
	}
	return got
}

func replyID(t *testing.T, line string) (string, bool) {
	var m struct {
		ID            json.RawMessage
		Method        string
		Result, Error json.RawMessage
	}
	if err := json.Unmarshal([]byte(line), &m); err != nil || m.Method == "" && (m.Result == nil) == (m.Error == nil) {
		t.Errorf("no message: %.300q", line)
	}
	return string(m.ID), m.Method == ""
}

// end closes the input and gives what is left of the output.
func (p *pipes) end(limit time.Duration) string {
	p.t.Helper()
	_ = p.in.Close()
	timer := time.AfterFunc(limit, func() {
		_ = p.cmd.Process.Kill()
		p.t.Errorf("still running %v after the end of its input", limit)
	})
	defer timer.Stop()
	rest, _ := io.ReadAll(p.out)
	_ = p.cmd.Wait()
	return string(rest)
}

// each fails the test unless there was exactly one reply to each of n numbered requests.
func each(t *testing.T, got map[string]int, n int) {
	t.Helper()
	for i := range n {
		if c := got[fmt.Sprint(i)]; c != 1 {
			t.Errorf("%d replies to id %d", c, i)
		}
	}
	if len(got) != n {
		t.Errorf("replies to %d ids, %d were asked", len(got), n)
	}
}

// TestClientThatReadsLate: a client that sends 400 calls and reads nothing for a while gets each reply once it reads;
// what the server holds meanwhile is bounded.
func TestClientThatReadsLate(t *testing.T) {
	t.Parallel()
	const n = 400
	d := fakedoor.Start(t, fakedoor.Script{})
	p := openPipes(t, []string{"HANZO_MCP_DOOR=" + d.URL()})
	var all strings.Builder
	for i := range n {
		switch i % 3 {
		case 0:
			all.WriteString(request(fmt.Sprint(i), "tools/call", `{"name":"fixed_1m"}`))
		case 1:
			all.WriteString(call(fmt.Sprint(i), "fs", `{"action":"stat","path":"."}`))
		default:
			all.WriteString(request(fmt.Sprint(i), "ping", ""))
		}
	}
	sent := p.send(all.String())
	// The first large reply fills the pipe, and the next ping waits to be answered in its turn: how far the server has
	// read by then is chance.
	waitFor(t, 30*time.Second, "calls at the door", func() bool { return len(d.Requests("tools/call")) >= 1 })
	time.Sleep(300 * time.Millisecond) // nothing happens outside while the output is stuck
	if u := use(t, p.cmd.Process, p.counts); u.rss > 512<<10 {
		t.Errorf("holds %d MiB while nobody reads", u.rss>>10)
	}
	each(t, p.replies(n), n)
	<-sent
	p.end(15 * time.Second)
}

// TestClientThatNeverReads: the end of the input ends the server although its output is stuck.
func TestClientThatNeverReads(t *testing.T) {
	t.Parallel()
	p := openPipes(t, nil, "--no-door")
	if err := os.WriteFile(filepath.Join(p.dir, "big"), make([]byte, 1<<20), 0o644); err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for i := range 50 {
		all.WriteString(call(fmt.Sprint(i), "exec", `{"command":"head -c 100000 /dev/zero | tr '\\0' a","max_chars":200000}`))
	}
	<-p.send(all.String())
	_ = p.in.Close()
	ended := make(chan error, 1)
	go func() { ended <- p.cmd.Wait() }()
	select {
	case <-ended:
	case <-time.After(25 * time.Second): // 10 s drain, 4 s for the rest, a busy machine
		t.Error("still running")
	}
}

// TestBurst: 5,000 requests in one write, garbage between them, get 5,000 replies and one error for each line of garbage.
func TestBurst(t *testing.T) {
	t.Parallel()
	const n = 5000
	d := fakedoor.Start(t, fakedoor.Script{Results: map[string]string{"t": good}})
	p := openPipes(t, []string{"HANZO_MCP_DOOR=" + d.URL()})
	garbage := []string{"{", "\xff\xfe\xfd", "42", `{"jsonrpc":"2.0","id":`, `[]`, "null"}
	var all strings.Builder
	bad := 0
	for i := range n {
		id := fmt.Sprint(i)
		switch i % 5 {
		case 0:
			all.WriteString(request(id, "ping", ""))
		case 1:
			all.WriteString(request(id, "tools/call", `{"name":"t"}`))
		case 2:
			all.WriteString(request(id, "no/such", ""))
		case 3:
			all.WriteString(call(id, "fs", `{"action":"stat","path":"."}`))
		default:
			all.WriteString(call(id, "fs", `{"action":"read","path":"not-there"}`))
		}
		if i%100 == 99 {
			all.WriteString(garbage[bad%len(garbage)] + "\n\n")
			bad++
		}
	}
	p.send(all.String())
	got := p.replies(n + bad)
	if got["null"] != bad {
		t.Errorf("%d errors without an id for %d lines of garbage", got["null"], bad)
	}
	delete(got, "null")
	each(t, got, n)
	if rest := p.end(15 * time.Second); rest != "" {
		t.Errorf("more came: %.300q", rest)
	}
}

// TestDuplicateIDs: two calls in flight under one id get two replies; a cancel of the id ends both.
func TestDuplicateIDs(t *testing.T) {
	t.Parallel()
	p := openPipes(t, nil, "--no-door")
	p.send(call("1", "exec", `{"command":"sleep 0.2; echo a"}`) + call("1", "exec", `{"command":"sleep 0.2; echo b"}`) + request("1", "ping", ""))
	if got := p.replies(3); got["1"] != 3 {
		t.Errorf("replies %v", got)
	}
	p.send(call("2", "exec", `{"command":"touch one; sleep 60"}`) + call("2", "exec", `{"command":"touch two; sleep 60"}`))
	for _, name := range []string{"one", "two"} {
		waitFor(t, 20*time.Second, "the command "+name, func() bool { _, err := os.Stat(filepath.Join(p.dir, name)); return err == nil })
	}
	p.send(cancelOf("2") + request("3", "ping", ""))
	if got := p.replies(1); got["3"] != 1 {
		t.Errorf("replies %v", got)
	}
	if rest := p.end(15 * time.Second); rest != "" {
		t.Errorf("more came: %.300q", rest)
	}
}

func cancelOf(id string) string {
	return `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `,"reason":"test"}}` + "\n"
}

// TestCancelStorm: hundreds of calls, local and forwarded, each cancelled at once: whatever of them is answered is
// answered once, nothing runs on, the door's connections are closed.
func TestCancelStorm(t *testing.T) {
	t.Parallel()
	d := fakedoor.Start(t, fakedoor.Script{Hang: true, Methods: []string{"tools/call"}})
	p := openPipes(t, []string{"HANZO_MCP_DOOR=" + d.URL()})
	p.send(request(`"list"`, "tools/list", "") + call(`"warm"`, "exec", `{"command":"true"}`))
	p.replies(2)
	before := use(t, p.cmd.Process, p.counts)
	mark := fmt.Sprintf("43%d", os.Getpid())
	var all strings.Builder
	for i := range 300 {
		id := fmt.Sprint(i)
		if i%2 == 0 {
			all.WriteString(call(id, "exec", `{"command":"sleep `+mark+`"}`))
		} else {
			all.WriteString(request(id, "tools/call", `{"name":"t","_meta":{"progressToken":`+id+`}}`))
		}
		all.WriteString(cancelOf(id))
		all.WriteString(cancelOf(id))
	}
	all.WriteString(request(`"after"`, "ping", ""))
	p.send(all.String())
	if got := p.replies(1); got[`"after"`] != 1 {
		t.Errorf("a cancelled call was answered: %v", got)
	}
	waitFor(t, 10*time.Second, "the commands to end", func() bool {
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
	atRest(t, p.cmd.Process, p.counts, before, 6)
	if rest := p.end(10 * time.Second); rest != "" {
		t.Errorf("more came: %.300q", rest)
	}
}

// TestOddNotificationsAndResponses: cancels of what is over, unknown or no id, and answers to questions that nobody
// asked change nothing.
func TestOddNotificationsAndResponses(t *testing.T) {
	t.Parallel()
	p := openPipes(t, nil, "--no-door")
	odd := []string{
		cancelOf("0"), cancelOf("999"), cancelOf(`"0"`), cancelOf("0.0"), cancelOf("null"), cancelOf("{}"), cancelOf(`[]`),
		`{"jsonrpc":"2.0","method":"notifications/cancelled"}` + "\n",
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}` + "\n",
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":null}` + "\n",
		`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"x","progress":1}}` + "\n",
		`{"jsonrpc":"2.0","method":"notifications/roots/list_changed"}` + "\n",
		`{"jsonrpc":"2.0","id":"hanzo-1","result":{"action":"accept"}}` + "\n",
		`{"jsonrpc":"2.0","id":"hanzo-99","result":{}}` + "\n",
		`{"jsonrpc":"2.0","id":7,"error":{"code":-1,"message":"x"}}` + "\n",
	}
	for i := range 3 {
		p.send(request("0", "ping", ""))
		got := p.replies(1)
		p.send(strings.Join(odd, "") + request(fmt.Sprint(i+1), "ping", ""))
		if more := p.replies(1); got["0"] != 1 || more[fmt.Sprint(i+1)] != 1 {
			t.Errorf("replies %v", got)
		}
	}
	if rest := p.end(15 * time.Second); rest != "" {
		t.Errorf("more came: %.300q", rest)
	}
}

// TestTermLosesNoComputedAnswer: at SIGTERM each call that was taken gets its one reply, be it that it was ended.
func TestTermLosesNoComputedAnswer(t *testing.T) {
	t.Parallel()
	const n = 60
	d := fakedoor.Start(t, fakedoor.Script{Delay: 800 * time.Millisecond, Methods: []string{"tools/call"}, Results: map[string]string{"t": good}})
	t.Run("stdio", func(t *testing.T) {
		t.Parallel()
		p := openPipes(t, []string{"HANZO_MCP_DOOR=" + d.URL()})
		var all strings.Builder
		for i := range n {
			all.WriteString(request(fmt.Sprint(i), "tools/call", `{"name":"t"}`))
		}
		<-p.send(all.String())
		waitFor(t, 20*time.Second, "the calls at the door", func() bool { return len(d.Requests("tools/call")) >= n })
		_ = p.cmd.Process.Signal(syscall.SIGTERM)
		each(t, p.replies(n), n)
		p.end(10 * time.Second)
	})
	t.Run("http", func(t *testing.T) {
		t.Parallel()
		d := fakedoor.Start(t, fakedoor.Script{Delay: 800 * time.Millisecond, Methods: []string{"tools/call"}, Results: map[string]string{"t": good}})
		h := serveHTTP(t, t.TempDir(), []string{"HANZO_MCP_DOOR=" + d.URL()})
		session := h.session("2025-11-25", "{}")
		var all sync.WaitGroup
		for i := range n {
			all.Go(func() {
				id := fmt.Sprint(i)
				got := text(t, h.do("POST", request(id, "tools/call", `{"name":"t"}`), session))
				if got != `{"jsonrpc":"2.0","id":`+id+`,"result":`+good+`}` {
					t.Errorf("call %s: %s", id, got)
				}
			})
		}
		waitFor(t, 20*time.Second, "the calls at the door", func() bool { return len(d.Requests("tools/call")) >= n })
		_ = h.cmd.Process.Signal(syscall.SIGTERM)
		all.Wait()
	})
}

// TestTermAnswersWhatWaits: requests too large to be worked at together wait; at SIGTERM they are answered too.
func TestTermAnswersWhatWaits(t *testing.T) {
	t.Parallel()
	const n = 10
	d := fakedoor.Start(t, fakedoor.Script{Hang: true, Methods: []string{"tools/call"}})
	p := openPipes(t, []string{"HANZO_MCP_DOOR=" + d.URL()})
	for i := range n {
		<-p.send(request(fmt.Sprint(i), "tools/call", `{"name":"t","arguments":{"x":"`+strings.Repeat("a", 12<<20)+`"}}`))
	}
	waitFor(t, 30*time.Second, "calls at the door", func() bool { return len(d.Requests("tools/call")) >= 5 })
	p.send(request(`"ping"`, "ping", "")) // answered at once: all before it was read
	p.replies(1)
	begun := time.Now()
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	each(t, p.replies(n), n)
	p.end(20 * time.Second)
	if took := time.Since(begun); took > drainLimit*4/5 {
		t.Errorf("took %v", took)
	}
}

// TestEndOfInputEndsSubscriptions: an open subscriptions/listen does not hold the server up at the end of its input.
func TestEndOfInputEndsSubscriptions(t *testing.T) {
	t.Parallel()
	p := openPipes(t, nil, "--no-door")
	p.send(request(`"L"`, "subscriptions/listen", withMeta(`{"notifications":{"toolsListChanged":true}}`, "", "{}")))
	if line, err := p.out.ReadString('\n'); err != nil || !strings.Contains(line, "subscriptions/acknowledged") {
		t.Fatalf("%v: %s", err, line)
	}
	begun := time.Now()
	rest := p.end(15 * time.Second)
	if took := time.Since(begun); took > drainLimit*4/5 {
		t.Errorf("took %v", took)
	}
	if strings.Count(rest, "\n") != 1 || !strings.Contains(rest, `"id":"L","result"`) {
		t.Errorf("the reply: %s", rest)
	}
}
