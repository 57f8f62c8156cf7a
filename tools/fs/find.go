package fs

import (
	"context"
	"strings"
	"time"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/tree"
)

type findIn struct {
	Pattern    string `json:"pattern"`
	Query      string `json:"query"`
	Path       string `json:"path"`
	Type       string `json:"type"`
	Sort       string `json:"sort"`
	Limit      int    `json:"limit"`
	MaxResults int    `json:"max_results"`
	Depth      int    `json:"depth"`
	ShowHidden *bool  `json:"show_hidden"`
	NoIgnore   bool   `json:"no_ignore"`
	Cursor     string `json:"cursor"`
	MaxChars   int    `json:"max_chars"`

	Name      string   `json:"name"`
	Glob      []string `json:"glob"`
	Exclude   []string `json:"exclude"`
	Recursive *bool    `json:"recursive"`
}

// globs are those of the names looked for.
func (in findIn) globs() (list []string, err error) {
	list = in.Glob
	for _, g := range []string{in.Pattern, in.Query, in.Name} {
		if g == "" || len(list) == 1 && list[0] == g {
			continue
		}
		if len(list) > 0 {
			return nil, tools.Errorf(tools.InvalidParams, "give one glob as pattern, or several in glob, not both").
				With(tools.Details{Param: "pattern", Actual: g})
		}
		list = []string{g}
	}
	return list, nil
}

func (x *looker) find(ctx context.Context, c *tools.Call, in findIn) (*tools.Result, error) {
	if calledAs(c, "search_files") && in.Query != "" {
		return nil, tools.Errorf(tools.InvalidParams, "search_files finds files by pattern, a glob; for text in files use action \"search_text\" with query").
			With(tools.Details{Param: "query", Suggestion: "search_text"})
	}
	if in.Recursive != nil && !*in.Recursive {
		in.Depth = 1
	}
	o := tree.Options{NoIgnore: in.NoIgnore, Excludes: x.excludes, Depth: in.Depth, SkipHidden: in.ShowHidden != nil && !*in.ShowHidden}
	switch strings.ToLower(in.Type) {
	case "", "file", "f":
		o.Types = tree.File
		if in.Type == "" {
			o.Types = tree.File | tree.Link
		}
	case "dir", "directory", "folder", "d":
		o.Types = tree.Dir
	case "link", "symlink", "l":
		o.Types = tree.Link
	case "any", "all":
	default:
		return nil, tools.Errorf(tools.InvalidParams, "type must be file, dir, link or any, got %q", in.Type).
			With(tools.Details{Param: "type", Actual: in.Type, Available: []string{"file", "dir", "link", "any"}})
	}
	page := tree.Page{Order: tree.ByTime, Limit: in.Limit, Cursor: in.Cursor}
	switch strings.ToLower(in.Sort) {
	case "", "mtime", "modified", "time":
	case "name", "path":
		page.Order = tree.ByName
	default:
		return nil, tools.Errorf(tools.InvalidParams, "sort must be mtime or name, got %q", in.Sort).
			With(tools.Details{Param: "sort", Actual: in.Sort, Available: []string{"mtime", "name"}})
	}
	if page.Limit <= 0 {
		page.Limit = in.MaxResults
	}
	page.Limit = min(page.Limit, maxEntries)
	p, err := start(c, in.Path, false)
	if err != nil {
		return nil, err
	}
	if o.Globs, err = in.globs(); err != nil {
		return nil, err
	}
	o.Globs = excluding(o.Globs, in.Exclude)
	root, rel, err := c.Roots.Sub(p)
	if err != nil {
		return nil, fail(c, err, "path")
	}
	l, err := tree.List(ctx, root, rel, o, page)
	if err != nil {
		return nil, treeError(c, err)
	}
	d := &listData{where: at(given(in.Path), p), Entries: []entry{}}
	room := tools.NewRoom(in.MaxChars)
	var b strings.Builder
	for i, f := range l.Entries {
		q := p
		q.Rel = f.Path
		name := q.String()
		line := sandbox.Printable(name) + "\n"
		one := entry{Name: name, Type: typeOf(f), Size: f.Info.Size, Modified: f.Info.ModTime.UTC().Format(time.RFC3339)}
		if !room.TakesSize(len(line) + one.size()) {
			in.Limit = i
			return x.find(ctx, c, in)
		}
		b.WriteString(line)
		d.Entries = append(d.Entries, one)
	}
	warnStats(c, l.Stats)
	warnIgnored(c, l.Stats, len(d.Entries))
	warnOthers(c, in.Path)
	if len(d.Entries) == 0 && in.Cursor == "" {
		hintGlobs(c, p, o.Globs)
		if in.Type == "" && len(o.Globs) == 1 && !strings.ContainsAny(o.Globs[0], "*?[{") {
			c.Warn(`folders are found with type:"dir"`)
		}
	}
	d.Count = len(d.Entries)
	res := &tools.Result{Text: b.String(), Data: d}
	if l.Cursor != "" {
		res.Truncated = true
		res.Paging = &tools.Paging{Cursor: l.Cursor, More: true, Total: max(l.Total, 0)}
	}
	return res, nil
}
