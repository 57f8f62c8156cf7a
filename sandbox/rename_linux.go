package sandbox

import "golang.org/x/sys/unix"

func renameNew(x int, a string, y int, b string) error {
	return unix.Renameat2(x, a, y, b, unix.RENAME_NOREPLACE)
}
