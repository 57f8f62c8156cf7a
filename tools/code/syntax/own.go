package syntax

import "bytes"

// Which of the names that Python binds are symbols. A name that a loop or the like binds once more is one already; what a
// function gives to an object is a field of a class where the function is a method of it and the object what it is called on.

// scopeName is a name in a scope: the index of the definition of a class, -1 for the module.
type scopeName struct {
	scope int
	name  string
}

// owned leaves of the definitions of a file of Python, which are in their order, those that are symbols: a field that methods
// bind is one once, where __init__ binds it or else the first of them, and none where the class itself has the name.
func owned(src []byte, defs []def) []def {
	some := false
	for i := range defs {
		some = some || defs[i].owner != "" || defs[i].loose
	}
	if !some {
		return defs
	}
	known := map[scopeName]bool{} // bound in the scope itself
	fields := map[scopeName]int{} // the chosen ones
	inInit := map[scopeName]bool{}
	drop := make([]bool, len(defs))
	var open []int // classes and functions around
	var self self
	for i := range defs {
		d := &defs[i]
		for len(open) > 0 && defs[open[len(open)-1]].end <= d.sigAt {
			open = open[:len(open)-1]
		}
		scope, in := -1, Kind("")
		if n := len(open); n > 0 {
			scope = open[n-1]
			in = defs[scope].kind
		}
		key := scopeName{scope, d.name}
		switch {
		case d.owner != "":
			method := scope
			if in != Function || len(open) < 2 || defs[open[len(open)-2]].kind != Class || self.of(src, defs, method) != d.owner {
				drop[i] = true
				continue
			}
			key.scope = open[len(open)-2]
			init := defs[method].name == "__init__"
			switch old, ok := fields[key]; {
			case !ok:
				fields[key], inInit[key] = i, init
			case init && !inInit[key]:
				drop[old] = true
				fields[key], inInit[key] = i, true
			default:
				drop[i] = true
			}
		case d.loose && (in == Function || known[key]):
			drop[i] = true
		default:
			known[key] = true
			if d.kind == Class || d.kind == Function {
				open = append(open, i)
			}
		}
	}
	for key, i := range fields {
		drop[i] = drop[i] || known[key]
	}
	keep := defs[:0]
	for i, d := range defs {
		if !drop[i] {
			keep = append(keep, d)
		}
	}
	return keep
}

// self is what the method last asked for is called on.
type self struct {
	method int
	name   string
}

func (s *self) of(src []byte, defs []def, method int) string {
	if s.name == "" || s.method != method {
		s.method, s.name = method, firstParameter(src, &defs[method])
	}
	return s.name
}

// firstParameter is the name of what a method is called on, "" when it is called on nothing.
func firstParameter(src []byte, d *def) string {
	if bytes.Contains(src[d.start:max(d.sigAt, d.start)], []byte("staticmethod")) {
		return ""
	}
	rest := src[min(d.nameAt+len(d.name), d.end):d.end]
	if bytes.HasPrefix(rest, []byte("[")) { // parameters of types
		rest = rest[len(inBrackets(string(rest[:min(len(rest), maxPath)]))):]
	}
	rest, _ = bytes.CutPrefix(bytes.TrimLeft(rest, " \t"), []byte("("))
	rest = TrimLeft(ByID("python"), rest[:min(len(rest), maxPath)])
	return string(rest[:len(rest)-len(bytes.TrimLeftFunc(rest, wordRune))])
}
