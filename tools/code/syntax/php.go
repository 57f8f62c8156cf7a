//go:build cgo

package syntax

import (
	"bytes"
	"regexp"
	"sync"

	sitter "github.com/tree-sitter/go-tree-sitter"
)

// The constants of enums of PHP, which the grammar does not know: they are read as cases.

var (
	enumHead = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)\benum\s+\w+\s*(?::\s*\w+\s*)?(?:implements\s+[\w\\,\s]+)?\{`)
	})
	enumConst = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)^((?:(?:final|public|protected|private)\s+)*const\s+(?:[?\w\\|&]+\s+)?)\w+\s*=`)
	})
)

// enumConstants gives the places of the words in front of the names of constants that stand in enums.
func enumConstants(lang *Language, src []byte) []Span {
	heads := enumHead().FindAllIndex(src, -1)
	if len(heads) == 0 {
		return nil
	}
	list := lex(lang, src)
	var spans []Span
	for _, head := range heads {
		if within(list, head[0]) {
			continue
		}
		for at, depth := head[1], 1; at < len(src) && depth > 0; at++ {
			for len(list) > 0 && list[0].End <= at {
				list = list[1:]
			}
			if len(list) > 0 && list[0].Start <= at {
				at = list[0].End - 1
				continue
			}
			switch c := src[at]; {
			case c == '{':
				depth++
			case c == '}':
				depth--
			case depth == 1 && bytes.IndexByte([]byte(" \t\r\n;{}]/"), src[at-1]) >= 0:
				if m := enumConst().FindSubmatchIndex(src[at:]); m != nil {
					spans = append(spans, Span{at, at + m[3]})
					at += m[3] - 1
				}
			}
		}
	}
	return spans
}

// isCase reports whether a case of an enum is one in the source itself.
func isCase(n *sitter.Node, src []byte) bool {
	for i := range n.ChildCount() {
		if c := n.Child(i); c.Kind() == "case" {
			return bytes.EqualFold(src[c.StartByte():c.EndByte()], []byte("case"))
		}
	}
	return true
}
