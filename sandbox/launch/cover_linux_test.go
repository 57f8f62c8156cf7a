package launch

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A root that was deleted and made again is the new one for the next child.
func TestARootMadeAgainIsWritable(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	w := filepath.Join(top, "w")
	os.Mkdir(w, 0o755)
	eachMechanism(t, Config{}, func(t *testing.T, l *Launcher) {
		w := filepath.Join(w, string(l.cfg.Mechanism[:4]))
		os.Mkdir(w, 0o755)
		l.Reconfigure(Config{Writable: []string{w}, Mechanism: l.cfg.Mechanism})
		mustRun(t, l, w, "echo a >f")
		os.RemoveAll(w)
		mustRun(t, l, "/", "true")
		os.Mkdir(w, 0o755)
		mustRun(t, l, w, "echo b >f")
		if _, err := os.Stat(filepath.Join(w, "f")); err != nil {
			t.Error(err)
		}
	})
}

// What the user's own git config replaces is protected again: a mount goes with
// the file it was on.
func TestAReplacedConfigIsProtectedAgain(t *testing.T) {
	t.Parallel()
	w := t.TempDir()
	gitRepo(t, w)
	l := newLauncher(t, Config{Writable: []string{w}, Protect: []string{".git/config", ".git/commondir"}, Mechanism: Namespaces})
	evil := "echo '[core]fsmonitor=evil' >>.git/config"
	if _, s := run(t, l, w, evil); s.Success() {
		t.Fatal("not protected at all")
	}
	cmd := exec.Command("git", "config", "remote.x.url", "y")
	cmd.Dir = w
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v %s", err, out)
	}
	if _, s := run(t, l, w, evil); s.Success() {
		t.Error("the replaced file is writable")
	}
	// A placeholder that another launcher took away is put back.
	os.Remove(filepath.Join(w, ".git/commondir"))
	if _, s := run(t, l, w, "echo /evil >.git/commondir"); s.Success() {
		t.Error("planted in place of a placeholder")
	}
}

// Placeholders go with a launcher that is killed, too, and those of two launchers
// for one repository do not get in each other's way.
func TestCommondirIsHeldByTwo(t *testing.T) {
	t.Parallel()
	w := t.TempDir()
	gitRepo(t, w)
	place := filepath.Join(w, ".git/commondir")
	cfg := Config{Writable: []string{w}, Protect: []string{".git/commondir"}, Mechanism: Namespaces}
	a, b := newLauncher(t, cfg), newLauncher(t, cfg)
	mustRun(t, a, w, "git status --short")
	mustRun(t, b, w, "git status --short")
	a.Close()
	if _, s := run(t, b, w, "echo /evil >.git/commondir"); s.Success() {
		t.Error("planted after the first launcher's end")
	}
	in := b.slots[Confined].in
	in.cmd.Process.Kill()
	<-in.gone
	if data, err := os.ReadFile(place); err == nil {
		t.Errorf("left behind: %q", data)
	}
}

// A repository that a child adds to the index is told: the user's git status
// would run what its config says. So is a work tree with another common folder.
func TestPlantedRepositoriesAreTold(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"2", "3", "4"} {
		t.Run("index version "+version, func(t *testing.T) {
			t.Parallel()
			w := t.TempDir()
			gitRepo(t, w)
			l := newLauncher(t, Config{Writable: []string{w}, Mechanism: Namespaces})
			mustRun(t, l, w, "git update-index --index-version "+version+"; mkdir -p a/b; touch a/b/c a/b/d; git add -N a/b/d; git add a; git init -q evil; git -C evil -c user.name=a -c user.email=a@b commit -q --allow-empty -m e")
			if got := l.Planted(); len(got) != 0 {
				t.Errorf("told too early: %v", got)
			}
			mustRun(t, l, w, "git add evil 2>&1; git worktree add -q wt; git status --short")
			want := filepath.Join(w, "evil/.git")
			if got := l.Planted(); len(got) != 1 || got[0] != want {
				t.Errorf("told %v, want %s", got, want)
			}
			mustRun(t, l, w, "echo ../../../evil >.git/worktrees/wt/commondir")
			if got := l.Planted(); len(got) != 2 {
				t.Errorf("told %v, want the commondir too", got)
			}
		})
	}
}

// Sockets elsewhere are covered where they are and, from the next look on, where
// they come to be.
func TestLateSocketsInTheHomeFolder(t *testing.T) {
	t.Parallel()
	need(t, "python3")
	home, w := t.TempDir(), t.TempDir()
	l := newLauncher(t, Config{Writable: []string{w}, Home: home, Mechanism: Namespaces})
	connect := "python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect(\"" + home + "/a/s\")'"
	write(t, filepath.Join(home, "a/f"), "seen\n")
	mustRun(t, l, w, "grep seen "+home+"/a/f")
	ln, err := net.Listen("unix", filepath.Join(home, "a/s"))
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	l.slots[Confined].in.lastLook = time.Time{}
	if out, s := run(t, l, w, connect); s.Success() || !strings.Contains(out, "Error") {
		t.Errorf("connected: %s %s", s, out)
	}
	// The project's own work, within one child and between two.
	server := shell(t, l, w, `python3 -c 'import socket; s=socket.socket(socket.AF_UNIX); s.bind("s"); s.listen(); print("up",flush=True); s.accept()'`)
	server.line(t)
	mustRun(t, l, w, `python3 -c 'import socket; socket.socket(socket.AF_UNIX).connect("s")'`)
}

// In /tmp children find what is theirs, by every name it has, and nothing else.
func TestPrivateTmp(t *testing.T) {
	t.Parallel()
	need(t, "python3")
	top, err := os.MkdirTemp("/tmp", "x")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(top) })
	neighbour, err := os.MkdirTemp("/tmp", "x")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(neighbour) })
	for _, dir := range []string{"real", "other", "read", "tmp"} {
		write(t, filepath.Join(top, dir, "f"), dir)
	}
	os.Symlink("real", filepath.Join(top, "link"))
	l := newLauncher(t, Config{Writable: []string{filepath.Join(top, "link")}, Readable: []string{filepath.Join(top, "read")}, TempDir: filepath.Join(top, "tmp"), Mechanism: Namespaces})
	env := []string{"TMPDIR=" + filepath.Join(top, "tmp")}
	out := mustRun(t, l, filepath.Join(top, "link"), `cat f ../real/f ../read/f; echo; ls /tmp | grep -c `+filepath.Base(neighbour)+`; ls "`+top+`" | tr '\n' ' '; mktemp >/dev/null && python3 -c 'import tempfile; tempfile.mkdtemp()' && echo temp`, env...)
	if out != "realrealread\n0\nlink read real tmp temp\n" {
		t.Errorf("%q", out)
	}
	for _, script := range []string{"cat " + top + "/other/f", "touch /tmp/x", "touch /var/tmp/x", "touch /run/x", "touch " + top + "/read/x", "touch " + top + "/x", "mv " + top + " /tmp/y"} {
		if out, s := run(t, l, "/", script); s.Success() {
			t.Errorf("%s: allowed %s", script, out)
		}
	}
}

// By every way out of its parents' sight a daemon is found by Kill.
func TestKillFindsDaemonsWithoutEnvironment(t *testing.T) {
	t.Parallel()
	need(t, "setsid", "python3")
	eachMechanism(t, Config{}, func(t *testing.T, l *Launcher) {
		mark := markFor(t)
		for name, script := range map[string]string{
			"setsid env -i": "setsid env -i sleep " + mark + " >/dev/null 2>&1 & sleep .05",
			"double fork":   `python3 -c 'import os; os.fork() and os._exit(0); os.setsid(); os.fork() and os._exit(0); os.execve("/bin/sleep", ["sleep", "` + mark + `"], {})' >/dev/null 2>&1`,
		} {
			other := shell(t, l, "/", "(setsid env -i sleep 1"+mark+" >/dev/null 2>&1 &) ; echo up")
			other.line(t)
			other.Wait()
			eventually(t, "the other's daemon", func() bool { return running("sleep\x001"+mark) > 0 })
			p := shell(t, l, "/", script)
			p.Wait()
			eventually(t, "the daemon", func() bool { return running("sleep\x00"+mark) > 0 })
			p.Kill(0)
			if n := running("sleep\x00" + mark); n != 0 {
				t.Errorf("%s: %d run after Kill", name, n)
			}
			if running("sleep\x001"+mark) == 0 {
				t.Errorf("%s: Kill ended another command's daemon", name)
			}
			other.Kill(0)
			if running("sleep\x001"+mark) != 0 {
				t.Errorf("%s: its own Kill did not end it", name)
			}
		}
		p := shell(t, l, "/", "(setsid env -i sleep 2"+mark+" >/dev/null 2>&1 &) ; echo up; sleep 600")
		p.line(t)
		eventually(t, "the last daemon", func() bool { return running("sleep\x002"+mark) > 0 })
		syscall.Kill(l.slots[Confined].in.cmd.Process.Pid, syscall.SIGKILL)
		eventually(t, "its end with the killed launcher", func() bool { return running("sleep\x002"+mark) == 0 })
	})
}
