package memory

import (
	"encoding/json"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/store"
)

// filter are the parameters that choose entries.
type filter struct {
	Tag       string   `json:"tag"`
	Tags      []string `json:"tags"`
	Namespace string   `json:"namespace"`
}

// tagged are the tags that an entry must have, all of them.
func (f filter) tagged() []string { return (&fields{Tags: f.Tags, Tag: f.Tag}).allTags() }

func (f filter) passes(e *Entry) bool {
	return (f.Namespace == "" || e.space() == f.Namespace) && store.Has(e.Tags, f.tagged())
}

// choice are the parameters that choose what is removed.
type choice struct {
	Key   string `json:"key"`
	Query string `json:"query"`
	filter
}

// all reports whether nothing is chosen, which means everything.
func (f choice) all() bool {
	return f.Key == "" && len(store.Terms(f.Query)) == 0 && f.Namespace == "" && len(f.tagged()) == 0
}

// blank refuses a choice of which a part is given and empty: without it more would be removed than was meant.
func (f choice) blank(c *tools.Call) error {
	for param, empty := range map[string]bool{
		"key": strings.TrimSpace(f.Key) == "", "query": len(store.Terms(f.Query)) == 0, "tag": strings.TrimSpace(f.Tag) == "",
		"tags": len((&fields{Tags: f.Tags}).allTags()) == 0, "namespace": f.Namespace == "",
	} {
		if empty && c.Args.Has(param) {
			return tools.Errorf(tools.InvalidParams, "%s is empty; leave it out, or say what it should be. Nothing was removed", param).With(tools.Details{Param: param})
		}
	}
	return nil
}

// takes reports whether an entry is chosen.
func (f choice) takes(it *store.Item[Entry], terms []string) bool {
	return (f.Key == "" || it.V.Key == f.Key) && f.passes(&it.V) && (len(terms) == 0 || score(it, terms, true) > 0)
}

// chosen gives the entries that are to be removed, and what names them.
func (d *Document) chosen(f choice) (gone map[*Entry]bool, names []string) {
	gone = map[*Entry]bool{}
	terms := store.Terms(f.Query)
	for _, it := range d.Entries.All() {
		if f.takes(it, terms) {
			gone[&it.V] = true
			names = append(names, "["+it.V.space()+"] "+it.V.Key)
		}
	}
	return gone, names
}

// space is the namespace of the entry. The other servers leave the default one out.
func (e *Entry) space() string { return either(e.Namespace, defaultNamespace) }

// rewrite takes values that are no text, tags in one text, and the namespace of a fact.
func rewrite(a *tools.Action, args *tools.Args) {
	store.Value(args, "value")
	args.Texts("key", "query", "tag", "namespace", "ttl", "kb", "fact_action")
	store.Lists(args, "tags")
	if a.Name != "facts" {
		return
	}
	if !args.Has("kb") {
		args.Put("kb", args.Take("namespace"))
	}
	if args.Has("value") && !args.Has("query") && !args.Has("key") {
		args.Put("fact_action", json.RawMessage(`"store"`)) // a text alone is one to keep
	}
}

// score tells how well an entry matches the terms, 0 for not at all.
func score(it *store.Item[Entry], terms []string, all bool) float64 {
	text := it.Folded((*Entry).words)
	if all && !containsAll(text, terms) {
		return 0
	}
	parts := strings.SplitN(text, part, 3)
	return store.Score(terms, all, store.Field{Text: parts[0], Weight: 4}, store.Field{Text: parts[1], Weight: 2}, store.Field{Text: parts[2], Weight: 1})
}
