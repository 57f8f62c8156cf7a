package patch

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools/diff"
)

const repeated = "class A:\n    def run(self):\n        x = 1\n        return x\n\nclass B:\n    def run(self):\n        x = 1\n        return x\n"

func envelopeOf(body string) string { return "*** Begin Patch\n" + body + "\n*** End Patch\n" }

func TestApplyToOneFile(t *testing.T) {
	t.Parallel()
	update := func(hunks string) string { return envelopeOf("*** Update File: f\n" + hunks) }
	tests := []struct{ name, text, patch, want string }{
		{"one line", "a\nb\nc\n", update("@@\n a\n-b\n+B\n c"), "a\nB\nc\n"},
		{"no @@ line", "a\nb\nc\n", update(" a\n-b\n+B"), "a\nB\nc\n"},
		{"a repeated block at its @@ place", repeated, update("@@ class B:\n     def run(self):\n-        x = 1\n+        x = 2"),
			strings.Replace(repeated, "class B:\n    def run(self):\n        x = 1", "class B:\n    def run(self):\n        x = 2", 1)},
		{"nested @@ lines", repeated, update("@@ class B:\n@@ def run(self):\n-        x = 1\n+        x = 2"),
			strings.Replace(repeated, "class B:\n    def run(self):\n        x = 1", "class B:\n    def run(self):\n        x = 2", 1)},
		{"the @@ line is the first of the hunk too", repeated, update("@@ class B:\n class B:\n     def run(self):\n-        x = 1\n+        x = 2"),
			strings.Replace(repeated, "class B:\n    def run(self):\n        x = 1", "class B:\n    def run(self):\n        x = 2", 1)},
		{"two hunks for two equal places", "d\nx\nd\n", update("@@\n-d\n+e\n@@\n-d\n+f"), "e\nx\nf\n"},
		{"hunks in order", "a\nm\nb\nm\n", update("@@\n-a\n+A\n@@\n b\n-m\n+M"), "A\nm\nb\nM\n"},
		{"lines added at the end", "a\n", update("@@\n+b"), "a\nb\n"},
		{"lines added behind an @@ line", "a\nb\nc\n", update("@@ b\n+x"), "a\nb\nx\nc\n"},
		{"a function is no prefix of another", "def foo():\n    x\ndef f(a):\n    x\n", update("@@ def f\n-    x\n+    y"), "def foo():\n    x\ndef f(a):\n    y\n"},
		{"lines added behind a numbered line in the envelope", "1\n2\n3\n", update("@@ -2,0 +3,1 @@\n+new"), "1\n2\nnew\n3\n"},
		{"two patches in one", "a\nb\n", update("@@\n-a\n+A") + "\n```\n", "A\nb\n"},
		{"end of file", "x\na\nx\n", update("@@\n-x\n+y\n*** End of File"), "x\na\ny\n"},
		{"trailing blanks", "a  \nb\n", update("@@\n a\n-b\n+c"), "a  \nc\n"},
		{"trailing blanks in the patch", "a\nb\n", update("@@\n a \n-b\t\n+c"), "a\nc\n"},
		{"CRLF", "a\r\nb\r\nc\r\n", update("@@\n a\n-b\n+x\n+y\n c"), "a\r\nx\r\ny\r\nc\r\n"},
		{"patch that travelled as CRLF", "a\nb\n", strings.ReplaceAll(update("@@\n a\n-b\n+c"), "\n", "\r\n"), "a\nc\n"},
		{"no final newline", "a\nb", update("@@\n a\n-b\n+c"), "a\nc"},
		{"no final newline, lines added", "a\nb", update("@@\n b\n+c"), "a\nb\nc"},
		{"no final newline, CRLF, lines added", "a\r\nb", update("@@\n b\n+c"), "a\r\nb\r\nc"},
		{"all lines removed", "a\n", update("@@\n-a"), ""},
		{"blank context line without its space", "a\n\nb\n", update("@@\n a\n\n-b\n+c"), "a\n\nc\n"},
		{"blank line before the end mark", "a\nb\n", update("@@\n-b\n+c\n"), "a\nc\n"},
		{"blank line before an @@ line", "a\nb\nc\n", update("@@\n-a\n+A\n\n@@\n-c\n+C"), "A\nb\nC\n"},
		{"unified numbers in the envelope", "d\nx\nd\n", update("@@ -3,1 +3,1 @@\n-d\n+e"), "d\nx\ne\n"},

		{"unified", "a\nb\nc\n", "--- a/f\n+++ b/f\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n", "a\nB\nc\n"},
		{"unified, true number among equal places", "d\nx\nd\n", "--- a/f\n+++ b/f\n@@ -3 +3 @@\n-d\n+e\n", "d\nx\ne\n"},
		{"unified, moved as a whole", "0\n0\nd\nx\nd\nu\n", "--- a/f\n+++ b/f\n@@ -2 +2 @@\n-x\n+y\n@@ -3,2 +3,2 @@\n-d\n+e\n u\n", "0\n0\nd\ny\ne\nu\n"},
		{"unified, wrong counts", "a\nb\nc\n", "--- a/f\n+++ b/f\n@@ -1,9 +1,7 @@\n a\n-b\n+B\n c\n", "a\nB\nc\n"},
		{"unified, no numbers", "a\nb\nc\n", "--- a/f\n+++ b/f\n@@ ... @@\n a\n-b\n+B\n", "a\nB\nc\n"},
		{"unified, removed line that looks like a header", "a\n-- b\n++ c\n", "--- a/f\n+++ b/f\n@@ -1,3 +1,2 @@\n a\n--- b\n-++ c\n+++ d\n", "a\n++ d\n"},
		{"unified, final newline added", "a", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n", "a\n"},
		{"unified, final newline removed", "a\n", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n", "a"},
		{"unified, none of context", "a\nb\n", "--- a/f\n+++ b/f\n@@ -1,0 +2 @@\n+x\n", "a\nx\nb\n"},
		{"unified, none of context, at the top", "a\nb\n", "--- a/f\n+++ b/f\n@@ -0,0 +1 @@\n+x\n", "x\na\nb\n"},
		{"unified, none of context, at the top and below", "a\nb\n", "--- a/f\n+++ b/f\n@@ -0,0 +1 @@\n+x\n@@ -1,2 +2 @@\n-a\n-b\n+y\n", "x\ny\n"},
		{"unified, mail around it", "a\n", "From: x\nSubject: y\n\n--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n-- \n2.39.5\n", "b\n"},
		{"hunks alone", "a\nb\n", "@@ -1,2 +1,2 @@\n a\n-b\n+c\n", "a\nc\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			files, err := Parse(tt.patch, "f")
			if err != nil {
				t.Fatal(err)
			}
			if len(files) != 1 || files[0].Op != Update || files[0].Path != "f" {
				t.Fatalf("%+v", files)
			}
			got, err := Apply(tt.text, files[0].Hunks)
			if err != nil {
				t.Fatal(err)
			}
			if got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestHunksWithoutOnePlaceAreRefused(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text, hunks string
		reason            string
		lines             []int
	}{
		{"not there", "a\nb\n", "@@\n-c\n+d", "not found", nil},
		{"two places", repeated, "@@\n-        x = 1\n+        x = 2", "stand in 2 places", []int{3, 8}},
		{"two places, wrong number", "d\nx\nd\n", "@@ -2 +2 @@\n-d\n+e", "stand in 2 places", []int{1, 3}},
		{"an @@ line in two places", repeated, "@@ def run(self):\n-        return x\n+        return 2", "behind 2 of them", []int{4, 9}},
		{"lines added behind an @@ line in two places", repeated, "@@ def run(self):\n+        y = 1", "stands in 2 places", []int{3, 8}},
		{"another function than the @@ line says", "def f():\n    a\ndef g():\n    x\n", "@@ def f():\n-    x\n+    y", "block of the @@ line", nil},
		{"twice in the function of the @@ line", "def f():\n    x\n    x\n", "@@ def f():\n-    x\n+    y", "stand in 2 places", []int{2, 3}},
		{"wrong order", "a\nb\n", "@@\n-b\n+B\n@@\n-a\n+A", "order of the file", nil},
		{"no such @@ line", "a\nb\n", "@@ class X\n-a\n+A", "@@ line", nil},
		{"not at the end", "a\nb\n", "@@\n-a\n+A\n*** End of File", "not the last", nil},
		{"before the @@ line", "a\nb\n", "@@ b\n-a\n+A", "not found after line 1", nil},
		{"indentation differs", "\ta\n", "@@\n-    a\n+    b", "not found", nil},
	}
	for _, tt := range tests {
		files, err := Parse(envelopeOf("*** Update File: f\n"+tt.hunks), "")
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		got, err := Apply(tt.text, files[0].Hunks)
		var h *HunkError
		if !errors.As(err, &h) {
			t.Errorf("%s: %v, made %q", tt.name, err, got)
			continue
		}
		if !strings.Contains(h.Reason, tt.reason) || !reflect.DeepEqual(h.Lines, tt.lines) {
			t.Errorf("%s: %q %v", tt.name, h.Reason, h.Lines)
		}
	}
}

func TestManyPlacesAreBounded(t *testing.T) {
	t.Parallel()
	files, err := Parse(envelopeOf("*** Update File: f\n@@\n"+strings.Repeat(" same\n", 50)+"-same\n+other"), "")
	if err != nil {
		t.Fatal(err)
	}
	var h *HunkError
	if _, err := Apply(strings.Repeat("same\n", 200_000), files[0].Hunks); !errors.As(err, &h) || len(h.Lines) != 20 {
		t.Errorf("%v", err)
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, patch string
		want        []File // without hunks and lines
	}{
		{"envelope", envelopeOf("*** Add File: a b.txt\n+x\n+\n+y\n*** Delete File: d/e\n*** Update File: u\n*** Move to: v\n@@\n-1\n+2"),
			[]File{{Op: Add, Path: "a b.txt", Content: "x\n\ny\n"}, {Op: Delete, Path: "d/e"}, {Op: Update, Path: "u", To: "v"}}},
		{"empty new file", envelopeOf("*** Add File: a"), []File{{Op: Add, Path: "a"}}},
		{"only moved", envelopeOf("*** Update File: a\n*** Move to: b"), []File{{Op: Update, Path: "a", To: "b"}}},
		{"two in one", envelopeOf("*** Delete File: a") + "\n" + envelopeOf("*** Add File: b\n+x"), []File{{Op: Delete, Path: "a"}, {Op: Add, Path: "b", Content: "x\n"}}},
		{"in a here document", "apply_patch <<'EOF'\n" + envelopeOf("*** Delete File: a") + "EOF\n", []File{{Op: Delete, Path: "a"}}},
		{"git: new, deleted, renamed, mode", `diff --git a/n b/n
new file mode 100755
index 0000000..e69de29
--- /dev/null
+++ b/n
@@ -0,0 +1,2 @@
+one
+two
\ No newline at end of file
diff --git a/g b/g
deleted file mode 100644
--- a/g
+++ /dev/null
@@ -1 +0,0 @@
-x
diff --git a/old name b/new name
similarity index 100%
rename from old name
rename to new name
diff --git a/m b/m
old mode 100644
new mode 100755
diff --git a/e b/e
new file mode 100644
index 0000000..e69de29
`, []File{{Op: Add, Path: "n", Content: "one\ntwo", Mode: 0o755}, {Op: Delete, Path: "g"}, {Op: Update, Path: "old name", To: "new name"},
			{Op: Update, Path: "m", Mode: 0o755}, {Op: Add, Path: "e", Mode: 0o644}}},
		{"quoted names", "diff --git \"a/\\303\\244\\t.txt\" \"b/\\303\\244\\t.txt\"\n--- \"a/\\303\\244\\t.txt\"\n+++ \"b/\\303\\244\\t.txt\"\n@@ -1 +1 @@\n-a\n+b\n", []File{{Op: Update, Path: "ä\t.txt"}}},
		{"times behind names", "--- f.txt\t2026-01-01 00:00:00\n+++ f.txt\t2026-01-02 00:00:00\n@@ -1 +1 @@\n-a\n+b\n", []File{{Op: Update, Path: "f.txt"}}},
		{"no prefixes", "diff --git b/f b/f\n--- /dev/null\n+++ b/f\n@@ -0,0 +1 @@\n+b\n", []File{{Op: Add, Path: "b/f", Content: "b\n"}}},
		{"folder called a", "--- a/a/f\n+++ b/a/f\n@@ -1 +1 @@\n-a\n+b\n", []File{{Op: Update, Path: "a/f"}}},
		{"original kept by name", "--- f.orig\n+++ f\n@@ -1 +1 @@\n-a\n+b\n", []File{{Op: Update, Path: "f"}}},
		{"ways out stay visible", envelopeOf("*** Add File: a/../../O/x\n+y"), []File{{Op: Add, Path: "a/../../O/x", Content: "y\n"}}},
	}
	for _, tt := range tests {
		files, err := Parse(tt.patch, "")
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		var names []string
		for i := range files {
			files[i].Hunks, files[i].Line = nil, 0
			names = append(names, files[i].Path)
			if files[i].To != "" {
				names = append(names, files[i].To)
			}
		}
		if !reflect.DeepEqual(files, tt.want) {
			t.Errorf("%s:\n%+v\nwant\n%+v", tt.name, files, tt.want)
		}
		if got := Paths(tt.patch, ""); !reflect.DeepEqual(got, names) {
			t.Errorf("%s: paths %q, want %q", tt.name, got, names)
		}
	}
}

func TestSyntaxErrorsNameTheLine(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, patch string
		line        int
	}{
		{"text behind the end", envelopeOf("*** Delete File: a") + "--- a/b\n+++ b/b\n", 4},
		{"a line of no hunk", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-C\n+E\njunk\n+F\n", 7},
		{"cut off", "*** Begin Patch\n*** Add File: a\n+x\n", 3},
		{"no files", envelopeOf(""), 1},
		{"unknown section", envelopeOf("*** Change File: a"), 2},
		{"new file without +", envelopeOf("*** Add File: a\nx"), 3},
		{"no name", envelopeOf("*** Delete File:"), 2},
		{"line without prefix", envelopeOf("*** Update File: a\n@@\n-a\nb"), 5},
		{"nothing changes", envelopeOf("*** Update File: a\n@@\n a"), 3},
		{"no hunks", envelopeOf("*** Update File: a"), 2},
		{"neither grammar", "hello\n", 1},
		{"hunk without a file", "@@ -1 +1 @@\n-a\n+b\n", 1},
		{"two names", "--- a/x\n+++ b/y\n@@ -1 +1 @@\n-a\n+b\n", 1},
		{"binary", "diff --git a/x b/x\nGIT binary patch\nliteral 0\n", 2},
		{"link", "diff --git a/x b/x\nnew file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+y\n", 2},
	}
	for _, tt := range tests {
		_, err := Parse(tt.patch, "")
		var s *SyntaxError
		if !errors.As(err, &s) || s.Line != tt.line {
			t.Errorf("%s: %v, want line %d", tt.name, err, tt.line)
		}
	}
}

func TestLooks(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"*** Begin Patch\n":                    true,
		"diff --git a/x b/x\n":                 true,
		"--- a/x\n+++ b/x\n":                   true,
		"diff -u x y\n--- x\n+++ y\n":          true,
		"---\ntitle: front matter\n---\n":      false,
		"--- a heading of a mail\n":            false,
		"diff := a - b":                        false,
		"plain":                                false,
		"\n*** Begin Patch\n*** End Patch\n\n": true,
	} {
		if got := Looks(text); got != want {
			t.Errorf("%q: %t", text, got)
		}
	}
}

// What git says of real files must do here what it does there.
func TestPatchesOfGit(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	pairs := [][2]string{
		{"a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\n", "a\nB\nc\nd\ne\nf\ng\nh\ni\nJ\nk\nl"},
		{"same\nsame\nsame\nsame\nsame\nsame\nsame\nsame\n", "same\nsame\nsame\nsame\nnew\nsame\nsame\nsame\nsame\n"},
		{"a\r\nb\r\nc\r\n", "a\r\nx\r\nc\r\n"},
		{"x\ny", "x\ny\n"}, {"x\ny\n", "y"}, {"a\n", "a\n\n\n"},
		{"a\nb\nc\nd\n", "new\na\nb\nC\nd\n"},
	}
	for i, p := range pairs {
		for n, text := range p {
			if err := os.WriteFile(filepath.Join(dir, string(rune('a'+n))), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		for _, context := range []string{"-U3", "-U1", "-U0"} {
			cmd := exec.Command(git, "diff", "--no-index", context, "a", "b")
			cmd.Dir = dir
			out, _ := cmd.Output()
			text := strings.NewReplacer("--- a/a", "--- a/f", "+++ b/b", "+++ b/f", "a/a b/b", "a/f b/f").Replace(string(out))
			files, err := Parse(text, "")
			if err != nil {
				t.Fatalf("pair %d: %v\n%s", i, err, text)
			}
			if got, err := Apply(p[0], files[0].Hunks); err != nil || got != p[1] {
				t.Errorf("pair %d %s: %q, %v\n%s", i, context, got, err, text)
			}
		}
	}
}

// A diff of two texts, read and applied to the first, gives the second; and no text makes Parse fail otherwise than
// by an error.
func FuzzPatch(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nx\nc\n")
	f.Add("a\nb", "b\n")
	f.Add("", "a")
	f.Add("-- a\n++ b\n", "@@ -1 +1 @@\n")
	f.Add("*** Begin Patch\n*** Update File: f\n@@ x\n a\n-b\n*** End of File\n*** End Patch\n", "a\na\n")
	f.Add("diff --git \"a/\\303 b/x\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+\n", "")
	f.Fuzz(func(t *testing.T, a, b string) {
		if files, err := Parse(a, "f"); err == nil {
			for _, file := range files {
				_, _ = Apply(b, file.Hunks)
			}
		}
		Paths(a, "")
		if a == b || strings.Contains(a+b, "\r") {
			return
		}
		text := diff.Unified("a/f", "b/f", a, b)
		files, err := Parse(text, "")
		if err != nil || len(files) != 1 {
			t.Fatalf("%v\n%s", err, text)
		}
		got, err := Apply(a, files[0].Hunks)
		if err != nil || got != b {
			t.Fatalf("%v: %q → %q: %q\n%s", err, a, b, got, text)
		}
	})
}
