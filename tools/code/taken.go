package code

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
)

// same reports whether another candidate of a query is not meant: one of the same file of which the query gives less of the
// path; or is the target once more, for the server too: the parts of a property, the signatures of an overload, the
// declaration of a function of C.
func (g *target) same(o candidate) bool {
	if o.near > g.near && o.file == g.src.name() {
		return true
	}
	if g.sym == nil || o.sym.Path != g.sym.Path {
		return false
	}
	switch g.lang() {
	case "typescript", "typescriptreact", "javascript", "python":
		return o.file == g.src.name()
	case "c":
		return o.sym.Kind == g.sym.Kind && g.sym.Kind == syntax.Function
	}
	return false
}

// taken is the symbol beside another that has a name already, nil when there is none or both may have it.
func taken(f *parsed, s *syntax.Symbol, name string) *syntax.Symbol {
	if s == nil || f.lang == nil {
		return nil
	}
	switch f.lang.ID {
	case "java", "kotlin", "cpp", "csharp":
		if s.Kind == syntax.Method || s.Kind == syntax.Function {
			return nil // overloads
		}
	}
	for i := range f.Symbols {
		if o := &f.Symbols[i]; o.Name == name && o.Parent == s.Parent && o.Name != s.Name &&
			strings.TrimSuffix(o.Path, o.Name) == strings.TrimSuffix(s.Path, s.Name) {
			return o
		}
	}
	return nil
}

func nameTaken(f *parsed, o *syntax.Symbol) error {
	return tools.Errorf(tools.Conflict, "%s is defined at %s:%d already; choose another name, or rename that first", o.Path, sandbox.Printable(f.name()), o.Line).
		With(tools.Details{Param: "new_name", Actual: o.Name})
}

// checkTaken refuses a rename that gives a symbol of a file the name of one beside it, and warns of one after which two things
// in the file may have the name.
func (t *tool) checkTaken(ctx context.Context, c *tools.Call, ch *change, spans []span, name string) error {
	if ch.src.lang == nil {
		return nil
	}
	f, err := t.analyze(ctx, c, ch.src)
	if err != nil {
		return ctx.Err() // what cannot be parsed is not judged
	}
	starts := map[int]bool{}
	for _, s := range spans {
		starts[s.from] = true
	}
	for i := range f.Symbols {
		if s := &f.Symbols[i]; starts[s.NameStart] {
			if o := taken(f, s, name); o != nil {
				return nameTaken(f, o)
			}
		}
	}
	return nil
}

// warnUsed warns when the new name stands in the code of changed files already.
func warnUsed(ctx context.Context, c *tools.Call, changes []change, name string) error {
	var places []string
	for _, ch := range changes[:min(len(changes), maxChecked)] {
		if ch.src.lang == nil {
			continue
		}
		at, err := used(ctx, ch.src, name, "")
		if err != nil {
			return err
		}
		if at >= 0 {
			line, _, _ := lineOf(ch.src.text, at)
			places = append(places, fmt.Sprintf("%s:%d", sandbox.Printable(ch.src.name()), line))
		}
	}
	if len(places) > 0 {
		c.Warn(fmt.Sprintf("%s is used already in %d of these files; look whether both may have the name: %s", name, len(places), strings.Join(places[:min(len(places), 5)], ", ")))
	}
	return nil
}

// checkWord refuses a new name that the language of a changed file keeps for itself: parsers take some such words for names.
func checkWord(lang *syntax.Language, name string, member, isType bool) error {
	if lang == nil || !syntax.Keyword(lang, name, member, isType) {
		return nil
	}
	return tools.Errorf(tools.Conflict, "%s means something of its own in %s and can be no name there; choose another; nothing was changed", name, lang.ID).
		With(tools.Details{Param: "new_name", Actual: name})
}

// isMember reports whether a target is named behind a dot.
func (g *target) isMember() bool {
	if g.sym != nil {
		return g.sym.Kind == syntax.Method || g.sym.Kind == syntax.Field || g.sym.Kind == syntax.Member
	}
	return bytes.HasSuffix(bytes.TrimRight(g.src.text[:g.at], " \t\r\n"), []byte("."))
}

func isType(s *syntax.Symbol) bool {
	if s == nil {
		return false
	}
	switch s.Kind {
	case syntax.Class, syntax.Struct, syntax.Interface, syntax.Trait, syntax.Enum, syntax.Type:
		return true
	}
	return false
}

// checkWords is checkWord for the files of a rename of words, in which old may be the name of a type.
func checkWords(ctx context.Context, changes []change, old, name string) error {
	types := false
	for _, ch := range changes[:min(len(changes), maxChecked)] {
		if f, err := syntax.Analyze(ctx, ch.src.lang, ch.src.text); err == nil {
			types = types || slices.ContainsFunc(f.Symbols, func(s syntax.Symbol) bool { return s.Name == old && isType(&s) })
		}
	}
	for _, ch := range changes {
		if err := checkWord(ch.src.lang, name, false, types); err != nil {
			return err
		}
	}
	return ctx.Err()
}
