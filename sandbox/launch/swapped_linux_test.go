package launch

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// A writable place that lies in another one is not followed when it is a link out of that: neither when a command has put
// the link there, nor by the next server.
func TestWritableSwappedForALink(t *testing.T) {
	t.Parallel()
	for _, m := range []Mechanism{Namespaces, Landlock} {
		for name, place := range map[string]func(*Config, string){
			"a folder": func(c *Config, path string) { c.Writable = append(c.Writable, path) },
			"TMPDIR":   func(c *Config, path string) { c.TempDir = path },
			"caches":   func(c *Config, path string) { c.CacheDir = path },
		} {
			t.Run(string(m)+" "+name, func(t *testing.T) {
				t.Parallel()
				top := t.TempDir()
				w, out := filepath.Join(top, "w"), filepath.Join(top, "out")
				write(t, filepath.Join(w, "sub/deep/f"), "")
				write(t, filepath.Join(out, "deep/f"), "")
				var mu sync.Mutex
				var said []string
				cfg := Config{Writable: []string{w}, Readable: []string{out}, Mechanism: m, Warn: func(s string) { mu.Lock(); said = append(said, s); mu.Unlock() }}
				place(&cfg, filepath.Join(w, "sub/deep"))
				escaped := func(l *Launcher, what string) {
					t.Helper()
					for _, path := range []string{"deep/new", "new"} {
						if out, s := run(t, l, w, "echo >"+filepath.Join(out, path)); s.Success() {
							t.Errorf("%s: wrote %s %s", what, path, out)
						}
					}
				}
				l := newLauncher(t, cfg)
				mustRun(t, l, w, "echo >sub/deep/f")
				// As a command does it where nothing holds the folders.
				if err := os.RemoveAll(filepath.Join(w, "sub")); err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(out, filepath.Join(w, "sub")); err != nil {
					t.Fatal(err)
				}
				escaped(l, "swapped")
				next := newLauncher(t, cfg)
				escaped(next, "the next server")
				mu.Lock()
				if name != "caches" && len(said) != 2 || len(said) > 0 && (!strings.Contains(said[0], filepath.Join(w, "sub")) || !strings.Contains(said[0], filepath.Join(out, "deep"))) {
					t.Errorf("said: %q", said)
				}
				mu.Unlock()
				// A link to elsewhere inside is fine, and so is the folder when it is back.
				os.Remove(filepath.Join(w, "sub"))
				write(t, filepath.Join(w, "other/deep/f"), "")
				if err := os.Symlink("other", filepath.Join(w, "sub")); err != nil {
					t.Fatal(err)
				}
				mustRun(t, l, w, "echo >sub/deep/f")
			})
		}
	}
}

// The server's own folders stay where they are when a root holds them.
func TestOwnFoldersInARootAreHeld(t *testing.T) {
	t.Parallel()
	w := t.TempDir()
	tmp, cache := filepath.Join(w, "t/run/tmp"), filepath.Join(w, ".cache/x")
	write(t, filepath.Join(tmp, "f"), "")
	write(t, filepath.Join(cache, "f"), "")
	if err := os.Chmod(cache, 0o700); err != nil {
		t.Fatal(err)
	}
	l := newLauncher(t, Config{Writable: []string{w}, TempDir: tmp, CacheDir: cache, Mechanism: Namespaces})
	mustRun(t, l, w, "echo >t/run/tmp/g; rm -r t/run/tmp/*; mkdir .cache/x/go; echo >.cache/y; echo >t/f; mktemp", "TMPDIR="+tmp)
	for _, script := range []string{"mv t u", "mv t/run t/gone", "rmdir t/run/tmp", "mv t/run/tmp t/x", "mv .cache c", "mv .cache/x .cache/z"} {
		if out, s := run(t, l, w, script); s.Success() {
			t.Errorf("%s: allowed %s", script, out)
		}
	}
}

// The link that a hidden name is stays in its place as that of a protected one does.
func TestALinkThatIsHiddenStays(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	write(t, filepath.Join(home, "dotfiles/ssh/id"), "SECRET")
	if err := os.Symlink("dotfiles/ssh", filepath.Join(home, ".ssh")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nowhere", filepath.Join(home, ".netrc")); err != nil {
		t.Fatal(err)
	}
	l := newLauncher(t, Config{Writable: []string{home}, Home: home, Hidden: []string{"~/.ssh", "~/.netrc", "~/.aws"}, Mechanism: Namespaces})
	mustRun(t, l, home, "echo >dotfiles/f; ln -s dotfiles d; rm d")
	for _, script := range []string{"rm .ssh; mkdir .ssh && echo >.ssh/authorized_keys", "mv .ssh x", "ln -sfn d .ssh", "mv dotfiles x", "rm .netrc", "cat .ssh/id", "cat dotfiles/ssh/id"} {
		if out, s := run(t, l, home, script); s.Success() {
			t.Errorf("%s: allowed %s", script, out)
		}
	}
	// What the user turns is followed.
	write(t, filepath.Join(home, "dotfiles/other/id"), "SECRET")
	if err := os.Remove(filepath.Join(home, ".ssh")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("dotfiles/other", filepath.Join(home, ".ssh")); err != nil {
		t.Fatal(err)
	}
	for _, script := range []string{"rm .ssh", "cat .ssh/id"} {
		if out, s := run(t, l, home, script); s.Success() {
			t.Errorf("turned: %s: allowed %s", script, out)
		}
	}
}
