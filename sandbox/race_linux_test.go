package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestSwappedUnderTheCall: W/d is a folder and a link to O by turns, by
// relative and by absolute text, while it is read, written, moved and removed.
func TestSwappedUnderTheCall(t *testing.T) {
	t.Parallel()
	span := 5 * time.Second
	if testing.Short() {
		span = time.Second / 2
	}
	w := newWorld(t)
	w.put("d/s", "IN")
	w.put(filepath.Join(w.O, "s"), "OUT")
	w.put(filepath.Join(w.O, "sub", "x"), "OUT")
	w.link("../O", "rel")
	w.link(w.O, "abs")
	before := snapshot(t, w.O)

	var stop atomic.Bool
	var swaps, reads, denied atomic.Int64
	var wg sync.WaitGroup
	wg.Go(func() {
		swap := func(a, b string) error {
			return unix.Renameat2(unix.AT_FDCWD, w.abs(a), unix.AT_FDCWD, w.abs(b), unix.RENAME_EXCHANGE)
		}
		for i := 0; !stop.Load(); i++ {
			link := []string{"rel", "abs"}[i%2]
			if err := errors.Join(swap("d", link), swap("d", link)); err != nil {
				t.Error(err)
				return
			}
			swaps.Add(2)
		}
	})
	for _, op := range []func(i int) error{
		func(int) error {
			got, err := w.read("d/s")
			if strings.Contains(got, "OUT") {
				t.Error("read outside")
			}
			return err
		},
		func(int) error { return w.write("d/new", "EVIL") },
		func(int) error { return w.write("d/a/b", "EVIL", WriteOptions{Mkdirs: true}) },
		func(int) error { return w.RemoveAll(w.path("d/sub")) },
		func(int) error { return w.Rename(w.path("d/new"), w.path("d/new2"), true) },
		func(int) error {
			fi, _, err := w.Stat(w.path("d/s"))
			if err == nil && fi.Size() != 2 {
				t.Error("described outside")
			}
			return err
		},
		func(int) error { return w.Chmod(w.path("d/s"), 0o600) },
	} {
		wg.Go(func() {
			for i := 0; !stop.Load(); i++ {
				err := op(i)
				reads.Add(1)
				if KindOf(err) == Denied {
					denied.Add(1)
				}
			}
		})
	}
	runUntil(span, func() bool { return denied.Load() >= 100 })
	stop.Store(true)
	wg.Wait()
	if after := snapshot(t, w.O); after != before {
		t.Errorf("changed outside:\n%s\nwas:\n%s", after, before)
	}
	if denied.Load() == 0 {
		t.Errorf("the link was never met: %d swaps, %d calls", swaps.Load(), reads.Load())
	}
	t.Logf("%d swaps, %d calls, %d denied", swaps.Load(), reads.Load(), denied.Load())
}

// runUntil lets a race go on for span, longer on a busy machine that has not
// met what is looked for.
func runUntil(span time.Duration, met func() bool) {
	tick := time.NewTicker(span)
	defer tick.Stop()
	for range 60 {
		<-tick.C
		if met() {
			return
		}
	}
}

// TestSwappedOntoAProtectedName: the folder d and the file x are, by turns, links
// to .git and .git/config. A child that does so must not get the server to write
// there what the child itself may not.
func TestSwappedOntoAProtectedName(t *testing.T) {
	t.Parallel()
	span := 3 * time.Second
	if testing.Short() {
		span = time.Second / 2
	}
	w := newWorld(t)
	w.put(".git/config", "safe")
	w.put(".git/hooks/x", "safe")
	w.put("d/config", "mine")
	w.put("x", "mine")
	w.link(".git", "ld")
	w.link(".git/config", "lx")
	w.link(".git/hooks/new", "lnew")
	w.put("new", "")
	before := snapshot(t, w.abs(".git"))

	var stop atomic.Bool
	var done, refused atomic.Int64
	var wg sync.WaitGroup
	for _, x := range []struct{ name, link, target string }{{"d", "ld", ".git"}, {"x", "lx", ".git/config"}, {"new", "lnew", ".git/hooks/new"}} {
		wg.Go(func() {
			name, link := w.abs(x.name), w.abs(x.link)
			for !stop.Load() {
				_ = unix.Renameat2(unix.AT_FDCWD, name, unix.AT_FDCWD, link, unix.RENAME_EXCHANGE)
				// A write may have taken the place of the link, a removal either of them.
				_, err1 := os.Readlink(name)
				_, err2 := os.Readlink(link)
				if err1 != nil && err2 != nil {
					os.Remove(link)
					_ = os.Symlink(x.target, link)
					if f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644); err == nil {
						f.Close()
					}
				}
			}
		})
	}
	open := func(name string, flag int) error {
		f, err := w.OpenFile(w.path(name), flag, 0o644)
		if err == nil {
			_, err = f.WriteString("EVIL")
			f.Close()
		}
		return err
	}
	for _, op := range []func() error{
		func() error { return w.write("d/config", "EVIL") },
		func() error { return w.write("d/hooks/sub/new", "EVIL", WriteOptions{Mkdirs: true}) },
		func() error { return w.MkdirAll(w.path("d/hooks/sub2/x"), 0o755) },
		func() error { return w.write("x", "EVIL") },
		func() error { return open("x", os.O_WRONLY|os.O_APPEND) },
		func() error { return open("x", os.O_RDWR|os.O_TRUNC) },
		func() error { return open("d/config", os.O_WRONLY|os.O_CREATE|os.O_TRUNC) },
		func() error { return open("d/hooks/x", os.O_WRONLY|os.O_CREATE|os.O_APPEND) },
		func() error { return open("new", os.O_WRONLY|os.O_CREATE|os.O_APPEND) },
		func() error { return w.Remove(w.path("new")) },
		func() error { return w.Remove(w.path("d/hooks/x")) },
		func() error { return w.Rename(w.path("d/config"), w.path("d/hooks/y"), true) },
		func() error { return w.Symlink("evil", w.path("d/config.worktree")) },
	} {
		wg.Go(func() {
			for !stop.Load() {
				switch err := op(); {
				case err == nil:
					done.Add(1)
				case KindOf(err) == Protected:
					refused.Add(1)
				}
			}
		})
	}
	runUntil(span, func() bool { return done.Load() >= 100 && refused.Load() >= 100 })
	stop.Store(true)
	wg.Wait()
	if after := snapshot(t, w.abs(".git")); after != before {
		t.Errorf("became:\n%s\nwas:\n%s", after, before)
	}
	if done.Load() == 0 || refused.Load() == 0 {
		t.Error("the swap was never met")
	}
	t.Logf("%d done, %d refused", done.Load(), refused.Load())
}

// TestSwappedUnderTheOpening: W/d, a root of its own, is a folder and a link to O by turns while the roots are opened and
// looked at again.
func TestSwappedUnderTheOpening(t *testing.T) {
	t.Parallel()
	span := 3 * time.Second
	if testing.Short() {
		span = time.Second / 2
	}
	base := landscape(t, "W/d/x", "O/x", "W/link -> /O", "W/in/x")
	dirs := under(base, "W", "W/d", "W/d/x")
	outside := map[string]os.FileInfo{}
	for _, dir := range under(base, "O", "O/x") {
		info, err := os.Stat(dir)
		if err != nil {
			t.Fatal(err)
		}
		outside[dir] = info
	}
	var stop atomic.Bool
	var wg sync.WaitGroup
	wg.Go(func() {
		a, b := base+"/W/d", base+"/W/link"
		for !stop.Load() {
			if err := unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE); err != nil {
				t.Error(err)
				return
			}
		}
	})
	opened, left := 0, 0
	for begun := time.Now(); time.Since(begun) < span || (opened == 0 || left == 0) && time.Since(begun) < 20*span; {
		r, err := Open(Config{Dirs: dirs, Partial: true, State: base + "/state"})
		if err != nil {
			t.Fatal(err)
		}
		for _, tree := range r.trees {
			for dir, info := range outside {
				if os.SameFile(tree.held, info) {
					t.Fatalf("%s was opened as %s", dir, tree.Dir)
				}
			}
		}
		opened, left = opened+len(r.trees)-1, left+len(r.Left())
		r.Moved()
		for _, tree := range r.trees {
			tree.root.Close()
		}
	}
	stop.Store(true)
	wg.Wait()
	if opened == 0 || left == 0 {
		t.Errorf("%d were opened, %d left out: nothing was swapped in time", opened, left)
	}
}
