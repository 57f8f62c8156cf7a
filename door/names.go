package door

import (
	"bytes"
	"strings"
	"unicode"
)

// names finds members of one object that are the same when case is ignored.
type names struct {
	few  [16][]byte
	n    int
	many map[string]struct{} // beyond len(few), so that a large object stays linear
}

// add reports whether name, unescaped, was there already in some case.
func (k *names) add(name []byte) (again bool) {
	if k.many == nil {
		for _, other := range k.few[:k.n] {
			if bytes.EqualFold(other, name) {
				return true
			}
		}
		if k.n < len(k.few) {
			k.few[k.n] = name
			k.n++
			return false
		}
		k.many = make(map[string]struct{})
		for _, other := range k.few {
			k.many[fold(string(other))] = struct{}{}
		}
	}
	folded := fold(string(name))
	_, again = k.many[folded]
	k.many[folded] = struct{}{}
	return again
}

// fold maps strings that strings.EqualFold takes for equal to one string.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
			least = min(least, f)
		}
		return least
	}, s)
}

// SameName reports whether two tool names are taken for one: case, '_', '-' and
// spaces do not count. A door's tool that is the same as a local one is hidden.
func SameName(a, b string) bool { return plainName(a) == plainName(b) }

func plainName(s string) string {
	return fold(strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || unicode.IsSpace(r) {
			return -1
		}
		return r
	}, s))
}
