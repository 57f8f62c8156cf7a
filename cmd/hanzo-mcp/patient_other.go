//go:build !unix

package main

import "os"

// patient is a standard stream; only Unix has streams that another process can make non-blocking.
type patient struct{ *os.File }
