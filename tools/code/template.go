package code

import (
	"bytes"
	"regexp"
	"sort"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// template is a replacement: texts, and groups of the match.
type template []piece

type piece struct {
	text  string
	group int // 0: text; n: the n-th group; -1: the whole match
}

// parseTemplate reads a replacement: $1, ${1}, ${name} and \1 are groups, $0 the whole match, $$ a dollar. A $ in front
// of what is no group stands for itself: code is full of them.
func parseTemplate(s string, re *regexp.Regexp) (template, error) {
	var out template
	var text strings.Builder
	group := func(n int) {
		if text.Len() > 0 {
			out = append(out, piece{text: text.String()})
			text.Reset()
		}
		if n == 0 {
			n = -1
		}
		out = append(out, piece{group: n})
	}
	for i := 0; i < len(s); i++ {
		rest := s[i+1:]
		switch {
		case s[i] == '$' && strings.HasPrefix(rest, "$"):
			text.WriteByte('$')
			i++
		case s[i] == '$' && strings.HasPrefix(rest, "{"):
			name, _, closed := strings.Cut(rest[1:], "}")
			n, used := number(name, re.NumSubexp())
			if used != len(name) || used == 0 {
				n = re.SubexpIndex(name)
			}
			if !closed || n < 0 {
				text.WriteByte('$')
				continue
			}
			group(n)
			i += len(name) + 2
		case s[i] == '$' || s[i] == '\\':
			digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
			n, used := number(rest, re.NumSubexp())
			switch {
			case used > 0:
				group(n)
				i += used
			case s[i] == '$' && digits > 0:
				return nil, tools.Errorf(tools.InvalidParams, "replacement: query has %d groups, and $%s is none of them ($$ is a dollar)", re.NumSubexp(), rest[:digits]).With(tools.Details{Param: "replacement"})
			default:
				text.WriteByte(s[i])
			}
		default:
			text.WriteByte(s[i])
		}
	}
	if text.Len() > 0 {
		out = append(out, piece{text: text.String()})
	}
	return out, nil
}

// number reads the longest number of a group that a text begins with, and how many characters it has.
func number(s string, most int) (n, used int) {
	for i := 0; i < len(s) && s[i] >= '0' && s[i] <= '9'; i++ {
		next := n*10 + int(s[i]-'0')
		if next > most {
			break
		}
		n, used = next, i+1
	}
	return n, used
}

// replaceAll replaces what re matches in a text, and counts it. Lines are matched without what ends them in the file
// (CRLF, or both kinds), and the new text has the endings of the line it comes to. A BOM stays in front.
func replaceAll(re *regexp.Regexp, fresh template, src []byte) (out []byte, count int) {
	head := src[:len(src)-len(withoutBOM(src))]
	src = src[len(head):]
	text, returns := withoutReturns(src)
	at := func(i int) int { return i + sort.SearchInts(returns, i) }
	out = append(out, head...)
	from := 0
	for _, m := range re.FindAllSubmatchIndex(text, -1) {
		if m[0] == m[1] && m[0] == len(text) && m[0] > 0 && text[m[0]-1] == '\n' && !strings.Contains(re.String(), `\z`) {
			continue // behind the last line there is none
		}
		start, end := at(m[0]), at(m[1])
		out = append(out, src[from:start]...)
		var b []byte
		for _, p := range fresh {
			switch n := max(p.group, 0); {
			case p.group == 0:
				b = append(b, p.text...)
			case m[2*n] >= 0:
				b = append(b, text[m[2*n]:m[2*n+1]]...)
			}
		}
		if b = bytes.ReplaceAll(b, []byte("\r\n"), []byte("\n")); eolAt(src, start) == "\r\n" {
			b = bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n"))
		}
		out = append(out, b...)
		from = end
		count++
	}
	return append(out, src[from:]...), count
}

// withoutReturns takes the returns from the line endings of a text. It gives the places of these endings in what is left.
func withoutReturns(src []byte) (text []byte, places []int) {
	if !bytes.Contains(src, []byte("\r\n")) {
		return src, nil
	}
	text = make([]byte, 0, len(src))
	for i, c := range src {
		if c == '\r' && i+1 < len(src) && src[i+1] == '\n' {
			places = append(places, len(text))
			continue
		}
		text = append(text, c)
	}
	return text, places
}
