package code

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/index"
	"github.com/hanzoai/hanzo-mcp/tools/tree"
)

const (
	maxChangedFiles = 2000      // of one call
	maxChangedBytes = 128 << 20 // of their texts, old and new
)

type replaceIn struct {
	Path          string   `json:"path"`
	Query         string   `json:"query"`
	Replacement   *string  `json:"replacement"`
	Literal       bool     `json:"literal"`
	AnyCase       bool     `json:"ignore_case"`
	Glob          []string `json:"glob"`
	ExpectedCount *int     `json:"expected_count"`
	DryRun        bool     `json:"dry_run"`
	MaxChars      int      `json:"max_chars"`
}

func (t *tool) grepReplace(ctx context.Context, c *tools.Call, in replaceIn) (*tools.Result, error) {
	if in.Query == "" || in.Replacement == nil {
		return nil, tools.Errorf(tools.InvalidParams, "give query (a regular expression) and replacement (\"\" removes)").With(tools.Details{Param: "query"})
	}
	pattern := in.Query
	if in.Literal {
		pattern = regexp.QuoteMeta(pattern)
	}
	pattern = withoutEndings(pattern)
	flags := "(?m)"
	if in.AnyCase {
		flags = "(?mi)"
	}
	re, err := regexp.Compile(flags + pattern)
	if err != nil {
		return nil, tools.Errorf(tools.InvalidParams, "query is no regular expression (RE2): %v; literal:true takes it as plain text", err).
			With(tools.Details{Param: "query", Actual: in.Query, Suggestion: "literal:true"})
	}
	fresh := template{{text: *in.Replacement}}
	if !in.Literal {
		if fresh, err = parseTemplate(*in.Replacement, re); err != nil {
			return nil, err
		}
		if err := checkEscapes(c.Warn, in.Query, *in.Replacement); err != nil {
			return nil, err
		}
	}
	p, _, err := resolve(c, in.Path)
	if err != nil {
		return nil, err
	}
	warnFurther(c, in.Path)
	var need []byte
	if prefix, whole := re.LiteralPrefix(); whole && !strings.Contains(prefix, "\n") {
		need = []byte(prefix)
	}
	if !in.DryRun { // two calls that change many files would find each other's files changed
		done, err := t.changing(ctx)
		if err != nil {
			return nil, err
		}
		defer done()
	}
	return again(func() (*tools.Result, error) {
		d := &manyData{DryRun: in.DryRun, Skipped: []skipped{}, Files: []changedFile{}}
		changes, err := t.eachText(ctx, c, p, in.Glob, need, d, func(s *source) (*change, error) {
			ch := &change{src: s}
			ch.fresh, ch.count = replaceAll(re, fresh, s.text)
			return ch, nil
		})
		if err != nil {
			return nil, err
		}
		if len(changes) == 0 && len(d.Skipped) == 0 && in.ExpectedCount == nil {
			hint := ""
			if strings.Contains(in.Query, `\r`) {
				hint = "; lines are matched without the \\r that ends them"
			}
			return nil, tools.Errorf(tools.NotFound, "nothing below %s matches %q%s", sandbox.Printable(p.Given), in.Query, hint).With(tools.Details{Param: "query"})
		}
		if !slices.ContainsFunc(changes, func(ch change) bool { return !bytes.Equal(ch.fresh, ch.src.bytes) }) && len(changes) > 0 && strings.ContainsAny(in.Query+*in.Replacement, "\r\n") {
			c.Warn("line endings are kept as they are here; exec with a program such as dos2unix changes them")
		}
		return t.apply(ctx, c, changes, d, in.ExpectedCount, in.MaxChars)
	})
}

// eachText makes a change of every text file below p, or of the file p, that holds need. Files that may not be written
// or are not UTF-8 and would change are noted as skipped.
func (t *tool) eachText(ctx context.Context, c *tools.Call, p sandbox.Path, globs []string, need []byte, d *manyData, make func(*source) (*change, error)) ([]change, error) {
	var mu sync.Mutex
	var changes []change
	total := 0
	one := func(q sandbox.Path, why string) error {
		src, err := load(ctx, &tools.Call{Roots: c.Roots}, q) // which encoding it has is told where it matters
		if err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if tools.AsError(err).Code != tools.Binary {
				mu.Lock()
				d.Skipped = append(d.Skipped, skipped{q.String(), tools.AsError(err).Message})
				mu.Unlock()
			}
			return nil
		}
		ch, err := make(src)
		if err != nil || ch == nil || ch.count == 0 {
			return err
		}
		if cannot := cannotWrite(c, src); cannot != "" {
			why = cannot
		} else if !src.plain {
			why = otherEncoding
		} else if bytes.IndexByte(src.bytes[:min(len(src.bytes), 8<<10)], 0) >= 0 {
			why = isBinary
		}
		mu.Lock()
		defer mu.Unlock()
		if why != "" {
			d.Skipped = append(d.Skipped, skipped{src.name(), why})
			return nil
		}
		if total += len(ch.fresh) + len(src.bytes); total > maxChangedBytes || len(changes) >= maxChangedFiles {
			return tools.Errorf(tools.TooLarge, "more than %d files or %d MiB would change; narrow it by path or glob; nothing was changed", maxChangedFiles, maxChangedBytes>>20)
		}
		changes = append(changes, *ch)
		return nil
	}
	fi, _, err := c.Roots.Stat(p)
	if err != nil {
		return nil, about(err)
	}
	if !fi.IsDir() {
		if err := oneOf(globs, p); err != nil {
			return nil, err
		}
		if err := one(p, ""); err != nil || len(d.Skipped) == 0 {
			return changes, err
		}
		code := tools.PermissionDenied
		switch d.Skipped[0].Reason {
		case otherEncoding:
			code = tools.Unsupported
		case isBinary:
			code = tools.Binary
		}
		return nil, tools.Errorf(code, "%s was not changed: %s", sandbox.Printable(p.Given), d.Skipped[0].Reason).With(tools.Details{Param: "path"})
	}
	root, rel, err := c.Roots.Sub(p)
	if err != nil {
		return nil, about(err)
	}
	buffers := [64][]byte{}
	stats, err := tree.Walk(ctx, root, rel, tree.Options{Excludes: t.excludes, OwnOnly: true, Types: tree.File, Globs: globs}, func(e *tree.Entry) error {
		buf, err := e.Read(buffers[e.Worker][:0], maxLoad)
		if err != nil {
			mu.Lock()
			defer mu.Unlock()
			if n := len(d.Skipped); n < 100 {
				q := p
				q.Rel = e.Path()
				reason := "not readable"
				if errors.Is(err, tree.ErrTooLarge) {
					reason = "larger than 16 MiB"
				}
				d.Skipped = append(d.Skipped, skipped{q.String(), reason})
			}
			return nil
		}
		buffers[e.Worker] = buf
		wide := bytes.HasPrefix(buf, []byte("\xff\xfe")) || bytes.HasPrefix(buf, []byte("\xfe\xff")) // UTF-16, with its mark
		if !wide && (bytes.IndexByte(buf[:min(len(buf), 8<<10)], 0) >= 0 || len(need) > 0 && !bytes.Contains(buf, need)) {
			return nil
		}
		q := p
		q.Rel = e.Path()
		q.Given = q.String()
		if index.Minified(buf) {
			return one(q, "minified: change what it is made from, or give it as path")
		}
		return one(q, "")
	})
	if err != nil {
		return nil, treeError(err)
	}
	if stats.SkippedTotal > 0 {
		c.Warn(fmt.Sprintf("%d files or folders could not be read: %s", stats.SkippedTotal, sandbox.Printable(stats.Skipped[0].Path)))
	}
	if len(d.Skipped) > 0 {
		c.Warn(leftAlone(d.Skipped))
	}
	return changes, nil
}

// Why a file is not changed by this tool.
const (
	otherEncoding = "not UTF-8: fs.edit changes text in it, or convert it first"
	isBinary      = "binary, no text"
)

// leftAlone says which files were left as they are, and why.
func leftAlone(list []skipped) string {
	byReason := map[string][]string{}
	for _, s := range list {
		byReason[s.Reason] = append(byReason[s.Reason], sandbox.Printable(s.Path))
	}
	var told []string
	for _, why := range slices.Sorted(maps.Keys(byReason)) {
		names := byReason[why]
		slices.Sort(names)
		one := strings.Join(names[:min(len(names), 10)], ", ")
		if len(names) > 10 {
			one += fmt.Sprintf(" and %d more", len(names)-10)
		}
		told = append(told, one+" ("+why+")")
	}
	return "left as they are: " + strings.Join(told, "; ")
}

// oneOf refuses a file that globs leave out.
func oneOf(globs []string, p sandbox.Path) error {
	g, err := tree.CompileGlobs(globs)
	if err != nil {
		return treeError(err)
	}
	if len(globs) > 0 && !g.Match(p.Base()) && !g.Match(p.String()) {
		return tools.Errorf(tools.InvalidParams, "path is the file %s, and glob leaves it out; give the folder as path, or leave glob out; nothing was done", sandbox.Printable(p.Given)).
			With(tools.Details{Param: "glob"})
	}
	return nil
}

type transformIn struct {
	aim
	Kind        string   `json:"kind"`
	NewName     string   `json:"new_name"`
	Replacement *string  `json:"replacement"`
	Literal     bool     `json:"literal"`
	AnyCase     bool     `json:"ignore_case"`
	Comments    bool     `json:"comments"`
	Glob        []string `json:"glob"`
	MaxChars    int      `json:"max_chars"`
}

// transform shows what rename or grep_replace would do, as a diff that can be applied, and writes nothing.
func (t *tool) transform(ctx context.Context, c *tools.Call, in transformIn) (*tools.Result, error) {
	kind := strings.ToLower(strings.ReplaceAll(in.Kind, "-", "_"))
	if kind == "" {
		kind = "grep_replace"
		if in.NewName != "" {
			kind = "rename"
		}
	}
	fresh := in.NewName
	if fresh == "" && in.Replacement != nil {
		fresh = *in.Replacement
	}
	switch kind {
	case "rename", "semantic", "text", "rename_text":
		if kind == "rename_text" {
			kind = "text"
		}
		r, err := t.rename(ctx, c, renameIn{aim: in.aim, NewName: fresh, Kind: kind, Comments: in.Comments, Glob: in.Glob, DryRun: true, MaxChars: in.MaxChars})
		if err != nil && kind == "rename" && tools.AsError(err).Code == tools.Unsupported {
			c.Warn(tools.AsError(err).Message + "; the diff is that of kind:\"text\"")
			return t.rename(ctx, c, renameIn{aim: in.aim, NewName: fresh, Kind: "text", Comments: in.Comments, Glob: in.Glob, DryRun: true, MaxChars: in.MaxChars})
		}
		return r, err
	case "grep_replace", "replace", "codemod", "regex":
		if in.Replacement == nil && in.NewName != "" {
			in.Replacement = &fresh
		}
		return t.grepReplace(ctx, c, replaceIn{Path: in.Path, Query: in.Query, Replacement: in.Replacement, Literal: in.Literal, AnyCase: in.AnyCase, Glob: in.Glob, DryRun: true, MaxChars: in.MaxChars})
	}
	return nil, tools.Errorf(tools.InvalidParams, "kind: use rename or grep_replace").With(tools.Details{Param: "kind", Actual: in.Kind, Available: []string{"rename", "text", "grep_replace"}})
}
