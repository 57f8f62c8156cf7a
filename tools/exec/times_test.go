package exec

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/job"
)

// TestTimeoutBeyondTheForeground: the answer comes while clients still wait, and the timeout goes on counting.
func TestTimeoutBeyondTheForeground(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{job: job.Config{Foreground: 200 * time.Millisecond}})
	for _, args := range []m{{"timeout": "20s"}, {"timeout": "20s", "until": "never"}, {"yield_time_ms": 60_000}} {
		args["command"] = "echo early; sleep 0.6; echo late"
		var rep reply
		within(t, 5*time.Second, "the reply", func() { rep = r.call(args) })
		if rep.data.Status != "running" || rep.Text != "early\n" || rep.code != "" {
			t.Errorf("%v: %+v %q %s", args, rep.data, rep.Text, rep.msg)
		}
		if _, until := args["until"]; !until && !strings.Contains(rep.warnings(), "proc_id") {
			t.Errorf("%v: %s", args, rep.warnings())
		}
		if rep = r.call(m{"action": "wait", "proc_id": rep.data.ProcID, "timeout": "20s"}); rep.Text != "late\n" || rep.exit() != 0 {
			t.Errorf("%v: %q %+v", args, rep.Text, rep.data)
		}
	}
	rep := r.call(m{"command": "sleep 306.5", "timeout": "700ms"})
	if rep.data.Status != "running" || !strings.Contains(rep.warnings(), "700ms") {
		t.Errorf("%+v %s", rep.data, rep.warnings())
	}
	if rep = r.call(m{"action": "wait", "proc_id": rep.data.ProcID, "timeout": "20s"}); rep.data.Status != "timed_out" {
		t.Errorf("%+v", rep.data)
	}
	gone(t, "306.5", time.Second)
	if rep := r.call(m{"command": "sleep 307.5", "timeout": "150ms"}); rep.code != tools.Timeout {
		t.Errorf("%+v %s", rep.data, rep.msg)
	}
}

// TestTimeoutMeantInSeconds is refused before anything runs, and words for none are none.
func TestTimeoutMeantInSeconds(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{})
	for _, timeout := range []any{30, "30", 1.5, 99} {
		rep := r.call(m{"command": "touch made", "timeout": timeout})
		if rep.code != tools.InvalidParams || !strings.Contains(rep.msg, fmt.Sprintf(`"%vs"`, timeout)) {
			t.Errorf("%v: %s %s", timeout, rep.code, rep.msg)
		}
	}
	if _, err := os.Stat(filepath.Join(r.dir, "made")); err == nil {
		t.Error("it ran all the same")
	}
	if rep := r.call(m{"command": "sleep 20", "timeout": "30ms"}); rep.code != tools.Timeout || rep.warnings() != "" {
		t.Errorf("30ms: %s %s %s", rep.code, rep.msg, rep.warnings())
	}
	for _, timeout := range []any{-1, "-1", "none", "Infinity", false, nil, 0} {
		if rep := r.call(m{"command": "echo a", "timeout": timeout}); rep.Text != "a\n" || rep.warnings() != "" {
			t.Errorf("%v: %q %s %s", timeout, rep.Text, rep.msg, rep.warnings())
		}
	}
	if rep := r.call(m{"command": "echo a", "timeout_ms": -1}); rep.Text != "a\n" {
		t.Errorf("timeout_ms: %s", rep.msg)
	}
}
