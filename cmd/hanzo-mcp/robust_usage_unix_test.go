//go:build unix

package main

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// countGoroutines in the environment names a file into which the program of a test writes how many goroutines it has,
// at each SIGUSR1.
const countGoroutines = "HANZO_MCP_TEST_GOROUTINES"

func tellGoroutines() {
	file := os.Getenv(countGoroutines)
	if file == "" {
		return
	}
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGUSR1)
	go func() {
		for range asked {
			if os.WriteFile(file+".new", strconv.AppendInt(nil, int64(runtime.NumGoroutine()), 10), 0o600) == nil {
				_ = os.Rename(file+".new", file)
			}
		}
	}()
}

// held is what a process holds.
type held struct{ goroutines, descriptors, rss int }

// use asks a process that was started with countGoroutines=file in its environment.
func use(t *testing.T, process *os.Process, file string) (u held) {
	t.Helper()
	_ = os.Remove(file)
	if err := process.Signal(syscall.SIGUSR1); err != nil {
		t.Fatalf("the server is gone: %v", err)
	}
	waitFor(t, 20*time.Second, "the number of goroutines", func() bool {
		raw, err := os.ReadFile(file)
		if err == nil {
			u.goroutines, err = strconv.Atoi(string(raw))
		}
		return err == nil
	})
	proc := fmt.Sprintf("/proc/%d/", process.Pid)
	list, err := os.ReadDir(proc + "fd")
	if err != nil {
		t.Skipf("no /proc: %v", err)
	}
	u.descriptors = len(list)
	status, _ := os.ReadFile(proc + "status")
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			u.rss, _ = strconv.Atoi(strings.Fields(rest)[0])
		}
	}
	return u
}

// atRest waits until a process holds no more than it did before, but for what the runtime and idle connections keep.
func atRest(t *testing.T, process *os.Process, file string, before held, spare int) {
	t.Helper()
	var now held
	deadline := time.Now().Add(15 * time.Second)
	for {
		now = use(t, process, file)
		if now.goroutines <= before.goroutines+spare && now.descriptors <= before.descriptors+spare {
			return
		}
		if time.Now().After(deadline) {
			t.Errorf("held before: %+v, now: %+v", before, now)
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
}
