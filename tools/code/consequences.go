package code

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
)

// What an edit does to lines that it does not touch, and texts that are no code at all.

// warnCounted warns of constants of Go that an insertion at an offset moves: iota counts the lines of their group.
func warnCounted(warn func(string), f *parsed, s *syntax.Symbol, at int) {
	if f.lang.ID != "go" || s.Kind != syntax.Constant {
		return
	}
	open := syntax.OpenBracket(f.lang, f.text[:s.Start])
	if open < 0 || f.text[open] != '(' {
		return
	}
	counts, end := false, open+1
	for i := range f.Symbols {
		o := &f.Symbols[i]
		if o.Start < open {
			continue
		}
		if o.Kind != syntax.Constant || o.Start > end && !syntax.Balanced(f.lang, f.text[end:o.Start]) { // the group has ended
			return
		}
		end = o.End
		code := f.text[o.Start:o.End]
		if bytes.Contains(code, []byte("=")) {
			counts = len(syntax.Words(f.lang, code, "iota")) > 0
		}
		if counts && o.Start >= at {
			warn(fmt.Sprintf("%s and what stands below it have other values now, since iota counts the lines of their group: look at them", o.Path))
			return
		}
	}
}

// warnValues warns of members of an enum that count on from those in front of them, when one comes or goes at an offset.
func warnValues(warn func(string), f *parsed, s *syntax.Symbol, at int) {
	switch f.lang.ID {
	case "c", "cpp", "csharp", "typescript", "typescriptreact":
	default:
		return
	}
	if s.Kind != syntax.Member {
		return
	}
	end := s.End
	for i := range f.Symbols {
		o := &f.Symbols[i]
		if o.Kind != syntax.Member || o.Parent != s.Parent || o.Start < at || o.NameStart == s.NameStart && at > o.Start {
			continue
		}
		if o.Start > end && bytes.IndexByte(f.text[end:o.Start], '}') >= 0 || bytes.IndexByte(f.text[o.Start:o.End], '=') >= 0 {
			return // of another enum; it has a value of its own
		}
		warn(fmt.Sprintf("%s has no value of its own and counts on from what stands in front of it, so it and those below it have other values now: look at them", o.Path))
		return
	}
}

// anchor matches the names that YAML gives to values, and those that stand for them.
var anchor = tools.Pattern(`(?m)(?:^|[\s\[{,])([&*])([\w.-]+)`)

// warnAliases warns of names of values of YAML that an edit takes away while they still stand for them elsewhere.
func warnAliases(warn func(string), f *parsed, fresh []byte, e span) {
	if f.lang.ID != "yaml" || bytes.IndexByte(f.text[e.from:e.to], '&') < 0 {
		return
	}
	gone := map[string]bool{}
	for _, m := range anchor().FindAllSubmatch(f.text[e.from:e.to], -1) {
		if string(m[1]) == "&" {
			gone[string(m[2])] = true
		}
	}
	used := map[string]int{}
	for _, m := range anchor().FindAllSubmatchIndex(fresh, -1) {
		name := string(fresh[m[4]:m[5]])
		if fresh[m[2]] == '&' {
			delete(gone, name)
		} else if used[name] == 0 {
			used[name], _, _ = lineOf(fresh, m[2])
		}
	}
	for name := range gone {
		if line := used[name]; line > 0 {
			warn(fmt.Sprintf("&%s is gone, and *%s at line %d stands for nothing now: the file does not load until that is changed too", name, name, line))
		}
	}
}

// numberedLine matches a line as tools show it, with its number in front.
var numberedLine = tools.Pattern(`^\s*\d+\s?(?:[:|\t]|\x{2192}|-\s)`)

// foreign says what in a text was never meant to be in a file, "" when nothing is seen: marks of merges and of edits, numbers
// in front of all lines, line breaks written out. A text may have any of these, so it is asked where a file breaks by it.
func foreign(text string) string {
	lines, numbers, code := strings.Split(strings.TrimSpace(text), "\n"), 0, 0
	for _, l := range lines {
		if strings.HasPrefix(l, "<<<<<<< ") || strings.HasPrefix(l, ">>>>>>> ") {
			return "text has marks of a merge or of an edit (" + clipLine(l) + "): give the code alone"
		}
		if strings.TrimSpace(l) != "" {
			code++
		}
		if numberedLine().MatchString(l) {
			numbers++
		}
	}
	switch {
	case numbers == code:
		return "the lines of text begin with their numbers: give them without"
	case len(lines) == 1 && endsWrittenOut(text):
		return `text has \n written out where its lines should end: give line breaks as themselves`
	}
	return ""
}

// endsWrittenOut reports whether a text of one line has \n where no string is open.
func endsWrittenOut(text string) bool {
	before, _, ok := strings.Cut(text, `\n`)
	return ok && strings.Count(before, `"`)%2 == 0 && strings.Count(before, "'")%2 == 0 && strings.Count(before, "`")%2 == 0
}

// warnMembers warns of what belongs to a deleted type and stands elsewhere in its file: methods of Go and C++, blocks of Rust.
func warnMembers(warn func(string), f *parsed, s *syntax.Symbol, e span) {
	if !isType(s) {
		return
	}
	var left []*syntax.Symbol
	for i := range f.Symbols {
		o := &f.Symbols[i]
		block := o.Kind == syntax.Impl && o.Path == s.Path
		if (block || o.Parent < 0 && strings.HasPrefix(o.Path, s.Path+".")) && (o.NameStart < e.from || o.NameStart >= e.to) {
			left = append(left, o)
		}
	}
	if len(left) > 0 {
		warn(fmt.Sprintf("what belongs to %s stays, at lines %s: %d in all", s.Path, linesOf(left), len(left)))
	}
}

// atTop matches what may only stand in front of all declarations of a file: its package, and what it imports.
var atTop = map[string]func() *regexp.Regexp{
	"go":     tools.Pattern(`^(?:(package)|import)\b`),
	"java":   tools.Pattern(`^(?:(package)|import)\b`),
	"kotlin": tools.Pattern(`^(?:(package)|import)\b`),
	"csharp": tools.Pattern(`^using\s+(?:static\s+)?[\w.]+(?:\s*=[^;(]+)?;`),
}

// lateImports refuses a text that begins with what stands at the top of the file, unless it goes there: parsers take it in the
// middle too, and compilers do not.
func lateImports(f *parsed, text string, at int) error {
	matches := atTop[f.lang.ID]
	if matches == nil {
		return nil
	}
	code := strings.TrimSpace(text[codeAt(f.lang, text):])
	m := matches().FindStringSubmatch(code)
	if m == nil {
		return nil
	}
	if len(m) < 2 || m[1] == "" {
		declared := func(s syntax.Symbol) bool { return s.Kind != syntax.Module && s.Start < at }
		if !slices.ContainsFunc(f.Symbols, declared) {
			return nil
		}
	}
	first, _, _ := strings.Cut(code, "\n")
	return tools.Errorf(tools.Conflict, "text begins with %s, which may only stand at the top of the file: give the declaration alone, and add imports there with fs.edit; nothing was done", clipLine(first)).
		With(tools.Details{Param: "text"})
}

// brokenBy refuses a text that breaks a sound file and was not meant to be in it as it is.
func brokenBy(f *parsed, after *syntax.File, text string) error {
	if f.Broken || !after.Broken {
		return nil
	}
	why := foreign(text)
	if why == "" {
		return nil
	}
	return tools.Errorf(tools.Conflict, "the file would not parse any more%s; %s; nothing was done", told(nearest(after.Faults, &syntax.Symbol{})), why).
		With(tools.Details{Param: "text"})
}
