package code

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

const (
	modified = "class A\n  private def x; end\n  memoize def z(a)\n    a\n  end\n\n  # s\n  private_class_method def self.s; end\n  private memoize def q; end\n\n  def y; end\nend\n"
	linked   = "extern \"C\" int f() { return 1; }\nint z;\nextern \"C\"\nint g(int);\n"
	friends  = "struct A {\n  friend bool operator==(A, A) { return true; }\n  template <class T> friend int k(T) { return 1; }\n  int x;\n};\n"
	logged   = "f() {\n  echo a\n} >log 2>&1\ng() { :; }\n"
)

// What stands in front of a definition and is about it alone, or behind it, goes where it goes.
func TestEditsOfWholeStatements(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	without := func(text, part string) string { return strings.Replace(text, part, "", 1) }
	for _, c := range []struct{ name, file, text, action, symbol, fresh, want string }{
		{"ruby: deleted", "a.rb", modified, "delete_symbol", "A.x", "", without(modified, "  private def x; end\n")},
		{"ruby: with its comment", "a.rb", modified, "delete_symbol", "A.s", "", without(modified, "  # s\n  private_class_method def self.s; end\n")},
		{"ruby: two of them", "a.rb", modified, "delete_symbol", "A.q", "", without(modified, "  private memoize def q; end\n")},
		{"ruby: in front", "a.rb", modified, "insert_before", "A.z", "def n; end", strings.Replace(modified, "  memoize def z", "  def n; end\n\n  memoize def z", 1)},
		{"ruby: behind", "a.rb", modified, "insert_after", "A.x", "def n; end", strings.Replace(modified, "private def x; end\n", "private def x; end\n  def n; end\n", 1)},
		{"ruby: replaced", "a.rb", modified, "replace_symbol", "A.x", "  private def x; 1; end", strings.Replace(modified, "def x; end", "def x; 1; end", 1)},
		{"ruby: the word stays", "a.rb", modified, "replace_symbol", "A.x", "def x; 1; end", strings.Replace(modified, "def x; end", "def x; 1; end", 1)},
		{"ruby: both words stay", "a.rb", modified, "replace_symbol", "A.q", "# q\ndef q; 1; end", strings.Replace(modified, "  private memoize def q; end", "  # q\n  private memoize def q; 1; end", 1)},
		{"ruby: another word", "a.rb", modified, "replace_symbol", "A.x", "protected def x; end", strings.Replace(modified, "private def x", "protected def x", 1)},
		{"linkage: deleted", "a.cpp", linked, "delete_symbol", "f", "", without(linked, "extern \"C\" int f() { return 1; }\n")},
		{"linkage: on two lines", "a.cpp", linked, "delete_symbol", "g", "", without(linked, "extern \"C\"\nint g(int);\n")},
		{"linkage: in front", "a.cpp", linked, "insert_before", "f", "int h();", "int h();\n" + linked},
		{"linkage: replaced", "a.cpp", linked, "replace_symbol", "f", "extern \"C\" int f() { return 2; }", strings.Replace(linked, "return 1", "return 2", 1)},
		{"linkage: stays", "a.cpp", linked, "replace_symbol", "f", "int f() { return 2; }", strings.Replace(linked, "return 1", "return 2", 1)},
		{"friend: deleted", "a.cpp", friends, "delete_symbol", "A.operator==", "", without(friends, "  friend bool operator==(A, A) { return true; }\n")},
		{"friend: a template", "a.cpp", friends, "delete_symbol", "A.k", "", without(friends, "  template <class T> friend int k(T) { return 1; }\n")},
		{"friend: replaced", "a.cpp", friends, "replace_symbol", "A.operator==", "  friend bool operator==(A, A) { return false; }", strings.Replace(friends, "true", "false", 1)},
		{"friend: stays", "a.cpp", friends, "replace_symbol", "A.operator==", "bool operator==(A, A) { return false; }", strings.Replace(friends, "true", "false", 1)},
		{"shell: deleted", "a.sh", logged, "delete_symbol", "f", "", "g() { :; }\n"},
		{"shell: behind", "a.sh", logged, "insert_after", "f", "h() { :; }", strings.Replace(logged, "2>&1\n", "2>&1\n\nh() { :; }\n", 1)},
		{"shell: replaced", "a.sh", logged, "replace_symbol", "f", "f() {\n  echo b\n} >log 2>&1", strings.Replace(logged, "echo a", "echo b", 1)},
		{"shell: three of them", "a.sh", "f() { :; } >a 2>b <c # d\ng() { :; }\n", "delete_symbol", "f", "", "g() { :; }\n"},
		{"rust: a comment about the file", "a.rs", "//! crate doc\nfn f() {}\n", "delete_symbol", "f", "", "//! crate doc\n"},
		{"rust: in front", "a.rs", "//! crate doc\n//! more\nfn f() {}\n", "insert_before", "f", "use x;", "//! crate doc\n//! more\nuse x;\nfn f() {}\n"},
		{"rust: its own comment is taken", "a.rs", "#![allow(x)]\n//! doc\n/// f\n/// //! x\nfn f() {}\n", "replace_symbol", "f", "/// new\nfn f() {}", "#![allow(x)]\n//! doc\n/// new\nfn f() {}\n"},
		{"rust: of a module", "a.rs", "mod m {\n    //! doc of m\n    fn f() {}\n    fn g() {}\n}\n", "delete_symbol", "m.f", "", "mod m {\n    //! doc of m\n    fn g() {}\n}\n"},
		{"rust: a block", "a.rs", "/*! doc\n * more\n */\nfn f() {}\nfn g() {}\n", "delete_symbol", "f", "", "/*! doc\n * more\n */\nfn g() {}\n"},
		{"rust: an example in its own block", "a.rs", "/** doc\n//! more\n */\nfn f() {}\nfn g() {}\n", "delete_symbol", "f", "", "fn g() {}\n"},
		{"javascript: behind what is assigned", "a.js", "module.exports = class Y {\n  a() {}\n}; // y\n", "insert_after", "Y", "f();", "module.exports = class Y {\n  a() {}\n}; // y\n\nf();\n"},
		{"shell: behind a condition", "a.sh", "x && f() { :; } 2>a\ng() { :; }\n", "insert_after", "f", "h() { :; }", "x && f() { :; } 2>a\nh() { :; }\ng() { :; }\n"},
		{"c: a part is replaced", "a.c", "typedef struct S { int x; } T;\n", "replace_symbol", "S", "struct S { int y; }", "typedef struct S { int y; } T;\n"},
		{"ruby: a part is replaced", "a.rb", "class A\n  private(def y; end)\nend\n", "replace_symbol", "A.y", "def y; 1; end", "class A\n  private(def y; 1; end)\nend\n"},
		{"python: what the setter is put on is there", "a.py", "class A:\n    @property\n    def v(self): pass\n    @v.setter\n    def v(self, x): pass\n", "delete_symbol", "A.v[1]", "", "class A:\n    @property\n    def v(self): pass\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := project(t, map[string]string{c.file: c.text})
			out := b.ok(c.action, "path", c.file, "name_path", c.symbol, "text", c.fresh)
			if got := b.read(c.file); got != c.want || out.data["parse_error"] == true {
				t.Errorf("%v\n%q\nwant\n%q", out.Envelope.Meta.Warnings, got, c.want)
			}
		})
	}
}

// A symbol that is only a part of a statement is neither taken out of it nor given neighbours in it.
func TestEditsOfPartsOfStatements(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	for _, c := range []struct{ name, file, text, action, symbol, fresh, says string }{
		{"shell: a condition", "a.sh", "[ -n \"$x\" ] && f() { :; }\ng() { :; }\n", "delete_symbol", "f", "", "behind [ -n \"$x\" ] &&"},
		{"shell: on the line above", "a.sh", "[ -n \"$x\" ] &&\n  f() { :; }\ng() { :; }\n", "insert_before", "f", "h() { :; }", "part of the statement at line 2"},
		{"shell: a pipe", "a.sh", "f() { :; } >a 2>b | cat\n", "insert_after", "f", "h() { :; }", "in front of | cat"},
		{"shell: beside the others", "a.sh", "f() { :; } &\n", "delete_symbol", "f", "", "in front of &"},
		{"c: typedef", "a.c", "typedef struct S { int x; } T;\n", "delete_symbol", "S", "", "behind typedef, in front of T:"},
		{"c: above it", "a.c", "typedef struct S { int x; } T;\n", "insert_before", "S", "int z;", "behind typedef"},
		{"c: twice", "a.c", "typedef struct S { int x; } T;\n", "replace_symbol", "S", "typedef struct S { int y; } T;", "text has too"},
		{"c: a variable", "a.c", "struct S { int x; } s;\n", "delete_symbol", "S", "", "in front of s:"},
		{"ruby: a modifier", "a.rb", "X = 1 if Y\n", "delete_symbol", "X", "", "in front of if Y"},
		{"ruby: a modifier twice", "a.rb", "X = 1 if Y\n", "replace_symbol", "X", "X = 2 if Y", "text has too"},
		{"ruby: brackets", "a.rb", "class A\n  private(def y; end)\nend\n", "delete_symbol", "A.y", "", "behind private("},
		{"ruby: a block", "a.rb", "class A\n  foo def y; end do\n  end\nend\n", "insert_after", "A.y", "def z; end", "behind foo, in front of do"},
		{"ruby: arguments", "a.rb", "class A\n  foo def y; end, 1\nend\n", "delete_symbol", "A.y", "", "in front of , 1"},
		{"javascript: a name in an expression", "a.js", "const X = wrap(class Y {});\n", "delete_symbol", "Y", "", "behind const X = wrap("},
		{"javascript: in front of what is assigned", "a.js", "module.exports = class Y {\n  a() {}\n};\n", "insert_before", "Y", "f();", "behind module.exports ="},
		{"javascript: two assignments", "a.js", "var t = module.exports = function () {};\n", "delete_symbol", "module.exports", "", "behind var t ="},
		{"python: a getter", "a.py", "class A:\n    @property\n    def v(self): pass\n\n    @x\n    @v.setter\n    def v(self, x): pass\n", "delete_symbol", "A.v[0]", "", "@v.setter at line 7"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := project(t, map[string]string{c.file: c.text})
			e := b.fails(tools.Conflict, c.action, "path", c.file, "name_path", c.symbol, "text", c.fresh).Envelope.Error
			if b.read(c.file) != c.text || !strings.Contains(e.Message, c.says) || !strings.Contains(e.Message, "fs.apply_patch; nothing was done") {
				t.Errorf("%s\n%s", e.Message, b.read(c.file))
			}
		})
	}
}

// What definition shows of any symbol can be given back, and nothing changes.
func TestDefinitionsGivenBack(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	files := map[string]string{"a.rb": modified, "b.rb": "class A\n  private(def y; end)\n  X = 1 if Y\nend\n", "a.cpp": linked, "b.cpp": friends, "a.sh": logged, "b.sh": "x && f() { :; } >a >b\n", "a.c": "typedef struct S { int x; } T;\n", "a.js": "module.exports = class Y {\n  a() {}\n}; // y\n"}
	samples, err := filepath.Glob("syntax/testdata/sample.*")
	if err != nil {
		t.Fatal(err)
	}
	for _, sample := range samples {
		text, err := os.ReadFile(sample)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(sample, ".golden") {
			files[filepath.Base(sample)] = string(text)
		}
	}
	b := project(t, files)
	for file, text := range files {
		names, lines := b.ok("symbols", "path", file).list("symbols", "name_path"), b.ok("symbols", "path", file).list("symbols", "line")
		for i, name := range names {
			out := b.call("definition", "path", file, "query", name)
			symbol, ok := out.data["symbol"].(map[string]any)
			if !ok || fmt.Sprint(symbol["line"]) != lines[i] { // one of several of its name
				continue
			}
			back := b.call("replace_symbol", "path", file, "name_path", name, "text", out.Text)
			if e := back.Envelope.Error; e != nil && e.Code != tools.Ambiguous || e == nil && back.Text != "no change\n" || b.read(file) != text {
				t.Errorf("%s: %s given back: %+v\n%s", file, name, e, back.Text)
			}
		}
	}
}
