//go:build cgo

package syntax

import (
	"fmt"
	"strings"
	"testing"
)

// A symbol has its own lines and text, and none of what stands around it.
func TestBounds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ lang, src, want string }{
		{"c", "typedef struct {\n  int a;\n  int b;\n} T;\ntypedef enum E { A,\n B } E;\n", "T:1-4 typedef struct {…} T|T.a:2-2 int a|T.b:3-3 int b|E:5-6 typedef enum E {…} E|E.E:5-6 enum E|E.E.A:5-5 A|E.E.B:6-6 B"},
		{"cpp", "#define M 1  \nint k;\n", "M:1-1 #define M 1|k:2-2 int k"},
		{"html", "<head>\n  <META a=b>\n  <title>x</title>\n</head>\n<p>x<br>y</p>\n<ul>\n  <li>a\n  <li>b\n</ul>\n", "head:1-4 <head>|head.META:2-2 <META a=b>|head.title:3-3 <title>|p:5-5 <p>|p.br:5-5 <br>|ul:6-9 <ul>|ul.li:7-7 <li>|ul.li:8-8 <li>"},
		{"php", "<?php\nclass A {\n    // c\n    int $foo;\n}\n", "A:2-5 class A|A.foo:4-4 int $foo"},
		{"javascript", "const r = /[/{]function \"q() {}/g;\nconst a = b / c;\n", "r:1-1 const r = /[/{]function \"q() {}/g|a:2-2 const a = b / c"},
	} {
		if _, got := bounds(t, c.lang, c.src); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.lang, got, c.want)
		}
	}
}

// What the grammar of TypeScript does not know is no fault: a global block in a module. A type that it cannot read is none
// that could be called import.
func TestDeclarationsTheGrammarDoesNotKnow(t *testing.T) {
	t.Parallel()
	f, got := bounds(t, "typescript", "declare module \"b\" {\n  global {\n    interface C {\n      a(n: number): void;\n    }\n  }\n  type global = { b: 1 };\n}\n")
	if want := "b:1-8 declare module \"b\"|b.C:3-5 interface C|b.C.a:4-4 a(n: number): void|b.global:7-7 type global|b.global.b:7-7 b: 1"; got != want || f.Broken {
		t.Errorf("%s %v\nwant\n%s", got, f.Faults, want)
	}
	_, got = bounds(t, "typescript", "export declare const V: {\n  readonly \"0\": import(\"z\").E<import(\"z\").O<{\n    a: import(\"z\").S;\n  }, import(\"z\").T>, {\n    b: string;\n  }>;\n};\n")
	if strings.Contains(got, "import:") || strings.Contains(got, ".import") || !strings.Contains(got, "V:1-") {
		t.Error(got)
	}
}

// A function without a name that a module gives by default may have no body in a declaration.
func TestDefaultWithoutBody(t *testing.T) {
	t.Parallel()
	f, got := bounds(t, "typescript", "declare const e: () => void;\nexport default function (): {\n  a: any;\n};\nexport default function(a: string): string;\n")
	if want := "e:1-1 declare const e: () => void|default:2-4 export default function ()|default:5-5 export default function(a: string): string"; got != want || f.Broken || len(f.Faults) > 0 || !f.Symbols[1].Exported {
		t.Errorf("%s %v\nwant\n%s", got, f.Faults, want)
	}
	if f, _ := bounds(t, "typescript", "export default function (: string;\n"); !f.Broken {
		t.Error("no fault in what is none")
	}
}

func bounds(t *testing.T, lang, src string) (*File, string) {
	t.Helper()
	f, err := Analyze(t.Context(), ByID(lang), []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range f.Symbols {
		s := &f.Symbols[i]
		if first := 1 + strings.Count(src[:s.Start], "\n"); first != s.Line {
			t.Errorf("%s: line %d, begins in line %d", s.Path, s.Line, first)
		}
		if text := src[s.Start:s.End]; strings.TrimSpace(text) != text {
			t.Errorf("%s: %q", s.Path, text)
		}
		got = append(got, fmt.Sprintf("%s:%d-%d %s", s.Path, s.Line, s.EndLine, s.Signature))
	}
	return f, strings.Join(got, "|")
}

// What looks like a bracket in a text, a regular expression or a comment is none.
func TestBalancedTexts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		lang, part string
		want       bool
	}{
		{"javascript", "function f() { return /[/}]/.test(a) / b; }", true},
		{"typescript", "const a = `${b(`}`)}{`;", true},
		{"typescript", "const a = `${b};", false},
		{"javascript", "const a = /[/}]/; }", false},
		{"rust", "fn f<'a>() { r#\"}\"#; '{'; /* /* } */ } */ }", true},
		{"rust", "fn f() { \"}", false},
		{"csharp", "class A { string s = @\"\\\"; string t = $@\"{\n}\"\"}\"; }", true},
		{"kotlin", "val a = \"\"\"\n\"{\n\"\"\"", true},
	} {
		if got := Balanced(ByID(c.lang), []byte(c.part)); got != c.want {
			t.Errorf("%s: %s: %v", c.lang, c.part, got)
		}
	}
}
