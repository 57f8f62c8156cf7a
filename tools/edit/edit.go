// Package edit replaces text in a text exactly as asked, or says why it does not.
//
// Its room: finding the one place that old text names (line endings of either kind, on demand whitespace of any
// kind), putting the new text there with the line endings of that place, and for text that is not found the
// nearest that is, with its lines and what differs by character (near.go).
//
// It is pure: it opens no file and knows no encoding. New text is never a pattern, every byte outside the
// places found stays as it was, and an edit that could mean several places changes none.
package edit

import (
	"errors"
	"fmt"
	"sort"
	"strings"
)

// Edit is one replacement.
type Edit struct {
	Old, New   string
	All        bool // every place; without it there must be one
	Count      int  // how many places there must be; all are replaced. 0: not said
	Whitespace bool // spaces, tabs and line ends need not match
}

// Result is what an edit made.
type Result struct {
	Text        string
	Count       int  // places replaced
	Overlapping bool // with All: some places overlapped others and were taken from the left
}

// Miss is the error of an edit whose old text is not there.
type Miss struct {
	Near *Near // nil when nothing is like it
	Hint string
}

func (m *Miss) Error() string { return "old_text was not found" }

// Several is the error of an edit whose old text is there more or less often than allowed.
type Several struct {
	Count int   // places found
	Want  int   // places allowed
	More  bool  // there are more than Count
	Lines []int // of the first places, 1-based
}

func (s *Several) Error() string {
	return fmt.Sprintf("old_text was found %d times, expected %d", s.Count, s.Want)
}

// Same is the error of an edit that would change nothing, Empty of one without old text.
type (
	Same  struct{}
	Empty struct{}
)

func (Same) Error() string  { return "old_text and new_text are the same" }
func (Empty) Error() string { return "old_text is empty" }

const (
	maxPlaces = 1000 // places counted for an error
	maxLines  = 20   // places listed in an error
)

// span is a place in the text.
type span struct{ from, to int }

// Apply makes one edit. The error is a *Miss, a *Several, Same or Empty, and then nothing is changed.
func Apply(text string, e Edit) (Result, error) {
	old := strings.TrimPrefix(e.Old, "\ufeff")
	fresh := strings.TrimPrefix(e.New, "\ufeff")
	switch {
	case old == "":
		return Result{}, Empty{}
	case old == fresh:
		return Result{}, Same{}
	}
	v := newView(text, old)
	old, fresh = unix(old), unix(fresh)
	if e.Whitespace {
		return v.loose(old, fresh, e)
	}
	all := e.All || e.Count > 0
	places, more, overlap := find(v.norm, old, all)
	for i, p := range places {
		places[i] = span{v.raw(p.from), v.raw(p.to)}
	}
	if err := v.judge(places, more, e); err != nil {
		if m, ok := errors.AsType[*Miss](err); ok {
			*m = *v.miss(old)
		}
		return Result{}, err
	}
	out := v.replace(places, func(s span) string { return v.fit(s, old, fresh) })
	if out == text {
		return Result{}, Same{}
	}
	return Result{Text: out, Count: len(places), Overlapping: overlap}, nil
}

// judge compares the places found with those allowed; none at all is an empty *Miss.
func (v *view) judge(places []span, more bool, e Edit) error {
	want := max(e.Count, 1)
	switch {
	case len(places) == 0:
		return &Miss{}
	case e.All && e.Count == 0, len(places) == want:
		return nil
	}
	s := &Several{Count: len(places), Want: want, More: more}
	for _, p := range places[:min(len(places), maxLines)] {
		s.Lines = append(s.Lines, Line(v.text, p.from))
	}
	return s
}

// Line gives the 1-based line of an offset.
func Line(text string, offset int) int { return strings.Count(text[:offset], "\n") + 1 }

// find gives the places of old in text: all that do not overlap, from the left, and whether others overlap them;
// or, for an edit that wants one, every place, overlapping ones too, up to maxPlaces.
func find(text, old string, all bool) (places []span, more, overlap bool) {
	at := 0
	for {
		i := strings.Index(text[at:], old)
		if i < 0 {
			return places, false, overlap
		}
		from := at + i
		to := from + len(old)
		places = append(places, span{from, to})
		if all {
			if !overlap && len(old) > 1 {
				overlap = strings.Contains(text[from+1:min(len(text), to+len(old)-1)], old) &&
					strings.Index(text[from+1:], old) < len(old)-1
			}
			at = to
			continue
		}
		if len(places) == maxPlaces {
			return places, true, false
		}
		at = from + 1
	}
}

// view is a text as edits look at it: with line endings LF, and the way back to the bytes.
type view struct {
	text string
	norm string
	crlf []int // offsets in norm of the line ends that are CRLF in text; nil when there are none
}

// newView leaves a text with CRLF as it is when old has no line end: its places are the same.
func newView(text, old string) *view {
	v := &view{text: text, norm: text}
	if !strings.ContainsAny(old, "\r\n") || !strings.Contains(text, "\r\n") {
		return v
	}
	var b strings.Builder
	b.Grow(len(text))
	for rest := text; ; {
		i := strings.Index(rest, "\r\n")
		if i < 0 {
			b.WriteString(rest)
			break
		}
		b.WriteString(rest[:i])
		v.crlf = append(v.crlf, b.Len())
		b.WriteByte('\n')
		rest = rest[i+2:]
	}
	v.norm = b.String()
	return v
}

// raw gives the offset in text of one in norm; that of a line end is before its CR.
func (v *view) raw(at int) int { return at + sort.SearchInts(v.crlf, at) }

func unix(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

func (v *view) replace(places []span, with func(span) string) string {
	var b strings.Builder
	b.Grow(len(v.text) + 64)
	at := 0
	for _, p := range places {
		b.WriteString(v.text[at:p.from])
		b.WriteString(with(p))
		at = p.to
	}
	b.WriteString(v.text[at:])
	return b.String()
}

// fit gives the new text for a place with the line endings that stand there.
func (v *view) fit(p span, old, fresh string) string {
	place := v.text[p.from:p.to]
	if !strings.Contains(fresh, "\n") {
		return fresh
	}
	crlf, all := strings.Count(place, "\r\n"), strings.Count(place, "\n")
	switch {
	case all == 0:
		return end(fresh, v.endingNear(p))
	case crlf == 0:
		return fresh
	case crlf == all:
		return end(fresh, "\r\n")
	}
	return mixed(place, fresh)
}

func end(s, ending string) string {
	if ending == "\n" {
		return s
	}
	return strings.ReplaceAll(s, "\n", ending)
}

// endingNear gives the line ending of the line that a place lies in, else of the line before, else LF.
func (v *view) endingNear(p span) string { return EndingAt(v.text, p.from, p.to) }

// EndingAt gives the line ending that new lines at text[from:to] should have: that of the line there, else of the
// line before it, else LF.
func EndingAt(text string, from, to int) string {
	i := strings.IndexByte(text[to:], '\n')
	if i >= 0 {
		i += to
	} else if i = strings.LastIndexByte(text[:from], '\n'); i < 0 {
		return "\n"
	}
	if i > 0 && text[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}
