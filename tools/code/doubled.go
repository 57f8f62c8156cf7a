package code

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
)

// An edit may define what is defined already: texts often bring the neighbours of what they are for.

// doubled warns of symbols that an edit defines a second time, and refuses a second key of that name in one object: readers of
// data take either.
func doubled(warn func(string), f *parsed, after *syntax.File, fresh []byte, e span) error {
	before, now := map[string]int{}, map[string][]*syntax.Symbol{}
	for i := range f.Symbols {
		before[f.Symbols[i].Path]++
	}
	for i := range after.Symbols {
		now[after.Symbols[i].Path] = append(now[after.Symbols[i].Path], &after.Symbols[i])
	}
	said := map[string]bool{}
	for i := range after.Symbols {
		s := &after.Symbols[i]
		list := now[s.Path]
		if !e.made(s) || len(list) <= max(before[s.Path], 1) || said[s.Path] {
			continue
		}
		said[s.Path] = true
		if s.Kind == syntax.Key {
			if o := sameObject(f.lang, fresh, s, list); o != nil && !f.Broken {
				return tools.Errorf(tools.Conflict, "text has %s, and so has what it would stand in, at line %d: leave it out, or use replace_symbol of %s; nothing was done", s.Name, lineBefore(f, o, e.from), s.Path).
					With(tools.Details{Param: "text", Actual: s.Path})
			}
			continue
		}
		if once(f.lang, fresh, list) {
			warn(fmt.Sprintf("%s is now defined %d times, at lines %s: take one away", s.Path, len(list), linesOf(list)))
		}
	}
	return nil
}

// lineBefore is the line that a symbol had before the edit.
func lineBefore(f *parsed, o *syntax.Symbol, from int) int {
	if o.NameStart < from {
		return o.Line
	}
	for i := range f.Symbols {
		if s := &f.Symbols[i]; s.Path == o.Path && s.NameStart >= from {
			return s.Line
		}
	}
	return o.Line
}

// linesOf names the lines of symbols.
func linesOf(list []*syntax.Symbol) string {
	var lines []string
	for _, s := range list[:min(len(list), 5)] {
		lines = append(lines, strconv.Itoa(s.Line))
	}
	return strings.Join(lines, ", ")
}

// once reports whether only one of symbols with one path counts, in the language that they are of.
func once(lang *syntax.Language, src []byte, list []*syntax.Symbol) bool {
	for _, s := range list {
		code := src[s.Start:s.End]
		switch s.Kind {
		case syntax.Function, syntax.Method, syntax.Class, syntax.Struct:
		default:
			if lang.ID != "go" {
				return false
			}
		}
		switch lang.ID {
		case "go":
			if s.Name == "init" || s.Name == "_" || s.Parent >= 0 && s.Kind != syntax.Field && s.Kind != syntax.Method {
				return false
			}
		case "python", "php", "ruby", "lua", "shellscript":
			if syntax.HasAttributes(lang, code) { // a setter, an overload
				return false
			}
		case "javascript", "typescript", "typescriptreact":
			word, _, _ := strings.Cut(strings.TrimPrefix(s.Signature, "static "), " ")
			if word == "get" || word == "set" || !bytes.HasSuffix(bytes.TrimRight(code, "; \t"), []byte("}")) { // a property, a signature
				return false
			}
		default:
			return false
		}
	}
	return true
}

// sameObject finds another one of several keys of a path that stands in the same object: the one next to it, if any.
func sameObject(lang *syntax.Language, src []byte, s *syntax.Symbol, list []*syntax.Symbol) *syntax.Symbol {
	at := slices.Index(list, s)
	for _, i := range []int{at - 1, at + 1} {
		if i < 0 || i >= len(list) || list[i].Parent != s.Parent {
			continue
		}
		o := list[i]
		first, last := min(o.Start, s.Start), max(o.Start, s.Start)
		if syntax.OpenBracket(lang, src[:first]) == syntax.OpenBracket(lang, src[:last]) && (lang.ID != "yaml" || sameMapping(src, first, last)) {
			return o
		}
	}
	return nil
}

// sameMapping reports whether two keys of YAML of one name path, at two offsets, stand in one mapping: no element of a list
// and no document begins between them.
func sameMapping(src []byte, first, last int) bool {
	at := bytes.LastIndexByte(src[:last], '\n') + 1
	column := last - at
	if len(bytes.TrimSpace(src[at:last])) > 0 { // it is the first one of an element, or on one line with others
		return bytes.IndexByte(src[first:last], '\n') < 0
	}
	for _, line := range bytes.Split(src[min(first, at):at], []byte("\n"))[1:] {
		text := bytes.TrimLeft(line, " ")
		if len(text) > 0 && text[0] == '-' && len(line)-len(text) < column || bytes.HasPrefix(line, []byte("---")) {
			return false
		}
	}
	return true
}
