package edit

import (
	"sort"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/sergi/go-diff/diffmatchpatch"
)

// Near is the text most like the one that was looked for.
type Near struct {
	Line       int    `json:"line"`
	EndLine    int    `json:"end_line"`
	Alike      int    `json:"alike_percent"`
	Text       string `json:"text"`
	Difference string `json:"difference"` // [-asked for-]{+in the file+}, unchanged stretches shortened
}

const (
	nearText   = 1500     // characters of Near.Text
	nearDiff   = 1200     // characters of Near.Difference
	compared   = 4000     // characters compared by character
	nearSearch = 16 << 20 // bytes of a text looked at
	leastAlike = 40       // percent below which nothing counts as near
)

// miss explains why old is not in the text.
func (v *view) miss(old string) *Miss {
	if numbered(old) {
		m := &Miss{Near: Nearest(v.text, old), Hint: "old_text seems to carry line numbers: leave them out"}
		if m.Near == nil {
			m.Near = Nearest(v.text, unnumber(old))
		}
		return m
	}
	if p := places(v.text, old); len(p) == 1 {
		return &Miss{Near: nearAt(v.text, p[0], old), Hint: "it differs in whitespace only: copy the whitespace exactly, or give match:\"whitespace\""}
	}
	return &Miss{Near: Nearest(v.text, old)}
}

// places gives the places of old when whitespace is ignored.
func places(text, old string) []span {
	needle := squeeze(old)
	if needle == "" {
		return nil
	}
	found, _, _ := find(squeeze(text), needle, false)
	return unsqueeze(text, found)
}

// nearAt is the Near of the lines that a place stands in.
func nearAt(text string, p span, old string) *Near {
	from := strings.LastIndexByte(text[:p.from], '\n') + 1
	to := len(text)
	if i := strings.IndexByte(text[p.to:], '\n'); i >= 0 {
		to = p.to + i
	}
	old = unix(old)
	lines := strings.Split(unix(strings.TrimSuffix(text[from:to], "\r")), "\n")
	n := compare(lines, old, !strings.Contains(strings.Trim(old, "\n"), "\n"))
	n.Line = Line(text, from)
	n.EndLine = n.Line + len(lines) - 1
	return n
}

// numbered reports whether every line begins with a line number as listings have it.
func numbered(s string) bool {
	for l := range strings.Lines(s) {
		l = strings.TrimLeft(l, " ")
		digits := len(l) - len(strings.TrimLeft(l, "0123456789"))
		if digits == 0 || !strings.HasPrefix(l[digits:], "\t") && !strings.HasPrefix(l[digits:], "→") && !strings.HasPrefix(l[digits:], "|") {
			return false
		}
	}
	return s != ""
}

// unnumber takes the numbers away that numbered has seen.
func unnumber(s string) string {
	var b strings.Builder
	for l := range strings.Lines(s) {
		l = strings.TrimLeft(strings.TrimLeft(l, " "), "0123456789")
		_, n := utf8.DecodeRuneInString(l)
		b.WriteString(l[n:])
	}
	return b.String()
}

// Nearest finds the lines of text most like old, nil when none are.
func Nearest(text, old string) *Near {
	if len(text) > nearSearch {
		text = text[:nearSearch]
	}
	text, old = unix(text), unix(old)
	want := strings.Split(strings.Trim(old, "\n"), "\n")
	lines := strings.Split(text, "\n")
	var best *Near
	for _, start := range candidates(lines, want) {
		from := max(0, min(start, len(lines)-1))
		to := max(from+1, min(start+len(want), len(lines)))
		if n := compare(lines[from:to], old, len(want) == 1); best == nil || n.Alike > best.Alike {
			n.Line, n.EndLine = from+1, to
			best = n
		}
	}
	if best == nil || best.Alike < leastAlike {
		return nil
	}
	return best
}

// candidates gives the first lines of the stretches worth comparing: where most lines of want stand in order, else
// where the lines share most three-letter runs with its longest lines.
func candidates(lines, want []string) []int {
	index := map[string][]int{}
	for i, w := range want {
		if w = strings.TrimSpace(w); len(w) > 2 && len(index[w]) < 4 {
			index[w] = append(index[w], i)
		}
	}
	votes := map[int]int{}
	for n, l := range lines {
		l = strings.TrimSpace(l)
		for _, i := range index[l] {
			votes[n-i] += min(len(l), 80)
		}
	}
	if len(votes) > 0 {
		return top(votes, 3)
	}
	longest := 0
	for i, w := range want {
		if len(strings.TrimSpace(w)) > len(strings.TrimSpace(want[longest])) {
			longest = i
		}
	}
	g := newGauge(strings.TrimSpace(want[longest]))
	for n, l := range lines {
		if s := g.measure(l[:min(len(l), compared)]); s > 0 {
			votes[n-longest] = s
		}
		if len(votes) > 4096 {
			keep := top(votes, 64)
			best := make(map[int]int, len(keep))
			for _, k := range keep {
				best[k] = votes[k]
			}
			votes = best
		}
	}
	return top(votes, 6)
}

// top gives the keys with the most votes, earlier ones first.
func top(votes map[int]int, n int) []int {
	keys := make([]int, 0, len(votes))
	for k := range votes {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool {
		a, b := keys[i], keys[j]
		return votes[a] > votes[b] || votes[a] == votes[b] && a < b
	})
	return keys[:min(n, len(keys))]
}

// gauge measures how many two-letter runs of a needle a line has, ignoring case.
type gauge struct {
	id   [1 << 16]uint16 // of a pair of bytes: its number in the needle, from 1
	seen []int           // of a pair: the last line that had it
	line int
}

func newGauge(needle string) *gauge {
	g := &gauge{seen: []int{0}}
	for i := 0; i+1 < len(needle) && len(g.seen) < 1<<15; i++ {
		if id := &g.id[lower(needle[i])<<8|lower(needle[i+1])]; *id == 0 {
			*id = uint16(len(g.seen))
			g.seen = append(g.seen, 0)
		}
	}
	return g
}

// measure gives the number of the needle's pairs in the line.
func (g *gauge) measure(line string) int {
	g.line++
	hits := 0
	for i := 0; i+1 < len(line); i++ {
		if id := g.id[lower(line[i])<<8|lower(line[i+1])]; id != 0 && g.seen[id] != g.line {
			g.seen[id] = g.line
			hits++
		}
	}
	return hits
}

func lower(c byte) int {
	if c >= 'A' && c <= 'Z' {
		c += 'a' - 'A'
	}
	return int(c)
}

// compare tells how a stretch of lines differs from what was asked for. A part of a line is compared with the
// stretch of the line that it is most like.
func compare(lines []string, old string, within bool) *Near {
	text := strings.Join(lines, "\n")
	if strings.HasSuffix(old, "\n") {
		text += "\n"
	}
	dmp := diffmatchpatch.New()
	dmp.DiffTimeout = 100 * time.Millisecond
	a, b := clip(old, compared), clip(text, compared)
	diffs := dmp.DiffCleanupSemantic(dmp.DiffMain(a, b, false))
	if within {
		for len(diffs) > 0 && diffs[0].Type == diffmatchpatch.DiffInsert {
			diffs = diffs[1:]
		}
		for len(diffs) > 0 && diffs[len(diffs)-1].Type == diffmatchpatch.DiffInsert {
			diffs = diffs[:len(diffs)-1]
		}
	}
	same, all := 0, utf8.RuneCountInString(a)
	for _, d := range diffs {
		switch n := utf8.RuneCountInString(d.Text); d.Type {
		case diffmatchpatch.DiffEqual:
			same += n
		case diffmatchpatch.DiffInsert:
			all += n
		}
	}
	return &Near{Alike: same * 100 / max(1, all), Text: clip(text, nearText), Difference: clip(show(diffs), nearDiff)}
}

// clip cuts s to about n bytes at a character, and says so.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// show writes differences as [-asked for-]{+found+}, with the characters that do not show escaped.
func show(diffs []diffmatchpatch.Diff) string {
	const around = 24
	var b strings.Builder
	for i, d := range diffs {
		switch d.Type {
		case diffmatchpatch.DiffDelete:
			b.WriteString("[-" + visible(d.Text) + "-]")
		case diffmatchpatch.DiffInsert:
			b.WriteString("{+" + visible(d.Text) + "+}")
		default:
			r := []rune(d.Text)
			head, tail := around, around
			if i == 0 {
				head = 0
			}
			if i == len(diffs)-1 {
				tail = 0
			}
			if len(r) > head+tail+1 {
				b.WriteString(string(r[:head]) + "…" + string(r[len(r)-tail:]))
			} else {
				b.WriteString(d.Text)
			}
		}
	}
	return b.String()
}

func visible(s string) string {
	var b strings.Builder
	for i, r := range s {
		switch {
		case r == ' ':
			b.WriteRune('·')
		case r == utf8.RuneError && s[i] != 0xef:
			b.WriteString(`\x` + strconv.FormatUint(uint64(s[i]), 16))
		case unicode.IsPrint(r) && !unicode.Is(unicode.M, r): // an accent of its own looks like one that is part of a letter
			b.WriteRune(r)
		default:
			q := strconv.QuoteRuneToASCII(r)
			b.WriteString(q[1 : len(q)-1])
		}
	}
	return b.String()
}
