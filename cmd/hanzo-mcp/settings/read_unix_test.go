//go:build unix

package settings

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// loadIn reads within a time: nothing a checkout holds may keep the server waiting.
func loadIn(t *testing.T, s *site) *Settings {
	t.Helper()
	done := make(chan *Settings, 1)
	go func() { done <- s.load() }()
	select {
	case got := <-done:
		return got
	case <-time.After(10 * time.Second):
		t.Fatal("reading the settings hangs")
		return nil
	}
}

func TestWhatStandsInAFilesPlace(t *testing.T) {
	t.Parallel()
	outside := func(s *site) string {
		path := filepath.Join(s.home, "outside.json")
		if err := os.WriteFile(path, []byte(`{"read_only": true}`), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	link := func(target string) func(*site, string) error {
		return func(_ *site, path string) error { return os.Symlink(target, path) }
	}
	for _, c := range []struct {
		name          string
		make          func(s *site, path string) error
		user, project string // what the lockdown says; "" for none
	}{
		{"nothing", func(*site, string) error { return nil }, "", ""},
		{"a directory", func(_ *site, path string) error { return os.Mkdir(path, 0o700) }, "directory", "directory"},
		{"a pipe", func(_ *site, path string) error { return syscall.Mkfifo(path, 0o600) }, "not a regular file", "not a regular file"},
		{"a dangling link", link("nowhere"), "leads nowhere", "leads nowhere"},
		{"a link to itself", link("settings.json"), "too many", "too many"},
		{"a link outside", func(s *site, path string) error { return os.Symlink(outside(s), path) }, "", "escapes"},
		{"a relative link outside", func(s *site, path string) error {
			rel, err := filepath.Rel(filepath.Dir(path), outside(s))
			if err != nil {
				return err
			}
			return os.Symlink(rel, path)
		}, "", "escapes"},
		{"a link to a device", link("/dev/zero"), "not a regular file", "escapes"},
		{"a link inside", func(_ *site, path string) error {
			if err := os.WriteFile(filepath.Join(filepath.Dir(path), "real.json"), []byte("{}"), 0o600); err != nil {
				return err
			}
			return os.Symlink("real.json", path)
		}, "", ""},
		{"too large", func(_ *site, path string) error {
			return os.WriteFile(path, []byte("{}"+strings.Repeat(" ", MaxFile)), 0o600)
		}, "larger than", "larger than"},
		{"as large as allowed", func(_ *site, path string) error {
			return os.WriteFile(path, []byte("{}"+strings.Repeat(" ", MaxFile-2)), 0o600)
		}, "", ""},
		{"a file where the folder would be", func(_ *site, path string) error {
			if err := os.Remove(filepath.Dir(path)); err != nil {
				return err
			}
			return os.WriteFile(filepath.Dir(path), nil, 0o600)
		}, "", ""},
		{"no folder", func(_ *site, path string) error { return os.Remove(filepath.Dir(path)) }, "", ""},
		{"a folder that is a link outside", func(s *site, path string) error {
			if err := os.Remove(filepath.Dir(path)); err != nil {
				return err
			}
			return os.Symlink(s.home, filepath.Dir(path))
		}, "", "escapes"},
		{"a folder that is a dangling link", func(_ *site, path string) error {
			if err := os.Remove(filepath.Dir(path)); err != nil {
				return err
			}
			return os.Symlink("nowhere", filepath.Dir(path))
		}, "", "leads nowhere"},
		{"mode 0000", func(_ *site, path string) error {
			return os.WriteFile(path, []byte("{}"), 0)
		}, "permission denied", "permission denied"},
	} {
		for tier, want := range map[string]string{"user": c.user, "project": c.project} {
			t.Run(c.name+" as "+tier, func(t *testing.T) {
				t.Parallel()
				if c.name == "mode 0000" && os.Geteuid() == 0 {
					t.Skip("root reads every file")
				}
				s := newSite(t)
				if err := c.make(s, s.file(tier)); err != nil {
					t.Fatal(err)
				}
				got := loadIn(t, s)
				err := got.Lockdown()
				if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) {
					t.Errorf("lockdown %v, want %q", err, want)
				}
				if tier == "project" && got.ReadOnly().IsSet() {
					t.Error("a file outside the project was read")
				}
			})
		}
	}
}

func TestUserFileThatOthersControl(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name           string
		mode           os.FileMode
		owner          int
		broken, warned bool
	}{
		{"private", 0o600, -1, false, false},
		{"group-writable, as a umask of 002 makes it", 0o660, -1, false, true},
		{"readable", 0o644, -1, false, true},
		{"world-writable", 0o602, -1, true, false},
		{"another user's", 0o600, 12345, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.write("user", `{"api_key": "k"}`)
			if err := os.Chmod(s.userFile(), c.mode); err != nil {
				t.Fatal(err)
			}
			if c.owner >= 0 {
				if os.Geteuid() != 0 {
					t.Skip("only root gives files away")
				}
				if err := os.Chown(s.userFile(), c.owner, c.owner); err != nil {
					t.Fatal(err)
				}
			}
			got := loadIn(t, s)
			if (got.Lockdown() != nil) != c.broken || (len(got.Warnings()) > 0) != c.warned {
				t.Errorf("lockdown %v, warnings %q", got.Lockdown(), got.Warnings())
			}
		})
	}
}
