package tools

import (
	"encoding/json"
	"unicode/utf8"
)

// Room is what the payload and the data of an answer may still take together, in characters: what the payload shows, the
// data names again.
type Room struct {
	left int
	any  bool // something was taken
	full bool
}

// NewRoom is the room of a call with this max_chars.
func NewRoom(maxChars int) *Room { return &Room{left: Limit(maxChars)} }

// Takes reports whether an entry fits, by its line and what data says of it. See TakesSize.
func (r *Room) Takes(line string, entry any) bool {
	return !r.full && r.TakesSize(utf8.RuneCountInString(line)+SizeOf(entry))
}

// TakesSize reports whether an entry of n characters fits, and takes it. One always does; after the first that does not,
// none.
func (r *Room) TakesSize(n int) bool {
	if r.full = r.full || r.any && n > r.left; r.full {
		return false
	}
	r.left -= n
	r.any = true
	return true
}

// Spare takes n characters for what an answer can do without, if they are left.
func (r *Room) Spare(n int) bool {
	if n > r.left {
		return false
	}
	r.left -= n
	return true
}

// Full reports whether an entry had no place.
func (r *Room) Full() bool { return r.full }

// Fitting is how many elements of a list, one at least, have room in the data of an answer.
func Fitting[T any](list []T, maxChars int) int {
	r := NewRoom(maxChars)
	for i := range list {
		if !r.TakesSize(SizeOf(list[i])) {
			return i
		}
	}
	return len(list)
}

// SizeOf is how many bytes v has in the data of an answer, with the comma behind it.
func SizeOf(v any) int {
	raw, _ := json.Marshal(v) // what is answered marshals
	return len(raw) + 1
}
