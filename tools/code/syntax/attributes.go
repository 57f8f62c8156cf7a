package syntax

import (
	"bytes"
	"unicode"
	"unicode/utf8"
)

// SkipAttributes gives where a definition begins behind the decorators, annotations or attributes that stand at an
// offset, and behind what stands between them; the offset itself when there are none.
func SkipAttributes(lang *Language, src []byte, at int) int {
	for {
		next := attribute(lang, src[at:])
		if next == 0 {
			return at
		}
		at += next
		for {
			at += len(src[at:]) - len(bytes.TrimLeft(src[at:], " \t\r\n"))
			n := commentLength(lang, src[at:])
			if n == 0 {
				break
			}
			at += n
		}
	}
}

// HasAttributes reports whether a text begins with a decorator, an annotation or an attribute, comments in front of it
// aside.
func HasAttributes(lang *Language, text []byte) bool {
	for {
		text = bytes.TrimLeft(text, " \t\r\n")
		n := commentLength(lang, text)
		if n == 0 {
			return attribute(lang, text) > 0
		}
		text = text[n:]
	}
}

// attribute gives the length of the one attribute that a text begins with, 0 when it begins with none.
func attribute(lang *Language, text []byte) int {
	switch lang.ID {
	case "rust", "php":
		if bytes.HasPrefix(text, []byte("#[")) {
			return bracket(text, 1)
		}
	case "csharp":
		if bytes.HasPrefix(text, []byte("[")) {
			return bracket(text, 0)
		}
	case "python":
		if bytes.HasPrefix(text, []byte("@")) {
			return expressionLine(text)
		}
	case "java", "kotlin", "javascript", "typescript", "typescriptreact":
		if !bytes.HasPrefix(text, []byte("@")) || bytes.HasPrefix(text, []byte("@interface")) {
			return 0
		}
		n := 1
		for n < len(text) {
			r, size := utf8.DecodeRune(text[n:])
			if r != '.' && r != '_' && r != '$' && r != ':' && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
				break
			}
			n += size
		}
		if n == 1 && !bytes.HasPrefix(text, []byte("@(")) && !bytes.HasPrefix(text, []byte("@[")) {
			return 0
		}
		for n < len(text) && (text[n] == '(' || text[n] == '[' && lang.ID == "kotlin") {
			n = bracket(text, n)
		}
		return n
	}
	return 0
}

// expressionLine is the length of a line that goes on while brackets are open.
func expressionLine(text []byte) int {
	for n := 0; n < len(text); {
		switch text[n] {
		case '(', '[', '{':
			n = bracket(text, n)
		case '\n':
			return n
		default:
			n++
		}
	}
	return len(text)
}

// bracket gives where the bracket at an offset is closed, behind it; the end of the text when it is not.
func bracket(text []byte, at int) int {
	depth := 0
	for i := at; i < len(text); i++ {
		switch c := text[i]; c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth == 0 {
				return i + 1
			}
		case '"', '\'', '`':
			for i++; i < len(text) && text[i] != c && text[i] != '\n'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		}
	}
	return len(text)
}

// commentLength is the length of the comment that a text begins with.
func commentLength(lang *Language, text []byte) int {
	if comment(text, lang) {
		if i := bytes.IndexByte(text, '\n'); i >= 0 {
			return i
		}
		return len(text)
	}
	if lang.Block && bytes.HasPrefix(text, []byte("/*")) {
		if i := bytes.Index(text[2:], []byte("*/")); i >= 0 {
			return i + 4
		}
		return len(text)
	}
	return 0
}
