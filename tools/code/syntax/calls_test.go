package syntax

import (
	"context"
	"strings"
	"testing"
)

// callsIn gives the lines on which a source calls a name.
func callsIn(t *testing.T, file, name, src string) string {
	t.Helper()
	lang := Detect(file, []byte(src))
	at, err := Uses(context.Background(), lang, []byte(src), name)
	if err != nil {
		t.Fatal(err)
	}
	calls, err := Calls(context.Background(), lang, []byte(src), at, name)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for i, a := range at {
		if calls[i] {
			line, _, _ := strings.Cut(src[strings.LastIndexByte(src[:a], '\n')+1:], "\n")
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return strings.Join(lines, " | ")
}

// A call is what the tree says, however it is written.
func TestCallsInTrees(t *testing.T) {
	t.Parallel()
	if !Grammars {
		t.Skip("this build has no tree-sitter")
	}
	for _, one := range []struct{ file, name, src, want string }{
		{"a.rb", "helper", "def go\n  helper 1\n  helper\n  self.helper 3\n  helper = 4\n  method(:helper)\nend\n", "helper 1 | helper | self.helper 3"},
		{"a.rb", "Foo", "class Foo\nend\nFoo.new(1)\nx = [Foo]\n", "Foo.new(1)"},
		{"a.lua", "helper", "helper(1)\nhelper \"x\"\nhelper{1}\nx = helper\n", "helper(1) | helper \"x\" | helper{1}"},
		{"a.lua", "meth", "M:meth\"x\"\nM.meth(1)\nx = M.meth\n", "M:meth\"x\" | M.meth(1)"},
		{"a.kt", "helper", "fun go() {\n  helper { 1 }\n  a.helper { 2 }\n  ::helper\n}\n", "helper { 1 } | a.helper { 2 }"},
		{"a.kt", "plus2", "fun go() {\n  a plus2 b\n}\n", "a plus2 b"},
		{"a.cs", "Helper", "class A { void Go() {\n  Helper<int>(1);\n  this?.Helper<int>(2);\n  Func f = Helper;\n} }\n", "Helper<int>(1); | this?.Helper<int>(2);"},
		{"a.cpp", "helper", "int go() {\n  helper<int>(1);\n  n::helper<int>(2);\n  auto f = helper<int>;\n}\n", "helper<int>(1); | n::helper<int>(2);"},
		{"a.h", "area", "struct S { double area() const; };\nint area(int);\n#define A(x) area(x)\nstatic int f(void) { return area(1); }\n", "#define A(x) area(x) | static int f(void) { return area(1); }"},
		{"a.ts", "run", "interface I { run(): void }\nclass J { run() { this.run() } }\n", "class J { run() { this.run() } }"},
		{"a.cpp", "S", "int go() {\n  new S;\n}\n", "new S;"},
		{"a.cpp", "K", "class K {\n  K();\n  ~K();\n};\nn::K::~K() {}\nint go(K *k) {\n  k->~K();\n  K(1);\n}\n", "K(1);"},
		{"a.rs", "helper", "fn go() {\n  helper::<u8>(2);\n  println!(\"{}\", helper(3));\n  let f = helper;\n}\n", "helper::<u8>(2); | println!(\"{}\", helper(3));"},
		{"a.rs", "mac", "fn go() {\n  mac!();\n  m::mac![1];\n}\n", "mac!(); | m::mac![1];"},
		{"a.php", "A", "<?php\nnew A;\nA::st();\n", "new A;"},
		{"A.java", "A", "class B { void go() {\n  new A<Integer>() {};\n  Object f = A::x;\n} }\n", "new A<Integer>() {};"},
		{"a.ts", "helper", "helper<number>(2);\nhelper`x`;\nhelper?.(3);\na.helper!(4);\nhelper.apply(null);\nxs.map(helper);\n", "helper<number>(2); | helper`x`; | helper?.(3); | a.helper!(4); | helper.apply(null);"},
		{"a.ts", "Deco", "@Deco\nclass Z { @a.Deco m() {} }\n", "@Deco | class Z { @a.Deco m() {} }"},
		{"a.ts", "K", "new K;\nconst k: K = x;\nnew a.K<number>();\n", "new K; | new a.K<number>();"},
		{"c.tsx", "Comp", "const a = <div><Comp a={1}/></div>;\nconst b = <Comp>x</Comp>;\nconst f = Comp;\n", "const a = <div><Comp a={1}/></div>; | const b = <Comp>x</Comp>;"},
		{"a.py", "helper", "@helper\ndef a(): pass\n@m.helper\ndef b(): helper\n", "@helper | @m.helper"},
	} {
		if got := callsIn(t, one.file, one.name, one.src); got != one.want {
			t.Errorf("%s in %s:\n%s\nwant\n%s", one.name, one.file, got, one.want)
		}
	}
}

// What no grammar is needed for.
func TestCalls(t *testing.T) {
	t.Parallel()
	for _, one := range []struct{ file, name, src, want string }{
		{"a.go", "Gen", "package a\n\nfunc u() {\n\tGen[int](1)\n\tp.Gen[int, string](2)\n\tf := Gen[int]\n\t(Gen)(3)\n}\n", "Gen[int](1) | p.Gen[int, string](2) | (Gen)(3)"},
		{"a.sh", "helper", "helper 1\nx=$(helper 2)\nhelper | cat\nif helper; then :; fi\n! helper\nexport helper\nhelper=3\necho $helper\n", "helper 1 | x=$(helper 2) | helper | cat | if helper; then :; fi | ! helper"},
		{"a.cc", "area", "double area() const override;\nstatic S *area(int);\ndouble Circle::area() const { return 1; }\n  n::area(2);\n  return area(3);\n  x = area(4);\n", "n::area(2); | return area(3); | x = area(4);"},
		{"a.py", "helper", "@helper\ndef a(): pass\nhelper (1)\nx = helper\n", "@helper | helper (1)"},
	} {
		if got := callsIn(t, one.file, one.name, one.src); got != one.want {
			t.Errorf("%s in %s:\n%s\nwant\n%s", one.name, one.file, got, one.want)
		}
	}
}
