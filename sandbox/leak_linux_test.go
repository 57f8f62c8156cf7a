package sandbox

import (
	"os"
	"testing"
)

// TestNoDescriptorIsLeft runs every operation, on names that work and names that
// fail, alone in a process and counts what is open afterwards.
func TestNoDescriptorIsLeft(t *testing.T) {
	t.Parallel()
	cmd := helper(t, "leaks", "-test.run=^TestLeakBody$")
	cmd.Env = append(cmd.Env, "GOGC=off") // no collector closes them
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// TestLeakBody is what TestNoDescriptorIsLeft runs.
func TestLeakBody(t *testing.T) {
	if os.Getenv("SANDBOX_TEST_HELPER") != "leaks" {
		t.Skip("run by TestNoDescriptorIsLeft")
	}
	w := newWorld(t)
	names := []string{"d", "d/f", "d/no", "no/no", "abs/f", "rel/f", "out/f", "a", "d/f/x", "deep/1/2/3/f", ".git/config", "missing", "."}
	around := func() {
		for _, name := range names {
			for _, entry := range []string{"d", "deep", "abs", "rel", "out", "a", "b", "no", "got", "gone", "evil", "evildir", "mine"} {
				if err := os.RemoveAll(w.abs(entry)); err != nil {
					t.Fatal(err)
				}
			}
			w.put("d/f", "F")
			w.put("d/d/x", "")
			w.put("deep/1/2/3/f", "")
			w.put("mine", "mine")
			for _, l := range [][2]string{{w.abs("d"), "abs"}, {"d", "rel"}, {w.O, "out"}, {"b", "a"}, {"a", "b"}} {
				w.link(l[0], l[1])
			}
			for _, do := range operations {
				_, _ = do(w, w.path(name))
			}
			for _, do := range changes {
				_ = do(w, w.path(name))
			}
		}
	}
	around() // opens what stays open: the lock folder
	count := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip(err)
		}
		return len(entries)
	}
	before := count()
	for range 3 {
		around()
	}
	if after := count(); after != before {
		t.Errorf("%d descriptors became %d", before, after)
	}
}
