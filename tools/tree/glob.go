package tree

import (
	"bytes"
	"math/bits"
	"strings"
)

// glob is one pattern with git's wildmatch meaning: * and ? stop at a slash, **
// as a whole segment does not, [classes] never match a slash. It runs as an
// automaton over all positions at once, so a pattern made to backtrack cannot
// hold up a walk.
type glob struct {
	toks   []token
	needle []byte // longest literal run; without it nothing matches
}

type token struct {
	kind tokenKind
	c    byte       // literal
	skip uint8      // jump: tokens to skip
	set  *[4]uint64 // class
}

type tokenKind uint8

const (
	literal tokenKind = iota
	anyByte           // ?
	class             // [...]
	star              // *: any run without a slash
	deep              // **: any run
	jump              // may skip the tokens of "**/"
	rest              // the remaining bytes of a UTF-8 character
)

// compileGlob reads a pattern. ok is false for one that can match nothing (an
// open class, a final backslash). With runes ? stands for a whole character;
// git's does for a byte.
func compileGlob(p string, runes bool) (g glob, ok bool) {
	emit := func(t token) { g.toks = append(g.toks, t) }
	for i := 0; i < len(p); {
		switch c := p[i]; c {
		case '\\':
			if i+1 == len(p) {
				return g, false
			}
			emit(token{kind: literal, c: p[i+1]})
			i += 2
		case '?':
			emit(token{kind: anyByte})
			if runes {
				emit(token{kind: rest})
			}
			i++
		case '*':
			end := i
			for end < len(p) && p[end] == '*' {
				end++
			}
			tail := p[end:]
			switch {
			case end-i < 2 || i > 0 && p[i-1] != '/' || tail != "" && tail[0] != '/' && !strings.HasPrefix(tail, `\/`):
				emit(token{kind: star})
			case tail != "" && tail[0] == '/':
				emit(token{kind: jump, skip: 3})
				emit(token{kind: deep})
			default:
				emit(token{kind: deep})
			}
			i = end
		case '[':
			set, next, ok := parseClass(p, i+1)
			if !ok {
				return g, false
			}
			emit(token{kind: class, set: set})
			if runes {
				emit(token{kind: rest})
			}
			i = next
		default:
			emit(token{kind: literal, c: c})
			i++
		}
	}
	g.needle = longestLiteral(g.toks)
	return g, true
}

// longestLiteral leaves out what a jump can skip: the slash after "**".
func longestLiteral(toks []token) []byte {
	var best, run []byte
	for i := 0; i < len(toks); i++ {
		if toks[i].kind == literal {
			run = append(run, toks[i].c)
			if len(run) > len(best) {
				best = run
			}
			continue
		}
		if toks[i].kind == jump {
			i += int(toks[i].skip) - 1
		}
		run = nil
	}
	return best
}

var classes = map[string]func(c byte) bool{
	"alnum":  func(c byte) bool { return isLetter(c) || isDigit(c) },
	"alpha":  isLetter,
	"blank":  func(c byte) bool { return c == ' ' || c == '\t' },
	"cntrl":  func(c byte) bool { return c < 0x20 || c == 0x7f },
	"digit":  isDigit,
	"graph":  func(c byte) bool { return c > 0x20 && c < 0x7f },
	"lower":  func(c byte) bool { return c >= 'a' && c <= 'z' },
	"print":  func(c byte) bool { return c >= 0x20 && c < 0x7f },
	"punct":  func(c byte) bool { return c > 0x20 && c < 0x7f && !isLetter(c) && !isDigit(c) },
	"space":  func(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' },
	"upper":  func(c byte) bool { return c >= 'A' && c <= 'Z' },
	"xdigit": func(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' },
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

// parseClass reads a class whose "[" is at i-1 and returns the place after its "]".
func parseClass(p string, i int) (set *[4]uint64, next int, ok bool) {
	set = new([4]uint64)
	add := func(c byte) { set[c>>6] |= 1 << (c & 63) }
	negated := i < len(p) && (p[i] == '!' || p[i] == '^')
	if negated {
		i++
	}
	prev := byte(0) // what a following "-" would start from; 0: nothing
	for first := true; ; first = false {
		if i >= len(p) {
			return nil, 0, false
		}
		c := p[i]
		if c == ']' && !first {
			break
		}
		switch {
		case c == '\\':
			if i++; i == len(p) {
				return nil, 0, false
			}
			prev = p[i]
			add(prev)
		case c == '-' && prev != 0 && i+1 < len(p) && p[i+1] != ']':
			if i++; p[i] == '\\' {
				if i++; i == len(p) {
					return nil, 0, false
				}
			}
			for x := int(prev); x <= int(p[i]); x++ {
				add(byte(x))
			}
			prev = 0
		case c == '[' && i+1 < len(p) && p[i+1] == ':':
			end := strings.IndexByte(p[i+2:], ']')
			if end < 0 {
				return nil, 0, false
			}
			name := p[i+2 : i+2+end]
			if !strings.HasSuffix(name, ":") {
				prev = '['
				add('[')
				break
			}
			in := classes[name[:len(name)-1]]
			if in == nil {
				return nil, 0, false
			}
			for x := range 256 {
				if in(byte(x)) {
					add(byte(x))
				}
			}
			i += 2 + end
			prev = 0
		default:
			prev = c
			add(c)
		}
		i++
	}
	if negated {
		for w := range set {
			set[w] = ^set[w]
		}
	}
	set['/'>>6] &^= 1 << ('/' & 63)
	return set, i + 1, true
}

func (g *glob) match(s []byte) bool {
	if len(g.needle) > 0 && !bytes.Contains(s, g.needle) {
		return false
	}
	if len(g.toks) < 64 {
		return g.matchSmall(s)
	}
	return g.matchLarge(s)
}

// matchSmall holds the set of positions in one word.
func (g *glob) matchSmall(s []byte) bool {
	cur := g.enter(1)
	for _, c := range s {
		var next uint64
		for b := cur &^ (1 << len(g.toks)); b != 0; b &= b - 1 {
			i := bits.TrailingZeros64(b)
			switch t := &g.toks[i]; {
			case !t.takes(c):
			case t.loops():
				next |= 1 << i
			default:
				next |= 1 << (i + 1)
			}
		}
		if next == 0 {
			return false
		}
		cur = g.enter(next)
	}
	return cur>>len(g.toks)&1 != 0
}

// enter adds the positions reached without a byte. They all lie ahead, so one
// pass in rising order finds them.
func (g *glob) enter(set uint64) uint64 {
	for b := set &^ (1 << len(g.toks)); b != 0; {
		i := bits.TrailingZeros64(b)
		b &= b - 1
		if t := &g.toks[i]; t.kind >= star {
			more := uint64(1) << (i + 1)
			if t.kind == jump {
				more |= 1 << (i + int(t.skip))
			}
			set |= more
			b |= more &^ (1 << len(g.toks))
		}
	}
	return set
}

func (g *glob) matchLarge(s []byte) bool {
	n := len(g.toks)
	cur, next := make([]bool, n+1), make([]bool, n+1)
	enter := func(set []bool) {
		for i, on := range set[:n] {
			if on && g.toks[i].kind >= star {
				set[i+1] = true
				if g.toks[i].kind == jump {
					set[i+int(g.toks[i].skip)] = true
				}
			}
		}
	}
	cur[0] = true
	enter(cur)
	for _, c := range s {
		clear(next)
		for i, on := range cur[:n] {
			if t := &g.toks[i]; on && t.takes(c) {
				if t.loops() {
					next[i] = true
				} else {
					next[i+1] = true
				}
			}
		}
		enter(next)
		cur, next = next, cur
	}
	return cur[n]
}

func (t *token) takes(c byte) bool {
	switch t.kind {
	case literal:
		return c == t.c
	case anyByte, star:
		return c != '/'
	case class:
		return t.set[c>>6]>>(c&63)&1 != 0
	case deep:
		return true
	case rest:
		return c&0xC0 == 0x80
	}
	return false
}

func (t *token) loops() bool { return t.kind == star || t.kind == deep || t.kind == rest }
