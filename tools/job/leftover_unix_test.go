//go:build unix

package job

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A server that is killed cannot remove its logs; the next one does, but leaves those of servers that live.
func TestLogsOfAKilledServerAreRemoved(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	long := strings.Repeat("x", 5000)
	living := New(Config{Dir: dir, Memory: 1000})
	defer living.Close()
	inUse := filepath.Dir(write(t, living, long, nil).Log().File())

	old := time.Now().Add(-2 * orphaned)
	put := func(name string, mode os.FileMode, age time.Time) string {
		path := filepath.Join(dir, name)
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(path, "1-p1.log"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, mode); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, age, age); err != nil {
			t.Fatal(err)
		}
		return path
	}
	killed := put(logFolder+"1", 0o700, old)
	stays := []string{put(logFolder+"new", 0o700, time.Now()), put(logFolder+"others", 0o755, old), put("hanzo-mcp-else", 0o700, old), inUse}
	target := put("target", 0o700, old)
	if err := os.Symlink(target, filepath.Join(dir, logFolder+"link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(inUse, old, old); err != nil {
		t.Fatal(err)
	}

	next := New(Config{Dir: dir, Memory: 1000})
	own := filepath.Dir(write(t, next, long, nil).Log().File())
	next.Close()
	for _, path := range append(stays, filepath.Join(target, "1-p1.log")) {
		if _, err := os.Stat(path); err != nil {
			t.Errorf("gone: %v", err)
		}
	}
	for _, path := range []string{killed, own} {
		if _, err := os.Lstat(path); err == nil {
			t.Errorf("%s is still there", path)
		}
	}
}
