package git

import (
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// kept are the variables of our own environment that say who the user is and how to reach a host. All other GIT_
// variables could point git at another repository, another index or a program, and are dropped.
var kept = []string{
	"GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL",
	"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM",
	"GIT_SSL_CAINFO", "GIT_SSL_CAPATH",
}

// overridden are the variables that this file sets itself; what the server inherited goes.
var overridden = []string{"LANG", "LANGUAGE", "SSH_ASKPASS", "SSH_ASKPASS_REQUIRE", "GCM_INTERACTIVE", "PAGER", "EDITOR", "VISUAL", "GPG_TTY"}

// environ makes the environment of every git child from the server's: nothing waits for a person, nothing of our
// own GIT_DIR and friends gets through, messages are in English.
func environ(base []string) []string {
	env := make([]string, 0, len(base)+20)
	for _, kv := range base {
		name, _, _ := strings.Cut(kv, "=")
		if strings.HasPrefix(strings.ToUpper(name), "GIT_") && !slices.Contains(kept, name) || strings.HasPrefix(name, "LC_") || slices.Contains(overridden, name) {
			continue
		}
		env = append(env, kv)
	}
	locale := "C.UTF-8" // of characters only: git opens a file for each other part of a locale that is not C
	if runtime.GOOS == "darwin" {
		locale = "en_US.UTF-8"
	}
	return append(env,
		"LC_CTYPE="+locale, "PAGER=cat", "EDITOR=false", "VISUAL=false",
		"GIT_TERMINAL_PROMPT=0", "GIT_PAGER=cat", "GIT_EDITOR=false", "GIT_SEQUENCE_EDITOR=false",
		"GIT_ASKPASS=false", "SSH_ASKPASS=false", "SSH_ASKPASS_REQUIRE=force", "GCM_INTERACTIVE=never",
		"GIT_FLUSH=0",
	)
}

// readingEnv is what reading actions have on top: git takes no lock and so runs no post-index-change hook, and it
// fetches nothing, so a partial clone cannot start its ssh command.
var readingEnv = []string{"GIT_OPTIONAL_LOCKS=0", "GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1"}

// readingArgs go in front of every reading action: the programs that a repository's config may name for them.
var readingArgs = []string{
	"--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.alternateRefsCommand=false",
	"-c", "core.quotePath=false", "-c", "log.showSignature=false", "-c", "diff.relative=false",
}

// writingArgs go in front of every writing action, which keeps hooks, signing and filters as the user set them. Messages
// come as UTF-8 here, whatever the config says of those that the user types.
var writingArgs = []string{"--no-pager", "-c", "core.quotePath=false", "-c", "color.ui=false", "-c", "advice.detachedHead=false", "-c", "i18n.commitEncoding=UTF-8"}

// credentialArgs keep git from tidying up where the user's keys are in sight: that may run programs and hooks.
var credentialArgs = []string{"-c", "gc.auto=0", "-c", "maintenance.auto=false"}

// networkEnv is what actions have that talk to another repository. The list of protocols stands above whatever
// a config allows: ext:: and other helpers never run.
func networkEnv(sshChosen bool) []string {
	env := []string{"GIT_ALLOW_PROTOCOL=http:https:ssh:git:file"}
	if !sshChosen {
		env = append(env, "GIT_SSH_COMMAND=ssh -oBatchMode=yes")
	}
	return env
}

// withEnv gives base with the variables of extra in place of their namesakes.
func withEnv(base []string, extra ...string) []string {
	out := make([]string, 0, len(base)+len(extra))
	for _, kv := range base {
		name, _, _ := strings.Cut(kv, "=")
		if !slices.ContainsFunc(extra, func(e string) bool { return strings.HasPrefix(e, name+"=") }) {
			out = append(out, kv)
		}
	}
	return append(out, extra...)
}

// variable is the value that a program finds in env, "" when there is none.
func variable(env []string, name string) string {
	for _, kv := range slices.Backward(env) {
		if value, ok := strings.CutPrefix(kv, name+"="); ok {
			return value
		}
	}
	return ""
}

// configEnv passes settings of any spelling to git, whatever their keys hold.
func configEnv(settings [][2]string) []string {
	if len(settings) == 0 {
		return nil
	}
	env := []string{"GIT_CONFIG_COUNT=" + strconv.Itoa(len(settings))}
	for i, s := range settings {
		n := strconv.Itoa(i)
		env = append(env, "GIT_CONFIG_KEY_"+n+"="+s[0], "GIT_CONFIG_VALUE_"+n+"="+s[1])
	}
	return env
}
