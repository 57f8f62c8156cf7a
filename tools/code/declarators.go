package code

import (
	"bytes"
	"context"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
)

// Declarations of several names of JavaScript: var a = 1, b = 2. What parts its names is not what parts statements, and a comma
// too many takes in the statement behind it.

// declarator is one of the names of a declaration.
type declarator struct {
	f  *parsed
	d  *syntax.Declaration
	at int // among its parts
}

// declaratorOf gives the part that a symbol is of a declaration, nil where it has one of its own.
func declaratorOf(ctx context.Context, f *parsed, s *syntax.Symbol) (*declarator, error) {
	d, err := syntax.Declarators(ctx, f.lang, f.text, s)
	if err != nil || d == nil {
		return nil, err
	}
	for i, p := range d.Parts {
		if p.Start == s.Start {
			return &declarator{f, d, i}, nil
		}
	}
	return nil, nil
}

// among makes an edit one of a part of the declaration. A text of its own statements goes in front of the declaration or behind
// it: then the symbol is as wide as that is.
func (l *declarator) among(ctx context.Context, s *syntax.Symbol, does way, given string, make editor) (*syntax.Symbol, editor) {
	switch {
	case does == replaces:
		return s, make
	case does == deletes:
		return s, func(*parsed, *syntax.Symbol, string) (int, int, string) { return l.without() }
	case !declares(ctx, l.f.lang, given):
		whole := *s
		whole.Start, whole.End = l.d.Start, l.d.End
		return &whole, make
	}
	i := l.at
	if does == precedes {
		i--
	}
	return s, func(*parsed, *syntax.Symbol, string) (int, int, string) {
		return l.with(ctx, i, bareDeclarator(l.f.lang, given))
	}
}

// bareDeclarator takes the commas and the mark off a text that part it from what stands around it.
func bareDeclarator(lang *syntax.Language, text string) string {
	return marked(lang, strings.TrimPrefix(strings.TrimSpace(text), ","), "")
}

// declares reports whether a text is what may stand between the commas of a declaration.
func declares(ctx context.Context, lang *syntax.Language, text string) bool {
	code, _ := splitTail(lang, "let first_, "+bareDeclarator(lang, text))
	f, err := syntax.Analyze(ctx, lang, []byte(code))
	if err != nil || f.Broken || len(f.Symbols) == 0 {
		return false
	}
	d, err := syntax.Declarators(ctx, lang, []byte(code), &f.Symbols[0])
	return err == nil && d != nil && d.End == len(code)
}

// comma is where the comma stands behind part i.
func (l *declarator) comma(i int) int {
	behind := l.f.text[l.d.Parts[i].End:l.d.Parts[i+1].Start]
	return l.d.Parts[i+1].Start - len(syntax.TrimLeft(l.f.lang, behind))
}

// opensLine reports whether only white space stands in front of an offset on its line.
func (l *declarator) opensLine(at int) bool {
	return len(bytes.TrimSpace(l.f.text[l.lineOf(at):at])) == 0
}

func (l *declarator) lineOf(at int) int { return bytes.LastIndexByte(l.f.text[:at], '\n') + 1 }

// end is where the declaration ends that part i is the last of, with the mark there.
func (l *declarator) end() (at int, mark string) {
	at = l.d.Parts[len(l.d.Parts)-1].End
	if behind := syntax.TrimLeft(l.f.lang, l.f.text[at:l.d.End]); bytes.HasPrefix(behind, []byte(";")) {
		return l.d.End - len(behind) + 1, ";"
	}
	return at, ""
}

// pastComment is the end of the line of an offset when nothing but a comment stands behind it, else the offset.
func (l *declarator) pastComment(at int) int {
	if rest := restOfLine(l.f, at); onlyComment(l.f, rest) || len(bytes.TrimSpace(rest)) == 0 {
		return at + len(rest)
	}
	return at
}

// without gives the range that the part takes which is deleted, with the comma that is one too many then, and what stays of it.
func (l *declarator) without() (from, to int, keep string) {
	src, p := l.f.text, l.d.Parts[l.at]
	past := func(comma int) int { // where what follows it begins
		at := l.pastComment(comma + 1)
		return at + len(src[at:]) - len(bytes.TrimLeft(src[at:], " \t\r\n"))
	}
	if l.at == 0 {
		return p.Start, past(l.comma(0)), ""
	}
	before, last := l.comma(l.at-1), l.at == len(l.d.Parts)-1
	first := leading(src, p.Start, l.f.lang)
	ahead := l.opensLine(before) // commas stand in front
	if ahead {
		first = leading(src, before, l.f.lang)
	}
	if last {
		prev := l.d.Parts[l.at-1].End
		to, keep = l.end()
		if ahead || bytes.IndexByte(src[before:p.Start], '\n') >= 0 {
			to = l.pastComment(to)
		}
		if ahead {
			keep += string(src[prev:first])
		} else {
			keep += string(src[prev:before]) + string(src[before+1:first])
		}
		return prev, to, strings.ReplaceAll(strings.TrimRight(keep, " \t\r\n"), "\r\n", "\n")
	}
	next := l.comma(l.at)
	switch end := l.pastComment(p.End); {
	case ahead && end > p.End:
		return l.lineOf(first), end + 1, ""
	case ahead:
		return before, p.End, ""
	case !l.opensLine(p.Start):
		return before + 1, next + 1, ""
	}
	if end := l.pastComment(next + 1); end > next+1 || src[end] == '\n' || src[end] == '\r' {
		if bytes.IndexByte(src[p.End:next], '\n') < 0 {
			return l.lineOf(first), end + len(lineEnd(src[end:])), ""
		}
	}
	return first, past(next), ""
}

// lineEnd is the ending that a text begins with.
func lineEnd(text []byte) []byte {
	return text[:len(text)-len(bytes.TrimPrefix(bytes.TrimPrefix(text, []byte("\r")), []byte("\n")))]
}

// with gives where and how another part goes behind part i, -1 for in front of all, as those next to it stand.
func (l *declarator) with(ctx context.Context, i int, given string) (from, to int, text string) {
	src, parts := l.f.text, l.d.Parts
	last := i == len(parts)-1
	near := max(i, 0) // it and the next one show how they stand
	if last {
		near--
	}
	comma := l.comma(near)
	ahead := l.opensLine(comma)
	over := ahead || l.opensLine(parts[near+1].Start)
	indent := columnOf(l.f, parts[near+1].Start)
	given = fit(ctx, l.f, given, indent)
	bare := strings.TrimLeft(given, " \t")
	switch {
	case i < 0 && ahead:
		return parts[0].Start, parts[0].Start, bare + "\n" + indent + ", "
	case i < 0 && over, i < 0 && swallows(l.f.lang, given):
		return parts[0].Start, parts[0].Start, marked(l.f.lang, bare, ",") + "\n" + indent
	case i < 0:
		return parts[0].Start, parts[0].Start, bare + ", "
	case !last && ahead:
		at := l.lineOf(leading(src, comma, l.f.lang))
		return at, at, indent + ", " + bare + "\n"
	case !last && over:
		at := l.pastComment(comma + 1)
		return at, at, "\n" + marked(l.f.lang, given, ",")
	case !last && swallows(l.f.lang, given):
		return parts[i].End, comma + 1, ", " + marked(l.f.lang, bare, ",") + "\n" + indent
	case !last:
		return parts[i].End, parts[i].End, ", " + bare
	}
	to, mark := l.end()
	comment := ""
	if end := l.pastComment(to); over {
		comment, to = strings.TrimRight(string(src[to:end]), " \t"), end
	}
	given = marked(l.f.lang, given, mark)
	switch {
	case ahead:
		text = comment + "\n" + indent + ", " + strings.TrimLeft(given, " \t")
	case over:
		text = "," + comment + "\n" + given
	default:
		text = ", " + strings.TrimLeft(given, " \t")
	}
	return parts[i].End, to, text
}
