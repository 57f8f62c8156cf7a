//go:build unix

package hooks

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

func openAudit(path string) (*os.File, error) {
	// Without blocking, a pipe put in the log's place cannot hang the start.
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
	if errors.Is(err, syscall.ELOOP) {
		return nil, fmt.Errorf("%s is a link: name the file itself", path)
	}
	return file, err
}

func checkAudit(file *os.File) error {
	info, err := file.Stat()
	if err != nil {
		return err
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.Mode().IsRegular():
		return errors.New("it is not a regular file")
	case info.Mode().Perm()&0o022 != 0:
		return errors.New("others may write it: chmod 600 it")
	case ok && int(owner.Uid) != os.Geteuid():
		return errors.New("it belongs to another user")
	}
	return nil
}
