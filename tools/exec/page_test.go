package exec

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools/job"
)

// A server that is ready at once says so in the reply to its start; who then waits for that line must not wait in
// vain.
func TestUntilSeesTheReplyToTheStart(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{})
	rep := r.call(m{"command": "echo Listening on 80; exec sleep 50.25", "background": true})
	id := rep.data.ProcID
	if !strings.Contains(rep.Text, "Listening") {
		t.Logf("a busy machine: the reply came first: %q", rep.Text)
	}
	start := time.Now()
	rep = r.call(m{"action": "wait", "proc_id": id, "until": `^Listening on \d+$`, "timeout": "40s"})
	if rep.data.Matched == nil || *rep.data.Matched != "Listening on 80" || time.Since(start) > 20*time.Second {
		t.Fatalf("%+v after %v: %q", rep.data, time.Since(start), rep.warnings())
	}
	// Once waited for, it is no longer new.
	rep = r.call(m{"action": "wait", "proc_id": id, "until": `Listening`, "timeout": "300ms"})
	if rep.data.Matched != nil {
		t.Errorf("matched again: %+v", rep.data)
	}
}

// Who pages by next_offset gets all that is left of a log, each byte once, and steps over what is gone at once.
func TestLogsPageOverTheGap(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{job: job.Config{Memory: 4096, File: 10_000}})
	rep := r.call(m{"command": "i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done; echo end"})
	id, total := rep.data.ProcID, rep.data.Bytes
	var want strings.Builder
	for i := range 20000 {
		want.WriteString("line " + strconv.Itoa(i) + "\n")
	}
	want.WriteString("end\n")
	var offset, dropped int64
	var got strings.Builder
	pages := 0
	for {
		rep := r.call(m{"action": "logs", "proc_id": id, "offset": offset, "max_chars": 1000})
		if pages++; rep.code != "" || pages > 50 {
			t.Fatalf("page %d: %s %s", pages, rep.code, rep.msg)
		}
		if d := rep.data.Dropped; d > 0 {
			dropped += d
			got.WriteString(want.String()[offset : offset+d])
		}
		got.WriteString(rep.Text)
		if *rep.data.NextOffset == offset {
			break
		}
		offset = *rep.data.NextOffset
	}
	if offset != total || got.String() != want.String() {
		t.Errorf("%d of %d bytes in %d pages, equal %t", offset, total, pages, got.String() == want.String())
	}
	if dropped == 0 || dropped >= total {
		t.Errorf("dropped %d", dropped)
	}
}
