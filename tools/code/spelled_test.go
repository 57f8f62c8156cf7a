package code

import (
	"strings"
	"testing"
)

// What means a renamed symbol by its name without being the name in code is told.
func TestRenameTellsOfTextsAndExamples(t *testing.T) {
	t.Parallel()
	for _, at := range []struct {
		servers          []string
		files            map[string]string
		path, query, new string
		want             string
	}{
		{[]string{"gopls"}, map[string]string{
			"go.mod": "module ex.com/x\n\ngo 1.22\n", "a.go": "package x\n\ntype T struct{}\n\nfunc (T) M() {}\n\nfunc F() { T{}.M() }\n\nfunc Far() {}\n",
			"a_test.go": "package x_test\n\nfunc ExampleT_M() {}\n\nfunc ExampleT_M_second() {}\n\nfunc ExampleT() {}\n\nfunc ExampleF() {}\n\nfunc ExampleFar() {}\n",
		}, "a.go", "T.M", "N", "2 examples are named after it, and go vet and go test refuse an example of what is not there; rename them too: a_test.go:3, a_test.go:5"},
		{[]string{"typescript-language-server", "node"}, map[string]string{
			"tsconfig.json": "{}", "a.ts": "export interface Box { size: number }\nexport type S = Box['size'];\nexport const k: keyof Box = \"size\";\nconst no = 'the size';\nexport const f = (b: Box) => b.size;\n",
			"b.ts": "const size = 'sizes', u = ['size'];\n",
		}, "a.ts", "Box.size", "width", `the string "size" stands in`},
		{[]string{"pyright-langserver", "node"}, map[string]string{
			"a.py": "class A:\n    def run(self): pass\n\ngetattr(A(), 'run')()\n# 'run'\n'a run'\n",
		}, "a.py", "A.run", "go", `the string "run" stands in 1 places of the code, which may name a member and stay as they are; look at them: a.py:4`},
	} {
		if at.servers[0] != "gopls" && !hasGrammars() {
			continue
		}
		b := withServers(t, at.files, at.servers...)
		out := b.ok("rename", "path", at.path, "query", at.query, "new_name", at.new)
		if told := strings.Join(out.Envelope.Meta.Warnings, "; "); !strings.Contains(told, at.want) {
			t.Errorf("rename of %s: %s", at.query, told)
		}
	}
}
