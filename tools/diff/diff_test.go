package diff

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestUnified(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, a, b, want string }{
		{"equal", "a\nb\n", "a\nb\n", ""},
		{"one line in the middle", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nfive\n6\n7\n8\n9\n",
			"@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n"},
		{"repeated lines", "a\na\na\n", "a\na\n", "@@ -1,3 +1,2 @@\n a\n a\n-a\n"},
		{"new file", "", "a\n", "@@ -0,0 +1 @@\n+a\n"},
		{"emptied", "a\n", "", "@@ -1 +0,0 @@\n-a\n"},
		{"final newline added", "a\nb", "a\nb\n", "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n"},
		{"final newline gone", "b\n", "b", "@@ -1 +1 @@\n-b\n+b\n\\ No newline at end of file\n"},
		{"appended without newline", "a", "a\nb", "@@ -1 +1,2 @@\n-a\n\\ No newline at end of file\n+a\n+b\n\\ No newline at end of file\n"},
		{"line cut inside", "xaa\naa\n", "aa\n", "@@ -1,2 +1 @@\n-xaa\n aa\n"},
	}
	for _, tt := range tests {
		got := Unified("f", "f", tt.a, tt.b)
		if tt.want != "" {
			tt.want = "--- f\n+++ f\n" + tt.want
		}
		if got != tt.want {
			t.Errorf("%s:\n%s\nwant:\n%s", tt.name, got, tt.want)
		}
	}
}

// Every diff must be one that git takes, and must give the new text exactly.
func TestUnifiedAppliesWithGit(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	dir := t.TempDir()
	for round := range 60 {
		a := random(rnd, rnd.IntN(30))
		b := mutate(rnd, a)
		if a == b {
			continue
		}
		name := filepath.Join(dir, "f")
		if err := os.WriteFile(name, []byte(a), 0o644); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(git, "apply", "--unidiff-zero", "--whitespace=nowarn", "-p0", "-")
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
		d := Unified("f", "f", a, b)
		cmd.Stdin = strings.NewReader(d)
		out, err := cmd.CombinedOutput()
		got, _ := os.ReadFile(name)
		if b == "" && os.IsNotExist(err) {
			continue
		}
		if err != nil || string(got) != b {
			t.Fatalf("round %d: %v %s\na=%q\nb=%q\ngot=%q\n%s", round, err, out, a, b, got, d)
		}
	}
}

func random(rnd *rand.Rand, n int) string {
	var b strings.Builder
	for range n {
		fmt.Fprintf(&b, "%c\n", 'a'+rnd.IntN(4))
	}
	if rnd.IntN(3) == 0 {
		return strings.TrimSuffix(b.String(), "\n")
	}
	return b.String()
}

func mutate(rnd *rand.Rand, s string) string {
	lines := strings.SplitAfter(s, "\n")
	for range 1 + rnd.IntN(4) {
		i := rnd.IntN(len(lines))
		switch rnd.IntN(3) {
		case 0:
			lines = append(lines[:i:i], lines[i+1:]...)
		case 1:
			lines = append(lines[:i:i], append([]string{"x\n"}, lines[i:]...)...)
		case 2:
			if strings.HasSuffix(lines[i], "\n") {
				lines[i] = "y\n"
			}
		}
		if len(lines) == 0 {
			return ""
		}
	}
	return strings.Join(lines, "")
}

func BenchmarkOneLineOf10MB(b *testing.B) {
	old := strings.Repeat("the quick brown fox jumps over\n", 10<<20/31)
	i := len(old) / 2
	new := old[:i] + "X" + old[i:]
	b.SetBytes(int64(len(old)))
	for b.Loop() {
		if len(Unified("a", "b", old, new)) > 1000 {
			b.Fatal("long")
		}
	}
}

func BenchmarkAllDifferent(b *testing.B) {
	old := strings.Repeat("the quick brown fox jumps over\n", 10<<20/31)
	new := strings.ReplaceAll(old, "quick", "slow")
	for b.Loop() {
		Unified("a", "b", old, new)
	}
}
