package tree

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// ways are the two ways to hold a folder: both must do the same everywhere.
var ways = map[string]opener{"platform": openTop, "os.Root": openRootDir}

func eachWay(t *testing.T, test func(t *testing.T, open opener)) {
	for name, open := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open)
		})
	}
}

// visited walks and gives "path" of files, "path/" of folders, "path@" of links,
// "path?" of others, sorted.
func visited(t *testing.T, root *os.Root, start string, o Options, open opener) ([]string, Stats) {
	t.Helper()
	var mu sync.Mutex
	var list []string
	st, err := walk(t.Context(), root, start, o, open, func(e *Entry) error {
		mark := map[Type]string{File: "", Dir: "/", Link: "@", Other: "?"}[e.Type]
		mu.Lock()
		defer mu.Unlock()
		list = append(list, e.Path()+mark)
		return nil
	})
	must(t, err)
	slices.Sort(list)
	return list, st
}

func same(t *testing.T, got []string, want ...string) {
	t.Helper()
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func link(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Skip("links cannot be made: ", err)
	}
}

func TestWalkListsLinksAndNeverFollowsThem(t *testing.T) {
	t.Parallel()
	outside := plant(t, t.TempDir(), map[string]string{"secret": "x"})
	dir := plant(t, t.TempDir(), map[string]string{"real/sub/f": "x"})
	link(t, ".", filepath.Join(dir, "loop"))
	link(t, "b", filepath.Join(dir, "a"))
	link(t, "a", filepath.Join(dir, "b"))
	link(t, outside, filepath.Join(dir, "out"))
	link(t, "real", filepath.Join(dir, "link"))
	eachWay(t, func(t *testing.T, open opener) {
		root := openRoot(t, dir)
		got, st := visited(t, root, ".", Options{}, open)
		same(t, got, "a@", "b@", "link@", "loop@", "out@", "real/", "real/sub/", "real/sub/f")
		if st.SkippedTotal != 0 {
			t.Errorf("skipped %v", st.Skipped)
		}
		// The start may be reached through links inside the root.
		got, _ = visited(t, root, "link/sub", Options{}, open)
		same(t, got, "real/sub/f")
		got, _ = visited(t, root, "loop/loop/real", Options{}, open)
		same(t, got, "real/sub/", "real/sub/f")
		for _, start := range []string{"out", "a", "../" + filepath.Base(outside), "real/../..", "/real", outside, "nowhere", "out/secret", "real/sub/f"} {
			if _, err := walk(t.Context(), root, start, Options{}, open, func(*Entry) error { return nil }); err == nil {
				t.Errorf("walked %s", start)
			}
		}
	})
}

// watched notes which folders and files a walk opens.
type watched struct {
	folder
	path string
	log  *sync.Map
}

func (d watched) openDir(name string) (folder, error) {
	p := join(d.path, name)
	d.log.Store(p, true)
	child, err := d.folder.openDir(name)
	return watched{child, p, d.log}, err
}

func (d watched) openFile(name string) (file, error) {
	d.log.Store(join(d.path, name), true)
	return d.folder.openFile(name)
}

// An excluded folder may be a slow mount: it must not even be opened.
func TestWalkNeverOpensWhatIsExcluded(t *testing.T) {
	t.Parallel()
	dir := plant(t, t.TempDir(), map[string]string{
		".gitignore": "node_modules/\n", "node_modules/p/x": "", "src/node_modules/y": "", "src/a": "", ".git/HEAD": "ref: x", "build/z": "", ".hid/h": "",
	})
	var log sync.Map
	open := func(r *os.Root) (folder, error) {
		d, err := openTop(r)
		return watched{d, "", &log}, err
	}
	_, err := walk(t.Context(), openRoot(t, dir), ".", Options{Globs: []string{"!build/**", "*"}, SkipHidden: true}, open, func(*Entry) error { return nil })
	must(t, err)
	var opened []string
	log.Range(func(k, _ any) bool { opened = append(opened, k.(string)); return true })
	slices.Sort(opened)
	// .git for info/exclude alone.
	same(t, opened, ".git", ".git/info", ".gitignore", "src")
}

func TestWalkReportsWhatItCannotRead(t *testing.T) {
	t.Parallel()
	dir := plant(t, t.TempDir(), map[string]string{"a/x": "", "gone/y": "", "z": ""})
	eachWay(t, func(t *testing.T, open opener) {
		broken := func(r *os.Root) (folder, error) {
			d, err := open(r)
			return failing{d}, err
		}
		got, st := visited(t, openRoot(t, dir), ".", Options{}, broken)
		same(t, got, "a/", "a/x", "gone/", "z")
		if st.SkippedTotal != 1 || st.Skipped[0] != (Skip{"gone", fs.ErrNotExist.Error()}) {
			t.Errorf("skipped %v", st.Skipped)
		}
	})
}

// failing loses the folder "gone" between reading its name and opening it.
type failing struct{ folder }

func (d failing) openDir(name string) (folder, error) {
	if name == "gone" {
		return nil, &fs.PathError{Op: "openat", Path: name, Err: fs.ErrNotExist}
	}
	return d.folder.openDir(name)
}

func TestWalkUnreadableFolder(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" || os.Getuid() == 0 {
		t.Skip("permissions do not bind this user")
	}
	dir := plant(t, t.TempDir(), map[string]string{"a/x": "", "b": ""})
	must(t, os.Chmod(filepath.Join(dir, "a"), 0))
	t.Cleanup(func() { os.Chmod(filepath.Join(dir, "a"), 0o755) })
	got, st := visited(t, openRoot(t, dir), ".", Options{}, openTop)
	same(t, got, "a/", "b")
	if st.SkippedTotal != 1 || st.Skipped[0].Path != "a" || !strings.Contains(st.Skipped[0].Reason, "permission") {
		t.Errorf("skipped %v", st.Skipped)
	}
}

func TestWalkOptions(t *testing.T) {
	t.Parallel()
	dir := plant(t, t.TempDir(), map[string]string{
		".git/HEAD": "ref: x", ".git/config": "", ".env": "", ".gitignore": "*.log\n", "a.log": "", "a.go": "", "b.ts": "", "src/c.go": "", "src/deep/d.go": "", "src/deep/e.tsx": "", "doc/été.md": "", "doc/.x/y": "",
	})
	eachWay(t, func(t *testing.T, open opener) {
		for _, c := range []struct {
			name  string
			start string
			o     Options
			want  string
		}{
			{"all", ".", Options{Types: File}, ".env .gitignore a.go b.ts doc/.x/y doc/été.md src/c.go src/deep/d.go src/deep/e.tsx"},
			{"depth 1", ".", Options{Depth: 1}, ".env .gitignore a.go b.ts doc/ src/"},
			{"depth 2", ".", Options{Depth: 2, Types: Dir}, "doc/ doc/.x/ src/ src/deep/"},
			{"depth below a start", "src", Options{Depth: 1}, "src/c.go src/deep/"},
			{"no ignore keeps .git out", ".", Options{NoIgnore: true, Types: File, Depth: 1}, ".env .gitignore a.go a.log b.ts"},
			{"git", ".", Options{Git: true, Depth: 2, Globs: []string{"**/config"}}, ".git/config"},
			{"start in .git", ".git", Options{}, ".git/HEAD .git/config"},
			{"skip hidden", ".", Options{SkipHidden: true, Types: File}, "a.go b.ts doc/été.md src/c.go src/deep/d.go src/deep/e.tsx"},
			{"name glob enters folders that do not match", ".", Options{Globs: []string{"*.go"}}, "a.go src/c.go src/deep/d.go"},
			{"braces", ".", Options{Globs: []string{"*.{ts,tsx}"}}, "b.ts src/deep/e.tsx"},
			{"path glob", ".", Options{Globs: []string{"src/**/*.go"}}, "src/c.go src/deep/d.go"},
			{"path glob is below the start", "src", Options{Globs: []string{"deep/*.go"}}, "src/deep/d.go"},
			{"anchored by a slash", ".", Options{Globs: []string{"/*.go"}}, "a.go"},
			{"folder glob", ".", Options{Globs: []string{"src/deep/"}}, "src/deep/d.go src/deep/e.tsx"},
			{"exclude", ".", Options{Globs: []string{"*.go", "!deep"}}, "a.go src/c.go"},
			{"exclude below a path", ".", Options{Globs: []string{"!src/**", "!.*"}, Types: File}, "a.go b.ts doc/été.md"},
			{"question mark is a character", ".", Options{Globs: []string{"?t?.md"}}, "doc/été.md"},
			{"folders by glob", ".", Options{Types: Dir, Globs: []string{"d*"}}, "doc/ src/deep/"},
		} {
			got, _ := visited(t, openRoot(t, dir), c.start, c.o, open)
			if strings.Join(got, " ") != c.want {
				t.Errorf("%s: %s\nwant %s", c.name, strings.Join(got, " "), c.want)
			}
		}
	})
}

func TestGlobErrors(t *testing.T) {
	t.Parallel()
	root := openRoot(t, t.TempDir())
	for _, g := range []string{"[a", "a\\", "{a,b", "", "!", strings.Repeat("{a,b}", 9), strings.Repeat("a", 5000)} {
		_, err := Walk(t.Context(), root, ".", Options{Globs: []string{g}}, func(*Entry) error { return nil })
		if !errors.Is(err, ErrGlob) {
			t.Errorf("%.20q: %v", g, err)
		}
	}
}

func TestWalkStops(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range 1000 {
		files[fmt.Sprintf("d%d/f%d", i%20, i)] = "x"
	}
	dir := plant(t, t.TempDir(), files)
	root := openRoot(t, dir)
	boom := errors.New("boom")
	if _, err := Walk(t.Context(), root, ".", Options{}, func(e *Entry) error { return boom }); !errors.Is(err, boom) {
		t.Errorf("visit's error: %v", err)
	}
	if _, err := Walk(t.Context(), root, ".", Options{}, func(e *Entry) error { return fs.SkipAll }); err != nil {
		t.Errorf("SkipAll: %v", err)
	}
	got, _ := func() ([]string, Stats) {
		var mu sync.Mutex
		var list []string
		st, err := Walk(t.Context(), root, ".", Options{}, func(e *Entry) error {
			if e.Type == Dir && e.Name != "d3" {
				return fs.SkipDir
			}
			mu.Lock()
			defer mu.Unlock()
			list = append(list, e.Path())
			return nil
		})
		must(t, err)
		return list, st
	}()
	if len(got) != 51 {
		t.Errorf("SkipDir: %d entries, want d3 and its 50", len(got))
	}
	st, err := Walk(t.Context(), root, ".", Options{MaxEntries: 100}, func(e *Entry) error { return nil })
	if err != nil || !st.Truncated || st.Entries != 100 {
		t.Errorf("MaxEntries: %+v, %v", st, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	_, err = Walk(ctx, root, ".", Options{}, func(e *Entry) error { cancel(); <-ctx.Done(); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	_, err = Walk(ctx, root, ".", Options{}, func(e *Entry) error { t.Error("visited"); return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before: %v", err)
	}
}

func TestWalkLeavesNoDescriptors(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc")
	}
	count := func() int {
		list, err := os.ReadDir("/proc/self/fd")
		must(t, err)
		return len(list)
	}
	files := map[string]string{}
	for i := range 400 {
		files[fmt.Sprintf("d%d/e/f%d", i%40, i)] = "needle"
	}
	root := openRoot(t, plant(t, t.TempDir(), files))
	before := count()
	for i := range 20 {
		ctx, cancel := context.WithCancel(t.Context())
		n := 0
		Walk(ctx, root, ".", Options{Workers: 1}, func(e *Entry) error {
			if n++; n == i*7 {
				cancel()
			}
			return nil
		})
		cancel()
		Walk(t.Context(), root, "nowhere/x", Options{}, func(*Entry) error { return nil })
		List(t.Context(), root, ".", Options{}, Page{Limit: 3})
		Search(t.Context(), root, ".", Query{Pattern: "needle"})
		Search(t.Context(), root, "d1/e/f1", Query{Pattern: "needle"})
	}
	if after := count(); after > before+2 {
		t.Errorf("%d descriptors open, %d before", after, before)
	}
}

func TestWalkDeepTree(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := strings.Repeat("d/", maxDepth+20)
	if err := os.MkdirAll(filepath.Join(dir, p), 0o755); err != nil {
		t.Skip(err)
	}
	got, st := visited(t, openRoot(t, dir), ".", Options{}, openTop)
	if len(got) != maxDepth || st.SkippedTotal != 1 {
		t.Errorf("%d entries, skipped %v", len(got), st.Skipped)
	}
}

func TestEntryAccess(t *testing.T) {
	t.Parallel()
	dir := plant(t, t.TempDir(), map[string]string{"a/f": "hello", "a/g/": ""})
	link(t, "f", filepath.Join(dir, "a/l"))
	eachWay(t, func(t *testing.T, open opener) {
		_, err := walk(t.Context(), openRoot(t, dir), ".", Options{}, open, func(e *Entry) error {
			info, err := e.Info()
			must(t, err)
			switch e.Path() {
			case "a/f":
				if b, err := e.Read(nil, 5); string(b) != "hello" || err != nil {
					t.Errorf("read %q, %v", b, err)
				}
				if _, err := e.Read(make([]byte, 100), 4); !errors.Is(err, ErrTooLarge) {
					t.Errorf("over the limit: %v", err)
				}
				f, err := e.Open()
				must(t, err)
				defer f.Close()
				if b, err := io.ReadAll(f); string(b) != "hello" || err != nil {
					t.Errorf("opened: %q, %v", b, err)
				}
				if info.Size != 5 || !info.Mode.IsRegular() || time.Since(info.ModTime) > time.Hour {
					t.Errorf("info %+v", info)
				}
			case "a/l":
				if to, err := e.Readlink(); to != "f" || err != nil {
					t.Errorf("link to %q, %v", to, err)
				}
				if _, err := e.Open(); !errors.Is(err, ErrNotRegular) {
					t.Errorf("opened a link: %v", err)
				}
				if info.Mode&fs.ModeSymlink == 0 {
					t.Errorf("info %+v", info)
				}
			default:
				if _, err := e.Open(); !errors.Is(err, ErrNotRegular) {
					t.Errorf("opened a folder: %v", err)
				}
				if !info.Mode.IsDir() {
					t.Errorf("info %+v", info)
				}
			}
			return nil
		})
		must(t, err)
	})
}

func TestListPages(t *testing.T) {
	t.Parallel()
	files := map[string]string{"a-b": "", "a.txt": "", "a/b/c": "", "a/b.x": "", "a/z": "", ".gitignore": "*.log\n", "x.log": "", "b/": ""}
	for i := range 30 {
		files["n/"+strconv.Itoa(i)] = ""
	}
	dir := plant(t, t.TempDir(), files)
	root := openRoot(t, dir)
	whole, err := List(t.Context(), root, ".", Options{}, Page{Limit: 1000})
	must(t, err)
	var want []string
	for _, e := range whole.Entries {
		want = append(want, e.Path)
	}
	if !slices.IsSortedFunc(want, ComparePaths) || whole.Cursor != "" || len(want) != 40 {
		t.Fatalf("%d entries: %q", len(want), want)
	}
	if got := strings.Join(want[:8], " "); got != ".gitignore a a/b a/b/c a/b.x a/z a-b a.txt" {
		t.Errorf("order: %s", got)
	}
	for _, order := range []Order{ByName, ByTime} {
		for _, limit := range []int{1, 3, 7, 40} {
			var got []string
			for cursor, n := "", 0; ; n++ {
				p, err := List(t.Context(), root, ".", Options{}, Page{Limit: limit, Cursor: cursor, Order: order})
				must(t, err)
				if len(p.Entries) > limit || n > 50 {
					t.Fatalf("%d entries in a page of %d", len(p.Entries), limit)
				}
				for _, e := range p.Entries {
					got = append(got, e.Path)
				}
				if cursor = p.Cursor; cursor == "" {
					break
				}
			}
			if order == ByTime {
				slices.SortFunc(got, ComparePaths)
			}
			if !slices.Equal(got, want) {
				t.Errorf("order %d, pages of %d: %q", order, limit, got)
			}
		}
	}
	// A page goes on behind an entry that is gone.
	p, err := List(t.Context(), root, ".", Options{}, Page{Limit: 4})
	must(t, err)
	must(t, os.RemoveAll(filepath.Join(dir, "a")))
	p, err = List(t.Context(), root, ".", Options{}, Page{Limit: 2, Cursor: p.Cursor})
	must(t, err)
	if len(p.Entries) != 2 || p.Entries[0].Path != "a-b" || p.Entries[1].Path != "a.txt" {
		t.Errorf("after a loss: %+v", p.Entries)
	}
	for _, c := range []string{"x", "!", "bm8", encodeCursor('s', "a", "1"), encodeCursor('t', "z", "a")} {
		for _, order := range []Order{ByName, ByTime} {
			if order == ByName && c == "bm8" {
				continue
			}
			if _, err := List(t.Context(), root, ".", Options{}, Page{Cursor: c, Order: order}); !errors.Is(err, ErrCursor) {
				t.Errorf("cursor %q: %v", c, err)
			}
		}
	}
}

func TestListByTimeAndDepth(t *testing.T) {
	t.Parallel()
	dir := plant(t, t.TempDir(), map[string]string{"old": "", "d/new": "", "mid": "x", "d/e/f/g": ""})
	for i, name := range []string{"mid", "d/new"} {
		when := time.Now().Add(time.Duration(i+1) * time.Hour)
		must(t, os.Chtimes(filepath.Join(dir, name), when, when))
	}
	p, err := List(t.Context(), openRoot(t, dir), ".", Options{Types: File}, Page{Order: ByTime, Limit: 2})
	must(t, err)
	if p.Total != 4 || len(p.Entries) != 2 || p.Entries[0].Path != "d/new" || p.Entries[1].Path != "mid" || p.Entries[1].Info.Size != 1 || p.Cursor == "" {
		t.Errorf("%+v", p)
	}
	p, err = List(t.Context(), openRoot(t, dir), "d", Options{Depth: 2}, Page{})
	must(t, err)
	var got []string
	for _, e := range p.Entries {
		got = append(got, fmt.Sprint(e.Path, e.Depth))
	}
	if want := "d/e1 d/e/f2 d/new1"; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %s", got, want)
	}
}

// A listing of the first page of a large folder must not look at all of a tree.
func TestListStopsAtThePage(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range 50 {
		files[fmt.Sprintf("d%02d/f", i)] = ""
	}
	p, err := List(t.Context(), openRoot(t, plant(t, t.TempDir(), files)), ".", Options{}, Page{Limit: 4})
	must(t, err)
	if p.Stats.Entries > 60 {
		t.Errorf("looked at %d entries for a page of 4", p.Stats.Entries)
	}
}
