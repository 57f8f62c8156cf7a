package git

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
)

// settings is git's config as it holds in a repository, in the order in which git reads it: the last value wins.
type settings struct{ list []setting }

type setting struct {
	local      bool // of the repository itself: its config, config.worktree, and what these include
	outside    bool // … from a file outside the roots
	key, value string
}

// load reads the config by one run of git, which starts no program. It is kept for the rest of the call.
func (r *repo) load(ctx context.Context) (*settings, error) {
	if r.settings != nil {
		return r.settings, nil
	}
	if err := r.settle(); err != nil {
		return nil, err
	}
	args, n := []string{"config", "--null", "--show-scope", "--list"}, 2
	if mentions(r.config, "include") {
		args, n = append(args, "--show-origin"), 3
	}
	res, err := r.t.run(ctx, spec{dir: r.top.Abs(), env: r.env(readingEnv...), args: args})
	if err != nil {
		return nil, err
	}
	if res.code != 0 {
		return nil, failure("config", res)
	}
	s := &settings{}
	fields := strings.Split(string(res.out), "\x00")
	for ; len(fields) > n; fields = fields[n:] {
		key, value, hasValue := strings.Cut(fields[n-1], "\n")
		if !hasValue {
			value = "true"
		}
		local := fields[0] == "local" || fields[0] == "worktree"
		s.list = append(s.list, setting{local, local && n > 2 && r.leaves(fields[1]), key, value})
	}
	r.settings = s
	return s, nil
}

// leaves reports whether a setting comes from a file outside the roots, as --show-origin names it.
func (r *repo) leaves(origin string) bool {
	name, ok := strings.CutPrefix(origin, "file:")
	return ok && r.outOfRoots(name)
}

// outOfRoots reports whether a file that a config names lies outside the roots.
func (r *repo) outOfRoots(name string) bool {
	_, err := reach(r.roots, r.top.Abs(), atHome(r.env(), filepath.FromSlash(name)))
	return sandbox.KindOf(err) == sandbox.Denied
}

// get is the value that holds, "" when there is none.
func (s *settings) get(key string) string {
	for i := len(s.list) - 1; i >= 0; i-- {
		if s.list[i].key == key {
			return s.list[i].value
		}
	}
	return ""
}

// all are the values of a key that takes several, parted by spaces.
func (s *settings) all(key string) string {
	var b strings.Builder
	for _, one := range s.list {
		if one.key == key {
			b.WriteString(one.value + " ")
		}
	}
	return b.String()
}

// bool is get for a boolean.
func (s *settings) bool(key string) bool {
	switch strings.ToLower(s.get(key)) {
	case "true", "yes", "on", "1":
		return true
	}
	return false
}

// wordsOf are what some settings may say beside true and false. With another word git would not work in the repository at
// all, or not do what was meant.
var wordsOf = map[string][]string{
	"core.autocrlf":          {"true", "false", "input"},
	"core.eol":               {"lf", "crlf", "native"},
	"push.default":           {"nothing", "matching", "simple", "upstream", "tracking", "current"},
	"user.useconfigonly":     {"true", "false"},
	"branch.autosetupmerge":  {"true", "false", "always", "inherit", "simple"},
	"branch.autosetuprebase": {"never", "local", "remote", "always"},
	"pull.ff":                {"true", "false", "only"},
	"rebase":                 {"true", "false", "merges", "interactive", "m", "i"}, // pull.rebase, branch.*.rebase
	"branch.sort": {"refname", "-refname", "committerdate", "-committerdate", "authordate", "-authordate", "creatordate", "-creatordate",
		"version:refname", "-version:refname", "v:refname", "-v:refname", "upstream", "objectname"},
}

// checkSetting refuses a value that git does not understand.
func checkSetting(key, value string) error {
	known, ok := wordsOf[key]
	if name := key[strings.LastIndexByte(key, '.')+1:]; !ok && name == "rebase" {
		known, ok = wordsOf[name]
	}
	if key == "user.name" && strings.TrimSpace(value) == "" {
		return tools.Errorf(tools.InvalidParams, "user.name may not be empty: no commit could be made; nothing was written").With(tools.Details{Param: "value"})
	}
	if !ok || slices.Contains(known, value) {
		return nil
	}
	if known[0] == "true" && slices.Contains([]string{"true", "yes", "on", "1", "false", "no", "off", "0"}, strings.ToLower(value)) {
		return nil
	}
	return tools.Errorf(tools.InvalidParams, "%s does not take %q; nothing was written: use %s", key, value, strings.Join(known, ", ")).
		With(tools.Details{Param: "value", Actual: value, Available: known})
}

// users is the value that the user's own files give, without the repository.
func (s *settings) users(key string) string {
	value := ""
	for _, one := range s.list {
		if one.key == key && !one.local {
			value = one.value
		}
	}
	return value
}

// override gives settings that take the chosen keys of the repository's own config back to what the user's files
// say, empty when they say nothing.
func (s *settings) override(chosen func(key string) bool) [][2]string {
	var out [][2]string
	seen := map[string]bool{}
	for _, one := range s.list {
		if one.local && chosen(one.key) && !seen[one.key] {
			seen[one.key] = true
			out = append(out, [2]string{one.key, cmp.Or(s.users(one.key), signingPrograms[one.key])})
		}
	}
	return out
}

// signingPrograms are the programs that git signs with unless the config names others.
var signingPrograms = map[string]string{"gpg.program": "gpg", "gpg.openpgp.program": "gpg", "gpg.x509.program": "gpgsm", "gpg.ssh.program": "ssh-keygen"}

// isFilter reports whether a key belongs to a filter driver: a program that git runs on reading a file.
func isFilter(key string) bool { return strings.HasPrefix(key, "filter.") }

// isConnector reports whether a key names a program that git runs to reach a host, to sign in or to sign.
func isConnector(key string) bool {
	switch key {
	case "core.sshcommand", "core.askpass", "core.gitproxy", "core.fsmonitor":
		return true
	}
	return isHelper(key) || isLFSProgram(key) ||
		strings.HasPrefix(key, "gpg.") && (strings.HasSuffix(key, "program") || strings.HasSuffix(key, "defaultkeycommand"))
}

// isLFSProgram reports whether a key may name a program that Git LFS runs.
func isLFSProgram(key string) bool {
	return strings.HasPrefix(key, "lfs.customtransfer.") || strings.HasPrefix(key, "lfs.extension.") ||
		strings.HasPrefix(key, "lfs.") && strings.HasSuffix(key, "standalonetransferagent")
}

func isHelper(key string) bool {
	return strings.HasPrefix(key, "credential.") && strings.HasSuffix(key, "helper")
}

// withHelpers replaces the credential helpers in over, a list in which a later value does not take the place of an
// earlier one: it is emptied, and the user's own follow.
func (s *settings) withHelpers(over [][2]string) [][2]string {
	var out, helpers [][2]string
	for _, one := range over {
		if isHelper(one[0]) {
			helpers = [][2]string{{"credential.helper", ""}}
		} else {
			out = append(out, one)
		}
	}
	for _, one := range s.list {
		if helpers != nil && !one.local && isHelper(one.key) {
			helpers = append(helpers, [2]string{one.key, one.value})
		}
	}
	return append(out, helpers...)
}

// namesServer reports whether the repository's own config names the program that answers a fetch at the other side.
func (s *settings) namesServer() bool {
	for _, one := range s.list {
		if one.local && strings.HasPrefix(one.key, "remote.") && strings.HasSuffix(one.key, ".uploadpack") {
			return true
		}
	}
	return false
}

// readingOverrides are the filter drivers of the repository's own config, emptied, and its file of names of people, when
// that is outside the roots.
func (r *repo) readingOverrides(ctx context.Context) ([]string, error) {
	if !mentions(r.config, "filter") && !mentions(r.config, "include") && !mentions(r.config, "mailmap") {
		return nil, nil
	}
	s, err := r.load(ctx)
	if err != nil {
		return nil, err
	}
	list := s.override(func(key string) bool {
		return isFilter(key) || key == "mailmap.file" && r.outOfRoots(s.get(key))
	})
	for i := range list {
		if list[i][1] == "" && strings.HasSuffix(list[i][0], ".required") {
			list[i][1] = "false"
		}
	}
	return configEnv(list), nil
}
