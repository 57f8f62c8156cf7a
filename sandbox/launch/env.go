package launch

import (
	"path"
	"runtime"
	"slices"
	"strings"
)

// EnvConfig is what a child's environment is made from. The zero value passes
// nothing on and only adds what keeps children from waiting for a person.
type EnvConfig struct {
	Base    []string // the server's own environment, os.Environ()
	Secrets []string // known bearers: a variable that contains one (8 characters or more) is removed
	Scrub   []string // globs of names to remove, "*_SECRET"; case matters but on Windows
	Pass    []string // globs of names that Scrub leaves; never the bearer's
	Path    string   // the cleaned PATH; "" leaves what Base has
	TempDir string   // TMPDIR of children; "" leaves what Base has
	Cache   []string // NAME=value as CacheEnv gives them
	Extra   []string // NAME=value that win over all else: what the caller of a tool gave
}

// bearers are never passed to a child, whatever the settings say.
var bearers = []string{"HANZO_API_KEY", "HANZO_KEY", "HANZO_TOKEN", "HANZO_MCP_HTTP_TOKEN"}

// foreign names what belongs to the program that started the server, a git hook
// or an npm script, and would point a child's git or npm at the wrong place
// (git rev-parse --local-env-vars, and more of the kind).
var foreign = []string{
	"GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_CONFIG", "GIT_CONFIG_PARAMETERS", "GIT_CONFIG_COUNT", "GIT_CONFIG_KEY_*", "GIT_CONFIG_VALUE_*",
	"GIT_OBJECT_DIRECTORY", "GIT_DIR", "GIT_WORK_TREE", "GIT_IMPLICIT_WORK_TREE", "GIT_GRAFT_FILE", "GIT_INDEX_FILE", "GIT_NO_REPLACE_OBJECTS",
	"GIT_REPLACE_REF_BASE", "GIT_PREFIX", "GIT_SHALLOW_FILE", "GIT_COMMON_DIR", "GIT_NAMESPACE", "GIT_QUARANTINE_PATH", "GIT_EXTERNAL_DIFF",
	"npm_lifecycle_*", "npm_package_*", "npm_command", "npm_execpath", "npm_config_local_prefix",
	marker,
}

// quiet keeps programs from waiting for a person: editors, pagers, passwords,
// questions. An ssh without a terminal asks nothing by itself, so the user's own
// core.sshCommand is left alone.
var quiet = []string{
	"GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=true", "GIT_PAGER=cat", "GIT_ASKPASS=false", "GCM_INTERACTIVE=never",
	"SSH_ASKPASS=false", "SSH_ASKPASS_REQUIRE=never", "SUDO_ASKPASS=false",
	"EDITOR=false", "VISUAL=false", "PAGER=cat", "MANPAGER=cat", "SYSTEMD_PAGER=cat", "GH_PAGER=cat", "AWS_PAGER=",
	"DEBIAN_FRONTEND=noninteractive", "PIP_NO_INPUT=1", "PIP_DISABLE_PIP_VERSION_CHECK=1", "GH_PROMPT_DISABLED=1", "GH_NO_UPDATE_NOTIFIER=1",
	"npm_config_yes=true", "npm_config_update_notifier=false", "COMPOSER_NO_INTERACTION=1",
}

// marker is set in every child, to a value of its own: by it a process is
// found that left the group, the session and the line of its parents.
const marker = "HANZO_MCP_CHILD"

// Environ makes the environment of a child. removed names what Base had and the
// child has not, so that a result can say so.
func Environ(c EnvConfig) (env, removed []string) {
	for _, kv := range c.Base {
		name, value, ok := cutVar(kv)
		if !ok {
			continue
		}
		if matches(bearers, name) || containsSecret(value, c.Secrets) || matches(c.Scrub, name) && !matches(c.Pass, name) {
			removed = append(removed, name)
			continue
		}
		if !matches(foreign, name) {
			env = append(env, kv)
		}
	}
	set := slices.Clone(quiet)
	if c.Path != "" {
		set = append(set, "PATH="+c.Path)
	}
	if c.TempDir != "" {
		set = append(set, "TMPDIR="+c.TempDir, "TEMP="+c.TempDir, "TMP="+c.TempDir)
	}
	env = MergeEnv(env, set, c.Cache, c.Extra)
	slices.Sort(removed)
	return env, slices.Compact(removed)
}

// MergeEnv joins lists of NAME=value; of two with one name the last wins.
func MergeEnv(lists ...[]string) []string {
	var out []string
	at := map[string]int{}
	for _, kv := range slices.Concat(lists...) {
		name, _, ok := cutVar(kv)
		if !ok {
			continue
		}
		key := fold(name)
		if i, seen := at[key]; seen {
			out[i] = kv
			continue
		}
		at[key] = len(out)
		out = append(out, kv)
	}
	return out
}

// Getenv is the value of name in env, "" when it has none.
func Getenv(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if n, v, ok := cutVar(env[i]); ok && fold(n) == fold(name) {
			return v
		}
	}
	return ""
}

// cutVar splits NAME=value. Windows has names such as "=C:".
func cutVar(kv string) (name, value string, ok bool) {
	if kv == "" {
		return "", "", false
	}
	i := strings.IndexByte(kv[1:], '=')
	if i < 0 {
		return "", "", false
	}
	return kv[:i+1], kv[i+2:], true
}

func containsSecret(value string, secrets []string) bool {
	return slices.ContainsFunc(secrets, func(s string) bool { return len(s) >= 8 && strings.Contains(value, s) })
}

func matches(globs []string, name string) bool {
	name = fold(name)
	return slices.ContainsFunc(globs, func(g string) bool {
		if g = fold(g); !strings.ContainsAny(g, `*?[\`) {
			return g == name
		}
		ok, _ := path.Match(g, name)
		return ok
	})
}

// fold makes names comparable the way the system compares them.
func fold(name string) string {
	if runtime.GOOS == "windows" {
		return strings.ToUpper(name)
	}
	return name
}
