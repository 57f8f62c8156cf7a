package fs

import (
	"encoding/json"
	"strconv"
)

// room is how many characters are left of an answer, for its payload and its data together: what the payload shows, the
// data names again.
type room int

// take reports whether a line of the payload and its element of the data have room, and takes it.
func (r *room) take(line, element int) bool {
	*r -= room(line + element)
	return *r >= 0
}

// jsonSize is how many bytes v has in an answer.
func jsonSize(v any) int {
	b, _ := json.Marshal(v) // what is answered marshals
	return len(b) + 1
}

// size is jsonSize, reckoned: long listings are made of entries. Characters that need an escape are hardly met.
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
