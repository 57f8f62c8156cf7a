//go:build unix

package sandbox

import (
	"errors"

	"golang.org/x/sys/unix"
)

// nonblock keeps an open from waiting for the other end of a pipe, and from
// making a terminal the server's own.
const (
	nonblock  = unix.O_NONBLOCK | unix.O_NOCTTY
	directory = unix.O_DIRECTORY
)

func kindOfErrno(err error) Kind {
	e, ok := errors.AsType[unix.Errno](err)
	if !ok {
		return Other
	}
	switch e {
	case unix.ENOENT:
		return NotFound
	case unix.ENOTDIR:
		return NotDir
	case unix.EISDIR, unix.ENXIO, unix.ENODEV:
		return NotRegular
	case unix.EACCES, unix.EPERM:
		return Permission
	case unix.EROFS:
		return ReadOnly
	case unix.ENOSPC, unix.EDQUOT:
		return NoSpace
	case unix.ENOTEMPTY:
		return NotEmpty
	case unix.EEXIST:
		return Exists
	case unix.ELOOP:
		return TooManyLinks
	case unix.EXDEV:
		return CrossDevice
	case unix.ENAMETOOLONG, unix.EINVAL, unix.EILSEQ:
		return Invalid
	}
	return Other
}
