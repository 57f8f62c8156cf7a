package exec

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/tools"
)

// background starts a command in the background and gives its proc_id.
func (r *rig) background(line string) string {
	r.t.Helper()
	rep := r.call(m{"command": line, "background": true})
	if rep.code != "" || rep.data.ProcID == "" {
		r.t.Fatalf("start: %s %s", rep.code, rep.msg)
	}
	return rep.data.ProcID
}

func TestWaitGivesTheSameAnswerAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{})
	id := r.background("echo out; sleep 3; exit 7")
	within(t, 300*time.Millisecond, "a short wait", func() {
		rep := r.call(m{"action": "wait", "proc_id": id, "timeout": 100})
		if rep.data.Status != "running" || !*rep.data.Running || rep.exit() != -1 || rep.code != "" {
			t.Errorf("%+v %s", rep.data, rep.msg)
		}
	})
	for range 2 {
		rep := r.call(m{"action": "wait", "proc_id": id, "timeout": 5000})
		if rep.exit() != 7 || rep.data.Status != "failed" || *rep.data.Running || rep.code != "" {
			t.Errorf("%+v %s", rep.data, rep.msg)
		}
	}
	if rep := r.call(m{"action": "log", "proc_id": id}); rep.Text != "out\n" || rep.exit() != 7 {
		t.Errorf("logs after the end: %q %+v", rep.Text, rep.data)
	}
	rep := r.call(m{"action": "wait", "proc_id": "nosuch"})
	if rep.code != tools.NotFound || !strings.Contains(rep.msg, id) {
		t.Errorf("unknown id: %s %s", rep.code, rep.msg)
	}
}

func TestProgramThatIsMissingInTheBackground(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{})
	rep := r.call(m{"command": "nosuchcmd", "background": true})
	if rep.exit() != 127 {
		rep = r.call(m{"action": "wait", "proc_id": rep.data.ProcID})
	}
	if rep.exit() != 127 {
		t.Errorf("%+v %s", rep.data, rep.msg)
	}
	if rep := r.call(m{"command": []string{"nosuchcmd"}, "background": true}); rep.exit() != 127 {
		t.Errorf("argv: %+v %s", rep.data, rep.msg)
	}
	if rep := r.run("echo alive"); rep.Text != "alive\n" {
		t.Errorf("%q", rep.Text)
	}
}

func TestKillKeepsLogsAndEndsTheGroup(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{})
	for i, sig := range []any{nil, "TERM", "sigterm", "SIGKILL", "9", 9, "INT", "hup", "QUIT"} {
		word := fmt.Sprintf("40%d.5", i)
		id := r.background("echo up; sleep " + word + " & sleep " + word)
		args := m{"action": "kill", "proc_id": id}
		if sig != nil {
			args["signal"] = sig
		}
		within(t, 4*time.Second, fmt.Sprint("kill ", sig), func() {
			rep := r.call(args)
			if rep.code != "" || rep.data.Status != "killed" || rep.exit() < 128 {
				t.Errorf("%v: %+v %s", sig, rep.data, rep.msg)
			}
		})
		gone(t, word, time.Second)
		if rep := r.call(m{"action": "logs", "proc_id": id}); !strings.HasPrefix(rep.Text, "up\n") || rep.data.Status != "killed" {
			t.Errorf("%v: logs %q %s", sig, rep.Text, rep.data.Status)
		}
		if rep := r.call(args); rep.code != "" || rep.data.Status != "killed" {
			t.Errorf("%v again: %+v %s", sig, rep.data, rep.msg)
		}
	}
	for _, sig := range []any{"SIGFOO", 99, -9, "KILL TERM", []int{9}} {
		if rep := r.call(m{"action": "kill", "proc_id": "p1", "signal": sig}); rep.code != tools.InvalidParams {
			t.Errorf("%v: %s", sig, rep.code)
		}
	}
}

func TestKillOfOneThatIgnoresTERM(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{})
	id := r.background(`trap "" TERM INT; echo up; while :; do sleep 0.01; done; # 420.5 `)
	within(t, 4*time.Second, "kill", func() {
		rep := r.call(m{"action": "kill", "proc_id": id, "signal": "INT"})
		if rep.data.Signal != "SIGKILL" || rep.exit() != 137 {
			t.Errorf("%+v %s", rep.data, rep.msg)
		}
	})
	gone(t, "420.5", time.Second)
}

func TestKillEndsWhatAnEndedCommandLeft(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{})
	rep := r.call(m{"action": "exec", "command": "setsid sleep 431.5 >/dev/null 2>&1 & sleep 0.1; echo hi"})
	if rep = r.call(m{"action": "kill", "proc_id": rep.data.ProcID}); rep.code != "" {
		t.Errorf("%+v %s", rep.data, rep.msg)
	}
	gone(t, "431.5", time.Second)
}

func TestUSR1OnlyTells(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{})
	id := r.background(`trap "echo told" USR1; echo up; while :; do sleep 0.05; done`)
	r.call(m{"action": "wait", "proc_id": id, "until": "nothing", "timeout": 100})
	if rep := r.call(m{"action": "kill", "proc_id": id, "signal": "USR1"}); rep.code != "" || rep.data.Status != "running" {
		t.Errorf("%+v %s", rep.data, rep.msg)
	}
	if rep := r.call(m{"action": "wait", "proc_id": id, "until": "^told$", "timeout": "5s"}); rep.data.Matched == nil {
		t.Errorf("%q %q", rep.Text, rep.warnings())
	}
}

func TestLogs(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{})
	id := r.background("seq 1 100; read x; echo more; read x")
	r.call(m{"action": "wait", "proc_id": id, "until": "^100$", "timeout": "5s"})
	rep := r.call(m{"action": "logs", "proc_id": id})
	if lines := strings.Count(rep.Text, "\n"); lines != 50 || !strings.HasPrefix(rep.Text, "51\n") || !strings.HasSuffix(rep.Text, "\n100\n") {
		t.Errorf("tail: %d lines, %q", lines, rep.Text)
	}
	if !*rep.data.Running || *rep.data.NextOffset != 292 {
		t.Errorf("%+v", rep.data)
	}
	if rep := r.call(m{"action": "logs", "proc_id": id, "tail": 2}); rep.Text != "99\n100\n" {
		t.Errorf("two: %q", rep.Text)
	}
	if rep := r.call(m{"action": "logs", "proc_id": id, "tail": 1000}); strings.Count(rep.Text, "\n") != 100 {
		t.Errorf("all: %q", rep.Text)
	}
	if rep := r.call(m{"action": "logs", "proc_id": id, "since": true}); rep.Text != "" {
		t.Errorf("nothing is new: %q", rep.Text)
	}
	r.call(m{"action": "write", "proc_id": id, "text": "", "newline": true, "until": "nothing", "timeout": 1})
	r.call(m{"action": "wait", "proc_id": id, "until": "nothing", "timeout": 300})
	if rep := r.call(m{"action": "logs", "proc_id": id, "offset": 288}); rep.Text != "100\nmore\n" || *rep.data.NextOffset != 297 {
		t.Errorf("offset: %q %+v", rep.Text, *rep.data.NextOffset)
	}
	if rep := r.call(m{"action": "logs", "proc_id": id, "offset": 100000}); rep.Text != "" || *rep.data.NextOffset != 297 {
		t.Errorf("beyond: %q %+v", rep.Text, *rep.data.NextOffset)
	}
	if rep := r.call(m{"action": "logs", "proc_id": id, "offset": -1}); rep.code != tools.InvalidParams {
		t.Errorf("negative: %s", rep.code)
	}
	if rep := r.call(m{"action": "logs", "proc_id": id, "stream": "stderr"}); !strings.Contains(rep.warnings(), "one pipe") {
		t.Errorf("stream: %q", rep.warnings())
	}
}

func TestTailCountsLinesAlsoLongOnes(t *testing.T) {
	t.Parallel()
	need(t, "python3")
	r := newRig(t, rigConfig{})
	id := r.background(`python3 -c 'print("x"*(1<<20)); print("last")'`)
	r.call(m{"action": "wait", "proc_id": id, "timeout": "10s"})
	rep := r.call(m{"action": "logs", "proc_id": id, "tail": 2, "max_chars": 4 << 20})
	if len(rep.Text) != 1<<20+6 || !strings.HasSuffix(rep.Text, "x\nlast\n") {
		t.Errorf("%d bytes", len(rep.Text))
	}
	rep = r.call(m{"action": "logs", "proc_id": id, "tail": 2, "max_chars": 100})
	if len(rep.Text) > 100 || !strings.HasSuffix(rep.Text, "last\n") || !rep.data.Truncated {
		t.Errorf("%d bytes, %+v", len(rep.Text), rep.data)
	}
}

func TestREPL(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{})
	for _, tc := range []struct {
		program, line, prompt, text, want string
		pty                               bool
	}{
		{"python3", "python3 -q -i", ">>> $", "print(6*7)", "42", false},
		{"python3", "python3 -q", ">>> $", "print(6*7)", "42", true},
		{"node", "node -i", "> $", "6*7", "42", false},
		{"bash", "bash --norc -i", "[$#] $", "echo $((6*7))", "42", true},
	} {
		t.Run(fmt.Sprint(tc.program, " pty ", tc.pty), func(t *testing.T) {
			need(t, tc.program)
			rep := r.call(m{"command": tc.line, "background": true, "pty": tc.pty, "proc_id": fmt.Sprint("repl-", tc.program, tc.pty)})
			if rep.code != "" {
				t.Fatalf("%s %s", rep.code, rep.msg)
			}
			id := rep.data.ProcID
			for range 3 {
				rep := r.call(m{"action": "write", "proc_id": id, "text": tc.text, "until": tc.want + `(?s:.*)` + tc.prompt, "timeout": "10s"})
				if rep.data.Matched == nil || !strings.Contains(rep.Text, tc.want) || rep.code != "" {
					t.Fatalf("%q %s %q", rep.Text, rep.msg, rep.warnings())
				}
			}
			rep = r.call(m{"action": "write", "proc_id": id, "close_stdin": true, "timeout": "5s"})
			rep = r.call(m{"action": "wait", "proc_id": id, "timeout": "5s"})
			if rep.data.Status == "running" {
				t.Errorf("does not end with its input: %+v %q", rep.data, rep.Text)
			}
		})
	}
}

func TestWrite(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{})
	id := r.background("cat")
	if rep := r.call(m{"action": "input", "proc_id": id, "text": "one"}); rep.Text != "one\n" || !*rep.data.Running {
		t.Errorf("%q %s", rep.Text, rep.msg)
	}
	if rep := r.call(m{"action": "write", "proc_id": id, "text": "two", "newline": false}); rep.Text != "two" {
		t.Errorf("%q", rep.Text)
	}
	if rep := r.call(m{"action": "write", "proc_id": id}); rep.code != tools.InvalidParams {
		t.Errorf("nothing to write: %s", rep.code)
	}
	if rep := r.call(m{"action": "write", "proc_id": id, "close_stdin": true}); rep.exit() != 0 {
		t.Errorf("%+v", rep.data)
	}
	if rep := r.call(m{"action": "write", "proc_id": id, "text": "x"}); rep.code != tools.Conflict {
		t.Errorf("ended: %s", rep.code)
	}
	deaf := r.background("sleep 430.5")
	within(t, 3*time.Second, "writing to one that does not read", func() {
		if rep := r.call(m{"action": "write", "proc_id": deaf, "text": strings.Repeat("x", 1<<20), "timeout": "500ms"}); rep.code != tools.Timeout {
			t.Errorf("%s %s", rep.code, rep.msg)
		}
	})
	rep := r.call(m{"command": "sleep 431.5", "background": true, "stdin": "x"})
	if rep := r.call(m{"action": "write", "proc_id": rep.data.ProcID, "text": "y"}); rep.code != tools.Conflict || !strings.Contains(rep.msg, "background:true") {
		t.Errorf("closed: %s %s", rep.code, rep.msg)
	}
}

func TestUntil(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{})
	id := r.background(`sleep 0.2; i=0; while [ $i -lt 20000 ]; do echo line $i of many; i=$((i+1)); done; printf 'Ready in 3\n'; printf 'then'; sleep 50.5`)
	rep := r.call(m{"action": "wait", "proc_id": id, "until": `^Ready in \d+$`, "timeout": "30s"})
	if rep.data.Matched == nil || *rep.data.Matched != "Ready in 3" {
		t.Fatalf("%+v %q", rep.data, rep.warnings())
	}
	rep = r.call(m{"action": "wait", "proc_id": id, "until": `(`, "timeout": "30s"})
	if rep.code != tools.InvalidParams {
		t.Errorf("%s", rep.code)
	}
	rep = r.call(m{"action": "wait", "proc_id": id, "until": `line 5 of`, "timeout": "300ms"})
	if rep.data.Matched != nil || rep.code != "" || rep.data.Status != "running" || !strings.Contains(rep.warnings(), "nothing matched") {
		t.Errorf("matched what was read before: %+v %q", rep.data, rep.warnings())
	}
}

func TestPs(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{})
	r.run("echo first")
	id := r.background("sleep 440.5")
	rep := r.call(`{"action":"list"}`)
	var list struct {
		Processes []data `json:"processes"`
		Count     int    `json:"count"`
	}
	b, _ := json.Marshal(rep.Envelope.Data)
	if err := json.Unmarshal(b, &list); err != nil || list.Count != 2 || list.Processes[0].ProcID != id || list.Processes[0].Command != own("sleep 440.5") {
		t.Errorf("%s", b)
	}
	rep = r.call(`{"action":"ps","filter":"first"}`)
	b, _ = json.Marshal(rep.Envelope.Data)
	if json.Unmarshal(b, &list); list.Count != 1 || list.Processes[0].Command != "echo first" {
		t.Errorf("%s", b)
	}
}

func TestProcIDOfTheCallersChoice(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{})
	start := m{"command": "sleep 450.5", "background": true, "proc_id": "dev.server-1"}
	if rep := r.call(start); rep.data.ProcID != "dev.server-1" {
		t.Fatalf("%+v %s", rep.data, rep.msg)
	}
	if rep := r.call(start); rep.code != tools.Conflict {
		t.Errorf("twice: %s %s", rep.code, rep.msg)
	}
	r.call(m{"action": "kill", "proc_id": "dev.server-1", "signal": "KILL"})
	if rep := r.call(start); rep.code != "" {
		t.Errorf("after its end: %s %s", rep.code, rep.msg)
	}
	for _, id := range []string{"../x", "a b", strings.Repeat("x", 65), "é"} {
		if rep := r.call(m{"command": "true", "proc_id": id}); rep.code != tools.InvalidParams {
			t.Errorf("%q: %s", id, rep.code)
		}
	}
}

func TestCallsInFlightAreApart(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{})
	first, cancel := context.WithCancel(context.Background())
	done := make(chan reply, 1)
	go func() { done <- r.callCtx(first, m{"command": "sleep 30; echo A"}) }()
	within(t, 2*time.Second, "the second call", func() {
		if rep := r.run("echo B"); rep.Text != "B\n" {
			t.Errorf("%q", rep.Text)
		}
	})
	cancel()
	if rep := <-done; rep.code != tools.Cancelled || rep.Text != "" {
		t.Errorf("%s %q", rep.code, rep.Text)
	}
}

func TestCloseEndsAll(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{})
	r.background(`trap "" TERM HUP; sleep 480.5; sleep 480.5`)
	r.background("sleep 481.5 & sleep 481.5")
	r.background("setsid sleep 482.5 & sleep 482.5")
	r.run("sleep 483.5 &")
	within(t, 5*time.Second, "closing", func() { r.jobs.Close() })
	for _, word := range []string{"480.5", "481.5", "482.5", "483.5"} {
		gone(t, word, time.Second)
	}
	if rep := r.run("echo late"); rep.code != tools.Cancelled {
		t.Errorf("%s %q", rep.code, rep.Text)
	}
}

func TestCloseWhileCallsStart(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{})
	done := make(chan struct{})
	for range 8 {
		go func() {
			defer func() { done <- struct{}{} }()
			for {
				rep := r.call(m{"command": "sleep 484.5", "background": true})
				if rep.code == tools.Cancelled {
					return
				}
				if rep.code != "" && rep.code != tools.TooLarge && rep.data.Status != "killed" {
					t.Errorf("%s %s", rep.code, rep.msg)
					return
				}
				r.call(`{"action":"ps"}`)
			}
		}()
	}
	<-time.After(200 * time.Millisecond)
	r.jobs.Close()
	for range 8 {
		<-done
	}
	gone(t, "484.5", time.Second)
}

func TestHalfASequenceWaitsForItsRest(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{})
	id := r.background(`printf 'a\033[3'; read x; printf '1mb\303'; read x; printf '\251c\n'`)
	look := func() string { return r.call(m{"action": "logs", "proc_id": id, "since": true}).Text }
	var got []string
	for range 2 {
		got = append(got, r.call(m{"action": "write", "proc_id": id, "text": "go"}).Text+look())
	}
	rep := r.call(m{"action": "logs", "proc_id": id})
	if want := []string{"b", "éc\n"}; fmt.Sprint(got) != fmt.Sprint(want) || rep.Text != "abéc\n" || rep.warnings() != "" {
		t.Errorf("%q, all %q %q", got, rep.Text, rep.warnings())
	}
}
