package sandbox

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// TestAttributesAreKept: without its ACL a file would open up to its group.
func TestAttributesAreKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	name := w.put("f", "old")
	if err := unix.Setxattr(name, "user.note", []byte("kept"), 0); err != nil {
		t.Skip("no extended attributes here: ", err)
	}
	// user::rw- user:65534:rw- group::--- mask::rw- other::---
	acl := []byte{2, 0, 0, 0,
		1, 0, 6, 0, 0xff, 0xff, 0xff, 0xff,
		2, 0, 6, 0, 0xfe, 0xff, 0, 0,
		4, 0, 0, 0, 0xff, 0xff, 0xff, 0xff,
		0x10, 0, 6, 0, 0xff, 0xff, 0xff, 0xff,
		0x20, 0, 0, 0, 0xff, 0xff, 0xff, 0xff}
	aclErr := unix.Setxattr(name, aclAttr, acl, 0)
	before := mode(t, name)
	if err := w.write("f", "new"); err != nil {
		t.Fatal(err)
	}
	for attr, want := range map[string]string{"user.note": "kept", aclAttr: string(acl)} {
		if attr == aclAttr && aclErr != nil {
			t.Logf("no ACLs here: %v", aclErr)
			continue
		}
		b := make([]byte, 100)
		n, err := unix.Getxattr(name, attr, b)
		if err != nil || string(b[:n]) != want {
			t.Errorf("%s = %q, %v", attr, b[:max(n, 0)], err)
		}
	}
	if now := mode(t, name); now != before {
		t.Errorf("mode %v became %v", before, now)
	}
	if _, err := os.Stat(name); err != nil {
		t.Error(err)
	}
}
