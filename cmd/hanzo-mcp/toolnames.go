package main

import (
	"fmt"
	"net"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/hanzoai/hanzo-mcp/door"
	"github.com/hanzoai/hanzo-mcp/hooks"
	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
)

// toolNames is a list of globs on tool names, read as rules are: case is ignored and `*` takes everything.
type toolNames struct{ policy *hooks.Policy }

func newToolNames(globs []string) (toolNames, error) {
	if len(globs) == 0 {
		return toolNames{}, nil
	}
	rules := make([]hooks.Rule, len(globs))
	for i, g := range globs {
		rules[i] = hooks.Rule{Pattern: g, Mode: hooks.Deny}
	}
	policy, err := hooks.NewPolicy(hooks.Names{}, hooks.Tier{Name: "tools", Rules: rules})
	return toolNames{policy}, err
}

// has reports whether a name is on the list; an empty list has none.
func (t toolNames) has(name string) bool {
	return t.policy != nil && t.policy.Evaluate(hooks.Subject{Tool: name}).Mode == hooks.Deny
}

// reserved gives the local name that a name is a spelling of, "" when it is none: `FS` or `f_s` must not reach the
// door in place of fs.
func (s *server) reserved(name string) string {
	for local := range s.ours {
		if door.SameName(local, name) {
			return local
		}
	}
	return ""
}

// prefixes are what clients and models put in front of the name of a tool.
var prefixes = []string{"hanzo", "mcp", "local", "functions", "tools", "default", "api"}

// meant gives the local tool, and its action, that a name says in a form that models have for them: fs.write, fs-write,
// fswrite, mcp__hanzo__fs, functions.exec:0. Such a call must not be posted to the cloud, unless the door lists the name.
func (s *server) meant(name string) (local, action string) {
	if s.door != nil && s.door.Known(name) {
		return "", ""
	}
	plain := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Cf, r) { // is not seen
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKC.String(name))
	parts := strings.FieldsFunc(plain, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	for len(parts) > 1 && slices.Contains(prefixes, parts[0]) {
		parts = parts[1:]
	}
	if last := len(parts) - 1; last > 0 && strings.Trim(parts[last], "0123456789") == "" { // the number of a call
		parts = parts[:last]
	}
	if len(parts) == 0 {
		return "", ""
	}
	tool, rest := parts[0], strings.Join(parts[1:], "_")
	if local = s.reserved(tool); local != "" {
		if rest == "" || s.tool(local).Action(rest) != nil {
			return local, rest
		}
		return "", ""
	}
	for _, n := range localNames {
		if after, ok := strings.CutPrefix(strings.Join(parts, "_"), n); ok && after != "" && s.ours[n] && s.tool(n).Action(after) != nil {
			return n, after
		}
	}
	return "", ""
}

// checkNames tidies the names of tools that flags gave and refuses what cannot be meant: a switch that fails open
// without a word is worse than none.
func (o *options) checkNames() error {
	local := func(flag string, names []string) error {
		for i, name := range names {
			names[i] = strings.ToLower(strings.TrimSpace(name))
			if !isLocal(names[i]) {
				err := fmt.Errorf("%s %s: there is no local tool of this name", flag, name)
				if near := tools.Nearest(name, localNames); near != "" {
					return withHint(err, "did you mean %s?", near)
				}
				return withHint(err, "local tools are %s", strings.Join(localNames, ", "))
			}
		}
		return nil
	}
	blank := func(name string) bool { return strings.TrimSpace(name) == "" }
	o.tools, o.doorTools = slices.DeleteFunc(o.tools, blank), slices.DeleteFunc(o.doorTools, blank)
	if err := local("--tools", o.tools); err != nil {
		return err
	}
	if err := local("--door-tools", o.doorTools); err != nil {
		return err
	}
	for i, name := range o.disable {
		if o.disable[i] = strings.TrimSpace(name); o.disable[i] == "" {
			return fmt.Errorf("--disable-tools has an empty name")
		}
		if strings.ContainsAny(o.disable[i], " \t{}^$|;") {
			return withHint(fmt.Errorf("--disable-tools %s: this is no name of a tool", name), "give names and globs with commas between them, as in --disable-tools 'exec,billing*'")
		}
		if tool, action, dotted := strings.Cut(o.disable[i], "."); dotted && isLocal(strings.ToLower(tool)) {
			return withHint(fmt.Errorf("--disable-tools %s: it takes whole tools", name), `a single action goes into the user settings: "permissions": {"%s.%s": "deny"}`, tool, action)
		}
		if near := mistyped(o.disable[i]); near != "" {
			return withHint(fmt.Errorf("--disable-tools %s: there is no local tool of this name", name), "did you mean %s?", near)
		}
	}
	for i, host := range o.httpHosts {
		host = strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(strings.ToLower(host), "http://"), "https://"), "/")
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		if o.httpHosts[i] = strings.Trim(host, "[]"); host == "" || strings.ContainsAny(host, "*/ ") {
			return withHint(fmt.Errorf("--http-host %s is no host name", o.httpHosts[i]), "give it as --http-host my.host")
		}
	}
	o.sandbox = strings.ToLower(strings.TrimSpace(o.sandbox))
	if _, err := sandbox.ParseMode(o.sandbox); err != nil {
		return fmt.Errorf("--sandbox %s: use workspace, allowlist or off", o.sandbox)
	}
	if o.maxTools < 0 {
		return fmt.Errorf("--max-tools %d: give a number above 0", o.maxTools)
	}
	for flag, dirs := range map[string][]string{"--project-dir": o.projectDirs, "--allow-path": o.allowPaths} {
		for _, dir := range dirs {
			if strings.TrimSpace(dir) == "" {
				return withHint(fmt.Errorf("%s is empty", flag), "name a folder; a variable in the client's entry may not be set")
			}
		}
	}
	return nil
}

// otherNames are what other programs call the local tools.
var otherNames = map[string]string{"bash": "exec", "shell": "exec", "terminal": "exec", "read": "fs", "write": "fs", "edit": "fs", "files": "fs", "filesystem": "fs", "webfetch": "fetch"}

// mistyped gives the local tool that a pattern seems to mean and does not name, "" when there is none.
func mistyped(pattern string) string {
	head, action, _ := strings.Cut(strings.ToLower(pattern), ".")
	head, _, _ = strings.Cut(head, "(") // Bash(rm:*)
	if tool, _, _ := strings.Cut(action, "."); head == "hanzo" && isLocal(tool) {
		return tool
	}
	if bare := hooks.Unprefixed(head); bare != head && isLocal(bare) {
		return ""
	}
	if isLocal(head) && !strings.Contains(pattern, "(") || strings.ContainsAny(head, `*?\`) {
		return ""
	}
	if isLocal(head) {
		return head
	}
	if name := otherNames[head]; name != "" {
		return name
	}
	for _, n := range localNames { // exce
		if len(n) == len(head) && len(n) > 2 && letters(n) == letters(head) {
			return n
		}
	}
	return tools.Nearest(head, localNames)
}

// letters are those of a word in order: of two that have swapped some they are the same.
func letters(word string) string {
	b := []byte(word)
	slices.Sort(b)
	return string(b)
}

// mistypedRules tells of rules that would guard nothing: a rule that fails open without a word is worse than none.
func (s *server) mistypedRules(tiers []hooks.Tier) (faults []string) {
	for _, tier := range tiers {
		for _, r := range tier.Rules {
			if near := mistyped(r.Pattern); near != "" && (s.door == nil || !s.door.Known(r.Pattern)) {
				faults = append(faults, fmt.Sprintf("permissions: the pattern %q names no local tool; %s is meant? Patterns are tool or tool.action", r.Pattern, near))
			}
		}
	}
	return faults
}

func isLocal(name string) bool {
	for _, n := range localNames {
		if n == name {
			return true
		}
	}
	return false
}
