package sandbox

import (
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestRootSpellings: W, W/, W//, W/x/.., a link to W and a URI are one root,
// reached by relative and absolute names in both spellings.
func TestRootSpellings(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("a.txt", "A")
	alias := filepath.Join(filepath.Dir(w.W), "alias")
	w.link(w.W, alias)
	for _, given := range []string{w.W, w.W + "/", w.W + "//", w.W + "/x/..", w.W + "/.", alias, alias + "/", alias + "/x/..", "file://" + w.W, "FILE://localhost" + w.W + "/", "~", "~/../W"} {
		r, err := Open(Config{Dirs: []string{given}, Home: w.W})
		if err != nil {
			t.Errorf("root %s: %v", given, err)
			continue
		}
		names := []string{"a.txt", "./a.txt", "x/../a.txt", w.W + "/a.txt", w.W + "//a.txt", "file://" + w.W + "/a.txt", "~/a.txt"}
		if strings.HasPrefix(given, alias) {
			names = append(names, alias+"/a.txt", alias+"/./a.txt")
		}
		for _, name := range names {
			v := &world{Roots: r, t: t, W: w.W, O: w.O}
			if got, err := v.read(name); got != "A" || err != nil {
				t.Errorf("root %s, read %s = %q, %v", given, name, got, err)
			}
			p := v.path(name)
			if p.Abs() != filepath.Join(w.W, "a.txt") || p.String() != "a.txt" || p.Given != name {
				t.Errorf("root %s: %s is %q, %q, given %q", given, name, p.Abs(), p.String(), p.Given)
			}
		}
	}
}

func TestRootIsTheTop(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := w.put("a.txt", "A")
	for dir := w.W; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if f, err := os.Open(dir); err != nil {
			t.Skip("os.Root must be able to read every folder: ", err)
		} else {
			f.Close()
		}
	}
	r, err := Open(Config{Dirs: []string{"/"}})
	if err != nil {
		t.Fatal(err)
	}
	v := &world{Roots: r, t: t}
	for _, name := range []string{file, strings.TrimPrefix(file, "/"), "/" + file} {
		if got, err := v.read(name); got != "A" || err != nil {
			t.Errorf("read %s = %q, %v", name, got, err)
		}
	}
}

func TestRelativeNamesIgnoreTheWorkingFolder(t *testing.T) {
	t.Parallel()
	w := newWorld(t) // the test runs in the package's folder
	w.put("doc.go", "mine")
	if got, err := w.read("doc.go"); got != "mine" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestMissingRootIsAnError(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := w.put("file", "")
	for _, dir := range []string{w.W + "/gone", file, ""} {
		for _, cfg := range []Config{{Dirs: []string{w.W, dir}}, {ReadDirs: []string{dir}}, {Dirs: []string{dir}, Mode: Off}} {
			_, err := Open(cfg)
			if err == nil || dir != "" && !strings.Contains(err.Error(), dir) {
				t.Errorf("root %q: %v", dir, err)
			}
		}
	}
	if _, err := Open(Config{Temp: w.W + "/gone"}); err == nil {
		t.Error("missing temp folder taken")
	}
}

func TestNoRoots(t *testing.T) {
	t.Parallel()
	r, err := Open(Config{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.Resolve("a.txt")
	wantKind(t, "relative", err, Denied)
	if err == nil || !strings.Contains(err.Error(), "--project-dir") {
		t.Errorf("no advice: %v", err)
	}
	if _, err = r.Open(Path{}); KindOf(err) != Invalid {
		t.Errorf("zero path: %v", err)
	}
}

func TestSeveralRoots(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	v := newWorld(t, func(c *Config) {
		c.Dirs = append(c.Dirs, w.W)
		c.Temp = w.O
		c.ReadDirs = []string{c.Dirs[0] + "/../O"}
	})
	w.put("second", "2")
	v.put("first", "1")
	w.put(filepath.Join(w.O, "temp"), "T")
	v.put(filepath.Join(v.O, "ro"), "R")
	for name, want := range map[string]string{"first": "1", w.W + "/second": "2", w.O + "/temp": "T", v.O + "/ro": "R", "../O/ro": "R"} {
		if got, err := v.read(name); got != want || err != nil {
			t.Errorf("%s = %q, %v", name, got, err)
		}
	}
	v.link(w.W+"/second", "abs")
	v.link("../O/ro", "rel")
	v.link("../O", "dir")
	for name, want := range map[string]string{"abs": "2", "rel": "R", "dir/ro": "R"} {
		if got, err := v.read(name); got != want || err != nil {
			t.Errorf("link %s = %q, %v", name, got, err)
		}
	}
	for _, name := range []string{"../O/ro", "rel", "dir/new", v.O + "/x/y"} {
		wantKind(t, "write "+name, v.write(name, "x"), ReadOnly)
	}
	if err := v.write("abs", "new"); err != nil || w.get("second") != "new" {
		t.Errorf("write through a link to the second root: %v, %q", err, w.get("second"))
	}
}

// TestReadOnlyInsideWritable: the innermost folder decides, however it is reached.
func TestReadOnlyInsideWritable(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config) {
		dir := filepath.Join(c.Dirs[0], "vendor")
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		c.ReadDirs = []string{dir}
	})
	w.put("vendor/f", "f")
	w.link("vendor", "v")
	for _, name := range []string{"vendor/f", "v/f", "vendor/new", w.W + "/vendor/f"} {
		wantKind(t, name, w.write(name, "x"), ReadOnly)
	}
	wantKind(t, "join", w.Mkdir(w.path(".").Join("vendor/d"), 0o755), ReadOnly)
	wantKind(t, "rename", w.Rename(w.path("vendor"), w.path("v2"), false), Denied, ReadOnly)
	wantKind(t, "remove", w.RemoveAll(w.path("vendor")), Denied, ReadOnly)
	if got, err := w.read("v/f"); got != "f" || err != nil {
		t.Errorf("read %q, %v", got, err)
	}
}

func TestOffReachesEverything(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config) { c.Mode = Off })
	w.put(filepath.Join(w.O, "f"), "OUT")
	w.put("in", "IN")
	w.link(w.O, "abs")
	w.link("../O", "rel")
	for name, want := range map[string]string{"in": "IN", "../O/f": "OUT", w.O + "/f": "OUT", "abs/f": "OUT", "rel/f": "OUT", "~/f": "OUT"} {
		if got, err := w.read(name); got != want || err != nil {
			t.Errorf("%s = %q, %v", name, got, err)
		}
	}
	if err := w.write("../O/new", "x"); err != nil {
		t.Error(err)
	}
	for _, name := range []string{".", w.W, w.O, filepath.Dir(w.W), "/"} {
		wantKind(t, "remove "+name, w.RemoveAll(w.path(name)), Denied)
	}
	if _, err := os.Lstat("/dev/zero"); err == nil {
		_, err := w.read("/dev/zero")
		wantKind(t, "device", err, NotRegular)
	}
	alone, err := Open(Config{Mode: Off})
	if err != nil {
		t.Fatal(err)
	}
	if p, err := alone.Resolve("tmp"); err != nil || !filepath.IsAbs(p.Abs()) {
		t.Errorf("no folder in mode off: %v, %v", p, err)
	}
}

func TestSystemSpellingOfFolders(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("a.txt", "A")
	home := filepath.Join(filepath.Dir(w.W), "home")
	w.link(w.W, home)
	r, err := Open(Config{Dirs: []string{w.W}, Home: home})
	if err != nil {
		t.Fatal(err)
	}
	v := &world{Roots: r, t: t}
	for _, name := range []string{"~/a.txt", home + "/a.txt"} {
		if got, err := v.read(name); got != "A" || err != nil {
			t.Errorf("%s = %q, %v", name, got, err)
		}
	}
}

func TestFold(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config) { c.Fold = true })
	w.put("a.txt", "A")
	if got, err := w.read(strings.ToUpper(w.W) + "/a.txt"); got != "A" || err != nil {
		t.Errorf("got %q, %v", got, err)
	}
	_, err := w.read(strings.ToUpper(w.W) + "-evil/s")
	wantKind(t, "prefix sibling", err, Denied)
	if runtime.GOOS == "linux" {
		exact := newWorld(t)
		_, err := exact.read(strings.ToUpper(exact.W) + "/a.txt")
		wantKind(t, "another case on an exact file system", err, Denied)
	}
}

func TestCutDir(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		p, dir, rest string
		fold, ok     bool
	}{
		{"/a/b", "/a", "b", false, true}, {"/a", "/a", ".", false, true}, {"/ab", "/a", "", false, false}, {"/a", "/a/b", "", false, false},
		{"/a/b", "/", "a/b", false, true}, {"/", "/", ".", false, true}, {"C:/x", "C:/", "x", false, true}, {"/A/b", "/a", "", false, false},
		{"/A/b", "/a", "b", true, true}, {"/A", "/a", ".", true, true}, {"/AB", "/a", "", true, false}, {"/a/b", "/", "a/b", true, true}, {"/", "/", ".", true, true},
		{"c:/x", "C:/", "x", true, true}, {"C:/", "C:/", ".", true, true}, {"D:/x", "C:/", "", true, false}, {"/\u212a/b", "/k", "b", true, true},
	} {
		rest, ok := cutDir(c.p, c.dir, c.fold)
		if ok != c.ok || ok && rest != c.rest {
			t.Errorf("cutDir(%q, %q, %v) = %q, %v, want %q, %v", c.p, c.dir, c.fold, rest, ok, c.rest, c.ok)
		}
	}
}

func TestWindowsNames(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`a\b`: "a/b", `a\..\..\O`: "../O", `C:\W\a`: "C:/W/a", "c:/W/./a/../b": "C:/W/b", `~\x`: "C:/Users/me/x", "file:///C:/W/a%20b": "C:/W/a b", "a": "a", `.\`: ".",
	} {
		if got, _, err := parseName(in, "C:/Users/me", true); got != want || err != nil {
			t.Errorf("%q = %q, %v, want %q", in, got, err, want)
		}
	}
	for _, in := range []string{
		`\\server\share\x`, `//server/share`, `\\?\C:\x`, `\\.\PhysicalDrive0`, "C:x", "C:", `\x`, "/x", "a.txt:stream", "a::$DATA", `C:\a:b`, "NUL", "nul.txt", "dir/CON", "com1", "COM1.log",
		"COM¹", "lpt9 .x", "AUX ", "a.", "a ", "dir /x", "a*", "a?b", "a\x01b", "file://server/share/x", "CONIN$", `?\C:\`,
	} {
		if got, _, err := parseName(in, "C:/Users/me", true); err == nil {
			t.Errorf("%q taken as %q", in, got)
		}
	}
}

// FuzzResolve: whatever the string, the answer is an error or a place below a root.
func FuzzResolve(f *testing.F) {
	for _, s := range []string{
		"a", "", ".", "..", "../x", "/", "//", "/etc/passwd", "~", "~/..", "~x", "file:///x", "file://localhost/..", "file:/%2e%2e/%2e%2e", "file://h/x", "file:///%zz",
		"a/../../b", `..\..\x`, "C:\\x", `\\s\x`, "a\x00b", "-", "%2e%2e/x", "．．/x", "a//b/./c/", "./~/x", "\xff\xfe", "x/../W/y", "CON", "a:b", "file:",
	} {
		f.Add(s)
	}
	base := f.TempDir()
	w, o := filepath.Join(base, "W"), filepath.Join(base, "O")
	for _, d := range []string{w, o} {
		if err := os.Mkdir(d, 0o755); err != nil {
			f.Fatal(err)
		}
	}
	var sets []*Roots
	for _, cfg := range []Config{{Dirs: []string{w}, Home: w}, {Dirs: []string{w, o}, Home: o}, {Dirs: []string{w}, Home: base, Fold: true}, {Dirs: []string{w, w + "/../O"}, ReadDirs: []string{o}}} {
		r, err := Open(cfg)
		if err != nil {
			f.Fatal(err)
		}
		sets = append(sets, r)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, r := range sets {
			p, err := r.Resolve(s)
			if err != nil {
				if k := KindOf(err); k != Invalid && k != Denied || err.Error() == "" {
					t.Errorf("%q: %v", s, err)
				}
				continue
			}
			if p.Rel != path.Clean(p.Rel) || p.Rel == ".." || strings.HasPrefix(p.Rel, "../") || strings.HasPrefix(p.Rel, "/") || strings.IndexByte(p.Rel, 0) >= 0 {
				t.Errorf("%q gives %q", s, p.Rel)
			}
			if !below(filepath.ToSlash(p.Abs()), p.Root.slash, false) {
				t.Errorf("%q gives %q, outside %q", s, p.Abs(), p.Root.Dir)
			}
			again, err := r.Resolve(p.String())
			if err != nil || again.Abs() != p.Abs() {
				t.Errorf("%q gives %q, which gives %q, %v", s, p.String(), again.Abs(), err)
			}
			if q, err := r.Follow(p); err == nil && !below(q.slash(), q.Root.slash, false) {
				t.Errorf("%q leads to %q", s, q.Abs())
			}
			_, _ = r.Protected(p)
			_ = r.Near(p)
		}
		if name, abs, err := parseName(s, "C:/Users/me", true); err == nil {
			if strings.ContainsAny(name, "\\\x00") || abs != isDrive(name) || strings.HasPrefix(name, "/") {
				t.Errorf("windows: %q gives %q", s, name)
			}
		}
	})
}
