package syntax

import "bytes"

// WithoutLastCommas gives JSON with spaces for the commas behind the last values of its objects and lists, which the files
// of some programs may have.
func WithoutLastCommas(src []byte) []byte {
	out := bytes.Clone(src)
	comma := -1 // the last one that nothing has followed
	for i := 0; i < len(out); i++ {
		switch c := out[i]; {
		case c == '"':
			for i++; i < len(out) && out[i] != '"' && out[i] != '\n'; i++ {
				if out[i] == '\\' {
					i++
				}
			}
			comma = -1
		case bytes.HasPrefix(out[i:], []byte("//")):
			if end := bytes.IndexByte(out[i:], '\n'); end >= 0 {
				i += end
				continue
			}
			return out
		case bytes.HasPrefix(out[i:], []byte("/*")):
			end := bytes.Index(out[i+2:], []byte("*/"))
			if end < 0 {
				return out
			}
			i += end + 3
		case c == ',':
			if comma >= 0 { // two of them are a fault
				return bytes.Clone(src)
			}
			comma = i
		case (c == '}' || c == ']') && comma > 0:
			out[comma] = ' '
			comma = -1
		case c > ' ':
			comma = -1
		}
	}
	return out
}
