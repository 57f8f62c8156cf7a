package auth

import (
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func getenv(variables map[string]string) func(string) string {
	return func(name string) string { return variables[name] }
}

// config writes ~/.hanzo/config.json and gives the home folder.
func config(t *testing.T, home, text string) string {
	t.Helper()
	if home == "" {
		home = t.TempDir()
	}
	if err := os.MkdirAll(filepath.Join(home, ".hanzo"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, ".hanzo", "config.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return home
}

// jwt is an unsigned token with this exp.
func jwt(exp int64) string {
	part := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	return part(`{"alg":"none"}`) + "." + part(fmt.Sprintf(`{"exp":%d}`, exp)) + ".c2ln"
}

const hanzo = "https://api.hanzo.ai/v1/mcp"

func TestChainOrder(t *testing.T) {
	t.Parallel()
	all := map[string]string{"HANZO_API_KEY": "one\n", "HANZO_KEY": "two", "HANZO_TOKEN": "three", "API_KEY": "bad", "OPENAI_API_KEY": "bad", "HANZO_API_TOKEN": "bad"}
	without := func(names ...string) map[string]string {
		kept := map[string]string{}
		for name, value := range all {
			if !slices.Contains(names, name) {
				kept[name] = value
			}
		}
		return kept
	}
	settings := func() string { return "four" }
	home := config(t, "", "\xef\xbb\xbf"+`{"apiKey":"five","x":1}`)
	tests := []struct {
		name   string
		chain  *Chain
		value  string
		source string
	}{
		{"HANZO_API_KEY", &Chain{Getenv: getenv(all), Settings: settings, Home: home}, "one", "HANZO_API_KEY"},
		{"HANZO_KEY", &Chain{Getenv: getenv(without("HANZO_API_KEY")), Settings: settings, Home: home}, "two", "HANZO_KEY"},
		{"HANZO_TOKEN", &Chain{Getenv: getenv(without("HANZO_API_KEY", "HANZO_KEY")), Settings: settings, Home: home}, "three", "HANZO_TOKEN"},
		{"settings, and no other API key (W83)", &Chain{Getenv: getenv(without("HANZO_API_KEY", "HANZO_KEY", "HANZO_TOKEN")), Settings: settings, Home: home}, "four", "api_key of the user settings"},
		{"file", &Chain{Settings: func() string { return "" }, Home: home}, "five", "~/.hanzo/config.json"},
		{"unusable values are passed over", &Chain{Getenv: getenv(map[string]string{"HANZO_API_KEY": "two words", "HANZO_KEY": "a\x00b", "HANZO_TOKEN": "é"}), Home: home}, "five", "~/.hanzo/config.json"},
		{"nothing", &Chain{}, "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.chain.Door = hanzo
			for _, ask := range []Ask{{}, {Passive: true}, {Retry: true, Refused: "x"}} {
				if got := test.chain.Token(t.Context(), ask); got != (Token{Value: test.value, Source: test.source}) {
					t.Errorf("%+v: got %+v", ask, got)
				}
			}
		})
	}
}

func TestConfigFile(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"broken": `{"apiKey":"x`, "no object": `["apiKey"]`, "other type": `{"apiKey":5}`, "other case": `{"APIKEY":"x","api_key":"y"}`,
		"null": `{"apiKey":null}`, "empty": ``, "words": `{"apiKey":"run hanzo auth login"}`, "expired": `{"apiKey":"` + jwt(1) + `"}`,
		"huge": `{"apiKey":"x"` + strings.Repeat(" ", maxConfig) + `}`,
	} {
		c := &Chain{Door: hanzo, Home: config(t, "", text)}
		if got := c.Token(t.Context(), Ask{}); got != (Token{}) {
			t.Errorf("%s: got %+v", name, got)
		}
	}
	folder := t.TempDir()
	if err := os.MkdirAll(filepath.Join(folder, ".hanzo", "config.json"), 0o700); err != nil {
		t.Fatal(err)
	}
	c := &Chain{Door: hanzo, Home: folder}
	if got := c.Token(t.Context(), Ask{}); got != (Token{}) {
		t.Errorf("got %+v", got)
	}
}

// Files are read again after a 401, and as long as there is no bearer.
func TestFilesAreReadAgain(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	c := &Chain{Door: hanzo, Home: home}
	get := func(ask Ask, want string) {
		t.Helper()
		if got := c.Token(t.Context(), ask); got.Value != want {
			t.Errorf("got %+v, want %q", got, want)
		}
	}
	get(Ask{}, "")
	config(t, home, `{"apiKey":"tok_first_1"}`)
	get(Ask{}, "tok_first_1")
	config(t, home, `{"apiKey":"tok_second_2"}`)
	get(Ask{}, "tok_first_1")
	get(Ask{Retry: true, Refused: "tok_first_1"}, "tok_second_2")
	get(Ask{}, "tok_second_2")
	if got := c.Bearers(); !slices.Equal(got, []string{"tok_second_2", "tok_first_1"}) {
		t.Errorf("%q", got)
	}
}

func TestOrigins(t *testing.T) {
	t.Parallel()
	tests := []struct {
		door        string
		origins     []string
		env, stored bool
	}{
		{door: "https://api.hanzo.ai/v1/mcp", env: true, stored: true},
		{door: "https://API.HANZO.AI:443/v1/mcp", env: true, stored: true},
		{door: "https://a.b.hanzo.ai", env: true, stored: true},
		{door: "http://127.0.0.1:8400/v1/mcp", env: true, stored: true},
		{door: "http://localhost/", env: true, stored: true},
		{door: "http://[::1]:1/", env: true, stored: true},
		{door: "http://127.9.9.9/", env: true, stored: true},
		{door: "https://api.lux.cloud/v1/mcp", env: true},
		{door: "https://api.lux.cloud/v1/mcp", origins: []string{"https://api.lux.cloud"}, env: true, stored: true},
		{door: "https://api.lux.cloud/v1/mcp", origins: []string{"https://API.lux.cloud:443/x"}, env: true, stored: true},
		{door: "https://api.lux.cloud:8443/v1/mcp", origins: []string{"https://api.lux.cloud"}, env: true},
		{door: "https://api.lux.cloud", origins: []string{"http://api.lux.cloud", "*", "", "://", "lux.cloud"}, env: true},
		{door: "https://evilhanzo.ai", env: true},
		{door: "https://api.hanzo.ai.evil.example", env: true},
		{door: "https://api.hanzo.ai@evil.example", env: true},
		{door: "https://hanzo.ai", env: true},
		{door: "https://api.hanzo.ai:8443", env: true},
		{door: "https://api.hanzo.ai./", env: true},
		{door: "http://api.hanzo.ai/v1/mcp"},
		{door: "http://api.lux.cloud", origins: []string{"http://api.lux.cloud"}},
		{door: "http://127.0.0.1.evil.example/"},
		{door: "http://localhost.evil.example/"},
		{door: "http://0.0.0.0/"},
		{door: "http://192.168.1.1/"},
		{door: "ftp://127.0.0.1/"},
		{door: "nonsense"},
		{door: ""},
		{door: "http://a b/"},
	}
	for _, test := range tests {
		t.Run(test.door, func(t *testing.T) {
			t.Parallel()
			env := &Chain{Door: test.door, Origins: func() []string { return test.origins }, Getenv: getenv(map[string]string{"HANZO_API_KEY": "tok_S3CRET"})}
			stored := &Chain{Door: test.door, Origins: func() []string { return test.origins }, Settings: func() string { return "tok_S3CRET" }}
			for name, c := range map[string]struct {
				chain *Chain
				sent  bool
			}{"env": {env, test.env}, "stored": {stored, test.stored}} {
				got := c.chain.Token(t.Context(), Ask{})
				if (got.Value == "tok_S3CRET") != c.sent || (got.Withheld == "") != c.sent || got.Source == "" {
					t.Errorf("%s: got %+v", name, got)
				}
				if strings.Contains(got.Withheld, "S3CRET") {
					t.Error(got.Withheld)
				}
				if !slices.Equal(c.chain.Bearers(), []string{"tok_S3CRET"}) {
					t.Errorf("%s: not known for redaction", name)
				}
			}
			// The command is not even run for a door that may not have its bearer.
			ran := false
			command := &Chain{Door: test.door, Origins: func() []string { return test.origins }, LookPath: func(string) (string, error) { ran = true; return "", os.ErrNotExist }}
			if got := command.Token(t.Context(), Ask{}); got.Value != "" || ran != test.stored {
				t.Errorf("command: %+v, ran %v", got, ran)
			}
		})
	}
}

func TestBearersAreBounded(t *testing.T) {
	t.Parallel()
	c := &Chain{}
	c.learn("short")
	for n := range 3 * maxKnown {
		c.learn("1" + strings.Repeat("x", minSecret+n))
	}
	if got := c.Bearers(); len(got) != maxKnown || len(got[0]) < len(got[1]) {
		t.Errorf("%d, %d, %d", len(got), len(got[0]), len(got[1]))
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	if got := c.Token(canceled, Ask{}); got.Value != "" {
		t.Errorf("got %+v", got)
	}
}

// A bearer is taken out of what people put around it; a variable that is set and holds none is told of, not passed over.
func TestBearersAsPeopleWriteThem(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"Bearer tok-1234": "tok-1234", `"tok-1234"`: "tok-1234", " 'bearer  tok-1234' \n": "tok-1234", "tok|12:34": "tok|12:34",
		"${HANZO_API_KEY}": "", `{"access_token":"x"}`: "", "two words": "", "tök": "", "a\x00b": "",
	} {
		c := &Chain{Door: hanzo, Getenv: getenv(map[string]string{"HANZO_API_KEY": given})}
		got := c.Token(t.Context(), Ask{})
		if got.Value != want || (want == "") != strings.Contains(got.Withheld, "HANZO_API_KEY is set") || strings.Contains(got.Withheld, given) {
			t.Errorf("%q: %+v", given, got)
		}
	}
}
