//go:build unix

package sandbox

import (
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestSpecialFilesNeverBlock: a pipe without a writer, a socket, a folder, a
// device, as the file itself and as a folder on the way.
func TestSpecialFilesNeverBlock(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	if err := unix.Mkfifo(w.abs("pipe"), 0o600); err != nil {
		t.Skip("no named pipes here: ", err)
	}
	w.link("pipe", "to-pipe")
	w.link(w.abs("pipe"), "abs-pipe")
	w.put("dir/x", "")
	special := []string{"pipe", "to-pipe", "abs-pipe", "dir", "."}
	if len(w.abs("sock")) < 100 {
		l, err := net.Listen("unix", w.abs("sock"))
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		special = append(special, "sock")
	}
	if makeDevice(w.abs("null")) {
		special = append(special, "null")
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, name := range special {
			_, err := w.read(name)
			wantKind(t, "read "+name, err, NotRegular)
			wantKind(t, "write "+name, w.write(name, "x"), NotRegular)
			for _, flag := range []int{os.O_RDONLY, os.O_WRONLY, os.O_RDWR, os.O_WRONLY | os.O_APPEND | os.O_CREATE, os.O_WRONLY | os.O_TRUNC} {
				_, err := w.OpenFile(w.path(name), flag, 0o644)
				wantKind(t, "open "+name, err, NotRegular)
			}
			if _, _, err := w.Stat(w.path(name)); err != nil {
				t.Errorf("stat %s: %v", name, err)
			}
			if name == "dir" || name == "." {
				continue
			}
			_, err = w.OpenDir(w.path(name))
			wantKind(t, "list "+name, err, NotDir)
			_, err = w.read(name + "/x")
			wantKind(t, "read below "+name, err, NotDir)
			wantKind(t, "write below "+name, w.write(name+"/x", "x"), NotDir)
			wantKind(t, "write below "+name, w.write(name+"/y/x", "x", WriteOptions{Mkdirs: true}), NotDir)
			wantKind(t, "exclusive below "+name, w.write(name+"/x", "x", WriteOptions{Exclusive: true}), NotDir)
			wantKind(t, "mkdir below "+name, w.MkdirAll(w.path(name+"/x/y"), 0o755), NotDir)
			wantKind(t, "rename below "+name, w.Rename(w.path("dir/x"), w.path(name+"/x"), false), NotDir)
			if got := w.Near(w.path(name + "/x")); got != nil {
				t.Errorf("near %v", got)
			}
		}
		// As the root itself, by the front door.
		if _, err := Open(Config{Dirs: []string{w.abs("pipe")}}); err == nil {
			t.Error("a pipe was taken as a root")
		}
	}()
	limit := time.NewTimer(10 * time.Second)
	defer limit.Stop()
	select {
	case <-done:
	case <-limit.C:
		t.Fatal("an operation waits for the pipe")
	}
	for _, name := range []string{"pipe", "dir"} {
		if _, err := os.Lstat(filepath.Join(w.W, name)); err != nil {
			t.Error(err)
		}
	}
}

// TestUnreadableIsTheSystemsWord, not the sandbox's.
func TestUnreadableIsTheSystemsWord(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root reads everything")
	}
	w := newWorld(t)
	if err := os.Chmod(w.put("f", "x"), 0); err != nil {
		t.Fatal(err)
	}
	_, err := w.read("f")
	wantKind(t, "mode 0", err, Permission)
	if err := os.Chmod(w.put("mine", "x"), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestOffGoesThroughUnreadableFolders: those with mode 0711 or so, where os.Root
// from the top cannot.
func TestOffGoesThroughUnreadableFolders(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root reads every folder")
	}
	w := newWorld(t, func(c *Config) { c.Mode = Off })
	w.put(filepath.Join(w.O, "x", "y", "f"), "F")
	w.link(w.O+"/x/y", "l")
	if err := os.Chmod(w.O+"/x", 0o300); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(w.O+"/x", 0o700)
	for _, name := range []string{w.O + "/x/y/f", "../O/x/y/f", "l/f"} {
		if got, err := w.read(name); got != "F" || err != nil {
			t.Errorf("%s = %q, %v", name, got, err)
		}
		if err := w.write(name, "F"); err != nil {
			t.Errorf("write %s: %v", name, err)
		}
	}
	wantKind(t, "home", w.RemoveAll(w.path(w.O)), Denied)
}
