package syntax

import (
	"strings"
	"testing"
)

func TestParseQuery(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"F": "F", "pkg.F": "pkg.F", "(*T).m": "T.m", "(T).m": "T.m", "*T.m": "T.m", "T/m": "T.m", "/T/m": "/T.m", "T::m": "T.m", "T->m": "T.m", "T#m": "T.m",
		"List[T].Len": "List.Len", "List<K, V>.get": "List.get", "T.m()": "T.m", "T.m[2]": "T.m[2]", " T . m ": "T.m", "a/b/c.F": "a.b.c.F", "$x": "$x", "A$.$": "A$.$", "~Foo": "~Foo",
		"Foo::operator==": "Foo.operator==", "a.b.V.operator+": "a.b.V.operator+", "V::operator()": "V.operator()", "operator *": "operator*", "operator bool": "operator bool",
		"Foo.[]": "Foo.[]", "Foo.[]=": "Foo.[]=", "getoperator.x": "getoperator.x", "empty?": "empty?",
		"B.[Symbol.iterator]": "B.[Symbol.iterator]", "[k][1]": "[k][1]", "r#match": "match", `App\User::save`: "App.User.save", `\User`: "User", "日本.語": "日本.語",
		"Foo.bar(self, x)": "Foo.bar", "def bar(self) -> int:": "bar", "class Foo(Base):": "Foo", "func (t *T[K]) Do(n int) (int, error)": "T.Do", "pub async fn go": "go",
		"C.M(string)": "C.M", "`Foo.bar`": "Foo.bar", "crate::m::f": "m.f", "self.x": "x", "a.py::Foo::bar": "a.py.Foo.bar", "type": "type", "export default function main(): void": "main",
		"void a::b::C::m()": "a.b.C.m", "public static void main(String[] args)": "main", "Map<A, List<B>> foo(int x)": "foo", "const char *A::name() const": "A.name", "foo *(x)": "foo", "T . m()": "T.m", "T -> m(x)": "T.m",
		"type F func(x int)": "F", "export const f = async (x) => 1": "f", "class A extends mixin(B) {": "A", "static get v()": "v", "A::~A()": "A.~A", "void *(x)": "void",
		"bool A::operator ==(const A &o) const": "A.operator==", "A &A::operator=(A o)": "A.operator=", "operator()(int)": "operator()", "operator  new []": "operator new[]", "A::operator  const char * ()": "A.operator const char*",
		`a["b.c"].d`: "a.b.c.d", `a['b'][2]`: "a.b[2]", `["a"]["b c"]`: "a.b c", "/a/b~1c": "/a.b/c", `A["x"]() {}`: "A.x", "A[Symbol.iterator]": "A.[Symbol.iterator]", "Map[string, List[int]].Get": "Map.Get", "x[1].y": "x.y",
		"operators.Sum": "operators.Sum", "operator.add": "operator.add", "lib/operator/add": "lib.operator.add", "operator/": "operator/", "A::operator/=": "A.operator/=", "def operator(x)": "operator",
	} {
		q, ok := ParseQuery(given)
		got := q.String()
		if q.Top {
			got = "/" + got
		}
		if q.Index >= 0 {
			got += "[" + string(rune('0'+q.Index)) + "]"
		}
		if !ok || got != want {
			t.Errorf("%q: %q %v, want %q", given, got, ok, want)
		}
	}
	for _, given := range []string{"", " ", ".", "/", "()", "*", "::", "T.*", "T.", "C.[0]", "T/"} { // "T.*" does not mean T
		if q, ok := ParseQuery(given); ok {
			t.Errorf("%q: %+v", given, q)
		}
	}
}

func TestMatchName(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, want string
		rank       Rank
	}{
		{"Foo", "Foo", Exact}, {"Foo", "foo", ExactFold}, {"FooBar", "foo", Prefix}, {"BarFoo", "foo", Part}, {"NewSymbolMap", "nsm", Fuzzy},
		{"new_symbol_map", "nsm", Fuzzy}, {"NewSymbolMap", "newmap", Fuzzy}, {"Foo", "bar", NoMatch}, {"Fo", "foo", NoMatch}, {"fxoxo", "foo", NoMatch}, {"Ünï", "ünï", ExactFold},
	} {
		if got := matchName(c.name, c.want, strings.ToLower(c.want)); got != c.rank {
			t.Errorf("%s for %s: %d, want %d", c.name, c.want, got, c.rank)
		}
	}
}

func TestQualifiers(t *testing.T) {
	t.Parallel()
	f := &File{Package: "lib"}
	s := &Symbol{Name: "F", Path: "F"}
	m := &Symbol{Name: "run", Path: "Outer.Inner.run"}
	for given, want := range map[string]bool{"lib.F": true, "char.F": true, "src.lib.F": true, "src/char.F": true, "other.F": false, "lib.char.F": false} {
		q, _ := ParseQuery(given)
		if got := q.Match("src/char.go", f, s) == Exact; got != want {
			t.Errorf("%s: %v", given, got)
		}
	}
	for given, want := range map[string]bool{"run": true, "Inner.run": true, "Outer.Inner.run": true, "Outer.run": false, "/Outer/Inner/run": true, "/Inner/run": false, "lib.Outer.Inner.run": true, "x.Outer.Inner.run": false} {
		q, _ := ParseQuery(given)
		if got := q.Match("src/char.go", f, m) == Exact; got != want {
			t.Errorf("%s: %v", given, got)
		}
	}
}

// The namespace of a file of PHP may stand in front of its names.
func TestNamespace(t *testing.T) {
	t.Parallel()
	f := &File{Package: `App\Models`}
	s := &Symbol{Name: "save", Path: "User.save"}
	for given, want := range map[string]bool{`App\Models\User::save`: true, `\App\Models\User.save`: true, `Models\User.save`: true, `src.Models.User.save`: true, `App\User.save`: false, `Other\Models\User.save`: false} {
		q, ok := ParseQuery(given)
		if got := ok && q.Match("src/User.php", f, s) == Exact; got != want {
			t.Errorf("%s: %v", given, got)
		}
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		src, name string
		want      int
	}{
		{"foo foobar foo_ _foo foo.foo(foo)", "foo", 4}, {"a$foo foo$", "foo", 0}, {"äfoo fooä foo", "foo", 1}, {"", "x", 0}, {"x", "", 0}, {"aaa aa", "aa", 1}, {"naïve naïve2", "naïve", 1},
	} {
		if got := len(Words(nil, []byte(c.src), c.name)); got != c.want {
			t.Errorf("%q in %q: %d, want %d", c.name, c.src, got, c.want)
		}
	}
}

// A word in a string or comment is told from one in code, in code that stands inside a string as well.
func TestClassify(t *testing.T) {
	t.Parallel()
	for id, src := range map[string]string{
		"go":              "package a\nvar foo = \"foo\" + `foo` // foo\n/* foo */ var y = foo + 'f'\n|ctsm m c",
		"python":          "foo = 'foo' # foo\n\"\"\"foo\"\"\"\nx = f'foo {foo}'\n|ctmttc",
		"javascript":      "foo('foo', \"foo\", `foo ${foo}`); // foo\n/foo/.test(x)\n/* foo */\n|cttt cmtm",
		"typescript":      "let foo: foo = 'foo'; // foo\n|cctm",
		"typescriptreact": "const x = <foo a={foo} b=\"foo\" data-foo={1} foo-b={2}>{foo-1}foo</foo>;\n|cc ttt ctc",
		"rust":            "fn foo() { \"foo\"; foo!(); } // foo\n|ctcm",
		"java":            "class foo { String s = \"foo\"; /* foo */ foo x; char c = '\"'; foo y; String t = \"\"\"\n foo \" foo\n\"\"\"; foo z; }\n|ctmcc ttc",
		"c":               "int foo = 1; // foo\nchar *s = \"foo\\\"foo\";\n#define X foo\nchar c = '\"'; foo x; // foo \\\nfoo\nfoo\n# include <a/foo.h> // foo\n|cmttccmmctm",
		"cpp":             "int foo = 1'000; auto s = R\"(foo\" foo)\" + foo; // foo\n|cttcm",
		"csharp":          "class foo { string s = \"foo\" + $\"foo {foo}\"; } // foo\n|ctt cm",
		"ruby":            "foo 'foo' # foo\n\"foo #{foo}\"\n|ctm tc",
		"php":             "<?php foo('foo'); // foo\n$x = \"foo\";\n|ctmt",
		"kotlin":          "fun foo() = \"foo $foo\" // foo\n|ctcm",
		"lua":             "foo('foo') -- foo\nlocal s = [[foo]]\n|ctmt",
		"shellscript":     "foo 'foo' \"foo\" # foo\nfoo --foo foo-bar -x=$foo ${foo:-a} $((foo-1))\n|cttm ctt ccc",
	} {
		src, marks, _ := strings.Cut(src, "|")
		if !Grammars && id != "go" {
			continue
		}
		want := strings.ReplaceAll(strings.NewReplacer("s", "t").Replace(marks), " ", "")
		var spans []Span
		for _, at := range Words(ByID(id), []byte(src), "foo") {
			spans = append(spans, Span{at, at + 3})
		}
		places, err := Classify(t.Context(), ByID(id), []byte(src), spans)
		if err != nil {
			t.Fatal(err)
		}
		var got strings.Builder
		for _, p := range places {
			got.WriteByte("ctm"[p])
		}
		if got.String() != want {
			t.Errorf("%s: %s, want %s\n%s", id, got.String(), want, src)
		}
	}
}

// The letter of an escape is no word of code.
func TestEscapes(t *testing.T) {
	t.Parallel()
	for id, src := range map[string]string{
		"python": "x = '\\a' + f'\\a{a}'\n", "javascript": "x = '\\a' + `\\a${a}`;\n", "ruby": "x = \"\\a#{a}\"\n", "rust": "fn f() { g(\"\\a\", a); }\n",
		"c": "#define X \"\\a a\"\nint a;\n", "go": "package p\nvar x = \"\\a\" + a\n", "csharp": "class X { string s = \"\\a\" + a; }\n", "shellscript": "x=\"\\a\"; a\n",
	} {
		if !Grammars && id != "go" && id != "c" {
			continue
		}
		lang := ByID(id)
		var spans []Span
		for _, at := range Words(lang, []byte(src), "a") {
			spans = append(spans, Span{at, at + 1})
		}
		places, err := Classify(t.Context(), lang, []byte(src), spans)
		if err != nil {
			t.Fatal(err)
		}
		code := 0
		for i, p := range places {
			if p == InCode {
				code++
				if src[spans[i].Start-1] == '\\' {
					t.Errorf("%s: an escape of %q is taken for code", id, src)
				}
			}
		}
		if code != 1 {
			t.Errorf("%s: %d words of code in %q", id, code, src)
		}
	}
}

func TestDetect(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, head, want string }{
		{"a.go", "", "go"}, {"A.PY", "", "python"}, {"x.d.ts", "", "typescript"}, {"a.h", "int x;\n", "c"}, {"a.h", "#pragma once\nnamespace a {\n", "cpp"},
		{"run", "#!/usr/bin/env python3\n", "python"}, {"run", "#!/bin/bash -e\n", "shellscript"}, {"run", "#!/usr/bin/env -S node --x\n", "javascript"},
		{"run", "text\n", ""}, {"Rakefile", "", "ruby"}, {".bashrc", "", "shellscript"}, {"go", "", ""}, {".go", "", ""}, {"a.zig", "", ""}, {"a.txt", "#!/bin/sh\n", ""}, {"", "", ""},
	} {
		got := ""
		if l := Detect(c.name, []byte(c.head)); l != nil {
			got = l.ID
		}
		if got != c.want {
			t.Errorf("%s %q: %s, want %s", c.name, c.head, got, c.want)
		}
	}
}

// Whatever a file holds, there is an answer, its symbols lie in it, and parents come before children.
func FuzzAnalyze(f *testing.F) {
	for _, l := range Languages() {
		f.Add(l.ID, "class A { x = 1; f() {} }\nfunc (t *T) m() {}\ndef f(): pass\n{\"a\": [1]}\n")
		f.Add(l.ID, "\xef\xbb\xbffunction f( {\r\n\x00\xff")
		f.Add(l.ID, "A::B::c x; $a = \"b\"; export const z = () => {}, y = class {}; ~: . '' \"\"")
	}
	for _, id := range []string{"c", "cpp"} {
		f.Add(id, "__BEGIN_DECLS\nextern A_API(int) f (int __x) __THROW __nonnull ((1));\n#if A\nclass X_EXPORT Y : public Z {\nsignals: void g();\n};\n#endif\nint __NTH (h (void)) { }")
		f.Add(id, "typedef void (P F)(A a); D_DEFINE3(r, int, a)\n{\n}\ntemplate<class T = int> X operator<<(T<a> ) const X -> decltype(a, b); ((([{<#el\n#if\n;}}")
	}
	f.Add("javascript", "module.exports = { a, 'b': c, get d() {}, /* x */ e: class {} };\nexports.e = exports.f = g;\nObject.defineProperty(exports, 'h', {});\nObject.assign(module.exports, {i: 1});\nexports.\u00e9 =\nimport A, { B as C } from 'm';\nclass D extends C {}")
	f.Add("python", "from .a import (b as c,\n d)\n__all__ = ['b'] + x\n__all__: list = [\n__all__.append('e')\nimport f as g\nclass H(g.I, c): pass")
	f.Add("ruby", "class A\n private\n def b; end\n private :b, %i[c d]\n class << self\n  private def e; end\n end\n private_constant :F\n include G\nend")
	f.Add("rust", "pub use a::{self, b::{C as D, *}, };\nuse e::F as G;\nimpl G for H {}\n#[macro_export]\nmacro_rules! i { () => {} }")
	f.Add("php", "<?php\nuse A\\{B as C, D};\nclass E extends C implements D { use F, G { F::a as b; } }")
	f.Fuzz(func(t *testing.T, id, src string) {
		lang := ByID(id)
		if lang == nil || len(src) > 10_000 {
			return
		}
		got, err := Analyze(t.Context(), lang, []byte(src))
		if err != nil {
			return
		}
		for i, s := range got.Symbols {
			if s.Start < 0 || s.End > len(src) || s.Start > s.NameStart || s.NameStart > s.End || s.Parent >= i || s.Line < 1 || s.EndLine < s.Line && s.Kind != Variable || s.Name == "" {
				t.Fatalf("%s %q: %+v", id, src, s)
			}
		}
		for _, s := range got.Passed {
			if s.NameStart < 0 || s.End > len(src) || s.NameStart > s.End || s.Line < 1 || s.Name == "" {
				t.Fatalf("%s %q: handed on %+v", id, src, s)
			}
		}
	})
}
