package git

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// TestChangesAtOnce: clients send calls in parallel.
func TestChangesAtOnce(t *testing.T) {
	t.Parallel()
	for _, installed := range []bool{true, false} {
		w := newRepo(t)
		if !installed {
			w.tool = New(Config{Environ: func() []string { return w.env }})
		}
		const n = 12
		var wait sync.WaitGroup
		for i := range n {
			name := fmt.Sprintf("f%d", i)
			w.write(name, name)
			wait.Go(func() {
				if out := w.try("add", args{"files": name}); !out.Envelope.OK {
					t.Errorf("git installed %v, add %s: %v", installed, name, out.Envelope.Error)
				}
			})
		}
		wait.Wait()
		w.call("commit", args{"message": "all"})
		if d := data[statusData](t, w.call("status", nil)); !d.Clean {
			t.Errorf("git installed %v: %+v", installed, d.Counts)
		}
	}
}

// TestForeignLock: one that goes soon is waited for, one that stays is left alone.
func TestForeignLock(t *testing.T) {
	t.Parallel()
	w := newRepo(t)
	w.write("a", "1\n")
	lock := filepath.Join(w.dir, ".git/index.lock")
	w.write(".git/index.lock", "")
	time.AfterFunc(lockWait/4, func() { os.Remove(lock) })
	w.call("add", args{"files": "a"})
	w.write(".git/index.lock", "")
	w.write("a", "2\n")
	w.fails(tools.Conflict, "add", args{"files": "a"})
	if !w.has(".git/index.lock") {
		t.Error("the lock of another git was taken away")
	}
}
