package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Args are the canonical arguments of one call: declared names only, each once, in the order they came, null
// members gone. They are what rules and hooks judge, and what the action decodes.
type Args struct {
	members []member
	unknown []string // names that the tool does not declare, as given
}

type member struct {
	name string
	raw  json.RawMessage
}

// Raw gives the raw JSON of a parameter, nil when it is absent.
func (a Args) Raw(name string) json.RawMessage {
	for _, m := range a.members {
		if m.name == name {
			return m.raw
		}
	}
	return nil
}

// Has reports whether a parameter was given.
func (a Args) Has(name string) bool { return a.Raw(name) != nil }

// String gives a parameter as a string: the text of a string, "" when it is absent or of another type.
func (a Args) String(name string) string {
	var s string
	if raw := a.Raw(name); len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &s) == nil {
		return s
	}
	return ""
}

// Bool gives a parameter as a boolean with the same leniency as Decode; false when it is absent.
func (a Args) Bool(name string) bool {
	raw := a.Raw(name)
	if raw == nil {
		return false
	}
	b, err := lenientBool(raw)
	return err == nil && b
}

// Strings gives a parameter that is a string or a list of strings as a list; other values give nothing.
func (a Args) Strings(name string) []string {
	raw := a.Raw(name)
	if len(raw) == 0 {
		return nil
	}
	if raw[0] == '"' {
		return []string{a.String(name)}
	}
	var list []string
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	return list
}

// JSON gives the arguments as one JSON object, as hooks see them.
func (a Args) JSON() json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range a.members {
		if i > 0 {
			b.WriteByte(',')
		}
		name, _ := json.Marshal(m.name)
		b.Write(name)
		b.WriteByte(':')
		b.Write(m.raw)
	}
	b.WriteByte('}')
	return b.Bytes()
}

func (a *Args) set(name string, raw json.RawMessage) {
	a.members = append(a.members, member{name, raw})
}

// Take removes a parameter and gives its raw JSON, nil when it is absent: for Tool.Rewrite.
func (a *Args) Take(name string) json.RawMessage {
	for i, m := range a.members {
		if m.name == name {
			a.members = slices.Delete(a.members, i, i+1)
			return m.raw
		}
	}
	return nil
}

// Put gives a parameter a value unless it has one or raw is nil: for Tool.Rewrite.
func (a *Args) Put(name string, raw json.RawMessage) {
	if raw != nil && !a.Has(name) {
		a.set(name, raw)
	}
}

// Set gives a parameter a value, whatever it had: for Tool.Rewrite.
func (a *Args) Set(name string, raw json.RawMessage) {
	a.Take(name)
	a.Put(name, raw)
}

// Move gives a parameter another name, unless there is one of that name: for Tool.Rewrite.
func (a *Args) Move(from, to string) {
	if !a.Has(to) {
		a.Put(to, a.Take(from))
	}
}

// Texts makes text of the numbers and booleans of a call where a text is wanted: ids are shown as numbers, and callers
// give them back as such. For Tool.Rewrite.
func (a *Args) Texts(names ...string) {
	for _, name := range names {
		if raw := a.Raw(name); raw != nil && strings.IndexByte(`"{[`, raw[0]) < 0 {
			a.Set(name, Text(string(raw)))
		}
	}
}

// Text is a string as JSON.
func Text(s string) json.RawMessage { return AppendString(nil, s) }

// halfPair finds an escape in JSON that is one half of a surrogate pair without the other, "" when there is none. A decoder
// puts U+FFFD in its place, and so into files.
func halfPair(raw json.RawMessage) string {
	for i := 0; i+5 < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		if i++; raw[i] != 'u' {
			continue
		}
		unit := func(at int) uint64 {
			if at+5 >= len(raw) || raw[at] != '\\' || raw[at+1] != 'u' {
				return 0
			}
			n, _ := strconv.ParseUint(string(raw[at+2:at+6]), 16, 16)
			return n
		}
		switch n := unit(i - 1); {
		case n >= 0xd800 && n < 0xdc00:
			if low := unit(i + 5); low < 0xdc00 || low >= 0xe000 {
				return string(raw[i-1 : i+5])
			}
			i += 10
		case n >= 0xdc00 && n < 0xe000:
			return string(raw[i-1 : i+5])
		default:
			i += 4
		}
	}
	return ""
}

// members splits a JSON object into its members, in order. It fails on anything but an object.
func members(raw json.RawMessage) ([]member, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	tok, err := dec.Token()
	if err != nil {
		return nil, err
	}
	if tok != json.Delim('{') {
		return nil, fmt.Errorf("expected an object, got %s", kindOf(raw))
	}
	var list []member
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, err
		}
		list = append(list, member{key.(string), value})
	}
	return list, nil
}
