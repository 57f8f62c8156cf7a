package code

import (
	"bytes"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
)

// leading gives where what belongs to a symbol begins: the comment right above it, and attributes that stand there.
func leading(src []byte, start int, lang *syntax.Language) int {
	if lang == nil {
		return start
	}
	at := bytes.LastIndexByte(src[:start], '\n') + 1
	if len(bytes.TrimSpace(src[at:start])) > 0 && string(bytes.TrimSpace(src[at:start])) != bom {
		return start
	}
	first := start
	inBlock := false
	for at > 0 {
		from := bytes.LastIndexByte(src[:at-1], '\n') + 1
		line := bytes.TrimSpace(bytes.TrimPrefix(src[from:at-1], []byte(bom)))
		switch {
		case aboutOuter(line, lang) && (!inBlock || line[1] == '*'):
			return first
		case inBlock && bytes.Contains(line, []byte("/*")) && !bytes.HasPrefix(line, []byte("/*")): // it is about the code in front of it
			return first
		case inBlock:
			inBlock = !bytes.HasPrefix(line, []byte("/*"))
		case lang.Block && bytes.HasSuffix(line, []byte("*/")) && (bytes.HasPrefix(line, []byte("/*")) || bytes.HasPrefix(line, []byte("*"))):
			inBlock = !bytes.HasPrefix(line, []byte("/*"))
		case lang.ID == "rust" && bytes.HasPrefix(line, []byte("#[")) && bytes.HasSuffix(line, []byte("]")):
		case startsComment(line, lang) && aboutFile(line):
			return first
		case startsComment(line, lang):
		default:
			return first
		}
		at = from
		if !inBlock {
			first = from + bytes.IndexFunc(src[from:], func(r rune) bool { return r != ' ' && r != '\t' && r != '\ufeff' })
		}
	}
	return first
}

// aboutOuter reports whether a comment begins on a line that is about what it stands in, as //! of Rust is.
func aboutOuter(line []byte, lang *syntax.Language) bool {
	return lang.ID == "rust" && (bytes.HasPrefix(line, []byte("//!")) || bytes.HasPrefix(line, []byte("/*!")))
}

// aboutFile reports whether a line of a comment is about the whole file, not about what stands below it.
func aboutFile(line []byte) bool {
	for _, mark := range []string{"#!", "coding:", "coding=", "frozen_string_literal:", "@ts-check", "@ts-nocheck", "@flow", "eslint-disable ", "Copyright", "SPDX-License-Identifier"} {
		if i := bytes.Index(line, []byte(mark)); i == 0 || i > 0 && mark != "#!" {
			return true
		}
	}
	return false
}

func startsComment(line []byte, lang *syntax.Language) bool {
	for _, mark := range lang.Line {
		if bytes.HasPrefix(line, []byte(mark)) {
			return true
		}
	}
	return false
}

// comments reports whether a text begins with a comment.
func comments(text string, lang *syntax.Language) bool {
	text = strings.TrimSpace(text)
	return startsComment([]byte(text), lang) || lang.Block && strings.HasPrefix(text, "/*")
}

// wholeLines widens a range to whole lines with their endings, where nothing else stands on them but what ends a
// definition (";", ",") or a comment behind it.
func wholeLines(src []byte, start, end int) (from, to int) {
	from, to = start, end
	line := bytes.LastIndexByte(src[:start], '\n') + 1
	if line == 0 && bytes.HasPrefix(src, []byte(bom)) {
		line = len(bom)
	}
	if len(bytes.TrimSpace(src[line:start])) == 0 {
		from = line
	}
	rest := src[end:]
	i := bytes.IndexByte(rest, '\n')
	if i < 0 {
		i = len(rest) - 1
	}
	after := bytes.TrimLeft(bytes.TrimSpace(rest[:i+1]), ";,")
	if after = bytes.TrimSpace(after); len(after) == 0 || bytes.HasPrefix(after, []byte("//")) || bytes.HasPrefix(after, []byte("#")) && !bytes.HasPrefix(after, []byte("#[")) || bytes.HasPrefix(after, []byte("--")) {
		to = end + i + 1
	}
	return from, to
}

// ownLines is wholeLines of an edit: what stands behind is a comment only where its mark is one of the language, not #b {} of
// CSS or --b of C, and one that ends, /* b */, is as good.
func ownLines(f *parsed, start, end int) (from, to int) {
	from, to = wholeLines(f.text, start, end)
	rest := bytes.TrimSpace(bytes.TrimLeft(bytes.TrimSpace(f.text[end:to]), ";,"))
	if len(rest) > 0 && f.lang.ID != "" && !startsComment(rest, f.lang) {
		to = end
	}
	if to == end {
		to = behindBlock(f, end)
	}
	return from, to
}

// behindBlock is where the line ends that a comment of several lines or one ends with which begins behind an offset; the offset
// when none does.
func behindBlock(f *parsed, at int) int {
	rest := bytes.TrimLeft(bytes.TrimLeft(bytes.TrimLeft(f.text[at:], " \t"), ";,"), " \t")
	if !f.lang.Block || !bytes.HasPrefix(rest, []byte("/*")) {
		return at
	}
	i := bytes.Index(rest[2:], []byte("*/"))
	if i < 0 {
		return at
	}
	end := len(f.text) - len(rest) + i + 4
	if line := restOfLine(f, end); len(bytes.TrimSpace(line)) > 0 && !onlyComment(f, line) {
		return at
	}
	if i := bytes.IndexByte(f.text[end:], '\n'); i >= 0 {
		return end + i + 1
	}
	return len(f.text)
}

// indentOf is the white space in front of an offset on its line.
func indentOf(src []byte, at int) string {
	line := bytes.LastIndexByte(src[:at], '\n') + 1
	if line == 0 && bytes.HasPrefix(src, []byte(bom)) {
		line = len(bom)
	}
	text := src[line:at]
	return string(text[:len(text)-len(bytes.TrimLeft(text, " \t"))])
}

// dashed reports whether an offset is behind the dash of a list of YAML.
func dashed(f *parsed, at int) bool {
	head := f.text[bytes.LastIndexByte(f.text[:at], '\n')+1 : at]
	return f.lang.ID == "yaml" && bytes.IndexByte(head, '-') >= 0 && len(bytes.Trim(head, " -")) == 0
}

// columnOf is the white space that lines beside a symbol at an offset begin with: as much as its line does, but for one
// behind the dash of a list.
func columnOf(f *parsed, at int) string {
	if dashed(f, at) {
		return strings.Repeat(" ", at-bytes.LastIndexByte(f.text[:at], '\n')-1)
	}
	return indentOf(f.text, at)
}

// eolAt is the line ending that new lines at an offset should have.
func eolAt(src []byte, at int) string {
	i := bytes.IndexByte(src[at:], '\n')
	if i >= 0 {
		i += at
	} else if i = bytes.LastIndexByte(src[:at], '\n'); i < 0 {
		return "\n"
	}
	if i > 0 && src[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

// blankBefore reports whether the line above the line that begins at an offset is blank.
func blankBefore(src []byte, at int) bool {
	if at < 2 {
		return false
	}
	line := bytes.LastIndexByte(src[:at-1], '\n') + 1
	return len(bytes.TrimSpace(src[line:at-1])) == 0
}

// gap is how many blank lines stand between a symbol and what is next to it.
func gap(f *parsed, s *syntax.Symbol) int {
	blanks := 0
	_, to := ownLines(f, s.Start, s.End)
	rest := f.text[to:]
	for len(rest) > 0 {
		i := bytes.IndexByte(rest, '\n')
		if i < 0 || len(bytes.TrimSpace(rest[:i])) > 0 {
			break
		}
		blanks++
		rest = rest[i+1:]
	}
	rest = bytes.TrimSpace(rest)
	if len(rest) == 0 || blanks == 0 { // the last one: look above
		blanks = 0
		at := bytes.LastIndexByte(f.text[:leading(f.text, s.Start, f.lang)], '\n') + 1
		for blankBefore(f.text, at) {
			blanks++
			at = bytes.LastIndexByte(f.text[:at-1], '\n') + 1
		}
	}
	if blanks == 0 {
		switch s.Kind {
		case syntax.Field, syntax.Member, syntax.Constant, syntax.Variable, syntax.Key, syntax.Element:
		default:
			if s.EndLine > s.Line {
				blanks = 1
			}
		}
	}
	return min(blanks, 2)
}
