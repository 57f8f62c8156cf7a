package index

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools/code/syntax"
)

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func open(t testing.TB, files map[string]string) (*os.Root, string) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		write(t, filepath.Join(dir, name), text)
	}
	r, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r, dir
}

// each gives the names of the symbols below dir, sorted, with the stats.
func each(t testing.TB, x *Index, r *os.Root, dir string, o Options) ([]string, Stats) {
	t.Helper()
	var mu sync.Mutex
	var names []string
	stats, err := x.Each(t.Context(), r, dir, o, func(name string, f *syntax.File) {
		mu.Lock()
		defer mu.Unlock()
		for _, s := range f.Symbols {
			names = append(names, s.Name)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(names)
	return names, stats
}

func TestParsesOnlyWhatIsNew(t *testing.T) {
	t.Parallel()
	r, dir := open(t, map[string]string{"a.go": "package a\nfunc A() {}\n", "sub/b.go": "package b\nfunc B() {}\n", "x.txt": "text"})
	x := New(nil)
	names, stats := each(t, x, r, ".", Options{})
	if strings.Join(names, " ") != "A B" || stats.Parsed != 2 {
		t.Errorf("%v %+v", names, stats)
	}
	if names, stats = each(t, x, r, ".", Options{}); len(names) != 2 || stats.Parsed != 0 {
		t.Errorf("again: %v %+v", names, stats)
	}
	write(t, filepath.Join(dir, "a.go"), "package a\nfunc Changed() {}\n")
	os.Remove(filepath.Join(dir, "sub/b.go"))
	if names, stats = each(t, x, r, ".", Options{}); strings.Join(names, " ") != "Changed" || stats.Parsed != 1 {
		t.Errorf("after a change: %v %+v", names, stats)
	}
	if n := len(x.root(r).files); n != 1 {
		t.Errorf("%d files are remembered", n)
	}
	if x.File(r, "a.go") == nil || x.File(r, "sub/b.go") != nil {
		t.Error("File")
	}
}

// A walk of a part forgets nothing of the rest.
func TestPartialWalk(t *testing.T) {
	t.Parallel()
	r, _ := open(t, map[string]string{"a.go": "package a\nfunc A() {}\n", "sub/b.go": "package b\nfunc B() {}\n", "subway/c.go": "package c\nfunc C() {}\n"})
	x := New(nil)
	each(t, x, r, ".", Options{})
	each(t, x, r, "sub", Options{})
	each(t, x, r, ".", Options{Globs: []string{"a.go"}})
	if _, stats := each(t, x, r, ".", Options{}); stats.Parsed != 0 || stats.Files != 3 {
		t.Errorf("%+v", stats)
	}
}

// Files that do not hold what is looked for are passed over, and parsed in the background.
func TestNeedsAndFill(t *testing.T) {
	t.Parallel()
	files := map[string]string{"hit.go": "package a\nfunc WantedThing() {}\n"}
	for i := range 50 {
		files[fmt.Sprintf("f%d.go", i)] = "package a\nfunc Other() {}\n"
	}
	r, _ := open(t, files)
	stop := make(chan struct{})
	defer close(stop)
	x := New(stop)
	names, stats := each(t, x, r, ".", Options{Needs: "wantedTHING"})
	if strings.Join(names, " ") != "WantedThing" || stats.Parsed != 1 || stats.Passed != 50 {
		t.Errorf("%v %+v", names, stats)
	}
	x.Fill(r, ".", Options{Needs: "x"})
	x.Fill(r, ".", Options{})
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	for {
		known := x.root(r)
		known.mu.RLock()
		n, busy := len(known.files), len(known.fills)
		known.mu.RUnlock()
		if n == 51 && busy == 0 {
			break
		}
		select {
		case <-ctx.Done():
			t.Fatalf("%d of 51 files after 10 s", n)
		case <-time.After(5 * time.Millisecond):
		}
	}
	if _, stats = each(t, x, r, ".", Options{Needs: "wantedthing"}); stats.Parsed != 0 || stats.Passed != 0 || stats.Files != 51 {
		t.Errorf("after the fill: %+v", stats)
	}
}

func TestCancelled(t *testing.T) {
	t.Parallel()
	r, _ := open(t, map[string]string{"a.go": "package a\n"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := New(nil).Each(ctx, r, ".", Options{}, func(string, *syntax.File) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// Many calls at once, while files change, see whole files only.
func TestConcurrentWalks(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range 30 {
		files[fmt.Sprintf("f%d.go", i)] = "package a\nfunc One() {}\nfunc Two() {}\n"
	}
	r, dir := open(t, files)
	x := New(nil)
	var group sync.WaitGroup
	for i := range 6 {
		group.Go(func() {
			for n := range 10 {
				if i == 0 {
					tmp := filepath.Join(dir, ".tmp")
					os.WriteFile(tmp, []byte(fmt.Sprintf("package a\nfunc One() {}\n// %d\nfunc Two() {}\n", n)), 0o644)
					os.Rename(tmp, filepath.Join(dir, "f0.go"))
					continue
				}
				_, err := x.Each(t.Context(), r, ".", Options{}, func(name string, f *syntax.File) {
					if len(f.Symbols) != 2 {
						t.Errorf("%s has %d symbols", name, len(f.Symbols))
					}
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
}

func TestFolded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text, in string
		want     bool
	}{
		{"foo", "a FOO b", true}, {"FoO", "xfoox", true}, {"foo", "fo o", false}, {"q", "Q", true}, {"z_9", "Z_9", true}, {"foo", "fofoo", true}, {"foo", "", false}, {"é", "aéb", true}, {"x", "aaa", false},
	} {
		if got := newFolded(c.text).in([]byte(c.in)); got != c.want {
			t.Errorf("%q in %q: %v", c.text, c.in, got)
		}
	}
}

func FuzzFolded(f *testing.F) {
	f.Add("foo", "xFoOx")
	f.Add("a", "")
	f.Fuzz(func(t *testing.T, text, in string) {
		ascii := func(s string) bool { return strings.IndexFunc(s, func(r rune) bool { return r > 126 }) < 0 }
		if text == "" || !ascii(text) || !ascii(in) {
			return
		}
		if got, want := newFolded(text).in([]byte(in)), strings.Contains(strings.ToLower(in), strings.ToLower(text)); got != want {
			t.Errorf("%q in %q: %v", text, in, got)
		}
	})
}

// What was left out is named, and not read again while it is the same.
func TestLeftOut(t *testing.T) {
	t.Parallel()
	r, _ := open(t, map[string]string{
		"big.go": "package a\n" + strings.Repeat("// filler\n", MaxFile/10), "x.min.js": "a", "packed.go": "package a;" + strings.Repeat("var x int;", 10_000), "ok.go": "package a\n",
	})
	x := New(nil)
	for range 2 {
		_, stats := each(t, x, r, ".", Options{})
		got := strings.Join(slices.Sorted(slices.Values(stats.Skipped)), ", ")
		if want := "big.go: larger than 1 MiB, packed.go: minified, x.min.js: minified"; got != want || stats.SkippedN != 3 || stats.Files != 1 {
			t.Errorf("%s %+v", got, stats)
		}
	}
}

// A walk that begins during another one and ends after it drops nothing of what that has parsed.
func TestOverlappingWalks(t *testing.T) {
	t.Parallel()
	files := map[string]string{"z/last.go": "package z\n"}
	for i := range 40 {
		files[fmt.Sprintf("f%d.go", i)] = fmt.Sprintf("package p\n\nfunc F%d() {}\n", i)
	}
	r, _ := open(t, files)
	x := New(t.Context().Done())
	each(t, x, r, "z", Options{})
	begun, over, ended := make(chan bool), make(chan bool), make(chan bool)
	second := func() {
		defer close(ended)
		_, err := x.Each(t.Context(), r, ".", Options{Workers: 1, Needs: "nothing holds this"}, func(name string, _ *syntax.File) {
			if name == "z/last.go" { // it has passed over the others
				close(begun)
				<-over
			}
		})
		if err != nil {
			t.Error(err)
		}
	}
	var once sync.Once
	if _, err := x.Each(t.Context(), r, ".", Options{Workers: 1}, func(string, *syntax.File) {
		once.Do(func() {
			go second()
			<-begun
		})
	}); err != nil {
		t.Fatal(err)
	}
	close(over)
	<-ended
	if _, stats := each(t, x, r, ".", Options{}); stats.Parsed != 0 || stats.Files != len(files) {
		t.Errorf("%+v", stats)
	}
}

// Names in files of other encodings are found by their text.
func TestOtherEncodings(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	wide := func(text string) string { return "\xff\xfe" + strings.Join(strings.Split(text, ""), "\x00") + "\x00" }
	for name, text := range map[string]string{"l.go": "package p\n\nfunc caf\xe9() {}\n", "u.go": "package p\n\nfunc café() {}\n", "w.go": wide("package p\n\nfunc xyz() {}\n")} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	x := New(t.Context().Done())
	for needs, want := range map[string]int{"café": 2, "CAFÉ": 2, "xyz": 1} {
		n := 0
		if _, err := x.Each(t.Context(), root, ".", Options{Needs: needs}, func(_ string, f *syntax.File) {
			for _, s := range f.Symbols {
				if strings.EqualFold(s.Name, needs) {
					n++
				}
			}
		}); err != nil {
			t.Fatal(err)
		}
		if n != want {
			t.Errorf("%s: %d, want %d", needs, n, want)
		}
	}
}
