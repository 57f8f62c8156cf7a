package lsp

import (
	"bytes"
	"unicode/utf8"
)

// Lines is how a server counts the lines of a text and the characters of a line. \n ends a line for all of them, what else does
// not: LSP 3.17 has a lone \r end one too, and servers that were not written for it keep to what their language takes for a line.
type Lines struct {
	Encoding
	CR         bool // a lone \r ends a line
	Separators bool // U+2028 and U+2029 do
}

// Position gives the place of a byte of a text.
func (l Lines) Position(text []byte, at int) Position {
	at = max(0, min(at, len(text)))
	line, start := 0, 0
	for {
		_, next := l.cut(text[start:])
		if next == 0 || start+next > at {
			return Position{Line: line, Character: l.Units(text[start:], at-start)}
		}
		line, start = line+1, start+next
	}
}

// Offset gives the byte of a text that a place means, ok false where it is behind the last line.
func (l Lines) Offset(text []byte, p Position) (at int, ok bool) {
	start := 0
	for range p.Line {
		_, next := l.cut(text[start:])
		if next == 0 {
			return len(text), false
		}
		start += next
	}
	end, _ := l.cut(text[start:])
	return start + l.Bytes(text[start:start+end], p.Character), true
}

// cut gives where the first line of a text ends, and where the next one begins, 0 when there is none. A \r in front of \n counts
// as a part of the line, as it does for servers that do not count it.
func (l Lines) cut(text []byte) (end, next int) {
	end = bytes.IndexByte(text, '\n')
	next = end + 1
	if end < 0 {
		end = len(text)
	}
	if l.CR {
		if i := bytes.IndexByte(text[:end], '\r'); i >= 0 && i+1 != next-1 {
			end, next = i, i+1
		}
	}
	if l.Separators {
		for _, mark := range []string{"\u2028", "\u2029"} {
			if i := bytes.Index(text[:end], []byte(mark)); i >= 0 {
				end, next = i, i+len(mark)
			}
		}
	}
	return end, next
}

// Encoding is how a server counts characters of a line.
type Encoding string

// The encodings that we offer.
const (
	UTF8  Encoding = "utf-8"
	UTF16 Encoding = "utf-16" // what servers mean that say nothing
)

// Units counts the first n bytes of a line as the server does.
func (e Encoding) Units(line []byte, n int) int {
	n = min(n, len(line))
	if e == UTF8 {
		return n
	}
	units := 0
	for i := 0; i < n; {
		r, size := utf8.DecodeRune(line[i:])
		units++
		if r > 0xffff {
			units++
		}
		i += size
	}
	return units
}

// Bytes gives how many bytes of a line the first n units are.
func (e Encoding) Bytes(line []byte, n int) int {
	if e == UTF8 {
		return max(0, min(n, len(line)))
	}
	at := 0
	for n > 0 && at < len(line) {
		r, size := utf8.DecodeRune(line[at:])
		n--
		if r > 0xffff {
			n--
		}
		at += size
	}
	return at
}
