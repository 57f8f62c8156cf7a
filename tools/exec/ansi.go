package exec

import "bytes"

const (
	esc = 0x1b
	bel = 0x07
)

// strip removes terminal control sequences from b, in place. One that is broken or never ends takes no text with
// it: only its introducer goes. The time is linear: no byte is looked at more than twice.
func strip(b []byte) []byte {
	at := bytes.IndexByte(b, esc)
	if at < 0 {
		return b
	}
	out := b[:at]
	for at < len(b) {
		n, _ := sequence(b[at:])
		at += n
		next := bytes.IndexByte(b[at:], esc)
		if next < 0 {
			next = len(b) - at
		}
		out = append(out, b[at:at+next]...)
		at += next
	}
	return out
}

// sequence gives the length of the control sequence that b starts with (ECMA-48), and whether it is whole: more
// bytes may belong to one that is not.
func sequence(b []byte) (n int, whole bool) {
	if len(b) < 2 {
		return len(b), false
	}
	switch c := b[1]; {
	case c == '[': // CSI: parameters, intermediates, final
		i := span(b, 2, 0x30, 0x3f)
		i = span(b, i, 0x20, 0x2f)
		switch {
		case i == len(b):
			return i, false
		case b[i] >= 0x40 && b[i] <= 0x7e:
			return i + 1, true
		}
		return i, true
	case c == ']', c == 'P', c == 'X', c == '^', c == '_': // strings, ended by BEL (OSC) or ESC \
		for i := 2; i < len(b); i++ {
			switch {
			case b[i] == bel && c == ']':
				return i + 1, true
			case b[i] == esc && i+1 == len(b):
				return 2, false
			case b[i] == esc && b[i+1] == '\\':
				return i + 2, true
			case b[i] == esc, b[i] == '\n' && c == ']':
				return 2, true
			}
		}
		return 2, false
	case c >= 0x20 && c <= 0x2f: // ESC ( B and the like
		i := span(b, 2, 0x20, 0x2f)
		switch {
		case i == len(b):
			return i, false
		case b[i] >= 0x30 && b[i] <= 0x7e:
			return i + 1, true
		}
		return i, true
	case c >= 0x30 && c <= 0x7e:
		return 2, true
	}
	return 1, true
}

// span gives the index of the first byte from i on that is not between low and high.
func span(b []byte, i int, low, high byte) int {
	for i < len(b) && b[i] >= low && b[i] <= high {
		i++
	}
	return i
}
