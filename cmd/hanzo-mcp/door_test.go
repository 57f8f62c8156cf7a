package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/fakedoor"
)

// withDoor starts hanzo-mcp in front of a door.
func withDoor(t *testing.T, script fakedoor.Script, env []string, args ...string) (*client, *fakedoor.Server) {
	t.Helper()
	d := fakedoor.Start(t, script)
	c := start(t, append([]string{"HANZO_MCP_DOOR=" + d.URL()}, env...), args...)
	c.initialize("2025-11-25", "{}")
	return c, d
}

type listed struct {
	Tools []struct{ Name string }
	Meta  map[string]json.RawMessage `json:"_meta"`
	TTL   int64                      `json:"ttlMs"`
	Next  string                     `json:"nextCursor"`
	Scope string                     `json:"cacheScope"`
}

func (c *client) list(id string) (l listed, names []string) {
	c.t.Helper()
	var m struct{ Result listed }
	if err := json.Unmarshal([]byte(c.ask(id, "tools/list", "")), &m); err != nil {
		c.t.Fatal(err)
	}
	for _, t := range m.Result.Tools {
		names = append(names, t.Name)
	}
	return m.Result, names
}

func TestListIsLocalThenTheDoors(t *testing.T) {
	t.Parallel()
	c, _ := withDoor(t, fakedoor.Script{}, nil)
	l, names := c.list("1")
	local := 0
	for _, n := range names {
		if n == "describe" {
			break
		}
		local++
	}
	if local == 0 || len(names) < local+100 {
		t.Errorf("%d local tools, %d in all: %v", local, len(names), names)
	}
	if string(l.Meta["hanzo.ai/refused"]) == "" || l.TTL <= 0 || l.Scope != "private" || l.Next != "" {
		t.Errorf("list %+v", l)
	}
	seen := map[string]bool{}
	for _, n := range names {
		if seen[strings.ToLower(n)] {
			t.Errorf("%s is listed twice", n)
		}
		seen[strings.ToLower(n)] = true
	}
}

func TestLocalNameWins(t *testing.T) {
	t.Parallel()
	c, d := withDoor(t, fakedoor.Script{Tools: []string{
		`{"name":"fs","description":"THEIRS","inputSchema":{"type":"object"}}`,
		`{"name":"exec","description":"THEIRS","inputSchema":{"type":"object"}}`,
		`{"name":"billing","description":"b","inputSchema":{"type":"object"}}`,
	}}, nil)
	got := c.ask("1", "tools/list", "")
	if strings.Contains(got, "THEIRS") || strings.Count(got, `"name":"exec"`) != 1 || !strings.Contains(got, `"name":"billing"`) {
		t.Errorf("list: %.2000s", got)
	}
	c.raw(call("2", "exec", `{"command":"echo mine"}`))
	if r := parseResult(t, c.wait("2")); r.Payload != "mine\n" {
		t.Errorf("payload %q", r.Payload)
	}
	if n := len(d.Requests("tools/call")); n != 0 {
		t.Errorf("the door got %d calls", n)
	}
}

func TestReservedNameThatIsOffStaysHere(t *testing.T) {
	t.Parallel()
	theirs := []string{`{"name":"exec","description":"THEIRS","inputSchema":{"type":"object"}}`}
	c, d := withDoor(t, fakedoor.Script{Tools: theirs}, nil, "--disable-tools", "exec")
	if got := c.ask("1", "tools/list", ""); strings.Contains(got, `"exec"`) {
		t.Errorf("list: %s", got)
	}
	c.raw(call("2", "exec", `{"command":"echo secret"}`))
	if r := parseResult(t, c.wait("2")); r.Error.Code != "UNSUPPORTED" {
		t.Errorf("error %+v", r.Error)
	}
	if n := len(d.Requests("tools/call")); n != 0 {
		t.Errorf("the door got %d calls", n)
	}

	c, d = withDoor(t, fakedoor.Script{Tools: theirs, Results: map[string]string{"exec": `{"content":[]}`}}, nil, "--door-tools", "exec")
	if got := c.ask("1", "tools/list", ""); !strings.Contains(got, "THEIRS") {
		t.Errorf("list: %s", got)
	}
	if got := c.ask("2", "tools/call", `{"name":"exec","arguments":{}}`); got != `{"jsonrpc":"2.0","id":2,"result":{"content":[]}}` {
		t.Error(got)
	}
	if n := len(d.Requests("tools/call")); n != 1 {
		t.Errorf("the door got %d calls", n)
	}
}

func TestForwardedVerbatim(t *testing.T) {
	t.Parallel()
	result := `{"content":[{"type":"text","text":"a<b>&\u0061"},{"type":"resource_link","uri":"x:y","name":"n"},{"type":"x_custom","deep":{"n":9007199254740993}}],` +
		`"structuredContent":{"a":1.0,"b":1e21},"foo":[1,2],"_meta":{"k":"v"},"isError":false}`
	c, d := withDoor(t, fakedoor.Script{Results: map[string]string{"Ns/Do.It é": result}}, nil)
	for i, params := range []string{
		`{"name":"Ns/Do.It é","arguments":{"id":9223372036854775807,"a":2932809024865746956,"b":1e21,"c":1.0,"d":0.10,"z":"<>&","y":"\u00e9\u0022","x":{"k":[1,{"k":2}]}},"X-Foo":1,"_meta":{"custom":{"a":[1]}}}`,
		`{"name":"Ns/Do.It é"}`,
		`{"name":"Ns/Do.It é","arguments":{}}`,
		`{"name":"Ns/Do.It é","arguments":null}`,
		`{"arguments":{"b":2,"a":1},"name":"Ns/Do.It é"}`,
	} {
		id := fmt.Sprint(i + 1)
		if got, want := c.ask(id, "tools/call", params), `{"jsonrpc":"2.0","id":`+id+`,"result":`+result+`}`; got != want {
			t.Errorf("params %s:\n got %s\nwant %s", params, got, want)
		}
		sent := d.Requests("tools/call")[i]
		var asked, were map[string]json.RawMessage
		if err := json.Unmarshal([]byte(params), &asked); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(sent.Params), &were); err != nil {
			t.Fatal(err)
		}
		if string(asked["arguments"]) != string(were["arguments"]) {
			t.Errorf("arguments at the door: %s, sent %s", were["arguments"], asked["arguments"])
		}
		for name, raw := range asked {
			if name != "_meta" && string(were[name]) != string(raw) {
				t.Errorf("%s at the door: %s, sent %s", name, were[name], raw)
			}
		}
		if i == 0 && !strings.Contains(string(were["_meta"]), `"custom":{"a":[1]}`) {
			t.Errorf("_meta at the door: %s", were["_meta"])
		}
	}
}

func TestLargeResultIsVerbatim(t *testing.T) {
	t.Parallel()
	big := `{"content":[{"type":"text","text":"` + strings.Repeat(`<é\n\u0000`, 1<<20) + `"}]}`
	c, _ := withDoor(t, fakedoor.Script{Results: map[string]string{"big": big}}, nil)
	if got := c.ask("1", "tools/call", `{"name":"big"}`); got != `{"jsonrpc":"2.0","id":1,"result":`+big+`}` {
		t.Errorf("%d bytes came back, %d were sent", len(got), len(big))
	}
}

func TestDoorErrorsKeepTheirMembers(t *testing.T) {
	t.Parallel()
	c, _ := withDoor(t, fakedoor.Script{
		Errors:  map[string]string{"e": `{"code":-32099,"message":"m","data":{"k":1}}`},
		Results: map[string]string{"f": `{"content":[],"isError":true}`},
	}, nil)
	if got := c.ask("1", "tools/call", `{"name":"e"}`); got != `{"jsonrpc":"2.0","id":1,"error":{"code":-32099,"message":"m","data":{"k":1}}}` {
		t.Error(got)
	}
	if got := c.ask("2", "tools/call", `{"name":"f"}`); got != `{"jsonrpc":"2.0","id":2,"result":{"content":[],"isError":true}}` {
		t.Error(got)
	}
}

func TestDoorDownIsLocalOnly(t *testing.T) {
	t.Parallel()
	c := start(t, nil)
	begun := time.Now()
	c.initialize("2025-11-25", "{}")
	_, names := c.list("1")
	c.list("2")
	if took := time.Since(begun); took > 10*time.Second { // 2 s, and a busy machine
		t.Errorf("took %v", took)
	}
	for _, n := range names {
		if n == "describe" {
			t.Error("a tool of the door is listed")
		}
	}
	c.raw(call("3", "exec", `{"command":"echo ok"}`))
	if r := parseResult(t, c.wait("3")); r.Payload != "ok\n" {
		t.Errorf("payload %q", r.Payload)
	}
	got := c.ask("4", "tools/call", `{"name":"billing","arguments":{}}`)
	if !strings.Contains(got, `"isError":true`) || !strings.Contains(got, "127.0.0.1:9") || !strings.Contains(got, "ocal tools") {
		t.Errorf("call: %s", got)
	}
	if n := strings.Count(c.stderr.String(), "\n"); n != 1 {
		t.Errorf("%d lines on stderr:\n%s", n, c.stderr)
	}
}

func TestHangingDoorHarmsNobody(t *testing.T) {
	t.Parallel()
	begun := time.Now()
	c, d := withDoor(t, fakedoor.Script{Hang: true}, nil)
	c.list("1")
	if took := time.Since(begun); took > 10*time.Second { // 2 s, and a busy machine
		t.Errorf("up and listing took %v", took)
	}
	c.raw(request("2", "tools/call", `{"name":"billing"}`))
	c.raw(call("3", "exec", `{"command":"echo ok"}`))
	c.wait("3")
	c.alive()
	waitFor(t, 20*time.Second, "the call at the door", func() bool { return len(d.Requests("tools/call")) == 1 })
	c.raw(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}` + "\n")
	select {
	case <-d.Requests("tools/call")[0].Ended():
	case <-time.After(20 * time.Second):
		t.Error("the door's connection is still open")
	}
	c.alive()
}

func TestSignIn(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	file := filepath.Join(home, ".hanzo", "config.json")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(token string) {
		if err := os.WriteFile(file, []byte(`{"apiKey":"`+token+`"}`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("old-token-S3CRET")
	c, _ := withDoor(t, fakedoor.Script{Token: "new-token-S3CRET", Results: map[string]string{"t": `{"content":[]}`}}, []string{"HOME=" + home})
	got := c.ask("1", "tools/call", `{"name":"t"}`)
	for _, want := range []string{`"isError":true`, "hanzo auth login", "/.well-known/oauth-protected-resource"} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in %s", want, got)
		}
	}
	write("new-token-S3CRET")
	if got := c.ask("2", "tools/call", `{"name":"t"}`); got != `{"jsonrpc":"2.0","id":2,"result":{"content":[]}}` {
		t.Error(got)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if all := strings.Join(c.lines, "\n") + c.stderr.String(); strings.Contains(all, "S3CRET") {
		t.Errorf("a token was shown: %s", all)
	}
}

func TestBearerAppearsNowhere(t *testing.T) {
	t.Parallel()
	const token = "tok_S3CRET_value"
	for name, script := range map[string]fakedoor.Script{
		"unauthorized": {Token: "other", Body: ptr(`{"echo":"Bearer ` + token + `"}`), Status: 401, Methods: []string{"tools/call"}},
		"server error": {Body: ptr(`<html>Authorization: Bearer ` + token + `</html>`), Status: 500, Methods: []string{"tools/call"}},
		"in a result":  {Results: map[string]string{"t": `{"content":[{"type":"text","text":"` + token + ` tok_S3CRET\u005fvalue"}]}`}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, d := withDoor(t, script, []string{"HANZO_API_KEY=" + token}, "--debug")
			got := c.ask("1", "tools/call", `{"name":"t","arguments":{"op":"x"}}`)
			if strings.Contains(got, "S3CRET") {
				t.Errorf("reply: %s", got)
			}
			c.raw(call("2", "exec", `{"command":"env; cat /proc/self/environ; ps axe"}`))
			if got := c.wait("2"); strings.Contains(got, "S3CRET") {
				t.Errorf("a child saw it: %s", got)
			}
			if strings.Contains(c.stderr.String(), "S3CRET") {
				t.Errorf("stderr: %s", c.stderr)
			}
			calls := d.Requests("tools/call")
			if len(calls) == 0 || calls[0].Header.Get("Authorization") != "Bearer "+token {
				t.Errorf("the door was not given the bearer")
			}
			for _, r := range d.Requests("tools/list") {
				if r.Header.Get("Authorization") != "" {
					t.Error("the list was asked for with a bearer")
				}
			}
		})
	}
}

func ptr(s string) *string { return &s }

func TestListChangedIsTold(t *testing.T) {
	t.Parallel()
	c, d := withDoor(t, fakedoor.Script{Delay: 2500 * time.Millisecond, Methods: []string{"tools/list"}}, nil)
	_, before := c.list("1")
	select {
	case note := <-c.notes:
		if !strings.Contains(note, "notifications/tools/list_changed") {
			t.Errorf("notification %s", note)
		}
	case <-time.After(10 * time.Second):
		t.Fatalf("no word of the door's list; it was asked %d times", len(d.Requests("tools/list")))
	}
	if _, after := c.list("2"); len(after) != len(before)+111 {
		t.Errorf("%d tools before, %d after", len(before), len(after))
	}
}

func TestMaxTools(t *testing.T) {
	t.Parallel()
	c, _ := withDoor(t, fakedoor.Script{Results: map[string]string{"agents": `{"content":[]}`}}, nil, "--max-tools", "14", "--log-level", "warn")
	l, names := c.list("1")
	if len(names) != 14 || len(l.Meta["hanzo-mcp/omitted"]) == 0 {
		t.Errorf("%d tools, omitted %.200s", len(names), l.Meta["hanzo-mcp/omitted"])
	}
	c.list("2")
	if n := strings.Count(c.stderr.String(), "--max-tools"); n != 1 {
		t.Errorf("said %d times: %s", n, c.stderr)
	}
	for args, want := range map[string]string{
		"--no-door --max-tools 3": "--max-tools 3: the 12 local tools are listed all the same", "--no-door --tools=": "no tool is offered",
		"--no-door --tools exec --disable-tools exec": "no tool is offered", "--no-door --max-tools 12": "", "--no-door --tools fs": "",
	} {
		c := start(t, nil, append(strings.Fields(args), "--log-level", "warn")...)
		c.list("1")
		if said := c.stderr.String(); !strings.Contains(said, want) || want == "" && said != "" {
			t.Errorf("%s: %s", args, said)
		}
	}
}

// A name of --disable-tools that guards nothing is told, once the door has listed.
func TestDisabledNamesThatNoToolHas(t *testing.T) {
	t.Parallel()
	c, _ := withDoor(t, fakedoor.Script{Tools: []string{`{"name":"billing","inputSchema":{"type":"object"}}`}}, nil, "--disable-tools", "ecoh,bill*,exec,no*", "--log-level", "warn")
	c.list("1")
	c.list("2")
	said := c.stderr.String()
	for name, times := range map[string]int{"ecoh": 1, "no*": 1, "bill*": 0, "exec": 0} {
		if n := strings.Count(said, "--disable-tools "+name+": no tool"); n != times {
			t.Errorf("%s is told %d times, want %d: %s", name, n, times, said)
		}
	}
}

func TestListIsTheSameBytes(t *testing.T) {
	t.Parallel()
	d := fakedoor.Start(t, fakedoor.Script{})
	array := func(line string) string {
		i, j := strings.Index(line, `"tools":`), strings.LastIndex(line, `,"ttlMs"`)
		return line[i:j]
	}
	var lists []string
	for range 2 {
		c := start(t, []string{"HANZO_MCP_DOOR=" + d.URL()})
		c.initialize("2025-11-25", "{}")
		lists = append(lists, array(c.ask("1", "tools/list", "")), array(c.ask("2", "tools/list", "")))
	}
	for _, l := range lists[1:] {
		if l != lists[0] {
			t.Error("the lists differ")
		}
	}
}

func TestForwardedProgress(t *testing.T) {
	t.Parallel()
	c, _ := withDoor(t, fakedoor.Script{
		Stream: fakedoor.Plain, Methods: []string{"tools/call"}, Results: map[string]string{"t": `{"content":[]}`},
		Before: []string{`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p1","progress":1,"message":"half"}}`},
	}, nil)
	c.raw(request("1", "tools/call", `{"name":"t","_meta":{"progressToken":"p1"}}`))
	c.wait("1")
	select {
	case note := <-c.notes:
		if !strings.Contains(note, `"progressToken":"p1"`) || !strings.Contains(note, "half") {
			t.Errorf("notification %s", note)
		}
	default:
		t.Error("no progress came before the result")
	}
}

// A call that waits until fewer are under way has progress, as one that waits for the door has: clients give up without.
func TestWaitingCallHasProgress(t *testing.T) {
	t.Parallel()
	c, d := withDoor(t, fakedoor.Script{Hang: true, Methods: []string{"tools/call"}, Results: map[string]string{"t": `{"content":[]}`}}, nil)
	for n := range maxForwards {
		c.raw(request(fmt.Sprint(n), "tools/call", `{"name":"t"}`))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if d.Wait(ctx, "tools/call", maxForwards) == nil {
		t.Fatal("the calls do not come")
	}
	c.raw(request(`"waits"`, "tools/call", `{"name":"t","_meta":{"progressToken":"p1"}}`))
	select {
	case note := <-c.notes:
		if !strings.Contains(note, `"progressToken":"p1"`) {
			t.Errorf("notification %s", note)
		}
	case <-ctx.Done():
		t.Error("no progress")
	}
	if n := len(d.Requests("tools/call")); n != maxForwards {
		t.Errorf("%d calls are under way", n)
	}
}

// A call that was sent and is given up when the server ends may have been carried out, which its reply says.
func TestEndDuringForwardedCall(t *testing.T) {
	t.Parallel()
	c, d := withDoor(t, fakedoor.Script{Hang: true, Methods: []string{"tools/call"}}, nil)
	c.raw(call("1", "billing", "{}"))
	d.Wait(t.Context(), "tools/call", 1)
	c.in.Close()
	if got := c.wait("1"); !strings.Contains(got, "shutting down") || !strings.Contains(got, "may have been carried out") {
		t.Error(got)
	}
}
