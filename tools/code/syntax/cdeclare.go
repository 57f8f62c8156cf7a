//go:build cgo

package syntax

import (
	"bytes"
	"strings"
)

// declaration blanks out the macros in a declaration: in front of its type and its name, and behind its parameters.
func (m *cMacros) declaration(u []cUnit, h *cHead) {
	if h.tail {
		m.variables(u)
		return
	}
	if u = m.module(u); len(u) == 0 {
		return
	}
	typed := -1 // where a type was seen that can be nothing else
	typedef := false
	var ids []int // what may be a type, a macro or the name
	for i := 0; i < len(u); i++ {
		x := &u[i]
		next := i + 1
		group := next < len(u) && u[next].kind == '('
		switch {
		case x.is("class", "struct", "union", "enum"):
			m.before(u, ids)
			ids = nil
			if i = m.classHead(u, i, h.end); i < 0 {
				return
			}
			typed = i
		case x.is("namespace"):
			m.before(u, ids)
			if h.end == '{' && next < len(u) && u[next].id() {
				m.holds(x.word, &u[next])
			}
			for k := i + 2; k < len(u); k++ {
				if u[k].id() {
					m.macro(u, k)
				}
			}
			return
		case x.is("template") && x.End-x.Start == len(x.word) && next < len(u) && u[next].is("class", "struct", "union"): // one that is made here
			m.blank(x.Start, x.End)
			if i > 0 && u[i-1].is("extern") {
				m.blank(u[i-1].Start, u[i-1].End)
			}
		case x.is("template") && x.End-x.Start == len(x.word) && next < len(u) && i > 0 && u[i-1].is("extern"): // or elsewhere
			m.blank(u[i-1].Start, u[i-1].End)
		case x.is("explicit", "virtual", "template", "using", "typedef", "friend"):
			m.before(u, ids)
			typedef = typedef || x.is("typedef")
			if ids = nil; x.is("using") {
				return
			}
			if x.is("explicit") { // what has no type follows
				typed = i
			}
		case x.is("static_assert", "_Static_assert", "requires", "concept", "operator"):
			return
		case group && x.is("__attribute__", "__attribute", "__declspec", "alignas", "_Alignas", "decltype", "typeof", "__typeof__", "noexcept", "asm", "__asm__"):
			if i++; x.is("decltype", "typeof", "__typeof__") {
				typed = i
			}
		case x.kind == 'w' && typeWords()[x.word]:
			typed = i
			if group { // its declarator stands in brackets
				m.before(u, ids)
				m.pointer(u, next)
				return
			}
		case x.kind == '(' && next < len(u) && u[next].kind == '(':
			m.pointer(u, i)
			return
		case x.kind == '*' || x.kind == '&':
			if len(ids) > 0 && typed < 0 { // what stands in front has the type
				typed = m.typeOf(u, ids)
			}
			m.before(u, without(ids, typed))
			ids = nil
		case x.id() && group && typedef && m.nameNext(u[i+2:]): // it is the type
			m.blank(u[next].Start, u[next].End)
			ids = append(ids, i)
			i = next
		case x.id() && group:
			if next = m.called(u, ids, i, typed, h.end); next == i {
				return
			}
			i = next
		case x.id() || x.is("operator"):
			ids = append(ids, i)
		case x.kind == 'w' || x.kind == '"' || x.kind == '[' && len(ids) == 0 && typed < 0:
		default: // a value, a second name, the size of an array
			m.named(u, ids, typed, typedef)
			return
		}
	}
	if h.end == ';' || h.end == '}' {
		m.named(u, ids, typed, typedef)
	}
}

// module blanks out the words of modules, and gives what is left of a declaration.
func (m *cMacros) module(u []cUnit) []cUnit {
	if m.cpp && u[0].is("export") {
		m.blank(u[0].Start, u[0].End)
		u = u[1:]
	}
	if m.cpp && len(u) > 0 && u[0].is("import") && (len(u) == 2 || len(u) == 1 && u[0].End-u[0].Start > len("import")) {
		m.blank(u[0].Start, u[len(u)-1].End)
		return nil
	}
	if m.cpp && len(u) > 0 && u[0].is("module") && (len(u) == 1 || u[1].kind == 'w' || u[1].kind == ':') {
		m.blank(u[0].Start, u[len(u)-1].End)
		return nil
	}
	return u
}

// called reads a name with brackets behind it, and gives the last unit that it is; i itself when the declaration was read.
func (m *cMacros) called(u []cUnit, ids []int, i, typed int, end byte) int {
	inner, ok := m.inside(u[i+1].Span)
	rest := u[i+2:]
	if typed < 0 && (m.typeless(&u[i]) || len(rest) > 0 && rest[0].kind == ':') {
		typed = i
	}
	mac := macroish(u[i].word)
	switch {
	case !ok:
		return i
	case mac && end == '{' && len(rest) == 0 && len(inner) > 1 && inner[0].id() && inner[1].kind == ',' && strings.Contains(u[i].word, "DEFINE"):
		m.put(u[i+1].Start, ' ')
		m.put(inner[1].Start, '(')
		m.parameters(inner[2:])
	case mac && len(inner) > 1 && inner[0].id() && inner[1].kind == '(' && m.onlyTrailing(rest): // the declarator stands in it
		m.unwrap(u, i)
		m.before(u, without(ids, m.typeFor(u, ids, typed)))
		m.trailing(rest)
	case mac && len(inner) > 2 && inner[0].id() && inner[1].kind == ',' && inner[2].kind == '(' && m.onlyTrailing(rest): // name, parameters, alias
		m.unwrap(u, i)
		m.blank(inner[1].Start, inner[1].End)
		m.blank(inner[2].End, u[i+1].End)
		m.before(u, without(ids, m.typeFor(u, ids, typed)))
		m.trailing(rest)
	case mac && m.goesOn(rest), m.all && m.declares(rest) && m.goesOn(rest): // it wraps the type, or is no part of it
		if typed < 0 && len(ids) == 0 && typeLike(inner) && m.nameNext(rest) {
			m.unwrap(u, i)
		} else {
			m.macro(u, i)
		}
		return i + 1
	case mac && m.variableBefore(u, ids, typed) && !parametersLike(inner):
		m.macro(u, i)
		return i + 1
	case len(rest) > 0 && rest[0].kind == '(' && len(inner) > 0 && len(inner) < 6 && !inner[len(inner)-1].is("void"): // it is the type of what stands in brackets
		ids = append(ids, i)
		m.before(u, without(ids, m.typeFor(u, ids, typed)))
		m.pointer(u, i+1)
	default:
		m.before(u, without(ids, m.typeFor(u, ids, typed)))
		m.parameters(inner)
		if !oldStyle(inner) || len(rest) == 1 || len(rest) > 0 && macroish(rest[0].word) {
			m.trailing(rest)
		}
	}
	return i
}

// typeless reports a name in front of which no type stands: of a destructor or a conversion.
func (m *cMacros) typeless(x *cUnit) bool {
	name := bytes.TrimPrefix(m.src[x.Start:x.End], []byte("operator"))
	return m.src[x.Start] == '~' || len(name) < x.End-x.Start && len(name) > 1 && name[0] == ' ' && wordRune(rune(name[1]))
}

// pointer blanks out a macro in a declarator in brackets, as those that say how a function is called.
func (m *cMacros) pointer(u []cUnit, i int) {
	inner, ok := m.inside(u[i].Span)
	if !ok || i+1 == len(u) || u[i+1].kind != '(' {
		return
	}
	var ids []int
	for k := range inner {
		switch x := &inner[k]; {
		case x.id():
			ids = append(ids, k)
		case x.kind == '*' || x.kind == '&':
			m.before(inner, ids)
			return
		default:
			return
		}
	}
	if len(ids) == 2 && macroish(inner[0].word) {
		m.macro(inner, 0)
		m.put(inner[0].End-1, '*')
	}
}

// before blanks out the macros among units that stand where only macros can.
func (m *cMacros) before(u []cUnit, ids []int) {
	for _, i := range ids {
		m.macro(u, i)
	}
}

// without gives the units but for one.
func without(ids []int, i int) []int {
	rest := make([]int, 0, len(ids))
	for _, id := range ids {
		if id != i {
			rest = append(rest, id)
		}
	}
	return rest
}

// typeFor is the type among words in front of a name, -1 when it was seen before.
func (m *cMacros) typeFor(u []cUnit, ids []int, typed int) int {
	if typed >= 0 || len(ids) == 0 {
		return -1
	}
	return m.typeOf(u, ids)
}

// typeOf is the last word that looks like none of a macro, else the last one.
func (m *cMacros) typeOf(u []cUnit, ids []int) int {
	for k := len(ids) - 1; k >= 0; k-- {
		if !macroish(u[ids[k]].word) {
			return ids[k]
		}
	}
	return ids[len(ids)-1]
}

// named blanks out the macros around the name of a variable, which is the last word that is none, or around that of a
// typedef, which is the last word.
func (m *cMacros) named(u []cUnit, ids []int, typed int, typedef bool) {
	least := 2 // words that are a type and a name
	if typed >= 0 {
		least = 1
	}
	for !typedef && len(ids) > least && macroish(u[ids[len(ids)-1]].word) {
		m.macro(u, ids[len(ids)-1])
		ids = ids[:len(ids)-1]
	}
	if len(ids) > least {
		ids = ids[:len(ids)-1]
		m.before(u, without(ids, m.typeFor(u, ids, typed)))
	}
}

// variables blanks out the macros behind the names that stand behind a body.
func (m *cMacros) variables(u []cUnit) {
	for i := 1; i < len(u); i++ {
		if u[i].id() && u[i-1].id() && macroish(u[i].word) {
			m.macro(u, i)
		}
	}
}

// variableBefore reports whether the name of a variable stands right in front.
func (m *cMacros) variableBefore(u []cUnit, ids []int, typed int) bool {
	if len(ids) == 0 || macroish(u[ids[len(ids)-1]].word) {
		return false
	}
	return len(ids) > 1 || typed >= 0 && typed < ids[0]
}

// goesOn reports whether a name follows, with or without parameters.
func (m *cMacros) goesOn(rest []cUnit) bool {
	for i := range rest {
		switch x := &rest[i]; {
		case x.kind == 'w' && typeWords()[x.word], x.is("class", "struct", "union", "enum", "static", "extern", "inline", "virtual", "explicit", "typedef", "template", "constexpr", "unsigned") && i == 0:
			return true
		case x.kind == '*' || x.kind == '&' || x.is("const"):
		case x.id():
			if !macroish(x.word) {
				return i == 0 || rest[i-1].kind != 'w' || m.declares(rest[i:]) || !macroish(rest[i-1].word) || i+1 < len(rest) || m.all
			}
		case x.kind == '(' && i > 0 && rest[i-1].id():
		default:
			return false
		}
	}
	return false
}

// nameNext reports whether the name follows, behind nothing but marks of pointers.
func (m *cMacros) nameNext(rest []cUnit) bool {
	for i := range rest {
		if x := &rest[i]; x.id() {
			return i+1 == len(rest) || rest[i+1].kind == '(' || rest[i+1].kind == '[' || rest[i+1].kind == '=' || macroish(rest[i+1].word)
		} else if x.kind != '*' && x.kind != '&' {
			return false
		}
	}
	return false
}

// onlyTrailing reports whether units may all stand behind parameters.
func (m *cMacros) onlyTrailing(rest []cUnit) bool {
	for i := range rest {
		if rest[i].kind != 'w' && rest[i].kind != '(' {
			return false
		}
	}
	return true
}

// trailing blanks out the macros behind parameters.
func (m *cMacros) trailing(rest []cUnit) {
	for i := range rest {
		switch x := &rest[i]; {
		case x.is("decltype") && i+1 < len(rest) && rest[i+1].kind == '(': // of what it is given the grammar knows little
			m.blank(rest[i+1].Start+1, rest[i+1].End-1)
			m.put(rest[i+1].Start+1, '0')
			return
		case x.kind == ':' || x.kind == ',' || x.kind == '=' || x.is("requires"):
			return
		case x.kind == 'w' && typeWords()[x.word]: // a declaration of a parameter, as of old
			return
		case x.id():
			m.macro(rest, i)
		}
	}
}

// classHead blanks out the macros between the word that begins a class and its name. It gives the unit of the name, -1 when
// the declaration was read.
func (m *cMacros) classHead(u []cUnit, i int, end byte) int {
	from := i + 1
	if from < len(u) && u[from].is("class", "struct") {
		from++
	}
	name, stop := -1, from
	for ; stop < len(u); stop++ {
		if x := &u[stop]; x.id() {
			if name < 0 || !macroish(x.word) || macroish(u[name].word) {
				name = stop
			}
		} else if x.kind != '(' && x.kind != '[' && !x.is("final", "alignas", "__attribute__", "__declspec") {
			break
		}
	}
	body := end == '{' && (stop == len(u) || u[stop].kind == ':')
	if body && name >= 0 {
		for k := from; k < stop; k++ {
			if k != name && u[k].id() {
				m.macro(u, k)
			}
		}
		m.holds(u[i].word, &u[name])
	}
	if body || name < 0 {
		return -1
	}
	for name = from; name < len(u) && !u[name].id(); name++ {
	}
	if name+1 < len(u) && u[name+1].id() && exportish(u[name].word) {
		m.macro(u, name)
		name++
	}
	if name >= len(u) {
		return -1
	}
	return name
}

// holds takes down what the last declaration is called that has a body with others.
func (m *cMacros) holds(word string, name *cUnit) {
	kind := Struct
	switch word {
	case "class":
		kind = Class
	case "enum":
		return
	case "namespace":
		kind = Module
	}
	d := &m.heads[len(m.heads)-1]
	d.kind, d.name = kind, name.Span
}

// exportish reports whether a word says what a library hands out.
func exportish(word string) bool {
	return strings.HasSuffix(word, "EXPORT") || strings.HasSuffix(word, "_API") || strings.HasSuffix(word, "_PUBLIC")
}
