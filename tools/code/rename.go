package code

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/lsp"
	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
)

type renameIn struct {
	aim
	NewName       string   `json:"new_name"`
	Kind          string   `json:"kind"`
	Comments      bool     `json:"comments"`
	Glob          []string `json:"glob"`
	ExpectedCount *int     `json:"expected_count"`
	DryRun        bool     `json:"dry_run"`
	MaxChars      int      `json:"max_chars"`
}

type changedFile struct {
	Path  string `json:"path"`
	Count int    `json:"count"`
	Hash  string `json:"hash"`
}

type manyData struct {
	FilesChanged int           `json:"files_changed"`
	Count        int           `json:"count"` // places
	Files        []changedFile `json:"files"`
	Skipped      []skipped     `json:"skipped"`
	Backend      string        `json:"backend,omitempty"`
	DryRun       bool          `json:"dry_run,omitempty"`

	mustParse bool // a change after which a file does not parse is refused
}

func (t *tool) rename(ctx context.Context, c *tools.Call, in renameIn) (*tools.Result, error) {
	if in.NewName == "" {
		return nil, tools.Errorf(tools.InvalidParams, "new_name is missing").With(tools.Details{Param: "new_name"})
	}
	name := strings.TrimPrefix(strings.TrimRight(in.NewName, "?!="), "#")
	if strings.Contains(in.Query+in.NamePath, "-") { // a class of CSS, a function of a shell
		name = strings.ReplaceAll(name, "-", "_")
	}
	if !syntax.IsName(name) {
		return nil, tools.Errorf(tools.InvalidParams, "new_name %q is no name", in.NewName).With(tools.Details{Param: "new_name", Actual: in.NewName})
	}
	in.exact = true
	if !in.DryRun {
		done, err := t.changing(ctx)
		if err != nil {
			return nil, err
		}
		defer done()
	}
	switch strings.ToLower(in.Kind) {
	case "", "semantic", "rename":
		return again(func() (*tools.Result, error) { return t.renameSemantic(ctx, c, in) })
	case "text":
		return again(func() (*tools.Result, error) { return t.renameText(ctx, c, in) })
	}
	return nil, tools.Errorf(tools.InvalidParams, "kind: use semantic or text").With(tools.Details{Param: "kind", Actual: in.Kind, Available: []string{"semantic", "text"}})
}

// renameSemantic applies the edit of a language server, as it is.
func (t *tool) renameSemantic(ctx context.Context, c *tools.Call, in renameIn) (*tools.Result, error) {
	g, err := t.locate(ctx, c, in.aim)
	if err != nil {
		return nil, err
	}
	g.others = slices.DeleteFunc(g.others, g.same)
	if len(g.others) > 0 {
		var names []string
		for _, o := range append([]candidate{{file: g.src.name(), sym: g.sym}}, g.others...) {
			names = append(names, fmt.Sprintf("%s at %s:%d", o.sym.Path, sandbox.Printable(o.file), o.sym.Line))
		}
		return nil, tools.Errorf(tools.Ambiguous, "%d symbols are called %s; give path and line", len(names), in.Query).
			With(tools.Details{Param: "query", Available: names[:min(len(names), 10)]})
	}
	if g.name == in.NewName {
		return &tools.Result{Text: "no change\n", Data: &manyData{Backend: syntaxBackend, DryRun: in.DryRun, Skipped: []skipped{}, Files: []changedFile{}}}, nil
	}
	if family(g.lang()) == "script" {
		if err := samePrivate(g.name, in.NewName); err != nil {
			return nil, err
		}
	}
	if err := checkWord(g.src.lang, in.NewName, g.isMember(), isType(g.sym)); err != nil {
		return nil, err
	}
	if o := taken(g.src, g.sym, in.NewName); o != nil {
		return nil, nameTaken(g.src, o)
	}
	t.warnMeaning(c, g, in.NewName)
	edits, k, err := t.askRename(ctx, c, g, in.NewName)
	if why, none := noServer(err); none {
		return nil, tools.Errorf(tools.Unsupported, "no semantic rename: %s. With kind:\"text\" whole words outside strings and comments are renamed (dry_run first): other symbols of the same name too", why).
			With(tools.Details{Param: "kind", Suggestion: `kind:"text"`})
	}
	if err != nil {
		return nil, err
	}
	d := &manyData{mustParse: true, Backend: k.backend(), DryRun: in.DryRun, Skipped: []skipped{}, Files: []changedFile{}}
	var changes []change
	var refused []string
	renamed := map[string][]span{}
	for uri, list := range edits {
		if len(list) == 0 {
			continue
		}
		ch, spans, why, err := t.applyServerEdit(ctx, c, k.Lines, uri, list)
		if err != nil {
			return nil, err
		}
		if why != "" {
			d.Skipped = append(d.Skipped, skipped{ch.src.name(), why})
			refused = append(refused, sandbox.Printable(ch.src.name())+" ("+why+")")
			continue
		}
		if err := namesOnly(ch.src, spans, g.name); err != nil {
			return nil, err
		}
		if err := t.checkTaken(ctx, c, &ch, spans, in.NewName); err != nil {
			return nil, err
		}
		renamed[ch.src.name()] = spans
		changes = append(changes, ch)
	}
	if len(refused) > 0 {
		slices.Sort(refused)
		code := tools.PermissionDenied
		if !slices.ContainsFunc(d.Skipped, func(s skipped) bool { return s.Reason != otherEncoding }) {
			code = tools.Unsupported
		}
		return &tools.Result{Data: d}, tools.Errorf(code, "the rename needs files that may not be changed, so nothing was: %s", strings.Join(refused[:min(len(refused), 10)], ", "))
	}
	if changes, err = t.ownOnly(ctx, c, g, changes, renamed); err != nil {
		return nil, err
	}
	if err := t.warnLeft(ctx, c, k, g, renamed); err != nil {
		return nil, err
	}
	if g.lang() != "go" { // gopls refuses what would mean something else
		if err := warnUsed(ctx, c, changes, in.NewName); err != nil {
			return nil, err
		}
	}
	return t.apply(ctx, c, changes, d, in.ExpectedCount, in.MaxChars)
}

func (t *tool) askRename(ctx context.Context, c *tools.Call, g *target, name string) (map[string][]lsp.TextEdit, *talk, error) {
	k, whole, err := t.serverFor(ctx, c, g, look{others: anyText, spelled: spells(g.lang())})
	if err != nil {
		return nil, nil, err
	}
	if !whole && k.KnowsOpen() {
		return nil, nil, tools.Errorf(tools.TooLarge, "%s knows only files that are open in it, and more than %d hold the name %s; kind:\"text\" renames whole words (dry_run first)", k.Name, maxHolders, g.name)
	}
	if !k.Can("renameProvider") {
		return nil, nil, &unavailable{k.Name + " does not rename"}
	}
	params := k.document(g.at)
	params["newName"] = name
	files := func(raw json.RawMessage) map[string][]lsp.TextEdit {
		var w lsp.WorkspaceEdit
		if json.Unmarshal(raw, &w) != nil {
			return nil
		}
		f, err := w.Files()
		if err != nil {
			return nil
		}
		return f
	}
	raw, err := k.Ask(ctx, k.known, "textDocument/rename", params, func(raw json.RawMessage) bool { return len(files(raw)) > 0 })
	var no *lsp.Refusal
	if errors.As(err, &no) && ctx.Err() == nil {
		if strings.Contains(no.Message, "no package metadata") {
			return nil, nil, &unavailable{k.Name + " could not load the package: diagnostics of " + sandbox.Printable(g.src.name()) + " tell why"}
		}
		return nil, nil, tools.Errorf(tools.Conflict, "%s refuses to rename: %s. Mend that or choose another name; kind:\"text\" renames whole words without asking it (dry_run first)", k.Name, said(no.Message)).
			With(tools.Details{Param: "new_name", Actual: name})
	}
	if err != nil {
		return nil, nil, down(ctx, err)
	}
	var w lsp.WorkspaceEdit
	if err := json.Unmarshal(raw, &w); err != nil {
		return nil, nil, fmt.Errorf("reading the rename of %s: %w", k.Name, err)
	}
	f, err := w.Files()
	if err != nil {
		return nil, nil, tools.Errorf(tools.Unsupported, "%v", err)
	}
	if len(f) == 0 {
		return nil, nil, tools.Errorf(tools.NotFound, "%s finds nothing to rename at %s", k.Name, sandbox.Printable(g.src.name()))
	}
	return f, k, nil
}

// apply checks the count, writes, and answers.
func (t *tool) apply(ctx context.Context, c *tools.Call, changes []change, d *manyData, expected *int, maxChars int) (*tools.Result, error) {
	changes = slices.DeleteFunc(changes, func(ch change) bool { return bytes.Equal(ch.fresh, ch.src.bytes) })
	slices.SortFunc(changes, func(a, b change) int { return strings.Compare(a.src.name(), b.src.name()) })
	slices.SortFunc(d.Skipped, func(a, b skipped) int { return strings.Compare(a.Path, b.Path) })
	for i := range changes {
		if err := keepsMarks(&changes[i]); err != nil {
			return nil, err
		}
		d.Count += changes[i].count
	}
	if expected != nil && *expected != d.Count {
		return &tools.Result{Data: d}, tools.Errorf(tools.Conflict, "%d places would change, expected_count is %d; nothing was changed", d.Count, *expected).
			With(tools.Details{Param: "expected_count", Expected: fmt.Sprint(*expected), Actual: fmt.Sprint(d.Count)})
	}
	names, err := broken(ctx, changes)
	if err != nil {
		return nil, err
	}
	if len(names) > 0 {
		list := strings.Join(names[:min(len(names), 5)], ", ")
		if d.mustParse && !d.DryRun {
			return &tools.Result{Data: d}, tools.Errorf(tools.Conflict, "with this name %d files would not parse any more: %s; nothing was changed", len(names), list).With(tools.Details{Param: "new_name"})
		}
		c.Warn(fmt.Sprintf("%d files parsed before this change and do not parse in full any more: %s", len(names), list))
	}
	if !d.DryRun && len(changes) > 0 {
		if err := commit(ctx, c, changes); err != nil {
			return nil, err
		}
	}
	d.FilesChanged = len(changes)
	for i, ch := range changes {
		if i == 200 {
			c.Warn(fmt.Sprintf("files[] names the first 200 of %d", len(changes)))
			break
		}
		d.Files = append(d.Files, changedFile{ch.src.name(), ch.count, hashOf(ch.fresh)})
	}
	text, cut := showDiff(c, changes, maxChars)
	if len(changes) == 0 {
		text = "no change\n"
		if len(d.Skipped) > 0 {
			text = "no change; the places are in files that are " + leftAlone(d.Skipped) + "\n"
		}
	}
	return &tools.Result{Text: text, Data: d, Truncated: cut}, nil
}

// maxChecked is how many of the files of one change are parsed to see what it did to them.
const maxChecked = 200

// broken gives the files that parse now and would not after a change.
func broken(ctx context.Context, changes []change) ([]string, error) {
	parses := func(lang *syntax.Language, text []byte) (bool, error) {
		f, err := syntax.Analyze(ctx, lang, text)
		if err != nil {
			return true, ctx.Err() // what cannot be parsed here is not judged
		}
		return !f.Broken, nil
	}
	var names []string
	for _, ch := range changes[:min(len(changes), maxChecked)] {
		if ch.src.lang == nil || !ch.src.plain || len(ch.fresh) > syntax.MaxSource {
			continue
		}
		after, err := parses(ch.src.lang, ch.fresh)
		before := true
		if err == nil && !after {
			before, err = parses(ch.src.lang, ch.src.bytes)
		}
		if err != nil {
			return nil, err
		}
		if before && !after {
			names = append(names, sandbox.Printable(ch.src.name()))
		}
	}
	return names, nil
}

// renameText renames whole words, outside strings and comments unless they are asked for.
func (t *tool) renameText(ctx context.Context, c *tools.Call, in renameIn) (*tools.Result, error) {
	p, _, err := resolve(c, in.Path)
	if err != nil {
		return nil, err
	}
	name := in.Query
	if name == "" {
		name = in.NamePath
	}
	if in.Line > 0 {
		g, err := t.locate(ctx, c, in.aim)
		if err != nil {
			return nil, err
		}
		name, p = g.name, g.scope
	} else {
		warnFurther(c, in.Path)
	}
	q, ok := syntax.ParseQuery(name)
	if !ok {
		return nil, tools.Errorf(tools.InvalidParams, "query is missing: give the name to rename").With(tools.Details{Param: "query"})
	}
	if q.Index >= 0 {
		return nil, tools.Errorf(tools.InvalidParams, "a text rename knows no %s[%d]: every word %s is renamed; leave the number out; nothing was done", q.String(), q.Index, q.Last()).
			With(tools.Details{Param: "query", Actual: name})
	}
	if len(q.Parts) > 1 {
		c.Warn(fmt.Sprintf("a text rename knows no %s: every word %s is renamed", strings.Join(q.Parts[:len(q.Parts)-1], "."), q.Last()))
	}
	old := q.Last()
	if err := samePrivate(old, in.NewName); err != nil {
		return nil, err
	}
	d := &manyData{mustParse: true, Backend: syntaxBackend, DryRun: in.DryRun, Skipped: []skipped{}, Files: []changedFile{}}
	changes, err := t.eachText(ctx, c, p, in.Glob, []byte(old), d, func(s *source) (*change, error) {
		if s.lang == nil || s.lang.Data && !in.Comments {
			return nil, nil
		}
		var at []int
		var err error // its own: files are read at the same time
		if in.Comments {
			at = syntax.Words(s.lang, s.text, old)
		} else if at, err = syntax.Uses(ctx, s.lang, s.text, old); err != nil {
			return nil, err
		}
		ch := &change{src: s, count: len(at)}
		from := 0
		for _, a := range at {
			ch.fresh = append(append(ch.fresh, s.text[from:a]...), in.NewName...)
			from = a + len(old)
		}
		ch.fresh = append(ch.fresh, s.text[from:]...)
		return ch, nil
	})
	if err != nil {
		return nil, err
	}
	if len(changes) == 0 && len(d.Skipped) == 0 {
		return nil, tools.Errorf(tools.NotFound, "no word %q outside strings and comments below %s", old, sandbox.Printable(p.Given)).With(tools.Details{Param: "query"})
	}
	if err := t.warnOtherTexts(ctx, c, p, old, changes); err != nil {
		return nil, err
	}
	if old != in.NewName {
		if err := checkWords(ctx, changes, old, in.NewName); err != nil && in.DryRun && ctx.Err() == nil {
			c.Warn(tools.AsError(err).Message)
		} else if err != nil {
			return nil, err
		}
		if err := warnUsed(ctx, c, changes, in.NewName); err != nil {
			return nil, err
		}
	}
	return t.apply(ctx, c, changes, d, in.ExpectedCount, in.MaxChars)
}

// samePrivate refuses a rename that would make a private name of JavaScript open, or the other way.
func samePrivate(old, fresh string) error {
	if strings.HasPrefix(old, "#") == strings.HasPrefix(fresh, "#") {
		return nil
	}
	return tools.Errorf(tools.InvalidParams, "a # before a name makes it private: %s and %s must both have it, or both not", old, fresh).With(tools.Details{Param: "new_name"})
}
