package main

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// member is a member of a JSON object by its exact name, nil when there is none: encoding/json would also take one
// that is spelled in another case.
func member(object []byte, name string) json.RawMessage {
	var found json.RawMessage
	eachMember(object, func(key string, value json.RawMessage) {
		if key == name {
			found = value
		}
	})
	return found
}

// textMember is a member that is a string, "" when there is none.
func textMember(object []byte, name string) string {
	var text string
	if raw := member(object, name); len(raw) == 0 || raw[0] != '"' || json.Unmarshal(raw, &text) != nil {
		return ""
	}
	return text
}

// without gives a JSON object without some members; the bytes of the others stay as they are.
func without(object []byte, names ...string) []byte {
	out := []byte{'{'}
	eachMember(object, func(key string, value json.RawMessage) {
		if slices.Contains(names, key) {
			return
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(tools.AppendString(out, key), ':'), value...)
	})
	return append(out, '}')
}

// eachMember walks over the members of a JSON object; it stops at the first fault.
func eachMember(object []byte, visit func(key string, value json.RawMessage)) {
	dec := json.NewDecoder(bytes.NewReader(object))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return
	}
	for dec.More() {
		key, err := dec.Token()
		name, ok := key.(string)
		var value json.RawMessage
		if err != nil || !ok || dec.Decode(&value) != nil {
			return
		}
		visit(name, value)
	}
}
