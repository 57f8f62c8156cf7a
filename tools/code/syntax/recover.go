//go:build cgo

package syntax

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"sort"

	sitter "github.com/tree-sitter/go-tree-sitter"
)

// An unclosed brace or quote swallows the declarations behind it, or takes the one it stands in out of sight. People and
// formatters write declarations from the first column on, so those of the broken parts are read one by one.

const (
	maxBroken = 1 << 20 // bytes of a broken source that is read anew
	maxPieces = 5000    // declarations of it, and members of them
	maxCloses = 4       // braces that may be missing at the end of one
)

// reread gives the definitions of a broken source: those of the parts that parse, and of the rest what its
// declarations say when each is read for itself.
func (t *tree) reread(ctx context.Context, root *sitter.Node, src []byte, defs []def) ([]def, error) {
	sound := soundParts(t.lang, root, src)
	defs = slices.DeleteFunc(defs, func(d def) bool {
		_, in := spanAt(sound, d.nameAt)
		return !in && reserved(t.lang, d.name)
	})
	if len(t.lang.tops) == 0 && !cLike(t.lang) || len(src) > maxBroken || cLike(t.lang) && Balanced(t.lang, src) { // its fault is a macro
		return defs, nil
	}
	r := rereader{ctx: ctx, lang: t.lang, src: src, text: manyLines(t.lang, src), members: maxPieces}
	starts := r.tops()
	if len(starts) > maxPieces {
		return defs, nil
	}
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
		return in || r.inText(d.nameAt) || d.start < pieces[0].Start && d.end > pieces[0].Start // it swallowed them
	})
	for _, p := range pieces {
		more, err := r.piece(nil, p)
		if err != nil {
			return nil, err
		}
		for i := range more {
			if d := &more[i]; d.kind == Module && t.lang.ID == "cpp" {
				d.end = max(d.end, openEnd(src, d.nameAt))
			}
		}
		defs = append(defs, more...)
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

// ahead are kinds of nodes that stand in front of a declaration and belong to it.
var ahead = map[string]bool{"modifiers": true, "annotation": true, "decorator": true, "attribute_item": true, "attribute_list": true}

// soundParts are the nodes below the root that parse and fill their lines.
func soundParts(lang *Language, root *sitter.Node, src []byte) []Span {
	var sound []Span
	cursor := root.Walk()
	defer cursor.Close()
	for ok := cursor.GotoFirstChild(); ok; ok = cursor.GotoNextSibling() {
		if n := cursor.Node(); n.IsNamed() && !n.HasError() && n.EndByte() > n.StartByte() && n.StartPosition().Column == 0 {
			from, to := n.ByteRange()
			if lang.ID == "python" && src[to-1] == ':' || lang.ID == "ruby" && string(src[from:to]) == "end" || ahead[n.Kind()] { // the rest of it is somewhere else
				continue
			}
			rest, _, _ := bytes.Cut(src[to:], []byte("\n"))
			if rest = bytes.TrimLeft(rest, " \t\r;"); len(rest) == 0 || src[to-1] == '\n' || rest[0] == '/' || rest[0] == '#' {
				if next := bytes.TrimLeft(src[to:], "\r\n;"); len(rest) > 0 || len(next) == 0 || next[0] != ' ' && next[0] != '\t' {
					sound = append(sound, Span{int(from), int(to)})
				} // or its text goes on: it ended too early
			}
		}
	}
	return sound
}

// inText reports whether a place is in a string or comment that goes over lines, behind where that begins.
func (r *rereader) inText(at int) bool {
	i := sort.Search(len(r.text), func(i int) bool { return r.text[i].End > at })
	return i < len(r.text) && r.text[i].Start < at
}

// tops gives the offsets of the lines that begin a declaration in the first column, with the attributes above them.
func (r *rereader) tops() []int {
	var starts []int
	attribute := -1 // where the attributes begin that the last lines were
	var c cLines
	for at := 0; at < len(r.src); {
		line := lineAt(r.src, at)
		switch {
		case r.inText(at):
			attribute = -1
		case cLike(r.lang):
			if c.begins(r.lang, line) {
				starts = append(starts, at)
			}
		case isAttribute(r.lang, line):
			if attribute < 0 {
				attribute = at
			}
		case slices.ContainsFunc(r.lang.tops, func(word string) bool { return beginsWith(line, word) }), r.lang.ID == "python" && assigns(line):
			if attribute < 0 {
				attribute = at
			}
			starts = append(starts, attribute)
			attribute = -1
		default:
			attribute = -1
		}
		at += len(line)
	}
	return starts
}

// assigns reports whether a line of Python gives a name a value.
func assigns(line []byte) bool {
	rest := bytes.TrimLeftFunc(line, wordRune)
	value := bytes.TrimLeft(rest, " ")
	return len(rest) < len(line) && bytes.HasPrefix(value, []byte("=")) && !bytes.HasPrefix(value, []byte("=="))
}

func isAttribute(lang *Language, line []byte) bool {
	switch lang.ID {
	case "rust":
		return bytes.HasPrefix(line, []byte("#["))
	case "csharp":
		return bytes.HasPrefix(line, []byte("["))
	}
	return bytes.HasPrefix(line, []byte("@")) && !beginsWith(line, "@interface")
}

func beginsWith(line []byte, word string) bool {
	rest, ok := bytes.CutPrefix(line, []byte(word))
	return ok && (len(rest) == 0 || letterOf(rest[0]) == 1<<37)
}
