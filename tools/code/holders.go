package code

import (
	"bytes"
	"context"
	"fmt"
	"go/build"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/lsp"
	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
)

// maxHolders is how many files a server that knows open files only is shown for one question.
const maxHolders = 50

// serverFor is server for a question about all the places of a name: where it stands is looked up besides, and a server
// that knows open files or their projects only, or has not read the project yet, is shown the files that hold it first.
// whole is false when there are too many of them.
func (t *tool) serverFor(ctx context.Context, c *tools.Call, g *target, l look) (k *talk, whole bool, err error) {
	k, err = t.server(ctx, c, g.src.source)
	if err != nil || g.lang() == "" {
		return k, true, err
	}
	l.lang = g.lang()
	found, err := t.words(ctx, c, k.root, g.name, l)
	if err != nil {
		return nil, false, err
	}
	k.words, k.texts, k.texted = found.hits, found.texts, found.texted
	if k.abroad, err = t.wordsAbroad(ctx, c, k.root, g.name, l); err != nil {
		return nil, false, err
	}
	if g.lang() == "go" {
		t.unseen(ctx, c, k, g)
	}
	if err := t.plainHeaders(ctx, c, k); err != nil {
		return nil, false, err
	}
	holders := map[string]bool{g.src.name(): true}
	var opened []string
	whole = !found.more
	holding := k.words
	if l.aliases && k.WantsHolders() {
		more, err := t.underNewNames(ctx, c, k, l)
		if err != nil {
			return nil, false, err
		}
		holding = slices.Concat(holding, more)
	}
	for _, h := range holding {
		if holders[h.file] || !k.WantsHolders() && !k.isOutside(h.file) && strings.Contains(path.Base(h.file), ".") { // a script: it is not found by its name
			continue
		}
		holders[h.file] = true
		if len(opened) == maxHolders {
			whole = false
			continue
		}
		p, _, err := resolve(c, h.file)
		if err != nil {
			continue
		}
		shown, err := show(ctx, c, k.Client, p)
		if err != nil {
			return nil, false, down(ctx, err)
		}
		if shown {
			opened = append(opened, p.Abs())
		}
	}
	switch {
	case whole:
	case k.KnowsOpen():
		c.Warn(fmt.Sprintf("%s was shown %d of %d files that hold the name; places in the others are missing", k.Name, len(opened)+1, len(holders)))
	case k.ByProject():
		c.Warn(fmt.Sprintf("%s was shown %d of %d files that hold the name; places in others that no project names are missing", k.Name, len(opened)+1, len(holders)))
	default:
		whole = true // it comes to know the others by itself
	}
	if k.ByProject() || !k.WantsHolders() && k.home.Rel == k.root.Rel {
		return k, whole, nil
	}
	return k, whole, down(ctx, k.Read(ctx, opened))
}

// plainHeaders has a server of C and C++ take headers for C, of those that hold a name, where sources of C use them: in C++
// a function of C is another one.
func (t *tool) plainHeaders(ctx context.Context, c *tools.Call, k *talk) error {
	if !k.TakesCommands() {
		return nil
	}
	var sources, headers []sandbox.Path
	mixed, last := false, ""
	for _, h := range k.words {
		p, err := c.Roots.Resolve(h.file)
		if h.file == last || err != nil || len(sources)+len(headers) > 2*maxHolders {
			continue
		}
		switch last = h.file; path.Ext(h.file) {
		case ".c":
			sources = append(sources, p)
		case ".h":
			headers = append(headers, p)
		default:
			mixed = true
		}
	}
	if len(headers) == 0 || len(sources) == 0 {
		return nil
	}
	included := map[string]bool{}
	for _, p := range sources {
		if src, err := load(ctx, c, p); err == nil {
			for _, m := range includes().FindAllSubmatch(src.text, -1) {
				included[path.Base(string(m[1]))] = true
			}
		}
	}
	var plain []string
	for _, p := range headers {
		if (included[p.Base()] || !mixed) && !hasCommands(c, p) {
			if src, err := load(ctx, c, p); err == nil && src.lang != nil && src.lang.ID == "c" {
				plain = append(plain, p.Abs())
			}
		}
	}
	return down(ctx, k.TakeForC(ctx, plain))
}

// includes matches what a source of C includes.
var includes = tools.Pattern(`(?m)^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]`)

// hasCommands reports whether the project itself says how a source of C is compiled.
func hasCommands(c *tools.Call, p sandbox.Path) bool {
	for dir := p.Dir(); ; dir = dir.Dir() {
		for _, name := range []string{"compile_commands.json", "build/compile_commands.json", "compile_flags.txt", ".clangd"} {
			if _, err := c.Roots.Lstat(dir.Join(name)); err == nil {
				return true
			}
		}
		if dir.Rel == "." {
			return false
		}
	}
}

// unseen finds which places of a name stand in files that gopls does not see: those of other systems, build tags and modules.
func (t *tool) unseen(ctx context.Context, c *tools.Call, k *talk, g *target) {
	home := module(c, path.Dir(g.src.name()))
	_, _, err := c.Roots.Stat(k.root.Join("go.work"))
	workspace := err == nil
	seen := map[string]bool{}
	var tags []string
	if t.cfg.Environ != nil {
		tags = lsp.GoTags(t.cfg.Environ())
	}
	k.sees = func(file string) bool {
		match, known := seen[file]
		if !known {
			match = true
			if p, _, err := resolve(c, file); err == nil {
				if src, err := load(ctx, c, p); err == nil {
					match = builds(p.Abs(), src.text, tags) && (workspace || module(c, path.Dir(file)) == home)
				}
			}
			seen[file] = match
		}
		return match
	}
	k.unseen = slices.DeleteFunc(slices.Clone(k.words), func(h hit) bool { return k.sees(h.file) })
}

// module is the folder of the module that a folder belongs to.
func module(c *tools.Call, dir string) string {
	for {
		if p, err := c.Roots.Resolve(dir + "/go.mod"); err == nil {
			if _, _, err := c.Roots.Stat(p); err == nil {
				return dir
			}
		}
		up := path.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

// builds reports whether a file of Go is built on this system with some tags.
func builds(file string, src []byte, tags []string) bool {
	b := build.Default
	b.BuildTags = tags
	b.OpenFile = func(string) (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(src)), nil }
	match, err := b.MatchFile(filepath.Split(file))
	return match || err != nil
}

// warnUnseen says where a name stands in files that the server does not see, but for the places that it gave all the same.
func (k *talk) warnUnseen(c *tools.Call, gave func(hit) bool) {
	left := slices.DeleteFunc(slices.Clone(k.unseen), gave)
	if len(left) > 0 {
		c.Warn(fmt.Sprintf("%s does not see files of other systems, build tags and modules; the name stands in %d places of such files, look at them: %s", k.Name, len(left), firstHits(left)))
	}
}

// amongHits gives a function that reports whether a hit is one of those of an answer.
func amongHits(hits []hit) func(hit) bool {
	type place struct {
		file string
		at   int
	}
	has := map[place]bool{}
	for _, h := range hits {
		has[place{h.file, h.at}] = true
	}
	return func(h hit) bool { return has[place{h.file, h.at}] }
}

// firstHits names the first of some places.
func firstHits(list []hit) string {
	var names []string
	for _, h := range list {
		name := fmt.Sprintf("%s:%d", sandbox.Printable(h.file), h.line)
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		if len(names) == maxOthers {
			break
		}
	}
	return strings.Join(names, ", ")
}

// warnLeft says where the name of a renamed symbol stands in code that the server's edits leave as it is: another
// symbol of the name, or a place that the server does not see, such as the body of a macro. Definitions come first: a method
// that overrides the renamed one does so no more.
func (t *tool) warnLeft(ctx context.Context, c *tools.Call, k *talk, g *target, renamed map[string][]span) error {
	name := g.name
	gone := func(h hit) bool {
		return slices.ContainsFunc(renamed[h.file], func(s span) bool { return s.from <= h.at && h.at < max(s.to, s.from+1) })
	}
	k.warnUnseen(c, gone)
	k.warnAbroad(c, name, gone)
	warnTexts(c, k.texts, k.Name, name, gone)
	warnSpelled(c, k, name, gone)
	if k.Sure() {
		if err := t.warnExamples(ctx, c, g); err != nil {
			return err
		}
		g.warnScopes(c, slices.DeleteFunc(slices.Clone(k.words), func(h hit) bool { return gone(h) || h.file != g.src.name() }))
		if err := t.warnFaulty(ctx, c, k, g, gone); err != nil {
			return err
		}
		return t.warnMethods(ctx, c, k, g, gone)
	}
	left := slices.DeleteFunc(slices.Clone(k.words), gone)
	if len(left) == 0 {
		return nil
	}
	defined, err := t.definitions(ctx, c, k.root, name, left)
	if err != nil {
		return err
	}
	is := func(h hit) int { return order(defined[h.file][h.at] != "") }
	slices.SortStableFunc(left, func(a, b hit) int { return is(b) - is(a) })
	c.Warn(fmt.Sprintf("the name also stands in %d places that %s did not rename (another symbol, or out of its sight: the body of a macro, another project); look at them: %s", len(left), k.Name, firstHits(left)))
	return nil
}

// warnMethods says which methods of the name implement a renamed method of an interface, or are implemented by a renamed one,
// and keep the name: gopls renames what the package itself needs, and a type may be used as the interface in another.
func (t *tool) warnMethods(ctx context.Context, c *tools.Call, k *talk, g *target, gone func(hit) bool) error {
	if g.sym != nil && g.sym.Kind != syntax.Method {
		return nil
	}
	hits, err := t.bound(ctx, c, k, true, g.at)
	if _, none := noServer(err); none { // it is no method
		return nil
	} else if err != nil {
		return err
	}
	bound := amongHits(hits)
	left := slices.DeleteFunc(slices.Clone(k.words), func(h hit) bool { return gone(h) || !bound(h) })
	if len(left) > 0 {
		c.Warn(fmt.Sprintf("%s leaves %d methods as they are that are bound to this one by an interface, which their types implement no more; rename them too: %s", k.Name, len(left), firstHits(left)))
	}
	return nil
}

// warnTexts says where the word stands in files that are no sources: templates, notebooks and pages may take the name from
// what is renamed, which nothing tells.
func warnTexts(c *tools.Call, texts []hit, by, name string, gone func(hit) bool) {
	left := slices.DeleteFunc(slices.Clone(texts), gone)
	slices.SortStableFunc(left, func(a, b hit) int { return order(isProse(a.file)) - order(isProse(b.file)) })
	if len(left) > 0 {
		c.Warn(fmt.Sprintf("the word %s also stands in %d places of files that %s does not read, which stay as they are; look at them: %s", sandbox.Printable(name), len(left), by, firstHits(left)))
	}
}

// warnOtherTexts says where a word that a text rename changes stands in files that are no sources.
func (t *tool) warnOtherTexts(ctx context.Context, c *tools.Call, top sandbox.Path, name string, changes []change) error {
	if fi, _, err := c.Roots.Stat(top); err != nil || !fi.IsDir() {
		return nil
	}
	found, err := t.words(ctx, c, top, name, look{lang: "none", others: anyText})
	if err != nil {
		return err
	}
	changed := map[string]bool{}
	for _, ch := range changes {
		changed[ch.src.name()] = true
	}
	warnTexts(c, found.texts, "a text rename", name, func(h hit) bool { return changed[h.file] })
	return nil
}

// isProse reports whether a file is for people.
func isProse(file string) bool {
	switch strings.ToLower(path.Ext(file)) {
	case ".md", ".markdown", ".rst", ".txt", ".adoc", ".org", ".log", ".csv", ".tsv", "":
		return true
	}
	return false
}

func order(first bool) int {
	if first {
		return 1
	}
	return 0
}
