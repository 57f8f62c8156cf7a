package door

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/auth"
	"github.com/hanzoai/hanzo-mcp/fakedoor"
)

func TestRedirects(t *testing.T) {
	t.Parallel()
	other := fakedoor.Start(t, fakedoor.Script{})
	tests := []struct {
		name   string
		script fakedoor.Script
		want   string // "": followed
	}{
		{"308 to /v1/mcp", fakedoor.Script{Redirects: map[string]string{"/mcp": "/v1/mcp"}}, ""},
		{"307 absolute", fakedoor.Script{Status: 307, Redirects: map[string]string{"/mcp": "SELF/v1/mcp"}}, ""},
		{"301", fakedoor.Script{Status: 301, Redirects: map[string]string{"/mcp": "/v1/mcp"}}, "HTTP 301"},
		{"302", fakedoor.Script{Status: 302, Redirects: map[string]string{"/mcp": "/v1/mcp"}}, "HTTP 302"},
		{"303", fakedoor.Script{Status: 303, Redirects: map[string]string{"/mcp": "/v1/mcp"}}, "HTTP 303"},
		{"another port", fakedoor.Script{Redirects: map[string]string{"/mcp": "OTHER/v1/mcp"}}, "OTHER/v1/mcp"},
		{"another host", fakedoor.Script{Redirects: map[string]string{"/mcp": "https://evil.example/x"}}, "https://evil.example/x"},
		{"another scheme", fakedoor.Script{Redirects: map[string]string{"/mcp": "file:///etc/passwd"}}, "file:///etc/passwd"},
		{"network path", fakedoor.Script{Redirects: map[string]string{"/mcp": "//evil.example/x"}}, "http://evil.example/x"},
		{"two hops", fakedoor.Script{Redirects: map[string]string{"/mcp": "/a", "/a": "/v1/mcp"}}, "redirects twice"},
		{"a loop", fakedoor.Script{Redirects: map[string]string{"/mcp": "/mcp"}}, "redirects twice"},
		{"no Location", fakedoor.Script{Status: 304, Redirects: map[string]string{"/mcp": "http://[x"}}, "without a usable Location"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			door := fakedoor.Start(t, fakedoor.Script{})
			place := strings.NewReplacer("SELF", door.Origin(), "OTHER", other.Origin())
			for from, to := range test.script.Redirects {
				test.script.Redirects[from] = place.Replace(to)
			}
			door.Set(func(s *fakedoor.Script) { *s = test.script })
			url := door.Origin() + "/mcp"
			c := open(t, Config{URL: url, Auth: env(url, map[string]string{"HANZO_API_KEY": "tok_S3CRET"})})
			r := c.Call(deadline(t), Caller{}, call(t, "1", "echo", `,"arguments":{"a":1.0}`))
			if test.want == "" {
				all := door.Requests("tools/call")
				last := all[len(all)-1]
				if r.Made || len(all) != 2 || last.Arguments != `{"a":1.0}` || last.Header.Get("Authorization") != "Bearer tok_S3CRET" {
					t.Errorf("%s", r.Result)
				}
				return
			}
			if got := text(t, r); !strings.Contains(got, place.Replace(test.want)) {
				t.Errorf("got %q", got)
			}
		})
	}
	t.Cleanup(func() { equal(t, len(other.Requests("")), 0) })
}

// C282, W82: a 401 is told, and what is renewed is used without a restart.
func TestSignIn(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	door := fakedoor.Start(t, fakedoor.Script{Token: "tok_second"})
	write := func(token string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Join(home, ".hanzo"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(home, ".hanzo", "config.json"), []byte(`{"apiKey":"`+token+`"}`), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	chain := &auth.Chain{Door: door.URL(), Home: home}
	c := open(t, Config{URL: door.URL(), Auth: chain})
	got := text(t, c.Call(deadline(t), Caller{}, call(t, "1", "x", "")))
	for _, want := range []string{"HANZO_API_KEY", "hanzo auth login", "no `hanzo` command was found", door.Origin() + "/.well-known/oauth-protected-resource"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in %q", want, got)
		}
	}
	write("tok_first")
	got = text(t, c.Call(deadline(t), Caller{}, call(t, "1", "x", "")))
	if !strings.Contains(got, "refused the bearer from ~/.hanzo/config.json") || strings.Contains(got, "tok_first") {
		t.Error(got)
	}
	write("tok_second")
	before := len(door.Requests("tools/call"))
	if r := c.Call(deadline(t), Caller{}, call(t, "1", "x", "")); r.Made {
		t.Errorf("%s", r.Result)
	}
	equal(t, len(door.Requests("tools/call"))-before, 2) // read once more after the 401

	url := door.URL()
	chain = &auth.Chain{Door: url, LookPath: func(string) (string, error) { return filepath.Join(home, "hanzo"), nil }}
	got = text(t, open(t, Config{URL: url, Auth: chain}).Call(deadline(t), Caller{}, call(t, "1", "x", "")))
	if !strings.Contains(got, "Run `hanzo auth login`") {
		t.Error(got)
	}
	got = text(t, open(t, Config{URL: url, Auth: env(url, map[string]string{"HANZO_KEY": "tok_wrong"})}).Call(deadline(t), Caller{}, call(t, "1", "x", "")))
	if !strings.Contains(got, "refused the bearer from HANZO_KEY") {
		t.Error(got)
	}
}

func TestMetadataURL(t *testing.T) {
	t.Parallel()
	const standard = "https://door.example/.well-known/oauth-protected-resource"
	tests := map[string]struct{ challenge, want string }{
		"quoted":               {`Bearer realm="x", resource_metadata="https://id.example/m"`, "https://id.example/m"},
		"token":                {`Bearer resource_metadata=https://id.example/m, error=x`, "https://id.example/m"},
		"other case, blanks":   {`bearer Resource_Metadata = "https://id.example/m"`, "https://id.example/m"},
		"loopback":             {`Bearer resource_metadata="http://127.0.0.1:5/m"`, "http://127.0.0.1:5/m"},
		"second scheme":        {`Basic realm="a", Bearer resource_metadata="https://id.example/m"`, "https://id.example/m"},
		"plain http":           {`Bearer resource_metadata="http://id.example/m"`, standard},
		"other scheme":         {`Bearer resource_metadata="javascript:alert(1)"`, standard},
		"user name":            {`Bearer resource_metadata="https://u:p@id.example/m"`, standard},
		"words":                {`Bearer resource_metadata="https://id.example/m. Now run rm"`, standard},
		"control character":    {"Bearer resource_metadata=\"https://id.example/\x07m\"", standard},
		"too long":             {`Bearer resource_metadata="https://id.example/` + strings.Repeat("m", 2048) + `"`, standard},
		"inside another value": {`Bearer realm="a\", resource_metadata=https://evil.example/"`, standard},
		"no end":               {`Bearer resource_metadata="https://id.example/m`, standard},
		"none":                 {`Bearer`, standard},
		"empty":                {``, standard},
		"odd":                  {`=,= ,Bearer resource_metadata`, standard},
	}
	c := open(t, Config{URL: "https://door.example/v1/mcp"})
	for name, test := range tests {
		if got := c.metadataURL(http.Header{"Www-Authenticate": {test.challenge}}); got != test.want {
			t.Errorf("%s: got %q", name, got)
		}
	}
}

func TestAddress(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ door, base, want string }{
		{"", "", "https://api.hanzo.ai/v1/mcp"},
		{"", "https://api.lux.cloud/", "https://api.lux.cloud/v1/mcp"},
		{"http://localhost:1/x", "https://api.lux.cloud", "http://localhost:1/x"},
		{"", "https://api.hanzo.ai/v1", "https://api.hanzo.ai/v1/mcp"},
		{"", "https://api.hanzo.ai/v1/", "https://api.hanzo.ai/v1/mcp"},
		{"", " https://api.hanzo.ai/v1/mcp ", "https://api.hanzo.ai/v1/mcp"},
		{"", "https://host/base/v1", "https://host/base/v1/mcp"},
		{"", "https://host/api", "https://host/api/v1/mcp"},
		{"", "https://host/v1/?x=1", "https://host/v1/mcp?x=1"},
		{"http://localhost:1/mcp?url=https://api.hanzo.ai/v1/mcp", "", "http://localhost:1/mcp?url=https://api.hanzo.ai/v1/mcp"},
	} {
		variables := map[string]string{"HANZO_MCP_DOOR": test.door, "HANZO_API_BASE": test.base}
		equal(t, Address(func(name string) string { return variables[name] }), test.want)
	}
	for address, want := range map[string]string{
		`"https://api.hanzo.ai/v1/mcp"`: "take the quotes around it away", `'https://api.hanzo.ai'`: "take the quotes around it away",
		"ws://api.hanzo.ai/v1/mcp": "another scheme", "http://::1:8080": "in brackets, as in http://[::1]:8080", "http://fe80::1/mcp": "in brackets",
		"api.hanzo.ai/v1/mcp": "write https://", "${DOOR}": "not expanded",
	} {
		c := open(t, Config{URL: address})
		if got := text(t, c.Call(deadline(t), Caller{}, call(t, "1", "x", ""))); !strings.Contains(got, want) {
			t.Errorf("%q: %s", address, got)
		}
	}
	for _, good := range []string{"https://host/mcp?key=1", "http://localhost:1/mcp?url=https://api.hanzo.ai/v1/mcp"} {
		if c := open(t, Config{URL: good}); c.fault != "" {
			t.Error(c.fault)
		}
	}
	for _, bad := range []string{"", "x", "ftp://a/", "http://", "https://u:p@a/", "http://a b/"} {
		c := open(t, Config{URL: bad})
		if got := text(t, c.Call(deadline(t), Caller{}, call(t, "1", "x", ""))); !strings.Contains(got, "HANZO_MCP_DOOR") || strings.Contains(got, "u:p") {
			t.Errorf("%q: %s", bad, got)
		}
		equal(t, len(c.List(deadline(t), time.Second).Tools), 0)
	}
}

// W82: a bearer of the command that the door refuses is asked for again, in the
// same call.
func TestCommandIsAskedAgain(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("needs sh")
	}
	folder := t.TempDir()
	path := filepath.Join(folder, "hanzo")
	if err := os.WriteFile(path, []byte("#!/bin/sh\necho run >>runs; echo tok_number_$(wc -l <runs | tr -d ' ')\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	door := fakedoor.Start(t, fakedoor.Script{Token: "tok_number_2"})
	chain := &auth.Chain{Door: door.URL(), Home: folder, LookPath: func(string) (string, error) { return path, nil }}
	t.Cleanup(chain.Close)
	c := open(t, Config{URL: door.URL(), Auth: chain})
	c.List(deadline(t), 2*time.Second)
	if _, err := os.Stat(filepath.Join(folder, "runs")); err == nil {
		t.Error("the command ran for the list")
	}
	for range 2 {
		if r := c.Call(deadline(t), Caller{}, call(t, "1", "x", "")); r.Made {
			t.Errorf("%s", r.Result)
		}
	}
	var sent []string
	for _, r := range door.Requests("tools/call") {
		sent = append(sent, r.Header.Get("Authorization"))
	}
	equal(t, strings.Join(sent, ","), "Bearer tok_number_1,Bearer tok_number_2,Bearer tok_number_2")
	door.Set(func(s *fakedoor.Script) { s.Token = "tok_other" })
	if got := text(t, c.Call(deadline(t), Caller{}, call(t, "1", "x", ""))); !strings.Contains(got, "refused the bearer from hanzo auth token") {
		t.Error(got)
	}
}

// A short word of the command may be no bearer: a door that serves who has none is asked once without it.
func TestDoubtfulBearer(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("needs sh")
	}
	folder := t.TempDir()
	path := filepath.Join(folder, "hanzo")
	prints := func(word string) {
		t.Helper()
		if err := os.WriteFile(path, []byte("#!/bin/sh\necho "+word+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	refuses := func(bearer string) fakedoor.Script {
		return fakedoor.Script{Refuse: bearer}
	}
	run := func(word string, script fakedoor.Script) (Reply, string) {
		t.Helper()
		prints(word)
		door := fakedoor.Start(t, script)
		chain := &auth.Chain{Door: door.URL(), Home: folder, LookPath: func(string) (string, error) { return path, nil }}
		t.Cleanup(chain.Close)
		r := open(t, Config{URL: door.URL(), Auth: chain}).Call(deadline(t), Caller{}, call(t, "1", "x", ""))
		var sent []string
		for _, r := range door.Requests("tools/call") {
			sent = append(sent, r.Header.Get("Authorization"))
		}
		return r, strings.Join(sent, ",")
	}
	r, sent := run("build-2024", refuses("build-2024"))
	if r.Made {
		t.Errorf("%s", r.Result)
	}
	equal(t, sent, "Bearer build-2024,")

	r, sent = run("build-2024", fakedoor.Script{Token: "other"})
	if got := text(t, r); !strings.Contains(got, "refused the bearer from hanzo auth token") || !strings.Contains(got, "short for a bearer") {
		t.Error(got)
	}
	equal(t, sent, "Bearer build-2024,")

	// A bearer beyond doubt is not dropped: the call would be made for nobody.
	const long = "hk-0123456789abcdef0123"
	r, sent = run(long, refuses(long))
	if got := text(t, r); !strings.Contains(got, "Run `hanzo auth login`") {
		t.Error(got)
	}
	equal(t, sent, "Bearer "+long)
}

// A short word of the command is redacted once the door has taken it, and not when the door has refused it.
func TestDoubtfulBearerIsRedactedWhenTaken(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("needs sh")
	}
	path := filepath.Join(t.TempDir(), "hanzo")
	if err := os.WriteFile(path, []byte("#!/bin/sh\necho tok-1234\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		script fakedoor.Script
		want   string
	}{
		"taken":   {fakedoor.Script{Results: map[string]string{"x": `{"a":"{{authorization}}"}`}, Echo: true}, `{"a":"Bearer ` + auth.Marker + `"}`},
		"failed":  {fakedoor.Script{Errors: map[string]string{"x": `{"code":1,"message":"{{authorization}}"}`}, Echo: true, Status: 500}, `{"code":1,"message":"Bearer ` + auth.Marker + `"}`},
		"refused": {fakedoor.Script{Refuse: "tok-1234", Results: map[string]string{"x": `{"a":"tok-1234"}`}}, `{"a":"tok-1234"}`},
	} {
		door := fakedoor.Start(t, test.script)
		chain := &auth.Chain{Door: door.URL(), Home: t.TempDir(), LookPath: func(string) (string, error) { return path, nil }}
		t.Cleanup(chain.Close)
		r := open(t, Config{URL: door.URL(), Auth: chain}).Call(deadline(t), Caller{}, call(t, "1", "x", ""))
		if got := string(r.Result) + string(r.Error); got != test.want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// `hanzo auth login` is offered only where it helps.
func TestSignInAdvice(t *testing.T) {
	t.Parallel()
	command := func(string) (string, error) { return "/nonexistent/hanzo", nil }
	for name, test := range map[string]struct {
		token      auth.Token
		want, none string
	}{
		"settings":      {auth.Token{Value: "x", Source: "api_key of the user settings"}, "remove the api_key of the user settings (`hanzo-mcp settings` names the file)", "or run `hanzo auth login`"},
		"file":          {auth.Token{Value: "x", Source: "~/.hanzo/config.json"}, "remove apiKey in ~/.hanzo/config.json", "or run `hanzo auth login`"},
		"variable":      {auth.Token{Value: "x", Source: "HANZO_KEY"}, "or remove it and run `hanzo auth login`", "Mend that"},
		"command":       {auth.Token{Value: "x", Source: auth.Command}, "Run `hanzo auth login`", "Mend that"},
		"none":          {auth.Token{}, "Run `hanzo auth login`", "Mend that"},
		"not sent":      {auth.Token{Withheld: "a stored bearer is not sent there"}, "Mend that", "Run `hanzo auth login`"},
		"not filled in": {auth.Token{Withheld: "HANZO_KEY is set, but to no bearer", Unset: true}, "Mend that, or run `hanzo auth login`", "alone does not help"},
		"not over LAN":  {auth.Token{Source: "HANZO_KEY", Withheld: "a bearer is not sent over plain http"}, "Mend that", "or remove it and run"},
	} {
		c := open(t, Config{URL: "https://door.example/v1/mcp", Auth: &auth.Chain{LookPath: command}})
		if got := c.signIn(&unauthorized{}, test.token); !strings.Contains(got, test.want) || strings.Contains(got, test.none) {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// The door's own reason for a 401 is told, without the bearer; a body that does not come is not waited for.
func TestSignInReason(t *testing.T) {
	t.Parallel()
	const bearer = "functionality" // too plain to be redacted everywhere
	for name, test := range map[string]struct {
		challenge, body, want string
	}{
		"JSON-RPC":            {"", `{"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"token expired for org acme"}}`, "The door says: token expired for org acme. "},
		"challenge":           {`Bearer error="invalid_token", error_description="The token\u001b has expired"`, "x", "The door says: The token"},
		"OAuth":               {"", `{"error":"invalid_token","error_description":"gone"}`, "The door says: gone. "},
		"a word":              {"", `{"error":"invalid_token"}`, "The door says: invalid_token. "},
		"message":             {"", `{"message":"no such key"}`, "The door says: no such key. "},
		"detail":              {"", `{"detail":"no such key"}`, "The door says: no such key. "},
		"a status again":      {"", `{"error":{"message":"Unauthorized"}}`, "(401). Set"},
		"a page":              {"", "<html>Log in</html>", "(401). Set"},
		"the bearer":          {"", `{"message":"no such key as functionality, hk-0123"}`, "The door says: no such key as [redacted:hanzo], hk-0123. "},
		"long":                {"", `{"message":"` + strings.Repeat("x", 2000) + `"}`, "xx…. Set"},
		"longer than is read": {"", `{"message":"a","x":"` + strings.Repeat("x", 20_000) + `"}`, "(401). Set"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if test.challenge != "" {
					w.Header().Set("WWW-Authenticate", test.challenge)
				}
				w.WriteHeader(http.StatusUnauthorized)
				_, _ = io.WriteString(w, test.body)
			}))
			t.Cleanup(server.Close)
			c := open(t, Config{URL: server.URL, Auth: env(server.URL, map[string]string{"HANZO_KEY": bearer})})
			if got := text(t, c.Call(deadline(t), Caller{}, call(t, "1", "x", ""))); !strings.Contains(got, test.want) || len(got) > 1500 {
				t.Errorf("got %s, want %q in it", got, test.want)
			}
		})
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.ReadAll(r.Body)
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = io.WriteString(w, `{"message":`)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	c := open(t, Config{URL: server.URL})
	if got := text(t, c.Call(deadline(t), Caller{}, call(t, "1", "x", ""))); !strings.Contains(got, "wants a bearer (401)") {
		t.Error(got)
	}
}

// A file that is there and cannot be used is named.
func TestSignInTellsOfTheFile(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	if err := os.MkdirAll(filepath.Join(home, ".hanzo"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, ".hanzo", "config.json"), []byte(`{"apiKey":"tok_S3CRET",}`), 0o600); err != nil {
		t.Fatal(err)
	}
	c := open(t, Config{URL: "https://door.example/v1/mcp", Auth: &auth.Chain{Home: home}})
	if got := c.signIn(&unauthorized{}, auth.Token{}); !strings.Contains(got, "~/.hanzo/config.json is not used: it is not valid JSON at byte") || strings.Contains(got, "S3CRET") {
		t.Error(got)
	}
}
