package code

import (
	"bytes"
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
)

// Edits that may do more than they say. In a file that does not parse, what its symbols are is a guess, so what speaks
// against the guess refuses the edit: a wrong one takes lines of others with it, or leaves half of a symbol behind.

// checkEdit refuses an edit after which the file is not what its caller means, and warns of what it does elsewhere. given is
// the text as it came.
func checkEdit(warn func(string), f *parsed, after *syntax.File, s *syntax.Symbol, does way, given string, fresh []byte, e span) error {
	if does != deletes {
		if err := lateImports(f, given, e.from); err != nil {
			return err
		}
		if err := brokenBy(f, after, given); err != nil {
			return err
		}
		if err := sameScope(f, after, s, does, fresh, e); err != nil {
			return err
		}
	}
	if err := sameOthers(f, after, s, does, e); err != nil {
		return err
	}
	if err := doubled(warn, f, after, fresh, e); err != nil {
		return err
	}
	switch does {
	case precedes, follows:
		warnCounted(warn, f, s, e.from)
		warnValues(warn, f, s, e.from)
	case deletes:
		warnValues(warn, f, s, s.End)
		warnMembers(warn, f, s, e)
		warnBound(warn, f, after, s)
	}
	warnAliases(warn, f, fresh, e)
	return nil
}

// sureBegin refuses an edit of a symbol that may begin further up than was seen.
func sureBegin(f *parsed, s *syntax.Symbol) error {
	if !s.Behind {
		return nil
	}
	return tools.Errorf(tools.Conflict, "the words in front of %s at line %d may be of its declaration or stand for themselves, as macros do, so where it begins is not sure: use fs.apply_patch; nothing was done", s.Path, s.Line).
		With(tools.Details{Param: "name_path", Actual: s.Path})
}

// sureEnd refuses an edit that needs the end of a symbol where that is not sure.
func sureEnd(f *parsed, s *syntax.Symbol, to int) error {
	if x, ok := dataFault(f, s); ok {
		return tools.Errorf(tools.Conflict, "the file does not parse%s, so which key is %s and where it ends is not sure; mend it with fs.edit first; nothing was done", told(&x), s.Path).
			With(tools.Details{Param: "name_path", Actual: s.Path})
	}
	faults := f.Faults
	if f.lang.ID == "python" {
		if x, ok := syntax.Indents(f.text, syntax.TabWidth); ok {
			faults = append([]syntax.Fault{x}, faults...)
		}
	}
	if !f.Broken && len(faults) == len(f.Faults) || to <= s.Start {
		return nil
	}
	why := syntax.Unsure(f.lang, f.text, s)
	near := nearest(faults, s)
	if x, ok := faultBehind(f, s, faults); ok && why == "" {
		why, near = "what stands right behind it does not parse", &x
	}
	if why == "" {
		return nil
	}
	return tools.Errorf(tools.Conflict, "the file does not parse%s, and where %s (lines %d-%d) ends is not sure: %s; mend it with fs.edit first; nothing was done", told(near), s.Path, s.Line, s.EndLine, why).
		With(tools.Details{Param: "name_path", Actual: s.Path})
}

// dataFault finds a fault in a file of data that may have moved a key: any of YAML; of JSON one in front of the key, or behind
// it in what it stands in, where a bracket that is missing in front is missed.
func dataFault(f *parsed, s *syntax.Symbol) (syntax.Fault, bool) {
	if !f.Broken || f.lang.ID != "json" && f.lang.ID != "yaml" {
		return syntax.Fault{}, false
	}
	text := f.text
	if f.lang.ID == "json" {
		text = syntax.WithoutLastCommas(f.text) // a comma too many moves nothing
	}
	for _, x := range f.Faults {
		at := offsetOf(f.text, x)
		if at < len(text) && text[at] != f.text[at] {
			continue
		}
		inside := func(o syntax.Symbol) bool { return o.Start >= s.Start && o.Start < at && at < o.End }
		if f.lang.ID == "yaml" || !slices.ContainsFunc(f.Symbols, inside) {
			return x, true
		}
	}
	return syntax.Fault{}, false
}

// faultBehind finds a fault between a symbol and the next one that may be a part of the symbol: something that ends
// what nothing has begun, the end of the file, or a line that is indented as none around it.
func faultBehind(f *parsed, s *syntax.Symbol, faults []syntax.Fault) (syntax.Fault, bool) {
	block := len(f.text) // where the next one begins that has lines of its own
	for i := range f.Symbols {
		if o := &f.Symbols[i]; o.Start >= s.End && o.Kind != syntax.Variable && o.Kind != syntax.Constant && o.Kind != syntax.Field {
			block = o.Start
			break
		}
	}
	end := len(f.text)
	if next := following(f, s); next != nil {
		end = next.Start
	}
	for _, x := range faults {
		at := offsetOf(f.text, x)
		indent := f.lang.ID == "python" && x == faults[0] && strings.Contains(x.Message, "indent") && at < block
		if at < s.End || !indent && (at > end || at == end && end < len(f.text)) {
			continue
		}
		rest := bytes.TrimSpace(f.text[at:])
		if ends := len(rest) == 0 || strings.IndexByte("})]", rest[0]) >= 0 || bytes.HasPrefix(rest, []byte("end")); ends && len(bytes.TrimSpace(f.text[s.End:at])) == 0 || indent {
			return x, true
		}
	}
	return syntax.Fault{}, false
}

// offsetOf is where a fault stands.
func offsetOf(src []byte, x syntax.Fault) int {
	at, _ := lineAt(src, x.Line)
	if at < 0 {
		return len(src)
	}
	return min(at+x.Column-1, len(src))
}

// nearest is the fault in a symbol, or the first one.
func nearest(faults []syntax.Fault, s *syntax.Symbol) *syntax.Fault {
	for i := range faults {
		if faults[i].Line >= s.Line && faults[i].Line <= s.EndLine {
			return &faults[i]
		}
	}
	if len(faults) > 0 {
		return &faults[0]
	}
	return nil
}

func told(x *syntax.Fault) string {
	if x == nil {
		return ""
	}
	return fmt.Sprintf(" (line %d: %s)", x.Line, x.Message)
}

// sameOthers refuses an edit that takes away symbols that it is not about. Of a file that parses neither before nor after
// it, that none comes or changes the names around it is asked as well; where one parses afterwards that did not, the edit has
// mended what hid or moved them, and where one does not that did, the caller is told of that.
func sameOthers(f *parsed, after *syntax.File, s *syntax.Symbol, does way, e span) error {
	if does == replaces && !f.Broken && s.Kind != syntax.Element {
		if !slices.ContainsFunc(after.Symbols, func(o syntax.Symbol) bool { return e.made(&o) }) {
			return tools.Errorf(tools.Conflict, "text defines nothing in the place of %s: give the whole definition with its head, or use delete_symbol or fs.edit; nothing was done", s.Path).
				With(tools.Details{Param: "text"})
		}
	}
	if f.Broken != after.Broken {
		return nil
	}
	lost, fresh := differ(f, after, s, e)
	switch {
	case len(lost) == 0 && (len(fresh) == 0 || !f.Broken):
		return nil
	case !f.Broken:
		instead, param := "give it what stays in text", "text"
		if does == deletes {
			param, instead = "name_path", "use replace_symbol with what stays as text"
		}
		return tools.Errorf(tools.Conflict, "this edit of %s would take away %s, which it stands with; %s, or use fs.edit; nothing was done", s.Path, some(lost), instead).
			With(tools.Details{Param: param, Actual: s.Path})
	}
	what := "take away " + some(lost)
	if len(lost) == 0 {
		what = "make " + some(fresh) + " of what stands around it"
	}
	return tools.Errorf(tools.Conflict, "the file does not parse%s, and this edit of %s would %s; mend the file with fs.edit first; nothing was done", told(nearest(f.Faults, s)), s.Path, what).
		With(tools.Details{Param: "name_path", Actual: s.Path})
}

// differ names the symbols that an edit of another one takes away, and those it makes beside its text. One that the same
// declaration defines, or that stands in it and belongs to what is around it, is another one.
func differ(f *parsed, after *syntax.File, s *syntax.Symbol, e span) (lost, fresh []string) {
	others := map[string]int{}
	joined := joinedTo(f.File, s)
	for i := range f.Symbols {
		// A field that another method binds as well is still one where its first binding is gone or is another one now.
		if o := &f.Symbols[i]; !o.ByMethod && (o.NameStart < e.from || o.NameStart >= e.to || o.End <= s.Start || o.Start >= s.End || slices.Contains(joined, o.Path)) {
			others[o.Path]++
		}
	}
	for i := range after.Symbols {
		if o := &after.Symbols[i]; !o.ByMethod && (!e.made(o) || slices.Contains(joined, o.Path)) {
			others[o.Path]--
		}
	}
	for name, n := range others {
		switch {
		case n > 0:
			lost = append(lost, name)
		case n < 0:
			fresh = append(fresh, name)
		}
	}
	sort.Strings(lost)
	sort.Strings(fresh)
	return lost, fresh
}

// joinedTo gives the paths of the symbols that stand in another one and belong to what is around it.
func joinedTo(f *syntax.File, s *syntax.Symbol) []string {
	var paths []string
	for i := range f.Symbols {
		if o := &f.Symbols[i]; o.NameStart >= s.Start && o.NameStart < s.End && !partOf(f, o, s) {
			paths = append(paths, o.Path)
		}
	}
	return paths
}

// partOf reports whether a symbol is another one or stands in it.
func partOf(f *syntax.File, o, s *syntax.Symbol) bool {
	for ; o.NameStart != s.NameStart; o = &f.Symbols[o.Parent] {
		if o.Parent < 0 {
			return false
		}
	}
	return true
}

// some names the first of many.
func some(names []string) string {
	if len(names) > 5 {
		return strings.Join(names[:5], ", ") + fmt.Sprintf(" and %d more", len(names)-5)
	}
	return strings.Join(names, ", ")
}
