package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
)

// slowLog is a log that nobody reads until it is let go.
type slowLog struct {
	letGo chan struct{}
	text  bytes.Buffer
}

func (l *slowLog) Write(b []byte) (int, error) {
	<-l.letGo
	return l.text.Write(b)
}

// Lines that nobody reads hold up nobody: a bounded number waits, the others are counted, and what comes once the log is
// read again stands there.
func TestOutletStuck(t *testing.T) {
	t.Parallel()
	log := &slowLog{letGo: make(chan struct{})}
	u := &console{w: log, level: warnLevel}
	const lines = 20_000
	said := make(chan struct{})
	go func() {
		for i := range lines {
			u.warnf("line %d %s", i, strings.Repeat("x", 100))
		}
		u.out.flush()
		close(said)
	}()
	if !closedWithin(said, 30*time.Second) {
		t.Fatal("a log that nobody reads holds up who writes to it")
	}
	if n := u.out.next.size; n > maxUnsaid {
		t.Errorf("%d bytes wait", n)
	}

	close(log.letGo)
	for u.out.flush(); !u.settled(); u.out.flush() {
	}
	u.warnf("afterwards")
	got := strings.Split(strings.TrimSpace(log.text.String()), "\n")
	kept := len(got) - 2
	for i := range kept {
		if !strings.HasPrefix(got[i], fmt.Sprintf("hanzo-mcp: warning: line %d ", i)) {
			t.Fatalf("line %d: %s", i, got[i])
		}
	}
	if want := fmt.Sprintf("nobody was reading this log: %d lines were dropped", lines-kept); !strings.Contains(got[kept], want) {
		t.Errorf("%q is not %q", got[kept], want)
	}
	if got[kept+1] != "hanzo-mcp: warning: afterwards" {
		t.Errorf("the last line is %q", got[kept+1])
	}
}

// settled reports whether all is written.
func (u *console) settled() bool {
	u.out.mu.Lock()
	defer u.out.mu.Unlock()
	return u.out.idle == nil
}
