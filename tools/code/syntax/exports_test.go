package syntax

import (
	"strings"
	"testing"
)

// What a file hands on under a name that is no symbol of it.
func TestHandedOn(t *testing.T) {
	t.Parallel()
	if !Grammars {
		return
	}
	for _, c := range []struct{ id, text, want string }{
		{"javascript", "function a() {}\nexports.z = a;\nexports.a = a\nexports.g = require('./g');\nexports.n = 5;\nexports.u = exports.v = void 0;\n", "z|exports.z = a, g|exports.g = require('./g'), n|exports.n = 5"},
		{"javascript", "function a() {}\nmodule.exports = { a, z: /* it */ a, 'q': 1, get p() { return 1 }, async m() {}, f: class {}, r: require('./r'), t: true, ...x };\n", "z|z: /* it */ a, q|q, f|f: class, r|r: require('./r'), t|t: true"},
		{"javascript", "Object.defineProperty(exports, \"__esModule\", { value: true });\nObject.defineProperty(exports, 'seven', { get() {} });\nfunction e() {}\nObject.assign(module.exports, { eight: e });\n", "seven|seven, eight|eight: e"},
		{"javascript", "(function (factory) {\n  if (typeof module.exports === 'object') { factory(exports); }\n})(function (exports) {\n  exports.A = exports.B = void 0;\n  (function (A) {})(A || (exports.A = A = {})); // exports.no = 1\n  /* exports.not = 2\n   * exports.nor = 3 */\n  my.exports.neither = 4;\n});\n0 && (module.exports = { C, D: 1 });\n", "A|exports.A = A =, C|C, D|D: 1"},
		{"typescript", "class A {}\nexport { A as Pub };\nexport { A as default, A };\n", "Pub|export { A as Pub }"},
		{"python", "from .i import A, b as c, _d\nfrom typing import Any\nfrom x import E as E\nimport os\ntry:\n    from .j import F\nexcept ImportError:\n    from .k import F\ndef g(): pass\n", "(A|from .i import A), (c|from .i import b as c), E|from x import E as E, (F|from .j import F)"},
		{"python", "from i import A, B\nimport os, sys\nfrom .l import *\n__all__ = ['B', 'os', 'Lazy', 'g']\ndef g(): pass\n", "B|from i import B, os|import os, Lazy|__all__: Lazy"},
		{"rust", "pub use a::{self, B, c::D as E, f::*};\nuse g::H;\npub(crate) use i::J;\npub use k::L;\nmod m { pub use n::O; }\n", "a|pub use a::self, B|pub use a::B, E|pub use a::c::D as E, L|pub use k::L"},
	} {
		f, err := Analyze(t.Context(), ByID(c.id), []byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, s := range f.Passed {
			one := s.Name + "|" + s.Signature
			if at := c.text[s.NameStart:]; !strings.HasPrefix(at, s.Name) && !strings.HasPrefix(at, "self") {
				t.Errorf("%s: %s is not at %d", c.text, s.Name, s.NameStart)
			}
			if !s.Exported { // of a package alone
				one = "(" + one + ")"
			}
			got = append(got, one)
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%s:\n%s, want\n%s", c.text, s, c.want)
		}
	}
}

// What a class of Ruby keeps to itself.
func TestRubyVisibility(t *testing.T) {
	t.Parallel()
	if !Grammars {
		return
	}
	const text = `class Box
  attr_reader :size
  def open; end
  private
  attr_reader :inner
  def secret
    private_thing
  end
  public
  def again; end
  private def one; end
  def later; end
  def late; end
  private :later,
          :late # both
  def self.make; end
  def self.other; end
  private_class_method :make
  class << self
    def shown; end
    private
    def kept; end
  end
  def after; end
  protected # from here
  def prot; end
  SECRET = 1
  OPEN = 2
  private_constant :SECRET
=begin
  public
=end
  def still; end
  class Inner
    def free; end
  end
end
`
	f, err := Analyze(t.Context(), ByID("ruby"), []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range f.Symbols {
		if s.Exported {
			got = append(got, s.Name)
		}
	}
	if s := strings.Join(got, " "); s != "Box size open again other shown after OPEN Inner free" {
		t.Error(s)
	}
}

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
		{"python", "__all__ = other.__all__\ndef a(): pass\n", "a"},
		{"python", "__all__ = [n for n in dir() if n != 'b']\ndef a(): pass\ndef b(): pass\n", "a b"},
		{"python", "__all__ = ['a']\nif x:\n    __all__ += ['b']\n    __all__.append('c')\n__all__.remove('d')\nif __all__ == ['d']: pass\ndef a(): pass\ndef b(): pass\ndef c(): pass\ndef d(): pass\n", "a b c"},
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
