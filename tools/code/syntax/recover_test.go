//go:build cgo

package syntax

import (
	"strconv"
	"strings"
	"testing"
)

// A declaration that lacks its last braces, or a bracket, hides none of those behind it, and is seen itself.
func TestUnclosed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ lang, src, want string }{
		{"go", "package p\n\nfunc first() {\n\tif true {\n\t\tf(1)\n\nfunc second() {}\n\ntype Late struct {\n\tX int\n}\n\nfunc (l *Late) Do() {}\n\nconst C = 1\n",
			"first:3-5 second:7-7 Late:9-11 Late.X:10-10 Late.Do:13-13 C:15-15"},
		{"typescript", "export class A {\n  one() { if (x) {\n}\n@dec()\nexport class B {\n  two() {}\n}\nexport function three(): string {\n  return '';\n}\nconst four = () => 1;\n",
			"A:1-3 A.one:2-3 B:4-7 B.two:6-6 three:8-10 four:11-11"},
		{"python", "class A:\n    def one(self):\n        x = f(1, [2\n    def two(self):\n        return 1\n\ndef three():\n    return {\n        'a': 1\n\n@dec\nclass B:\n    def four(self): pass\n",
			"A:1-5 A.one:2-5 three:7-9 B:11-13 B.four:13-13"},
		{"go", "package p\n\ntype T struct {\n\ta int\n\nvar v = []T{{1}}\n\ntype I interface {\n\tM()\n", "T:3-4 T.a:4-4 v:6-6 I:8-9 I.M:9-9"},
		{"rust", "fn one() { if true {\n#[derive(Debug)]\nstruct S { x: u8 }\nimpl S { fn m(&self) {} }\nfn two() {}\n", "one:1-1 S:2-3 S.x:3-3 S:4-4 S.m:4-4 two:5-5"},
		// What parses is left as it is, whatever its text looks like.
		{"go", "package p\n\nvar a = `\nfunc inText() {}\n`\n\nfunc f( {}\n", "a:3-5 f:7-7"},
	} {
		f, err := Analyze(t.Context(), ByID(c.lang), []byte(c.src))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for i := range f.Symbols {
			s := &f.Symbols[i]
			lines := newLineIndex([]byte(c.src))
			got = append(got, s.Path+":"+strconv.Itoa(lines.line(s.Start))+"-"+strconv.Itoa(s.EndLine))
		}
		if all := strings.Join(got, " "); all != c.want || !f.Broken || len(f.Faults) == 0 {
			t.Errorf("%s (broken %v):\n%s\nwant\n%s", c.lang, f.Broken, all, c.want)
		}
	}
}
