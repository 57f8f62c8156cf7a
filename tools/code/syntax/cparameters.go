//go:build cgo

package syntax

// Macros in the brackets of a declaration.

// pointer blanks out the macros in the brackets around the name of a pointer to a function, and puts a mark in their place
// inside gives the units in brackets.
func (m *cMacros) inside(s Span) ([]cUnit, bool) {
	var u []cUnit
	ok := true
	lang := ByID("c")
	if m.cpp {
		lang = ByID("cpp")
	}
	cHeads(lang, m.src[s.Start+1:s.End-1], func(h *cHead) {
		for i := range h.tokens {
			h.tokens[i].Start += s.Start + 1
			h.tokens[i].End += s.Start + 1
		}
		more, fine := m.units(h.tokens)
		ok = ok && fine && h.end == 0
		u = append(u, more...)
	}, func(int, int) {})
	return u, ok
}

// parameters blanks out the macros among parameters.
func (m *cMacros) parameters(u []cUnit) {
	for len(u) > 0 {
		n := 0
		for n < len(u) && u[n].kind != ',' {
			n++
		}
		m.parameter(u[:n])
		u = u[min(n+1, len(u)):]
	}
}

func (m *cMacros) parameter(u []cUnit) {
	if m.cpp && len(u) > 1 && u[0].is("this") {
		m.blank(u[0].Start, u[0].End)
		u = u[1:]
	}
	typed := -1
	var ids []int
	for i := range u {
		switch x := &u[i]; {
		case x.kind == '=' && i > 0 && i+1 < len(u) && (u[i-1].kind == '*' || u[i-1].kind == '&' || u[i+1].kind == '{'):
			m.blank(x.Start, u[len(u)-1].End) // a value for what has no name
			m.macros(u, ids, typed)
			return
		case x.kind == '=' || x.kind == '[' || x.kind == '(' || x.is("class", "struct", "union", "enum"):
			m.macros(u, ids, typed)
			return
		case x.kind == '*' || x.kind == '&':
			if len(ids) > 0 && typed < 0 {
				typed = m.typeOf(u, ids)
			}
			m.macrosOf(u, without(ids, typed))
			typed, ids = i, nil
		case x.kind == 'w' && typeWords()[x.word]:
			m.before(u, ids)
			typed, ids = i, nil
		case x.id():
			ids = append(ids, i)
		}
	}
	m.macros(u, ids, typed)
}

// macros blanks out the words of a parameter that look like macros, but for a type and a name.
func (m *cMacros) macros(u []cUnit, ids []int, typed int) {
	most := 2
	if typed >= 0 {
		most = 1
	}
	for k := 0; len(ids) > most && k < len(ids); {
		if !macroish(u[ids[k]].word) || k == len(ids)-1 && !macroish(u[ids[k]].word) {
			k++
			continue
		}
		m.macro(u, ids[k])
		ids = without(ids, ids[k])
	}
}

func (m *cMacros) macrosOf(u []cUnit, ids []int) {
	for _, i := range ids {
		if macroish(u[i].word) {
			m.macro(u, i)
		}
	}
}

// typeLike reports whether what stands in brackets may be a type.
func typeLike(u []cUnit) bool {
	words := 0
	for i := range u {
		switch x := &u[i]; {
		case x.id() && x.word[0] > '9', x.kind == 'w' && typeWords()[x.word]:
			words++
		case x.kind == '*' || x.kind == '&' || x.is("const", "struct", "enum", "union"):
		default:
			return false
		}
	}
	return words > 0
}

// parametersLike reports whether what stands in brackets may be parameters, and not arguments.
func parametersLike(u []cUnit) bool {
	for i := range u {
		if x := &u[i]; x.kind == '*' || x.kind == '&' || x.kind == 'w' && (typeWords()[x.word] || i > 0 && u[i-1].kind == 'w') {
			return true
		}
	}
	return len(u) == 0
}

// oldStyle reports whether parameters are names alone, whose types may stand behind them.
func oldStyle(u []cUnit) bool {
	for i := range u {
		if i%2 == 0 && !u[i].id() || i%2 == 1 && u[i].kind != ',' {
			return false
		}
	}
	return len(u) > 0
}

// unwrap blanks out a macro and its brackets, and leaves what stands in them.
func (m *cMacros) unwrap(u []cUnit, i int) {
	m.blank(u[i].Start, u[i].End)
	m.blank(u[i+1].Start, u[i+1].Start+1)
	m.blank(u[i+1].End-1, u[i+1].End)
}

func (m *cMacros) put(at int, c byte) {
	m.text[at] = c
}
