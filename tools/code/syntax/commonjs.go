package syntax

import (
	"bytes"
	"slices"
	"strings"
)

// What a module of CommonJS hands out: module.exports = { a, z: b, c() {} }, exports.z = b and the like.

// given is a name that a module hands out.
type given struct {
	name string // that others know it by, "" for the module itself
	at   int    // where that stands
	of   string // the name in the module that it is given, "" for a value without one
}

// openScript opens what a module of JavaScript hands out at the end, and what an export declares besides the first name.
func (f *File) openScript(lang *Language, src []byte) {
	list := handedOut(src)
	names, places := map[string]bool{}, map[int]bool{}
	for _, g := range list {
		if g.of != "" {
			names[g.of] = true
		} else {
			places[g.at] = true
		}
	}
	here := map[string]bool{}
	f.open(lang, func(i int) bool {
		s := &f.Symbols[i]
		here[s.Name] = true
		exported := s.Exported || names[s.Name] || places[s.NameStart] || f.besideExport(i, src)
		delete(places, s.NameStart) // a symbol, and no name besides
		return exported
	})
	f.Passed = slices.DeleteFunc(f.Passed, func(s Symbol) bool { return !s.Exported && !names[s.Name] })
	for i := range f.Passed {
		f.Passed[i].Exported = true
	}
	if len(list) == 0 {
		return
	}
	lines := newLineIndex(src)
	for _, g := range list {
		if g.of == g.name && here[g.name] || g.of == "" && !places[g.at] || g.name == "" || g.name == "default" || g.name == "__esModule" {
			continue
		}
		f.passOn(strings.Clone(g.name), handsOutBy(src, g), g.at, lines)
	}
}

// handsOutBy is what a reader is shown of the place that hands a name out: its statement, or the property of an object.
func handsOutBy(src []byte, g given) string {
	from, stop := g.at, ",;{}\n"
	switch src[g.at-1] {
	case '"', '\'':
		return g.name
	case '.':
		head := bytes.TrimSuffix(src[:g.at], []byte("exports."))
		from, stop = len(bytes.TrimSuffix(head, []byte("module."))), ";{\n"
	}
	text := src[from:min(len(src), from+maxSignature)]
	if i := bytes.IndexAny(text, stop); i >= 0 {
		text = text[:i]
	}
	return oneLine(text)
}

// handedOut finds the names that a module hands out, and those in it that it hands out under any name.
func handedOut(src []byte) (list []given) {
	word := []byte("exports")
	for at := 0; ; {
		i := bytes.Index(src[at:], word)
		if i < 0 {
			return list
		}
		begin := at + i
		at = begin + len(word)
		line := src[max(0, begin-maxSignature):begin]
		line = line[bytes.LastIndexByte(line, '\n')+1:]
		line, of := bytes.CutSuffix(line, []byte("module."))
		if n := len(line); n > 0 && (line[n-1] == '.' && !of || wordRune(rune(line[n-1]))) || bytes.ContainsAny(line, "\"'`") ||
			bytes.Contains(line, []byte("//")) || bytes.Contains(line, []byte("/*")) || bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte("*")) { // another word, or no code
			continue
		}
		if head, ok := cutCall(line); ok {
			list = append(list, handedByCall(src, src[at:], head)...)
			continue
		}
		if of {
			begin -= len("module.")
		}
		more, end := assigned(src, begin)
		list = append(list, more...)
		at = max(at, end)
	}
}

// assigned reads an assignment to what a module hands out, or several of one value, and where its value begins: exports.a = exports.b = c.
func assigned(src []byte, begin int) (list []given, value int) {
	whole := false
	rest := src[begin:]
	for {
		after, ok := bytes.CutPrefix(rest, []byte("module.exports"))
		if !ok {
			if after, ok = bytes.CutPrefix(rest, []byte("exports")); !ok {
				break
			}
		}
		name := 0
		if len(after) > 0 && after[0] == '.' {
			name = 1 + wordLength(after[1:])
		}
		is := bytes.TrimLeft(after[name:], " \t")
		if len(is) < 2 || is[0] != '=' || is[1] == '=' || name == 1 {
			break
		}
		g := given{}
		if whole = name == 0; !whole {
			g = given{name: string(after[1:name]), at: len(src) - len(after) + 1}
		}
		list = append(list, g)
		rest = bytes.TrimLeft(is[1:], " \t\r\n")
	}
	value = len(src) - len(rest)
	switch n := wordLength(rest); {
	case len(list) == 0:
		return nil, 0
	case whole && len(rest) > 0 && rest[0] == '{':
		list = append(list, properties(src, rest[1:])...)
	case bytes.HasPrefix(rest, []byte("void 0")): // a compiler's announcement of what is given further down
		return nil, value
	case n > 0 && (ends(rest[n:]) || assignsOn(rest[n:])) && !isValue(rest[:n]):
		for i := range list {
			list[i].of = string(rest[:n])
		}
	}
	return list, value
}

// assignsOn reports whether a value is itself given one: exports.A = A = {}.
func assignsOn(rest []byte) bool {
	rest = bytes.TrimLeft(rest, " \t")
	return len(rest) > 1 && rest[0] == '=' && rest[1] != '=' && rest[1] != '>'
}

// objectCall is a function of Object that hands out what it is given behind the exports of the module.
type objectCall string

const (
	assign         objectCall = "assign("
	defineProperty objectCall = "defineProperty("
)

// cutCall reports whether a line ends where such a call is given the exports.
func cutCall(line []byte) (objectCall, bool) {
	line = bytes.TrimRight(line, " \t")
	for _, call := range []objectCall{assign, defineProperty} {
		if bytes.HasSuffix(line, []byte("Object."+call)) {
			return call, true
		}
	}
	return "", false
}

// handedByCall finds what such a call hands out: assign(module.exports, { a }), defineProperty(exports, "b", …).
func handedByCall(src, rest []byte, call objectCall) []given {
	rest, ok := bytes.CutPrefix(bytes.TrimLeft(rest, " \t\r\n"), []byte(","))
	rest = bytes.TrimLeft(rest, " \t\r\n")
	switch {
	case !ok || len(rest) == 0:
	case call == defineProperty && (rest[0] == '"' || rest[0] == '\''):
		if n := wordLength(rest[1:]); n > 0 {
			return []given{{name: string(rest[1 : 1+n]), at: len(src) - len(rest) + 1}}
		}
	case call == assign && rest[0] == '{':
		return properties(src, rest[1:])
	}
	return nil
}

// isValue reports whether a word is a value and not the name of one.
func isValue(word []byte) bool {
	switch string(word) {
	case "true", "false", "null", "undefined", "this", "NaN", "Infinity":
		return true
	}
	return word[0] >= '0' && word[0] <= '9'
}

// ends reports whether a value ends here.
func ends(rest []byte) bool {
	rest = bytes.TrimLeft(rest, " \t\r")
	return len(rest) == 0 || strings.IndexByte(";\n,}", rest[0]) >= 0 || bytes.HasPrefix(rest, []byte("//"))
}

func wordLength(b []byte) int {
	n := 0
	for n < len(b) && (b[n] == '$' || b[n] == '_' || b[n] >= 0x80 || letterOf(b[n]) != 1<<37) {
		n++
	}
	return n
}

// properties gives the names of the properties of an object whose inside begins at the end of a source, up to its end: a, z: b, c() {},
// 'd': 1. Those of what it is spread from are not known.
func properties(src, inside []byte) (list []given) {
	depth, begins := 1, true // of a property
	key := given{at: -1}     // whose value comes next
	base := len(src) - len(inside)
	for i := 0; i < len(inside) && depth > 0; {
		c := inside[i]
		switch {
		case bytes.HasPrefix(inside[i:], []byte("//")), bytes.HasPrefix(inside[i:], []byte("/*")):
			mark, skip := "\n", 1
			if inside[i+1] == '*' {
				mark, skip = "*/", 2
			}
			end := bytes.Index(inside[i:], []byte(mark))
			if end < 0 {
				return list
			}
			i += end + skip
			continue
		case c == '"' || c == '\'' || c == '`':
			from := i + 1
			for i++; i < len(inside) && inside[i] != c; i++ {
				if inside[i] == '\\' {
					i++
				}
			}
			if begins && depth == 1 && key.at < 0 && i < len(inside) && c != '`' && wordLength(inside[from:i]) == i-from && i > from {
				key = given{name: string(inside[from:i]), at: base + from}
			}
			begins = false
		case c == '{' || c == '(' || c == '[':
			if c == '(' && depth == 1 && key.at >= 0 {
				list, key = append(list, key), given{at: -1}
			}
			depth++
			begins = false
		case c == '}' || c == ')' || c == ']':
			depth--
		case depth > 1 || c <= ' ':
		case c == ',':
			begins, key = true, given{at: -1}
		case c == ':' && key.at >= 0: // its value is a name, or it has none
			value := behindComments(inside[i+1:])
			if n := wordLength(value); n > 0 && endsProperty(value[n:]) && !isValue(value[:n]) {
				key.of = string(value[:n])
			}
			list, key = append(list, key), given{at: -1}
			begins = false
		case begins && wordLength(inside[i:]) > 0:
			n := wordLength(inside[i:])
			word := string(inside[i : i+n])
			switch rest := bytes.TrimLeft(inside[i+n:], " \t\r\n"); {
			case endsProperty(inside[i+n:]):
				list = append(list, given{word, base + i, word})
				begins = false
			case (word == "get" || word == "set" || word == "async" || word == "static") && len(rest) > 0 && (rest[0] == '*' || wordLength(rest) > 0): // the name comes next
			default:
				key, begins = given{name: word, at: base + i}, false
			}
			i += n
			continue
		case begins && c == '*': // of a generator
		default:
			begins = false
		}
		i++
	}
	return list
}

// endsProperty reports whether a property of an object ends behind its last word.
func endsProperty(rest []byte) bool {
	rest = behindComments(rest)
	return len(rest) > 0 && (rest[0] == ',' || rest[0] == '}')
}

// behindComments leaves out the room and the comments that a text begins with.
func behindComments(text []byte) []byte {
	for {
		text = bytes.TrimLeft(text, " \t\r\n")
		mark := "\n"
		if bytes.HasPrefix(text, []byte("/*")) {
			mark = "*/"
		} else if !bytes.HasPrefix(text, []byte("//")) {
			return text
		}
		i := bytes.Index(text, []byte(mark))
		if i < 0 {
			return nil
		}
		text = text[i+len(mark):]
	}
}
