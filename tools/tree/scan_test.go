package tree

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

// naiveLines is the plain way to find matching lines: a regexp on each of them.
func naiveLines(m *Matcher, text []byte) []int {
	var out []int
	lines := bytes.SplitAfter(text, []byte("\n"))
	for i, l := range lines {
		if len(l) == 0 {
			continue
		}
		l = bytes.TrimSuffix(l, []byte("\n"))
		l = bytes.TrimSuffix(l, []byte("\r"))
		re := m.ascii
		if !isASCII(l) {
			re = m.wide
		}
		if re.Match(l) {
			out = append(out, i+1)
		}
	}
	return out
}

func foundLines(m *Matcher, text []byte) []int {
	var out []int
	m.Find(text, func(line, _, _ int) bool { out = append(out, line); return true })
	return out
}

// engines are the ways a scanner can take, each of which must give all lines.
func engines(t *testing.T, q Query, text []byte) {
	t.Helper()
	m, err := Compile(q)
	if err != nil || m.multiline {
		return
	}
	want := naiveLines(m, text)
	var never atomic.Bool
	for _, name := range []string{"chosen", "literals", "automaton", "regexp"} {
		s := newScanner(m, &never)
		switch name {
		case "literals":
			s.needles = nil
			for _, l := range m.lits.list {
				s.needles = append(s.needles, []byte(l))
			}
			s.at = make([]int, len(s.needles))
		case "automaton":
			s.needles = nil
		case "regexp":
			s.needles, s.auto = nil, nil
		}
		var got []int
		count := counter{buf: text, line: 1}
		s.scan(text, func(start, end int) bool {
			if bytes.IndexByte(text[start:end], '\n') >= 0 {
				t.Errorf("%s: %+v: %q is no line", name, q, text[start:end])
			}
			got = append(got, count.to(start))
			return true
		})
		if !slices.Equal(got, want) {
			t.Errorf("%s: %q (i=%v w=%v) in %q: lines %v, want %v", name, q.Pattern, q.IgnoreCase, q.Word, text, got, want)
		}
	}
}

var scanSeeds = []struct{ pattern, text string }{
	{"foo", "foo\nbar\nxfoo\r\n"},
	{"^foo$", "foo\r\nfoo\n foo\nfoo"},
	{"^$", "\n\na\n\r\n"},
	{`\bfoo\b`, "foo éfoo\nfooé\nfoo\n"},
	{`\bécole\b`, "une école\nlécole\nécoles\n"},
	{`(?i)kiss`, "KISS\n\u212Ai\u017F\u017F\nkiss\n"},
	{`(?i)привет`, "ПРИВЕТ\nпривет\nпривеп\n"},
	{`a|bc|def`, "xbc\ndef\nq\na"},
	{`[A-Z][a-z]+Handler\b`, "FooHandler\nHandlers\nXyHandlers XyHandler"},
	{`x*`, "a\n\nxx\n"},
	{`\s+\d`, " 1\n\v2\n\u00a03\n٣\n"},
	{`[^a]b`, "éb\nab\n\xffb\nb"},
	{`https?://`, "http://x\nhttps://y\nhttp:/"},
	{`(ab){2,3}c?$`, "ababab\nab\nababc\r\n"},
	{`a.c`, "aéc\na\xffc\nac\nabc"},
	{`\Bx\B`, "axb\nx\nax"},
	{`(?:a+)+$`, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\naaa"},
	{`a\z`, "ba\nab\n"},
	{"\\Aa", "ba\nab\n"},
	{`\r`, "a\rb\na\r\n\r"},
	{`^$`, "0\r"},
	{`\r`, "\r\r"},
	{`[k-m]s`, "Ks\nms\nkſ"},
}

func FuzzScan(f *testing.F) {
	for _, s := range scanSeeds {
		f.Add(s.pattern, s.text, false, false)
		f.Add(s.pattern, s.text, true, true)
	}
	f.Fuzz(func(t *testing.T, pattern, text string, fold, word bool) {
		if len(pattern) > 60 || len(text) > 400 {
			t.Skip()
		}
		engines(t, Query{Pattern: pattern, IgnoreCase: fold, Word: word}, []byte(text))
	})
}

// TestScanEnginesAgree makes up patterns and texts from pieces that interact.
func TestScanEnginesAgree(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(3, 4))
	atoms := []string{"a", "b", "k", "s", "S", "ab", ".", "[ab]", "[^a]", `\w`, `\d`, `\s`, `\b`, `\B`, "^", "$", "é", "É", "(?i)", "1", "_", " ", "(a|b)", "(?:ks|ba)", "[a-z]", `\W`, "-"}
	ops := []string{"", "", "", "", "*", "+", "?", "{2}", "|", "|"}
	pieces := []string{"a", "b", "k", "s", "K", "S", "ab", "ba", "\n", "\n", "\r\n", " ", "1", "_", "é", "É", "\u212A", "\u017F", "\xff", "ks", "-", "\v", "\u00a0", "x"}
	for range 6000 {
		var p, text strings.Builder
		for range 1 + rng.IntN(5) {
			p.WriteString(atoms[rng.IntN(len(atoms))] + ops[rng.IntN(len(ops))])
		}
		for range rng.IntN(16) {
			text.WriteString(pieces[rng.IntN(len(pieces))])
		}
		engines(t, Query{Pattern: p.String(), IgnoreCase: rng.IntN(3) == 0, Word: rng.IntN(4) == 0}, []byte(text.String()))
		if t.Failed() {
			return
		}
	}
}

// A pattern with more states than the table holds must still give all lines.
func TestScanManyStates(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(5, 6))
	text := make([]byte, 80_000)
	for i := range text {
		text[i] = "ab"[rng.IntN(2)]
	}
	for i := 99; i < len(text); i += 100 {
		text[i] = '\n'
	}
	for _, p := range []string{`[ab]*a[ab]{14}b[ab]{3}$`, `(a|b)*a(a|b){30}$`} {
		m, err := Compile(Query{Pattern: p})
		must(t, err)
		if got, want := foundLines(m, text), naiveLines(m, text); !slices.Equal(got, want) {
			t.Errorf("%s: %d lines, want %d", p, len(got), len(want))
		}
	}
}

func TestTranslateKeepsMeaning(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, ascii string }{
		{`\w+\W`, `[0-9A-Za-z_]+[^0-9A-Za-z_]`},
		{`[\w-]\d`, `[0-9A-Za-z_-][0-9]`},
		{`\\w\Q\w\E\s`, `\\w\Q\w\E[\t-\r ]`},
		{`[]\d]x`, `[]0-9]x`},
		{`[^]\s][[:alpha:]\w]`, `[^]\t-\r ][[:alpha:]0-9A-Za-z_]`},
		{`[[:foo]\d`, `[[:foo][0-9]`},
		{`\pL\x{41}\.`, `\pL\x{41}\.`},
		{`[\W_]`, `[\W_]`},
		{`\Q\d`, `\Q\d`},
	} {
		if got := translate(c.in, false); got != c.ascii {
			t.Errorf("translate(%q) = %q, want %q", c.in, got, c.ascii)
		}
		if _, err := syntax.Parse(c.in, syntax.Perl); err != nil {
			continue
		}
		if _, err := regexp.Compile(translate(c.in, true)); err != nil {
			t.Errorf("%q wide: %v", c.in, err)
		}
	}
}

func TestRequiredLiterals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ pattern, want string }{
		{`foo`, "[foo] exact"},
		{`(?i)Foo`, "[foo] fold exact"},
		{`foo|bar`, "[foo bar] exact"},
		{`https?://x`, "[https://x http://x] exact"},
		{`func \w+Error\(`, "[Error(]"},
		{`^foo`, "[foo]"},
		{`(?i)привет1`, "[при прИ пРи пРИ При ПрИ ПРи ПРИ]"},
		{`\d+`, ""},
		{`(foo|ba[rz])+x?`, "[foo bar baz]"},
		{`a*foo{1,3}`, "[fo]"},
		{`foo|\d`, ""},
		{`Foo(?i)bar`, "[foobar] fold"},
		{`(foo)?`, ""},
	} {
		m, err := Compile(Query{Pattern: c.pattern})
		must(t, err)
		got := ""
		if l := m.lits; len(l.list) > 0 {
			got = fmt.Sprint(l.list)
			if l.fold {
				got += " fold"
			}
			if l.exact {
				got += " exact"
			}
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.pattern, got, c.want)
		}
	}
}

func TestLowerInPlace(t *testing.T) {
	t.Parallel()
	var all []byte
	for c := range 256 {
		all = append(all, byte(c))
	}
	for from := range 9 {
		got := slices.Clone(all[from:])
		if !lowerInPlace(got) {
			t.Error("bytes beyond ASCII not seen")
		}
		for i, c := range got {
			want := all[from+i]
			if want >= 'A' && want <= 'Z' {
				want += 'a' - 'A'
			}
			if c != want {
				t.Fatalf("%q became %q", all[from+i], c)
			}
		}
	}
}
