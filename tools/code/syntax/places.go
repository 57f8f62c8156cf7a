package syntax

import (
	"bytes"
	"context"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"slices"
	"sort"
	"unicode"
	"unicode/utf8"
)

// Words finds a name in a source as a whole word: the byte offsets of its places, whatever they are in. A $ is part of a
// word only in languages whose names may have one; without a language it is.
func Words(lang *Language, src []byte, name string) []int {
	var at []int
	word := wordRune
	if lang != nil && !lang.dollar {
		word = func(r rune) bool { return r != '$' && wordRune(r) }
	}
	if name == "" {
		return nil
	}
	first, _ := utf8.DecodeRuneInString(name)
	last, _ := utf8.DecodeLastRuneInString(name)
	for from := 0; ; {
		i := bytes.Index(src[from:], []byte(name))
		if i < 0 {
			return at
		}
		start := from + i
		end := start + len(name)
		before, _ := utf8.DecodeLastRune(src[:start])
		after, _ := utf8.DecodeRune(src[end:])
		if !(start > 0 && word(first) && word(before)) && !(end < len(src) && word(last) && word(after)) {
			at = append(at, start)
		}
		from = start + 1
		for from < len(src) && !utf8.RuneStart(src[from]) {
			from++
		}
	}
}

// hasPrivate reports whether # before a name makes another name of it in a language.
func hasPrivate(id string) bool {
	return id == "javascript" || id == "typescript" || id == "typescriptreact"
}

// Private reports whether the name at an offset has a # in front that is a part of it.
func Private(lang *Language, src []byte, at int) bool {
	return lang != nil && hasPrivate(lang.ID) && at > 0 && at < len(src) && src[at-1] == '#' && wordRune(rune(src[at]))
}

// Uses is Words without those in strings and comments, and without those that are a part of another name.
func Uses(ctx context.Context, lang *Language, src []byte, name string) ([]int, error) {
	at := slices.DeleteFunc(Words(lang, src, name), func(a int) bool { return partOfAnother(lang, src, a, a+len(name)) })
	spans := make([]Span, len(at))
	for i, a := range at {
		spans[i] = Span{Start: a, End: a + len(name)}
	}
	places, err := Classify(ctx, lang, src, spans)
	if err != nil {
		return nil, err
	}
	code := at[:0]
	for i, a := range at {
		if places[i] == InCode {
			code = append(code, a)
		}
	}
	return code, nil
}

// Spelled finds the strings that are a name and nothing else.
func Spelled(ctx context.Context, lang *Language, src []byte, name string) ([]int, error) {
	var spans []Span
	for _, a := range Words(lang, src, name) {
		if end := a + len(name); a > 0 && end < len(src) && src[a-1] == src[end] && bytes.IndexByte([]byte("\"'`"), src[end]) >= 0 {
			spans = append(spans, Span{Start: a, End: end})
		}
	}
	places, err := Classify(ctx, lang, src, spans)
	var at []int
	for i, p := range places {
		if p == InText {
			at = append(at, spans[i].Start)
		}
	}
	return at, err
}

func wordRune(r rune) bool {
	return r == '_' || r == '$' || unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r)
}

// partOfAnother reports whether a mark beside a word makes another name of it: the # of JavaScript, the ? and ! of Ruby.
func partOfAnother(lang *Language, src []byte, from, to int) bool {
	switch {
	case lang.ID != "ruby":
		return Private(lang, src, from)
	case to == len(src) || src[to] != '?' && src[to] != '!' || to > from && (src[to-1] == '?' || src[to-1] == '!'):
		return false
	}
	rest := src[to+1:]
	return !bytes.HasPrefix(rest, []byte("=")) || bytes.HasPrefix(rest, []byte("==")) || bytes.HasPrefix(rest, []byte("=~"))
}

// IsName reports whether s could be a name in most languages: letters, digits, _ and $, no digit in front.
func IsName(s string) bool {
	for i, r := range s {
		if !wordRune(r) || i == 0 && unicode.IsDigit(r) {
			return false
		}
	}
	return s != ""
}

// Classify says what each span of a source is in. The spans are words, in rising order.
func Classify(ctx context.Context, lang *Language, src []byte, spans []Span) ([]Place, error) {
	if len(spans) == 0 {
		return nil, nil
	}
	if lang.ID == "go" {
		return inside(goLiterals(src), spans), nil
	}
	if places, ok := byMarks(lang, src, spans); ok {
		if lang.ID == "c" || lang.ID == "cpp" {
			included(src, spans, places)
		}
		return places, nil
	}
	places, err := classify(ctx, lang, src, spans)
	if err == nil {
		correct(lang, src, spans, places)
	}
	return places, err
}

// included takes the names of files in #include <…> for text.
func included(src []byte, spans []Span, places []Place) {
	for i, s := range spans {
		line := src[bytes.LastIndexByte(src[:s.Start], '\n')+1 : s.Start]
		if rest, ok := bytes.CutPrefix(bytes.TrimLeft(line, " \t"), []byte("#")); ok && places[i] == InCode {
			rest = bytes.TrimLeft(rest, " \t")
			if bytes.HasPrefix(rest, []byte("include")) && bytes.IndexByte(rest, '<') >= 0 && bytes.IndexByte(rest, '>') < 0 {
				places[i] = InText
			}
		}
	}
}

// literal is a string or comment.
type literal struct {
	Span
	place Place
}

// inside places spans by the literals around them; both rise.
func inside(list []literal, spans []Span) []Place {
	out := make([]Place, len(spans))
	for i, s := range spans {
		j := sort.Search(len(list), func(j int) bool { return list[j].End > s.Start })
		if j < len(list) && list[j].Start <= s.Start {
			out[i] = list[j].place
		}
	}
	return out
}

// goLiterals lists the strings and comments of Go source.
func goLiterals(src []byte) []literal {
	var list []literal
	var s scanner.Scanner
	fset := token.NewFileSet()
	file := fset.AddFile("", fset.Base(), len(src))
	s.Init(file, src, func(token.Position, string) {}, scanner.ScanComments)
	for {
		pos, tok, text := s.Scan()
		switch tok {
		case token.EOF:
			return list
		case token.STRING, token.CHAR, token.COMMENT:
			place := InText
			if tok == token.COMMENT {
				place = InComment
			}
			start := file.Offset(pos)
			end := start + len(text)
			if text != "" && text[0] == '`' { // the scanner drops the returns of raw strings
				if i := bytes.IndexByte(src[start+1:], '`'); i >= 0 {
					end = start + 1 + i + 1
				}
			}
			list = append(list, literal{Span{start, end}, place})
		}
	}
}

// Declaration is one statement that declares several names, which commas part.
type Declaration struct {
	Span         // of the statement, with export and declare in front
	Parts []Span // in their order
}

// Declarators gives the declaration of JavaScript that a symbol is one of several parts of, nil when it is of none.
func Declarators(ctx context.Context, lang *Language, src []byte, s *Symbol) (*Declaration, error) {
	if lang.ID != "javascript" && lang.ID != "typescript" && lang.ID != "typescriptreact" {
		return nil, nil
	}
	return declarators(ctx, lang, src, Span{s.Start, s.End})
}

// Branches gives the offsets of what splits the way through functions: conditions, loops, cases, catches.
func Branches(ctx context.Context, lang *Language, src []byte) ([]int, error) {
	if lang.ID != "go" {
		return branches(ctx, lang, src)
	}
	fset := token.NewFileSet()
	tree, _ := parser.ParseFile(fset, "", src, parser.SkipObjectResolution)
	if tree == nil {
		return nil, nil
	}
	file := fset.File(tree.FileStart)
	var at []int
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt:
			at = append(at, file.Offset(n.Pos()))
		case *ast.CaseClause:
			if n.List != nil {
				at = append(at, file.Offset(n.Pos()))
			}
		case *ast.CommClause:
			if n.Comm != nil {
				at = append(at, file.Offset(n.Pos()))
			}
		case *ast.BinaryExpr:
			if n.Op == token.LAND || n.Op == token.LOR {
				at = append(at, file.Offset(n.OpPos))
			}
		}
		return true
	})
	sort.Ints(at)
	return at, nil
}
