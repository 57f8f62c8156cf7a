package door

import (
	"bytes"
	"crypto/sha256"
	"math"
	"slices"
	"strconv"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/mark3labs/mcp-go/mcp"
)

// Tool is one tool of the door's list.
type Tool struct {
	Name     string
	Raw      []byte // the object as the door gave it, on one line
	ReadOnly bool   // annotations.readOnlyHint is true
}

// Reasons for which tools are left out of the list, the keys of Listing.Dropped.
const (
	dropObject    = "no object"
	dropMembers   = "ambiguous members"
	dropName      = "bad name"
	dropDuplicate = "listed twice"
	dropLocal     = "named like a local tool"
	dropSchema    = "inputSchema is none of an object"
	dropShape     = "a member of a wrong type"
	dropSize      = "over 64 KiB"
	dropHeader    = "bad x-mcp-header"
	dropCount     = "beyond 1,000"
	dropBytes     = "pages beyond the size limit"
	dropPages     = "pages that repeat or are too many"
	dropCursor    = "pages after a nextCursor that is no string"
)

// dropReasons are all of them, in the order in which they are told.
var dropReasons = []string{dropObject, dropMembers, dropName, dropDuplicate, dropLocal, dropSchema, dropShape, dropSize,
	dropHeader, dropCount, dropBytes, dropPages, dropCursor}

const (
	maxToolSize = 64 << 10
	maxToolName = 128
	maxExample  = 60 // bytes of a name in a line for a person
)

// builder makes an entry of the pages of a list.
type builder struct {
	entry
	local  map[string]bool
	pages  int
	cursor []byte // raw, nil on the last page
	full   bool   // there are as many tools as may be
	ttlSet bool
}

// maxExamples is how many tools that are left out are named, for each reason.
const maxExamples = 3

// drop counts what is left out; the name may be "".
func (b *builder) drop(reason, name string) {
	if b.Dropped == nil {
		b.Dropped, b.Examples = map[string]int{}, map[string][]string{}
	}
	b.Dropped[reason]++
	if name != "" && len(b.Examples[reason]) < maxExamples {
		b.Examples[reason] = append(b.Examples[reason], strconv.Quote(cut(name, maxExample)))
	}
}

// page takes one result of tools/list, valid JSON; false if it has no tools.
func (b *builder) page(result []byte) bool {
	if !valid(result) {
		return false
	}
	b.pages++
	b.cursor = nil
	found := false
	s := scanner{b: result}
	for s.enter(); s.member(); {
		switch string(s.name()) {
		case "tools":
			if !s.at('[') {
				return false
			}
			found = true
			for s.enter(); s.element(); {
				b.tool(s.value(2))
			}
		case "nextCursor":
			// Some doors count their pages: what is no string goes back as it came, too.
			if cursor := s.value(2); isString(cursor) && len(cursor) > len(`""`) || isNumber(cursor) {
				b.cursor = cursor
			} else if !isString(cursor) && !isNull(cursor) {
				b.drop(dropCursor, "")
			}
		case "_meta":
			if meta := s.value(2); b.Meta == nil && isObject(meta) {
				b.Meta = meta
			}
		case "ttlMs":
			b.freshFor(s.value(2))
		default:
			s.value(2)
		}
	}
	return found
}

// freshFor takes the shortest ttlMs of all pages.
func (b *builder) freshFor(ttl []byte) {
	ms, err := strconv.ParseFloat(string(ttl), 64)
	if err != nil || math.IsNaN(ms) {
		return
	}
	ms = min(max(ms, float64(minTTL.Milliseconds())), float64(maxTTL.Milliseconds()))
	if d := time.Duration(ms) * time.Millisecond; !b.ttlSet || d < b.ttl {
		b.ttl, b.ttlSet = d, true
	}
}

// tool adds a tool, or counts why it is left out: one that clients could not
// use, or could take for another one.
func (b *builder) tool(raw []byte) {
	if len(b.Tools) >= maxTools {
		b.full = true
		b.drop(dropCount, "")
		return
	}
	raw = withoutNulls(raw)
	t, schema, reason := readTool(raw)
	_, twice := b.readOnly[t.Name]
	switch {
	case reason != "":
	case twice:
		reason = dropDuplicate
	case b.local[plainName(t.Name)]:
		reason = dropLocal
	case !objectSchema(schema):
		reason = dropSchema
	case !wellShaped(raw):
		reason = dropShape
	default:
		reason = b.mirror(t, schema)
	}
	if reason != "" {
		b.drop(reason, t.Name)
		return
	}
	b.readOnly[t.Name] = t.ReadOnly
	b.Tools = append(b.Tools, t)
}

func readTool(raw []byte) (t Tool, schema []byte, reason string) {
	if !isObject(raw) {
		return t, nil, dropObject
	}
	t.Raw = raw
	var seen names
	s := scanner{b: raw}
	for s.enter(); s.member(); {
		name := s.name()
		if seen.add(name) {
			return t, nil, dropMembers
		}
		switch string(name) {
		case "name":
			if value := s.value(1); isString(value) {
				t.Name = string(unquote(value))
			}
		case "inputSchema":
			schema = s.value(1)
		case "annotations":
			if !s.at('{') {
				s.value(1)
				break
			}
			var hints names
			for s.enter(); s.member(); {
				hint := s.name()
				if hints.add(hint) {
					return t, nil, dropMembers
				}
				if value := s.value(2); string(hint) == "readOnlyHint" {
					t.ReadOnly = string(value) == "true"
				}
			}
		default:
			s.value(1)
		}
	}
	if len(raw) > maxToolSize {
		return t, nil, dropSize
	}
	if n := utf8.RuneCountInString(t.Name); n == 0 || n > maxToolName || !printable(t.Name) {
		return t, nil, dropName
	}
	return t, schema, ""
}

func printable(s string) bool {
	for _, r := range s {
		if !unicode.IsPrint(r) || r == utf8.RuneError {
			return false
		}
	}
	return true
}

// mirror keeps a tool whose arguments travel in headers too (x-mcp-header).
func (b *builder) mirror(t Tool, schema []byte) (reason string) {
	if !bytes.Contains(schema, []byte("x-mcp-header")) && !bytes.Contains(schema, []byte(`\u`)) {
		return ""
	}
	tool := &mcp.Tool{Name: t.Name, RawInputSchema: schema}
	if mcp.ValidateParamHeaderAnnotations(tool) != nil {
		return dropHeader
	}
	if len(mcp.ExtractParamHeaderBindings(tool)) > 0 {
		b.mirrored[t.Name] = tool
	}
	return ""
}

// done closes the entry: its freshness and the sum that tells it from others.
func (b *builder) done() *entry {
	if !b.ttlSet {
		b.ttl = defaultTTL
	}
	sums := make([][]byte, 0, len(b.Tools)) // in another order the list is the same
	for _, t := range b.Tools {
		one := sha256.Sum256(t.Raw)
		sums = append(sums, one[:])
	}
	slices.SortFunc(sums, bytes.Compare)
	b.sum = sha256.Sum256(append(bytes.Join(sums, nil), b.Meta...))
	return &b.entry
}
