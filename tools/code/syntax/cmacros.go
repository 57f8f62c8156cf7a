//go:build cgo

package syntax

import (
	"bytes"
	"slices"
	"strings"
	"sync"
)

// Macros that stand where the grammar of C takes none: in front of a type, behind parameters, on lines of their own. They
// are blanked out in a text of the same length.

// cMacros is what is blanked out of a source, and the declarations that are left.
type cMacros struct {
	src    []byte
	cpp    bool
	text   []byte // as the grammar gets it
	all    bool   // words that do not look like macros too, where only a macro can stand
	heads  []cDecl
	braces map[int]int // which declaration opens a brace
}

// cDecl is a declaration up to what ends it.
type cDecl struct {
	Span
	end    byte
	unsure bool // a macro stands above it that may be its part or not
	kind   Kind // of a class or namespace
	name   Span
	close  int // where its body ends
}

// withoutMacros blanks out the macros of a source, with all also words that do not look like ones.
func withoutMacros(lang *Language, src []byte, all bool) *cMacros {
	m := &cMacros{src: src, cpp: lang.ID == "cpp", text: bytes.Clone(src), all: all}
	m.braces = map[int]int{}
	cHeads(lang, src, m.read, m.shut)
	m.linkage()
	return m
}

// linkage blanks out the braces of extern "C" that are there for C++ only: each stands in an #if of its own.
func (m *cMacros) linkage() {
	var open []Span
	for at, hash := 0, []byte(nil); at < len(m.src); at = nextLine(m.src, at) {
		line := bytes.TrimSpace(lineAt(m.src, at))
		switch {
		case len(line) > 0 && line[0] == '#':
			hash = nil
			if directiveAt(m.src, at) == "if" {
				hash = line
			}
		case !bytes.Contains(hash, []byte("__cplusplus")):
		case bytes.HasPrefix(line, []byte("extern \"C")) && line[len(line)-1] == '{':
			open = append(open, Span{at, nextLine(m.src, at)})
		case bytes.Equal(line, []byte("extern \"C\"")) && bytes.HasPrefix(m.src[nextLine(m.src, at):], []byte("{")):
			open = append(open, Span{at, nextLine(m.src, at) + 1})
		case len(open) > 0 && len(line) > 0 && line[0] == '}' && (len(line) == 1 || bytes.HasPrefix(bytes.TrimSpace(line[1:]), []byte("/"))):
			end := at + bytes.IndexByte(m.src[at:], '}') + 1
			m.blank(open[0].Start, open[0].End)
			m.blank(at, end)
			open = open[1:]
		}
	}
}

// cUnit is a part of a declaration: a token, or a name with its scope and parameters.
type cUnit struct {
	Span
	kind        byte   // as of tokens
	word        string // of a word: its last part
	first, last bool
}

// headWords are those that the grammars know in front of a declaration, beside its name, or behind its parameters.
var headWords = sync.OnceValue(func() map[string]bool {
	return wordSet(`const volatile restrict __restrict__ _Atomic _Noreturn noreturn static extern register inline __inline __inline__ __forceinline
		thread_local __thread _Thread_local constexpr consteval constinit explicit virtual friend typedef using template typename namespace
		mutable operator requires concept class struct union enum alignas _Alignas __extension__ noexcept override final throw try asm
		__asm__ __asm __attribute__ __attribute __declspec decltype typeof __typeof__ public private protected export static_assert
		_Static_assert new delete default goto return if else for while do switch case sizeof`)
})

// typeWords are words that are a type, or a part of one.
var typeWords = sync.OnceValue(func() map[string]bool {
	return wordSet("void char short int long float double signed unsigned __signed__ __signed bool _Bool auto wchar_t char8_t char16_t char32_t")
})

func wordSet(list string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(list) {
		set[w] = true
	}
	return set
}

func (u *cUnit) is(words ...string) bool { return u.kind == 'w' && slices.Contains(words, u.word) }

// id reports a word that may be a type, a name or a macro.
func (u *cUnit) id() bool { return u.kind == 'w' && !headWords()[u.word] && !typeWords()[u.word] }

// macroish reports whether a word is written as macros are.
func macroish(word string) bool {
	for _, begin := range []string{"__", "PyAPI_", "Py_DEPRECATED", "Py_GCC_", "_Py_NO_", "PyMODINIT_", "DECLARE_", "DEFINE_"} {
		if strings.HasPrefix(word, begin) {
			return true
		}
	}
	for _, end := range []string{"_EXPORT", "_API", "_DLL", "_INLINE", "_NOEXCEPT", "_DEPRECATED", "_HEAD"} {
		if strings.HasSuffix(word, end) {
			return true
		}
	}
	return len(word) > 1 && strings.ToUpper(word) == word && strings.ToLower(word) != word && !strings.Contains(word, "::")
}

// stands reports whether a macro on a line of its own is a statement, and not a part of the declaration below.
func stands(word string) bool {
	if strings.HasPrefix(word, "Q_") {
		return true
	}
	for _, part := range strings.Split(word, "_") {
		if slices.Contains([]string{"DEFINE", "DECLARE", "IMPLEMENT", "REGISTER", "PROPERTY", "MODULE", "HEAD", "BEGIN", "END", "START", "STOP", "OPEN", "CLOSE", "PUSH", "POP", "ENTER", "LEAVE", "DECLS", "HEADER", "NAMESPACE", "MSC", "OBJECT", "DISABLE", "ENABLE", "RESTORE", "GUARD"}, part) {
			return true
		}
	}
	return false
}

// describes reports whether a macro with arguments says something of a declaration, as attributes do.
func describes(word string) bool {
	if strings.HasPrefix(word, "__") {
		return true
	}
	for _, part := range []string{"DEPREC", "AVAIL", "ATTR", "NULL", "PRINTF", "API", "EXPORT", "EXTERN", "INLINE", "VISIB", "NODISCARD", "WARN", "ALIGN", "SECTION", "NOEXCEPT", "CONSTEXPR", "REQUIRES", "EXPLICIT", "FUNC", "ALLOC", "UNUSED", "RETURN", "TEMPLATE"} {
		if strings.Contains(word, part) {
			return true
		}
	}
	return false
}

// onlyMacros reports whether tokens are macros on lines of their own, and nothing else.
func onlyMacros(src []byte, tokens []cToken) bool {
	for i := range tokens {
		t := &tokens[i]
		switch {
		case t.kind == 'w' && t.first && macroish(t.text(src)):
		case t.kind == '(' && i > 0 && tokens[i-1].kind == 'w':
		default:
			return false
		}
	}
	return len(tokens) > 0
}

// read looks for the macros of a declaration.
func (m *cMacros) read(h *cHead) {
	for _, t := range h.tokens {
		if t.kind == '(' {
			m.branches(t.Span)
		}
	}
	u, ok := m.units(h.tokens)
	if !ok || len(u) == 0 {
		return
	}
	if h.end == ':' {
		m.label(u)
		for len(u) > 0 && u[len(u)-1].kind == 'w' && (headWords()[u[len(u)-1].word] || u[len(u)-1].is("slots", "signals", "Q_SLOTS", "Q_SIGNALS")) {
			u = u[:len(u)-1]
		}
	}
	u, unsure := m.lines(u, h.end)
	if len(u) == 0 {
		return
	}
	if !h.tail {
		if h.end == '{' {
			m.braces[h.brace] = len(m.heads)
		}
		m.heads = append(m.heads, cDecl{Span: Span{u[0].Start, h.at}, end: h.end, unsure: unsure})
	}
	m.declaration(u, h)
}

// branches leaves of an #if in brackets, which the grammar does not take there, the first branch.
func (m *cMacros) branches(s Span) {
	depth, other := 0, 0 // other is the depth at which a branch is left out
	for at := nextLine(m.src, s.Start); at < s.End; at = nextLine(m.src, at) {
		word := directiveAt(m.src, at)
		switch word {
		case "if":
			depth++
		case "el":
			if other == 0 {
				other = depth
			}
		case "en":
			if other == depth {
				other = 0
			}
			depth--
		}
		if word != "" || other > 0 {
			m.blank(at, min(at+len(lineAt(m.src, at)), s.End))
		}
	}
}

// shut takes down where the body of a declaration ends.
func (m *cMacros) shut(brace, at int) {
	if i, ok := m.braces[brace]; ok {
		m.heads[i].close = at
	}
}

// units joins tokens to the parts of a declaration. ok is false where brackets of a template are not closed.
func (m *cMacros) units(tokens []cToken) (u []cUnit, ok bool) {
	for i := 0; i < len(tokens); i++ {
		t := &tokens[i]
		x := cUnit{t.Span, t.kind, "", t.first, t.last}
		if t.kind == 'w' || t.kind == 's' || t.kind == '~' {
			last, word := m.name(tokens, i)
			if last < 0 {
				return nil, false
			}
			x.kind, x.word, x.End, x.last = 'w', word, tokens[last].End, tokens[last].last
			i = last
		}
		u = append(u, x)
	}
	return u, true
}

// name gives the last token of the name that begins with one, and its last word: with its scope, parameters of templates and
// what makes an operator of it. last is -1 where brackets are not closed.
func (m *cMacros) name(tokens []cToken, at int) (last int, word string) {
	last, word = at, tokens[at].text(m.src)
	for next := at + 1; next < len(tokens); next = last + 1 {
		kind, before := tokens[next].kind, tokens[last].kind
		switch {
		case word == "operator":
			for last+1 < len(tokens) && (tokens[last+1].kind != '(' || tokens[last].text(m.src) == word && last+2 < len(tokens) && tokens[last+2].kind == '(') {
				last++
			}
			return last, "operator()"
		case kind == '<' && m.cpp && before == 'w':
			if last = m.angles(tokens, next); last < 0 {
				return -1, ""
			}
		case kind == 's':
			last = next
		case (before == 's' || before == '~') && (kind == 'w' || kind == '~'):
			if last = next; kind == 'w' {
				word = tokens[next].text(m.src)
			}
		default:
			return last, word
		}
	}
	return last, word
}

// angles gives the token that closes the brackets of a template; -1 when none does.
func (m *cMacros) angles(tokens []cToken, i int) int {
	depth := 0
	for ; i < len(tokens); i++ {
		switch m.src[tokens[i].Start] {
		case '<':
			depth++
		case '>':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// label blanks out what the grammar does not take for a label of a class.
func (m *cMacros) label(u []cUnit) {
	last := u[len(u)-1]
	colon := last.End + bytes.IndexByte(m.src[last.End:], ':')
	switch {
	case last.is("signals", "Q_SIGNALS"):
		m.blank(last.Start, colon+1)
	case last.is("slots", "Q_SLOTS"):
		m.blank(last.Start, last.End)
	}
}

// lines blanks out the macros on lines of their own in front of a declaration, and gives what is left of it. Those right above
// it stay its part; whether that is right is unsure of one with arguments that are not known for that.
func (m *cMacros) lines(u []cUnit, end byte) (rest []cUnit, unsure bool) {
	for i := 0; i < len(u); {
		next := i + 1
		if next < len(u) && u[next].kind == '(' {
			next++
		}
		if !u[i].id() || !u[i].first || !u[next-1].last || !macroish(u[i].word) || next == len(u) && (end == ';' || end == '{') {
			break
		}
		if next < len(u) && (u[next].kind == '*' || u[next].kind == '&') { // it is the type
			break
		}
		own := next == len(u) || stands(u[i].word) || bytes.Count(m.src[u[next-1].End:u[next].Start], []byte("\n")) > 1
		if !own && next+1 < len(u) && u[next].kind == 'w' && u[next+1].kind == '(' && !m.typeless(&u[next]) && (next+2 == len(u) || u[next+2].kind != ':' && !m.declares(u[next+2:])) { // it is the type
			break
		}
		m.blank(u[i].Start, u[next-1].End)
		unsure = !own && (unsure || u[next-1].kind == '(' && !describes(u[i].word))
		if i = next; own {
			u, i = u[next:], 0
		}
	}
	return u, unsure
}

// declares reports whether a name with parameters stands among units.
func (m *cMacros) declares(u []cUnit) bool {
	for i := range u {
		if i > 0 && u[i].kind == '(' && u[i-1].id() {
			return true
		}
	}
	return false
}

func (m *cMacros) blank(from, to int) {
	for i := from; i < to; i++ {
		if c := m.text[i]; c != '\n' && c != '\r' && c != ' ' && c != '\t' {
			m.text[i] = ' '
		}
	}
}

// macro blanks out a unit that can only be a macro, with its arguments.
func (m *cMacros) macro(u []cUnit, i int) {
	if !m.all && !macroish(u[i].word) {
		return
	}
	end := u[i].End
	if i+1 < len(u) && u[i+1].kind == '(' {
		end = u[i+1].End
	}
	m.blank(u[i].Start, end)
}
