package code

import (
	"bytes"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
)

// place of a symbol in a list whose elements commas part.
type listPlace int

const (
	none   listPlace = iota // it is in no such list
	inside                  // a comma follows it
	last                    // none does
)

// commas tells where a symbol stands in a list of members, keys or fields that commas part.
func commas(f *parsed, s *syntax.Symbol) listPlace {
	property := ofObject(f, s)
	switch s.Kind {
	case syntax.Member, syntax.Key, syntax.Field:
	default:
		if !property {
			return none
		}
	}
	if bytes.HasPrefix(bytes.TrimLeft(f.text[s.End:], " \t\r\n"), []byte(",")) {
		return inside
	}
	if f.lang.ID == "yaml" || f.lang.ID == "php" {
		return none
	}
	before := syntax.TrimRight(f.lang, f.text[:leading(f.text, s.Start, f.lang)])
	alone := bytes.HasSuffix(before, []byte("{")) && (f.lang.ID == "json" || f.lang.ID == "rust" || s.Kind == syntax.Member || property)
	alone = alone || bytes.HasSuffix(before, []byte("(")) // a parameter that is a field
	if bytes.HasSuffix(before, []byte(",")) || alone {
		return last
	}
	return none
}

// ofObject reports whether a symbol is a property of an object literal of JavaScript or a table of Lua, be it a function or a
// value.
func ofObject(f *parsed, s *syntax.Symbol) bool {
	switch f.lang.ID {
	case "javascript", "typescript", "typescriptreact", "lua":
	default:
		return false
	}
	switch s.Kind {
	case syntax.Method, syntax.Function, syntax.Field:
	default:
		return false
	}
	if f.lang.ID == "lua" { // a table may be a value anywhere
		return openBrace(f, 0, s.Start) >= 0
	}
	from := 0
	if s.Parent >= 0 {
		around := &f.Symbols[s.Parent]
		if from = around.Start; containers[around.Kind] {
			return false
		}
	}
	for p := s.Parent; p >= 0; p = f.Symbols[p].Parent {
		if k := f.Symbols[p].Kind; k == syntax.Type || k == syntax.Interface { // what has braces in them is a type too
			return false
		}
	}
	if bytes.HasPrefix(bytes.TrimLeft(f.text[s.End:], " \t"), []byte(";")) || f.text[s.End-1] == ';' { // of such a type elsewhere
		return false
	}
	// The brace around it opens where a value begins, and no word of a class stands in front of it.
	open := openBrace(f, from, s.Start)
	return open >= 0 && (s.Kind == syntax.Method || s.Parent >= 0) && valueNext(syntax.TrimRight(f.lang, f.text[:open]))
}

// containers are kinds whose members commas do not part.
var containers = map[syntax.Kind]bool{syntax.Class: true, syntax.Interface: true, syntax.Enum: true}

// valueNext reports whether what stands behind a part of a source of JavaScript is a value.
func valueNext(before []byte) bool {
	return len(before) > 0 && bytes.IndexByte([]byte("=(,:[?"), before[len(before)-1]) >= 0 || bytes.HasSuffix(before, []byte("export default")) || bytes.HasSuffix(before, []byte("return"))
}

// openBrace is where the brace opens that is nearest around a place, -1 when another bracket is nearer or none is open.
func openBrace(f *parsed, from, at int) int {
	i := syntax.OpenBracket(f.lang, f.text[from:at])
	if i < 0 || f.text[from+i] != '{' {
		return -1
	}
	return from + i
}

// commaBefore gives the range that a deleted one takes which is the last of its list, where no comma may stand behind
// the last one, and what of the range stays: the mark that ends the list, and the comment behind the one before.
func commaBefore(f *parsed, s *syntax.Symbol, first int) (from, to int, keep string, ok bool) {
	rest := restOfLine(f, s.End)
	to, mark := s.End, ""
	switch {
	case f.lang.ID == "json":
		after := syntax.TrimLeft(f.lang, f.text[s.End:])
		if !bytes.HasPrefix(after, []byte("}")) && !bytes.HasPrefix(after, []byte("]")) {
			return 0, 0, "", false
		}
		if onlyComment(f, rest) {
			to += len(bytes.TrimRight(rest, " \t"))
		}
	case s.Kind == syntax.Member && (f.lang.ID == "java" || f.lang.ID == "kotlin"):
		at := bytes.IndexByte(f.text[s.End:], ';') // it ends the constants, not this one
		if at < 0 || len(bytes.TrimSpace(f.text[s.End:s.End+at])) > 0 {
			return 0, 0, "", false
		}
		to, mark = s.End+at+1, ";"
		if line, ok := endOfConstants(f, s); ok {
			to = max(to, s.End+len(bytes.TrimRight(line, " \t")))
		}
	default:
		return 0, 0, "", false
	}
	before := syntax.TrimRight(f.lang, f.text[:first])
	if !bytes.HasSuffix(before, []byte(",")) {
		return first, to, mark, mark != ""
	}
	from = len(before) - 1
	return from, to, mark + string(bytes.TrimRight(f.text[from+1:first], " \t\r\n")), true
}

// restOfLine is what stands behind an offset on its line.
func restOfLine(f *parsed, at int) []byte {
	rest, _, _ := bytes.Cut(f.text[at:], []byte("\n"))
	return bytes.TrimRight(rest, "\r")
}

// onlyComment reports whether a part of a line holds comments that end with it, and nothing else.
func onlyComment(f *parsed, rest []byte) bool {
	rest = bytes.TrimSpace(rest)
	if f.lang.Block && bytes.HasPrefix(rest, []byte("/*")) {
		_, behind, ok := bytes.Cut(rest[2:], []byte("*/"))
		return ok && (len(bytes.TrimSpace(behind)) == 0 || onlyComment(f, behind))
	}
	return len(rest) > 0 && startsComment(rest, f.lang)
}

// endOfConstants is what stands behind the last constant of an enum of Java or Kotlin on its line, when that is the mark that
// ends them all and perhaps a comment.
func endOfConstants(f *parsed, s *syntax.Symbol) (line []byte, ok bool) {
	line = restOfLine(f, s.End)
	behind, ok := bytes.CutPrefix(bytes.TrimLeft(line, " \t"), []byte(";"))
	ok = ok && s.Kind == syntax.Member && (f.lang.ID == "java" || f.lang.ID == "kotlin")
	return line, ok && (len(bytes.TrimSpace(behind)) == 0 || onlyComment(f, behind))
}

// amid reports whether code stands behind a symbol on its line, behind what parts it from the next one.
func amid(f *parsed, s *syntax.Symbol) bool {
	rest := bytes.TrimSpace(restOfLine(f, s.End))
	if len(rest) > 0 && (rest[0] == ',' || rest[0] == ';') {
		rest = bytes.TrimSpace(rest[1:])
	}
	return len(rest) > 0 && !onlyComment(f, rest)
}

// afterInList gives where and how a text goes behind one of a list whose parts marks of their own part. ok is false
// where whole lines do.
func afterInList(f *parsed, s *syntax.Symbol, given string, fitted func() string) (from, to int, text string, ok bool) {
	parted := commas(f, s)
	given = strings.TrimSpace(given)
	line := restOfLine(f, s.End)
	shared := amid(f, s)
	behind := "" // a text that goes to the end of its line
	if shared && swallows(f.lang, given) {
		behind = "\n" + columnOf(f, s.Start)
	}
	oneLine := shared && behind == "" && !strings.Contains(given, "\n")
	ends, isEnd := endOfConstants(f, s)
	switch semicolon := bytes.HasPrefix(bytes.TrimSpace(line), []byte(";")); {
	case parted == none && s.Kind == syntax.Field && semicolon && shared:
		to = s.End + bytes.IndexByte(line, ';') + 1
		return to, to, " " + marked(f.lang, given, ";") + behind, true
	case parted == none:
		return 0, 0, "", false
	case oneLine:
		return s.End, s.End, ", " + given, true
	case parted == last && isEnd: // a comment stays behind what it is about, and the mark behind the last one
		_, comment, _ := strings.Cut(string(ends), ";")
		return s.End, s.End + len(ends), "," + comment + "\n" + marked(f.lang, fitted(), ";"), true
	case parted == inside && shared:
		to = s.End + bytes.IndexByte(f.text[s.End:], ',') + 1
		return to, to, "\n" + marked(f.lang, fitted(), ",") + behind, true
	case parted == last && onlyComment(f, line): // which stays behind what it is about
		return s.End, s.End + len(line), "," + string(line) + "\n" + fitted(), true
	case parted == last: // the one in front of it needs a comma now
		return s.End, s.End, ",\n" + fitted() + behind, true
	}
	return 0, 0, "", false
}
