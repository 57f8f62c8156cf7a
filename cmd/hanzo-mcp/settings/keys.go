package settings

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/hanzoai/hanzo-mcp/hooks"
)

// values is what one tier says, or all of them together.
type values struct {
	apiKey, oauth                  Value[Secret]
	model, instructions, inputMode Value[string]
	rules                          []Value[hooks.Rule]
	cautious                       Value[bool]
	hooks                          []Value[hooks.Hook]
	mode, confine                  Value[string]
	allowed, narrow                []Value[string] // narrow: allowed_paths of an untrusted project
	writable, hidden, protect      []Value[string]
	network, readOnly              Value[bool]
	toolsAllow                     Value[[]string]
	toolsDeny                      []Value[string]
	scrub, pass                    []Value[string]
	private                        []Value[string]
	lsp                            []Value[LanguageServer]
	origins                        []Value[string]
	servers                        []Value[Server]
	projects                       []Value[string]
	registries                     []Value[Registry]
}

// LanguageServer is an entry of `lsp`.
type LanguageServer struct {
	Name       string
	Command    []string // program and arguments; at least one
	Extensions []string // ".zig"
}

// Server is an entry of `mcp_servers`: kept for later, as standard JSON by member.
type Server struct {
	Name     string
	Members  map[string]json.RawMessage
	Disabled bool
}

// Registry is an entry of `ui.registries`.
type Registry struct {
	Name    string
	URL     string
	Headers map[string]Secret
}

// fields is the table of all keys, in the order Print shows them.
var fields = sync.OnceValue(func() []field {
	return []field{
		single("api_key", userOnly, func(v *values) *Value[Secret] { return &v.apiKey }, secret, Secret.String),
		single("oauth_credentials", userOnly, func(v *values) *Value[Secret] { return &v.oauth }, anySecret, Secret.String),
		single("model", trusted, func(v *values) *Value[string] { return &v.model }, node.text, plain),
		single("custom_instructions", trusted, func(v *values) *Value[string] { return &v.instructions }, node.text, plain),
		single("input_mode", trusted, func(v *values) *Value[string] { return &v.inputMode }, node.text, plain),
		permissions(),
		list("hooks", trusted, func(v *values) *[]Value[hooks.Hook] { return &v.hooks }, hook, showHook),
		single("sandbox.mode", trusted, func(v *values) *Value[string] { return &v.mode }, oneOf("workspace", "allowlist", "off"), plain),
		allowedPaths(),
		list("sandbox.writable", trusted, func(v *values) *[]Value[string] { return &v.writable }, node.place, plain),
		list("sandbox.hidden", trusted, func(v *values) *[]Value[string] { return &v.hidden }, node.place, plain),
		list("sandbox.protect", trusted, func(v *values) *[]Value[string] { return &v.protect }, node.guarded, plain),
		narrowed(single("sandbox.network", narrows, func(v *values) *Value[bool] { return &v.network }, node.flag, onOff), only(func(v *values) *Value[bool] { return &v.network }, false)),
		single("sandbox.confine", trusted, func(v *values) *Value[string] { return &v.confine }, oneOf("auto", "required", "off"), plain),
		narrowed(single("read_only", narrows, func(v *values) *Value[bool] { return &v.readOnly }, node.flag, onOff), only(func(v *values) *Value[bool] { return &v.readOnly }, true)),
		single("tools.allow", trusted, func(v *values) *Value[[]string] { return &v.toolsAllow }, node.texts, texts),
		narrowed(list("tools.deny", narrows, func(v *values) *[]Value[string] { return &v.toolsDeny }, node.filled, plain), func(*values, string) bool { return false }),
		list("env.scrub", trusted, func(v *values) *[]Value[string] { return &v.scrub }, node.filled, plain),
		list("env.pass", trusted, func(v *values) *[]Value[string] { return &v.pass }, node.filled, plain),
		list("fetch.allow_private", trusted, func(v *values) *[]Value[string] { return &v.private }, host, plain),
		named("lsp", trusted, func(v *values) *[]Value[LanguageServer] { return &v.lsp }, languageServer,
			func(l LanguageServer) string { return l.Name }, replace, showLanguageServer),
		list("door.origins", userOnly, func(v *values) *[]Value[string] { return &v.origins }, origin, plain),
		named("mcp_servers", trusted, func(v *values) *[]Value[Server] { return &v.servers }, server,
			func(s Server) string { return s.Name }, joinServers, showServer),
		named("ui.registries", userOnly, func(v *values) *[]Value[Registry] { return &v.registries }, registry,
			func(r Registry) string { return r.Name }, replace, showRegistry),
		list("trusted_projects", userOnly, func(v *values) *[]Value[string] { return &v.projects }, node.path, plain),
	}
})

// only narrows a switch to one of its two positions.
func only(at func(*values) *Value[bool], strict bool) func(*values, string) bool {
	return func(v *values, _ string) bool {
		if !at(v).IsSet() || at(v).V == strict {
			return false
		}
		*at(v) = Value[bool]{}
		return true
	}
}

func secret(n node) (Secret, error) {
	text, err := n.text()
	return newSecret(strings.TrimSpace(text)), err
}

// anySecret keeps a value of any type out of sight; oauth_credentials belong to the other Hanzo programs.
func anySecret(n node) (Secret, error) { return newSecret(string(n.raw())), nil }

func hook(n node) (hooks.Hook, error) {
	h := hooks.Hook{Dir: n.doc.dir}
	found, err := n.record("event", "command", "tool_pattern", "timeout_ms")
	if err != nil {
		return h, err
	}
	event, ok := found["event"]
	if !ok {
		return h, n.fail("has no event")
	}
	text, err := event.text()
	if err != nil {
		return h, err
	}
	if h.Event, err = hooks.ParseEvent(text); err != nil {
		return h, event.fail("must be %s or %s, not %q", hooks.PreToolUse, hooks.PostToolUse, clip(text))
	}
	command, ok := found["command"]
	if !ok {
		return h, n.fail("has no command")
	}
	if h.Command, err = command.filled(); err != nil {
		return h, err
	}
	if p, ok := found["tool_pattern"]; ok {
		if h.ToolPattern, err = p.filled(); err != nil {
			return h, err
		}
	}
	if t, ok := found["timeout_ms"]; ok {
		if h.TimeoutMS, err = t.integer(); err != nil {
			return h, err
		}
		if h.TimeoutMS == 0 {
			return h, t.fail("must be at least 1")
		}
	}
	if err := h.Check(); err != nil {
		return h, n.fail("cannot be used: %v", err)
	}
	return h, nil
}

func host(n node) (string, error) {
	text, err := n.filled()
	if err == nil && strings.Contains(text, "/") {
		if _, e := netip.ParsePrefix(text); e != nil {
			err = n.fail("must be an address, a range such as 10.0.0.0/8, or a host name, not %q", clip(text))
		}
	}
	return text, err
}

// origin reads "https://host[:port]"; plain http only to this machine.
func origin(n node) (string, error) {
	text, err := n.filled()
	if err != nil {
		return "", err
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" || strings.Trim(u.Path, "/") != "":
		return "", n.fail("must be an origin such as https://api.example.com")
	case u.Scheme == "https", u.Scheme == "http" && isLoopback(u.Hostname()):
		return u.Scheme + "://" + u.Host, nil
	}
	return "", n.fail("must begin with https:// (http:// only for this machine)")
}

func isLoopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.IsLoopback()
}

func languageServer(name string, n node) (LanguageServer, error) {
	l := LanguageServer{Name: name}
	found, err := n.record("command", "extensions")
	if err != nil {
		return l, err
	}
	command, ok := found["command"]
	if !ok {
		return l, n.fail("has no command")
	}
	if l.Command, err = command.texts(); err != nil {
		return l, err
	}
	if len(l.Command) == 0 {
		return l, command.fail("is empty")
	}
	if e, ok := found["extensions"]; ok {
		l.Extensions, err = e.texts()
	}
	return l, err
}

func server(name string, n node) (Server, error) {
	s := Server{Name: name, Members: map[string]json.RawMessage{}}
	members, err := n.members()
	if err != nil {
		return s, err
	}
	for _, m := range members {
		s.Members[m.key] = m.raw()
		if m.key == "disabled" {
			if s.Disabled, err = m.flag(); err != nil {
				return s, err
			}
		}
	}
	return s, nil
}

// joinServers lays one tier's members over another's, so that a tier can switch off what a lower one described.
func joinServers(low, high Server) Server {
	joined := Server{high.Name, maps.Clone(low.Members), low.Disabled}
	maps.Copy(joined.Members, high.Members)
	if _, said := high.Members["disabled"]; said {
		joined.Disabled = high.Disabled
	}
	return joined
}

func registry(name string, n node) (Registry, error) {
	r := Registry{Name: name, Headers: map[string]Secret{}}
	address := n
	if n.kind() == '{' {
		found, err := n.record("url", "headers")
		if err != nil {
			return r, err
		}
		var ok bool
		if address, ok = found["url"]; !ok {
			return r, n.fail("has no url")
		}
		if h, ok := found["headers"]; ok {
			members, err := h.members()
			if err != nil {
				return r, err
			}
			for _, m := range members {
				if r.Headers[m.key], err = secret(m.node); err != nil {
					return r, err
				}
			}
		}
	}
	text, err := address.filled()
	if err != nil {
		return r, err
	}
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return r, address.fail("must be an http or https address")
	}
	r.URL = text
	return r, nil
}

func showHook(h hooks.Hook) string {
	return fmt.Sprintf("%s %s: %s", h.Event, printable(cmpOr(h.ToolPattern, "*")), printable(h.Command))
}

func showLanguageServer(l LanguageServer) string {
	return fmt.Sprintf("%s: %s for %s", printable(l.Name), texts(l.Command), texts(l.Extensions))
}

func showServer(s Server) string {
	if s.Disabled {
		return printable(s.Name) + " (disabled)"
	}
	return printable(s.Name)
}

// showRegistry leaves out what in an address may be a secret.
func showRegistry(r Registry) string {
	text := printable(r.Name) + ": "
	if u, err := url.Parse(r.URL); err == nil {
		text += printable(u.Scheme + "://" + u.Host + u.Path)
		if u.RawQuery != "" || u.User != nil {
			text += " (with a secret part)"
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Headers)) {
		text += fmt.Sprintf(" %s: %s", printable(name), r.Headers[name])
	}
	return text
}

func cmpOr(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}
