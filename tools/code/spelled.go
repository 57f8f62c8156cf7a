package code

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/index"
	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
)

// Places that mean a symbol by its name without being the name in code: texts that members are asked for by, and the names of
// examples of Go. No server renames them.

// spells reports whether code of a language names members by texts: x["name"], getattr(x, "name").
func spells(lang string) bool {
	switch family(lang) {
	case "script", "python", "php", "ruby":
		return true
	}
	return false
}

// warnSpelled says where a name that was renamed is the whole of a string.
func warnSpelled(c *tools.Call, k *talk, name string, gone func(hit) bool) {
	left := slices.DeleteFunc(slices.Clone(k.texted), gone)
	if len(left) > 0 {
		c.Warn(fmt.Sprintf("the string %q stands in %d places of the code, which may name a member and stay as they are; look at them: %s", sandbox.Printable(name), len(left), firstHits(left)))
	}
}

// warnExamples says which examples of Go have the old name of a renamed symbol in theirs, and its tests: go vet, and with it
// go test, refuses an example of nothing.
func (t *tool) warnExamples(ctx context.Context, c *tools.Call, g *target) error {
	if g.lang() != "go" || g.sym == nil || !g.sym.Exported {
		return nil
	}
	of := strings.ReplaceAll(g.sym.Path, ".", "_")
	var left []hit
	_, err := t.walk(ctx, &tools.Call{Roots: c.Roots}, g.src.path.Dir(), index.Options{Needs: "Example"}, func(name string, f *syntax.File) {
		if path.Dir(name) != path.Dir(g.src.name()) || !strings.HasSuffix(name, "_test.go") {
			return
		}
		for i := range f.Symbols {
			s := &f.Symbols[i]
			if rest, ok := strings.CutPrefix(s.Name, "Example"+of); ok && s.Kind == syntax.Function && (rest == "" || rest[0] == '_') {
				left = append(left, hit{file: name, line: s.Line})
			}
		}
	})
	if len(left) > 0 {
		slices.SortFunc(left, byPlace)
		c.Warn(fmt.Sprintf("%d examples are named after it, and go vet and go test refuse an example of what is not there; rename them too: %s", len(left), firstHits(left)))
	}
	return err
}
