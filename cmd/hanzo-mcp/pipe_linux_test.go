package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The pipes to and from a client hold more than the usual 64 KiB, and one that holds more is left as it is.
func TestPipesAreWidened(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	inR, inW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	outR, outW, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer inW.Close()
	defer outR.Close()
	const larger = 512 << 10
	if _, err := unix.FcntlInt(outR.Fd(), unix.F_SETPIPE_SZ, larger); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "serve", "--no-door")
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout = t.TempDir(), []string{asProgram + "=1", "HOME=" + t.TempDir(), "TMPDIR=" + t.TempDir()}, inR, outW
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	inR.Close()
	outW.Close()
	if _, err := inW.WriteString(`{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n"); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 100)
	if n, err := outR.Read(b); err != nil || !strings.Contains(string(b[:n]), `"result"`) {
		t.Fatalf("%q %v", b[:n], err)
	}
	for _, c := range []struct {
		f    *os.File
		want int
	}{{inW, pipeSize}, {outR, larger}} {
		if size, err := unix.FcntlInt(c.f.Fd(), unix.F_GETPIPE_SZ, 0); err != nil || size != c.want {
			t.Errorf("%d bytes, want %d (%v)", size, c.want, err)
		}
	}
	inW.Close()
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// A pipe is waited for by the runtime, through a descriptor of our own: who shares the one that was given still blocks.
func TestPolledLeavesTheSharedPipe(t *testing.T) {
	t.Parallel()
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil { // blocking, as a client gives them
		t.Fatal(err)
	}
	shared, w := os.NewFile(uintptr(ends[0]), "stdin"), os.NewFile(uintptr(ends[1]), "client")
	defer shared.Close()
	defer w.Close()
	in, done := polled(shared)
	r := in.(*os.File)
	if err := r.SetReadDeadline(time.Now().Add(time.Minute)); err != nil || r == shared {
		t.Fatalf("the runtime does not wait for it: %v", err)
	}
	if flags, err := unix.FcntlInt(uintptr(ends[0]), unix.F_GETFL, 0); err != nil || flags&unix.O_NONBLOCK != 0 {
		t.Errorf("the shared one does not block any more: %#x %v", flags, err)
	}
	if _, err := w.WriteString("x"); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 8)
	if n, err := r.Read(b); n != 1 || err != nil {
		t.Errorf("%d %v", n, err)
	}
	read := make(chan error, 1)
	go func() {
		_, err := r.Read(b)
		read <- err
	}()
	done()
	if err := <-read; !errors.Is(err, os.ErrClosed) {
		t.Errorf("a read that waits is not ended: %v", err)
	}
	file, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if same, done := polled(file); same != io.Reader(file) {
		t.Error("what is no pipe was opened again")
	} else {
		done()
	}
	if _, err := file.Stat(); err != nil {
		t.Errorf("it was closed: %v", err)
	}
}
