//go:build cgo

package syntax

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"

	sitter "github.com/tree-sitter/go-tree-sitter"
)

// An unclosed brace or quote swallows the declarations behind it, or takes the one it stands in out of sight. People and
// formatters write declarations from the first column on, so those of the broken parts are read one by one.

const (
	maxBroken = 1 << 20 // bytes of a broken source that is read anew
	maxPieces = 5000    // declarations of it
	maxCloses = 4       // braces that may be missing at the end of one
)

// reread gives the definitions of a broken source: those of the parts that parse, and of the rest what its
// declarations say when each is read for itself.
func (t *tree) reread(ctx context.Context, root *sitter.Node, src []byte, defs []def) ([]def, error) {
	if len(t.lang.tops) == 0 || len(src) > maxBroken {
		return defs, nil
	}
	starts := tops(t.lang, src)
	if len(starts) > maxPieces {
		return defs, nil
	}
	sound := soundParts(root, src)
	var pieces []Span
	for _, at := range starts {
		end := len(src)
		i, in := spanAt(sound, at)
		switch {
		case in && at == sound[i].Start && root.IsError(): // below such a root nothing is taken for a declaration
			end = sound[i].End
		case in:
			continue
		case i+1 < len(sound):
			end = sound[i+1].Start
		}
		if last := len(pieces) - 1; last >= 0 {
			pieces[last].End = min(pieces[last].End, at)
		}
		pieces = append(pieces, Span{at, end})
	}
	if len(pieces) == 0 || slices.ContainsFunc(pieces, func(p Span) bool { return p.End-p.Start > bigSource }) {
		return defs, nil
	}
	defs = slices.DeleteFunc(defs, func(d def) bool {
		_, in := spanAt(pieces, d.nameAt)
		return in || d.start < pieces[0].Start && d.end > pieces[0].Start // it swallowed them
	})
	for _, p := range pieces {
		more, err := readPiece(ctx, t.lang, src[p.Start:p.End])
		if err != nil {
			return nil, err
		}
		for _, d := range more {
			d.nameAt, d.sigAt, d.start, d.end = d.nameAt+p.Start, d.sigAt+p.Start, d.start+p.Start, d.end+p.Start
			if d.body >= 0 {
				d.body += p.Start
			}
			defs = append(defs, d)
		}
	}
	return defs, nil
}

// spanAt finds the last of the spans, which are in order, that begins at or before a place; -1 when none does.
func spanAt(list []Span, at int) (i int, in bool) {
	i, found := slices.BinarySearchFunc(list, at, func(s Span, at int) int { return cmp.Compare(s.Start, at) })
	if !found {
		i--
	}
	return i, i >= 0 && at < list[i].End
}

// soundParts are the nodes below the root that parse and fill their lines.
func soundParts(root *sitter.Node, src []byte) []Span {
	var sound []Span
	cursor := root.Walk()
	defer cursor.Close()
	for ok := cursor.GotoFirstChild(); ok; ok = cursor.GotoNextSibling() {
		if n := cursor.Node(); n.IsNamed() && !n.HasError() && n.EndByte() > n.StartByte() && n.StartPosition().Column == 0 {
			from, to := n.ByteRange()
			rest, _, _ := bytes.Cut(src[to:], []byte("\n"))
			if rest = bytes.TrimLeft(rest, " \t\r;"); len(rest) == 0 || src[to-1] == '\n' || rest[0] == '/' || rest[0] == '#' {
				sound = append(sound, Span{int(from), int(to)})
			}
		}
	}
	return sound
}

// tops gives the offsets of the lines that begin a declaration in the first column, with the attributes above them.
func tops(lang *Language, src []byte) []int {
	var starts []int
	attribute := -1 // where the attributes begin that the last lines were
	for at := 0; at < len(src); {
		end := len(src)
		if i := bytes.IndexByte(src[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		line := src[at:end]
		switch {
		case bytes.HasPrefix(line, []byte("@")) || lang.ID == "rust" && bytes.HasPrefix(line, []byte("#[")):
			if attribute < 0 {
				attribute = at
			}
		case slices.ContainsFunc(lang.tops, func(word string) bool { return beginsWith(line, word) }):
			if attribute < 0 {
				attribute = at
			}
			starts = append(starts, attribute)
			attribute = -1
		default:
			attribute = -1
		}
		at = end
	}
	return starts
}

func beginsWith(line []byte, word string) bool {
	rest, ok := bytes.CutPrefix(line, []byte(word))
	return ok && (len(rest) == 0 || letterOf(rest[0]) == 1<<37)
}

// readPiece reads one declaration, with the braces that it lacks at its end.
func readPiece(ctx context.Context, lang *Language, text []byte) ([]def, error) {
	text = bytes.TrimRight(text, " \t\r\n")
	for closes := 0; ; closes++ {
		whole := append(text[:len(text):len(text)], "\n"+strings.Repeat("}\n", closes)...)
		t, err := parseTree(ctx, lang, whole)
		if err != nil {
			return nil, err
		}
		root := t.RootNode()
		if root.HasError() && lang.ID != "python" && closes < maxCloses {
			t.close()
			continue
		}
		if root.HasError() && closes > 0 { // it is not braces that are missing
			t.close()
			whole = whole[:len(text)+1]
			if t, err = parseTree(ctx, lang, whole); err != nil {
				return nil, err
			}
			root = t.RootNode()
		}
		defs, err := t.definitions(ctx, root, whole)
		t.close()
		for i := range defs {
			defs[i].end = min(defs[i].end, len(text))
		}
		return defs, err
	}
}
