package text

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// decode1252 reads Windows-1252. The five bytes that it leaves undefined become the control characters of the same
// number, so that all bytes come back.
func decode1252(b []byte) string {
	var s strings.Builder
	s.Grow(len(b) + len(b)/8)
	for _, c := range b {
		r := charmap.Windows1252.DecodeByte(c)
		if r == utf8.RuneError {
			r = rune(c)
		}
		s.WriteRune(r)
	}
	return s.String()
}

func encode1252(s string) ([]byte, error) {
	b := make([]byte, 0, len(s))
	for i, r := range s {
		c, ok := charmap.Windows1252.EncodeRune(r)
		switch {
		case ok && (r != utf8.RuneError):
		case r >= 0x80 && r < 0xa0 && charmap.Windows1252.DecodeByte(byte(r)) == utf8.RuneError:
			c = byte(r)
		default:
			return nil, noCharacter(Windows1252, s[i:i+runeLen(s[i:])], r)
		}
		b = append(b, c)
	}
	return b, nil
}
