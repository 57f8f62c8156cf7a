// Package clients knows the MCP clients that hanzo-mcp can be put into: where each keeps its settings on each
// system, under which key its servers stand, and how an entry is written there.
//
// Its room is the edit of one settings file: the entry goes in or out and everything else, comments and unknown
// keys included, stays byte for byte. A file that cannot be understood is refused untouched. It must never start a
// client, never write outside the one file and its backup, and never put a bearer of the cloud into a file.
package clients

import (
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Name is the name of our entry in every client.
const Name = "hanzo"

// transport are the members of an entry, in any client, that say how the server is started or reached.
var transport = []string{"type", "command", "args", "url", "httpUrl", "serverUrl", "headers", "http_headers"}

// Entry is how a client starts or reaches the server.
type Entry struct {
	Command string   // program; "" for an HTTP entry
	Args    []string //
	URL     string   // of an HTTP entry
	Token   string   // of an HTTP entry: the server's own, sent as a bearer
}

// System is where the client's files are looked for.
type System struct {
	OS     string // runtime.GOOS
	Home   string
	Getenv func(string) string // APPDATA, XDG_CONFIG_HOME, CODEX_HOME, CLAUDE_CONFIG_DIR
}

// This is the system that the program runs on.
func This(home string, getenv func(string) string) System {
	return System{OS: runtime.GOOS, Home: home, Getenv: getenv}
}

// Client is one MCP client.
type Client struct {
	Name  string // as the user types it
	Title string

	// PrintOnly: the entry is printed for the user to paste, since the client's file is not ours to write.
	PrintOnly bool
	// NeedsDir: the client starts servers in a folder that says nothing, so that a project folder must be named.
	NeedsDir bool
	// StdioOnly: the client's file can name programs only, no addresses.
	StdioOnly bool
	// MaxTools is how many tools the client takes, 0 for no known limit.
	MaxTools int

	file func(System) string
	path []string // keys down to the servers
	toml bool
	make func(Entry, string) any // the entry as the client wants it, for the given OS
}

// File is where the client keeps its settings on a system.
func (c *Client) File(s System) string { return c.file(s) }

// Key is the member of the client's file that holds its servers.
func (c *Client) Key() string { return c.path[0] }

// TOML reports whether the client's file is TOML; the others are JSON.
func (c *Client) TOML() bool { return c.toml }

// Member is the entry as it stands in the client's file.
func (c *Client) Member(e Entry, s System) any { return c.make(e, s.OS) }

// All lists the clients in the order that they are shown.
func All() []*Client {
	servers := []string{"mcpServers"}
	return []*Client{
		{Name: "claude-code", Title: "Claude Code", path: servers, make: typed("stdio", "http"),
			file: func(s System) string { return filepath.Join(s.home("CLAUDE_CONFIG_DIR", ""), ".claude.json") }},
		{Name: "claude-desktop", Title: "Claude Desktop", NeedsDir: true, StdioOnly: true, path: servers, make: plain,
			file: func(s System) string { return s.config("Claude", "claude_desktop_config.json") }},
		{Name: "cursor", Title: "Cursor", MaxTools: 40, path: servers, make: plain,
			file: func(s System) string { return filepath.Join(s.Home, ".cursor", "mcp.json") }},
		{Name: "vscode", Title: "VS Code", MaxTools: 128, path: []string{"servers"}, make: typed("stdio", "http"),
			file: func(s System) string { return s.config("Code", "User", "mcp.json") }},
		{Name: "codex", Title: "Codex", toml: true, path: []string{"mcp_servers"}, make: codex,
			file: func(s System) string { return filepath.Join(s.home("CODEX_HOME", ".codex"), "config.toml") }},
		{Name: "gemini", Title: "Gemini CLI", path: servers, make: gemini,
			file: func(s System) string { return filepath.Join(s.Home, ".gemini", "settings.json") }},
		{Name: "opencode", Title: "OpenCode", path: []string{"mcp"}, make: opencode,
			file: func(s System) string {
				return filepath.Join(s.home("XDG_CONFIG_HOME", ".config"), "opencode", "opencode.json")
			}},
		{Name: "zed", Title: "Zed", PrintOnly: true, path: []string{"context_servers"}, make: plain,
			file: func(s System) string {
				return filepath.Join(s.home("XDG_CONFIG_HOME", ".config"), "zed", "settings.json")
			}},
		{Name: "windsurf", Title: "Windsurf", PrintOnly: true, MaxTools: 100, path: servers, make: windsurf,
			file: func(s System) string { return filepath.Join(s.Home, ".codeium", "windsurf", "mcp_config.json") }},
	}
}

// Find gives the client of a name, also by its title and as the other Hanzo servers' flags spell it (--claude-code). The
// error names the nearest, and those there are.
func Find(name string) (*Client, error) {
	plain := slug(strings.TrimLeft(name, "-"))
	var names, near []string
	for _, c := range All() {
		if c.Name == plain || slug(c.Title) == plain {
			return c, nil
		}
		names = append(names, c.Name)
		if alike(plain, c.Name) || alike(plain, slug(c.Title)) {
			near = append(near, c.Name)
		}
	}
	if len(near) > 0 {
		return nil, fmt.Errorf("unknown client %q: is %s meant? There are %s", name, strings.Join(near, " or "), strings.Join(names, ", "))
	}
	return nil, fmt.Errorf("unknown client %q: use one of %s", name, strings.Join(names, ", "))
}

// slug is a name or title with small letters and hyphens only.
func slug(s string) string {
	words := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return r == ' ' || r == '_' || r == '-' || r == '.' })
	return strings.Join(words, "-")
}

// alike reports whether a name is the beginning of another, goes on behind it, or differs by one letter or its hyphens.
func alike(given, name string) bool {
	given, name = strings.ReplaceAll(given, "-", ""), strings.ReplaceAll(name, "-", "")
	if len(given) < 3 {
		return false
	}
	if strings.HasPrefix(name, given) || strings.HasPrefix(given, name) {
		return true
	}
	head, tail := 0, 0
	for head < min(len(given), len(name)) && given[head] == name[head] {
		head++
	}
	for tail < min(len(given), len(name))-head && given[len(given)-1-tail] == name[len(name)-1-tail] {
		tail++
	}
	return max(len(given), len(name))-head-tail <= 2
}

// config is a file in the system's folder for programs' settings.
func (s System) config(parts ...string) string {
	var base string
	switch s.OS {
	case "darwin":
		base = filepath.Join(s.Home, "Library", "Application Support")
	case "windows":
		base = s.home("APPDATA", filepath.Join("AppData", "Roaming"))
	default:
		base = s.home("XDG_CONFIG_HOME", ".config")
	}
	return filepath.Join(append([]string{base}, parts...)...)
}

// home is the folder that a variable names, else one below the home folder.
func (s System) home(variable, below string) string {
	if s.Getenv != nil {
		if dir := s.Getenv(variable); filepath.IsAbs(dir) {
			return dir
		}
	}
	return filepath.Join(s.Home, below)
}

// stdioEntry and httpEntry are the shapes that most clients share.
type stdioEntry struct {
	Type    string   `json:"type,omitempty" toml:"-"`
	Command string   `json:"command" toml:"command"`
	Args    []string `json:"args" toml:"args"`
}

type httpEntry struct {
	Type    string            `json:"type,omitempty"`
	URL     string            `json:"url"`
	Headers map[string]string `json:"headers,omitempty"`
}

// command gives program and arguments; npx on Windows is a script that only the shell can start.
func (e Entry) command(goos string) (string, []string) {
	args := slices.Clone(e.Args)
	if args == nil {
		args = []string{}
	}
	if goos == "windows" && e.Command == "npx" {
		return "cmd", append([]string{"/c", "npx"}, args...)
	}
	return e.Command, args
}

func (e Entry) headers() map[string]string {
	if e.Token == "" {
		return nil
	}
	return map[string]string{"Authorization": "Bearer " + e.Token}
}

func plain(e Entry, goos string) any { return typed("", "http")(e, goos) }

// typed is a client that wants the kind of transport said.
func typed(stdio, http string) func(Entry, string) any {
	return func(e Entry, goos string) any {
		if e.URL != "" {
			return httpEntry{Type: http, URL: e.URL, Headers: e.headers()}
		}
		command, args := e.command(goos)
		return stdioEntry{Type: stdio, Command: command, Args: args}
	}
}

func gemini(e Entry, goos string) any {
	if e.URL == "" {
		return plain(e, goos)
	}
	return struct {
		URL     string            `json:"httpUrl"`
		Headers map[string]string `json:"headers,omitempty"`
	}{e.URL, e.headers()}
}

func windsurf(e Entry, goos string) any {
	if e.URL == "" {
		return plain(e, goos)
	}
	return struct {
		URL     string            `json:"serverUrl"`
		Headers map[string]string `json:"headers,omitempty"`
	}{e.URL, e.headers()}
}

func opencode(e Entry, goos string) any {
	if e.URL != "" {
		return struct {
			Type    string            `json:"type"`
			URL     string            `json:"url"`
			Headers map[string]string `json:"headers,omitempty"`
			Enabled bool              `json:"enabled"`
		}{"remote", e.URL, e.headers(), true}
	}
	command, args := e.command(goos)
	return struct {
		Type    string   `json:"type"`
		Command []string `json:"command"`
		Enabled bool     `json:"enabled"`
	}{"local", append([]string{command}, args...), true}
}

func codex(e Entry, goos string) any {
	if e.URL != "" {
		return struct {
			URL     string            `toml:"url"`
			Headers map[string]string `toml:"http_headers,inline,omitempty"`
		}{e.URL, e.headers()}
	}
	command, args := e.command(goos)
	return stdioEntry{Command: command, Args: args}
}
