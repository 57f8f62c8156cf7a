package syntax

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// correct mends what a grammar does not tell of words: arguments and names of files of a shell, which look like commands,
// and names in the formats of Rust, which look like text.
func correct(lang *Language, src []byte, spans []Span, places []Place) {
	for i, s := range spans {
		switch {
		case lang.ID == "shellscript" && places[i] == InCode && !usedByShell(src, s):
			places[i] = InText
		case lang.ID == "rust" && places[i] == InText && formatted(src, s):
			places[i] = InCode
		}
	}
}

// shellNamers are commands whose arguments are names of variables and functions.
var shellNamers = []string{"export", "local", "declare", "typeset", "readonly", "unset", "read", "for", "select", "function", "trap", "type", "command", "getopts", "let",
	"mapfile", "readarray", "printf", "alias", "unalias", "hash", "which", "complete"}

// shellWords are words behind which a command stands.
var shellWords = []string{"if", "then", "elif", "else", "while", "until", "do", "time", "exec", "command", "builtin", "eval", "!", "{", "coproc"}

// usedByShell reports whether a word of a shell means a variable or a function: what is expanded, given a value, declared
// or run. A part of a longer word, such as the name of a file, does not.
func usedByShell(src []byte, s Span) bool {
	at := func(i int) byte {
		if i < 0 || i >= len(src) {
			return '\n'
		}
		return src[i]
	}
	before, after := at(s.Start-1), at(s.End)
	if before == '$' || before == '{' && at(s.Start-2) == '$' || (before == '#' || before == '!') && at(s.Start-2) == '{' {
		return true
	}
	line := src[bytes.LastIndexByte(src[:s.Start], '\n')+1 : s.Start]
	if open := bytes.LastIndex(line, []byte("((")); open >= 0 && !bytes.Contains(line[open:], []byte("))")) {
		return true // arithmetic
	}
	if strings.IndexByte(" \t\n;|&()<>`{\"'", before) < 0 {
		return false
	}
	if after == '=' || after == '+' && at(s.End+1) == '=' || after == '[' || after == '(' {
		return true
	}
	if strings.IndexByte(" \t\r\n;|&()<>`}\"'", after) < 0 {
		return false
	}
	if after == ')' && len(bytes.TrimSpace(line)) == 0 {
		return false // a pattern of case
	}
	for len(bytes.TrimSpace(line)) == 0 && s.Start > len(line)+1 { // the line above may go on in this one
		above := src[:s.Start-len(line)-1]
		if !bytes.HasSuffix(above, []byte("\\")) {
			break
		}
		line = src[bytes.LastIndexByte(above, '\n')+1 : s.Start]
	}
	words := strings.Fields(string(line[bytes.LastIndexAny(line, ";|&(`")+1:]))
	for len(words) > 0 && (slices.Contains(shellWords, words[0]) || shellValue(words[0])) {
		words = words[1:]
	}
	return len(words) == 0 || slices.Contains(shellNamers, words[0]) || words[len(words)-1] == "-v"
}

// shellValue reports whether a word gives a variable its value, for the command behind it.
func shellValue(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	return ok && IsName(name)
}

// formats matches where a macro of Rust begins that takes a format.
var formats = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\b(format|format_args|print|println|eprint|eprintln|write|writeln|panic|assert|assert_eq|assert_ne|debug_assert|debug_assert_eq|debug_assert_ne|unreachable|todo|unimplemented|trace|debug|info|warn|error|log|bail|ensure|anyhow)!\s*[(\[{]`)
})

// formatted reports whether a word in a text of Rust is a variable that a format names: "{foo}", "{foo:?}".
func formatted(src []byte, s Span) bool {
	opened := 0
	for i := s.Start - 1; i >= 0 && src[i] == '{'; i-- {
		opened++
	}
	if opened%2 == 0 || s.End >= len(src) || src[s.End] != '}' && src[s.End] != ':' {
		return false
	}
	before := src[max(0, s.Start-400):s.Start]
	list := formats().FindAllIndex(before, -1)
	return len(list) > 0 && !bytes.Contains(before[list[len(list)-1][1]:], []byte(");"))
}
