package exec

import (
	"encoding/json"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// rewrite puts what callers say in other words under the declared names. Arguments that it cannot join to their command
// stay where they are, and the action refuses them: a command must not run in another way than it was meant.
func rewrite(a *tools.Action, args *tools.Args) {
	args.Texts("proc_id", "pid", "name", "stdin", "text", "filter")
	booleans(args, "background", "pty", "raw", "newline", "close_stdin", "since", "blocking", "wait", "confirm")
	drop(args)
	names(a, args)
	times(args)
	patterns(args)
	if a.Name != "exec" {
		args.Move("yield_time_ms", "timeout")
	}
	switch a.Name {
	case "exec":
		variables(args)
		args.Move("text", "stdin")
		if string(args.Raw("shell")) == "true" { // which it is without it
			args.Take("shell")
		}
		for _, name := range []string{"blocking", "wait"} {
			if raw := string(args.Raw(name)); (raw == "true" || raw == "false") && !args.Has("background") {
				args.Put("background", map[bool]json.RawMessage{true: json.RawMessage("false"), false: json.RawMessage("true")}[raw == "true"])
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
