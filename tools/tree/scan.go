package tree

import (
	"bytes"
	"io"
	"sync/atomic"
	"unicode/utf8"
)

// How a pattern is looked for, chosen once:
//
//   - By its literals, when every match holds one of a few rare enough strings:
//     they are found with the vector code of package bytes, and only their lines
//     are judged. For a folded literal the text is put in lower case first.
//   - Else by the automaton, line after line.
//
// A line is judged by the automaton too, and by the regexp when there are bytes
// beyond ASCII in it; where in the line the match is, the regexp says, for the
// lines that are shown.
const (
	maxNeedles = 8
	maxDensity = 0.01 // literals found more often than each 100 bytes gain nothing
	// A regexp cannot be interrupted: with more text times instructions than
	// this it reads through a reader that can, which is slower.
	maxUnstoppable = 1 << 21
)

// scanner is a Matcher with the scratch of one goroutine.
type scanner struct {
	*Matcher
	stop    *atomic.Bool
	needles [][]byte // none: look with the automaton
	at      []int    // where each needle is found next; -1: nowhere
	low     []byte
	auto    *dfa
}

func newScanner(m *Matcher, stop *atomic.Bool) *scanner {
	s := &scanner{Matcher: m, stop: stop, auto: newDFA(m.prog, m.same, stop)}
	n := len(m.lits.list)
	if n > 0 && n <= maxNeedles && (m.lits.exact && n == 1 || density(m.lits.list) <= maxDensity || s.auto == nil) {
		for _, l := range m.lits.list {
			s.needles = append(s.needles, []byte(l))
		}
		s.at = make([]int, n)
	}
	return s
}

// scan calls line for the matching lines of buf, in order, with their ends
// (without \r\n), until it says false. buf holds whole lines.
func (s *scanner) scan(buf []byte, line func(start, end int) bool) {
	if len(s.needles) > 0 && s.literalScan(buf, line) {
		return
	}
	from := 0
	if s.auto != nil {
		var ok bool
		from, ok = s.auto.lineScan(buf, func(start, end int, sure bool) bool {
			end = trimReturn(buf, start, end)
			if !sure && !s.holds(buf[start:end]) {
				return !s.stop.Load()
			}
			return line(start, end)
		})
		if ok {
			return
		}
	}
	for from < len(buf) && !s.stop.Load() {
		next := lineEnd(buf, from)
		end := trimReturn(buf, from, next)
		if s.holds(buf[from:end]) && !line(from, end) {
			return
		}
		from = next + 1
	}
}

func trimReturn(buf []byte, start, end int) int {
	if end > start && buf[end-1] == '\r' {
		return end - 1
	}
	return end
}

// literalScan reports false when buf holds letters that fold to ASCII ones, so
// that its lower case does not show all matches.
func (s *scanner) literalScan(buf []byte, line func(start, end int) bool) bool {
	text := buf
	if s.lits.fold {
		s.low = append(s.low[:0], buf...)
		beyond := lowerInPlace(s.low)
		if beyond && s.lits.long && (bytes.Contains(buf, []byte("\u212A")) || bytes.Contains(buf, []byte("\u017F"))) {
			return false
		}
		text = s.low
	}
	for i, n := range s.needles {
		s.at[i] = bytes.Index(text, n)
	}
	for {
		first := -1
		for _, at := range s.at {
			if at >= 0 && (first < 0 || at < first) {
				first = at
			}
		}
		if first < 0 || s.stop.Load() {
			return true
		}
		start := bytes.LastIndexByte(text[:first], '\n') + 1
		next := lineEnd(text, first)
		end := trimReturn(buf, start, next)
		if (s.lits.exact || s.judge(buf[start:end])) && !line(start, end) {
			return true
		}
		for i, at := range s.at {
			if at < 0 || at >= next {
				continue
			}
			if s.at[i] = bytes.Index(text[next:], s.needles[i]); s.at[i] >= 0 {
				s.at[i] += next
			}
		}
	}
}

// judge tells whether one line matches.
func (s *scanner) judge(line []byte) bool {
	// The automaton would take a final \r for a part of the line break.
	if s.auto != nil && !bytes.HasSuffix(line, []byte("\r")) {
		switch event, _ := s.auto.run(line, 0); event {
		case evMatch:
			return true
		case evEnd, evDead:
			return false
		case evGiveUp:
			s.auto.reset()
		}
	}
	return s.holds(line)
}

// holds is judge by the regexp alone.
func (s *scanner) holds(line []byte) bool {
	start, _ := s.find(line)
	return start >= 0
}

// find gives the ends of the first match, or -1.
func (s *scanner) find(text []byte) (start, end int) { return s.findIn(text, isASCII(text)) }

// findIn is find for text of which it is known whether it is ASCII.
func (s *scanner) findIn(text []byte, ascii bool) (start, end int) {
	re, group := s.wide, s.wideGroup
	if ascii {
		re, group = s.ascii, s.group
	}
	var loc []int
	switch {
	case len(text)*len(s.prog.Inst) > maxUnstoppable:
		loc = re.FindReaderSubmatchIndex(&stoppable{text: text, stop: s.stop})
	case group == 0:
		loc = re.FindIndex(text)
	default:
		loc = re.FindSubmatchIndex(text)
	}
	if loc == nil {
		return -1, -1
	}
	return loc[2*group], loc[2*group+1]
}

// stoppable ends the text when it is told to stop.
type stoppable struct {
	text []byte
	at   int
	stop *atomic.Bool
}

func (r *stoppable) ReadRune() (rune, int, error) {
	if r.at >= len(r.text) || r.at&63 == 0 && r.stop.Load() {
		return 0, 0, io.EOF
	}
	c, n := utf8.DecodeRune(r.text[r.at:])
	r.at += n
	return c, n, nil
}

// scanAll is scan for matches over several lines: it gives the ends of the lines
// that hold a match, and of the match. \r\n must have become \n.
func (s *scanner) scanAll(buf []byte, hit func(start, end, from, to int) bool) {
	if len(s.lits.list) > 0 && !s.present(buf) {
		return
	}
	ascii := isASCII(buf)
	for pos := 0; pos < len(buf) && !s.stop.Load(); {
		from, to := s.findIn(buf[pos:], ascii)
		if from < 0 || pos+from == len(buf) && buf[len(buf)-1] == '\n' {
			return
		}
		from, to = pos+from, pos+to
		start := bytes.LastIndexByte(buf[:from], '\n') + 1
		last := to
		if to > from && buf[to-1] == '\n' {
			last = to - 1
		}
		end := lineEnd(buf, last)
		if !hit(start, end, from, to) {
			return
		}
		pos = end + 1
	}
}

func (s *scanner) present(buf []byte) bool {
	if s.lits.fold {
		s.low = append(s.low[:0], buf...)
		if lowerInPlace(s.low) && s.lits.long {
			return true
		}
		buf = s.low
	}
	for _, l := range s.lits.list {
		if bytes.Contains(buf, []byte(l)) {
			return true
		}
	}
	return false
}

// Find gives the matching lines of a text in order (Multiline: the lines of a
// match): the number of the first, 1-based, and its ends in text. It stops when
// found says false. It is for text that is at hand, and cannot be cancelled.
func (m *Matcher) Find(text []byte, found func(line, start, end int) bool) {
	var never atomic.Bool
	s := newScanner(m, &never)
	line, counted := 1, 0
	each := func(start, end int) bool {
		line += bytes.Count(text[counted:start], []byte("\n"))
		counted = start
		return found(line, start, end)
	}
	if m.multiline {
		s.scanAll(text, func(start, end, _, _ int) bool { return each(start, end) })
		return
	}
	s.scan(text, each)
}

// Index gives the ends of the first match in a line, or -1, -1.
func (m *Matcher) Index(line []byte) (start, end int) {
	var never atomic.Bool
	return (&scanner{Matcher: m, stop: &never}).find(line)
}
