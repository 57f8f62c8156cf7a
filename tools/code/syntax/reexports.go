//go:build cgo

package syntax

import (
	"strings"

	sitter "github.com/tree-sitter/go-tree-sitter"
)

// Names that an import of Python or a use of Rust takes from other modules, which the file may hand on.

// taken are the definitions of the names that a statement takes.
func (g *gathering) taken(n *sitter.Node) []def {
	if g.lang.ID == "rust" {
		if argument := n.ChildByFieldName("argument"); argument != nil {
			return g.used(nil, argument, "pub use ", 0)
		}
		return nil
	}
	from := ""
	if module := n.ChildByFieldName("module_name"); module != nil {
		from = "from " + g.text(module) + " "
	}
	var defs []def
	c := n.Walk()
	defer c.Close()
	for _, spec := range n.ChildrenByFieldName("name", c) {
		name := spec.ChildByFieldName("alias")
		if name == nil {
			name = &spec
		}
		text := g.text(name)
		if strings.Contains(text, ".") { // import a.b gives the file a, which is no name of b
			continue
		}
		d := handed(name, text, from+"import "+g.text(&spec))
		if original := spec.ChildByFieldName("name"); original != nil {
			d.exported = from != "" && g.text(original) == text // says Python's own rule for stubs
		}
		defs = append(defs, d)
	}
	return defs
}

// used adds the names that a tree of a use of Rust takes, prefix being what stands in front of it.
func (g *gathering) used(defs []def, n *sitter.Node, prefix string, depth int) []def {
	if depth > maxDepth {
		return defs
	}
	give := func(name *sitter.Node, text string) {
		if name != nil && text != "_" {
			d := handed(name, text, prefix+g.text(n))
			d.exported = true
			defs = append(defs, d)
		}
	}
	switch n.Kind() {
	case "identifier":
		give(n, g.text(n))
	case "scoped_identifier":
		if name := n.ChildByFieldName("name"); name != nil {
			give(name, g.text(name))
		}
	case "use_as_clause":
		if alias := n.ChildByFieldName("alias"); alias != nil {
			give(alias, g.text(alias))
		}
	case "self":
		path := strings.TrimSuffix(prefix, "::")
		if name := path[strings.LastIndexAny(path, " :{")+1:]; name != "" {
			give(n, name)
		}
	case "scoped_use_list":
		if path := n.ChildByFieldName("path"); path != nil {
			prefix += g.text(path) + "::"
		}
		if list := n.ChildByFieldName("list"); list != nil {
			defs = g.used(defs, list, prefix, depth+1)
		}
	case "use_list":
		for i := range n.NamedChildCount() {
			defs = g.used(defs, n.NamedChild(i), prefix, depth+1)
		}
	}
	return defs
}

func (g *gathering) text(n *sitter.Node) string { return string(g.src[n.StartByte():n.EndByte()]) }

// handed is the definition of a name that a file takes from another one.
func handed(n *sitter.Node, name, sig string) def {
	from, to := n.ByteRange()
	return def{kind: Passed, name: name, nameAt: int(from), sig: clipped(oneLine([]byte(sig))), sigAt: int(from), start: int(from), end: int(to), body: -1}
}
