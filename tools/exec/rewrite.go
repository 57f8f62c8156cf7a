package exec

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// rewrite puts what callers say in other words under the declared names. Arguments that it cannot join to their command
// stay where they are, and the action refuses them: a command must not run in another way than it was meant.
func rewrite(a *tools.Action, args *tools.Args) {
	args.Texts("proc_id", "pid", "stdin", "text", "filter")
	times(args)
	args.Move("pid", "proc_id")
	switch a.Name {
	case "exec":
		args.Move("text", "stdin")
		if string(args.Raw("shell")) == "true" { // which it is without it
			args.Take("shell")
		}
		for _, name := range []string{"blocking", "wait"} {
			if raw := args.Raw(name); slices.Contains([]string{"true", "false", `"true"`, `"false"`}, string(raw)) && !args.Has("background") {
				args.Put("background", map[bool]json.RawMessage{true: json.RawMessage("false"), false: json.RawMessage("true")}[args.Bool(name)])
				args.Take(name)
			}
		}
		joinArgs(args)
	case "write":
		args.Move("stdin", "text")
	case "logs":
		args.Move("limit", "tail")
	}
}

var (
	number  = tools.Pattern(`^[0-9]+(\.[0-9]+)?$`)
	spelled = tools.Pattern(`^(?i)([0-9]+(?:\.[0-9]+)?) *(?:(ms|milli)|(s)|(m)|(h))[a-z]*$`) // a time as people write it
)

// times makes one timeout of the names and the words that there are for it.
func times(args *tools.Args) {
	for _, other := range []struct{ name, unit string }{{"timeout_ms", "ms"}, {"timeout_seconds", "s"}} {
		if raw := args.Raw(other.name); raw != nil && !args.Has("timeout") {
			text := strings.Trim(string(raw), `" `)
			if number().MatchString(text) {
				text += other.unit
			}
			args.Take(other.name)
			args.Put("timeout", tools.Text(text))
		}
	}
	if m := spelled().FindStringSubmatch(strings.TrimSpace(args.String("timeout"))); m != nil {
		for i, unit := range []string{"ms", "s", "m", "h"} {
			if m[2+i] != "" {
				args.Set("timeout", tools.Text(m[1]+unit))
			}
		}
	}
}

// joinArgs joins a command and the arguments that are given apart from it. Only a command that is nothing but words can
// take them: at the end of any other line they would belong to something else.
func joinArgs(args *tools.Args) {
	raw, line := args.Raw("args"), args.String("command")
	if raw == nil {
		return
	}
	rest, isList := argvOf(raw)
	if text := args.String("args"); text != "" && !isList {
		if isWords(line) { // the shell takes them apart
			args.Set("command", tools.Text(line+" "+text))
			args.Take("args")
		}
		return
	}
	command, _ := argvOf(args.Raw("command"))
	if isWords(line) {
		command = strings.Fields(line)
	}
	if len(command) == 0 || !isList {
		return
	}
	if both, err := json.Marshal(append(command, rest...)); err == nil {
		args.Set("command", both)
		args.Take("args")
	}
}

// argvOf reads an array of texts and numbers, or the text of one.
func argvOf(raw json.RawMessage) (argv []string, ok bool) {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		raw = json.RawMessage(strings.TrimSpace(text))
	}
	var list []json.RawMessage
	if len(raw) == 0 || raw[0] != '[' || json.Unmarshal(raw, &list) != nil {
		return nil, false
	}
	argv = []string{}
	for _, one := range list {
		word := string(one)
		if c := one[0]; c == '{' || c == '[' || c == 'n' || c == '"' && json.Unmarshal(one, &word) != nil {
			return nil, false
		}
		argv = append(argv, word)
	}
	return argv, true
}

var plainWords = tools.Pattern(`^[A-Za-z0-9_./:@%+, -]*[A-Za-z0-9_./:@%+,-][A-Za-z0-9_./:@%+, -]*$`)

// isWords reports whether every shell takes a line for words and nothing else.
func isWords(line string) bool { return plainWords().MatchString(line) }
