package code

import (
	"strings"
	"testing"
)

// A rename to or from a name that means something of its own says so, whatever the server then does.
func TestRenamesWithAMeaning(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	b := withServers(t, map[string]string{
		"a.sh": "foo() { echo 1; }\nbar() { foo; }\nfoo\n", "a.py": "class A:\n    def m(self): pass\n    def __p(self): pass\nclass B(A):\n    def f(self): self.m()\n",
		"go.mod": "module ex.com/m\n\ngo 1.21\n", "a.go": "package main\n\nfunc main() {}\n\nfunc run() {}\n",
	})
	for _, c := range []struct{ path, query, name, told string }{
		{"a.sh", "foo", "echo", "echo is a command"}, {"a.sh", "foo", "baz", ""},
		{"a.py", "A.m", "__private", "its class alone"}, {"a.py", "A.m", "__len__", ""}, {"a.py", "A.__p", "__q", ""},
		{"a.go", "main", "other", "main is what Go calls"}, {"a.go", "run", "init", "init is what Go calls"}, {"a.go", "run", "walk", ""},
	} {
		told := strings.Join(b.call("rename", "path", c.path, "query", c.query, "new_name", c.name, "dry_run", true).Envelope.Meta.Warnings, " ")
		if c.told != "" && !strings.Contains(told, c.told) || c.told == "" && (strings.Contains(told, "is a command") || strings.Contains(told, "class alone") || strings.Contains(told, "Go calls")) {
			t.Errorf("%s to %s: %q", c.query, c.name, told)
		}
	}
}
