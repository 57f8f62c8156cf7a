//go:build cgo

package syntax

import "bytes"

// Declarations of C and C++ begin with any word, so the lines in front of one tell where it begins: the one before has ended.

func cLike(lang *Language) bool { return lang.ID == "c" || lang.ID == "cpp" }

// cLines reads the lines of a source of C one by one.
type cLines struct {
	open  bool // the last line of code goes on
	macro bool // the last line was of a macro that goes on
}

// begins reports whether a line, which is in no comment, begins a declaration in the first column.
func (c *cLines) begins(lang *Language, line []byte) bool {
	code := bytes.TrimSpace(line)
	goesOn := c.open
	switch {
	case c.macro, bytes.HasPrefix(code, []byte("#")):
		c.macro, c.open = bytes.HasSuffix(code, []byte("\\")), false
		return false
	case len(code) == 0:
		c.open = false
		return false
	case bytes.HasPrefix(code, []byte("//")), bytes.HasPrefix(code, []byte("/*")):
		return false
	}
	if i := bytes.Index(code, []byte("//")); i > 0 {
		code = bytes.TrimSpace(code[:i])
	}
	last := code[len(code)-1]
	c.open = last != ';' && last != '}' && last != ':' && !bytes.HasSuffix(code, []byte("*/")) && !opensSpace(code)
	if goesOn || letterOf(line[0]) == 1<<37 || line[0] >= '0' && line[0] <= '9' {
		return false
	}
	word := len(code) - len(bytes.TrimLeftFunc(code, wordRune))
	return !reserved(lang, string(code[:word])) && !bytes.HasPrefix(code[word:], []byte(":"))
}

// opensSpace reports whether a line opens what holds declarations that need not be indented.
func opensSpace(code []byte) bool {
	return bytes.HasSuffix(code, []byte("{")) && (beginsWith(code, "namespace") || beginsWith(code, "inline namespace") || bytes.HasPrefix(code, []byte("extern \"")))
}

// openEnd is where a namespace ends whose head stands at an offset, as braces in the first column show it; 0 where they do not.
func openEnd(src []byte, at int) int {
	depth := 0
	for at -= len(src[:at]) - 1 - bytes.LastIndexByte(src[:at], '\n'); at < len(src); {
		line := lineAt(src, at)
		code := bytes.TrimRight(line, " \t\r\n")
		if len(code) > 0 && code[0] == '}' {
			if depth--; depth == 0 {
				return at + 1
			}
		}
		if len(code) > 0 && code[0] != ' ' && code[0] != '\t' && code[0] != '#' && code[0] != '/' && code[len(code)-1] == '{' {
			depth++
		}
		if depth == 0 {
			return 0
		}
		at += len(line)
	}
	return 0
}

// accessLabel reports lines that part the members of a class of C++.
func accessLabel(lang *Language, code []byte) bool {
	switch string(bytes.TrimSpace(bytes.TrimSuffix(code, []byte(":")))) {
	case "public", "protected", "private":
		return lang.ID == "cpp" && bytes.HasSuffix(code, []byte(":"))
	}
	return false
}
