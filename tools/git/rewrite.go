package git

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// words are parameters whose meaning depends on the action: rewrite puts them under the declared names. One that is left
// over stops a change, since the caller meant something by it.
func words() []tools.Param {
	list := []tools.Param{
		{Name: "repo_path", Type: "string", Path: tools.ReadPath, Aliases: []string{"cwd", "repo", "repository", "dir", "working_dir", "workdir", "working_directory", "work_dir",
			"project_path", "project_dir", "project_root", "repository_path", "repo_dir", "repo_root", "path_to_repo", "folder", "root", "workspace",
			"work_tree", "location", "repo_location", "basedir", "base_dir", "project", "project_folder", "repository_root"}},
		{Name: "file_path", Type: "string", Path: tools.ReadPath, Aliases: []string{"filepath", "filename", "file_name"}},
		{Name: "branch", Type: "string"},
		{Name: "initial_branch", Type: "string", Aliases: []string{"default_branch"}},
		{Name: "new_branch", Type: "string", Aliases: []string{"new_branch_name"}},
		{Name: "source", Type: "string", Aliases: []string{"base", "start_point", "from", "base_branch", "source_branch", "from_ref",
			"ref1", "commit1", "rev1", "branch1", "from_commit", "from_branch", "base_ref", "base_commit", "start_commit", "old_commit", "start_ref", "old_ref", "from_sha"}},
		{Name: "target", Type: "string", Aliases: []string{"target_branch", "to_ref",
			"ref2", "commit2", "rev2", "branch2", "to_commit", "to_branch", "head", "head_ref", "head_commit", "compare", "end_commit", "new_commit", "end_ref", "new_ref", "to_sha"}},
		{Name: "stash", Type: "string", Aliases: []string{"stash_ref", "stash_index", "stash_id", "id"}},
		{Name: "index"},
		{Name: "commit"},
		{Name: "worktree", Path: tools.ReadPath},
		{Name: "abort", Type: "boolean"},
		{Name: "continue", Type: "boolean"},
		{Name: "delete", Type: "boolean"},
		{Name: "start_line", Type: "integer", Aliases: []string{"line_start"}},
		{Name: "end_line", Type: "integer", Aliases: []string{"line_end"}},
	}
	list = append(list, narrowingWords()...)
	for i := range list {
		list[i].Hidden, list[i].Strict = true, list[i].Path == tools.NoPath
	}
	return list
}

// narrowed are the actions that a file limits, when it is given beside the repository.
var narrowed = []string{"status", "diff", "log", "show", "blame", "add", "restore", "commit", "stash", "clean"}

// rewrite puts what callers say in other words under the declared names.
func rewrite(a *tools.Action, args *tools.Args) {
	rewriteSwitches(a, args)
	rewriteNarrowing(a, args)
	dropFalse(a, args)
	rewritePlaces(a, args)
	rewriteRefs(a, args)
	rewriteVerbs(a, args)
	if first := args.Raw("start_line"); a.Name == "blame" && first != nil && !args.Has("lines") {
		args.Put("lines", tools.Text(plain(args.Take("start_line"))+","+plain(args.Take("end_line"))))
	}
	stringify(args, "lines", "value", "ref", "name", "since", "until", "good", "bad", "onto", "contains", "no_contains", "merged", "no_merged", "points_at")
	dropEmpty(a, args)
}

// rewritePlaces: the repository, and a file in it.
func rewritePlaces(a *tools.Action, args *tools.Args) {
	if !slices.Contains(a.Params(), "destination") {
		move(args, "destination", "path")
	}
	switch raw := string(args.Raw("worktree")); {
	case raw == "false" || raw == "true" && a.Name == "restore" && !args.Bool("staged"):
		args.Take("worktree") // as it does
	case raw == "true":
	case a.Name == "worktree":
		move(args, "worktree", "destination")
	default:
		move(args, "worktree", "repo_path")
	}
	if args.String("path") == "." && args.Has("repo_path") {
		args.Take("path")
	}
	beside := ""
	if move(args, "repo_path", "path"); args.Has("repo_path") {
		beside = "path"
	}
	if beside == "" {
		if move(args, "file_path", "path"); args.Has("file_path") {
			beside = "file_path"
		}
	}
	if beside == "" || args.Has("files") || !slices.Contains(narrowed, a.Name) || !slices.Contains(a.Params(), "files") {
		return
	}
	args.Put("files", args.Take(beside))
	move(args, "repo_path", "path")
}

// rewriteRefs: what else names a branch or a commit.
func rewriteRefs(a *tools.Action, args *tools.Args) {
	switch a.Name {
	case "stash":
		if raw := string(args.Raw("index")); raw == "true" {
			args.Take("index") // as pop and apply do
		}
		move(args, "index", "stash")
		if stash := args.Raw("stash"); stash != nil && !args.Has("ref") {
			args.Put("ref", tools.Text(plain(args.Take("stash"))))
		}
	case "diff", "log", "shortlog":
		if args.String("name") != "" {
			move(args, "name", "ref")
		}
		rewriteRange(args)
	case "init":
		move(args, "initial_branch", "ref")
		move(args, "name", "ref")
	case "branch":
		if normal(args.String("sub_action"), branchAliases) == "rename" {
			move(args, "new_branch", "new_name")
		}
		move(args, "new_branch", "name")
		move(args, "branch", "name")
	case "checkout", "worktree":
		if args.Has("new_branch") {
			move(args, "new_branch", "name")
			if a.Name == "checkout" {
				args.Put("create", json.RawMessage("true"))
			}
		}
		if args.Has("source") || args.Bool("create") && !args.Has("name") && args.Has("ref") {
			move(args, "branch", "name")
		}
	}
	if slices.Contains(a.Params(), "ref") {
		for _, word := range []string{"commit", "branch", "upstream", "source", "target"} {
			move(args, word, "ref")
		}
	}
}

// rewriteRange: two commits, however they are named.
func rewriteRange(args *tools.Args) {
	move(args, "commit", "ref")
	move(args, "new_name", "target") // "to"
	var list []string
	if raw := args.Raw("ref"); len(raw) > 0 && raw[0] == '[' && json.Unmarshal(raw, &list) == nil {
		args.Set("ref", tools.Text(strings.Join(list, " ")))
	}
	from, to := args.String("source"), args.String("target")
	if ref := args.String("ref"); ref != "" && (from == "") != (to == "") && !strings.ContainsAny(ref, " ") && !strings.Contains(ref, "..") {
		args.Take("ref")
		from, to = cmp.Or(from, ref), cmp.Or(to, ref)
	}
	if from != "" && to != "" && !args.Has("ref") {
		args.Take("source")
		args.Take("target")
		args.Put("ref", tools.Text(from+".."+to))
	}
}

// rewriteVerbs: the verb in the place of a mode, or as a switch.
func rewriteVerbs(a *tools.Action, args *tools.Args) {
	if !slices.Contains(a.Params(), "sub_action") || args.Has("sub_action") {
		return
	}
	mode := normal(args.String("mode"), nil)
	switch a.Name {
	case "merge", "rebase", "cherry_pick":
		if _, verb := mergeSubs[mode]; verb && mode != "" {
			move(args, "mode", "sub_action")
		}
		for word, verb := range map[string]string{"abort": "abort", "continue": "continue", "offset": "skip"} { // skip is another word for offset
			if args.Bool(word) {
				args.Take(word)
				args.Put("sub_action", tools.Text(verb))
			}
		}
	case "branch", "tag", "push":
		if name := args.String("delete"); name != "" && name != "true" && name != "false" {
			args.Take("delete")
			args.Put("sub_action", json.RawMessage(`"delete"`))
			args.Put(map[bool]string{true: "ref", false: "name"}[a.Name == "push"], tools.Text(name))
		} else if args.Bool("delete") {
			args.Take("delete")
			args.Put("sub_action", json.RawMessage(`"delete"`))
		}
	}
	if !slices.Contains(a.Params(), "mode") {
		move(args, "mode", "sub_action")
	}
}

// move gives what is said by one name another, unless that says something else.
func move(args *tools.Args, from, to string) {
	if raw := args.Raw(from); raw != nil && bytes.Equal(args.Raw(to), raw) {
		args.Take(from)
	}
	args.Move(from, to)
}

// stringify makes texts of what callers give as a number, a boolean or a list of numbers.
func stringify(args *tools.Args, names ...string) {
	for _, name := range names {
		if raw := args.Raw(name); len(raw) > 0 && raw[0] != '"' && raw[0] != '{' {
			args.Set(name, tools.Text(plain(raw)))
		}
	}
}

// plain is the text of a JSON value: of a list its items, parted by commas.
func plain(raw json.RawMessage) string {
	var s string
	var list []json.RawMessage
	switch {
	case len(raw) == 0:
		return ""
	case json.Unmarshal(raw, &s) == nil:
		return s
	case json.Unmarshal(raw, &list) == nil:
		texts := make([]string, len(list))
		for i := range list {
			texts[i] = plain(list[i])
		}
		return strings.Join(texts, ",")
	}
	return string(raw)
}
