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
