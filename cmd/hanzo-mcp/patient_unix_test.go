//go:build unix

package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Who shares the streams of the server may make them non-blocking while it serves: that ends nothing and loses no reply.
func TestStreamsMadeNonBlocking(t *testing.T) {
	t.Parallel()
	pipe := func(_ *testing.T) (theirs, ours *os.File, err error) { return os.Pipe() }
	socket := func(*testing.T) (*os.File, *os.File, error) {
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		if err != nil {
			return nil, nil, err
		}
		unix.CloseOnExec(pair[0])
		unix.CloseOnExec(pair[1])
		return os.NewFile(uintptr(pair[0]), "r"), os.NewFile(uintptr(pair[1]), "w"), nil
	}
	for name, stream := range map[string]func(*testing.T) (*os.File, *os.File, error){"pipes": pipe, "sockets": socket} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			self, err := os.Executable()
			if err != nil {
				t.Fatal(err)
			}
			stdin, in, err := stream(t)
			if err != nil {
				t.Fatal(err)
			}
			out, stdout, err := stream(t)
			if err != nil {
				t.Fatal(err)
			}
			defer out.Close()
			// As a client gives them; Fd makes what os opened blocking too.
			for _, f := range []*os.File{stdin, stdout} {
				if err := unix.SetNonblock(int(f.Fd()), false); err != nil {
					t.Fatal(err)
				}
			}
			said := newErrorLog(t)
			cmd := exec.Command(self, "serve", "--no-door")
			cmd.Dir, cmd.Env = t.TempDir(), []string{asProgram + "=1", "HOME=" + t.TempDir(), "TMPDIR=" + t.TempDir()}
			cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, said.File
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			late := time.AfterFunc(20*time.Second, func() {
				_ = cmd.Process.Kill()
				stdout.Close()
			})
			defer late.Stop()
			replies := bufio.NewReader(out)
			send := func(id int, method string) {
				if _, err := fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%d,"method":%q}`+"\n", id, method); err != nil {
					t.Error(err)
				}
			}
			send(0, "ping")
			if line, err := replies.ReadString('\n'); err != nil {
				t.Fatalf("%q %v", line, err)
			}
			for _, f := range []*os.File{stdin, stdout} { // the server's own end, which this process shares
				if err := unix.SetNonblock(int(f.Fd()), true); err != nil {
					t.Fatal(err)
				}
			}
			time.Sleep(100 * time.Millisecond)
			const lists = 100 // more than stdout holds
			for id := range lists {
				send(1+id, "tools/list")
			}
			time.Sleep(300 * time.Millisecond)
			for n := range lists {
				line, err := replies.ReadString('\n')
				if err != nil || !strings.Contains(line, `"tools":[`) {
					t.Fatalf("reply %d: %.80q %v; stderr: %s", n, line, err, said)
				}
			}
			in.Close()
			stdin.Close()
			if err := cmd.Wait(); err != nil || said.String() != "" {
				t.Errorf("%v; stderr: %s", err, said)
			}
			stdout.Close()
		})
	}
}
