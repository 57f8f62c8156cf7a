package code

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tree is a folder of sources to measure on: HANZO_MCP_BENCH_TREE, else a part of Go's own.
func benchTree(b *testing.B) (dir, name string) {
	if dir = os.Getenv("HANZO_MCP_BENCH_TREE"); dir != "" {
		return dir, os.Getenv("HANZO_MCP_BENCH_NAME")
	}
	dir = filepath.Join(goroot(b), "src", "cmd")
	return dir, "parseFiles"
}

// The first search of a tree, with nothing known.
func BenchmarkSearchFirst(b *testing.B) {
	dir, name := benchTree(b)
	for b.Loop() {
		done := make(chan struct{}) // what is read in the background afterwards is not to weigh on the next
		over(b, dir, nil, Config{Done: done}).ok("search_symbol", "query", name)
		close(done)
	}
}

// A search of a tree that is known.
func BenchmarkSearchAgain(b *testing.B) {
	dir, name := benchTree(b)
	x := over(b, dir, nil, Config{})
	x.ok("summarize")
	for b.Loop() {
		x.ok("search_symbol", "query", name)
	}
}

// The outline of a file of 1,000 lines, read and parsed each time.
func BenchmarkOutline(b *testing.B) {
	var g, p, s strings.Builder
	g.WriteString("package a\n")
	for i := range 100 {
		fmt.Fprintf(&g, "\n// F%d does it.\nfunc F%d(x int) (int, error) {\n\tif x > %d {\n\t\treturn x, nil\n\t}\n\ty := x * 2\n\treturn y, nil\n}\n", i, i, i)
		fmt.Fprintf(&p, "\nclass C%d(Base):\n    \"\"\"Doc.\"\"\"\n\n    def run(self, x: int) -> int:\n        if x > %d:\n            return x\n        y = x * 2\n        return y\n\n", i, i)
		fmt.Fprintf(&s, "\nexport class C%d extends Base {\n  private x = %d;\n\n  run(x: number): number {\n    if (x > this.x) return x;\n    const y = x * 2;\n    return y;\n  }\n}\n", i, i)
	}
	x := project(b, map[string]string{"a.go": g.String(), "a.py": p.String(), "a.ts": s.String()})
	for _, name := range []string{"a.go", "a.py", "a.ts"} {
		b.Run(name, func(b *testing.B) {
			if !strings.HasSuffix(name, ".go") {
				needGrammars(b)
			}
			for b.Loop() {
				x.ok("outline", "path", name, "max_chars", 1_000_000)
			}
		})
	}
}
