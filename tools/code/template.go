package code

import (
	"bytes"
	"regexp"
	"slices"
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

// reference matches what may be a group in a replacement, or keep such a character from being one.
var reference = tools.Pattern(`\$\$|\$&|\$\{(\w*)\}|\$<(\w+)>|\$(\w+)|\\g<(\w+)>|\\\\?(\d+)|\\\$`)

// parseTemplate reads a replacement: $1, ${1}, $name, ${name}, $<name>, \g<name> and \1 are groups, $0 and $& the whole match; $$, \$ and
// \\1 are the characters. A $ in front of what is no group stands for itself, as a backslash does: code is full of them.
func parseTemplate(s string, re *regexp.Regexp) (template, error) {
	var out template
	text := func(t string) {
		if n := len(out); n > 0 && out[n-1].group == 0 {
			out[n-1].text += t
		} else if t != "" {
			out = append(out, piece{text: t})
		}
	}
	group := func(n int) {
		if n == 0 {
			n = -1
		}
		out = append(out, piece{group: n})
	}
	at := 0
	for _, m := range reference().FindAllStringSubmatchIndex(s, -1) {
		text(s[at:m[0]])
		at = m[1]
		whole := s[m[0]:m[1]]
		name := ""
		for i := 2; i < len(m); i += 2 {
			if m[i] >= 0 {
				name = s[m[i]:m[i+1]]
			}
		}
		n, used := number(name, re.NumSubexp())
		switch digits := len(name) - len(strings.TrimLeft(name, "0123456789")); {
		case whole == "$$", whole == `\$`:
			text("$")
		case whole == "$&":
			group(0)
		case strings.HasPrefix(whole, `\\`):
			text(whole[1:])
		case re.SubexpIndex(name) > 0:
			group(re.SubexpIndex(name))
		case strings.HasPrefix(whole, `\0`), digits == 0, strings.HasPrefix(whole, "$<"), whole[1] == '{' && digits < len(name): // the end of a C string; $PATH; ${name:…}
			text(whole)
		case used == 0, used < len(name) && whole[1] != name[0]:
			return nil, tools.Errorf(tools.InvalidParams, "replacement: query has %d groups, and %s is none of them ($$ is a dollar)", re.NumSubexp(), whole).With(tools.Details{Param: "replacement"})
		default: // ${1}; $1USD and \10 with one group go on behind it
			group(n)
			text(name[used:])
		}
	}
	text(s[at:])
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

// withoutEndings takes the returns from the line endings of a pattern, written out or as \r\n: lines are matched without them.
func withoutEndings(pattern string) string {
	var b strings.Builder
	for i := 0; i < len(pattern); i++ {
		switch rest := pattern[i:]; {
		case strings.HasPrefix(rest, "\r\n"), strings.HasPrefix(rest, `\r\n`):
			if rest[0] == '\\' {
				i++
			}
		case rest[0] == '\\' && len(rest) > 1:
			b.WriteString(rest[:2])
			i++
		default:
			b.WriteByte(rest[0])
		}
	}
	return b.String()
}

// escape matches what other tools read as a character in a replacement, and the doubled backslash that keeps it from being one.
var escape = tools.Pattern(`\\\\|\\(?:[nrtfv0]|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4})`)

// escapes lists those in a text, each once.
func escapes(text string) (list []string) {
	for _, e := range escape().FindAllString(text, -1) {
		if e != `\\` && !slices.Contains(list, e) {
			list = append(list, e)
		}
	}
	return list
}

// checkEscapes refuses a replacement in which \n seems to mean the line ending that query speaks of: it would be written as
// these two characters, and all lines joined. Of others that are written as they stand it warns.
func checkEscapes(warn func(string), query, replacement string) error {
	list := escapes(replacement)
	if len(list) == 0 {
		return nil
	}
	of := escapes(query)
	ends := strings.Contains(query, "\n") || slices.Contains(of, `\n`) || slices.Contains(of, `\r`)
	if ends && (slices.Contains(list, `\n`) || slices.Contains(list, `\r`)) {
		return tools.Errorf(tools.InvalidParams, `replacement: \n and \r are these characters here, no line endings, and query speaks of line endings: give a line break as itself (it becomes what the file's lines end with), or literal:true for the characters; nothing was done`).
			With(tools.Details{Param: "replacement", Actual: replacement})
	}
	warn(strings.Join(list, ", ") + " in a replacement is written as these characters; a line break or another character is given as itself")
	return nil
}
