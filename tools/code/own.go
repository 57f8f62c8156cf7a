package code

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/tree"
)

// A language server renames a name wherever it is declared: a method that a library calls in the library too. What lies in
// node_modules is put there anew by the next install, and ignored files by the next build, so a name that comes from there
// cannot be renamed here. A file that git ignores and that only uses the name is left as it is, and told; who
// names such a file works in it, and it counts as the project's own.

// ownOnly leaves of the changes of a rename those of the project's own sources. It is a conflict when the name is declared
// elsewhere.
func (t *tool) ownOnly(ctx context.Context, c *tools.Call, g *target, changes []change, renamed map[string][]span) ([]change, error) {
	ignored, err := t.ignored(ctx, c, append([]change{{src: g.src.source}}, changes...))
	if err != nil {
		return nil, err
	}
	if ignored[g.src.name()] {
		clear(ignored)
	}
	var left []string
	var own []change
	for _, ch := range changes {
		name := ch.src.name()
		why := notOurs(c, ch.src.path)
		if why == "" && !ignored[name] {
			own = append(own, ch)
			continue
		}
		line, declared := t.declaredAt(ctx, c, ch.src, renamed[name])
		place := fmt.Sprintf("%s:%d", sandbox.Printable(name), line)
		switch {
		case declared:
			if why == "" {
				why = "git ignores that file"
			}
			return nil, notOwn(g, "comes from "+place, why)
		case why != "":
			return nil, notOwn(g, "is used at "+place, why)
		}
		left = append(left, place)
		delete(renamed, name)
	}
	if len(left) > 0 {
		slices.Sort(left)
		c.Warn(fmt.Sprintf("%d files that git ignores use the name and stay as they are; look at them: %s", len(left), strings.Join(left[:min(len(left), maxOthers)], ", ")))
	}
	return own, nil
}

func notOwn(g *target, what, why string) error {
	return tools.Errorf(tools.Conflict, "%s %s, which is not the project's own source (%s), so it cannot be renamed here; nothing was changed", g.name, what, why).
		With(tools.Details{Param: "query", Actual: g.name})
}

// declaredAt gives the line of the first place of a file that declares what is renamed, of the first place at all where none
// does. What cannot be parsed may declare it.
func (t *tool) declaredAt(ctx context.Context, c *tools.Call, src *source, spans []span) (line int, declared bool) {
	starts := map[int]bool{}
	first := len(src.text)
	for _, s := range spans {
		starts[s.from] = true
		first = min(first, s.from)
	}
	f, err := t.analyze(ctx, &tools.Call{Roots: c.Roots}, src)
	if err == nil {
		for i := range f.Symbols {
			if s := &f.Symbols[i]; starts[s.NameStart] {
				return s.Line, true
			}
		}
	}
	line, _, _ = lineOf(src.text, first)
	return line, err != nil
}

// notOurs says in which folder of what others wrote a file is, "" when it is in none.
func notOurs(c *tools.Call, p sandbox.Path) string {
	for dir := p.Dir(); dir.Rel != "."; dir = dir.Dir() {
		if name := path.Base(dir.Rel); tree.Foreign(name) && (name != "vendor" || isVendor(c, dir)) {
			return "it is in " + sandbox.Printable(dir.String())
		}
	}
	return ""
}

// isVendor reports whether a folder of that name holds the packages of a project: it stands beside what makes a folder one. A
// package of the project that is about vendors stands deeper, or is one of Python.
func isVendor(c *tools.Call, dir sandbox.Path) bool {
	is := func(p sandbox.Path) bool {
		_, err := c.Roots.Lstat(p)
		return err == nil
	}
	up := dir.Dir()
	if is(dir.Join("__init__.py")) {
		return false
	}
	return up.Rel == "." || is(dir.Join("modules.txt")) || is(dir.Join("autoload.php")) ||
		slices.ContainsFunc([]string{".git", "go.mod", "go.work", "composer.json", "Gemfile", "package.json", "Cargo.toml"}, func(name string) bool { return is(up.Join(name)) })
}

// ignored tells which files a walk of their root does not meet. Only the folders on the way to them are looked at.
func (t *tool) ignored(ctx context.Context, c *tools.Call, changes []change) (map[string]bool, error) {
	type files struct {
		top   sandbox.Path
		names map[string]bool
		dirs  map[string]bool
	}
	byRoot := map[*sandbox.Tree]*files{}
	out := map[string]bool{}
	for _, ch := range changes {
		p := ch.src.path
		f := byRoot[p.Root]
		if f == nil {
			f = &files{top: p, names: map[string]bool{}, dirs: map[string]bool{}}
			f.top.Rel = "."
			byRoot[p.Root] = f
		}
		out[p.String()], f.names[p.Rel] = true, true
		for dir := path.Dir(p.Rel); dir != "."; dir = path.Dir(dir) {
			f.dirs[dir] = true
		}
	}
	for _, f := range byRoot {
		root, rel, err := c.Roots.Sub(f.top)
		if err != nil {
			return nil, about(err)
		}
		var met []string
		_, err = tree.Walk(ctx, root, rel, tree.Options{Excludes: t.excludes, Workers: 1, Types: tree.File | tree.Dir}, func(e *tree.Entry) error {
			switch {
			case e.Type == tree.Dir && !f.dirs[e.Path()]:
				return fs.SkipDir
			case f.names[e.Path()]:
				met = append(met, e.Path())
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
		for _, name := range met {
			f.top.Rel = name
			delete(out, f.top.String())
		}
	}
	return out, nil
}
