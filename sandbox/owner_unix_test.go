//go:build unix

package sandbox

import (
	"os"
	"syscall"
	"testing"
)

func ownerOf(t *testing.T, name string) (uid, gid int) {
	t.Helper()
	fi, err := os.Lstat(name)
	if err != nil {
		t.Fatal(err)
	}
	st := fi.Sys().(*syscall.Stat_t)
	return int(st.Uid), int(st.Gid)
}
