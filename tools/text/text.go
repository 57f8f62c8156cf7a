// Package text turns the bytes of a file into text and back without losing any of them.
//
// Its room: finding the encoding of a file (BOM, UTF-16 without one, UTF-8, then the legacy encodings by what
// their bytes look like), decoding it, and encoding changed text the way the file was. UTF-8 text keeps its
// bytes as they are, invalid ones too, so that an edit touches nothing but what it names.
//
// It never opens a file, and never replaces bytes in what Encode gives: text that an encoding cannot hold is an
// error. Whether a guess is good enough to write by is said by Format.Editable, and kept by the callers.
package text

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
	"golang.org/x/text/transform"
)

// Names of the encodings that Detect knows.
const (
	UTF8        = "utf-8"
	UTF16LE     = "utf-16le"
	UTF16BE     = "utf-16be"
	UTF32LE     = "utf-32le"
	UTF32BE     = "utf-32be"
	Windows1252 = "windows-1252"
	GBK         = "gbk"
	ShiftJIS    = "shift_jis"
)

// ErrBinary is the error of Detect and Decode for bytes that are no text in any encoding they know.
var ErrBinary = errors.New("binary")

// Format is how the text of a file stands in its bytes.
type Format struct {
	Encoding string
	BOM      bool // the file starts with a byte order mark, which is no part of the text
	Guessed  bool // nothing but the look of the bytes speaks for Encoding
	Doubtful bool // the guess will do to read by, but text beyond ASCII must not be written by it
	Invalid  int  // of UTF-8: how many bytes belong to no character; the text holds them as they are
}

// Editable reports whether text decoded by f may be changed and encoded again.
func (f Format) Editable() bool {
	switch f.Encoding {
	case UTF8, UTF16LE, UTF16BE, Windows1252:
		return true
	}
	return false
}

const bom8 = "\xef\xbb\xbf"

// mark gives the byte order mark of the encoding, "" when it has none.
func mark(enc string) string {
	switch enc {
	case UTF8:
		return bom8
	case UTF16LE:
		return "\xff\xfe"
	case UTF16BE:
		return "\xfe\xff"
	case UTF32LE:
		return "\xff\xfe\x00\x00"
	case UTF32BE:
		return "\x00\x00\xfe\xff"
	}
	return ""
}

func codec(enc string) encoding.Encoding {
	switch enc {
	case UTF16LE:
		return unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case UTF16BE:
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	case UTF32LE:
		return utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM)
	case UTF32BE:
		return utf32.UTF32(utf32.BigEndian, utf32.IgnoreBOM)
	case Windows1252:
		return charmap.Windows1252
	case GBK:
		return simplifiedchinese.GB18030 // a superset
	case ShiftJIS:
		return japanese.ShiftJIS
	}
	if e, err := htmlindex.Get(enc); err == nil {
		return e
	}
	return nil
}

// Named gives the format of an encoding that a caller named, in any spelling of the WHATWG list.
func Named(name string) (Format, bool) {
	switch canonical := strings.ToLower(strings.NewReplacer("_", "-", " ", "-").Replace(name)); canonical {
	case "utf8", "utf-8", "utf-8-bom", "utf-8-sig", "utf8bom":
		return Format{Encoding: UTF8}, true
	case "utf16le", "utf-16le":
		return Format{Encoding: UTF16LE}, true
	case "utf16be", "utf-16be":
		return Format{Encoding: UTF16BE}, true
	}
	e, err := htmlindex.Get(name)
	if err != nil {
		return Format{}, false
	}
	canonical, err := htmlindex.Name(e)
	if err != nil || canonical == "replacement" || canonical == "x-user-defined" {
		return Format{}, false
	}
	return Format{Encoding: canonical}, true
}

// Of gives the named format f as the bytes b have it: with a byte order mark when they start with one.
func (f Format) Of(b []byte) Format {
	m := mark(f.Encoding)
	f.BOM = m != "" && bytes.HasPrefix(b, []byte(m))
	return f
}

// Decode finds the format of b, a whole file, and gives its text. The string shares no memory with b unless it
// is UTF-8, when it does: b must not change afterwards. The error is ErrBinary or nil.
func Decode(b []byte) (string, Format, error) {
	f, err := Detect(b, true)
	if err != nil {
		return "", f, err
	}
	s, err := f.Decode(b)
	return s, f, err
}

// Decode gives the text of bytes in format f, their byte order mark left out if they start with it. Bytes that
// mean nothing in a legacy encoding become U+FFFD; those of UTF-8 stay.
func (f Format) Decode(b []byte) (string, error) {
	if m := mark(f.Encoding); m != "" && len(b) >= len(m) && string(b[:len(m)]) == m {
		b = b[len(m):]
	}
	switch f.Encoding {
	case UTF8:
		return view(b), nil
	case Windows1252:
		return decode1252(b), nil
	}
	c := codec(f.Encoding)
	if c == nil {
		return "", fmt.Errorf("encoding %q is not known", f.Encoding)
	}
	out, err := c.NewDecoder().Bytes(b)
	if err != nil {
		return "", fmt.Errorf("decoding %s: %w", f.Encoding, err)
	}
	return view(out), nil
}

// Transformer decodes a stream in format f to UTF-8; nil when it is UTF-8 already. A byte order mark stays, as
// U+FEFF.
func (f Format) Transformer() transform.Transformer {
	if f.Encoding == UTF8 {
		return nil
	}
	if c := codec(f.Encoding); c != nil {
		return c.NewDecoder()
	}
	return nil
}

// Encode gives the bytes of text in format f, with its byte order mark. A character that the encoding cannot
// hold is an error that names it. The bytes may share memory with s: they must not be changed.
func (f Format) Encode(s string) ([]byte, error) {
	head := ""
	if f.BOM {
		head = mark(f.Encoding)
	}
	if f.Encoding == UTF8 {
		if head == "" {
			return bytesOf(s), nil
		}
		return append(append(make([]byte, 0, len(head)+len(s)), head...), s...), nil
	}
	if f.Encoding == Windows1252 {
		return encode1252(s)
	}
	c := codec(f.Encoding)
	if c == nil {
		return nil, fmt.Errorf("encoding %q is not known", f.Encoding)
	}
	out, err := c.NewEncoder().String(s)
	if err != nil || !utf8.ValidString(s) {
		for i, r := range s {
			one := s[i : i+runeLen(s[i:])]
			if _, err := c.NewEncoder().String(one); err != nil || r == utf8.RuneError && len(one) == 1 {
				return nil, noCharacter(f.Encoding, one, r)
			}
		}
		return nil, fmt.Errorf("encoding %s: %w", f.Encoding, err)
	}
	return append([]byte(head), out...), nil
}

func noCharacter(enc, s string, r rune) error {
	return fmt.Errorf("%s has no %q (U+%04X)", enc, s, r)
}

func runeLen(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	return n
}

// Lossless reports whether encoding s by f gives b again: false means that a write would change bytes that no
// edit names, so it must not happen.
func (f Format) Lossless(b []byte, s string) bool {
	if f.Encoding == UTF8 {
		return true
	}
	back, err := f.Encode(s)
	return err == nil && bytes.Equal(back, b)
}

// Valid gives s with every byte that is no UTF-8 replaced by U+FFFD, as answers need it; s itself when valid.
func Valid(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	for _, r := range s {
		b.WriteRune(r)
	}
	return b.String()
}

// Ending names the line endings of s: "lf", "crlf", "cr", "mixed", or "none" for text of one line.
func Ending(s string) string {
	lf := strings.IndexByte(s, '\n')
	cr := strings.IndexByte(s, '\r')
	switch {
	case lf < 0 && cr < 0:
		return "none"
	case cr < 0:
		return "lf"
	case lf < 0:
		return "cr"
	}
	all, pairs := strings.Count(s, "\n"), strings.Count(s, "\r\n")
	switch pairs {
	case 0:
		return "lf" // stray returns are characters of their line
	case all:
		return "crlf"
	}
	return "mixed"
}

// Lines counts the lines of s: a last one without an ending counts.
func Lines(s string) int {
	n := strings.Count(s, "\n")
	if s != "" && s[len(s)-1] != '\n' {
		n++
	}
	return n
}
