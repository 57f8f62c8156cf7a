package launch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// mounts makes the launcher's own view of the disk: all read-only, then the
// writable folders on themselves, then the covers, then what stays read-only
// inside. A step that fails fails all: half a view is none.
func (s *server) mounts() error {
	host, err := readMounts()
	if err != nil {
		return step("reading the mounts", err)
	}
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return step("making mounts private", err)
	}
	if slices.Contains(s.writable, "/") {
		s.notes = append(s.notes, "the whole disk is writable: / is among the writable folders")
		s.writable = []string{"/"}
	} else if err := setReadOnly("/", true, true); err != nil {
		return step("making the disk read-only", err)
	}
	if err := s.devTree(); err != nil {
		return err
	}
	k, err := s.emptyPlaces()
	defer k.close()
	if err != nil {
		return err
	}
	for _, w := range s.writable {
		if w == "/" {
			continue
		}
		if err := s.openUp(w, host, k); err != nil {
			return err
		}
	}
	for _, h := range s.hidden {
		if err := s.cover(h); err != nil {
			return err
		}
	}
	s.guardAll()
	if s.proc {
		// Read-only: root's sysctls are in there, and uid_map.
		if err := unix.Mount("proc", "/proc", "proc", unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
			return step("mounting a private /proc", err)
		}
	}
	for _, place := range append(s.private, "/dev") {
		if err := setReadOnly(place, true, false); err != nil {
			return step("making "+place+" read-only", err)
		}
	}
	if s.noNetwork {
		if err := loopbackUp(); err != nil {
			s.notes = append(s.notes, "children have no loopback: "+err.Error())
		}
	}
	return step("leaving the old view", unix.Chdir("/"))
}

// mount is a line of mountinfo.
type mount struct {
	point    string
	readOnly bool
}

func readMounts() ([]mount, error) {
	data, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	var out []mount
	for line := range strings.Lines(string(data)) {
		f := strings.Fields(line)
		if len(f) < 6 {
			continue
		}
		out = append(out, mount{unescapeMount(f[4]), slices.Contains(strings.Split(f[5], ","), "ro")})
	}
	return out, nil
}

// unescapeMount undoes the octal escapes of mountinfo.
func unescapeMount(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// openReal opens a path in which no link may be left: it was resolved before, and
// a child of an older launcher could have put one in since.
func openReal(path string) (int, error) {
	return unix.Openat2(unix.AT_FDCWD, path, &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS})
}

// byFd runs do with a name for path that leads to the same place whatever
// happens to the path.
func byFd(path string, do func(name string) error) error {
	fd, err := openReal(path)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return do(fdName(fd))
}

func fdName(fd int) string { return "/proc/self/fd/" + strconv.Itoa(fd) }

func setReadOnly(path string, on, recursive bool) error {
	attr := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}
	if !on {
		attr = unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY}
	}
	flags := uint(unix.AT_EMPTY_PATH)
	if recursive {
		flags |= unix.AT_RECURSIVE
	}
	fd, err := openReal(path)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return unix.MountSetattr(fd, "", flags, &attr)
}

func bindSelf(path string) error {
	return byFd(path, func(name string) error { return unix.Mount(name, name, "", unix.MS_BIND|unix.MS_REC, "") })
}

// openUp makes w writable again, and the mounts below it that were so on the host.
func (s *server) openUp(w string, host []mount, k kept) error {
	if within(w, "/dev") || within(w, "/proc") || within(w, "/sys") {
		return fmt.Errorf("%s cannot be made writable: it belongs to the kernel", w)
	}
	bind := bindSelf
	if fd, ok := k[w]; ok {
		bind = func(path string) error { return attach(fd, path) }
	}
	if err := bind(w); errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ELOOP) || errors.Is(err, unix.ENOTDIR) {
		return nil // gone or swapped since the plan: nothing to write to
	} else if err != nil {
		return step("binding "+w, err)
	}
	if err := setReadOnly(w, false, false); err != nil {
		if errors.Is(err, unix.EPERM) {
			s.notes = append(s.notes, w+" stays read-only: its disk is")
			return nil
		}
		return step("making "+w+" writable", err)
	}
	for _, m := range host {
		if m.point == w || !within(m.point, w) || m.readOnly {
			continue
		}
		if err := setReadOnly(m.point, false, false); err != nil {
			s.notes = append(s.notes, m.point+" stays read-only: "+err.Error())
		}
	}
	return nil
}

// emptyFile is what covers files and sockets.
const emptyFile = "/dev/.empty"

// cover hides a folder behind an empty one, anything else behind an empty file.
func (s *server) cover(path string) error {
	st, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return step("looking at "+path, err)
	}
	if err := s.pin(path); err != nil {
		return err
	}
	return step("covering "+path, byFd(path, func(name string) error {
		if !st.IsDir() {
			return unix.Mount(emptyFile, name, "", unix.MS_BIND, "")
		}
		return unix.Mount("tmpfs", name, "tmpfs", unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, "mode=0555,nr_inodes=4,size=4k")
	}))
}

// coverMore covers paths while children run.
func (s *server) coverMore(token uint64, paths []string) {
	errno := syscall.Errno(0)
	for _, path := range paths {
		if s.cover(path) != nil {
			errno = syscall.EIO
		}
	}
	s.tell(pack(frameDone).num(token).num(uint64(errno)))
}

// guardAll does without what cannot be guarded, and tells it: what a checkout
// holds must not decide whether its commands are confined at all.
func (s *server) guardAll() {
	for _, path := range s.protect {
		if err := s.guard(path); err != nil && exists(path) {
			s.open = append(s.open, path+" is not protected: "+err.Error())
		}
	}
	for _, path := range s.kept {
		if err := s.keep(path); err != nil && exists(path) {
			s.open = append(s.open, path+" can be replaced: "+err.Error())
		}
	}
}

// keep binds a link on itself: a mount point cannot be removed, renamed or replaced.
func (s *server) keep(path string) error {
	if err := s.pin(path); err != nil {
		return err
	}
	// Of a path whose last name is a link this opens the link.
	fd, err := unix.Openat2(unix.AT_FDCWD, path, &unix.OpenHow{Flags: unix.O_PATH | unix.O_NOFOLLOW | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS})
	if errors.Is(err, fs.ErrNotExist) {
		return nil // the user has taken it away
	}
	if err != nil {
		return step("opening the link", err)
	}
	defer unix.Close(fd)
	return step("binding the link", unix.Mount(fdName(fd), fdName(fd), "", unix.MS_BIND, ""))
}

// guard makes path read-only inside a writable folder. What is missing gets a
// placeholder for as long as the launcher lives, so that nothing is planted there.
func (s *server) guard(path string) error {
	if err := s.pin(path); err != nil {
		return err
	}
	fd, err := hold(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.Is(err, unix.EROFS) || errors.Is(err, unix.ENOTDIR) {
			return nil
		}
		return step("holding the place of "+path, err)
	}
	if fd >= 0 {
		s.holders[path] = fd
	}
	if err := bindSelf(path); err != nil {
		return step("binding "+path, err)
	}
	return step("making "+path+" read-only", setReadOnly(path, true, true))
}

// pin binds the parents of path, up to the writable folder around it, on
// themselves: a mount point cannot be renamed, so what is below stays in place.
func (s *server) pin(path string) error {
	for _, w := range s.writable {
		if !within(path, w) {
			continue
		}
		var parents []string
		for dir := filepath.Dir(path); dir != w && within(dir, w); dir = filepath.Dir(dir) {
			parents = append(parents, dir)
		}
		for _, dir := range slices.Backward(parents) {
			if s.pinned[dir] {
				continue
			}
			if err := bindSelf(dir); err != nil {
				return step("binding "+dir, err)
			}
			s.pinned[dir] = true
		}
	}
	return nil
}

// gpuDevices are passed on where they are there: computing is what children do.
func gpuDevices() []string {
	var out []string
	for _, glob := range []string{"/dev/nvidia*", "/dev/dri", "/dev/kfd", "/dev/dxg"} {
		found, _ := filepath.Glob(glob)
		out = append(out, found...)
	}
	return out
}

// devTree replaces /dev by a small one: the disks and the terminals of the user
// are not in it, which matters most when the user is root.
func (s *server) devTree() error {
	type node struct {
		path string
		fd   int
		dir  bool
	}
	var nodes []node
	for _, path := range append(slices.Clone(devices), gpuDevices()...) {
		fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
		if err != nil {
			continue
		}
		defer unix.Close(fd)
		var st unix.Stat_t
		if err := unix.Fstat(fd, &st); err != nil {
			return step("looking at "+path, err)
		}
		nodes = append(nodes, node{path, fd, st.Mode&unix.S_IFMT == unix.S_IFDIR})
	}
	if err := unix.Mount("tmpfs", "/dev", "tmpfs", unix.MS_NOSUID|unix.MS_NOEXEC, "mode=0755,size=1m"); err != nil {
		return step("mounting a private /dev", err)
	}
	for _, n := range nodes {
		if n.dir {
			if err := os.Mkdir(n.path, 0o755); err != nil {
				return step("making "+n.path, err)
			}
		} else if err := os.WriteFile(n.path, nil, 0o444); err != nil {
			return step("making "+n.path, err)
		}
		if err := unix.Mount(fdName(n.fd), n.path, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
			return step("binding "+n.path, err)
		}
	}
	if err := os.WriteFile(emptyFile, nil, 0o444); err != nil {
		return step("making an empty file", err)
	}
	for name, target := range map[string]string{
		"fd": "/proc/self/fd", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1", "stderr": "/proc/self/fd/2", "ptmx": "pts/ptmx",
	} {
		if err := os.Symlink(target, "/dev/"+name); err != nil {
			return step("making /dev/"+name, err)
		}
	}
	for _, m := range []struct{ dir, kind, options string }{
		{"/dev/pts", "devpts", "newinstance,ptmxmode=0666,mode=0620"},
		{"/dev/shm", "tmpfs", "mode=1777"},
	} {
		if err := os.Mkdir(m.dir, 0o755); err != nil {
			return step("making "+m.dir, err)
		}
		if err := unix.Mount(m.kind, m.dir, m.kind, unix.MS_NOSUID|unix.MS_NOEXEC, m.options); err != nil {
			return step("mounting "+m.dir, err)
		}
	}
	return nil
}

// release takes the placeholders away.
func (s *server) release() {
	for path, fd := range s.holders {
		unix.Unmount(path, unix.MNT_DETACH)
		letGo(path, fd)
	}
	s.holders = nil
}
