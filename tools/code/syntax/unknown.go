//go:build cgo

package syntax

import (
	"bytes"
	"regexp"
	"sync"
)

// form is a way to write something that is right in a language and unknown to its grammar: what stands in the first group of
// the pattern, and what it is read as.
type form struct {
	pattern *regexp.Regexp
	as      string
}

// unknownForms are those of each language.
var unknownForms = sync.OnceValue(func() map[string][]form {
	like := func(pattern, as string) form { return form{regexp.MustCompile(pattern), as} }
	variance := []form{like(`[<,]\s*((?:in\s+out|in|out)\s)\s*[\pL_$]`, "")}
	return map[string][]form{
		"typescript":      variance,
		"typescriptreact": variance,
		"kotlin":          {like(`(?:[^\s{;,">]|[^-\s]>)( )[ \t]*\}`, ";")}, // the last one of a body on its line: nothing ends it
		"java":            {like(`(?m)^\s*import\s+(module)\s+\pL`, "")},
		"shellscript": {
			like(`;;(&)`, ""),
			like(`[^;];(&)`, ";"),
			like(`(?m)(?:^|[;&|!({]|\bthen|\bdo|\belse)[ \t]*\w+=(?:\$?'[^'\n]*'|"[^"\n]*"|[^\s;&|()'"])*([ \t])[ \t]*\w+\+?=\(`, ";"), // an array behind another variable
		},
		"c": {like(`\benum\b(?:\s+\w+)?\s*(:\s*\w[\w\s]*?)\s*[{;]`, "")}, // the type of its values
		"rust": {
			like(`\b(unsafe)\s+extern\s*(?:"[^"\n]*"\s*)?\{`, ""),
			like(`\b(safe)\s+(?:fn|static)\b`, ""),
			like(`\b(async)\s+(?:move\s*)?\|`, ""),
		},
		"cpp": {
			like(`\bif\s+!?\s*(consteval)\b`, "(1)"),
			like(`\)\s*(static)\s*(?:\{|->)`, ""),
			like(`\busing\s[^;{}()]*(?:\(\s*\))?(\.\.\.)\s*;`, ""),
		},
	}
})

// inTemplate reports whether a source ends in a part of a text that is code: ${ name
func inTemplate(src []byte) bool {
	line := src[bytes.LastIndexByte(src, '\n')+1:]
	open := bytes.LastIndex(line, []byte("${"))
	return open >= 0 && bytes.Count(line[open:], []byte("{")) > bytes.Count(line[open:], []byte("}"))
}

// unknown hides from the parser, byte for byte, what is right in a language and its grammar does not know.
func unknown(lang *Language, src []byte) []byte {
	known := src
	hide := func(at Span, as string) {
		if &known[0] == &src[0] {
			known = bytes.Clone(src)
		}
		n := copy(known[at.Start:at.End], as)
		for i := at.Start + n; i < at.End; i++ {
			known[i] = ' '
		}
	}
	for _, f := range unknownForms()[lang.ID] {
		for _, at := range f.pattern.FindAllSubmatchIndex(src, -1) {
			if lang.ID != "kotlin" || !inTemplate(src[:at[2]]) {
				hide(Span{at[2], at[3]}, f.as)
			}
		}
	}
	if lang.ID == "php" {
		for _, at := range enumConstants(lang, src) {
			hide(at, "case")
		}
	}
	return known
}
