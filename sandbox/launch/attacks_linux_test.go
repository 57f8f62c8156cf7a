package launch

import (
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

var update = flag.Bool("update", false, "rewrite testdata/attacks.md")

func itoa(n int) string { return strconv.Itoa(n) }

// attacks are what a hostile child tries. Each runs as a process of its own; nil
// means that it had its way. The folders come in by the environment: W writable
// (a repository), O outside, H hidden, L the server's logs.
var attacks = []struct {
	name     string
	rootOnly bool // an ordinary user may not even without confinement: not compared then
	try      func() error
}{
	{"create a file outside", false, func() error { return os.WriteFile(at("O", "new"), nil, 0o644) }},
	{"append to a file outside", false, func() error { return appendTo(at("O", "file")) }},
	{"truncate a file outside", false, func() error { return os.Truncate(at("O", "file"), 0) }},
	{"make a folder outside", false, func() error { return os.Mkdir(at("O", "dir"), 0o755) }},
	{"rename a file outside", false, func() error { return os.Rename(at("O", "rename"), at("O", "renamed")) }},
	{"move a file from outside in", false, func() error { return os.Rename(at("O", "move"), at("W", "moved")) }},
	{"remove a file outside", false, func() error { return os.Remove(at("O", "remove")) }},
	{"hard-link a file from outside and write to it", false, func() error {
		if err := os.Link(at("O", "file"), at("W", "hard")); err != nil {
			return err
		}
		return appendTo(at("W", "hard"))
	}},
	{"write through a link to outside", false, func() error {
		os.Symlink(os.Getenv("O"), at("W", "soft"))
		return appendTo(at("W", "soft/file"))
	}},
	{"chmod a file outside", false, func() error { return os.Chmod(at("O", "file"), 0o666) }},
	{"chown a file outside", false, func() error { return os.Chown(at("O", "file"), os.Getuid(), os.Getgid()) }},
	{"set times of a file outside", false, func() error {
		return unix.UtimesNano(at("O", "file"), []unix.Timespec{{Sec: 1}, {Sec: 1}})
	}},
	{"set an attribute of a file outside", false, func() error { return unix.Setxattr(at("O", "file"), "user.x", []byte("1"), 0) }},
	{"write to the shared Go cache", false, func() error { return appendTo(at("G", "aa-d")) }},
	{"write to the shared npm cache", false, func() error { return os.WriteFile(at("N", "_cacache"), nil, 0o644) }},
	{"put a link in place of a log", false, func() error {
		if err := os.Remove(at("L", "1.log")); err != nil {
			return err
		}
		return os.Symlink(at("O", "file"), at("L", "1.log"))
	}},
	{"read a hidden file", false, func() error { return reads(at("H", "id")) }},
	{"in new namespaces: read a hidden file through a mount of its parent", false, func() error {
		os.Mkdir(at("W", "view"), 0o755)
		if err := unix.Mount(filepath.Dir(os.Getenv("H")), at("W", "view"), "", unix.MS_BIND, ""); err != nil {
			return err
		}
		return reads(at("W", "view", filepath.Base(os.Getenv("H")), "id"))
	}},
	{"in new namespaces: uncover a hidden folder", false, func() error {
		unix.Unmount(os.Getenv("H"), unix.MNT_DETACH)
		return reads(at("H", "id"))
	}},
	{"remount the disk writable", false, func() error {
		unix.Mount("", "/", "", unix.MS_REMOUNT|unix.MS_BIND, "")
		return appendTo(at("O", "file"))
	}},
	{"in new namespaces: remount the disk writable", false, func() error {
		unix.Mount("", "/", "", unix.MS_REMOUNT|unix.MS_BIND, "")
		setReadOnly("/", false, true)
		setReadOnly("/", false, false)
		return appendTo(at("O", "file"))
	}},
	{"in new namespaces: move the cover of .git/config away", false, func() error {
		unix.Unmount(at("W", ".git/config"), unix.MNT_DETACH)
		unix.Unmount(at("W", ".git"), unix.MNT_DETACH)
		return appendTo(at("W", ".git/config"))
	}},
	{"mount a file system", true, func() error {
		if err := unix.Mount("tmpfs", at("W"), "tmpfs", 0, ""); err != nil {
			return err
		}
		return unix.Unmount(at("W"), 0)
	}},
	{"make a device and read the disk", true, func() error {
		var st unix.Stat_t
		if err := unix.Stat("/", &st); err != nil {
			return err
		}
		if err := unix.Mknod(at("W", "disk"), unix.S_IFBLK|0o600, int(st.Dev)); err != nil {
			return err
		}
		return reads(at("W", "disk"))
	}},
	{"open the disk's own device", true, func() error {
		var st unix.Stat_t
		if err := unix.Stat("/", &st); err != nil {
			return err
		}
		devs, _ := filepath.Glob("/dev/*")
		for _, dev := range devs {
			var d unix.Stat_t
			if unix.Stat(dev, &d) == nil && d.Mode&unix.S_IFMT == unix.S_IFBLK && d.Rdev == st.Dev {
				return reads(dev)
			}
		}
		return unix.ENODEV
	}},
	{"change a setting of the kernel", true, func() error { return opens("/proc/sys/kernel/core_pattern", os.O_WRONLY) }},
	{"read a terminal of the user", false, func() error { return opens(os.Getenv("TTY"), os.O_RDONLY) }},
	{"write to a terminal of the user", false, func() error { return opens(os.Getenv("TTY"), os.O_WRONLY) }},
	{"signal the server", false, func() error { return syscall.Kill(serverPid(), 0) }},
	{"trace the server", false, func() error { return traces(serverPid()) }},
	{"read the server's memory", false, func() error { return opens("/proc/"+itoa(serverPid())+"/mem", os.O_RDONLY) }},
	{"read the server's environment", false, func() error { return reads("/proc/" + itoa(serverPid()) + "/environ") }},
	{"trace the launcher", true, func() error { return traces(os.Getppid()) }},
	{"read the launcher's memory", true, func() error { return opens("/proc/"+itoa(os.Getppid())+"/mem", os.O_RDONLY) }},
	{"end the launcher", false, func() error {
		parent := os.Getppid()
		if err := syscall.Kill(parent, syscall.SIGKILL); err != nil {
			return err
		}
		// The first process of a namespace takes no KILL from inside, and the
		// sender is not told.
		if parent == 1 {
			return errors.New("ignored")
		}
		return nil
	}},
	{"connect to a socket that is hidden (docker.sock)", false, func() error { return dials("unix", at("S", "hidden.sock")) }},
	{"connect to another socket outside", false, func() error { return dials("unix", at("S", "other.sock")) }},
	{"connect to a socket deep in the home folder", false, func() error { return dials("unix", at("HOME", "a/b/c/d/s.sock")) }},
	{"connect to a socket deep in /tmp", false, func() error { return dials("unix", at("T", "a/b/c/s.sock")) }},
	{"connect to a socket made in /tmp after the launcher's start", false, func() error { return dials("unix", at("T", "late/s.sock")) }},
	{"in new namespaces: connect to a socket in the /tmp of all", false, func() error {
		unix.Unmount("/tmp", unix.MNT_DETACH)
		return dials("unix", at("T", "a/b/c/s.sock"))
	}},
	{"connect to an abstract socket outside", false, func() error { return dials("unix", "@"+os.Getenv("ABSTRACT")) }},
	{"write .git/config", false, func() error { return appendTo(at("W", ".git/config")) }},
	{"replace .git/config", false, func() error {
		os.WriteFile(at("W", "evil"), []byte("[core]\n"), 0o644)
		return os.Rename(at("W", "evil"), at("W", ".git/config"))
	}},
	{"plant a hook in .git/hooks", false, func() error { return os.WriteFile(at("W", ".git/hooks/post-checkout"), nil, 0o755) }},
	{"replace .git/hooks", false, func() error { return os.Rename(at("W", ".git/hooks"), at("W", ".git/h")) }},
	{"move .git away", false, func() error { return os.Rename(at("W", ".git"), at("W", ".git2")) }},
	{"plant .git/commondir", false, func() error { return plant(at("W", ".git/commondir"), at("W", "evil-git\n")) }},
	{"write the config of a nested repository", false, func() error { return appendTo(at("W", "lib/nested/.git/config")) }},
	{"plant a hook in a nested repository", false, func() error {
		os.Mkdir(at("W", "lib/nested/.git/hooks"), 0o755)
		return plant(at("W", "lib/nested/.git/hooks/post-checkout"), "")
	}},
	{"move a nested repository away", false, func() error { return os.Rename(at("W", "lib"), at("W", "lib2")) }},
	{"redirect a submodule's .git file", false, func() error { return plant(at("W", "module/.git"), "gitdir: ../evil-git\n") }},
	{"write the config of a submodule", false, func() error { return appendTo(at("W", ".git/modules/sub/config")) }},
	{"redirect a linked work tree", false, func() error { return plant(at("W", ".git/worktrees/wt/commondir"), "evil-git\n") }},
	{"plant a new repository for git add", false, func() error { return os.MkdirAll(at("W", "evil/.git/hooks"), 0o755) }},
	{"use the session keyring of the server", false, func() error {
		id, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_SESSION_KEYRING, false)
		if err == nil && itoa(id) != os.Getenv("KEYRING") {
			err = errors.New("another")
		}
		return err
	}},
	{outlives + ": a daemon with a cleared environment", false, func() error { return daemon() }},
	{outlives + ": a daemon that changes its limits too", false, func() error {
		if err := unix.Setrlimit(unix.RLIMIT_RTTIME, &unix.Rlimit{Cur: 1 << 30, Max: 1 << 30}); err != nil {
			return err
		}
		return daemon()
	}},
	{"write .claude/settings.json", false, func() error { return appendTo(at("W", ".claude/settings.json")) }},
	{"move .claude away", false, func() error { return os.Rename(at("W", ".claude"), at("W", ".claude2")) }},
	{"replace a protected name that is a link", false, func() error { return os.Remove(at("W", ".codex")) }},
	{"write what it leads to", false, func() error { return appendTo(at("W", "agents/config.toml")) }},
	{"make a missing .mcp.json", false, func() error { return os.WriteFile(at("W", ".mcp.json"), nil, 0o644) }},
	{"write inside (must work)", false, func() error {
		if err := os.WriteFile(at("W", "a"), []byte("x"), 0o644); err != nil {
			return err
		}
		os.MkdirAll(at("W", "sub"), 0o755)
		return errors.Join(os.Rename(at("W", "a"), at("W", "sub/b")), os.Link(at("W", "sub/b"), at("W", "c")), os.Remove(at("W", "sub/b")), os.Remove(at("W", "c")))
	}},
	{"send UDP, network off", false, func() error { return sends("udp", os.Getenv("UDP")) }},
	{"connect by TCP, network off", false, func() error { return dials("tcp", os.Getenv("TCP")) }},
}

func at(name string, parts ...string) string {
	return filepath.Join(append([]string{os.Getenv(name)}, parts...)...)
}

// outlives begins the name of an attack that is won by what runs after Kill.
const outlives = "outlive the end of its command"

// daemon leaves a sleep behind in a session of its own, without environment and
// parents; by two forks, of which the first has ended when this returns.
func daemon() error {
	cmd := exec.Command("/bin/sh", "-c", "/bin/sleep "+os.Getenv("MARK")+" >/dev/null 2>&1 &")
	cmd.Env = []string{}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd.Run()
}

// plant replaces a file, or makes it where it is missing.
func plant(path, text string) error {
	tmp := at("W", "planted")
	if err := os.WriteFile(tmp, []byte(text), 0o755); err != nil {
		return err
	}
	if err := os.Rename(tmp, path); errors.Is(err, unix.EXDEV) {
		return os.WriteFile(path, []byte(text), 0o755)
	} else {
		return err
	}
}

func serverPid() int { n, _ := strconv.Atoi(os.Getenv("SERVER")); return n }

func opens(path string, flag int) error {
	f, err := os.OpenFile(path, flag|unix.O_NOCTTY|unix.O_NONBLOCK, 0)
	if err == nil {
		f.Close()
	}
	return err
}

func appendTo(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString("# x\n")
	return err
}

func reads(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.Read(make([]byte, 1))
	return err
}

func dials(network, addr string) error {
	c, err := net.Dial(network, addr)
	if err == nil {
		c.Close()
	}
	return err
}

func sends(network, addr string) error {
	c, err := net.Dial(network, addr)
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err = c.Write([]byte("x")); err != nil {
		return err
	}
	// Sent is not arrived: wait for the echo.
	c.SetReadDeadline(time.Now().Add(500 * time.Millisecond))
	_, err = c.Read(make([]byte, 1))
	return err
}

func traces(pid int) error {
	if err := unix.PtraceSeize(pid); err != nil {
		return err
	}
	return nil // let go by our end
}

// inNamespaces runs the attack again as root of user and mount namespaces of
// its own; without a mapping of users where a read-only /proc refuses one.
func inNamespaces(name string) int {
	enter := func(attr *syscall.SysProcAttr) error {
		cmd := exec.Command("/proc/self/exe", "__attack", name)
		cmd.Env = append(os.Environ(), "INSIDE=1")
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		attr.Cloneflags = unix.CLONE_NEWUSER | unix.CLONE_NEWNS
		cmd.SysProcAttr = attr
		return cmd.Run()
	}
	if enter(&syscall.SysProcAttr{
		UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}}, GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
	}) == nil {
		return 0
	}
	// Without a mapping only these survive the exec.
	if err := enter(&syscall.SysProcAttr{AmbientCaps: []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SYS_CHROOT}}); err != nil {
		fmt.Print("no namespaces: ", err)
	}
	return 0
}

// attack runs one of them and prints how it went.
func attack(name string) int {
	runtime.LockOSThread()
	if strings.HasPrefix(name, "in new namespaces") && os.Getenv("INSIDE") == "" {
		return inNamespaces(name)
	}
	for _, a := range attacks {
		if a.name != name {
			continue
		}
		if err := a.try(); err != nil {
			var errno syscall.Errno
			if errors.As(err, &errno) {
				fmt.Print("refused ", unix.ErrnoName(errno))
			} else {
				fmt.Print("refused ", err)
			}
			return 0
		}
		fmt.Print("done")
		return 0
	}
	return 2
}

// arena is what the attacks play in, fresh for each of them.
func arena(t *testing.T) (cfg Config, env []string) {
	top, err := os.MkdirTemp("", "arena") // the path of a socket is short, the name of a test is not
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(top) })
	os.Chmod(top, 0o755)
	path := func(name string) string {
		p := filepath.Join(top, name)
		if err := os.MkdirAll(p, 0o755); err != nil {
			t.Fatal(err)
		}
		return p
	}
	w, o, h, s, g, n, l := path("w"), path("o"), path("home/.ssh"), path("s"), path("go"), path("npm"), path("log")
	for _, f := range []string{"file", "rename", "move", "remove"} {
		write(t, filepath.Join(o, f), "outside\n")
	}
	write(t, filepath.Join(h, "id"), "secret\n")
	write(t, filepath.Join(g, "aa-d"), "cached\n")
	write(t, filepath.Join(l, "1.log"), "log\n")
	for _, f := range []string{"HEAD", "config", "objects/x", "refs/x"} {
		write(t, filepath.Join(w, ".git", f), "")
	}
	write(t, filepath.Join(w, "agents/config.toml"), "")
	if err := os.Symlink("agents", filepath.Join(w, ".codex")); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"lib/nested/.git", ".git/modules/sub", "srv.git"} {
		for _, f := range []string{"HEAD", "config", "objects/x", "refs/x"} {
			write(t, filepath.Join(w, dir, f), "")
		}
	}
	write(t, filepath.Join(w, "module/.git"), "gitdir: ../.git/modules/sub\n")
	write(t, filepath.Join(w, ".git/worktrees/wt/commondir"), "../..\n")
	write(t, filepath.Join(w, ".git/hooks/sample"), "#!/bin/sh\n")
	write(t, filepath.Join(w, ".claude/settings.json"), "{}\n")
	abstract := "hanzo-mcp-test-" + filepath.Base(top)
	tmp, err := os.MkdirTemp("/tmp", "x")
	if err != nil {
		t.Fatal(err)
	}
	os.Chmod(tmp, 0o755)
	t.Cleanup(func() { os.RemoveAll(tmp) })
	home := filepath.Dir(h)
	os.MkdirAll(filepath.Join(tmp, "a/b/c"), 0o755)
	os.MkdirAll(filepath.Join(home, "a/b/c/d"), 0o755)
	os.MkdirAll(filepath.Join(tmp, "late"), 0o755)
	for _, name := range []string{
		filepath.Join(s, "hidden.sock"), filepath.Join(s, "other.sock"), filepath.Join(tmp, "a/b/c/s.sock"), filepath.Join(home, "a/b/c/d/s.sock"), "@" + abstract,
	} {
		ln, err := net.Listen("unix", name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { ln.Close() })
	}
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	master, slave, err := openPTY(0, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tcp.Close(); udp.Close(); master.Close(); slave.Close() })
	go func() {
		for b := make([]byte, 8); ; {
			n, from, err := udp.ReadFrom(b)
			if err != nil {
				return
			}
			udp.WriteTo(b[:n], from)
		}
	}()
	cfg = Config{
		Writable: []string{w},
		Readable: []string{top},
		Home:     home,
		Hidden:   []string{h, filepath.Join(s, "hidden.sock")},
		Protect:  []string{".git/config", ".git/hooks", ".git/commondir", ".git/modules", ".git/worktrees", ".claude", ".codex", ".mcp.json"},
	}
	// The race detector waits a second at exit.
	// A process without one has its user's, on every thread; one that is made would be this thread's alone.
	ring, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_SESSION_KEYRING, false)
	if err != nil {
		t.Log("no session keyring: ", err)
	}
	env = baseEnv("GORACE=atexit_sleep_ms=0", "KEYRING="+itoa(ring), "MARK="+markFor(t), "HOME="+home, "T="+tmp, "W="+w, "O="+o, "H="+h, "S="+s, "G="+g, "N="+n, "L="+l, "ABSTRACT="+abstract, "TTY="+slave.Name(),
		"SERVER="+itoa(os.Getpid()), "TCP="+tcp.Addr().String(), "UDP="+udp.LocalAddr().String())
	return cfg, env
}

// columns of the table: how children are started.
var columns = []struct {
	name  string
	setup setup
}{
	{"namespaces", setup{mechanism: Namespaces, proc: true}},
	{"namespaces, no own /proc", setup{mechanism: Namespaces}},
	{"Landlock", setup{mechanism: Landlock}},
	{"none", setup{mechanism: None}},
}

// force puts a launcher of exactly this set-up in place.
func force(t *testing.T, l *Launcher, policy Policy, s setup) {
	t.Helper()
	in, err := launch(t.Context(), l.cfg, makePlan(l.cfg, policy, s))
	if err != nil {
		t.Fatalf("%s is not in force: %v", s.mechanism, err)
	}
	l.slots[policy].in = in
}

// TestAttacks asserts, attack by attack, what each mechanism refuses, against
// testdata/attacks.md. Run with -update to rewrite the table as root.
func TestAttacks(t *testing.T) {
	t.Parallel()
	golden := readTable(t)
	results := make([][]string, len(attacks))
	t.Run("try", func(t *testing.T) {
		for i, a := range attacks {
			results[i] = make([]string, len(columns))
			for j, col := range columns {
				t.Run(col.name+"/"+a.name, func(t *testing.T) {
					t.Parallel()
					cfg, env := arena(t)
					cfg.NoNetwork = strings.HasSuffix(a.name, "network off")
					l := New(cfg)
					defer l.Close()
					force(t, l, Confined, col.setup)
					late, err := net.Listen("unix", filepath.Join(Getenv(env, "T"), "late/s.sock"))
					if err != nil {
						t.Fatal(err)
					}
					defer late.Close()
					p := start(t, l, Cmd{Path: "/proc/self/exe", Args: []string{"hanzo-mcp", "__attack", a.name}, Dir: "/", Env: env})
					out, status := p.output(t)
					if status.Lost || status.Signal == syscall.SIGKILL {
						out = "done"
					}
					if strings.HasPrefix(a.name, outlives) && out == "done" {
						sleeps := "sleep\x00" + Getenv(env, "MARK")
						eventually(t, "a daemon", func() bool { return running(sleeps) > 0 })
						if p.Kill(0); running(sleeps) == 0 {
							out = "refused ended"
						}
					}
					results[i][j] = out
					if a.rootOnly && os.Getuid() != 0 {
						if !strings.HasPrefix(out, "refused") && col.setup.mechanism != None {
							t.Error(out)
						}
						return
					}
					if want := golden[a.name+"|"+col.name]; out != want && !*update {
						t.Errorf("got %q, want %q", out, want)
					}
				})
			}
		}
	})
	var b strings.Builder
	b.WriteString("# What a hostile child can do\n\nMade by TestAttacks as root; `go test ./sandbox/launch -run TestAttacks -update` rewrites it.\n\n| attack |")
	for _, c := range columns {
		fmt.Fprintf(&b, " %s |", c.name)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(columns)) + "\n")
	for i, a := range attacks {
		fmt.Fprintf(&b, "| %s |", a.name)
		for _, r := range results[i] {
			fmt.Fprintf(&b, " %s |", r)
		}
		b.WriteString("\n")
	}
	if *update {
		write(t, "testdata/attacks.md", b.String())
	}
	if testing.Verbose() {
		t.Log("\n" + b.String())
	}
}

func readTable(t *testing.T) map[string]string {
	out := map[string]string{}
	data, err := os.ReadFile("testdata/attacks.md")
	if err != nil && !*update {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != len(columns)+1 {
			continue
		}
		for j, c := range columns {
			out[strings.TrimSpace(cells[0])+"|"+c.name] = strings.TrimSpace(cells[j+1])
		}
	}
	return out
}
