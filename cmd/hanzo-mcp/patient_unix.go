//go:build unix

package main

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// patient is a standard stream that another process shares and may have made non-blocking, as Node.js does when it
// touches its own: what cannot be read or written at once is waited for, and is no failure.
type patient struct{ *os.File }

func (p patient) Read(b []byte) (int, error) {
	for {
		n, err := p.File.Read(b)
		if n > 0 || !errors.Is(err, unix.EAGAIN) {
			return n, err
		}
		if err := p.wait(unix.POLLIN); err != nil {
			return 0, err
		}
	}
}

func (p patient) Write(b []byte) (int, error) {
	done := 0
	for {
		n, err := p.File.Write(b[done:])
		done += max(n, 0)
		if !errors.Is(err, unix.EAGAIN) {
			return done, err
		}
		if err := p.wait(unix.POLLOUT); err != nil {
			return done, err
		}
	}
}

// wait returns when the file is ready, or has ended or failed, which the next read or write tells.
func (p patient) wait(events int16) error {
	raw, err := p.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(fd uintptr) {
		for {
			_, failed = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: events}}, -1)
			if !errors.Is(failed, unix.EINTR) {
				return
			}
		}
	})
	return errors.Join(err, failed)
}
