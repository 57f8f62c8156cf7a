package door

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/auth"
	"github.com/hanzoai/hanzo-mcp/fakedoor"
)

// C284: a bearer that the door sends back, in whatever spelling and place, is in
// no reply, no progress and no line for a person.
func TestBearerNeverComesBack(t *testing.T) {
	t.Parallel()
	const token = `tok_S3C/RET.x` // with a character that JSON may escape
	spellings := map[string]string{
		"plain":          token,
		"slash escaped":  `tok_S3C\/RET.x`,
		"all escaped":    escapeAll(token),
		"one escaped":    `tok_S3C/RE\u0054.x`,
		"nested":         `{\"authorization\":\"Bearer tok_S3C/RET.x\"}`,
		"nested escaped": `{\"a\":\"tok_S3C\\/RET.x\"}`,
		"nested unicode": `{\"a\":\"tok_S3C\\u002fRET.x\"}`,
		"nested twice":   `{\"a\":\"{\\\"b\\\":\\\"tok_S3C\\\\/RET.x\\\"}\"}`,
		"twice":          token + " " + token,
	}
	say := func(body string) *string { return &body }
	for name, spelled := range spellings {
		result := `{"content":[{"type":"text","text":"a ` + spelled + ` b"}],"k":{"` + spelled + `":1}}`
		failed := `{"code":-32000,"message":"` + spelled + `","data":["` + spelled + `"]}`
		for how, script := range map[string]fakedoor.Script{
			"result":          {Results: map[string]string{"x": result}},
			"streamed result": {Results: map[string]string{"x": result}, Stream: fakedoor.Lines},
			"error":           {Errors: map[string]string{"x": failed}},
			"progress":        {Stream: fakedoor.Plain, Before: []string{`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":1,"message":"` + spelled + `"}}`}},
			"garbage":         {Body: say("<p>" + spelled + "</p>"), ContentType: "text/html"},
			"500":             {Body: say(result), Status: 500},
			"wrong id":        {Body: say(`{"jsonrpc":"2.0","id":"` + spelled + `","result":{}}`)},
			"401":             {Token: "other", Challenge: []string{`Bearer resource_metadata="https://x.example/` + strings.ReplaceAll(spelled, " ", "") + `"`}},
			"redirect":        {Redirects: map[string]string{"/v1/mcp": "https://x.example/" + token}},
			"list":            {Tools: []string{tool("a", `,"description":"`+spelled+`"`)}, ListMeta: `{"x":"` + spelled + `"}`},
			"list error":      {ListResult: `{"x":"` + spelled + `"}`},
		} {
			t.Run(name+"/"+how, func(t *testing.T) {
				t.Parallel()
				door := fakedoor.Start(t, script)
				var logged, noted log
				c := open(t, Config{URL: door.URL(), Log: logged.add, Auth: env(door.URL(), map[string]string{"HANZO_API_KEY": token})})
				l := c.List(deadline(t), 5*time.Second)
				r := c.Call(deadline(t), Caller{Notify: func(m []byte) { noted.add(string(m)) }}, call(t, "1", "x", `,"_meta":{"progressToken":7}`))
				seen := []string{string(r.Result), string(r.Error), string(l.Meta), fmt.Sprint(c.State())}
				for _, tool := range l.Tools {
					seen = append(seen, string(tool.Raw))
				}
				seen = append(append(seen, logged.all()...), noted.all()...)
				for _, s := range seen {
					if leaks(s, token) {
						t.Errorf("in %s", s)
					}
				}
				line := string(r.Append(nil, []byte("1")))
				if !json.Valid([]byte(line)) {
					t.Errorf("no JSON: %s", line)
				}
				if how == "result" && (!strings.Contains(line, auth.Marker) || len(logged.all()) == 0) {
					t.Errorf("got %s, said %q", line, logged.all())
				}
			})
		}
	}
}

func escapeAll(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		fmt.Fprintf(&b, `\u%04X`, c)
	}
	return b.String()
}

// leaks decodes every string of s, strings in strings too, and looks for the secret.
func leaks(s, secret string) bool {
	for range 5 {
		if strings.Contains(s, secret) {
			return true
		}
		var decoded strings.Builder
		for rest := s; rest != ""; {
			c, tail, err := unquoteChar(rest)
			if err != nil {
				c, tail = rest[:1], rest[1:]
			}
			decoded.WriteString(c)
			rest = tail
		}
		if decoded.String() == s {
			return false
		}
		s = decoded.String()
	}
	return false
}

func unquoteChar(s string) (c, rest string, err error) {
	if s[0] != '\\' || len(s) < 2 {
		return s[:1], s[1:], nil
	}
	n := 2
	if s[1] == 'u' {
		n = 6
	}
	if len(s) < n {
		return "", "", fmt.Errorf("cut")
	}
	err = json.Unmarshal([]byte(`"`+s[:n]+`"`), &c)
	return c, s[n:], err
}

// A bearer of digits may stand where a marker would break the JSON.
func TestBearerInNumber(t *testing.T) {
	t.Parallel()
	door := fakedoor.Start(t, fakedoor.Script{Results: map[string]string{"x": `{"n":123456789}`}})
	c := open(t, Config{URL: door.URL(), Auth: env(door.URL(), map[string]string{"HANZO_API_KEY": "12345678"})})
	r := c.Call(deadline(t), Caller{}, call(t, "1", "x", ""))
	if strings.Contains(string(r.Result), "12345678") || !json.Valid(r.Result) || !r.IsError {
		t.Errorf("%s", r.Result)
	}
}

// The client's own transport refuses a request with a bearer to another origin,
// whatever it was made for.
func TestBearerStaysAtItsOrigin(t *testing.T) {
	t.Parallel()
	other := fakedoor.Start(t, fakedoor.Script{})
	c := open(t, Config{URL: "https://door.example/v1/mcp"})
	req, err := http.NewRequest(http.MethodPost, other.URL(), strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer tok_S3CRET")
	if resp, err := c.http.RoundTrip(req); err == nil {
		resp.Body.Close()
		t.Error("sent")
	}
	equal(t, len(other.Requests("")), 0)
}
