package store

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold makes text comparable: letter case, width and composition of characters do not count.
func Fold(s string) string { return strings.ToLower(norm.NFKC.String(s)) }

// Terms are the words of a query, folded. Scripts without spaces give one term for each run of characters.
func Terms(query string) []string {
	const most = 32
	terms := strings.Fields(Fold(query))
	return terms[:min(len(terms), most)]
}

// Loose cuts terms into what may stand apart in a text that does not hold them whole: words at punctuation, and
// pairs of characters of scripts that are written without spaces. Words that say nothing are left out where others remain.
func Loose(terms []string) (pieces []string) {
	var empty []string
	for _, t := range terms {
		for _, word := range strings.FieldsFunc(t, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) }) {
			if slices.Contains(small, word) {
				empty = append(empty, word)
			} else {
				pieces = append(pieces, pairs(word)...)
			}
		}
	}
	if len(pieces) == 0 {
		pieces = empty
	}
	return pieces[:min(len(pieces), 64)]
}

// small are words that nearly every text has.
var small = strings.Fields("a an and are as at be by can do does for from has how i if in is it my of on or our that the this to was we what when where which who why with you your")

func pairs(word string) []string {
	runes := []rune(word)
	if len(runes) <= 2 || !unicode.In(runes[0], unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Hangul) {
		return []string{word}
	}
	list := make([]string, 0, len(runes)-1)
	for i := range len(runes) - 1 {
		list = append(list, string(runes[i:i+2]))
	}
	return list
}

// Field is a part of a record that a query may be found in, folded, and how much a find there counts.
type Field struct {
	Text   string
	Weight float64
}

// Score tells how well fields match the terms, 0 for not at all. With all, each term must be in some field. A term
// counts more as the whole of a field or as a whole word of it than inside a word.
func Score(terms []string, all bool, fields ...Field) float64 {
	total := 0.0
	for _, t := range terms {
		best := 0.0
		for _, f := range fields {
			if f.Weight*3 > best {
				best = max(best, f.Weight*fit(t, f.Text))
			}
		}
		if best == 0 && all {
			return 0
		}
		total += best
	}
	return total
}

// fit is 3 when text is the term, 2 when the term is a word of it, 1 when it is inside a word, else 0. One letter is inside
// of so many words that it counts as a word only.
func fit(term, text string) float64 {
	if term == text {
		return 3
	}
	found := 0.0
	for at := 0; ; {
		i := strings.Index(text[at:], term)
		if i < 0 {
			return found
		}
		i += at
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[i+len(term):])
		if !inWord(before) && !inWord(after) {
			return 2
		}
		if len(term) > 1 {
			found = 1
		}
		at = i + len(term)
	}
}

func inWord(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }
