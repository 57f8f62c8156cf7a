// Command measure compares the symbols that package syntax finds with those of a real parser: go/parser for Go, the ast
// module of python3, the compiler API of TypeScript; gobroken takes a brace from each file of Go first. A symbol counts when its name and its line are the same.
//
//	go run ./tools/code/measure go /usr/local/go/src
//	go run ./tools/code/measure python /usr/lib/python3
//	NODE_PATH=…/node_modules go run ./tools/code/measure typescript SOMEWHERE/src
//
// It exits 1 when recall or precision is below the goal (99.5 % for Go and Python, 99 % for TypeScript).
package main

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
)

//go:embed truth.py
var pythonTruth string

//go:embed truth.js
var scriptTruth string

// symbol is what is compared.
type symbol struct {
	Name string
	Line int
}

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: measure go|gobroken|python|typescript FOLDER…")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

type language struct {
	exts  []string
	goal  float64
	kinds []syntax.Kind
	truth func(files []string) (map[string][]symbol, error)
	bend  func(src []byte) []byte // of the source that we are given, not the real parser
}

func languages() map[string]language {
	defs := []syntax.Kind{syntax.Function, syntax.Method, syntax.Class, syntax.Struct, syntax.Interface, syntax.Enum, syntax.Type, syntax.Module}
	values := append(slices.Clone(defs), syntax.Constant, syntax.Variable, syntax.Field)
	return map[string]language{
		"go": {[]string{".go"}, 99.5, values, goTruth, nil},
		// A fault at the end makes the tree-sitter grammar do the work.
		"gobroken":   {[]string{".go"}, 99, values, goTruth, func(src []byte) []byte { return bytes.Replace(src, []byte("\n}\n"), []byte("\n\n"), 1) }},
		"python":     {[]string{".py", ".pyi"}, 99.5, values, func(f []string) (map[string][]symbol, error) { return outside(f, "python3", "-c", pythonTruth) }, nil},
		"typescript": {[]string{".ts", ".tsx", ".mts", ".cts"}, 99, defs, func(f []string) (map[string][]symbol, error) { return outside(f, "node", "-e", scriptTruth) }, nil},
	}
}

func run(name string, dirs []string) error {
	l, ok := languages()[name]
	if !ok {
		return fmt.Errorf("%q is no language that is measured", name)
	}
	var files []string
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
			if err == nil && d.Type().IsRegular() && slices.Contains(l.exts, filepath.Ext(p)) {
				files = append(files, p)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	truth, err := l.truth(files)
	if err != nil {
		return err
	}
	var want, have, both, size, lost int
	var took time.Duration
	var missed, extra []string
	for _, file := range files {
		expect, ok := truth[file]
		if !ok {
			lost++
			continue
		}
		src, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		size += len(src)
		if l.bend != nil {
			src = l.bend(src)
		}
		start := time.Now()
		lang := syntax.Detect(file, src)
		f, err := syntax.Analyze(context.Background(), lang, src)
		took += time.Since(start)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		found := map[symbol]int{}
		for _, s := range f.Symbols {
			if slices.Contains(l.kinds, s.Kind) {
				found[symbol{s.Name, s.Line}]++
				have++
			}
		}
		want += len(expect)
		for _, e := range expect {
			if found[e] > 0 {
				found[e]--
				both++
			} else {
				missed = append(missed, fmt.Sprintf("%s:%d %s", file, e.Line, e.Name))
			}
		}
		for s, n := range found {
			for range n {
				extra = append(extra, fmt.Sprintf("%s:%d %s", file, s.Line, s.Name))
			}
		}
	}
	if want == 0 || have == 0 {
		return fmt.Errorf("no symbols in %d files", len(files))
	}
	recall, precision := 100*float64(both)/float64(want), 100*float64(both)/float64(have)
	fmt.Printf("%s: %d files (%d that the real parser refuses), %d symbols, recall %.2f %%, precision %.2f %%, %.1f MB/s\n",
		name, len(files), lost, want, recall, precision, float64(size)/1e6/took.Seconds())
	show("missed", missed)
	show("extra", extra)
	if recall < l.goal || precision < l.goal {
		return fmt.Errorf("below the goal of %.1f %%", l.goal)
	}
	return nil
}

func show(what string, list []string) {
	slices.Sort(list)
	for _, s := range list[:min(len(list), 10)] {
		fmt.Println("  "+what, s)
	}
	if len(list) > 10 {
		fmt.Printf("  … %d more %s\n", len(list)-10, what)
	}
}

// goTruth walks the trees of go/parser by itself, in another way than package syntax does.
func goTruth(files []string) (map[string][]symbol, error) {
	out := map[string][]symbol{}
	for _, file := range files {
		fset := token.NewFileSet()
		tree, err := parser.ParseFile(fset, file, nil, 0)
		if err != nil {
			continue
		}
		list := []symbol{}
		add := func(n *ast.Ident) {
			if n.Name != "_" {
				p := fset.PositionFor(n.Pos(), false)
				list = append(list, symbol{n.Name, p.Line})
			}
		}
		depth := 0
		var stack []ast.Node
		ast.Inspect(tree, func(n ast.Node) bool {
			if n == nil {
				if _, ok := stack[len(stack)-1].(*ast.BlockStmt); ok {
					depth--
				}
				stack = stack[:len(stack)-1]
				return true
			}
			stack = append(stack, n)
			switch n := n.(type) {
			case *ast.BlockStmt:
				depth++
			case *ast.FuncDecl:
				add(n.Name)
			case *ast.TypeSpec:
				add(n.Name)
				fields(n.Type, add)
			case *ast.ValueSpec:
				if depth == 0 {
					for _, name := range n.Names {
						add(name)
					}
				}
			}
			return true
		})
		out[file] = list
	}
	return out, nil
}

// fields adds what the body of a type declares.
func fields(t ast.Expr, add func(*ast.Ident)) {
	var list *ast.FieldList
	switch t := t.(type) {
	case *ast.StructType:
		list = t.Fields
	case *ast.InterfaceType:
		list = t.Methods
	default:
		return
	}
	for _, f := range list.List {
		for _, n := range f.Names {
			add(n)
		}
		if inner, ok := f.Type.(*ast.StructType); ok {
			fields(inner, add)
		}
	}
}

// outside asks another program: it reads names of files, a line each, and writes {"file","symbols":[[name,line]]}.
func outside(files []string, program string, args ...string) (map[string][]symbol, error) {
	cmd := exec.Command(program, args...)
	cmd.Stdin = strings.NewReader(strings.Join(files, "\n") + "\n")
	cmd.Stderr = os.Stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	out := map[string][]symbol{}
	lines := bufio.NewScanner(pipe)
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var one struct {
			File    string
			Symbols [][2]any
		}
		if err := json.Unmarshal(lines.Bytes(), &one); err != nil {
			return nil, err
		}
		list := []symbol{}
		for _, s := range one.Symbols {
			name, _ := s[0].(string)
			line, _ := s[1].(float64)
			list = append(list, symbol{name, int(line)})
		}
		out[one.File] = list
	}
	return out, cmd.Wait()
}
