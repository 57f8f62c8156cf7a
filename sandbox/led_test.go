package sandbox

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// What a protected name leads to by a link is as protected as the name; a root, a folder of source, or what else is there is not.
func TestWhereProtectedLinksLead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files, links   []string // links: name, target
		refused, taken []string
	}{
		"a file":               {[]string{"a/m.json"}, []string{".mcp.json", "a/m.json"}, []string{"a/m.json", ".mcp.json"}, []string{"a/other", "m.json"}},
		"a file of two links":  {[]string{"m.json"}, []string{".mcp.json", "two", "two", "m.json"}, []string{"m.json"}, []string{"other"}},
		"a file to come":       {nil, []string{".mcp.json", "m.json"}, []string{"m.json"}, []string{"other"}},
		"a folder":             {[]string{"ag/settings.json"}, []string{".claude", "ag"}, []string{"ag/settings.json", "ag/new", "ag/hooks/x"}, []string{"agx"}},
		"an empty folder":      {[]string{"ag/"}, []string{".claude", "ag"}, []string{"ag/settings.json"}, []string{"ag/new"}},
		"the root":             {[]string{"a.go"}, []string{".claude", "."}, []string{"settings.json"}, []string{"a.go", "new", "d/settings.json"}},
		"source":               {[]string{"src/a.go"}, []string{".vscode", "src"}, []string{"src/tasks.json"}, []string{"src/a.go", "src/new"}},
		"settings in a folder": {[]string{".claude/x", "s.json"}, []string{".claude/settings.json", "../s.json"}, []string{"s.json"}, []string{"other"}},
		"git's configuration":  {[]string{".git/HEAD", "c"}, []string{".git/config", "../c"}, []string{"c"}, []string{"other"}},
		"git's hooks":          {[]string{".git/HEAD", "hk/x"}, []string{".git/hooks", "../hk"}, []string{"hk/x", "hk/pre-commit"}, []string{"other"}},
		"a hook":               {[]string{".git/hooks/x", "check.sh"}, []string{".git/hooks/pre-commit", "../../check.sh"}, []string{"check.sh"}, []string{"other"}},
		"git's folder":         {[]string{"real/HEAD", "real/config"}, []string{".git", "real"}, []string{"real/config", "real/hooks/x"}, []string{"real/HEAD", "other"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			for _, f := range c.files {
				if strings.HasSuffix(f, "/") {
					if err := os.MkdirAll(w.abs(f), 0o755); err != nil {
						t.Fatal(err)
					}
					continue
				}
				w.put(f, "safe")
			}
			for i := 0; i < len(c.links); i += 2 {
				w.link(c.links[i+1], c.links[i])
			}
			for _, f := range c.taken {
				if err := w.write(f, "new", WriteOptions{Mkdirs: true}); err != nil {
					t.Errorf("%s: %v", f, err)
				}
			}
			for _, f := range c.refused {
				wantKind(t, f, w.write(f, "EVIL", WriteOptions{Mkdirs: true}), Protected)
				if _, ok := w.Protected(w.path(f)); !ok {
					t.Errorf("%s is not told as protected", f)
				}
				if strings.Contains(f, "/") && !strings.HasPrefix(f, ".") {
					dir, _, _ := strings.Cut(f, "/")
					if _, err := os.Lstat(w.abs(dir)); err == nil {
						wantKind(t, "renaming "+dir, w.Rename(w.path(dir), w.path("gone"), false), Protected)
					}
				}
			}
		})
	}
}

func TestLeading(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("paths of other systems")
	}
	w, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	out, _ := filepath.EvalSymlinks(t.TempDir())
	for _, dir := range []string{"d/e", "repo/.git", "big"} {
		os.MkdirAll(filepath.Join(w, dir), 0o755)
	}
	for i := range maxSettings + 1 {
		os.WriteFile(filepath.Join(w, "big", strings.Repeat("x", i%200)+string(rune('a'+i/200))), nil, 0o644)
	}
	os.WriteFile(filepath.Join(w, "f"), nil, 0o644)
	for name, target := range map[string]string{
		"loop": "loop", "one": "two", "two": "one", "up": "..", "abs": w + "/d", "d/back": "../f", "out": out, "many": "big", "nested": "repo",
	} {
		if err := os.Symlink(target, filepath.Join(w, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		path        string
		links, ends []string
		part        bool
	}{
		{"f", nil, []string{"f"}, false},
		{"none/x", nil, []string{"none/x"}, false},
		{"f/x", nil, []string{"f/x"}, false},
		{"loop", []string{"loop"}, nil, false},
		{"one/x", []string{"one", "two"}, nil, false},
		{"abs/back", []string{"abs", "d/back"}, []string{"f"}, false},
		{"abs/e", []string{"abs"}, []string{"d/e"}, false},
		{"up/../x", []string{"up"}, []string{filepath.Join(filepath.Dir(filepath.Dir(w)), "x")}, false},
		{"out", []string{"out"}, []string{out}, false},
		{"many", []string{"many"}, []string{"big"}, false}, // a name of the user's own
		{"nested", []string{"nested"}, []string{"repo"}, false},
	} {
		full := func(list []string) []string {
			var all []string
			for _, p := range list {
				if !filepath.IsAbs(p) {
					p = filepath.Join(w, p)
				}
				all = append(all, p)
			}
			return all
		}
		got := Leading(w+"/"+c.path, []string{w})
		if !slices.Equal(got.Links, full(c.links)) || !slices.Equal(got.Ends, full(c.ends)) || got.Part != c.part {
			t.Errorf("%s: %+v", c.path, got)
		}
	}
}
