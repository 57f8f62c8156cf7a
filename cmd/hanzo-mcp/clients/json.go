package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

// editJSON puts member under path/hanzo of a JSON text, with comments and trailing commas if it has them, or takes
// it out when member is nil. All other bytes stay.
func editJSON(text []byte, path []string, member any) ([]byte, error) {
	if !utf8.Valid(text) {
		return nil, errors.New("it is not UTF-8")
	}
	bom := bytes.HasPrefix(text, []byte("\xef\xbb\xbf"))
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{}\n")
	}
	root, err := hujson.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("it is no valid JSON: %w", err)
	}
	d := &jsonDoc{indent: indentOf(text), newline: newlineOf(text)}
	if err := d.edit(&root, path, member); err != nil {
		return nil, err
	}
	out := root.Pack()
	if bom {
		out = append([]byte("\xef\xbb\xbf"), out...)
	}
	return out, nil
}

type jsonDoc struct{ indent, newline string }

func (d *jsonDoc) edit(root *hujson.Value, path []string, member any) error {
	at := root
	for depth, key := range append(path, Name) {
		if depth > 0 && isNull(at) {
			if member == nil {
				return nil
			}
			at.Value = &hujson.Object{} // a client that has no servers may say null
		}
		object, ok := at.Value.(*hujson.Object)
		if !ok {
			return fmt.Errorf("%s is no object", strings.Join(append([]string{"the file"}, path[:depth]...), " › "))
		}
		found := -1
		for i, m := range object.Members {
			if nameOf(m) == key {
				if found >= 0 {
					return fmt.Errorf("%q stands twice", key)
				}
				found = i
			}
		}
		last := depth == len(path)
		switch {
		case last && member == nil:
			if found >= 0 {
				d.remove(object, found)
			}
			return nil
		case member == nil && found < 0:
			return nil
		case last:
			value, err := d.value(member, depth+1)
			if err != nil {
				return err
			}
			if found >= 0 {
				d.merge(&object.Members[found].Value, value, depth+1)
				return nil
			}
			d.add(object, key, value, depth+1)
			return nil
		case found < 0:
			d.add(object, key, hujson.Value{Value: &hujson.Object{}}, depth+1)
			found = len(object.Members) - 1
		}
		at = &object.Members[found].Value
	}
	return errors.New("no path")
}

func isNull(v *hujson.Value) bool {
	literal, ok := v.Value.(hujson.Literal)
	return ok && string(literal) == "null"
}

func nameOf(m hujson.ObjectMember) (name string) {
	if literal, ok := m.Name.Value.(hujson.Literal); ok {
		_ = json.Unmarshal(literal, &name)
	}
	return name
}

// merge puts an entry in the place of an older one. What the user has added to that (env, disabled, timeouts) stays, but
// for what says how the server was reached.
func (d *jsonDoc) merge(old *hujson.Value, entry hujson.Value, depth int) {
	have, ok := old.Value.(*hujson.Object)
	if !ok {
		old.Value = entry.Value
		return
	}
	fresh := entry.Value.(*hujson.Object)
	find := func(o *hujson.Object, name string) int {
		return slices.IndexFunc(o.Members, func(m hujson.ObjectMember) bool { return nameOf(m) == name })
	}
	for i := len(have.Members) - 1; i >= 0; i-- {
		if name := nameOf(have.Members[i]); slices.Contains(transport, name) && find(fresh, name) < 0 {
			d.remove(have, i)
		}
	}
	for _, m := range fresh.Members {
		name := nameOf(m)
		switch i := find(have, name); {
		case i < 0:
			d.add(have, name, m.Value, depth+1)
		case slices.Contains(transport, name) && !same(have.Members[i].Value, m.Value):
			have.Members[i].Value.Value = m.Value.Value
		}
	}
}

// same reports whether two values say the same, however they are written.
func same(a, b hujson.Value) bool {
	plain := func(v hujson.Value) string {
		v = v.Clone()
		v.Minimize()
		return string(v.Pack())
	}
	return plain(a) == plain(b)
}

// value is a Go value as JSON with the file's own indentation.
func (d *jsonDoc) value(v any, depth int) (hujson.Value, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent(strings.Repeat(d.indent, depth), d.indent)
	if err := enc.Encode(v); err != nil {
		return hujson.Value{}, err
	}
	text := bytes.TrimSpace(b.Bytes())
	if d.newline != "\n" {
		text = bytes.ReplaceAll(text, []byte("\n"), []byte(d.newline))
	}
	return hujson.Parse(text)
}

func (d *jsonDoc) add(object *hujson.Object, key string, value hujson.Value, depth int) {
	name, _ := json.Marshal(key)
	before := hujson.Extra(d.newline + strings.Repeat(d.indent, depth))
	value.BeforeExtra, value.AfterExtra = hujson.Extra(" "), nil
	m := hujson.ObjectMember{Name: hujson.Value{BeforeExtra: before, Value: hujson.Literal(name)}, Value: value}
	n := len(object.Members)
	if n == 0 {
		// The closing brace goes on a line of its own, behind whatever comment stood inside.
		object.AfterExtra = hujson.Extra(strings.TrimRight(string(object.AfterExtra), " \t\r\n") + d.newline + strings.Repeat(d.indent, depth-1))
		if comment := strings.TrimSpace(string(object.AfterExtra)); comment != "" {
			m.Name.BeforeExtra = hujson.Extra(d.newline + strings.Repeat(d.indent, depth) + comment + string(before))
			object.AfterExtra = hujson.Extra(d.newline + strings.Repeat(d.indent, depth-1))
		}
	} else if last := &object.Members[n-1].Value; last.AfterExtra != nil {
		m.Value.AfterExtra = hujson.Extra{} // the file ends its lists with a comma
	} else if strings.Contains(string(object.AfterExtra), "/") {
		// A comment behind the last member stays with it.
		m.Name.BeforeExtra = hujson.Extra(strings.TrimRight(string(object.AfterExtra), " \t\r\n") + string(before))
		object.AfterExtra = hujson.Extra(d.newline + strings.Repeat(d.indent, depth-1))
	}
	object.Members = append(object.Members, m)
}

func (d *jsonDoc) remove(object *hujson.Object, i int) {
	trailing := len(object.Members) > 0 && object.Members[len(object.Members)-1].Value.AfterExtra != nil
	object.Members = append(object.Members[:i:i], object.Members[i+1:]...)
	if n := len(object.Members); n > 0 && !trailing {
		object.Members[n-1].Value.AfterExtra = nil
	}
}

// indentOf is how the file indents: the blanks in front of its first indented line, else two spaces.
func indentOf(text []byte) string {
	for _, line := range bytes.Split(text, []byte("\n")) {
		if trimmed := bytes.TrimLeft(line, " \t"); len(trimmed) > 0 && len(trimmed) < len(line) && trimmed[0] == '"' {
			return string(line[:len(line)-len(trimmed)])
		}
	}
	return "  "
}

func newlineOf(text []byte) string {
	if bytes.Contains(text, []byte("\r\n")) {
		return "\r\n"
	}
	return "\n"
}
