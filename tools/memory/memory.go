// Package memory is the tool that remembers texts over sessions.
//
// Its room: entries (a key in a namespace, a value, tags, perhaps a time to live) and facts (sentences grouped in
// knowledge bases), kept by package store in a file that the other Hanzo servers use too. One file for each family
// of actions: entry (store, update, delete, tags), recall (everything that looks), facts, transfer (export,
// import, merge), forget (clear, forget); filter has the parameters that
// choose entries.
//
// It must never lose what another server wrote, an unknown field included; never remove much without confirm; and
// reach files that a call names only through the roots. It knows no meaning: words are compared, nothing is sent
// anywhere.
//
// Governing text: HIP-0300 §2 (the optional local tool memory).
package memory

import (
	_ "embed"
	"encoding/json"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/store"
)

// Config is what the tool needs.
type Config struct {
	// Path is the state file: MEMORY_PATH, else ~/.hanzo/memory.json. With "" nothing is kept on disk, and calls
	// say so.
	Path string
}

//go:embed memory.md
var description string

// Entry is a remembered text. Its id never changes; key and namespace together name it.
type Entry struct {
	ID        string          `json:"id"`
	Key       string          `json:"key"`
	Value     string          `json:"value"`
	Tags      []string        `json:"tags"`
	Namespace string          `json:"namespace"`
	Created   string          `json:"created"`
	Updated   string          `json:"updated"`
	Metadata  json.RawMessage `json:"metadata,omitempty"`
	TTL       string          `json:"ttl,omitempty"` // the time after which it is gone
	History   []Version       `json:"history,omitempty"`
}

// Version is an earlier value of an entry.
type Version struct {
	Value   string `json:"value"`
	Updated string `json:"updated"`
}

// Fact is a sentence of a knowledge base.
type Fact struct {
	ID      string   `json:"id"`
	Content string   `json:"content"`
	KB      string   `json:"kb"`
	Tags    []string `json:"tags"`
	Created string   `json:"created"`
}

// Document is the state file.
type Document struct {
	Entries    store.List[Entry] `json:"entries"`
	LastID     int64             `json:"lastId"`
	Facts      store.List[Fact]  `json:"facts"`
	LastFactID int64             `json:"lastFactId"`
}

type tool struct {
	file *store.Store[Document]
}

// New makes the tool. It reads nothing before the first call.
func New(cfg Config) *tools.Tool {
	t := &tool{file: store.New[Document](cfg.Path)}
	return &tools.Tool{
		Name: "memory", Title: "Memory", Description: description, Rewrite: rewrite,
		Hints: tools.Hints{Destructive: true},
		Params: []tools.Param{
			{Name: "key", Type: "string", Doc: "name of the entry; facts: id", Aliases: []string{"id", "name"}},
			{Name: "value", Type: "string", Doc: "text to remember", Aliases: []string{"content", "text", "fact"}},
			{Name: "query", Type: "string", Doc: "words to find in keys, values and tags", Aliases: []string{"q", "search_query"}},
			{Name: "tag", Type: "string", Doc: "one tag", Aliases: []string{"label"}},
			{Name: "tags", Type: "array", Doc: "tags of the entry; to look or remove: it has all of them", Aliases: []string{"labels"}},
			{Name: "namespace", Type: "string", Doc: "group of entries, default \"default\"", Aliases: []string{"scope", "ns", "project"}},
			{Name: "metadata", Type: "object", Doc: "anything else about it"},
			{Name: "ttl", Type: "string", Doc: "gone after: \"7d\", \"12h\", or a date", Aliases: []string{"expires"}},
			{Name: "append", Type: "boolean", Doc: "store: add a line to the value"},
			{Name: "limit", Type: "integer", Doc: "how many at most", Aliases: []string{"max_results", "count"}},
			{Name: "sort", Type: "string", Doc: "list: order", Enum: []string{"updated", "created", "key", "namespace"}},
			{Name: "path", Type: "string", Path: tools.WritePath, Doc: "export, import: a file in the project", Aliases: []string{"uri", "file_path", "file"}},
			{Name: "data", Type: "object", Doc: "import: what export gave, or {key: value}"},
			{Name: "overwrite", Type: "boolean", Doc: "import, export: replace what is there"},
			{Name: "fact_action", Type: "string", Doc: "facts: what to do", Enum: []string{"store", "recall", "delete", "list"}, Aliases: []string{"sub_action", "op"}},
			{Name: "kb", Type: "string", Doc: "facts: knowledge base", Aliases: []string{"knowledge_base"}},
			{Name: "confirm", Type: "boolean", Strict: true, Doc: "really remove it"},
			tools.DryRun("only say what would change"),
			{Name: "max_chars", Type: "integer", Doc: "of text, default 30000"},
		},
		Actions: []tools.Action{
			tools.Act(tools.Action{Name: "store", Aliases: []string{"save", "set", "add", "remember", "create"}, Effect: tools.Writes, Doc: "remember value under key"}, t.store),
			tools.Act(tools.Action{Name: "recall", Aliases: []string{"get", "read", "open_nodes"}, Doc: "the value of key, or the latest entries"}, t.recall),
			tools.Act(tools.Action{Name: "list", Aliases: []string{"ls", "read_graph"}, Doc: "keys, without values"}, t.list),
			tools.Act(tools.Action{Name: "delete", Aliases: []string{"remove"}, Effect: tools.Destroys, Doc: "remove the entry of key, or those with tag"}, t.delete),
			tools.Act(tools.Action{Name: "search", Aliases: []string{"find", "query", "search_nodes"}, Doc: "entries and facts by words, best first"}, t.search),
			tools.Act(tools.Action{Name: "stats", Doc: "how much there is"}, t.stats),
			tools.Act(tools.Action{Name: "clear", Effect: tools.Destroys, Confirms: notDry, Also: deletes, Doc: "remove all entries, or those of namespace, tag, key or query (confirm)"}, t.clear),
			tools.Act(tools.Action{Name: "export", Effect: tools.Reads, EffectOf: writesPath, Doc: "entries and facts as JSON, to path or as text"}, t.export),
			tools.Act(tools.Action{Name: "import", Effect: tools.Writes, Confirms: overwrites, Doc: "add entries of path or data (overwrite: confirm)"}, t.importAll),
			tools.Act(tools.Action{Name: "merge", Effect: tools.Writes, Doc: "join the entries of key in all namespaces into one"}, t.merge),
			tools.Act(tools.Action{Name: "tag", Effect: tools.Writes, Doc: "add tag (or tags) to key"}, t.tag),
			tools.Act(tools.Action{Name: "untag", Effect: tools.Writes, Doc: "take tag (or tags) from key"}, t.untag),
			tools.Act(tools.Action{Name: "namespaces", Doc: "all namespaces"}, t.namespaces),
			tools.Act(tools.Action{Name: "history", Doc: "earlier values of key (the last 5)"}, t.history),
			tools.Act(tools.Action{Name: "update", Effect: tools.Writes, Doc: "change an entry that exists"}, t.update),
			tools.Act(tools.Action{Name: "facts", Effect: tools.Reads, EffectOf: factEffect, Doc: "sentences grouped by kb; fact_action"}, t.facts),
			tools.Act(tools.Action{Name: "forget", Effect: tools.Destroys, Confirms: forgetsMany, Also: deletes, Doc: "remove key everywhere, or all that query or tag finds (confirm)"}, t.forget),
		},
	}
}

// deletes has rules for delete hold for what removes under another name.
func deletes(*tools.Call) []string { return []string{"delete"} }

func notDry(c *tools.Call) bool { return !c.Args.Bool("dry_run") }

func overwrites(c *tools.Call) bool { return c.Args.Bool("overwrite") && notDry(c) }

func forgetsMany(c *tools.Call) bool {
	return (c.Args.Has("query") || c.Args.Has("tag") || c.Args.Has("tags")) && notDry(c)
}

func writesPath(c *tools.Call) tools.Effect {
	if c.Args.Has("path") {
		return tools.Writes
	}
	return tools.Reads
}

// live reports whether an entry's time has not passed. A time that cannot be read never passes.
func (e *Entry) live(now time.Time) bool {
	if e.TTL == "" {
		return true
	}
	end, ok := store.Time(e.TTL)
	return !ok || end.After(now)
}

// is reports whether the entry is the one of key in namespace; "" is any namespace.
func (e *Entry) is(key, namespace string) bool {
	return e.Key == key && (namespace == "" || e.space() == namespace)
}
