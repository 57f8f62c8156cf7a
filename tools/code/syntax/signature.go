package syntax

import (
	"slices"
	"strings"
)

// Signatures, as answers show them and callers give them back, are taken for the name in them.

// heads are words that declarations begin with: those that a type may stand behind, and then those that a name does.
var (
	modifiers = []string{"async", "export", "default", "pub", "public", "private", "protected", "static", "abstract", "final", "const"}
	heads     = []string{"func", "def", "fn", "fun", "function", "class", "struct", "interface", "trait", "enum", "type", "impl", "namespace", "module", "let", "var", "val"}
)

// bareName takes a signature for the name in it: "def bar(self, x)", "func (t *T[K]) Do(n int) error", "void A::m(int)".
func bareName(s string) string {
	if operatorAt(s) >= 0 {
		return s
	}
	modified, named := false, false
	for {
		word, rest, more := strings.Cut(s, " ")
		if !more || !slices.Contains(heads, word) && !slices.Contains(modifiers, word) {
			break
		}
		s, modified, named = strings.TrimSpace(rest), true, named || slices.Contains(heads, word)
	}
	if strings.HasPrefix(s, "(") { // of a receiver only its type counts
		receiver, rest, closed := strings.Cut(s[1:], ")")
		if closed && rest != "" {
			s = receiver[strings.LastIndexByte(receiver, ' ')+1:] + "." + strings.TrimLeft(rest, " .")
		}
	}
	if i := strings.IndexByte(s, '('); i > 0 {
		if s = strings.TrimSpace(s[:i]); !named {
			s = behindType(s)
		}
	}
	if modified {
		s, _, _ = strings.Cut(s, " ")
		s = strings.TrimRight(s, ":;{,")
	}
	return strings.TrimSpace(s)
}

// behindType is the name behind the type that a declaration begins with in C, Java and their like: "int a::f". What is none
// stays as it is.
func behindType(s string) string {
	name := lastWord(s)
	before := strings.TrimSpace(s[:len(s)-len(name)])
	bare := strings.TrimLeft(name, "*&~$#")
	if before == "" || bare == "" || !wordByte(bare[0]) || strings.ContainsRune(s, '=') || strings.IndexByte(".:/", before[len(before)-1]) >= 0 || strings.HasSuffix(before, "->") {
		return s
	}
	return name
}

// lastWord is what stands behind the last blank that is in no brackets of types.
func lastWord(s string) string {
	depth := 0
	for i := len(s) - 1; i >= 0; i-- {
		switch c := s[i]; {
		case c == '>':
			depth++
		case c == '<':
			depth--
		case c == ' ' && depth == 0:
			return s[i+1:]
		}
	}
	return s
}

// oneLine is a text with all its room made single spaces.
func oneLine(text []byte) string { return strings.Join(strings.Fields(string(text)), " ") }

// clipped cuts a signature that is too long.
func clipped(sig string) string {
	if len(sig) > maxSignature {
		sig = strings.ToValidUTF8(sig[:maxSignature], "")
	}
	return sig
}
