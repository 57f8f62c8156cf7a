package tree

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// benchRoots are the trees of the benchmarks: GOROOT/src, or the folders named in
// TREE_BENCH, separated like PATH.
func benchRoots(tb testing.TB) []string {
	if s := os.Getenv("TREE_BENCH"); s != "" {
		return filepath.SplitList(s)
	}
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		tb.Skip("go is missing: ", err)
	}
	return []string{filepath.Join(strings.TrimSpace(string(out)), "src")}
}

func openRoot(tb testing.TB, dir string) *os.Root {
	tb.Helper()
	r, err := os.OpenRoot(dir)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { r.Close() })
	return r
}

// against runs ours and ripgrep in turn and reports both medians and their ratio.
func against(b *testing.B, dir string, ours func(), args ...string) {
	rg, err := exec.LookPath("rg")
	if err != nil {
		b.Skip("rg is missing")
	}
	var mine, theirs []time.Duration
	for b.Loop() {
		start := time.Now()
		cmd := exec.Command(rg, args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil && cmd.ProcessState.ExitCode() > 1 {
			b.Fatalf("%v: %s", err, out)
		}
		theirs = append(theirs, time.Since(start))
		start = time.Now()
		ours()
		mine = append(mine, time.Since(start))
	}
	slices.Sort(mine)
	slices.Sort(theirs)
	m, t := mine[len(mine)/2], theirs[len(theirs)/2]
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(m.Microseconds())/1000, "ms")
	b.ReportMetric(float64(t.Microseconds())/1000, "rg-ms")
	b.ReportMetric(float64(m)/float64(t), "x-rg")
}

func BenchmarkList(b *testing.B) {
	for _, dir := range benchRoots(b) {
		b.Run(filepath.Base(dir), func(b *testing.B) {
			root := openRoot(b, dir)
			var perWorker [maxWorkers]int
			against(b, dir, func() {
				_, err := Walk(b.Context(), root, ".", Options{Types: File}, func(e *Entry) error {
					perWorker[e.Worker] += len(e.Path())
					return nil
				})
				if err != nil {
					b.Fatal(err)
				}
			}, "--files", "--hidden", "--no-ignore-dot", "--glob", "!.git")
		})
	}
}

var benchQueries = []struct {
	name  string
	query Query
	args  []string
}{
	{"rare literal", Query{Pattern: "ErrUnexpectedEOF", Literal: true}, []string{"-F"}},
	{"common literal", Query{Pattern: "return", Literal: true}, []string{"-F"}},
	{"regexp with literal", Query{Pattern: `func \w+Error\(`}, nil},
	{"inner literal", Query{Pattern: `[A-Z][a-z]+Handler\b`}, nil},
	{"folded literal", Query{Pattern: `deprecated`, IgnoreCase: true}, []string{"-i"}},
	{"folded regexp", Query{Pattern: `todo.*fix`, IgnoreCase: true}, []string{"-i"}},
	{"alternation", Query{Pattern: `panicked|deprecated|obsolete`}, nil},
	{"folded alternation", Query{Pattern: `panicked|deprecated|obsolete`, IgnoreCase: true}, []string{"-i"}},
	{"many words", Query{Pattern: `alpha|bravo|charlie|delta|echo|foxtrot|golf|hotel|india|juliet|kilo|lima`}, nil},
	{"word", Query{Pattern: `buf`, Word: true}, []string{"-w"}},
	{"one common byte", Query{Pattern: `\b[a-z]+_[0-9]+\b`}, nil},
	{"no literal", Query{Pattern: `[a-z]{3}[0-9]{2,}[A-Z]`}, nil},
	{"unicode classes", Query{Pattern: `\w+\s+\d+\s+\w+`}, nil},
}

func BenchmarkSearch(b *testing.B) {
	for _, dir := range benchRoots(b) {
		b.Run(filepath.Base(dir), func(b *testing.B) {
			root := openRoot(b, dir)
			for _, q := range benchQueries {
				b.Run(q.name, func(b *testing.B) {
					args := append(slices.Clone(q.args), "--hidden", "--no-ignore-dot", "--glob", "!.git", "-n", "-e", q.query.Pattern, ".")
					against(b, dir, func() {
						if _, err := Search(b.Context(), root, ".", q.query); err != nil {
							b.Fatal(err)
						}
					}, args...)
				})
			}
		})
	}
}
