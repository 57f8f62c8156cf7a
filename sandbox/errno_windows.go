package sandbox

import (
	"errors"
	"syscall"

	"golang.org/x/sys/windows"
)

const (
	nonblock  = 0
	directory = 0
)

func kindOfErrno(err error) Kind {
	e, ok := errors.AsType[windows.Errno](err)
	if !ok {
		return Other
	}
	switch e {
	case windows.ERROR_FILE_NOT_FOUND, windows.ERROR_PATH_NOT_FOUND:
		return NotFound
	case windows.ERROR_DIRECTORY:
		return NotDir
	case syscall.EISDIR:
		return NotRegular
	case windows.ERROR_ACCESS_DENIED, windows.ERROR_SHARING_VIOLATION:
		return Permission
	case windows.ERROR_WRITE_PROTECT:
		return ReadOnly
	case windows.ERROR_DISK_FULL, windows.ERROR_HANDLE_DISK_FULL, windows.ERROR_DISK_QUOTA_EXCEEDED:
		return NoSpace
	case windows.ERROR_DIR_NOT_EMPTY:
		return NotEmpty
	case windows.ERROR_ALREADY_EXISTS, windows.ERROR_FILE_EXISTS:
		return Exists
	case syscall.ELOOP:
		return TooManyLinks
	case windows.ERROR_NOT_SAME_DEVICE:
		return CrossDevice
	case windows.ERROR_INVALID_NAME, windows.ERROR_FILENAME_EXCED_RANGE:
		return Invalid
	}
	return Other
}
