package syntax

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Parameters in a name path tell overloads apart: A.m(String), A::f(const B &b), f(a: number).

// Overloads reports whether functions of a language are told apart by their parameters.
func Overloads(lang string) bool {
	switch lang {
	case "java", "kotlin", "csharp", "cpp", "typescript", "typescriptreact":
		return true
	}
	return false
}

// Parameters is the list that the query has in round brackets, "" when it has none.
func (q Query) Parameters() string {
	if q.keyed || q.operator {
		return ""
	}
	list, _ := inRound(q.whole, 1)
	return list
}

// Chosen gives those of several symbols of languages with overloads whose parameters the query has; nil when it has no
// parameters, or none of the symbols has them.
func (q Query) Chosen(list []*Symbol) []*Symbol {
	given := q.Parameters()
	if given == "" {
		return nil
	}
	for _, loose := range []bool{false, true} {
		var chosen []*Symbol
		for _, s := range list {
			if have, ok := inRound(s.Signature, nameIn(s)); ok && sameParameters(given, have, loose) {
				chosen = append(chosen, s)
			}
		}
		if len(chosen) > 0 {
			return chosen
		}
	}
	return nil
}

// nameIn is where the name of a symbol ends in its signature.
func nameIn(s *Symbol) int {
	for from := 0; ; {
		i := strings.Index(s.Signature[from:], s.Name)
		if i < 0 {
			return 0
		}
		end := from + i + len(s.Name)
		if rest := strings.TrimLeft(s.Signature[end:], " "); strings.HasPrefix(rest, "(") || strings.HasPrefix(rest, "<") || strings.HasPrefix(rest, "=") {
			return end
		}
		from = end
	}
}

// inRound is the first list in round brackets behind an offset, with them. ok is false when it does not close.
func inRound(text string, from int) (list string, ok bool) {
	from = min(from, len(text))
	i := strings.IndexByte(text[from:], '(')
	if i < 0 {
		return "", false
	}
	depth := 0
	for at := from + i; at < len(text); at++ {
		switch text[at] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return text[from+i : at+1], true
			}
		}
	}
	return "", false
}

// sameParameters compares two lists in round brackets: by their types, with names or without. Loose, marks of references, what
// stands in angle brackets and the packages of types do not count, and names alone will do.
func sameParameters(given, have string, loose bool) bool {
	a, b := parameters(given, loose), parameters(have, loose)
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !slices.ContainsFunc(a[i], func(one string) bool { return slices.Contains(b[i], one) }) {
			return false
		}
	}
	return true
}

// texts matches strings, which may hold any sign.
var texts = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"(?:[^"\\]|\\.)*"`) })

// parameters gives for each parameter of a list what its type may be: all of it, and it without a name behind it.
func parameters(list string, loose bool) (all [][]string) {
	list = strings.TrimSpace(texts().ReplaceAllString(list[1:len(list)-1], "0"))
	if list == "" || list == "void" {
		return nil
	}
	depth, from := 0, 0
	for i := 0; i <= len(list); i++ {
		switch {
		case i == len(list), list[i] == ',' && depth == 0:
			all = append(all, typesOf(list[from:i], loose))
			from = i + 1
		case strings.IndexByte("<([{", list[i]) >= 0:
			depth++
		case list[i] == '>' && i > 0 && list[i-1] == '=': // of an arrow
		case strings.IndexByte(">)]}", list[i]) >= 0:
			depth--
		}
	}
	return all
}

// unsaid are words in front of a type that do not tell overloads apart.
var unsaid = []string{"const", "final", "readonly", "vararg", "noinline", "crossinline", "in", "this", "params", "struct", "class", "public", "private", "protected"}

// typesOf gives what the type of a parameter may be, as words with a blank between them.
func typesOf(parameter string, loose bool) (all []string) {
	parameter = withoutDefault(parameter)
	if name, typ, ok := strings.Cut(strings.ReplaceAll(parameter, "::", "\x00"), ":"); ok && !strings.ContainsAny(name, "<({") { // name: type
		parameter = strings.ReplaceAll(typ, "\x00", "::")
		if loose {
			all = append(all, strings.Trim(name, " ?"))
		}
	}
	words := tokens(parameter, loose)
	all = append(all, strings.Join(words, " "))
	for i := len(words) - 1; i > 0; i-- { // behind the name only an array's brackets may stand
		if wordByte(words[i][0]) {
			all = append(all, strings.Join(slices.Concat(words[:i], words[i+1:]), " "))
			if loose {
				all = append(all, words[i])
			}
			break
		}
		if words[i] != "[" && words[i] != "]" {
			break
		}
	}
	return all
}

// withoutDefault cuts off the value that a parameter has by default.
func withoutDefault(parameter string) string {
	for i := range len(parameter) {
		if parameter[i] == '=' && !strings.HasPrefix(parameter[i:], "=>") {
			return parameter[:i]
		}
	}
	return parameter
}

// tokens cuts the text of a parameter into words and marks.
func tokens(text string, loose bool) (words []string) {
	depth := 0
	for i := 0; i < len(text); {
		c := text[i]
		end := i + 1
		for wordByte(c) && end < len(text) && (wordByte(text[end]) || loose && text[end] == '.' || loose && strings.HasPrefix(text[end:], "::")) {
			if text[end] == ':' {
				end++
			}
			end++
		}
		word := text[i:end]
		i = end
		switch {
		case c == ' ', c == '@', slices.Contains(unsaid, word):
			continue
		case loose && (c == '<' || c == '>'):
			if depth++; c == '>' {
				depth -= 2
			}
			continue
		case loose && (depth > 0 || c == '&' || c == '?'):
			continue
		case loose && wordByte(c):
			word = word[strings.LastIndexAny(word, ".:")+1:]
		}
		words = append(words, word)
	}
	return words
}
