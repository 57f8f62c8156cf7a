//go:build cgo

package syntax

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"time"

	sitter "github.com/tree-sitter/go-tree-sitter"
)

const (
	slice     = 100_000  // microseconds of parsing between looks at the context
	chunk     = 64 << 10 // of the source handed over at a time: it is copied
	bigSource = 256 << 10
	maxDefs   = 200_000         // of one file
	queryTime = 3 * time.Second // of a query, after which what was found counts
)

// big lets one large file at a time be parsed: a tree takes up to 100 times the memory of its source.
var big = make(chan struct{}, 1)

// tree is a parsed source. It holds memory that is not Go's: close it.
type tree struct {
	*sitter.Tree
	g     *grammar
	lang  *Language
	done  func()
	empty []sitter.Point // blocks that hold nothing, but must
	late  bool           // its definitions were not all found in time

	visibility []Span // of Ruby: words that say who may use what comes next
}

func (t *tree) close() {
	t.Tree.Close()
	t.done()
}

// parseTree parses a source of any language.
func parseTree(ctx context.Context, lang *Language, src []byte) (*tree, error) {
	g := grammars[lang.ID]
	if g == nil {
		return nil, fmt.Errorf("%s is %w", lang.ID, ErrUnsupported)
	}
	if err := g.ready(); err != nil {
		return nil, err
	}
	done := func() {}
	if len(src) > bigSource {
		select {
		case big <- struct{}{}:
			done = func() { <-big }
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	t, err := parseText(ctx, lang, g, masked(lang, src))
	if err != nil {
		done()
		return nil, err
	}
	t.done = done
	return t, nil
}

func parseText(ctx context.Context, lang *Language, g *grammar, src []byte) (*tree, error) {
	p := sitter.NewParser()
	defer p.Close()
	if err := p.SetLanguage(g.language); err != nil {
		return nil, err
	}
	p.SetTimeoutMicros(slice)
	read := func(i int, _ sitter.Point) []byte {
		if i >= len(src) {
			return nil
		}
		return src[i:min(len(src), i+chunk)]
	}
	for {
		if t := p.ParseWithOptions(read, nil, nil); t != nil {
			return &tree{Tree: t, g: g, lang: lang, done: func() {}}, nil
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
}

// masked hides from the parser, byte for byte, what its grammar does not know: "global {" in a module of TypeScript, which
// is a plain block to it then, marks of C++, and what withoutTemplates does.
func masked(lang *Language, src []byte) []byte {
	switch lang.ID {
	case "python":
		return withoutTemplates(src)
	case "cpp":
		return readable(src)
	}
	if !strings.HasPrefix(lang.ID, "typescript") {
		return src
	}
	word, known := []byte("global"), src
	for from := 0; ; {
		i := bytes.Index(src[from:], word)
		if i < 0 {
			return known
		}
		at := from + i
		from = at + len(word)
		line := src[bytes.LastIndexByte(src[:at], '\n')+1 : at]
		if len(bytes.TrimSpace(line)) > 0 || !bytes.HasPrefix(bytes.TrimLeft(src[from:], " \t"), []byte("{")) {
			continue
		}
		if &known[0] == &src[0] {
			known = bytes.Clone(src)
		}
		copy(known[at:], "      ")
	}
}

// parse finds the symbols of a source by the query of its language.
func parse(ctx context.Context, lang *Language, src []byte) (*File, error) {
	t, err := parseTree(ctx, lang, src)
	if err != nil {
		return nil, err
	}
	defer func() { t.close() }()
	f := &File{Language: lang.ID, Backend: "tree-sitter", Broken: t.RootNode().HasError()}
	var h *hidden
	if f.Broken {
		if t, h, err = t.mended(ctx, src); err != nil {
			return nil, err
		}
		f.Faults = h.faults
		f.Broken = len(f.Faults) > 0 // some grammars flag what they have mended
	}
	root := t.RootNode()
	defs, err := t.definitions(ctx, root, src)
	if err != nil {
		return nil, err
	}
	lines := newLineIndex(src)
	if f.Broken && root.HasError() {
		if defs, err = t.reread(ctx, root, h.text, defs); err != nil {
			return nil, err
		}
	}
	if h != nil {
		defs = h.whole(src, defs, root.HasError())
	}
	for _, p := range t.empty[:min(len(t.empty), maxFaults-len(f.Faults))] {
		f.Faults = append(f.Faults, Fault{int(p.Row) + 1, int(p.Column) + 1, "expected an indented block"})
		f.Broken = true
	}
	if t.late {
		f.Left = "it is nested so deeply that its symbols are not all found in the time for one file"
	}
	build(f, lang, src, lines, defs)
	f.closeTo(t.visibility, src)
	return f, nil
}

// queryLimit is how long a query may take: no longer than its context lives.
func queryLimit(ctx context.Context) time.Duration {
	if end, ok := ctx.Deadline(); ok {
		return max(min(queryTime, time.Until(end)), time.Millisecond)
	}
	return queryTime
}

// definitions finds what a source defines.
func (t *tree) definitions(ctx context.Context, root *sitter.Node, src []byte) ([]def, error) {
	cursor := sitter.NewQueryCursor()
	defer cursor.Close()
	cursor.SetMatchLimit(4096)
	limit, began := queryLimit(ctx), time.Now()
	cursor.SetTimeoutMicros(uint64(limit.Microseconds()))
	matches := cursor.Matches(t.g.query, root, src)
	g := newGathering(t, src)
	for n := 0; ; n++ {
		if n%1000 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		m := matches.Next()
		if m == nil || len(g.list) >= maxDefs {
			break
		}
		g.match(m)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if time.Since(began) >= limit {
		if limit < queryTime { // which the context set, a moment before its end
			return nil, context.DeadlineExceeded
		}
		t.late = true
	}
	return g.defs(), nil
}
