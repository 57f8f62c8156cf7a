//go:build unix

package sandbox

import (
	"errors"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// rename moves the entry a to the name b between the folders that the spots hold.
func rename(a, b spot, replace bool) error {
	from, err := a.dir.OpenFile(".", nonblock|directory, 0)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := b.dir.OpenFile(".", nonblock|directory, 0)
	if err != nil {
		return err
	}
	defer to.Close()
	return renameat(from, a.base, to, b.base, replace)
}

func renameat(from *os.File, a string, to *os.File, b string, replace bool) error {
	defer runtime.KeepAlive(from)
	defer runtime.KeepAlive(to)
	x, y := int(from.Fd()), int(to.Fd())
	if replace {
		return unix.Renameat(x, a, y, b)
	}
	err := renameNew(x, a, y, b)
	if err == unix.EINVAL || err == unix.ENOSYS || err == unix.ENOTSUP {
		return renameOver(x, a, y, b)
	}
	return err
}

// renameOver is a rename that replaces nothing, for file systems that have no
// such call: the name is taken first by a second link, or by an empty entry
// that the rename then replaces.
func renameOver(x int, a string, y int, b string) error {
	var st unix.Stat_t
	if err := unix.Fstatat(x, a, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT == unix.S_IFDIR {
		if err := unix.Mkdirat(y, b, 0o700); err != nil {
			return err
		}
		err := unix.Renameat(x, a, y, b)
		if err != nil {
			err = errors.Join(err, unix.Unlinkat(y, b, unix.AT_REMOVEDIR))
		}
		return err
	}
	err := unix.Linkat(x, a, y, b, 0)
	if err == nil {
		return unix.Unlinkat(x, a, 0)
	}
	if err == unix.EEXIST || err == unix.EXDEV || err == unix.ENOENT {
		return err
	}
	fd, err := unix.Openat(y, b, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return err
	}
	unix.Close(fd)
	if err = unix.Renameat(x, a, y, b); err != nil {
		err = errors.Join(err, unix.Unlinkat(y, b, 0))
	}
	return err
}

// renameIn renames within one folder, given as a root and as an open file.
func renameIn(_ *os.Root, dir *os.File, a, b string, replace bool) error {
	return renameat(dir, a, dir, b, replace)
}

func volumes() []string { return []string{"/"} }
