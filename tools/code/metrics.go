package code

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/index"
	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
	"github.com/hanzoai/hanzo-mcp/tools/tree"
)

type metricsIn struct {
	Path       string `json:"path"`
	Text       string `json:"text"`
	Language   string `json:"language"`
	MaxResults int    `json:"max_results"`
	MaxChars   int    `json:"max_chars"`
}

type metricsData struct {
	where
	Language   string `json:"language"`
	Lines      int    `json:"lines"`
	Blank      int    `json:"blank"`
	Comment    int    `json:"comment"`
	Code       int    `json:"code"`
	Functions  int    `json:"functions"`
	Types      int    `json:"types"`
	Complexity int    `json:"complexity"` // the highest of a function
	Longest    int    `json:"longest"`    // lines of the longest function
}

// metrics measures a file; a folder gets what summarize gives.
func (t *tool) metrics(ctx context.Context, c *tools.Call, in metricsIn) (*tools.Result, error) {
	p, s, err := t.subject(ctx, c, in.Path, in.Text, in.Language)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return t.summarizeFolder(ctx, c, p, in)
	}
	f, err := t.analyze(ctx, c, s)
	if err != nil {
		return nil, err
	}
	f.speak()
	d := &metricsData{where: where{p.Given, p.String()}, Language: f.Language, Lines: f.Lines}
	if d.Blank, d.Comment, err = countLines(ctx, s.lang, s.text); err != nil {
		return nil, err
	}
	d.Code = d.Lines - d.Blank - d.Comment
	at, err := syntax.Branches(ctx, s.lang, s.text)
	if err != nil && !errors.Is(err, syntax.ErrUnsupported) {
		return nil, err
	}
	unknown := err != nil
	if unknown {
		c.Warn("complexity is not known: " + err.Error())
	}
	type measured struct {
		sym           *syntax.Symbol
		lines, splits int
	}
	var list []measured
	for i := range f.Symbols {
		y := &f.Symbols[i]
		switch y.Kind {
		case syntax.Function, syntax.Method:
			from, to := sort.SearchInts(at, y.Start), sort.SearchInts(at, y.End)
			list = append(list, measured{y, y.EndLine - y.Line + 1, to - from + 1})
			d.Complexity = max(d.Complexity, to-from+1)
			d.Longest = max(d.Longest, y.EndLine-y.Line+1)
			d.Functions++
		case syntax.Class, syntax.Struct, syntax.Interface, syntax.Trait, syntax.Enum, syntax.Type:
			d.Types++
		}
	}
	slices.SortStableFunc(list, func(a, b measured) int { return cmp.Or(b.splits-a.splits, b.lines-a.lines) })
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d lines (%d code, %d comment, %d blank), %d functions, %d types\ncomplexity  lines  function\n", sandbox.Printable(cmp.Or(d.Resolved, s.path.Given)), d.Lines, d.Code, d.Comment, d.Blank, d.Functions, d.Types)
	limit := in.MaxResults
	if limit <= 0 {
		limit = 20
	}
	for _, m := range list[:min(limit, len(list))] {
		splits := strconv.Itoa(m.splits)
		if unknown {
			splits = "?"
		}
		fmt.Fprintf(&b, "%10s  %5d  %s:%d\n", splits, m.lines, m.sym.Path, m.sym.Line)
	}
	if len(list) > limit {
		fmt.Fprintf(&b, "… and %d more functions, of which none is more complex; give max_results for them\n", len(list)-limit)
	}
	if unknown {
		d.Complexity = 0
	}
	text, cut := tools.Head(valid(b.String()), tools.Limit(in.MaxChars))
	return &tools.Result{Text: text, Data: d, Truncated: cut || len(list) > limit}, nil
}

// countLines counts blank lines, and lines that are nothing but comment.
func countLines(ctx context.Context, lang *syntax.Language, src []byte) (blank, comment int, err error) {
	var begins []syntax.Span // what the other lines begin with
	at := 0
	for line := range bytes.Lines(src) {
		if text := bytes.TrimLeft(line, " \t\r\n\v\f"); len(text) == 0 {
			blank++
		} else {
			from := at + len(line) - len(text)
			begins = append(begins, syntax.Span{Start: from, End: from + 1})
		}
		at += len(line)
	}
	places, err := syntax.Classify(ctx, lang, src, begins)
	if errors.Is(err, syntax.ErrUnsupported) {
		return blank, byMarks(lang, src, begins), nil
	}
	for _, p := range places {
		if p == syntax.InComment {
			comment++
		}
	}
	return blank, comment, err
}

// byMarks counts the lines that begin with the mark of a comment, of a language that is not parsed.
func byMarks(lang *syntax.Language, src []byte, begins []syntax.Span) (comment int) {
	block := false
	for _, s := range begins {
		line, _, _ := bytes.Cut(src[s.Start:], []byte("\n"))
		opens := lang.Block && bytes.HasPrefix(line, []byte("/*"))
		if block || opens || startsComment(line, lang) {
			comment++
		}
		if block || opens {
			block = !bytes.Contains(line, []byte("*/"))
		}
	}
	return comment
}

type languageCount struct {
	Language string `json:"language"`
	Files    int    `json:"files"`
	Lines    int    `json:"lines"`
	Symbols  int    `json:"symbols"`
}

type summaryData struct {
	where
	Files     int             `json:"files"`
	Lines     int             `json:"lines"`
	Languages []languageCount `json:"languages"`
}

// summarize tells in a few lines what a folder or file holds.
func (t *tool) summarize(ctx context.Context, c *tools.Call, in metricsIn) (*tools.Result, error) {
	p, s, err := t.subject(ctx, c, in.Path, in.Text, in.Language)
	if err != nil {
		return nil, err
	}
	if s == nil {
		return t.summarizeFolder(ctx, c, p, in)
	}
	return t.structure(ctx, c, outlineIn{Path: in.Path, Text: in.Text, Language: in.Language, Depth: 1, MaxResults: in.MaxResults, MaxChars: in.MaxChars}, true,
		func(s *syntax.Symbol) bool { return s.Exported })
}

func (t *tool) summarizeFolder(ctx context.Context, c *tools.Call, p sandbox.Path, in metricsIn) (*tools.Result, error) {
	type folder struct {
		files, lines int
		names        []string
	}
	d := &summaryData{where: where{p.Given, p.String()}}
	langs := map[string]*languageCount{}
	folders := map[string]*folder{}
	stats, err := t.survey(ctx, c, p, &index.Options{}, nil, func(name string, f *syntax.File) {
		l := langs[f.Language]
		if l == nil {
			l = &languageCount{Language: f.Language}
			langs[f.Language] = l
		}
		l.Files++
		l.Lines += f.Lines
		l.Symbols += len(f.Symbols)
		d.Files++
		d.Lines += f.Lines
		dir := path.Dir(name)
		one := folders[dir]
		if one == nil {
			one = &folder{}
			folders[dir] = one
		}
		one.files++
		one.lines += f.Lines
		for i := range f.Symbols {
			if s := &f.Symbols[i]; s.Exported && s.Depth == 0 && len(one.names) < 40 && !strings.HasPrefix(s.Name, "Test") && s.Kind != syntax.Impl {
				one.names = append(one.names, s.Path)
			}
		}
	})
	if err != nil {
		return nil, err
	}
	if w := overlooked(p, stats, nil); w != "" && d.Files == 0 {
		c.Warn(w)
	}
	for _, l := range langs {
		d.Languages = append(d.Languages, *l)
	}
	slices.SortFunc(d.Languages, func(a, b languageCount) int { return cmp.Or(b.Lines-a.Lines, strings.Compare(a.Language, b.Language)) })
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d source files, %d lines\n", sandbox.Printable(d.Resolved), d.Files, d.Lines)
	for _, l := range d.Languages {
		fmt.Fprintf(&b, "  %-16s %6d files %8d lines %8d symbols\n", l.Language, l.Files, l.Lines, l.Symbols)
	}
	if stats.Data > 0 {
		fmt.Fprintf(&b, "  and %d files of data and markup\n", stats.Data)
	}
	dirs := make([]string, 0, len(folders))
	for dir := range folders {
		dirs = append(dirs, dir)
	}
	slices.SortFunc(dirs, tree.ComparePaths)
	limit := in.MaxResults
	if limit <= 0 {
		limit = 60
	}
	for _, dir := range dirs[:min(limit, len(dirs))] {
		one := folders[dir]
		slices.Sort(one.names)
		one.names = slices.Compact(one.names)
		fmt.Fprintf(&b, "%s/ (%d files, %d lines)", sandbox.Printable(dir), one.files, one.lines)
		if n := len(one.names); n > 0 {
			b.WriteString(": " + strings.Join(one.names[:min(n, 12)], ", "))
			if n > 12 {
				b.WriteString(", …")
			}
		}
		b.WriteByte('\n')
	}
	if len(dirs) > limit {
		fmt.Fprintf(&b, "… and %d more folders\n", len(dirs)-limit)
	}
	text, cut := tools.Head(valid(b.String()), tools.Limit(in.MaxChars))
	return &tools.Result{Text: text, Data: d, Truncated: cut || len(dirs) > limit}, nil
}
