package code

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
)

// What definition shows of a symbol, given back as it is, changes nothing: this holds of every symbol of this module's own
// source, and of files of every language.
func TestShownIsGivenBack(t *testing.T) {
	t.Parallel()
	var files []string
	for _, dir := range []string{filepath.Join("..", ".."), filepath.Join("syntax", "testdata")} {
		err := filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
			if err == nil && e.IsDir() && strings.HasPrefix(e.Name(), ".") && strings.Trim(e.Name(), ".") != "" {
				return fs.SkipDir
			}
			if err == nil && e.Type().IsRegular() && (strings.HasSuffix(p, ".go") || strings.HasPrefix(e.Name(), "sample.")) {
				files = append(files, p)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	seen := map[string]int{}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		lang := syntax.Detect(file, src)
		if lang == nil || lang.ID != "go" && !syntax.Grammars {
			continue
		}
		f, err := syntax.Analyze(t.Context(), lang, src)
		if err != nil {
			t.Fatal(err)
		}
		p := &parsed{&source{bytes: src, text: src, plain: true, lang: lang}, f}
		for i := range f.Symbols {
			s := &f.Symbols[i]
			shown := strings.Trim(bodyOf(src, lang, s), "\n")
			warn := func(w string) { t.Errorf("%s: %s: warned: %s", file, s.Path, w) }
			from, to, text := replacing(t.Context(), warn, p, s, shown)
			if fresh := slices.Concat(src[:from], []byte(text), src[to:]); !bytes.Equal(fresh, src) {
				t.Errorf("%s:%d: %s: %q became %q", file, s.Line, s.Path, shown, text)
			}
			seen[lang.ID]++
		}
	}
	if seen["go"] < 5000 || syntax.Grammars && len(seen) < 15 {
		t.Errorf("symbols: %v", seen)
	}
}

// And so it does through the tool, with other line endings, on lines that others share, and where an end was cut off.
func TestShownIsGivenBackAsItIs(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	for _, c := range []struct{ name, file, text, symbol string }{
		{"go: a comment behind a field", "a.go", "package a\n\ntype S struct {\n\tA int // x\n\tB int // y\n}\n", "S.A"},
		{"go: behind a value", "a.go", "package a\n\nvar V = 1 // v\n", "V"},
		{"python", "a.py", "class A:\n    x = 1  # c\n", "A.x"},
		{"typescript: behind a comma", "a.ts", "enum E {\n  A = 1 , // c\n  B, // d\n}\n", "E.A"},
		{"rust", "a.rs", "struct S {\n    a: u8, // c\n    b: u8,\n}\n", "S.a"},
		{"cpp", "a.cpp", "namespace a {\nint b;\n}  // namespace a\n", "a"},
		{"yaml", "a.yaml", "a: don't # c\nb: 2\n", "a"},
		{"yaml: no comment", "a.yaml", "a: b#c   \nb: 2\n", "a"},
		{"yaml: an element whose list stands as far left", "a.yaml", "nav:\n    - Comp:\n      - Client: a.md\n      - Server: b.md\n", "nav.Comp"},
		{"CRLF", "a.js", "var a = 1;\r\nfunction f() {\r\n  return 1;\r\n}\r\n", "f"},
		{"both endings", "a.js", "var a = 1;\nfunction f() {\r\n  return 1;\n}\r\nvar b;\n", "f"},
		{"a lone return", "a.json", "{\r\n  \"a\": [\r\n    1\r\n  ],\r\n  \"b\": 2\r\n}\r\n", "a"},
		{"on a line of others", "a.ts", "interface I { a: string; /* a */ b: number }\n", "I.a"},
		{"behind a fault", "a.ts", "function a() {\n  if (x {\n  }\n}\n\nfunction b() {} // b\n", "b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := project(t, map[string]string{c.file: c.text})
			shown := b.ok("definition", "path", c.file, "query", c.symbol).Text
			for _, text := range []string{shown, strings.TrimRight(shown, "\n")} {
				out := b.ok("replace_symbol", "path", c.file, "name_path", c.symbol, "text", text)
				if got := b.read(c.file); got != c.text || out.Text != "no change\n" {
					t.Fatalf("%q given back: %s\n%q\nwant\n%q", text, out.Text, got, c.text)
				}
			}
		})
	}
}

// A text has what it needs where it goes, and no more: its mark in front of its comment, the words around it once.
func TestGivenTexts(t *testing.T) {
	t.Parallel()
	const list = "enum E {\n  A = 1, // c\n  B // d\n}\n"
	for _, c := range []struct{ name, file, before, action, symbol, text, after string }{
		{"a comment takes the place of the one there", "a.go", "package a\n\nvar V = 1 // v\n", "replace_symbol", "V", "var V = 2 // w", "package a\n\nvar V = 2 // w\n"},
		{"the comma stays in front of it", "a.ts", list, "replace_symbol", "E.A", "A = 2 // new", "enum E {\n  A = 2, // new\n  B // d\n}\n"},
		{"and is not doubled", "a.ts", list, "replace_symbol", "E.A", "A = 2, // new", "enum E {\n  A = 2, // new\n  B // d\n}\n"},
		{"nor is one that is not there made", "a.ts", list, "replace_symbol", "E.B", "B = 2 // new", "enum E {\n  A = 1, // c\n  B = 2 // new\n}\n"},
		{"the mark that stands there counts", "a.ts", "interface I {\n  a: string, // c\n}\n", "replace_symbol", "I.a", "a: number; // new", "interface I {\n  a: number, // new\n}\n"},
		{"what shares its line goes to the next", "a.ts", "interface I { a: string; b: number }\n", "replace_symbol", "I.a", "a: number // new", "interface I { a: number; // new\nb: number }\n"},
		{"but behind a comment that ends", "a.ts", "interface I { a: string; b: number }\n", "replace_symbol", "I.a", "a: number /* new */", "interface I { a: number /* new */; b: number }\n"},
		{"a comment on a line of its own", "a.go", "package a\n\nvar V = 1 // v\n", "replace_symbol", "V", "var V = 2\n// end", "package a\n\nvar V = 2 // v\n// end\n"},
		{"behind a list", "a.ts", list, "insert_after", "E.A", "C = 3 // new", "enum E {\n  A = 1, // c\n  C = 3, // new\n  B // d\n}\n"},
		{"behind its last one", "a.ts", list, "insert_after", "E.B", "C = 3 // new", "enum E {\n  A = 1, // c\n  B, // d\n  C = 3 // new\n}\n"},
		{"in front of one", "a.ts", list, "insert_before", "E.B", "C = 3 // new", "enum E {\n  A = 1, // c\n  C = 3, // new\n  B // d\n}\n"},
		{"in front on one line", "a.ts", "enum E { A, B }\n", "insert_before", "E.A", "C // new", "enum E { C, // new\nA, B }\n"},
		{"behind on one line", "a.ts", "enum E { A, B }\n", "insert_after", "E.A", "C // new", "enum E { A,\nC, // new\n B }\n"},
		{"json: a comma at the end", "a.json", "{\n  \"a\": 1\n}\n", "replace_symbol", "a", "\"a\": 2,", "{\n  \"a\": 2\n}\n"},
		{"json: half of an ending", "a.json", "{\r\n  \"a\": [\r\n    1\r\n  ],\r\n  \"b\": 2\r\n}\r\n", "replace_symbol", "a", "  \"a\": [\r\n    3\r\n  ],\r", "{\r\n  \"a\": [\r\n    3\r\n  ],\r\n  \"b\": 2\r\n}\r\n"},
		{"go: a group says const", "a.go", "package a\n\nconst (\n\tA = iota\n\tB\n)\n", "replace_symbol", "B", "// B is.\nconst B = 7", "package a\n\nconst (\n\tA = iota\n\t// B is.\n\tB = 7\n)\n"},
		{"go: and type", "a.go", "package a\n\ntype (\n\tA int\n\tB struct{ x int }\n)\n", "replace_symbol", "B", "type B struct{ y int }", "package a\n\ntype (\n\tA int\n\tB struct{ y int }\n)\n"},
		{"javascript: one of several names", "a.js", "let a = 1, b = 2;\n", "replace_symbol", "a", "let a = 3;", "let a = 3, b = 2;\n"},
		{"typescript: exported names", "a.ts", "export const a = 1, b = 2;\n", "replace_symbol", "b", "export const b = 3;", "export const a = 1, b = 3;\n"},
		{"typescript: a field called type", "a.ts", "interface I {\n  type: string;\n}\n", "replace_symbol", "I.type", "type: number;", "interface I {\n  type: number;\n}\n"},
		{"export stays", "a.ts", "@A()\nexport class X {}\n", "replace_symbol", "X", "// x\nclass X { y = 1; }", "// x\nexport class X { y = 1; }\n"},
		{"export default stays", "a.js", "export default function a() {}\n", "replace_symbol", "a", "async function a() { b(); }", "export default async function a() { b(); }\n"},
		{"yaml: the value alone", "a.yaml", "env:\n  A: 1 # a\n  B: 2\n", "replace_symbol", "env.A", "\"hello\"", "env:\n  A: \"hello\" # a\n  B: 2\n"},
		{"yaml: a list alone", "a.yaml", "a:\n  l:\n    - 1\n  m: 2\n", "replace_symbol", "a.l", "- 3\n- 4", "a:\n  l:\n    - 3\n    - 4\n  m: 2\n"},
		{"yaml: a text of lines alone", "a.yaml", "a:\n  l: 1\n  m: 2\n", "replace_symbol", "a.l", "|\n  x\n  y", "a:\n  l: |\n    x\n    y\n  m: 2\n"},
		{"yaml: in an element of a list", "a.yaml", "nav:\n    - Comp:\n      - Client: a.md\n", "replace_symbol", "nav.Comp", "Comp:\n      - Client: a.md\n      - Server: b.md", "nav:\n    - Comp:\n      - Client: a.md\n      - Server: b.md\n"},
		{"html: behind an element that holds nothing", "a.html", "<head>\n  <meta a=b>\n  <title>x</title>\n</head>\n", "insert_after", "head.meta", "<base>", "<head>\n  <meta a=b>\n  <base>\n  <title>x</title>\n</head>\n"},
		{"html: an element without its end", "a.html", "<ul>\n  <li>a\n  <li>b\n</ul>\n", "replace_symbol", "ul.li[0]", "<li>z", "<ul>\n  <li>z\n  <li>b\n</ul>\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if !strings.HasSuffix(c.file, ".go") {
				needGrammars(t)
			}
			b := project(t, map[string]string{c.file: c.before})
			out := b.ok(c.action, "path", c.file, "name_path", c.symbol, "text", c.text)
			if got := b.read(c.file); got != c.after || out.data["parse_error"] == true {
				t.Errorf("%v\n%q\nwant\n%q", out.Envelope.Meta.Warnings, got, c.after)
			}
		})
	}
}

// An edit of a sound file takes away nothing that it does not name, and what it names not without something in its place.
func TestEditsThatTakeOthers(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, file, text, action, symbol, fresh, says string }{
		{"one name of two", "a.go", "package a\n\nvar A, B = f()\n\nvar C = B\n", "replace_symbol", "A", "var A = 1", "B"},
		{"go: in a group", "a.go", "package a\n\nvar (\n\tA, B = 1, 2\n)\n", "replace_symbol", "A", "A = 3", "B"},
		{"javascript", "a.js", "const { a, b } = f();\nconst c = b;\n", "replace_symbol", "a", "const a = 1;", "b"},
		{"python", "a.py", "a, b = 1, 2\nc = b\n", "replace_symbol", "a", "a = 5", "b"},
		{"out of its class", "a.py", "class E: A = 1; B = 2\n", "insert_before", "E.B", "C = 3", "E.B"},
		{"its body alone", "a.py", "def a():\n    return 1\n", "replace_symbol", "a", "    return 2", "whole definition"},
		{"of go", "a.go", "package a\n\nfunc A() int {\n\treturn 1\n}\n", "replace_symbol", "A", "{\n\treturn 2\n}", "whole definition"},
		{"no word in front", "a.go", "package a\n\ntype A int\n", "replace_symbol", "A", "A string", "whole definition"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if !strings.HasSuffix(c.file, ".go") {
				needGrammars(t)
			}
			b := project(t, map[string]string{c.file: c.text})
			e := b.fails(tools.Conflict, c.action, "path", c.file, "name_path", c.symbol, "text", c.fresh).Envelope.Error
			if b.read(c.file) != c.text || !strings.Contains(e.Message, c.says) || !strings.Contains(e.Message, "nothing was done") {
				t.Errorf("%s\n%s", e.Message, b.read(c.file))
			}
		})
	}
	b := project(t, map[string]string{"a.go": "package a\n\nvar A, B = f()\n"})
	b.ok("replace_symbol", "path", "a.go", "name_path", "B", "text", "var A = 1") // the one that is named may go
	e := b.fails(tools.NotFound, "delete_symbol", "path", "a.go", "name_path", "A", "line", 1).Envelope.Error
	if !strings.Contains(e.Message, "line 3") {
		t.Errorf("%s", e.Message)
	}
}

// Where data does not parse, which key a path means is not sure.
func TestEditsOfBrokenData(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	for _, c := range []struct{ name, file, text, action, symbol, fresh string }{
		{"yaml: quotes", "a.yaml", "k: \"x\nb: 2\nc: \"3\"\n", "replace_symbol", "k", "k: 5"},
		{"yaml: columns", "a.yaml", "a: 1\n b: 2\nc: 3\n", "delete_symbol", "a", ""},
		{"json: a brace in front", "a.json", "{\n  \"a\": {\n    \"x\": {\"p\": 1,\n    \"req\": [1]\n  },\n  \"req\": [2]\n}\n", "delete_symbol", "a.req", ""},
		{"json: in front of it", "a.json", "{\n  \"a\": [1,,2],\n  \"b\": 1\n}\n", "insert_before", "b", "\"c\": 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := project(t, map[string]string{c.file: c.text})
			e := b.fails(tools.Conflict, c.action, "path", c.file, "name_path", c.symbol, "text", c.fresh).Envelope.Error
			if b.read(c.file) != c.text || !strings.Contains(e.Message, "fs.edit") {
				t.Errorf("%s\n%s", e.Message, b.read(c.file))
			}
		})
	}
	b := project(t, map[string]string{"a.json": "{\n  \"a\": 0,\n  \"b\": [1,,2]\n}\n", "a.php": "<?php\nclass A {\n    // c\n    int $foo;\n}\n"})
	b.ok("replace_symbol", "path", "a.json", "name_path", "a", "text", "1") // the fault is in another key, behind it
	b.ok("replace_symbol", "path", "a.json", "name_path", "b", "text", "2") // which is mended
	if got := b.read("a.json"); got != "{\n  \"a\": 1,\n  \"b\": 2\n}\n" {
		t.Errorf("%s", got)
	}
	b.ok("replace_symbol", "path", "a.php", "name_path", "A.foo", "text", "public int $foo = 1;") // it begins with its first word
	if got := b.read("a.php"); got != "<?php\nclass A {\n    // c\n    public int $foo = 1;\n}\n" {
		t.Errorf("%s", got)
	}
}
