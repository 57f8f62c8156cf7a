package tree

import (
	"math"
	"regexp/syntax"
	"strings"
	"unicode"
)

// literals are strings of which every match holds at least one.
type literals struct {
	list  []string // none: nothing is known
	fold  bool     // they are in lower case, and so must be the text (ASCII only)
	exact bool     // holding one is matching
	long  bool     // k or s stands for itself and for U+212A or U+017F too
}

const (
	maxLiterals  = 32 // strings in a set under construction
	maxClassSize = 4  // characters of a class that is spelled out
)

// part is what is known of a piece of a pattern.
type part struct {
	exact []string // all it can match; nil: too many
	need  []string // one of these is in each match; nil: unknown
	fold  bool
	plain bool // exact is the whole truth: no assertion, one way of case
	long  bool
}

// required finds the literals of a pattern that are worth looking for first.
func required(re *syntax.Regexp) literals {
	p := analyse(re)
	l := literals{list: p.need, fold: p.fold, long: p.long}
	if p.exact != nil {
		l.list, l.exact = p.exact, p.plain
	}
	for _, s := range l.list {
		if s == "" {
			return literals{}
		}
		// \r in front of \n is no part of a line.
		l.exact = l.exact && !strings.Contains(s, "\r")
	}
	if l.fold {
		for i, s := range l.list {
			l.list[i] = string(lowerASCII(nil, []byte(s)))
		}
	}
	l.list = withoutLonger(l.list)
	return l
}

// withoutLonger drops strings that hold another one.
func withoutLonger(list []string) []string {
	var out []string
	for i, s := range list {
		covered := false
		for j, t := range list {
			if i != j && strings.Contains(s, t) && (len(t) < len(s) || j < i) {
				covered = true
			}
		}
		if !covered {
			out = append(out, s)
		}
	}
	return out
}

func analyse(re *syntax.Regexp) part {
	switch re.Op {
	case syntax.OpLiteral:
		return literalPart(re)
	case syntax.OpCharClass:
		return classPart(re)
	case syntax.OpEmptyMatch:
		return part{exact: []string{""}, plain: true}
	case syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return part{exact: []string{""}}
	case syntax.OpCapture:
		return analyse(re.Sub[0])
	case syntax.OpQuest:
		p := analyse(re.Sub[0])
		if p.exact == nil || len(p.exact) == maxLiterals {
			return part{}
		}
		p.exact = append(p.exact, "")
		return p
	case syntax.OpPlus:
		return inexact(analyse(re.Sub[0]))
	case syntax.OpRepeat:
		if re.Min == 0 {
			return part{}
		}
		p := analyse(re.Sub[0])
		if re.Min == re.Max && re.Min <= 8 {
			all := make([]part, re.Min)
			for i := range all {
				all[i] = p
			}
			return concat(all)
		}
		return inexact(p)
	case syntax.OpConcat:
		parts := make([]part, len(re.Sub))
		for i, s := range re.Sub {
			parts[i] = analyse(s)
		}
		return concat(parts)
	case syntax.OpAlternate:
		return alternate(re.Sub)
	}
	return part{}
}

func inexact(p part) part {
	if p.exact != nil {
		p.need = usable(p.exact)
	}
	p.exact, p.plain = nil, false
	return p
}

// usable gives a set back unless it holds the empty string, which is everywhere.
func usable(set []string) []string {
	for _, s := range set {
		if s == "" {
			return nil
		}
	}
	return set
}

func literalPart(re *syntax.Regexp) part {
	p := part{exact: []string{""}, plain: true}
	if re.Flags&syntax.FoldCase == 0 {
		p.exact[0] = string(re.Rune)
		return p
	}
	// One way of case: all letters folded. A literal without letters fits both.
	parts := make([]part, len(re.Rune))
	for i, r := range re.Rune {
		parts[i] = foldedRune(r)
	}
	return concat(parts)
}

// foldedRune is a character in any case: ASCII in lower case, others spelled out.
func foldedRune(r rune) part {
	p := part{plain: true}
	for f := unicode.SimpleFold(r); ; f = unicode.SimpleFold(f) {
		switch {
		case f < 0x80:
			low := unicode.ToLower(f)
			p.fold = p.fold || low != unicode.ToUpper(f)
			if s := string(low); len(p.exact) == 0 || p.exact[0] != s {
				p.exact = append([]string{s}, p.exact...)
			}
		case f == '\u212A' || f == '\u017F':
			p.long = true
		default:
			p.exact = append(p.exact, string(f))
		}
		if f == r {
			return p
		}
	}
}

func classPart(re *syntax.Regexp) part {
	size := 0
	for i := 0; i < len(re.Rune); i += 2 {
		if size += int(re.Rune[i+1]-re.Rune[i]) + 1; size > maxClassSize {
			return part{}
		}
	}
	p := part{plain: true}
	for i := 0; i < len(re.Rune); i += 2 {
		for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
			p.exact = append(p.exact, string(r))
		}
	}
	return p
}

func concat(parts []part) part {
	out := part{exact: []string{""}, plain: true}
	var need []string
	run := []string{""}
	whole := true
	lettersFolded, lettersPlain := false, false
	for _, p := range parts {
		out.fold = out.fold || p.fold
		out.long = out.long || p.long
		out.plain = out.plain && p.plain
		if p.fold {
			lettersFolded = true
		} else if hasLetter(p.exact) {
			lettersPlain = true
		}
		if p.exact != nil && len(run)*len(p.exact) <= maxNeedles {
			run = cross(run, p.exact)
			continue
		}
		whole = false
		need = better(need, usable(run))
		need = better(need, usable(p.need))
		run = []string{""}
		if p.exact != nil {
			run = p.exact
		}
	}
	if whole {
		out.exact = run
		out.plain = out.plain && !(lettersFolded && lettersPlain)
		return out
	}
	out.exact, out.plain = nil, false
	out.need = better(need, usable(run))
	return out
}

func hasLetter(set []string) bool {
	for _, s := range set {
		for i := range len(s) {
			if isLetter(s[i]) {
				return true
			}
		}
	}
	return false
}

func cross(a, b []string) []string {
	out := make([]string, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			out = append(out, x+y)
		}
	}
	return out
}

func alternate(subs []*syntax.Regexp) part {
	out := part{plain: true}
	exact := true
	folded, plain := false, false
	for _, s := range subs {
		p := analyse(s)
		out.fold = out.fold || p.fold
		out.long = out.long || p.long
		out.plain = out.plain && p.plain
		if p.fold {
			folded = true
		} else if hasLetter(p.exact) {
			plain = true
		}
		set := p.exact
		if set == nil {
			exact = false
			set = p.need
		}
		if set == nil || len(out.need)+len(set) > maxLiterals {
			return part{}
		}
		out.need = append(out.need, set...)
	}
	if exact {
		out.exact, out.need = out.need, nil
		out.plain = out.plain && !(folded && plain)
		return out
	}
	out.plain = false
	out.need = usable(out.need)
	return out
}

// better chooses the set that is found less often.
func better(a, b []string) []string {
	if len(b) == 0 || len(a) > 0 && density(a) <= density(b) {
		return a
	}
	return b
}

// density estimates how often one of the strings begins at a byte of source text.
func density(set []string) float64 {
	sum := 0.0
	for _, s := range set {
		p := 1.0
		for i := range min(len(s), 8) {
			p *= frequency(s[i])
		}
		sum += p
	}
	return sum
}

// commonBytes are those of source text, the most frequent first.
const commonBytes = " etrnaiso\tlcdu\nmpf.,g()hybv\"w0x_=:1/kTS2-ECRA;I{}'P*NL>D3F<Mq4O[]B58j6U79zVG&W`#+HKX$QJYZ@!|\\%?~^"

func frequency(b byte) float64 {
	rank := strings.IndexByte(commonBytes, b)
	if rank < 0 {
		return 0.0005
	}
	return 0.10 * math.Pow(0.955, float64(rank))
}

// lowerASCII appends src to dst with A-Z in lower case.
func lowerASCII(dst, src []byte) []byte {
	dst = append(dst, src...)
	lowerInPlace(dst[len(dst)-len(src):])
	return dst
}
