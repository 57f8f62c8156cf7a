//go:build unix

package fakedoor

import (
	"net/netip"
	"syscall"
)

// hold takes a port without listening: who connects is refused, and nobody else
// gets the port while the door is down.
func hold(addr string) (release func()) {
	at, err := netip.ParseAddrPort(addr)
	if err != nil || !at.Addr().Is4() {
		return func() {}
	}
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		return func() {}
	}
	syscall.CloseOnExec(fd)
	if syscall.Bind(fd, &syscall.SockaddrInet4{Port: int(at.Port()), Addr: at.Addr().As4()}) != nil {
		// Connections of the door that are ending still have the port, so that
		// nobody else gets it either.
		syscall.Close(fd)
		return func() {}
	}
	return func() { syscall.Close(fd) }
}
