//go:build unix && !linux && !darwin

package sandbox

import "golang.org/x/sys/unix"

func renameNew(int, string, int, string) error { return unix.ENOSYS }
