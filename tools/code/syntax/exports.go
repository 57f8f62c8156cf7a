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
		f.openPython(lang, src)
	case lang.ID == "rust":
		for i := range f.Symbols {
			if s := &f.Symbols[i]; s.Kind == Macro && bytes.Contains(src[s.Start:max(s.Start, s.NameStart)], []byte("macro_export")) {
				s.Exported = true // wherever it stands
			}
		}
	case hasPrivate(lang.ID):
		f.openScript(lang, src)
	}
}

// passOn adds a name to those that a file exports and that are no symbols of it, if it is not there.
func (f *File) passOn(name, sig string, at int, lines lineIndex) {
	if len(f.Passed) < maxPassed && !slices.ContainsFunc(f.Passed, func(s Symbol) bool { return s.Name == name }) {
		f.Passed = append(f.Passed, Symbol{
			Name: name, Path: name, Kind: Passed, Signature: clipped(sig), Parent: -1, Line: lines.line(at), EndLine: lines.line(at),
			NameStart: at, Start: at, End: at + len(name), Exported: true,
		})
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
