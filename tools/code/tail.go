package code

import (
	"bytes"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
)

// The end of a text that a caller gave: the mark that parts it from what follows, and a comment behind that.

// splitTail parts a text from the comment and the white space that it ends with.
func splitTail(lang *syntax.Language, text string) (code, tail string) {
	code = string(syntax.TrimRight(lang, []byte(text)))
	return code, text[len(code):]
}

// swallows reports whether a text ends with a comment that goes to the end of its line.
func swallows(lang *syntax.Language, text string) bool {
	_, tail := splitTail(lang, text)
	tail = strings.TrimSpace(tail)
	return tail != "" && !strings.HasSuffix(tail, "*/")
}

// marked gives a text the mark that parts it from what follows, "" for none, in front of the comment that it ends with.
func marked(lang *syntax.Language, text, mark string) string {
	code, tail := splitTail(lang, text)
	return strings.TrimRight(code, " \t\r\n,;") + mark + strings.TrimRight(tail, " \t\r\n")
}

// ownMark reports whether code ends with a mark that parts it from what follows.
func ownMark(code string) bool {
	return strings.HasSuffix(code, ",") || strings.HasSuffix(code, ";")
}

// withTail joins a text to what stands on its line behind the symbol that it replaces, which ends at to. The mark there
// stays, once, and in front of comments; a comment that the text ends with takes the place of the one that stood there.
func withTail(f *parsed, to int, text, indent string) (int, string) {
	rest := restOfLine(f, to)
	mark, behind := "", bytes.TrimLeft(rest, " \t")
	if len(behind) > 0 && (behind[0] == ',' || behind[0] == ';') {
		mark, behind = string(behind[:1]), bytes.TrimLeft(behind[1:], " \t")
	}
	code, tail := splitTail(f.lang, text)
	bare := code
	if ownMark(code) && (mark != "" || f.lang.ID == "json") {
		bare = strings.TrimRight(code[:len(code)-1], " \t")
	}
	comment := strings.TrimSpace(tail)
	below := comment != "" && strings.Contains(tail[:strings.Index(tail, comment)], "\n")
	alone := len(behind) == 0 || onlyComment(f, behind)
	switch {
	case comment == "":
		return to, bare
	case alone && below:
		return to + len(rest), bare + string(rest) + tail
	case alone && mark == "":
		return to + len(rest), bare + tail
	case alone:
		if bare != code {
			mark = code[len(bare):len(code)-1] + mark
		}
		return to + len(rest), bare + mark + tail
	case strings.HasSuffix(comment, "*/"):
		return to, bare + tail
	}
	return to + len(rest) - len(behind), bare + mark + tail + "\n" + indent
}

// asShown reports whether a text of several lines begins with two lines that definition shows, or begins and ends with its
// first and last: then it stands where it should.
func asShown(f *parsed, s *syntax.Symbol, given string) bool {
	lines := func(text string) []string {
		return strings.Split(strings.Trim(strings.ReplaceAll(text, "\r\n", "\n"), "\n"), "\n")
	}
	want, have := lines(bodyOf(f.text, f.lang, s)), lines(given)
	if len(want) < 2 || len(have) < 2 || want[0] != have[0] {
		return false
	}
	return want[1] == have[1] || want[len(want)-1] == have[len(have)-1]
}
