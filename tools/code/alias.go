package code

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"strings"

	"github.com/hanzoai/hanzo-mcp/sandbox"
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

// newName is a name under which a file hands another one's symbol on.
type newName struct {
	name string
	by   hit
}

// handsOn matches a line that imports for others.
var handsOn = tools.Pattern(`^\s*(export|pub\b.*\buse)\b`)

// givenOn gives the names, a few, under which some of the places of a name hand it on to other files.
func (t *tool) givenOn(ctx context.Context, c *tools.Call, hits []hit) []newName {
	var names []newName
	for _, h := range hits {
		if h.alias == 0 || len(names) == maxOthers {
			continue
		}
		f := t.parsedFile(ctx, c, h.file)
		if f == nil {
			continue
		}
		_, line, start := lineOf(f.text, h.alias)
		if path.Base(h.file) != "__init__.py" && !handsOn().Match(line) {
			continue
		}
		from, to := wordAt(line, h.alias-start)
		if string(line[from:to]) == "default" { // who imports it gives it any name
			continue
		}
		names = append(names, newName{string(line[from:to]), h})
	}
	return names
}

// warnGivenOn tells of the names under which places that were compared hand the name on.
func (t *tool) warnGivenOn(ctx context.Context, c *tools.Call, hits []hit) {
	var told []string
	for _, n := range t.givenOn(ctx, c, hits) {
		told = append(told, fmt.Sprintf("%s (%s:%d)", sandbox.Printable(n.name), sandbox.Printable(n.by.file), n.by.line))
	}
	if len(told) > 0 {
		c.Warn("it is handed on to other files under other names, ask for those too: " + strings.Join(told, ", "))
	}
}

// underNewNames gives the places of the names under which a name is handed on.
func (t *tool) underNewNames(ctx context.Context, c *tools.Call, k *talk, l look) ([]hit, error) {
	var hits []hit
	for _, n := range t.givenOn(ctx, c, k.words) {
		found, err := t.words(ctx, &tools.Call{Roots: c.Roots}, k.root, n.name, look{lang: l.lang})
		if err != nil {
			return nil, err
		}
		hits = append(hits, found.hits...)
	}
	return hits, nil
}
