package exec

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/job"
)

func TestLimitOfRunningProcesses(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{job: job.Config{Running: 3}, mode: launch.Off})
	for range 3 {
		r.background("sleep 460.5")
	}
	rep := r.call(m{"command": "echo hi", "background": true})
	if rep.code != tools.TooLarge || !strings.Contains(rep.msg, "kill") || strings.Count(rep.msg, "p1") != 1 {
		t.Fatalf("%s %s", rep.code, rep.msg)
	}
	if rep := r.run("echo hi"); rep.Text != "hi\n" { // which a call waits for
		t.Errorf("%s %s", rep.code, rep.msg)
	}
	r.call(m{"action": "kill", "proc_id": "p1", "signal": "KILL"})
	r.background("echo hi")
}

// TestKillOfSeveral, by their ids or all.
func TestKillOfSeveral(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{})
	several := func(args m, want ...string) {
		t.Helper()
		args["action"] = "kill"
		var list struct {
			Processes []data `json:"processes"`
		}
		rep := r.call(args)
		b, _ := json.Marshal(rep.Envelope.Data)
		if err := json.Unmarshal(b, &list); err != nil || rep.code != "" {
			t.Fatalf("%v: %s %s", args, b, rep.msg)
		}
		got := []string{}
		for _, p := range list.Processes {
			if p.Status == "killed" {
				got = append(got, p.ProcID)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%v: %s", args, b)
		}
	}
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		r.call(m{"command": "sleep 461.5", "background": true, "proc_id": id})
	}
	if rep := r.call(m{"action": "kill", "proc_ids": []string{"a", "nosuch"}}); rep.code != tools.NotFound {
		t.Errorf("%s", rep.code)
	}
	several(m{"proc_ids": []string{"a", "b"}}, "a", "b")
	several(m{"proc_id": []string{"c"}}, "c")
	several(m{"proc_id": "all"}, "e", "d")
	several(m{"proc_id": "*"})
	gone(t, "461.5", time.Second)
	r.call(m{"command": "sleep 462.5", "background": true, "proc_id": "all"})
	if rep := r.call(m{"action": "kill", "proc_id": "all"}); rep.data.ProcID != "all" || rep.data.Status != "killed" {
		t.Errorf("%+v", rep.data)
	}
}

// TestSignalOnlySends: another action than kill, it must not end what takes HUP for "read your settings again".
func TestSignalOnlySends(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{})
	id := r.background(`trap "echo told" HUP; echo up; while :; do sleep 0.05; done; # 464.5 `)
	r.call(m{"action": "wait", "proc_id": id, "until": "up", "timeout": "20s"})
	if rep := r.call(m{"action": "signal", "proc_id": id, "signal": "HUP"}); rep.code != "" || rep.data.Status != "running" {
		t.Errorf("%+v %s", rep.data, rep.msg)
	}
	if rep := r.call(m{"action": "wait", "proc_id": id, "until": "^told$", "timeout": "20s"}); rep.data.Matched == nil || rep.data.Status != "running" {
		t.Errorf("%q %+v", rep.Text, rep.data)
	}
	r.call(m{"action": "kill", "proc_id": id})
	if rep := r.call(m{"action": "signal", "proc_id": id}); !strings.Contains(rep.warnings(), "nothing was sent") {
		t.Errorf("%s %s", rep.msg, rep.warnings())
	}
}

// TestTheEndOfASessionEnds what its commands left running, too.
func TestTheEndOfASessionEnds(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{})
	r.run("sleep 465.5 > log 2>&1 & echo started")
	r.jobs.EndOwner("test")
	gone(t, "465.5", time.Second)
}

// TestWhatRunsOnWithoutTheOutput is told, and killed by the id of what left it.
func TestWhatRunsOnWithoutTheOutput(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{})
	rep := r.run("nohup sleep 463.5 > log 2>&1 & echo started")
	if rep.Text != "started\n" || !rep.data.Lingering || !strings.Contains(rep.warnings(), rep.data.ProcID) {
		t.Errorf("%q %+v %s", rep.Text, rep.data, rep.warnings())
	}
	if rep := r.call(m{"action": "kill", "proc_id": rep.data.ProcID}); rep.code != "" || rep.data.Lingering {
		t.Errorf("%+v %s", rep.data, rep.msg)
	}
	gone(t, "463.5", time.Second)
	for range 20 {
		if rep := r.run("seq 1 3 | cat | cat; (true) & wait"); rep.data.Lingering {
			t.Errorf("%+v", rep.data)
		}
	}
}
