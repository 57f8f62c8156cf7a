package syntax

import (
	"bytes"
	"context"
	"go/ast"
	"go/parser"
	"go/token"
)

// Calls reports of each place of a name in code, as Uses gives them, whether the name is called there: its tree tells
// that, or else that ( stands behind the name, as in the body of a macro, which has no tree. Without one, what defines the
// name with parameters looks the same.
func Calls(ctx context.Context, lang *Language, src []byte, at []int, name string) ([]bool, error) {
	calls := make([]bool, len(at))
	if len(at) == 0 {
		return calls, nil
	}
	for i, a := range at {
		calls[i] = CalledAt(src, a+len(name))
	}
	if lang.ID == "go" {
		goCalls(src, at, calls)
		return calls, nil
	}
	return calls, calledInTree(ctx, lang, src, at, len(name), calls)
}

// CalledAt reports whether ( stands behind a name that ends at an offset.
func CalledAt(src []byte, end int) bool {
	return bytes.HasPrefix(bytes.TrimLeft(src[min(end, len(src)):min(len(src), end+20)], " \t"), []byte("("))
}

// goCalls finds the calls that give types: F[int](1).
func goCalls(src []byte, at []int, calls []bool) {
	fset := token.NewFileSet()
	tree, _ := parser.ParseFile(fset, "", src, parser.SkipObjectResolution)
	if tree == nil {
		return
	}
	file := fset.File(tree.FileStart)
	called := map[int]bool{}
	ast.Inspect(tree, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		for fun := call.Fun; fun != nil; {
			switch f := fun.(type) {
			case *ast.ParenExpr:
				fun = f.X
			case *ast.IndexExpr:
				fun = f.X
			case *ast.IndexListExpr:
				fun = f.X
			case *ast.SelectorExpr:
				fun = f.Sel
			case *ast.Ident:
				called[file.Offset(f.Pos())] = true
				fun = nil
			default:
				fun = nil
			}
		}
		return true
	})
	for i, a := range at {
		calls[i] = calls[i] || called[a]
	}
}
