package launch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// save writes a file as most programs do: another one takes its place.
func save(t testing.TB, path, text string) {
	t.Helper()
	write(t, path+".new", text)
	if err := os.Rename(path+".new", path); err != nil {
		t.Fatal(err)
	}
}

// What is hidden stays so when its owner saves it, makes it again, turns the link that it is, or makes it at last: for the
// very next child.
func TestHiddenIsLookedAtBeforeEachStart(t *testing.T) {
	t.Parallel()
	for _, m := range []Mechanism{Namespaces, Landlock} {
		t.Run(string(m), func(t *testing.T) {
			t.Parallel()
			home, w := t.TempDir(), t.TempDir()
			at := func(name string) string { return filepath.Join(home, name) }
			names := []string{".netrc", ".aws/credentials", ".linked", ".late", ".dir/late", ".gone"}
			for _, name := range []string{".netrc", ".aws/credentials", "dot/one", "dot/two", ".gone"} {
				write(t, at(name), "SECRET")
			}
			if err := os.Mkdir(at(".dir"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink("dot/one", at(".linked")); err != nil {
				t.Fatal(err)
			}
			l := newLauncher(t, Config{Writable: []string{w}, Home: home, Hidden: []string{"~/.netrc", "~/.aws", "~/.linked", "~/.late", "~/.dir/late", "~/.gone"}, Mechanism: m})
			look := func(what string) {
				t.Helper()
				if out, _ := run(t, l, home, "cat "+strings.Join(names, " ")+" 2>/dev/null"); strings.Contains(out, "SECRET") {
					t.Errorf("%s: %s", what, out)
				}
			}
			look("at first")
			for range 2 {
				save(t, at(".netrc"), "SECRET")
				look("saved by rename")
			}
			if err := os.Rename(at(".aws"), at(".aws-old")); err != nil {
				t.Fatal(err)
			}
			write(t, at(".aws/credentials"), "SECRET")
			look("a folder made again")
			if err := os.Remove(at(".linked")); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink("dot/two", at(".linked")); err != nil {
				t.Fatal(err)
			}
			look("a link turned")
			save(t, at("dot/two"), "SECRET")
			look("what it leads to saved")
			write(t, at(".late"), "SECRET")
			write(t, at(".dir/late"), "SECRET")
			look("made at last")
			if err := os.Remove(at(".gone")); err != nil {
				t.Fatal(err)
			}
			look("gone")
			write(t, at(".gone"), "SECRET")
			look("gone and made again")
		})
	}
}

// A child that runs loses sight of what was saved within about a second, that of a launcher which is no longer in force
// too; and saving alone makes no new launcher.
func TestHiddenIsCoveredForThoseThatRun(t *testing.T) {
	t.Parallel()
	for _, inRoot := range []bool{false, true} {
		home, w := t.TempDir(), t.TempDir()
		if inRoot {
			w = home
		}
		secret := filepath.Join(home, ".config/gh/hosts.yml")
		write(t, secret, "SECRET")
		cfg := Config{Writable: []string{w}, Home: home, Hidden: []string{"~/.config/gh/hosts.yml", "~/.netrc"}, Mechanism: Namespaces}
		l := newLauncher(t, cfg)
		gen := filepath.Join(w, "gen")
		write(t, gen, "0")
		runs := shell(t, l, home, "while :; do echo $(cat "+gen+") $(cat .config/gh/hosts.yml .netrc 2>/dev/null | grep -c SECRET); sleep 0.02; done")
		if line := runs.line(t); line != "0 0" {
			t.Fatalf("not hidden at all: %s", line)
		}
		covered := func(n string) {
			t.Helper()
			save(t, secret, "SECRET")
			write(t, filepath.Join(home, ".netrc"), "SECRET")
			write(t, gen, n) // read by the child before the others
			eventually(t, "the cover", func() bool { return runs.line(t) == n+" 0" })
		}
		in := l.slots[Confined].in
		for _, n := range []string{"1", "2"} {
			covered(n)
			if out := mustRun(t, l, home, "cat .config/gh/hosts.yml .netrc"); out != "" {
				t.Errorf("%q", out)
			}
			if got := l.slots[Confined].in; got != in && !inRoot {
				t.Error("another launcher")
			}
			os.Remove(filepath.Join(home, ".netrc"))
		}
		cfg.NoNetwork = true
		l.Reconfigure(cfg)
		covered("of an old launcher")
	}
}
