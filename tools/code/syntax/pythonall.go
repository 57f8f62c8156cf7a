package syntax

import (
	"bytes"
	"maps"
	"slices"
	"sort"
	"strings"
)

// The names that a module of Python lists as its own.

// openPython opens what __all__ names. Where there is none, what the file takes from its own package may be there for others.
func (f *File) openPython(lang *Language, src []byte) {
	names, ok := pythonAll(src)
	if !ok {
		f.Passed = slices.DeleteFunc(f.Passed, func(s Symbol) bool {
			return !s.Exported && (!strings.HasPrefix(s.Signature, "from .") || strings.HasPrefix(s.Name, "_"))
		})
		for i := range f.Symbols {
			if s := &f.Symbols[i]; s.Name == "__all__" && s.Parent < 0 {
				s.Exported = false // it is the list, and in none
			}
		}
		return
	}
	f.open(lang, func(i int) bool { return names[f.Symbols[i].Name] > 0 })
	for i := range f.Symbols {
		if f.Symbols[i].Parent < 0 {
			delete(names, f.Symbols[i].Name)
		}
	}
	f.Passed = slices.DeleteFunc(f.Passed, func(s Symbol) bool { return names[s.Name] == 0 })
	for i := range f.Passed {
		f.Passed[i].Exported = true
		delete(names, f.Passed[i].Name)
	}
	if len(names) == 0 {
		return
	}
	lines := newLineIndex(src)
	for _, name := range slices.Sorted(maps.Keys(names)) { // of a star import, or made when it is asked for
		if name != "" && len(name) <= maxPath {
			f.passOn(name, "__all__: "+name, names[name], lines)
		}
	}
}

// ComputedAll gives the statements that make __all__ of more than the names that stand in them.
func ComputedAll(src []byte) (list []string) {
	eachAll(src, func(text []byte, names []literal, computed bool) {
		if computed {
			list = append(list, "__all__ "+clipped(oneLine(text)))
		}
	})
	return list
}

// pythonAll gathers the names of __all__ with their places. ok is false when there is none, or it holds no names that can be read.
func pythonAll(src []byte) (names map[string]int, ok bool) {
	names = map[string]int{}
	eachAll(src, func(text []byte, list []literal, computed bool) {
		value := string(bytes.TrimSpace(text[bytes.IndexByte(text, '=')+1:]))
		ok = ok || value == "[]" || value == "()"
		for _, l := range list {
			if name := strings.Trim(string(src[l.Start:l.End]), `"'`); IsName(name) && names[name] == 0 {
				names[name] = l.Start + 1
			}
		}
	})
	return names, ok || len(names) > 0
}

// eachAll gives the statements that make __all__ or add to it, from behind its name on, with the texts in them. One that chooses
// by a condition names nothing.
func eachAll(src []byte, give func(text []byte, names []literal, computed bool)) {
	word := []byte("__all__")
	if !bytes.Contains(src, word) {
		return
	}
	list := lex(ByID("python"), src)
	for at := 0; at >= 0; at = lineBehind(src, at) {
		line := bytes.TrimLeft(src[at:], " \t")
		rest, found := bytes.CutPrefix(line, word)
		if begin := len(src) - len(line); !found || inside(list, []Span{{begin, begin + len(word)}})[0] != InCode {
			continue
		}
		rest = bytes.TrimLeft(rest, " \t")
		if len(rest) == 0 || strings.IndexByte("=+.:", rest[0]) < 0 || bytes.HasPrefix(rest, []byte("==")) {
			continue
		}
		text := statement(rest)
		from := len(src) - len(rest)
		code := bytes.Clone(text) // without strings and comments
		var names []literal
		first := sort.Search(len(list), func(i int) bool { return list[i].Start >= from })
		for _, l := range list[first:] {
			if l.End > from+len(text) {
				break
			}
			for i := l.Start; i < l.End; i++ {
				code[i-from] = ' '
			}
			if l.place == InText {
				names = append(names, l)
			}
		}
		if rest[0] == ':' { // its type
			if i := bytes.IndexByte(code, '='); i >= 0 {
				code = code[i:]
			}
		}
		words := bytes.FieldsFunc(code, func(r rune) bool { return !wordRune(r) })
		if rest[0] == '.' && len(words) > 0 { // append, extend, remove
			words = words[1:]
		}
		if slices.ContainsFunc(words, func(w []byte) bool { return string(w) == "for" }) || bytes.HasPrefix(rest, []byte(".remove")) {
			names = nil
		}
		give(text, names, len(words) > 0)
	}
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
