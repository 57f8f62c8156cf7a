// Package code is the code tool: the structure and the meaning of source files, and edits that know about symbols.
//
// Its room: one file for each action or family of actions. Structure (symbols, outline, search) comes from package
// syntax below, kept in memory by package index; meaning (definition, references, rename, diagnostics) from language
// servers that package lsp starts, when one is installed and may run, else from names, and then the answer says
// backend "syntax".
//
// It reaches files through *sandbox.Roots only, and starts language servers only through the launcher, confined, with
// the project's own code switched off, and only when Config.Allowed agrees. A change of several files is made whole or
// not at all; an edit keeps every byte that it was not asked to change.
//
// Governing text: HIP-0300 §2 (the local code tool), HIP-0301 §8 (language servers), §10 (sandbox).
package code

import (
	"context"
	_ "embed"

	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/index"
)

// Config is what the tool needs. The zero value knows structure only: no language server is started.
type Config struct {
	// Excludes is the text of the user's own git excludes file; "" for none.
	Excludes string
	// Launcher starts language servers and ctags, confined; nil for none.
	Launcher *launch.Launcher
	// Look finds a program on the cleaned PATH.
	Look func(name string) (string, error)
	// Environ is the environment of a child.
	Environ func() []string
	// Allowed reports whether language servers may be started now (children are confined, or the project is trusted
	// and the server is not read-only), and why not. Nil: they may not.
	Allowed func() (bool, string)
	// Trusted reports whether the project's own code may run. Nil: it may not. Servers that cannot be kept from running
	// it (ruby-lsp, solargraph, phpactor) need it.
	Trusted func() bool
	// Servers are further language servers, from the user's settings; they come before the built-in ones.
	Servers []Server
	// Done, when closed, ends the language servers and all work in the background. Nil: never.
	Done <-chan struct{}
}

// Server is a language server of the settings.
type Server struct {
	Name       string
	Command    []string
	Extensions []string // with the dot
}

//go:embed code.md
var description string

// tool is what the actions share.
type tool struct {
	cfg      Config
	excludes []byte
	index    *index.Index
	servers  *servers
	writing  chan struct{} // held by the call that changes many files
}

// changing waits until no other call changes many files.
func (t *tool) changing(ctx context.Context) (done func(), err error) {
	select {
	case t.writing <- struct{}{}:
		return func() { <-t.writing }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// New makes the tool. It starts nothing.
func New(cfg Config) *tools.Tool {
	t := &tool{cfg: cfg, excludes: []byte(cfg.Excludes), index: index.New(cfg.Done), servers: newServers(cfg), writing: make(chan struct{}, 1)}
	return &tools.Tool{
		Name:        "code",
		Title:       "Code",
		Description: description,
		Hints:       tools.Hints{Destructive: true},
		Params:      params,
		Rewrite:     rewriteForms,
		Actions: []tools.Action{
			tools.ActWithTimeout(tools.Action{Name: "symbols", Aliases: []string{"list_symbols", "document_symbols", "get_symbols"}, Doc: "symbols of a file or folder, with signatures"}, t.symbols),
			tools.ActWithTimeout(tools.Action{Name: "outline", Aliases: []string{"overview", "get_symbols_overview", "symbols_overview"}, Doc: "the same, less data"}, t.outline),
			tools.ActWithTimeout(tools.Action{Name: "search_symbol", Aliases: []string{"find_symbol", "search", "workspace_symbols", "workspace_symbol", "search_symbols"}, Doc: "definitions by name"}, t.searchSymbol),
			tools.ActWithTimeout(tools.Action{Name: "definition", Aliases: []string{"goto_definition", "go_to_definition", "find_definition", "get_definition", "define", "get_symbol", "read_symbol"}, Doc: "where a name is defined, with the body"}, t.definition),
			tools.ActWithTimeout(tools.Action{Name: "references", Aliases: []string{"find_references", "find_referencing_symbols", "get_references", "usages"}, Doc: "where it is used"}, t.references),
			tools.ActWithTimeout(tools.Action{Name: "implementations", Aliases: []string{"implementation", "find_implementations"}, Doc: "types that implement it"}, t.implementations),
			tools.ActWithTimeout(tools.Action{Name: "hover", Aliases: []string{"get_hover", "type_of"}, Doc: "its type and comment"}, t.hover),
			tools.ActWithTimeout(tools.Action{Name: "callers", Aliases: []string{"incoming_calls"}, Doc: "who calls it"}, t.callers),
			tools.ActWithTimeout(tools.Action{Name: "diagnostics", Aliases: []string{"lint", "check", "get_diagnostics"}, Doc: "errors of a file or folder"}, t.diagnostics),
			tools.ActWithTimeout(tools.Action{Name: "parse", Aliases: []string{"ast", "serialize"}, Doc: "syntax tree and errors of path or text"}, t.parse),
			tools.ActWithTimeout(tools.Action{Name: "exports", Doc: "symbols visible from outside"}, t.exports),
			tools.ActWithTimeout(tools.Action{Name: "types", Doc: "classes, structs, interfaces, enums, aliases"}, t.types),
			tools.ActWithTimeout(tools.Action{Name: "hierarchy", Aliases: []string{"type_hierarchy"}, Doc: "types above and below one"}, t.hierarchy),
			tools.ActWithTimeout(tools.Action{Name: "metrics", Doc: "lines and complexity"}, t.metrics),
			tools.ActWithTimeout(tools.Action{Name: "summarize", Aliases: []string{"summary"}, Doc: "what a folder holds, in short"}, t.summarize),
			tools.ActWithTimeout(tools.Action{Name: "rename", Aliases: []string{"rename_symbol"}, Effect: tools.Writes, Doc: "give a symbol new_name everywhere"}, t.rename),
			tools.ActWithTimeout(tools.Action{Name: "grep_replace", Aliases: []string{"search_replace"}, Effect: tools.Writes, Doc: "replace what a regular expression matches"}, t.grepReplace),
			tools.ActWithTimeout(tools.Action{Name: "transform", Aliases: []string{"codemod"}, Doc: "rename or grep_replace as a diff, not written"}, t.transform),
			tools.ActWithTimeout(tools.Action{Name: "replace_symbol", Aliases: []string{"replace_symbol_body"}, Effect: tools.Writes, Doc: "put text in place of a symbol"}, t.replaceSymbol),
			tools.ActWithTimeout(tools.Action{Name: "insert_before", Aliases: []string{"insert_before_symbol"}, Effect: tools.Writes, Doc: "put text in front of a symbol"}, t.insertBefore),
			tools.ActWithTimeout(tools.Action{Name: "insert_after", Aliases: []string{"insert_after_symbol"}, Effect: tools.Writes, Doc: "put text behind a symbol"}, t.insertAfter),
			tools.ActWithTimeout(tools.Action{Name: "delete_symbol", Aliases: []string{"remove_symbol", "safe_delete_symbol"}, Effect: tools.Writes, Doc: "remove a symbol with its comment"}, t.removeSymbol),
		},
	}
}

var params = []tools.Param{
	{Name: "path", Type: "string", Path: tools.WritePath, Doc: "file or folder", Aliases: []string{"uri", "file_path", "file", "relative_path", "filename", "paths"}},
	{Name: "query", Type: "string", Doc: "name or name path (Type.method, pkg.F); grep_replace: RE2", Aliases: []string{"pattern", "q", "symbol", "name", "old_name", "search"}},
	{Name: "name_path", Type: "string", Doc: "the symbol to edit: Type.method, Type.method[1] for an overload", Aliases: []string{"symbol_name", "symbol_path", "name_path_pattern"}},
	{Name: "line", Type: "integer", Doc: "position instead of query, from 1"},
	{Name: "column", Type: "integer", Doc: "in characters, from 1", Aliases: []string{"character", "col"}},
	{Name: "kinds", Type: "array", Doc: "function, method, class, struct, interface, type, constant, …", Aliases: []string{"include_kinds"}},
	{Name: "depth", Type: "integer", Doc: "levels shown", Aliases: []string{"max_depth"}},
	{Name: "include_body", Type: "boolean", Doc: "definition: with the source (true); search_symbol too"},
	{Name: "body", Hidden: true, Doc: "text of an edit, or include_body"},
	{Name: "severity", Type: "string", Doc: "error, warning, information, hint: at least"},
	{Name: "text", Type: "string", Doc: "new code; source to read in place of path", Aliases: []string{"content", "code", "new_text", "source", "new_body", "new_code"}},
	{Name: "language", Type: "string", Doc: "of text", Aliases: []string{"lang"}},
	{Name: "new_name", Type: "string", Doc: "rename: the name to give", Aliases: []string{"to"}},
	{Name: "kind", Type: "string", Doc: "rename: semantic or text; transform: rename or grep_replace"},
	{Name: "comments", Type: "boolean", Doc: "text rename: in strings and comments too", Aliases: []string{"include_comments"}},
	{Name: "replacement", Type: "string", Doc: "grep_replace; $1 is a group", Aliases: []string{"replace", "replace_with"}},
	{Name: "literal", Type: "boolean", Doc: "query is plain text"},
	{Name: "ignore_case", Hidden: true, Doc: "of query, as (?i)", Aliases: []string{"case_insensitive"}},
	{Name: "flags", Hidden: true, Doc: "i: as ignore_case"},
	{Name: "position", Hidden: true, Doc: "{line, character}, from 0"},
	{Name: "text_document", Hidden: true, Doc: "{uri}"},
	{Name: "glob", Type: "array", Doc: "only these files; !glob leaves out", Aliases: []string{"globs", "include", "file_pattern"}},
	{Name: "expected_count", Type: "integer", Strict: true, Doc: "refuse unless so many places change"},
	{Name: "base_hash", Type: "string", Strict: true, Doc: "refuse unless the file has this hash", Aliases: []string{"expected_hash"}},
	tools.DryRun("show the diff, change nothing"),
	{Name: "max_results", Type: "integer", Doc: "hits", Aliases: []string{"limit", "max_matches", "head_limit"}},
	{Name: "cursor", Type: "string", Doc: "of the page before"},
	{Name: "max_chars", Type: "integer", Doc: "of payload (30000)"},
	{Name: "timeout", Hidden: true, Doc: "milliseconds, or text such as 30s"},
}
