//go:build unix

package settings

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// openFlags keep a pipe in a file's place from holding the start, and a terminal from becoming ours.
const openFlags = syscall.O_NONBLOCK | syscall.O_NOCTTY

// absent: nothing of that name, or a plain file where its folder would be.
func absent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// checkOwner refuses a user file that another user could have written: it names programs that are run.
func checkOwner(info fs.FileInfo) (warning string, err error) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case info.Mode().Perm()&0o002 != 0:
		return "", errors.New("every user of this machine may write it: chmod 600 it")
	case ok && int(stat.Uid) != os.Geteuid() && stat.Uid != 0:
		return "", errors.New("it belongs to another user")
	case info.Mode().Perm()&0o044 != 0:
		return "other users may read the api_key in it: chmod 600 it", nil
	}
	return "", nil
}
