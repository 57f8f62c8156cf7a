package code

import (
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// What is below a type that others import under another name, or that has the name of another one.
func TestBelowByOrigin(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	b := project(t, map[string]string{
		"a/base.py": "class Base:\n    def run(self): pass\n", "b/base.py": "class Base:\n    def run(self): pass\n",
		"b/use.py":  "from a.base import (  # it\n    Other, Base as B,\n)\nimport a.base as ab\nclass X(B):\n    def run(self): pass\nclass X2(ab.Base): pass\nclass X3(X):\n    def run(self): pass\n",
		"b/use2.py": "from .base import Base\nclass Y(Base): pass\n",
		"pkg/i.py":  "class Core: pass\n", "pkg/__init__.py": "from .i import Core\n", "b/use3.py": "from pkg import Core as C\nclass Z(C): pass\n",
		"a/b.ts": "export class Shape { area() {} }\n", "b/b.ts": "export class Shape { area() {} }\n",
		"b/c.ts":            "import { Shape as S } from '../a/b';\nimport * as N from './b';\nexport class Circle extends S { area() {} }\nexport class Sq extends N.Shape {}\n",
		"c/user.service.ts": "export class Svc {}\n", "c/other.ts": "export class Svc {}\n", "c/use.ts": "import { Svc } from './user.service';\nclass MySvc extends Svc {}\n",
		"q/base.py": "class Far: pass\n", "q/more.py": "class Far: pass\n", "q/use.py": "from . import base\nclass Near(base.Far): pass\n",
		"d.js": "class Old {}\nmodule.exports = { Old };\n", "e.js": "const { Old: Elder } = require('./d');\nclass New extends Elder {}\n",
		"i.php": "<?php\nnamespace A;\ninterface Drawable {}\ntrait Loud {}\n",
		"j.php": "<?php\nnamespace B;\nuse A\\Drawable as D;\nuse A\\{Loud as L};\nclass K implements D { use L; function f() { return new class implements D {}; } }\n",
		"m.rs":  "pub trait Base { fn go(&self); }\n", "n.rs": "use crate::m::{Base as Root};\nstruct S;\nimpl Root for S { fn go(&self) {} }\n",
		"K.kt": "package p\ninterface Bar {\n    fun f()\n}\n", "L.kt": "package q\nimport p.Bar as Q\nclass A(val b: Q) : Q by b\nclass B { val q = object : Q { } }\n",
		"m.rb": "module Loud; end\nclass Dog\n  include Loud\nend\n",
		"A.cs": "namespace N { public class Base {} }\n", "B.cs": "using Root = N.Base;\nclass Sub : Root {}\n",
	})
	for _, at := range []struct{ path, query, want string }{
		{"a/base.py", "Base", "b/use.py:5 b/use.py:7 b/use.py:8"}, {"b/base.py", "Base", "b/use2.py:2"}, {"pkg/i.py", "Core", "b/use3.py:2"},
		{"a/b.ts", "Shape", "b/c.ts:3"}, {"b/b.ts", "Shape", "b/c.ts:4"}, {"d.js", "Old", "e.js:2"},
		{"c/user.service.ts", "Svc", "c/use.ts:2"}, {"c/other.ts", "Svc", ""}, {"q/base.py", "Far", "q/use.py:2"}, {"q/more.py", "Far", ""},
		{"i.php", "Drawable", "j.php:5"}, {"i.php", "Loud", "j.php:5"}, {"m.rs", "Base", "n.rs:3"}, {"K.kt", "Bar", "L.kt:3"}, {"m.rb", "Loud", "m.rb:2"}, {"A.cs", "Base", "B.cs:2"},
		{"a/base.py", "Base.run", "b/use.py:6 b/use.py:9"}, {"a/b.ts", "Shape.area", "b/c.ts:3"}, {"m.rs", "Base.go", "n.rs:3"},
	} {
		if got := called(b.ok("implementations", "path", at.path, "query", at.query)); got != at.want {
			t.Errorf("implementations of %s %s: %s, want %s", at.path, at.query, got, at.want)
		}
		if strings.Contains(at.query, ".") {
			continue
		}
		out := b.ok("hierarchy", "path", at.path, "query", at.query)
		lines := out.list("subtypes", "line")
		var got []string
		for i, file := range out.list("subtypes", "path") {
			got = append(got, file+":"+lines[i])
		}
		if len(got) != len(strings.Fields(at.want)) || len(got) > 0 && !strings.Contains(out.Text, strings.Fields(at.want)[0]) || strings.Contains(out.Text, "?") {
			t.Errorf("hierarchy of %s %s: %s", at.path, at.query, out.Text)
		}
	}
}

// Structure of a text that is in no file.
func TestStructureOfText(t *testing.T) {
	t.Parallel()
	needGrammars(t)
	b := project(t, map[string]string{"other.py": "def other(): pass\n"})
	const text = "class A:\n    '''\n    # no comment\n    '''\n    # one\n    def f(self): return 1 if x else 2\n\n_hidden = 3\n"
	for action, want := range map[string]string{
		"symbols": "class A", "outline": "_hidden", "exports": "class A", "types": "class A", "summarize": "class A", "metrics": "8 lines (6 code, 1 comment, 1 blank), 1 functions, 1 types",
	} {
		out := b.ok(action, "text", text, "language", "python")
		if !strings.Contains(out.Text, want) || strings.Contains(out.Text, "other") || action == "exports" && strings.Contains(out.Text, "_hidden") || len(out.Envelope.Meta.Warnings) > 0 {
			t.Errorf("%s: %s %v", action, out.Text, out.Envelope.Meta.Warnings)
		}
	}
	if out := b.ok("outline", "text", "package a\n\nfunc F() {}\n", "path", "new.go"); !strings.Contains(out.Text, "func F()") {
		t.Error(out.Text)
	}
	b.fails(tools.InvalidParams, "outline", "text", text)
	b.fails(tools.InvalidParams, "outline", "language", "go")
	out := b.ok("metrics", "text", "def a(): pass\ndef b(): return 1 if x else 2\ndef c(): pass\n", "language", "python", "max_results", 1)
	if !strings.Contains(out.Text, "b:2") || !strings.Contains(out.Text, "and 2 more functions") || !out.Envelope.Meta.Truncated {
		t.Error(out.Text)
	}
}
