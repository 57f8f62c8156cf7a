//go:build linux || darwin

package sandbox

import (
	"io/fs"
	"os"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

const (
	maxAttrs = 1 << 20 // bytes of extended attributes that are carried over
	aclAttr  = "system.posix_acl_access"
)

// keepAttrs gives f the extended attributes of the file it replaces, an ACL
// among them, as far as the system lets this user. A file with an ACL shows its
// mask as the group bits of mode: where the ACL cannot be kept, those are
// dropped, or the group would gain what the mask only allowed to others.
func keepAttrs(f, old *os.File, mode fs.FileMode) error {
	defer runtime.KeepAlive(f)
	defer runtime.KeepAlive(old)
	from, to := int(old.Fd()), int(f.Fd())
	size, err := unix.Flistxattr(from, nil)
	if err != nil || size <= 0 || size > maxAttrs {
		return nil
	}
	list := make([]byte, size)
	if size, err = unix.Flistxattr(from, list); err != nil {
		return nil
	}
	total := 0
	for name := range strings.SplitSeq(string(list[:size]), "\x00") {
		if !keptAttr(name) {
			continue
		}
		n, err := unix.Fgetxattr(from, name, nil)
		if err == nil && n >= 0 && total+n <= maxAttrs {
			value := make([]byte, n)
			if n, err = unix.Fgetxattr(from, name, value); err == nil {
				total += n
				err = unix.Fsetxattr(to, name, value[:n], 0)
			}
		}
		if name == aclAttr && err != nil {
			if err := f.Chmod(mode &^ 0o070); err != nil {
				return err
			}
		}
	}
	return nil
}

// keptAttr leaves out capabilities, which are dropped like setuid, and what
// belongs to the system.
func keptAttr(name string) bool {
	if runtime.GOOS == "darwin" {
		return name != ""
	}
	return name == aclAttr || name == "security.selinux" || strings.HasPrefix(name, "user.")
}
