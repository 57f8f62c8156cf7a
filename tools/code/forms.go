package code

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// rewriteForms takes the forms of other servers of symbols besides those that rewrite knows: places as the language server
// protocol has them, flags of a search, one kind in place of a list.
func rewriteForms(a *tools.Action, args *tools.Args) {
	takes := func(name string) bool { return slices.Contains(a.Params(), name) }
	if !takes("kind") && takes("kinds") {
		args.Texts("kind")
		if _, err := parseKinds([]string{args.String("kind")}); err == nil {
			args.Move("kind", "kinds")
		}
	}
	var doc struct{ URI string }
	if json.Unmarshal(args.Take("text_document"), &doc) == nil && doc.URI != "" {
		args.Put("path", tools.Text(doc.URI))
	}
	var at struct{ Line, Character *int }
	if takes("line") && json.Unmarshal(args.Raw("position"), &at) == nil && at.Line != nil && at.Character != nil {
		args.Take("position")
		args.Put("line", json.RawMessage(strconv.Itoa(*at.Line+1)))
		args.Put("column", json.RawMessage(strconv.Itoa(*at.Character+1)))
	}
	if flags := args.String("flags"); takes("ignore_case") && strings.Trim(flags, "gim") == "" {
		args.Take("flags")
		if strings.Contains(flags, "i") {
			args.Put("ignore_case", json.RawMessage("true"))
		}
	}
	if (a.Name == "outline" || a.Name == "symbols") && string(args.Raw("depth")) == "0" {
		args.Set("depth", json.RawMessage("1")) // levels below the top
	}
	rewrite(a, args)
}
