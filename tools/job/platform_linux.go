package job

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// outputPipe makes a pipe for a child's output: ours can be read with a deadline, theirs blocks as children
// expect.
func outputPipe() (ours, theirs *os.File, err error) {
	var p [2]int
	if err := syscall.Pipe2(p[:], syscall.O_CLOEXEC); err != nil {
		return nil, nil, os.NewSyscallError("pipe2", err)
	}
	syscall.SetNonblock(p[0], true)
	return os.NewFile(uintptr(p[0]), "output"), os.NewFile(uintptr(p[1]), "output"), nil
}

// inputPipe makes a pipe for a child's input.
func inputPipe() (theirs, ours *os.File, err error) {
	var p [2]int
	if err := syscall.Pipe2(p[:], syscall.O_CLOEXEC); err != nil {
		return nil, nil, os.NewSyscallError("pipe2", err)
	}
	syscall.SetNonblock(p[1], true)
	return os.NewFile(uintptr(p[0]), "input"), os.NewFile(uintptr(p[1]), "input"), nil
}

// widen lets more output wait in the pipe, so that a fast child need not stop for each read. The system may
// refuse; it is no loss.
func widen(f *os.File) {
	if c, err := f.SyscallConn(); err == nil {
		c.Control(func(fd uintptr) { unix.FcntlInt(fd, unix.F_SETPIPE_SZ, 1<<20) })
	}
}

// fionread asks how much there is to read.
const fionread = unix.TIOCINQ
