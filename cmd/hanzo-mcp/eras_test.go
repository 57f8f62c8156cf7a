package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/fakedoor"
)

// An era is a revision of the protocol; what goes on beside calls and replies has another form in each, and over each
// transport: questions to the user, progress, changed lists, cancellation.
var eras = []struct {
	version string
	elicits bool // the revision has elicitation
}{
	{"2024-11-05", false}, {"2025-03-26", false}, {"2025-06-18", true}, {"2025-11-25", true}, {modern, true},
}

const modern = "2026-07-28"

// eraClient speaks one revision over one transport.
type eraClient struct {
	*testing.T
	version string
	dir     string

	call   func(id, method, params string) *eraCall // params without _meta, or with `"_meta":{…}` of a legacy client
	notify func(message string)                     // a notification or a response
	notes  chan string                              // what belongs to no call
}

// eraCall is a request under way: what comes on its account, up to and with the reply.
type eraCall struct {
	id       string
	messages chan string // closed at the end of a stream over HTTP
	drop     func()      // the client goes away; nil over stdio
}

// withMeta puts the members that 2026-07-28 wants into _meta, beside more.
func withMeta(params, more, caps string) string {
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"` + modern + `","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":` + caps
	if more != "" {
		meta += "," + more
	}
	meta += "}"
	if params == "{}" || params == "" {
		return "{" + meta + "}"
	}
	return strings.TrimSuffix(params, "}") + "," + meta + "}"
}

// params gives the params of a request as the revision wants them; more are further members of _meta.
func (c *eraClient) params(params, more string) string {
	if c.version == modern {
		return withMeta(params, more, `{"elicitation":{}}`)
	}
	if more == "" {
		return params
	}
	return strings.TrimSuffix(params, "}") + `,"_meta":{` + more + `}}`
}

func eraStdio(t *testing.T, version, caps string, env []string, args ...string) *eraClient {
	t.Helper()
	p := openPipes(t, env, args...)
	t.Cleanup(func() { p.in.Close(); _ = p.cmd.Wait() })
	c := &eraClient{T: t, version: version, dir: p.dir, notes: make(chan string, 1000)}
	var mu sync.Mutex
	open := map[string]*eraCall{}
	write := func(text string) {
		if _, err := io.WriteString(p.in, text); err != nil {
			t.Errorf("writing: %v", err)
		}
	}
	c.notify = func(m string) { write(m + "\n") }
	c.call = func(id, method, params string) *eraCall {
		e := &eraCall{id: id, messages: make(chan string, 1000)}
		mu.Lock()
		open[id] = e
		mu.Unlock()
		write(request(id, method, params))
		return e
	}
	// All comes on one stream: what is no reply goes to each call that is open, and to notes.
	go func() {
		for line := range rawLines(p.out) {
			mu.Lock()
			if id, isReply := replyID(t, line); isReply {
				if e := open[id]; e != nil {
					e.messages <- line
				}
				delete(open, id)
			} else {
				c.notes <- line
				for _, e := range open {
					e.messages <- line
				}
			}
			mu.Unlock()
		}
	}()
	if version != modern {
		got := c.reply(c.call(`"init"`, "initialize", fmt.Sprintf(`{"protocolVersion":%q,"capabilities":%s,"clientInfo":{"name":"test","version":"1"}}`, version, caps)))
		if !strings.Contains(got, `"protocolVersion":"`+version+`"`) {
			t.Fatalf("initialize: %s", got)
		}
		c.notify(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	}
	return c
}

func eraHTTP(t *testing.T, version, caps string, env []string, args ...string) *eraClient {
	t.Helper()
	h := serveHTTP(t, t.TempDir(), env, append([]string{"--sandbox", "workspace"}, args...)...)
	c := &eraClient{T: t, version: version, dir: h.dir, notes: make(chan string, 1000)}
	var headers []string
	if version != modern {
		headers = []string{h.session(version, caps)}
		if version != "2024-11-05" && version != "2025-03-26" {
			headers = append(headers, "MCP-Protocol-Version: "+version)
		}
	}
	c.notify = func(m string) {
		t.Helper()
		if resp := h.do("POST", m, headers...); resp.StatusCode != http.StatusAccepted {
			t.Errorf("%s for %s", resp.Status, m)
		}
	}
	c.call = func(id, method, params string) *eraCall {
		ctx, cancel := context.WithCancel(context.Background())
		t.Cleanup(cancel)
		e := &eraCall{id: id, messages: make(chan string, 1000), drop: cancel}
		mine := headers
		if version == modern {
			mine = []string{"MCP-Protocol-Version: " + modern, "Mcp-Method: " + method}
			var p struct{ Name string }
			if json.Unmarshal([]byte(params), &p) == nil && p.Name != "" {
				mine = append(mine, "Mcp-Name: "+p.Name)
			}
		}
		go func() {
			defer close(e.messages)
			if resp := h.doContext(ctx, "POST", strings.TrimSpace(request(id, method, params)), mine...); resp != nil {
				events(resp, e.messages)
			}
		}()
		return e
	}
	if version != modern {
		ctx, cancel := context.WithCancel(context.Background())
		t.Cleanup(cancel)
		stream := h.doContext(ctx, "GET", "", append([]string{"Accept: text/event-stream"}, headers...)...)
		go events(stream, c.notes)
	}
	return c
}

// events passes the messages of an answer on, be it a stream or plain.
func events(resp *http.Response, to chan<- string) {
	lines := bufio.NewReaderSize(resp.Body, 1<<20)
	for {
		line, err := lines.ReadString('\n')
		line = strings.TrimSpace(line)
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			line = data
		}
		if strings.HasPrefix(line, "{") {
			to <- line
		}
		if err != nil {
			return
		}
	}
}

// next gives the next message that has all the parts.
func (c *eraClient) next(from <-chan string, what string, parts ...string) string {
	c.Helper()
	timeout := time.After(30 * time.Second)
	for {
		select {
		case m, open := <-from:
			if !open {
				c.Fatalf("the stream ended without %s", what)
			}
			if containsAll(m, parts) {
				return m
			}
		case <-timeout:
			c.Fatalf("no %s within 30 s", what)
		}
	}
}

func containsAll(s string, parts []string) bool {
	for _, p := range parts {
		if !strings.Contains(s, p) {
			return false
		}
	}
	return true
}

func (c *eraClient) reply(e *eraCall) string {
	c.Helper()
	return c.next(e.messages, "the reply to "+e.id, `"id":`+e.id+`,`)
}

var eraTransports = []struct {
	name  string
	start func(t *testing.T, version, caps string, env []string, args ...string) *eraClient
}{{"stdio", eraStdio}, {"http", eraHTTP}}

// eachEra runs a test for each revision over each transport.
func eachEra(t *testing.T, test func(t *testing.T, start func(env []string, args ...string) *eraClient, elicits bool)) {
	for _, era := range eras {
		for _, tr := range eraTransports {
			t.Run(era.version+"/"+tr.name, func(t *testing.T) {
				t.Parallel()
				caps := "{}"
				if era.elicits {
					caps = `{"elicitation":{}}`
				}
				test(t, func(env []string, args ...string) *eraClient { return tr.start(t, era.version, caps, env, args...) }, era.elicits)
			})
		}
	}
}

// TestElicitationInEachEra: a rule that prompts asks the user in the form of the revision, and does as they say; a client
// that cannot be asked is told no.
func TestElicitationInEachEra(t *testing.T) {
	t.Parallel()
	eachEra(t, func(t *testing.T, start func([]string, ...string) *eraClient, elicits bool) {
		d := fakedoor.Start(t, fakedoor.Script{Results: map[string]string{"pay": good}})
		c := start([]string{writeSettings(t, `{"permissions":{"exec":"prompt","pay":"prompt","*":"allow"}}`), "HANZO_MCP_DOOR=" + d.URL()})
		for i, answer := range []string{"accept", "decline", "cancel"} {
			for _, tool := range []string{"exec", "pay"} {
				file := fmt.Sprintf("made-%s-%d", tool, i)
				params := fmt.Sprintf(`{"name":%q,"arguments":{"command":"touch %s"}}`, tool, file)
				before := len(d.Requests("tools/call"))
				call := c.call(fmt.Sprintf("%d", 10*i+len(tool)), "tools/call", c.params(params, ""))
				var reply string
				switch {
				case !elicits:
					reply = c.reply(call)
				case c.version == modern:
					asked := c.reply(call)
					var m struct {
						Result struct {
							ResultType    string
							InputRequests map[string]struct{ Method string }
							RequestState  string
						}
					}
					if err := json.Unmarshal([]byte(asked), &m); err != nil || m.Result.ResultType != "input_required" || m.Result.InputRequests["approval"].Method != "elicitation/create" {
						t.Fatalf("asked: %s", asked)
					}
					again := strings.TrimSuffix(params, "}") + fmt.Sprintf(`,"inputResponses":{"approval":{"action":%q,"content":{}}},"requestState":%q}`, answer, m.Result.RequestState)
					reply = c.reply(c.call(fmt.Sprintf("%d", 100+10*i+len(tool)), "tools/call", c.params(again, "")))
				default:
					ask := c.next(call.messages, "the question", `"elicitation/create"`)
					var m struct{ ID json.RawMessage }
					if err := json.Unmarshal([]byte(ask), &m); err != nil {
						t.Fatal(err)
					}
					c.notify(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"action":%q,"content":{}}}`, m.ID, answer))
					reply = c.reply(call)
				}
				_, err := os.Stat(filepath.Join(c.dir, file))
				ran := err == nil || len(d.Requests("tools/call")) > before
				if want := elicits && answer == "accept"; ran != want || strings.Contains(reply, "PERMISSION_DENIED") == want {
					t.Errorf("%s, %s: ran %v, reply %.400s", tool, answer, ran, reply)
				}
			}
		}
	})
}

// TestProgressInEachEra: a local and a forwarded call report progress under the caller's token, rising, before the reply;
// without a token there is none.
func TestProgressInEachEra(t *testing.T) {
	t.Parallel()
	eachEra(t, func(t *testing.T, start func([]string, ...string) *eraClient, _ bool) {
		d := fakedoor.Start(t, fakedoor.Conformance())
		c := start([]string{"HANZO_MCP_DOOR=" + d.URL()})
		var all sync.WaitGroup
		for i, token := range []string{`"p1"`, "7", `"ü\u0022"`, ""} {
			all.Go(func() { c.progress(fmt.Sprint(10*i), "exec", token) })
		}
		for i, token := range []string{`"q1"`, "-9007199254740993", `"\/"`, ""} {
			all.Go(func() { c.progress(fmt.Sprint(10*i+1), "test_tool_with_progress", token) })
		}
		all.Wait()
	})
}

func (c *eraClient) progress(id, tool, token string) {
	more := ""
	if token != "" {
		more = `"progressToken":` + token
	}
	call := c.call(id, "tools/call", c.params(`{"name":"`+tool+`","arguments":{"command":"echo one; sleep 0.4; echo two; sleep 0.6"}}`, more))
	n, last := 0, -1.0
	for timeout := time.After(30 * time.Second); ; {
		var m string
		select {
		case m = <-call.messages:
		case <-timeout:
			c.Errorf("%s: no reply", tool)
			return
		}
		var p struct {
			Method string
			ID     json.RawMessage
			Params struct {
				Token    json.RawMessage `json:"progressToken"`
				Progress float64
			}
		}
		if err := json.Unmarshal([]byte(m), &p); err != nil {
			c.Errorf("%v: %s", err, m)
		}
		ours := string(p.Params.Token) == token
		switch {
		case p.Method == "notifications/progress" && ours:
			if p.Params.Progress <= last {
				c.Errorf("%s, token %s: after %v came %s", tool, token, last, m)
			}
			n, last = n+1, p.Params.Progress
		case p.Method == "notifications/progress" && call.drop != nil: // over HTTP the stream is the call's own
			c.Errorf("%s, token %s: %s", tool, token, m)
		case string(p.ID) == id:
			if strings.Contains(m, `"isError":true`) || strings.Contains(m, `"error":{`) {
				c.Errorf("%s: %s", tool, m)
			}
			if token != "" && n < 2 {
				c.Errorf("%s, token %s: %d notifications", tool, token, n)
			}
			return
		}
	}
}

// TestListChangedInEachEra: who has listed hears, on the stream of their revision, that the list is another now.
func TestListChangedInEachEra(t *testing.T) {
	t.Parallel()
	eachEra(t, func(t *testing.T, start func([]string, ...string) *eraClient, _ bool) {
		d := fakedoor.Start(t, fakedoor.Script{Status: 500, Body: ptr("not yet"), Methods: []string{"tools/list"}, Results: map[string]string{"t": good}})
		c := start([]string{"HANZO_MCP_DOOR=" + d.URL()})
		from := (<-chan string)(c.notes)
		if c.version == modern {
			listen := c.call(`"L"`, "subscriptions/listen", c.params(`{"notifications":{"toolsListChanged":true}}`, ""))
			c.next(listen.messages, "the acknowledgement", "notifications/subscriptions/acknowledged", `"io.modelcontextprotocol/subscriptionId":"L"`, `"toolsListChanged":true`)
			from = listen.messages
		}
		if before := c.reply(c.call("1", "tools/list", c.params("{}", ""))); strings.Contains(before, `"name":"describe"`) {
			t.Fatalf("before: %.200s", before)
		}
		d.Set(func(s *fakedoor.Script) { *s = fakedoor.Script{Results: s.Results} })
		c.reply(c.call("3", "tools/call", c.params(`{"name":"t","arguments":{}}`, ""))) // shows that the door is back
		note := c.next(from, "word of the change", "notifications/tools/list_changed")
		if tagged := strings.Contains(note, `"io.modelcontextprotocol/subscriptionId":"L"`); tagged != (c.version == modern) {
			t.Errorf("note %s", note)
		}
		if after := c.reply(c.call("2", "tools/list", c.params("{}", ""))); !strings.Contains(after, `"name":"describe"`) {
			t.Errorf("the list after: %.200s", after)
		}
	})
}

// TestCancellationInEachEra: what the revision has for it ends the work, here and at the door, without a reply; the same
// id may be used again.
func TestCancellationInEachEra(t *testing.T) {
	t.Parallel()
	eachEra(t, func(t *testing.T, start func([]string, ...string) *eraClient, _ bool) {
		d := fakedoor.Start(t, fakedoor.Script{Hang: true, Methods: []string{"tools/call"}})
		c := start([]string{"HANZO_MCP_DOOR=" + d.URL()})
		cancel := func(e *eraCall) {
			if e.drop != nil && c.version == modern {
				e.drop() // there is no session in which a notification could name the call
				return
			}
			c.notify(strings.TrimSpace(cancelOf(strings.TrimSuffix(e.id, `"`) + map[bool]string{false: ".0", true: `"`}[e.id[0] == '"'])))
		}
		forwarded := c.call("5", "tools/call", c.params(`{"name":"t","arguments":{}}`, `"progressToken":1`))
		local := c.call(`"5"`, "tools/call", c.params(`{"name":"exec","arguments":{"command":"touch up; sleep 60; touch down"}}`, `"progressToken":2`))
		waitFor(t, 20*time.Second, "both calls", func() bool {
			_, err := os.Stat(filepath.Join(c.dir, "up"))
			return err == nil && len(d.Requests("tools/call")) == 1
		})
		cancel(forwarded)
		select {
		case <-d.Requests("tools/call")[0].Ended():
		case <-time.After(20 * time.Second):
			t.Error("the call goes on at the door")
		}
		cancel(local)
		again := c.call("5", "tools/call", c.params(`{"name":"fs","arguments":{"action":"stat","path":"up"}}`, ""))
		if got := c.reply(again); strings.Contains(got, `"isError":true`) {
			t.Errorf("the id again: %.300s", got)
		}
		for _, e := range []*eraCall{forwarded, local} {
			for len(e.messages) > 0 {
				if m := <-e.messages; strings.Contains(m, `"id":`+e.id+`,"result"`) && e != forwarded {
					t.Errorf("a cancelled call was answered: %.300s", m)
				}
			}
		}
	})
}
