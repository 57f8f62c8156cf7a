package syntax

import (
	"slices"
	"strconv"
	"strings"
)

// Brackets in a name path: a key of data (a["b.c"]), a computed name of JavaScript (A[Symbol.iterator]), parameters of types
// (V[T].m), a number. What is none of them for the symbol at hand means something in it that is no symbol, and never all of it.

// keyed reads a name path that has keys in quotes and brackets, a["b.c"].d, or is a JSON pointer with marks for what its keys
// hold, /a/b~1c. ok is false when it is neither.
func keyed(s string) (parts []string, ok bool) {
	if strings.HasPrefix(s, "/") && (strings.Contains(s, "~0") || strings.Contains(s, "~1")) {
		for key := range strings.SplitSeq(s[1:], "/") {
			parts = append(parts, strings.NewReplacer("~1", "/", "~0", "~").Replace(key))
		}
		return parts, parts[len(parts)-1] != ""
	}
	for {
		before, key, behind, found := nextKey(s)
		if !found {
			break
		}
		parts, ok = append(parts, steps(before)...), true
		parts = append(parts, key)
		s = strings.TrimSpace(behind)
	}
	if !ok {
		return nil, false
	}
	if s, _, _ = strings.Cut(s, "("); strings.Trim(s, "./ ") != "" {
		parts = append(parts, steps(s)...)
	}
	return parts, true
}

// steps are the names in a part of a name path.
func steps(s string) []string {
	names, _ := split(strings.TrimSpace(s))
	return slices.DeleteFunc(names, func(name string) bool { return strings.TrimSpace(name) == "" })
}

// nextKey cuts a name path at the first key in quotes and brackets.
func nextKey(s string) (before, key, behind string, ok bool) {
	for i := 0; i+1 < len(s); i++ {
		quote := s[i+1]
		if s[i] != '[' || quote != '"' && quote != '\'' {
			continue
		}
		var b strings.Builder
		for j := i + 2; j < len(s); j++ {
			switch {
			case s[j] == '\\' && j+1 < len(s):
				j++
				b.WriteByte(s[j])
			case s[j] == quote && strings.HasPrefix(s[j+1:], "]"):
				return s[:i], b.String(), s[j+2:], b.Len() > 0
			default:
				b.WriteByte(s[j])
			}
		}
	}
	return "", "", "", false
}

// inBrackets is the part of a text, which begins with a bracket, up to where that closes; all of it when it does not.
func inBrackets(s string) string {
	depth := 0
	for i := range len(s) {
		switch s[i] {
		case '[':
			depth++
		case ']':
			if depth--; depth == 0 {
				return s[:i+1]
			}
		}
	}
	return s
}

// isNumber reports whether a number stands in brackets.
func isNumber(text string) bool {
	_, err := strconv.Atoi(strings.Trim(text, "[] "))
	return err == nil
}

// Bracketed reports whether something stands in brackets in the query that is no number.
func (q Query) Bracketed() bool { return q.keyed || len(q.generic) > 0 }

// Reaches reports whether the brackets of the query can mean something in a language: keys where sources write them so,
// parameters of types where those stand in such brackets.
func (q Query) Reaches(lang string) bool {
	switch lang {
	case "json", "yaml", "javascript", "typescript", "typescriptreact", "lua":
		return len(q.generic) == 0
	case "go", "python":
		return !q.keyed
	case "csharp": // this[int i]
		return !q.keyed && (len(q.generic) == 0 || q.generic[0] == "this")
	}
	return !q.keyed && len(q.generic) == 0
}

// takesBrackets reports whether the brackets of the query can mean something in a symbol of a file.
func (q Query) takesBrackets(f *File, s *Symbol) bool {
	if !q.Reaches(f.Language) {
		return false
	}
	for _, name := range q.generic {
		if name != "this" && !generic(f, s, name) && (s.Parent < 0 || s.Parent >= len(f.Symbols) || !generic(f, &f.Symbols[s.Parent], name)) {
			return false
		}
	}
	return true
}

// generic reports whether a symbol shows a name with parameters of types: its own, or that of its receiver.
func generic(f *File, s *Symbol, name string) bool {
	return strings.Contains(s.Signature, name+"[") || f.Language == "python" && s.Kind == Class && strings.Contains(s.Signature, "[")
}

// endsWithStep reports whether a path ends with a step that may hold dots itself, and gives what stands in front.
func endsWithStep(path, step string) (before string, ok bool) {
	before, ok = strings.CutSuffix(path, step)
	if !ok || before == "" {
		return "", ok
	}
	return strings.CutSuffix(before, ".")
}

// sameKeys reports whether two paths of data are the same but for what parts their steps: a key may hold dots and slashes.
func sameKeys(path, dotted string) bool {
	if len(path) != len(dotted) {
		return false
	}
	for i := range len(path) {
		if path[i] != dotted[i] && (path[i] != '/' || dotted[i] != '.') {
			return false
		}
	}
	return true
}
