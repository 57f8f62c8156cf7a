package code

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
)

// place of a symbol in a list whose elements commas part.
type listPlace int

const (
	none   listPlace = iota // it is in no such list
	inside                  // a comma follows it
	last                    // none does
)

// commas tells where a symbol stands in a list of members, keys or fields that commas part.
func commas(f *parsed, s *syntax.Symbol) listPlace {
	switch s.Kind {
	case syntax.Member, syntax.Key, syntax.Field:
	default:
		return none
	}
	if bytes.HasPrefix(bytes.TrimLeft(f.text[s.End:], " \t\r\n"), []byte(",")) {
		return inside
	}
	if f.lang.ID == "yaml" || f.lang.ID == "php" {
		return none
	}
	before := bytes.TrimRight(f.text[:leading(f.text, s.Start, f.lang)], " \t\r\n")
	alone := bytes.HasSuffix(before, []byte("{")) && (f.lang.ID == "json" || s.Kind == syntax.Member)
	if bytes.HasSuffix(before, []byte(",")) || alone {
		return last
	}
	return none
}

// commaBefore finds the comma in front of the last key of an object: JSON takes none behind the one before.
func commaBefore(f *parsed, s *syntax.Symbol) (at int, ok bool) {
	if f.lang.ID != "json" {
		return 0, false
	}
	before := bytes.TrimRight(f.text[:s.Start], " \t\r\n")
	after := bytes.TrimLeft(f.text[s.End:], " \t\r\n")
	return len(before) - 1, bytes.HasSuffix(before, []byte(",")) && (bytes.HasPrefix(after, []byte("}")) || bytes.HasPrefix(after, []byte("]")))
}

// withKey puts the key of a pair of JSON in front of a text that is the new value alone.
func withKey(f *parsed, s *syntax.Symbol, text string) string {
	if f.lang.ID != "json" || s.Kind != syntax.Key || !json.Valid([]byte(text)) {
		return text
	}
	pair := f.text[s.Start:s.End]
	dec := json.NewDecoder(bytes.NewReader(pair))
	if key, err := dec.Token(); err != nil || key == nil {
		return text
	}
	at := int(dec.InputOffset())
	colon := bytes.IndexByte(pair[at:], ':')
	if colon < 0 || strings.TrimSpace(string(pair[at:at+colon])) != "" {
		return text
	}
	value := at + colon + 1
	value += len(pair[value:]) - len(bytes.TrimLeft(pair[value:], " \t"))
	return string(slices.Concat(pair[:value], []byte(strings.TrimSpace(text))))
}
