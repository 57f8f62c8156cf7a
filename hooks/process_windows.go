package hooks

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// shellProgram hands a command to cmd.exe, whose own quoting rules want it unescaped between one pair of quotes.
func shellProgram(shell, command string) program {
	if shell == "" {
		shell = filepath.Join(os.Getenv("SystemRoot"), "System32", "cmd.exe")
	}
	return program{path: shell, argv: []string{shell}, raw: `"` + shell + `" /d /s /c "` + command + `"`}
}

func sameVariable(key, name string) bool { return strings.EqualFold(key, name) }

// group is a running program with the job object that holds its children.
type group struct {
	process *os.Process
	mu      sync.Mutex
	job     windows.Handle
}

// startGroup starts the program and puts it into a job. What it starts in the moment between escapes the job.
func startGroup(p program, attr *os.ProcAttr) (*group, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, fmt.Errorf("creating a job: %w", err)
	}
	g := &group{job: job}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE},
	}
	if _, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits))); err != nil {
		g.kill()
		return nil, fmt.Errorf("setting up a job: %w", err)
	}
	attr.Sys = &syscall.SysProcAttr{CmdLine: p.raw, HideWindow: true}
	if g.process, err = os.StartProcess(p.path, p.argv, attr); err != nil {
		g.kill()
		return nil, fmt.Errorf("starting %s: %w", p.path, reason(err))
	}
	assign := func(handle uintptr) { err = windows.AssignProcessToJobObject(job, windows.Handle(handle)) }
	if held := g.process.WithHandle(assign); held != nil || err != nil {
		err = errors.Join(held, err, g.process.Kill())
		g.kill()
		_, waited := g.process.Wait()
		return nil, fmt.Errorf("putting %s into its job: %w", p.path, errors.Join(err, waited))
	}
	return g, nil
}

// kill closes the job, which ends all that is in it.
func (g *group) kill() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.job != 0 {
		_ = windows.TerminateJobObject(g.job, 1)
		_ = windows.CloseHandle(g.job)
		g.job = 0
	}
}

// wait sees the leader end and ends what it has started.
func (g *group) wait() (*os.ProcessState, error) {
	state, err := g.process.Wait()
	g.kill()
	return state, err
}

// signalOf: there are no signals here.
func signalOf(*os.ProcessState) string { return "" }

// drain: pipes always wait here.
func drain(*os.File, io.Writer) {}

// checkExecutable: the system judges by the name, and says so itself.
func checkExecutable(string, os.FileInfo) error { return nil }
