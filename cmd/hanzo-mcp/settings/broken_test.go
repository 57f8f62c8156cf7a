package settings

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// Public reports: a broken or commented file was skipped, and the program ran with default permissions
// (amazon-q-developer-cli#2082, copilot-cli#4323, context7#563).
func TestBrokenFilesLockDown(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"cut off", "{\"sandbox\": {\"allowed_paths\": [\"/x\"]},\n\"hooks\": [{\"event\":", "2:20: parsing value: the file ends too early"},
		{"cut off in a comment", "{} /* x", "1:4: parsing comment: the file ends too early"},
		{"a missing comma", "{\"model\": \"a\"\n\"read_only\": true}", "2:1: invalid character '\"' after object value"},
		{"no quotes", "{read_only: true}", "1:2: "},
		{"two values", "{} {}", "1:4: "},
		{"a list", "[]", "1:1: the file must be an object, not a list"},
		{"a bare text", "\"x\"", "the file must be an object, not a text"},
		{"null", "null", "the file must be an object, not null"},
		{"no UTF-8", "{\"model\": \"\xff\"}", "1:12: the text is not UTF-8"},
		{"UTF-16", "\xff\xfe{\x00}\x00", "1:1: the text is not UTF-8"},
		{"too deep", strings.Repeat("[", 5000), "1:33: more than 32 levels"},
		{"a bad escape", `{"api_key": "sk-secret\q"}`, "1:13: invalid text or number"},

		{"hooks as a text", `{"hooks": "x.sh"}`, "1:11: hooks must be a list, not a text"},
		{"hooks as an object", `{"hooks": {"PreToolUse": []}}`, "hooks must be a list, not an object"},
		{"a hook as a text", `{"hooks": ["x.sh"]}`, "1:12: hooks[0] must be an object"},
		{"a hook without an event", `{"hooks": [{"command": "x"}]}`, "hooks[0] has no event"},
		{"a hook without a command", `{"hooks": [{"event": "pre_tool_use"}]}`, "hooks[0] has no command"},
		{"an unknown event", `{"hooks": [{"event": "before", "command": "x"}]}`, `hooks[0].event must be pre_tool_use or post_tool_use, not "before"`},
		{"an empty command", `{"hooks": [{"event": "pre_tool_use", "command": " "}]}`, "hooks[0].command is empty"},
		{"a time limit of nothing", `{"hooks": [{"event": "pre_tool_use", "command": "x", "timeout_ms": 0}]}`, "hooks[0].timeout_ms must be at least 1"},
		{"a negative time limit", `{"hooks": [{"event": "pre_tool_use", "command": "x", "timeout_ms": -1}]}`, "timeout_ms -1 is out of range"},
		{"a time limit in parts", `{"hooks": [{"event": "pre_tool_use", "command": "x", "timeout_ms": 1.5}]}`, "must be a whole number"},
		{"a time limit as a text", `{"hooks": [{"event": "pre_tool_use", "command": "x", "timeout_ms": "5s"}]}`, "hooks[0].timeout_ms must be a number, not a text"},
		{"a bad tool pattern", `{"hooks": [{"event": "pre_tool_use", "command": "x", "tool_pattern": "a\\"}]}`, "hooks[0] cannot be used: the pattern ends in a lone"},

		{"a duplicate key", "{\"read_only\": true,\n \"read_only\": false}", `2:2: the key "read_only" stands twice (first in line 1)`},
		{"a duplicate key, escaped", `{"read_only": true, "read_onl\u0079": false}`, `the key "read_only" stands twice`},
		{"a duplicate rule", `{"permissions": {"fs": "deny", "fs": "allow"}}`, `the key "fs" stands twice`},
		{"a duplicate key deep in what is unknown", `{"x": [{"a": {"b": 1, "b": 2}}]}`, `the key "b" stands twice`},
		{"a duplicate section", `{"sandbox": {"network": false}, "sandbox": {}}`, `the key "sandbox" stands twice`},

		{"permissions of another type", `{"permissions": true}`, `permissions must be an object or a list of rules, or "cautious", not true`},
		{"an unknown preset", `{"permissions": "careful"}`, `permissions must be rules or the preset "cautious", not "careful"`},
		{"an unknown mode", `{"permissions": {"fs": "forbid"}}`, `permissions.fs must be allow, deny or prompt, not "forbid"`},
		{"a mode in capitals", `{"permissions": {"fs": "Deny"}}`, "permissions.fs must be"},
		{"a mode as a flag", `{"permissions": {"fs": false}}`, "permissions.fs must be allow, deny or prompt, not false"},
		{"a listed rule without a pattern", `{"permissions": [{"mode": "deny"}]}`, "permissions[0] has no tool_pattern"},
		{"a listed rule without a mode", `{"permissions": [{"tool_pattern": "fs"}]}`, "permissions[0] has no mode"},
		{"a rule without a mode", `{"permissions": {"fs": {"reason": "x"}}}`, "permissions.fs has no mode"},
		{"an empty pattern", `{"permissions": {"": "deny"}}`, "is no pattern"},

		{"a section as a text", `{"sandbox": "off"}`, "1:13: sandbox must be an object, not a text"},
		{"an unknown sandbox mode", `{"sandbox": {"mode": "none"}}`, `sandbox.mode must be one of workspace, allowlist, off, not "none"`},
		{"a flag as a text", `{"read_only": "true"}`, "read_only must be true or false, not a text"},
		{"a list as a text", `{"tools": {"deny": "ui"}}`, "tools.deny must be a list, not a text"},
		{"a number in a list", `{"tools": {"deny": ["a", 1]}}`, "tools.deny[1] must be a text, not a number"},
		{"an empty text in a list", `{"env": {"pass": [""]}}`, "env.pass[0] is empty"},
		{"relative name to hide", `{"sandbox": {"hidden": [".env"]}}`, "must be absolute or begin with ~/"},
		{"pattern to hide", `{"sandbox": {"hidden": ["~/p/*.pem"]}}`, "takes no wildcards"},
		{"relative name to write", `{"sandbox": {"writable": ["out"]}}`, "must be absolute or begin with ~/"},
		{"relative name to take back", `{"sandbox": {"hidden": ["!.ssh"]}}`, "must be absolute or begin with ~/"},
		{"pattern to protect", `{"sandbox": {"protect": ["secrets/**"]}}`, "sandbox.protect[0] takes no wildcards"},
		{"pattern of names to protect", `{"sandbox": {"protect": [".git/config", "*.pem"]}}`, "sandbox.protect[1] takes no wildcards"},
		{"variable to protect", `{"sandbox": {"protect": ["$HOME/n.txt"]}}`, "takes no variables"},
		{"address to protect", `{"sandbox": {"protect": ["file:///x"]}}`, "no addresses"},
		{"what lies above a root to protect", `{"sandbox": {"protect": ["../x"]}}`, "must be absolute or names below a root"},
		{"a root to protect", `{"sandbox": {"protect": ["."]}}`, "must be absolute or names below a root"},
		{"NUL in a path", `{"sandbox": {"writable": ["a\u0000b"]}}`, "holds a NUL character"},
		{"a relative path of the user", `{"sandbox": {"allowed_paths": ["src"]}}`, `sandbox.allowed_paths[0] must be absolute or begin with ~/, not "src"`},
		{"a language server as a text", `{"lsp": {"zig": "zls"}}`, "lsp.zig must be an object"},
		{"a language server without a command", `{"lsp": {"zig": {}}}`, "lsp.zig has no command"},
		{"a language server with an empty command", `{"lsp": {"zig": {"command": []}}}`, "lsp.zig.command is empty"},
		{"an origin with a path", `{"door": {"origins": ["https://x.example/v1"]}}`, "door.origins[0] must be an origin"},
		{"a plain origin", `{"door": {"origins": ["http://x.example"]}}`, "must begin with https://"},
		{"a range that is none", `{"fetch": {"allow_private": ["10.0.0.0/99"]}}`, "fetch.allow_private[0] must be an address"},
		{"a registry without an address", `{"ui": {"registries": {"a": {}}}}`, "ui.registries.a has no url"},
		{"a registry of another kind", `{"ui": {"registries": {"a": "file:///x"}}}`, "ui.registries.a must be an http or https address"},
		{"a server as a list", `{"mcp_servers": {"a": []}}`, "mcp_servers.a must be an object"},
		{"an api_key that is no text", `{"api_key": 12345678}`, "api_key must be a text, not a number"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.write("user", c.text)
			got := s.load()
			err := got.Lockdown()
			if err == nil {
				t.Fatalf("no lockdown; settings %v", got.rows())
			}
			if text := s.short(err.Error()); !strings.Contains(text, "user:") || !strings.Contains(text, c.want) {
				t.Errorf("lockdown %q, want the file and %q", text, c.want)
			}
			if strings.Contains(err.Error(), "sk-secret") || strings.Contains(err.Error(), "12345678") {
				t.Errorf("lockdown prints a secret: %v", err)
			}
			if len(got.rows()) > 0 {
				t.Errorf("a broken file still counts: %v", got.rows())
			}
			if !strings.Contains(err.Error(), "refused") || !strings.Contains(err.Error(), "hanzo-mcp settings") {
				t.Errorf("lockdown %q does not say what to do", err)
			}
		})
	}
}

func TestBrokenProjectFileLocksItsProjectDown(t *testing.T) {
	t.Parallel()
	for _, tier := range []string{"project", "local"} {
		s := newSite(t)
		s.write("user", `{"permissions": {"*": "allow"}}`)
		s.write(tier, `{"permissions": {"*": "deny"`)
		if err := s.load().Lockdown(); err == nil || !strings.Contains(err.Error(), s.file(tier)+":1:29") {
			t.Errorf("%s: lockdown %v, want the place", tier, err)
		}
		if err := Load(Options{UserFile: s.userFile(), Home: s.home}).Lockdown(); err != nil {
			t.Errorf("without the project: %v", err)
		}
	}
}

func TestMissingRootIsToldAndNotReplaced(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.write("user", `{"sandbox": {"allowed_paths": ["~/gone"]}}`)
	got := s.load()
	if w := got.Warnings(); len(w) != 1 || !strings.Contains(w[0], "gone") || !strings.Contains(w[0], "no such file") {
		t.Errorf("warnings %q, want one on the missing folder", w)
	}
	if paths, named := got.AllowedPaths(); !named || len(paths) != 1 || paths[0] != s.home+"/gone" {
		t.Errorf("%q %v, want the missing folder itself", paths, named)
	}
}

func TestManyUnknownKeysAreFewLines(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	var b strings.Builder
	for i := 0; b.Len() < MaxFile-100; i++ {
		fmt.Fprintf(&b, ",\n\"%060d\": 1", i)
	}
	s.write("project", "{\"model\": \"m\""+b.String()+"}")
	begun := time.Now()
	got := s.load()
	if took := time.Since(begun); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
	if err := got.Lockdown(); err != nil {
		t.Fatal(err)
	}
	if n := len(got.Warnings()); n != maxUnknown+2 {
		t.Errorf("%d warnings, want %d", n, maxUnknown+2)
	}
}

// A name as in a .gitignore protects a place at the top of the machine that is hardly meant.
func TestProtectedPathThatIsNotThere(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.write("user", `{"sandbox": {"protect": ["/sec-that-is-not-there", ".git/config", "!/nor-this", "/"]}}`)
	got := s.load()
	warnings := strings.Join(got.Warnings(), "\n")
	if got.Lockdown() != nil || strings.Count(warnings, "is not there") != 1 || !strings.Contains(warnings, "sandbox.protect[0] names /sec-that-is-not-there") {
		t.Errorf("%v; %s", got.Lockdown(), warnings)
	}
}
