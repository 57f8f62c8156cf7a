package clients

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"github.com/tailscale/hujson"
)

var entry = &Entry{Command: "/opt/hanzo-mcp", Args: []string{"serve", "--project-dir", "/home/me/src"}}

func system(t *testing.T, goos string) System {
	return System{OS: goos, Home: t.TempDir(), Getenv: func(string) string { return "" }}
}

// TestInstallInEveryClient puts the entry into each client's file on each system, from nothing, twice, and takes it
// out again.
func TestInstallInEveryClient(t *testing.T) {
	t.Parallel()
	for _, goos := range []string{"linux", "darwin", "windows"} {
		for _, c := range All() {
			if c.PrintOnly {
				continue
			}
			t.Run(goos+"/"+c.Name, func(t *testing.T) {
				t.Parallel()
				s := system(t, goos)
				first, err := c.Plan(s, entry)
				if err != nil {
					t.Fatal(err)
				}
				if err := first.Apply(); err != nil {
					t.Fatal(err)
				}
				text, err := os.ReadFile(c.File(s))
				if err != nil {
					t.Fatal(err)
				}
				for _, want := range []string{"hanzo", "/opt/hanzo-mcp", "--project-dir", c.path[0]} {
					if !strings.Contains(string(text), want) {
						t.Errorf("no %q in %s", want, text)
					}
				}
				var any map[string]any
				if c.toml {
					err = toml.Unmarshal(text, &any)
				} else {
					err = json.Unmarshal(text, &any) // strict: some clients take no comments
				}
				if err != nil || any[c.path[0]] == nil {
					t.Errorf("%v: %s", err, text)
				}
				again, err := c.Plan(s, entry)
				if err != nil || !again.Same() {
					t.Errorf("a second install changes the file: %v\n%s", err, again.Diff())
				}
				gone, err := c.Plan(s, nil)
				if err != nil {
					t.Fatal(err)
				}
				if err := gone.Apply(); err != nil {
					t.Fatal(err)
				}
				if text, _ := os.ReadFile(c.File(s)); strings.Contains(string(text), "hanzo") {
					t.Errorf("still there: %s", text)
				}
				if left, _ := filepath.Glob(filepath.Join(filepath.Dir(c.File(s)), ".hanzo-*")); len(left) > 0 {
					t.Errorf("left behind: %v", left)
				}
			})
		}
	}
}

func TestJSONKeepsAllElse(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"comments":          "{\n  // mine\n  \"theme\": \"dark\", /* and */\n  \"mcpServers\": {\n    // others\n    \"a\": {\"command\": \"x\"}\n  }\n}\n",
		"comment at end":    "{\n  \"a\": 1\n  // the end\n}\n",
		"trailing commas":   "{\n\t\"mcpServers\": {\n\t\t\"a\": {\"command\": \"x\",},\n\t},\n}\n",
		"only a comment":    "{\n  // nothing yet\n}\n",
		"one line":          `{"mcpServers":{"a":{"command":"x"}},"n":9007199254740993}`,
		"CRLF":              "{\r\n  \"a\": 1.0\r\n}\r\n",
		"BOM":               "\xef\xbb\xbf{\n  \"a\": \"<&>\"\n}\n",
		"four spaces":       "{\n    \"a\": {\n        \"b\": []\n    }\n}",
		"empty file":        "",
		"empty object":      "{}",
		"ours, another way": "{\"mcpServers\": {\"hanzo\": {\"command\": \"npx\", \"args\": [\"old\"]}, \"z\": 1}}",
		"no servers":        "{\n  // none\n  \"mcpServers\": null\n}\n",
		"odd keys":          "{\"mcpServers\\u0000\": 1, \"mcpServ\\u0065rs\": {\"b\": 2}}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			member := stdioEntry{Command: "/opt/hanzo-mcp", Args: []string{"serve"}}
			with, err := editJSON([]byte(text), []string{"mcpServers"}, member)
			if err != nil {
				t.Fatal(err)
			}
			strict, err := hujson.Standardize([]byte(strings.TrimPrefix(string(with), "\xef\xbb\xbf")))
			if err != nil {
				t.Fatalf("%v: %s", err, with)
			}
			var got struct {
				MCPServers map[string]json.RawMessage `json:"mcpServers"`
			}
			if err := json.Unmarshal(strict, &got); err != nil || !strings.Contains(string(got.MCPServers["hanzo"]), "/opt/hanzo-mcp") {
				t.Fatalf("%v: %s", err, with)
			}
			again, err := editJSON(with, []string{"mcpServers"}, member)
			if err != nil || string(again) != string(with) {
				t.Errorf("not the same twice:\n%s\n%s", with, again)
			}
			for _, line := range strings.Split(text, "\n") {
				if word := strings.TrimSpace(line); strings.Contains(word, "//") && !strings.Contains(string(with), word) {
					t.Errorf("the comment %q is gone:\n%s", word, with)
				}
			}
			if strings.Contains(text, "\r\n") != strings.Contains(string(with), "\r\n") || strings.HasPrefix(text, "\xef\xbb\xbf") != strings.HasPrefix(string(with), "\xef\xbb\xbf") {
				t.Errorf("line ends or byte order mark changed: %q", with)
			}
			without, err := editJSON(with, []string{"mcpServers"}, nil)
			if err != nil || strings.Contains(string(without), `"hanzo"`) {
				t.Errorf("%v: %s", err, without)
			}
		})
	}
}

func TestJSONThatCannotBeEditedIsRefused(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"cut off": `{"mcpServers": {`, "a list": `[]`, "servers is a list": `{"mcpServers": []}`, "two": `{} {}`,
		"key twice": `{"mcpServers": {}, "mcpServers": {}}`, "no JSON": `mcpServers = 1`, "not UTF-8": "{\"a\": \"\xff\"}",
	} {
		if out, err := editJSON([]byte(text), []string{"mcpServers"}, 1); err == nil {
			t.Errorf("%s: %s", name, out)
		}
	}
}

// What the user has added to the entry stays when it is installed anew, but for what says how the server was reached.
func TestJSONKeepsWhatWasAdded(t *testing.T) {
	t.Parallel()
	const old = "{\n  \"mcpServers\": {\n    \"hanzo\": {\n      // mine\n      \"env\": {\"HANZO_API_KEY\": \"k\"},\n      \"url\": \"http://x\",\n      \"headers\": {\"A\": \"b\"},\n      \"disabled\": true\n    }\n  }\n}\n"
	member := stdioEntry{Type: "stdio", Command: "/opt/hanzo-mcp", Args: []string{"serve"}}
	out, err := editJSON([]byte(old), []string{"mcpServers"}, member)
	if err != nil {
		t.Fatal(err)
	}
	const want = "{\n  \"mcpServers\": {\n    \"hanzo\": {\n      // mine\n      \"env\": {\"HANZO_API_KEY\": \"k\"},\n      \"disabled\": true,\n      \"type\": \"stdio\",\n      \"command\": \"/opt/hanzo-mcp\",\n" +
		"      \"args\": [\n        \"serve\"\n      ]\n    }\n  }\n}\n"
	if string(out) != want {
		t.Errorf("%s\nwant\n%s", out, want)
	}
	if again, err := editJSON(out, []string{"mcpServers"}, member); err != nil || string(again) != want {
		t.Errorf("again: %v\n%s", err, again)
	}
}

func TestTOMLKeepsAllElse(t *testing.T) {
	t.Parallel()
	member := codex(Entry{Command: "/opt/hanzo-mcp", Args: []string{"serve"}}, "linux")
	for name, c := range map[string]struct{ text, want string }{
		"empty":               {"", "[mcp_servers.hanzo]\ncommand = '/opt/hanzo-mcp'\nargs = ['serve']\n"},
		"others":              {"# mine\nmodel = \"x\"\n\n[mcp_servers.a]\ncommand = \"y\" # keep\n", "# mine\nmodel = \"x\"\n\n[mcp_servers.a]\ncommand = \"y\" # keep\n\n[mcp_servers.hanzo]\ncommand = '/opt/hanzo-mcp'\nargs = ['serve']\n"},
		"replaced":            {"[mcp_servers.hanzo]\ncommand = \"old\"\n[mcp_servers.hanzo.env]\nA = \"1\"\n\n# b's\n[b]\nx = 1\n", "[mcp_servers.hanzo]\ncommand = '/opt/hanzo-mcp'\nargs = ['serve']\n[mcp_servers.hanzo.env]\nA = '1'\n\n\n# b's\n[b]\nx = 1\n"},
		"what the user added": {"[mcp_servers.hanzo]\nurl = \"http://x\"\nhttp_headers = {A = \"b\"}\nstartup_timeout_sec = 20\n", "[mcp_servers.hanzo]\ncommand = '/opt/hanzo-mcp'\nargs = ['serve']\nstartup_timeout_sec = 20\n"},
		"no newline":          {"a = 1", "a = 1\n\n[mcp_servers.hanzo]\ncommand = '/opt/hanzo-mcp'\nargs = ['serve']\n"},
	} {
		got, err := editTOML([]byte(c.text), []string{"mcp_servers"}, member)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, got, c.want)
		}
	}
	for name, text := range map[string]string{
		"inline table": "mcp_servers = {hanzo = {command = \"x\"}}\n",
		"dotted key":   "mcp_servers.hanzo.command = \"x\"\n",
		"broken":       "[mcp_servers\n",
	} {
		if out, err := editTOML([]byte(text), []string{"mcp_servers"}, member); err == nil {
			t.Errorf("%s: %s", name, out)
		}
	}
	out, err := editTOML([]byte("[a]\nx = 1\n\n[mcp_servers.hanzo]\ncommand = \"x\"\n"), []string{"mcp_servers"}, nil)
	if err != nil || string(out) != "[a]\nx = 1\n\n" {
		t.Errorf("uninstall: %v %q", err, out)
	}
}

func TestBrokenFileIsLeftAlone(t *testing.T) {
	t.Parallel()
	s := system(t, "linux")
	c, err := Find("--cursor")
	if err != nil {
		t.Fatal(err)
	}
	file := c.File(s)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	const broken = `{"mcpServers": {"a": `
	if err := os.WriteFile(file, []byte(broken), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Plan(s, entry); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("error %v", err)
	}
	if text, _ := os.ReadFile(file); string(text) != broken {
		t.Errorf("changed: %s", text)
	}
}

func TestApplyKeepsModeLinkAndBackup(t *testing.T) {
	t.Parallel()
	s := system(t, "linux")
	c, _ := Find("cursor")
	file := c.File(s)
	real := filepath.Join(s.Home, "dotfiles", "mcp.json")
	for _, dir := range []string{filepath.Dir(file), filepath.Dir(real)} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(real, []byte("{\"a\": 1}\n"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, file); err != nil {
		t.Fatal(err)
	}
	change, err := c.Plan(s, entry)
	if err != nil {
		t.Fatal(err)
	}
	if err := change.Apply(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(file)
	if err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v %v", info, err)
	}
	if info, err := os.Stat(real); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("mode %v %v", info, err)
	}
	if text, err := os.ReadFile(change.Backup()); err != nil || string(text) != "{\"a\": 1}\n" {
		t.Errorf("backup %q %v", text, err)
	}
	// Somebody else writes between plan and apply: nothing is lost.
	change, err = c.Plan(s, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(real, []byte("{\"b\": 2}\n"), 0o640); err != nil {
		t.Fatal(err)
	}
	if err := change.Apply(); err == nil {
		t.Error("a change over another's was made")
	}
}

func TestHTTPEntries(t *testing.T) {
	t.Parallel()
	e := Entry{URL: "http://127.0.0.1:8300/mcp", Token: "T"}
	for name, want := range map[string]string{
		"claude-code": `{"type":"http","url":"http://127.0.0.1:8300/mcp","headers":{"Authorization":"Bearer T"}}`,
		"gemini":      `{"httpUrl":"http://127.0.0.1:8300/mcp","headers":{"Authorization":"Bearer T"}}`,
		"opencode":    `{"type":"remote","url":"http://127.0.0.1:8300/mcp","headers":{"Authorization":"Bearer T"},"enabled":true}`,
	} {
		c, _ := Find(name)
		if got, _ := json.Marshal(c.Member(e, System{OS: "linux"})); string(got) != want {
			t.Errorf("%s: %s", name, got)
		}
	}
	c, _ := Find("cursor")
	if got, _ := json.Marshal(c.Member(Entry{Command: "npx", Args: []string{"-y"}}, System{OS: "windows"})); string(got) != `{"command":"cmd","args":["/c","npx","-y"]}` {
		t.Errorf("npx on Windows: %s", got)
	}
}

// A name that nobody knows names the nearest of those there are.
func TestFindNamesTheNearest(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"claude-code": "claude-code", "Claude Code": "claude-code", "--cursor": "cursor", "VS Code": "vscode", "vs-code": "vscode", "Gemini CLI": "gemini", "open_code": "is opencode meant",
		"claude": "is claude-code or claude-desktop meant", "cursr": "is cursor meant", "windsurf-next": "is windsurf meant", "emacs": "use one of", "x": "use one of",
	} {
		c, err := Find(given)
		if err == nil && c.Name != want || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v %v, want %s", given, c, err, want)
		}
	}
}

// What is planned says which members of an older entry go, and the old text is kept as it stood, comments and all.
func TestPlanTellsWhatIsDropped(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ client, text, want string }{
		"http before":  {"cursor", "{\"mcpServers\": {\"hanzo\": {\"url\": \"http://x\", \"headers\": {\"A\": \"b\"},\n// mine\n\"env\": {},}}}", "url headers"},
		"stdio before": {"cursor", `{"mcpServers": {"hanzo": {"command": "x", "args": []}}}`, ""},
		"none before":  {"cursor", "// mine\n{}", ""},
		"TOML":         {"codex", "[mcp_servers.hanzo]\nurl = 'http://x'\nhttp_headers = {A = 'b'}\n", "url http_headers"},
	} {
		s := system(t, "linux")
		client, _ := Find(c.client)
		if err := os.MkdirAll(filepath.Dir(client.File(s)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(client.File(s), []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		change, err := client.Plan(s, entry)
		if err != nil || strings.Join(change.Dropped, " ") != c.want || string(change.Before) != c.text {
			t.Errorf("%s: %v %q, before %q", name, err, change.Dropped, change.Before)
		}
		if strings.Contains(c.text, "// mine") && !strings.Contains(string(change.After), "// mine") {
			t.Errorf("%s: the comment is gone: %s", name, change.After)
		}
	}
}
