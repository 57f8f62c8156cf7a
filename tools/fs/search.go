package fs

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/tree"
)

// searchTime ends a search that a caller gave no time: what was found by then is answered.
const searchTime = 10 * time.Second

type searchIn struct {
	Query        string   `json:"query"`
	Pattern      string   `json:"pattern"`
	Path         string   `json:"path"`
	Glob         []string `json:"glob"`
	IgnoreCase   bool     `json:"ignore_case"`
	Literal      bool     `json:"literal"`
	Word         bool     `json:"word"`
	Multiline    bool     `json:"multiline"`
	ContextLines int      `json:"context_lines"`
	MaxResults   int      `json:"max_results"`
	Limit        int      `json:"limit"`
	FilesOnly    bool     `json:"files_only"`
	ShowHidden   *bool    `json:"show_hidden"`
	NoIgnore     bool     `json:"no_ignore"`
	Cursor       string   `json:"cursor"`
	MaxChars     int      `json:"max_chars"`
	Depth        int      `json:"depth"`
	searchWords
}

type hit struct {
	Path   string `json:"path"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

type searchData struct {
	where
	Results []hit  `json:"results"`
	Count   int    `json:"count"`
	Total   int    `json:"total"` // hits in all pages, files with files_only
	Files   int    `json:"files"` // with a hit
	Backend string `json:"backend"`
}

func (x *looker) search(ctx context.Context, c *tools.Call, in searchIn) (*tools.Result, error) {
	if err := in.searchWords.into(&in); err != nil {
		return nil, err
	}
	if in.Query == "" {
		in.Query = in.Pattern
	} else if in.Pattern != "" {
		in.Glob = append(in.Glob, in.Pattern)
	}
	if in.Query == "" {
		return nil, tools.Errorf(tools.InvalidParams, "query is missing: give a regular expression, or plain text with literal:true").
			With(tools.Details{Param: "query", Expected: "string"})
	}
	if in.MaxResults <= 0 {
		in.MaxResults = in.Limit
	}
	return x.page(ctx, c, in, false)
}

// page searches for one page of hits; again tells that its size was chosen to have room.
func (x *looker) page(ctx context.Context, c *tools.Call, in searchIn, again bool) (*tools.Result, error) {
	p, err := start(c, in.Path, true)
	if err != nil {
		return nil, err
	}
	root, rel, err := c.Roots.Sub(p)
	if err != nil {
		return nil, fail(c, err, "path")
	}
	walk := ctx
	if !c.Args.Has("timeout") {
		var cancel context.CancelFunc
		walk, cancel = context.WithTimeout(ctx, searchTime)
		defer cancel()
	}
	found, err := tree.Search(walk, root, rel, tree.Query{
		Pattern: in.Query, Literal: in.Literal, IgnoreCase: in.IgnoreCase, Word: in.Word, Multiline: in.Multiline,
		Context: in.ContextLines, MaxResults: in.MaxResults, FilesOnly: in.FilesOnly, Cursor: in.Cursor,
		Options: tree.Options{NoIgnore: in.NoIgnore, Excludes: x.excludes, Globs: in.Glob, Depth: in.Depth, SkipHidden: in.ShowHidden != nil && !*in.ShowHidden},
	})
	switch {
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		found.Truncated = true
		c.Warn("the search stopped after " + searchTime.String() + "; narrow it by path or glob, or give a longer timeout")
	case errors.Is(err, tree.ErrGlob):
		return nil, tools.Errorf(tools.InvalidParams, "%v", err).With(tools.Details{Param: "glob"})
	case err != nil:
		return nil, treeError(c, err)
	}
	d := &searchData{where: at(given(in.Path), p), Results: []hit{}, Total: found.Total, Files: found.Files, Backend: "builtin"}
	limit := tools.Limit(in.MaxChars)
	room := tools.NewRoom(in.MaxChars)
	var b strings.Builder
	for i, h := range found.Hits {
		q := p
		q.Rel = h.Path
		name := q.String()
		before := b.Len()
		if i > 0 && in.ContextLines > 0 && !in.FilesOnly {
			b.WriteString("--\n")
		}
		writeHit(&b, sandbox.Printable(name), h, in.FilesOnly)
		one := hit{name, h.Line, h.Column}
		if !room.TakesSize(b.Len()-before+one.size()) && !again {
			in.MaxResults = i // the cursor of the page is behind what has no room
			return x.page(ctx, c, in, true)
		}
		d.Results = append(d.Results, one)
		d.Count++
	}
	text := b.String()
	if len(text) > limit {
		text, _ = tools.Head(text, limit)
		found.Truncated = true
	}
	if found.Guessed > 0 {
		c.Warn("the encoding of " + strconv.Itoa(found.Guessed) + " files is a guess: they are no UTF-8")
	}
	if found.Lossy {
		c.Warn("some lines hold bytes that are no UTF-8, shown as U+FFFD")
	}
	if found.Binary > 0 && len(found.Hits) == 0 {
		c.Warn(strconv.Itoa(found.Binary) + " binary files were left out")
	}
	warnStats(c, found.Stats)
	warnIgnored(c, found.Stats, d.Count)
	warnOthers(c, in.Path)
	if d.Count == 0 && in.Cursor == "" {
		hintGlobs(c, p, in.Glob)
		if !in.Literal {
			hintQuery(c, in.Query)
		}
	}
	res := &tools.Result{Text: text, Data: d, Truncated: found.Truncated}
	if found.Cursor != "" {
		res.Paging = &tools.Paging{Cursor: found.Cursor, More: true, Total: found.Total}
	}
	return res, nil
}

// writeHit writes a hit as path:line: text, the lines around it as path-line- text.
func writeHit(b *strings.Builder, name string, h tree.Hit, nameOnly bool) {
	if nameOnly {
		b.WriteString(name + "\n")
		return
	}
	put := func(line int, mark, text string) {
		b.WriteString(name + mark + strconv.Itoa(line) + mark + " " + text + "\n")
	}
	for i, l := range h.Before {
		put(h.Line-len(h.Before)+i, "-", l)
	}
	lines := strings.Split(strings.TrimSuffix(h.Text, "\n"), "\n")
	for i, l := range lines {
		put(h.Line+i, ":", l)
	}
	for i, l := range h.After {
		put(h.Line+len(lines)+i, "-", l)
	}
}
