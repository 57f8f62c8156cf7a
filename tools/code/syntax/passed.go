package syntax

import (
	"slices"
	"strings"
)

// Names that a module takes from others are no symbols of it, as imports are none; those that it hands on are exports of it, as
// are other names that it gives to its own.

// maxPassed is how many such names of a file are kept.
const maxPassed = 5000

// pass notes the names that a file may hand on, each once: not those of its own symbols.
func (f *File) pass(defs []def, lines lineIndex) {
	for i := range defs {
		d := &defs[i]
		own := func(s Symbol) bool {
			return s.Parent < 0 && s.Name == d.owner && (d.name == d.owner || d.name == "default")
		}
		same := slices.IndexFunc(f.Passed, func(s Symbol) bool { return s.Name == d.name })
		switch {
		case d.kind != Passed || same < 0 && len(f.Passed) >= maxPassed || d.owner != "" && slices.ContainsFunc(f.Symbols, own):
		case same >= 0:
			f.Passed[same].Exported = f.Passed[same].Exported || d.exported
		default:
			f.Passed = append(f.Passed, Symbol{
				Name: strings.Clone(d.name), Path: strings.Clone(d.name), Kind: Passed, Signature: d.sig, Parent: -1, Line: lines.line(d.nameAt),
				EndLine: lines.line(d.nameAt), NameStart: d.nameAt, Start: d.start, End: d.end, Exported: d.exported,
			})
		}
	}
}

// imported reports whether what follows a pattern takes its value from another module: = require('…'). What a call of that gives
// is made here.
func imported(rest []byte) bool {
	text := strings.TrimLeft(string(rest[:min(len(rest), 300)]), " \t\r\n")
	value, ok := strings.CutPrefix(text, "=")
	value = strings.TrimLeft(value, " \t\r\n")
	if _, behind, _ := strings.Cut(value, ")"); strings.HasPrefix(strings.TrimLeft(behind, " \t"), "(") {
		return false
	}
	await, _ := strings.CutPrefix(value, "await ")
	return ok && (strings.HasPrefix(value, "require(") || strings.HasPrefix(strings.TrimLeft(await, " ("), "import("))
}
