package syntax

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Query is a name path as a caller writes it: "name", "Type.method", "Type/method", "(*T).m", "pkg.F", "a::b",
// "Type.method[1]" for the second of several with that path.
type Query struct {
	Parts []string // at least one
	Index int      // which of those that match, 0-based; -1: not said
	Top   bool     // it began with "/": the first part is at the top of its file

	whole   string // as it was written, without the number
	given   string // with it
	dotted  string // whole, with dots between its parts
	within  bool   // parameters of a template stand in it, and not at its end
	special string // with dots, when it may be a specialization of a template
	last    string // lower case
	run     string // the longest run of letters in it
	letters letters

	operator bool     // it is the name of an operator
	keyed    bool     // keys in quotes and brackets are parts of it
	generic  []string // the names in it that something else stands behind in brackets
}

// ParseQuery reads a name path. ok is false when it holds no name.
func ParseQuery(s string) (q Query, ok bool) {
	q.Index = -1
	s = strings.TrimSpace(s)
	q.given = s
	if i := strings.LastIndexByte(s, '['); i > 0 && strings.HasSuffix(s, "]") {
		if n, err := strconv.Atoi(s[i+1 : len(s)-1]); err == nil && n >= 0 {
			q.Index, s = n, s[:i]
		}
	}
	q.whole = strings.TrimSpace(s)
	last := q.read()
	for len(q.Parts) > 1 && slices.Contains(ownScope, q.Parts[0]) {
		q.Parts = q.Parts[1:]
	}
	if last == "" { // "T.*" does not mean T
		return q, false
	}
	q.last, q.special, q.dotted = strings.ToLower(last), special(q.whole), dotted(q.whole)
	if q.keyed {
		q.dotted = q.String()
	}
	q.run, q.operator = longestRun(strings.ToLower(q.Needs())), operatorAt(last) == 0
	q.within = q.special == "" && strings.Contains(q.dotted, ">.")
	for i, bare := 0, strings.TrimLeft(q.last, "$#"); i < len(bare); i++ {
		if bare[i] < utf8.RuneSelf {
			q.letters |= letterOf(bare[i])
		}
	}
	return q, true
}

// read finds the parts of a name path, and gives the last of them, "" when it ends with none.
func (q *Query) read() (last string) {
	if q.Parts, q.keyed = keyed(q.whole); q.keyed {
		q.Top = strings.HasPrefix(q.whole, "/")
		return q.Last()
	}
	s := bareName(strings.Trim(q.whole, "`"))
	if operatorAt(s) < 0 {
		s = strings.TrimSuffix(s, "()")
	}
	q.Top = strings.HasPrefix(s, "/")
	var names []string
	names, q.generic = split(s)
	for _, part := range names {
		if last = strings.TrimLeft(part, "*& "); operatorAt(last) != 0 {
			last = strings.TrimRight(last, "*& ")
		}
		if last != "" {
			q.Parts = append(q.Parts, last)
		}
	}
	return last
}

// Literal is the query for what has exactly this path, which may hold no name: keys of data may be any text. ok is false
// for what means many.
func Literal(s string) (q Query, ok bool) {
	s = strings.TrimSpace(s)
	if s == "" || strings.Contains(s, "*") {
		return q, false
	}
	return Query{Parts: []string{s}, Index: -1, whole: s, given: s, dotted: s, last: strings.ToLower(s), run: longestRun(s)}, true
}

// ownScope are words in front of a name that say where it is used from, not where it stands.
var ownScope = []string{"crate", "self", "super", "Self", "this", "cls"}

// letters is the set of characters that a name holds, without regard to case. A name that lacks one of those asked for
// cannot fit, which is seen at once.
type letters uint64

func lettersOf(name string) letters {
	var set letters
	for i := range len(name) {
		if name[i] >= utf8.RuneSelf {
			return ^letters(0) // it may fold to anything
		}
		set |= letterOf(name[i])
	}
	return set
}

func letterOf(c byte) letters {
	switch lower := c | 0x20; {
	case 'a' <= lower && lower <= 'z':
		return 1 << (lower - 'a')
	case '0' <= c && c <= '9':
		return 1 << (26 + c - '0')
	case c == '_':
		return 1 << 36
	}
	return 1 << 37
}

// split cuts a name path at its separators. Parameters of types and brackets of receivers are dropped; generic are the names
// that brackets with something else than a number stand behind.
func split(s string) (parts, generic []string) {
	var b strings.Builder
	depth := 0
	flush := func() {
		parts = append(parts, b.String())
		b.Reset()
	}
	if i := operatorAt(s); i >= 0 {
		name := tight(s[i:])
		if i > 0 {
			parts, generic = split(strings.TrimRight(lastWord(s[:i]), ".:/#"))
		}
		return append(parts, name), generic
	}
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '[' && depth == 0:
			text := inBrackets(s[i:])
			switch {
			case text == "[]", b.Len() == 0 && strings.HasSuffix(text, "]"): // a method of Ruby, a computed name of JavaScript
				b.WriteString(text)
			case strings.HasPrefix(text, "[Symbol."): // of a class of JavaScript
				flush()
				b.WriteString(text)
			case !strings.HasSuffix(text, "]"): // which no symbol shows
				generic = append(generic, text)
			case !isNumber(text):
				generic = append(generic, strings.Trim(b.String(), "*& "))
			}
			i += len(text) - 1
		case c == '#' && b.String() == "r": // a keyword as a name of Rust
			b.Reset()
		case c == '#' && b.Len() == 0 && i+1 < len(s) && wordRune(rune(s[i+1])): // a private name of JavaScript
			b.WriteByte(c)
		case c == '<':
			depth++
		case c == '>':
			depth = max(0, depth-1)
		case depth > 0 || c == '(' || c == ')' || c == ']':
		case c == '.' || c == '/' || c == ':' || c == '#' || c == '\\':
			flush()
		case c == '-' && i+1 < len(s) && s[i+1] == '>':
			flush()
			i++
		default:
			b.WriteByte(c)
		}
	}
	flush()
	return parts, generic
}

// Last is the name that the query ends with.
func (q Query) Last() string { return q.Parts[len(q.Parts)-1] }

// String is the query with dots.
func (q Query) String() string { return strings.Join(q.Parts, ".") }

// Given is the query as it was written.
func (q Query) Given() string { return q.given }

// Written reports whether a symbol's path is what was written, its number in brackets and all.
func (q Query) Written(s *Symbol) bool { return s.Path == q.given }

// Narrow gives those of the symbols found whose whole path was written, parameters of types and all, and the number
// among them; all of them when none was. A specialization that is not there means no other one: none is given.
func (q Query) Narrow(all []Symbol, found []*Symbol) ([]*Symbol, int) {
	with := func(fits func(s *Symbol) bool) (list []*Symbol) {
		for _, s := range found {
			if fits(s) {
				list = append(list, s)
			}
		}
		return list
	}
	if list := with(q.Written); len(list) > 0 && q.given != q.whole {
		return list, -1
	}
	if q.special != "" {
		if list := with(func(s *Symbol) bool { return s.Path == q.special }); len(list) > 0 {
			return list, q.Index
		}
		if list := with(func(s *Symbol) bool { return strings.HasSuffix(s.Path, "."+q.special) }); len(list) > 0 {
			return list, q.Index
		}
		if slices.ContainsFunc(all, func(s Symbol) bool { return strings.HasPrefix(s.Name, q.Last()+"<") }) {
			return nil, q.Index
		}
	}
	if list := with(q.inner); len(list) > 0 && q.Index < 0 {
		return list, q.Index
	}
	for _, path := range []string{q.whole, q.dotted, q.String()} {
		if list := with(func(s *Symbol) bool { return s.Path == path || q.operator && tightPath(s) == path }); len(list) > 0 && q.Index < 0 {
			return list, q.Index
		}
	}
	return found, q.Index
}

// special gives the path with dots of what may be a specialization of a template, "" when no parameters end it.
func special(whole string) string {
	if !strings.HasSuffix(whole, ">") || !strings.Contains(whole, "<") || operatorAt(whole) >= 0 {
		return ""
	}
	name, parameters, _ := strings.Cut(whole, "<")
	return dotted(name) + "<" + parameters
}

// dotted puts dots for the other marks between names.
func dotted(s string) string {
	if strings.HasPrefix(s, "#") { // a private name of JavaScript
		return s
	}
	return strings.TrimPrefix(strings.NewReplacer("::", ".", "->", ".", "/", ".", ".#", ".#", "#", ".", `\`, ".").Replace(s), ".")
}

// inner reports whether a symbol of a specialization of a template, in a namespace, has the path that was written.
func (q Query) inner(s *Symbol) bool { return q.within && strings.HasSuffix(s.Path, "."+q.dotted) }

// Nearness says how much of a symbol's path a query that it matches has written: what a whole path means comes before what
// ends with the same names.
func (q Query) Nearness(s *Symbol) int {
	switch nested := q.String(); {
	case s.Path == q.dotted || s.Path == q.whole || q.inner(s) || q.operator && tightPath(s) == nested:
		return 0
	case len(s.Path) <= len(nested) || !strings.EqualFold(s.Path[len(s.Path)-len(nested)-1:], "."+nested):
		return 1
	}
	return 2
}

// Element reports whether the query names elements of lists by their numbers in front of its last part.
func (q Query) Element() bool {
	for rest := q.whole; ; {
		_, after, ok := strings.Cut(rest, "[")
		if !ok {
			return false
		}
		number, behind, ok := strings.Cut(after, "]")
		if _, err := strconv.Atoi(number); ok && err == nil && behind != "" {
			return true
		}
		rest = after
	}
}
