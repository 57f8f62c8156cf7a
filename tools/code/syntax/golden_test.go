//go:build cgo

package syntax

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files anew")

// The symbols of a file of each language, as they are written down in testdata.
func TestGolden(t *testing.T) {
	t.Parallel()
	samples, err := filepath.Glob("testdata/sample.*")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, file := range samples {
		if strings.HasSuffix(file, ".golden") {
			continue
		}
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lang := Detect(file, src)
		if lang == nil {
			t.Errorf("%s: no language", file)
			continue
		}
		seen[lang.ID] = true
		f, err := Analyze(t.Context(), lang, src)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if f.Broken {
			t.Errorf("%s does not parse: %v", file, f.Faults)
		}
		got := list(f, src)
		if lang.ID == "go" { // the grammar sees the same as the parser of the standard library
			g, err := parse(t.Context(), lang, src)
			if err != nil {
				t.Fatal(err)
			}
			g.Package = f.Package
			if other := list(g, src); other != got {
				t.Errorf("tree-sitter:\n%s\ngo/parser:\n%s", other, got)
			}
		}
		golden := file + ".golden"
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Error(err)
		}
		if got != string(want) {
			t.Errorf("%s:\n%s\nwant\n%s", file, got, want)
		}
	}
	for _, l := range Languages() {
		if !seen[l.ID] {
			t.Errorf("%s has no sample", l.ID)
		}
	}
}

// list writes symbols down, one a line.
func list(f *File, src []byte) string {
	var b strings.Builder
	for _, s := range f.Symbols {
		mark := " "
		if s.Exported {
			mark = "+"
		}
		fmt.Fprintf(&b, "%3d-%-3d %s %s%s %s | %s", s.Line, s.EndLine, mark, strings.Repeat("  ", s.Depth), s.Kind, s.Path, s.Signature)
		if len(s.Supers) > 0 {
			fmt.Fprintf(&b, " | < %s", strings.Join(s.Supers, ", "))
		}
		if !strings.HasPrefix(string(src[s.NameStart:]), s.Name) {
			fmt.Fprintf(&b, " | NAME NOT AT %q", src[s.NameStart:min(len(src), s.NameStart+10)])
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// What __all__ names is exported, and nothing else (W48).
func TestPythonAll(t *testing.T) {
	t.Parallel()
	src := "__all__ = ['_one', \"Two\"]\n\ndef _one(): pass\n\nclass Two:\n    def run(self): pass\n    def _hide(self): pass\n\ndef three(): pass\n\nclass Four:\n    def run(self): pass\n"
	f, err := Analyze(t.Context(), ByID("python"), []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range f.Symbols {
		if s.Exported {
			got = append(got, s.Path)
		}
	}
	if want := "_one Two Two.run"; strings.Join(got, " ") != want {
		t.Errorf("%v, want %s", got, want)
	}
}
