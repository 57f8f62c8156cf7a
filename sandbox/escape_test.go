package sandbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// operations is everything a tool can do to a name. Each returns what it
// learned, so that a leak shows.
var operations = map[string]func(w *world, p Path) (string, error){
	"open": func(w *world, p Path) (string, error) {
		f, err := w.Open(p)
		if err != nil {
			return "", err
		}
		defer f.Close()
		b := make([]byte, 100)
		n, _ := f.Read(b)
		return string(b[:n]), nil
	},
	"open dir": func(w *world, p Path) (string, error) {
		f, err := w.OpenDir(p)
		if err != nil {
			return "", err
		}
		defer f.Close()
		names, err := f.Readdirnames(-1)
		return strings.Join(names, " "), err
	},
	"stat": func(w *world, p Path) (string, error) {
		fi, _, err := w.Stat(p)
		if err != nil {
			return "", err
		}
		return fi.Name(), nil
	},
	"sub": func(w *world, p Path) (string, error) {
		root, rel, err := w.Sub(p)
		if err != nil {
			return "", err
		}
		fi, err := root.Stat(rel)
		if err != nil {
			return "", err
		}
		return fi.Name(), nil
	},
	"follow": func(w *world, p Path) (string, error) {
		q, err := w.Follow(p)
		return q.Abs(), err
	},
	"append": func(w *world, p Path) (string, error) {
		f, err := w.OpenFile(p, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
		if err != nil {
			return "", err
		}
		defer f.Close()
		_, err = f.WriteString("EVIL")
		return "", err
	},
	"write": func(w *world, p Path) (string, error) {
		_, err := w.WriteAtomic(w.t.Context(), p, strings.NewReader("EVIL"), WriteOptions{Mkdirs: true})
		return "", err
	},
	"mkdir": func(w *world, p Path) (string, error) { return "", w.Mkdir(p.Join("evil"), 0o755) },
	"mkdir all": func(w *world, p Path) (string, error) {
		return "", w.MkdirAll(p.Join("evil/er"), 0o755)
	},
	"remove in":     func(w *world, p Path) (string, error) { return "", w.Remove(p.Join("f")) },
	"remove all in": func(w *world, p Path) (string, error) { return "", w.RemoveAll(p.Join("d")) },
	"rename from":   func(w *world, p Path) (string, error) { return "", w.Rename(p.Join("f"), w.path("got"), true) },
	"rename to":     func(w *world, p Path) (string, error) { return "", w.Rename(w.path("mine"), p.Join("f"), true) },
	"chmod":         func(w *world, p Path) (string, error) { return "", w.Chmod(p, 0o777) },
	"chtimes":       func(w *world, p Path) (string, error) { return "", w.Chtimes(p, time.Unix(1, 0), time.Unix(1, 0)) },
	"symlink in":    func(w *world, p Path) (string, error) { return "", w.Symlink("x", p.Join("evil")) },
	"lstat in": func(w *world, p Path) (string, error) {
		fi, err := w.Lstat(p.Join("f"))
		if err != nil {
			return "", err
		}
		return fi.Name(), nil
	},
	"readlink in": func(w *world, p Path) (string, error) { return w.Readlink(p.Join("l")) },
	"exclusive in": func(w *world, p Path) (string, error) {
		_, err := w.WriteAtomic(w.t.Context(), p.Join("evil"), strings.NewReader("EVIL"), WriteOptions{Exclusive: true})
		return "", err
	},
	"lock": func(w *world, p Path) (string, error) {
		unlock, err := w.Lock(w.t.Context(), p)
		if err == nil {
			unlock()
		}
		return "", err
	},
	"near":      func(w *world, p Path) (string, error) { return strings.Join(w.Near(p), " "), os.ErrPermission },
	"protected": func(w *world, p Path) (string, error) { why, _ := w.Protected(p); return why, os.ErrPermission },
}

// TestNoWayOut tries every spelling of a place outside with every operation:
// O stays as it was and nothing of it is told.
func TestNoWayOut(t *testing.T) {
	t.Parallel()
	names := []struct {
		name string
		link string // when set: name is made a link with this text first
	}{
		{name: "../O"}, {name: "../O/f"}, {name: "x/../../O/f"}, {name: "./x/../../O/s"}, {name: "{O}"}, {name: "{O}/f"},
		{name: "{W}-evil/s"}, {name: "../W-evil/s"}, {name: "{W}/../O/f"}, {name: "{W}//..//O/f"}, {name: "/etc/passwd"}, {name: "//etc/passwd"},
		{name: "/"}, {name: ".."}, {name: "../"}, {name: "../../../../../../../../etc/passwd"},
		{name: "file://{O}/f"}, {name: "FILE://localhost{O}/f"}, {name: "file:{O}/f"}, {name: "file://{W}/%2e%2e/O/f"}, {name: "file://{W}/..%2fO%2Ff"},
		{name: "file://evil.example{O}/f"}, {name: "file:///etc/passwd"}, {name: "~"}, {name: "~/f"}, {name: "~/../O/f"},
		{name: "a\x00/../../O/f"}, {name: "../O/f\x00.txt"}, {name: "file://{W}/a%00/../../O/f"},
		{name: "/proc/self/root{O}/f"}, {name: "/proc/self/cwd"}, {name: "/dev/stdin"}, {name: "/dev/fd/0"},
		{name: "l", link: "{O}"}, {name: "l", link: "../O"}, {name: "l", link: "{O}/f"}, {name: "l", link: "../O/f"},
		{name: "l/d", link: "{O}"}, {name: "l/f", link: "../O"}, {name: "l", link: "{O}/missing"}, {name: "l", link: "../O/missing"},
		{name: "l", link: "/proc/self/root{O}"}, {name: "l", link: "/proc/self/cwd"}, {name: "l", link: "/"}, {name: "l", link: ".."},
		{name: "l/../l/f", link: "{O}"}, {name: "x/l", link: "../../O"}, {name: "l", link: "x/../../O"}, {name: "l", link: "{W}/../O"}, {name: "l", link: "{W}-evil/s"},
		{name: "l", link: "missing/../../O"}, {name: "hop1", link: "hop2"}, {name: "hop2/f", link: "hop3"},
	}
	for _, c := range names {
		for op, do := range operations {
			t.Run(strings.ReplaceAll(c.name, "/", "|")+" "+strings.ReplaceAll(c.link, "/", "|")+" "+op, func(t *testing.T) {
				t.Parallel()
				w := newWorld(t)
				fill := strings.NewReplacer("{O}", w.O, "{W}", w.W).Replace
				w.put(filepath.Join(w.O, "f"), "OUTSIDE")
				w.put(filepath.Join(w.O, "s"), "OUTSIDE")
				w.put(filepath.Join(w.O, "d", "f"), "OUTSIDE")
				w.link("OUTSIDE", filepath.Join(w.O, "l"))
				w.put(w.W+"-evil/s", "OUTSIDE")
				w.put("mine", "mine")
				w.put("x/y", "")
				if strings.HasPrefix(c.name, "hop") {
					w.link("hop3", "hop2")
					w.link(w.O, "hop3")
				}
				if c.link != "" && c.name != "hop2/f" {
					name := c.name
					if i := strings.Index(name, "l/"); i >= 0 {
						name = "l"
					}
					w.link(fill(c.link), name)
				}
				before := snapshot(t, w.O) + snapshot(t, w.W+"-evil")
				p, err := w.Resolve(fill(c.name))
				said := ""
				if err == nil {
					said, err = do(w, p)
				}
				if err == nil {
					t.Errorf("done, said %q", said)
				}
				if strings.Contains(said, "OUTSIDE") || strings.Contains(said, "root:") || strings.Contains(said, w.O) {
					t.Errorf("told %q", said)
				}
				if after := snapshot(t, w.O) + snapshot(t, w.W+"-evil"); after != before {
					t.Errorf("changed outside:\n%s\nwas:\n%s", after, before)
				}
				if _, err := os.Lstat(filepath.Join(w.W, "got")); err == nil {
					t.Error("something outside was moved in")
				}
				if got := w.get("mine"); got != "mine" {
					t.Errorf("mine = %q", got)
				}
			})
		}
	}
}

// TestNamesThatOnlyLookLikeAWayOut are ordinary names.
func TestNamesThatOnlyLookLikeAWayOut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, name := range []string{
		"a..b.txt", "x~", "~x", "...", "..a", "a..", "-", `..\O\f`, "%2e%2e", "%2e%2e%2fO", "a:b", "C:x", "．．", "‥", "..⁄O", "..∕O", "a b", "NUL", "$HOME", "*",
	} {
		if err := w.write(name, name); err != nil {
			t.Errorf("write %q: %v", name, err)
			continue
		}
		if got := w.get(name); got != name {
			t.Errorf("%q on disk = %q", name, got)
		}
		if got, err := w.read(name); got != name || err != nil {
			t.Errorf("read %q = %q, %v", name, got, err)
		}
	}
	if entries, _ := os.ReadDir(w.O); len(entries) != 0 {
		t.Errorf("O has %v", entries)
	}
}

// TestDashIsAName: neither the protocol stream nor a device is read.
func TestDashIsAName(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	_, err := w.read("-")
	wantKind(t, "-", err, NotFound)
	_, err = w.read("/dev/stdin")
	wantKind(t, "/dev/stdin", err, Denied)
}

func TestTildeIsExpandedThenChecked(t *testing.T) {
	t.Parallel()
	out := newWorld(t)
	wantKind(t, "home outside", out.write("~/x.txt", "x"), Denied)
	in := newWorld(t, func(c *Config) { c.Home = c.Dirs[0] })
	if err := in.write("~/x.txt", "x"); err != nil {
		t.Fatal(err)
	}
	if got := in.get("x.txt"); got != "x" {
		t.Errorf("got %q", got)
	}
	none := newWorld(t, func(c *Config) { c.Home = "" })
	wantKind(t, "no home", none.write("~/x.txt", "x"), Invalid)
	for _, w := range []*world{out, in, none} {
		if _, err := os.Lstat(filepath.Join(w.W, "~")); err == nil {
			t.Error("a folder called ~ was made")
		}
	}
}

// TestHardLinksAreCut documents that a write replaces the name only.
func TestHardLinksAreCut(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	out := w.put(filepath.Join(w.O, "f"), "old")
	if err := os.Link(out, filepath.Join(w.W, "h")); err != nil {
		t.Skip("no hard links here: ", err)
	}
	if err := w.write("h", "new"); err != nil {
		t.Fatal(err)
	}
	if w.get(out) != "old" || w.get("h") != "new" {
		t.Errorf("outside %q, inside %q", w.get(out), w.get("h"))
	}
}
