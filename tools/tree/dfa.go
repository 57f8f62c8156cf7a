package tree

import (
	"bytes"
	"encoding/binary"
	"regexp/syntax"
	"slices"
	"sync/atomic"
)

// dfa tells which lines of ASCII text match, at about a nanosecond a byte, by
// building the deterministic automaton of a pattern as far as the text needs it.
// It knows nothing beyond ASCII: such a line is for the regexp. It belongs to one
// goroutine.
type dfa struct {
	prog  *syntax.Prog
	stop  *atomic.Bool
	class [256]uint8
	of    []byte // an example byte of each class
	width int    // classes, with the special ones
	words bool   // there are \b or \B: a state knows the byte in front
	lines bool   // there are ^: a state knows that it is at the beginning

	trans  []int32 // by state*width + class: next state*width, or an event
	states []dfaState
	index  map[string]int32
	resets int

	seen  []uint32 // by instruction: the mark of the closure it was met in
	mark  uint32
	queue []uint32
	key   []byte
}

// dfaState is a set of instructions and what stands in front of them.
type dfaState struct {
	insts []uint32
	prev  rune // -1: beginning of the line; 'a': a word character; ' ': another
}

// What a step can give but a state.
const (
	evUnknown = -1 - iota // not worked out yet
	evMatch               // the line matches
	evBeyond              // a byte beyond ASCII
	evReturn              // \r: the end of the line when \n follows
	evDead                // nothing can match in the rest of the line
	evEnd                 // the text is over, without a match
	evGiveUp              // too many states, or stopped
)

const (
	maxProgram = 2000    // instructions; above, only the regexp is used
	maxTrans   = 1 << 18 // entries of the table, 1 MiB
	maxResets  = 20
)

// newDFA gives nil for a pattern that is too large. With same, the pattern has
// one meaning for ASCII and for other text.
func newDFA(prog *syntax.Prog, same bool, stop *atomic.Bool) *dfa {
	if len(prog.Inst) > maxProgram {
		return nil
	}
	d := &dfa{prog: prog, stop: stop, seen: make([]uint32, len(prog.Inst))}
	for i := range prog.Inst {
		if in := &prog.Inst[i]; in.Op == syntax.InstEmptyWidth {
			op := syntax.EmptyOp(in.Arg)
			d.words = d.words || op&(syntax.EmptyWordBoundary|syntax.EmptyNoWordBoundary) != 0
			d.lines = d.lines || op&(syntax.EmptyBeginLine|syntax.EmptyBeginText) != 0
		}
	}
	d.classify(same && !d.words && !slices.ContainsFunc(prog.Inst, beyondASCII))
	d.reset()
	return d
}

// beyondASCII tells whether an instruction takes a character that is not ASCII.
func beyondASCII(in syntax.Inst) bool {
	if !isRuneInst(in.Op) {
		return false
	}
	return len(in.Rune) == 0 || slices.Max(in.Rune) >= 0x80 || in.MatchRune('\u017F') || in.MatchRune('\u212A')
}

// classify finds the bytes that no instruction tells apart. Those beyond ASCII
// are like any byte that the pattern never takes, when it takes none of them.
func (d *dfa) classify(only bool) {
	byKey := map[string]uint8{}
	key := make([]byte, 0, 64)
	for c := range 0x80 {
		if c == '\n' || c == '\r' {
			continue
		}
		key = key[:0]
		bit, acc := 0, byte(0)
		put := func(on bool) {
			acc <<= 1
			if on {
				acc |= 1
			}
			if bit++; bit%8 == 0 {
				key, acc = append(key, acc), 0
			}
		}
		put(syntax.IsWordChar(rune(c)))
		for i := range d.prog.Inst {
			if in := &d.prog.Inst[i]; isRuneInst(in.Op) {
				put(in.MatchRune(rune(c)))
			}
		}
		key = append(key, acc)
		id, ok := byKey[string(key)]
		if !ok {
			id = uint8(len(d.of))
			byKey[string(key)] = id
			d.of = append(d.of, byte(c))
		}
		d.class[c] = id
	}
	if only {
		d.of = append(d.of, 0x80)
	}
	// The real \r, then \n, and the classes that stop the fast loop.
	d.of = append(d.of, '\r', '\n')
	n := uint8(len(d.of))
	d.class['\n'] = n - 1
	d.class['\r'] = n
	for c := 0x80; c < 256; c++ {
		d.class[c] = n + 1
		if only {
			d.class[c] = n - 3
		}
	}
	d.width = int(n) + 2
}

func isRuneInst(op syntax.InstOp) bool {
	switch op {
	case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
		return true
	}
	return false
}

// reset forgets all states but the one at the beginning of a line, number 0.
func (d *dfa) reset() {
	d.trans = d.trans[:0]
	d.states = d.states[:0]
	d.index = map[string]int32{}
	d.state(nil, -1)
}

// state finds or makes a state and gives its number times the width.
func (d *dfa) state(insts []uint32, prev rune) int32 {
	slices.Sort(insts)
	d.key = binary.AppendVarint(d.key[:0], int64(prev))
	for _, i := range insts {
		d.key = binary.LittleEndian.AppendUint32(d.key, i)
	}
	if id, ok := d.index[string(d.key)]; ok {
		return id
	}
	id := int32(len(d.states) * d.width)
	d.index[string(d.key)] = id
	d.states = append(d.states, dfaState{slices.Clone(insts), prev})
	for range d.width {
		d.trans = append(d.trans, evUnknown)
	}
	row := d.trans[id:]
	row[d.width-2], row[d.width-1] = evReturn, evBeyond
	return id
}

// step works out one entry of the table.
func (d *dfa) step(id int32, class int) int32 {
	s := d.states[int(id)/d.width]
	next := rune(d.of[class])
	if next == '\n' {
		next = -1
	}
	flags := syntax.EmptyOpContext(s.prev, next)
	if d.mark++; d.mark == 0 {
		clear(d.seen)
		d.mark = 1
	}
	d.queue = d.queue[:0]
	matched := d.close(uint32(d.prog.Start), flags)
	for _, i := range s.insts {
		matched = d.close(i, flags) || matched
	}
	if matched {
		return d.enter(id, class, evMatch)
	}
	if next < 0 {
		return d.enter(id, class, 0)
	}
	var insts []uint32
	if d.mark++; d.mark == 0 {
		clear(d.seen)
		d.mark = 1
	}
	for _, i := range d.queue {
		if in := &d.prog.Inst[i]; in.MatchRune(next) && d.seen[in.Out] != d.mark {
			d.seen[in.Out] = d.mark
			insts = append(insts, in.Out)
		}
	}
	prev := ' '
	if d.words && syntax.IsWordChar(next) {
		prev = 'a'
	}
	if len(insts) == 0 && d.lines && d.prog.StartCond()&(syntax.EmptyBeginLine|syntax.EmptyBeginText) != 0 {
		return d.enter(id, class, evDead)
	}
	if len(d.trans)+d.width > maxTrans {
		// No room: the caller starts over, at the beginning of this line.
		return evGiveUp
	}
	return d.enter(id, class, d.state(insts, prev))
}

func (d *dfa) enter(id int32, class int, to int32) int32 {
	d.trans[int(id)+class] = to
	return to
}

// close adds what can be reached without a character, and tells of a match.
func (d *dfa) close(i uint32, flags syntax.EmptyOp) bool {
	matched := false
	for {
		if d.seen[i] == d.mark {
			return matched
		}
		d.seen[i] = d.mark
		in := &d.prog.Inst[i]
		switch in.Op {
		case syntax.InstAlt, syntax.InstAltMatch:
			matched = d.close(in.Out, flags) || matched
			i = in.Arg
		case syntax.InstCapture, syntax.InstNop:
			i = in.Out
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(in.Arg)&^flags != 0 {
				return matched
			}
			i = in.Out
		case syntax.InstMatch:
			return true
		case syntax.InstFail:
			return matched
		default:
			d.queue = append(d.queue, i)
			return matched
		}
	}
}

// run goes from the beginning of a line until something happens, and says where:
// for evMatch, evBeyond and evDead somewhere in the line or at its end. The end
// of buf ends a line.
func (d *dfa) run(buf []byte, i int) (event int32, at int) {
	s := int32(0)
	for {
		trans, class := d.trans, &d.class
		for i < len(buf) {
			n := trans[int(s)+int(class[buf[i]])]
			if n < 0 {
				break
			}
			s = n
			i++
		}
		eol := d.width - 3
		if i >= len(buf) {
			if len(buf) > 0 && buf[len(buf)-1] == '\n' {
				return evEnd, len(buf)
			}
			n := d.trans[int(s)+eol]
			if n == evUnknown {
				n = d.step(s, eol)
			}
			if n == evMatch {
				return evMatch, len(buf)
			}
			return evEnd, len(buf)
		}
		c := int(d.class[buf[i]])
		n := d.trans[int(s)+c]
		skip := 1
		if n == evReturn {
			c = d.width - 4
			if i+1 == len(buf) || buf[i+1] == '\n' {
				c = eol
				skip = min(2, len(buf)-i)
			}
			n = d.trans[int(s)+c]
		}
		if n == evUnknown {
			if d.stop.Load() {
				return evGiveUp, i
			}
			n = d.step(s, c)
		}
		if n < 0 {
			return n, i
		}
		s = n
		if i += skip; skip == 1 && c == eol && i == len(buf) && buf[i-1] == '\r' {
			return evEnd, i
		}
	}
}

// lineScan calls line for each line of buf that matches, or may (sure false: there
// are bytes beyond ASCII in it), with the ends of the line. It gives up, telling
// where, when the pattern needs too many states, and stops when line says so.
func (d *dfa) lineScan(buf []byte, line func(start, end int, sure bool) bool) (gaveUp int, ok bool) {
	for i := 0; i < len(buf); {
		event, at := d.run(buf, i)
		if event == evEnd {
			return 0, true
		}
		start := i + bytes.LastIndexByte(buf[i:min(at, len(buf))], '\n') + 1
		if event == evGiveUp {
			if d.resets++; d.resets > maxResets || d.stop.Load() {
				return start, false
			}
			d.reset()
			i = start
			continue
		}
		end := lineEnd(buf, at)
		if event != evDead && !line(start, end, event == evMatch) {
			return 0, true
		}
		i = end + 1
	}
	return 0, true
}

// lineEnd is where the line that holds position at ends.
func lineEnd(buf []byte, at int) int {
	if at >= len(buf) {
		return len(buf)
	}
	if n := bytes.IndexByte(buf[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(buf)
}
