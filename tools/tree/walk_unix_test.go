//go:build unix

package tree

import (
	"net"
	"os"
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
		case <-time.After(20 * time.Second):
			t.Fatal("hung on a FIFO")
		}
	})
}

// A folder that is swapped with a link to the outside while it is searched must
// never show the outside.
func TestSearchSwappedFolderStaysInside(t *testing.T) {
	t.Parallel()
	outside := plant(t, t.TempDir(), map[string]string{"s": "OUT\n", "sub/s": "OUT\n"})
	eachWay(t, func(t *testing.T, open opener) {
		dir := plant(t, t.TempDir(), map[string]string{"d/s": "IN\n", "d/sub/s": "IN\n"})
		link(t, outside, filepath.Join(dir, "link"))
		root := openRoot(t, dir)
		stop, stopped := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(stopped)
			names := []string{"d", "link", "spare"}
			for {
				select {
				case <-stop:
					return
				default:
				}
				for i := range names {
					os.Rename(filepath.Join(dir, names[i]), filepath.Join(dir, names[(i+2)%3]))
				}
			}
		}()
		found := 0
		for i := range 600 {
			start := []string{".", "d"}[i%2]
			r, err := search(t.Context(), root, start, Query{Pattern: "IN|OUT"}, open)
			if err != nil {
				continue
			}
			for _, h := range r.Hits {
				if found++; h.Text != "IN" {
					t.Errorf("%s: %s", h.Path, h.Text)
				}
			}
		}
		close(stop)
		<-stopped
		if found == 0 {
			t.Error("never found anything")
		}
	})
}
