package code

import (
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// What a package exports under another name is called under that.
func TestCallersUnderExportedNames(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	py := map[string]string{
		"pk/m.py":        "def foo():\n    return 1\n\n\nclass K:\n    def __init__(self, a=0):\n        self.a = a\n",
		"pk/__init__.py": "from .m import foo as bar, K as KK\n", "use.py": "from pk import bar, KK\nimport pk\nbar()\nKK()\npk.bar()\nf = bar\n",
	}
	ts := map[string]string{
		"ui/tsconfig.json": `{"include":["src"]}`, "ui/src/box.ts": "export class Box { constructor(public n: number) {} }\n", "ui/src/index.ts": "export { Box as UiBox } from './box'\n",
		"web/tsconfig.json": `{"include":["src"]}`, "web/src/page.ts": "import { UiBox } from '../../ui/src/index'\nconst b = new UiBox(1)\nconsole.log(b)\n",
	}
	for _, at := range []struct {
		files       map[string]string
		query, want string
		server      string
	}{
		{py, "foo", "use.py:3 use.py:5", "pyright-langserver"}, {py, "K", "use.py:4", "pyright-langserver"}, {py, "K.__init__", "use.py:4", "pyright-langserver"},
		{ts, "Box", "web/src/page.ts:2", "typescript-language-server"},
	} {
		b := withServers(t, at.files, at.server, "node")
		if got := called(b.ok("callers", "query", at.query)); got != at.want {
			t.Errorf("callers of %s: %s, want %s", at.query, got, at.want)
		}
		out := project(t, at.files).ok("callers", "query", at.query)
		if _, told := out.others(); !strings.Contains(told, "handed on to other files under other names") {
			t.Errorf("%s by names: %s %s", at.query, out.Text, told)
		}
	}
}

// called gives the places of an answer as "path:line", each once.
func called(out *output) string {
	var list []string
	lines := out.list("results", "line")
	for i, file := range out.list("results", "path") {
		if at := file + ":" + lines[i]; len(list) == 0 || list[len(list)-1] != at {
			list = append(list, at)
		}
	}
	return strings.Join(list, " ")
}

var constructing = map[string]string{
	"c.py": "class Config:\n    def __init__(self, a):\n        self.a = a\n\n    def __len__(self):\n        return 1\n\n\nclass Sub(Config):\n    pass\n\n\nclass Own(Config):\n    def __init__(self):\n        super().__init__(3)\n\n\n" +
		"def go():\n    return Config('x'), Sub(2), Own()\n",
	"f.ts":  "export class Box {\n  constructor(a: number) {}\n}\nclass Crate extends Box {\n  constructor() { super(1) }\n}\nclass Tin extends Box {}\nnew Box(1)\nnew Tin(2)\nnew Crate()\n",
	"a.rb":  "class Foo\n  def initialize(a)\n  end\n\n  def to_s\n    'x'\n  end\nend\nFoo.new(1)\n",
	"a.php": "<?php\nclass Baz {\n    public function __construct(int $a) {}\n}\nclass Qux extends Baz {}\n$a = new Baz(1);\n",
	"a.cpp": "struct Dot { Dot(int); int v; };\nDot::Dot(int x) : v(x) {}\nint use() {\n  Dot f(1);\n  Dot *p = new Dot(2);\n  auto q = Dot{3};\n  return f.v + p->v + q.v;\n}\n",
}

// A constructor is called where its class is made, and is in use there.
func TestConstructorsInUse(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	served := withServers(t, constructing, "pyright-langserver", "typescript-language-server", "node")
	for _, at := range []struct {
		b                       *bench
		file, query, want, heir string
	}{
		{served, "c.py", "Config.__init__", "c.py:15 c.py:19", "c.py:9"}, {served, "f.ts", "Box.constructor", "f.ts:5 f.ts:8 f.ts:9", "f.ts:7"},
		{project(t, constructing), "c.py", "Config.__init__", "c.py:19", "c.py:9"}, {project(t, constructing), "a.rb", "Foo.initialize", "a.rb:9", ""},
		{project(t, constructing), "a.php", "Baz.__construct", "a.php:6", "a.php:5"}, {project(t, constructing), "f.ts", "Box.constructor", "f.ts:8", "f.ts:7"},
	} {
		out := at.b.ok("callers", "path", at.file, "query", at.query)
		if _, told := out.others(); called(out) != at.want || at.heir != "" && !strings.Contains(told, "of their own run this one where they are made, look for their callers too: "+at.heir) {
			t.Errorf("callers of %s: %s, want %s; %s", at.query, called(out), at.want, told)
		}
		before := at.b.read(at.file)
		out = at.b.fails(tools.Conflict, safeDelete, "path", at.file, "name_path", at.query)
		if at.b.read(at.file) != before {
			t.Errorf("%s is deleted: %s", at.query, out.raw)
		}
	}
}

func TestClangdConstructors(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	if got, want := called(withServers(t, constructing, "clangd").ok("callers", "path", "a.cpp", "query", "Dot")), "a.cpp:4 a.cpp:5 a.cpp:6"; got != want {
		t.Errorf("callers of Dot: %s, want %s", got, want)
	}
}

// What calls a function where its name does not stand is told, and a safe deletion leaves such a function.
func TestCallsWithoutTheName(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"go.mod": "module ex.com/x\n\ngo 1.22\n",
		"a.go":   "package x\n\nimport \"io\"\n\ntype T struct{}\n\nfunc (T) Read(p []byte) (int, error) { return 0, io.EOF }\nfunc (T) own()                       {}\n\nfunc use() { io.Copy(io.Discard, T{}) }\n",
		"t.py":   "import pytest\nfrom http.server import BaseHTTPRequestHandler\n\n\n@pytest.fixture\ndef user():\n    return 1\n\n\nclass H(BaseHTTPRequestHandler):\n    def do_GET(self):\n        pass\n\n    def __len__(self):\n        return 1\n\n    @staticmethod\n    def f():\n        pass\n",
	}
	b := withServers(t, files, "gopls", "pyright-langserver", "node")
	for _, at := range []struct{ file, query, told, refused string }{
		{"a.go", "T.Read", "implements a method of an interface outside the roots", "may be called by the method of an interface that it implements"},
		{"a.go", "T.own", "", ""},
		{"t.py", "user", "@pytest.fixture stands at user", "may be called by what stands in front of it, @pytest.fixture"},
		{"t.py", "H.do_GET", "may be called by what its class extends and is not defined here: BaseHTTPRequestHandler", ""},
		{"t.py", "H.__len__", "the language calls H.__len__ itself", "may be called by the language itself"},
		{"t.py", "H.f", "extends", ""},
	} {
		if strings.HasSuffix(at.file, ".py") && !hasGrammars() {
			continue
		}
		out := b.ok("callers", "path", at.file, "query", at.query)
		if _, told := out.others(); !strings.Contains(told, at.told) || at.told == "" && told != "" || strings.Contains(told, "@staticmethod") {
			t.Errorf("callers of %s: %s", at.query, told)
		}
		out = b.call(safeDelete, "path", at.file, "name_path", at.query, "dry_run", true)
		if e := out.Envelope.Error; (e == nil) != (at.refused == "") || e != nil && !strings.Contains(e.Message, at.refused) {
			t.Errorf("%s: %+v, want %q", at.query, e, at.refused)
		}
	}
}

// An embedded type of Go is a field besides, and used as one.
func TestEmbeddedTypeAsField(t *testing.T) {
	t.Parallel()
	b := withServers(t, map[string]string{
		"go.mod": "module ex.com/x\n\ngo 1.22\n",
		"a.go":   "package x\n\ntype Base struct{ ID int }\n\ntype User struct {\n\t*Base // of all\n}\n\ntype Other struct{ Base int }\n\nfunc use() (int, int) {\n\tu := User{Base: &Base{}}\n\treturn u.Base.ID, Other{Base: 1}.Base\n}\n",
		"b.go":   "package x\n\nfunc more(u *User) int { return u.Base.ID }\n\nfunc none(o Other) int { return o.Base }\n",
	}, "gopls")
	if got, want := called(b.ok("references", "path", "a.go", "line", 3, "query", "Base")), "a.go:3 a.go:6 a.go:12 a.go:13 b.go:3"; got != want {
		t.Errorf("references: %s, want %s", got, want)
	}
	if out := b.ok("references", "path", "a.go", "line", 3, "query", "Base"); out.data["total"] != 6.0 {
		t.Errorf("%s\n%s", out.raw, out.Text)
	}
}
