package tree

import "encoding/binary"

const (
	ones = 0x0101010101010101
	high = 0x8080808080808080
)

// lowerInPlace turns A-Z into lower case, eight bytes at a time, and tells
// whether there is a byte beyond ASCII.
func lowerInPlace(b []byte) (beyond bool) {
	var seen uint64
	i := 0
	for ; i+8 <= len(b); i += 8 {
		x := binary.LittleEndian.Uint64(b[i:])
		seen |= x
		low := x &^ high
		upper := (low + (0x80-'A')*ones) &^ (low + (0x80-'Z'-1)*ones) &^ x & high
		binary.LittleEndian.PutUint64(b[i:], x|upper>>2)
	}
	for ; i < len(b); i++ {
		c := b[i]
		seen |= uint64(c)
		if c >= 'A' && c <= 'Z' {
			b[i] = c | 0x20
		}
	}
	return seen&high != 0
}

func isASCII(b []byte) bool {
	i := 0
	for ; i+8 <= len(b); i += 8 {
		if binary.LittleEndian.Uint64(b[i:])&high != 0 {
			return false
		}
	}
	for ; i < len(b); i++ {
		if b[i] >= 0x80 {
			return false
		}
	}
	return true
}
