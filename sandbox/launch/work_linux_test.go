package launch

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func TestStartErrors(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "notexec"), "#!/bin/sh\n")
	write(t, filepath.Join(dir, "nointerp"), "#!/does/not/exist\n")
	write(t, filepath.Join(dir, "noformat"), "hello\n")
	os.Chmod(filepath.Join(dir, "nointerp"), 0o755)
	os.Chmod(filepath.Join(dir, "noformat"), 0o755)
	cases := []struct {
		name, path, dir string
		exit            int
		is              error
	}{
		{"missing", "/no/such/program", dir, 127, ErrNotFound},
		{"missing, relative", "./nosuch", dir, 127, ErrNotFound},
		{"not looked up", "ls", dir, 127, ErrNotFound},
		{"empty", "", dir, 127, ErrNotFound},
		{"mode 0644", "./notexec", dir, 126, ErrNotExecutable},
		{"a folder", dir, dir, 126, ErrNotExecutable},
		{"no interpreter", "./nointerp", dir, 127, ErrNotFound},
		{"no format", "./noformat", dir, 126, ErrNotExecutable},
		{"folder to run in is missing", "/bin/sh", filepath.Join(dir, "gone"), 0, ErrNoDir},
		{"folder to run in is a file", "/bin/sh", filepath.Join(dir, "notexec"), 0, ErrNoDir},
	}
	eachMechanism(t, Config{Writable: []string{dir}}, func(t *testing.T, l *Launcher) {
		for _, c := range cases {
			_, err := l.Start(t.Context(), Cmd{Path: c.path, Dir: c.dir})
			var se *StartError
			if !errors.As(err, &se) || se.Exit != c.exit || !errors.Is(err, c.is) {
				t.Errorf("%s: %v (%#v), want exit %d", c.name, err, err, c.exit)
			}
		}
		for _, c := range []Cmd{
			{Path: "/bin/echo", Args: []string{"echo", strings.Repeat("x", 200<<10)}, Dir: dir}, // one argument past 128 KiB
			{Path: "/bin/echo", Args: append([]string{"echo"}, slicesOf(strings.Repeat("x", 100<<10), 100)...), Dir: dir},
		} {
			_, err := l.Start(t.Context(), c)
			var se *StartError
			if !errors.As(err, &se) || se.Exit != 126 || !strings.Contains(err.Error(), "too long") {
				t.Errorf("too long: %v", err)
			}
		}
		if _, err := l.Start(t.Context(), Cmd{Path: "/bin/echo", Args: []string{"a\x00b"}, Dir: dir}); err == nil {
			t.Error("a NUL byte was taken")
		}
		if out := mustRun(t, l, dir, "echo still here"); out != "still here\n" {
			t.Error(out)
		}
	})
}

func slicesOf(s string, n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = s
	}
	return out
}

func TestStatus(t *testing.T) {
	t.Parallel()
	eachMechanism(t, Config{}, func(t *testing.T, l *Launcher) {
		for script, want := range map[string]Status{
			"true": {}, "exit 3": {Code: 3}, "exit 256": {}, "kill -9 $$": {Code: 137, Signal: syscall.SIGKILL},
			"kill -TERM $$": {Code: 143, Signal: syscall.SIGTERM}, "exit 137": {Code: 137},
		} {
			if _, s := run(t, l, "/", script); s != want {
				t.Errorf("%s: %+v, want %+v", script, s, want)
			}
		}
	})
}

// Arguments and environment are bytes, and order is kept.
func TestBytesArrive(t *testing.T) {
	t.Parallel()
	eachMechanism(t, Config{}, func(t *testing.T, l *Launcher) {
		p := start(t, l, Cmd{Path: "/bin/sh", Args: []string{"sh", "-c", `printf '%s|' "$@" "$V"`, "x", "a\xff", "", "b\nc", "ü"}, Env: []string{"V=\xfe"}})
		if out, _ := p.output(t); out != "a\xff||b\nc|ü|\xfe|" {
			t.Errorf("%q", out)
		}
	})
}

func TestStdinIsEmptyUnlessGiven(t *testing.T) {
	t.Parallel()
	eachMechanism(t, Config{}, func(t *testing.T, l *Launcher) {
		if out := mustRun(t, l, "/", "cat; readlink /proc/self/fd/0"); out != "/dev/null\n" {
			t.Errorf("%q", out)
		}
		r, w, _ := os.Pipe()
		go func() { io.WriteString(w, strings.Repeat("line\n", 50000)); w.Close() }()
		p := start(t, l, Cmd{Path: "/usr/bin/wc", Args: []string{"wc", "-l"}, Stdin: r})
		r.Close()
		if out, _ := p.output(t); strings.TrimSpace(out) != "50000" {
			t.Errorf("%q", out)
		}
	})
}

// Nothing of ours but the three is open in a child, and it has no terminal.
func TestChildInheritsNothing(t *testing.T) {
	t.Parallel()
	eachMechanism(t, Config{}, func(t *testing.T, l *Launcher) {
		out := mustRun(t, l, "/", `ls /proc/self/fd | tr '\n' ' '; (exec </dev/tty) 2>/dev/null && echo tty; ps -o sid=,pgid=,pid= -p $$`)
		f := strings.Fields(out)
		// ls itself has 3 open on the folder it lists.
		if len(f) != 7 || strings.Join(f[:4], " ") != "0 1 2 3" || f[4] != f[5] || f[5] != f[6] {
			t.Errorf("%q", out)
		}
		p := start(t, l, Cmd{Path: "/usr/bin/env", Env: []string{"A=1"}})
		env, _ := p.output(t)
		if lines := strings.Split(strings.TrimSpace(env), "\n"); len(lines) != 2 || lines[0] != "A=1" || !strings.HasPrefix(lines[1], marker+"=") {
			t.Errorf("%q", env)
		}
	})
}

// What a model passes as env is the child's alone.
func TestEnvironmentStaysOutOfTheLauncher(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	eachMechanism(t, Config{Writable: []string{dir}}, func(t *testing.T, l *Launcher) {
		mustRun(t, l, dir, "true", "LD_PRELOAD=/evil.so", "GODEBUG=inittrace=1", "EVIL=1")
		pid := l.slots[Confined].in.cmd.Process.Pid
		// Readable for root alone, since the launcher is not dumpable; then it is empty.
		if data, err := os.ReadFile("/proc/" + itoa(pid) + "/environ"); err == nil && len(data) != 0 {
			t.Errorf("the launcher's environment: %q", data)
		}
	})
}

func TestPTY(t *testing.T) {
	t.Parallel()
	eachMechanism(t, Config{}, func(t *testing.T, l *Launcher) {
		p, err := l.Start(t.Context(), Cmd{
			Path: "/bin/sh", Args: []string{"sh", "-c", `test -t 0 && test -t 1 && stty size && tty && read x </dev/tty && echo "got $x" && sleep 60`}, Dir: "/",
			Env: baseEnv("TERM=xterm"), PTY: true, Rows: 30, Cols: 100,
		})
		if err != nil {
			t.Fatal(err)
		}
		defer p.PTY.Close()
		io.WriteString(p.PTY, "hello\n")
		var got strings.Builder
		p.PTY.SetReadDeadline(time.Now().Add(15 * time.Second))
		for b := make([]byte, 4096); !strings.Contains(got.String(), "got hello"); {
			n, err := p.PTY.Read(b)
			got.Write(b[:n])
			if err != nil {
				t.Fatalf("%v after %q", err, got.String())
			}
		}
		contains(t, "size", got.String(), "30 100")
		contains(t, "name", got.String(), "/dev/pts/")
		io.WriteString(p.PTY, "\x03") // the terminal turns it into INT
		if s := p.Wait(); s.Signal != syscall.SIGINT {
			t.Errorf("after ^C: %s", s)
		}
	})
}

func TestConcurrentStarts(t *testing.T) {
	t.Parallel()
	eachMechanism(t, Config{}, func(t *testing.T, l *Launcher) {
		var wait sync.WaitGroup
		for i := range 32 {
			wait.Go(func() {
				for j := range 8 {
					want := fmt.Sprintf("%d-%d\n", i, j)
					p := shell(t, l, "/", "echo "+strings.TrimSpace(want))
					if out, _ := p.output(t); out != want {
						t.Errorf("%q, want %q", out, want)
					}
				}
			})
		}
		wait.Wait()
	})
}

// Children of one launcher are not walled off from each other.
func TestChildrenReachEachOther(t *testing.T) {
	t.Parallel()
	eachMechanism(t, Config{}, func(t *testing.T, l *Launcher) {
		for range 8 {
			p := shell(t, l, "/", "echo up; exec sleep 600")
			p.line(t)
			if out, s := run(t, l, "/", fmt.Sprintf("cat /proc/%[1]d/environ >/dev/null && kill %[1]d", p.Pid)); !s.Success() {
				t.Fatalf("%s %s", s, out)
			}
			if s := p.Wait(); s.Signal != syscall.SIGTERM {
				t.Fatal(s)
			}
		}
	})
}

func TestHostPid(t *testing.T) {
	t.Parallel()
	eachMechanism(t, Config{}, func(t *testing.T, l *Launcher) {
		p := shell(t, l, "/", "echo $$; exec sleep 600")
		if line := p.line(t); line != itoa(p.Pid) {
			t.Errorf("the child says %s, Pid is %d", line, p.Pid)
		}
		syscall.Kill(p.HostPid(), syscall.SIGKILL)
		if s := p.Wait(); s.Signal != syscall.SIGKILL {
			t.Error(s)
		}
	})
}

// git commit, a merge and a linked work tree, whose repository lies elsewhere.
func TestGitInside(t *testing.T) {
	t.Parallel()
	for _, m := range mechanisms {
		t.Run(string(m), func(t *testing.T) {
			t.Parallel()
			top := t.TempDir()
			repo, tree := filepath.Join(top, "repo"), filepath.Join(top, "tree")
			os.Mkdir(repo, 0o755)
			gitRepo(t, repo)
			if out, err := exec.Command("git", "-C", repo, "worktree", "add", "-q", tree).CombinedOutput(); err != nil {
				t.Fatalf("%v %s", err, out)
			}
			l := newLauncher(t, Config{Writable: []string{tree, filepath.Join(repo, ".git")}, Protect: []string{".git/config", ".git/hooks"}, Mechanism: m})
			mustRun(t, l, tree, "echo x >f && git add f && git commit -qm two && git status --short && git gc -q && git stash list && git mv f g && git commit -qm three && git branch x && git checkout -q x && git log --oneline")
			if m != Namespaces {
				return
			}
			for _, script := range []string{
				"mv .git x", "echo gitdir: /tmp >.git", "echo '[core]' >>" + repo + "/.git/config", "touch " + repo + "/.git/hooks/pre-commit", "git config core.fsmonitor evil",
			} {
				if out, s := run(t, l, tree, script); s.Success() {
					t.Errorf("%s: allowed %s", script, out)
				}
			}
			p := start(t, l, Cmd{Path: "/usr/bin/env", Args: []string{"env", "git", "config", "remote.origin.url", "https://x"}, Dir: tree, Policy: Repository})
			if out, s := p.output(t); !s.Success() {
				t.Errorf("git config under the Repository policy: %s %s", s, out)
			}
		})
	}
}

// Signed commits and ssh see the user's keys and write to the repository only.
func TestCredentialed(t *testing.T) {
	t.Parallel()
	for _, m := range []Mechanism{Best, None} {
		t.Run("mechanism "+string(m), func(t *testing.T) {
			t.Parallel()
			top := t.TempDir()
			home, repo, other := filepath.Join(top, "home"), filepath.Join(top, "repo"), filepath.Join(top, "other")
			write(t, filepath.Join(home, ".ssh/id"), "key\n")
			os.Mkdir(repo, 0o755)
			os.Mkdir(other, 0o755)
			gitRepo(t, repo)
			l := newLauncher(t, Config{Writable: []string{repo, other}, Hidden: []string{"~/.ssh"}, Home: home, Mechanism: m})
			try := func(script string, writable ...string) (string, Status) {
				p := start(t, l, Cmd{Path: "/bin/sh", Args: []string{"sh", "-c", script}, Dir: repo, Policy: Credentialed, Writable: writable})
				return p.output(t)
			}
			if out, s := try("cat "+home+"/.ssh/id && git commit -q --allow-empty -m two && grep -c . /proc/self/uid_map && cat /proc/self/uid_map", repo); !s.Success() {
				t.Errorf("%s %s", s, out)
			} else if !strings.Contains(out, "4294967295") {
				t.Errorf("in a user namespace: %q", out)
			}
			if m == None {
				return
			}
			for _, script := range []string{"echo x >" + other + "/f", "echo x >>" + home + "/.ssh/id", "kill -0 " + itoa(os.Getpid()), "cat /proc/" + itoa(os.Getpid()) + "/environ"} {
				if out, s := try(script, repo); s.Success() {
					t.Errorf("%s: allowed %s", script, out)
				}
			}
			if _, s := try("echo x >"+other+"/f", other); !s.Success() {
				t.Error("the other folder, asked for, is not writable")
			}
		})
	}
}

func TestUnconfined(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, cfg := range map[string]Config{"policy": {}, "confine off": {Confine: Off}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLauncher(t, cfg)
			policy := Unconfined
			if cfg.Confine == Off {
				policy = Confined
			}
			p := start(t, l, Cmd{Path: "/bin/sh", Args: []string{"sh", "-c", "echo x >" + filepath.Join(dir, policy.String()) + " && grep NoNewPrivs /proc/self/status"}, Policy: policy})
			if out, s := p.output(t); !s.Success() || !strings.Contains(out, "0") {
				t.Errorf("%s %q", s, out)
			}
		})
	}
}

// A go build from a cold cache of its own, a module from the user's cache, make and python.
func TestToolchainsInside(t *testing.T) {
	t.Parallel()
	need(t, "go", "make", "python3")
	if testing.Short() {
		t.Skip("builds the standard library")
	}
	home, err := os.UserHomeDir()
	if err != nil {
		t.Skip(err)
	}
	w, cache, tmp := t.TempDir(), filepath.Join(t.TempDir(), "cache"), t.TempDir()
	t.Cleanup(func() { // the module cache is read-only
		filepath.Walk(cache, func(path string, info os.FileInfo, err error) error {
			if err == nil && info.IsDir() {
				os.Chmod(path, 0o755)
			}
			return nil
		})
	})
	cacheEnv, err := CacheEnv(os.Environ(), home, cache)
	if err != nil {
		t.Fatal(err)
	}
	env, _ := Environ(EnvConfig{Base: os.Environ(), TempDir: tmp, Cache: cacheEnv})
	write(t, filepath.Join(w, "go.mod"), "module x\n\ngo 1.26.0\n\nrequire golang.org/x/sys v0.50.0\n")
	write(t, filepath.Join(w, "main.go"), "package main\n\nimport \"golang.org/x/sys/unix\"\n\nfunc main() { println(unix.Getpid()) }\n")
	sum, err := os.ReadFile("../../go.sum")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(w, "go.sum"), string(sum))
	write(t, filepath.Join(w, "Makefile"), "all:\n\tgo build -o x . && ./x\n\tpython3 -c 'import tempfile,subprocess,multiprocessing; multiprocessing.Lock(); tempfile.TemporaryFile(); print(subprocess.check_output([\"echo\",\"py\"]))'\n")
	l := newLauncher(t, Config{Writable: []string{w}, CacheDir: cache, TempDir: tmp, Confine: Required})
	p := start(t, l, Cmd{Path: "/usr/bin/make", Dir: w, Env: env})
	p.out.SetReadDeadline(time.Now().Add(5 * time.Minute))
	out, _ := io.ReadAll(p.out)
	if s := p.Wait(); !s.Success() || !strings.Contains(string(out), "py") {
		t.Fatalf("%s\n%s", s, out)
	}
	if _, err := os.Stat(filepath.Join(cache, "go-build")); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(cache, "go-mod/golang.org/x")); err != nil {
		t.Error(err)
	}
}

func TestReport(t *testing.T) {
	t.Parallel()
	w, home := t.TempDir(), t.TempDir()
	gitRepo(t, w)
	write(t, filepath.Join(home, ".ssh/id"), "x")
	write(t, filepath.Join(home, ".netrc"), "x")
	for _, m := range mechanisms {
		t.Run(string(m), func(t *testing.T) {
			t.Parallel()
			l := newLauncher(t, Config{Writable: []string{w}, Home: home, Hidden: []string{"~/.ssh", "~/.netrc", "~/.aws"}, Protect: []string{".git/config", ".mcp.json"}, Mechanism: m})
			r := l.Report(t.Context())
			confined := m != None
			hidden := confined == (len(r.Hidden) >= 2 && len(r.Visible) == 0)
			if r.Confined != confined || r.Mechanism != m || r.Secrets == confined || !hidden || (m == Namespaces) != (len(r.Protected) == 1) || !r.Network {
				t.Errorf("%+v", r)
			}
			contains(t, "text", r.String(), map[bool]string{true: "confined by " + string(m), false: "not confined"}[confined])
		})
	}
}

// What is asked for and cannot be had is refused, or reported.
func TestRequiredFailsClosed(t *testing.T) {
	t.Parallel()
	l := newLauncher(t, Config{Confine: Required, Mechanism: None})
	_, err := l.Start(t.Context(), Cmd{Path: "/bin/true", Dir: "/"})
	if err == nil || !strings.Contains(err.Error(), "required") {
		t.Errorf("%v", err)
	}
	// A set-up step that fails lets the next way be tried, and is told.
	bad := newLauncher(t, Config{Writable: []string{"/dev/shm"}, Confine: Auto})
	if _, s := run(t, bad, "/", "true"); !s.Success() {
		t.Error(s)
	}
	r := bad.Report(t.Context())
	if r.Mechanism != Landlock || !strings.Contains(strings.Join(r.Notes, "\n"), "/dev/shm cannot be made writable") {
		t.Errorf("%+v", r)
	}
}

func TestAProgramWithoutMainIsRefused(t *testing.T) {
	t.Parallel()
	l := newLauncher(t, Config{Self: "/bin/true"})
	if _, err := l.Start(t.Context(), Cmd{Path: "/bin/true", Dir: "/"}); err == nil || !strings.Contains(err.Error(), "launch.Main") {
		t.Errorf("%v", err)
	}
	if out, err := exec.Command("/proc/self/exe", launcherWord, "2").CombinedOutput(); err == nil {
		t.Errorf("the word by hand: %s", out)
	}
}

// A path to hide or protect that appears later is covered for the next child.
func TestLaterPathsAreCovered(t *testing.T) {
	t.Parallel()
	w, home := t.TempDir(), t.TempDir()
	cfg := Config{Writable: []string{w}, Home: home, Hidden: []string{"~/.aws"}, Protect: []string{".mcp.json"}, Mechanism: Namespaces}
	l := newLauncher(t, cfg)
	mustRun(t, l, w, "true")
	write(t, filepath.Join(home, ".aws/credentials"), "secret")
	mustRun(t, l, w, "echo {} >.mcp.json")
	if got := l.Planted(); len(got) != 1 || filepath.Base(got[0]) != ".mcp.json" {
		t.Errorf("planted: %v", got)
	}
	l.slots[Confined].in.lastLook = time.Time{}
	if _, s := run(t, l, w, "cat "+home+"/.aws/credentials"); s.Success() {
		t.Error("a folder made later is not hidden")
	}
	if _, s := run(t, l, w, "echo x >>.mcp.json"); s.Success() {
		t.Error("a file made later is not protected")
	}
}

func TestHoldMissing(t *testing.T) {
	t.Parallel()
	w := t.TempDir()
	l := newLauncher(t, Config{Writable: []string{w}, Protect: []string{".mcp.json", ".claude"}, HoldMissing: true, Mechanism: Namespaces})
	if _, s := run(t, l, w, "mkdir -p .claude; echo x >.claude/settings.json"); s.Success() {
		t.Error("planted")
	}
	if _, s := run(t, l, w, "rmdir .mcp.json; echo x >.mcp.json"); s.Success() {
		t.Error("planted")
	}
	l.Close()
	if entries, _ := os.ReadDir(w); len(entries) != 0 {
		t.Errorf("left behind: %v", entries)
	}
	// Also when the launcher is killed.
	l = newLauncher(t, Config{Writable: []string{w}, Protect: []string{".claude"}, HoldMissing: true, Mechanism: Namespaces})
	mustRun(t, l, w, "true")
	in := l.slots[Confined].in
	in.cmd.Process.Kill()
	<-in.gone
	if entries, _ := os.ReadDir(w); len(entries) != 0 {
		t.Errorf("left behind: %v", entries)
	}
}

// Roots that are links, contain each other or hold mounts.
func TestWritableFolders(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	real := filepath.Join(top, "real")
	os.MkdirAll(filepath.Join(real, "sub", "deep"), 0o755)
	link := filepath.Join(top, "link")
	os.Symlink(real, link)
	write(t, filepath.Join(top, "file"), "x")
	eachMechanism(t, Config{Writable: []string{link, filepath.Join(real, "sub"), filepath.Join(top, "missing"), filepath.Join(top, "file")}}, func(t *testing.T, l *Launcher) {
		name := fmt.Sprintf("f-%s-%d", strings.ReplaceAll(filepath.Base(t.Name()), "/", ""), runtime.NumGoroutine())
		mustRun(t, l, link, fmt.Sprintf("pwd -P; echo x >%[1]s && mv %[1]s sub/ && echo y >>sub/%[1]s && rm sub/%[1]s && echo z >>%[2]s", name, filepath.Join(top, "file")))
		if l.cfg.Mechanism == None {
			return
		}
		if _, s := run(t, l, link, "echo x >../out"); s.Success() {
			t.Error("the parent is writable")
		}
	})
}
