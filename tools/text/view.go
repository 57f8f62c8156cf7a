package text

import "unsafe"

// view gives b as a string without copying it: files of some MiB are read, shown and searched by it. Nobody may
// change b afterwards.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// bytesOf gives s as bytes without copying it. Nobody may change them.
func bytesOf(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }
