package launch

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// here is what a placeholder for git's commondir says, which must be a file: the
// configuration and the objects are in this very folder, as without one.
const here = ".\n"

// hold makes a placeholder where path is missing, and shares one that another
// launcher made. fd keeps it for as long as it is open; -1 is said of what is the
// user's own. Who lets go last takes a placeholder away (letGo): by a name that
// is removed, a launcher would lose the mount on it.
func hold(path string) (fd int, err error) {
	for range 50 {
		if err := makePlaceholder(path); err != nil && !errors.Is(err, fs.ErrExist) {
			return -1, err
		}
		if !isPlaceholder(path) {
			return -1, nil
		}
		fd, err := unix.Open(path, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if err == unix.ENOENT {
			continue
		}
		if err != nil {
			return -1, err
		}
		err = unix.Flock(fd, unix.LOCK_SH|unix.LOCK_NB)
		if err != unix.EWOULDBLOCK && sameFile(fd, path) {
			return fd, nil // without locks, as on some network disks, the first to end takes it away
		}
		unix.Close(fd)
		time.Sleep(2 * time.Millisecond) // its last holder takes it away
	}
	return -1, nil // someone else's lock: it is there, and that will do
}

func makePlaceholder(path string) error {
	if exists(path) {
		return fs.ErrExist
	}
	if filepath.Base(path) != "commondir" {
		if err := os.Mkdir(path, 0o755); err != nil {
			return err
		}
		return os.Chmod(path, 0o755|fs.ModeSticky) // tells it from the user's own
	}
	// Whole at once: one without text would be no placeholder, and stop git.
	tmp := path + ".hold-" + rand.Text()
	if err := os.WriteFile(tmp, []byte(here), 0o644); err != nil {
		return err
	}
	defer os.Remove(tmp)
	return os.Link(tmp, path)
}

func isPlaceholder(path string) bool {
	st, err := os.Lstat(path)
	if err != nil {
		return false
	}
	if st.IsDir() {
		entries, err := os.ReadDir(path)
		return err == nil && len(entries) == 0 && st.Mode()&fs.ModeSticky != 0
	}
	if filepath.Base(path) != "commondir" || !st.Mode().IsRegular() || st.Size() != int64(len(here)) {
		return false
	}
	data, err := os.ReadFile(path)
	return err == nil && string(data) == here
}

func sameFile(fd int, path string) bool {
	var a, b unix.Stat_t
	return unix.Fstat(fd, &a) == nil && unix.Lstat(path, &b) == nil && a.Dev == b.Dev && a.Ino == b.Ino
}

// letGo closes fd and takes the placeholder away, unless others hold it or it
// has been filled since.
func letGo(path string, fd int) {
	defer unix.Close(fd)
	if unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB) == unix.EWOULDBLOCK || !sameFile(fd, path) || !isPlaceholder(path) {
		return
	}
	if unix.Unlink(path) != nil {
		unix.Rmdir(path)
	}
}

// removePlaceholders takes away those that a killed launcher left.
func removePlaceholders(paths []string) {
	for _, path := range paths {
		if fd, err := unix.Open(path, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0); err == nil {
			letGo(path, fd)
		}
	}
}
