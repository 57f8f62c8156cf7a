package syntax

import "testing"

// A fault of Go stands where it is in the file, whatever a //line comment says.
func TestGoFaultLines(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"package a\n\n//line foo.y:100\nfunc F() {\n\tx := é\n\ty := )\n}\n", "package a\n\nfunc F() {\n/*line z.y:7:3*/ y := )\n}\n"} {
		f, err := Analyze(t.Context(), ByID("go"), []byte(text))
		if err != nil || len(f.Faults) == 0 {
			t.Fatal(f, err)
		}
		lines := newLineIndex([]byte(text))
		if at := f.Faults[0]; at.Line > len(lines) || text[lines[at.Line-2]+at.Column-1] != ')' {
			t.Errorf("%q: %+v", text, at)
		}
	}
}
