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

// Calls where the name of what is called does not stand: a constructor runs where its class is named, a language calls some
// methods itself, a library calls what a decorator gives it, and what overrides its own.

// constructors are the names of constructors that are not called as their class is, by family of languages.
var constructors = map[string][]string{
	"python": {"__init__", "__new__", "__post_init__"}, "script": {"constructor"}, "php": {"__construct"}, "ruby": {"initialize"},
}

// class is the class that a constructor with a name of its own makes, nil for other targets.
func (g *target) class() *target {
	if g.sym == nil || g.sym.Parent < 0 || !slices.Contains(constructors[family(g.lang())], g.name) {
		return nil
	}
	s := &g.src.Symbols[g.sym.Parent]
	if !isType(s) {
		return nil
	}
	return &target{name: s.Name, src: g.src, at: s.NameStart, sym: s, scope: g.scope}
}

// makings adds to the calls of a constructor by its own name those of its class.
func (t *tool) makings(ctx context.Context, c *tools.Call, class *target, a *answer) (*answer, error) {
	of, err := t.calls(ctx, c, class)
	if err != nil {
		return nil, err
	}
	own := a.hits
	if a.backend == syntaxBackend { // the name alone may be of any class
		own = slices.DeleteFunc(own, func(h hit) bool {
			f := t.parsedFile(ctx, c, h.file)
			if f == nil {
				return true
			}
			_, line, start := lineOf(f.text, h.at)
			return !belongsTo(line[:min(len(line), h.at-start)], class.name)
		})
	}
	return &answer{inOrder(append(own, of.hits...)), of.backend, of.others}, nil
}

// heirs gives the classes right below one that have no constructor of their own: they run its.
func (t *tool) heirs(ctx context.Context, c *tools.Call, g, class *target) ([]hit, error) {
	var hits []hit
	quiet := &tools.Call{Roots: c.Roots}
	_, err := t.walk(ctx, quiet, class.scope, index.Options{Needs: class.name}, func(name string, f *syntax.File) {
		if family(f.Language) != family(g.lang()) {
			return
		}
		for i := range f.Symbols {
			s := &f.Symbols[i]
			if hasSuper(f, s, class.name) &&
				!slices.ContainsFunc(f.Symbols, func(m syntax.Symbol) bool { return m.Parent == i && m.Name == g.name }) {
				hits = append(hits, hit{file: name, line: s.Line, col: 1, at: s.NameStart})
			}
		}
	})
	return inOrder(hits), err
}

// constructed gives the calls of the constructors of a class of C++, which a server does not count as calls of the class.
func (t *tool) constructed(ctx context.Context, c *tools.Call, k *talk, g *target) ([]hit, error) {
	if g.lang() != "cpp" && g.lang() != "c" || !isType(g.sym) {
		return nil, nil
	}
	var hits []hit
	asked := 0
	for i := range g.src.Symbols {
		s := &g.src.Symbols[i]
		if s.Path != g.sym.Path+"."+g.name || asked == maxTwins {
			continue
		}
		asked++
		more, err := t.hierarchyOf(ctx, c, k, &target{name: g.name, src: g.src, at: s.NameStart, sym: s, scope: g.scope})
		if _, none := noServer(err); err != nil && !none {
			return nil, err
		}
		hits = append(hits, more...)
	}
	return hits, nil
}

// implicit are the methods that a language or its library calls itself, by family: names, or what they begin with.
var implicit = map[string]string{
	"python": "__*", "php": "__*", "c": "operator* ~*",
	"ruby":   "to_s to_str to_a to_ary to_h to_hash to_proc inspect method_missing respond_to_missing? each <=> == === eql? hash coerce call initialize_copy inherited included extended prepended method_added const_missing",
	"script": "toString toJSON valueOf then",
	"go":     "String GoString Error Format Unwrap Is As MarshalJSON UnmarshalJSON MarshalText UnmarshalText MarshalBinary UnmarshalBinary Scan Value",
	"jvm":    "toString equals hashCode compareTo close run finalize clone",
	"csharp": "ToString Equals GetHashCode CompareTo Dispose Finalize",
}

// byLanguage reports whether a language may call a method itself.
func (g *target) byLanguage() bool {
	if g.sym == nil || g.sym.Kind != syntax.Method && !g.reserved() || g.class() != nil {
		return false
	}
	for name := range strings.FieldsSeq(implicit[family(g.lang())]) {
		if start, more := strings.CutSuffix(name, "*"); g.name == name || more && len(g.name) > len(start) && strings.HasPrefix(g.name, start) {
			return true
		}
	}
	return false
}

// reserved reports whether a name is one that a language keeps for what it calls itself.
func (g *target) reserved() bool { return strings.HasPrefix(g.name, "__") }

// plain matches decorators and annotations that hand what they stand at to nobody.
var plain = tools.Pattern(`^[@#\[]*\s*(?:\w+\.)*(?:staticmethod|classmethod|property|\w+\.(?:setter|getter|deleter)|abstractmethod|abstractproperty|overload|final|cached_property|lru_cache|cache|wraps|singledispatch|contextmanager|asynccontextmanager|typechecked|no_type_check|deprecated|[Dd]eprecated|SuppressWarnings|Nullable|NonNull|NotNull|SafeVarargs|FunctionalInterface|Obsolete|Pure|JvmStatic|JvmOverloads)\b`)

// decorator is what stands in front of a function and may have others call it, "" when nothing does.
func (g *target) decorator() string {
	if g.sym == nil || g.sym.Kind != syntax.Method && g.sym.Kind != syntax.Function {
		return ""
	}
	switch family(g.lang()) {
	case "python", "script", "jvm", "csharp", "php":
	default:
		return ""
	}
	end := syntax.SkipAttributes(g.src.lang, g.src.text, g.sym.Start)
	for line := range strings.Lines(string(g.src.text[g.sym.Start:min(end, g.sym.End)])) {
		line = strings.TrimSpace(line)
		if (strings.HasPrefix(line, "@") || strings.HasPrefix(line, "#[") || strings.HasPrefix(line, "[")) && !plain().MatchString(line) {
			return clipLine(line)
		}
	}
	return ""
}

// above gives the methods that a method of Go implements, by which it may be called.
func (t *tool) above(ctx context.Context, c *tools.Call, g *target) ([]hit, error) {
	if g.lang() != "go" || g.sym == nil || g.sym.Kind != syntax.Method {
		return nil, nil
	}
	hits, err := t.implemented(ctx, c, g)
	if _, none := noServer(err); none {
		return nil, nil
	}
	return hits, err
}

// warnImplied says where a target may be called that an answer with its calls does not name.
func (t *tool) warnImplied(ctx context.Context, c *tools.Call, g *target, found int) error {
	if g.byLanguage() && (found == 0 || g.reserved()) {
		c.Warn(fmt.Sprintf("the language calls %s itself, or its library does, where the name does not stand; such calls are not among these", g.sym.Path))
	}
	if class := g.class(); class != nil {
		heirs, err := t.heirs(ctx, c, g, class)
		if err != nil {
			return err
		}
		if len(heirs) > 0 {
			c.Warn(fmt.Sprintf("classes without a %s of their own run this one where they are made, look for their callers too: %s", g.name, firstHits(heirs)))
		}
	}
	up, err := t.above(ctx, c, g)
	if err != nil {
		return err
	}
	if up = slices.DeleteFunc(up, func(h hit) bool { return !h.outside }); len(up) > 0 {
		c.Warn(fmt.Sprintf("%s implements a method of an interface outside the roots, through which it may be called besides: %s", g.sym.Path, firstHits(up)))
	}
	if found > 0 {
		return nil
	}
	if d := g.decorator(); d != "" {
		c.Warn(fmt.Sprintf("%s stands at %s, and may have it called", sandbox.Printable(d), g.sym.Path))
	}
	supers, err := t.foreignSupers(ctx, c, g)
	if err == nil && len(supers) > 0 {
		c.Warn(fmt.Sprintf("%s may be called by what its class extends and is not defined here: %s", g.sym.Path, sandbox.Printable(strings.Join(supers, ", "))))
	}
	return err
}

// foreignSupers are the types that the class of a method extends and that are defined outside the roots.
func (t *tool) foreignSupers(ctx context.Context, c *tools.Call, g *target) ([]string, error) {
	if g.sym == nil || g.sym.Kind != syntax.Method || g.sym.Parent < 0 {
		return nil, nil
	}
	var foreign []string
	for _, super := range g.src.Symbols[g.sym.Parent].Supers[:min(len(g.src.Symbols[g.sym.Parent].Supers), maxTwins)] {
		q, ok := syntax.ParseQuery(superName(g.src.File, super))
		if !ok || super == "object" || super == "Object" {
			continue
		}
		found, _, err := t.find(ctx, &tools.Call{Roots: c.Roots}, g.scope, q, nil, nil, syntax.Exact)
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			foreign = append(foreign, super)
		}
	}
	return foreign, nil
}

// implied gives what calls a target, or may, where its name does not stand, and what has it called.
func (t *tool) implied(ctx context.Context, c *tools.Call, g *target) (used, may []hit, by string, err error) {
	switch d := g.decorator(); {
	case g.byLanguage():
		by = "the language itself or its library"
	case d != "":
		by = "what stands in front of it, " + sandbox.Printable(d)
	}
	if class := g.class(); class != nil {
		a, err := t.calls(ctx, &tools.Call{Roots: c.Roots}, class)
		if err != nil {
			return nil, nil, "", err
		}
		heirs, err := t.heirs(ctx, c, g, class)
		if err != nil {
			return nil, nil, "", err
		}
		used, may = a.hits, append(heirs, a.others.code...)
		if a.backend == syntaxBackend {
			used, may = nil, append(may, used...)
		}
		return used, may, by, nil
	}
	up, err := t.above(ctx, c, g)
	if len(up) > 0 {
		by = "the method of an interface that it implements, " + firstHits(up)
	}
	return nil, nil, by, err
}
