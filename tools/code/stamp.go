package code

import (
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools/tree"
)

// How it is seen that a file has changed: by its size and times. Programs that copy and unpack set the time of what it holds
// back; when the entry itself was changed they cannot set.

func stampOf(fi fs.FileInfo) string { return stamp(fi.ModTime(), fi.Size(), tree.ChangedOf(fi)) }

func stamp(mod time.Time, size int64, changed time.Time) string {
	return fmt.Sprintf("%d.%d.%d", mod.UnixNano(), size, changed.UnixNano())
}

// keptTime reports whether two stamps differ only in when the entry was changed.
func keptTime(a, b string) bool {
	return a != b && a[:strings.LastIndexByte(a, '.')] == b[:strings.LastIndexByte(b, '.')]
}
