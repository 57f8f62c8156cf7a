package store

import (
	"bytes"
	"encoding/json"
	"errors"
)

// member is one member of a JSON object, its value as it stands in the text.
type member struct {
	name string
	raw  json.RawMessage
}

var errCut = errors.New("the text ends within a value")

// blank reports whether c is JSON white space.
func blank(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

func skipBlank(b []byte) []byte {
	for len(b) > 0 && blank(b[0]) {
		b = b[1:]
	}
	return b
}

// value cuts the first JSON value off b by its brackets and quotes alone. Whether it is valid is for the caller to
// know or to ask.
func value(b []byte) (v, rest []byte, err error) {
	b = skipBlank(b)
	depth, i := 0, 0
	for i < len(b) {
		switch c := b[i]; c {
		case '"':
			n := stringEnd(b[i:])
			if n < 0 {
				return nil, b, errCut
			}
			i += n
			if depth == 0 {
				return b[:i], b[i:], nil
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth < 0 {
				return b[:i], b[i:], nil
			}
			if depth == 0 {
				return b[:i+1], b[i+1:], nil
			}
		case ',', ':', ' ', '\n', '\t', '\r':
			if depth == 0 {
				return b[:i], b[i:], nil
			}
		}
		i++
	}
	if depth > 0 {
		return nil, b, errCut
	}
	return b, nil, nil
}

// stringEnd gives the length of the JSON string that b begins with, quotes included, -1 when it has no end.
func stringEnd(b []byte) int {
	for i := 1; ; {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			return -1
		}
		i += n
		slashes := 0
		for b[i-1-slashes] == '\\' {
			slashes++
		}
		i++
		if slashes%2 == 0 {
			return i
		}
	}
}

// membersOf splits an object that is known to be valid JSON. Of two members with one name the last counts, as it
// does in JavaScript.
func membersOf(object []byte) []member {
	rest := skipBlank(object)[1:]
	list := make([]member, 0, 10)
	var many map[string]int // an index, once there are too many to look through
	for {
		rest = skipBlank(rest)
		if rest[0] == '}' {
			return list
		}
		if rest[0] == ',' {
			rest = skipBlank(rest[1:])
		}
		n := stringEnd(rest)
		name := textOf(rest[:n])
		rest = skipBlank(rest[n:])[1:]
		var raw []byte
		raw, rest, _ = value(rest)
		if len(list) < 32 {
			list = put(list, name, raw)
			continue
		}
		if many == nil {
			many = map[string]int{}
			for i, m := range list {
				many[m.name] = i
			}
		}
		if i, twice := many[name]; twice {
			list[i].raw = raw
			continue
		}
		many[name] = len(list)
		list = append(list, member{name, raw})
	}
}

// put sets a member in place, or adds it at the end.
func put(list []member, name string, raw []byte) []member {
	for i := range list {
		if list[i].name == name {
			list[i].raw = raw
			return list
		}
	}
	return append(list, member{name, raw})
}

// elementsOf splits an array that is known to be valid JSON.
func elementsOf(array []byte) (list []json.RawMessage) {
	rest := skipBlank(array)[1:]
	for {
		rest = skipBlank(rest)
		if rest[0] == ']' {
			return list
		}
		if rest[0] == ',' {
			rest = rest[1:]
		}
		var raw []byte
		raw, rest, _ = value(rest)
		list = append(list, raw)
	}
}

// Merge gives the members of two JSON objects, those of the second where both have one. What is no object counts as
// an empty one; both must be valid JSON or empty.
func Merge(old, fresh json.RawMessage) json.RawMessage {
	var list []member
	for _, raw := range []json.RawMessage{old, fresh} {
		if b := skipBlank(raw); len(b) > 0 && b[0] == '{' {
			for _, m := range membersOf(b) {
				list = put(list, m.name, m.raw)
			}
		}
	}
	return appendObject(nil, list)
}
