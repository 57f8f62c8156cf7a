package launch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// here is what a placeholder for commondir says: the configuration and the
// objects are in this very folder, as without one.
const here = ".\n"

// hold makes a placeholder where path is missing: an empty folder, or for git's
// commondir, which must be a file, one that changes nothing. made is also true
// for one that another launcher left.
func hold(path string) (made bool, err error) {
	if filepath.Base(path) != "commondir" {
		if exists(path) {
			return false, nil
		}
		err = os.Mkdir(path, 0o755)
		return err == nil, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return isPlaceholder(path), nil
	}
	if err != nil {
		return false, err
	}
	_, err = f.WriteString(here)
	return true, errors.Join(err, f.Close())
}

func isPlaceholder(path string) bool {
	st, err := os.Lstat(path)
	if err != nil || !st.Mode().IsRegular() || st.Size() != int64(len(here)) {
		return false
	}
	data, err := os.ReadFile(path)
	return err == nil && string(data) == here
}

// removePlaceholders leaves alone what has been filled since.
func removePlaceholders(paths []string) {
	for _, path := range paths {
		if isPlaceholder(path) {
			unix.Unlink(path)
		} else {
			unix.Rmdir(path)
		}
	}
}
