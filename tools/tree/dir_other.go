//go:build !linux

package tree

import (
	"os"
	"syscall"
)

const (
	nonblock  = syscall.O_NONBLOCK // a FIFO that takes a file's place must not block; no effect on Windows
	errNotDir = syscall.ENOTDIR
)

func openTop(root *os.Root) (folder, error) { return openRootDir(root) }
