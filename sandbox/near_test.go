package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"
)

// TestNearNames: a screenshot's U+202F, NFD on disk, letter case: the one name
// that is meant opens, with a warning; several are listed, escaped.
func TestNearNames(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("Shot 9.52.38\u202fAM.png", "shot")
	w.put("a\u0308.txt", "nfd")
	w.put("\u00f6.txt", "nfc")
	w.put("Docs/Read\u00a0Me.md", "readme")
	w.put("two\u00a0x", "1")
	w.put("two\u202fx", "2")
	w.put("Same", "1")
	w.link("Docs", "l")
	w.link("/etc", "out")
	for _, c := range []struct{ ask, real, content string }{
		{"Shot 9.52.38 AM.png", "Shot 9.52.38\u202fAM.png", "shot"},
		{"\u00e4.txt", "a\u0308.txt", "nfd"},
		{"o\u0308.txt", "\u00f6.txt", "nfc"},
		{"docs/read me.md", "Docs/Read\u00a0Me.md", "readme"},
		{"l/Read Me.md", "Docs/Read\u00a0Me.md", "readme"},
		{"SAME", "Same", "1"},
	} {
		f, err := w.Open(w.path(c.ask))
		if err != nil {
			t.Errorf("%q: %v", c.ask, err)
			continue
		}
		b := make([]byte, 20)
		n, _ := f.Read(b)
		f.Close()
		if string(b[:n]) != c.content || f.Path.String() != c.real || f.Path.Warning == "" || f.Path.Given != c.ask {
			t.Errorf("%q = %q from %q, warning %q", c.ask, b[:n], f.Path, f.Path.Warning)
		}
		if !isASCII(c.real) && !strings.Contains(f.Path.Warning, `\u`) {
			t.Errorf("odd character not shown: %s", f.Path.Warning)
		}
		if _, q, err := w.Stat(w.path(c.ask)); err != nil || q.String() != c.real || q.Warning == "" {
			t.Errorf("stat %q: %q, %v", c.ask, q, err)
		}
		if got := w.Near(w.path(c.ask)); !slices.Equal(got, []string{c.real}) {
			t.Errorf("near %q: %q", c.ask, got)
		}
		// The name as it is on disk works as such.
		if got, err := w.read(c.real); got != c.content || err != nil {
			t.Errorf("%q = %q, %v", c.real, got, err)
		}
	}
	_, err := w.read("two x")
	wantKind(t, "two", err, NotFound)
	if e, ok := errors.AsType[*PathError](err); !ok || len(e.Near) != 2 || !strings.Contains(err.Error(), `two\u00a0x`) || !strings.Contains(err.Error(), `two\u202fx`) {
		t.Errorf("not both listed: %v", err)
	}
	if !errors.Is(err, fs.ErrNotExist) {
		t.Error("no fs.ErrNotExist")
	}
	for _, name := range []string{"no", "no/x", "Same/x", "out/PASSWD", "two x/y"} {
		if got := w.Near(w.path(name)); name != "two x/y" && len(got) != 0 {
			t.Errorf("near %q: %q", name, got)
		}
		if _, err := w.read(name); err == nil {
			t.Errorf("read %q", name)
		}
	}
	// A write makes the name that was asked for.
	if err := w.write("SAME", "2"); err != nil || w.get("Same") != "1" && !w.fold {
		t.Errorf("write: %v", err)
	}
}

func TestNearLooksAtABoundedNumber(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for i := range 40 {
		name := []byte("abcdef")
		for b := range 6 {
			if i>>b&1 == 1 {
				name[b] -= 'a' - 'A'
			}
		}
		if string(name) != "ABCDEF" {
			w.put(string(name), "")
		}
	}
	if entries, _ := os.ReadDir(w.W); len(entries) < 40 {
		t.Skip("letter case makes no difference here")
	}
	if got := len(w.Near(w.path("ABCDEF"))); got != nearNames {
		t.Errorf("%d names", got)
	}
}
