package exec

import (
	"runtime"
	"slices"
	"strings"
)

// plain gives the argv for a command line of which bash would make nothing but the start of a program: it is started
// without bash, which takes half the time. The same for the builtins that every shell has alike: sh runs them, since
// it starts faster than bash and than the programs of their names. Anything that a shell could see differently (quotes, globs, variables,
// operators, builtins, functions from the environment) is left to the shell.
func (t *tool) plain(line string, in execArgs, env []string) (path string, args []string, ok bool) {
	if runtime.GOOS == "windows" || t.Shell != "" || in.Shell != "" {
		return "", nil, false
	}
	for i := 0; i < len(line); i++ {
		if c := line[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && !strings.ContainsRune(" -_./,:@%+=", rune(c)) {
			return "", nil, false
		}
	}
	args = strings.Fields(line)
	if len(args) == 0 || strings.ContainsAny(args[0], "/=%") {
		return "", nil, false
	}
	if slices.Contains(simple, args[0]) {
		if slices.ContainsFunc(args[1:], func(a string) bool { return a[0] == '-' }) {
			return "", nil, false
		}
	} else if slices.Contains(builtins, args[0]) {
		return "", nil, false
	}
	if _, other := in.Env["PATH"]; other {
		return "", nil, false
	}
	for _, kv := range env {
		if strings.HasPrefix(kv, "BASH") || strings.HasPrefix(kv, "SHELLOPTS=") { // BASH_ENV, functions, options
			return "", nil, false
		}
	}
	if slices.Contains(simple, args[0]) {
		args = []string{"sh", "-c", line}
	}
	path, err := t.look(args[0])
	return path, args, err == nil
}

// simple are builtins that are alike in every shell, given no option.
var simple = []string{"echo", "true", "false"}

// builtins are bash's builtins and reserved words.
var builtins = strings.Fields(`. : [ alias bg bind break builtin caller cd command compgen complete compopt continue
	declare dirs disown echo enable eval exec exit export false fc fg getopts hash help history jobs kill let local
	logout mapfile popd printf pushd pwd read readarray readonly return set shift shopt source suspend test times trap
	true type typeset ulimit umask unalias unset wait
	if then elif else fi time for in until while do done case esac coproc select function`)
