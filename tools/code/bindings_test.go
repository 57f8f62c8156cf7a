package code

import (
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

const boundPython = `import sys
if sys.platform == 'win32':
    SEP = 1
else:
    SEP = 2
try:
    import json
except ImportError as err:
    json = None
    HAVE = False
with open('x') as handle:
    DATA = handle.read()
print(SEP, DATA)


class Config:
    def setup(self):
        self.late = 1
        self.path = 0

    def __init__(self, path):
        self.path = path
        self.a, self.b = 1, 2

    @classmethod
    def make(cls):
        cls.registry = {}
`

// What Python binds in blocks of a module, and what methods give to their object, are symbols as others are.
func TestBoundNamesOfPython(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	b := project(t, map[string]string{"a.py": boundPython})
	for query, line := range map[string]float64{"SEP": 3, "SEP[1]": 5, "json": 9, "HAVE": 10, "handle": 11, "DATA": 12, "Config.late": 18, "Config.path": 22, "Config.b": 23, "Config.registry": 27} {
		if out := b.ok("definition", "query", query, "path", "a.py"); out.data["line"] != line {
			t.Errorf("%s: %s", query, out.raw)
		}
	}
	if out := b.ok("definition", "query", "SEP"); strings.Join(out.list("others", "line"), " ") != "5" {
		t.Errorf("others of SEP: %s", out.raw)
	}
	if out := b.ok("definition", "query", "handle"); out.Text != "with open('x') as handle:\n" {
		t.Errorf("%q", out.Text)
	}
	b.fails(tools.NotFound, "definition", "query", "err")
	out := b.ok("outline", "path", "a.py")
	if strings.Count(out.Text, "self.a, self.b = 1, 2") != 1 || !strings.Contains(out.Text, "   22    self.path = path\n") || strings.Contains(out.Text, "self.path = 0") {
		t.Errorf("%s", out.Text)
	}
	for name, want := range map[string]string{"SEP[0]": "bound elsewhere too, which stays: look at line 5", "SEP[1]": "look at line 3", "DATA": "pass stands there", "Config.path": "look at line 19"} {
		out := b.ok("delete_symbol", "path", "a.py", "name_path", name, "dry_run", true)
		if told := strings.Join(out.Envelope.Meta.Warnings, " "); !strings.Contains(told, want) || out.data["parse_error"] == true {
			t.Errorf("delete %s: %s\n%s", name, told, out.Text)
		}
	}
	b.fails(tools.Ambiguous, "delete_symbol", "path", "a.py", "name_path", "SEP")
	for _, name := range []string{"handle", "Config.a"} { // a part of a statement
		b.fails(tools.Conflict, "delete_symbol", "path", "a.py", "name_path", name)
	}
	// Another method may bind a field too, and come before the one that did.
	for _, c := range [][3]string{
		{"insert_before", "Config.setup", "def first(self):\n    self.late = 0"}, {"replace_symbol", "Config.__init__", "def __init__(self):\n    self.late = 0"},
		{"insert_after", "Config.path", "self.more = 1"}, {"replace_symbol", "Config.late", "self.late = 2"}, {"insert_after", "SEP[1]", "MORE = 1"},
	} {
		b.ok(c[0], "path", "a.py", "name_path", c[1], "text", c[2], "dry_run", true)
	}
}

// A server that knows fields finds, renames and keeps them.
func TestFieldsOfPython(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	b := withServers(t, map[string]string{
		"a.py": "class Config:\n    def __init__(self, path):\n        self.path = path\n        self.unused = 1\n\n    def load(self):\n        return self.path\n",
		"b.py": "from a import Config\n\nprint(Config('x').path)\n",
	}, "pyright-langserver")
	if out := b.ok("references", "query", "Config.path"); strings.Join(out.list("results", "line"), " ") != "3 7 3" {
		t.Errorf("%s", out.raw)
	}
	b.fails(tools.Conflict, "safe_delete_symbol", "path", "a.py", "name_path", "Config.path")
	b.ok("rename", "query", "Config.path", "new_name", "place")
	if got := b.read("a.py") + b.read("b.py"); strings.Count(got, ".place") != 3 || !strings.Contains(got, "(self, path)") || !strings.Contains(got, "= path\n") {
		t.Errorf("%s", got)
	}
	b.ok("safe_delete_symbol", "path", "a.py", "name_path", "Config.unused")
}

// In a file that does not parse, what stands in which block is a guess, and only what is sure is told.
func TestBoundNamesOfBrokenPython(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	b := project(t, map[string]string{"a.py": "if a:\n    GOOD = 1\n\ndef f(x\n    for bad in x:\n        worse = bad\n\nclass C:\n    def g(self):\n        self.fine = 1\n"})
	for _, name := range []string{"GOOD", "C.fine"} {
		b.ok("definition", "query", name)
	}
	for _, name := range []string{"bad", "worse"} {
		b.fails(tools.NotFound, "definition", "query", name)
	}
}

// What holds a function and is none for a call hierarchy has callers all the same.
func TestCallersOfValues(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	b := withServers(t, map[string]string{
		"a.py": "def make():\n    return print\n\nrun = make()\n",
		"b.py": "from a import run\n\nrun()\n",
	}, "pyright-langserver")
	if out := b.ok("callers", "query", "run"); strings.Join(out.list("results", "path"), " ") != "b.py" {
		t.Errorf("%s", out.raw)
	}
}

// A function or class is meant by its name where else the name is only bound once more; what a module binds as a script is for
// nobody else.
func TestFallbacksOfPython(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	b := project(t, map[string]string{"a.py": "import sys\n\n\ndef now():\n    return 1\n\n\nif sys.platform == 'win32':\n    now = int\nif __name__ == '__main__':\n    table = now()\n    for row in range(3):\n        print(row)\nelse:\n    B = 2\n"})
	out := b.ok("replace_symbol", "path", "a.py", "name_path", "now", "text", "def now():\n    return 3")
	if told := strings.Join(out.Envelope.Meta.Warnings, " "); !strings.Contains(b.read("a.py"), "def now():\n    return 3\n") || !strings.Contains(told, "now is bound elsewhere too, which stays: look at line 9") {
		t.Errorf("%s\n%s", told, out.Text)
	}
	if got := strings.Join(b.ok("exports", "path", "a.py").list("symbols", "name"), " "); got != "now now B" {
		t.Errorf("exports: %s", got)
	}
	if got := strings.Join(b.ok("symbols", "path", "a.py").list("symbols", "name"), " "); got != "now now table row B" {
		t.Errorf("symbols: %s", got)
	}
}
