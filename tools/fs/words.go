package fs

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// Models call file tools by the words of the servers they were trained with. Where such a word means what one of ours
// does it is taken; where the answer would be another one it is refused.

// otherWords are the other names of actions.
var otherWords = map[string][]string{
	"read":        {"read_file", "read_text_file", "read_files", "read_multiple_files", "read_media_file", "view", "view_file", "cat", "open", "open_file", "get"},
	"write":       {"write_file", "write_to_file", "create", "create_file", "save", "save_file", "append", "append_file", "append_to_file", "touch"},
	"stat":        {"info", "get_file_info", "file_info", "exists", "file_exists"},
	"list":        {"ls", "dir", "tree", "list_dir", "list_files", "list_directory", "list_directory_with_sizes", "directory_tree", "view_directory"},
	"mkdir":       {"create_directory", "create_dir", "make_directory", "make_dir", "create_folder", "makedirs"},
	"rm":          {"remove", "delete", "delete_file", "remove_file", "delete_directory", "delete_path", "unlink", "rmdir"},
	"mv":          {"move", "rename", "move_file", "rename_file"},
	"cp":          {"copy", "copy_file"},
	"apply_patch": {"edit", "edit_file", "replace", "replace_in_file", "str_replace", "string_replace", "search_replace", "multi_edit", "edit_block", "insert", "update", "update_file"},
	"search_text": {"grep", "search", "grep_search", "search_file_content", "search_content", "search_code", "find_in_files", "ripgrep", "rg"},
	"find":        {"glob", "find_files", "find_file", "file_search", "search_files", "glob_search"},
}

// calledAs reports whether the caller called the action by one of the words.
func calledAs(c *tools.Call, words ...string) bool { return slices.Contains(words, c.Given) }

// rewrite takes the one path in paths for the path of an action that takes one.
func rewrite(a *tools.Action, args *tools.Args) {
	if list := listed(args.Raw("paths")); a.Name != "read" && len(list) == 1 && !args.Has("path") {
		args.Take("paths")
		args.Put("path", list[0])
	}
}

// listed gives the elements of a list, nil for anything else.
func listed(raw json.RawMessage) (list []json.RawMessage) {
	if len(raw) == 0 || raw[0] != '[' || json.Unmarshal(raw, &list) != nil {
		return nil
	}
	return list
}

// linesIn are the other ways to say which lines are to be read.
type linesIn struct {
	EndLine *int            `json:"end_line"`
	Range   json.RawMessage `json:"range"`
	Head    *int            `json:"head"`
	Tail    *int            `json:"tail"`
}

var (
	rangeText = tools.Pattern(`^\s*L?(\d+)\s*(?:[-,:]|\.\.|to)\s*L?(-?\d+)\s*$`)
	countText = tools.Pattern(`^\s*(\d+)\s*$`)
)

// into puts what was said in other words into line and limit.
func (x linesIn) into(in *readIn) error {
	said := 0
	for _, is := range []bool{x.EndLine != nil, x.Range != nil, x.Head != nil, x.Tail != nil} {
		if is {
			said++
		}
	}
	positioned := in.Line != nil || in.Offset != nil
	switch {
	case said == 0:
		return nil
	case said > 1 || in.Limit != 0 || positioned && x.EndLine == nil:
		return tools.Errorf(tools.InvalidParams, "give line and limit alone to say which lines to read: head, tail, range and end_line say the same in other words").
			With(tools.Details{Param: "line"})
	case x.Range != nil:
		return x.ranged(in)
	case x.EndLine != nil:
		return upTo(in, *x.EndLine)
	}
	n, name := x.Head, "head"
	if x.Tail != nil {
		n, name = x.Tail, "tail"
	}
	if *n < 1 {
		return tools.Errorf(tools.InvalidParams, "%s must be 1 or more", name).With(tools.Details{Param: name, Actual: strconv.Itoa(*n)})
	}
	in.Limit = *n
	if x.Tail != nil {
		from := -*n
		in.Line = &from
	}
	return nil
}

// upTo makes end, from 1, the last line; -1 is the end of the file.
func upTo(in *readIn, end int) error {
	first := 1
	switch {
	case in.Line != nil && *in.Line != 0:
		first = *in.Line
	case in.Line == nil && in.Offset != nil:
		first = *in.Offset + 1
	}
	if end == -1 {
		in.Limit = allLines
		return nil
	}
	if first < 1 || end < first {
		return tools.Errorf(tools.InvalidParams, "end_line %d does not lie behind the first line, %d", end, first).
			With(tools.Details{Param: "end_line", Actual: strconv.Itoa(end)})
	}
	in.Limit = end - first + 1
	return nil
}

// ranged reads [10,20], "10-20", or a number of lines.
func (x linesIn) ranged(in *readIn) error {
	var pair []int
	text := strings.Trim(string(x.Range), `"[] `)
	if m := rangeText().FindStringSubmatch(text); m != nil {
		first, err := strconv.Atoi(m[1])
		end, err2 := strconv.Atoi(m[2])
		if err == nil && err2 == nil {
			pair = []int{first, end}
		}
	} else if n, err := strconv.Atoi(text); err == nil && n > 0 && x.Range[0] != '[' && countText().MatchString(text) {
		in.Limit = n
		return nil
	}
	if len(pair) != 2 || pair[0] < 1 {
		return tools.Errorf(tools.InvalidParams, "range must be the first and the last line, [10,20] or \"10-20\"; or give line and limit").
			With(tools.Details{Param: "range", Actual: string(x.Range)})
	}
	in.Line = &pair[0]
	return upTo(in, pair[1])
}

// modeOf puts mode into append and overwrite.
func (in *writeIn) modeOf() error {
	switch strings.ToLower(in.Mode) {
	case "", "w", "write", "create", "x":
	case "append", "a":
		in.Append = true
	case "overwrite", "rewrite", "replace":
		in.Overwrite = true
	default:
		return tools.Errorf(tools.InvalidParams, "mode must be append or overwrite, got %q; nothing was written", in.Mode).
			With(tools.Details{Param: "mode", Actual: in.Mode, Available: []string{"append", "overwrite"}})
	}
	return nil
}

// excluding adds globs that leave out.
func excluding(globs, exclude []string) []string {
	for _, g := range exclude {
		globs = append(globs, "!"+strings.TrimPrefix(g, "!"))
	}
	return globs
}

// searchWords are what other searches call what ours has.
type searchWords struct {
	CaseSensitive *bool    `json:"case_sensitive"`
	Before        int      `json:"before_context"`
	After         int      `json:"after_context"`
	OutputMode    string   `json:"output_mode"`
	Type          string   `json:"type"`
	Exclude       []string `json:"exclude"`
	Recursive     *bool    `json:"recursive"`
}

func (x searchWords) into(in *searchIn) error {
	if x.CaseSensitive != nil {
		in.IgnoreCase = !*x.CaseSensitive
	}
	in.ContextLines = max(in.ContextLines, x.Before, x.After)
	switch strings.ToLower(x.OutputMode) {
	case "", "content":
	case "files_with_matches", "files", "names":
		in.FilesOnly = true
	default:
		return tools.Errorf(tools.InvalidParams, "output_mode must be content or files_with_matches, got %q; data.total counts the hits in either", x.OutputMode).
			With(tools.Details{Param: "output_mode", Actual: x.OutputMode, Available: []string{"content", "files_with_matches"}})
	}
	if x.Type != "" && len(in.Glob) > 0 {
		return tools.Errorf(tools.InvalidParams, "give glob or type, not both").With(tools.Details{Param: "type", Actual: x.Type})
	}
	if x.Type != "" {
		glob, err := globOf(x.Type)
		if err != nil {
			return err
		}
		in.Glob = append(in.Glob, glob)
	}
	in.Glob = excluding(in.Glob, x.Exclude)
	if x.Recursive != nil && !*x.Recursive {
		in.Depth = 1
	}
	return nil
}

// fileTypes are the endings of files by the names that ripgrep has for their types, where these are not the ending.
var fileTypes = map[string]string{
	"ts": "ts,tsx,cts,mts", "typescript": "ts,tsx,cts,mts", "js": "js,jsx,cjs,mjs", "javascript": "js,jsx,cjs,mjs", "py": "py,pyi", "python": "py,pyi",
	"rust": "rs", "ruby": "rb", "golang": "go", "csharp": "cs", "c": "c,h", "cpp": "cpp,cc,cxx,hpp,hh,hxx,h,inl", "kotlin": "kt,kts", "markdown": "md,markdown,mdx",
	"md": "md,markdown,mdx", "yaml": "yaml,yml", "html": "html,htm", "sh": "sh,bash,zsh", "shell": "sh,bash,zsh", "bash": "sh,bash", "perl": "pl,pm", "haskell": "hs", "elixir": "ex,exs",
	"erlang": "erl,hrl", "scala": "scala,sbt", "swift": "swift", "protobuf": "proto", "terraform": "tf,tfvars", "svelte": "svelte", "docker": "dockerfile",
}

var ending = tools.Pattern(`^[a-z0-9_+]{1,5}$`)

// globOf gives the glob of a type of files.
func globOf(kind string) (string, error) {
	kind = strings.TrimPrefix(strings.ToLower(kind), ".")
	if list := fileTypes[kind]; list != "" {
		return "*.{" + list + "}", nil
	}
	if !ending().MatchString(kind) {
		return "", tools.Errorf(tools.InvalidParams, "type %q is not known; give glob, such as \"*.go\"", kind).
			With(tools.Details{Param: "type", Actual: kind, Suggestion: "glob"})
	}
	return "*." + kind, nil
}
