package syntax

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// What a class of Ruby keeps to itself is said by calls that stand in it: private alone, which counts for the methods behind it,
// private def …, private :name.

var (
	singletonClass = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^([ \t]*)class[ \t]*<<[^\n]*$`) })
	givenSymbol    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\s,(]*(?::"?|"|')([\pL_][\pL\pN_]*[?!=]?)["']?`) })
	symbolWords    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\s(*]*%[iwIW][\[({<]([^\])}>]*)`) })
)

// maxWords is how many words of a file that say who may use what are looked at.
const maxWords = 500

// closeTo corrects which symbols are open to others by the words that say so, wherever they stand in the source.
func (f *File) closeTo(words []Span, src []byte) {
	if len(words) == 0 {
		return
	}
	slices.SortFunc(words, func(a, b Span) int { return cmp.Compare(a.Start, b.Start) })
	words = words[:min(len(words), maxWords)]
	singletons := singletonsOf(src)
	closed := make([]bool, len(f.Symbols))
	for _, w := range words {
		at, word := w.Start, string(src[w.Start:w.End])
		owner, ok := f.classAround(at)
		if !ok {
			continue
		}
		line, _, _ := bytes.Cut(src[w.End:], []byte("\n"))
		hides := word != "public" && word != "module_function"
		if rest := bytes.TrimSpace(line); len(rest) == 0 || rest[0] == '#' || rest[0] == ';' {
			room := around(singletons, at)
			for k := range f.Symbols {
				s := &f.Symbols[k]
				if s.Parent == owner && s.NameStart > at && (s.Kind == Method || s.Kind == Function || s.Kind == Field) && around(singletons, s.NameStart) == room &&
					!strings.HasPrefix(s.Signature, "def self.") {
					closed[k] = hides
				}
			}
			continue
		}
		names := symbolsGiven(src[w.End:])
		for k := range f.Symbols {
			s := &f.Symbols[k]
			begun := s.NameStart > at && s.NameStart < w.End+len(line) && s.Kind != Constant // private def …, private attr_reader :a
			if s.Parent == owner && (begun || slices.Contains(names, s.Name) && (s.Kind == Constant || s.Kind == Class) == (word == "private_constant")) {
				closed[k] = hides
			}
		}
	}
	for k := range f.Symbols {
		s := &f.Symbols[k]
		if s.Parent >= 0 {
			closed[k] = closed[k] || closed[s.Parent]
		}
		s.Exported = s.Exported && !closed[k]
	}
}

// classAround is the class or module that a call stands in by itself, -1 for the file; ok is false inside a method.
func (f *File) classAround(at int) (owner int, ok bool) {
	owner = -1
	for i := range f.Symbols {
		s := &f.Symbols[i]
		if s.Start > at {
			break
		}
		if at < s.End && (s.Kind == Class || s.Kind == Module) {
			owner = i
		} else if at < s.End && s.NameStart < at && (s.Kind == Method || s.Kind == Function) {
			return -1, false
		}
	}
	return owner, true
}

// singletonsOf gives the bodies of class << self, which have a visibility of their own, by their indentation.
func singletonsOf(src []byte) (list []Span) {
	for _, m := range singletonClass().FindAllSubmatchIndex(src, maxWords) {
		end := "\n" + string(src[m[2]:m[3]]) + "end"
		if n := bytes.Index(src[m[1]:], []byte(end)); n >= 0 {
			list = append(list, Span{m[0], m[1] + n + len(end)})
		}
	}
	return list
}

// around is the index of the last span that an offset stands in, -1 for none.
func around(list []Span, at int) int {
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].Start <= at && at < list[i].End {
			return i
		}
	}
	return -1
}

// symbolsGiven are the symbols that a call is given: :a, :b or %i[a b].
func symbolsGiven(text []byte) (names []string) {
	if m := symbolWords().FindSubmatch(text); m != nil {
		return strings.Fields(string(m[1]))
	}
	for {
		m := givenSymbol().FindSubmatchIndex(text)
		if m == nil {
			return names
		}
		names = append(names, string(text[m[2]:m[3]]))
		if text = text[m[1]:]; len(bytes.TrimLeft(text, " \t")) == 0 || bytes.TrimLeft(text, " \t")[0] != ',' {
			return names
		}
	}
}
