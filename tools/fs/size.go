package fs

import "strconv"

// size is tools.SizeOf, reckoned: long listings are made of entries. Characters that need an escape are hardly met.
func (e *entry) size() int {
	n := len(`{"name":"","type":"","size":},`) + len(e.Name) + len(e.Type) + digits(e.Size)
	if e.Modified != "" {
		n += len(`,"mtime":""`) + len(e.Modified)
	}
	return n
}

func (h *hit) size() int {
	return len(`{"path":"","line":,"column":},`) + len(h.Path) + digits(int64(h.Line)) + digits(int64(h.Column))
}

func digits(n int64) int {
	var b [20]byte
	return len(strconv.AppendInt(b[:0], n, 10))
}
