package launch

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// The server and its launcher speak in frames over stream sockets: a length of
// 4 bytes, a kind, then numbers and strings as below. Descriptors travel with
// the first byte. Strings are bytes, since arguments need not be UTF-8.

const (
	frameSetup    = 1 // server → launcher: a setup
	frameReady    = 2 // launcher → server: notes, placeholders, what could not be guarded
	frameFailed   = 3 // launcher → server: the step that failed
	frameStart    = 4 // server → launcher: a request
	frameStarted  = 5 // launcher → server: pid, number of the start, and a terminal
	frameRefused  = 6 // launcher → server: errno, fault, other words
	frameExited   = 7 // launcher → server: id, wait status, 1 when others of its group are left
	frameSignal   = 8 // server → launcher: pid, signal
	frameKill     = 9 // server → launcher: id, number of the start, pid, grace
	frameDone     = 10
	frameShutdown = 11 // server → launcher: grace
	frameCover    = 12 // server → launcher: token, paths to hide

	maxFrame = 8 << 20 // more than any kernel takes as arguments and environment
	maxFds   = 3
)

var errFrame = errors.New("a broken frame from the other side")

// packer builds a frame.
type packer struct{ b []byte }

func pack(kind byte) *packer { return &packer{b: []byte{0, 0, 0, 0, kind}} }

func (p *packer) num(n uint64) *packer {
	p.b = binary.AppendUvarint(p.b, n)
	return p
}

func (p *packer) str(s string) *packer {
	p.num(uint64(len(s)))
	p.b = append(p.b, s...)
	return p
}

func (p *packer) strs(list []string) *packer {
	p.num(uint64(len(list)))
	for _, s := range list {
		p.str(s)
	}
	return p
}

func (p *packer) frame() ([]byte, error) {
	if len(p.b)-4 > maxFrame {
		return nil, unix.E2BIG
	}
	binary.LittleEndian.PutUint32(p.b, uint32(len(p.b)-4))
	return p.b, nil
}

// unpacker reads a frame; the first fault makes the rest zero and stays in err.
type unpacker struct {
	kind byte
	b    []byte
	fds  []int
	err  error
}

func (u *unpacker) num() uint64 {
	n, size := binary.Uvarint(u.b)
	if size <= 0 {
		u.err, u.b = errFrame, nil
		return 0
	}
	u.b = u.b[size:]
	return n
}

func (u *unpacker) str() string {
	n := u.num()
	if n > uint64(len(u.b)) {
		u.err, u.b = errFrame, nil
		return ""
	}
	s := string(u.b[:n])
	u.b = u.b[n:]
	return s
}

func (u *unpacker) strs() []string {
	n := u.num()
	if n > uint64(len(u.b)) { // each string takes a byte at least
		u.err, u.b = errFrame, nil
		return nil
	}
	out := make([]string, 0, n)
	for range n {
		out = append(out, u.str())
	}
	return out
}

func (u *unpacker) closeFds() {
	for _, fd := range u.fds {
		unix.Close(fd)
	}
	u.fds = nil
}

// sock is one end of a socket: the launcher's blocks the thread, which wakes
// faster than the poller; the server's is a net.UnixConn.
type sock interface {
	recv(b, oob []byte) (n, oobn int, err error)
	send(b, oob []byte) (n int, err error)
}

type rawSock int

func (s rawSock) recv(b, oob []byte) (int, int, error) {
	for {
		n, oobn, _, _, err := unix.Recvmsg(int(s), b, oob, unix.MSG_CMSG_CLOEXEC)
		if err == unix.EINTR {
			continue
		}
		if err == nil && n == 0 {
			err = io.EOF
		}
		return n, oobn, err
	}
}

func (s rawSock) send(b, oob []byte) (int, error) {
	for {
		n, err := unix.SendmsgN(int(s), b, oob, nil, unix.MSG_NOSIGNAL)
		if err != unix.EINTR {
			return n, err
		}
	}
}

type connSock struct{ *net.UnixConn }

func (s connSock) recv(b, oob []byte) (int, int, error) {
	n, oobn, _, _, err := s.ReadMsgUnix(b, oob)
	if err == nil && n == 0 {
		err = io.EOF
	}
	return n, oobn, err
}

func (s connSock) send(b, oob []byte) (int, error) {
	n, _, err := s.WriteMsgUnix(b, oob, nil)
	return n, err
}

func writeFrame(s sock, p *packer, fds ...int) error {
	b, err := p.frame()
	if err != nil {
		return err
	}
	var oob []byte
	if len(fds) > 0 {
		oob = unix.UnixRights(fds...)
	}
	for len(b) > 0 {
		n, err := s.send(b, oob)
		if err != nil {
			return err
		}
		b, oob = b[n:], nil
	}
	return nil
}

// readFrame reads one frame. Its descriptors are the caller's to close.
func readFrame(s sock) (*unpacker, error) {
	u := &unpacker{}
	var head [4]byte
	oob := make([]byte, unix.CmsgSpace(4*maxFds))
	fail := func(err error) (*unpacker, error) {
		u.closeFds()
		return nil, err
	}
	for got := 0; got < len(head); {
		n, oobn, err := s.recv(head[got:], oob)
		if err != nil {
			return fail(err)
		}
		if oobn > 0 {
			fds, err := rights(oob[:oobn])
			u.fds = append(u.fds, fds...)
			if err != nil {
				return fail(err)
			}
		}
		got += n
	}
	size := binary.LittleEndian.Uint32(head[:])
	if size == 0 || size > maxFrame {
		return fail(errFrame)
	}
	body := make([]byte, size)
	for got := 0; got < len(body); {
		n, _, err := s.recv(body[got:], nil)
		if err != nil {
			return fail(err)
		}
		got += n
	}
	u.kind, u.b = body[0], body[1:]
	return u, nil
}

func rights(oob []byte) ([]int, error) {
	msgs, err := unix.ParseSocketControlMessage(oob)
	if err != nil {
		return nil, err
	}
	var fds []int
	for i := range msgs {
		got, err := unix.ParseUnixRights(&msgs[i])
		if err != nil {
			return fds, err
		}
		fds = append(fds, got...)
	}
	return fds, nil
}

// socketpair gives the server's end as a connection and the launcher's as a file.
func socketpair() (connSock, *os.File, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return connSock{}, nil, fmt.Errorf("making a socket pair: %w", err)
	}
	theirs := os.NewFile(uintptr(fds[1]), "launcher")
	mine := os.NewFile(uintptr(fds[0]), "launcher")
	defer mine.Close()
	c, err := net.FileConn(mine)
	if err != nil {
		theirs.Close()
		return connSock{}, nil, fmt.Errorf("making a socket pair: %w", err)
	}
	return connSock{c.(*net.UnixConn)}, theirs, nil
}

// request is a Cmd on its way to the launcher.
type request struct {
	id         uint64
	path, dir  string
	args, env  []string
	writable   []string // real paths, for the Credentialed policy
	pty        bool
	rows, cols uint16
	std        [3]bool // which of the three are among the descriptors
}

func (r *request) pack() *packer {
	p := pack(frameStart)
	p.num(r.id).str(r.path).str(r.dir).strs(r.args).strs(r.env).strs(r.writable)
	bits := uint64(0)
	for i, has := range append(r.std[:], r.pty) {
		if has {
			bits |= 1 << i
		}
	}
	return p.num(bits).num(uint64(r.rows)).num(uint64(r.cols))
}

func (u *unpacker) request() request {
	r := request{id: u.num(), path: u.str(), dir: u.str(), args: u.strs(), env: u.strs(), writable: u.strs()}
	bits := u.num()
	for i := range r.std {
		r.std[i] = bits&(1<<i) != 0
	}
	r.pty = bits&(1<<3) != 0
	r.rows, r.cols = uint16(u.num()), uint16(u.num())
	return r
}

// setup is what a launcher process makes of itself.
type setup struct {
	mechanism Mechanism
	proc      bool // mount a private /proc
	perStart  bool // Landlock rules come with each request (Credentialed)
	noNetwork bool
	writable  []string // all real paths from here on
	private   []string // folders of all programs, to be emptied
	shown     []string // paths in private that stay to be read
	links     []string // links to make in private: path, target, path, …
	hidden    []string // folders and files to cover
	readable  []string // Landlock: what may be read, "/" for all
	protect   []string // paths inside writable; missing ones are placeholders to make
	kept      []string // links inside writable that stay where they are
	cookie    string   // marks the environment of children
	marks     uint64   // marks their limits, see mark; 0 does not
}

// pidNamespace reports that the launcher is the first process of its own.
func (s *setup) pidNamespace() bool { return s.mechanism == Namespaces && s.proc }

func (s *setup) pack() *packer {
	bits := uint64(0)
	for i, b := range []bool{s.proc, s.perStart, s.noNetwork} {
		if b {
			bits |= 1 << i
		}
	}
	return pack(frameSetup).str(string(s.mechanism)).num(bits).strs(s.writable).strs(s.private).strs(s.shown).strs(s.links).strs(s.hidden).strs(s.readable).strs(s.protect).strs(s.kept).str(s.cookie).num(s.marks)
}

func (u *unpacker) setup() setup {
	s := setup{mechanism: Mechanism(u.str())}
	bits := u.num()
	s.proc, s.perStart, s.noNetwork = bits&1 != 0, bits&2 != 0, bits&4 != 0
	s.writable, s.private, s.shown, s.links = u.strs(), u.strs(), u.strs(), u.strs()
	s.hidden, s.readable, s.protect, s.kept, s.cookie, s.marks = u.strs(), u.strs(), u.strs(), u.strs(), u.str(), u.num()
	return s
}
