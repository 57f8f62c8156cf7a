package launch

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// forest starts, from a shell, a child in the group, one in its own session, and
// a daemon that has left its parents; each is a sleep with a number of its own.
// It prints "up" when all are there.
func forest(mark string) string {
	// The number is in a variable, for the script itself to hold no "sleep 7…".
	return `M=` + mark + `
sleep ${M}1 & setsid sleep ${M}2 & (M=$M setsid sh -c 'sleep ${M}3 & setsid sleep ${M}4 & wait' </dev/null >/dev/null 2>&1 &)
until [ $(cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\0' ' ' | grep -o "sleep ${M}[1-4] " | sort -u | wc -l) = 4 ]; do sleep 0.01; done
echo up; wait`
}

// markFor makes the numbers of one test's sleeps: unique on the machine, long
// enough to outlive it.
func markFor(t *testing.T) string {
	h := uint32(2166136261)
	for _, c := range []byte(t.Name() + itoa(os.Getpid())) {
		h = (h ^ uint32(c)) * 16777619
	}
	return "7" + fmt.Sprintf("%08d", h%100000000)
}

func startForest(t *testing.T, l *Launcher) (*started, string) {
	t.Helper()
	need(t, "setsid")
	mark := markFor(t)
	p := shell(t, l, "/", forest(mark))
	if line := p.line(t); line != "up" {
		t.Fatalf("the forest says %q", line)
	}
	if n := running("sleep\x00" + mark); n != 4 {
		t.Fatalf("%d sleeps run, want 4", n)
	}
	return p, "sleep\x00" + mark
}

func TestKillEndsTheWholeTree(t *testing.T) {
	t.Parallel()
	eachMechanism(t, Config{}, func(t *testing.T, l *Launcher) {
		other := shell(t, l, "/", "echo up; sleep 600; echo no")
		other.line(t)
		p, sleeps := startForest(t, l)
		p.Kill(0)
		if n := running(sleeps); n != 0 {
			t.Errorf("%d of the tree run after Kill", n)
		}
		if s := p.Wait(); s.Signal != syscall.SIGKILL || s.Code != 137 {
			t.Errorf("status %+v, want SIGKILL", s)
		}
		select {
		case <-other.Done():
			t.Error("Kill ended another child")
		default:
		}
	})
}

func TestKillAfterTheShellHasEnded(t *testing.T) {
	t.Parallel()
	eachMechanism(t, Config{}, func(t *testing.T, l *Launcher) {
		need(t, "setsid")
		mark := markFor(t)
		p := shell(t, l, "/", strings.Replace(forest(mark), "; wait", "", 1))
		p.line(t)
		if s := p.Wait(); !s.Success() {
			t.Fatal(s)
		}
		if n := running("sleep\x00" + mark); n == 0 {
			t.Fatal("nothing was left to kill")
		}
		p.Kill(100 * time.Millisecond)
		if n := running("sleep\x00" + mark); n != 0 {
			t.Errorf("%d run after Kill", n)
		}
	})
}

func TestKillGivesGrace(t *testing.T) {
	t.Parallel()
	eachMechanism(t, Config{}, func(t *testing.T, l *Launcher) {
		polite := shell(t, l, "/", `trap 'echo bye; exit 5' TERM; echo up; while :; do sleep 0.01; done`)
		polite.line(t)
		polite.Kill(10 * time.Second)
		if out, s := polite.output(t); s.Code != 5 || !strings.Contains(out, "bye") {
			t.Errorf("a child that ends on TERM: %s %q", s, out)
		}
		stubborn := shell(t, l, "/", `trap '' TERM; echo up; while :; do sleep 0.01; done`)
		stubborn.line(t)
		stubborn.Kill(50 * time.Millisecond)
		if s := stubborn.Wait(); s.Signal != syscall.SIGKILL {
			t.Errorf("a child that ignores TERM: %s", s)
		}
		stopped := shell(t, l, "/", `trap 'exit 6' TERM; echo up; kill -STOP $$; while :; do sleep 0.01; done`)
		stopped.line(t)
		host := stopped.HostPid()
		eventually(t, "its stop", func() bool {
			data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", host))
			return strings.Contains(string(data), ") T ")
		})
		stopped.Kill(10 * time.Second)
		if s := stopped.Wait(); s.Code != 6 {
			t.Errorf("a stopped child: %s", s)
		}
	})
}

func TestSignalReachesTheGroup(t *testing.T) {
	t.Parallel()
	eachMechanism(t, Config{}, func(t *testing.T, l *Launcher) {
		p := shell(t, l, "/", `trap 'wait; exit 7' USR1; sh -c 'trap "echo child; exit" USR1; echo up; while :; do sleep 0.01; done' & while :; do sleep 0.01; done`)
		p.line(t)
		if err := p.Signal(syscall.SIGUSR1); err != nil {
			t.Fatal(err)
		}
		if out, s := p.output(t); s.Code != 7 || !strings.Contains(out, "child") {
			t.Errorf("%s %q", s, out)
		}
		if err := p.Signal(syscall.SIGUSR1); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("signal to an ended group: %v", err)
		}
	})
}

func TestCloseEndsEverything(t *testing.T) {
	t.Parallel()
	eachMechanism(t, Config{}, func(t *testing.T, l *Launcher) {
		p, sleeps := startForest(t, l)
		begin := time.Now()
		l.Close()
		if n := running(sleeps); n != 0 {
			t.Errorf("%d run after Close", n)
		}
		if d := time.Since(begin); d > 30*time.Second {
			t.Errorf("Close took %s", d)
		}
		if s := p.Wait(); s.Success() {
			t.Error("ended with success")
		}
		if _, err := l.Start(t.Context(), Cmd{Path: "/bin/true", Dir: "/"}); !errors.Is(err, ErrClosed) {
			t.Errorf("start after Close: %v", err)
		}
		l.Close()
	})
}

// A launcher killed from outside takes its children along, and the next start
// has a new one.
func TestLauncherKilled(t *testing.T) {
	t.Parallel()
	eachMechanism(t, Config{}, func(t *testing.T, l *Launcher) {
		p, sleeps := startForest(t, l)
		syscall.Kill(l.slots[Confined].in.cmd.Process.Pid, syscall.SIGKILL)
		if s := p.Wait(); !s.Lost || s.Signal != syscall.SIGKILL {
			t.Errorf("status %+v, want lost", s)
		}
		eventually(t, "the tree's end", func() bool { return running(sleeps) == 0 })
		if out := mustRun(t, l, "/", "echo again"); out != "again\n" {
			t.Errorf("after that: %q", out)
		}
	})
}

// secondServer is a server that starts a forest and is then killed by the test.
func secondServer(mechanism, mark string) int {
	l := New(Config{Mechanism: Mechanism(mechanism)})
	p, err := l.Start(context.Background(), Cmd{
		Path: "/bin/sh", Args: []string{"sh", "-c", forest(mark)}, Dir: "/", Env: baseEnv(), Stdout: os.Stdout, Stderr: os.Stderr,
	})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	p.Wait()
	return 0
}

func TestServerKilled(t *testing.T) {
	t.Parallel()
	need(t, "setsid")
	for _, m := range mechanisms {
		t.Run(string(m), func(t *testing.T) {
			t.Parallel()
			mark := markFor(t)
			cmd := exec.Command("/proc/self/exe", "__server", string(m), mark)
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if line, _ := bufio.NewReader(out).ReadString('\n'); line != "up\n" {
				t.Fatalf("the server says %q", line)
			}
			cmd.Process.Kill()
			cmd.Wait()
			eventually(t, "the tree's end after kill -9 of the server", func() bool { return running("sleep\x00"+mark) == 0 })
		})
	}
}

func TestContextEndsDuringStart(t *testing.T) {
	t.Parallel()
	eachMechanism(t, Config{}, func(t *testing.T, l *Launcher) {
		mustRun(t, l, "/", "true")
		mark := markFor(t)
		for i := range 40 {
			ctx, cancel := context.WithCancel(t.Context())
			go func() {
				for range i {
					runtime.Gosched()
				}
				cancel()
			}()
			p, err := l.Start(ctx, Cmd{Path: "/bin/sleep", Args: []string{"sleep", mark}, Dir: "/"})
			if err == nil {
				p.Kill(0)
			} else if !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			cancel()
		}
		eventually(t, "the end of cancelled starts", func() bool { return running("sleep\x00"+mark) == 0 })
		eventually(t, "an empty launcher", func() bool {
			in := l.slots[Confined].in
			in.mu.Lock()
			defer in.mu.Unlock()
			return in.busy == 0 && len(in.procs) == 0 && len(in.pending) == 0 && len(in.free) == cap(in.free)
		})
	})
}

// Reconfigured: old children keep running under the old limits, new ones have
// the new, and the old launcher ends with the last of its own.
func TestReconfigure(t *testing.T) {
	t.Parallel()
	a, b := t.TempDir(), t.TempDir()
	l := newLauncher(t, Config{Writable: []string{a}})
	old := shell(t, l, a, "echo up; read x; echo late >f && echo wrote", "X=1")
	old.line(t)
	in := l.slots[Confined].in
	l.Reconfigure(Config{Writable: []string{b}})
	if _, s := run(t, l, b, "echo x >f"); !s.Success() {
		t.Error("the new folder is not writable")
	}
	if _, s := run(t, l, b, "echo x >"+filepath.Join(a, "g")); s.Success() {
		t.Error("the old folder is still writable")
	}
	if out, s := old.output(t); s.Success() && !strings.Contains(out, "wrote") {
		t.Errorf("the old child: %s %q", s, out)
	}
	select {
	case <-in.gone:
	case <-time.After(15 * time.Second):
		t.Error("the old launcher stays")
	}
}

// A thousand children leave nothing: no zombie, descriptor, goroutine or launcher.
func TestThousandStartsLeaveNothing(t *testing.T) {
	fds := func() int {
		entries, _ := os.ReadDir("/proc/self/fd")
		return len(entries)
	}
	mine := func() (n int) { // children of this process, zombies included
		tasks, _ := filepath.Glob("/proc/self/task/*/children")
		for _, f := range tasks {
			data, _ := os.ReadFile(f)
			n += len(strings.Fields(string(data)))
		}
		return n
	}
	first := New(Config{}) // the runtime opens a poller once
	mustRun(t, first, "/", "true")
	first.Close()
	for _, m := range mechanisms {
		t.Run(string(m), func(t *testing.T) {
			fdsBefore, goroutines, children := fds(), runtime.NumGoroutine(), mine()
			l := New(Config{Mechanism: m})
			var wait sync.WaitGroup
			for range 10 {
				wait.Go(func() {
					for i := range 100 {
						c := Cmd{Path: "/bin/sh", Args: []string{"sh", "-c", "(true &) ; exit " + itoa(i)}, Dir: "/", PTY: i%20 == 0}
						if i%10 == 9 {
							c.Path = "/does/not/exist"
						}
						p, err := l.Start(context.Background(), c)
						if err != nil {
							if i%10 != 9 {
								t.Error(err)
							}
							continue
						}
						if s := p.Wait(); s.Code != i {
							t.Errorf("status %s, want %d", s, i)
						}
						if p.PTY != nil {
							p.PTY.Close()
						}
					}
				})
			}
			wait.Wait()
			pid := l.slots[Confined].in.cmd.Process.Pid
			eventually(t, "no child of the launcher, zombies included", func() bool {
				data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
				tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
				for _, f := range tasks {
					more, _ := os.ReadFile(f)
					data = append(data, more...)
				}
				return len(strings.TrimSpace(string(data))) == 0
			})
			// Descriptors of the launcher: 0 to 2, its sockets, /dev/null, the rules.
			if os.Getuid() == 0 {
				entries, _ := os.ReadDir("/proc/" + strconv.Itoa(pid) + "/fd")
				if len(entries) > 3+1+8+4 {
					t.Errorf("the launcher has %d descriptors open", len(entries))
				}
			}
			l.Close()
			defer func() {
				if t.Failed() {
					t.Logf("before %d descriptors, %d goroutines, %d children; now %d, %d, %d", fdsBefore, goroutines, children, fds(), runtime.NumGoroutine(), mine())
				}
			}()
			eventually(t, "as before", func() bool {
				return fds() <= fdsBefore && runtime.NumGoroutine() <= goroutines && mine() <= children
			})
		})
	}
}
