package syntax

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// manyLines lists the strings and comments of a source that span lines: what stands in the first column of one is no
// declaration. Where a string has no end, a mark is missing somewhere in front, and nobody knows which strings are text:
// then no string is listed.
func manyLines(lang *Language, src []byte) []literal {
	part := src
	if lang.ID != "go" && !strings.Contains(lang.ID, "script") {
		part = bytes.ReplaceAll(src, []byte("`"), []byte(" ")) // which begins no string there
	}
	list, ended := literalsOf(lang, part)
	open := !ended
	keep := list[:0]
	for _, l := range list {
		text := src[l.Start:l.End]
		open = open || l.place == InText && invertedAt(src, l.Span)
		switch {
		case bytes.IndexByte(text[:max(len(text)-1, 0)], '\n') < 0:
			continue
		case !closed(lang, text) && l.End == len(src):
			open = open || l.place == InText
			continue
		}
		keep = append(keep, l)
	}
	if !open {
		return keep
	}
	comments := keep[:0]
	for _, l := range keep {
		if l.place == InComment {
			comments = append(comments, l)
		}
	}
	return comments
}

// invertedAt reports whether what ends a text seems to begin one: a word stands right behind it.
func invertedAt(src []byte, s Span) bool {
	if s.End >= len(src) || !wordRune(rune(src[s.End])) {
		return false
	}
	return src[s.End-1] == '`' || src[s.End-1] == '"' && bytes.IndexByte(src[s.Start:s.End], '\n') >= 0
}

// closed reports whether a literal of several lines ends with its mark.
func closed(lang *Language, text []byte) bool {
	switch {
	case bytes.HasPrefix(text, []byte("/*")):
		return len(text) >= 4 && bytes.HasSuffix(text, []byte("*/"))
	case bytes.HasPrefix(text, []byte(`"""`)), bytes.HasPrefix(text, []byte("'''")):
		return len(text) >= 6 && bytes.HasSuffix(text, text[:3])
	case text[0] == '`' && lang.ID == "go":
		return len(text) >= 2 && text[len(text)-1] == '`'
	}
	return true
}

// scriptLiterals lists the strings, regular expressions and comments of JavaScript; what a template computes is code.
// open reports that a template has no end.
func scriptLiterals(src []byte) (list []literal, open bool) {
	var braces []int // that are open in each ${ around
	for i := 0; i < len(src); {
		end, place := i, InText
		switch c := src[i]; {
		case bytes.HasPrefix(src[i:], []byte("//")):
			end, place = after(src, i, "\n"), InComment
		case bytes.HasPrefix(src[i:], []byte("/*")):
			end, place = after(src, i+2, "*/"), InComment
		case c == '/' && regexMayBegin(src[:i]):
			end = quoted(src, i, true)
		case c == '"' || c == '\'':
			end = quoted(src, i, true)
		case c == '{' && len(braces) > 0:
			braces[len(braces)-1]++
		case c == '}' && len(braces) > 0 && braces[len(braces)-1] > 0:
			braces[len(braces)-1]--
		case c == '`', c == '}' && len(braces) > 0:
			if c == '}' {
				braces = braces[:len(braces)-1]
			}
			var code bool
			end, code, open = template(src, i+1)
			if code {
				braces = append(braces, 0)
			}
		}
		if end > i {
			list = append(list, literal{Span{i, end}, place})
		}
		i = max(end, i+1)
	}
	return list, open || len(braces) > 0
}

// template finds the end of the text of a template: behind its mark, or behind the ${ of code.
func template(src []byte, at int) (end int, code, open bool) {
	for ; at < len(src); at++ {
		switch {
		case src[at] == '\\':
			at++
		case src[at] == '`':
			return at + 1, false, false
		case src[at] == '$' && at+1 < len(src) && src[at+1] == '{':
			return at + 2, true, false
		}
	}
	return len(src), false, true
}

// quoted finds the end of a text that begins with its mark, behind the mark again or, where it may not go on in the next
// line, in front of the line's end.
func quoted(src []byte, at int, oneLine bool) int {
	mark, class := src[at], false
	for i := at + 1; i < len(src); i++ {
		switch c := src[i]; {
		case c == '\\':
			i++
		case c == '\n' && oneLine:
			return i
		case mark == '/' && c == '[':
			class = true
		case mark == '/' && c == ']':
			class = false
		case c == mark && !class:
			return i + 1
		}
	}
	return len(src)
}

// regexMayBegin tells a regular expression from a division by what stands in front.
func regexMayBegin(before []byte) bool {
	before = bytes.TrimRight(before, " \t\r\n")
	if len(before) == 0 || bytes.IndexByte([]byte("(,=:[!&|?{;"), before[len(before)-1]) >= 0 {
		return true
	}
	return bytes.HasSuffix(before, []byte("=>")) || bytes.HasSuffix(before, []byte("return"))
}

func after(src []byte, from int, mark string) int {
	from = min(from, len(src))
	if i := bytes.Index(src[from:], []byte(mark)); i >= 0 {
		return from + i + len(mark)
	}
	return len(src)
}

// rustLiterals lists the strings, characters and comments of Rust: strings go over lines, comments nest. open reports
// that a string has no end.
func rustLiterals(src []byte) (list []literal, open bool) {
	for i := 0; i < len(src); {
		end, place := i, InText
		switch c := src[i]; {
		case bytes.HasPrefix(src[i:], []byte("//")):
			end, place = after(src, i, "\n"), InComment
		case bytes.HasPrefix(src[i:], []byte("/*")):
			end, place = nested(src, i), InComment
		case c == '"':
			hashes := 0
			for hashes < i && src[i-1-hashes] == '#' {
				hashes++
			}
			if raw := i - 1 - hashes; raw >= 0 && src[raw] == 'r' {
				end = after(src, i+1, `"`+string(src[i-hashes:i]))
			} else {
				end = quoted(src, i, false)
			}
			open = end == len(src) && (src[end-1] != '"' && src[end-1] != '#' || end == i+1)
		case c == '\'':
			_, n := utf8.DecodeRune(src[i+1:])
			if i+1 < len(src) && src[i+1] == '\\' {
				end = quoted(src, i, true)
			} else if close := i + 1 + n; close < len(src) && src[close] == '\'' {
				end = close + 1
			}
		}
		if end > i {
			list = append(list, literal{Span{i, end}, place})
		}
		i = max(end, i+1)
	}
	return list, open
}

// nested finds the end of a comment that may hold others.
func nested(src []byte, at int) int {
	depth := 0
	for i := at; i < len(src); i++ {
		switch {
		case bytes.HasPrefix(src[i:], []byte("/*")):
			depth++
			i++
		case bytes.HasPrefix(src[i:], []byte("*/")):
			depth--
			i++
			if depth == 0 {
				return i + 1
			}
		}
	}
	return len(src)
}
