package fs

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"hash"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/transform"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/text"
)

const (
	sample    = 64 << 10  // of a large file, to tell its encoding
	hashLimit = 256 << 20 // files up to this are read to their end, for the hash and the number of lines
	tailLimit = 8 << 20   // of the end of a large file, looked at for its last lines
)

// large reads a window of a file that is not held in memory: forwards in blocks, or backwards from its end.
func (r *reader) large(ctx context.Context, f *sandbox.File, d *readData) (*tools.Result, error) {
	head := make([]byte, sample)
	n, err := f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	head = head[:n]
	format, named, err := r.named()
	if err != nil {
		return nil, err
	}
	if r.w.line < 0 {
		return r.tail(ctx, f, format, named, head, d)
	}
	if !named {
		if format, err = text.Detect(head, false); err != nil {
			return r.binary(head, f.Path, d)
		}
	}
	d.format(format, textMIME(f.Path.Base()))
	warnFormat(r.c, format, d.Path)
	return r.forward(ctx, f, format, d)
}

// forward passes the lines before the window, gathers it, and, where the file is not too large, goes on to its end
// for the hash and the number of lines.
func (r *reader) forward(ctx context.Context, f *sandbox.File, format text.Format, d *readData) (*tools.Result, error) {
	whole := d.Size <= hashLimit
	var sum hash.Hash
	var src io.Reader = io.NewSectionReader(f, 0, d.Size)
	if whole {
		sum = sha256.New()
		src = io.TeeReader(src, sum)
	}
	if t := format.Transformer(); t != nil {
		src = transform.NewReader(src, t)
	}
	r.invalid = true // only its start was looked at
	s := scan{from: r.w.line, limit: r.w.limit, skip: r.w.column - 1, room: r.chars * utf8.UTFMax, line: 1}
	buf := make([]byte, 256<<10)
	for first := true; ; first = false {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n, err := io.ReadFull(src, buf)
		block := buf[:n]
		if first && format.BOM {
			block = bytes.TrimPrefix(block, []byte("\xef\xbb\xbf"))
		}
		s.take(block)
		if err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				break
			}
			return nil, err
		}
		if s.full && !whole {
			break
		}
	}
	total := s.line
	if s.atStart {
		total--
	}
	if s.line < s.from || s.line == s.from && s.atStart && s.from > 1 {
		return nil, tools.Errorf(tools.InvalidParams, "the file has %d lines; give a line up to that, or a negative one to count from the end",
			total).
			With(tools.Details{Param: "line", Expected: "1 to " + strconv.Itoa(total), Actual: strconv.Itoa(r.w.line)})
	}
	if whole {
		d.Hash = hashText(sum.Sum(nil))
		d.TotalLines = &total
	}
	got := string(s.out)
	if s.full {
		got = got[:len(got)-cutRune(got)]
	}
	d.EOL = text.Ending(got)
	d.Line = s.from
	column := r.w.column
	r.w.column = 1 // passed already
	res, err := r.cut(got, s.full, d)
	r.w.column = column
	if err == nil && d.NextColumn > 0 && d.NextLine == d.Line {
		d.NextColumn += column - 1
	}
	return res, err
}

// scan gathers the lines [from, from+limit) out of blocks of UTF-8, at most room bytes of them.
type scan struct {
	from, limit, room int
	skip              int // characters of the first line still to be passed
	line              int // the line that the next byte belongs to
	skipped           bool
	atStart           bool
	out               []byte
	full              bool // there is more behind out
}

func (s *scan) take(b []byte) {
	for len(b) > 0 {
		if s.line < s.from || s.full {
			n := bytes.Count(b, []byte{'\n'})
			if s.full || s.line+n < s.from {
				s.line += n
				s.atStart = b[len(b)-1] == '\n'
				return
			}
		}
		i := bytes.IndexByte(b, '\n')
		end := len(b)
		if i >= 0 {
			end = i + 1
		}
		switch {
		case s.line < s.from:
		case s.line >= s.from+s.limit:
			s.full = true
			continue
		default:
			s.gather(b[:end])
		}
		if s.atStart = i >= 0; s.atStart {
			s.line++
		}
		b = b[end:]
	}
}

func (s *scan) gather(b []byte) {
	if s.line == s.from && len(s.out) == 0 && s.skipped {
		for len(b) > 0 && !utf8.RuneStart(b[0]) {
			b = b[1:] // the rest of a character passed in the block before
		}
	}
	if s.line == s.from {
		for s.skip > 0 && len(b) > 0 && b[0] != '\n' {
			b = b[1:]
			for len(b) > 0 && !utf8.RuneStart(b[0]) {
				b = b[1:]
			}
			s.skip--
			s.skipped = true
		}
	}
	if free := s.room - len(s.out); len(b) > free {
		b = b[:free]
		s.full = true
	}
	s.out = append(s.out, b...)
}

// cutRune gives how many bytes at the end of s begin a character that s does not finish.
func cutRune(s string) int {
	for n := 1; n <= min(3, len(s)); n++ {
		if c := s[len(s)-n]; utf8.RuneStart(c) {
			if c >= 0xc0 && !utf8.FullRuneInString(s[len(s)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}

// tail reads blocks from the end until they hold the lines asked for, or tailLimit bytes.
func (r *reader) tail(ctx context.Context, f *sandbox.File, format text.Format, named bool, head []byte, d *readData) (*tools.Result, error) {
	want := -r.w.line
	var (
		s     string
		found text.Format
	)
	partial := true
	for size := int64(sample); ; size *= 4 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		size = min(size, tailLimit, d.Size)
		from := (d.Size - size) &^ 3 // where a character of UTF-16 or UTF-32 begins
		b := make([]byte, d.Size-from)
		if n, err := f.ReadAt(b, from); err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		} else if b = b[:n]; n == 0 {
			break
		}
		var err error
		if found, err = r.tailFormat(format, named, head, b, d); err != nil {
			return r.binary(b, f.Path, d)
		}
		partial = from > 0
		if s, err = found.Decode(dropPart(b, found, partial)); err != nil {
			return nil, err
		}
		d.format(found, textMIME(f.Path.Base()))
		if text.Lines(s) > want || size >= min(tailLimit, d.Size) {
			break
		}
	}
	if d.Encoding == "" {
		return nil, tools.Errorf(tools.Conflict, "the file was cut while it was read; read it again")
	}
	warnFormat(r.c, text.Format{Encoding: found.Encoding, Guessed: found.Guessed}, d.Path)
	return r.lastLines(s, partial, want, d)
}

// tailFormat tells the encoding of the end of a file: what its start says, or the end alone where the start is
// binary. A log that was emptied under its writer begins with NULs.
func (r *reader) tailFormat(format text.Format, named bool, head, b []byte, d *readData) (text.Format, error) {
	if named {
		return format, nil
	}
	if found, err := text.Detect(head, false); err == nil {
		if found.Encoding == text.UTF8 && !found.BOM {
			if end, err := text.Detect(b[runeSync(b):], true); err == nil {
				return end, nil
			}
		}
		return found, nil
	}
	end := bytes.TrimLeft(b, "\x00")
	return text.Detect(end[runeSync(end):], true)
}

// runeSync gives the offset of the first byte that may begin a character of UTF-8.
func runeSync(b []byte) int {
	n := 0
	for n < min(3, len(b)) && !utf8.RuneStart(b[n]) {
		n++
	}
	return n
}

// dropPart leaves out NULs before the text and a character cut off at its start.
func dropPart(b []byte, f text.Format, partial bool) []byte {
	if !partial {
		return b
	}
	switch f.Encoding {
	case text.UTF8:
		b = bytes.TrimLeft(b, "\x00")
		return b[runeSync(b):]
	case text.GBK, text.ShiftJIS:
		if i := bytes.IndexByte(b, '\n'); i >= 0 {
			return b[i+1:]
		}
	}
	return b
}

// lastLines answers the last want lines of s, the end of a file; partial tells that its first line may be the end of a
// longer one.
func (r *reader) lastLines(s string, partial bool, want int, d *readData) (*tools.Result, error) {
	total := text.Lines(s)
	if total < want && !partial {
		want = total
	}
	if total <= want && partial {
		if i := strings.IndexByte(s, '\n'); i >= 0 && i < len(s)-1 {
			s = s[i+1:]
			total--
			r.c.Warn("only the last " + strconv.Itoa(total) + " lines were looked at; go on with a positive line, or with exec")
		} else {
			return r.endOfLine(s, d)
		}
		want = total
	}
	s = s[lineStart(s, total-want+1):]
	rest := len(s)
	if end := lineStart(s, r.w.limit+1); end < len(s) {
		s = s[:end]
	}
	d.Line = -want
	r.invalid = true
	d.EOL = text.Ending(s)
	return r.cut(s, rest > len(s), d)
}

// endOfLine answers the end of a line that is longer than what was looked at.
func (r *reader) endOfLine(s string, d *readData) (*tools.Result, error) {
	s = r.valid(s, d)
	if over := utf8.RuneCountInString(s) - r.chars; over > 0 {
		s = s[runeStart(s, over):]
	}
	d.Line, d.Lines, d.Truncated = -1, 1, true
	d.EOL = text.Ending(s)
	r.c.Warn("the last line is longer than what was looked at; this is its end. Its start: read with encoding base64 and offset")
	r.chars -= len(s)
	return &tools.Result{Text: s, Data: d, Truncated: true}, nil
}
