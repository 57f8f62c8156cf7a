package exec

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
)

// descriptors counts the open files of this process.
func descriptors(t testing.TB) int {
	names, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("needs /proc")
	}
	return len(names)
}

// zombies lists the ended, unreaped processes below this one and its launcher.
func zombies(t testing.TB) (found []string) {
	procs, _ := filepath.Glob("/proc/[0-9]*/stat")
	parents := map[string]string{}
	dead := map[string]string{}
	for _, p := range procs {
		b, err := os.ReadFile(p)
		if err != nil {
			continue
		}
		pid := strings.Split(p, "/")[2]
		rest := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
		parents[pid] = rest[1]
		if rest[0] == "Z" {
			dead[pid] = string(b)
		}
	}
	me := fmt.Sprint(os.Getpid())
	for pid, stat := range dead {
		for p := pid; p != "" && p != "0"; p = parents[p] {
			if p == me {
				found = append(found, stat)
			}
		}
	}
	return found
}

// memory is a value of /proc/self/status in MiB.
func memory(t testing.TB, key string) int {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip("needs /proc")
	}
	kib := 0
	for line := range strings.Lines(string(b)) {
		if after, ok := strings.CutPrefix(line, key+":"); ok {
			fmt.Sscan(after, &kib)
		}
	}
	return kib >> 10
}

// resetPeak makes VmHWM start again.
func resetPeak(t testing.TB) {
	runtime.GC()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		t.Skip("needs /proc/self/clear_refs")
	}
}

// TestNothingIsLeftBehind is not parallel: it counts what the whole process has.
func TestNothingIsLeftBehind(t *testing.T) {
	r := newRig(t, rigConfig{})
	r.run("true") // the launcher starts
	fds, routines := descriptors(t), runtime.NumGoroutine()
	each := func(n, workers int, f func(i int)) {
		var wg sync.WaitGroup
		next := make(chan int)
		for range workers {
			wg.Go(func() {
				for i := range next {
					f(i)
				}
			})
		}
		for i := range n {
			next <- i
		}
		close(next)
		wg.Wait()
	}
	scale := 1
	if testing.Short() {
		scale = 10
	}
	each(1000/scale, 8, func(i int) {
		if rep := r.run(fmt.Sprint("echo ", i)); rep.Text != fmt.Sprintln(i) {
			t.Errorf("%d: %q %s", i, rep.Text, rep.msg)
		}
	})
	each(200/scale, 8, func(i int) {
		rep := r.call(m{"command": fmt.Sprint("sleep 0.05; exit ", i%50), "background": true})
		if rep = r.call(m{"action": "wait", "proc_id": rep.data.ProcID, "timeout": "20s"}); rep.exit() != i%50 {
			t.Errorf("%d: %+v %s", i, rep.data, rep.msg)
		}
	})
	each(200/scale, 16, func(i int) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Duration(i%20)*5*time.Millisecond)
		defer cancel()
		r.callCtx(ctx, m{"command": "sleep 470.5 & sleep 470.5"})
	})
	each(100/scale, 16, func(i int) {
		if rep := r.call(m{"command": "sleep 471.5 & sleep 471.5", "timeout": fmt.Sprint(10+i, "ms")}); rep.data.Status != "timed_out" {
			t.Errorf("%d: %+v %s", i, rep.data, rep.msg)
		}
	})
	gone(t, "470.5", time.Second)
	gone(t, "471.5", time.Second)
	deadline := time.Now().Add(20 * time.Second)
	for descriptors(t) > fds+3 || runtime.NumGoroutine() > routines+3 || len(zombies(t)) > 0 {
		if time.Now().After(deadline) {
			buf := make([]byte, 1<<16)
			t.Fatalf("descriptors %d → %d, goroutines %d → %d, zombies %v\n%s", fds, descriptors(t), routines, runtime.NumGoroutine(), zombies(t), buf[:runtime.Stack(buf, true)])
		}
		<-time.After(20 * time.Millisecond)
	}
}

func TestFloodIsBoundedInMemory(t *testing.T) {
	r := newRig(t, rigConfig{})
	r.run("true")
	for _, tc := range []struct {
		name, line, timeout string
		least               int64
	}{
		{"yes", "yes", "6s", 100 << 20},
		{"one line of 1 GiB", "head -c 1073741824 /dev/zero | tr '\\0' x", "60s", 1 << 30},
	} {
		t.Run(tc.name, func(t *testing.T) {
			resetPeak(t)
			rep := r.call(m{"command": tc.line, "timeout": tc.timeout})
			if rep.data.Bytes < tc.least || !rep.data.Truncated || len(rep.Text) > 40_000 {
				t.Errorf("%+v, %d characters, %s", rep.data, len(rep.Text), rep.msg)
			}
			if fi, err := os.Stat(rep.data.LogFile); err != nil || fi.Size() > 100<<20 {
				t.Errorf("log file: %v %v", fi, err)
			}
			peak := memory(t, "VmHWM")
			t.Logf("%d MiB of output, peak %d MiB", rep.data.Bytes>>20, peak)
			if peak > peakLimit {
				t.Errorf("peak of %d MiB", peak)
			}
			os.Remove(rep.data.LogFile)
		})
	}
}

func TestManyLinesFromManyJobs(t *testing.T) {
	need(t, "python3")
	r := newRig(t, rigConfig{mode: launch.Off})
	r.run("true")
	resetPeak(t)
	// 32 jobs at once, each 2,000 lines at 1,000 a second, flushed one by one.
	line := `python3 -u -c 'import time
for i in range(2000):
    print("line", i)
    if i % 10 == 9: time.sleep(0.01)'`
	var wg sync.WaitGroup
	for range 32 {
		wg.Go(func() {
			rep := r.call(m{"command": line, "timeout": "60s"})
			if rep.exit() != 0 || !strings.HasSuffix(rep.Text, "line 1999\n") || strings.Count(rep.Text, "\n") != 2000 {
				t.Errorf("%+v %s, %d lines", rep.data, rep.msg, strings.Count(rep.Text, "\n"))
			}
		})
	}
	wg.Wait()
	if peak := memory(t, "VmHWM"); peak > peakLimit {
		t.Errorf("peak of %d MiB", peak)
	}
}
