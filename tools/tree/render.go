package tree

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// source gives the text of a searched file again: from memory, or from the file.
type source struct {
	text []byte
	file file
	size int64
}

// around gives the bytes from start-before to end+after and where start is in them.
func (s *source) around(start, end, before, after int64) (b []byte, at int) {
	from, to := max(0, start-before), min(s.size, end+after)
	if s.file == nil {
		return s.text[from:to], int(start - from)
	}
	b = make([]byte, to-from)
	n, _ := s.file.ReadAt(b, from)
	return b[:n], int(min(start-from, int64(n)))
}

// render makes the hits of a file: text, column, lines around.
func (s *searcher) render(src source, path string) (hits []Hit, lossy bool) {
	shownTo := int64(0) // no line in front of this is shown again
	for i, raw := range s.hits {
		h := Hit{Path: path, Line: raw.line}
		before, after := int64(margin), int64(margin)
		if src.file == nil {
			before, after = raw.start, src.size-raw.end
		}
		if s.q.Context == 0 {
			before, after = 0, 0
		}
		if raw.column > 0 && raw.end-raw.start > window {
			s.renderLong(&src, raw, &h, &lossy)
			hits = append(hits, h)
			shownTo = raw.end
			continue
		}
		b, at := src.around(raw.start, raw.end, before, after)
		end := min(at+int(raw.end-raw.start), len(b))
		line := b[at:end]
		from := int(raw.from - raw.start)
		if raw.from < 0 {
			from, _ = s.find(line)
			from = max(from, 0)
		}
		first := bytes.LastIndexByte(line[:from], '\n') + 1
		h.Column = utf8.RuneCount(line[first:from]) + 1
		if raw.column > 0 {
			h.Column = raw.column
		}
		var l bool
		h.Text, h.Cut, l = shown(line, from)
		lossy = lossy || l
		if s.q.Context > 0 {
			front := b[:at]
			if seen := shownTo - (raw.start - int64(at)); seen > 0 {
				front = b[min(int(seen), at):at]
			}
			h.Before = lastLines(front, s.q.Context)
			back := b[end:]
			if i+1 < len(s.hits) {
				back = back[:max(0, min(len(back), int(s.hits[i+1].start-raw.end)))]
			}
			var used int
			h.After, used = firstLines(back, s.q.Context)
			shownTo = raw.end + int64(used)
		}
		hits = append(hits, h)
	}
	return hits, lossy
}

// renderLong shows the part of a huge line around the match, and no lines around.
func (s *searcher) renderLong(src *source, raw rawHit, h *Hit, lossy *bool) {
	before := min(raw.from-raw.start, 4*maxText)
	after := min(raw.end-raw.from, 4*maxText)
	b, at := src.around(raw.from, raw.from, before, after)
	var l bool
	h.Text, _, l = shown(b, at)
	h.Cut = true
	h.Column = raw.column
	*lossy = *lossy || l
}

// lastLines gives the last n whole lines of b, which ends with a line break.
func lastLines(b []byte, n int) []string {
	var out []string
	end := len(b)
	for ; n > 0 && end > 0; n-- {
		start := bytes.LastIndexByte(b[:end-1], '\n') + 1
		out = append(out, contextLine(b[start:end]))
		end = start
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return out
}

// firstLines gives the first n lines behind a line whose end b begins with.
func firstLines(b []byte, n int) (out []string, used int) {
	next := lineEnd(b, 0) + 1
	for ; n > 0 && next < len(b); n-- {
		end := min(lineEnd(b, next)+1, len(b))
		out = append(out, contextLine(b[next:end]))
		next = end
	}
	return out, min(next, len(b))
}

func contextLine(b []byte) string {
	text, _, _ := shown(bytes.TrimSuffix(bytes.TrimSuffix(b, []byte("\n")), []byte("\r")), 0)
	return strings.Clone(text)
}
