package code

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

const shapes = "package a\r\n\r\n// One is first.\r\nfunc One() {\r\n\tx := 1\r\n}\r\n\r\n// Two is second.\r\nfunc Two() {}\r\n\r\ntype T struct {\r\n\tName string // said\r\n\tAge  int\r\n}\r\n\r\nfunc (t *T) Do() {\r\n}\r\n"

const special = "class A {\npublic:\n  template <class T> T get() const;\n};\ntemplate <> int A::get<int>() const { return 1; }\ntemplate <> char A::get<char>() const { return 'c'; }\n"

// Each edit keeps everything else byte for byte: BOM, CRLF, tabs, trailing space, a last line without an ending.
func TestSymbolEdits(t *testing.T) {
	t.Parallel()
	const bomShapes = bom + shapes
	cases := []struct {
		name, file, before string
		action             string
		args               []any
		after              string
	}{
		{"replace a function", "a.go", bomShapes, "replace_symbol", []any{"name_path", "One", "text", "func One() {\n\ty := 2\n}\n"},
			strings.Replace(bomShapes, "func One() {\r\n\tx := 1\r\n}", "func One() {\r\n\ty := 2\r\n}", 1)},
		{"replace with its comment", "a.go", bomShapes, "replace_symbol", []any{"name_path", "Two", "text", "// Two is new.\nfunc Two() int { return 2 }"},
			strings.Replace(bomShapes, "// Two is second.\r\nfunc Two() {}", "// Two is new.\r\nfunc Two() int { return 2 }", 1)},
		{"replace a method by its receiver", "a.go", shapes, "replace_symbol", []any{"name_path", "(*T).Do", "text", "func (t *T) Do() {\n\tt.Age++\n}"},
			strings.Replace(shapes, "func (t *T) Do() {\r\n}", "func (t *T) Do() {\r\n\tt.Age++\r\n}", 1)},
		{"replace a field keeps the comment behind it", "a.go", shapes, "replace_symbol", []any{"name_path", "T.Name", "text", "Name []byte"},
			strings.Replace(shapes, "\tName string // said", "\tName []byte // said", 1)},
		{"insert after", "a.go", shapes, "insert_after", []any{"name_path", "One", "text", "func Between() {}"},
			strings.Replace(shapes, "\tx := 1\r\n}\r\n", "\tx := 1\r\n}\r\n\r\nfunc Between() {}\r\n", 1)},
		{"insert before goes above the comment", "a.go", shapes, "insert_before", []any{"name_path", "Two", "text", "func Between() {}\n"},
			strings.Replace(shapes, "// Two is second.", "func Between() {}\r\n\r\n// Two is second.", 1)},
		{"insert after the last one", "a.go", shapes, "insert_after", []any{"name_path", "T.Do", "text", "func Last() {}"},
			shapes + "\r\nfunc Last() {}\r\n"},
		{"insert after the last one, no final ending", "a.go", strings.TrimSuffix(shapes, "\r\n"), "insert_after", []any{"name_path", "T.Do", "text", "func Last() {}"},
			shapes + "\r\nfunc Last() {}"},
		{"insert a field", "a.go", shapes, "insert_after", []any{"name_path", "T.Name", "text", "Size int"},
			strings.Replace(shapes, "// said\r\n", "// said\r\n\tSize int\r\n", 1)},
		{"delete with comment and one blank line", "a.go", shapes, "delete_symbol", []any{"name_path", "Two"},
			strings.Replace(shapes, "// Two is second.\r\nfunc Two() {}\r\n\r\n", "", 1)},
		{"delete the last one", "a.go", shapes, "delete_symbol", []any{"name_path", "T.Do"},
			strings.Replace(shapes, "\r\nfunc (t *T) Do() {\r\n}\r\n", "", 1)},
		{"python: text without indentation is moved, strings inside are not", "a.py", "class A:\n    def one(self):\n        pass\n\n    def two(self):\n        pass\n", "replace_symbol",
			[]any{"name_path", "A.one", "text", "def one(self):\n    s = \"\"\"a\n  b\n\"\"\"\n    return s"},
			"class A:\n    def one(self):\n        s = \"\"\"a\n  b\n\"\"\"\n        return s\n\n    def two(self):\n        pass\n"},
		{"python: only the first line was cut", "a.py", "class A:\n    def one(self):\n        pass\n", "replace_symbol",
			[]any{"name_path", "A.one", "text", "def one(self):\n        return 1"}, "class A:\n    def one(self):\n        return 1\n"},
		{"python: four spaces become tabs where the file has tabs", "a.py", "class A:\n\tdef one(self):\n\t\tpass\n", "replace_symbol",
			[]any{"name_path", "A.one", "text", "def one(self):\n    if self:\n        return 1\n    return 2"}, "class A:\n\tdef one(self):\n\t\tif self:\n\t\t\treturn 1\n\t\treturn 2\n"},
		{"yaml: what stands below a key goes with it", "a.yaml", "top:\n  a:\n    x: 1\n  z: 2\n", "replace_symbol",
			[]any{"name_path", "top.a", "text", "a:\n  y: 1"}, "top:\n  a:\n    y: 1\n  z: 2\n"},
		{"yaml: a mapping behind a key", "a.yaml", "top:\n  a: 1\n  z: 2\n", "insert_after",
			[]any{"name_path", "top.a", "text", "b:\n  y: 1"}, "top:\n  a: 1\n  b:\n    y: 1\n  z: 2\n"},
		{"json: a key with dots", "a.json", "{\n  \"a.b\": {\"c/d\": 1},\n  \"e\": 2\n}\n", "delete_symbol", []any{"name_path", "a.b"}, "{\n  \"e\": 2\n}\n"},
		{"json: behind the last key", "a.json", "{\n  \"a\": 1,\n  \"b\": 2\n}\n", "insert_after", []any{"name_path", "b", "text", "\"c\": 3"}, "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}\n"},
		{"json: behind another key", "a.json", "{\n  \"a\": 1,\n  \"b\": 2\n}\n", "insert_after", []any{"name_path", "a", "text", "\"c\": 3,"}, "{\n  \"a\": 1,\n  \"c\": 3,\n  \"b\": 2\n}\n"},
		{"json: in front of a key", "a.json", "{\n  \"a\": 1\n}\n", "insert_before", []any{"name_path", "a", "text", "\"c\": 3"}, "{\n  \"c\": 3,\n  \"a\": 1\n}\n"},
		{"json: the value alone", "a.json", "{\n  \"a\": {\"x\": 1},\n  \"b\": 2\n}\n", "replace_symbol", []any{"name_path", "a", "text", "[1, 2]"}, "{\n  \"a\": [1, 2],\n  \"b\": 2\n}\n"},
		{"typescript: behind the last member of an enum", "a.ts", "enum E {\n  A,\n  B\n}\n", "insert_after", []any{"name_path", "E.B", "text", "C"}, "enum E {\n  A,\n  B,\n  C\n}\n"},
		{"rust: behind the last field", "a.rs", "struct S {\n    a: u8,\n    b: u8\n}\n", "insert_after", []any{"name_path", "S.b", "text", "c: u8"}, "struct S {\n    a: u8,\n    b: u8,\n    c: u8\n}\n"},
		{"css: a rule by its selector", "a.css", ".a > b { color: red; }\n.c { color: blue; }\n", "delete_symbol", []any{"name_path", ".a > b"}, ".c { color: blue; }\n"},
		{"css: a rule behind it on its line is no comment", "a.css", ".a { x: y } #b { x: y }\n.c { x: y }\n", "delete_symbol", []any{"name_path", ".a"}, "#b { x: y }\n.c { x: y }\n"},
		{"go: directives of the toolchain stay", "a.go", "package a\n\n// V is all.\n//\n//go:embed *\nvar V embed.FS\n", "replace_symbol",
			[]any{"name_path", "V", "text", "// V is everything.\nvar V embed.FS"}, "package a\n\n// V is everything.\n//go:embed *\nvar V embed.FS\n"},
		{"python: a line about the whole file is not of its first function", "a.py", "# -*- coding: utf-8 -*-\n# f\ndef f():\n    pass\n\n\ndef g():\n    pass\n", "delete_symbol",
			[]any{"name_path", "f"}, "# -*- coding: utf-8 -*-\n\n\ndef g():\n    pass\n"},
		{"php: methods are moved to their place", "a.php", "<?php\nclass A {\n    function a() {}\n}\n", "insert_after",
			[]any{"name_path", "A.a", "text", "function b()\n{\n    return 1;\n}"}, "<?php\nclass A {\n    function a() {}\n    function b()\n    {\n        return 1;\n    }\n}\n"},
		{"python: decorators belong to it", "a.py", "import x\n\n\n@x.wrap\n@y\ndef f():\n    pass\n\n\ndef g(): pass\n", "delete_symbol",
			[]any{"name_path", "f"}, "import x\n\n\ndef g(): pass\n"},
		{"python: the first one, behind a BOM", "a.py", bom + "def f():\r\n    pass\r\n\r\n\r\ndef g():\r\n    pass\r\n", "delete_symbol",
			[]any{"name_path", "f"}, bom + "def g():\r\n    pass\r\n"},
		{"python: in front of the first one, behind a BOM", "a.py", bom + "# f\r\ndef f():\r\n    pass\r\n", "insert_before",
			[]any{"name_path", "f", "text", "def e():\n    pass"}, bom + "def e():\r\n    pass\r\n\r\n# f\r\ndef f():\r\n    pass\r\n"},
		{"python: two blank lines as around it", "a.py", "def f():\n    pass\n\n\ndef g():\n    pass\n", "insert_after",
			[]any{"name_path", "f", "text", "def h():\n    pass"}, "def f():\n    pass\n\n\ndef h():\n    pass\n\n\ndef g():\n    pass\n"},
		{"typescript: export and decorator belong to it", "a.ts", "@A()\nexport class X {\n  y = 1;\n}\n\nexport const f = () => 1;\n", "replace_symbol",
			[]any{"name_path", "f", "text", "export const f = () => 2;"}, "@A()\nexport class X {\n  y = 1;\n}\n\nexport const f = () => 2;\n"},
		{"typescript: no second semicolon", "a.ts", "class X {\n  y = 1;\n  z() {}\n}\n", "replace_symbol",
			[]any{"name_path", "X.y", "text", "y = 2;"}, "class X {\n  y = 2;\n  z() {}\n}\n"},
		{"rust: attributes belong to it", "a.rs", "/// Doc.\n#[derive(Debug)]\npub struct A;\n\nfn b() {}\n", "delete_symbol", []any{"name_path", "A"}, "fn b() {}\n"},
		{"typescript: decorators of a method go with it", "a.ts", "class X {\n  y = 1;\n  /** m */\n  @dec({\n    a: 1\n  })\n  m() {}\n  n() {}\n}\n", "delete_symbol",
			[]any{"name_path", "X.m"}, "class X {\n  y = 1;\n  n() {}\n}\n"},
		{"typescript: in front of a method is in front of its decorators", "a.ts", "class X {\n  @dec({\n    a: 1\n  })\n  m() {}\n}\n", "insert_before",
			[]any{"name_path", "X.m", "text", "z() {}"}, "class X {\n  z() {}\n  @dec({\n    a: 1\n  })\n  m() {}\n}\n"},
		{"typescript: decorators stay when text has none", "a.ts", "class X {\n  @Input()\n  /** x */\n  private x = 1;\n}\n", "replace_symbol",
			[]any{"name_path", "X.x", "text", "private x = 2;"}, "class X {\n  @Input()\n  /** x */\n  private x = 2;\n}\n"},
		{"python: decorators stay when text has none", "a.py", "@app.route(\"/\")\ndef f():\n    pass\n", "replace_symbol",
			[]any{"name_path", "f", "text", "def f():\n    return 1"}, "@app.route(\"/\")\ndef f():\n    return 1\n"},
		{"python: decorators of text come in place", "a.py", "@a\n@b(\n  1)\ndef f():\n    pass\n", "replace_symbol",
			[]any{"name_path", "f", "text", "@c\ndef f():\n    return 1"}, "@c\ndef f():\n    return 1\n"},
		{"java: annotations stay when text has none", "A.java", "class A {\n    @Override\n    @X(a = \")\")\n    public void m() { }\n}\n", "replace_symbol",
			[]any{"name_path", "A.m", "text", "public void m() { n(); }"}, "class A {\n    @Override\n    @X(a = \")\")\n    public void m() { n(); }\n}\n"},
		{"rust: attributes over several lines belong to it", "a.rs", "/// Doc.\n#[derive(\n    Debug\n)]\npub struct A;\n\n#[test]\nfn b() {}\n", "delete_symbol",
			[]any{"name_path", "A"}, "#[test]\nfn b() {}\n"},
		{"rust: attributes are not doubled", "a.rs", "/// Doc.\n#[derive(Debug)]\npub struct A;\n", "replace_symbol",
			[]any{"name_path", "A", "text", "#[derive(Clone)]\npub struct A;"}, "/// Doc.\n#[derive(Clone)]\npub struct A;\n"},
		{"c: a macro ends before its line does", "a.c", "#define M 1\nstatic int k;\n", "replace_symbol",
			[]any{"name_path", "M", "text", "#define M 2"}, "#define M 2\nstatic int k;\n"},
		{"the last of a line leaves its line", "a.go", "package a\n\ntype T struct{}; func G() {}\nvar X = 1\n", "delete_symbol",
			[]any{"name_path", "G"}, "package a\n\ntype T struct{};\nvar X = 1\n"},
		{"the first of a line takes its semicolon", "a.go", "package a\n\ntype T struct{}; func G() {}\n", "delete_symbol",
			[]any{"name_path", "T"}, "package a\n\nfunc G() {}\n"},
		{"one of a list takes its comma", "a.ts", "export const k = 1, l = 2;\nenum E { A, B = 2 }\n", "delete_symbol",
			[]any{"name_path", "k"}, "export const l = 2;\nenum E { A, B = 2 }\n"},
		{"the first of a list takes its comma", "a.ts", "enum E { A, B = 2 }\n", "delete_symbol", []any{"name_path", "E.A"}, "enum E { B = 2 }\n"},
		{"the last of a list takes the comma in front", "a.ts", "enum E { A, B = 2 }\n", "delete_symbol", []any{"name_path", "E.B"}, "enum E { A }\n"},
		{"json: the last key takes the comma in front", "a.json", "{\n  \"a\": 1,\n  \"b\": {\"c\": [1]}\n}\n", "delete_symbol", []any{"name_path", "b"}, "{\n  \"a\": 1\n}\n"},
		{"json: on one line", "a.json", "{\"a\": 1, \"b\": 2}\n", "insert_after", []any{"name_path", "a", "text", "\"c\": 3,"}, "{\"a\": 1, \"c\": 3, \"b\": 2}\n"},
		{"json: behind the last one of a line", "a.json", "{\"a\": 1}\n", "insert_after", []any{"name_path", "a", "text", "\"c\": 3"}, "{\"a\": 1, \"c\": 3}\n"},
		{"json: in front on one line", "a.json", "{\"a\": 1}\n", "insert_before", []any{"name_path", "a", "text", "\"c\": 3"}, "{\"c\": 3, \"a\": 1}\n"},
		{"json: lines on one line", "a.json", "{\"a\": 1, \"b\": 2}\n", "insert_after", []any{"name_path", "a", "text", "\"c\": {\n}"}, "{\"a\": 1,\n\"c\": {\n}, \"b\": 2}\n"},
		{"json: several keys", "a.json", "{\n  \"a\": 1\n}\n", "insert_after", []any{"name_path", "a", "text", "\"b\": 2,\n\"c\": 3,"}, "{\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}\n"},
		{"json: a comment stays behind its key", "a.jsonc", "{\r\n  \"a\": 1, // a\r\n  \"b\": 2 // b\r\n}\r\n", "insert_after", []any{"name_path", "b", "text", "\"c\": 3"},
			"{\r\n  \"a\": 1, // a\r\n  \"b\": 2, // b\r\n  \"c\": 3\r\n}\r\n"},
		{"json: the last key with its comments", "a.jsonc", "{\n  \"a\": 1, // a\n  /* b */\n  \"b\": 2 // b\n  // end\n}\n", "delete_symbol", []any{"name_path", "b"}, "{\n  \"a\": 1 // a\n  // end\n}\n"},
		{"json: a key with a number in brackets", "a.json", "{\n  \"c[0]\": [1],\n  \"c\": [2]\n}\n", "delete_symbol", []any{"name_path", "c[0]"}, "{\n  \"c\": [2]\n}\n"},
		{"json: one of several keys by its number", "a.json", "[\n  {\"x\": 1},\n  {\"x\": 2}\n]\n", "replace_symbol", []any{"name_path", "x[1]", "text", "3"}, "[\n  {\"x\": 1},\n  {\"x\": 3}\n]\n"},
		{"yaml: in front of the first key of an element", "a.yaml", "jobs:\n- name: a\n  run: x\n", "insert_before", []any{"name_path", "jobs.name", "text", "id: z"}, "jobs:\n- id: z\n  name: a\n  run: x\n"},
		{"yaml: behind the first key of an element", "a.yaml", "jobs:\n  - name: a\n    run: x\n", "insert_after", []any{"name_path", "jobs.name", "text", "id: z"}, "jobs:\n  - name: a\n    id: z\n    run: x\n"},
		{"typescript: a member on one line", "a.ts", "enum E { A, B }\n", "insert_after", []any{"name_path", "E.A", "text", "C"}, "enum E { A, C, B }\n"},
		{"typescript: a field on one line", "a.ts", "interface I { a: string; b: number }\n", "insert_after", []any{"name_path", "I.a", "text", "c: boolean;"}, "interface I { a: string; c: boolean; b: number }\n"},
		{"typescript: behind a method of an object", "a.ts", "const o = {\n  b() { return 2; }\n};\n", "insert_after", []any{"name_path", "o.b", "text", "d() {}"}, "const o = {\n  b() { return 2; },\n  d() {}\n};\n"},
		{"typescript: behind an arrow of an object", "a.ts", "const o = {\n  a: 1,\n  c: () => 3 // c\n};\n", "insert_after", []any{"name_path", "o.c", "text", "d: 4"}, "const o = {\n  a: 1,\n  c: () => 3, // c\n  d: 4\n};\n"},
		{"typescript: in front of a method of an object", "a.ts", "const o = {\n  b() {},\n};\n", "insert_before", []any{"name_path", "o.b", "text", "a() {}"}, "const o = {\n  a() {},\n  b() {},\n};\n"},
		{"typescript: a class in an expression takes no commas", "a.ts", "const o = class {\n  b() {}\n};\n", "insert_after", []any{"name_path", "o.b", "text", "d() {}"}, "const o = class {\n  b() {}\n  d() {}\n};\n"},
		{"lua: behind a function of a table", "a.lua", "local M = {\n  a = 1,\n  b = function() end\n}\nfunction M.z() end\n", "insert_after", []any{"name_path", "M.b", "text", "c = function() end"}, "local M = {\n  a = 1,\n  b = function() end,\n  c = function() end\n}\nfunction M.z() end\n"},
		{"lua: in front of the only one", "a.lua", "return {\n  b = function() end,\n}\n", "insert_before", []any{"name_path", "b", "text", "c = function() end"}, "return {\n  c = function() end,\n  b = function() end,\n}\n"},
		{"lua: a function of a table outside it", "a.lua", "local M = { a = 1 }\nfunction M.z() end\n", "insert_after", []any{"name_path", "M.z", "text", "function M.c() end"}, "local M = { a = 1 }\nfunction M.z() end\nfunction M.c() end\n"},
		{"java: the end of the constants stays", "A.java", "enum E {\n  A(1), // a\n  B(2);\n\n  E(int x) {}\n}\n", "delete_symbol", []any{"name_path", "E.B"}, "enum E {\n  A(1); // a\n\n  E(int x) {}\n}\n"},
		{"java: the only constant", "A.java", "enum E {\n  B(2);\n\n  E(int x) {}\n}\n", "delete_symbol", []any{"name_path", "E.B"}, "enum E {\n  ;\n\n  E(int x) {}\n}\n"},
		{"cpp: a specialization", "a.cpp", special, "delete_symbol", []any{"name_path", "A::get<int>"}, strings.Replace(special, "template <> int A::get<int>() const { return 1; }\n", "", 1)},
		{"cpp: the template of specializations", "a.cpp", special, "replace_symbol", []any{"name_path", "A.get", "text", "template <class T> T get();"}, strings.Replace(special, "get() const;", "get();", 1)},
		{"java: an overload by its number", "A.java", "class A {\n    void f() {}\n    void f(int x) {}\n}\n", "replace_symbol",
			[]any{"name_path", "A.f[1]", "text", "void f(long x) {}"}, "class A {\n    void f() {}\n    void f(long x) {}\n}\n"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if !strings.HasSuffix(c.file, ".go") {
				needGrammars(t)
			}
			b := project(t, map[string]string{c.file: c.before})
			args := append([]any{"path", c.file}, c.args...)
			dry := b.ok(c.action, append(args, "dry_run", true)...)
			if b.read(c.file) != c.before {
				t.Fatal("a dry run wrote")
			}
			out := b.ok(c.action, args...)
			if got := b.read(c.file); got != c.after {
				t.Errorf("got\n%q\nwant\n%q", got, c.after)
			}
			if out.Text != dry.Text || !strings.HasPrefix(out.Text, "--- a/"+c.file) {
				t.Errorf("diff: %s", out.Text)
			}
			if out.data["hash"] != hashOf([]byte(c.after)) || out.data["previous_hash"] != hashOf([]byte(c.before)) {
				t.Errorf("%s", out.raw)
			}
			if out.data["parse_error"] == true {
				t.Errorf("said not to parse: %s", out.raw)
			}
			stale := b.fails(tools.Conflict, c.action, append(args, "base_hash", hashOf([]byte(c.before)))...)
			if b.read(c.file) != c.after || stale.Envelope.Error.Details.Param != "base_hash" {
				t.Error("a stale base_hash was taken")
			}
		})
	}
}

func TestEditRefusals(t *testing.T) {
	t.Parallel()
	b := project(t, map[string]string{
		"a.go":            "package a\n\nfunc F() {}\n\nfunc G() {}\n",
		"two.go":          "package a\n\ntype A struct{}\n\nfunc (A) F() {}\n\ntype B struct{}\n\nfunc (B) F() {}\n",
		"latin.go":        "package a\n\n// caf\xe9\nfunc F() {}\n",
		"secret.go":       "package a\n\nfunc F() { _ = \"abc\" }\n",
		".git/x.go":       "package a\n\nfunc F() {}\n",
		"ro.go":           "package a\n\nfunc F() {}\n",
		".git/HEAD":       "ref: refs/heads/main\n",
		".git/hooks/h.go": "package a\n\nfunc F() {}\n",
	})
	b.fails(tools.NotFound, "replace_symbol", "path", "a.go", "name_path", "H", "text", "func H() {}")
	b.fails(tools.InvalidParams, "replace_symbol", "path", "a.go", "name_path", "F", "text", " \n")
	b.fails(tools.InvalidParams, "replace_symbol", "path", "a.go", "text", "x")
	b.fails(tools.InvalidParams, "replace_symbol", "name_path", "F", "text", "x")
	b.fails(tools.InvalidParams, "replace_symbol", "path", ".", "name_path", "F", "text", "x")
	b.fails(tools.InvalidParams, "delete_symbol", "path", "a.go", "name_path", "F", "base_hash", "sha256:12")
	amb := b.fails(tools.Ambiguous, "delete_symbol", "path", "two.go", "name_path", "F")
	if len(amb.Envelope.Error.Details.Available) != 2 {
		t.Errorf("%+v", amb.Envelope.Error)
	}
	b.ok("delete_symbol", "path", "two.go", "name_path", "B.F", "dry_run", true)
	b.fails(tools.Unsupported, "delete_symbol", "path", "latin.go", "name_path", "F")
	b.fails(tools.PermissionDenied, "delete_symbol", "path", ".git/hooks/h.go", "name_path", "F")
	b.fails(tools.Conflict, "replace_symbol", "path", "secret.go", "name_path", "F", "text", "func F() { _ = \"[redacted:hanzo]\" }")
	if err := os.Chmod(filepath.Join(b.dir, "ro.go"), 0o444); err != nil {
		t.Fatal(err)
	}
	b.fails(tools.PermissionDenied, "delete_symbol", "path", "ro.go", "name_path", "F")
	// Text that breaks the file is written as asked, and said.
	out := b.ok("replace_symbol", "path", "a.go", "name_path", "F", "text", "func F() {")
	if out.data["parse_error"] != true || len(out.Envelope.Meta.Warnings) == 0 {
		t.Errorf("%s %v", out.raw, out.Envelope.Meta.Warnings)
	}
}

// A text rename leaves strings, comments, other words, files that are not UTF-8 and read-only files as they are (W16,
// W17, W49).
func TestTextRename(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"a.go":     "package a\n\n// foo is foo\nfunc foo() string { return \"foo\" }\n\nfunc foobar() { foo() }\n",
		"b.go":     "package a\r\n\r\nvar x = foo() + `foo` // foo\r\n",
		"latin.go": "package a\n\n// caf\xe9\nvar y = foo()\n",
		"ro.go":    "package a\n\nvar z = foo()\n",
		"note.txt": "foo\n",
	}
	b := project(t, files)
	if err := os.Chmod(filepath.Join(b.dir, "ro.go"), 0o444); err != nil {
		t.Fatal(err)
	}
	b.fails(tools.InvalidParams, "rename", "query", "foo", "kind", "text")
	b.fails(tools.InvalidParams, "rename", "query", "foo", "new_name", "a b", "kind", "text")
	b.fails(tools.InvalidParams, "rename", "query", "foo", "new_name", "bar", "kind", "magic")
	b.fails(tools.Conflict, "rename", "query", "foo", "new_name", "bar", "kind", "text", "expected_count", 9)
	out := b.ok("rename", "query", "foo", "new_name", "bar", "kind", "text", "expected_count", 3)
	want := map[string]string{
		"a.go":     "package a\n\n// foo is foo\nfunc bar() string { return \"foo\" }\n\nfunc foobar() { bar() }\n",
		"b.go":     "package a\r\n\r\nvar x = bar() + `foo` // foo\r\n",
		"latin.go": files["latin.go"], "ro.go": files["ro.go"], "note.txt": files["note.txt"],
	}
	for name, text := range want {
		if got := b.read(name); got != text {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := strings.Join(out.list("skipped", "path"), " "); got != "latin.go ro.go" {
		t.Errorf("skipped: %s", out.raw)
	}
	if !strings.Contains(strings.Join(out.Envelope.Meta.Warnings, " "), "latin.go") {
		t.Errorf("no warning about latin.go: %v", out.Envelope.Meta.Warnings)
	}
	b.ok("rename", "query", "foo", "new_name", "bar", "kind", "text", "comments", true)
	if got := b.read("b.go"); got != strings.ReplaceAll(files["b.go"], "foo", "bar") {
		t.Errorf("with comments: %q", got)
	}
}

func TestGrepReplace(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"a.txt": "one 1\ntwo 22\n", "b.txt": "three 3\r\nfour\r\n", "c.md": "five 5\n", "bin": "one\x00 1\n", "latin.txt": "caf\xe9 7\n",
	}
	b := project(t, files)
	b.fails(tools.InvalidParams, "grep_replace", "query", "foo(", "replacement", "x")
	b.fails(tools.InvalidParams, "grep_replace", "query", "foo")
	b.fails(tools.NotFound, "grep_replace", "query", "absent", "replacement", "x")
	b.fails(tools.Conflict, "grep_replace", "query", `(\d+)$`, "replacement", "x", "glob", "*.txt", "expected_count", 2)
	dry := b.ok("grep_replace", "query", `(\w+) (\d+)$`, "replacement", "$2 $1", "glob", "*.txt", "dry_run", true)
	if b.read("a.txt") != files["a.txt"] {
		t.Fatal("a dry run wrote")
	}
	shown := b.ok("transform", "kind", "grep_replace", "query", `(\w+) (\d+)$`, "replacement", "$2 $1", "glob", "*.txt")
	out := b.ok("grep_replace", "query", `(\w+) (\d+)$`, "replacement", "$2 $1", "glob", "*.txt")
	if out.Text != dry.Text || out.Text != shown.Text || out.data["files_changed"] != 2.0 || out.data["count"] != 3.0 {
		t.Errorf("%s\n%s\n%s", out.raw, out.Text, shown.Text)
	}
	if b.read("a.txt") != "1 one\n22 two\n" || b.read("b.txt") != "3 three\r\nfour\r\n" || b.read("c.md") != files["c.md"] || b.read("bin") != files["bin"] || b.read("latin.txt") != files["latin.txt"] {
		t.Errorf("%q %q", b.read("a.txt"), b.read("b.txt"))
	}
	b.ok("grep_replace", "query", "one", "replacement", "$1 ${x}", "literal", true, "path", "a.txt")
	if got := b.read("a.txt"); got != "1 $1 ${x}\n22 two\n" {
		t.Errorf("literal: %q", got)
	}
}

// transform gives a diff that git and patch apply, and writes nothing (W50).
func TestTransformApplies(t *testing.T) {
	t.Parallel()
	files := map[string]string{"a.go": "package a\n\nfunc foo() {}\n", "sub/b.go": "package b\n\nvar x = foo()\n"}
	b := project(t, files)
	out := b.ok("transform", "kind", "text", "query", "foo", "new_name", "bar")
	for name, text := range files {
		if b.read(name) != text {
			t.Errorf("%s was written", name)
		}
	}
	applyPatch(t, b.dir, out.Text)
	if b.read("a.go") != "package a\n\nfunc bar() {}\n" || b.read("sub/b.go") != "package b\n\nvar x = bar()\n" {
		t.Errorf("%s %s", b.read("a.go"), b.read("sub/b.go"))
	}
	b.fails(tools.InvalidParams, "transform", "kind", "magic", "query", "x", "new_name", "y")
}

// One of several names of a declaration is not removed with the others unsaid.
func TestDeleteOfOneOfSeveralNames(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	files := map[string]string{"a.go": "package a\n\nvar a, b = 1, 2\n", "A.java": "class A {\n    int a, b; // c\n}\n", "a.c": "static int a, *b;\n"}
	b := project(t, files)
	for file, text := range files {
		e := b.fails(tools.Conflict, "delete_symbol", "path", file, "name_path", "a").Envelope.Error
		if !strings.Contains(e.Message, "b") || b.read(file) != text {
			t.Errorf("%s: %s\n%q", file, e.Message, b.read(file))
		}
	}
}

// A class of Python without anything in it does not parse: what is deleted last leaves pass.
func TestPythonBlockLeftEmpty(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	b := project(t, map[string]string{"a.py": "class A:\nx = 1\n", "b.py": "class A: pass\nclass B:\n    \"\"\"doc\"\"\"\ndef f(): ...\n"})
	if out := b.ok("outline", "path", "a.py"); out.data["parse_error"] != true {
		t.Errorf("%s", out.raw)
	}
	if out := b.ok("outline", "path", "b.py"); out.data["parse_error"] != nil {
		t.Errorf("%s", out.raw)
	}
}

// Whatever is left of the block, and where it stands.
func TestPassForWhatIsDeleted(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	for _, c := range [][3]string{
		{"class A:\n    def f(self): pass\nx = 1\n", "A.f", "class A:\n    pass\nx = 1\n"},
		{"if x:\n    # f\n    @d\n    def f():\n        pass  # no\n\n# z\nelse:\n    def g(): pass\n", "f", "if x:\n    pass\n\n# z\nelse:\n    def g(): pass\n"},
		{"if x:\r\n\tdef f(): pass\r\nelse: # g\r\n\tdef g(): pass", "g", "if x:\r\n\tdef f(): pass\r\nelse: # g\r\n\tpass"},
		{"class A: B = 1\nx = 2\n", "A.B", "class A: pass\nx = 2\n"},
		{"class A:\n    b = 1\n    # c\n\n    def f(self): pass\n", "A.b", "class A:\n    # c\n\n    def f(self): pass\n"},
		{"class A:\n    \"\"\"d:\"\"\"\n    def f(self): pass\n", "A.f", "class A:\n    \"\"\"d:\"\"\"\n"},
	} {
		b := project(t, map[string]string{"a.py": c[0]})
		out := b.ok("delete_symbol", "path", "a.py", "name_path", c[1])
		if got := b.read("a.py"); got != c[2] || out.data["parse_error"] == true {
			t.Errorf("%q without %s:\n%q, want\n%q", c[0], c[1], got, c[2])
		}
	}
}

// Edits of different symbols of one file that come at once are all made.
func TestEditsAtOnce(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	text.WriteString("package a\n")
	for i := range 20 {
		fmt.Fprintf(&text, "\nfunc F%d() {}\n", i)
	}
	b := project(t, map[string]string{"a.go": text.String()})
	var group sync.WaitGroup
	for i := range 20 {
		group.Go(func() {
			out := b.call("replace_symbol", "path", "a.go", "name_path", fmt.Sprintf("F%d", i), "text", fmt.Sprintf("func F%d() { done() }", i))
			if e := out.Envelope.Error; e != nil {
				t.Errorf("F%d: %s: %s", i, e.Code, e.Message)
			}
		})
	}
	group.Wait()
	if n := strings.Count(b.read("a.go"), "done()"); n != 20 {
		t.Errorf("%d of 20 edits are in the file", n)
	}
}
