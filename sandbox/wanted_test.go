package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// landscape is folders and links ("name -> target") to want roots in; names are below its base.
func landscape(t *testing.T, entries ...string) (base string) {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		put(t, base, entry)
	}
	return base
}

func put(t *testing.T, base, entry string) {
	t.Helper()
	name, target, link := strings.Cut(entry, " -> ")
	name = filepath.Join(base, name)
	err := os.MkdirAll(filepath.Dir(name), 0o755)
	switch {
	case link && strings.HasPrefix(target, "/"):
		err = errors.Join(err, os.RemoveAll(name), os.Symlink(filepath.Join(base, target), name))
	case link:
		err = errors.Join(err, os.RemoveAll(name), os.Symlink(target, name))
	default:
		err = errors.Join(err, os.MkdirAll(name, 0o755))
	}
	if err != nil {
		t.Fatal(err)
	}
}

func under(base string, names ...string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = filepath.Join(base, name)
	}
	return out
}

func partial(t *testing.T, cfg Config) *Roots {
	t.Helper()
	cfg.Partial, cfg.State = true, t.TempDir()
	r, err := Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A link where tools write makes no root of what it leads to, whoever put it there; links elsewhere are the user's.
func TestLinksThatAreNoRoots(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		there    []string
		dirs     []string
		writable []string
		want     []string // the roots; all else is left out
	}{
		"plain":                     {[]string{"W/sub"}, []string{"W", "W/sub"}, nil, []string{"W", "W/sub"}},
		"the inner one first":       {[]string{"W/sub"}, []string{"W/sub", "W"}, nil, []string{"W/sub", "W"}},
		"link out":                  {[]string{"O", "W/sub -> /O"}, []string{"W", "W/sub"}, nil, []string{"W"}},
		"link out, inner one first": {[]string{"O", "W/sub -> /O"}, []string{"W/sub", "W"}, nil, []string{"W"}},
		"relative link out":         {[]string{"O", "W/sub -> ../O"}, []string{"W", "W/sub"}, nil, []string{"W"}},
		"link above it":             {[]string{"O/y", "W/x -> /O"}, []string{"W", "W/x/y"}, nil, []string{"W"}},
		"link to what holds it":     {[]string{"W/sub -> /"}, []string{"W", "W/sub"}, nil, []string{"W"}},
		"out and in again":          {[]string{"W/in", "O/back -> /W/in", "W/x -> /O/back"}, []string{"W", "W/x"}, nil, []string{"W", "W/in"}},
		"link within":               {[]string{"W/r/1", "W/current -> /W/r/1"}, []string{"W", "W/current"}, nil, []string{"W", "W/r/1"}},
		"link to another root":      {[]string{"W", "V/lib", "W/lib -> /V/lib"}, []string{"W", "V", "W/lib"}, nil, []string{"W", "V", "V/lib"}},
		"named itself too":          {[]string{"O", "W/sub -> /O"}, []string{"W", "W/sub", "O"}, nil, []string{"W", "O"}},
		"two that vouch":            {[]string{"O/x", "W/a -> /O", "W/b -> /O/x"}, []string{"W", "W/a", "W/b"}, nil, []string{"W"}},
		"links of the user":         {[]string{"r/1", "current -> r/1", "W", "l -> /W"}, []string{"l", "current"}, nil, []string{"W", "r/1"}},
		"by the name of a link":     {[]string{"O", "W/sub -> /O", "l -> /W"}, []string{"l", "l/sub"}, nil, []string{"W"}},
		"writable for commands":     {[]string{"O", "B/sub -> /O", "W"}, []string{"W", "B/sub"}, []string{"B"}, []string{"W"}},
		"in such a folder":          {[]string{"B/sub", "W"}, []string{"W", "B/sub"}, []string{"B"}, []string{"W", "B/sub"}},
		"from a root into such one": {[]string{"B", "W/sub -> /B"}, []string{"W", "W/sub"}, []string{"B"}, []string{"W"}},
		"through itself":            {[]string{"W/sub", "l -> W/sub/.."}, []string{"l"}, nil, nil},
		"around each other":         {[]string{"A", "B", "A/l -> /B", "B/l -> /A"}, []string{"A/l", "B/l"}, nil, []string{"A"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := landscape(t, c.there...)
			r := partial(t, Config{Dirs: under(base, c.dirs...), Writable: under(base, c.writable...)})
			if want := under(base, c.want...); !slices.Equal(r.Dirs(), want) {
				t.Errorf("%q, want %q; left %q", r.Dirs(), want, r.Left())
			}
			for _, why := range r.Left() {
				if !strings.Contains(why, "can put links") {
					t.Error(why)
				}
			}
			if r.Moved() {
				t.Error("it has moved, they say")
			}
			off := partial(t, Config{Dirs: under(base, c.dirs...), Mode: Off})
			if len(off.Left()) > 0 {
				t.Errorf("mode off: %q", off.Left())
			}
		})
	}
}

// What becomes of roots while the server runs.
func TestRootsThatMove(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("an open folder cannot be removed on Windows")
	}
	for name, c := range map[string]struct {
		there, dirs []string
		gone        string // is removed
		come        []string
		moved       bool
		want        []string // at the next opening
	}{
		"nothing":                 {[]string{"W", "O"}, []string{"W"}, "", []string{"W/new", "X"}, false, []string{"W"}},
		"a link is turned":        {[]string{"r/1", "r/2", "current -> r/1"}, []string{"current"}, "", []string{"current -> r/2"}, true, []string{"r/2"}},
		"a folder becomes a link": {[]string{"W/sub", "O"}, []string{"W", "W/sub"}, "", []string{"W/sub -> /O"}, true, []string{"W"}},
		"one that was missing":    {[]string{"W", "O"}, []string{"W", "W/build"}, "", []string{"W/build"}, true, []string{"W", "W/build"}},
		"a link comes instead":    {[]string{"W", "O"}, []string{"W", "W/build"}, "", []string{"W/build -> /O"}, true, []string{"W"}},
		"the first one goes":      {[]string{"W", "V"}, []string{"W", "V"}, "W", nil, true, []string{"V"}},
		"still missing":           {[]string{"W"}, []string{"W", "gone"}, "", []string{"x"}, false, []string{"W"}},
		"one of two names":        {[]string{"W", "l -> W", "O"}, []string{"W", "l"}, "", []string{"l -> O"}, true, []string{"W", "O"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			base := landscape(t, c.there...)
			cfg := Config{Dirs: under(base, c.dirs...)}
			r := partial(t, cfg)
			if r.Moved() {
				t.Fatal("it has moved before anything was done")
			}
			if c.gone != "" {
				if err := os.RemoveAll(filepath.Join(base, c.gone)); err != nil {
					t.Fatal(err)
				}
			}
			for _, entry := range c.come {
				put(t, base, entry)
			}
			if r.Moved() != c.moved {
				t.Errorf("moved: %v", !c.moved)
			}
			again := partial(t, cfg)
			if want := under(base, c.want...); !slices.Equal(again.Dirs(), want) {
				t.Errorf("%q, want %q; left %q", again.Dirs(), want, again.Left())
			}
			if again.Moved() {
				t.Error("what was just opened has moved, they say")
			}
		})
	}
}

// While the first folder is missing no other one is where relative names begin.
func TestBaseThatIsMissing(t *testing.T) {
	t.Parallel()
	base := landscape(t, "b/sub", "wd")
	gone := under(base, "gone", "b")
	r := partial(t, Config{Dirs: gone})
	if r.Base() != "" || !strings.Contains(r.NoBase(), "gone") {
		t.Errorf("base %q: %s", r.Base(), r.NoBase())
	}
	_, err := r.Resolve("sub")
	wantKind(t, "a relative name", err, Denied)
	for _, want := range []string{gone[0], "below " + gone[1]} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
	sub := filepath.Join(gone[1], "sub")
	if p, err := r.Resolve(sub); err != nil || p.Abs() != sub {
		t.Errorf("%v, %v", p, err)
	}
	if got := RealBase(Config{Dirs: gone}); got != "" {
		t.Errorf("real base %q", got)
	}
	if got := RealBase(Config{Dirs: under(base, "b", "gone")}); got != gone[1] {
		t.Errorf("real base %q", got)
	}
	none := partial(t, Config{Dirs: gone[1:], NoBase: "the client's is odd"})
	if _, err := none.Resolve("sub"); err == nil || !strings.Contains(err.Error(), "odd") {
		t.Error(err)
	}
	wd := filepath.Join(base, "wd")
	for _, c := range []struct {
		dirs []string
		base string
	}{{gone[:1], wd}, {gone, ""}, {nil, wd}, {gone[1:], gone[1]}} {
		if off := partial(t, Config{Dirs: c.dirs, Mode: Off, Fallback: wd}); off.Base() != c.base {
			t.Errorf("mode off, %q: base %q", c.dirs, off.Base())
		}
	}
}

// What is wrong with a root that is missing is told as far as its spelling shows it, and not at any length.
func TestSlipsOfRoots(t *testing.T) {
	t.Parallel()
	base := landscape(t, "a", "b")
	a, b := base+"/a", base+"/b"
	for given, want := range map[string]string{
		`"` + a + `"`: "quotes", "/x/'" + a + "'": "quotes", a + "/$HOME/x": "variables", a + "/${P}": "variables", a + "/%USERPROFILE%": "variables", "~root": "~/…",
		a + ":" + b: "more than one", a + ";" + b: "more than one", a + "," + b: "more than one", a + " " + b: "more than one",
		"file://" + a + "/x": "", a + "/https://x": "", a + "/x": "", a + "/x:y": "",
	} {
		if runtime.GOOS == "windows" {
			break // these are no names there
		}
		_, err := Open(Config{Dirs: []string{given}})
		if err == nil || !strings.Contains(err.Error(), want) || want == "" && strings.Contains(err.Error(), "(") {
			t.Errorf("%s: %v", given, err)
		}
	}
	put(t, base, "loop -> loop")
	if _, err := Open(Config{Dirs: []string{base + "/loop"}}); err == nil || strings.Contains(err.Error(), "EvalSymlinks") {
		t.Error(err)
	}
	if _, err := Open(Config{Dirs: []string{base + "/" + strings.Repeat("x", 5000)}}); err == nil || len(err.Error()) > 2*maxShown {
		t.Error(err)
	}
}
