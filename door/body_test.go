package door

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/fakedoor"
)

// What was sent may have been carried out, however unreadable the answer is; what was refused was not.
func TestCallMayBeDone(t *testing.T) {
	t.Parallel()
	say := func(body string) *string { return &body }
	tests := []struct {
		name   string
		script fakedoor.Script
		done   bool
	}{
		{"no UTF-8", fakedoor.Script{Body: say("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":\"\xff\"}}")}, true},
		{"bytes after the reply", fakedoor.Script{Body: say(`{"jsonrpc":"2.0","id":1,"result":{}}x`)}, true},
		{"null result", fakedoor.Script{Body: say(`{"jsonrpc":"2.0","id":1,"result":null}`)}, true},
		{"code that is a string", fakedoor.Script{Body: say(`{"id":1,"error":{"code":"E","message":"m"}}`)}, true},
		{"another id", fakedoor.Script{ID: fakedoor.IDOther}, true},
		{"another id in a stream", fakedoor.Script{ID: fakedoor.IDOther, Stream: fakedoor.Plain}, true},
		{"gzip", fakedoor.Script{Header: http.Header{"Content-Encoding": {"gzip"}}}, true},
		{"202", fakedoor.Script{Body: say(""), Status: 202}, true},
		{"204", fakedoor.Script{Body: say(""), Status: 204}, true},
		{"a body too large", fakedoor.Script{Endless: true}, true},
		{"a length too large", fakedoor.Script{ContentLength: 1 << 30}, true},
		{"a stream too large", fakedoor.Script{Stream: fakedoor.Plain, Before: []string{strings.Repeat("x", 70<<10)}}, true},
		{"500", fakedoor.Script{Body: say("no"), Status: 500}, true},
		{"bearer where no marker can stand", fakedoor.Script{Results: map[string]string{"x": `{"n":1234567890}`}}, true},
		{"400", fakedoor.Script{Body: say("no"), Status: 400}, false},
		{"403", fakedoor.Script{Body: say("no"), Status: 403}, false},
		{"404 with a length too large", fakedoor.Script{ContentLength: 1 << 30, Status: 404}, false},
		{"429", fakedoor.Script{Body: say("no"), Status: 429}, false},
		{"401", fakedoor.Script{Token: "other"}, false},
		{"302", fakedoor.Script{Redirects: map[string]string{"/v1/mcp": "/x"}, Status: 302}, false},
		{"308 to another origin", fakedoor.Script{Redirects: map[string]string{"/v1/mcp": "https://x.example/"}}, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			door := fakedoor.Start(t, test.script)
			c := open(t, Config{URL: door.URL(), MaxSize: 64 << 10, Auth: env(door.URL(), map[string]string{"HANZO_API_KEY": "12345678"})})
			got := text(t, c.Call(deadline(t), Caller{}, call(t, "1", "x", "")))
			if strings.Contains(got, perhapsDone) != test.done || strings.Contains(got, "ask for less") {
				t.Error(got)
			}
			equal(t, len(door.Requests("tools/call")), 1)
		})
	}
}

// A body is what it is, whatever its media type says.
func TestCallMediaTypes(t *testing.T) {
	t.Parallel()
	progress := `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`
	blank := "\n\r\n \n"
	for _, media := range []string{"", "-", "application/json", "text/plain; charset=utf-8", "Text/Event-Stream ;x=y"} {
		for name, script := range map[string]fakedoor.Script{
			"JSON":                 {},
			"JSON, indented":       {Pretty: true},
			"stream":               {Stream: fakedoor.Plain, Before: []string{progress}, StreamOpen: true},
			"stream, a few bytes":  {Stream: fakedoor.Dribble},
			"stream, comments":     {Stream: fakedoor.Comments},
			"stream, BOM":          {Stream: fakedoor.BOM},
			"stream, no blank end": {Stream: fakedoor.NoBlankLine},
			"stream of bare JSON":  {Stream: fakedoor.Unframed},
		} {
			t.Run(media+"/"+name, func(t *testing.T) {
				t.Parallel()
				script.ContentType = media
				door := fakedoor.Start(t, script)
				c := New(Config{URL: door.URL(), Timeout: 10 * time.Second})
				defer c.Close()
				if r := c.Call(deadline(t), Caller{}, call(t, "1", "echo", "")); r.Made {
					t.Errorf("%s", r.Result)
				}
			})
		}
		for name, begin := range map[string]string{"line ends": blank, "a byte order mark": "\ufeff", "both": "\ufeff" + blank} {
			for _, body := range []string{`{"jsonrpc":"2.0","id":1,"result":{}}`, "id: 5\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n"} {
				t.Run(media+"/after "+name, func(t *testing.T) {
					t.Parallel()
					text := begin + body
					door := fakedoor.Start(t, fakedoor.Script{Body: &text, ContentType: media, SlowBody: time.Millisecond})
					c := open(t, Config{URL: door.URL()})
					if r := c.Call(deadline(t), Caller{}, call(t, "1", "x", "")); r.Made {
						t.Errorf("%s", r.Result)
					}
				})
			}
		}
	}
}

// A reply to another request in a stream does not hide ours, which comes after it.
func TestCallStrayReplies(t *testing.T) {
	t.Parallel()
	stray := `{"jsonrpc":"2.0","id":99,"result":{"of":"another"}}`
	door := fakedoor.Start(t, fakedoor.Script{Stream: fakedoor.Plain, Before: []string{stray, stray}, Results: map[string]string{"x": `{"of":"ours"}`}})
	c := open(t, Config{URL: door.URL(), Timeout: 300 * time.Millisecond})
	equal(t, string(c.Call(deadline(t), Caller{}, call(t, "1", "x", "")).Result), `{"of":"ours"}`)
	door.Set(func(s *fakedoor.Script) { s.Stream, s.StreamOpen = fakedoor.NoReply, true })
	if got := text(t, c.Call(deadline(t), Caller{}, call(t, "1", "x", ""))); !strings.Contains(got, "its id is 99") {
		t.Error(got)
	}
}

// A whole reply whose end never comes is answered, as in a stream.
func TestCallBodyWithoutEnd(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]fakedoor.Script{
		"no length": {BodyOpen: true}, "a length too large": {BodyOpen: true, ContentLength: 9 << 20},
		"line breaks": {BodyOpen: true, Pretty: true},
	} {
		for _, tool := range []string{"fixed_1k", "fixed_8m"} {
			door := fakedoor.Start(t, script)
			c := open(t, Config{URL: door.URL()})
			if r := c.Call(deadline(t), Caller{}, call(t, "1", tool, "")); r.Made {
				t.Errorf("%s, %s: %.300s", name, tool, r.Result)
			}
		}
	}
	door := fakedoor.Start(t, fakedoor.Script{HangBody: true})
	c := open(t, Config{URL: door.URL(), Timeout: 2500 * time.Millisecond})
	if got := text(t, c.Call(deadline(t), Caller{}, call(t, "1", "x", ""))); !strings.Contains(got, "no answer within 2.5s") && !strings.Contains(got, "broke off") {
		t.Errorf("half a reply: %s", got)
	}
}
