package main

import (
	"bytes"
	"context"
	"os"
	"testing"
)

// What still settles when the server has ended makes no folder that nobody would remove, and warns of nothing.
func TestNothingIsMadeAfterTheEnd(t *testing.T) {
	t.Parallel()
	home, dir := t.TempDir(), t.TempDir()
	var said bytes.Buffer
	s := newServer(&console{w: &said, level: warnLevel}, options{noDoor: true, sandbox: "workspace", projectDirs: []string{dir}}, func(name string) string {
		return map[string]string{"HOME": home}[name]
	})
	pl := s.settle(s.newPeer(context.Background(), "x", func([]byte) {}), nil)
	temp := s.tempDir()
	if temp == "" || len(pl.guard.Roots.Dirs()) != 2 {
		t.Fatalf("temporary folder %q, roots %q: %s", temp, pl.guard.Roots.Dirs(), &said)
	}
	s.close()
	if _, err := os.Stat(temp); !os.IsNotExist(err) {
		t.Errorf("it is still there: %v", err)
	}
	s.newPlace([]string{dir})
	if again := s.tempDir(); again != "" {
		os.RemoveAll(again)
		t.Errorf("%s was made", again)
	}
	if said.Len() > 0 {
		t.Errorf("stderr: %s", &said)
	}
}
