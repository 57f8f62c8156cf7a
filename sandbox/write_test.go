package sandbox

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"time"
)

func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var s []string
	for _, e := range entries {
		s = append(s, e.Name())
	}
	return strings.Join(s, " ")
}

func mode(t *testing.T, name string) fs.FileMode {
	t.Helper()
	fi, err := os.Lstat(name)
	if err != nil {
		t.Fatal(err)
	}
	return fi.Mode()
}

// TestModesAreKept: scripts keep their execute bit, secrets stay secret, new
// files get what the umask leaves, setuid is dropped.
func TestModesAreKept(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no mode bits on Windows")
	}
	w := newWorld(t)
	// What the umask leaves is learned from the system: it is the process's.
	f, err := os.OpenFile(filepath.Join(w.O, "probe"), os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	fresh := mode(t, filepath.Join(w.O, "probe"))
	if err := w.write("new", "x"); err != nil || mode(t, w.abs("new")) != fresh {
		t.Errorf("new file: %v, mode %v, want %v", err, mode(t, w.abs("new")), fresh)
	}
	if err := w.write("new0600", "x", WriteOptions{Mode: 0o600}); err != nil || mode(t, w.abs("new0600")) != 0o600 {
		t.Errorf("new 0600 file: %v, mode %v", err, mode(t, w.abs("new0600")))
	}
	for _, m := range []fs.FileMode{0o755, 0o640, 0o600, 0o664, 0o200, 0o755 | fs.ModeSetuid, 0o775 | fs.ModeSetgid} {
		name := w.put("f", "old")
		if err := os.Chmod(name, m); err != nil {
			t.Fatal(err)
		}
		if err := w.write("f", "new", WriteOptions{Mode: 0o666}); err != nil {
			t.Errorf("%v: %v", m, err)
			continue
		}
		if got := mode(t, name); got != m.Perm() {
			t.Errorf("mode %v became %v, want %v", m, got, m.Perm())
		}
		if err := os.Remove(name); err != nil {
			t.Fatal(err)
		}
	}
	if got := names(t, w.W); got != "new new0600" {
		t.Errorf("left behind: %s", got)
	}
}

func TestReadOnlyFileIsRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	name := w.put("f", "old")
	if err := os.Chmod(name, 0o444); err != nil {
		t.Fatal(err)
	}
	wantKind(t, "0444", w.write("f", "new"), ReadOnly)
	if w.get("f") != "old" || names(t, w.W) != "f" {
		t.Errorf("%q, %s", w.get("f"), names(t, w.W))
	}
}

// TestFailedWriteLeavesNothing: a folder that may not be written (or, for root,
// other causes), a failing source, a cancelled call, a refusing check.
func TestFailedWriteLeavesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("d/f", "old")
	w.put("dir/x", "")
	before := snapshot(t, w.W)
	if os.Geteuid() != 0 && runtime.GOOS != "windows" {
		if err := os.Chmod(w.abs("d"), 0o555); err != nil {
			t.Fatal(err)
		}
		wantKind(t, "folder 0555", w.write("d/f", "new"), Permission)
		wantKind(t, "new in folder 0555", w.write("d/g", "new"), Permission)
		if err := os.Chmod(w.abs("d"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	wantKind(t, "a folder", w.write("dir", "x"), NotRegular)
	wantKind(t, "the root", w.write(".", "x"), NotRegular)
	wantKind(t, "below a file", w.write("d/f/x", "x"), NotDir)
	wantKind(t, "below a file, making folders", w.write("d/f/x/y", "x", WriteOptions{Mkdirs: true}), NotDir)
	wantKind(t, "no folder", w.write("no/x", "x"), NotFound)
	boom := errors.New("boom")
	_, err := w.WriteAtomic(t.Context(), w.path("d/f"), io.MultiReader(strings.NewReader("half"), iotest.ErrReader(boom)), WriteOptions{})
	if !errors.Is(err, boom) {
		t.Errorf("failing source: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = w.WriteAtomic(ctx, w.path("d/f"), strings.NewReader("new"), WriteOptions{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	_, err = w.WriteAtomic(t.Context(), w.path("d/f"), strings.NewReader("new"), WriteOptions{Check: func(old *os.File) error {
		b, err := io.ReadAll(old)
		if string(b) != "old" || err != nil {
			t.Errorf("check saw %q, %v", b, err)
		}
		return boom
	}})
	if err != boom {
		t.Errorf("check: %v", err)
	}
	if after := snapshot(t, w.W); after != before {
		t.Errorf("became:\n%s\nwas:\n%s", after, before)
	}
}

// TestLinksAreWrittenThrough: a link stays a link, its file keeps its mode.
func TestLinksAreWrittenThrough(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	file := w.put("sub/real.md", "old")
	if err := os.Chmod(file, 0o640); err != nil {
		t.Fatal(err)
	}
	w.link("sub/real.md", "rel")
	w.link(file, "abs")
	w.link("rel", "twice")
	w.link(w.abs("sub"), "dir")
	w.link("../sub/dangling", "sub/dang")
	w.link(w.abs("sub/dangling2"), "dang2")
	for i, name := range []string{"rel", "abs", "twice", "dir/real.md"} {
		want := strings.Repeat("n", i+1)
		if err := w.write(name, want); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if w.get("sub/real.md") != want || runtime.GOOS != "windows" && mode(t, file) != 0o640 {
			t.Errorf("%s: %q, %v", name, w.get("sub/real.md"), mode(t, file))
		}
	}
	for _, name := range []string{"sub/dang", "dang2"} {
		if err := w.write(name, "made"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if w.get("sub/dangling") != "made" || w.get("sub/dangling2") != "made" {
		t.Error("a dangling link's target was not made")
	}
	for _, name := range []string{"rel", "abs", "twice", "dir", "sub/dang", "dang2"} {
		if mode(t, w.abs(name))&fs.ModeSymlink == 0 {
			t.Errorf("%s is no link any more", name)
		}
	}
}

// TestExclusiveReplacesNothing: existing files, folders, links and dangling
// links are all taken names.
func TestExclusiveReplacesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.put("f", "old")
	w.put("d/x", "")
	w.link("f", "l")
	w.link("nowhere", "dangling")
	before := snapshot(t, w.W)
	for _, name := range []string{"f", "d", "l", "dangling", "./d/../f"} {
		wantKind(t, name, w.write(name, "new", WriteOptions{Exclusive: true}), Exists)
	}
	if after := snapshot(t, w.W); after != before {
		t.Errorf("became:\n%s\nwas:\n%s", after, before)
	}
	if err := w.write("a/b/c", "new", WriteOptions{Exclusive: true, Mkdirs: true}); err != nil || w.get("a/b/c") != "new" {
		t.Errorf("new: %v", err)
	}
	if got := names(t, w.abs("a/b")); got != "c" {
		t.Errorf("left behind: %s", got)
	}
}

// TestExclusiveHasOneWinner, however close the race.
func TestExclusiveHasOneWinner(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for round := range 20 {
		p := w.path("f" + string(rune('a'+round)))
		var won atomic.Int32
		done := make(chan error)
		for i := range 8 {
			go func() {
				_, err := w.WriteAtomic(context.Background(), p, strings.NewReader(strings.Repeat("x", i)), WriteOptions{Exclusive: true})
				if err == nil {
					won.Add(1)
				} else if KindOf(err) == Exists {
					err = nil
				}
				done <- err
			}()
		}
		for range 8 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		if n := won.Load(); n != 1 {
			t.Fatalf("%d winners", n)
		}
	}
}

// TestFileThatAppearsMeanwhileIsKept also without Exclusive.
func TestFileThatAppearsMeanwhileIsKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	err := w.write("f", "ours", WriteOptions{Check: func(old *os.File) error {
		if old != nil {
			t.Error("there was no file")
		}
		w.put("f", "theirs")
		return nil
	}})
	wantKind(t, "appeared", err, Exists)
	if w.get("f") != "theirs" || names(t, w.W) != "f" {
		t.Errorf("%q, %s", w.get("f"), names(t, w.W))
	}
}

func TestWrittenTells(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.link("f", "l")
	for i, created := range []bool{true, false} {
		got, err := w.WriteAtomic(t.Context(), w.path("l"), strings.NewReader("12345"), WriteOptions{})
		if err != nil || got.Created != created || got.Size != 5 || got.Path.String() != "f" {
			t.Errorf("%d: %+v, %v", i, got, err)
		}
	}
}

// helperOverwrite writes B over a file of As. It says < when so many bytes of it have been read, and waits there if it is
// to hold; it says > when the write has ended.
func helperOverwrite(args []string) error {
	r, err := Open(Config{Dirs: args[:1]})
	if err != nil {
		return err
	}
	p, err := r.Resolve("f")
	if err != nil {
		return err
	}
	part, err := strconv.Atoi(args[1])
	if err != nil {
		return err
	}
	said := readerFunc(func([]byte) (int, error) {
		_, err := os.Stdout.WriteString("<")
		if err == nil && args[2] == "true" {
			select {}
		}
		return 0, cmp.Or(err, io.EOF)
	})
	data := bytes.Repeat([]byte("B"), killSize)
	if _, err := r.WriteAtomic(context.Background(), p, io.MultiReader(bytes.NewReader(data[:part]), said, bytes.NewReader(data[part:])), WriteOptions{}); err != nil {
		return err
	}
	_, err = os.Stdout.WriteString(">")
	return err
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

const killSize = 8 << 20

// TestKilledWriterLeavesOldOrNew kills a process in the middle of writing: held at some byte, where the file must be the
// old one, and at any moment after it, where it may be the new one too.
func TestKilledWriterLeavesOldOrNew(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("writes a few hundred megabytes")
	}
	w := newWorld(t)
	kill := func(part int, hold bool, after time.Duration) {
		t.Helper()
		name := w.put("f", strings.Repeat("A", killSize))
		cmd := helper(t, "overwrite", w.W, strconv.Itoa(part), strconv.FormatBool(hold))
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(out, make([]byte, 1)); err != nil {
			t.Fatalf("the writer did not start: %v", err)
		}
		time.Sleep(after)
		// It may have ended by itself.
		if err := cmd.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Fatal(err)
		}
		said, err := io.ReadAll(out)
		if err != nil {
			t.Fatal(err)
		}
		_ = cmd.Wait()
		want := "AB"
		switch {
		case hold:
			want = "A"
		case string(said) == ">":
			want = "B"
		}
		b, err := os.ReadFile(name)
		if err != nil || len(b) != killSize || !strings.Contains(want, string(b[:1])) || !bytes.Equal(b, bytes.Repeat(b[:1], killSize)) {
			t.Fatalf("killed at %d (held %t, %s later, said %q): neither old nor new: %d bytes, %v", part, hold, after, said, len(b), err)
		}
		entries, _ := filepath.Glob(w.W + "/.hanzo-mcp-*.tmp")
		for _, e := range entries {
			os.Remove(e)
		}
	}
	for _, part := range []int{0, 1, killSize / 2, killSize - 1, killSize} {
		kill(part, true, 0)
	}
	for range 20 {
		kill(killSize, false, rand.N(20*time.Millisecond))
	}
}

// helperFill runs on a file system of 1 MiB: 2 MiB over a file of 600 KiB.
func helperFill(args []string) error {
	dir := args[0]
	old := bytes.Repeat([]byte("o"), 600<<10)
	if err := os.WriteFile(dir+"/f", old, 0o644); err != nil {
		return err
	}
	r, err := Open(Config{Dirs: []string{dir}})
	if err != nil {
		return err
	}
	for _, name := range []string{"f", "new"} {
		p, err := r.Resolve(name)
		if err != nil {
			return err
		}
		_, err = r.WriteAtomic(context.Background(), p, bytes.NewReader(make([]byte, 2<<20)), WriteOptions{})
		if KindOf(err) != NoSpace || !strings.Contains(err.Error(), "no space left") {
			return errors.New("not told of the full disk: " + Printable(err.Error()))
		}
	}
	b, err := os.ReadFile(dir + "/f")
	if err != nil || !bytes.Equal(b, old) {
		return errors.New("the old file is damaged")
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		return errors.New("something was left behind")
	}
	return nil
}

func TestFullDiskKeepsTheOldFile(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("needs a small tmpfs in a user namespace")
	}
	unshare, err := exec.LookPath("unshare")
	if err != nil {
		t.Skip("unshare is missing")
	}
	if out, err := exec.Command(unshare, "-Urm", "true").CombinedOutput(); err != nil {
		t.Skipf("no user namespaces: %v: %s", err, out)
	}
	dir := t.TempDir()
	h := helper(t, "fill", dir)
	cmd := exec.Command(unshare, append([]string{"-Urm", "sh", "-c", `mount -t tmpfs -o size=1m none "$2" && exec "$1" "$2"`, "sh"}, h.Args...)...)
	cmd.Env = h.Env
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

func TestOwnerIsKept(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can give files away")
	}
	w := newWorld(t)
	name := w.put("f", "old")
	if err := os.Chown(name, 65534, 65534); err != nil {
		t.Skip(err)
	}
	if err := os.Chmod(name, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := w.write("f", "new"); err != nil {
		t.Fatal(err)
	}
	if uid, gid := ownerOf(t, name); uid != 65534 || gid != 65534 || mode(t, name) != 0o640 {
		t.Errorf("owner %d:%d, mode %v", uid, gid, mode(t, name))
	}
}
