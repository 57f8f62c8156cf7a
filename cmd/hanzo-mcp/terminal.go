package main

import (
	"fmt"
	"io"
	"os"
	"runtime"
)

// isTerminal reports whether a person sits at the other end of a stream.
func isTerminal(r io.Reader) bool {
	f, ok := r.(interface{ Stat() (os.FileInfo, error) })
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && info.Name() != os.DevNull && info.Name() != "null"
}

// infoAlways writes a line whatever the log level, for a person who runs the program by hand.
func (u *console) infoAlways(format string, args ...any) { u.line(quiet, "", format, args...) }

func buildNote() string {
	return fmt.Sprintf("(%s, %s/%s)", runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
