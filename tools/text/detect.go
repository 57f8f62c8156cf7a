package text

import (
	"bytes"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	binaryWindow = 8000      // where a NUL makes a file binary, as git has it
	guessWindow  = 256 << 10 // how much of a file a guess looks at
)

// Detect finds the format of b. With whole unset, b is the start of a longer file, and a character cut off at its
// end says nothing. The error is ErrBinary or nil.
func Detect(b []byte, whole bool) (Format, error) {
	switch {
	case bytes.HasPrefix(b, []byte(bom8)):
		return Format{Encoding: UTF8, BOM: true, Invalid: invalid(b[3:], whole)}, nil
	case bytes.HasPrefix(b, []byte("\xff\xfe\x00\x00")) && len(b)%4 == 0 && len(b) > 4:
		return Format{Encoding: UTF32LE, BOM: true}, nil
	case bytes.HasPrefix(b, []byte("\x00\x00\xfe\xff")):
		return Format{Encoding: UTF32BE, BOM: true}, nil
	case bytes.HasPrefix(b, []byte("\xff\xfe")):
		return Format{Encoding: UTF16LE, BOM: true}, nil
	case bytes.HasPrefix(b, []byte("\xfe\xff")):
		return Format{Encoding: UTF16BE, BOM: true}, nil
	}
	head := b[:min(len(b), binaryWindow)]
	if bytes.IndexByte(head, 0) >= 0 {
		if enc, sure := utf16Guess(b[:min(len(b), guessWindow)]); enc != "" {
			return Format{Encoding: enc, Guessed: !sure}, nil
		}
		return Format{}, ErrBinary
	}
	if validUTF8(b, whole) {
		return Format{Encoding: UTF8}, nil
	}
	if signature(head) || controls(head) {
		return Format{}, ErrBinary
	}
	bad, good, long := count(b, whole)
	if bad*10 <= good || bad <= long || good > 0 && utf8.Valid(b[:len(b)-cutRune(b)]) {
		return Format{Encoding: UTF8, Guessed: true, Invalid: bad}, nil
	}
	f := Format{Encoding: legacy(b), Guessed: true}
	f.Doubtful = !plausible(b, f.Encoding) || f.Encoding == Windows1252 && (good > 0 || cutRune(b) > 0) // it may be UTF-8 with faults
	return f, nil
}

// signature reports whether b starts like a file of a well-known binary kind: an image, an archive, a font.
func signature(b []byte) bool {
	kind := http.DetectContentType(b)
	return !strings.HasPrefix(kind, "text/") && kind != "application/octet-stream"
}

func validUTF8(b []byte, whole bool) bool {
	if utf8.Valid(b) {
		return true
	}
	return !whole && utf8.Valid(b[:len(b)-cutRune(b)])
}

// cutRune gives how many bytes at the end of b begin a character that b does not finish.
func cutRune(b []byte) int {
	for n := 1; n <= min(3, len(b)); n++ {
		if c := b[len(b)-n]; utf8.RuneStart(c) {
			if c >= 0xc0 && !utf8.FullRune(b[len(b)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}

func invalid(b []byte, whole bool) int {
	if validUTF8(b, whole) {
		return 0
	}
	bad, _, _ := count(b, whole)
	return bad
}

// count counts the bytes of b that belong to no UTF-8 character, the characters of more than one byte, and among these
// those of more than two, which hardly come about by chance.
func count(b []byte, whole bool) (bad, good, long int) {
	if !whole {
		b = b[:len(b)-cutRune(b)]
	}
	for i := 0; i < len(b); {
		if b[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			bad++
		} else {
			good++
		}
		if n > 2 {
			long++
		}
		i += n
	}
	return bad, good, long
}

// controls reports whether b has more control characters than text would.
func controls(b []byte) bool {
	n := 0
	for _, c := range b {
		if c < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != '\v' && c != '\b' && c != 0x1b || c == 0x7f {
			n++
		}
	}
	return n > len(b)/100
}

// utf16Guess tells UTF-16 without a byte order mark from binary: every unit must be a character that text has,
// and Latin letters, spaces or line ends must be among them. Sure means that most are.
func utf16Guess(b []byte) (enc string, sure bool) {
	le, leSure := utf16Share(b, 0)
	be, beSure := utf16Share(b, 1)
	switch {
	case le == 0 && be == 0:
		return "", false
	case le >= be:
		return UTF16LE, leSure
	}
	return UTF16BE, beSure
}

// utf16Share gives the share in percent of ASCII characters in b read as UTF-16 (high byte at offset 1-big of
// each pair), 0 when b is no such text.
func utf16Share(b []byte, big int) (share int, sure bool) {
	if len(b) < 2 || len(b)%2 != 0 && len(b) < guessWindow {
		return 0, false
	}
	ascii, both, all := 0, 0, len(b)/2
	for i := 0; i < all; i++ {
		r := rune(b[2*i+1-big])<<8 | rune(b[2*i+big])
		switch {
		case r >= 0x20 && r < 0x7f, r == '\n', r == '\r', r == '\t', r == '\f':
			ascii++
		case r < 0xa0, r == 0xfffe, r == 0xffff:
			return 0, false
		case r&0xff >= 0x20 && r&0xff < 0x7f && r>>8 >= 0x20 && r>>8 < 0x7f:
			both++ // may be two characters of one byte each
		case utf16.IsSurrogate(r):
			if i+1 == all {
				break
			}
			low := rune(b[2*i+3-big])<<8 | rune(b[2*i+2+big])
			if utf16.DecodeRune(r, low) == unicode.ReplacementChar {
				return 0, false
			}
			i++
		case !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Zs, unicode.Cf, unicode.Co):
			return 0, false
		}
	}
	share = ascii * 100 / all
	if share < 3 || share < 50 && both*100 > (all-ascii)*60 {
		return 0, false
	}
	return share, share >= 50
}
