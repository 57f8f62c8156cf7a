package launch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Landlock is used by its system calls: only the threads that fork are
// restricted, one by one, and a library's main use is the whole process.

const (
	fsRead = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	fsFile = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	fsAll = 1<<16 - 1 // all of ABI 5 and later but for sockets by path
	// A device made in a writable folder would be a way to the disk.
	fsWrite = fsAll &^ (unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV)
)

// fsByABI is what a kernel of each ABI knows of fsAll.
func fsByABI(abi int) uint64 {
	switch {
	case abi < 1:
		return 0
	case abi == 1:
		return 1<<13 - 1
	case abi == 2:
		return 1<<14 - 1 // refer: rename and link between folders
	case abi < 5:
		return 1<<15 - 1 // truncate
	}
	return fsAll // ioctl of devices
}

func landlockABI() int {
	n, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(n)
}

// ruleset is an open Landlock ruleset; nil restricts nothing.
type ruleset struct {
	fd      int
	handled uint64
}

func newRuleset(attr unix.LandlockRulesetAttr) (*ruleset, error) {
	// The first three members are all that is used; older kernels want no more.
	size := unsafe.Offsetof(attr.Quiet_access_fs)
	abi := landlockABI()
	if abi < 6 {
		size = unsafe.Offsetof(attr.Scoped)
	}
	if abi < 4 {
		size = unsafe.Offsetof(attr.Handled_access_net)
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return nil, step("making Landlock rules", errno)
	}
	return &ruleset{fd: int(fd), handled: attr.Handled_access_fs}, nil
}

func (r *ruleset) close() {
	if r != nil {
		unix.Close(r.fd)
	}
}

// apply restricts the calling thread.
func (r *ruleset) apply() error {
	if r == nil {
		return nil
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(r.fd), 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// allow grants access below path, or to it when it is a file. What is missing is skipped.
func (r *ruleset) allow(path string, access uint64) error {
	fd, err := openReal(path)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EACCES) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP) {
		return nil
	}
	if err != nil {
		return step("opening "+path, err)
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return step("looking at "+path, err)
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		access &= fsFile
	}
	if access &= r.handled; access == 0 {
		return nil
	}
	attr := unix.LandlockPathBeneathAttr{Allowed_access: access, Parent_fd: int32(fd)}
	if _, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(r.fd), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&attr)), 0, 0, 0); errno != 0 {
		return step("allowing "+path, errno)
	}
	return nil
}

// devices may be written below Landlock. Terminals may not: those of the user
// are among them.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/random", "/dev/urandom"}

// fileRules is the policy where there are no namespaces: the disk read-only but
// for writable; hidden paths unreadable by leaving them out of what is allowed.
func (s *server) fileRules(writable []string) (*ruleset, error) {
	abi := landlockABI()
	if abi == 0 {
		return nil, errors.New("the kernel has no Landlock")
	}
	if abi < 2 {
		return nil, errors.New("Landlock of this kernel (ABI 1) refuses to move files between folders: too old")
	}
	attr := unix.LandlockRulesetAttr{Handled_access_fs: fsByABI(abi)}
	if abi >= 6 {
		attr.Scoped = unix.LANDLOCK_SCOPE_SIGNAL
		if !s.perStart { // a keyring is asked over the session bus
			attr.Scoped |= unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
		}
	}
	if s.noNetwork && abi >= 4 {
		attr.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	r, err := newRuleset(attr)
	if err != nil {
		return nil, err
	}
	grants := []struct {
		paths  []string
		access uint64
	}{
		{s.readable, fsRead},
		{[]string{"/"}, unix.LANDLOCK_ACCESS_FS_READ_DIR},
		{devices, unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV},
		{gpuDevices(), unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV},
		{[]string{"/dev/shm"}, fsWrite},
		{writable, fsWrite},
	}
	for _, g := range grants {
		for _, path := range g.paths {
			if err := r.allow(path, g.access); err != nil {
				r.close()
				return nil, err
			}
		}
	}
	return r, nil
}

// scopeRules has nothing to do with files: it adds to namespaces what only
// Landlock can, no signals or abstract sockets (X11, session bus) to the outside.
func scopeRules(scopes uint64) (*ruleset, error) {
	if landlockABI() < 6 {
		return nil, errors.New("the kernel has no Landlock scopes")
	}
	return newRuleset(unix.LandlockRulesetAttr{Scoped: scopes})
}

// maxReadable bounds the rules: more entries than any home folder has in sight.
const maxReadable = 20000

// readablePaths is all of the disk but hidden and the devices, as a list of what
// may be read: Landlock only adds. What is made later next to a hidden path
// stays unreadable.
func readablePaths(hidden []string) ([]string, error) {
	hidden = append(slices.Clone(hidden), "/dev")
	var out []string
	var walk func(dir string) error
	walk = func(dir string) error {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return nil // nobody can read it, children included
		}
		for _, e := range entries {
			path := filepath.Join(dir, e.Name())
			switch {
			case e.Type()&os.ModeSymlink != 0 || slices.Contains(hidden, path):
			case slices.ContainsFunc(hidden, func(h string) bool { return within(h, path) }):
				if err := walk(path); err != nil {
					return err
				}
			default:
				out = append(out, path)
			}
			if len(out) > maxReadable {
				return fmt.Errorf("%s has too many entries to hide one of them", dir)
			}
		}
		return nil
	}
	return out, walk("/")
}
