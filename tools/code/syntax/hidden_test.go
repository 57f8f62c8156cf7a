//go:build cgo

package syntax

import (
	"strings"
	"testing"
)

// What is right in a language and its grammar does not know is no fault, and stands in what it belongs to.
func TestUnknownForms(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ lang, src, want string }{
		{"typescript", "interface Box<out T, in U = string> { get(): T }\ninterface Two<in out V> {}\nexport class K<in out T> {}\nexport function f() {}\n", "interface Box<out T, in U = string>;get(): T;interface Two<in out V>;export class K<in out T>;export function f()"},
		{"kotlin", "data object D\nfun interface F { fun r() }\nprivate fun interface Q { fun q() }\nfun f() {}\n", "data object D;fun interface F;fun r();private fun interface Q;fun q();fun f()"},
		{"kotlin", "interface I\n\nsealed class R { object Ok : R(); class Err(val e: Exception) : R() }\n\nclass D {\n    inner class In { fun z() {} }\n}\n\nenum class E { A, B; fun f() = 1 }\n",
			"interface I;sealed class R;object Ok : R();class Err(val e: Exception) : R();val e: Exception;class D;inner class In;fun z();enum class E;A;B;fun f() = 1"},
		{"kotlin", "interface I { fun a() }\nval f = { _: Int -> }\nval s = \"${ name } and { x }\"\nobject O { val y = 1 }\ninterface R { val a: List<Int> }\n", "interface I;fun a();val f;val s = \"${ name } and { x }\";object O;val y = 1;interface R;val a: List<Int>"},
		{"javascript", "const total = [1].reduce((a, b) => a + b, 0)\nconst memo = memoize(x => x)\nconst p = make((config) => {\n  return 1;\n});\n", "const total = [1].reduce((a, b) => a + b, 0);const memo = memoize(x => x);const p = make((config)"},
		{"rust", "unsafe extern \"C\" {\n    pub safe fn f();\n    safe static X: i32;\n}\nfn h() { let c = async || 1; go(async move |x| x); }\n", "pub safe fn f();safe static X: i32;fn h()"},
		{"c", "enum E : unsigned char { A, B };\nenum : int { C };\nint z;\n", "enum E : unsigned char;A;B;C;int z"},
		{"java", "import module java.base;\nclass A { void m() {} }\n", "class A;void m()"},
		{"shellscript", "f() {\n  if ! IFS=$'\\n' A=(x); then :; fi\n}\n\ng() {\n  case a in a) ;& b) ;;& esac\n}\n", "f();g()"},
		{"shellscript", "B=1\nIFS=$'\\n' A=(x y)\n", "B=1"},
		{"php", "<?php\nenum S: string implements I {\n    case A = 'a'; // const X = 1\n    const B = self::A;\n    private const string E = 'const Y = 2';\n    public static function f(): self { return self::B; }\n}\nconst Z = 1;\nfunction g() {}\n",
			"enum S: string implements I;case A = 'a';const B = self::A;private const string E = 'const Y = 2';public static function f(): self;const Z = 1;function g()"},
		{"cpp", "export module m;\nimport std;\nexport namespace n { int f(); }\nstruct S { void g(this S& s); };\nstruct T : U... { using U::operator()...; };\nconsteval int h() { if consteval { return 1; } return 0; }\nauto l = []<class T>(T t) static { };\nextern template class std::vector<int>;\n",
			"export namespace n;int f();struct S;void g(this S& s);struct T : U...;consteval int h();auto l = []<class T>(T t) static;"},
	} {
		f, err := Analyze(t.Context(), ByID(c.lang), []byte(c.src))
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for i := range f.Symbols {
			got += f.Symbols[i].Signature + ";"
			if s := &f.Symbols[i]; !strings.HasPrefix(c.src[s.Start:], strings.Fields(s.Signature)[0]) && c.lang != "shellscript" {
				t.Errorf("%s: %s begins at %q", c.lang, s.Path, c.src[s.Start:])
			}
		}
		if strings.TrimSuffix(got, ";") != strings.TrimSuffix(c.want, ";") || f.Broken {
			t.Errorf("%s: %s, want %s; %v", c.lang, got, c.want, f.Faults)
		}
	}
}

// A word that may be a macro and may be a mistake hides no declaration, and stays a fault.
func TestDoubtfulMacros(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ src, want string }{
		{"extern int f(int a)\n\tlzma_nothrow lzma_const;\n\nint g(void);\n", "f:1-2 g:4-4"},
		{"static noinline int f(int x)\n{\n\treturn x;\n}\nint g(void);\n", "f:1-4 g:5-5"},
		{"int f(a) T a; { return 1; }\nstaic int g(void) { return 1; }\n", "f:1-1 g:2-2"},
		{"int f(void) { return 1 }\nint g(void);\n", "f:1-1 g:2-2"},
	} {
		f, err := Analyze(t.Context(), ByID("c"), []byte(c.src))
		if err != nil {
			t.Fatal(err)
		}
		if got := spansOf(f, c.src); got != c.want || !f.Broken {
			t.Errorf("%q: %s, want %s; broken %v", c.src, got, c.want, f.Broken)
		}
	}
}

// Braces in branches of #if, brackets without end and texts do not shift what is a declaration.
func TestScanOfC(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ src, want string }{
		{"#ifdef A\nint a(int x) {\n#else\nint a(long x) {\n#endif\n\treturn 1;\n}\n__wur __must int b(void);\n", "a:2-3 a:4-7 b:8-8"},
		{"const char *s = \"{ ( //\";\nint a(int c) { /* } */ return '}'; }\n__wur __must int b(void);\n", "s:1-1 a:2-2 b:3-3"},
		{"void a(\n#if X\n\tint x)\n#else\n\tlong x)\n#endif\n{\n}\n__wur __must int b(void);\n", "a:1-8 b:9-9"},
	} {
		f, err := Analyze(t.Context(), ByID("c"), []byte(c.src))
		if err != nil {
			t.Fatal(err)
		}
		if got := spansOf(f, c.src); got != c.want {
			t.Errorf("%q: %s, want %s", c.src, got, c.want)
		}
	}
}

// Brackets without end take no time that grows with their square.
func TestScanOfManyBrackets(t *testing.T) {
	t.Parallel()
	for _, part := range []string{"(", "f(", "#if (\n", "A(\n}", "template<", "#if\n(\n#else\n"} {
		withoutMacros(ByID("cpp"), []byte(strings.Repeat(part, maxBroken/len(part))), true)
	}
}

// A class whose head does not parse is seen by its marks, with what stands in it.
func TestLostClass(t *testing.T) {
	t.Parallel()
	src := "namespace n X::Y(\"a\") {\nclass Foo : public Bar<1 2> 3 {\npublic:\n  int m();\n};\n\nint after();\n}\n"
	f, err := Analyze(t.Context(), ByID("cpp"), []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := spansOf(f, src), "n:1-8 n.Foo:2-5 n.Foo.m:4-4 n.after:7-7"; got != want || !f.Broken {
		t.Errorf("%s, want %s", got, want)
	}
}

// Templates of Python are read as f-strings, and what stands in their braces is code.
func TestTemplatesOfPython(t *testing.T) {
	t.Parallel()
	if !Grammars {
		return
	}
	src := "name = 1\nx = t\"hello {name!r:>{width}} {'a'}\"\ndef after():\n    return T'''\n{name}\n'''\nrt = rt\"\\d{name}\" + tR'{name}'\ny = 'a t' + \" t'b' \"\n"
	f, err := Analyze(t.Context(), ByID("python"), []byte(src))
	if err != nil || f.Broken || len(f.Symbols) != 5 {
		t.Errorf("%v %+v", err, f)
	}
	at, err := Uses(t.Context(), ByID("python"), []byte(src), "name")
	if err != nil || len(at) != 5 {
		t.Errorf("%v %v", err, at)
	}
}
