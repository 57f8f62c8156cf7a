package patch

import (
	"strconv"
	"strings"
)

// name reads a file name as a diff has it: perhaps in quotes, perhaps with a time behind a tab.
func name(s string) string {
	if strings.HasPrefix(s, `"`) {
		if q, _, ok := unquote(s); ok {
			return q
		}
	}
	s, _, _ = strings.Cut(s, "\t")
	return strings.TrimRight(s, "\r ")
}

// unquote reads a name in quotes with C escapes and gives what follows it.
func unquote(s string) (text, rest string, ok bool) {
	var b []byte
	for i := 1; i < len(s); i++ {
		switch c := s[i]; c {
		case '"':
			return string(b), s[i+1:], true
		case '\\':
			if i++; i == len(s) {
				return "", "", false
			}
			if c := s[i]; c >= '0' && c <= '3' && i+2 < len(s) {
				n, err := strconv.ParseUint(s[i:i+3], 8, 8)
				if err != nil {
					return "", "", false
				}
				b = append(b, byte(n))
				i += 2
				continue
			}
			at := strings.IndexByte(`abtnvfr"\`, s[i])
			if at < 0 {
				return "", "", false
			}
			b = append(b, "\a\b\t\n\v\f\r\"\\"[at])
		default:
			b = append(b, c)
		}
	}
	return "", "", false
}

// gitNames splits "a/NAME b/NAME", where a NAME without quotes may hold spaces as long as both are the same.
func gitNames(s string) (old, fresh string) {
	if strings.HasPrefix(s, `"`) {
		a, rest, ok := unquote(s)
		if !ok {
			return "", ""
		}
		return a, name(strings.TrimPrefix(rest, " "))
	}
	if i := strings.Index(s, ` "`); i > 0 {
		return s[:i], name(s[i+1:])
	}
	for i := 0; i < len(s); i++ {
		if s[i] != ' ' {
			continue
		}
		if a, b := stripPair(s[:i], s[i+1:]); a == b {
			return s[:i], s[i+1:]
		}
	}
	if a, b, ok := strings.Cut(s, " "); ok && !strings.Contains(b, " ") {
		return a, b
	}
	return "", ""
}

// stripPair takes off the prefixes that git puts before the two names of a file.
func stripPair(old, fresh string) (string, string) {
	for _, p := range [...][2]string{{"a/", "b/"}, {"i/", "w/"}, {"c/", "i/"}, {"c/", "w/"}, {"o/", "w/"}, {"1/", "2/"}} {
		a, ok := strings.CutPrefix(old, p[0])
		if b, too := strings.CutPrefix(fresh, p[1]); ok && too {
			return a, b
		}
	}
	return old, fresh
}

func strip(s, prefix string, keep bool) string {
	if keep {
		return s
	}
	return strings.TrimPrefix(s, prefix)
}
