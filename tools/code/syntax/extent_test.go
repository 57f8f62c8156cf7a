package syntax

import "testing"

func TestIndents(t *testing.T) {
	t.Parallel()
	for text, line := range map[string]int{
		"def f():\n    x = (1,\n  2,\n)\n    y = \"\"\"a\n b\n\"\"\"\n\n# c\n    if x: # d\n\treturn\n    return 1\n": 0,
		"\ufeffx = 1\ny = 1 + \\\n    2\nif x: pass\nclass A:\n  def f(s): return [\n1]\n  b = 2\n":                   0,
		"def f():\r\n    x = 1\r\n   y = 2\r\n":              3,
		"def f():\n    x = 1\ny = 2\n    return 1\n":         4,
		"x = \"\"\"\n  a\n\"\"\"\n  y = 1\n":                 4,
		"if x:\n\n        a\n        # b\n    c\n":           5,
		"def f(a,\n      b):\n  s = 'it\\'s: '\n    x = 1\n": 4,
	} {
		x, found := Indents([]byte(text), TabWidth)
		if found != (line > 0) || x.Line != line {
			t.Errorf("%q: %v %+v, want line %d", text, found, x, line)
		}
	}
}

func TestBalanced(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		lang, part string
		want       bool
	}{
		{"go", "func f() { s := \"}\" }", true}, {"go", "func f() {", false}, {"go", "func f() { s := `a", false}, {"go", "var s = `a`", true},
		{"python", "s = \"\"\"a\n(\n\"\"\"", true}, {"python", "s = \"\"\"a\n", false}, {"python", "s = '''", false}, {"typescript", "f() { /* } }", false},
		{"css", ".a { b: url(x) } /* } */", true}, {"css", ".a { b: c;", false}, {"json", "\"a\": [\"]\", {}]", true}, {"json", "\"a\": [{]", false},
	} {
		if got := Balanced(ByID(c.lang), []byte(c.part)); got != c.want {
			t.Errorf("%s %q: %v", c.lang, c.part, got)
		}
	}
}

// A symbol whose lines stand as they should is sure, whatever the style.
func TestUnsure(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		lang, before, symbol, after string
		sure                        bool
	}{
		{"c", "", "static int\nf(int a)\n{\n#ifdef X\n\tg(\n);\n#endif\nout:\n\treturn 1;\n}", "\n\nint h;\n", true},
		{"ruby", "class A\n", "  def a\n    1\n  rescue X\n    2\n  end", "\nend\n", true},
		{"rust", "", "fn f<T>(\n    a: T,\n) -> u8\nwhere\n    T: X,\n{\n    1\n}", "\n", true},
		{"kotlin", "", "fun f() {\n  x()\n}", " // more\n\n/**\n * g\n */\nfun g() {}\n", true},
		{"shellscript", "", "a() {\n  if x; then y; fi\n}", "\n", true},
		{"ruby", "class A\n", "  def a\n    if x\n    1\n  end\n\n  def b\n  end\nend", "\n", false},
		{"lua", "", "function a()\n  if x then\nend\nfunction b()\nend", "\n", false},
		{"typescript", "", "f() {\n  x;\n}", "\n  return 1;\n}\n", false},
		{"typescript", "class A { b() {} ", "a() { if (x) { } }", "\n", false},
	} {
		src := c.before + c.symbol + c.after
		start := len(c.before)
		for src[start] == ' ' {
			start++
		}
		name := start
		for src[name] != '(' && src[name] != '\n' {
			name++
		}
		if c.lang == "c" {
			name = start + len("static int\nf")
		}
		s := &Symbol{Start: start, NameStart: name - 1, End: len(c.before) + len(c.symbol)}
		if why := Unsure(ByID(c.lang), []byte(src), s); (why == "") != c.sure {
			t.Errorf("%s %q: %q", c.lang, c.symbol, why)
		}
	}
}
