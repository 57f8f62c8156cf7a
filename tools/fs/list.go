package fs

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/tree"
)

// looker lists, finds and searches.
type looker struct {
	excludes []byte // the user's own ignore rules
}

const maxEntries = 100_000 // of one page

// start finds where a walk begins; "" is the first root. A file will do when mayBeFile is set.
func start(c *tools.Call, path string, mayBeFile bool) (sandbox.Path, error) {
	p, err := resolve(c, "path", given(path))
	if err != nil {
		return p, err
	}
	fi, p, err := c.Roots.Stat(p)
	if err != nil {
		return p, fail(c, err, "path")
	}
	if p.Warning != "" {
		c.Warn(p.Warning)
	}
	if !fi.IsDir() && !mayBeFile {
		return p, tools.Errorf(tools.InvalidParams, "%s is a %s, no folder; action \"read\" shows a file, \"stat\" describes it",
			sandbox.Printable(path), typeName(fi.Mode())).
			With(tools.Details{Param: "path", Expected: "folder", Actual: typeName(fi.Mode())})
	}
	if !fi.IsDir() && !fi.Mode().IsRegular() {
		return p, tools.Errorf(tools.InvalidParams, "%s is a %s; only files and folders are looked at",
			sandbox.Printable(path), typeName(fi.Mode())).With(tools.Details{Param: "path", Actual: typeName(fi.Mode())})
	}
	q, err := c.Roots.Follow(p)
	return q, fail(c, err, "path")
}

// treeError turns an error of a walk into one that names the parameter.
func treeError(c *tools.Call, err error) error {
	switch {
	case errors.Is(err, tree.ErrGlob):
		return tools.Errorf(tools.InvalidParams, "%v", err).With(tools.Details{Param: "pattern"})
	case errors.Is(err, tree.ErrCursor):
		return tools.Errorf(tools.InvalidParams, "%v", err).With(tools.Details{Param: "cursor"})
	case errors.Is(err, tree.ErrPattern):
		return tools.Errorf(tools.InvalidParams, "%v; mend it, or give literal:true to search for plain text", err).
			With(tools.Details{Param: "query", Suggestion: "literal:true"})
	}
	return fail(c, err, "path")
}

// warnStats tells what a walk left out.
func warnStats(c *tools.Call, s tree.Stats) {
	if s.StartIgnored {
		c.Warn("the folder itself is ignored by a .gitignore; its own content is shown")
	}
	if s.Truncated {
		c.Warn("the walk stopped after " + strconv.Itoa(s.Entries) + " entries; choose a folder further down")
	}
	if s.SkippedTotal > 0 {
		text := strconv.Itoa(s.SkippedTotal) + " places were skipped: "
		for i, k := range s.Skipped[:min(len(s.Skipped), 3)] {
			if i > 0 {
				text += ", "
			}
			text += sandbox.Printable(k.Path) + " (" + k.Reason + ")"
		}
		if s.SkippedTotal > 3 {
			text += ", …"
		}
		c.Warn(text)
	}
}

// warnIgnored tells why nothing may have been found.
func warnIgnored(c *tools.Call, s tree.Stats, found int) {
	if found == 0 && s.Ignored > 0 {
		c.Warn(strconv.Itoa(s.Ignored) + " files or folders that .gitignore names were not looked at; no_ignore:true looks there too")
	}
}

type listIn struct {
	Path       string `json:"path"`
	Depth      *int   `json:"depth"`
	Pattern    string `json:"pattern"`
	ShowHidden *bool  `json:"show_hidden"`
	NoIgnore   bool   `json:"no_ignore"`
	Limit      int    `json:"limit"`
	Cursor     string `json:"cursor"`
	MaxChars   int    `json:"max_chars"`

	Glob      []string `json:"glob"`
	Exclude   []string `json:"exclude"`
	Recursive bool     `json:"recursive"`
}

// entry is one line of a listing; its name is the path below what was listed.
type entry struct {
	Name     string `json:"name"`
	Type     string `json:"type"`
	Size     int64  `json:"size"`
	Modified string `json:"mtime,omitempty"`
}

type listData struct {
	where
	Count   int     `json:"count"`
	Entries []entry `json:"entries"`
}

func (in listIn) globs() []string {
	if in.Pattern == "" {
		return in.Glob
	}
	return append([]string{in.Pattern}, in.Glob...)
}

func (x *looker) list(ctx context.Context, c *tools.Call, in listIn) (*tools.Result, error) {
	p, err := start(c, in.Path, false)
	if err != nil {
		return nil, err
	}
	depth := 1
	switch {
	case in.Depth != nil && *in.Depth > 0:
		depth = *in.Depth
	case in.Depth != nil:
		depth = 0 // no limit
	case in.Recursive:
		depth = 0
	case calledAs(c, "tree", "directory_tree"):
		depth = 3
	case slices.ContainsFunc(in.globs(), func(g string) bool { return strings.Contains(g, "/") }):
		depth = 0
	}
	o := tree.Options{NoIgnore: in.NoIgnore, Excludes: x.excludes, Depth: depth, SkipHidden: in.ShowHidden != nil && !*in.ShowHidden}
	o.Globs = excluding(in.globs(), in.Exclude)
	root, rel, err := c.Roots.Sub(p)
	if err != nil {
		return nil, fail(c, err, "path")
	}
	l, err := tree.List(ctx, root, rel, o, tree.Page{Limit: min(in.Limit, maxEntries), Cursor: in.Cursor})
	if err != nil {
		return nil, treeError(c, err)
	}
	d := &listData{where: at(given(in.Path), p), Entries: []entry{}}
	room := tools.NewRoom(in.MaxChars)
	var b strings.Builder
	cut := false
	for _, f := range l.Entries {
		one := entry{Name: below(rel, f.Path), Type: typeOf(f), Size: f.Info.Size}
		line := treeLine(c, p, one.Name, f, depth != 1 && len(in.globs()) == 0)
		if !room.TakesSize(len(line) + one.size()) {
			cut = true
			break
		}
		b.WriteString(line)
		d.Entries = append(d.Entries, one)
	}
	d.Count = len(d.Entries)
	res := &tools.Result{Text: b.String(), Data: d}
	if cut {
		// The cursor of the page is behind what was shown: ask for as much as has room.
		in.Limit = d.Count
		return x.list(ctx, c, in)
	}
	warnStats(c, l.Stats)
	warnIgnored(c, l.Stats, d.Count)
	if d.Count == 0 && in.Cursor == "" {
		hintGlobs(c, p, o.Globs)
	}
	if l.Cursor != "" {
		res.Truncated = true
		res.Paging = &tools.Paging{Cursor: l.Cursor, More: true}
	}
	return res, nil
}

func given(path string) string {
	if path == "" {
		return "."
	}
	return path
}

// below gives the part of a path from the root that is below the folder rel.
func below(rel, path string) string {
	if rel == "." || rel == "" {
		return path
	}
	return strings.TrimPrefix(strings.TrimPrefix(path, rel), "/")
}

func typeOf(f tree.Found) string {
	switch f.Type {
	case tree.Dir:
		return "dir"
	case tree.Link:
		return "link"
	case tree.File:
		return "file"
	}
	return typeName(f.Info.Mode)
}

// treeLine shows an entry: indented by its depth, or by its whole path.
func treeLine(c *tools.Call, p sandbox.Path, name string, f tree.Found, indented bool) string {
	shown := name
	pad := ""
	if indented {
		pad = strings.Repeat("  ", f.Depth-1)
		shown = name[strings.LastIndexByte(name, '/')+1:]
	}
	shown = pad + sandbox.Printable(shown)
	switch f.Type {
	case tree.Dir:
		return shown + "/\n"
	case tree.Link:
		if target, err := c.Roots.Readlink(p.Join(name)); err == nil {
			shown += " -> " + sandbox.Printable(target)
		}
	case tree.Other:
		shown += " (" + typeName(f.Info.Mode) + ")"
	}
	return shown + "\n"
}
