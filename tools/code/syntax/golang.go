package syntax

import (
	"bytes"
	"context"
	"errors"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"strings"
)

// analyzeGo reads Go by the standard library: it is exact, and eight times as fast as tree-sitter. Where the source
// does not parse, tree-sitter sees more of what lies behind the fault.
func analyzeGo(ctx context.Context, lang *Language, src []byte) (*File, error) {
	fset := token.NewFileSet()
	tree, err := parser.ParseFile(fset, "", src, parser.SkipObjectResolution)
	faults := goFaults(err, src)
	if len(faults) > 0 && len(strings.TrimSpace(string(src))) > 0 {
		if f, perr := parse(ctx, lang, src); perr == nil {
			f.Faults, f.Broken = faults, true
			if tree != nil && tree.Name != nil {
				f.Package = tree.Name.Name
			}
			return f, nil
		} else if ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	f := &File{Language: lang.ID, Backend: "go/parser"}
	if tree == nil {
		return f, nil
	}
	if len(strings.TrimSpace(string(src))) > 0 {
		f.Faults, f.Broken = faults, len(faults) > 0
	}
	if tree.Name != nil && tree.Name.Name != "_" {
		f.Package = strings.Clone(tree.Name.Name)
	}
	g := goDefs{file: fset.File(tree.FileStart)}
	if g.file == nil {
		return f, nil
	}
	for _, d := range tree.Decls {
		g.decl(d, true)
	}
	build(f, lang, src, newLineIndex(src), g.defs)
	return f, nil
}

// goFaults gives the faults where they stand in the source, whatever its //line comments say.
func goFaults(err error, src []byte) []Fault {
	var list scanner.ErrorList
	if !errors.As(err, &list) {
		return nil
	}
	var faults []Fault
	lines := newLineIndex(src)
	for _, e := range list[:min(len(list), maxFaults)] {
		at := min(e.Pos.Offset, len(src))
		faults = append(faults, Fault{lines.line(at), at - bytes.LastIndexByte(src[:at], '\n'), e.Msg})
	}
	return faults
}

type goDefs struct {
	file *token.File
	defs []def
}

func (g *goDefs) at(p token.Pos) int {
	if !p.IsValid() {
		return 0
	}
	return g.file.Offset(p)
}

func (g *goDefs) add(kind Kind, name *ast.Ident, scope string, n ast.Node, start token.Pos, body token.Pos) {
	if name == nil || name.Name == "_" {
		return
	}
	d := def{kind: kind, name: name.Name, scope: scope, nameAt: g.at(name.Pos()), sigAt: g.at(n.Pos()), start: g.at(start), end: g.at(n.End()), body: -1}
	if body.IsValid() {
		d.body = g.at(body)
	}
	g.defs = append(g.defs, d)
}

func (g *goDefs) decl(d ast.Decl, top bool) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		kind, scope := Function, ""
		if d.Recv != nil {
			kind = Method
			if len(d.Recv.List) > 0 {
				scope = receiver(d.Recv.List[0].Type)
			}
		}
		body := d.End()
		if d.Body != nil {
			body = d.Body.Lbrace
		}
		g.add(kind, d.Name, scope, d, d.Pos(), body)
		if d.Body != nil {
			g.inside(d.Body)
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			start := spec.Pos()
			if !d.Lparen.IsValid() {
				start = d.Pos()
			}
			switch s := spec.(type) {
			case *ast.TypeSpec:
				g.typeSpec(s, start)
			case *ast.ValueSpec:
				kind := Variable
				if d.Tok == token.CONST {
					kind = Constant
				}
				for _, n := range s.Names {
					if top {
						g.add(kind, n, "", s, start, token.NoPos)
						if n.Name != "_" {
							g.defs[len(g.defs)-1].sigAt = g.at(start)
						}
					}
				}
				for _, v := range s.Values {
					g.inside(v)
				}
			}
		}
	}
}

// inside looks for types declared in a body.
func (g *goDefs) inside(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		if d, ok := n.(*ast.DeclStmt); ok {
			if gen, ok := d.Decl.(*ast.GenDecl); ok && gen.Tok == token.TYPE {
				g.decl(gen, false)
			}
		}
		return true
	})
}

func (g *goDefs) typeSpec(s *ast.TypeSpec, start token.Pos) {
	kind, body := Type, token.NoPos
	var supers []string
	switch t := s.Type.(type) {
	case *ast.StructType:
		kind, body = Struct, t.Fields.Opening
		supers = embedded(t.Fields)
	case *ast.InterfaceType:
		kind, body = Interface, t.Methods.Opening
		supers = embedded(t.Methods)
	}
	g.add(kind, s.Name, "", s, start, body)
	if n := len(g.defs); s.Name.Name != "_" && n > 0 {
		d := &g.defs[n-1]
		d.supers = supers
		if kind == Type {
			d.body = -1
		}
		d.sigAt = d.start // "type T struct" reads better than "T struct"
		if d.start == g.at(s.Pos()) {
			d.sigAt = g.at(s.Pos())
		}
	}
	switch t := s.Type.(type) {
	case *ast.StructType:
		g.fields(t.Fields, Field)
	case *ast.InterfaceType:
		g.fields(t.Methods, Method)
	}
}

func (g *goDefs) fields(list *ast.FieldList, kind Kind) {
	for _, f := range list.List {
		for _, n := range f.Names {
			g.add(kind, n, "", f, f.Pos(), token.NoPos)
		}
		if st, ok := f.Type.(*ast.StructType); ok {
			g.fields(st.Fields, Field)
		}
	}
}

func embedded(list *ast.FieldList) []string {
	var names []string
	for _, f := range list.List {
		if len(f.Names) == 0 {
			if n := typeName(f.Type); n != "" {
				names = append(names, n)
			}
		}
	}
	return names
}

// receiver gives the type of a receiver without pointers and parameters.
func receiver(t ast.Expr) string {
	n := typeName(t)
	return n[strings.LastIndexByte(n, '.')+1:]
}

func typeName(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.Ident:
		return t.Name
	case *ast.StarExpr:
		return typeName(t.X)
	case *ast.ParenExpr:
		return typeName(t.X)
	case *ast.IndexExpr:
		return typeName(t.X)
	case *ast.IndexListExpr:
		return typeName(t.X)
	case *ast.SelectorExpr:
		return typeName(t.X) + "." + t.Sel.Name
	}
	return ""
}
