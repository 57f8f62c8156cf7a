package code

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/index"
	"github.com/hanzoai/hanzo-mcp/tools/code/lsp"
	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
	"github.com/hanzoai/hanzo-mcp/tools/tree"
)

type diagnosticsIn struct {
	Path       string `json:"path"`
	Severity   string `json:"severity"`
	MaxResults int    `json:"max_results"`
	Cursor     string `json:"cursor"`
	MaxChars   int    `json:"max_chars"`
}

type diagnostic struct {
	Path     string `json:"path"`
	Line     int    `json:"line"`
	Column   int    `json:"column"`
	Severity string `json:"severity"`
	Message  string `json:"message"`
	Source   string `json:"source,omitempty"`
	Code     string `json:"code,omitempty"`
}

type diagnosticsData struct {
	where
	Diagnostics []diagnostic `json:"diagnostics"`
	Count       int          `json:"count"`
	Total       int          `json:"total"`
	Errors      int          `json:"errors"`
	Warnings    int          `json:"warnings"`
	Files       int          `json:"files"`
	Backend     string       `json:"backend"`
}

var severities = []string{"", "error", "warning", "information", "hint"}

const (
	maxDiagFiles = 60 // of a folder, opened in a server
	diagTime     = 40 * time.Second
)

func (t *tool) diagnostics(ctx context.Context, c *tools.Call, in diagnosticsIn) (*tools.Result, error) {
	least := len(severities) - 1
	if in.Severity != "" {
		least = slices.IndexFunc(severities, func(s string) bool { return s != "" && strings.HasPrefix(s, strings.ToLower(in.Severity)) })
		if least < 1 {
			return nil, tools.Errorf(tools.InvalidParams, "severity: use error, warning, information or hint").With(tools.Details{Param: "severity", Actual: in.Severity, Available: severities[1:]})
		}
	}
	p, fi, err := resolve(c, in.Path)
	if err != nil {
		return nil, err
	}
	d := &diagnosticsData{where: where{p.Given, p.String()}, Diagnostics: []diagnostic{}}
	names := []string{p.String()}
	var sources []string // those that a server may know
	if fi.IsDir() {
		names = nil
		warnFurther(c, in.Path)
		if _, err := t.walk(ctx, c, p, index.Options{Data: true}, func(name string, f *syntax.File) {
			names = append(names, name)
			if l := syntax.ByID(f.Language); l != nil && !l.Data {
				sources = append(sources, name)
			}
		}); err != nil {
			return nil, err
		}
		slices.SortFunc(names, tree.ComparePaths)
		slices.SortFunc(sources, tree.ComparePaths)
	}
	var list []diagnostic
	backends := map[string]bool{}
	reasons := map[string]bool{}
	asked := 0
	short, cancel := context.WithTimeout(ctx, diagTime) // for servers: then parsing must do
	defer cancel()
	if fi.IsDir() {
		t.openAll(short, c, sources[:min(len(sources), maxDiagFiles)])
	}
	for _, name := range names {
		server := short
		if asked >= maxDiagFiles || short.Err() != nil {
			server = nil
		}
		one, backend, why, err := t.examine(ctx, server, c, name)
		if err != nil {
			if !fi.IsDir() || ctx.Err() != nil {
				return nil, err
			}
			c.Warn(sandbox.Printable(name) + ": " + tools.AsError(err).Message)
			continue
		}
		if why != "" && !reasons[why] {
			reasons[why] = true
			c.Warn(why + "; only faults of the syntax are given")
		}
		if backend != syntaxBackend {
			asked++
		}
		backends[backend] = true
		list = append(list, one...)
		d.Files++
	}
	partly := fi.IsDir() && asked < len(sources) && (asked >= maxDiagFiles || short.Err() != nil)
	if partly {
		c.Warn(fmt.Sprintf("the language server was asked about %d of %d files, the others were only parsed; narrow it by path", asked, len(sources)))
	}
	for b := range backends {
		if d.Backend != "" {
			d.Backend += ","
		}
		d.Backend += b
	}
	list = slices.DeleteFunc(list, func(x diagnostic) bool { return slices.Index(severities, x.Severity) > least })
	slices.SortStableFunc(list, func(a, b diagnostic) int {
		return cmp.Or(tree.ComparePaths(a.Path, b.Path), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	for _, x := range list {
		switch x.Severity {
		case "error":
			d.Errors++
		case "warning":
			d.Warnings++
		}
	}
	page, paging, err := paginate(list, in.Cursor, in.MaxResults, 100)
	if err != nil {
		return nil, err
	}
	if shown := tools.Fitting(page, in.MaxChars); shown < len(page) {
		page, paging = page[:shown], after(in.Cursor, shown, len(list))
	}
	var b strings.Builder
	for _, x := range page {
		fmt.Fprintf(&b, "%s:%d:%d: %s: %s\n", sandbox.Printable(x.Path), x.Line, x.Column, x.Severity, strings.ReplaceAll(x.Message, "\n", "\n    "))
	}
	if len(list) == 0 {
		if partly {
			fmt.Fprintf(&b, "nothing to report in the %d files that the language server was asked about; %d more parse, and nothing else is known of them\n", asked, d.Files-asked)
		} else {
			fmt.Fprintf(&b, "nothing to report in %d files\n", d.Files)
		}
	}
	d.Count, d.Total = len(page), len(list)
	d.Diagnostics = append(d.Diagnostics, page...)
	text, cut := tools.Head(valid(b.String()), tools.Limit(in.MaxChars))
	return &tools.Result{Text: text, Data: d, Truncated: cut || partly || paging != nil, Paging: paging}, nil
}

// openAll opens files in their servers, which then look at them all at once.
func (t *tool) openAll(ctx context.Context, c *tools.Call, names []string) {
	none := map[string]bool{} // languages without a server, or with as many as are started ahead
	homes := map[string]map[string]bool{}
	for _, name := range names {
		p, _, err := resolve(c, name)
		if err != nil {
			continue
		}
		src, err := load(ctx, c, p)
		if err != nil || src.lang == nil || none[src.lang.ID] {
			continue
		}
		k, err := t.server(ctx, c, src)
		if err != nil {
			none[src.lang.ID] = true
			continue
		}
		if homes[k.Name] == nil {
			homes[k.Name] = map[string]bool{}
		}
		homes[k.Name][k.home.Abs()] = true
		if err := k.Renew(ctx, src.path.Abs(), k.language, string(withoutBOM(src.text))); err != nil {
			return // the question about the file tells of it
		}
		none[src.lang.ID] = len(homes[k.Name]) >= maxHomes
	}
}

// examine gives the diagnostics of one file: of a server when one answers within server, nil for not to ask, of the parser
// else, with the reason.
func (t *tool) examine(ctx, server context.Context, c *tools.Call, name string) (list []diagnostic, backend, why string, err error) {
	p, _, err := resolve(c, name)
	if err != nil {
		return nil, "", "", err
	}
	src, err := load(ctx, c, p)
	if err != nil {
		return nil, "", "", err
	}
	if server != nil {
		list, backend, err = t.serverDiagnostics(server, c, src)
		if err == nil {
			return list, backend, "", nil
		}
		none := false
		if why, none = noServer(err); !none && (server.Err() == nil || ctx.Err() != nil) {
			return nil, "", "", err
		}
	}
	if src.lang != nil && src.lang.Data {
		why = "" // there is no more to say of data than whether it parses
		if looseJSON(src) {
			src.text = syntax.WithoutLastCommas(src.text)
		}
	}
	f, err := t.analyze(ctx, c, src)
	if err != nil {
		return nil, "", "", err
	}
	for _, x := range f.Faults {
		list = append(list, diagnostic{Path: src.name(), Line: x.Line, Column: x.Column, Severity: "error", Message: x.Message, Source: f.Backend})
	}
	return list, syntaxBackend, why, nil
}

// looseJSON reports whether a file of JSON is of those that may have a comma behind their last values.
func looseJSON(src *source) bool {
	name := src.path.Base()
	return src.lang.ID == "json" && (strings.HasSuffix(name, ".jsonc") || path.Base(path.Dir(src.name())) == ".vscode" ||
		strings.HasPrefix(name, "tsconfig") || strings.HasPrefix(name, "jsconfig") || strings.HasPrefix(name, ".eslintrc") || strings.HasPrefix(name, "devcontainer"))
}

func (t *tool) serverDiagnostics(ctx context.Context, c *tools.Call, src *source) ([]diagnostic, string, error) {
	k, err := t.server(ctx, c, src)
	if err != nil {
		return nil, "", err
	}
	if k.ChecksNothing() {
		return nil, "", &unavailable{k.Name + " finds no faults by itself"}
	}
	text := string(withoutBOM(src.text))
	if err := k.Renew(ctx, src.path.Abs(), k.language, text); err != nil {
		return nil, "", down(ctx, err)
	}
	found, complete, err := k.Diagnostics(ctx, src.path.Abs())
	if err == nil && slices.ContainsFunc(found, lsp.Diagnostic.Outdated) {
		if err = k.Reread(ctx, src.path.Abs(), k.language, text); err == nil {
			found, complete, err = k.Diagnostics(ctx, src.path.Abs())
		}
	}
	if err != nil {
		return nil, "", down(ctx, err)
	}
	if !complete {
		return nil, "", &unavailable{k.Name + " said nothing about the file in time"}
	}
	var list []diagnostic
	for _, x := range found {
		at := offset(k.Lines, src.text, x.Range.Start)
		n, line, start := lineOf(src.text, at)
		one := diagnostic{Path: src.name(), Line: n, Column: utf8.RuneCount(line[:max(0, min(len(line), at-start))]) + 1, Severity: "error", Message: said(x.Message), Source: said(x.Source)}
		if x.Severity > 0 && x.Severity < len(severities) {
			one.Severity = severities[x.Severity]
		}
		var text string
		if json.Unmarshal(x.Code, &text) != nil {
			text = strings.TrimSpace(string(x.Code))
			if text == "null" {
				text = ""
			}
		}
		one.Code = said(text)
		list = append(list, one)
	}
	return list, k.backend(), nil
}
