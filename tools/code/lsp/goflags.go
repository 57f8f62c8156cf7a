package lsp

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
)

// What gopls is given as GOFLAGS. Like the rest of the environment they are the user's: a checkout has no say in
// them, but they hold in every checkout, and a path in them that is not absolute names a file of whichever is open. So
// only flags pass that choose which files are seen, and how modules are found without a change:
//
//   - -toolexec, -exec, -vettool and what goes to compilers and linkers (-ldflags=-extld=…, -gccgoflags) run programs;
//   - -mod=mod rewrites go.mod and asks the network for what it lacks. No -mod is set in its place: without one the go
//     command changes nothing either, and takes what is in vendor where that fits to go.mod, which -mod=readonly forbids;
//   - -overlay shows the content of other files, and gopls has one of its own; -modfile passes with an absolute path only.

// goPass are the flags that pass with any value.
var goPass = []string{"tags", "race", "msan", "asan", "trimpath"}

// goFlags sets GOFLAGS. It is never empty, which would mean the flags that `go env -w` has written: a program of the
// checkout's version control is not run for a stamp that nobody reads.
func goFlags(env []string) []string {
	return []string{"GOFLAGS=" + strings.Join(append([]string{"-buildvcs=false"}, safeGoFlags(launch.GoSetting(env, "GOFLAGS"))...), " ")}
}

// safeGoFlags gives those of the flags that pass, as they are written.
func safeGoFlags(flags string) []string {
	var pass []string
	for _, flag := range splitGoFlags(flags) {
		name, value, _ := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(unquoteGoFlag(flag), "-"), "-"), "=")
		switch {
		case slices.Contains(goPass, name), name == "mod" && (value == "vendor" || value == "readonly"), name == "modfile" && filepath.IsAbs(value):
			pass = append(pass, flag)
		}
	}
	return pass
}

// GoTags gives the build tags that gopls is told of in an environment.
func GoTags(env []string) []string {
	var tags []string
	for _, flag := range safeGoFlags(launch.GoSetting(env, "GOFLAGS")) {
		if name, value, _ := strings.Cut(strings.TrimLeft(unquoteGoFlag(flag), "-"), "="); name == "tags" {
			tags = strings.FieldsFunc(value, func(r rune) bool { return r == ',' || r == ' ' }) // the last one counts
		}
	}
	return tags
}

// splitGoFlags cuts GOFLAGS as the go command does: at blanks, but for a flag that stands in quotes as a whole.
func splitGoFlags(s string) []string {
	var list []string
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(s) {
		end := strings.IndexAny(s, " \t\n\r")
		if s[0] == '\'' || s[0] == '"' {
			end = strings.IndexByte(s[1:], s[0])
			if end < 0 {
				return list
			}
			end += 2
		}
		if end < 0 {
			end = len(s)
		}
		list = append(list, s[:end])
		s = s[end:]
	}
	return list
}

func unquoteGoFlag(flag string) string {
	if n := len(flag); n > 1 && (flag[0] == '\'' || flag[0] == '"') && flag[n-1] == flag[0] {
		return flag[1 : n-1]
	}
	return flag
}
