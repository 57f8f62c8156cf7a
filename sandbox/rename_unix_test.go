//go:build unix

package sandbox

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

func testRenameOver(t *testing.T) {
	w := newWorld(t)
	w.put("f", "F")
	w.put("g", "G")
	w.put("d/x", "X")
	w.put("e/y", "Y")
	dir, err := os.Open(w.W)
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	fd := int(dir.Fd())
	for _, c := range [][2]string{{"f", "g"}, {"f", "d"}, {"d", "f"}, {"d", "e"}} {
		if err := renameOver(fd, c[0], fd, c[1]); err != unix.EEXIST {
			t.Errorf("%s onto %s: %v", c[0], c[1], err)
		}
	}
	for _, c := range [][2]string{{"f", "f2"}, {"d", "d2"}} {
		if err := renameOver(fd, c[0], fd, c[1]); err != nil {
			t.Errorf("%s to %s: %v", c[0], c[1], err)
		}
	}
	if got := names(t, w.W); got != "d2 e f2 g" {
		t.Errorf("now %s", got)
	}
	if w.get("f2") != "F" || w.get("d2/x") != "X" {
		t.Error("content lost")
	}
}
