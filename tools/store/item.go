package store

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

// Item is a JSON object: V holds the members that T declares by its json tags, and all others are kept as they
// were found. A member of another type than T declares is kept too, until V sets it. An Item and its V are never
// changed once made, so that many calls may look at them; With makes a changed one.
type Item[T any] struct {
	V T

	members []member
	raw     []byte // the object as it is written; nil until it is asked for
	folded  atomic.Pointer[string]
}

// NewItem makes a record that holds v alone.
func NewItem[T any](v T) *Item[T] {
	it := &Item[T]{V: v}
	it.sync(nil, true)
	return it
}

// With gives a copy with the change made. The lists and maps of V must be replaced, not written into, but for
// fields of type List, which are copies already.
func (it *Item[T]) With(change func(v *T)) *Item[T] {
	return it.with(change, true)
}

// with is With that may leave the lists to whoever writes the item.
func (it *Item[T]) with(change func(v *T), lists bool) *Item[T] {
	next := &Item[T]{V: it.V, members: slices.Clone(it.members)}
	v := reflect.ValueOf(&next.V).Elem()
	for _, f := range fieldsOf(v.Type()) {
		if l, ok := v.Field(f.index).Addr().Interface().(list); ok {
			l.detach()
		}
	}
	change(&next.V)
	next.sync(it, lists)
	return next
}

// Folded caches text made of the record for searching: it calls text once and folds what it gives.
func (it *Item[T]) Folded(text func(v *T) string) string {
	if p := it.folded.Load(); p != nil {
		return *p
	}
	s := Fold(text(&it.V))
	it.folded.Store(&s)
	return s
}

// UnmarshalJSON reads an object. Members of unexpected types do not fail.
func (it *Item[T]) UnmarshalJSON(b []byte) error {
	var object bytes.Buffer
	if err := json.Compact(&object, b); err != nil {
		return err
	}
	if b = object.Bytes(); b[0] != '{' {
		return &json.UnmarshalTypeError{Value: string(b[:1]), Type: reflect.TypeFor[T]()}
	}
	it.parse(b)
	return nil
}

// MarshalJSON gives the object as it stands in the file.
func (it *Item[T]) MarshalJSON() ([]byte, error) { return it.append(nil), nil }

// parse reads a valid object, which the item keeps.
func (it *Item[T]) parse(object []byte) {
	it.members = membersOf(object)
	v := reflect.ValueOf(&it.V).Elem()
	for _, f := range fieldsOf(v.Type()) {
		for _, m := range it.members {
			if m.name == f.name {
				read(m.raw, v.Field(f.index))
				break
			}
		}
	}
	it.raw = object
}

// sync brings the members to what V says, where it differs from the item that it came from.
func (it *Item[T]) sync(old *Item[T], lists bool) {
	v := reflect.ValueOf(&it.V).Elem()
	for _, f := range fieldsOf(v.Type()) {
		field := v.Field(f.index)
		if l, ok := field.Addr().Interface().(list); ok {
			var raw []byte
			if lists {
				raw = l.append(nil, "", "")
			}
			it.members = put(it.members, f.name, raw)
			continue
		}
		if old != nil {
			was := reflect.ValueOf(&old.V).Elem().Field(f.index)
			if reflect.DeepEqual(field.Interface(), was.Interface()) {
				continue
			}
		}
		if f.omitEmpty && field.IsZero() {
			it.members = slices.DeleteFunc(it.members, func(m member) bool { return m.name == f.name })
			continue
		}
		it.members = put(it.members, f.name, write(field))
	}
	it.raw = nil
}

// misread gives the first member that is declared a list, or holds such a one, and is none; "" when all are.
func (it *Item[T]) misread() string {
	v := reflect.ValueOf(&it.V).Elem()
	for _, f := range fieldsOf(v.Type()) {
		if l, ok := v.Field(f.index).Addr().Interface().(list); ok && l.misread() {
			return f.name
		}
	}
	return ""
}

// slim lets go of the text that a document was read from or written as; its lists hold their own.
func (it *Item[T]) slim() {
	it.raw = nil
	v := reflect.ValueOf(&it.V).Elem()
	for i, m := range it.members {
		it.members[i].raw = bytes.Clone(m.raw)
		for _, f := range fieldsOf(v.Type()) {
			if _, ok := v.Field(f.index).Addr().Interface().(list); ok && f.name == m.name {
				it.members[i].raw = nil
			}
		}
	}
}

// append gives the object in one line. Only the goroutine that made the item may be first to call it.
func (it *Item[T]) append(b []byte) []byte {
	if it.raw == nil {
		it.raw = appendObject(nil, it.members)
	}
	return append(b, it.raw...)
}

// appendObject writes an object in one line.
func appendObject(b []byte, members []member) []byte {
	b = append(b, '{')
	for i, m := range members {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, encode(m.name)...), ':'), m.raw...)
	}
	return append(b, '}')
}

// appendFile writes the item as a file: a member in a line, and a record of a list in a line, so that a broken line
// costs one record, and people can read and compare.
func (it *Item[T]) appendFile(b []byte) []byte {
	v := reflect.ValueOf(&it.V).Elem()
	b = append(b, '{')
members:
	for i, m := range it.members {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, "\n  "...), encode(m.name)...), ": "...)
		for _, f := range fieldsOf(v.Type()) {
			if l, ok := v.Field(f.index).Addr().Interface().(list); ok && f.name == m.name {
				b = l.append(b, "\n    ", "\n  ")
				continue members
			}
		}
		b = append(b, m.raw...)
	}
	return append(b, "\n}\n"...)
}

// field is a declared member of a document type.
type field struct {
	name      string
	index     int
	omitEmpty bool
}

var fieldCache sync.Map // reflect.Type → []field

func fieldsOf(t reflect.Type) []field {
	if cached, ok := fieldCache.Load(t); ok {
		return cached.([]field)
	}
	var fields []field
	for i := range t.NumField() {
		name, option, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name != "" {
			fields = append(fields, field{name, i, option == "omitempty"})
		}
	}
	fieldCache.Store(t, fields)
	return fields
}

// read puts a raw value into a field. A string field takes the text of any other value, a list of strings takes
// one, a number takes its text or 7.0; what does not fit leaves the field zero.
func read(raw []byte, field reflect.Value) {
	switch p := field.Addr().Interface().(type) {
	case list:
		p.parse(raw)
	case *string:
		if string(raw) != "null" {
			*p = textOf(raw)
		}
	case *[]string:
		switch raw[0] {
		case '[':
			for _, e := range elementsOf(raw) {
				*p = append(*p, textOf(e))
			}
		case '"':
			*p = []string{textOf(raw)}
		}
	case *int64:
		if n, err := strconv.ParseFloat(textOf(raw), 64); err == nil && n == math.Trunc(n) && math.Abs(n) < 1<<53 {
			*p = int64(n)
		}
	default:
		if json.Unmarshal(raw, p) != nil {
			field.SetZero()
		}
	}
}

func write(field reflect.Value) []byte {
	if p, ok := field.Addr().Interface().(*[]string); ok && *p == nil {
		return []byte("[]")
	}
	return encode(field.Interface())
}

// textOf is the text of a JSON string, and any other value as it is written.
func textOf(raw []byte) string {
	if raw[0] != '"' {
		return string(raw)
	}
	if inner := raw[1 : len(raw)-1]; bytes.IndexByte(inner, '\\') < 0 && isASCII(inner) {
		return string(inner)
	}
	var s string
	_ = json.Unmarshal(raw, &s) // it is part of a valid text
	return s
}

func isASCII(b []byte) bool {
	for _, c := range b {
		if c >= 0x80 {
			return false
		}
	}
	return true
}

// encode writes v without HTML escaping, in one line.
func encode(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return []byte("null") // declared fields are text, numbers, lists and raw values of valid texts
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
