package code

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/lsp"
	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
)

// span is one edit of a file, by offsets.
type span struct {
	from, to int
	text     string
}

// made reports whether the name of a symbol stands in the text of an edit, in the file as it is afterwards.
func (e span) made(s *syntax.Symbol) bool {
	return s.NameStart >= e.from && s.NameStart < e.from+len(e.text)
}

// spansOf gives the edits of a server in their order, each once.
func spansOf(lines lsp.Lines, src *source, list []lsp.TextEdit) ([]span, error) {
	var spans []span
	text := withoutBOM(src.text)
	at := 0
	fits := true
	for _, e := range list {
		_, begins := lines.Offset(text, e.Range.Start)
		_, ends := lines.Offset(text, e.Range.End)
		fits = fits && begins && ends
		spans = append(spans, span{offset(lines, src.text, e.Range.Start), offset(lines, src.text, e.Range.End), e.NewText})
	}
	slices.SortStableFunc(spans, func(a, b span) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	spans = slices.Compact(spans)
	for _, s := range spans {
		fits = fits && s.from >= at && s.to >= s.from
		at = s.to
	}
	if !fits {
		return nil, tools.Errorf(tools.Conflict, "the language server gave edits of %s that overlap or lie behind its end; nothing was changed: kind:\"text\" renames whole words without asking it (dry_run first)", sandbox.Printable(src.name())).
			With(tools.Details{Suggestion: `kind:"text"`})
	}
	return spans, nil
}

// applyServerEdit makes the new text of one file. why says that it may not be changed.
func (t *tool) applyServerEdit(ctx context.Context, c *tools.Call, lines lsp.Lines, uri string, list []lsp.TextEdit) (ch change, spans []span, why string, err error) {
	file := lsp.Path(uri)
	p, err := c.Roots.Resolve(file)
	if err != nil {
		ch.src = &source{}
		ch.src.path.Given = file
		return ch, nil, "outside the roots", nil
	}
	src, err := load(ctx, c, p)
	if err != nil {
		return ch, nil, "", err
	}
	ch.src = src
	if why := cannotWrite(c, src); why != "" {
		return ch, nil, why, nil
	}
	if !src.plain {
		return ch, nil, otherEncoding, nil
	}
	if spans, err = spansOf(lines, src, list); err != nil {
		return ch, nil, "", err
	}
	at := 0
	for _, s := range spans {
		ch.fresh = append(append(ch.fresh, src.text[at:s.from]...), s.text...)
		at = s.to
	}
	ch.fresh = append(ch.fresh, src.text[at:]...)
	ch.count = len(spans)
	return ch, spans, "", nil
}

// namesOnly refuses edits of a rename that would change something else than the name: the path of an import that stands at the
// position, or what stands where the name was when the server looked.
func namesOnly(src *source, spans []span, name string) error {
	bare := func(s string) string { return strings.Trim(s, "#$@?!=\"'`:~") }
	for _, s := range spans {
		old := string(src.text[s.from:s.to])
		if old == "" || bare(old) == bare(name) || strings.Contains(old, name) && !strings.ContainsAny(old, "/\\ \t\r\n(){}[];,") {
			continue
		}
		line, _, _ := lineOf(src.text, s.from)
		return tools.Errorf(tools.Conflict, "the language server would change %q at %s:%d, which is not the name %s: the position is in the path of an import (move the file with fs.mv instead), or the file has changed; nothing was changed", clipLine(old), sandbox.Printable(src.name()), line, name)
	}
	return nil
}
