package door

import (
	"bytes"
	"slices"
)

// Servers whose serializers write each member that is not set as null are common. To clients null is a wrong type, which
// would cost them the whole list; it means that the member is absent, so it is taken out.

// nullable are the members of a tool that count as absent when they are null, by the object they are members of.
var nullable = map[string][]string{
	"":             {"title", "description", "annotations", "outputSchema", "_meta", "icons", "execution"},
	"annotations":  {"title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"},
	"inputSchema":  {"properties", "required"},
	"outputSchema": {"properties", "required"},
}

// withoutNulls is a tool without such members; all else keeps its bytes. A tool without any is given back as it is.
func withoutNulls(raw []byte) []byte {
	if !isObject(raw) || !bytes.Contains(raw, []byte("null")) {
		return raw
	}
	return cutNulls(raw, "")
}

// cutNulls is withoutNulls for the member of this name, and for the whole with the name "".
func cutNulls(raw []byte, of string) []byte {
	var out []byte
	found := false
	s := scanner{b: raw}
	for s.enter(); s.member(); {
		name, key := string(s.name()), s.key
		value := s.value(1)
		if isNull(value) && slices.Contains(nullable[of], name) {
			found = true
			continue
		}
		if of == "" && nullable[name] != nil && isObject(value) {
			inner := cutNulls(value, name)
			found = found || len(inner) != len(value)
			value = inner
		}
		out = append(append(append(append(out, ','), key...), ':'), value...)
	}
	if !found {
		return raw
	}
	if out == nil {
		return []byte("{}")
	}
	out[0] = '{'
	return append(out, '}')
}
