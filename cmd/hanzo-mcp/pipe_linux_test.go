package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

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
