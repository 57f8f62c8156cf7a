package door

import (
	"encoding/binary"
	"encoding/json"
	"math/bits"
	"unicode/utf8"
)

// maxDepth is how deep arrays and objects of a message may nest.
const maxDepth = 1000

// scanner walks over JSON text without decoding it and checks it strictly
// (RFC 8259, valid UTF-8, maxDepth). The first fault sets bad and stops every
// loop over it; what it hands out are slices of the text.
type scanner struct {
	b      []byte
	i      int
	key    []byte // of the last member, in its quotes
	bad    bool
	opened bool // nothing has been read of the innermost object or array yet
	breaks bool // there is a line break between two tokens
	odd    bool // a string has \/ or \u, at some level: text can hide in a longer spelling
	deep   bool // the fault is that it nests deeper than maxDepth
}

func (s *scanner) space() {
	for s.i < len(s.b) {
		switch s.b[s.i] {
		case ' ', '\t':
		case '\n', '\r':
			s.breaks = true
		default:
			return
		}
		s.i++
	}
}

func (s *scanner) at(c byte) bool { return s.i < len(s.b) && s.b[s.i] == c }

// enter steps over the bracket at s.i; member or element come next.
func (s *scanner) enter() {
	s.i++
	s.opened = true
}

// more steps to the next member or element, or over the closing bracket.
func (s *scanner) more(closing byte) bool {
	if s.bad {
		return false
	}
	s.space()
	if s.at(closing) {
		s.i++
		s.opened = false
		return false
	}
	if !s.opened {
		if !s.at(',') {
			s.bad = true
			return false
		}
		s.i++
		s.space()
	}
	s.opened = false
	return true
}

// member moves to the value of the next member of an object and leaves its
// name in key; false at the end of the object and on a fault.
func (s *scanner) member() bool {
	if !s.more('}') {
		return false
	}
	if !s.at('"') {
		s.bad = true
		return false
	}
	start := s.i
	s.str()
	s.key = s.b[start:s.i]
	s.space()
	if s.bad || !s.at(':') {
		s.bad = true
		return false
	}
	s.i++
	s.space()
	return true
}

// element moves to the next element of an array.
func (s *scanner) element() bool { return s.more(']') }

// name is the last member's name, unescaped.
func (s *scanner) name() []byte { return unquote(s.key) }

// value steps over the value at s.i, which lies in depth brackets, and
// returns its bytes.
func (s *scanner) value(depth int) []byte {
	start := s.i
	if s.bad || start >= len(s.b) {
		s.bad = true
		return nil
	}
	switch s.b[start] {
	case '"':
		s.str()
	case '{':
		if depth >= maxDepth {
			s.deep = true
			s.bad = true
			break
		}
		for s.enter(); s.member(); {
			s.value(depth + 1)
		}
	case '[':
		if depth >= maxDepth {
			s.deep = true
			s.bad = true
			break
		}
		for s.enter(); s.element(); {
			s.value(depth + 1)
		}
	case 't':
		s.word("true")
	case 'f':
		s.word("false")
	case 'n':
		s.word("null")
	default:
		s.number()
	}
	return s.b[start:s.i]
}

func (s *scanner) word(w string) {
	if len(s.b)-s.i < len(w) || string(s.b[s.i:s.i+len(w)]) != w {
		s.bad = true
		return
	}
	s.i += len(w)
}

func (s *scanner) digits() {
	start := s.i
	for s.i < len(s.b) && s.b[s.i]-'0' <= 9 {
		s.i++
	}
	if s.i == start {
		s.bad = true
	}
}

func (s *scanner) number() {
	if s.at('-') {
		s.i++
	}
	if s.at('0') {
		s.i++
	} else {
		s.digits()
	}
	if s.at('.') {
		s.i++
		s.digits()
	}
	if s.at('e') || s.at('E') {
		s.i++
		if s.at('+') || s.at('-') {
			s.i++
		}
		s.digits()
	}
}

const (
	ones  = 0x0101010101010101
	highs = 0x8080808080808080
)

// str steps over the string at s.i. Eight bytes at a time: a byte that is a
// quote, a backslash, below 0x20 or above 0x7f sets its high bit in m; a borrow
// can only set bits above such a byte, so the lowest one is exact.
func (s *scanner) str() {
	b, i := s.b, s.i+1
	for i < len(b) {
		if i+8 <= len(b) {
			x := binary.LittleEndian.Uint64(b[i:])
			m := (x | (x - 0x20*ones) | (x ^ '"'*ones - ones) | (x ^ '\\'*ones - ones)) & highs
			if m == 0 {
				i += 8
				continue
			}
			i += bits.TrailingZeros64(m) >> 3
		}
		switch c := b[i]; {
		case c == '\\':
			n := 2
			if i+1 >= len(b) || !plainEscape[b[i+1]] {
				n = s.escape(b[i:])
			}
			if n == 0 {
				s.i, s.bad = i, true
				return
			}
			i += n
		case c == '"':
			s.i = i + 1
			return
		case c < 0x20:
			s.i, s.bad = i, true
			return
		case c < 0x80:
			i++
		default:
			for i < len(b) && b[i] >= 0x80 {
				r, n := utf8.DecodeRune(b[i:])
				if r == utf8.RuneError && n <= 1 {
					s.i, s.bad = i, true
					return
				}
				i += n
			}
		}
	}
	s.i, s.bad = min(i, len(b)), true
}

// plainEscape are the letters of escapes that text is full of, and that nothing more is to be said of.
var plainEscape = [256]bool{'n': true, '"': true, 't': true, 'r': true, 'b': true, 'f': true}

// escape is the length of the escape that b begins with, 0 if it is none.
func (s *scanner) escape(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	if plainEscape[b[1]] {
		return 2
	}
	switch b[1] {
	case '\\': // JSON in a string has its own escapes
		s.odd = s.odd || len(b) > 2 && (b[2] == '/' || b[2] == 'u' || b[2] == '\\')
		return 2
	case '/':
		s.odd = true
		return 2
	case 'u':
		if len(b) < 6 || !isHex(b[2]) || !isHex(b[3]) || !isHex(b[4]) || !isHex(b[5]) {
			return 0
		}
		s.odd = true
		return 6
	}
	return 0
}

func isHex(c byte) bool { return c-'0' <= 9 || c|0x20 >= 'a' && c|0x20 <= 'f' }

// unquote is the text of a JSON string that a scanner has passed.
func unquote(quoted []byte) []byte {
	plain := quoted[1 : len(quoted)-1]
	for _, c := range plain {
		if c == '\\' {
			var text string
			if json.Unmarshal(quoted, &text) != nil {
				return plain
			}
			return []byte(text)
		}
	}
	return plain
}

// first is the byte that tells a value's type; 0 for none.
func first(value []byte) byte {
	if len(value) == 0 {
		return 0
	}
	return value[0]
}

func isString(value []byte) bool { return first(value) == '"' }
func isObject(value []byte) bool { return first(value) == '{' }
func isNumber(value []byte) bool { c := first(value); return c == '-' || c-'0' <= 9 }
func isNull(value []byte) bool   { return first(value) == 'n' }
