package edit

import (
	"errors"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"
)

// loose makes an edit that ignores differences of whitespace. Where the old text starts with the first word of a
// line, the whole indentation is replaced, and the new lines are indented as the lines found are.
func (v *view) loose(old, fresh string, e Edit) (Result, error) {
	needle := squeeze(old)
	if needle == "" {
		return Result{}, Empty{}
	}
	found, more, overlap := find(squeeze(v.text), needle, e.All || e.Count > 0)
	places := unsqueeze(v.text, found)
	if err := v.judge(places, more, e); err != nil {
		if m, ok := errors.AsType[*Miss](err); ok {
			*m = *v.miss(old)
		}
		return Result{}, err
	}
	for i := range places {
		places[i] = v.widen(places[i], old)
	}
	out := v.replace(places, func(s span) string { return v.fit(s, old, v.shape(s, old, fresh)) })
	if out == v.text {
		return Result{}, Same{}
	}
	return Result{Text: out, Count: len(places), Overlapping: overlap}, nil
}

// words yields the text of s without whitespace, piece by piece with its offset, but for one space where a gap
// stands between two word characters.
func words(s string, yield func(piece string, at int) bool) {
	prev, gap := rune(0), -1
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case unicode.IsSpace(r):
			if gap < 0 {
				gap = i
			}
		default:
			if gap >= 0 && isWord(prev) && isWord(r) && !yield(" ", gap) {
				return
			}
			gap, prev = -1, r
			if !yield(s[i:i+n], i) {
				return
			}
		}
		i += n
	}
}

func squeeze(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	words(s, func(piece string, _ int) bool {
		b.WriteString(piece)
		return true
	})
	return b.String()
}

// unsqueeze gives the places in s of places, in order, of squeeze(s).
func unsqueeze(s string, places []span) []span {
	out := make([]span, len(places))
	starts, ends, done := 0, 0, 0
	words(s, func(piece string, at int) bool {
		for ; starts < len(places) && places[starts].from < done+len(piece); starts++ {
			out[starts].from = at
		}
		done += len(piece)
		for ; ends < len(places) && places[ends].to <= done; ends++ {
			out[ends].to = at + len(piece)
		}
		return ends < len(places)
	})
	return out
}

func isWord(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// widen makes a place begin at its line's start when only indentation is before it, and, for old text of whole
// lines, end before the line end when only blanks are behind it.
func (v *view) widen(p span, old string) span {
	start := strings.LastIndexByte(v.text[:p.from], '\n') + 1
	if strings.TrimLeft(v.text[start:p.from], " \t") == "" {
		p.from = start
	}
	if strings.Contains(old, "\n") {
		rest := v.text[p.to:]
		blank := len(rest) - len(strings.TrimLeft(rest, " \t"))
		if blank == len(rest) || rest[blank] == '\n' || strings.HasPrefix(rest[blank:], "\r\n") {
			p.to += blank
		}
	}
	return p
}

// shape gives the new text as it fits a place: without the line ends around it that the place does not have, and
// with the indentation of the place's lines where the old text had another.
func (v *view) shape(p span, old, fresh string) string {
	if strings.HasPrefix(old, "\n") {
		fresh = strings.TrimPrefix(fresh, "\n")
	}
	if strings.HasSuffix(old, "\n") {
		fresh = strings.TrimSuffix(fresh, "\n")
	}
	if p.from > 0 && v.text[p.from-1] != '\n' {
		return strings.TrimLeft(fresh, " \t") // inside a line: the blanks before it stay
	}
	table := indents(old, v.text[p.from:p.to])
	lines := strings.SplitAfter(fresh, "\n")
	for i, l := range lines {
		if strings.TrimSpace(l) != "" {
			was := indent(l)
			lines[i] = table.translate(was) + l[len(was):]
		}
	}
	return strings.Join(lines, "")
}

func indent(line string) string { return line[:len(line)-len(strings.TrimLeft(line, " \t"))] }

// indentTable says how indentations of the old text stand in the file.
type indentTable struct {
	from, to []string // longest first
}

// indents pairs the indentations of the lines of old with those of the place, line by line where both have the
// same lines.
func indents(old, place string) indentTable {
	var t indentTable
	a, b := filled(old), filled(place)
	seen := map[string]bool{}
	for i := range min(len(a), len(b)) {
		if from := indent(a[i]); !seen[from] {
			seen[from] = true
			t.from, t.to = append(t.from, from), append(t.to, indent(b[i]))
		}
		if len(a) != len(b) {
			break // lines are broken elsewhere: only the first is sure
		}
	}
	sort.Sort(t)
	return t
}

func filled(s string) []string {
	var list []string
	for _, l := range strings.Split(s, "\n") {
		if strings.TrimSpace(l) != "" {
			list = append(list, l)
		}
	}
	return list
}

func (t indentTable) Len() int           { return len(t.from) }
func (t indentTable) Less(i, j int) bool { return len(t.from[i]) > len(t.from[j]) }
func (t indentTable) Swap(i, j int) {
	t.from[i], t.from[j] = t.from[j], t.from[i]
	t.to[i], t.to[j] = t.to[j], t.to[i]
}

// translate gives an indentation of the new text as the file would have it: that of the longest known one that it
// begins with, and the rest in tabs where the file indents by tabs.
func (t indentTable) translate(s string) string {
	for i, from := range t.from {
		rest, ok := strings.CutPrefix(s, from)
		if !ok {
			continue
		}
		if rest != "" && t.tabs() && !strings.Contains(rest, "\t") && len(rest)%4 == 0 {
			rest = strings.Repeat("\t", len(rest)/4)
		}
		return t.to[i] + rest
	}
	return s
}

// tabs reports whether the file uses tabs where the old text has spaces.
func (t indentTable) tabs() bool {
	for i := range t.from {
		if strings.Contains(t.to[i], "\t") && !strings.Contains(t.from[i], "\t") {
			return true
		}
	}
	return false
}
