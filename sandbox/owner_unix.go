//go:build unix

package sandbox

import (
	"io/fs"
	"os"
	"syscall"
)

// keepOwner gives f the owner and group of the file it replaces, as far as the
// system lets this user.
func keepOwner(f *os.File, old fs.FileInfo) {
	now, err := f.Stat()
	if err != nil {
		return
	}
	was, ok1 := old.Sys().(*syscall.Stat_t)
	is, ok2 := now.Sys().(*syscall.Stat_t)
	if !ok1 || !ok2 || was.Uid == is.Uid && was.Gid == is.Gid {
		return
	}
	if f.Chown(int(was.Uid), int(was.Gid)) != nil {
		_ = f.Chown(-1, int(was.Gid))
	}
}
