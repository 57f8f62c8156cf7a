package syntax

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// def is a definition as a parser sees it, before it has its place among the others.
type def struct {
	kind   Kind
	name   string
	scope  string // what the name itself says it belongs to: a receiver, Foo:: in front
	nameAt int
	sigAt  int // where its signature begins
	start  int // of its text: sigAt, or further up with what wraps it
	end    int
	body   int // where its body begins; -1 when that is not known
	rank   int // of two definitions with one name, the lower one counts
	sig    string
	supers []string

	whole    bool // its line is where it begins: the name stands at its end
	exported bool // the file says so elsewhere
	hidden   bool // the file says elsewhere what is exported, and it is not
	part     bool // see Symbol
	behind   bool // see Symbol

	owner string // of Python: what the name is given to as its field, see owned; of Passed: what the name is here
	loose bool   // of Python: a statement binds it that does more than that
}

// containers are kinds whose functions are methods.
var containers = map[Kind]bool{Class: true, Struct: true, Interface: true, Trait: true, Impl: true, Enum: true}

// lineIndex finds lines by offset.
type lineIndex []int

func newLineIndex(src []byte) lineIndex {
	ends := make(lineIndex, 0, len(src)/32)
	for at := 0; ; {
		i := bytes.IndexByte(src[at:], '\n')
		if i < 0 {
			return ends
		}
		at += i + 1
		ends = append(ends, at)
	}
}

// line gives the 1-based line of an offset.
func (x lineIndex) line(at int) int {
	i, found := slices.BinarySearch(x, at)
	if found {
		i++
	}
	return i + 1
}

// lastLine gives the line of the last byte before an end.
func (x lineIndex) lastLine(start, end int) int {
	if end > start {
		end--
	}
	return x.line(end)
}

// count is how many lines there are; a last one without an ending counts.
func (x lineIndex) count(src []byte) int {
	n := len(x)
	if len(src) > 0 && src[len(src)-1] != '\n' {
		n++
	}
	return n
}

// build makes the symbols of a file from its definitions.
func build(f *File, lang *Language, src []byte, lines lineIndex, defs []def) {
	slices.SortFunc(defs, func(a, b def) int {
		return cmp.Or(cmp.Compare(a.sigAt, b.sigAt), cmp.Compare(b.end, a.end), cmp.Compare(a.nameAt, b.nameAt), cmp.Compare(a.rank, b.rank))
	})
	defs = dedupe(defs)
	if lang.ID == "python" {
		defs = owned(src, defs)
	}
	var arena strings.Builder // one string holds all texts of the file, and nothing of its source
	type place struct{ from, to int }
	put := func(s string) place {
		from := arena.Len()
		arena.WriteString(s)
		return place{from, arena.Len()}
	}
	syms := make([]Symbol, 0, len(defs))
	texts := make([][3]place, 0, len(defs))
	var open []int
	var paths []string // of syms, while they are made
	var sigs []int     // where the text of syms begins, without what wraps it
	exportedBy := lang.exported
	for i := range defs {
		d := &defs[i]
		if d.kind == Passed {
			continue
		}
		for len(open) > 0 {
			// Names that share one declaration stand beside each other.
			top := open[len(open)-1]
			if syms[top].End > d.sigAt && (sigs[top] != d.sigAt || syms[top].End != d.end) {
				break
			}
			open = open[:len(open)-1]
		}
		parent, depth := -1, 0
		around := open
		if n := len(open); n > 0 && ofTheScope(lang, d, &syms[open[n-1]]) {
			around = open[:n-1]
		}
		if n := len(around); n > 0 {
			parent = around[n-1]
			depth = syms[parent].Depth + 1
		}
		inFunction := false
		for p := parent; p >= 0; p = syms[p].Parent {
			if syms[p].Kind == Function || syms[p].Kind == Method {
				inFunction = true
				break
			}
		}
		if d.owner != "" { // it stands in a method of its class
			inFunction = false
			for parent >= 0 && syms[parent].Kind != Class {
				parent = syms[parent].Parent
			}
			if parent >= 0 {
				depth = syms[parent].Depth + 1
			}
		}
		kind := d.kind
		if lang.ID == "go" && d.name == "_" {
			continue
		}
		switch {
		case kind == prototype && inFunction, kind == Variable && inFunction:
			continue
		case lang.ID == "go" && parent >= 0 && (kind == Field || kind == Method && d.scope == "") && (syms[parent].Kind == Function || syms[parent].Kind == Method || syms[parent].Kind == Variable):
			continue // of a type without a name
		case kind == prototype:
			kind = Function
		case kind == Module && lang.ID == "php" && f.Package == "":
			f.Package = d.name
		}
		direct := parent >= 0 && containers[syms[parent].Kind]
		if kind == Function && (direct || d.scope != "" && lang.ID != "lua") {
			kind = Method
		}
		if kind == Variable && direct {
			kind = Field
		}
		if kind == Variable && lang.ID == "python" && d.name == strings.ToUpper(d.name) && strings.ToLower(d.name) != d.name {
			kind = Constant
		}
		if len(open) >= maxDepth {
			f.Left = cmp.Or(f.Left, fmt.Sprintf("symbols that stand in more than %d others are left out", maxDepth))
			continue
		}
		full := d.name
		if d.scope != "" {
			full = d.scope + "." + full
		}
		if parent >= 0 && syms[parent].Kind != Module || parent >= 0 && lang.ID != "php" {
			full = paths[parent] + "." + full
		}
		if len(full) > maxPath {
			full = d.name
		}
		sig := d.sig
		if sig == "" {
			sig = signature(src, lang, d)
		}
		exp := exportedBy == nil || exportedBy(d.name, sig)
		if parent >= 0 && (kind == Member || kind == Field && lang.ID != "go" && lang.ID != "rust" || direct && (lang.ID == "typescript" || lang.ID == "javascript" || lang.ID == "typescriptreact")) {
			exp = syms[parent].Exported && !says(sig, []string{"private", "protected"}) && !strings.HasPrefix(d.name, "#") && !strings.HasPrefix(d.name, "_")
		}
		if kind == Module && (lang.ID == "csharp" || lang.ID == "java") {
			exp = true // a namespace is open to all
		}
		switch {
		case parent < 0:
			exp = (exp || d.exported) && !d.hidden
		case inFunction:
			exp = false
		case syms[parent].Kind == Interface && (lang.ID == "java" || lang.ID == "csharp"), syms[parent].Kind == Trait && lang.ID == "rust",
			syms[parent].Kind == Variable && kind == Method:
			exp = syms[parent].Exported
		}
		if parent >= 0 && !syms[parent].Exported && syms[parent].Kind != Impl {
			exp = false
		}
		line := d.nameAt
		if d.whole {
			line = d.sigAt
		}
		s := Symbol{
			Kind: kind, Parent: parent, Depth: depth, Line: lines.line(line), EndLine: lines.lastLine(d.start, d.end),
			NameStart: d.nameAt, Start: d.start, End: d.end, Exported: exp, Part: d.part, Behind: d.behind, ByMethod: d.owner != "",
		}
		for _, super := range d.supers {
			s.Supers = append(s.Supers, strings.Clone(super))
		}
		name := put(full)
		texts = append(texts, [3]place{{name.to - len(d.name), name.to}, name, put(sig)})
		paths = append(paths, full)
		sigs = append(sigs, d.sigAt)
		syms = append(syms, s)
		if lang.ID != "python" || kind == Class || kind == Function || kind == Method { // values of Python hold no symbols
			open = append(open, len(syms)-1)
		}
	}
	all := arena.String()
	for i := range syms {
		t := texts[i]
		syms[i].Name, syms[i].Path, syms[i].Signature = all[t[0].from:t[0].to], all[t[1].from:t[1].to], all[t[2].from:t[2].to]
		syms[i].letters = lettersOf(syms[i].Name)
	}
	f.Symbols = syms
	f.pass(defs, lines)
	if lang.ID != "html" { // elements are found by what stands in them too
		f.grams = gramsOf(syms)
	}
	f.Lines = lines.count(src)
}

// ofTheScope reports whether a definition in the declaration of another name belongs to what is around both: the type of C that
// stands in front of a variable, or of an enum without a name its members; the second constant that Ruby gives one value.
func ofTheScope(lang *Language, d *def, around *Symbol) bool {
	switch lang.ID {
	case "ruby":
		return d.kind == Constant && around.Kind == Constant && d.end == around.End && d.nameAt != around.NameStart
	case "c", "cpp":
	default:
		return false
	}
	if around.Kind != Variable && around.Kind != Field || d.end > around.NameStart {
		return false
	}
	return d.kind == Member || d.kind == Struct || d.kind == Class || d.kind == Enum
}

// dedupe keeps one definition for each name in a place.
func dedupe(defs []def) []def {
	best := make(map[int]int, len(defs)) // offset of the name → index in keep
	keep := defs[:0]
	for _, d := range defs {
		if at, ok := best[d.nameAt]; ok {
			if old := &keep[at]; d.rank < old.rank {
				d.supers = append(old.supers, d.supers...)
				if d.sigAt < old.sigAt || d.end > old.end { // keep the order: never grow
					d.sigAt, d.end = old.sigAt, old.end
				}
				*old = d
			}
			continue
		}
		best[d.nameAt] = len(keep)
		keep = append(keep, d)
	}
	return keep
}

const maxSignature = 200

// signature gives the text of a definition up to its body, on one line.
func signature(src []byte, lang *Language, d *def) string {
	end := d.end
	if d.body > d.sigAt {
		end = d.body
	}
	from := min(SkipAttributes(lang, src[:end], d.sigAt), end) // they would hide what is declared
	text := src[from:min(end, from+4*maxSignature)]
	var b strings.Builder
	depth, space := 0, false
	var quote byte
scan:
	for i := 0; i < len(text) && b.Len() < maxSignature; i++ {
		c := text[i]
		if quote != 0 {
			if c == '\n' {
				break
			}
			b.WriteByte(c)
			if c == '\\' && quote != '`' && i+1 < len(text) && text[i+1] != '\n' {
				i++
				b.WriteByte(text[i])
			} else if c == quote {
				quote = 0
			}
			continue
		}
		if comment(text[i:], lang) {
			if j := bytes.IndexByte(text[i:], '\n'); j >= 0 {
				i += j - 1
				continue
			}
			break
		}
		if c == '/' && strings.Contains(lang.ID, "script") && lang.dollar && regexMayBegin(text[:i]) {
			end := quoted(text, i, true)
			if space {
				b.WriteByte(' ')
				space = false
			}
			b.Write(text[i:end])
			i = end - 1
			continue
		}
		if c == '>' && lang.ID == "html" {
			b.WriteByte(c)
			break
		}
		switch c {
		case '\n':
			if depth == 0 && d.body < 0 && b.Len() > 0 && !headOverLines(lang, d.kind) {
				break scan
			}
			if headOverLines(lang, d.kind) { // lines of the preprocessor are no part of it
				for line := bytes.TrimLeft(text[i+1:], " \t"); len(line) > 0 && line[0] == '#'; line = bytes.TrimLeft(text[i+1:], " \t") {
					i = nextLine(text, i+1) - 1
				}
			}
			space = true
			continue
		case ' ', '\t', '\r':
			space = true
			continue
		case '(', '[':
			depth++
		case ')', ']', '}':
			depth--
		case '{':
			if depth == 0 && d.body < 0 && b.Len() > 0 && !unpacks(b.String()) && (i == 0 || text[i-1] != '$') { // ${ of a shell
				break scan
			}
			depth++
		case '"', '`':
			quote = c
		case '\'':
			if apostrophes[lang.ID] {
				quote = c
			}
		}
		if space && b.Len() > 0 && b.String()[b.Len()-1] != '(' {
			b.WriteByte(' ')
		}
		space = false
		b.WriteByte(c)
	}
	s := strings.TrimRight(strings.TrimSpace(b.String()), "{:=;, ")
	s = strings.TrimSpace(strings.TrimSuffix(s, "=>"))
	if lang.ID == "lua" {
		s = strings.TrimSuffix(s, " end")
	}
	for !utf8.ValidString(s) && s != "" {
		if r, n := utf8.DecodeLastRuneInString(s); r == utf8.RuneError && n == 1 {
			s = s[:len(s)-1]
			continue
		}
		return strings.ToValidUTF8(s, "\ufffd")
	}
	return s
}

// apostrophes are the languages in which ' begins a string and nothing else: no character, no lifetime, no part of a number.
var apostrophes = map[string]bool{"python": true, "javascript": true, "typescript": true, "typescriptreact": true, "php": true, "ruby": true, "shellscript": true, "lua": true}

// headOverLines reports whether a declaration without a body is one whatever lines it stands on: it ends with its mark.
func headOverLines(lang *Language, kind Kind) bool {
	return (lang.ID == "c" || lang.ID == "cpp") && kind != Macro && kind != Constant
}

// unpacks reports whether a text is the head of a declaration whose names stand in braces: const { a, b } = c.
func unpacks(head string) bool {
	word := head[strings.LastIndexByte(head, ' ')+1:]
	return word == "const" || word == "let" || word == "var"
}

// comment reports whether a comment to the end of the line begins here.
func comment(text []byte, lang *Language) bool {
	for _, mark := range lang.Line {
		if bytes.HasPrefix(text, []byte(mark)) {
			return !bytes.HasPrefix(text, []byte("#[")) // an attribute of PHP
		}
	}
	return false
}
