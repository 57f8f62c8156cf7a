package code

import (
	"bytes"
	"fmt"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
)

// element refuses a number in brackets that means an element of a list of JSON or YAML, or of a value: elements are no
// symbols, and the number of a key or variable among those of its name is something else.
func element(f *parsed, q syntax.Query, found []*syntax.Symbol) error {
	if len(found) == 1 && q.Index >= 0 && isValue(found[0]) && !q.Written(found[0]) {
		return tools.Errorf(tools.Unsupported, "one symbol is called %s, and [%d] behind it would be a part of its value, which is no symbol: use fs.edit at line %d, or give %s for all of it; nothing was done", q.String(), q.Index, found[0].Line, q.String()).
			With(tools.Details{Param: "name_path"})
	}
	if f.lang.ID != "json" && f.lang.ID != "yaml" || len(found) == 0 {
		return nil
	}
	means := q.Element()
	for _, s := range found {
		if q.Written(s) {
			return nil
		}
		means = means || q.Index >= 0 && holdsList(f.text[s.NameStart:s.End], s.Name)
	}
	if !means {
		return nil
	}
	return tools.Errorf(tools.Unsupported, "elements of lists are no symbols, so [n] behind the name of a list cannot be edited: use fs.edit at line %d, or give line for one of several keys called %s; nothing was done", found[0].Line, q.String()).
		With(tools.Details{Param: "name_path"})
}

// warnElement says of a number in brackets behind the name of a key of JSON or YAML which key it was taken for: it might have
// meant an element of a list.
func warnElement(c *tools.Call, q syntax.Query, found []candidate) {
	if q.Index < 0 || len(found) != 1 || q.Written(found[0].sym) {
		return
	}
	if f := found[0]; f.f.Language == "json" || f.f.Language == "yaml" {
		c.Warn(fmt.Sprintf("elements of lists are no symbols: %s[%d] was taken for one of the keys whose path ends so, counted from 0, %s at line %d; give path and line for another", q.String(), q.Index, f.sym.Path, f.sym.Line))
	}
}

// isValue reports whether a symbol has a value, of which a number in brackets may mean a part.
func isValue(s *syntax.Symbol) bool {
	switch s.Kind {
	case syntax.Key, syntax.Variable, syntax.Constant, syntax.Field:
		return true
	}
	return false
}

// holdsList reports whether the value of a pair, which begins with its key, is a list.
func holdsList(pair []byte, key string) bool {
	if i := bytes.Index(pair, []byte(key)); i >= 0 {
		pair = pair[i+len(key):]
	}
	_, value, _ := bytes.Cut(pair, []byte(":"))
	for {
		value = bytes.TrimSpace(value)
		switch {
		case bytes.HasPrefix(value, []byte("#")), bytes.HasPrefix(value, []byte("//")):
			_, value, _ = bytes.Cut(value, []byte("\n"))
		case bytes.HasPrefix(value, []byte("/*")):
			_, value, _ = bytes.Cut(value, []byte("*/"))
		case bytes.HasPrefix(value, []byte("&")), bytes.HasPrefix(value, []byte("!")): // an anchor, a type
			i := bytes.IndexAny(value, " \n")
			if i < 0 {
				return false
			}
			value = value[i:]
		default:
			return bytes.HasPrefix(value, []byte("[")) || bytes.HasPrefix(value, []byte("- ")) || bytes.HasPrefix(value, []byte("-\n")) || bytes.HasPrefix(value, []byte("-\r"))
		}
	}
}
