package syntax

import "strings"

// outsideKotlin gives the names around one of Kotlin without those that its path has not: the receiver of an extension, as in
// String.ext, and Companion, whose members stand in what it is a companion of.
func outsideKotlin(around []string, s *Symbol) []string {
	if n := len(around); n > 0 && around[n-1] == receiverOf(s) {
		return around[:n-1]
	}
	var kept []string
	for i, name := range around {
		if name != "Companion" || i == 0 || strings.Contains("."+s.Path, ".Companion.") {
			kept = append(kept, name)
		}
	}
	return kept
}

// receiverOf is the type that an extension of Kotlin is for, without its package and parameters; "" of what is none.
func receiverOf(s *Symbol) string {
	i := strings.Index(s.Signature, "."+s.Name)
	if i < 0 || strings.ContainsAny(s.Signature[:i], "(=:") {
		return ""
	}
	typ := strings.TrimRight(s.Signature[:i], "? ")
	for strings.HasSuffix(typ, ">") {
		depth, at := 0, len(typ)-1
		for ; at >= 0; at-- {
			if typ[at] == '>' {
				depth++
			}
			if typ[at] == '<' {
				if depth--; depth == 0 {
					break
				}
			}
		}
		if at < 0 {
			return ""
		}
		typ = strings.TrimRight(typ[:at], "? ")
	}
	return typ[strings.LastIndexAny(typ, ". ")+1:]
}
