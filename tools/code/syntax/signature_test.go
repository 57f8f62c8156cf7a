package syntax

import (
	"slices"
	"testing"
)

// A string in a signature is shown whole: no mark in it ends it.
func TestStringsInSignatures(t *testing.T) {
	t.Parallel()
	if !Grammars {
		t.Skip("this build parses Go only")
	}
	for _, c := range [][3]string{
		{"python", "x = f'abc {y} d'\n", "x = f'abc {y} d'"},
		{"python", "def f(a=f\"{x}\", b='x#y', c='it\\'s {') -> 'T': pass\n", "def f(a=f\"{x}\", b='x#y', c='it\\'s {') -> 'T'"},
		{"shellscript", "x=${y}\n", "x=${y}"},
		{"shellscript", "x=a${y:-'{'}c\n", "x=a${y:-'{'}c"},
		{"shellscript", "f() { echo '}'; }\n", "f()"},
		{"javascript", "const a = 'x { // y';\n", "const a = 'x { // y'"},
		{"javascript", "const a = \"it's \\\" {\";\n", "const a = \"it's \\\" {\""},
		{"rust", "fn f<'a>(x: &'a str) -> &'a str { x }\n", "fn f<'a>(x: &'a str) -> &'a str"},
		{"cpp", "int f(char c = 'x', int n = 1'000) { return 0; }\n", "int f(char c = 'x', int n = 1'000)"},
	} {
		f, err := Analyze(t.Context(), ByID(c[0]), []byte(c[1]))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(f.Symbols, func(s Symbol) bool { return s.Signature == c[2] }) {
			t.Errorf("%s %q: %+v, want %s", c[0], c[1], f.Symbols, c[2])
		}
	}
}
