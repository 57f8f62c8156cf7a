//go:build cgo

package syntax

import "strings"

// maxName bounds a name that is made of words, in bytes; identifiers stay whole.
const maxName = 120

// cleanName takes from a name what is no part of it, and splits off what it says it belongs to.
func cleanName(lang *Language, d *def) {
	name := d.name
	cut := func(mark string) {
		if len(name) > len(mark) && strings.HasPrefix(name, mark) {
			name = name[len(mark):]
			d.nameAt += len(mark)
		}
	}
	if n := len(name); n >= 2 && (name[0] == '"' || name[0] == '\'') && name[n-1] == name[0] {
		name = name[1 : n-1]
		d.nameAt++
	}
	switch lang.ID {
	case "javascript", "typescript", "typescriptreact":
		if inner, ok := strings.CutPrefix(name, "["); ok { // a computed name
			if inner = strings.TrimSuffix(inner, "]"); strings.Trim(inner, `"'`) != inner {
				name = strings.Trim(inner, `"'`)
				d.nameAt += 2
			}
			d.name = strings.ToValidUTF8(name[:min(len(name), maxName)], "")
			return
		}
	case "rust":
		cut("r#")
	case "php":
		cut("$")
	case "ruby":
		cut(":")
	}
	if d.kind == Impl {
		if i := strings.IndexAny(name, "<("); i > 0 {
			name = name[:i]
		}
	}
	switch {
	case d.kind == Element, d.kind == Key, d.kind == Rule, d.kind == Module && lang.ID != "cpp", lang.ID == "shellscript":
	default:
		i := strings.LastIndexAny(name, ".:")
		if op := strings.Index(name, "operator"); op >= 0 {
			i = op - 1 // what follows may hold anything
			if at := strings.IndexByte(name[op:], '('); at > 0 && name[op+at:] != "()" {
				name = strings.TrimSpace(name[:op+at]) // of a conversion: operator bool() const
			}
		}
		if i > 0 && i < len(name)-1 && (name[i] == '.' || name[i] == ':') {
			scope := strings.TrimRight(name[:i], ".:")
			if d.scope == "" {
				d.scope = strings.Join(strings.Fields(strings.ReplaceAll(stripParams(scope), "::", " ")), ".")
			}
			switch d.scope {
			case "exports", "module.exports":
				d.scope = ""
				d.exported = true
			default:
				d.scope = strings.TrimSuffix(d.scope, ".prototype")
			}
			rest := strings.TrimLeft(name[i+1:], " \t\r\n")
			d.nameAt += len(name) - len(rest)
			name = rest
		}
	}
	if at := strings.LastIndexAny(name[:min(len(name), maxName)], " ,"); len(name) > maxName && at > 0 { // a list of selectors
		name = name[:at+1] + "…"
	}
	d.name = strings.Join(strings.Fields(name), " ")
}

// stripParams drops <…> from a qualified name.
func stripParams(s string) string {
	var b strings.Builder
	depth := 0
	for _, r := range s {
		switch r {
		case '<':
			depth++
		case '>':
			depth--
		default:
			if depth == 0 {
				b.WriteRune(r)
			}
		}
	}
	return b.String()
}

// superName is the name of a supertype without its parameters.
func superName(text []byte) string {
	s := strings.TrimSpace(string(text))
	if i := strings.IndexAny(s, "<({["); i >= 0 {
		s = s[:i]
	}
	s = strings.TrimSpace(strings.TrimPrefix(s, "&"))
	if len(s) > 100 || strings.ContainsAny(s, "\n=") {
		return ""
	}
	return s
}
