//go:build unix

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// fullPipe is a pipe that nobody reads, with no room left.
func fullPipe(t *testing.T) *os.File {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close(); w.Close() })
	if err := w.SetWriteDeadline(time.Now().Add(100 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(make([]byte, 8<<20)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("the pipe is not full: %v", err)
	}
	return w
}

// Answers that a client does not read are lost, and the program says so when it ends.
func TestStdoutUnread(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "serve", "--no-door")
	cmd.Dir = t.TempDir()
	cmd.Env = []string{asProgram + "=1", "PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "TMPDIR=" + t.TempDir()}
	var said strings.Builder
	cmd.Stdin = strings.NewReader(strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{`+modernMeta+"}}\n", 200)) // more than the pipe can be made to hold
	cmd.Stdout, cmd.Stderr = fullPipe(t), &said
	err = cmd.Run()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 || !strings.Contains(said.String(), "the client did not read its answers") {
		t.Errorf("%v: %s", err, &said)
	}
}

// A client that does not read stderr gets its replies all the same, and the server ends as with any other.
func TestStderrUnread(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(*client){
		"end of input": func(c *client) { c.in.Close() },
		"SIGTERM":      func(c *client) { c.cmd.Process.Signal(syscall.SIGTERM) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := startSaying(t, fullPipe(t), t.TempDir(), []string{"HOME=" + t.TempDir(), writeSettings(t, `{"hooks":[{"event":"pre_tool_use","command":"exit 3","tool_pattern":"fs.*"}]}`)})
			c.initialize("2025-06-18", "{}")
			for i := range 5 { // each is logged
				if r := parseResult(t, c.ask(fmt.Sprint(i), "tools/call", `{"name":"fs","arguments":{"action":"list"}}`)); !r.IsError {
					t.Errorf("the hook lets the call through: %v", r.Content)
				}
			}
			c.alive()
			end(c)
			if err := c.waitExit(60 * time.Second); err != nil {
				t.Errorf("exit: %v", err)
			}
		})
	}
}
