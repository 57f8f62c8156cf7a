package door

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/auth"
	"github.com/hanzoai/hanzo-mcp/fakedoor"
)

// log collects the lines for a person.
type log struct {
	mu    sync.Mutex
	lines []string
}

func (l *log) add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lines = append(l.lines, line)
}

// wait waits for n lines: some are written after the list is given.
func (l *log) wait(t *testing.T, n int) {
	t.Helper()
	for ctx := deadline(t); len(l.all()) < n && ctx.Err() == nil; {
		time.Sleep(time.Millisecond)
	}
}

func (l *log) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string(nil), l.lines...)
}

// env is a chain that knows these variables only.
func env(url string, variables map[string]string) *auth.Chain {
	return &auth.Chain{Door: url, Getenv: func(name string) string { return variables[name] }}
}

func open(t *testing.T, config Config) *Client {
	t.Helper()
	c := New(config)
	t.Cleanup(c.Close)
	return c
}

func split(t testing.TB, line string) Message {
	t.Helper()
	m, err := Split([]byte(line))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func call(t testing.TB, id, tool, rest string) Message {
	t.Helper()
	return split(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q%s}}`, id, tool, rest))
}

// text is the text of a made result.
func text(t *testing.T, r Reply) string {
	t.Helper()
	var result struct {
		Content []struct{ Type, Text string }
		IsError bool
	}
	if err := json.Unmarshal(r.Result, &result); err != nil || len(result.Content) != 1 || !result.IsError || !r.IsError || r.Error != nil {
		t.Fatalf("no error result: %s %s (%v)", r.Result, r.Error, err)
	}
	return result.Content[0].Text
}

func deadline(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// C274, C277: the caller's params keep their bytes, their absence and their
// spelling; only this hop's _meta is added.
func TestCallParamsVerbatim(t *testing.T) {
	t.Parallel()
	const hop = `"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"hanzo-mcp","version":"v1"},"io.modelcontextprotocol/clientCapabilities":{}`
	tests := []struct{ name, params, want string }{
		{"integers beyond 2^53, 1.0, 1e21", `{"name":"x","arguments":{"id":9223372036854775807,"a":2932809024865746956,"b":1e21,"c":1.0,"d":0.10}}`,
			`{"name":"x","arguments":{"id":9223372036854775807,"a":2932809024865746956,"b":1e21,"c":1.0,"d":0.10},"_meta":{` + hop + `}}`},
		{"signs, key order, escapes, unknown members", `{"X-Foo":[1,{"z":0,"a":0}], "name":"x" ,"arguments":{"h":"<b>&amp;\u00e9\/\u2028"}}`,
			`{"X-Foo":[1,{"z":0,"a":0}], "name":"x" ,"arguments":{"h":"<b>&amp;\u00e9\/\u2028"},"_meta":{` + hop + `}}`},
		{"absent arguments", `{"name":"x"}`, `{"name":"x","_meta":{` + hop + `}}`},
		{"empty arguments", `{"name":"x","arguments":{} }`, `{"name":"x","arguments":{},"_meta":{` + hop + `}}`},
		{"null arguments", `{"name":"x","arguments":null}`, `{"name":"x","arguments":null,"_meta":{` + hop + `}}`},
		{"name as it is spelled", `{"name":"Ns\/Do.It \u00e9"}`, `{"name":"Ns\/Do.It \u00e9","_meta":{` + hop + `}}`},
		{"null meta", `{"_meta":null,"name":"x"}`, `{"_meta":{` + hop + `},"name":"x"}`},
		{"empty meta", `{"name":"x","_meta": { } }`, `{"name":"x","_meta": {` + hop + `} }`},
		{"own members of meta", `{"name":"x","_meta":{"progressToken":9007199254740993, "custom":{"b":1.0,"a":2}}}`,
			`{"name":"x","_meta":{` + hop + `,"progressToken":9007199254740993,"custom":{"b":1.0,"a":2}}}`},
		{"what this hop says itself", `{"name":"x","_meta":{"io.modelcontextprotocol/protocolVersion":"2099-01-01","io.modelcontextprotocol\/clientInfo":{"name":"c"},"io.modelcontextprotocol/clientCapabilities":{"roots":{}},"k":1}}`,
			`{"name":"x","_meta":{` + hop + `,"k":1}}`},
		{"a caller of 2026-07-28 keeps its capabilities", `{"name":"x","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{"form":1.0}}}}`,
			`{"name":"x","_meta":{` + strings.Replace(hop, `Capabilities":{}`, `Capabilities":{"elicitation":{"form":1.0}}`, 1) + `}}`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			door := fakedoor.Start(t, fakedoor.Script{})
			c := open(t, Config{URL: door.URL(), Version: "v1"})
			m := split(t, `{"jsonrpc":"2.0","id":"a b","method":"tools/call","params":`+test.params+`}`)
			r := c.Call(deadline(t), Caller{}, m)
			if r.Made || r.Result == nil {
				t.Fatalf("%+v", r)
			}
			got := door.Requests("tools/call")[0]
			equal(t, string(got.Body), `{"jsonrpc":"2.0","id":"a b","method":"tools/call","params":`+test.want+`}`)
		})
	}
}

func TestCallHeaders(t *testing.T) {
	t.Parallel()
	schema := `{"name":"geo","inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"n":{"type":"object","properties":{"deep":{"type":"integer","x-mcp-header":"Deep"}}}}}}`
	door := fakedoor.Start(t, fakedoor.Script{Tools: []string{schema}})
	c := open(t, Config{URL: door.URL(), Version: "v1", Auth: env(door.URL(), map[string]string{"HANZO_API_KEY": "tok_S3CRET"})})
	if l := c.List(deadline(t), 2*time.Second); len(l.Tools) != 1 {
		t.Fatalf("%+v", l)
	}
	for name, want := range map[string]string{
		"plain": "plain", " lead": "=?base64?IGxlYWQ=?=", "Ns/Do.It é": "=?base64?TnMvRG8uSXQgw6k=?=",
		"a\nb": "=?base64?YQpi?=", "=?base64?x?=": "=?base64?PT9iYXNlNjQ/eD89?=",
	} {
		c.Call(deadline(t), Caller{}, call(t, "1", name, ""))
		all := door.Requests("tools/call")
		h := all[len(all)-1].Header
		equal(t, h.Get("Mcp-Name"), want)
		equal(t, h.Get("Mcp-Method"), "tools/call")
		equal(t, h.Get("Mcp-Protocol-Version"), "2026-07-28")
		equal(t, h.Get("Accept"), "application/json, text/event-stream")
		equal(t, h.Get("Content-Type"), "application/json")
		equal(t, h.Get("Authorization"), "Bearer tok_S3CRET")
		equal(t, h.Get("User-Agent"), "hanzo-mcp/v1")
	}
	c.Call(deadline(t), Caller{}, call(t, "1", "geo", `,"arguments":{"region":"zürich","n":{"deep":5}}`))
	all := door.Requests("tools/call")
	h := all[len(all)-1].Header
	equal(t, h.Get("Mcp-Param-Region"), "=?base64?esO8cmljaA==?=")
	equal(t, h.Get("Mcp-Param-Deep"), "5")
	list := door.Requests("tools/list")[0]
	equal(t, list.Header.Get("Mcp-Method"), "tools/list")
	equal(t, list.Header.Get("Authorization"), "") // HIP-0300 §1.3
}

// C276, C278, C279: results and errors come back as the door gave them.
func TestCallResultsVerbatim(t *testing.T) {
	t.Parallel()
	results := map[string]string{
		"rich":       `{"content":[{"type":"text","text":"<a>&\u00e9\/"},{"type":"resource_link","uri":"x:y"},{"type":"audio","data":""},{"type":"x_custom","q":[1.0,1e21]}],"_meta":{"k":9007199254740993},"foo":{"b":1,"a":2},"annotations":{}}`,
		"structured": `{"content":[],"structuredContent":{"a":1}}`,
		"bare":       `{"foo":1}`,
		"empty":      `{}`,
		"failed":     `{"isError":true,"content":[{"type":"text","text":"no"}]}`,
		"deep":       `{"x":` + strings.Repeat("[", 900) + strings.Repeat("]", 900) + `}`,
	}
	errs := map[string]string{"broken": `{"code":-32099,"message":"m","data":{"k":1.0}}`}
	door := fakedoor.Start(t, fakedoor.Script{Results: results, Errors: errs})
	c := open(t, Config{URL: door.URL()})
	for name, want := range results {
		r := c.Call(deadline(t), Caller{}, call(t, "9007199254740993", name, ""))
		equal(t, string(r.Result), want)
		equal(t, r.IsError, name == "failed")
		equal(t, string(r.Append(nil, []byte("9007199254740993"))), `{"jsonrpc":"2.0","id":9007199254740993,"result":`+want+`}`)
	}
	r := c.Call(deadline(t), Caller{}, call(t, "1", "broken", ""))
	equal(t, string(r.Error), errs["broken"])
	equal(t, r.Result == nil && !r.IsError, true)

	door.Set(func(s *fakedoor.Script) { s.Pretty = true })
	r = c.Call(deadline(t), Caller{}, call(t, "1", "rich", ""))
	var compact bytes.Buffer
	if bytes.ContainsAny(r.Result, "\r\n") || json.Compact(&compact, r.Result) != nil || compact.String() != results["rich"] {
		t.Errorf("got %s", r.Result)
	}

	door.Set(func(s *fakedoor.Script) { s.Pretty, s.Stream = false, fakedoor.Plain })
	for _, status := range []int{0, 400, 404, 500} { // an error of JSON-RPC under any status
		door.Set(func(s *fakedoor.Script) { s.Status = status })
		r = c.Call(deadline(t), Caller{}, call(t, "1", "broken", ""))
		equal(t, string(r.Error), errs["broken"])
	}
}

func TestCallLarge(t *testing.T) {
	t.Parallel()
	door := fakedoor.Start(t, fakedoor.Script{})
	c := open(t, Config{URL: door.URL()})
	for _, stream := range []fakedoor.Stream{fakedoor.NoStream, fakedoor.Plain, fakedoor.CRLF} {
		door.Set(func(s *fakedoor.Script) { s.Stream = stream })
		r := c.Call(deadline(t), Caller{}, call(t, "1", "fixed_8m", ""))
		var result struct{ Content []struct{ Text string } }
		if json.Unmarshal(r.Result, &result) != nil || result.Content[0].Text != strings.Repeat("0123456789abcde\n", 8<<20/16) {
			t.Errorf("%q: not what was sent: %.100s", stream, r.Result)
		}
	}
	content := strings.Repeat("x", 8<<20)
	door.Set(func(s *fakedoor.Script) { s.Stream = fakedoor.NoStream })
	c.Call(deadline(t), Caller{}, call(t, "1", "service_001", `,"arguments":{"c":"`+content+`"}`))
	all := door.Requests("tools/call")
	equal(t, all[len(all)-1].Arguments == `{"c":"`+content+`"}`, true)
}

// C288: our reply has the caller's id whatever the door makes of it.
func TestCallIDs(t *testing.T) {
	t.Parallel()
	door := fakedoor.Start(t, fakedoor.Script{})
	c := open(t, Config{URL: door.URL()})
	for _, stream := range []fakedoor.Stream{fakedoor.NoStream, fakedoor.Plain} {
		for _, id := range []string{`"x"`, "7", "0", "-1", "9007199254740993", `"7"`, `"\u0078/y"`} {
			for _, form := range []string{"", fakedoor.IDString, fakedoor.IDFloat, fakedoor.IDMissing, fakedoor.IDNull} {
				door.Set(func(s *fakedoor.Script) { s.ID, s.Stream = form, stream })
				if r := c.Call(deadline(t), Caller{}, call(t, id, "service_001", "")); r.Made || r.Result == nil {
					t.Errorf("id %s as %q, stream %q: %s", id, form, stream, r.Result)
				}
			}
			door.Set(func(s *fakedoor.Script) { s.ID = fakedoor.IDOther })
			if r := c.Call(deadline(t), Caller{}, call(t, id, "service_001", "")); !strings.Contains(text(t, r), "another request") {
				t.Errorf("%s", r.Result)
			}
		}
	}
}

// C286: whatever the door says, the call has one reply, which quotes little.
func TestCallNonsense(t *testing.T) {
	t.Parallel()
	say := func(body string) *string { return &body }
	html := "<html>" + strings.Repeat("é<p>", 2000)
	tests := []struct {
		name   string
		script fakedoor.Script
		want   string
	}{
		{"200 HTML", fakedoor.Script{Body: say(html), ContentType: "text/html"}, "no JSON-RPC reply but <html>"},
		{"502 HTML", fakedoor.Script{Body: say(html), ContentType: "text/html", Status: 502}, "HTTP 502 Bad Gateway with <html>"},
		{"200 empty", fakedoor.Script{Body: say("")}, "an empty body"},
		{"204", fakedoor.Script{Body: say(""), Status: 204}, "HTTP 204"},
		{"202", fakedoor.Script{Body: say(""), Status: 202}, "HTTP 202"},
		{"no JSON-RPC", fakedoor.Script{Body: say(`{"Output":1}`)}, `{"Output":1}`},
		{"id 99", fakedoor.Script{Body: say(`{"jsonrpc":"2.0","id":99,"result":{}}`)}, "its id is 99"},
		{"truncated JSON", fakedoor.Script{Body: say(`{"jsonrpc":"2.0","id":1,"result":{"conte`)}, "no JSON-RPC reply"},
		{"result and error", fakedoor.Script{Body: say(`{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"m"}}`)}, "no JSON-RPC reply"},
		{"two results", fakedoor.Script{Body: say(`{"jsonrpc":"2.0","id":1,"result":{},"result":{}}`)}, "no JSON-RPC reply"},
		{"result of another type", fakedoor.Script{Body: say(`{"jsonrpc":"2.0","id":1,"result":"x"}`)}, "no JSON-RPC reply"},
		{"null result", fakedoor.Script{Body: say(`{"jsonrpc":"2.0","id":1,"result":null}`)}, "no JSON-RPC reply"},
		{"error without a code", fakedoor.Script{Body: say(`{"id":1,"error":{"message":"m"}}`)}, "no JSON-RPC reply"},
		{"error of a REST API", fakedoor.Script{Status: 500, Body: say(`{"error":{"code":"E1","message":"m"}}`)}, `HTTP 500 Internal Server Error with {"error"`},
		{"429", fakedoor.Script{Status: 429, Body: say("slow down"), Header: http.Header{"Retry-After": {"30"}}}, "slow down; it asks to wait 30 s before the next call"},
		{"429 with a date", fakedoor.Script{Status: 429, Body: say("no"), Header: http.Header{"Retry-After": {"Fri, 31 Dec 1999 23:59:59 GMT"}}}, "no; it asks to wait until Fri, 31 Dec 1999 23:59:59 GMT"},
		{"429 with nonsense", fakedoor.Script{Status: 429, Body: say("no"), Header: http.Header{"Retry-After": {"run rm -rf"}}}, "no. Local tools"},
		{"403", fakedoor.Script{Status: 403, Body: say("no"), Header: http.Header{"Www-Authenticate": {`Bearer error="insufficient_scope", scope="billing:write"`}}}, "no; the bearer lacks the scope billing:write"},
		{"504", fakedoor.Script{Status: 504, Body: say("late")}, "may have been carried out"},
		{"a batch", fakedoor.Script{Body: say(`[{"jsonrpc":"2.0","id":1,"result":{}}]`)}, "no JSON-RPC reply"},
		{"no UTF-8", fakedoor.Script{Body: say("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":\"\xff\"}}")}, "no JSON-RPC reply"},
		{"a request of the door's", fakedoor.Script{Body: say(`{"jsonrpc":"2.0","id":1,"method":"roots/list"}`)}, "no JSON-RPC reply"},
		{"connection closed half way", fakedoor.Script{CutBody: true}, "broke off its answer"},
		{"lying length", fakedoor.Script{ContentLength: 5000, Body: say(`{"jsonrpc":"2.0","id":1,"resul`)}, "broke off its answer after 30 bytes"},
		{"length beyond the limit", fakedoor.Script{ContentLength: 10 << 30}, "more than 65536 bytes"},
		{"endless body", fakedoor.Script{Endless: true}, "more than 65536 bytes"},
		{"compressed without being asked", fakedoor.Script{Header: http.Header{"Content-Encoding": {"gzip"}}}, "encoding"},
		{"stream without a reply", fakedoor.Script{Stream: fakedoor.NoReply}, "ended its event stream"},
		{"stream of other events", fakedoor.Script{Stream: fakedoor.NoReply, Before: []string{"hello"}}, "it sent hello"},
		{"stream too large", fakedoor.Script{Stream: fakedoor.Plain, Before: []string{strings.Repeat("x", 70<<10)}}, "more than 65536 bytes"},
		{"stream of too many events", fakedoor.Script{Stream: fakedoor.Plain, Before: slices.Repeat([]string{`{"jsonrpc":"2.0","method":"notifications/message"}`}, 2000)}, "more than 65536 bytes"},
		{"control characters", fakedoor.Script{Body: say("a\x1b[31m\u202eb\x00c"), ContentType: "text/plain"}, "a [31m b c"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			door := fakedoor.Start(t, test.script)
			c := open(t, Config{URL: door.URL(), MaxSize: 64 << 10})
			r := c.Call(deadline(t), Caller{}, call(t, "1", "service_001", ""))
			got := text(t, r)
			if !r.Made || !strings.Contains(got, test.want) || !strings.Contains(got, door.URL()) || !strings.Contains(got, "Local tools still work") {
				t.Errorf("got %q, want %q in it", got, test.want)
			}
			if len(got) > 1500 {
				t.Errorf("%d bytes", len(got))
			}
			door.Set(func(s *fakedoor.Script) { *s = fakedoor.Script{} })
			if r := c.Call(deadline(t), Caller{}, call(t, "1", "service_001", "")); r.Made {
				t.Errorf("next call: %s", r.Result)
			}
		})
	}
}

// C287: event streams in every form give the result, and one that is left open
// does not delay it.
func TestCallStreams(t *testing.T) {
	t.Parallel()
	for _, stream := range []fakedoor.Stream{fakedoor.Plain, fakedoor.CRLF, fakedoor.CR, fakedoor.BOM, fakedoor.Comments, fakedoor.Lines,
		fakedoor.NoBlankLine, fakedoor.Unframed, fakedoor.Dribble, fakedoor.Garbage} {
		for _, open := range []bool{false, true} {
			if open && (stream == fakedoor.NoBlankLine || stream == fakedoor.Unframed) {
				continue // nothing tells that it is whole
			}
			t.Run(fmt.Sprintf("%s/%v", stream, open), func(t *testing.T) {
				t.Parallel()
				door := fakedoor.Start(t, fakedoor.Script{Stream: stream, StreamOpen: open,
					Before: []string{`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}`}})
				if stream == fakedoor.BOM || stream == fakedoor.Unframed {
					door.Set(func(s *fakedoor.Script) { s.Before = nil })
				}
				c := New(Config{URL: door.URL()})
				defer c.Close()
				start := time.Now()
				r := c.Call(deadline(t), Caller{}, call(t, "1", "echo", `,"arguments":{"a":[1.0,"x"]}`))
				if r.Made || !strings.Contains(string(r.Result), `"structuredContent"`) {
					t.Fatalf("%s", r.Result)
				}
				if took := time.Since(start); took > 15*time.Second {
					t.Errorf("took %v", took)
				}
			})
		}
	}
}

func TestCallProgress(t *testing.T) {
	t.Parallel()
	progress := func(token, rest string) string {
		return `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":` + token + `,` + rest + `}}`
	}
	door := fakedoor.Start(t, fakedoor.Script{Stream: fakedoor.Plain, Before: []string{
		progress(`7`, `"progress":1.50,"total":1e1,"message":"half\/way"`),
		progress(`"7"`, `"progress":2`), // token in another spelling
		progress(`7`, `"progress":2`),   // not risen
		progress(`7`, `"progress":"3"`), // no number
		`{"jsonrpc":"2.0","id":5,"method":"notifications/progress","params":{"progressToken":7,"progress":9}}`,
		`{"jsonrpc":"2.0","method":"notifications/message","params":{"progressToken":7,"progress":9}}`,
		progress(`7`, `"progress":3,"message":"tok_S3CRET"`),
	}})
	c := open(t, Config{URL: door.URL(), Auth: env(door.URL(), map[string]string{"HANZO_API_KEY": "tok_S3CRET"})})
	var got []string
	notify := func(m []byte) { got = append(got, string(m)) }
	if r := c.Call(deadline(t), Caller{Notify: notify}, call(t, "1", "x", `,"_meta":{"progressToken":7}`)); r.Made {
		t.Fatalf("%s", r.Result)
	}
	equal(t, strings.Join(got, "\n"), strings.Join([]string{
		progress(`7`, `"progress":1.50,"total":1e1,"message":"half\/way"`),
		progress(`7`, `"progress":2`),
		progress(`7`, `"progress":3,"message":"[redacted:hanzo]"`),
	}, "\n"))
	got = nil
	c.Call(deadline(t), Caller{Notify: notify}, call(t, "1", "x", ""))
	equal(t, len(got), 0) // without a token there is none
}

// C294: a canceled call closes its connection, at once and each time.
func TestCallCanceled(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]fakedoor.Script{
		"before the answer": {Hang: true},
		"in the body":       {HangBody: true},
		"in a stream":       {Stream: fakedoor.NoReply, StreamOpen: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			door := fakedoor.Start(t, script)
			c := open(t, Config{URL: door.URL()})
			for n := range 100 {
				ctx, cancel := context.WithCancel(deadline(t))
				done := make(chan Reply, 1)
				go func() { done <- c.Call(ctx, Caller{}, call(t, "1", "x", "")) }()
				requests := door.Wait(deadline(t), "tools/call", n+1)
				if requests == nil {
					t.Fatal("no request")
				}
				cancel()
				start := time.Now()
				if r := <-done; !r.Canceled || r.Result != nil || r.Error != nil {
					t.Fatalf("%+v", r)
				}
				select {
				case <-requests[n].Ended():
				case <-deadline(t).Done():
					t.Fatal("the door's request goes on")
				}
				if took := time.Since(start); took > 10*time.Second {
					t.Errorf("took %v", took)
				}
			}
			for open, ctx := 1, deadline(t); open > 0 && ctx.Err() == nil; {
				open, _ = door.Conns()
			}
			if open, _ := door.Conns(); open != 0 {
				t.Errorf("%d connections are open", open)
			}
		})
	}
}

func TestCallTimeout(t *testing.T) {
	t.Parallel()
	door := fakedoor.Start(t, fakedoor.Script{Hang: true})
	c := open(t, Config{URL: door.URL(), Timeout: 50 * time.Millisecond})
	got := text(t, c.Call(deadline(t), Caller{}, call(t, "1", "x", "")))
	if !strings.Contains(got, "no answer within 50ms") {
		t.Error(got)
	}
	door.Set(func(s *fakedoor.Script) { s.Hang, s.HangBody = false, true })
	got = text(t, c.Call(deadline(t), Caller{}, call(t, "1", "x", "")))
	if !strings.Contains(got, "no answer within 50ms") {
		t.Error(got)
	}
}

// C290: the door may restart between calls.
func TestCallAfterRestart(t *testing.T) {
	t.Parallel()
	door := fakedoor.Start(t, fakedoor.Script{})
	c := open(t, Config{URL: door.URL()})
	for range 3 {
		if r := c.Call(deadline(t), Caller{}, call(t, "1", "x", "")); r.Made {
			t.Fatalf("%s", r.Result)
		}
		door.Stop()
		got := text(t, c.Call(deadline(t), Caller{}, call(t, "1", "x", "")))
		if !strings.Contains(got, "refused") && !strings.Contains(got, "closed the connection") {
			t.Error(got)
		}
		if err := door.Start(); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range door.Requests("") {
		if r.Header.Get("Mcp-Session-Id") != "" {
			t.Error("a session id was sent")
		}
	}
}

// dialer fails so many times before it connects.
type dialer struct {
	fails int
	mu    sync.Mutex
	dials int
}

func (d *dialer) transport() *http.Transport {
	base := NewTransport()
	base.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.dials++; d.dials <= d.fails {
			return nil, &net.OpError{Op: "dial", Net: network, Err: errors.New("no route")}
		}
		return (&net.Dialer{}).DialContext(ctx, network, addr)
	}
	return base
}

func TestCallRetriesDialsOnly(t *testing.T) {
	t.Parallel()
	door := fakedoor.Start(t, fakedoor.Script{})
	d := &dialer{fails: 2}
	base := d.transport()
	defer base.CloseIdleConnections()
	c := open(t, Config{URL: door.URL(), Transport: base})
	if r := c.Call(deadline(t), Caller{}, call(t, "1", "x", "")); r.Made {
		t.Errorf("%s", r.Result)
	}
	equal(t, d.dials, 3)

	door.Set(func(s *fakedoor.Script) { s.CutBody = true })
	c.Call(deadline(t), Caller{}, call(t, "2", "x", ""))
	equal(t, len(door.Requests("tools/call")), 2) // what was sent is not sent again
}

func TestInputRequired(t *testing.T) {
	t.Parallel()
	const result = `{"resultType":"input_required","requestState":"s1","inputRequests":{"a":{"method":"elicitation/create"}}}`
	door := fakedoor.Start(t, fakedoor.Script{Results: map[string]string{"ask": result}})
	c := open(t, Config{URL: door.URL()})
	equal(t, string(c.Call(deadline(t), Caller{Modern: true}, call(t, "1", "ask", "")).Result), result)
	modern := call(t, "1", "ask", `,"requestState":"s1","inputResponses":{"a":1.0},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}`)
	equal(t, string(c.Call(deadline(t), Caller{}, modern).Result), result)
	if got := text(t, c.Call(deadline(t), Caller{}, call(t, "1", "ask", ""))); !strings.Contains(got, "2026-07-28") {
		t.Error(got)
	}
}

// What may have been received is not sent again: a call could be a payment.
func TestCallIsNotSentTwice(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	var requests atomic.Int32
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			if req, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
				_, _ = io.Copy(io.Discard, req.Body)
				requests.Add(1)
			}
			_ = conn.(*net.TCPConn).SetLinger(0) // a reset
			conn.Close()
		}
	}()
	c := open(t, Config{URL: "http://" + listener.Addr().String()})
	if got := text(t, c.Call(deadline(t), Caller{}, call(t, "1", "x", ""))); !strings.Contains(got, "gave no answer") || !strings.Contains(got, perhapsDone) {
		t.Error(got)
	}
	equal(t, requests.Load(), 1)
}

// An address that is none is told with what mends it, and never shown.
func TestAddressThatIsNone(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"${HANZO_DOOR}": "was not expanded", "$DOOR/v1/mcp": "was not expanded", "127.0.0.1:1/v1/mcp": "write https://", "user:s3cret@host": "write https://", "api.hanzo.ai/v1/mcp": "write https://",
		"off": "--no-door", "ftp://x": "no http or https URL", "http://": "no http or https URL", "http://[::1": "no http or https URL", "https://u:s3cret@h/": "must not hold",
	} {
		c := New(Config{URL: address})
		got := c.State().Failure
		c.Close()
		if !strings.Contains(got, want) || !strings.Contains(got, "--no-door") || strings.Contains(got, "s3cret") {
			t.Errorf("%s: %s", address, got)
		}
	}
}
