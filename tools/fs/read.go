package fs

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/text"
)

const (
	defaultLines = 2000
	maxImage     = 8 << 20
	maxImageSide = 8000 // pixels
	maxFiles     = 100  // of one read
)

type readIn struct {
	Path        string   `json:"path"`
	Paths       []string `json:"paths"`
	Line        *int     `json:"line"`
	Offset      *int     `json:"offset"`
	Column      int      `json:"column"`
	Limit       int      `json:"limit"`
	Encoding    string   `json:"encoding"`
	LineNumbers bool     `json:"line_numbers"`
	MaxChars    int      `json:"max_chars"`
	linesIn
}

// readData describes what was read. Lines and columns count from 1.
type readData struct {
	where
	Hash       string `json:"hash,omitempty"`        // of all bytes; left out for files above hashLimit
	Line       int    `json:"line,omitempty"`        // of the first line shown; negative when counted from the end of a large file
	Lines      int    `json:"lines"`                 // shown, a part of one counts
	TotalLines *int   `json:"total_lines,omitempty"` // left out when not counted
	Size       int64  `json:"size"`
	EOL        string `json:"eol,omitempty"`
	Encoding   string `json:"encoding,omitempty"`
	BOM        bool   `json:"bom,omitempty"`
	MIME       string `json:"mime"`
	Truncated  bool   `json:"truncated,omitempty"`
	NextLine   int    `json:"next_line,omitempty"` // go on with line
	NextColumn int    `json:"next_column,omitempty"`
	NextOffset int64  `json:"next_offset,omitempty"` // of base64: go on with offset
}

// allLines is a limit that none reaches: answers end by their characters.
const allLines = 1 << 30

func read(ctx context.Context, c *tools.Call, in readIn) (*tools.Result, error) {
	if err := in.linesIn.into(&in); err != nil {
		return nil, err
	}
	if len(in.Paths) > 0 {
		if in.Path != "" {
			in.Paths = append([]string{in.Path}, in.Paths...)
		}
		return readMany(ctx, c, in)
	}
	w, err := in.window()
	if err != nil {
		return nil, err
	}
	r := reader{c: c, in: in, w: w, chars: tools.Limit(in.MaxChars)}
	return r.file(ctx, in.Path)
}

// window is the part of a text that was asked for.
type window struct {
	line   int // first line, from 1; negative: from the end
	column int
	limit  int
}

func (in readIn) window() (window, error) {
	w := window{line: 1, column: max(in.Column, 1), limit: in.Limit}
	switch {
	case in.Line != nil && *in.Line != 0:
		w.line = *in.Line
	case in.Line == nil && in.Offset != nil && *in.Offset < 0:
		w.line = *in.Offset
	case in.Line == nil && in.Offset != nil:
		w.line = *in.Offset + 1
	}
	if w.limit < 0 {
		return w, tools.Errorf(tools.InvalidParams, "limit must not be negative; for the last lines give a negative line").
			With(tools.Details{Param: "limit", Actual: strconv.Itoa(w.limit)})
	}
	if w.limit == 0 {
		w.limit = defaultLines
	}
	return w, nil
}

type reader struct {
	c     *tools.Call
	in    readIn
	w     window
	chars int // characters left of the answer

	several bool // files are read in one call
	misses  int  // that could not be opened

	invalid bool // the text at hand may have bytes that are no UTF-8
	told    bool // a warning has said so
}

func (r *reader) file(ctx context.Context, given string) (*tools.Result, error) {
	p, err := resolve(r.c, "path", given)
	if err != nil {
		return nil, err
	}
	f, err := r.c.Roots.Open(p)
	if err != nil {
		if r.misses++; r.several && r.misses > 3 {
			return nil, err // to look for near names each time would take long
		}
		return nil, fail(r.c, err, "path")
	}
	defer f.Close()
	if f.Path.Warning != "" {
		r.c.Warn(f.Path.Warning)
	}
	d := &readData{where: at(given, f.Path), Size: f.Info.Size()}
	if strings.EqualFold(r.in.Encoding, "base64") {
		return r.base64(ctx, f, d)
	}
	if f.Info.Size() > maxLoad {
		return r.large(ctx, f, d)
	}
	b, err := readAll(ctx, f, maxLoad)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", sandbox.Printable(given), err)
	}
	d.Size = max(d.Size, int64(len(b)))
	d.Hash = hashOf(b)
	s, format, err := r.decode(b)
	if errors.Is(err, text.ErrBinary) {
		return r.binary(b, f.Path, d)
	}
	if err != nil {
		return nil, err
	}
	s = r.c.Redact(s) // before a part is cut out
	d.format(format, textMIME(p.Base()))
	d.EOL = text.Ending(s)
	total := text.Lines(s)
	d.TotalLines = &total
	warnFormat(r.c, format, given)
	r.invalid = format.Invalid > 0
	r.told = r.invalid
	return r.show(s, d)
}

func (d *readData) format(f text.Format, mime string) {
	d.Encoding, d.BOM, d.MIME = f.Encoding, f.BOM, mime
}

// decode reads b by the encoding that was named, else by the one it seems to have.
func (r *reader) decode(b []byte) (string, text.Format, error) {
	f, named, err := r.named()
	if err != nil {
		return "", f, err
	}
	if !named {
		return text.Decode(b)
	}
	if f.Encoding == text.UTF8 {
		found, err := text.Detect(b, true)
		if err == nil && found.Encoding == text.UTF8 {
			f = found
		} else if err != nil {
			return "", f, err
		} else {
			f.Invalid = 1
		}
	}
	s, err := f.Decode(b)
	return s, f, err
}

// named gives the encoding that the caller asks for.
func (r *reader) named() (f text.Format, named bool, err error) {
	if r.in.Encoding == "" || strings.EqualFold(r.in.Encoding, "auto") {
		return f, false, nil
	}
	f, ok := text.Named(r.in.Encoding)
	if !ok {
		return f, true, unknownEncoding(r.in.Encoding)
	}
	return f, true, nil
}

// show cuts the window out of a whole text.
func (r *reader) show(s string, d *readData) (*tools.Result, error) {
	total := *d.TotalLines
	first := r.w.line
	if first < 0 {
		first = max(1, total+first+1)
	}
	if first > max(total, 1) {
		return nil, tools.Errorf(tools.InvalidParams, "the file has %d lines; give a line up to that, or a negative one to count from the end",
			total).
			With(tools.Details{Param: "line", Expected: "1 to " + strconv.Itoa(total), Actual: strconv.Itoa(first)})
	}
	s = s[lineStart(s, first):]
	rest := len(s)
	if end := lineStart(s, r.w.limit+1); end < len(s) {
		s = s[:end]
	}
	d.Line = first
	return r.cut(s, rest > len(s), d)
}

// cut finishes a window: s begins at line d.Line, column r.w.column, and more tells that lines follow it.
func (r *reader) cut(s string, more bool, d *readData) (*tools.Result, error) {
	column := r.w.column
	if column > 1 {
		line, _, _ := strings.Cut(s, "\n")
		s = s[runeStart(line, column-1):]
	}
	s = r.valid(s, d)
	if r.in.LineNumbers {
		s = numberLines(s, d.Line)
	}
	head, over := tools.Head(s, r.chars)
	d.Lines = text.Lines(head)
	if over || more {
		d.Truncated = true
		n := strings.Count(head, "\n")
		d.NextLine = d.Line + n
		if !strings.HasSuffix(head, "\n") {
			last := head[strings.LastIndexByte(head, '\n')+1:]
			if r.in.LineNumbers {
				_, last, _ = strings.Cut(last, "\t")
			}
			d.NextColumn = utf8.RuneCountInString(last) + 1
			if n == 0 {
				d.NextColumn += column - 1
			}
		}
	}
	r.chars -= len(head)
	return &tools.Result{Text: head, Data: d, Truncated: d.Truncated}, nil
}

// valid makes s fit to be shown. What decoding has lost is never lost in silence.
func (r *reader) valid(s string, d *readData) string {
	name := sandbox.Printable(d.Path)
	switch {
	case d.Encoding != text.UTF8:
		if strings.ContainsRune(s, utf8.RuneError) {
			r.c.Warn(name + " has bytes that mean nothing in " + d.Encoding + "; U+FFFD stands for them. encoding:\"base64\" gives them as they are")
		}
		return s
	case !r.invalid || utf8.ValidString(s):
		return s
	case !r.told:
		warnFormat(r.c, text.Format{Invalid: 1}, d.Path)
	}
	return text.Valid(s)
}

// lineStart gives the offset of line n of s, counted from 1; len(s) when there are fewer.
func lineStart(s string, n int) int {
	at := 0
	for ; n > 1; n-- {
		i := strings.IndexByte(s[at:], '\n')
		if i < 0 {
			return len(s)
		}
		at += i + 1
	}
	return at
}

// runeStart gives the offset of character n of s, counted from 0.
func runeStart(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}

func numberLines(s string, line int) string {
	b := make([]byte, 0, len(s)+len(s)/8)
	for l := range strings.Lines(s) {
		b = fmt.Appendf(b, "%6d\t", line)
		b = append(b, l...)
		line++
	}
	return string(b)
}

// binary answers a file that is no text: an image as one, anything else with an error that says what it is.
func (r *reader) binary(b []byte, p sandbox.Path, d *readData) (*tools.Result, error) {
	d.MIME = binaryMIME(b[:min(len(b), 512)])
	if isImage(d.MIME) && r.in.Encoding == "" {
		if d.Size > maxImage {
			return &tools.Result{Data: d}, tools.Errorf(tools.TooLarge, "the image has %d bytes, more than the %d that can be shown",
				d.Size, maxImage).With(tools.Details{Param: "path", Actual: d.MIME})
		}
		if why := damaged(b, d.MIME); why != "" {
			return &tools.Result{Data: d}, tools.Errorf(tools.Binary, "%s is an image that cannot be shown: %s; read it with encoding:\"base64\", or mend it",
				sandbox.Printable(p.Given), why).With(tools.Details{Param: "path", Actual: d.MIME, Suggestion: "encoding:\"base64\""})
		}
		return &tools.Result{Image: &tools.Image{Data: b, MIME: d.MIME}, Data: d}, nil
	}
	return &tools.Result{Data: d}, binaryError(p, d.MIME, d.Size)
}

// base64 answers the bytes themselves, from offset on.
func (r *reader) base64(ctx context.Context, f *sandbox.File, d *readData) (*tools.Result, error) {
	room := int64(max(r.chars/4*3, 3))
	from := int64(0)
	if r.in.Offset != nil {
		from = max(int64(*r.in.Offset), 0)
	}
	if from == 0 && d.Size <= max(room, maxLoad) {
		b, err := readAll(ctx, f, maxLoad)
		if err != nil {
			return nil, fmt.Errorf("reading %s: %w", sandbox.Printable(d.Path), err)
		}
		d.Size, d.Hash = max(d.Size, int64(len(b))), hashOf(b)
		d.MIME = binaryMIME(b[:min(len(b), 512)])
		if r.c.Holds(b) {
			return nil, holdsSecret(d.Path)
		}
		return r.encode(b, room, from, d)
	}
	if from > d.Size {
		return nil, tools.Errorf(tools.InvalidParams, "the file has %d bytes; give an offset up to that", d.Size).
			With(tools.Details{Param: "offset", Expected: "0 to " + strconv.FormatInt(d.Size, 10), Actual: strconv.FormatInt(from, 10)})
	}
	b := make([]byte, min(room+1, d.Size-from))
	n, err := f.ReadAt(b, from)
	if n == 0 && err != nil && len(b) > 0 {
		return nil, fmt.Errorf("reading %s: %w", sandbox.Printable(d.Path), err)
	}
	d.MIME = "application/octet-stream"
	around := int64(r.c.LongestSecret()) // one may be cut in two
	wide := make([]byte, int64(n)+2*around)
	if m, _ := f.ReadAt(wide, max(from-around, 0)); r.c.Holds(wide[:m]) {
		return nil, holdsSecret(d.Path)
	}
	return r.encode(b[:n], room, from, d)
}

// holdsSecret refuses bytes in which a secret could not be replaced.
func holdsSecret(name string) error {
	return tools.Errorf(tools.PermissionDenied, "%s holds a credential of this server, which is never shown; read it as text", sandbox.Printable(name)).
		With(tools.Details{Param: "encoding"})
}

func (r *reader) encode(b []byte, room, from int64, d *readData) (*tools.Result, error) {
	d.Encoding = "base64"
	if int64(len(b)) > room {
		b = b[:room]
		d.Truncated, d.NextOffset = true, from+room
	}
	s := base64.StdEncoding.EncodeToString(b)
	r.chars -= len(s)
	return &tools.Result{Text: s, Data: d, Truncated: d.Truncated}, nil
}
