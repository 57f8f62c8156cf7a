//go:build unix

package tree

import (
	"net"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

func TestWalkNeverOpensFIFOsAndSockets(t *testing.T) {
	t.Parallel()
	dir := plant(t, t.TempDir(), map[string]string{"sub/a": "needle", ".gitignore": "ign/\n", "ign/": ""})
	must(t, syscall.Mkfifo(filepath.Join(dir, "sub/p"), 0o644))
	must(t, syscall.Mkfifo(filepath.Join(dir, "ign/p"), 0o644))
	if l, err := net.Listen("unix", filepath.Join(dir, "s")); err == nil {
		defer l.Close()
	}
	eachWay(t, func(t *testing.T, open opener) {
		root := openRoot(t, dir)
		done := make(chan struct{})
		go func() {
			defer close(done)
			r, err := search(t.Context(), root, ".", Query{Pattern: "needle"}, open)
			if err != nil || r.Total != 1 || r.Stats.SkippedTotal != 0 {
				t.Errorf("%+v, %v", r, err)
			}
			if _, err := search(t.Context(), root, "sub/p", Query{Pattern: "needle"}, open); err == nil {
				t.Error("searched a FIFO")
			}
			// A FIFO that took a file's place after its name was read.
			d, err := open(root)
			if err != nil {
				t.Error(err)
				return
			}
			defer d.close()
			sub, err := d.openDir("sub")
			if err != nil {
				t.Error(err)
				return
			}
			defer sub.close()
			if _, err := sub.openFile("p"); err != ErrNotRegular {
				t.Errorf("opened a FIFO: %v", err)
			}
		}()
		select {
		case <-done:
		case <-time.After(2 * time.Second):
			t.Fatal("hung on a FIFO")
		}
	})
}
