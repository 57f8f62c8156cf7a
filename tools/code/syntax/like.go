package syntax

import (
	"strings"
	"unicode"
)

// Resembles reports whether a symbol may be meant by a name that no symbol has: written with a slip or two, or short for
// it, with the letters in their order. Of a name path only the last part is compared, so the others must not be given.
func (q Query) Resembles(s *Symbol) bool {
	if len(q.Parts) > 1 || q.Top {
		return false
	}
	want, name := []rune(q.last), []rune(strings.ToLower(s.Name))
	if len(want) < 3 || len(name) == 0 || len(want) > 60 || want[0] != name[0] {
		return false
	}
	slips := 1
	if len(want) >= 8 {
		slips = 2
	}
	return len(want) >= 4 && slipped(want, name, slips) || short(want, s.Name)
}

// short reports whether want leaves out letters of a name, but neither its first nor what begins most of its words.
func short(want []rune, name string) bool {
	if len(name) > 6*len(want) {
		return false
	}
	words, met, at := 0, 0, 0
	prev := rune(0)
	for _, r := range name {
		start := prev == 0 || prev == '_' || unicode.IsUpper(r) && !unicode.IsUpper(prev)
		if start && r != '_' {
			words++
		}
		if at < len(want) && unicode.ToLower(r) == want[at] {
			at++
			if start {
				met++
			}
		}
		prev = r
	}
	return at == len(want) && 2*met >= words
}

// slipped reports whether two names are the same but for so many letters that are missing, too many, others, or swapped
// with the next one.
func slipped(a, b []rune, most int) bool {
	if len(a)-len(b) > most || len(b)-len(a) > most {
		return false
	}
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		best := i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
			best = min(best, row[j])
		}
		if best > most {
			return false
		}
		before, last, row = last, row, before
	}
	return last[len(b)] <= most
}
