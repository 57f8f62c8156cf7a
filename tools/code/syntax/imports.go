package syntax

import (
	"bytes"
	"regexp"
	"strings"
	"sync"
)

// Where the names come from that the heads of types have: a file may import them under other names.

// Origin is what an import says of a name.
type Origin struct {
	Name string // in the file that it comes from; "" for that file itself, or what it gives without a name
	From string // the module or package, as written
}

// Limits of what is looked at.
const (
	maxImports = 2000 // statements of a file
	maxImport  = 20000
)

// importStatement finds where an import may begin, by language.
var importStatement = map[string]func() *regexp.Regexp{
	"python":     lineBegin(`(?:from|import)\s`),
	"javascript": lineBegin(`(?:import\b|(?:const|let|var)\s[^=;\n]*(?:\n[^=;()]*)?=\s*require\()`),
	"rust":       lineBegin(`(?:pub(?:\([^)]*\))?\s+)?use\s`),
	"php":        lineBegin(`use\s`),
	"kotlin":     lineBegin(`import\s`),
	"java":       lineBegin(`import\s`),
	"csharp":     lineBegin(`(?:global\s+)?using\s+\w+\s*=`),
}

func lineBegin(pattern string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^[ \t]*` + pattern) })
}

// findOrigins notes where the names come from that the types of a file have above them.
func (f *File) findOrigins(lang *Language, src []byte) {
	id := lang.ID
	if hasPrivate(id) {
		id = "javascript"
	}
	wanted := map[string]bool{}
	for i := range f.Symbols {
		for _, super := range f.Symbols[i].Supers {
			wanted[FirstName(super)] = true
		}
	}
	if len(wanted) == 0 || importStatement[id] == nil {
		return
	}
	give := func(local string, o Origin) {
		if local = strings.TrimSpace(local); wanted[local] {
			if f.Origins == nil {
				f.Origins = map[string]Origin{}
			}
			f.Origins[strings.Clone(local)] = Origin{strings.Clone(strings.TrimSpace(o.Name)), strings.Clone(strings.TrimSpace(o.From))}
		}
	}
	for _, m := range importStatement[id]().FindAllIndex(src, maxImports) {
		text := src[m[0]:min(len(src), m[0]+maxImport)]
		switch id {
		case "python":
			pythonImport(oneLine(withoutMarks(statement(text), "#")), give)
		case "javascript":
			scriptImport(text, give)
		default:
			if end := bytes.IndexByte(text, ';'); end >= 0 && id != "kotlin" {
				text = text[:end]
			} else if end := bytes.IndexByte(text, '\n'); end >= 0 {
				text = text[:end]
			}
			line := oneLine(withoutMarks(text, "//"))
			switch id {
			case "csharp":
				local, of, _ := strings.Cut(line[strings.Index(line, "using")+5:], "=")
				give(local, origin(of, "."))
			case "rust":
				pathImports("", line[strings.Index(line, "use ")+4:], "::", 0, give)
			case "php":
				line = strings.TrimPrefix(line, "use ")
				if rest, ok := strings.CutPrefix(line, "function "); ok {
					line = rest
				}
				pathImports("", line, `\`, 0, give)
			default:
				pathImports("", strings.TrimPrefix(strings.TrimPrefix(line, "import "), "static "), ".", 0, give)
			}
		}
	}
}

// FirstName is the first part of a qualified name.
func FirstName(name string) string {
	if i := strings.IndexAny(name, `.:\`); i > 0 {
		return name[:i]
	}
	return name
}

// withoutMarks leaves out the comments up to the ends of lines.
func withoutMarks(text []byte, mark string) []byte {
	if !bytes.Contains(text, []byte(mark)) {
		return text
	}
	var out []byte
	for line := range bytes.Lines(text) {
		code, _, found := bytes.Cut(line, []byte(mark))
		if out = append(out, code...); found {
			out = append(out, '\n')
		}
	}
	return out
}

// origin splits a path into what it names and where that is.
func origin(path, sep string) Origin {
	path = strings.TrimSpace(path)
	if i := strings.LastIndex(path, sep); i >= 0 {
		return Origin{path[i+len(sep):], path[:i]}
	}
	return Origin{path, ""}
}

// pythonImport reads from m import a, b as c and import m.n as o.
func pythonImport(line string, give func(string, Origin)) {
	if rest, ok := strings.CutPrefix(line, "from "); ok {
		from, list, ok := strings.Cut(rest, " import")
		if !ok {
			return
		}
		for one := range strings.SplitSeq(strings.Trim(list, " ()"), ",") {
			name, alias, renamed := strings.Cut(strings.TrimSpace(one), " as ")
			if !renamed {
				alias = name
			}
			give(alias, Origin{name, from})
		}
		return
	}
	for one := range strings.SplitSeq(strings.TrimPrefix(line, "import "), ",") {
		name, alias, renamed := strings.Cut(strings.TrimSpace(one), " as ")
		if !renamed {
			alias = FirstName(name) // a.b.C says the rest itself
			name = alias
		}
		give(alias, Origin{"", name})
	}
}

var quotedModule = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:from|require\(|=)\s*['"]([^'"\n]+)['"]`) })

// scriptImport reads import D, { a as b } from 'm', import * as n from 'm' and const { a: b } = require('m').
func scriptImport(text []byte, give func(string, Origin)) {
	m := quotedModule().FindSubmatchIndex(text)
	if m == nil {
		return
	}
	from, head := string(text[m[2]:m[3]]), oneLine(withoutMarks(text[:m[0]], "//"))
	if strings.ContainsAny(head, ";()") { // it is of another statement
		return
	}
	before, list, _ := strings.Cut(head, "{")
	list, _, _ = strings.Cut(list, "}")
	for one := range strings.SplitSeq(list, ",") {
		one = strings.TrimPrefix(strings.TrimSpace(one), "type ")
		name, alias, renamed := strings.Cut(one, " as ")
		if !renamed {
			name, alias, renamed = strings.Cut(one, ":")
		}
		if !renamed {
			alias = name
		}
		if strings.TrimSpace(name) == "default" {
			name = ""
		}
		give(alias, Origin{name, from})
	}
	for _, word := range strings.FieldsFunc(before, func(r rune) bool { return r == ' ' || r == ',' || r == '=' || r == '*' }) {
		give(word, Origin{"", from}) // the words of the statement are no names of types
	}
}

// pathImports reads the paths of an import: a.b.C, a::{B as C, d::E}, with as for another name.
func pathImports(prefix, list, sep string, depth int, give func(string, Origin)) {
	if depth > 20 {
		return
	}
	level, from := 0, 0
	for i := 0; i <= len(list); i++ {
		if i < len(list) && list[i] == '{' {
			level++
		}
		if i < len(list) && list[i] == '}' {
			level--
		}
		if i < len(list) && (list[i] != ',' || level > 0) {
			continue
		}
		one := strings.TrimSpace(list[from:i])
		from = i + 1
		if head, inside, ok := strings.Cut(one, "{"); ok {
			pathImports(prefix+strings.TrimSpace(head), strings.TrimSuffix(strings.TrimSpace(inside), "}"), sep, depth+1, give)
			continue
		}
		path, alias, renamed := strings.Cut(one, " as ")
		o := origin(prefix+strings.TrimSpace(path), sep)
		if !renamed {
			alias = o.Name
		}
		give(alias, o)
	}
}
