package code

import (
	"bytes"
	"fmt"
	"sort"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
)

// Edits by name in a file that does not parse. What its symbols are is a guess there, so what speaks against the guess
// refuses the edit: a wrong one takes lines of others with it, or leaves half of a symbol behind.

// sureEnd refuses an edit that needs the end of a symbol where that is not sure.
func sureEnd(f *parsed, s *syntax.Symbol, to int) error {
	faults := f.Faults
	if f.lang.ID == "python" {
		if x, ok := syntax.Indents(f.text); ok {
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

// sameOthers refuses an edit of a file that parses neither before nor after it when symbols that it is not about come,
// go, or change the names around them. Where the file parses afterwards, the edit has mended what hid or moved them.
func sameOthers(f *parsed, after *syntax.File, s *syntax.Symbol, from, to, length int) error {
	if !f.Broken || !after.Broken {
		return nil
	}
	others := map[string]int{}
	for i := range f.Symbols {
		if o := &f.Symbols[i]; o.NameStart < from || o.NameStart >= to {
			others[o.Path]++
		}
	}
	for i := range after.Symbols {
		if o := &after.Symbols[i]; o.NameStart < from || o.NameStart >= from+length {
			others[o.Path]--
		}
	}
	var lost, fresh []string
	for name, n := range others {
		switch {
		case n > 0:
			lost = append(lost, name)
		case n < 0:
			fresh = append(fresh, name)
		}
	}
	if len(lost)+len(fresh) == 0 {
		return nil
	}
	sort.Strings(lost)
	sort.Strings(fresh)
	what := "take away " + some(lost)
	if len(lost) == 0 {
		what = "make " + some(fresh) + " of what stands around it"
	}
	return tools.Errorf(tools.Conflict, "the file does not parse%s, and this edit of %s would %s; mend the file with fs.edit first; nothing was done", told(nearest(f.Faults, s)), s.Path, what).
		With(tools.Details{Param: "name_path", Actual: s.Path})
}

// some names the first of many.
func some(names []string) string {
	if len(names) > 5 {
		return strings.Join(names[:5], ", ") + fmt.Sprintf(" and %d more", len(names)-5)
	}
	return strings.Join(names, ", ")
}
