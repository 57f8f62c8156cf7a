package sandbox

import "golang.org/x/sys/unix"

// makeDevice makes a device like /dev/null, where this user may.
func makeDevice(name string) bool {
	return unix.Mknod(name, unix.S_IFCHR|0o600, int(unix.Mkdev(1, 3))) == nil
}
