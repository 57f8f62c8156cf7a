package syntax

import (
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Rank says how well a symbol fits.
type Rank int

// The ranks, best first.
const (
	Exact Rank = iota
	ExactFold
	Prefix
	Part
	Fuzzy
	Like // what Resembles says; Match does not give it
	NoMatch
)

// Match ranks a symbol of a file. Parts in front of the symbol's own path may name its package, its file or its folder.
func (q Query) Match(file string, f *File, s *Symbol) Rank {
	want, lower := q.Last(), q.last
	if bare := strings.TrimPrefix(want, "$"); bare != "" && !strings.HasPrefix(s.Name, "$") { // a variable of PHP or a shell
		want, lower = bare, strings.TrimPrefix(lower, "$")
	}
	if bare := strings.TrimPrefix(want, "#"); bare != want && bare != "" && !hasPrivate(f.Language) { // a method, as comments of Java write it
		want, lower = bare, strings.TrimPrefix(lower, "#")
	}
	if s.Path == q.whole || s.Path == q.given || !q.keyed && s.Path == q.dotted || q.inner(s) { // as answers give it: a key may hold any character
		return Exact
	}
	if q.special != "" && (s.Path == q.special || strings.HasSuffix(s.Path, "."+q.special)) {
		return Exact
	}
	if f.Language == "html" && identified(q.whole, s) {
		return Exact
	}
	if f.Language == "css" && s.Kind == Rule && selects(q.whole, s.Name) {
		return ExactFold // for reading: an edit would be of the others too
	}
	data := f.Language == "json" || f.Language == "yaml"
	switch {
	case q.Bracketed() && !q.takesBrackets(f, s):
		return NoMatch
	case q.keyed && s.Path == q.dotted, data && sameKeys(s.Path, q.dotted):
		return Exact
	}
	if s.letters != 0 && q.letters&^s.letters != 0 {
		return NoMatch
	}
	name := s.Name
	if q.operator {
		name = tight(name)
	}
	r := matchName(name, want, lower)
	if r == NoMatch || len(q.Parts) == 1 && !q.Top {
		return r
	}
	// The names around it, inner first.
	around, top := q.Parts[:len(q.Parts)-1], q.Top
	if data && len(around) > 0 && around[0] == "$" { // as paths of JSON begin
		around, top = around[1:], true
	}
	if f.Language == "kotlin" {
		around = outsideKotlin(around, s)
	}
	have := strings.TrimSuffix(strings.TrimSuffix(s.Path, s.Name), ".")
	if s.Kind == Field && len(around) > 0 {
		have = outsideMaker(have, around[len(around)-1])
	}
	fits := fitsAround(file, f, around, have, top)
	if fits == NoMatch && hasPrivate(f.Language) && s.Parent >= 0 && s.Parent < len(f.Symbols) { // keys of objects may be left out
		if outer := f.Symbols[s.Parent].Path; len(outer) < len(have) {
			fits = fitsAround(file, f, around, outer, top)
		}
	}
	return max(r, fits)
}

// fitsAround ranks the names in front of the last one of a query against the path around a symbol.
func fitsAround(file string, f *File, around []string, have string, top bool) (r Rank) {
	for i := len(around) - 1; i >= 0; i-- {
		want := around[i]
		if have == "" {
			if top || !outside(file, f, around[:i+1]) {
				return NoMatch
			}
			return r
		}
		if before, ok := endsWithStep(have, want); ok {
			have = before
			continue
		}
		last := have[strings.LastIndexByte(have, '.')+1:]
		if !strings.EqualFold(last, want) {
			return NoMatch
		}
		r = max(r, ExactFold)
		have = strings.TrimSuffix(strings.TrimSuffix(have, last), ".")
	}
	if top && have != "" {
		return NoMatch
	}
	return r
}

// outsideMaker leaves the constructor out of what is around a field, unless it is named: its parameter declares a field of the
// class.
func outsideMaker(have, named string) string {
	for _, maker := range []string{"constructor", "__construct"} {
		if rest, ok := strings.CutSuffix(have, "."+maker); ok && named != maker {
			return rest
		}
	}
	return have
}

// identified reports whether an element of markup is what div#a or #a names.
func identified(whole string, s *Symbol) bool {
	tag, id, ok := strings.Cut(whole, "#")
	if !ok || id == "" || tag != "" && !strings.EqualFold(tag, s.Name) {
		return false
	}
	for _, mark := range []string{` id="` + id + `"`, ` id='` + id + `'`, " id=" + id + " ", " id=" + id + ">"} {
		if strings.Contains(s.Signature, mark) {
			return true
		}
	}
	return false
}

// Selects reports whether a rule of CSS has the query among its selectors.
func (q Query) Selects(s *Symbol) bool { return s.Kind == Rule && selects(q.whole, s.Name) }

// selects reports whether one of the selectors of a rule is what was written.
func selects(whole, rule string) bool {
	for one := range strings.SplitSeq(rule, ",") {
		if strings.TrimSpace(one) == whole {
			return true
		}
	}
	return false
}

// outside reports whether names may stand in front of the symbols of a file: its package, its own name, its folders.
func outside(file string, f *File, names []string) bool {
	var around []string
	dir, base := path.Split(file)
	around = append(around, strings.FieldsFunc(dir, func(r rune) bool { return r == '/' })...)
	stem := strings.TrimSuffix(base, path.Ext(base))
	around = append(around, stem, strings.TrimPrefix(path.Ext(base), "."))
	at := len(around)
	pkg := strings.Split(f.Package, `\`)
	for n := len(pkg); n > 0 && len(names) > 0 && names[len(names)-1] == pkg[n-1]; n-- {
		names = names[:len(names)-1]
		at = len(around) - 2
	}
	for i := len(names) - 1; i >= 0; i-- {
		j := at - 1
		for j >= 0 && around[j] != names[i] {
			j--
		}
		if j < 0 {
			return false
		}
		at = j
	}
	return true
}

// matchName compares one name with what is asked for.
func matchName(name, want, lower string) Rank {
	if name == want {
		return Exact
	}
	if len(name) < len(lower) {
		return NoMatch
	}
	if len(name) == len(lower) && strings.EqualFold(name, want) {
		return ExactFold
	}
	at := indexFold(name, lower)
	switch {
	case at == 0:
		return Prefix
	case at > 0:
		return Part
	case len(lower) >= 3 && initials(name, lower):
		return Fuzzy
	}
	return NoMatch
}

// indexFold is strings.Index without regard to case; lower is lower case.
func indexFold(s, lower string) int {
	for i := 0; i+len(lower) <= len(s); i++ {
		if c := s[i]; c == lower[0] || c|0x20 == lower[0] || c >= utf8.RuneSelf {
			if strings.EqualFold(s[i:i+len(lower)], lower) {
				return i
			}
		}
	}
	return -1
}

// initials reports whether lower can be spelled by runs that each begin at the start of a word of the name: "nsm"
// and "newsym" for NewSymbolMap.
func initials(name, lower string) bool {
	rest := lower
	prev := rune(0)
	inRun := false
	for _, r := range name {
		if rest == "" {
			return true
		}
		start := prev == 0 || prev == '_' || unicode.IsUpper(r) && !unicode.IsUpper(prev)
		want, n := utf8.DecodeRuneInString(rest)
		if unicode.ToLower(r) == want && (start || inRun) {
			rest = rest[n:]
			inRun = true
		} else {
			inRun = false
		}
		prev = r
	}
	return rest == ""
}
