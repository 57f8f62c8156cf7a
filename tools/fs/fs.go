// Package fs is the file tool: reading, writing, editing, listing and searching the files of the roots.
//
// Its room: one file for each action or family of actions (read, write, edit, patch, stat, list, find, search,
// remove, move, copy), and between them loading, hashing and answering. What is pure has packages of its own below: text
// (encodings), edit (replacing text), patch (grammars), diff.
//
// It reaches files through *sandbox.Roots only, never by a name that it was given. A change is made whole or not
// at all: new content is written beside the file and renamed, under a lock, and only what was asked for differs.
// Bytes that it cannot encode again are not edited. It runs no programs.
//
// Governing text: HIP-0300 §2 (the local fs tool), HIP-0301 §10 (sandbox).
package fs

import (
	_ "embed"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// Config is what the tool needs. The zero value works.
type Config struct {
	// Excludes is the text of the user's own git excludes file; "" for none.
	Excludes string
}

//go:embed fs.md
var description string

// New makes the tool.
func New(cfg Config) *tools.Tool {
	x := &looker{excludes: []byte(cfg.Excludes)}
	return &tools.Tool{
		Name:        "fs",
		Title:       "Files",
		Description: description,
		Hints:       tools.Hints{Destructive: true},
		Params:      params,
		Rewrite:     rewrite,
		Actions: []tools.Action{
			tools.ActWithTimeout(tools.Action{Name: "read", Aliases: otherWords["read"], Doc: "text of a file or of several, or an image"}, read),
			tools.ActWithTimeout(tools.Action{Name: "write", Aliases: otherWords["write"], Effect: tools.Writes, Doc: "make a file, replace it (overwrite) or add to it (append)"}, write),
			tools.ActWithTimeout(tools.Action{Name: "stat", Aliases: otherWords["stat"], Doc: "size, type, mode, times"}, stat),
			tools.ActWithTimeout(tools.Action{Name: "list", Aliases: otherWords["list"], Doc: "what is in a folder; depth for more levels"}, x.list),
			tools.ActWithTimeout(tools.Action{Name: "mkdir", Aliases: otherWords["mkdir"], Effect: tools.Writes, Doc: "make a folder and those above it"}, mkdir),
			tools.ActWithTimeout(tools.Action{Name: "rm", Aliases: otherWords["rm"], Effect: tools.Destroys, Confirms: removesTree, Doc: "remove a file or folder"}, remove),
			tools.ActWithTimeout(tools.Action{Name: "mv", Aliases: otherWords["mv"], Effect: tools.Writes, Paths: landing, Doc: "move path to destination"}, move),
			tools.ActWithTimeout(tools.Action{Name: "cp", Aliases: otherWords["cp"], Effect: tools.Writes, Paths: landing, Doc: "copy path to destination"}, copyTo),
			tools.ActWithTimeout(tools.Action{Name: "apply_patch", Aliases: otherWords["apply_patch"], Effect: tools.Writes, Paths: patchedPaths, Also: patchedBy,
				Doc: "replace old_text by new_text, or make edits[]"}, applyPatch),
			tools.ActWithTimeout(tools.Action{Name: "patch", Effect: tools.Writes, Paths: patchedPaths, Also: patchedBy, Doc: "change several files, all or none"}, applyFiles),
			tools.ActWithTimeout(tools.Action{Name: "search_text", Aliases: otherWords["search_text"], Doc: "lines that match query"}, x.search),
			tools.ActWithTimeout(tools.Action{Name: "find", Aliases: otherWords["find"], Doc: "files by glob, newest first"}, x.find),
		},
	}
}

var params = []tools.Param{
	{Name: "path", Type: "string", Path: tools.WritePath, Doc: "file or folder", Aliases: []string{"uri", "file_path", "file", "source", "src", "from",
		"filename", "file_name", "filepath", "absolute_path", "target_file", "old_path", "source_path", "src_path", "directory", "dir", "dir_path", "folder", "relative_workspace_path"}},
	{Name: "paths", Type: "array", Path: tools.ReadPath, Doc: "several files to read", Aliases: []string{"files", "file_paths", "filenames"}},
	{Name: "line", Type: "integer", Doc: "first line, from 1; negative: from the end", Aliases: []string{"start_line", "line_number", "from_line", "line_start", "line_offset"}},
	{Name: "offset", Type: "integer", Hidden: true, Doc: "read: lines to pass, from 0; bytes for base64"},
	{Name: "column", Type: "integer", Hidden: true, Doc: "read: first character of the first line, from 1"},
	{Name: "end_line", Type: "integer", Hidden: true, Doc: "read: last line", Aliases: []string{"to_line", "line_end", "last_line"}},
	{Name: "range", Hidden: true, Doc: "read: first and last line, [10,20] or 10-20", Aliases: []string{"view_range", "line_range", "lines"}},
	{Name: "head", Type: "integer", Hidden: true, Doc: "read: that many first lines", Aliases: []string{"first_lines"}},
	{Name: "tail", Type: "integer", Hidden: true, Doc: "read: that many last lines", Aliases: []string{"last_lines"}},
	{Name: "limit", Type: "integer", Doc: "lines (2000) or entries (500)", Aliases: []string{"max_lines", "num_lines"}},
	{Name: "encoding", Type: "string", Doc: "utf8, base64, …; else detected"},
	{Name: "line_numbers", Type: "boolean", Doc: "number the lines read", Aliases: []string{"show_line_numbers", "with_line_numbers", "-n"}},
	{Name: "content", Type: "string", Doc: "write: the whole text", Aliases: []string{"contents", "text", "file_text"}},
	{Name: "overwrite", Type: "boolean", Doc: "replace an existing file"},
	{Name: "append", Type: "boolean", Doc: "write: add to the end"},
	{Name: "mode", Type: "string", Hidden: true, Doc: "write: append or overwrite", Aliases: []string{"write_mode"}},
	{Name: "base_hash", Type: "string", Strict: true, Doc: "refuse unless the file has this hash", Aliases: []string{"expected_hash"}},
	{Name: "mkdirs", Type: "boolean", Hidden: true, Doc: "make missing folders (true)", Aliases: []string{"create_dirs", "create_directories", "parents"}},
	tools.DryRun("show, change nothing"),
	{Name: "hash", Type: "boolean", Doc: "stat: give the sha256"},
	{Name: "destination", Type: "string", Path: tools.WritePath, Doc: "mv, cp: new path; NAME/ puts it into a folder", Aliases: []string{"dest", "dst", "to", "target", "new_path", "destination_path", "dest_path", "target_path"}},
	{Name: "recursive", Type: "boolean", Doc: "rm: with all in it", Aliases: []string{"recurse"}},
	{Name: "confirm", Type: "boolean", Strict: true, Doc: "rm recursive: do it"},
	{Name: "old_text", Type: "string", Doc: "text to replace, exact and unique", Aliases: []string{"old_string", "old_str", "old"}},
	{Name: "new_text", Type: "string", Doc: "text to put there", Aliases: []string{"new_string", "new_str", "new"}},
	{Name: "edits", Type: "array", Items: "object", Doc: "[{old_text,new_text,…}], all or none"},
	{Name: "replace_all", Type: "boolean", Doc: "every place of old_text"},
	{Name: "expected_count", Type: "integer", Strict: true, Doc: "places old_text must have; all are replaced", Aliases: []string{"expected_replacements"}},
	{Name: "match", Type: "string", Enum: []string{"exact", "whitespace"}, Doc: "whitespace: ignore its differences"},
	{Name: "patch", Type: "string", Doc: "multi-file patch or unified diff", Aliases: []string{"diff", "input"}},
	{Name: "query", Type: "string", Doc: "regular expression", Aliases: []string{"regex", "regexp", "q", "search_term", "search_query"}},
	{Name: "pattern", Type: "string", Doc: "list, find: glob such as **/*.go"},
	{Name: "glob", Type: "array", Doc: "search these files; !glob leaves out", Aliases: []string{"globs", "-g", "include", "includes", "include_pattern", "include_patterns", "file_pattern", "file_glob"}},
	{Name: "exclude", Type: "array", Hidden: true, Doc: "globs of what is left out", Aliases: []string{"excludes", "exclude_pattern", "exclude_patterns", "exclude_glob", "ignore", "ignore_patterns"}},
	{Name: "name", Hidden: true, Doc: "find: glob of the name", Aliases: []string{"name_pattern", "glob_pattern"}},
	{Name: "ignore_case", Type: "boolean", Doc: "search", Aliases: []string{"case_insensitive", "i", "-i"}},
	{Name: "case_sensitive", Type: "boolean", Hidden: true, Doc: "search: the contrary of ignore_case", Aliases: []string{"match_case"}},
	{Name: "literal", Type: "boolean", Doc: "query is plain text", Aliases: []string{"fixed_strings", "fixed_string", "-F"}},
	{Name: "word", Type: "boolean", Doc: "whole words", Aliases: []string{"whole_word", "match_whole_word", "-w"}},
	{Name: "multiline", Type: "boolean", Doc: "matches may span lines", Aliases: []string{"-U"}},
	{Name: "context_lines", Type: "integer", Doc: "lines around hits", Aliases: []string{"context", "-C"}},
	{Name: "before_context", Type: "integer", Hidden: true, Doc: "search: lines in front of hits", Aliases: []string{"before", "lines_before", "-B"}},
	{Name: "after_context", Type: "integer", Hidden: true, Doc: "search: lines behind hits", Aliases: []string{"after", "lines_after", "-A"}},
	{Name: "output_mode", Type: "string", Hidden: true, Doc: "search: content or files_with_matches"},
	{Name: "max_results", Type: "integer", Doc: "hits in all (50)", Aliases: []string{"max_matches", "head_limit"}},
	{Name: "files_only", Type: "boolean", Doc: "one hit a file", Aliases: []string{"files_with_matches", "-l", "names_only"}},
	{Name: "depth", Type: "integer", Doc: "list: levels (1)", Aliases: []string{"max_depth"}},
	{Name: "type", Type: "string", Doc: "find: file, dir, link", Aliases: []string{"file_type"}},
	{Name: "sort", Type: "string", Doc: "find: mtime or name", Aliases: []string{"sort_by", "order_by"}},
	{Name: "show_hidden", Type: "boolean", Doc: "false leaves out dot files", Aliases: []string{"hidden", "include_hidden"}},
	{Name: "no_ignore", Type: "boolean", Doc: "ignored files too", Aliases: []string{"include_ignored"}},
	{Name: "cursor", Type: "string", Doc: "of the page before"},
	{Name: "max_chars", Type: "integer", Doc: "of answer (30000)"},
	{Name: "timeout", Hidden: true, Doc: "milliseconds, or text such as 30s"},
}
