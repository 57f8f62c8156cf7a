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
			"A:1-3 A.one:2-2 B:4-7 B.two:6-6 three:8-10 four:11-11"},
		{"python", "class A:\n    def one(self):\n        x = f(1, [2\n    def two(self):\n        return 1\n\ndef three():\n    return {\n        'a': 1\n\n@dec\nclass B:\n    def four(self): pass\n",
			"A:1-5 A.one:2-3 A.two:4-5 three:7-9 B:11-13 B.four:13-13"},
		{"go", "package p\n\ntype T struct {\n\ta int\n\nvar v = []T{{1}}\n\ntype I interface {\n\tM()\n", "T:3-4 T.a:4-4 v:6-6 I:8-9 I.M:9-9"},
		{"rust", "fn one() { if true {\n#[derive(Debug)]\nstruct S { x: u8 }\nimpl S { fn m(&self) {} }\nfn two() {}\n", "one:1-1 S:2-3 S.x:3-3 S:4-4 S.m:4-4 two:5-5"},
		// Text is no declaration, and a declaration goes on behind it.
		{"go", "package a\n\nfunc TestX() {\n\tsrc := `\nfunc fake() {}\n\ntype Ghost struct{}\n`\n\tif x {\n}\n\nfunc B() {\n}\n", "TestX:3-10 B:12-13"},
		{"python", "def a():\n    s = \"\"\"\ndef fake():\n    pass\n\"\"\"\n    x = (1,\n    return s\n\ndef b():\n    pass\n", "a:1-7 b:9-10"},
		{"typescript", "export function a() {\n  const t = `\nfunction fake() {}${`\n`}\nclass Ghost {}\n`;\n  if (t {\n}\n/*\nclass Old {\n}\n*/\nfunction b() {}\n", "a:1-8 b:13-13"},
		{"javascript", "/*\nfunction old() {}\n*/\nconst r = /[`/]/;\nfunction a() {\n  if (x {\n}\n\nfunction b() { return `'`; }\n", "r:4-4 a:5-7 b:9-9"},
		{"rust", "fn a() {\n    let s = r#\"\nfn fake() {}\n\"#;\n    if x {\n}\n/* /* */\nstruct Old;\n*/\nfn b<'a>() { '\"'; }\n", "a:1-6 b:10-10"},
		// A text without an end hides nothing.
		{"typescript", "function a() {\n  const s = `open;\n}\n\nfunction b() { return `x`; }\n\nfunction c() {}\n", "a:1-3 b:5-5 c:7-7"},
		{"go", "package a\n\nfunc A() {\n\tx := \"open\n}\n\nvar s = `open\n\nfunc C() {}\n", "A:3-5 C:9-9"},
		{"python", "def a():\n    x = `1\n\ndef b():\n    pass\n", "a:1-2 b:4-5"},
		// Members that stand below each other are read one by one.
		{"typescript", "export class A {\n  a() {\n    if (x {\n  }\n\n  b(): void {}\n  // c\n  c() {\n    return (1)\n  }\n}\nclass B { d() {} }\n", "A:1-11 A.a:2-4 A.b:6-6 A.c:8-10 B:12-12 B.d:12-12"},
		{"typescript", "export default class A extends B {\n  x = 1;\n  a() {\n    for (const i of j) {\n      f(i);\n  }\n  return() {\n    g();\n  }\n", "A:1-9 A.x:2-2 A.a:3-6 A.return:7-9"},
		{"javascript", "const x = {\n  a() {\n    if (x {\n  },\n  b: function () {},\n};\n", "x:1-6 x.a:2-4 x.b:5-5"},
		{"python", "class T:\n    def a(self):\n        return f(1, 2\n\n    @dec(\n        1\n    )\n    def b(self):\n        pass\n\n    x = 1\n\nX = 1\n", "T:1-11 T.a:2-3 T.b:5-9 T.x:11-11 X:13-13"},
		{"python", "class C:\n<<<<<<< HEAD\n    def m(self): pass\n=======\n    def n(self): pass\n>>>>>>> x\n    def o(self): pass\n", "C:1-7 C.m:3-3 C.n:5-5 C.o:7-7"},
		{"java", "@X\npublic class A {\n  int f() {\n    if (x)\n      g();\n    }\n    return 1;\n  }\n\n  void c() {}\n}\n", "A:1-11 A.f:3-8 A.c:10-10"},
		{"csharp", "namespace N\n{\n    class X\n    {\n        void A()\n        {\n            if (x) {\n        }\n\n        [Y]\n        void B() {}\n    }\n}\n", "N:1-13 N.X:3-12 N.X.A:5-8 N.X.B:10-11"},
		{"rust", "impl S {\n    fn a(&self) {\n        if x {\n    }\n\n    #[inline]\n    fn b(&self) {}\n}\nfn c() {}\n", "S:1-8 S.a:2-4 S.b:6-7 c:9-9"},
		{"kotlin", "fun b() {\n}\n\n@X\nclass C(val x: Int) : B() {\n    fun c() {\n        if (x) {\n    }\n\n    val d = \"\"\"\nfun fake() {}\n\"\"\"\n    fun e() {}\n}\n\nfun f() {\n    g(\n}\n\nfun h() {}\n", "b:1-2 C:4-14 C.x:5-5 C.c:6-8 C.d:10-12 C.e:13-13 f:16-18 h:20-20"},
		{"kotlin", "package a\n\n@X\nclass A : B() {\n    fun f(a: Int): Int {\n        when (a) {\n            1 -> 2\n        return 3\n    }\n\n    private fun g() = 1\n}\n", "A:3-12 A.f:5-9 A.g:11-11"},
		{"kotlin", "class A {\n    fun a() { if (x { }\n    fun b() {}\n}\nfun z() {}\n", "A:1-4 A.a:2-2 A.b:3-3 z:5-5"},
		{"csharp", "namespace N {\n  class A {\n    string s = @\"\nclass Ghost {}\n\";\n    void A1() { if (x { }\n    void B1() {}\n  }\n  class C { int P { get; set; } }\n}\n", "N:1-10 N.A:2-8 N.A.s:3-5 N.A.A1:6-6 N.A.B1:7-7 N.C:9-9 N.C.P:9-9"},
		{"cpp", "namespace n {\nclass A {\n  void m() { if (x { }\n  void k();\n};\nvoid A::k() {}\n}\n", "n:1-7 n.A:2-5 n.A.m:3-3 n.A.k:4-4 n.A.k:6-6"},
		{"cpp", "class A {\n public:\n  int f() {\n    if (x) {\n      g();\n  }\n  int h() { return 1; }\n};\n\nclass B {\n  int i();\n};\n\nint\nD()\n{ return 2; }\n", "A:1-8 A.f:3-6 A.h:7-7 B:10-12 B.i:11-11 D:14-16"},
		{"c", "#define X(a) \\\n  a\nint a(void)\n{\n#ifdef Q\n  if (x) {\n#else\n  if (y) {\n#endif\n    f();\n  }\n  return 0;\n}\nint b(void) { return 1; }\n", "X:1-2 a:3-13 b:14-14"},
		{"ruby", "class A\n  def a\n    foo(1, 2\n  end\n\n  def b\n    1\n  end\nend\n\nclass D\n  def e; end\nend\n", "A:1-9 A.a:2-4 A.b:6-8 D:11-13 D.e:12-12"},
		{"go", "package a\n\ntype S struct {\n\tA int\n\tB map[string\n\tC int\n}\n\nfunc (s S) M() {}\n\nconst (\n\tX = 1\n\tY = 2\n\nfunc Z() {}\n", "S:3-7 S.A:4-4 S.C:6-6 S.M:9-9 X:12-12 Y:13-13 Z:15-15"},
		// It ends where its lines do, not with the first brace that fits.
		{"typescript", "function f() {\n  if (x)\n    g();\n  }\n  return 1;\n}\n\nfunction c() {}\n", "f:1-6 c:8-8"},
		// What parses is left as it is, whatever its text looks like.
		{"go", "package p\n\nvar a = `\nfunc inText() {}\n`\n\nfunc f( {}\n", "a:3-5 f:7-7"},
	} {
		f, err := Analyze(t.Context(), ByID(c.lang), []byte(c.src))
		if err != nil {
			t.Fatal(err)
		}
		if all := spansOf(f, c.src); all != c.want || !f.Broken || len(f.Faults) == 0 {
			t.Errorf("%s (broken %v):\n%s\nwant\n%s", c.lang, f.Broken, all, c.want)
		}
	}
}

// spansOf writes the lines of symbols down.
func spansOf(f *File, src string) string {
	var got []string
	lines := newLineIndex([]byte(src))
	for i := range f.Symbols {
		s := &f.Symbols[i]
		got = append(got, s.Path+":"+strconv.Itoa(lines.line(s.Start))+"-"+strconv.Itoa(s.EndLine))
	}
	return strings.Join(got, " ")
}

// The head of a declaration that has no end is one line, and no statement is one.
func TestUnclosedHeads(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ lang, src, want string }{
		{"python", "class T:\n    def a(self, n=3):\n        return f(1, 2\n    def b(self): pass\n", "class T|def a(self, n=3)|def b(self)"},
		{"python", "def a(x: int):\n    s = \"\"\"\n    y\n\ndef b():\n    pass\n", "def a(x: int)|def b()"},
		{"typescript", "class A {\n  a(): number {\n    if (x {\n      return (1);\n    for (;;) {\n      f(1);\n    }\n}\n", "class A|a(): number"},
		{"java", "class A {\n  void a() {\n    if (x {\n    while (y) {\n    }\n  }\n}\n", "class A|void a()"},
	} {
		f, err := Analyze(t.Context(), ByID(c.lang), []byte(c.src))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for i := range f.Symbols {
			got = append(got, f.Symbols[i].Signature)
		}
		if all := strings.Join(got, "|"); all != c.want {
			t.Errorf("%s: %s, want %s", c.lang, all, c.want)
		}
	}
}
