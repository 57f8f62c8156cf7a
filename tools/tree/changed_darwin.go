package tree

import (
	"io/fs"
	"syscall"
	"time"
)

// ChangedOf is Info.Changed of what the file system said of a file.
func ChangedOf(fi fs.FileInfo) time.Time {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return time.Unix(st.Ctimespec.Unix())
	}
	return time.Time{}
}
