package main

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/fakedoor"
)

// doorFault is one way in which the door misbehaves at calls, and what a call then gets.
type doorFault struct {
	name   string
	script fakedoor.Script
	want   string // part of the text of an isError result, or
	result bool   // the result comes through
}

// good is what the tool t answers when nothing is wrong.
const good = `{"content":[{"type":"text","text":"fine"}]}`

func doorFaults() []doorFault {
	status := func(code int, body string) fakedoor.Script {
		return fakedoor.Script{Status: code, Body: &body, ContentType: "text/html"}
	}
	body := func(text string) fakedoor.Script { return fakedoor.Script{Body: &text} }
	stream := func(how fakedoor.Stream) fakedoor.Script { return fakedoor.Script{Stream: how} }
	const page = "<html><h1>Something is wrong</h1></html>"
	return []doorFault{
		{"400", status(400, page), "400", false},
		{"403", status(403, page), "403", false},
		{"404", status(404, page), "HANZO_MCP_DOOR", false},
		{"409 empty", status(409, ""), "409", false},
		{"413", status(413, page), "413 Request Entity Too Large", false},
		{"429", status(429, page), "429", false},
		{"500", status(500, page), "500", false},
		{"502", status(502, page), "502", false},
		{"503 empty", status(503, ""), "503", false},
		{"204", status(204, ""), "empty", false},
		{"401", fakedoor.Script{Token: "secret"}, "auth login", false},
		{"401 without a challenge", fakedoor.Script{Token: "secret", Challenge: []string{}}, "auth login", false},
		{"401 with a challenge that is no URL", fakedoor.Script{Token: "secret", Challenge: []string{`Bearer resource_metadata="javascript:alert(1)"`}}, "/.well-known/oauth-protected-resource", false},
		{"401 with a broken challenge", fakedoor.Script{Token: "secret", Challenge: []string{`Bearer resource_metadata="`, `=,"",`}}, "auth login", false},
		{"200 page", status(200, page), "Something is wrong", false},
		{"200 empty", status(200, ""), "empty", false},
		{"200 other JSON", body(`{"Output":1}`), "Output", false},
		{"200 null", body(`null`), "null", false},
		{"200 array", body(`[]`), "[]", false},
		{"truncated JSON", body(`{"jsonrpc":"2.0","id":1,"result":{"content":[`), "JSON-RPC", false},
		{"binary", body("\x00\xff\xfe\x80\x1b[31m\n"), "JSON-RPC", false},
		{"invalid UTF-8 in a result", body("{\"jsonrpc\":\"2.0\",\"id\":null,\"result\":{\"a\":\"\xff\"}}"), "JSON-RPC", false},
		{"nested without end", body(strings.Repeat(`[`, 900_000)), "JSON-RPC", false},
		{"neither result nor error", body(`{"jsonrpc":"2.0","id":null}`), "JSON-RPC", false},
		{"compressed without being asked", fakedoor.Script{Header: http.Header{"Content-Encoding": {"gzip"}}}, "encoding", false},
		{"another id", fakedoor.Script{ID: fakedoor.IDOther}, "another request", false},
		{"id as a string", fakedoor.Script{ID: fakedoor.IDString}, "", true},
		{"id as a float", fakedoor.Script{ID: fakedoor.IDFloat}, "", true},
		{"id null", fakedoor.Script{ID: fakedoor.IDNull}, "", true},
		{"no id", fakedoor.Script{ID: fakedoor.IDMissing}, "", true},
		{"hangs before the header", fakedoor.Script{Hang: true}, "no answer within", false},
		{"hangs in the body", fakedoor.Script{HangBody: true}, "no answer within", false},
		{"closes in the body", fakedoor.Script{CutBody: true}, "broke off", false},
		{"slow body", fakedoor.Script{SlowBody: 30 * time.Millisecond}, "", true},
		{"endless body", fakedoor.Script{Endless: true}, "sent more than", false},
		{"length too large", fakedoor.Script{ContentLength: 4000}, "", true}, // the reply is whole all the same
		{"length too small", fakedoor.Script{ContentLength: 20}, "broke off", false},
		{"length of a giant", fakedoor.Script{ContentLength: 1 << 40}, "sent more than", false},
		{"headers too large", fakedoor.Script{Header: http.Header{"X-Big": {strings.Repeat("a", 200<<10)}}}, "gave no answer", false},
		{"another media type", fakedoor.Script{ContentType: "image/png"}, "", true},
		{"302", fakedoor.Script{Redirects: map[string]string{"/v1/mcp": "/x"}, Status: 302}, "302", false},
		{"308 to another origin", fakedoor.Script{Redirects: map[string]string{"/v1/mcp": "http://127.0.0.1:9/v1/mcp"}}, "another origin", false},
		{"308 in a circle", fakedoor.Script{Redirects: map[string]string{"/v1/mcp": "/v1/mcp"}}, "redirects twice", false},
		{"308 to nowhere", fakedoor.Script{Redirects: map[string]string{"/v1/mcp": "://"}}, "Location", false},
		{"308 in the same place", fakedoor.Script{Redirects: map[string]string{"/v1/mcp": "/mcp"}}, "", true},
		{"stream, CRLF", stream(fakedoor.CRLF), "", true},
		{"stream, CR", stream(fakedoor.CR), "", true},
		{"stream, byte order mark", stream(fakedoor.BOM), "", true},
		{"stream, comments", stream(fakedoor.Comments), "", true},
		{"stream, lines", stream(fakedoor.Lines), "", true},
		{"stream, no blank line", stream(fakedoor.NoBlankLine), "", true},
		{"stream, no frame", stream(fakedoor.Unframed), "", true},
		{"stream, a few bytes each", stream(fakedoor.Dribble), "", true},
		{"stream, garbage before", stream(fakedoor.Garbage), "", true},
		{"stream without an answer", stream(fakedoor.NoReply), "without", false},
		{"stream left open", fakedoor.Script{Stream: fakedoor.Plain, StreamOpen: true}, "", true},
		{"stream left open without an answer", fakedoor.Script{Stream: fakedoor.NoReply, StreamOpen: true}, "no answer within", false},
		{"requests and notes before the answer", fakedoor.Script{Stream: fakedoor.Plain, Before: []string{
			`{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{}}`,
			`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"other","progress":1}}`,
			`{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}`}}, "", true},
	}
}

// TestDoorFaults: whatever the door does, each of several calls at once gets one reply with its id that says what is
// wrong, local tools work meanwhile, the door is used again as soon as it behaves, and nothing is left open.
func TestDoorFaults(t *testing.T) {
	t.Parallel()
	for _, f := range doorFaults() {
		for _, tr := range transports {
			t.Run(f.name+"/"+tr.name, func(t *testing.T) {
				t.Parallel()
				d := fakedoor.Start(t, fakedoor.Script{Results: map[string]string{"t": good}})
				r := tr.start(t, []string{"HANZO_MCP_DOOR=" + d.URL(), "HANZO_MCP_DOOR_TIMEOUT=1500ms", "HANZO_MCP_MAX_DOOR_BYTES=1000000"})
				r.ask("0", "tools/list", "")
				if got := r.ask("1", "tools/call", `{"name":"t"}`); !strings.HasSuffix(got, good+"}") {
					t.Fatalf("before the fault: %s", got)
				}
				before := use(t, r.process, r.counts)
				d.Set(func(s *fakedoor.Script) {
					tools, results := s.Tools, s.Results
					*s = f.script
					s.Tools, s.Results, s.Methods = tools, results, []string{"tools/call"}
				})
				var all sync.WaitGroup
				for _, id := range []string{"7", `"a"`, "9007199254740993", "-1"} {
					all.Go(func() {
						got := r.ask(id, "tools/call", `{"name":"t","arguments":{"x":1}}`)
						if want := `{"jsonrpc":"2.0","id":` + id + `,"result":`; !strings.HasPrefix(got, want) {
							t.Errorf("got %.300s", got)
						}
						switch isError := strings.Contains(got, `"isError":true`); {
						case f.result && !strings.HasSuffix(strings.ReplaceAll(got, " ", ""), good+"}"):
							t.Errorf("the result did not come through: %.500s", got)
						case !f.result && (!isError || !strings.Contains(got, f.want) || len(got) > 3000):
							t.Errorf("no %q in %.500s", f.want, got)
						}
					})
				}
				all.Go(func() { r.local(`"local"`) })
				all.Wait()
				d.Set(func(s *fakedoor.Script) { *s = fakedoor.Script{Results: s.Results} })
				if got := r.ask("2", "tools/call", `{"name":"t"}`); !strings.HasSuffix(got, good+"}") {
					t.Errorf("after the fault: %.500s", got)
				}
				atRest(t, r.process, r.counts, before, 12) // idle connections are kept, two goroutines each
			})
		}
	}
}

// TestListFaults: whatever the door answers to tools/list, the local tools are listed within the wait for the first
// answer, in one reply, and calls go through.
func TestListFaults(t *testing.T) {
	t.Parallel()
	tool := func(name string) string { return `{"name":"` + name + `","inputSchema":{"type":"object"}}` }
	text := func(s string) *string { return &s }
	many := make([]string, 1500)
	for i := range many {
		many[i] = tool(fmt.Sprintf("many_%d", i))
	}
	for _, f := range []struct {
		name    string
		script  fakedoor.Script
		has, no string // parts of the list
	}{
		{"500", fakedoor.Script{Status: 500, Body: text("no")}, `"exec"`, `"name":"describe"`},
		{"page", fakedoor.Script{Body: text("<html>"), ContentType: "text/html"}, `"exec"`, `"name":"describe"`},
		{"401", fakedoor.Script{ListToken: "x"}, `"exec"`, `"name":"describe"`},
		{"hangs", fakedoor.Script{Hang: true}, `"exec"`, `"name":"describe"`},
		{"hangs in the body", fakedoor.Script{HangBody: true}, `"exec"`, `"name":"describe"`},
		{"endless", fakedoor.Script{Endless: true}, `"exec"`, `"name":"describe"`},
		{"error", fakedoor.Script{Body: text(`{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"m"}}`)}, `"exec"`, `"name":"describe"`},
		{"tools that is no array", fakedoor.Script{ListResult: `{"tools":{}}`}, `"exec"`, `"name":"describe"`},
		{"no tools", fakedoor.Script{ListResult: `{}`}, `"exec"`, `"name":"describe"`},
		{"one bad tool among good", fakedoor.Script{Tools: []string{"7", `"x"`, `null`, tool("one"), `{"name":3,"inputSchema":{"type":"object"}}`, `{"name":"bad"}`, tool("two")}}, `"two"`, `"name":"bad"`},
		{"the same name twice", fakedoor.Script{Tools: []string{tool("one"), strings.Replace(tool("one"), "}}", `},"title":"second"}`, 1)}}, `"one"`, `"title":"second"`},
		{"a name of ours in other spelling", fakedoor.Script{Tools: []string{tool("FS"), tool("ex-ec"), tool("one")}}, `"one"`, `"FS"`},
		{"a tool too large", fakedoor.Script{Tools: []string{tool("one"), strings.Replace(tool("large"), "{", `{"description":"`+strings.Repeat("a", 70<<10)+`",`, 1)}}, `"one"`, `"large"`},
		{"bad header", fakedoor.Script{Tools: []string{tool("one"), `{"name":"h","inputSchema":{"type":"object","properties":{"a":{"type":"object","x-mcp-header":"A"}}}}`}}, `"one"`, `"name":"h"`},
		{"pages in a circle", fakedoor.Script{Tools: []string{tool("one"), tool("two")}, Pages: 2, CursorLoop: true}, `"two"`, "nextCursor"},
		{"too many tools", fakedoor.Script{Tools: many}, `"many_999"`, `"many_1001"`},
		{"a stream", fakedoor.Script{Stream: fakedoor.Dribble, Tools: []string{tool("one")}}, `"one"`, "data:"},
	} {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			f.script.Methods, f.script.Results = []string{"tools/list"}, map[string]string{"t": good}
			d := fakedoor.Start(t, f.script)
			r := robustStdio(t, []string{"HANZO_MCP_DOOR=" + d.URL()})
			begun := time.Now()
			got := r.ask("1", "tools/list", "")
			if took := time.Since(begun); took > 20*time.Second { // 2 s, and a busy machine
				t.Errorf("the list took %v", took)
			}
			if !strings.Contains(got, f.has) || strings.Contains(got, f.no) {
				t.Errorf("want %s and no %s in %.3000s", f.has, f.no, got)
			}
			if got := r.ask("2", "tools/call", `{"name":"t"}`); !strings.HasSuffix(got, good+"}") {
				t.Errorf("call: %.300s", got)
			}
			r.local("3")
		})
	}
}

// TestDoorComesAndGoes: a closed port, the same port open again, and connections that the door has dropped between calls.
func TestDoorComesAndGoes(t *testing.T) {
	t.Parallel()
	for _, tr := range transports {
		t.Run(tr.name, func(t *testing.T) {
			t.Parallel()
			d := fakedoor.Start(t, fakedoor.Script{Results: map[string]string{"t": good}})
			r := tr.start(t, []string{"HANZO_MCP_DOOR=" + d.URL()})
			for i := range 3 {
				if got := r.ask(fmt.Sprint(i), "tools/call", `{"name":"t"}`); !strings.HasSuffix(got, good+"}") {
					t.Errorf("round %d, up: %.300s", i, got)
				}
				d.Stop()
				if got := r.ask(fmt.Sprintf(`"down%d"`, i), "tools/call", `{"name":"t"}`); !strings.Contains(got, "could not be reached") && !strings.Contains(got, "gave no answer") || !strings.Contains(got, `"isError":true`) {
					t.Errorf("round %d, down: %.300s", i, got)
				}
				r.local(fmt.Sprintf(`"local%d"`, i))
				if err := d.Start(); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestDoorStoppedInTheMiddle: calls that the door has taken when it dies get one reply each and are not sent again.
func TestDoorStoppedInTheMiddle(t *testing.T) {
	t.Parallel()
	for _, tr := range transports {
		t.Run(tr.name, func(t *testing.T) {
			t.Parallel()
			d := fakedoor.Start(t, fakedoor.Script{Hang: true, Methods: []string{"tools/call"}})
			r := tr.start(t, []string{"HANZO_MCP_DOOR=" + d.URL()})
			var all sync.WaitGroup
			for i := range 10 {
				all.Go(func() {
					if got := r.ask(fmt.Sprint(i), "tools/call", `{"name":"t"}`); !strings.Contains(got, `"isError":true`) {
						t.Errorf("got %.300s", got)
					}
				})
			}
			waitFor(t, 20*time.Second, "the calls at the door", func() bool { return len(d.Requests("tools/call")) == 10 })
			d.Stop()
			all.Wait()
			if n := len(d.Requests("tools/call")); n != 10 {
				t.Errorf("the door got %d requests for 10 calls", n)
			}
			r.local(`"local"`)
		})
	}
}
