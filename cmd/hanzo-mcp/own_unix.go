//go:build unix

package main

import (
	"fmt"
	"os"
	"syscall"
)

// ownAlone checks that a private file belongs to us and is closed to others.
func ownAlone(file string, info os.FileInfo) error {
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
		return fmt.Errorf("%s belongs to another user", file)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("%s is open to others (mode %v)", file, info.Mode().Perm())
	}
	return nil
}

// tryLock takes the lock of a file for as long as it is open; false when another process has it.
func tryLock(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}
