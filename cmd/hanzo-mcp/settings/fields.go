package settings

import (
	"fmt"
	"strings"
)

// scope says from which files a key is taken.
type scope uint8

const (
	trusted  scope = iota // the user file and trusted projects
	userOnly              // the user file alone, whatever is trusted
	narrows               // any file; of an untrusted project only what makes things stricter
)

// field is one key of the settings: how it is read, merged, dropped and shown. The table of all of them is the one
// description of the format.
type field struct {
	key   string
	scope scope
	read  func(*values, node) error
	merge func(into, from *values) // from is the higher tier
	drop  func(*values)
	rows  func(*values) []row
	// narrow leaves only what an untrusted project may say and reports whether something was left out. Set where the scope
	// is narrows.
	narrow func(v *values, root string) bool
}

// row is a line of Print.
type row struct {
	key, value string
	origin     Origin
}

// single is a key with one value; a higher tier replaces it.
func single[T any](key string, s scope, at func(*values) *Value[T], read func(node) (T, error), show func(T) string) field {
	return field{
		key: key, scope: s,
		read: func(v *values, n node) error {
			value, err := read(n)
			*at(v) = Value[T]{value, n.origin()}
			return err
		},
		merge: func(into, from *values) {
			if at(from).IsSet() {
				*at(into) = *at(from)
			}
		},
		drop: func(v *values) { *at(v) = Value[T]{} },
		rows: func(v *values) []row {
			if !at(v).IsSet() {
				return nil
			}
			return []row{{key, show(at(v).V), at(v).Origin}}
		},
	}
}

// list is a key with a list of values; tiers add up.
func list[T any](key string, s scope, at func(*values) *[]Value[T], read func(node) (T, error), show func(T) string) field {
	return field{
		key: key, scope: s,
		read: func(v *values, n node) error {
			items, err := n.items()
			if err != nil {
				return err
			}
			for _, item := range items {
				value, err := read(item)
				if err != nil {
					return err
				}
				*at(v) = append(*at(v), Value[T]{value, item.origin()})
			}
			return nil
		},
		merge: func(into, from *values) { *at(into) = append(*at(into), *at(from)...) },
		drop:  func(v *values) { *at(v) = nil },
		rows: func(v *values) []row {
			var rows []row
			for _, item := range *at(v) {
				rows = append(rows, row{key, show(item.V), item.Origin})
			}
			return rows
		},
	}
}

// named is a key with values by name, in file order. A higher tier's value of the same name is joined over the lower's.
func named[T any](key string, s scope, at func(*values) *[]Value[T], read func(string, node) (T, error), name func(T) string, join func(low, high T) T, show func(T) string) field {
	f := list(key, s, at, func(node) (T, error) { var none T; return none, nil }, show)
	f.read = func(v *values, n node) error {
		members, err := n.members()
		if err != nil {
			return err
		}
		for _, m := range members {
			value, err := read(m.key, m.node)
			if err != nil {
				return err
			}
			*at(v) = append(*at(v), Value[T]{value, m.origin()})
		}
		return nil
	}
	f.merge = func(into, from *values) {
		for _, high := range *at(from) {
			known := false
			for i, low := range *at(into) {
				if known = name(low.V) == name(high.V); known {
					(*at(into))[i] = Value[T]{join(low.V, high.V), high.Origin}
					break
				}
			}
			if !known {
				*at(into) = append(*at(into), high)
			}
		}
	}
	return f
}

func narrowed(f field, narrow func(v *values, root string) bool) field {
	f.narrow = narrow
	return f
}

func plain(text string) string { return printable(text) }

func texts(list []string) string {
	shown := make([]string, len(list))
	for i, text := range list {
		shown[i] = fmt.Sprintf("%q", text)
	}
	return "[" + strings.Join(shown, ", ") + "]"
}

func onOff(b bool) string { return fmt.Sprint(b) }

// replace is the join of values that do not mix.
func replace[T any](_, high T) T { return high }
