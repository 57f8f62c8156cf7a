package settings

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

const (
	// MaxFile is the largest settings file read, in bytes.
	MaxFile  = 1 << 20
	maxDepth = 32 // of nested objects and lists
)

// Broken is a settings file, or another origin, that could not be used.
type Broken struct {
	Tier         Tier
	File         string // or the label of a variable or flag
	Line, Column int    // from 1; 0 when the fault has no place in the text
	Reason       string
}

func (b *Broken) Error() string {
	at := printable(b.File)
	if b.Line > 0 {
		at = fmt.Sprintf("%s:%d:%d", at, b.Line, b.Column)
	}
	return at + ": " + b.Reason
}

// document is a text with what is needed to understand it.
type document struct {
	tier     Tier
	file     string // its path; "" for an override
	label    string // of an override
	dir      string // its folder: hooks run there
	root     string // the project; "" in other tiers
	home     string // what ~ stands for
	lines    []int  // offsets of the line beginnings
	warnings []string
	unknown  int // unknown keys met
}

// node is a value in a document. Its methods give the value as a type, or a *Broken that says what was expected.
type node struct {
	doc   *document
	name  string // how messages call it: "sandbox.mode", "hooks[2].event"
	value hujson.Value
}

// parse reads a text into its top-level object. A text without any value counts as {}.
func (d *document) parse(text []byte) (node, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	d.lines = []int{0}
	for i, c := range text {
		if c == '\n' {
			d.lines = append(d.lines, i+1)
		}
	}
	if i := invalidUTF8(text); i >= 0 {
		return node{}, d.broken(i, "the text is not UTF-8")
	}
	if i := tooDeep(text); i >= 0 {
		return node{}, d.broken(i, fmt.Sprintf("more than %d levels of nesting", maxDepth))
	}
	// A comment on the last line needs its line end. The copy also keeps the parser's aliases from the caller's bytes.
	text = append(slices.Clone(text), '\n')
	value, err := hujson.Parse(text)
	if err != nil {
		if nothing, e := hujson.Parse(append(slices.Clone(text), "null"...)); e == nil && nothing.Value.Kind() == 'n' {
			value = hujson.Value{Value: &hujson.Object{}}
		} else {
			return node{}, d.syntax(err, len(text)-1)
		}
	}
	n := node{doc: d, value: value}
	if value.Value.Kind() != '{' {
		return node{}, n.wrong("an object")
	}
	return n, n.duplicates()
}

// syntax turns the parser's error into ours. Its message may quote a literal, which may be a secret: that part goes.
func (d *document) syntax(err error, end int) *Broken {
	b := &Broken{Tier: d.tier, File: d.source()}
	message := strings.TrimPrefix(err.Error(), "hujson: ")
	if _, e := fmt.Sscanf(message, "line %d, column %d:", &b.Line, &b.Column); e == nil {
		_, message, _ = strings.Cut(message, ": ")
	}
	if line, column := d.position(end); b.Line > line {
		b.Line, b.Column = line, column // the line end that was added is not the file's
	}
	if message, _, _ = strings.Cut(message, "invalid literal: "); message == "" {
		message = "invalid text or number"
	}
	b.Reason = strings.ReplaceAll(message, "unexpected EOF", "the file ends too early")
	return b
}

func invalidUTF8(text []byte) int {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return -1
}

// tooDeep finds the offset where nesting passes maxDepth, or -1. The parser recurses, so depth is judged before it.
func tooDeep(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case c == '/' && bytes.HasPrefix(text[i:], []byte("//")):
			if end := bytes.IndexByte(text[i:], '\n'); end < 0 {
				return -1
			} else {
				i += end
			}
		case c == '/' && bytes.HasPrefix(text[i:], []byte("/*")):
			if end := bytes.Index(text[i+2:], []byte("*/")); end < 0 {
				return -1
			} else {
				i += end + 3
			}
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return i
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return -1
}

func (d *document) source() string {
	if d.file != "" {
		return d.file
	}
	return d.label
}

func (d *document) position(offset int) (line, column int) {
	line = sort.Search(len(d.lines), func(i int) bool { return d.lines[i] > offset })
	return line, offset - d.lines[line-1] + 1
}

func (d *document) broken(offset int, reason string) *Broken {
	b := &Broken{Tier: d.tier, File: d.source(), Reason: reason}
	if d.file != "" {
		b.Line, b.Column = d.position(offset)
	}
	return b
}

func (n node) origin() Origin {
	o := Origin{Tier: n.doc.tier, File: n.doc.file, Label: n.doc.label}
	if o.File != "" {
		o.Line, _ = n.doc.position(n.value.StartOffset)
	}
	return o
}

func (n node) fail(format string, args ...any) error {
	name := n.name
	if name == "" {
		name = "the file"
	}
	return n.doc.broken(n.value.StartOffset, name+" "+fmt.Sprintf(format, args...))
}

func (n node) wrong(expected string) error {
	kinds := map[hujson.Kind]string{'{': "an object", '[': "a list", '"': "a text", '0': "a number", 't': "true", 'f': "false", 'n': "null"}
	return n.fail("must be %s, not %s", expected, kinds[n.value.Value.Kind()])
}

// duplicates refuses a name that stands twice in one object, at any level: which of the two is meant cannot be known.
func (n node) duplicates() error {
	switch v := n.value.Value.(type) {
	case *hujson.Object:
		seen := make(map[string]int, len(v.Members))
		for _, m := range v.Members {
			name := m.Name.Value.(hujson.Literal).String()
			if first, ok := seen[name]; ok {
				line, _ := n.doc.position(first)
				return n.doc.broken(m.Name.StartOffset, fmt.Sprintf("the key %q stands twice (first in line %d)", clip(name), line))
			}
			seen[name] = m.Name.StartOffset
			if err := (node{n.doc, "", m.Value}).duplicates(); err != nil {
				return err
			}
		}
	case *hujson.Array:
		for _, e := range v.Elements {
			if err := (node{n.doc, "", e}).duplicates(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (n node) kind() hujson.Kind { return n.value.Value.Kind() }
func (n node) isNull() bool      { return n.kind() == 'n' }

func (n node) text() (string, error) {
	if n.kind() != '"' {
		return "", n.wrong("a text")
	}
	text := n.value.Value.(hujson.Literal).String()
	if strings.ContainsRune(text, 0) {
		return "", n.fail("holds a NUL character")
	}
	return text, nil
}

// filled is a text that is not empty.
func (n node) filled() (string, error) {
	text, err := n.text()
	if err == nil && strings.TrimSpace(text) == "" {
		err = n.fail("is empty")
	}
	return text, err
}

// oneOf gives a reader for one of a few words.
func oneOf(words ...string) func(node) (string, error) {
	return func(n node) (string, error) {
		text, err := n.text()
		if err == nil && !slices.Contains(words, text) {
			err = n.fail("must be one of %s, not %q", strings.Join(words, ", "), clip(text))
		}
		return text, err
	}
}

func (n node) flag() (bool, error) {
	if k := n.kind(); k != 't' && k != 'f' {
		return false, n.wrong("true or false")
	}
	return n.kind() == 't', nil
}

func (n node) integer() (int, error) {
	if n.kind() != '0' {
		return 0, n.wrong("a number")
	}
	i, err := strconv.Atoi(string(n.value.Value.(hujson.Literal)))
	if err != nil {
		return 0, n.fail("must be a whole number")
	}
	return i, nil
}

func (n node) items() ([]node, error) {
	a, ok := n.value.Value.(*hujson.Array)
	if !ok {
		return nil, n.wrong("a list")
	}
	nodes := make([]node, len(a.Elements))
	for i, e := range a.Elements {
		nodes[i] = node{n.doc, fmt.Sprintf("%s[%d]", n.name, i), e}
	}
	return nodes, nil
}

func (n node) texts() ([]string, error) {
	items, err := n.items()
	if err != nil {
		return nil, err
	}
	texts := make([]string, len(items))
	for i, item := range items {
		if texts[i], err = item.filled(); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

// member is a named value of an object, in file order.
type member struct {
	key string
	node
}

func (n node) members() ([]member, error) {
	o, ok := n.value.Value.(*hujson.Object)
	if !ok {
		return nil, n.wrong("an object")
	}
	members := make([]member, len(o.Members))
	for i, m := range o.Members {
		key := m.Name.Value.(hujson.Literal).String()
		name := printable(clip(key))
		if n.name != "" {
			name = n.name + "." + name
		}
		members[i] = member{key, node{n.doc, name, m.Value}}
	}
	return members, nil
}

// record reads an object of known members; others are warned about. A null member counts as absent.
func (n node) record(known ...string) (map[string]node, error) {
	members, err := n.members()
	if err != nil {
		return nil, err
	}
	found := make(map[string]node, len(known))
	for _, m := range members {
		switch {
		case !slices.Contains(known, m.key):
			n.doc.warnUnknown(m, known)
		case !m.isNull():
			found[m.key] = m.node
		}
	}
	return found, nil
}

// raw is the value as standard JSON on its own.
func (n node) raw() json.RawMessage {
	v := n.value.Clone()
	v.Minimize()
	return v.Pack()
}

// clip bounds a text that a message quotes; a file decides how long its keys are.
func clip(text string) string {
	if runes := []rune(text); len(runes) > 60 {
		return string(runes[:60]) + "…"
	}
	return text
}
