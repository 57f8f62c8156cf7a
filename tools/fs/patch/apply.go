package patch

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hanzoai/hanzo-mcp/tools/edit"
)

// HunkError says why a hunk has no place in a text.
type HunkError struct {
	Hunk, Of int // number of the hunk, from 1, and how many there are
	Line     int // of the patch
	Reason   string
	Lines    []int      // first lines of the places, where there are several
	Near     *edit.Near // where there is none: the most similar lines
	Anchor   string     // the @@ line that was not found
}

func (e *HunkError) Error() string {
	return fmt.Sprintf("hunk %d of %d (line %d of the patch): %s", e.Hunk, e.Of, e.Line, e.Reason)
}

// piece is a line of a text and its ending.
type piece struct{ text, end string }

func pieces(text string) []piece {
	list := make([]piece, 0, strings.Count(text, "\n")+1)
	for l := range strings.Lines(text) {
		p := piece{text: l}
		if s, ok := strings.CutSuffix(l, "\r\n"); ok {
			p = piece{s, "\r\n"}
		} else if s, ok := strings.CutSuffix(l, "\n"); ok {
			p = piece{s, "\n"}
		}
		list = append(list, p)
	}
	return list
}

// Apply gives text with all hunks made. The error is a *HunkError, and then nothing is made. Lines that stay keep
// their bytes; new ones get the line ending of the lines they stand with; the text keeps or lacks its final newline
// as before, unless a diff says otherwise.
func Apply(text string, hunks []Hunk) (string, error) {
	lines := pieces(text)
	hunks = slices.Clone(hunks)
	places, err := place(lines, text, hunks)
	if err != nil {
		return "", err
	}
	ended := text == "" || strings.HasSuffix(text, "\n")
	out := make([]piece, 0, len(lines)+16)
	at := 0
	for i := range hunks {
		h := &hunks[i]
		out = append(out, lines[at:places[i]]...)
		at = places[i]
		for _, l := range h.Lines {
			switch l.Op {
			case ' ':
				out = append(out, lines[at])
				at++
			case '-':
				at++
			case '+':
				out = append(out, piece{strings.TrimSuffix(l.Text, "\r"), ""})
				out[len(out)-1].end = ending(lines, at)
			}
		}
		switch {
		case at == len(lines) && h.newNoEnd:
			ended = false
		case at == len(lines) && h.oldNoEnd:
			ended = true
		}
	}
	out = append(out, lines[at:]...)
	var b strings.Builder
	b.Grow(len(text) + 256)
	for i, p := range out {
		b.WriteString(p.text)
		switch {
		case i < len(out)-1 && p.end == "":
			b.WriteString(ending(lines, len(lines)))
		case i < len(out)-1 || ended:
			if p.end == "" {
				p.end = ending(lines, len(lines))
			}
			b.WriteString(p.end)
		}
	}
	return b.String(), nil
}

// ending gives the line ending for a new line at line i: that of the line before, else of the line there.
func ending(lines []piece, i int) string {
	for _, n := range [...]int{i - 1, i} {
		if n >= 0 && n < len(lines) && lines[n].end != "" {
			return lines[n].end
		}
	}
	if i > 1 && lines[i-2].end != "" {
		return lines[i-2].end
	}
	return "\n"
}

// old gives the lines that the hunk wants to find.
func (h *Hunk) old() []string {
	var list []string
	for _, l := range h.Lines {
		if l.Op != '+' {
			list = append(list, strings.TrimSuffix(l.Text, "\r"))
		}
	}
	return list
}

// place finds the line at which each hunk begins. It may take blank lines off the end of a hunk.
func place(lines []piece, text string, hunks []Hunk) ([]int, error) {
	places := make([]int, len(hunks))
	choice := make([][]int, len(hunks)) // of hunks that nothing but their order places
	cursor, shift := 0, 0
	fail := func(i int, format string, args ...any) *HunkError {
		return &HunkError{Hunk: i + 1, Of: len(hunks), Line: hunks[i].Line, Reason: fmt.Sprintf(format, args...)}
	}
	for i := range hunks {
		h := &hunks[i]
		old := h.old()
		from := cursor
		var ends []int // behind the anchors, where they can be
		if len(h.Anchors) > 0 {
			var missing string
			if ends, missing = anchored(lines, from, h.Anchors); missing != "" {
				e := fail(i, "the @@ line %q was not found after line %d", clip(missing), from)
				e.Anchor, e.Near = missing, edit.Nearest(text, missing)
				return nil, e
			}
			from = ends[0]
		}
		if len(old) == 0 {
			at := len(lines)
			switch {
			case h.AtEnd:
			case h.AtStart:
				at = 0
			case len(ends) > 1:
				return nil, several(fail(i, "its @@ line stands in %d places: add lines of the text around what is added, or another @@ line", len(ends)), ends)
			case len(ends) == 1:
				at = from
			case h.At > 0:
				at = h.At - 1 + shift
				if h.Number > 0 {
					at++
				}
			}
			if at < cursor || at > len(lines) {
				return nil, fail(i, "there is no line %d to add lines at", at+1)
			}
			places[i], cursor = at, at
			continue
		}
		if len(h.Anchors) > 0 {
			from-- // the anchor may be the first line of the hunk
		}
		found := matches(lines, from, old, h.AtEnd)
		for len(found) == 0 && len(old) > 1 && h.Lines[len(h.Lines)-1] == (Line{' ', ""}) {
			// A blank line in front of the next header is often no part of the hunk.
			h.Lines, old = h.Lines[:len(h.Lines)-1], old[:len(old)-1]
			found = matches(lines, from, old, h.AtEnd)
		}
		if len(ends) > 0 {
			below, blocks := belowAnchors(lines, ends, found)
			if len(below) == 0 && len(found) > 0 {
				e := fail(i, "its lines were not found in the block of the @@ line %q", clip(h.Anchors[len(h.Anchors)-1]))
				e.Near = edit.Nearest(text, strings.Join(old, "\n")+"\n")
				return nil, e
			}
			if len(below) > 1 && blocks > 1 {
				return nil, several(fail(i, "its @@ line stands in several places, and its lines are found behind %d of them: add lines around them, or an @@ line of the class or function around that", len(below)), below)
			}
			found = below
		}
		want := h.At - 1 + shift
		switch {
		case len(found) == 0:
			e := fail(i, "its lines were not found")
			if from > 0 {
				e.Reason += fmt.Sprintf(" after line %d", from)
			}
			if i > 0 && len(matches(lines, 0, old, false)) > 0 {
				e.Reason = "its lines stand before those of the hunk before it: give hunks in the order of the file"
			}
			if h.AtEnd && len(matches(lines, from, old, false)) > 0 {
				e.Reason = "its lines are not the last ones of the file"
			}
			e.Near = edit.Nearest(text, strings.Join(old, "\n")+"\n")
			return nil, e
		case len(found) == 1:
			places[i] = found[0]
		case h.At > 0 && slices.Contains(found, want):
			places[i] = want
		default:
			places[i], choice[i] = found[0], found
		}
		if h.At > 0 {
			shift = places[i] - (h.At - 1)
		}
		cursor = places[i] + len(old)
	}
	// What is placed by its order alone must have no other place in that order.
	limit := len(lines)
	for i := len(hunks) - 1; i >= 0; i-- {
		n := len(hunks[i].old())
		for _, at := range slices.Backward(choice[i]) {
			if at+n > limit {
				continue
			}
			if at != places[i] {
				e := fail(i, "its lines stand in %d places: add lines around them, or an @@ line with the line of the function or class they are in", len(choice[i]))
				for _, at := range choice[i][:min(len(choice[i]), 20)] {
					e.Lines = append(e.Lines, at+1)
				}
				return nil, e
			}
			break
		}
		limit = places[i]
	}
	return places, nil
}

// several adds the places to the error of a hunk that may have several.
func several(e *HunkError, places []int) *HunkError {
	for _, at := range places[:min(len(places), 20)] {
		e.Lines = append(e.Lines, at+1)
	}
	return e
}

// anchored gives the lines behind a run of @@ lines, for each place that the first of them can have; missing is the one
// that has none.
func anchored(lines []piece, from int, anchors []string) (ends []int, missing string) {
	for _, at := range anchor(lines, from, anchors[0]) {
		for _, a := range anchors[1:] {
			next := anchor(lines, at+1, a)
			if len(next) == 0 {
				at, missing = -1, a
				break
			}
			at = next[0]
		}
		if at >= 0 && !slices.Contains(ends, at+1) {
			ends = append(ends, at+1)
		}
	}
	switch {
	case len(ends) > 0:
		return ends, ""
	case missing == "":
		missing = anchors[0]
	}
	return nil, missing
}

// anchor finds the lines at or after from that an @@ line may mean: the same lines, else those that begin with it, all
// without indentation.
func anchor(lines []piece, from int, a string) (list []int) {
	a = strings.TrimSpace(a)
	for i := from; i < len(lines) && len(list) < maxPlaces; i++ {
		if strings.TrimSpace(lines[i].text) == a {
			list = append(list, i)
		}
	}
	if len(list) > 0 {
		return list
	}
	for i := from; i < len(lines) && len(list) < maxPlaces; i++ {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(lines[i].text), a); ok && (!wordEnd(a) || !wordStart(rest)) {
			list = append(list, i)
		}
	}
	return list
}

func wordEnd(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

func wordStart(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r)
}

// belowAnchors gives, of the places found for a hunk, those in the block that its @@ line opens, as the head of a
// function does, or the first one behind a line that opens none; blocks says behind how many ends of @@ lines they are.
func belowAnchors(lines []piece, ends, found []int) (below []int, blocks int) {
	for _, end := range ends {
		limit, opens := blockEnd(lines, end-1)
		before := len(below)
		for _, at := range found {
			if at < end-1 || at >= limit { // the @@ line may be the first line of the hunk
				continue
			}
			if !slices.Contains(below, at) {
				below = append(below, at)
			}
			if !opens {
				break
			}
		}
		if len(below) > before {
			blocks++
		}
	}
	slices.Sort(below)
	return below, blocks
}

// blockEnd gives the line at which the block ends that a line opens, by its indentation; the end of the text when it
// opens none.
func blockEnd(lines []piece, head int) (end int, opens bool) {
	text := strings.TrimRight(lines[head].text, " \t\r")
	if !strings.HasSuffix(text, ":") && !strings.HasSuffix(text, "{") {
		return len(lines), false
	}
	indent := len(text) - len(strings.TrimLeft(text, " \t"))
	for i := head + 1; i < len(lines); i++ {
		l := strings.TrimRight(lines[i].text, " \t\r")
		body := strings.TrimLeft(l, " \t")
		if body != "" && len(l)-len(body) <= indent && strings.IndexByte("})]#", body[0]) < 0 {
			return i, true
		}
	}
	return len(lines), true
}

// maxPlaces is how many places of a hunk are told apart: with more of them it is ambiguous anyway.
const maxPlaces = 1000

// matches gives the places of old in lines from a line on: exact ones, else those that differ in blanks at line
// ends only.
func matches(lines []piece, from int, old []string, atEnd bool) []int {
	search := func(same func(a, b string) bool) (list []int) {
		if atEnd {
			from = max(from, len(lines)-len(old))
		}
		for i := from; i+len(old) <= len(lines); i++ {
			k := 0
			for k < len(old) && same(lines[i+k].text, old[k]) {
				k++
			}
			if k < len(old) {
				continue
			}
			if list = append(list, i); len(list) == maxPlaces {
				break
			}
		}
		return list
	}
	if list := search(func(a, b string) bool { return a == b }); len(list) > 0 {
		return list
	}
	return search(func(a, b string) bool { return trimEnd(a) == trimEnd(b) })
}

func trimEnd(s string) string { return strings.TrimRight(s, " \t\r") }
