package code

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/lsp"
	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
)

// What a build without tree-sitter does, and any build for languages that have no grammar here: it asks a language
// server for the symbols of the document, or runs ctags.

const (
	maxTagged  = 2000     // files of one run of ctags
	maxTagText = 32 << 20 // bytes of its answer
)

// otherwise finds the symbols of a file that package syntax does not parse. why is the error when nothing helps.
func (t *tool) otherwise(ctx context.Context, c *tools.Call, s *source, why error) (*parsed, error) {
	f, err := t.serverSymbols(ctx, c, s)
	if err == nil {
		if s.lang == nil {
			s.lang = &syntax.Language{ID: f.Language} // of a language server of the settings
		}
		return &parsed{s, f}, nil
	}
	reason, none := noServer(err)
	if !none {
		return nil, err
	}
	if s.lang != nil && !s.lang.Data {
		if files, err := t.tags(ctx, []sandbox.Path{s.path}); err == nil {
			if f := files[s.path.Abs()]; f != nil {
				locateTags(f, s.text)
				f.Lines = strings.Count(string(s.text), "\n")
				return &parsed{s, f}, nil
			}
			return &parsed{s, &syntax.File{Language: s.lang.ID, Backend: "ctags", Lines: strings.Count(string(s.text), "\n")}}, nil
		} else if _, none := noServer(err); !none {
			return nil, err
		}
		reason += "; ctags is not installed"
	}
	e := tools.AsError(why)
	return nil, tools.Errorf(e.Code, "%s (%s)", e.Message, reason).With(*cmpDetails(e.Details))
}

func cmpDetails(d *tools.Details) *tools.Details {
	if d == nil {
		return &tools.Details{Param: "path"}
	}
	return d
}

// lspKinds are the kinds of symbols as servers number them.
var lspKinds = map[int]syntax.Kind{
	2: syntax.Module, 3: syntax.Module, 4: syntax.Module, 5: syntax.Class, 6: syntax.Method, 7: syntax.Field, 8: syntax.Field, 9: syntax.Method, 10: syntax.Enum,
	11: syntax.Interface, 12: syntax.Function, 13: syntax.Variable, 14: syntax.Constant, 20: syntax.Key, 22: syntax.Member, 23: syntax.Struct, 26: syntax.Type,
}

// numberedKinds gives the kinds that callers mean by such a number; nil for one that means none.
func numberedKinds(n int) []syntax.Kind {
	switch kind := lspKinds[n]; kind {
	case "":
		return nil
	case syntax.Interface:
		return []syntax.Kind{syntax.Interface, syntax.Trait}
	default:
		return []syntax.Kind{kind}
	}
}

// serverSymbols asks a language server for the symbols of a document.
func (t *tool) serverSymbols(ctx context.Context, c *tools.Call, s *source) (*syntax.File, error) {
	k, err := t.server(ctx, c, s)
	if err != nil {
		return nil, err
	}
	if !k.Can("documentSymbolProvider") {
		return nil, &unavailable{k.Name + " lists no symbols"}
	}
	params := map[string]any{"textDocument": map[string]any{"uri": lsp.URI(s.path.Abs())}}
	raw, err := k.Ask(ctx, k.known, "textDocument/documentSymbol", params, func(raw json.RawMessage) bool { return len(raw) > 4 || len(s.text) < 20 })
	if err != nil {
		return nil, down(ctx, err)
	}
	var list []lsp.Symbol
	if string(raw) != "null" {
		if err := json.Unmarshal(raw, &list); err != nil {
			return nil, fmt.Errorf("reading the symbols of %s: %w", k.Name, err)
		}
	}
	f := &syntax.File{Backend: k.backend(), Lines: strings.Count(string(s.text), "\n")}
	if s.lang != nil {
		f.Language = s.lang.ID
	} else {
		f.Language = strings.TrimPrefix(filepath.Ext(s.path.Base()), ".")
	}
	var add func(list []lsp.Symbol, parent int, path string, depth int)
	add = func(list []lsp.Symbol, parent int, path string, depth int) {
		for _, y := range list {
			kind, ok := lspKinds[y.Kind]
			if !ok || len(f.Symbols) >= 20_000 || depth > 50 {
				continue
			}
			if y.Location != nil {
				y.Range, y.SelectionRange = y.Location.Range, y.Location.Range
			}
			one := syntax.Symbol{
				Name: y.Name, Kind: kind, Path: y.Name, Parent: parent, Depth: depth,
				NameStart: offset(k.Lines, s.text, y.SelectionRange.Start), Start: offset(k.Lines, s.text, y.Range.Start), End: offset(k.Lines, s.text, y.Range.End),
				Exported: !strings.HasPrefix(y.Name, "_"),
			}
			if i := strings.Index(string(s.text[one.NameStart:min(len(s.text), one.NameStart+200)]), y.Name); i > 0 {
				one.NameStart += i // the old form of the answer has no place of the name
			}
			one.Line, _, _ = lineOf(s.text, one.NameStart)
			one.EndLine, _, _ = lineOf(s.text, one.End)
			if path != "" {
				one.Path = path + "." + y.Name
			} else if y.Container != "" {
				one.Path = y.Container + "." + y.Name
			}
			start, end := lineAt(s.text, one.Line)
			if start >= 0 {
				one.Signature = clipLine(strings.TrimRight(strings.TrimSpace(string(s.text[start:end])), "{: "))
			}
			f.Symbols = append(f.Symbols, one)
			add(y.Children, len(f.Symbols)-1, one.Path, depth+1)
		}
	}
	add(list, -1, "", 0)
	return f, nil
}

// ctagsKinds are the kinds of ctags that have other names here.
var ctagsKinds = map[string]syntax.Kind{
	"function": syntax.Function, "func": syntax.Function, "method": syntax.Method, "singletonMethod": syntax.Method, "member": syntax.Field, "class": syntax.Class, "struct": syntax.Struct,
	"interface": syntax.Interface, "trait": syntax.Trait, "enum": syntax.Enum, "enumerator": syntax.Member, "typedef": syntax.Type, "alias": syntax.Type, "type": syntax.Type,
	"constant": syntax.Constant, "variable": syntax.Variable, "field": syntax.Field, "property": syntax.Field, "module": syntax.Module, "namespace": syntax.Module, "macro": syntax.Macro,
	"implementation": syntax.Impl, "union": syntax.Struct, "getter": syntax.Method, "setter": syntax.Method, "generator": syntax.Function,
}

// tags runs ctags over files, confined and without its own or the checkout's settings, and gives their symbols by
// absolute path.
func (t *tool) tags(ctx context.Context, paths []sandbox.Path) (map[string]*syntax.File, error) {
	if t.cfg.Launcher == nil || t.cfg.Look == nil || t.cfg.Allowed == nil {
		return nil, &unavailable{"no program may be started"}
	}
	if ok, why := t.cfg.Allowed(); !ok {
		return nil, &unavailable{why}
	}
	program, err := t.cfg.Look("ctags")
	if err != nil {
		return nil, &unavailable{"ctags is not installed"}
	}
	var names strings.Builder
	for _, p := range paths[:min(len(paths), maxTagged)] {
		if name := p.Abs(); !strings.ContainsAny(name, "\n\r") {
			names.WriteString(name + "\n")
		}
	}
	inR, inW, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		inR.Close()
		inW.Close()
		return nil, err
	}
	defer outR.Close()
	var env []string
	if t.cfg.Environ != nil {
		env = t.cfg.Environ()
	}
	proc, err := t.cfg.Launcher.Start(ctx, launch.Cmd{
		Path: program, Args: []string{program, "--options=NONE", "-f", "-", "--sort=no", "--excmd=number", "--fields=nKsSe", "-L", "-"},
		Dir: string(filepath.Separator), Env: env, Stdin: inR, Stdout: outW, Policy: launch.Confined,
	})
	inR.Close()
	outW.Close()
	if err != nil {
		inW.Close()
		return nil, &unavailable{"ctags did not start: " + err.Error()}
	}
	defer context.AfterFunc(ctx, func() { proc.Kill(0) })()
	go func() {
		_, _ = io.WriteString(inW, names.String())
		inW.Close()
	}()
	files := readTags(io.LimitReader(outR, maxTagText))
	if s := proc.Wait(); !s.Success() && ctx.Err() == nil && len(files) == 0 {
		return nil, &unavailable{"ctags failed (" + s.String() + "); only Universal Ctags is understood"}
	}
	return files, ctx.Err()
}

// readTags reads the lines of ctags: name, file, number, then fields.
func readTags(r io.Reader) map[string]*syntax.File {
	files := map[string]*syntax.File{}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		parts := strings.Split(lines.Text(), "\t")
		if len(parts) < 4 || strings.HasPrefix(parts[0], "!_TAG") {
			continue
		}
		s := syntax.Symbol{Name: parts[0], Path: parts[0], Parent: -1, Exported: !strings.HasPrefix(parts[0], "_"), Start: -1}
		known := false
		signature := ""
		for _, field := range parts[3:] {
			key, value, hasValue := strings.Cut(field, ":")
			switch {
			case !hasValue:
				s.Kind, known = ctagsKinds[field]
			case key == "kind":
				s.Kind, known = ctagsKinds[value]
			case key == "line":
				s.Line, _ = strconv.Atoi(value)
			case key == "end":
				s.EndLine, _ = strconv.Atoi(value)
			case key == "signature":
				signature = value
			case ctagsKinds[key] != "":
				s.Path = strings.NewReplacer("::", ".", "\\", ".").Replace(value) + "." + s.Name
				s.Depth = 1
				if s.Kind == syntax.Function {
					s.Kind = syntax.Method
				}
			}
		}
		if !known || s.Line < 1 {
			continue
		}
		s.EndLine = max(s.EndLine, s.Line)
		s.Signature = string(s.Kind) + " " + s.Name + signature
		f := files[parts[1]]
		if f == nil {
			f = &syntax.File{Backend: "ctags"}
			if l := syntax.Detect(parts[1], nil); l != nil {
				f.Language = l.ID
			}
			files[parts[1]] = f
		}
		f.Symbols = append(f.Symbols, s)
	}
	for _, f := range files {
		slices.SortStableFunc(f.Symbols, func(a, b syntax.Symbol) int { return a.Line - b.Line })
	}
	return files
}

// locateTags gives symbols of ctags, which knows lines only, their places in the source.
func locateTags(f *syntax.File, src []byte) {
	for i := range f.Symbols {
		s := &f.Symbols[i]
		start, end := lineAt(src, s.Line)
		if start < 0 {
			s.NameStart, s.Start, s.End = len(src), len(src), len(src)
			continue
		}
		s.NameStart, s.Start, s.End = start, start, end
		if at := syntax.Words(syntax.ByID(f.Language), src[start:end], s.Name); len(at) > 0 {
			s.NameStart = start + at[0]
		}
		s.Start += len(src[start:end]) - len(strings.TrimLeft(string(src[start:end]), " \t"))
		if _, last := lineAt(src, s.EndLine); last > 0 {
			s.End = last
		}
		s.Signature = clipLine(strings.TrimRight(strings.TrimSpace(string(src[start:end])), "{:;= "))
	}
}
