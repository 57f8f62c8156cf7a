//go:build unix && !linux

package launch

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"

	"github.com/creack/pty"
)

// group is the process group of a child; here nothing holds on to a child
// that makes a session of its own, but its line of parents.
type group struct{}

func (group) start(cmd *exec.Cmd, c Cmd) (*os.File, error) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if !c.PTY {
		return nil, cmd.Start()
	}
	master, slave, err := pty.Open()
	if err != nil {
		return nil, err
	}
	defer slave.Close()
	pty.Setsize(master, &pty.Winsize{Rows: c.Rows, Cols: c.Cols})
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr.Setctty = true
	if err := cmd.Start(); err != nil {
		master.Close()
		return nil, err
	}
	return master, nil
}

func (group) signal(p *Process, sig syscall.Signal) error { return syscall.Kill(-p.Pid, sig) }

// killAll kills the group and the descendants that ps still knows.
func (group) killAll(p *Process) {
	rest := descendants(p.Pid)
	syscall.Kill(-p.Pid, syscall.SIGKILL)
	for _, pid := range rest {
		syscall.Kill(pid, syscall.SIGKILL)
	}
}

func descendants(root int) []int {
	out, err := exec.Command("/bin/ps", "-axo", "pid=,ppid=").Output()
	if err != nil {
		return nil
	}
	children := map[int][]int{}
	for line := range strings.Lines(string(out)) {
		f := strings.Fields(line)
		if len(f) != 2 {
			continue
		}
		pid, _ := strconv.Atoi(f[0])
		parent, _ := strconv.Atoi(f[1])
		children[parent] = append(children[parent], pid)
	}
	var all []int
	for todo := []int{root}; len(todo) > 0; {
		next := children[todo[0]]
		todo = append(todo[1:], next...)
		all = append(all, next...)
	}
	return all
}
