package main

import (
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/hanzoai/hanzo-mcp/sandbox"
)

// tempFolder is the private folder of one run: children get its `tmp` as TMPDIR. A lock tells other runs that it is
// in use; one whose server was killed is removed by the next.
type tempFolder struct {
	mu   sync.Mutex
	run  string
	lock *os.File
}

const (
	tempPrefix = "hanzo-mcp-run-"
	sweepAfter = time.Second // when the start is over
)

// tempDir is TMPDIR of children, made at first need; "" when none can be made.
func (s *server) tempDir() string {
	t := &s.temp
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.run != "" {
		return filepath.Join(t.run, "tmp")
	}
	if s.ended() {
		return "" // nobody would remove it
	}
	run, err := os.MkdirTemp("", tempPrefix)
	if err == nil {
		t.lock, err = os.OpenFile(filepath.Join(run, "lock"), os.O_CREATE|os.O_RDWR, 0o600)
	}
	if err == nil {
		_, _ = sandbox.TryLock(t.lock) // where nothing can be locked nothing is swept either
		err = os.Mkdir(filepath.Join(run, "tmp"), 0o700)
	}
	if err != nil {
		s.ui.warnf("no private temporary folder, so commands may find none: %v (TMPDIR names another place)", err)
		return ""
	}
	t.run = run
	time.AfterFunc(sweepAfter, func() { sweepTemp(run) })
	return filepath.Join(run, "tmp")
}

// sweepTemp removes the folders of runs that were killed.
func sweepTemp(ours string) {
	old, _ := filepath.Glob(filepath.Join(filepath.Dir(ours), tempPrefix+"*"))
	for _, run := range old {
		info, err := os.Lstat(run)
		if run == ours || err != nil || !info.IsDir() || ownAlone(run, info) != nil {
			continue
		}
		lock, err := os.OpenFile(filepath.Join(run, "lock"), os.O_RDWR, 0)
		if err != nil {
			continue // being made, or not ours
		}
		free, _ := sandbox.TryLock(lock)
		if free {
			_ = os.RemoveAll(run)
		}
		lock.Close()
		if free {
			_ = os.RemoveAll(run) // Windows keeps an open file
		}
	}
}

func (s *server) removeTemp() {
	t := &s.temp
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.run == "" {
		return
	}
	if err := os.RemoveAll(t.run); err != nil {
		s.ui.debugf("removing %s: %v", t.run, err)
	}
	t.lock.Close()
	t.run = ""
}
