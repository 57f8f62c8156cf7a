//go:build !linux && !darwin

package tree

import (
	"io/fs"
	"time"
)

// ChangedOf is Info.Changed of what the file system said of a file.
func ChangedOf(fs.FileInfo) time.Time { return time.Time{} }
