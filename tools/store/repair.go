package store

import (
	"bytes"
	"encoding/json"
)

// whole gives the one JSON object that text is, or, when it is not, an object of all members and records of it
// that can still be read, and why. Nothing readable gives a nil object.
func whole(text []byte) (object []byte, fault string) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	trimmed := bytes.TrimSpace(text)
	if json.Valid(text) {
		if trimmed[0] == '{' {
			return trimmed, ""
		}
		return nil, "it holds no object"
	}
	if len(trimmed) == 0 || trimmed[0] != '{' {
		return nil, "it is no JSON"
	}
	if first, _, err := value(trimmed); err == nil && json.Valid(first) {
		return first, "something follows the end of the JSON"
	}
	effort := effortPerByte * len(trimmed)
	members := readable(trimmed[1:], &effort)
	if len(members) == 0 {
		return nil, "it is no JSON"
	}
	return appendObject(nil, members), "a part of it cannot be read"
}

// effortPerByte is how often, on average, a byte of a broken text is looked at: what never closes is read to the end
// each time.
const effortPerByte = 24

// readable gives the members of a broken object that begin it, up to where it breaks. The last one may be an array
// that lost some of its elements. It gives up, with what it has, when the effort (in bytes) is spent.
func readable(rest []byte, effort *int) (list []member) {
	for {
		rest = skipBlank(rest)
		if len(rest) > 0 && rest[0] == ',' {
			rest = skipBlank(rest[1:])
		}
		if len(rest) == 0 || rest[0] != '"' {
			return list
		}
		n := stringEnd(rest)
		if n < 0 || !json.Valid(rest[:n]) {
			return list
		}
		name := textOf(rest[:n])
		rest = skipBlank(rest[n:])
		if len(rest) == 0 || rest[0] != ':' {
			return list
		}
		rest = skipBlank(rest[1:])
		raw, after, err := value(rest)
		switch {
		case err == nil && json.Valid(raw):
			rest = after
		case len(rest) > 0 && rest[0] == '[':
			raw, rest = readableArray(rest[1:], effort)
		default:
			return list
		}
		list = put(list, name, raw)
	}
}

// readableArray gives an array of the elements that are whole. After a broken one it goes on at the next line that
// begins with a record.
func readableArray(rest []byte, effort *int) (array, after []byte) {
	array = []byte{'['}
	for {
		rest = skipBlank(rest)
		if len(rest) > 0 && rest[0] == ',' {
			rest = skipBlank(rest[1:])
		}
		if len(rest) > 0 && rest[0] == ']' {
			return append(array, ']'), rest[1:]
		}
		raw, next, err := tried(rest, effort)
		if err == nil && json.Valid(raw) {
			if len(array) > 1 {
				array = append(array, ',')
			}
			array, rest = append(array, raw...), next
			continue
		}
		if next = nextRecord(rest, effort); next == nil {
			return append(array, ']'), nil
		}
		rest = next
	}
}

// nextRecord finds the next line of b that begins with a whole object with an id.
func nextRecord(b []byte, effort *int) []byte {
	for *effort > 0 {
		n := bytes.IndexByte(b, '\n')
		if n < 0 {
			return nil
		}
		*effort -= n
		b = skipBlank(b[n:])
		if len(b) == 0 || b[0] != '{' {
			continue
		}
		raw, _, err := tried(b, effort)
		if err != nil || !json.Valid(raw) {
			continue
		}
		for _, m := range membersOf(raw) {
			if m.name == "id" {
				return b
			}
		}
	}
	return nil
}

// tried is value, at the cost of the bytes that it reads.
func tried(b []byte, effort *int) (v, rest []byte, err error) {
	v, rest, err = value(b)
	if *effort -= len(v); err != nil {
		*effort -= len(b)
	}
	return v, rest, err
}
