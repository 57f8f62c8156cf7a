package syntax

import (
	"bytes"
	"slices"
	"sort"
)

// byMarks classifies by the marks of strings and comments alone, for languages where that is exact: grammars lose the
// strings in macros and behind faults. ok is false for the others.
func byMarks(lang *Language, src []byte, spans []Span) (places []Place, ok bool) {
	switch lang.ID {
	case "python", "java", "c", "cpp":
	default:
		return nil, false
	}
	list := lex(lang, src)
	places = inside(list, spans)
	return places, lang.ID != "python" || !interpolated(src, spans, list, places)
}

// interpolated reports whether a span may be code that stands inside a string of Python.
func interpolated(src []byte, spans []Span, list []literal, places []Place) bool {
	for i, s := range spans {
		if places[i] != InText {
			continue
		}
		j := sort.Search(len(list), func(j int) bool { return list[j].End > s.Start })
		head := src[max(0, list[j].Start-2):list[j].Start]
		if bytes.ContainsAny(head, "fFtT") && bytes.IndexByte(src[list[j].Start:s.Start], '{') >= 0 {
			return true
		}
	}
	return false
}

// Balanced reports whether the brackets of a part of a source outside strings and comments close each other: where they
// do not, the part ends elsewhere than its author meant. Of languages in which brackets mean other things too it says so.
func Balanced(lang *Language, part []byte) bool {
	switch lang.ID {
	case "ruby":
		return rubyEnds(part)
	case "go", "python", "javascript", "typescript", "typescriptreact", "rust", "java", "c", "cpp", "csharp", "php", "kotlin", "css", "json":
	default:
		return true
	}
	list, ended := literalsOf(lang, part)
	if !ended || len(list) > 0 && unclosed(part, list[len(list)-1]) {
		return false
	}
	open, ok := brackets(part, list)
	return ok && len(open) == 0
}

// rubyEnds reports whether a part of Ruby has an end for each line that begins what needs one.
func rubyEnds(part []byte) bool {
	depth := 0
	for line := range bytes.Lines(part) {
		code := bytes.TrimSpace(line)
		block, _, _ := bytes.Cut(code, []byte("|"))
		if slices.Contains([]string{"def", "class", "module", "if", "unless", "while", "until", "case", "begin", "for"}, firstWord(code)) || bytes.HasSuffix(bytes.TrimSpace(block), []byte(" do")) {
			depth++
		}
		if firstWord(code) == "end" || bytes.HasSuffix(code, []byte(" end")) || bytes.HasSuffix(code, []byte(";end")) {
			depth--
		}
	}
	return depth == 0
}

// OpenBracket is the offset of the last bracket of a part that nothing closes, -1 when there is none.
func OpenBracket(lang *Language, part []byte) int {
	open, ok := brackets(part, literals(lang, part))
	if !ok || len(open) == 0 {
		return -1
	}
	return open[len(open)-1]
}

// brackets gives the offsets of those that a part opens and does not close. ok is false when one closes another kind.
func brackets(part []byte, list []literal) (open []int, ok bool) {
	for i := 0; i < len(part); i++ {
		if len(list) > 0 && i >= list[0].Start {
			i = max(i, list[0].End-1)
			list = list[1:]
			continue
		}
		switch c := part[i]; c {
		case '(', '[', '{':
			open = append(open, i)
		case ')', ']', '}':
			if len(open) == 0 || part[open[len(open)-1]] != map[byte]byte{')': '(', ']': '[', '}': '{'}[c] {
				return open, false
			}
			open = open[:len(open)-1]
		}
	}
	return open, true
}

// unclosed reports whether a part ends inside a string or comment that may hold lines.
func unclosed(part []byte, last literal) bool {
	text := part[last.Start:last.End]
	for _, mark := range [][2]string{{`"""`, `"""`}, {"'''", "'''"}, {"/*", "*/"}, {"`", "`"}} {
		if bytes.HasPrefix(text, []byte(mark[0])) && last.End == len(part) {
			return len(text) < len(mark[0])+len(mark[1]) || !bytes.HasSuffix(text, []byte(mark[1]))
		}
	}
	return false
}

// literals finds the strings and comments of a part of a source.
func literals(lang *Language, part []byte) []literal {
	list, _ := literalsOf(lang, part)
	return list
}

// literalsOf is literals that also tells whether the texts end that may go over lines, where it knows that.
func literalsOf(lang *Language, part []byte) (list []literal, ended bool) {
	open := false
	switch lang.ID {
	case "go":
		list = goLiterals(part)
	case "javascript", "typescript", "typescriptreact":
		list, open = scriptLiterals(part)
	case "rust":
		list, open = rustLiterals(part)
	default:
		list = lex(lang, part)
	}
	return list, !open
}

// lex finds strings and comments by their marks alone, for languages that have no parser here.
func lex(lang *Language, src []byte) []literal {
	var list []literal
	add := func(from, to int, p Place) int {
		to = min(to, len(src))
		list = append(list, literal{Span{from, to}, p})
		return to
	}
	until := func(from int, mark string) int {
		if i := bytes.Index(src[from:], []byte(mark)); i >= 0 {
			return from + i + len(mark)
		}
		return len(src)
	}
	spaced := lang.ID == "yaml" || lang.ID == "shellscript" // # in a word is a part of it
scan:
	for i := 0; i < len(src); {
		rest := src[i:]
		for _, mark := range lang.Line {
			if lang.ID == "php" && bytes.HasPrefix(rest, []byte("#[")) { // an attribute
				break
			}
			if bytes.HasPrefix(rest, []byte(mark)) && (!spaced || i == 0 || bytes.IndexByte([]byte(" \t\r\n"), src[i-1]) >= 0) {
				end := until(i, "\n")
				for (lang.ID == "c" || lang.ID == "cpp") && end < len(src) && bytes.HasSuffix(bytes.TrimRight(src[i:end], "\r\n"), []byte("\\")) {
					end = until(end, "\n") // it goes on in the next line
				}
				i = add(i, end, InComment)
				continue scan
			}
		}
		switch c := src[i]; {
		case lang.Block && bytes.HasPrefix(rest, []byte("/*")):
			i = add(i, until(i+2, "*/"), InComment)
		case lang.ID == "python" && (bytes.HasPrefix(rest, []byte(`"""`)) || bytes.HasPrefix(rest, []byte("'''"))):
			i = add(i, until(i+3, string(rest[:3])), InText)
		case (lang.ID == "java" || lang.ID == "kotlin" || lang.ID == "csharp") && bytes.HasPrefix(rest, []byte(`"""`)):
			i = add(i, until(i+3, `"""`), InText)
		case lang.ID == "cpp" && c == '"' && i > 0 && src[i-1] == 'R':
			mark := rest[1:]
			if j := bytes.IndexByte(mark, '('); j >= 0 && j <= 16 {
				i = add(i, until(i+j+2, ")"+string(mark[:j])+"\""), InText)
				continue scan
			}
			i++
		case lang.ID == "csharp" && c == '"' && verbatim(src[:i]):
			j := i + 1
			for j < len(src) && (src[j] != '"' || j+1 < len(src) && src[j+1] == '"') {
				if src[j] == '"' {
					j++
				}
				j++
			}
			i = add(i, j+1, InText)
		case lang.ID == "yaml" && (c == '"' || c == '\'' || c == '`') && (c == '`' || len(bytes.TrimRight(src[:i], " \t\r\n[{(,:-?")) == i): // in a word
			i++
		case c == '\'' && i > 0 && hexDigit(src[i-1]) && (lang.ID == "cpp" || lang.ID == "c"): // 1'000
			i++
		case c == '"' || c == '`' || c == '\'' && lang.ID != "rust":
			j := i + 1
			for j < len(src) && src[j] != c && (src[j] != '\n' || c == '`') {
				if src[j] == '\\' {
					j++
				}
				j++
			}
			i = add(i, j+1, InText)
		default:
			i++
		}
	}
	return list
}

// verbatim reports whether what stands in front of a quote of C# makes its text one that goes over lines, without escapes.
func verbatim(before []byte) bool {
	return bytes.HasSuffix(bytes.TrimSuffix(before, []byte("$")), []byte("@"))
}

func hexDigit(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}
