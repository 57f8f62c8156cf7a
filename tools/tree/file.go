package tree

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
	"unicode/utf8"
)

const (
	window     = 512 << 10 // of a file held at a time
	overlap    = 4 << 10   // of a line longer than the window, between its pieces
	wholeLimit = 8 << 20   // of a file that must be held whole: Multiline, UTF-16
	margin     = 32 << 10  // read again around a hit of a large file, for context
)

var errWhole = fmt.Errorf("larger than %d MiB, the limit for text that is no UTF-8 and for matches over several lines", wholeLimit>>20)

// rawHit is a hit before its text is made.
type rawHit struct {
	line       int
	start, end int64 // of its lines
	from       int64 // of the match; -1: not known yet
	column     int   // 0: not known yet
}

// searcher searches files one after the other, in one goroutine. It holds at most
// two windows, and one searcher at a time holds a whole file.
type searcher struct {
	*scanner
	q       *Query
	out     *collector
	whole   *sync.Mutex
	buf     []byte
	decoded []byte
	beyond  bool // the pattern has characters beyond ASCII
	guess   bool // the encoding of the file at hand is one

	hits []rawHit // of the file at hand, the first keep behind line after
	keep int
	skip int // line of the cursor in this file
	seen int // hits
	rest int // hits behind the cursor
}

var errBinary = errors.New("binary")

// search looks through one open file.
func (s *searcher) search(f file, path string) error {
	if limit := s.q.MaxFileSize; f.size() > limit {
		return fmt.Errorf("larger than %d bytes, the limit of a search", limit)
	}
	s.keep, s.skip = s.out.want(path)
	s.hits, s.seen, s.rest, s.guess = s.hits[:0], 0, 0, false
	n, err := fill(f, s.buf[:min(int64(len(s.buf)), f.size()+1)])
	if err != nil {
		return err
	}
	head := s.buf[:n]
	order := utf16Order(head)
	if order == nil && looksBinary(head) {
		return errBinary
	}
	legacy := false
	if order == nil && (s.beyond || s.multiline) {
		_, legacy = legacyFormat(head, n < len(s.buf))
	}
	var text source
	switch {
	case order == nil && !legacy && n < len(s.buf) && !s.multiline:
		if text, err = s.shortFile(head); err != nil {
			return err
		}
	case order == nil && !legacy && !s.multiline:
		if err := s.stream(f, n); err != nil {
			return err
		}
		text = source{file: f, size: f.size()}
	default:
		if n == len(s.buf) {
			s.whole.Lock()
			defer s.whole.Unlock()
			if head, err = readRest(f, head); err != nil {
				return err
			}
		}
		if text, err = s.wholeFile(head, order); err != nil {
			return err
		}
	}
	s.out.searched()
	if s.seen > 0 {
		hits, lossy := s.render(text, path)
		s.out.add(path, s.seen, s.rest, hits, lossy)
		if s.guess {
			s.out.guessed()
		}
	}
	return nil
}

// shortFile searches a text that is in the window as bytes. When there are hits to show and it is no UTF-8, it is
// decoded and searched again.
func (s *searcher) shortFile(head []byte) (source, error) {
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	src := s.inMemory(head)
	if s.seen == 0 {
		return src, nil
	}
	f, ok := legacyFormat(head, true)
	if !ok {
		return src, nil
	}
	decoded, err := s.decode(head, f)
	if err != nil {
		return src, err
	}
	s.hits, s.seen, s.rest = s.hits[:0], 0, 0
	return s.inMemory(decoded), nil
}

// wholeFile searches a text that must be had at once: to decode it, or since matches may span lines.
func (s *searcher) wholeFile(head []byte, order binary.ByteOrder) (source, error) {
	if order != nil {
		s.decoded = decodeUTF16(s.decoded[:0], head[2:], order)
		if head = s.decoded; looksBinary(head) {
			return source{}, errBinary
		}
	} else if f, ok := legacyFormat(head, true); ok {
		var err error
		if head, err = s.decode(head, f); err != nil {
			return source{}, err
		}
	}
	if cap(s.decoded) > 2*window {
		s.decoded = nil
	}
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	if s.multiline {
		return s.acrossLines(dropReturns(head)), nil
	}
	return s.inMemory(head), nil
}

// fill reads until buf is full or the file ends.
func fill(f file, buf []byte) (n int, err error) {
	for n < len(buf) {
		m, err := f.Read(buf[n:])
		n += m
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		if int64(n) == f.size() {
			return n, nil
		}
	}
	return n, nil
}

func readRest(f file, head []byte) ([]byte, error) {
	if f.size() > wholeLimit {
		return nil, errWhole
	}
	buf := make([]byte, max(f.size()+1, int64(len(head)+1)))
	n := copy(buf, head)
	m, err := fill(f, buf[n:])
	if n+m == len(buf) && err == nil {
		err = errMoved
	}
	return buf[:n+m], err
}

// add counts a hit and notes it when it may be shown. More hits of the file are
// wanted when it says true.
func (s *searcher) add(line func() int, start, end, from int64, column int) bool {
	s.seen++
	if s.skip == 0 && len(s.hits) >= s.keep {
		s.rest++
	} else if n := line(); n > s.skip {
		s.rest++
		if len(s.hits) < s.keep {
			s.hits = append(s.hits, rawHit{n, start, end, from, column})
		}
	}
	return !s.q.FilesOnly && !s.stop.Load()
}

// counter gives the number of the line that begins at a rising offset of buf.
type counter struct {
	buf  []byte
	line int // of offset at
	at   int
}

func (c *counter) to(offset int) int {
	c.line += bytes.Count(c.buf[c.at:offset], []byte("\n"))
	c.at = offset
	return c.line
}

func (s *searcher) inMemory(text []byte) source {
	count := counter{buf: text, line: 1}
	s.scan(text, func(start, end int) bool {
		return s.add(func() int { return count.to(start) }, int64(start), int64(end), -1, 0)
	})
	return source{text: text, size: int64(len(text))}
}

func (s *searcher) acrossLines(text []byte) source {
	count := counter{buf: text, line: 1}
	s.scanAll(text, func(start, end, from, _ int) bool {
		return s.add(func() int { return count.to(start) }, int64(start), int64(end), int64(from), 0)
	})
	return source{text: text, size: int64(len(text))}
}

// stream searches a file larger than the buffer, whose first n bytes are there.
func (s *searcher) stream(f file, n int) error {
	var base int64 // of the buffer in the file
	line := 1
	drop := func(k int) {
		base += int64(k)
		n = copy(s.buf, s.buf[k:n])
	}
	if bytes.HasPrefix(s.buf[:n], []byte("\xef\xbb\xbf")) {
		drop(3)
	}
	var long *longLine
	for more := true; more && !s.stop.Load(); {
		m, err := fill(f, s.buf[n:])
		if err != nil {
			return err
		}
		n += m
		end := n < len(s.buf)
		if long != nil {
			stop := bytes.IndexByte(s.buf[:n], '\n')
			if stop < 0 && !end {
				drop(s.piece(long, s.buf[:n], base, false))
				continue
			}
			if stop < 0 {
				stop = n
			}
			s.piece(long, s.buf[:stop], base, true)
			if long.column > 0 && !s.add(func() int { return line }, long.start, base+int64(stop), long.from, long.column) {
				return nil
			}
			line++
			drop(min(stop+1, n))
			long = nil
			if end && n == 0 {
				return nil
			}
			continue
		}
		cut := bytes.LastIndexByte(s.buf[:n], '\n') + 1
		if end {
			cut, more = n, false
		} else if cut == 0 {
			long = &longLine{start: base}
			drop(s.piece(long, s.buf[:n], base, false))
			continue
		}
		count := counter{buf: s.buf[:cut], line: line}
		wanted := true
		s.scan(s.buf[:cut], func(start, end int) bool {
			wanted = s.add(func() int { return count.to(start) }, base+int64(start), base+int64(end), -1, 0)
			return wanted
		})
		more = more && wanted
		line = count.to(cut)
		drop(cut)
	}
	return nil
}

// longLine is a line that does not fit the window. It is searched in pieces that
// overlap; a match longer than the overlap can be missed where they meet.
type longLine struct {
	start  int64
	runes  int   // in front of the piece at hand
	pieces int   // searched
	from   int64 // of the first match
	column int   // 0: no match yet
}

// piece searches a part of a long line and gives the number of bytes done with.
func (s *searcher) piece(l *longLine, b []byte, base int64, last bool) int {
	done := len(b)
	if !last {
		done = backward(b, len(b)-overlap, 1)
	}
	if l.column == 0 && s.mayHold(b) {
		from, to := s.find(b)
		// The seams of the pieces are no ends of the line.
		if from >= 0 && (l.pieces == 0 || from > 0) && (last || to < len(b)) {
			l.from, l.column = base+int64(from), l.runes+utf8.RuneCount(b[:from])+1
		}
	}
	l.pieces++
	l.runes += utf8.RuneCount(b[:done])
	return done
}

// mayHold is a quick look whether find is worth while.
func (s *searcher) mayHold(b []byte) bool {
	if len(s.lits.list) > 0 && !s.present(b) {
		return false
	}
	if s.auto == nil {
		return true
	}
	event, _ := s.auto.run(b, 0)
	if event == evGiveUp {
		s.auto.reset()
	}
	return event != evEnd && event != evDead
}
