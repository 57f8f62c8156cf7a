package code

import (
	"bytes"
	"cmp"
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
)

// maxHolders is how many files a server that knows open files only is shown for one question.
const maxHolders = 50

// serverFor is server for a question about all the places of a name: a server that knows open files or their projects
// only, or has not read the project yet, is shown the files that hold the name first. whole is false when there are too
// many of them.
func (t *tool) serverFor(ctx context.Context, c *tools.Call, g *target) (k *talk, whole bool, err error) {
	k, err = t.server(ctx, c, g.src.source)
	if err == nil && g.lang() == "go" {
		err = t.unseen(ctx, c, k, g)
	}
	if err != nil || !k.WantsHolders() {
		return k, true, err
	}
	hits, more, err := t.words(ctx, c, k.root, g.name, g.lang())
	if err != nil {
		return nil, false, err
	}
	k.words = hits
	holders := map[string]bool{g.src.name(): true}
	var opened []string
	whole = !more
	for _, h := range hits {
		if holders[h.file] {
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
	if k.ByProject() {
		return k, whole, nil
	}
	return k, whole, down(ctx, k.Read(ctx, opened))
}

// unseen finds where a name stands in files that gopls does not see: those of other systems, build tags and modules.
func (t *tool) unseen(ctx context.Context, c *tools.Call, k *talk, g *target) error {
	hits, _, err := t.words(ctx, c, k.root, g.name, "go")
	if err != nil {
		return err
	}
	home := module(c, path.Dir(g.src.name()))
	_, _, err = c.Roots.Stat(k.root.Join("go.work"))
	workspace := err == nil
	seen := map[string]bool{}
	for _, h := range hits {
		match, known := seen[h.file]
		if !known {
			match = true
			if p, _, err := resolve(c, h.file); err == nil {
				if src, err := load(ctx, c, p); err == nil {
					match = builds(p.Abs(), src.text) && (workspace || module(c, path.Dir(h.file)) == home)
				}
			}
			seen[h.file] = match
		}
		if !match {
			k.unseen = append(k.unseen, h)
		}
	}
	return nil
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

// builds reports whether a file of Go is built on this system without tags.
func builds(file string, src []byte) bool {
	b := build.Default
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
	for _, h := range list[:min(len(list), 5)] {
		names = append(names, fmt.Sprintf("%s:%d", sandbox.Printable(h.file), h.line))
	}
	return strings.Join(names, ", ")
}

// warnLeft says where the name of a renamed symbol stands in code that the server's edits leave as it is: another
// symbol of the name, or a place that the server does not see, such as the body of a macro. Definitions come first: a method
// that overrides the renamed one does so no more.
func (t *tool) warnLeft(ctx context.Context, c *tools.Call, k *talk, name string, renamed map[string][]span) error {
	gone := func(h hit) bool {
		return slices.ContainsFunc(renamed[h.file], func(s span) bool { return s.from <= h.at && h.at < max(s.to, s.from+1) })
	}
	k.warnUnseen(c, gone)
	left := slices.DeleteFunc(slices.Clone(k.words), gone)
	if len(left) == 0 {
		return nil
	}
	defined := map[string]map[int]bool{}
	for _, h := range left {
		if _, known := defined[h.file]; !known && len(defined) < maxHolders {
			defined[h.file] = t.definedIn(ctx, c, h.file, name)
		}
	}
	slices.SortStableFunc(left, func(a, b hit) int {
		return cmp.Compare(order(defined[b.file][b.at]), order(defined[a.file][a.at]))
	})
	c.Warn(fmt.Sprintf("the name also stands in %d places that %s did not rename (another symbol, or out of its sight: the body of a macro, another project); look at them: %s", len(left), k.Name, firstHits(left)))
	return ctx.Err()
}

func order(first bool) int {
	if first {
		return 1
	}
	return 0
}
