package git

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/hanzoai/hanzo-mcp/tools"
)

const (
	maxSubject = 300 // characters of a subject or a reflog's message in a list
	maxRefs    = 20  // of one commit
	maxBeside  = 100 // entries of a list that no limit and offset page
)

// shortened is a text that is one entry of a list: whole, unless it is very long.
func shortened(s string) string {
	if len(s) <= maxSubject {
		return s
	}
	n := 0
	for i := range s {
		if n++; n > maxSubject {
			return s[:i] + "…"
		}
	}
	return s
}

// budget is what payload and data of an answer may still take together, in characters.
type budget struct {
	left int
	any  bool // something was taken
	full bool
}

func newBudget(maxChars int) *budget { return &budget{left: tools.Limit(maxChars)} }

// takes reports whether an entry fits, by its line and what data says of it. One always does; after the first that does
// not, none.
func (b *budget) takes(line string, entry any) bool {
	if b.full {
		return false
	}
	n := utf8.RuneCountInString(line) + sizeOf(entry)
	if b.full = b.any && n > b.left; b.full {
		return false
	}
	b.left -= n
	b.any = true
	return true
}

// sizeOf is what an entry takes in data.
func sizeOf(entry any) int {
	raw, _ := json.Marshal(entry)
	return len(raw) + 1
}
