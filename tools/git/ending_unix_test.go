//go:build unix

package git

import (
	"bytes"
	"io"
	"os"
	"syscall"
	"testing"
	"time"
)

// A reader that is slower than the child loses nothing of what lies in the pipe, though another process keeps it open.
func TestSlowReaderGetsTheWholeOutput(t *testing.T) {
	t.Parallel()
	p, err := newPipes("")
	if err != nil {
		t.Fatal(err)
	}
	defer p.close()
	other, err := syscall.Dup(int(p.outW.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	kept := os.NewFile(uintptr(other), "kept")
	defer kept.Close()
	want := bytes.Repeat([]byte("0123456789"), 6000)
	if _, err := p.outW.Write(want); err != nil {
		t.Fatal(err)
	}
	var got []byte
	ended := make(chan struct{})
	close(ended)
	_, err = p.follow(t.Context(), spec{stdout: func(r io.Reader) error {
		b := make([]byte, 1000)
		for {
			n, err := r.Read(b)
			got = append(got, b[:n]...)
			if err != nil {
				return err
			}
			if len(got) == 1000 {
				time.Sleep(2 * pipeGrace)
			}
		}
	}}, ended, func() {}, func() int { return 0 })
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d of %d bytes, %v", len(got), len(want), err)
	}
}
