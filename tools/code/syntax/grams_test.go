//go:build cgo

package syntax

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What MayHold refuses, or lacks what Needs gives, holds nothing that Match would give: asked for every symbol of the samples, whole and in parts,
// in the ways that people write names.
func TestMayHold(t *testing.T) {
	t.Parallel()
	files, texts := map[string]*File{}, map[string]string{}
	samples, err := filepath.Glob("testdata/sample.*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range samples {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if lang := Detect(file, src); lang != nil {
			texts[file] = strings.ToLower(string(src))
			if files[file], err = Analyze(t.Context(), lang, src); err != nil {
				t.Fatal(err)
			}
		}
	}
	asked, refused := 0, 0
	ask := func(given string) {
		for _, read := range []func(string) (Query, bool){ParseQuery, Literal} {
			q, ok := read(given)
			if !ok {
				continue
			}
			for name, f := range files {
				asked++
				may, holds := q.MayHold(f), strings.Contains(texts[name], strings.ToLower(q.Needs()))
				if may && holds {
					continue
				}
				if !may {
					refused++
				}
				for i := range f.Symbols {
					if r := q.Match(name, f, &f.Symbols[i]); r < Fuzzy {
						t.Fatalf("%q is %s of %s (rank %d), which MayHold (%v) or Needs (%v: %q) refuses", given, f.Symbols[i].Path, name, r, may, holds, q.Needs())
					}
				}
			}
		}
	}
	for _, f := range files {
		for i := range f.Symbols {
			s := &f.Symbols[i]
			n := len(s.Name)
			for _, given := range []string{s.Name, s.Path, s.Path + "[0]", strings.ToUpper(s.Name), strings.ReplaceAll(s.Path, ".", "/"), strings.ReplaceAll(s.Path, ".", "::"),
				s.Name[n/3:], s.Name[:n-n/3], s.Name + "()", "#" + s.Name, "$" + s.Name, s.Signature} {
				ask(given)
			}
		}
	}
	if len(files) < 18 || refused < asked/2 {
		t.Errorf("%d of %d refused in %d files: it saves too little", refused, asked, len(files))
	}
}
