package code

import (
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

const pkg = "{\n  \"dependencies\": {\n    \"@x/y\": \"2\",\n    \"z\": \"1\"\n  },\n  \"scripts\": {\"a\": \"b\"},\n  \"p.q\": {\"/r (s)\": 1, \"t\": 2}\n}\n"

// A key in brackets is a step of the path, whatever it holds; brackets that mean nothing mean no symbol, and never the one that
// they stand behind.
func TestKeysInBrackets(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	const jobs = "jobs:\n  build:\n    steps:\n      - run: a\n  test: 1\n"
	const class = "X = {\"a\": 1}\nclass K:\n    def a(self): pass\n    def b(self): pass\nclass G(Generic[T]):\n    def a(self): pass\n"
	const generic = "package a\n\ntype V[T any] struct{ a T }\n\nfunc (V[T]) m() {}\n\ntype W struct{}\n\nvar M = map[string]int{}\n"
	const script = "const o = {\n  a() {},\n  \"b c\"() {},\n};\nclass A {\n  [Symbol.iterator]() {}\n}\n"
	const sheet = "input { x: y }\ninput[type=\"text\"] { x: z }\n"
	for _, c := range []struct{ file, text, name, gone string }{ // gone: what a deletion takes, "" when nothing is found
		{"p.json", pkg, `dependencies["@x/y"]`, "    \"@x/y\": \"2\",\n"}, {"p.json", pkg, `dependencies['z']`, ",\n    \"z\": \"1\""}, {"p.json", pkg, `dependencies.["z"]`, ",\n    \"z\": \"1\""},
		{"p.json", pkg, `["dependencies"]["@x/y"]`, "    \"@x/y\": \"2\",\n"}, {"p.json", pkg, "dependencies/@x/y", "    \"@x/y\": \"2\",\n"}, {"p.json", pkg, "/dependencies/@x~1y", "    \"@x/y\": \"2\",\n"},
		{"p.json", pkg, `["p.q"]["/r (s)"]`, "\"/r (s)\": 1, "}, {"p.json", pkg, `$["p.q"].t`, ", \"t\": 2"}, {"p.json", pkg, "$.dependencies.z", ",\n    \"z\": \"1\""}, {"p.json", pkg, `["p.q"].t`, ", \"t\": 2"},
		{"p.json", pkg, "$.z", ""}, {"p.json", pkg, "dependencies[z]", ""}, {"p.json", pkg, "dependencies[@x/y]", ""}, {"p.json", pkg, `dependencies["no"]`, ""}, {"p.json", pkg, `dependencies["z"`, ""},
		{"p.json", pkg, "scripts[0]", ""}, {"p.json", pkg, `scripts["a"][0]`, ""},
		{"a.yaml", jobs, `jobs["test"]`, "  test: 1\n"}, {"a.yaml", jobs, `jobs["none"]`, ""}, {"a.yaml", jobs, "jobs[build]", ""},
		{"a.py", class, `X["a"]`, ""}, {"a.py", class, `K["a"]`, ""}, {"a.py", class, "K[a]", ""}, {"a.py", class, "X[0]", ""}, {"a.py", class, "G[int].a", "pass"},
		{"a.go", generic, `V["m"]`, ""}, {"a.go", generic, "W[T]", ""}, {"a.go", generic, `M["a"]`, ""}, {"a.go", generic, "M[a]", ""}, {"a.go", generic, "V[", ""}, {"a.go", generic, "(*V[T]).m", "func (V[T]) m() {}\n\n"},
		{"a.go", generic, "V[int].m", "func (V[T]) m() {}\n\n"}, {"a.go", generic, "V[T].a", "a T "},
		{"a.ts", script, `o["b c"]`, "  \"b c\"() {},\n"}, {"a.ts", script, "A[Symbol.iterator]", "  [Symbol.iterator]() {}\n"}, {"a.ts", script, "A[key]", ""},
		{"a.css", sheet, `input[type="text"]`, "input[type=\"text\"] { x: z }\n"}, {"a.css", sheet, `input[type="radio"]`, ""},
	} {
		t.Run(c.file+" "+c.name, func(t *testing.T) {
			t.Parallel()
			b := project(t, map[string]string{c.file: c.text})
			out := b.call("delete_symbol", "path", c.file, "name_path", c.name)
			want := c.text
			if c.gone != "" {
				want = strings.Replace(c.text, c.gone, "", 1)
			}
			if strings.HasSuffix(c.name, ".a") && c.gone == "pass" { // a class keeps something
				want = strings.Replace(c.text, "class G(Generic[T]):\n    def a(self): pass", "class G(Generic[T]):\n    pass", 1)
			}
			if got := b.read(c.file); got != want || (c.gone == "") != (out.Envelope.Error != nil) {
				t.Errorf("%v\n%s\nwant\n%s", out.Envelope.Error, got, want)
			}
		})
	}
	b := project(t, map[string]string{"p.json": pkg, "a.py": class})
	if out := b.ok("definition", "path", "p.json", "query", `dependencies["@x/y"]`); out.data["line"] != 3.0 {
		t.Errorf("%s", out.raw)
	}
	if out := b.fails(tools.NotFound, "definition", "path", "a.py", "query", `X["a"]`); !strings.Contains(out.Envelope.Error.Message, "in quotes") {
		t.Errorf("%v", out.Envelope.Error)
	}
	b.fails(tools.NotFound, "rename", "path", "a.py", "query", `K["a"]`, "new_name", "z")
}

// Parameters tell overloads apart; where none has them, that is said.
func TestParametersChoose(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	files := map[string]string{
		"D.java": "class D {\n    D() {}\n    D(int n) {}\n    void m(final int a) {}\n    void m(java.lang.String s, List<String> x) {}\n    void m(String[] a) {}\n    void m() {}\n}\n",
		"a.cpp":  "struct A { void f(int); void f(double); };\nvoid A::f(int n) {}\nvoid A::f(double x) {}\nvoid g(const std::string &s, int n = 1) {}\nvoid g(unsigned int n) {}\n",
		"a.ts":   "function f(a: string): void;\nfunction f(a: number, b?: Map<string, number>): void;\nfunction f(a: any) {}\n",
		"a.kt":   "fun h(a: Int, b: (Int) -> Unit) = 1\nfun h(a: String = \"x,y\") = 2\n",
		"a.cs":   "class C {\n  void M(ref int a) {}\n  void M(string s, params object[] x) {}\n}\n",
	}
	b := project(t, files)
	for _, c := range []struct {
		file, query string
		line        float64
		told        bool
	}{
		{"D.java", "D.m(int)", 4, false}, {"D.java", "D.m(int a)", 4, false}, {"D.java", "D.m(String, List)", 5, false}, {"D.java", "void m(String s, List<String> x)", 5, false}, {"D.java", "m(String[])", 6, false},
		{"D.java", "D.m()", 7, false}, {"D.java", "D.m(long)", 4, true}, {"D.java", "D.D(int)", 3, false}, {"D.java", "D(int)", 3, false}, {"D.java", "m(String[] args)", 6, false},
		{"a.cpp", "A::f(double)", 1, false}, {"a.cpp", "g(std::string, int)", 4, false}, {"a.cpp", "g(const std::string &, int)", 4, false}, {"a.cpp", "g(unsigned int)", 5, false}, {"a.cpp", "void g(const string& text, int n)", 4, false},
		{"a.ts", "f(a: number, b: Map<string, number>)", 2, false}, {"a.ts", "f(any)", 3, false}, {"a.ts", "f(boolean)", 1, true}, {"a.kt", "h(String)", 2, false}, {"a.kt", "h(Int, (Int) -> Unit)", 1, false},
		{"a.cs", "C.M(string, object[])", 3, false}, {"a.cs", "C.M(ref int)", 2, false},
	} {
		for _, path := range []string{c.file, "."} {
			out := b.ok("definition", "path", path, "query", c.query)
			told := strings.Contains(strings.Join(out.Envelope.Meta.Warnings, " "), " takes (")
			if out.data["line"] != c.line || told != c.told {
				t.Errorf("%s in %s: line %v, want %v; %q", c.query, path, out.data["line"], c.line, out.Envelope.Meta.Warnings)
			}
		}
	}
	b.fails(tools.Ambiguous, "delete_symbol", "path", "D.java", "name_path", "D.m(long)")
	out := b.fails(tools.Ambiguous, "delete_symbol", "path", "a.cpp", "name_path", "A::f(double)")
	if got := strings.Join(out.Envelope.Error.Details.Available, ", "); got != "A.f[1] at line 1 (A.f), A.f[3] at line 3 (A.f)" { // as they are counted without parameters
		t.Error(got)
	}
	b.ok("replace_symbol", "path", "a.cpp", "name_path", "A.f[3]", "text", "void A::f(double y) {}")
	if got := b.read("a.cpp"); !strings.Contains(got, "\nvoid A::f(double y) {}\n") {
		t.Error(got)
	}
	b.ok("delete_symbol", "path", "D.java", "name_path", "D(int)")
	b.ok("replace_symbol", "path", "D.java", "name_path", "D.m(String, List)", "text", "void m(String s) {}")
	if got, want := b.read("D.java"), "class D {\n    D() {}\n    void m(final int a) {}\n    void m(String s) {}\n    void m(String[] a) {}\n    void m() {}\n}\n"; got != want {
		t.Errorf("%s", got)
	}
}
