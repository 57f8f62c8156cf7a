package code

import (
	"path"
	"slices"
	"strings"

	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
)

// Which type a name means that a file has from elsewhere: what its import says of it.

// superName is the last name of a supertype, in the file that defines it.
func superName(f *syntax.File, super string) string {
	if o, ok := f.Origins[super]; ok && o.Name != "" {
		return o.Name
	}
	return lastName(super)
}

// hasSuper reports whether a type names another one as right above it.
func hasSuper(f *syntax.File, s *syntax.Symbol, name string) bool {
	return slices.ContainsFunc(s.Supers, func(super string) bool { return superName(f, super) == name })
}

// fromOrigin leaves of the types that a name may mean those of the file that it is imported from, or of a package with that
// file; all where the import does not tell.
func fromOrigin(by typeNode, name string, all []typeNode) []typeNode {
	first := syntax.FirstName(name)
	o, ok := by.f.Origins[first]
	if !ok || o.From == "" {
		return nil
	}
	if sep := separators[family(by.f.Language)]; first != name && o.Name != "" && sep != "" { // a module or type, and what is in it
		o.From = strings.TrimSuffix(o.From, sep) + sep + o.Name
	}
	var at, near []typeNode
	for _, n := range all {
		switch of, within := comesFrom(by, o.From, n); {
		case of:
			at = append(at, n)
		case within:
			near = append(near, n)
		}
	}
	if len(at) > 0 {
		return at
	}
	return near
}

// separators stand between the parts of a path of modules.
var separators = map[string]string{"python": ".", "rust": "::", "php": `\`, "jvm": ".", "csharp": "."}

// scriptEndings are what an import of JavaScript may have at the end of a path, or leave out.
var scriptEndings = []string{".d.ts", ".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"}

func withoutEnding(file string) string {
	for _, end := range scriptEndings {
		if s, ok := strings.CutSuffix(file, end); ok {
			return s
		}
	}
	return file
}

// comesFrom reports whether a type stands in the module that an import names, or within the package that it is.
func comesFrom(by typeNode, from string, n typeNode) (of, within bool) {
	if n.f.Package != "" && n.f.Package == from {
		return true, true
	}
	dir := path.Dir(by.file)
	relative := strings.HasPrefix(from, ".")
	file := strings.TrimSuffix(n.file, path.Ext(n.file))
	switch family(by.f.Language) {
	case "python":
		up := len(from) - len(strings.TrimLeft(from, "."))
		from = strings.ReplaceAll(from[up:], ".", "/")
		for range up - 1 {
			dir = path.Dir(dir)
		}
	case "script":
		from, file = withoutEnding(from), withoutEnding(n.file)
	default:
		from = strings.NewReplacer("::", "/", `\`, "/", ".", "/").Replace(from)
		for _, word := range []string{"crate/", "self/", "super/"} {
			from = strings.TrimPrefix(from, word)
		}
	}
	for _, main := range []string{"/__init__", "/index", "/mod"} {
		file = strings.TrimSuffix(file, main)
	}
	if relative {
		want := path.Join(dir, from)
		return file == want, strings.HasPrefix(file, want+"/")
	}
	file, from = "/"+file, "/"+strings.TrimLeft(from, "@~/")
	return strings.HasSuffix(file, from), strings.Contains(file+"/", from+"/")
}
