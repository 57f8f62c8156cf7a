package code

import (
	"strings"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// What a query names wholly comes before what ends with the same names, in every action as in edits.
func TestWholePaths(t *testing.T) {
	t.Parallel()
	files := map[string]string{"a.go": "package a\n\ntype T struct{}\n\nfunc (t T) Run() {}\n\nfunc Run() { T{}.Run() }\n"}
	cases := [][3]string{{"a.go", "Run", "Run"}, {"", "Run", "Run"}, {"a.go", "T.Run", "T.Run"}, {"a.go", "Run[0]", "T.Run"}, {"a.go", "Run[1]", "Run"}}
	if hasGrammars() {
		files["b.ts"] = "export class A { foo() { return 1 } }\nexport function foo() { return 2 }\n"
		files["m.py"] = "class A:\n    def go(self): return 1\n\ndef go(): return 2\n"
		files["p.json"] = "{\"dev\": {\"tap\": 1}, \"tap\": 2, \"exports\": {\".\": 1}}\n"
		files["c.yaml"] = "a: &x\n  b: 1\nc:\n  <<: *x\n"
		files["v.cpp"] = "template <class T> struct V { T get(); };\ntemplate <> struct V<bool> { bool get() { return 1; } };\nnamespace n { template <> struct V<int> { int get() { return 1; } }; }\n"
		files["p.html"] = "<html><body><div id=\"a\">x</div><div id=\"b\">y</div></body></html>\n"
		cases = append(cases, [][3]string{{"b.ts", "foo", "foo"}, {"m.py", "go", "go"}, {"p.json", "tap", "tap"}, {"p.json", "exports..", "exports.."}, {"c.yaml", "c.<<", "c.<<"},
			{"v.cpp", "V<bool>.get", "V<bool>.get"}, {"v.cpp", "V<bool>::get", "V<bool>.get"}, {"v.cpp", "V<int>::get", "n.V<int>.get"}, {"v.cpp", "V<char>.get", "V.get"}, {"v.cpp", "V::get", "V.get"}}...)
	}
	b := project(t, files)
	for _, c := range cases {
		out := b.ok("definition", "path", c[0], "query", c[1])
		if got := out.data["symbol"].(map[string]any)["name_path"]; got != c[2] {
			t.Errorf("%s of %s: %v, want %s", c[1], c[0], got, c[2])
		}
		if c[0] == "" || c[1] == "V<char>.get" {
			continue
		}
		if out := b.ok("delete_symbol", "path", c[0], "name_path", c[1], "dry_run", true); out.data["symbol"] != c[2] {
			t.Errorf("the edit of %s of %s is of %v, want %s", c[1], c[0], out.data["symbol"], c[2])
		}
	}
	if hasGrammars() {
		out := b.ok("definition", "path", "p.html", "query", "div#b")
		if !strings.Contains(out.Text, "id=\"b\"") || strings.Contains(out.Text, "nothing") || out.data["symbol"].(map[string]any)["signature"] != `<div id="b">` {
			t.Errorf("%s\n%s", out.raw, out.Text)
		}
		b.fails(tools.NotFound, "definition", "path", "p.html", "query", "span#b")
	}
}

// A name that is nowhere finds those that are like it, and only then.
func TestNamesLikeOthers(t *testing.T) {
	t.Parallel()
	b := project(t, map[string]string{"a.go": "package a\n\ntype Reader struct{}\n\ntype Rider struct{}\n\nfunc ListenAndServe() {}\n\nfunc NewRedirect() {}\n"})
	for query, want := range map[string]string{
		"Redaer": "Reader", "rdr": "Rider,Reader", "lstnsrv": "ListenAndServe", "ListenAndSevre": "ListenAndServe", "Reader": "Reader", "nwrdr": "NewRedirect", "xdr": "", "Rwxyz": "", "Other.Redaer": "",
	} {
		out := b.ok("search_symbol", "query", query)
		if got := strings.Join(out.list("results", "name"), ","); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	if e := b.fails(tools.InvalidParams, "search_symbol", "query", "*").Envelope.Error; !strings.Contains(e.Message, "holds no name") {
		t.Errorf("%s", e.Message)
	}
	if e := b.fails(tools.InvalidParams, "parse", "text", "x = 1").Envelope.Error; !strings.Contains(e.Message, "give language") {
		t.Errorf("%s", e.Message)
	}
}

// Types of one name are told apart by their package, file or folder, above and below.
func TestHierarchyOfOneType(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"x/x.go": "package x\n\ntype Base struct{}\n\ntype Reader struct{ Base }\n", "x/w.go": "package x\n\ntype Own struct{ *Reader }\n",
		"y/y.go": "package y\n\ntype Reader interface{ Read() }\n\ntype Other struct{ Reader }\n", "z/z.go": "package z\n\nimport \"ex.com/a/y\"\n\ntype Q struct{ y.Reader }\n\ntype F struct{ io.Reader }\n",
	}
	b := project(t, files)
	for _, c := range []struct{ query, path, super, sub string }{
		{"y.Reader", "", "", "Other,Q"}, {"x.Reader", "", "Base", "Own"}, {"Reader", "y/y.go", "", "Other,Q"}, {"Reader", "x/w.go", "Base", "Own"}, {"Q", "", "y.Reader", ""},
		{"F", "", "io.Reader", ""}, {"io.Reader", "", "", "F"}, {"Base", "", "", "Reader,Own"}, {"Reader[1]", "", "", "Other,Q"},
	} {
		out := b.ok("hierarchy", "query", c.query, "path", c.path)
		super, _ := out.data["supertypes"].([]any)
		var supers []string
		for _, s := range super {
			supers = append(supers, s.(string))
		}
		if got, sub := strings.Join(supers, ","), strings.Join(out.list("subtypes", "name"), ","); got != c.super || sub != c.sub {
			t.Errorf("%s in %q: above %s, below %s, want %s and %s\n%s", c.query, c.path, got, sub, c.super, c.sub, out.Text)
		}
	}
	if e := b.fails(tools.Ambiguous, "hierarchy", "query", "Reader").Envelope.Error; len(e.Details.Available) != 2 {
		t.Errorf("%+v", e)
	}
	b.fails(tools.NotFound, "hierarchy", "query", "z.Reader")
}

// A word that a language keeps for itself is no new name, in either kind of rename, though parsers take it.
func TestRenameToWordsOfTheLanguage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		file, text, old, fresh string
		refused                bool
	}{
		{"a.go", "package a\n\nvar x = 1\n", "x", "_", true}, {"a.go", "package a\n\nvar x = 1\n", "x", "func", true}, {"a.go", "package a\n\nvar x = 1\n", "x", "y", false},
		{"a.ts", "export const z = 1\n", "z", "null", true}, {"a.ts", "export const z = 1\n", "z", "static", true}, {"a.ts", "export const z = 1\n", "z", "string", false},
		{"a.ts", "interface P { a: number }\n", "P", "string", true}, {"a.ts", "export const z = 1\n", "z", "async", false},
		{"a.py", "def foo(): return 1\n", "foo", "None", true}, {"a.py", "x = 1\n", "x", "__debug__", true}, {"a.py", "x = 1\n", "x", "match", false},
		{"A.java", "class A { int foo = 1; }\n", "foo", "null", true}, {"a.rs", "fn foo() {}\n", "foo", "Self", true}, {"a.php", "<?php\nfunction foo() {}\n", "foo", "Echo", true},
	} {
		if !hasGrammars() && !strings.HasSuffix(c.file, ".go") {
			continue
		}
		b := project(t, map[string]string{c.file: c.text})
		out := b.call("rename", "path", c.file, "query", c.old, "new_name", c.fresh, "kind", "text")
		if e := out.Envelope.Error; c.refused != (e != nil) || e != nil && e.Code != tools.Conflict || c.refused != (b.read(c.file) == c.text) {
			t.Errorf("%s: %s to %s: %v\n%s", c.file, c.old, c.fresh, e, b.read(c.file))
		}
	}
}
