//go:build !linux

package job

import "os"

// outputPipe makes a pipe for a child's output.
func outputPipe() (ours, theirs *os.File, err error) { return os.Pipe() }

// inputPipe makes a pipe for a child's input.
func inputPipe() (theirs, ours *os.File, err error) { return os.Pipe() }

// widen does nothing: the size of a pipe is the system's choice.
func widen(*os.File) {}
