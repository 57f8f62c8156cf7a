package sandbox

import (
	"errors"
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
	time.AfterFunc(span, func() { stop.Store(true) })
	wg.Wait()
	if after := snapshot(t, w.O); after != before {
		t.Errorf("changed outside:\n%s\nwas:\n%s", after, before)
	}
	if denied.Load() == 0 || swaps.Load() < 100 {
		t.Errorf("the link was never met: %d swaps, %d calls", swaps.Load(), reads.Load())
	}
	t.Logf("%d swaps, %d calls, %d denied", swaps.Load(), reads.Load(), denied.Load())
}
