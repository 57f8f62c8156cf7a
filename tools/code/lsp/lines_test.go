package lsp

import "testing"

// Places of a text come back as they were given, however a server counts.
func TestLines(t *testing.T) {
	t.Parallel()
	const text = "a\rb\u2028c\r\nd\u2029\xf0\x9f\x98\x80e\n\nf"
	for _, at := range []struct {
		lines Lines
		last  Position // of f
		many  int      // lines
	}{
		{Lines{UTF16, false, false}, Position{3, 0}, 4}, {Lines{UTF16, true, false}, Position{4, 0}, 5},
		{Lines{UTF16, true, true}, Position{6, 0}, 7}, {Lines{UTF8, true, true}, Position{6, 0}, 7},
	} {
		if p := at.lines.Position([]byte(text), len(text)-1); p != at.last {
			t.Errorf("%+v: f at %+v", at.lines, p)
		}
		for i := range text {
			p := at.lines.Position([]byte(text), i)
			if got, ok := at.lines.Offset([]byte(text), p); !ok || got != i && text[i] != '\n' && text[i] != '\r' {
				t.Errorf("%+v: byte %d at %+v is byte %d, %v", at.lines, i, p, got, ok)
			}
		}
		if _, ok := at.lines.Offset([]byte(text), Position{at.many, 0}); ok {
			t.Errorf("%+v: a line behind the end", at.lines)
		}
		if _, ok := at.lines.Offset([]byte(text), Position{at.many - 1, 9}); !ok {
			t.Errorf("%+v: the last line", at.lines)
		}
	}
}
