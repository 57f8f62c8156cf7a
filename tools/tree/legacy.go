package tree

import (
	"strings"
	"unicode/utf8"

	"github.com/hanzoai/hanzo-mcp/tools/text"
)

// Files in another encoding than UTF-8 and UTF-16 are searched as bytes, since nearly none are and to look costs. They are
// decoded, by the same guess as a read shows them, where that can matter: when the pattern has characters beyond ASCII,
// when matches may span lines, and once a file has hits that are to be shown.

// asksBeyond reports whether a pattern may ask for characters beyond ASCII by name.
func asksBeyond(q *Query) bool {
	return !isASCII([]byte(q.Pattern)) || !q.Literal && (strings.Contains(q.Pattern, `\p`) || strings.Contains(q.Pattern, `\P`) || strings.Contains(q.Pattern, `\x`))
}

// legacyFormat gives the encoding of text that is no UTF-8, ok false when it is, or when it is none at all. With whole
// unset, b is the start of a longer text.
func legacyFormat(b []byte, whole bool) (f text.Format, ok bool) {
	if utf8.Valid(b) {
		return f, false
	}
	f, err := text.Detect(b, whole)
	return f, err == nil && f.Encoding != text.UTF8
}

// decode gives text of the format as UTF-8, in the searcher's own memory.
func (s *searcher) decode(b []byte, f text.Format) ([]byte, error) {
	str, err := f.Decode(b)
	if err != nil {
		return nil, err
	}
	s.guess = true
	s.decoded = append(s.decoded[:0], str...)
	return s.decoded, nil
}
