//go:build cgo

package syntax

import (
	"bytes"
	"context"
	"slices"
	"strings"
)

const (
	maxAround = 4    // containers in containers whose members are read one by one
	maxHead   = 20   // lines of a head
	longHead  = 4096 // bytes of the head of a container: it is read again with each member
)

// rereader reads the declarations of a broken source, each for itself.
type rereader struct {
	ctx     context.Context
	lang    *Language
	src     []byte
	text    []literal // that goes over lines
	members int       // that may still be read
}

// piece reads one declaration, with the braces that it lacks at its end. around are the heads of what it stands in.
func (r *rereader) piece(around []string, p Span) ([]def, error) {
	p.End = r.trim(p)
	if cLike(r.lang) {
		p.End = r.withoutStray(p)
	}
	defs, sound, err := r.read(around, p, "")
	if err != nil || sound {
		return defs, err
	}
	if inner, err := r.container(around, p); err != nil || inner != nil {
		return inner, err
	}
	var closers []string
	if r.lang.ID == "go" { // of a group
		closers = append(closers, "\n)\n")
	}
	for closes := 1; closes <= maxCloses && r.lang.ID != "python"; closes++ {
		closers = append(closers, "\n"+strings.Repeat(r.closer()+"\n", closes))
	}
	for _, closer := range closers {
		if more, sound, err := r.read(around, p, closer); err != nil || sound {
			return more, err
		}
	}
	return r.seen(around, p, defs)
}

// withoutStray gives the end of a piece without the braces behind it that close what it stands in.
func (r *rereader) withoutStray(p Span) int {
	end := p.End
	for {
		last := p.Start + bytes.LastIndexByte(r.src[p.Start:end], '\n') + 1
		if last <= p.Start || r.src[last] != '}' || !Balanced(r.lang, r.src[p.Start:last]) {
			return end
		}
		end = r.trim(Span{p.Start, last})
	}
}

// closer is what ends a body that may be one of any declaration.
func (r *rereader) closer() string {
	switch r.lang.ID {
	case "c", "cpp":
		return "};"
	case "ruby":
		return "end"
	}
	return "}"
}

// seen gives what can be seen of a piece that does not parse, whatever braces are put behind it: its own head at least,
// and of the definitions that were found in it those that are likely.
func (r *rereader) seen(around []string, p Span, defs []def) ([]def, error) {
	head := r.head(p)
	if !slices.ContainsFunc(defs, func(d def) bool { return d.nameAt < head.End }) {
		own, sound, err := r.readHead(around, head)
		if err != nil {
			return nil, err
		}
		if !sound || len(own) == 0 {
			if own, sound, err = r.firstBrace(around, head); err != nil {
				return nil, err
			}
		}
		if sound && len(own) > 0 {
			defs = append(own[:1], defs...)
		}
	}
	own := -1
	for i := range defs {
		if defs[i].nameAt < head.End && (own < 0 || defs[i].nameAt < defs[own].nameAt) {
			own = i
		}
	}
	if own >= 0 {
		defs[own].end = max(defs[own].end, r.extent(Span{head.End, p.End}, indentation(r.src[p.Start:])))
	}
	defs = slices.DeleteFunc(defs, func(d def) bool {
		stray := len(around) > 0 && d.nameAt >= head.End && slices.Contains([]Kind{Method, Field, Variable, Constant}, d.kind) || // statements of a member
			r.lang.ID == "python" && d.kind == Field && !assigns(bytes.TrimSpace(r.src[head.Start:head.End]))
		return stray || reserved(r.lang, d.name) || r.inText(d.nameAt)
	})
	for i := range defs {
		r.boundHead(&defs[i])
	}
	return defs, nil
}

// firstBrace reads a head whose body begins in the same line and does not parse.
func (r *rereader) firstBrace(around []string, head Span) ([]def, bool, error) {
	i := bytes.IndexByte(r.src[head.Start:head.End], '{')
	if i < 0 || r.lang.ID == "python" || r.lang.ID == "ruby" {
		return nil, false, nil
	}
	defs, sound, err := r.readHead(around, Span{head.Start, head.Start + i + 1})
	for j := range defs {
		defs[j].end = head.Start + len(bytes.TrimRight(r.src[head.Start:head.End], " \t\r\n"))
	}
	return defs, sound, err
}

// read gives the definitions of a part of the source with a text behind it, and whether the two parse.
func (r *rereader) read(around []string, p Span, closer string) ([]def, bool, error) {
	outer := strings.Join(around, "")
	whole := append([]byte(outer), r.src[p.Start:p.End]...)
	whole = append(append(whole, closer...), '\n')
	if r.lang.ID != "python" {
		whole = append(whole, strings.Repeat(r.closer()+"\n", len(around))...)
	}
	t, err := parseTree(r.ctx, r.lang, whole)
	if err != nil {
		return nil, false, err
	}
	defer t.close()
	root := t.RootNode()
	defs, err := t.definitions(r.ctx, root, whole)
	shift := p.Start - len(outer)
	keep := defs[:0]
	for _, d := range defs {
		d.nameAt, d.sigAt, d.start, d.end = d.nameAt+shift, d.sigAt+shift, d.start+shift, min(d.end+shift, p.End)
		if d.body >= 0 {
			d.body += shift
		}
		if d.nameAt >= p.Start && d.nameAt < p.End && d.start >= p.Start {
			keep = append(keep, d)
		}
	}
	return keep, !root.HasError(), err
}

// trim gives the end of a piece without the empty lines, comments and attributes behind it: they belong to what follows.
func (r *rereader) trim(p Span) int {
	end, outer := p.End, indentation(r.src[p.Start:p.End])
	for {
		end = p.Start + len(bytes.TrimRight(r.src[p.Start:end], " \t\r\n"))
		start := p.Start + bytes.LastIndexByte(r.src[p.Start:end], '\n') + 1
		if r.inText(start) && end > start {
			i := slices.IndexFunc(r.text, func(l literal) bool { return l.End == end })
			if i < 0 || r.text[i].place != InComment {
				return end
			}
			start = r.text[i].Start
			own := p.Start + bytes.LastIndexByte(r.src[p.Start:max(start, p.Start)], '\n') + 1
			if len(bytes.TrimSpace(r.src[own:max(start, own)])) > 0 {
				return end
			}
			start = own
		} else if line := bytes.TrimLeft(r.src[start:end], " \t"); !comment(line, r.lang) && !isAttribute(r.lang, line) {
			return end
		}
		if indentation(r.src[start:end]) > outer { // it is the last of the body
			return end
		}
		if start <= p.Start {
			return end
		}
		end = start
	}
}

// head is the part of a piece up to its body: the first line that ends with what opens one, or its first line.
func (r *rereader) head(p Span) Span {
	first := 0
	for at, n := p.Start, 0; at < p.End && n < maxHead; n++ {
		line := lineAt(r.src[:p.End], at)
		at += len(line)
		code := bytes.TrimSpace(line)
		if first == 0 && !isAttribute(r.lang, code) {
			first = at
		}
		if first == 0 || len(code) == 0 {
			continue
		}
		if opens := code[len(code)-1]; r.lang.ID == "python" && opens == ':' || r.lang.ID != "python" && opens == '{' {
			return Span{p.Start, at}
		}
	}
	return Span{p.Start, max(first, p.Start)}
}

// readHead reads a head as if its body were empty.
func (r *rereader) readHead(around []string, head Span) ([]def, bool, error) {
	head.End = head.Start + len(bytes.TrimRight(r.src[head.Start:head.End], " \t\r\n"))
	if r.lang.ID == "python" {
		return r.read(around, head, " pass")
	}
	return r.read(around, head, "\n"+r.closer())
}

// container reads a declaration that holds others: its head, and its members one by one where they stand below each
// other. It gives nil where that is not to be seen.
func (r *rereader) container(around []string, p Span) ([]def, error) {
	head := r.head(p)
	if len(around) >= maxAround || head.End >= p.End || head.End-head.Start > longHead || !slices.ContainsFunc(containerWords, func(w string) bool { return bytes.Contains(r.src[head.Start:head.End], []byte(w)) }) {
		return nil, nil
	}
	defs, sound, err := r.readHead(around, head)
	object := bytes.HasSuffix(bytes.TrimSpace(r.src[head.Start:head.End]), []byte("= {"))
	own := slices.IndexFunc(defs, func(d def) bool {
		return containers[d.kind] || d.kind == Module || object && d.kind == Variable
	})
	if err != nil || !sound || own < 0 {
		return nil, err
	}
	members, end := r.below(Span{head.End, p.End}, indentation(r.src[p.Start:]))
	if len(members) == 0 || len(members) > r.members {
		return nil, nil
	}
	r.members -= len(members)
	defs[own].end = end
	inside := append(slices.Clip(around), string(r.src[head.Start:head.End]))
	for _, m := range members {
		more, err := r.piece(inside, m)
		if err != nil {
			return nil, err
		}
		defs = append(defs, more...)
	}
	return defs, nil
}

var containerWords = []string{"class", "interface", "struct", "enum", "trait", "impl", "mod", "namespace", "record", "object", "= {"}

// below gives the members in the body of a container that is indented by outer, and where the body ends. A member
// begins with a line that is indented as the first one is.
func (r *rereader) below(body Span, outer int) (members []Span, end int) {
	level, attribute := -1, -1
	end = body.Start
	for at := body.Start; at < body.End; {
		line := lineAt(r.src[:body.End], at)
		start, code := at, bytes.TrimSpace(line)
		at += len(line)
		if len(code) == 0 || conflictMark(code) || accessLabel(r.lang, code) || comment(code, r.lang) && !isAttribute(r.lang, code) || bytes.HasPrefix(code, []byte("/*")) {
			continue
		}
		if r.inText(start) {
			end = start + len(bytes.TrimRight(line, " \t\r\n"))
			continue
		}
		in := indentation(line)
		if in <= outer {
			if code[0] == '}' || r.lang.ID == "ruby" && string(code) == "end" {
				if n := len(members); n > 0 {
					members[n-1].End = start
				}
				return members, start + in + len(strings.TrimRight(r.closer(), ";"))
			}
			continue
		}
		end = start + len(bytes.TrimRight(line, " \t\r\n"))
		if level < 0 {
			level = in
		}
		switch {
		case in != level || !beginsMember(r.lang, code):
		case isAttribute(r.lang, code):
			if attribute < 0 {
				attribute = start
			}
		default:
			if attribute >= 0 {
				start = attribute
			}
			if n := len(members); n > 0 {
				members[n-1].End = start
			}
			members, attribute = append(members, Span{start, body.End}), -1
		}
	}
	if n := len(members); n > 0 {
		members[n-1].End = end
	}
	return members, end
}

// extent gives the end of a body that does not parse, as its layout shows it: of what is indented further than outer, with
// the brace below that.
func (r *rereader) extent(body Span, outer int) int {
	end := body.Start
	for at := body.Start; at < body.End; {
		line := lineAt(r.src[:body.End], at)
		start, code := at, bytes.TrimRight(line, " \t\r\n")
		at += len(line)
		in := indentation(line)
		switch {
		case len(code) == 0, conflictMark(code) && !r.inText(start), cLike(r.lang) && (code[in] == '#' || code[len(code)-1] == ':'):
			continue
		case in <= outer && code[in] == '}' && !r.inText(start):
			return start + in + 1
		case in <= outer && r.lang.ID == "ruby" && string(code[in:]) == "end":
			return start + in + len("end")
		case in <= outer && code[in] != ')' && code[in] != ']' && !r.inText(start):
			return end
		}
		end = start + len(code)
	}
	return end
}

func indentation(line []byte) int { return len(line) - len(bytes.TrimLeft(line, " \t")) }

func conflictMark(line []byte) bool {
	return bytes.HasPrefix(line, []byte("<<<<<<<")) || bytes.HasPrefix(line, []byte(">>>>>>>")) || bytes.HasPrefix(line, []byte("=======")) || bytes.HasPrefix(line, []byte("|||||||"))
}

// beginsMember reports whether a line may begin a member: it is no end of one, no statement, no call.
func beginsMember(lang *Language, line []byte) bool {
	if bytes.IndexByte([]byte(")]},.?:;&|+-/%=<>!{("), line[0]) >= 0 {
		return false
	}
	if lang.ID == "python" {
		return !slices.ContainsFunc([]string{"else", "elif", "except", "finally"}, func(w string) bool { return beginsWith(line, w) })
	}
	if lang.ID == "ruby" && slices.Contains(rubyInner, firstWord(line)) {
		return false
	}
	word := 0
	for word < len(line) && (line[word] == '.' || wordRune(rune(line[word]))) {
		word++
	}
	if reserved(lang, string(line[:word])) && !(line[min(word, len(line)-1)] == '(' && line[len(line)-1] == '{') {
		return (lang.ID == "rust" || strings.HasSuffix(lang.ID, "script")) && slices.Contains([]string{"fn", "const", "type", "function"}, string(line[:word]))
	}
	rest := bytes.TrimLeft(line[word:], " ")
	return !(bytes.HasPrefix(rest, []byte("(")) && line[len(line)-1] == ';')
}

// rubyInner are words that begin no member of a class of Ruby.
var rubyInner = []string{"end", "else", "elsif", "when", "rescue", "ensure", "in"}

// boundHead ends the head of a definition that does not parse with its first line, where that opens a body.
func (r *rereader) boundHead(d *def) {
	if d.kind != Function && d.kind != Method && d.kind != Class {
		return
	}
	line := bytes.TrimRight(lineAt(r.src[:d.end], d.nameAt), " \t\r\n")
	end := d.nameAt + len(line)
	switch {
	case r.lang.ID == "python":
		if i := colon(line); i >= 0 {
			end = d.nameAt + i
		}
	case bytes.HasSuffix(line, []byte("{")):
		end--
	default:
		return
	}
	if d.body < 0 || d.body > end {
		d.body = end
	}
}

// colon finds the first colon of a line outside brackets; -1 when there is none.
func colon(line []byte) int {
	depth := 0
	for i, c := range line {
		switch c {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			depth--
		case ':':
			if depth == 0 {
				return i
			}
		}
	}
	return -1
}
