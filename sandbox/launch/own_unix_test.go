//go:build unix

package launch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Caches that another user can fill, or put others in place of, are not used.
func TestCachesOfOthersAreNotUsed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, dir  string
		mode       os.FileMode
		owner      int
		want       string
		made, root bool
	}{
		{name: "in a folder for all", dir: "x", mode: 0o777, want: "can be written by all"},
		{name: "in one where nobody touches another's", dir: "x", mode: 0o777 | os.ModeSticky, made: true},
		{name: "is for all", dir: "x/caches", mode: 0o777 | os.ModeSticky, want: "can be written by all", made: true},
		{name: "in the user's own", dir: "x", mode: 0o755, made: true},
		{name: "in another user's", dir: "x", mode: 0o755, owner: 12345, want: "belongs to user 12345", root: true},
		{name: "is another user's", dir: "x/caches", mode: 0o700, owner: 12345, want: "belongs to user 12345", made: true, root: true},
	} {
		if c.root && os.Geteuid() != 0 {
			continue // only root gives folders away
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			top := t.TempDir()
			dir, cache := filepath.Join(top, c.dir), filepath.Join(top, "x/caches")
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(dir, c.mode); err != nil {
				t.Fatal(err)
			}
			if c.owner != 0 {
				if err := os.Chown(dir, c.owner, c.owner); err != nil {
					t.Fatal(err)
				}
			}
			env, err := CacheEnv(nil, top, cache)
			if c.want == "" && (err != nil || len(env) == 0) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || env != nil) {
				t.Errorf("%v %v, want %q", env, err, c.want)
			}
			if got, _ := writablePaths(Config{CacheDir: cache}); len(got) == 1 != (c.want == "") {
				t.Errorf("commands may write %v", got)
			}
			if exists(cache) != c.made {
				t.Errorf("made: %v", !c.made)
			}
		})
	}
}

// Nor are caches made at the end of a link in a root that leads out of it.
func TestCachesOutOfARoot(t *testing.T) {
	t.Parallel()
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home, out := filepath.Join(top, "home"), filepath.Join(top, "out")
	for _, dir := range []string{filepath.Join(home, "in"), out} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(home, ".cache")
	cache := filepath.Join(link, "hanzo-mcp/x")
	for _, c := range []struct {
		to    string
		roots []string
		want  string
	}{{out, []string{home}, "XDG_CACHE_HOME"}, {out, []string{out}, ""}, {out, []string{home, out}, ""}, {"in", []string{home}, ""}} {
		if err := os.Symlink(c.to, link); err != nil {
			t.Fatal(err)
		}
		env, err := CacheEnv(nil, home, cache, c.roots...)
		if c.want == "" && (err != nil || !exists(cache)) || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) || env != nil || exists(filepath.Join(out, "hanzo-mcp"))) {
			t.Errorf("%s %v: %v %v", c.to, c.roots, env, err)
		}
		if err := os.Remove(link); err != nil {
			t.Fatal(err)
		}
	}
}
