package main

import (
	"strings"
	"testing"
)

// TestMisframedMessages: a client that frames messages as other protocols do hears what to do, and its user once.
func TestMisframedMessages(t *testing.T) {
	t.Parallel()
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for name, c := range map[string]struct{ line, want string }{
		"headers":        {"Content-Length: 40\r", "without headers such as Content-Length"},
		"UTF-16":         {strings.Join(strings.Split(ping, ""), "\x00") + "\x00", "send UTF-8"},
		"latin1":         {"{\"a\":\"\xe4\"}", "it is not UTF-8"},
		"two on a line":  {ping + ping, "end each message with a line feed"},
		"over lines":     {"{", "without line feeds inside"},
		"part of lines":  {`"jsonrpc": "2.0",`, "one line of JSON"},
		"something else": {"GET / HTTP/1.1", "one line of JSON"},
		"message":        {ping, ""},
	} {
		if got := misframed([]byte(c.line)); !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	c := start(t, nil, "--no-door")
	c.raw("Content-Length: 40\r\n\r\n" + ping + "\n")
	if got := c.wait("null"); !strings.Contains(got, "-32700") || !strings.Contains(got, "Content-Length") {
		t.Error(got)
	}
	c.wait("1")
	c.raw("Content-Length: 40\r\n")
	c.wait("null")
	c.raw(`{"jsonrpc":"2.0","id":2,"method":"x","params":` + strings.Repeat("[", 2000) + strings.Repeat("]", 2000) + "}\n")
	if got := c.wait("2"); strings.Contains(got, "one line") {
		t.Error(got)
	}
	c.alive()
	if n := strings.Count(c.stderr.String(), "no message"); n != 1 {
		t.Errorf("said %d times: %s", n, c.stderr)
	}
}

// TestMissingParameters: a request without what it needs is told what that is and what there is.
func TestMissingParameters(t *testing.T) {
	t.Parallel()
	c := start(t, nil, "--no-door")
	c.initialize("2025-11-25", "{}")
	for _, one := range []struct{ method, params, want string }{
		{"resources/read", "", `-32602,"message":"params.uri is missing; hanzo://system-prompt is the one there is"`},
		{"resources/read", "{}", `-32602,"message":"params.uri is missing`},
		{"resources/read", `{"uri":5}`, `-32602,"message":"params.uri must be a string`},
		{"resources/read", `{"uri":"x://y"}`, `-32002,"message":"there is no uri \"x://y\"; hanzo://system-prompt is`},
		{"resources/read", `{"uri":"hanzo://system-prompt"}`, `"contents":[{`},
		{"prompts/get", "{}", `-32602,"message":"params.name is missing; there are no prompts"`},
		{"prompts/get", `{"name":"x"}`, `"message":"there is no name \"x\"; there are no prompts"`},
	} {
		if got := c.ask("1", one.method, one.params); !strings.Contains(got, one.want) {
			t.Errorf("%s %s: %s", one.method, one.params, got)
		}
	}
	if got := c.ask("2", "resources/read", `{`+modernMeta+`}`); !strings.Contains(got, "params.uri is missing") {
		t.Error(got)
	}
}

// TestTimeoutWithoutAUnit: 30 is hardly meant to be 30 ms.
func TestTimeoutWithoutAUnit(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"30": "30s are seconds", "999": "is 999ms", "500ms": "is 500ms", "1000": "", "30s": "", "": ""} {
		faults := limitFaults(func(name string) string {
			if name == "HANZO_MCP_DOOR_TIMEOUT" {
				return text
			}
			return ""
		})
		if got := strings.Join(faults, "; "); !strings.Contains(got, want) || want == "" && got != "" {
			t.Errorf("%q: %s", text, got)
		}
	}
}

// TestParametersOfAnotherKind: what is wrong is said in words of the protocol.
func TestParametersOfAnotherKind(t *testing.T) {
	t.Parallel()
	c := start(t, nil, "--no-door")
	for _, method := range []string{"tools/list", "resources/list", "resources/templates/list", "prompts/list"} {
		if got := c.ask("1", method, `{"cursor":"x"}`); !strings.Contains(got, `{"code":-32602,"message":"unknown cursor: the whole list is one page`) {
			t.Errorf("%s: %s", method, got)
		}
		if got := c.ask("2", method, `{"cursor":null}`); !strings.Contains(got, `"result"`) {
			t.Errorf("%s: %s", method, got)
		}
	}
	for notifications, want := range map[string]string{"[]": "params.notifications must be an object", `{"toolsListChanged":"yes"}`: "must be true or false", `{"toolsListChanged":null}`: `"resultType":"complete"`} {
		if got := c.ask("3", "subscriptions/listen", withMeta(`{"notifications":`+notifications+`}`, "", "{}")); !strings.Contains(got, want) {
			t.Errorf("%s: %s", notifications, got)
		}
	}
}
