package code

import (
	"encoding/json"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// rewrite takes what callers write in other forms: kinds as the numbers of the language server protocol, and one path as a
// list.
func rewrite(_ *tools.Action, args *tools.Args) {
	if list := args.Strings("path"); len(list) == 1 {
		args.Set("path", tools.Text(list[0]))
	}
	args.Texts("kinds")
	var list []json.RawMessage
	if raw := args.Raw("kinds"); raw == nil || json.Unmarshal(raw, &list) != nil {
		return
	}
	for i, kind := range list {
		if strings.IndexByte("-0123456789", kind[0]) >= 0 {
			list[i] = tools.Text(string(kind))
		}
	}
	if raw, err := json.Marshal(list); err == nil {
		args.Set("kinds", raw)
	}
}
