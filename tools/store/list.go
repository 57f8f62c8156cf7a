package store

import (
	"bytes"
	"encoding/json"
	"iter"
	"slices"
	"strconv"
)

// List is a member that holds records. Elements that are no objects are kept, out of sight.
type List[T any] struct {
	items []*Item[T]
	odd   []json.RawMessage
	none  bool // the text has something else in its place
}

// list is what an Item needs of its List fields.
type list interface {
	parse(raw []byte)
	append(b []byte, between, end string) []byte
	detach()
	misread() bool
}

// Len is the number of records.
func (l *List[T]) Len() int { return len(l.items) }

// At gives record i.
func (l *List[T]) At(i int) *Item[T] { return l.items[i] }

// All gives the records in the order of the file.
func (l *List[T]) All() iter.Seq2[int, *Item[T]] { return slices.All(l.items) }

// Items gives the records as a slice of the caller's own.
func (l *List[T]) Items() []*Item[T] { return slices.Clone(l.items) }

// Find gives the index of the first record that f reports true for, or -1.
func (l *List[T]) Find(f func(v *T) bool) int {
	return slices.IndexFunc(l.items, func(it *Item[T]) bool { return f(&it.V) })
}

// Add puts a record at the end.
func (l *List[T]) Add(it *Item[T]) { l.items = append(l.items, it) }

// Insert puts a record before record i.
func (l *List[T]) Insert(i int, it *Item[T]) { l.items = slices.Insert(l.items, i, it) }

// Set puts a record in the place of record i.
func (l *List[T]) Set(i int, it *Item[T]) { l.items[i] = it }

// Change changes record i.
func (l *List[T]) Change(i int, change func(v *T)) { l.items[i] = l.items[i].With(change) }

// Remove takes out the records that f reports true for and gives their number.
func (l *List[T]) Remove(f func(v *T) bool) int {
	before := len(l.items)
	l.items = slices.DeleteFunc(l.items, func(it *Item[T]) bool { return f(&it.V) })
	return before - len(l.items)
}

// MarshalJSON gives the records as a JSON array.
func (l *List[T]) MarshalJSON() ([]byte, error) { return l.append(nil, "", ""), nil }

func (l *List[T]) detach() { l.items = slices.Clone(l.items) }

// misread reports whether the text has something else in the place of this list, or of one in its records.
func (l *List[T]) misread() bool {
	return l.none || slices.ContainsFunc(l.items, func(it *Item[T]) bool { return it.misread() != "" })
}

func (l *List[T]) parse(raw []byte) {
	if raw[0] != '[' {
		l.none = string(raw) != "null"
		return
	}
	elements := elementsOf(raw)
	l.items = make([]*Item[T], 0, len(elements))
	for _, e := range elements {
		if e[0] != '{' {
			l.odd = append(l.odd, e)
			continue
		}
		if bytes.IndexByte(e, '\n') >= 0 {
			var line bytes.Buffer
			_ = json.Compact(&line, e) // valid as part of a valid text
			e = line.Bytes()
		} else {
			e = bytes.Clone(e) // or one record would hold on to the whole text
		}
		it := new(Item[T])
		it.parse(e)
		l.items = append(l.items, it)
	}
}

// append writes the array; between is put in front of each element, end in front of the closing bracket.
func (l *List[T]) append(b []byte, between, end string) []byte {
	if len(l.items)+len(l.odd) == 0 {
		return append(b, "[]"...)
	}
	size := len(end) + 2
	for _, it := range l.items {
		size += len(between) + len(it.raw) + 1
	}
	b = append(slices.Grow(b, size), '[')
	for i, it := range l.items {
		if i > 0 {
			b = append(b, ',')
		}
		b = it.append(append(b, between...))
	}
	for i, raw := range l.odd {
		if i+len(l.items) > 0 {
			b = append(b, ',')
		}
		b = append(append(b, between...), raw...)
	}
	return append(append(b, end...), ']')
}

// maxID bounds the ids that are counted on: the other servers have no whole numbers above 2^53.
const maxID = 1 << 52

// NextID gives the id for a new record, one more than last and than every numeric id of the list, and what to keep
// as last. Ids of removed records do not come back. A last that no counter reaches does not count.
func NextID[T any](l *List[T], last int64, id func(v *T) string) (string, int64) {
	if last < 0 || last >= maxID {
		last = 0
	}
	for _, it := range l.items {
		if n, err := strconv.ParseInt(id(&it.V), 10, 53); err == nil {
			last = max(last, n)
		}
	}
	last++
	return strconv.FormatInt(last, 10), last
}
