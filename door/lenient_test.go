package door

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/fakedoor"
)

// An error under a status of failure is the answer whatever its id: some servers have one of their own for it.
func TestErrorWithAnotherID(t *testing.T) {
	t.Parallel()
	const want = `{"code":-32600,"message":"Bad Request: Unsupported protocol version","data":{"x":1.0}}`
	for _, stream := range []fakedoor.Stream{fakedoor.NoStream, fakedoor.Plain} {
		for _, id := range []string{`"server-error"`, "-1", `""`} {
			door := fakedoor.Start(t, fakedoor.Script{Status: 400, ID: id, Stream: stream, Errors: map[string]string{"x": want}, Header: http.Header{"Retry-After": {"30"}}})
			c := open(t, Config{URL: door.URL()})
			if r := c.Call(deadline(t), Caller{}, call(t, "1", "x", "")); string(r.Error) != want {
				t.Errorf("%s %q: %s %s", id, stream, r.Error, r.Result)
			}
			if r := c.Call(deadline(t), Caller{}, call(t, "1", "y", "")); !strings.Contains(text(t, r), "another request") {
				t.Errorf("%s %q: a result: %s", id, stream, r.Result)
			}
			door.Set(func(s *fakedoor.Script) { s.Status = 0 })
			if r := c.Call(deadline(t), Caller{}, call(t, "1", "x", "")); !strings.Contains(text(t, r), "another request") {
				t.Errorf("%s %q: an error under 200: %s", id, stream, r.Error)
			}
		}
	}
	own := `{"content":[]}`
	door := fakedoor.Start(t, fakedoor.Script{Status: 400, Stream: fakedoor.Plain, Before: []string{`{"jsonrpc":"2.0","id":"server-error","error":` + want + `}`}, Results: map[string]string{"x": own}})
	c := open(t, Config{URL: door.URL()})
	if r := c.Call(deadline(t), Caller{}, call(t, "1", "x", "")); string(r.Result) != own {
		t.Errorf("the own reply comes after it: %s %s", r.Result, r.Error)
	}
}

// A caller that cannot be asked is told what the tool wants to know.
func TestInputThatALegacyCallerCannotGive(t *testing.T) {
	t.Parallel()
	for result, want := range map[string]string{
		`{"resultType":"input_required","inputRequests":{"b":{"method":"sampling/createMessage","params":{"messages":[]}},"a":{"method":"elicitation/create","params":{"message":"Which\u001b org?","requestedSchema":{"properties":{"region":{},"org":{"type":"string"}}}}}}}`: "It asks \"Which  org? (org, region); sampling/createMessage\". Give",
		`{"resultType":"input_required","inputRequests":{"a":{"params":{"message":5,"url":"https://x.example/y","mode":"url"}}}}`:                                                                                                                                               "It asks \"https://x.example/y\". Give",
		`{"resultType":"input_required","inputRequests":[1]}`:                                                              "MCP 2026-07-28. Give",
		`{"resultType":"input_required","inputRequests":{"a":{"params":{"message":"` + strings.Repeat("x", 5000) + `"}}}}`: "xxx…\". Give",
	} {
		door := fakedoor.Start(t, fakedoor.Script{Results: map[string]string{"x": result}})
		c := open(t, Config{URL: door.URL()})
		if got := text(t, c.Call(deadline(t), Caller{}, call(t, "1", "x", ""))); !strings.Contains(got, want) || len(got) > 1500 {
			t.Errorf("got %s, want %q in it", got, want)
		}
		if r := c.Call(deadline(t), Caller{Modern: true}, call(t, "1", "x", "")); string(r.Result) != result {
			t.Errorf("to a modern caller: %s", r.Result)
		}
	}
}

// A member that is null is absent: it is taken out, and all else keeps its bytes.
func TestListWithNulls(t *testing.T) {
	t.Parallel()
	const schema = `"inputSchema":{"type":"object", "properties":{"a":{"default":null}}}`
	for given, want := range map[string]string{
		`{"name":"t","title":null,"description":null,"annotations":null,"outputSchema":null,"_meta":null,"icons":null,"execution":null,` + schema + `}`: `{"name":"t",` + schema + `}`,
		`{"name":"t","annotations":{"title":null,"readOnlyHint":true,"openWorldHint":null},` + schema + `,"odd":null}`:                                  `{"name":"t","annotations":{"readOnlyHint":true},` + schema + `,"odd":null}`,
		`{"annotations":{"title":null},"name":"t","inputSchema":{"type":"object","required":null}}`:                                                     `{"annotations":{},"name":"t","inputSchema":{"type":"object"}}`,
		`{"name":"t", ` + schema + ` }`: `{"name":"t", ` + schema + ` }`,
		`{"name":"t","title":null,"outputSchema":{"type":"object","properties":null},` + schema + `}`: `{"name":"t","outputSchema":{"type":"object"},` + schema + `}`,
	} {
		door := fakedoor.Start(t, fakedoor.Script{Tools: []string{given}})
		c := open(t, Config{URL: door.URL()})
		l := c.List(deadline(t), 10*time.Second)
		if len(l.Tools) != 1 || string(l.Tools[0].Raw) != want {
			t.Errorf("%s: got %v, left out: %s", given, l.Tools, l.LeftOut())
		}
	}
}

// A cursor that is a number is followed, and one that cannot be is told of.
func TestListCursorThatIsNoString(t *testing.T) {
	t.Parallel()
	for cursor, pages := range map[string]int{"5": 2, "0": 2, "true": 1, "{}": 1, "null": 1, `""`: 1} {
		door := fakedoor.Start(t, fakedoor.Script{ListResult: `{"tools":[` + tool("a") + `],"nextCursor":` + cursor + `}`})
		c := open(t, Config{URL: door.URL()})
		l := c.List(deadline(t), 10*time.Second)
		requests := door.Requests("tools/list")
		equal(t, len(requests), pages)
		if pages == 2 && !strings.HasPrefix(requests[1].Params, `{"cursor":`+cursor+`,`) {
			t.Errorf("%s", requests[1].Params)
		}
		equal(t, l.Dropped[dropCursor] > 0, cursor == "true" || cursor == "{}")
	}
}
