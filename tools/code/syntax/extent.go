package syntax

import (
	"bytes"
	"slices"
	"sort"
	"strings"
)

// In a source that does not parse, where a symbol ends is a guess: an unclosed brace takes what follows it, or the end
// of what stands around it. People and formatters indent by what they mean, so the lines are asked whether they agree.

// Unsure says why where a symbol of a broken source ends is not sure; "" when brackets and lines agree about it.
func Unsure(lang *Language, src []byte, s *Symbol) string {
	part := src[s.Start:s.End]
	if !Balanced(lang, part) {
		return "its brackets or quotes do not close each other"
	}
	line := bytes.LastIndexByte(src[:s.Start], '\n') + 1
	if line == 0 {
		line = min(s.Start, len(src)-len(bytes.TrimPrefix(src, []byte("\xef\xbb\xbf"))))
	}
	first := src[line:s.Start]
	alone := len(bytes.TrimSpace(first)) == 0
	rest, _, _ := bytes.Cut(src[s.End:], []byte("\n"))
	if rest = bytes.Trim(rest, ",; \t\r"); len(rest) > 0 && remark(lang, rest) {
		rest = nil
	}
	switch {
	case bytes.HasPrefix(rest, []byte("{")) && !bytes.HasSuffix(part, []byte("}")):
		return "a brace opens right behind it"
	case (!alone || len(rest) > 0) && bytes.ContainsAny(part, "{[(") && !Balanced(lang, slices.Concat(src[:s.Start], src[s.End:])):
		return "it shares its line with others, and brackets around it do not close each other"
	}
	margin := width(src[line:])
	if why := outOfLine(lang, src, s, margin); why != "" || !alone {
		return why
	}
	behind := src[s.End:]
	list := literals(lang, behind)
	for at := nextLine(behind, 0); at < len(behind); {
		next := nextLine(behind, at)
		text := bytes.TrimSpace(behind[at:next])
		if len(text) > 0 && !remark(lang, text) && !within(list, at) {
			if width(behind[at:next]) > margin {
				return "the line behind it stands further right than it, as if it went on"
			}
			break
		}
		at = next
	}
	return ""
}

// outOfLine looks for a line of a symbol that does not stand as one inside it, or as its last one, does.
func outOfLine(lang *Language, src []byte, s *Symbol, margin int) string {
	at := nextLine(src, s.NameStart)
	list := literals(lang, src[s.Start:s.End])
	for at < s.End {
		next := min(nextLine(src, at), s.End)
		line, from := src[at:next], at-s.Start
		at = next
		text := bytes.TrimSpace(line)
		if len(text) == 0 || remark(lang, text) || within(list, from) {
			continue
		}
		n, last := width(line), at == s.End
		switch {
		case closes(text):
			whole := len(bytes.TrimRight(text, ";,")) <= len("end") && !bytes.HasPrefix(text, []byte(")")) && !bytes.HasPrefix(text, []byte("]"))
			if n < margin || last && n != margin || !last && n == margin && whole {
				return "its lines are indented as if it ended elsewhere"
			}
		case n <= margin && !goesOn(lang, text):
			return "a line in it is indented as if it stood behind it"
		}
	}
	return ""
}

// within reports whether a place is inside one of the literals, which rise, behind its beginning.
func within(list []literal, at int) bool {
	i := sort.Search(len(list), func(i int) bool { return list[i].End > at })
	return i < len(list) && list[i].Start < at
}

// lineAt gives the rest of a line with its ending.
func lineAt(src []byte, at int) []byte {
	if i := bytes.IndexByte(src[at:], '\n'); i >= 0 {
		return src[at : at+i+1]
	}
	return src[at:]
}

// nextLine is where the line behind the one of an offset begins.
func nextLine(src []byte, at int) int { return at + len(lineAt(src, at)) }

// TabWidth is how far apart the places are that tabs go to.
const TabWidth = 8

// width is how far right a line begins.
func width(line []byte) int { return widthOf(line, TabWidth) }

func widthOf(line []byte, tab int) int {
	n := 0
	for _, c := range line {
		switch c {
		case ' ':
			n++
		case '\t':
			n += tab - n%tab
		default:
			return n
		}
	}
	return n
}

// remark reports lines that may stand anywhere: comments, those of the preprocessor, labels.
func remark(lang *Language, text []byte) bool {
	for _, mark := range lang.Line {
		if bytes.HasPrefix(text, []byte(mark)) {
			return true
		}
	}
	switch lang.ID {
	case "c", "cpp", "csharp":
		if text[0] == '#' {
			return true
		}
		fallthrough
	case "go":
		return bytes.HasSuffix(text, []byte(":"))
	}
	return lang.Block && bytes.HasPrefix(text, []byte("/*"))
}

// closes reports whether a line begins by ending something.
func closes(text []byte) bool {
	switch text[0] {
	case '}', ')', ']':
		return true
	}
	return bytes.HasPrefix(text, []byte("</")) || slices.Contains([]string{"end", "fi", "done", "esac"}, firstWord(text))
}

// goesOn reports whether a line as far left as the first one of a symbol may still be of it.
func goesOn(lang *Language, text []byte) bool {
	if text[0] == '{' || text[0] == '(' || lang.ID == "yaml" && text[0] == '-' {
		return true
	}
	return slices.Contains([]string{"else", "elsif", "elif", "elseif", "rescue", "ensure", "when", "then", "do", "where", "catch", "finally"}, firstWord(text))
}

func firstWord(text []byte) string {
	i := bytes.IndexFunc(text, func(r rune) bool { return r < 'a' || r > 'z' })
	if i < 0 {
		i = len(text)
	}
	return string(text[:i])
}

// TrimRight cuts spaces and comments off the end of a part of a source that begins where the source does.
func TrimRight(lang *Language, part []byte) []byte {
	list := literals(lang, part)
	for {
		part = bytes.TrimRight(part, " \t\r\n")
		for len(list) > 0 && list[len(list)-1].Start >= len(part) {
			list = list[:len(list)-1]
		}
		if n := len(list); n == 0 || list[n-1].place != InComment || list[n-1].End < len(part) {
			return part
		}
		part = part[:list[len(list)-1].Start]
	}
}

// TrimLeft cuts spaces and comments off the beginning of a part of a source that begins in code.
func TrimLeft(lang *Language, part []byte) []byte {
	for _, l := range literals(lang, part) {
		if l.place != InComment || len(bytes.TrimSpace(part[:l.Start])) > 0 {
			break
		}
		part = append(bytes.Repeat([]byte(" "), l.End), part[l.End:]...)
	}
	return bytes.TrimLeft(part, " \t\r\n")
}

// Indents finds the first line of Python that is indented as no block around it is, which the grammar overlooks. A tab goes to
// the next multiple of tab: Python refuses what is right for one and wrong for another.
func Indents(src []byte, tab int) (Fault, bool) {
	list := lex(ByID("python"), src)
	levels := []int{0}
	depth := 0
	var end byte // what the last line of code ended with
	for at := len(src) - len(bytes.TrimPrefix(src, []byte("\xef\xbb\xbf"))); at < len(src); {
		next := nextLine(src, at)
		text := bytes.TrimSpace(src[at:next])
		if len(text) > 0 && text[0] != '#' && depth == 0 && end != '\\' {
			n := widthOf(src[at:next], tab)
			switch top := levels[len(levels)-1]; {
			case n > top && end != ':':
				return faultAt(src, at, "unexpected indent"), true
			case n > top:
				levels = append(levels, n)
			}
			for n < levels[len(levels)-1] {
				levels = levels[:len(levels)-1]
			}
			if n > levels[len(levels)-1] {
				return faultAt(src, at, "unindent does not match any outer block"), true
			}
		}
		for ; at < next; at++ {
			if len(list) > 0 && at == list[0].Start {
				if list[0].place == InText {
					end = '"'
				}
				at, list = max(list[0].End-1, at), list[1:]
				if next <= at { // it ends in another line
					next = nextLine(src, at)
				}
				continue
			}
			switch c := src[at]; c {
			case ' ', '\t', '\r', '\n', '\f':
				continue
			case '(', '[', '{':
				depth++
			case ')', ']', '}':
				depth = max(0, depth-1)
			}
			end = src[at]
		}
	}
	return Fault{}, false
}

func faultAt(src []byte, at int, message string) Fault {
	return Fault{Line: strings.Count(string(src[:at]), "\n") + 1, Column: 1, Message: message}
}
