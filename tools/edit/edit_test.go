package edit

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestApply(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		edit       Edit
		want       string
		count      int
	}{
		{"dollar patterns are text", "price: X\n", Edit{Old: "X", New: "$$100 $& $1 ${x} $'a $`"}, "price: $$100 $& $1 ${x} $'a $`\n", 1},
		{"LF edit of a CRLF file", "a\r\nb\r\nc\r\n", Edit{Old: "a\nb", New: "a\nB\nnew"}, "a\r\nB\r\nnew\r\nc\r\n", 1},
		{"CRLF edit of a LF file", "a\nb\nc\n", Edit{Old: "a\r\nb", New: "a\r\nB"}, "a\nB\nc\n", 1},
		{"line inserted in a CRLF file", "a\r\nb\r\n", Edit{Old: "a", New: "a\nz"}, "a\r\nz\r\nb\r\n", 1},
		{"line appended to the last of a CRLF file", "a\r\nb", Edit{Old: "b", New: "b\nc"}, "a\r\nb\r\nc", 1},
		{"old text begins and ends with line ends", "a\r\nb\r\nc\r\n", Edit{Old: "\nb\n", New: "\nB\n"}, "a\r\nB\r\nc\r\n", 1},
		{"mixed endings stay", "a\r\nb\nc\r\nd\n", Edit{Old: "a\nb\nc\nd", New: "a\nb\nC\nd"}, "a\r\nb\nC\r\nd\n", 1},
		{"mixed endings, line inserted", "a\r\nb\nc\r\n", Edit{Old: "a\nb\nc\n", New: "a\nb\nx\nc\n"}, "a\r\nb\nx\nc\r\n", 1},
		{"mixed endings elsewhere", "a\r\nb\nc\nd\r\n", Edit{Old: "b\nc", New: "B\nC\nE"}, "a\r\nB\nC\nE\nd\r\n", 1},
		{"stray returns are characters", "a\rb\nc\r\n", Edit{Old: "a\rb\nc", New: "x\ry\nz"}, "x\ry\nz\r\n", 1},
		{"no final newline", "a\nb", Edit{Old: "b", New: "c"}, "a\nc", 1},
		{"all", "x x x", Edit{Old: "x", New: "xx", All: true}, "xx xx xx", 3},
		{"all that overlap, from the left", "aaa", Edit{Old: "aa", New: "b", All: true}, "ba", 1},
		{"counted", "x x", Edit{Old: "x", New: "y", Count: 2}, "y y", 2},
		{"deleted", "abc", Edit{Old: "b"}, "ac", 1},
		{"byte order mark of the caller", "abc", Edit{Old: "\ufeffa", New: "\ufeffx"}, "xbc", 1},
		{"invalid bytes around stay", "\xff\xfea\xe9", Edit{Old: "a", New: "b"}, "\xff\xfeb\xe9", 1},

		{"whitespace: tabs for spaces", "func f() {\n\tif x {\n\t\treturn 1\n\t}\n}\n",
			Edit{Old: "    if x {\n        return 1\n    }\n", New: "    if x {\n        return 2\n    }\n", Whitespace: true},
			"func f() {\n\tif x {\n\t\treturn 2\n\t}\n}\n", 1},
		{"whitespace: new depth in tabs", "\ta()\n", Edit{Old: "    a()\n", New: "    if b {\n        a()\n    }\n", Whitespace: true},
			"\tif b {\n\t\ta()\n\t}\n", 1},
		{"whitespace: in a line", "x := f(a,b)\n", Edit{Old: "f(a, b)", New: "g(a)", Whitespace: true}, "x := g(a)\n", 1},
		{"whitespace: trailing blanks", "a  \nb\n", Edit{Old: "a\nb\n", New: "a\nc\n", Whitespace: true}, "a\nc\n", 1},
		{"whitespace: keeps CRLF", "  a\r\n  b\r\nz\r\n", Edit{Old: "a\nb", New: "a\nc", Whitespace: true}, "  a\r\n  c\r\nz\r\n", 1},
		{"whitespace: the text as it is", "  a\n", Edit{Old: "  a", New: "  b", Whitespace: true}, "  b\n", 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := Apply(tt.text, tt.edit)
			if err != nil {
				t.Fatal(err)
			}
			if got.Text != tt.want || got.Count != tt.count {
				t.Fatalf("got %q (%d), want %q (%d)", got.Text, got.Count, tt.want, tt.count)
			}
		})
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text string
		edit       Edit
		count      int // of Several
		lines      []int
		is         error
	}{
		{"twice", "d\nx\nd\n", Edit{Old: "d", New: "e"}, 2, []int{1, 3}, nil},
		{"overlapping twice", "aaa", Edit{Old: "aa", New: "b"}, 2, []int{1, 1}, nil},
		{"fewer than counted", "x y", Edit{Old: "x", New: "z", Count: 2}, 1, []int{1}, nil},
		{"more than counted", "x x x", Edit{Old: "x", New: "z", Count: 2, All: true}, 3, []int{1, 1, 1}, nil},
		{"words are not joined", "return x", Edit{Old: "returnx", New: "y", Whitespace: true}, 0, nil, nil},
		{"same", "a", Edit{Old: "a", New: "a"}, 0, nil, Same{}},
		{"same but for the ending's kind", "a\r\n", Edit{Old: "a\n", New: "a\r\n"}, 0, nil, Same{}},
		{"empty", "a", Edit{New: "a"}, 0, nil, Empty{}},
		{"only whitespace", "a", Edit{Old: " \n", New: "a", Whitespace: true}, 0, nil, Empty{}},
	}
	for _, tt := range tests {
		got, err := Apply(tt.text, tt.edit)
		if err == nil {
			t.Errorf("%s: made %q", tt.name, got.Text)
			continue
		}
		if tt.is != nil {
			if !errors.Is(err, tt.is) {
				t.Errorf("%s: %v", tt.name, err)
			}
			continue
		}
		var s *Several
		if tt.count == 0 {
			if m := new(*Miss); !errors.As(err, m) {
				t.Errorf("%s: %v", tt.name, err)
			}
			continue
		}
		if !errors.As(err, &s) || s.Count != tt.count || len(s.Lines) != len(tt.lines) {
			t.Errorf("%s: %#v", tt.name, err)
			continue
		}
		for i := range s.Lines {
			if s.Lines[i] != tt.lines[i] {
				t.Errorf("%s: lines %v, want %v", tt.name, s.Lines, tt.lines)
			}
		}
	}
}

func TestMissTellsTheNearest(t *testing.T) {
	t.Parallel()
	text := "package a\n\nfunc Alpha() int {\n\treturn 1\n}\n\nfunc Beta(x int) error {\n\tif x > 0 {\n\t\treturn nil\n\t}\n\treturn errBeta\n}\n"
	tests := []struct {
		name, old  string
		line, end  int
		difference string
		hint       string
	}{
		{"one word of a block", "func Beta(x int) error {\n\tif x >= 0 {\n\t\treturn nil\n", 7, 9, "[-=-]", ""},
		{"a word in a line", "return errGamma", 11, 11, "", ""},
		{"indentation", "    if x > 0 {\n        return nil\n    }", 8, 10, `{+\t+}`, "whitespace"},
		{"line numbers", "     3→func Alpha() int {\n     4→\treturn 1\n", 3, 4, "", "line numbers"},
	}
	for _, tt := range tests {
		_, err := Apply(text, Edit{Old: tt.old, New: "z"})
		var m *Miss
		if !errors.As(err, &m) || m.Near == nil {
			t.Errorf("%s: %v, nothing near", tt.name, err)
			continue
		}
		if m.Near.Line != tt.line || m.Near.EndLine != tt.end {
			t.Errorf("%s: lines %d to %d, want %d to %d: %q", tt.name, m.Near.Line, m.Near.EndLine, tt.line, tt.end, m.Near.Text)
		}
		if !strings.Contains(m.Near.Difference, tt.difference) || !strings.Contains(m.Hint, tt.hint) {
			t.Errorf("%s: difference %q, hint %q", tt.name, m.Near.Difference, m.Hint)
		}
	}
	if _, err := Apply(text, Edit{Old: "zzzz qqqq", New: "z"}); err.(*Miss).Near != nil {
		t.Errorf("nothing is like it, but got %+v", err.(*Miss).Near)
	}
}

func TestMissInALargeTextIsQuick(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("the quick brown fox jumps over the lazy dog\r\n", 10<<20/45) + "func Needle() {}\r\n"
	start := time.Now()
	_, err := Apply(text, Edit{Old: "func Neddle() {}\n", New: "x"})
	var m *Miss
	if !errors.As(err, &m) || m.Near == nil || m.Near.Text != "func Needle() {}\n" {
		t.Fatalf("%+v", err)
	}
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("took %v", took)
	} else {
		t.Log(took)
	}
}

func TestManyOverlappingPlacesAreBounded(t *testing.T) {
	t.Parallel()
	_, err := Apply(strings.Repeat("a", 4<<20), Edit{Old: strings.Repeat("a", 4000), New: "b"})
	var s *Several
	if !errors.As(err, &s) || !s.More || s.Count != maxPlaces {
		t.Fatalf("%v", err)
	}
}

// An edit and its reverse give the bytes back.
func FuzzEdit(f *testing.F) {
	f.Add("a\r\nb\nc", "b", "x\ny")
	f.Add("a\r\nb\r\n", "a\nb\n", "q\n")
	f.Add("x$1\n", "$1", "$&$$")
	f.Add("\xff\r\r\n\n", "\r\n", "é")
	f.Add("a\nb\r\nc\n", "b\nc", "b\nd\nc")
	f.Fuzz(func(t *testing.T, text, old, fresh string) {
		got, err := Apply(text, Edit{Old: old, New: fresh})
		if err != nil {
			return
		}
		// Outside the place nothing changed: what is before and behind it is that of the old text.
		head := 0
		for head < len(text) && head < len(got.Text) && text[head] == got.Text[head] {
			head++
		}
		tail := 0
		for tail < len(text)-head && tail < len(got.Text)-head && text[len(text)-1-tail] == got.Text[len(got.Text)-1-tail] {
			tail++
		}
		if changed := len(text) - head - tail; changed > len(old)+strings.Count(old, "\n") {
			t.Fatalf("%d bytes changed by %q → %q in %q: %q", changed, old, fresh, text, got.Text)
		}
		if strings.HasPrefix(old, "\ufeff") || strings.HasPrefix(fresh, "\ufeff") || strings.Contains(old+fresh, "\r") ||
			strings.Count(text, "\r") != strings.Count(text, "\r\n") {
			return // stray returns may become parts of line ends
		}
		back, err := Apply(got.Text, Edit{Old: fresh, New: old})
		if err != nil {
			return // the new text is elsewhere too
		}
		if unix(back.Text) != unix(text) {
			t.Fatalf("%q, %q → %q and back: %q, then %q", text, old, fresh, got.Text, back.Text)
		}
		if !strings.Contains(text, "\r") && back.Text != text {
			t.Fatalf("%q, %q → %q and back: %q, then %q", text, old, fresh, got.Text, back.Text)
		}
		if strings.Count(text, "\r\n") == strings.Count(text, "\n") &&
			strings.Contains(got.Text, "\n") && back.Text != text {
			t.Fatalf("CRLF: %q, %q → %q and back: %q, then %q", text, old, fresh, got.Text, back.Text)
		}
	})
}

// What keeps old text from being found must be seen in the answer, also where it does not show on a screen.
func TestMissShowsWhatDoesNotShow(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text, old string
		line, end       int
		difference      string
	}{
		{"no-break space in a short text", "x\na\u00a0b\n", "a b", 2, 2, `[-·-]{+\u00a0+}`},
		{"accent of its own", "x\ncafe\u0301 x\n", "café x", 2, 2, `{+e\u0301+}`},
		{"whitespace far from like", "x\n{\n\t\t\t\t\t\t\t\ta\n\t\t\t\t\t\t\t\tb\n}\n", "{ a b }", 2, 5, `\t`},
		{"numbers longer than the lines", "alpha\nbeta\ngamma\n", "     1\talpha\n     2\tbeta", 1, 2, ""},
		{"CRLF", "a\r\nx  y\r\nb\r\n", "x y\n", 2, 2, `{+·+}`},
	}
	for _, tt := range tests {
		_, err := Apply(tt.text, Edit{Old: tt.old, New: "z"})
		var m *Miss
		if !errors.As(err, &m) || m.Near == nil {
			t.Errorf("%s: %v, nothing near", tt.name, err)
			continue
		}
		if m.Near.Line != tt.line || m.Near.EndLine != tt.end || !strings.Contains(m.Near.Difference, tt.difference) {
			t.Errorf("%s: lines %d to %d, want %d to %d; difference %q", tt.name, m.Near.Line, m.Near.EndLine, tt.line, tt.end, m.Near.Difference)
		}
		// One step: the text as it is shown is found.
		if _, err := Apply(tt.text, Edit{Old: m.Near.Text, New: "z"}); err != nil {
			t.Errorf("%s: %q is not found: %v", tt.name, m.Near.Text, err)
		}
	}
}
