package store

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// Value makes text of whatever a parameter is, of an object its JSON. For Tool.Rewrite.
func Value(args *tools.Args, name string) {
	if raw := args.Raw(name); raw != nil && raw[0] != '"' {
		reform(args, name, string(raw))
	}
}

// Lists makes lists of texts: of a text with commas what stands between them, of a number its text. For Tool.Rewrite.
func Lists(args *tools.Args, names ...string) {
	for _, name := range names {
		raw := args.Raw(name)
		if raw == nil || raw[0] == '{' {
			continue
		}
		text := strings.TrimSpace(textOf(raw))
		var given []json.RawMessage
		if !strings.HasPrefix(text, "[") || json.Unmarshal([]byte(text), &given) != nil {
			reform(args, name, Split(textOf(raw)))
			continue
		}
		for i, one := range given {
			if strings.IndexByte(`"{[n`, one[0]) < 0 {
				given[i] = encode(string(one))
			}
		}
		reform(args, name, given)
	}
}

// reform gives a parameter another form.
func reform(args *tools.Args, name string, value any) {
	args.Set(name, encode(value))
}

// Unheeded refuses a call that looks when one of the parameters by which callers choose is given and the action does not
// take it: the whole list would be taken for the answer.
func Unheeded(c *tools.Call, choosing ...string) error {
	for _, name := range choosing {
		if c.Args.Has(name) && !slices.Contains(c.Action.Params(), name) {
			return tools.Errorf(tools.InvalidParams, "%s.%s does not choose by %s; leave it out. It takes %s", c.Tool.Name, c.Action.Name, name, strings.Join(c.Action.Params(), ", ")).
				With(tools.Details{Param: name, Available: c.Action.Params()})
		}
	}
	return nil
}

// Split gives what stands between commas.
func Split(text string) []string {
	list := strings.Split(text, ",")
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return slices.DeleteFunc(list, func(s string) bool { return s == "" })
}

// Has reports whether has holds all of want.
func Has(has, want []string) bool {
	return !slices.ContainsFunc(want, func(w string) bool { return !slices.Contains(has, w) })
}
