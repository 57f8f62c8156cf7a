package settings

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/hooks"
)

const example = `{ "api_key": "sk-secret-1",
  "permissions": { "git.push": "prompt", "fs.rm": "deny", "*": "allow" },
  "hooks": [ { "event": "pre_tool_use", "command": "/home/me/bin/check", "tool_pattern": "fs.*", "timeout_ms": 5000 } ],
  "sandbox": { "mode": "workspace", "allowed_paths": ["~/w"], "writable": ["/var/tmp/x"], "hidden": ["~/.ssh", "!~/.aws"], "protect": [".git/config"], "network": false, "confine": "required" },
  "read_only": true, "tools": { "allow": ["*"], "deny": ["ui", "billing"] },
  "env": { "scrub": ["*_SECRET"], "pass": ["GH_TOKEN"] }, "fetch": { "allow_private": ["192.168.1.10", "10.0.0.0/8"] },
  "lsp": { "zig": { "command": ["zls"], "extensions": [".zig"] } }, "door": { "origins": ["https://api.lux.cloud/", "http://localhost:9"] },
  "ui": { "registries": { "mine": { "url": "https://u:sk-secret-2@r.example/{name}.json?token=sk-secret-3", "headers": { "Authorization": "Bearer sk-secret-4" } }, "plain": "https://p.example/r" } },
  "mcp_servers": { "a": { "command": "a", "env": { "KEY": "sk-secret-5" } } },
  "oauth_credentials": { "refresh": "sk-secret-6" },
  "trusted_projects": ["/home/me/src/ours"] }`

func TestEveryKeyOfTheExample(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.write("user", example)
	got := s.load()
	if err := got.Lockdown(); err != nil {
		t.Fatal(err)
	}
	paths, named := got.AllowedPaths()
	registries := got.Registries()
	if len(registries) != 2 {
		t.Fatalf("registries %v", registries)
	}
	servers := got.MCPServers()
	for name, pair := range map[string][2]any{
		"api_key": {got.APIKey().Reveal(), "sk-secret-1"},
		"rules": {got.Rules(), []hooks.Tier{{Name: "user", Rules: []hooks.Rule{
			{Pattern: "git.push", Mode: hooks.Prompt}, {Pattern: "fs.rm", Mode: hooks.Deny}, {Pattern: "*", Mode: hooks.Allow},
		}}}},
		"hooks": {got.Hooks(), []hooks.Hook{{
			Event: hooks.PreToolUse, Command: "/home/me/bin/check", ToolPattern: "fs.*", TimeoutMS: 5000, Dir: filepath.Dir(s.userFile()),
		}}},
		"mode":          {got.SandboxMode().V, "workspace"},
		"allowed_paths": {paths, []string{filepath.Join(s.home, "w")}},
		"named":         {named, true},
		"writable":      {got.Writable(), []string{"/var/tmp/x"}},
		"hidden":        {got.Hidden(), []string{filepath.Join(s.home, ".ssh"), "!" + filepath.Join(s.home, ".aws"), "!~/.aws"}},
		"taken back":    {Amend([]string{"~/.aws", filepath.Join(s.home, ".aws"), "~/.kube"}, got.Hidden()), []string{"~/.kube", filepath.Join(s.home, ".ssh")}},
		"protect":       {got.Protect(), []string{".git/config"}},
		"network":       {got.Network(), false},
		"confine":       {got.Confine(), "required"},
		"read_only":     {got.ReadOnly().V, true},
		"allow":         {got.ToolsAllow().V, []string{"*"}},
		"deny":          {got.ToolsDeny(), []string{"ui", "billing"}},
		"scrub":         {got.EnvScrub(), []string{"*_SECRET"}},
		"pass":          {got.EnvPass(), []string{"GH_TOKEN"}},
		"private":       {got.FetchAllowPrivate(), []string{"192.168.1.10", "10.0.0.0/8"}},
		"lsp":           {got.LSP(), []LanguageServer{{"zig", []string{"zls"}, []string{".zig"}}}},
		"origins":       {got.DoorOrigins(), []string{"https://api.lux.cloud", "http://localhost:9"}},
		"projects":      {got.TrustedProjects(), []string{"/home/me/src/ours"}},
		"server":        {string(servers[0].Members["command"]), `"a"`},
		"header":        {registries[0].Headers["Authorization"].Reveal(), "Bearer sk-secret-4"},
		"registry":      {registries[1].URL, "https://p.example/r"},
	} {
		if !reflect.DeepEqual(pair[0], pair[1]) {
			t.Errorf("%s: got %v, want %v", name, pair[0], pair[1])
		}
	}
}

func TestDefaultsWhenNothingIsSaid(t *testing.T) {
	t.Parallel()
	got := Load(Options{})
	paths, named := got.AllowedPaths()
	_, narrowed := got.Narrow()
	if got.Lockdown() != nil || len(got.Warnings()) > 0 || got.SandboxMode().IsSet() || !got.Network() || got.Confine() != "auto" ||
		got.ReadOnly().V || got.ToolsAllow().IsSet() || named || len(paths) > 0 || narrowed || len(got.Rules()) > 0 || len(got.Hooks()) > 0 || got.APIKey().Reveal() != "" {
		t.Errorf("something is set: %v", got.rows())
	}
}

func TestHooksRunInTheFolderOfTheirFile(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.write("user", `{"hooks": [{"event": "PreToolUse", "command": "./u"}]}`)
	s.trust()
	s.write("project", `{"hooks": [{"event": "post_tool_use", "command": "./p"}]}`)
	s.write("local", `{"hooks": [{"event": "pre_tool_use", "command": "./l"}]}`)
	var got []string
	for _, h := range s.load().Hooks() {
		got = append(got, strings.Join([]string{string(h.Event), h.Command, h.Dir}, " "))
	}
	dir := filepath.Join(s.project, ".hanzo")
	want := []string{"pre_tool_use ./u " + filepath.Dir(s.userFile()), "post_tool_use ./p " + dir, "pre_tool_use ./l " + dir}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestNoSecretIsPrinted(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.write("user", example)
	got := s.load()
	var printed strings.Builder
	if err := got.Print(&printed); err != nil {
		t.Fatal(err)
	}
	for _, shown := range []string{"api_key", "(set)", "git.push: prompt", "user " + s.userFile() + ":2", "mcp_servers", "read_only"} {
		if !strings.Contains(printed.String(), shown) {
			t.Errorf("Print lacks %q:\n%s", shown, printed.String())
		}
	}
	encoded, err := json.Marshal(struct{ K any }{got.APIKey().String()})
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"Print": printed.String(), "key %v": fmt.Sprintf("%v", got.APIKey()), "key %#v": fmt.Sprintf("%#v", got.APIKey()), "key %+v": fmt.Sprintf("%+v", got.APIKey()),
		"key %q": fmt.Sprintf("%q", got.APIKey()), "registries": fmt.Sprintf("%+v", got.Registries()[0].Headers), "json": string(encoded), "warnings": strings.Join(got.Warnings(), ""),
	} {
		if strings.Contains(text, "sk-secret") {
			t.Errorf("%s shows a secret: %s", name, text)
		}
	}
	if text := fmt.Sprintf("%+v", got.merged.apiKey) + fmt.Sprintf("%#v", got.merged.apiKey) + fmt.Sprintf("%+v", got.merged.oauth); strings.Contains(text, "sk-secret") {
		t.Errorf("a format verb reaches the secret: %s", text)
	}
}

func TestPrintOfAHostileProjectMovesNoCursor(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.write("project", `{"permissions": {"a\u001b[2J\u202e": "deny"}, "tools": {"deny": ["\u001b]0;x\u0007", "a\nread_only  false  user"]}, "x\u001b[1m": 1}`)
	var printed strings.Builder
	got := s.load()
	if err := got.Print(&printed); err != nil {
		t.Fatal(err)
	}
	if text := printed.String(); strings.ContainsAny(text, "\x1b\x07\u202e") || strings.Contains(text, "\nread_only") {
		t.Errorf("printed %q", text)
	}
	if len(got.ToolsDeny()) != 2 {
		t.Errorf("tools.deny %q", got.ToolsDeny())
	}
}

func TestUserFilePlace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ xdg, home, want string }{
		{"", "/home/me", "/home/me/.config/hanzo/settings.json"},
		{"/x", "/home/me", "/x/hanzo/settings.json"},
		{"rel", "/home/me", "/home/me/.config/hanzo/settings.json"},
		{"", "", ""},
	} {
		getenv := func(name string) string { return map[string]string{"XDG_CONFIG_HOME": c.xdg}[name] }
		if got := filepath.ToSlash(UserFile(getenv, c.home)); got != c.want {
			t.Errorf("%q, %q: got %q, want %q", c.xdg, c.home, got, c.want)
		}
	}
}

func TestAmend(t *testing.T) {
	t.Parallel()
	got := Amend([]string{"a", "b"}, []string{"c", "!a", "b", "!x", "d", "!d"})
	if strings.Join(got, " ") != "b c" {
		t.Errorf("got %q, want b c", got)
	}
}

func TestProjectChangesAndIsReadAgain(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.write("project", `{"read_only": true}`)
	base := Load(Options{UserFile: s.userFile(), Home: s.home})
	first := base.WithProject(s.project)
	if err := os.Remove(s.file("project")); err != nil {
		t.Fatal(err)
	}
	second := first.WithProject(s.project)
	if !first.ReadOnly().V || second.ReadOnly().V || base.ReadOnly().V {
		t.Errorf("read_only %v, then %v, without a project %v", first.ReadOnly().V, second.ReadOnly().V, base.ReadOnly().V)
	}
}

func FuzzSettings(f *testing.F) {
	f.Add(example)
	for _, text := range looser {
		f.Add(text)
	}
	for _, seed := range []string{
		"", "{}", "// x", "/* */{}", "\ufeff{}", `{"hooks": "x.sh"}`, `{"alowedRoots": 1}`, `{"a": 1, "a": 2}`, `{"permissions": {"*": "deny"}`, "{\"x\": [1,],}\n//", "[[[[", "{\"\\ud800\": 1}",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		root := t.TempDir()
		read := func(tier Tier, trust bool) *Settings {
			d := &document{tier: tier, file: "f", dir: root, home: "/home/me"}
			if tier == Project {
				d.root = root
			}
			src := interpret(d, []byte(text), nil)
			if len(src.broken) > 0 && len(src.values.rows()) > 0 {
				t.Fatal("a broken file has values")
			}
			if tier == User {
				return assemble("", []source{src}, project{})
			}
			return assemble("", []source{{tier: User}}, project{root: root, sources: []source{src}, trusted: trust})
		}
		if err := read(User, false).Print(&strings.Builder{}); err != nil {
			t.Fatal(err)
		}
		read(Project, true)
		s := read(Project, false)
		for _, tier := range s.Rules() {
			for _, r := range tier.Rules {
				if r.Mode != hooks.Deny || tier.Cautious {
					t.Errorf("an untrusted project's rule got through: %v", r)
				}
			}
		}
		if len(s.Hooks()) > 0 || len(s.LSP()) > 0 || s.APIKey().Reveal() != "" || s.merged.mode.IsSet() || len(s.DoorOrigins()) > 0 || len(s.merged.allowed) > 0 {
			t.Error("an untrusted project got more than it may")
		}
		paths, _ := s.Narrow()
		for _, p := range paths {
			if !below(root, p) {
				t.Errorf("narrowed to %q outside %q", p, root)
			}
		}
	})
}

func (v *values) rows() []row {
	var rows []row
	for _, f := range fields() {
		rows = append(rows, f.rows(v)...)
	}
	return rows
}

func BenchmarkLoad(b *testing.B) {
	s := newSite(b)
	s.write("user", example)
	s.write("project", `{"permissions": {"fs.rm": "deny"}}`)
	for b.Loop() {
		if s.load().Lockdown() != nil {
			b.Fatal("broken")
		}
	}
}
