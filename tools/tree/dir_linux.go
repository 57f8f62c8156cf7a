package tree

import (
	"bytes"
	"encoding/binary"
	"io"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

const (
	nonblock  = unix.O_NONBLOCK
	errNotDir = unix.ENOTDIR

	dirFlags  = unix.O_RDONLY | unix.O_DIRECTORY | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_CLOEXEC
	fileFlags = unix.O_RDONLY | unix.O_NOFOLLOW | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_CLOEXEC
)

// fdDir is a folder held as a descriptor. Only single names are ever opened from
// it, with O_NOFOLLOW, so it cannot lead out of the root.
type fdDir int

func openTop(root *os.Root) (folder, error) {
	f, err := root.OpenFile(".", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := f.SyscallConn()
	if err != nil {
		return nil, err
	}
	fd, dupErr := -1, error(nil)
	err = raw.Control(func(u uintptr) { fd, dupErr = unix.FcntlInt(u, unix.F_DUPFD_CLOEXEC, 0) })
	if err != nil {
		return nil, err
	}
	if dupErr != nil {
		return nil, dupErr
	}
	return fdDir(fd), nil
}

func openat(fd int, name string, flags int) (int, error) {
	for {
		n, err := unix.Openat(fd, name, flags, 0)
		if err != unix.EINTR {
			return n, err
		}
	}
}

func (d fdDir) openDir(name string) (folder, error) {
	fd, err := openat(int(d), name, dirFlags)
	if err != nil {
		return nil, err
	}
	return fdDir(fd), nil
}

func (d fdDir) openFile(name string) (file, error) {
	fd, err := openat(int(d), name, fileFlags)
	switch err {
	case nil:
	case unix.ELOOP, unix.ENXIO: // a link; a socket or a FIFO's other end
		return nil, ErrNotRegular
	default:
		return nil, err
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		unix.Close(fd)
		return nil, err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG {
		unix.Close(fd)
		return nil, ErrNotRegular
	}
	return &fdFile{fd, st.Size}, nil
}

// direntHead is the fixed part of linux_dirent64: inode, offset, length, type.
const direntHead = 19

func (d fdDir) entries(buf []byte, limit int) ([]dirent, error) {
	var out []dirent
	for len(out) <= limit {
		n, err := unix.Getdents(int(d), buf)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return out, err
		}
		if n <= 0 {
			break
		}
		// One string holds all names of the block.
		block := string(buf[:n])
		for i := 0; i+direntHead < n; {
			size := int(binary.NativeEndian.Uint16(buf[i+16:]))
			if size < direntHead || i+size > n {
				break
			}
			end := bytes.IndexByte(buf[i+direntHead:i+size], 0)
			if end < 0 {
				end = size - direntHead
			}
			name := block[i+direntHead : i+direntHead+end]
			if name != "." && name != ".." {
				out = append(out, dirent{name, direntType(buf[i+18])})
			}
			i += size
		}
	}
	return out, nil
}

func direntType(t byte) Type {
	switch t {
	case unix.DT_REG:
		return File
	case unix.DT_DIR:
		return Dir
	case unix.DT_LNK:
		return Link
	case unix.DT_UNKNOWN:
		return 0
	}
	return Other
}

func (d fdDir) lstat(name string) (Info, error) {
	var st unix.Stat_t
	for {
		err := unix.Fstatat(int(d), name, &st, unix.AT_SYMLINK_NOFOLLOW)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return Info{}, err
		}
		return Info{Size: st.Size, ModTime: time.Unix(st.Mtim.Unix()), Changed: time.Unix(st.Ctim.Unix()), Mode: modeOf(st.Mode)}, nil
	}
}

func modeOf(m uint32) fs.FileMode {
	mode := fs.FileMode(m & 0o777)
	switch m & unix.S_IFMT {
	case unix.S_IFDIR:
		mode |= fs.ModeDir
	case unix.S_IFLNK:
		mode |= fs.ModeSymlink
	case unix.S_IFIFO:
		mode |= fs.ModeNamedPipe
	case unix.S_IFSOCK:
		mode |= fs.ModeSocket
	case unix.S_IFCHR:
		mode |= fs.ModeDevice | fs.ModeCharDevice
	case unix.S_IFBLK:
		mode |= fs.ModeDevice
	}
	if m&unix.S_ISUID != 0 {
		mode |= fs.ModeSetuid
	}
	if m&unix.S_ISGID != 0 {
		mode |= fs.ModeSetgid
	}
	if m&unix.S_ISVTX != 0 {
		mode |= fs.ModeSticky
	}
	return mode
}

func (d fdDir) readlink(name string) (string, error) {
	var buf [unix.PathMax]byte
	n, err := unix.Readlinkat(int(d), name, buf[:])
	if err != nil {
		return "", err
	}
	return string(buf[:n]), nil
}

func (d fdDir) close() { unix.Close(int(d)) }

type fdFile struct {
	fd int
	n  int64
}

func (f *fdFile) size() int64 { return f.n }

func (f *fdFile) Read(p []byte) (int, error) {
	for {
		n, err := unix.Read(f.fd, p)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return 0, err
		case n == 0 && len(p) > 0:
			return 0, io.EOF
		}
		return n, nil
	}
}

func (f *fdFile) ReadAt(p []byte, off int64) (int, error) {
	total := 0
	for total < len(p) {
		n, err := unix.Pread(f.fd, p[total:], off+int64(total))
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return total, err
		case n == 0:
			return total, io.EOF
		}
		total += n
	}
	return total, nil
}

func (f *fdFile) Close() error              { return unix.Close(f.fd) }
func (f *fdFile) file(name string) *os.File { return os.NewFile(uintptr(f.fd), name) }
