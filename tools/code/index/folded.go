package index

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// rarity lists bytes of source code from rare to common; those that are not in it are rarer still.
const rarity = "ZQXJYKzjqWVHUGBONLMPFRDICASETx0123456789kwvbyg_hmpfuldcsronaite"

// folded looks for a text without regard to the case of ASCII letters.
type folded struct {
	text       string // lower case
	at         int    // of its rarest byte
	low, upper byte   // that byte
}

func newFolded(s string) folded {
	f := folded{text: strings.ToLower(s)}
	best := len(rarity) + 1
	for i := 0; i < len(f.text); i++ {
		if n := strings.IndexByte(rarity, f.text[i]); n < best {
			best, f.at = n, i
		}
	}
	if f.text != "" {
		f.low = f.text[f.at]
		f.upper = f.low
		if f.low >= 'a' && f.low <= 'z' {
			f.upper -= 'a' - 'A'
		}
	}
	return f
}

func (f folded) in(b []byte) bool {
	return f.find(b, f.low) || f.upper != f.low && f.find(b, f.upper)
}

func (f folded) find(b []byte, c byte) bool {
	for at := 0; ; {
		i := bytes.IndexByte(b[at:], c)
		if i < 0 {
			return false
		}
		start := at + i - f.at
		if start >= 0 && start+len(f.text) <= len(b) && equalFold(b[start:start+len(f.text)], f.text) {
			return true
		}
		at += i + 1
	}
}

func equalFold(b []byte, lower string) bool {
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

// ascii reports whether the text has the same bytes in all encodings that count here.
func (f folded) ascii() bool {
	return strings.IndexFunc(f.text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}
