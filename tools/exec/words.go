package exec

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// comments are parameters that only say something of a call: they change nothing and are dropped.
var comments = []string{"description", "explanation", "justification", "reason", "purpose", "comment", "note", "title", "label", "summary", "rationale", "intent"}

// foreign are parameters of other servers by which a command runs elsewhere, as somebody else, in another way or not at
// all. They are declared, and taken by no action, so that a call with one is refused by its name; with a value that
// asks for what is done anyway they are dropped.
var foreign = []struct {
	name  string
	usual []string
}{
	{"host", local}, {"hostname", local}, {"machine", local}, {"remote", local}, {"ssh_host", local}, {"target_host", local},
	{"container", nil}, {"container_id", nil}, {"container_name", nil}, {"image", nil}, {"pod", nil},
	{"user", nil}, {"username", nil}, {"run_as", nil}, {"run_as_user", nil}, {"as_user", nil}, {"sudo", no}, {"as_root", no}, {"elevated", no},
	{"network", yes}, {"network_access", yes}, {"allow_network", yes},
	{"explain_only", no}, {"validate_only", no}, {"print_only", no}, {"no_exec", no},
	{"requires_approval", no}, {"require_approval", no}, {"needs_approval", no}, {"require_confirmation", no},
	{"commands", nil}, {"code", nil}, {"language", []string{"bash", "sh", "shell"}}, {"interpreter", []string{"bash", "sh"}},
}

var (
	yes   = []string{"true", "1", "yes", "on"}
	no    = []string{"false", "0", "no", "off"}
	local = []string{"false", "localhost", "local", "127.0.0.1"}
)

// otherWords declares both.
func otherWords() []tools.Param {
	var list []tools.Param
	for _, name := range comments {
		list = append(list, tools.Param{Name: name, Hidden: true})
	}
	for _, f := range foreign {
		list = append(list, tools.Param{Name: f.name, Hidden: true, Strict: true})
	}
	return list
}

// drop takes away what changes nothing.
func drop(args *tools.Args) {
	for _, name := range comments {
		args.Take(name)
	}
	for _, f := range foreign {
		if text := plainText(args.Raw(f.name)); text == "" || slices.Contains(f.usual, text) {
			args.Take(f.name)
		}
	}
}

// plainText is a value as people would say it: a text without its quotes, in small letters.
func plainText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		s = string(raw)
	}
	return strings.ToLower(strings.TrimSpace(s))
}

// booleans makes booleans of the other words that there are for them.
func booleans(args *tools.Args, names ...string) {
	for _, name := range names {
		switch text := plainText(args.Raw(name)); {
		case slices.Contains(yes, text):
			args.Set(name, json.RawMessage("true"))
		case slices.Contains(no, text):
			args.Set(name, json.RawMessage("false"))
		}
	}
}

// variables makes an object of an environment that is given as a list or as text of NAME=value. Text that could be
// taken apart in two ways stays what it is, and is refused.
func variables(args *tools.Args) {
	raw := args.Raw("env")
	list, ok := argvOf(raw)
	if !ok {
		text := strings.TrimSpace(args.String("env"))
		if text == "" || strings.ContainsAny(text, "\"'`\\$") {
			return
		}
		if list = strings.Split(text, "\n"); len(list) == 1 {
			list = strings.Fields(text)
		}
	}
	env := map[string]string{}
	for _, one := range list {
		name, value, ok := strings.Cut(one, "=")
		if !ok || !isName().MatchString(strings.TrimSpace(name)) {
			return
		}
		env[strings.TrimSpace(name)] = strings.TrimSuffix(value, "\r")
	}
	if object, err := json.Marshal(env); err == nil {
		args.Set("env", object)
	}
}

var isName = tools.Pattern(`^[A-Za-z_][A-Za-z0-9_]*$`)

// patterns makes one pattern of a list of them.
func patterns(args *tools.Args) {
	raw := args.Raw("until")
	if len(raw) == 0 || raw[0] != '[' {
		return
	}
	if list, ok := argvOf(raw); ok && len(list) > 0 {
		args.Set("until", tools.Text("(?:"+strings.Join(list, ")|(?:")+")"))
	}
}

// names makes the one or the several ids of a call of the other words that there are for them. A name that can be no id
// says what a command is, as a comment does.
func names(a *tools.Action, args *tools.Args) {
	args.Move("pid", "proc_id")
	switch isID := idText().MatchString(args.String("name")); {
	case a.Name == "exec" && (!isID || !args.Bool("background")): // it names what is done, not a process to come back to
		args.Take("name")
	default:
		args.Move("name", "proc_id")
	}
	if a.Name != "kill" {
		return
	}
	if raw := args.Raw("proc_id"); len(raw) > 0 && raw[0] == '[' {
		args.Move("proc_id", "proc_ids")
	}
	if list, ok := argvOf(args.Raw("proc_ids")); ok { // numbers are ids, too
		if raw, err := json.Marshal(list); err == nil {
			args.Set("proc_ids", raw)
		}
	}
}

var idText = tools.Pattern(`^[A-Za-z0-9._-]{1,64}$`)
