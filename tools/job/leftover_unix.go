//go:build unix

package job

import (
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// orphaned is how old a folder of logs must be before it may be taken for one whose server was killed: a new one is
// not locked yet.
const orphaned = time.Minute

// hold locks the folder of the logs while the manager lives, so that others see that it is in use. The lock ends with
// the process, however that ends.
func hold(dir string) *os.File {
	f, err := os.Open(dir)
	if err != nil {
		return nil
	}
	if unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) != nil {
		f.Close()
		return nil
	}
	return f
}

// sweep removes the folders beside own whose servers were killed. Those of other users, links, and what is in use
// stay.
func sweep(own string) {
	list, _ := filepath.Glob(filepath.Join(filepath.Dir(own), logFolder+"*"))
	for _, dir := range list[:min(len(list), 1000)] {
		fi, err := os.Lstat(dir)
		if err != nil || dir == own || fi.Mode() != os.ModeDir|0o700 || time.Since(fi.ModTime()) < orphaned {
			continue
		}
		if st, ok := fi.Sys().(*syscall.Stat_t); !ok || int(st.Uid) != os.Geteuid() {
			continue
		}
		if f := hold(dir); f != nil {
			if held, err := f.Stat(); err == nil && os.SameFile(held, fi) {
				os.RemoveAll(dir)
			}
			f.Close()
		}
	}
}
