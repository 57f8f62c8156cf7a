package tree

import (
	"bytes"
	"encoding/binary"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

const maxText = 500 // characters of a line that are shown

// shown makes a line fit to be shown: valid UTF-8, and of a long one the part
// around from, with dots where it was cut.
func shown(line []byte, from int) (text string, cut, lossy bool) {
	front, back := "", ""
	if len(line) > maxText && utf8.RuneCount(line) > maxText {
		start := backward(line, min(max(from, 0), len(line)), maxText/5)
		end := forward(line, start, maxText)
		start = backward(line, end, maxText)
		if start > 0 {
			front = "…"
		}
		if end < len(line) {
			back = "…"
		}
		line, cut = line[start:end], true
	}
	lossy = !utf8.Valid(line)
	text = string(line)
	if lossy {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	return front + text + back, cut, lossy
}

// backward goes n characters back from i.
func backward(b []byte, i, n int) int {
	for ; n > 0 && i > 0; n-- {
		_, size := utf8.DecodeLastRune(b[:i])
		i -= size
	}
	return i
}

func forward(b []byte, i, n int) int {
	for ; n > 0 && i < len(b); n-- {
		_, size := utf8.DecodeRune(b[i:])
		i += size
	}
	return i
}

// looksBinary tells by a NUL in the first block.
func looksBinary(b []byte) bool { return bytes.IndexByte(b[:min(len(b), 64<<10)], 0) >= 0 }

// utf16Order gives the byte order that a byte order mark tells, nil without one.
func utf16Order(b []byte) binary.ByteOrder {
	switch {
	case bytes.HasPrefix(b, []byte{0xFF, 0xFE}) && !bytes.HasPrefix(b, []byte{0xFF, 0xFE, 0, 0}):
		return binary.LittleEndian
	case bytes.HasPrefix(b, []byte{0xFE, 0xFF}):
		return binary.BigEndian
	}
	return nil
}

// decodeUTF16 appends UTF-16 text without its byte order mark to dst as UTF-8.
func decodeUTF16(dst, b []byte, order binary.ByteOrder) []byte {
	for ; len(b) > 1; b = b[2:] {
		r := rune(order.Uint16(b))
		if utf16.IsSurrogate(r) {
			r2 := utf8.RuneError
			if len(b) > 3 {
				r2 = rune(order.Uint16(b[2:]))
			}
			if r = utf16.DecodeRune(r, r2); r != utf8.RuneError {
				b = b[2:]
			}
		}
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

// dropReturns turns \r\n into \n, in place.
func dropReturns(b []byte) []byte {
	if bytes.IndexByte(b, '\r') < 0 {
		return b
	}
	out := b[:0]
	for i, c := range b {
		if c != '\r' || i+1 == len(b) || b[i+1] != '\n' {
			out = append(out, c)
		}
	}
	return out
}
