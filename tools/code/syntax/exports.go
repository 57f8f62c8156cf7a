package syntax

import (
	"bytes"
	"slices"
	"strings"
)

// openTo corrects which symbols of a file are exported by what stands elsewhere in it than in front of them: the list of
// names of a module of Python, what a module of JavaScript hands out, and one export before several names.
func openTo(f *File, lang *Language, src []byte) {
	switch {
	case lang.ID == "python":
		if names, ok := pythonAll(src); ok {
			f.open(lang, func(i int) bool { return names[f.Symbols[i].Name] })
		}
	case hasPrivate(lang.ID):
		names := map[string]bool{}
		handedOut(src, func(name string) { names[name] = true })
		f.open(lang, func(i int) bool {
			return f.Symbols[i].Exported || names[f.Symbols[i].Name] || f.besideExport(i, src)
		})
		f.Passed = slices.DeleteFunc(f.Passed, func(s Symbol) bool { return !s.Exported && !names[s.Name] })
		for i := range f.Passed {
			f.Passed[i].Exported = true
		}
	}
}

// open has exported say of each symbol at the top whether it is exported, and corrects those below by it.
func (f *File) open(lang *Language, exported func(i int) bool) {
	opened := make([]bool, len(f.Symbols))
	for i := range f.Symbols {
		s := &f.Symbols[i]
		if s.Parent < 0 {
			was := s.Exported
			s.Exported = exported(i)
			opened[i] = s.Exported && !was
			continue
		}
		above := &f.Symbols[s.Parent]
		switch opened[i] = opened[s.Parent]; {
		case !above.Exported && above.Kind != Impl:
			s.Exported = false
		case opened[i]:
			s.Exported = above.Kind != Function && above.Kind != Method && !strings.HasPrefix(s.Name, "#") && !says(s.Signature, []string{"private", "protected"}) &&
				(!strings.HasPrefix(s.Name, "_") || lang.ID == "python" && lang.exported(s.Name, s.Signature))
		}
	}
}

// besideExport reports whether a symbol at the top is one of several that one export declares: export const a = 1, b = 2.
func (f *File) besideExport(i int, src []byte) bool {
	s := &f.Symbols[i]
	if k := lastTop(f.Symbols[:i]); k >= 0 && f.Symbols[k].Exported && f.Symbols[k].End <= s.Start && s.Start-f.Symbols[k].End < 2000 {
		if string(bytes.TrimSpace(withoutComments(src[f.Symbols[k].End:s.Start]))) == "," {
			return true
		}
	}
	words := strings.Fields(string(src[max(0, s.Start-60):s.Start]))
	n := len(words)
	if n < 2 || !slices.Contains([]string{"const", "let", "var"}, words[n-1]) {
		return false
	}
	return words[n-2] == "export" || n > 2 && words[n-2] == "declare" && words[n-3] == "export"
}

// lastTop is the last symbol that has none around it.
func lastTop(list []Symbol) int {
	for k := len(list) - 1; k >= 0; k-- {
		if list[k].Parent < 0 {
			return k
		}
	}
	return -1
}

// withoutComments takes the comments out of what stands between two declarations.
func withoutComments(text []byte) []byte {
	var out []byte
	for len(text) > 0 {
		var end int
		switch {
		case bytes.HasPrefix(text, []byte("//")):
			end = bytes.IndexByte(text, '\n')
		case bytes.HasPrefix(text, []byte("/*")):
			if end = bytes.Index(text, []byte("*/")); end >= 0 {
				end += 2
			}
		default:
			out, end = append(out, text[0]), 1
		}
		if end < 0 {
			break
		}
		text = text[end:]
	}
	return out
}

// pythonAll gathers the names of __all__. ok is false when there is none, or it holds no names that can be read.
func pythonAll(src []byte) (names map[string]bool, ok bool) {
	if !bytes.Contains(src, []byte("__all__")) {
		return nil, false
	}
	names = map[string]bool{}
	list := lex(ByID("python"), src)
	for at := 0; at >= 0; at = lineBehind(src, at) {
		rest, found := bytes.CutPrefix(src[at:], []byte("__all__"))
		if !found || inside(list, []Span{{at, at + 7}})[0] != InCode {
			continue
		}
		rest = bytes.TrimLeft(rest, " \t")
		if len(rest) == 0 || strings.IndexByte("=+.:", rest[0]) < 0 {
			continue
		}
		text := statement(rest)
		value := string(bytes.TrimSpace(text[bytes.IndexByte(text, '=')+1:]))
		ok = ok || value == "[]" || value == "()"
		from := len(src) - len(rest)
		for _, l := range list {
			if l.Start < from || l.End > from+len(text) || l.place != InText {
				continue
			}
			names[strings.Trim(string(src[l.Start:l.End]), `"'`)] = true
		}
	}
	return names, ok || len(names) > 0
}

// lineBehind is where the line behind the one of an offset begins, -1 at the end.
func lineBehind(src []byte, at int) int {
	i := bytes.IndexByte(src[at:], '\n')
	if i < 0 || at+i+1 >= len(src) {
		return -1
	}
	return at + i + 1
}

// statement is the part of a source up to the end of the line at which its brackets are closed.
func statement(src []byte) []byte {
	depth := 0
	for i, c := range src {
		switch c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case '\n':
			if depth <= 0 && (i == 0 || src[i-1] != '\\') {
				return src[:i]
			}
		}
	}
	return src
}

// handedOut gives the names that a module of CommonJS hands out under any name: module.exports = { a, z: b }, exports.z = b.
func handedOut(src []byte, give func(name string)) {
	if !bytes.Contains(src, []byte("exports")) {
		return
	}
	for at := 0; at >= 0; at = lineBehind(src, at) {
		rest := bytes.TrimLeft(src[at:], " \t")
		whole, named := false, false
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
			value := bytes.TrimLeft(after[name:], " \t")
			if len(value) < 2 || value[0] != '=' || value[1] == '=' || name == 1 {
				break
			}
			whole, named = name == 0, true
			rest = bytes.TrimLeft(value[1:], " \t\r\n")
		}
		switch {
		case !named:
		case whole && len(rest) > 0 && rest[0] == '{':
			properties(rest[1:], give)
		default:
			if n := wordLength(rest); n > 0 && ends(rest[n:]) {
				give(string(rest[:n]))
			}
		}
	}
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

// properties gives the names that the properties of an object are made of, up to its end: those of a, and of b in z: b.
func properties(src []byte, give func(name string)) {
	depth, begins, key := 1, true, true // of a property; before its colon
	for i := 0; i < len(src) && depth > 0; {
		c := src[i]
		switch {
		case bytes.HasPrefix(src[i:], []byte("//")), bytes.HasPrefix(src[i:], []byte("/*")):
			mark, skip := "\n", 1
			if src[i+1] == '*' {
				mark, skip = "*/", 2
			}
			end := bytes.Index(src[i:], []byte(mark))
			if end < 0 {
				return
			}
			i += end + skip
			continue
		case c == '"' || c == '\'' || c == '`':
			for i++; i < len(src) && src[i] != c; i++ {
				if src[i] == '\\' {
					i++
				}
			}
			begins = false
		case c == '{' || c == '(' || c == '[':
			depth++
			begins = false
		case c == '}' || c == ')' || c == ']':
			depth--
		case depth > 1 || c <= ' ':
		case c == ',':
			begins, key = true, true
		case c == ':' && key:
			begins, key = true, false
		case begins && wordLength(src[i:]) > 0:
			n := wordLength(src[i:])
			if ends(src[i+n:]) {
				if rest := bytes.TrimLeft(src[i+n:], " \t\r\n"); len(rest) > 0 && (rest[0] == ',' || rest[0] == '}' || rest[0] == '/') {
					give(string(src[i : i+n]))
				}
			}
			begins = false
			i += n
			continue
		default:
			begins = false
		}
		i++
	}
}
