//go:build unix

package launch

import (
	"context"
	"errors"
	"io/fs"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

func candidates(file string, _ []string) []string { return []string{file} }

func executable(file string, st fs.FileInfo) bool {
	return st.Mode().IsRegular() && unix.Access(file, unix.X_OK) == nil
}

// runShell runs a line in a login shell of its own session and ends all of it.
func runShell(ctx context.Context, shell, line string, env []string) (string, error) {
	out := &capped{}
	cmd := exec.CommandContext(ctx, shell, "-lc", line)
	cmd.Env = env
	cmd.Dir = "/"
	cmd.Stdout = out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 300 * time.Millisecond // what a profile leaves running may keep the output open
	err := cmd.Run()
	if cmd.Process != nil {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil
	}
	return out.String(), err
}

// capped keeps the first 64 KiB and swallows the rest.
type capped struct{ strings.Builder }

func (c *capped) Write(b []byte) (int, error) {
	if room := 64<<10 - c.Len(); room > 0 {
		c.Builder.Write(b[:min(room, len(b))])
	}
	return len(b), nil
}
