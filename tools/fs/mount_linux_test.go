package fs

import (
	"os"
	"strconv"
	"syscall"
	"testing"
)

// mountSmall makes a file system of a size, which takes root.
func mountSmall(t *testing.T, dir string, size int) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+strconv.Itoa(size)); err != nil {
		return err
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return nil
}
