package syntax

import "strings"

// Operators of C++ as names: operator==, operator(), operator bool. Sources and people put blanks into them as they like.

const operatorWord = "operator"

// operatorAt is where the name of an operator begins in a name path or signature that ends with one, -1 when none does.
func operatorAt(s string) int {
	i := strings.LastIndex(s, operatorWord)
	if i < 0 || i > 0 && strings.IndexByte(".:/# *&", s[i-1]) < 0 {
		return -1
	}
	behind := s[i+len(operatorWord):]
	if behind == "" {
		return i
	}
	switch c := behind[0]; {
	case wordByte(c), c == '.', c == ':', c == '#', c == '/' && len(behind) > 1 && wordByte(behind[1]): // a part of another name, or of a path
		return -1
	}
	return i
}

// tightPath is the path of a symbol with its own name tight.
func tightPath(s *Symbol) string { return s.Path[:len(s.Path)-len(s.Name)] + tight(s.Name) }

// tight is the name of an operator without its parameters and the blanks that it does not need; other names stay as they are.
func tight(name string) string {
	if operatorAt(name) != 0 {
		return name
	}
	sign := strings.TrimSpace(name[len(operatorWord):])
	if rest, ok := strings.CutPrefix(sign, "("); ok && strings.HasPrefix(strings.TrimSpace(rest), ")") {
		return operatorWord + "()"
	}
	sign, _, _ = strings.Cut(sign, "(")
	var b strings.Builder
	b.WriteString(operatorWord)
	before := operatorWord
	for _, word := range strings.Fields(sign) {
		if wordByte(before[len(before)-1]) && wordByte(word[0]) {
			b.WriteByte(' ')
		}
		b.WriteString(word)
		before = word
	}
	return b.String()
}

// wordByte reports whether a byte may stand in a name.
func wordByte(c byte) bool { return c >= 0x80 || letterOf(c) != 1<<37 }
