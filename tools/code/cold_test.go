package code

import (
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// A search of a folder gives the same whether its files were read before or not, in whatever way a name is written.
func TestColdAsWarm(t *testing.T) {
	t.Parallel()
	files := map[string]string{
		"a.go":  "package a\n\ntype Ärger struct{}\n\nfunc Übung() {}\n\nfunc Xİy() {}\n\nfunc straßE() {}\n",
		"b.go":  "package a\n\nfunc ärgerlich() {}\n\nvar übungen = 1\n\nfunc ПРИВЕТ() {}\n",
		"c.go":  "package a\n\nfunc Naïve() {}\n\nfunc приветствие() {}\n",
		"no.go": "package a\n\nfunc Other() {}\n",
	}
	cases := [][2]string{{"Ärger", "Ärger"}, {"ärger", "Ärger"}, {"ÄRGERLICH", "ärgerlich"}, {"Übung", "Übung"}, {"übung", "Übung"}, {"a.Übung", "Übung"}, {"Xİy", "Xİy"},
		{"STRAßE", "straßE"}, {"привет", "ПРИВЕТ"}, {"ПРИВЕТСТВИЕ", "приветствие"}, {"NAÏVE", "Naïve"}}
	if hasGrammars() {
		files["o.cpp"] = "struct A { bool operator ==(const A&) const; explicit operator  int() const; A& operator [] (int); void operator () (int); };\nbool A::operator ==(const A&) const { return true; }\n"
		files["p.cpp"] = "struct B { bool operator==(const B&) const; operator int() const; };\nbool operator <(const B&, const B&) { return true; }\n"
		files["q.js"] = "class Q { [Symbol.iterator]() {} }\n"
		files["r.rb"] = "module A\n  class B\n    def `(x)\n    end\n\n    def ==(o)\n    end\n  end\nend\n"
		files["operators.go"] = "package a\n\nfunc Sum() {}\n"
		cases = append(cases, [][2]string{{"A.operator ==", "A.operator =="}, {"A::operator==", "A.operator =="}, {"A::operator == (const A&) const", "A.operator =="}, {"bool A::operator==(const A &o)", "A.operator =="},
			{"A.operator int", "A.operator int"}, {"A::operator  int", "A.operator int"}, {"A.operator[]", "A.operator []"}, {"A.operator []", "A.operator []"}, {"A.operator()", "A.operator ()"}, {"A::operator ()", "A.operator ()"},
			{"B.operator ==", "B.operator=="}, {"B::operator==", "B.operator=="}, {"operator<", "operator <"}, {"operators.Sum", "Sum"}, {"operators/Sum", "Sum"},
			{"Q/[Symbol/iterator]", "Q.[Symbol.iterator]"}, {"Q.[Symbol.iterator]", "Q.[Symbol.iterator]"}, {"A.B.`", "A.B.`"}, {"A.B.==", "A.B.=="}}...)
	}
	dir := project(t, files).dir
	warm := over(t, dir, nil, Config{})
	warm.ok("summarize")
	for _, c := range cases {
		out := over(t, dir, nil, Config{}).call("definition", "query", c[0])
		if out.Envelope.Error != nil {
			t.Errorf("definition of %s: %v", c[0], out.Envelope.Error)
		} else if got := out.data["symbol"].(map[string]any)["name_path"]; got != c[1] {
			t.Errorf("definition of %s: %v, want %s", c[0], got, c[1])
		}
		first, again := over(t, dir, nil, Config{}).ok("search_symbol", "query", c[0]), warm.ok("search_symbol", "query", c[0])
		if first.Text != again.Text || first.data["files"] != again.data["files"] {
			t.Errorf("%s: first\n%sthen\n%s", c[0], first.Text, again.Text)
		}
	}
	if out := over(t, dir, nil, Config{}).ok("references", "query", "Übung"); len(out.Envelope.Meta.Warnings) != 1 {
		t.Errorf("%v", out.Envelope.Meta.Warnings)
	}
	if hasGrammars() {
		if out := over(t, dir, nil, Config{}).ok("search_symbol", "query", "operator=="); out.data["total"] != 3.0 {
			t.Errorf("%s", out.Text)
		}
		over(t, dir, nil, Config{}).fails(tools.NotFound, "definition", "query", "A::operator!=")
		if out := warm.ok("delete_symbol", "path", "o.cpp", "name_path", "A::operator[]", "dry_run", true); out.data["symbol"] != "A.operator []" {
			t.Errorf("%s", out.raw)
		}
	}
}
