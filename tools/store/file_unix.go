//go:build unix

package store

import (
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// noFollow opens no link, and does not wait for the other end of a pipe.
const noFollow = unix.O_NOFOLLOW | unix.O_NONBLOCK

// trusted reports whether a link was made by this user or by root.
func trusted(link fs.FileInfo) bool {
	st, ok := link.Sys().(*syscall.Stat_t)
	return ok && (st.Uid == 0 || int(st.Uid) == os.Geteuid())
}

// keepOwner gives f the owner of the file that it is to replace. Only root may, and only root needs to.
func keepOwner(f *os.File, old fs.FileInfo) {
	if old == nil || os.Geteuid() != 0 {
		return
	}
	if st, ok := old.Sys().(*syscall.Stat_t); ok && st.Uid != 0 {
		_ = f.Chown(int(st.Uid), int(st.Gid))
	}
}

func rename(from, to string) error { return os.Rename(from, to) }
