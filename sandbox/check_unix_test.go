//go:build unix

package sandbox

import (
	"os"
	"testing"
)

// Nothing is removed here, whatever the code does.
func TestTheSystemIsNeverRemoved(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(c *Config) { c.Mode = Off })
	for _, name := range []string{"/dev/null", "/dev", "/dev/shm", "/proc/self/environ", "/sys/kernel", "/etc", "/usr", "/usr/lib", "/bin", "/tmp", "/var", "/home", "/opt"} {
		p := w.path(name)
		if _, err := w.Lstat(p); err != nil {
			continue
		}
		wantKind(t, "remove "+name, w.CheckRemove(p), Denied)
		wantKind(t, "rename "+name, w.CheckRename(p, w.path("gone"), false), Denied)
		wantKind(t, "rename onto "+name, w.CheckRename(w.path(w.put("f", "")), p, false), Denied, Invalid)
	}
	for _, name := range []string{"/etc/hanzo-mcp-test", "/usr/local/hanzo-mcp-test", "/dev/shm/hanzo-mcp-test", "/opt/hanzo-mcp-test", "/srv/x"} {
		if why := ofTheSystem(name, false); why != "" {
			t.Errorf("%s: %s", name, why)
		}
	}
	if !makeDevice(w.abs("null")) {
		return
	}
	wantKind(t, "remove", w.Remove(w.path("null")), Denied)
	wantKind(t, "rename", w.Rename(w.path("null"), w.path("n"), false), Denied)
	wantKind(t, "rename onto", w.Rename(w.path("f"), w.path("null"), true), Denied)
	if fi, err := os.Lstat(w.abs("null")); err != nil || fi.Mode()&os.ModeDevice == 0 {
		t.Errorf("%v %v", fi, err)
	}
}
