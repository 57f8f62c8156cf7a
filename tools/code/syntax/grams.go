package syntax

import (
	"cmp"
	"math/bits"
	"strings"
)

// grams is a Bloom filter of the three letters that follow one another in the names and paths of a file's symbols,
// without regard to case: a file without those of a name has no symbol that holds it, which is seen without a look at
// its symbols. nil when nothing is known.
type grams []uint64

const (
	gramBits  = 8       // of the filter for each gram, at least
	maxGrams  = 1 << 20 // bits of a filter
	gramPrime = 0x9e3779b1
)

// gramsOf is the filter of symbols, nil when a name holds what may fold to anything.
func gramsOf(symbols []Symbol) grams {
	total := 0
	for i := range symbols {
		total += max(len(symbols[i].Name), 8)
		if symbols[i].letters == ^letters(0) {
			return nil
		}
	}
	size := min(max(64, 1<<bits.Len(uint(total*gramBits-1))), maxGrams)
	g := make(grams, size/64)
	for i := range symbols {
		s := &symbols[i]
		g.add(s.Name)
		around := 0
		if s.Parent >= 0 {
			around = len(symbols[s.Parent].Path) + 1
		}
		if len(s.Path) > around+len(s.Name) { // what its path holds besides is no symbol of this file
			g.add(s.Path)
		}
	}
	return g
}

func (g grams) add(name string) {
	for i := 0; i+3 <= len(name); i++ {
		at := g.at(name[i:])
		g[at/64] |= 1 << (at % 64)
	}
}

// at is the bit of the first three bytes of s.
func (g grams) at(s string) uint32 {
	key := uint32(s[0]|0x20) | uint32(s[1]|0x20)<<8 | uint32(s[2]|0x20)<<16
	return key * gramPrime >> 7 % uint32(len(g)*64)
}

// MayHold reports whether a symbol of a file may match a query better than by its initials. It is wrong only in saying
// that one may.
func (q Query) MayHold(f *File) bool {
	if f.grams == nil {
		return true
	}
	for i := 0; i+3 <= len(q.run); i++ {
		if at := f.grams.at(q.run[i:]); f.grams[at/64]&(1<<(at%64)) == 0 {
			return false
		}
	}
	return true
}

// Needs is a text that a file with a symbol of the query holds, whatever the case; "" when nothing is known. Signs and blanks
// may be written in other ways there.
func (q Query) Needs() string {
	last := strings.TrimLeft(q.Last(), "$#")
	best := ""
	for _, word := range strings.FieldsFunc(last, func(r rune) bool { return !wordRune(r) }) {
		if len(word) > len(best) {
			best = word
		}
	}
	if best = cmp.Or(best, last); strings.Contains(q.whole, best) {
		return best
	}
	return "" // it was put together from what stands around brackets
}

// longestRun is the longest part of s that holds nothing but ASCII letters, digits and underlines: those stand together
// in every spelling of a path.
func longestRun(s string) string {
	best, from := "", 0
	for i := 0; i <= len(s); i++ {
		if i < len(s) && letterOf(s[i]) != 1<<37 {
			continue
		}
		if i-from > len(best) {
			best = s[from:i]
		}
		from = i + 1
	}
	return best
}
