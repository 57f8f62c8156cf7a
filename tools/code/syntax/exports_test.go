package syntax

import (
	"strings"
	"testing"
)

// What is exported is said elsewhere than in front of it too.
func TestExportedElsewhere(t *testing.T) {
	t.Parallel()
	if !Grammars {
		return
	}
	for _, c := range []struct{ id, text, want string }{
		{"typescript", "export const e = 1, f = 2;\nconst g = 3, h = 4;\n", "e f"},
		{"typescript", "export const e = 1, // one, two\n  /* and */ f = (a, b) => a,\n  k = 3;\nlet x = 1\n", "e f k"},
		{"javascript", "function a() {}\nclass B { m() {} #p() {} }\nfunction c() {}\nmodule.exports = { a, z: B, q: c(), ['x']: 1, ...c, s: 'c, c' };\n", "a B B.m"},
		{"javascript", "function a() {}\nfunction b() {}\nmodule.exports = a;\nmodule.exports.z = b\n", "a b"},
		{"javascript", "function a() {}\nfunction b() {}\nexports = module.exports = { // all\n  a, /* b, */\n};\n", "a"},
		{"javascript", "function a() {}\nfunction b() {}\nmodule.exports = a(b);\nif (module.exports == b) {}\n", ""},
		{"python", "__all__ = ['a'] + ['c']\n__all__ += [\n    'd', # 'b'\n]\n__all__.append(\"e\")\ndef a(): pass\ndef b(): pass\ndef c(): pass\ndef d(): pass\ndef e(): pass\n", "a c d e"},
		{"python", "__all__ = ['_K', 'x']\nclass _K:\n    def m(self): pass\n    def _p(self): pass\nclass J:\n    def m(self): pass\n", "_K _K.m"},
		{"python", "__all__ = other.__all__\ndef a(): pass\n", "__all__ a"},
		{"python", "__all__ = []\ndef a(): pass\n", ""},
		{"python", "s = '''\n__all__ = ['b']\n'''\ndef a(): pass\n", "s a"},
	} {
		f, err := Analyze(t.Context(), ByID(c.id), []byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range f.Symbols {
			if s.Exported {
				got = append(got, s.Path)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, want %s", c.text, got, c.want)
		}
	}
}

// A word in code is a use of a name only when it is the name: not a part of another one, of a file's, of an argument.
func TestUses(t *testing.T) {
	t.Parallel()
	if !Grammars {
		return
	}
	for _, c := range []struct{ id, text, want string }{
		{"shellscript", "foo=1\necho $foo \"${foo:-x}\" foo\n./foo\nfoo.sh\ncd foo/bar\nfoo a\nx=1 foo\nif foo; then y=$(foo); fi\nexport a foo\nfoo() { :; }\n(( foo + 1 ))\ncase $a in\n  foo) : ;;\nesac\necho a \\\n  foo\ntest -n foo | foo\nprintf -v foo x\n",
			"1 2 2 6 7 8 8 9 10 11 17 18"},
		{"ruby", "foo = 1\nfoo? foo! foo\nx = foo ? 1 : 2\nfoo!=1\nfoo!\n", "1 2 3 4"},
		{"rust", "fn f() { println!(\"{foo} foo {{foo}} {foo:?}; {foo}\"); let a = \"{foo}\"; foo; }\n", "1 1 1 1"},
		{"typescript", "class A { #foo = 1; get foo() { return this.#foo } }\n", "1"},
	} {
		at, err := Uses(t.Context(), ByID(c.id), []byte(c.text), "foo")
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, a := range at {
			got = append(got, string(rune('0'+strings.Count(c.text[:a], "\n")+1)))
			if n := strings.Count(c.text[:a], "\n") + 1; n > 9 {
				got[len(got)-1] = "1" + string(rune('0'+n-10))
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: lines %v, want %s", c.id, got, c.want)
		}
	}
}
