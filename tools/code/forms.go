package code

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
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
	var one []string
	if json.Unmarshal(args.Raw("path"), &one) == nil && len(one) == 1 {
		args.Set("path", tools.Text(one[0]))
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
	if m := linePosition().FindStringSubmatch(args.String("position")); takes("line") && m != nil {
		args.Take("position")
		args.Put("line", json.RawMessage(m[1]))
		args.Put("column", json.RawMessage(m[2]))
	}
	if takes("base_hash") && !args.Has("path") { // an edit: it needs the file
		for _, name := range []string{"name_path", "query"} {
			if file, symbol := fileAndName(args.String(name)); symbol != "" && !args.Has("path") {
				args.Put("path", tools.Text(file))
				args.Set(name, tools.Text(symbol))
			}
		}
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

// linePosition matches line:column, as answers write places.
var linePosition = tools.Pattern(`^([1-9]\d{0,8}):([1-9]\d{0,8})$`)

// fileAndName takes file:Type.method apart, as answers name symbols; symbol is "" where that is none of a source.
func fileAndName(s string) (file, symbol string) {
	i := strings.IndexAny(s, ":#")
	if i <= 0 || syntax.Detect(s[:i], nil) == nil {
		return "", ""
	}
	return s[:i], strings.TrimLeft(s[i:], ":#")
}
