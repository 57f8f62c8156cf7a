//go:build cgo

package syntax

import (
	"bytes"
	"cmp"
	"context"
	"slices"
)

// hidden is what a broken source was parsed as: a text of its length in which what its grammar does not know is blanked out.
type hidden struct {
	text   []byte
	macros *cMacros // of C: with the declarations of the source
	faults []Fault  // the first of those that are left
}

// mended parses a broken source again with what its grammar does not know hidden from it, and gives the tree with the least
// faults in the place of the other. Words that may be macros as well as mistakes stay faults.
func (t *tree) mended(ctx context.Context, src []byte) (*tree, *hidden, error) {
	h := &hidden{text: src, faults: t.faults(src)}
	if len(h.faults) == 0 || len(src) > maxBroken {
		return t, h, nil
	}
	cost := t.cost()
	var texts [][]byte
	if cLike(t.lang) {
		h.macros = withoutMacros(t.lang, unknown(t.lang, src), true)
		texts = [][]byte{withoutMacros(t.lang, unknown(t.lang, src), false).text, h.macros.text}
	} else {
		texts = [][]byte{unknown(t.lang, src)}
	}
	for doubt, text := range texts {
		if bytes.Equal(text, h.text) {
			continue
		}
		other, err := parseText(ctx, t.lang, t.g, masked(t.lang, text))
		if err != nil {
			return t, h, err
		}
		n := other.cost()
		if n >= cost {
			other.close()
			continue
		}
		t.Tree.Close()
		other.done = t.done
		t, cost, h.text = other, n, text
		if doubt == 0 {
			h.faults = t.faults(src)
		}
	}
	return t, h, nil
}

// whole corrects where the definitions of a broken source of C begin and end: no declaration begins behind other words of
// its own, nor in front of itself, and what a part of one was taken for is dropped.
func (h *hidden) whole(src []byte, defs []def, broken bool) []def {
	if h.macros == nil {
		for i := range defs {
			defs[i].start, defs[i].sigAt = h.front(src, defs[i].start), h.front(src, defs[i].sigAt)
		}
		return defs
	}
	m := h.macros
	last := map[int]int{} // where the last definition of a declaration begins
	at := make([]int, len(defs))
	for i := range defs {
		if at[i] = m.headOf(&defs[i]); at[i] >= 0 {
			last[at[i]] = max(last[at[i]], defs[i].start)
		}
	}
	keep := defs[:0]
	for i, d := range defs {
		if at[i] >= 0 {
			head := m.heads[at[i]]
			if d.end <= last[at[i]] && d.end < head.End { // an unfinished part of it
				continue
			}
			d.start, d.sigAt = head.Start, head.Start
			d.behind = head.unsure
			if head.end == ';' && d.kind == prototype {
				d.end = head.End + 1
			}
		} else {
			d.behind = !d.part && m.unfinished(&d)
		}
		keep = append(keep, d)
	}
	if broken {
		keep = append(keep, m.lost(keep)...)
	}
	return keep
}

// lost gives the classes and namespaces that are not among definitions: their heads did not parse.
func (m *cMacros) lost(defs []def) []def {
	seen := map[int]bool{}
	for i := range defs {
		if k := m.headAt(defs[i].nameAt); k >= 0 && (defs[i].kind == m.heads[k].kind || m.heads[k].name.Start <= defs[i].nameAt && defs[i].nameAt < m.heads[k].name.End) {
			seen[k] = true
		}
	}
	var list []def
	for i, d := range m.heads {
		if d.kind == "" || d.close == 0 || seen[i] {
			continue
		}
		name := string(m.src[d.name.Start:d.name.End])
		x := def{kind: d.kind, name: name, nameAt: d.name.Start, sigAt: d.Start, start: d.Start, end: d.close, body: d.End}
		cleanName(ByID("cpp"), &x)
		list = append(list, x)
	}
	return list
}

// front gives where what begins at an offset begins with the hidden words in front of it.
func (h *hidden) front(src []byte, at int) int {
	first := at
	for i := at - 1; i >= 0 && (h.text[i] == ' ' || h.text[i] != src[i]); i-- {
		if h.text[i] != src[i] {
			first = i
		}
	}
	return first
}

// unfinished reports whether words in front of a definition, which was found in no declaration, end nothing.
func (m *cMacros) unfinished(d *def) bool {
	switch d.kind {
	case Macro, Constant, Member:
		return false
	}
	before := bytes.TrimRight(m.text[:d.start], " \t\r\n")
	if len(before) == 0 || bytes.IndexByte([]byte(";{}:"), before[len(before)-1]) >= 0 || bytes.HasSuffix(before, []byte("*/")) {
		return false
	}
	if before[len(before)-1] == ')' && bytes.IndexByte(m.text[len(before):d.start], '\n') >= 0 { // a macro in a function
		return false
	}
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	return bytes.TrimLeft(line, " \t")[0] != '#' && !bytes.Contains(line, []byte("//"))
}

// headOf finds the declaration of a definition; -1 for one that is no whole declaration.
func (m *cMacros) headOf(d *def) int {
	switch d.kind {
	case Macro, Constant, Member:
		return -1
	}
	i := m.headAt(d.nameAt)
	if i < 0 || d.part || d.end <= m.heads[i].Start {
		return -1
	}
	return i
}

// headAt finds the declaration that an offset stands in; -1 when it stands in none.
func (m *cMacros) headAt(at int) int {
	i, found := slices.BinarySearchFunc(m.heads, at, func(h cDecl, at int) int { return cmp.Compare(h.Start, at) })
	if !found {
		i--
	}
	if i < 0 || at >= m.heads[i].End {
		return -1
	}
	return i
}
