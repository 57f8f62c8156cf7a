//go:build cgo

package syntax

import "bytes"

// A grammar of C takes macros for types and names. What it makes of them is wrong in more than their own declaration, so
// the declarations of a source that does not parse are found by their marks alone: ; { } and what stands in brackets.

const maxHeadTokens = 500 // of one declaration; a longer one is let be

// cToken is a word, a bracket with all that is in it, a text in quotes or a mark of C.
type cToken struct {
	Span
	kind        byte // 'w' of a word, '"' of a text, 's' of ::, '?' of a bracket without end, else its first byte
	first, last bool // on its line
}

func (t *cToken) text(src []byte) string { return string(src[t.Start:t.End]) }

// cHead is a declaration of C up to its body or its end.
type cHead struct {
	tokens []cToken
	end    byte // what ends it: ; { } : of a label, 0 a line of the preprocessor
	at     int  // where that stands
	brace  int  // the number of the brace, when it is one
	tail   bool // it goes on behind a body
}

// cScope is what a brace opens.
type cScope byte

const (
	inOuter  cScope = iota // holds declarations
	inType                 // holds members, and a declaration goes on behind it
	inList                 // values: a declaration goes on behind it
	inBlock                // statements
	maxScope = 200
)

// cOpen is a brace that is open.
type cOpen struct {
	cScope
	brace int
}

// cScan finds the declarations of a source of C.
type cScan struct {
	src    []byte
	list   []literal // strings and comments that are still ahead
	give   func(*cHead)
	head   cHead
	shut   func(brace, at int) // told of each brace of an outer one that is closed, and where
	scopes []cOpen
	braces int
	ifs    [][]cOpen // scopes where each #if around began: its branches all begin there
	first  bool      // nothing of the line was read
	left   int       // bytes that may still be looked through for brackets without end
}

// cHeads hands over the declarations of a source that stand in no function, in their order, and where their braces end.
func cHeads(lang *Language, src []byte, give func(*cHead), shut func(brace, at int)) {
	s := cScan{src: src, list: lex(lang, src), give: give, shut: shut, first: true, left: 4 * len(src)}
	for i := 0; i < len(src); {
		i = s.next(i)
	}
	s.end(0, len(src))
}

// next reads what stands at an offset, and gives where the next begins.
func (s *cScan) next(i int) int {
	if end, comment := s.literal(i); end > i {
		if !comment {
			s.add(i, end, '"')
		}
		return end
	}
	switch c := s.src[i]; {
	case c == '\n':
		s.newline()
	case c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v' || c == '\\':
	case c == '#' && s.first:
		return s.directive(i)
	case !s.declares() && c != '{' && c != '}':
		s.first = false
	case c == '(' || c == '[':
		if end := s.closing(i); end > 0 {
			s.add(i, end, c)
			return end
		}
		s.add(i, i+1, '?')
	case c == '{':
		s.open(i)
	case c == '}':
		s.close(i)
	case c == ';':
		s.end(';', i)
	case c == ':' && i+1 < len(s.src) && s.src[i+1] == ':':
		s.add(i, i+2, 's')
		return i + 2
	case c == ':' && len(s.scopes) > 0 && s.scopes[len(s.scopes)-1].cScope == inType && isLabel(s.src, s.head.tokens):
		s.end(':', i)
	case wordRune(rune(c)) || c >= 0x80:
		end := i + 1
		for end < len(s.src) && (wordRune(rune(s.src[end])) || s.src[end] >= 0x80) {
			end++
		}
		s.add(i, end, 'w')
		return end
	default:
		s.add(i, i+1, c)
	}
	return i + 1
}

// literal gives the end of the string or comment that begins at an offset.
func (s *cScan) literal(i int) (end int, comment bool) {
	for len(s.list) > 0 && s.list[0].End <= i {
		s.list = s.list[1:]
	}
	if len(s.list) == 0 || s.list[0].Start > i {
		return i, false
	}
	l := s.list[0]
	if s.src[l.End-1] == '\n' { // of a comment to the end of its line
		return max(l.End-1, i), l.place == InComment
	}
	return l.End, l.place == InComment
}

func (s *cScan) declares() bool {
	return len(s.scopes) == 0 || s.scopes[len(s.scopes)-1].cScope <= inType
}

func (s *cScan) add(from, to int, kind byte) {
	if s.declares() && len(s.head.tokens) <= maxHeadTokens {
		s.head.tokens = append(s.head.tokens, cToken{Span{from, to}, kind, s.first, false})
	}
	s.first = false
}

func (s *cScan) newline() {
	if n := len(s.head.tokens); n > 0 {
		s.head.tokens[n-1].last = true
	}
	s.first = true
}

// end hands over the declaration that ends at an offset.
func (s *cScan) end(with byte, at int) {
	s.first = false
	if len(s.head.tokens) > 0 && len(s.head.tokens) <= maxHeadTokens {
		if with == 0 {
			s.head.tokens[len(s.head.tokens)-1].last = true
		}
		s.head.end, s.head.at = with, at
		s.give(&s.head)
	}
	s.head = cHead{tokens: s.head.tokens[:0]}
}

func (s *cScan) open(at int) {
	scope := inBlock
	if s.declares() {
		scope = scopeOfHead(s.src, &s.head)
		s.head.brace = s.braces
		s.end('{', at)
	}
	if len(s.scopes) < maxScope {
		s.scopes = append(s.scopes, cOpen{scope, s.braces})
	}
	s.braces++
}

func (s *cScan) close(at int) {
	if s.declares() {
		s.end('}', at)
	}
	n := len(s.scopes) - 1
	if n < 0 {
		return
	}
	was := s.scopes[n]
	s.scopes = s.scopes[:n]
	s.shut(was.brace, at+1)
	s.head.tail = was.cScope == inType || was.cScope == inList
	s.first = false
}

// directive reads a line of the preprocessor. Braces of one branch of #if do not count in the others.
func (s *cScan) directive(at int) int {
	switch word := directiveAt(s.src, at); {
	case word == "if" && len(s.ifs) < maxScope:
		s.ifs = append(s.ifs, append([]cOpen{}, s.scopes...))
	case word == "el" && len(s.ifs) > 0:
		s.scopes = append(s.scopes[:0], s.ifs[len(s.ifs)-1]...)
	case word == "en" && len(s.ifs) > 0:
		s.ifs = s.ifs[:len(s.ifs)-1]
	}
	if onlyMacros(s.src, s.head.tokens) {
		s.end(0, at)
	}
	for at < len(s.src) {
		if end, comment := s.literal(at); end > at && comment {
			at = end
			continue
		}
		if s.src[at] == '\n' && !bytes.HasSuffix(bytes.TrimSuffix(s.src[:at], []byte("\r")), []byte("\\")) {
			break
		}
		at++
	}
	s.newline()
	return at
}

// closing is where a bracket is closed, behind it; -1 where a line that can be in none comes first. Of an #if in it the first
// branch counts.
func (s *cScan) closing(at int) int {
	depth, ifs, list := 0, 0, s.list
	if s.left <= 0 {
		return -1
	}
	for i := at; i < len(s.src); i++ {
		for len(list) > 0 && list[0].End <= i {
			list = list[1:]
		}
		if len(list) > 0 && i == list[0].Start {
			i = list[0].End - 1
			continue
		}
		switch s.src[i] {
		case '\n':
			switch word := directiveAt(s.src, i+1); {
			case word == "if":
				ifs++
			case word == "el" && ifs > 0:
				i = endOfBranches(s.src, i+1) - 1
				ifs--
			case word == "en" && ifs > 0:
				ifs--
			}
		case '(', '[', '{':
			depth++
		case '}':
			if s.src[i-1] == '\n' {
				s.left -= i - at
				return -1
			}
			fallthrough
		case ')', ']':
			if depth--; depth > 0 {
				continue
			}
			for i++; ifs > 0; ifs-- {
				i = endOfBranches(s.src, i)
			}
			return i
		}
	}
	s.left -= len(s.src) - at
	return -1
}

// directiveAt gives the first two letters of the directive of the line at an offset, "" where there is none.
func directiveAt(src []byte, at int) string {
	line := bytes.TrimLeft(src[at:min(at+60, len(src))], " \t")
	if len(line) == 0 || line[0] != '#' {
		return ""
	}
	line = bytes.TrimLeft(line[1:], " \t")
	return string(line[:min(2, len(line))])
}

// endOfBranches is where the line of the #endif ends that ends the #if around an offset.
func endOfBranches(src []byte, at int) int {
	depth := 1
	for at = nextLine(src, at); at < len(src); at = nextLine(src, at) {
		switch directiveAt(src, at) {
		case "if":
			depth++
		case "en":
			if depth--; depth == 0 {
				return at + len(bytes.TrimRight(lineAt(src, at), "\r\n"))
			}
		}
	}
	return len(src)
}

// scopeOfHead tells by a head what the brace behind it opens.
func scopeOfHead(src []byte, h *cHead) cScope {
	scope, brackets, operator := inBlock, false, false
	for i, t := range h.tokens {
		word := t.text(src)
		operator = operator && t.kind != '(' || word == "operator"
		switch {
		case operator:
		case t.kind == '=' && !inAngles(src, h.tokens[:i]):
			return inList
		case t.kind == ':' && scope == inType: // its bases
			return inType
		case t.kind == '(' && i > 0 && h.tokens[i-1].kind == 'w' && !macroish(h.tokens[i-1].text(src)) && h.tokens[i-1].text(src) != "alignas":
			brackets = true
		case t.kind != 'w' && t.kind != '"':
		case word == "namespace", word == "extern" && i+1 < len(h.tokens) && h.tokens[i+1].kind == '"' && i+2 == len(h.tokens):
			return inOuter
		case word == "enum":
			scope = inList
		case (word == "class" || word == "struct" || word == "union") && scope != inList && !inAngles(src, h.tokens[:i]):
			scope = inType
		}
	}
	if brackets {
		return inBlock
	}
	return scope
}

// inAngles reports whether parameters of a template are open behind tokens.
func inAngles(src []byte, tokens []cToken) bool {
	depth := 0
	for _, t := range tokens {
		switch src[t.Start] {
		case '<':
			depth++
		case '>':
			depth--
		}
	}
	return depth > 0
}

// isLabel reports whether the last words of a declaration are a label of a class when a colon follows.
func isLabel(src []byte, tokens []cToken) bool {
	for n := len(tokens); n > 0 && tokens[n-1].kind == 'w'; n-- {
		switch tokens[n-1].text(src) {
		case "public", "protected", "private", "signals", "Q_SIGNALS":
			return true
		case "slots", "Q_SLOTS":
		default:
			return false
		}
	}
	return false
}
