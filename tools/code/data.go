package code

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/index"
	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
)

// Files of data and markup in a folder: there are many, and few look for what they hold.

// survey is walk, for which files of data and markup count when kinds or globs name them, or when there is no other source; o
// says afterwards whether they did.
func (t *tool) survey(ctx context.Context, c *tools.Call, p sandbox.Path, o *index.Options, kinds map[syntax.Kind]bool, visit func(name string, f *syntax.File)) (index.Stats, error) {
	o.Data = o.Data || kinds[syntax.Key] || kinds[syntax.Element] || kinds[syntax.Rule] || slices.ContainsFunc(o.Globs, namesData)
	stats, err := t.walk(ctx, c, p, *o, visit)
	if err != nil || stats.Data == 0 || looked(stats) > 0 {
		return stats, err
	}
	o.Data = true
	return t.walk(ctx, c, p, *o, visit)
}

// looked is how many files a walk has met that it knows how to read.
func looked(s index.Stats) int { return s.Files + s.Passed + s.SkippedN }

// namesData reports whether a pattern for files has an ending of data or markup.
func namesData(glob string) bool {
	if strings.HasPrefix(glob, "!") {
		return false
	}
	words := strings.FieldsFunc(strings.ToLower(glob), func(r rune) bool { return strings.ContainsRune("*?.,/{}[]", r) })
	return slices.ContainsFunc(words, func(word string) bool {
		l := syntax.Detect("a."+word, nil)
		return l != nil && l.Data
	})
}

// overlooked says what a walk of a folder that found nothing did not look at, "" when that was nothing.
func overlooked(p sandbox.Path, s index.Stats, globs []string) string {
	below := "below " + sandbox.Printable(p.Given)
	if len(globs) > 0 {
		below += " that glob names"
	}
	switch {
	case s.Data > 0:
		return fmt.Sprintf("%d files of data and markup (JSON, YAML, CSS, HTML) %s were not looked at: give path with one of them", s.Data, below)
	case looked(s) == 0:
		return fmt.Sprintf("no file %s is in a language whose symbols are known, which does not mean that there are none; fs.search_text looks for text", below)
	}
	return ""
}
