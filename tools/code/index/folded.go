package index

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"
)

// rarity lists bytes of source code from rare to common; those that are not in it are rarer still.
const rarity = "ZQXJYKzjqWVHUGBONLMPFRDICASETx0123456789kwvbyg_hmpfuldcsronaite"

// folded looks for a text without regard to case, as names are compared: see syntax.Query.Match.
type folded struct {
	exact      string   // as it was given, when its bytes are not ASCII
	text       string   // lower case
	at         int      // of its rarest byte, or of its first letter beyond ASCII
	low, upper byte     // that byte
	spelled    [][]byte // or the spellings of that letter
}

func newFolded(s string) folded {
	f := folded{text: strings.ToLower(s)}
	if !ascii(s) {
		f.exact = s
	}
	if f.at = strings.IndexFunc(f.text, beyond); f.at >= 0 {
		first, _ := utf8.DecodeRuneInString(f.text[f.at:])
		f.spelled = spellings(first)
		return f
	}
	f.at = 0
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
	if f.exact != "" && bytes.Contains(b, []byte(f.exact)) {
		return true
	}
	for _, letter := range f.spelled {
		if f.around(b, letter) {
			return true
		}
	}
	return f.spelled == nil && (f.find(b, f.low) || f.upper != f.low && f.find(b, f.upper))
}

// around looks for the text where one spelling of its first letter beyond ASCII stands.
func (f folded) around(b, letter []byte) bool {
	for at := 0; ; {
		i := bytes.Index(b[at:], letter)
		if i < 0 {
			return false
		}
		start := at + i - f.at
		if start >= 0 && start+len(f.text) <= len(b) && bytes.EqualFold(b[start:start+len(f.text)], []byte(f.text)) {
			return true
		}
		at += i + len(letter)
	}
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
func (f folded) ascii() bool { return f.exact == "" }

func ascii(s string) bool { return strings.IndexFunc(s, beyond) < 0 }

func beyond(r rune) bool { return r >= utf8.RuneSelf }

// spellings are a letter and those that differ from it by their case only.
func spellings(letter rune) [][]byte {
	list := [][]byte{utf8.AppendRune(nil, letter)}
	for r := unicode.SimpleFold(letter); r != letter; r = unicode.SimpleFold(r) {
		list = append(list, utf8.AppendRune(nil, r))
	}
	return list
}
