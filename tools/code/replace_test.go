package code

import (
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/hanzoai/hanzo-mcp/tools"
)

func TestReplaceAll(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ query, fresh, src, want string }{
		{`price (\d)`, "cost $1USD", "price 5", "cost 5USD"}, {`price (\d)`, "$PATH ${1}0 $$ $", "price 5", "$PATH 50 $ $"}, {`(\w)(\w)`, `\2\1\n`, "ab", `ba\n`},
		{`(?P<x>a)b`, "${x}${y}$x", "ab", "a${y}a"}, {"b", "[$0]", "abc", "a[b]c"}, {"^", "> ", bom + "one\r\ntwo\r\n", bom + "> one\r\n> two\r\n"}, {"$", ";", "a\nb\r\nc", "a;\nb;\r\nc;"},
		{"a\r\nb", "x\ny", "a\r\nb\r\n", "x\r\ny\r\n"}, {`a\r\nb`, "x", "a\nb\n", "x\n"}, {`a\n`, "", "a\r\nb\r\na\n", "b\r\n"}, {`\z`, "end", "a\n", "a\nend"}, {"^a", "b", bom + "a", bom + "b"},
		{`(?P<n>\d)`, `$n \g<n> \g<1> $& \$1 \\1 \0 $nn`, "5", `5 5 5 5 $1 \1 \0 $nn`}, {`(a)(b)`, "$10 \\20", "ab", "a0 b0"}, {`x\\r\n`, "y", "x\\r\r\n", "y"}, {`x`, "C:\\dir\\\\share $HOME ${a:-b} ${}", "x", "C:\\dir\\\\share $HOME ${a:-b} ${}"},
	} {
		re := regexp.MustCompile("(?m)" + withoutEndings(c.query))
		fresh, err := parseTemplate(c.fresh, re)
		if err != nil {
			t.Errorf("%s: %v", c.fresh, err)
		}
		if got, _ := replaceAll(re, fresh, []byte(c.src)); string(got) != c.want {
			t.Errorf("%q by %q in %q: %q, want %q", c.query, c.fresh, c.src, got, c.want)
		}
	}
	for _, fresh := range []string{"$2", "${2}", `\2`, `\g<2>`, "${10}"} {
		if _, err := parseTemplate(fresh, regexp.MustCompile("(a)")); err == nil || tools.AsError(err).Code != tools.InvalidParams {
			t.Errorf("%s, a group that is not there: %v", fresh, err)
		}
	}
}

// Calls that change one file wait for each other; folders of what others wrote are left as they are.
func TestGrepReplaceAtOnce(t *testing.T) {
	t.Parallel()
	b := project(t, map[string]string{"a.txt": strings.Repeat("abcdefgh\n", 3), "node_modules/x/i.js": "a\n"})
	var wait sync.WaitGroup
	for _, c := range "abcdefgh" {
		wait.Go(func() {
			if out := b.call("grep_replace", "query", string(c), "replacement", strings.ToUpper(string(c))); out.Envelope.Error != nil {
				t.Errorf("%c: %v", c, out.Envelope.Error)
			}
		})
	}
	wait.Wait()
	if got := b.read("a.txt"); got != strings.Repeat("ABCDEFGH\n", 3) {
		t.Errorf("%q", got)
	}
	if b.read("node_modules/x/i.js") != "a\n" {
		t.Error("node_modules was changed")
	}
	b.ok("grep_replace", "path", "node_modules/x", "query", "a", "replacement", "b")
}

// What is meant to hold a change back and is not known stops it.
func TestUnknownCare(t *testing.T) {
	t.Parallel()
	b := project(t, map[string]string{"a.go": "package a\n\nfunc F() {}\n"})
	out := b.ok("delete_symbol", "path", "a.go", "name_path", "F", "preview", true)
	if out.data["dry_run"] != true {
		t.Errorf("%s", out.raw)
	}
	b.fails(tools.InvalidParams, "delete_symbol", "path", "a.go", "name_path", "F", "etag", "x")
	if !strings.Contains(b.read("a.go"), "F") {
		t.Error("it was deleted")
	}
}

// Where query speaks of line endings, \n in a replacement would join all lines by these two characters.
func TestReplacementOfLineEndings(t *testing.T) {
	t.Parallel()
	const text = "a\r\nb\r\n"
	b := project(t, map[string]string{"a.txt": text})
	for _, c := range [][2]string{{`\r\n`, `\n`}, {`\n`, `\r\n`}, {"\n", `\n`}, {`[\n]+`, `;\n`}} {
		e := b.fails(tools.InvalidParams, "grep_replace", "query", c[0], "replacement", c[1]).Envelope.Error
		if e.Details.Param != "replacement" || b.read("a.txt") != text {
			t.Errorf("%q: %s\n%q", c, e.Message, b.read("a.txt"))
		}
	}
	b.fails(tools.InvalidParams, "grep_replace", "path", "a.txt", "glob", "*.go", "query", "a", "replacement", "c")
	b.ok("grep_replace", "path", "a.txt", "glob", "*.txt", "query", `a\r\nb`, "replacement", "c\nd")
	out := b.ok("grep_replace", "query", "(?P<x>c)$", "replacement", `$<x>\\n\u00e9`)
	if got := b.read("a.txt"); got != "c\\\\n\\u00e9\r\nd\r\n" {
		t.Errorf("%q", got)
	}
	if w := strings.Join(out.Envelope.Meta.Warnings, "; "); !strings.Contains(w, `\u00e9`) || strings.Contains(w, `\n,`) {
		t.Errorf("%s", w)
	}
}

// A file that a change breaks is told apart from one that was broken already.
func TestBrokenByAChange(t *testing.T) {
	t.Parallel()
	b := project(t, map[string]string{"a.go": "package a\n\nfunc f() int { return 1 }\n\nfunc g() {}\n"})
	out := b.ok("grep_replace", "query", "return", "replacement", "ret", "path", "a.go")
	if w := out.Envelope.Meta.Warnings; len(w) != 1 || w[0] != "1 files parsed before this change and do not parse in full any more: a.go" {
		t.Errorf("%q", w)
	}
	out = b.ok("insert_before", "path", "a.go", "name_path", "f", "text", "func h() {}")
	if w := strings.Join(out.Envelope.Meta.Warnings, " "); !strings.Contains(w, "does not parse in full, neither before this edit nor after it") {
		t.Errorf("%q", w)
	}
}
