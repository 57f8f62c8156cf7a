package fs

import (
	"os"
	"strconv"
	"syscall"
	"testing"
)

// Nothing stays open, whether a call succeeds or not. It runs before the parallel tests.
func TestNoDescriptorIsLost(t *testing.T) {
	w := newWorld(t)
	round := func() {
		w.put("a", "one\ntwo\n")
		w.put("d/b", "x\n")
		for _, c := range []struct {
			action string
			args   args
		}{
			{"read", args{"path": "a"}}, {"read", args{"path": "d"}}, {"read", args{"paths": []string{"a", "none"}}}, {"stat", args{"path": "a", "hash": true}}, {"list", nil}, {"list", args{"path": "a"}},
			{"find", args{"pattern": "*"}}, {"search_text", args{"query": "o"}}, {"search_text", args{"query": "o", "path": "a"}}, {"write", args{"path": "a", "content": "x"}},
			{"write", args{"path": "a", "content": "one\n", "overwrite": true}}, {"apply_patch", args{"path": "a", "old_text": "one", "new_text": "1"}}, {"apply_patch", args{"path": "a", "old_text": "none", "new_text": "1"}},
			{"patch", args{"patch": "*** Begin Patch\n*** Update File: a\n@@\n-1\n+2\n*** Add File: d/b\n+x\n*** End Patch"}}, {"cp", args{"path": "d", "destination": "e"}}, {"mv", args{"path": "e", "destination": "g"}},
			{"patch", args{"patch": "*** Begin Patch\n*** Update File: a\n@@\n-1\n+2\n*** Add File: d/c\n+x\n*** Delete File: d/c\n*** End Patch"}}, {"rm", args{"path": "g", "recursive": true, "confirm": true}},
		} {
			w.call(c.action, c.args)
		}
	}
	count := func() int {
		list, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip(err)
		}
		return len(list)
	}
	round()
	before := count()
	for range 20 {
		round()
	}
	if after := count(); after > before+3 {
		t.Errorf("%d descriptors before, %d after", before, after)
	}
}

// mountSmall makes a file system of a size, which takes root.
func mountSmall(t *testing.T, dir string, size int) error {
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+strconv.Itoa(size)); err != nil {
		return err
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return nil
}
