package syntax

import (
	"bytes"
	"maps"
	"slices"
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

// pythonAll gathers the names of __all__ with their places. ok is false when there is none, or it holds no names that can be read.
func pythonAll(src []byte) (names map[string]int, ok bool) {
	if !bytes.Contains(src, []byte("__all__")) {
		return nil, false
	}
	names = map[string]int{}
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
			if name := strings.Trim(string(src[l.Start:l.End]), `"'`); names[name] == 0 {
				names[name] = l.Start + 1
			}
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
