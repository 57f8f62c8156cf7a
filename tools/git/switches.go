package git

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// loose are parameters that say how much is answered, or nothing that a change could do wrong: one that an action does not
// take is but ignored. All others stop a change that does not take them.
var loose = []string{"limit", "offset", "max_chars", "context_lines", "timeout", "sort", "stat", "detail", "local", "message"}

// declared are all parameters of the tool.
var declared = sync.OnceValue(func() []tools.Param {
	list := slices.Concat(params, words(), switches())
	for i := range list {
		list[i].Strict = list[i].Strict || list[i].Path == tools.NoPath && !slices.Contains(loose, list[i].Name)
	}
	return list
})

// switches are those of git's own switches that callers give as parameters. rewriteSwitches puts them under the declared
// names that mean the same; the others are known only so that no change goes on without them.
func switches() []tools.Param {
	var list []tools.Param
	for name := range strings.FieldsSeq(`
		annotate atomic autosquash autostash checkout chmod cleanup conflict date detach detail directories edit exec ff ff_only first_parent fixup follow_tags global
		interactive intent_to_add keep keep_base keep_index local lock mirror mixed no_ff no_merges no_overlay no_tags no_track only orphan ours
		overlay push push_option rebase rebase_merges record_origin recurse_submodules recursive reject renormalize reset_author
		scope search shallow_since sign signoff single_branch soft sort squash stat strategy strategy_option strip system theirs track trailer type
		unidiff_zero unset unshallow update update_refs upstream allow_unrelated_histories`) {
		p := tools.Param{Name: name, Hidden: true}
		if name == "record_origin" {
			p.Aliases = []string{"x"}
		}
		list = append(list, p)
	}
	return list
}

// rewriteSwitches puts git's switches under the names that the actions take.
func rewriteSwitches(a *tools.Action, args *tools.Args) {
	// on gives parameter the value if the switch is on.
	on := func(word, parameter, value string) {
		if args.Bool(word) && !args.Has(parameter) {
			args.Take(word)
			args.Put(parameter, json.RawMessage(value))
		}
	}
	// off does so if it is off.
	off := func(word, parameter, value string) {
		if string(args.Raw(word)) == "false" {
			args.Take(word)
			args.Put(parameter, json.RawMessage(value))
		}
	}
	if a.Name != "apply" {
		move(args, "cached", "staged")
	}
	switch a.Name {
	case "merge":
		for _, mode := range []string{"squash", "no_ff", "ff_only"} {
			on(mode, "mode", `"`+mode+`"`)
		}
		off("ff", "mode", `"no_ff"`)
		onlyForward(args)
		if args.Bool("ff") {
			args.Take("ff") // as it does
		}
	case "pull":
		on("ff_only", "mode", `"ff_only"`)
		on("rebase", "mode", `"rebase"`)
		off("rebase", "mode", `"merge"`)
		onlyForward(args)
	case "reset":
		on("soft", "mode", `"soft"`)
		on("mixed", "mode", `"mixed"`)
		on("keep", "mode", `"keep"`)
		if mode := args.String("mode"); args.Bool("staged") && (mode == "" || mode == "mixed") {
			args.Take("staged") // as it does
		}
		move(args, "type", "mode")
	case "apply":
		on("stat", "dry_run", "true")
		on("index", "staged", "true")
	case "push":
		on("upstream", "set_upstream", "true")
		on("track", "set_upstream", "true")
		on("include_untracked", "set_upstream", "true") // push -u
	case "config":
		if normal(args.String("scope"), nil) == "local" {
			args.Take("scope")
		}
	case "add":
		if args.Bool("staged") {
			args.Take("staged") // as it does
		}
	case "clone":
		if args.String("name") == "origin" {
			args.Take("name") // as it does
		}
	case "commit":
		if args.String("ref") == "HEAD" {
			args.Take("ref") // as it does
		}
		if args.Bool("staged") && !args.Has("files") && !args.Bool("all") {
			args.Take("staged") // as it does
		}
	case "tag":
		if args.Has("message") && args.Bool("annotate") {
			args.Take("annotate")
		}
	case "branch", "checkout":
		rewriteCreation(a, args)
	}
	if raw := string(args.Raw("commit")); (raw == "true" || raw == "false") && slices.Contains(a.Params(), "no_commit") {
		args.Take("commit")
		args.Put("no_commit", json.RawMessage(map[string]string{"true": "false", "false": "true"}[raw]))
	}
}

// onlyForward is ff:"only", as git's config has it.
func onlyForward(args *tools.Args) {
	if args.String("ff") == "only" && !args.Has("mode") {
		args.Take("ff")
		args.Put("mode", json.RawMessage(`"ff_only"`))
	}
}

// rewriteCreation: a new branch may be asked for by the verb or by the switch.
func rewriteCreation(a *tools.Action, args *tools.Args) {
	switch sub := normal(args.String("sub_action"), branchAliases); {
	case a.Name == "branch" && args.Bool("create") && (sub == "" || sub == "create"):
		args.Take("create")
		args.Set("sub_action", json.RawMessage(`"create"`))
	case a.Name == "checkout" && sub == "create":
		args.Take("sub_action")
		args.Set("create", json.RawMessage("true"))
	}
}

// dropFalse leaves out switches that are off before their names are taken for those of something (upstream:false), and the
// action's own name (push:true of push).
func dropFalse(a *tools.Action, args *tools.Args) {
	for _, p := range declared() {
		if p.Type != "boolean" && string(args.Raw(p.Name)) == "false" {
			args.Take(p.Name)
		}
	}
	if args.Bool(a.Name) {
		args.Take(a.Name)
	}
}

// dropEmpty leaves out what an action does not take and what says nothing: some clients fill in every parameter there is.
func dropEmpty(a *tools.Action, args *tools.Args) {
	for _, p := range declared() {
		if raw := args.Raw(p.Name); raw != nil && !slices.Contains(a.Params(), p.Name) && empty(raw) {
			args.Take(p.Name)
		}
	}
	if !slices.Contains(a.Params(), "sub_action") && normal(args.String("sub_action"), nil) == a.Name {
		args.Take("sub_action")
	}
}

// empty reports whether a value is that of a parameter that was not given.
func empty(raw json.RawMessage) bool {
	return slices.Contains([]string{"false", `"false"`, `""`, "0", "[]", "{}"}, string(raw))
}
