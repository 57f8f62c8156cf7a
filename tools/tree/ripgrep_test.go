package tree

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// rgHits gives "path:line" of ripgrep's hits.
func rgHits(t *testing.T, dir string, args ...string) []string {
	t.Helper()
	exe, err := exec.LookPath("rg")
	if err != nil {
		t.Skip("rg is missing")
	}
	cmd := exec.Command(exe, append([]string{"--no-config", "--hidden", "--no-ignore-dot", "--no-ignore-global", "--no-require-git", "--glob", "!.git", "-n", "--no-heading", "-0", "--color=never"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil && cmd.ProcessState.ExitCode() > 1 {
		t.Fatalf("rg %v: %v", args, err)
	}
	var list []string
	for line := range bytes.Lines(out) {
		path, rest, ok := bytes.Cut(line, []byte{0})
		n, _, ok2 := bytes.Cut(rest, []byte(":"))
		if ok && ok2 {
			list = append(list, strings.TrimPrefix(string(path), "./")+":"+string(n))
		}
	}
	return list
}

// TestSearchAsRipgrep compares all hits in real trees. The queries keep away from
// what the two mean to do differently: \b next to other alphabets in the middle of
// a pattern, bytes that are no UTF-8 (here one is a character, there none), and a
// NUL behind the first 64 KiB.
func TestSearchAsRipgrep(t *testing.T) {
	if testing.Short() {
		t.Skip("short")
	}
	dirs := benchRoots(t)
	if os.Getenv("TREE_BENCH") == "" {
		src := dirs[0]
		dirs = []string{filepath.Join(src, "net"), filepath.Join(src, "strings"), filepath.Join(src, "unicode")}
	}
	for _, dir := range dirs {
		root := openRoot(t, dir)
		for _, q := range append(slices.Clone(benchQueries), []struct {
			name  string
			query Query
			args  []string
		}{
			{"line ends", Query{Pattern: `;$`}, []string{"--crlf"}},
			{"empty lines", Query{Pattern: `^\s*$`}, []string{"--crlf"}},
			{"letters", Query{Pattern: `\bé\w*`}, nil},
			{"not ASCII", Query{Pattern: `[\x{80}-\x{2fff}]{2}\s`}, nil},
			{"folded other alphabet", Query{Pattern: `Ω|é`, IgnoreCase: true}, []string{"-i"}},
			{"kelvin", Query{Pattern: `kiss`, IgnoreCase: true}, []string{"-i"}},
			{"multiline", Query{Pattern: `return nil\n\}`}, nil},
		}...) {
			t.Run(q.name, func(t *testing.T) {
				args := append(slices.Clone(q.args), "-e", q.query.Pattern, ".")
				if strings.Contains(q.query.Pattern, `\n`) {
					args = append([]string{"-U"}, args...)
				}
				want := rgHits(t, dir, args...)
				var got []string
				for cursor := ""; ; {
					page := q.query
					page.MaxResults, page.Cursor = maxResults, cursor
					r, err := Search(t.Context(), root, ".", page)
					must(t, err)
					for _, h := range r.Hits {
						// rg prints each line of a match.
						for i := range strings.Count(h.Text, "\n") + 1 {
							got = append(got, h.Path+":"+strconv.Itoa(h.Line+i))
						}
					}
					if cursor = r.Cursor; cursor == "" || len(got) > 40_000 {
						break
					}
				}
				if len(got) > 40_000 {
					t.Skip("too many hits to page through")
				}
				slices.Sort(want)
				slices.Sort(got)
				diffAll(t, got, want)
			})
		}
	}
}

func diffAll(t *testing.T, got, want []string) {
	t.Helper()
	n := 0
	for i, j := 0, 0; i < len(got) || j < len(want); {
		switch {
		case j == len(want) || i < len(got) && got[i] < want[j]:
			if n++; n < 10 {
				t.Errorf("%s is ours alone", got[i])
			}
			i++
		case i == len(got) || want[j] < got[i]:
			if n++; n < 10 {
				t.Errorf("%s is rg's alone", want[j])
			}
			j++
		default:
			i++
			j++
		}
	}
	if n > 0 {
		t.Errorf("%d differences in %d hits", n, len(want))
	}
}
