package code

import (
	"bytes"
	"context"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// maxAliases is how many imports under another name a server is asked about for one question.
const maxAliases = 10

// What an import looks like up to a name that it brings in, and the name that is given to it.
var (
	importsUpTo = tools.Pattern(`(?:^|\n)[ \t]*(?:(?:from[ \t]+\S+[ \t]+)?import\b(?:[^\n()=;:{]*|[ \t]*\([^()=;:]*|[^\n;=()]*\{[^;=()}]*)|(?:pub[ \t]+)?use\b[^;=()]*|export[ \t]*\{[^;=()}]*)$`)
	givenName   = tools.Pattern(`^[ \t]+as[ \t]+[\pL_$]`)
)

// aliasAt gives where the name begins that an import gives in this file to the one from … to …, 0 when it gives none.
func aliasAt(src []byte, from, to int) int {
	m := givenName().FindIndex(src[to:min(len(src), to+200)])
	if m == nil {
		return 0
	}
	before := src[max(0, from-2000):from]
	if !importsUpTo().Match(before) {
		return 0
	}
	as := bytes.Index(src[to:], []byte("as")) + to + 2
	return as + len(src[as:]) - len(bytes.TrimLeft(src[as:], " \t"))
}

// follow adds the places of the names that imports give to a symbol, of servers that stop at the import.
func (t *tool) follow(ctx context.Context, c *tools.Call, k *talk, refs []hit) ([]hit, error) {
	has := amongHits(refs)
	asked := 0
	for _, w := range k.words {
		if w.alias == 0 || !has(w) || asked == maxAliases {
			continue
		}
		if has(hit{file: w.file, at: w.alias}) {
			continue // the server goes on by itself
		}
		asked++
		more, err := t.referring(ctx, c, k, w.file, w.alias)
		if err != nil {
			return nil, err
		}
		for _, h := range more {
			if h.at != w.alias || h.file != w.file {
				refs = append(refs, h)
			}
		}
	}
	return inOrder(refs), nil
}
