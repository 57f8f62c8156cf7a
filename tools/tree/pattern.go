package tree

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// Limits of a query. A pattern of thousands of classes takes long to compile.
const (
	maxQueryBytes   = 4 << 10
	maxLiteralBytes = 64 << 10
)

// Classes as ripgrep has them. On a line of ASCII the short forms mean the same.
const (
	asciiWord  = `0-9A-Za-z_`
	asciiDigit = `0-9`
	asciiSpace = `\t-\r `
	wideWord   = `\pL\pM\p{Nd}\p{Nl}\p{Pc}\x{200c}\x{200d}`
	wideDigit  = `\p{Nd}`
	wideSpace  = `\t-\r \x{85}\pZ`
)

// Matcher is a compiled query. It is safe for concurrent use.
//
// A pattern is compiled twice: for lines of ASCII, and for others with \w, \d and
// \s as Unicode has them. \b has a Unicode meaning where it begins or ends the
// pattern next to a word character, and ASCII's elsewhere; \A and \z are the ends
// of a line (Multiline: of the file).
type Matcher struct {
	multiline bool
	group     int            // capture that is the match: 1 when the regexps look around it
	ascii     *regexp.Regexp // for lines of ASCII
	wide      *regexp.Regexp // for the others
	wideGroup int
	same      bool         // wide has no other meaning than ascii
	prog      *syntax.Prog // of ascii, for the automaton
	lits      literals     // needed in every match
}

// Compile prepares the pattern of a query. An error wraps ErrPattern and says why.
func Compile(q Query) (*Matcher, error) {
	p := q.Pattern
	limit := maxQueryBytes
	if q.Literal {
		limit = maxLiteralBytes
	}
	switch {
	case p == "":
		return nil, fmt.Errorf("%w: it is empty", ErrPattern)
	case len(p) > limit:
		return nil, fmt.Errorf("%w: longer than %d bytes", ErrPattern, limit)
	case !utf8.ValidString(p):
		return nil, fmt.Errorf("%w: not valid UTF-8", ErrPattern)
	}
	if q.Literal {
		p = regexp.QuoteMeta(strings.ReplaceAll(p, "\r\n", "\n"))
	}
	flags := syntax.Perl &^ syntax.OneLine
	prefix := "(?m)"
	if q.IgnoreCase {
		flags |= syntax.FoldCase
		prefix = "(?mi)"
	}
	if _, err := syntax.Parse(p, flags); err != nil {
		return nil, patternError(err)
	}
	narrow, err := syntax.Parse(translate(p, false), flags)
	if err != nil {
		return nil, patternError(err)
	}
	wide, err := syntax.Parse(translate(p, true), flags)
	if err != nil {
		return nil, patternError(err)
	}
	m := &Matcher{multiline: q.Multiline || needsNewline(narrow)}
	m.lits = required(narrow)
	m.same = !q.Word && translate(p, false) == translate(p, true)
	ascii := prefix + "(?:" + translate(p, false) + ")"
	if q.Word {
		m.group = 1
		m.lits.exact = false
		ascii = around(ascii, asciiWord, true, true)
	}
	if m.ascii, err = regexp.Compile(ascii); err != nil {
		return nil, patternError(err)
	}
	if m.wide, m.wideGroup, err = compileWide(prefix, translate(p, true), wide, q.Word); err != nil {
		return nil, patternError(err)
	}
	re, err := syntax.Parse(ascii, syntax.Perl)
	if err == nil {
		m.prog, err = syntax.Compile(re.Simplify())
	}
	if err != nil {
		return nil, patternError(err)
	}
	return m, nil
}

func patternError(err error) error {
	reason := err.Error()
	var se *syntax.Error
	if errors.As(err, &se) {
		reason = fmt.Sprintf("%s: `%s`", se.Code, se.Expr)
	}
	return fmt.Errorf("%w: %s (RE2 syntax, without look-around and back-references; use literal for plain text)", ErrPattern, reason)
}

// around asks for no word character in front of and behind a match, which
// becomes group 1.
func around(re, word string, front, behind bool) string {
	re = "(" + re + ")"
	if front {
		re = "(?:^|[^" + word + "])" + re
	}
	if behind {
		re += "(?:$|[^" + word + "])"
	}
	return "(?m)" + re
}

func compileWide(prefix, text string, re *syntax.Regexp, word bool) (*regexp.Regexp, int, error) {
	if word {
		r, err := regexp.Compile(around(prefix+"(?:"+text+")", wideWord, true, true))
		return r, 1, err
	}
	front, behind := false, false
	if re.Op == syntax.OpConcat && len(re.Sub) > 1 {
		subs := re.Sub
		if front = subs[0].Op == syntax.OpWordBoundary && edgeIsWord(subs[1], false); front {
			subs = subs[1:]
		}
		if n := len(subs); n > 1 && subs[n-1].Op == syntax.OpWordBoundary && edgeIsWord(subs[n-2], true) {
			behind, subs = true, subs[:n-1]
		}
		if front || behind {
			inner := *re
			inner.Sub = subs
			r, err := regexp.Compile(around(inner.String(), wideWord, front, behind))
			return r, 1, err
		}
	}
	r, err := regexp.Compile(prefix + "(?:" + text + ")")
	return r, 0, err
}

// edgeIsWord tells whether all that re matches begins (last: ends) with a word
// character.
func edgeIsWord(re *syntax.Regexp, last bool) bool {
	switch re.Op {
	case syntax.OpLiteral:
		r := re.Rune[0]
		if last {
			r = re.Rune[len(re.Rune)-1]
		}
		return within([]rune{r, r}, wordRanges())
	case syntax.OpCharClass:
		return within(re.Rune, wordRanges())
	case syntax.OpCapture, syntax.OpPlus:
		return edgeIsWord(re.Sub[0], last)
	case syntax.OpRepeat:
		return re.Min > 0 && edgeIsWord(re.Sub[0], last)
	case syntax.OpConcat:
		if last {
			return edgeIsWord(re.Sub[len(re.Sub)-1], last)
		}
		return edgeIsWord(re.Sub[0], last)
	case syntax.OpAlternate:
		return !slices.ContainsFunc(re.Sub, func(s *syntax.Regexp) bool { return !edgeIsWord(s, last) })
	}
	return false
}

func wordRanges() []rune {
	re, err := syntax.Parse("["+wideWord+"]", syntax.Perl)
	if err != nil {
		return nil
	}
	return re.Rune
}

// within tells whether ranges a (pairs, rising) lie in ranges b.
func within(a, b []rune) bool {
	for ; len(a) > 1; a = a[2:] {
		for len(b) > 1 && b[1] < a[0] {
			b = b[2:]
		}
		if len(b) < 2 || a[0] < b[0] || a[1] > b[1] {
			return false
		}
	}
	return true
}

// needsNewline tells whether a pattern spells out a line break.
func needsNewline(re *syntax.Regexp) bool {
	return re.Op == syntax.OpLiteral && slices.Contains(re.Rune, '\n') || slices.ContainsFunc(re.Sub, needsNewline)
}

// translate writes \w, \d, \s and their opposites as classes. A negated one
// inside a class cannot be written so and keeps its ASCII meaning.
func translate(p string, wide bool) string {
	word, digit, space := asciiWord, asciiDigit, asciiSpace
	if wide {
		word, digit, space = wideWord, wideDigit, wideSpace
	}
	var b strings.Builder
	inClass := false
	for i := 0; i < len(p); i++ {
		c := p[i]
		switch {
		case c == '\\' && i+1 < len(p):
			i++
			var set string
			switch p[i] | 0x20 {
			case 'w':
				set = word
			case 'd':
				set = digit
			case 's':
				set = space
			}
			lower := p[i] >= 'a'
			switch {
			case p[i] == 'Q' && !inClass:
				end := strings.Index(p[i:], `\E`)
				if end < 0 {
					end = len(p) - i
				}
				b.WriteString(p[i-1 : i+end])
				i += end - 1
			case set == "" || !isLetter(p[i]) || inClass && !lower:
				b.WriteString(p[i-1 : i+1])
			case inClass:
				b.WriteString(set)
			case lower:
				b.WriteString("[" + set + "]")
			default:
				b.WriteString("[^" + set + "]")
			}
		case inClass && c == '[' && strings.HasPrefix(p[i:], "[:"):
			end := strings.Index(p[i:], ":]")
			if end < 0 {
				b.WriteByte(c)
				continue
			}
			b.WriteString(p[i : i+end+2])
			i += end + 1
		case inClass && c == ']':
			inClass = false
			b.WriteByte(c)
		case !inClass && c == '[':
			inClass = true
			b.WriteByte(c)
			// A bracket that comes first is a member.
			if strings.HasPrefix(p[i+1:], "^") {
				i++
				b.WriteByte('^')
			}
			if strings.HasPrefix(p[i+1:], "]") {
				i++
				b.WriteByte(']')
			}
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
