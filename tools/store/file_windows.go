package store

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/windows"
)

const noFollow = 0

// trusted trusts the access list of the profile's folder.
func trusted(fs.FileInfo) bool { return true }

func keepOwner(*os.File, fs.FileInfo) {}

// rename tries for a while: a file that another program reads cannot be replaced.
func rename(from, to string) (err error) {
	for range 20 {
		if err = os.Rename(from, to); !errors.Is(err, windows.ERROR_SHARING_VIOLATION) && !errors.Is(err, windows.ERROR_ACCESS_DENIED) {
			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
	return err
}
