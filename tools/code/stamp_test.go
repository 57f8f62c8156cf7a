package code

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// hide changes a file without another size, time or place.
func (b *bench) hide(name, old, fresh string) {
	b.Helper()
	path := filepath.Join(b.dir, name)
	fi, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	text := strings.ReplaceAll(b.read(name), old, fresh)
	if len(text) != int(fi.Size()) {
		b.Fatal("another size")
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt([]byte(text), 0); err != nil {
		b.Fatal(err)
	}
	if err := os.Chtimes(path, time.Time{}, fi.ModTime()); err != nil {
		b.Fatal(err)
	}
}

// A file that was changed with its time kept is seen, whether a server has it open or not.
func TestChangesThatKeepTheTime(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("times of entries are not known here")
	}
	files := map[string]string{
		"go.mod": "module example.test/y\n\ngo 1.21\n", "g.go": "package y\n\nfunc Aaa() {}\n", "h.go": "package y\n\nfunc H() { Aaa() }\n",
		"a.py": "def aaa():\n    return 1\n", "b.py": "from a import aaa\n\naaa()\n",
	}
	old := time.Now().Add(-time.Hour)
	for name, test := range map[string]struct {
		program string
		open    []string
		asked   string
		file    string
	}{
		"gopls, open":     {"gopls", []string{"g.go", "h.go"}, "h.go", "g.go"},
		"gopls, not open": {"gopls", []string{"h.go"}, "h.go", "g.go"},
		"pyright, open":   {"pyright-langserver", []string{"a.py", "b.py"}, "b.py", "a.py"},
		"pyright, closed": {"pyright-langserver", []string{"b.py"}, "b.py", "a.py"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := withServers(t, files, test.program)
			for name := range files {
				if err := os.Chtimes(filepath.Join(b.dir, name), old, old); err != nil {
					t.Fatal(err)
				}
			}
			for _, name := range test.open {
				if out := b.ok("diagnostics", "path", name); out.data["errors"] != 0.0 {
					t.Fatalf("%s", out.Text)
				}
			}
			b.hide(test.file, "aa", "bb")
			if out := b.ok("diagnostics", "path", test.asked); out.data["errors"] == 0.0 {
				t.Errorf("%s", out.Text)
			}
		})
	}
}
