//go:build unix

package hooks

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"
)

// Public report: tool input in an environment variable broke exec from 128 KiB on (claude-remember#266).
func TestInputOfAnySizeReachesTheHookWhole(t *testing.T) {
	t.Parallel()
	for _, size := range []int{100, 100 << 10, 100<<10 + 1, 131071, 131072, 5_000_000} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			input := `{"path":"a","content":"` + strings.Repeat("x", size-len(`{"path":"a","content":""}`)) + `"}`
			r := s.runner(pre(`cat >stdin; if [ -n "$HANZO_TOOL_INPUT_FILE" ]; then
				cp "$HANZO_TOOL_INPUT_FILE" variable; stat -c %a "$HANZO_TOOL_INPUT_FILE" >mode; [ -z "${HANZO_TOOL_INPUT+set}" ]
			else printf %s "$HANZO_TOOL_INPUT" >variable; fi`))
			if d := r.Pre(t.Context(), writeCall(input)); d.Denied {
				t.Fatalf("denied: %.300s", d.Reason)
			}
			var got struct {
				Input json.RawMessage `json:"tool_input"`
			}
			if err := json.Unmarshal([]byte(s.read("stdin")), &got); err != nil {
				t.Fatal(err)
			}
			if string(got.Input) != input {
				t.Errorf("stdin has %d bytes of input, want %d", len(got.Input), len(input))
			}
			if variable := s.read("variable"); variable != input {
				t.Errorf("the variable has %d bytes of input, want %d", len(variable), len(input))
			}
			if large := size > MaxVariable; s.exists("mode") != large {
				t.Errorf("a file was used: %v, want %v", !large, large)
			} else if large && s.read("mode") != "600\n" {
				t.Errorf("the file's mode is %q, want 600", s.read("mode"))
			}
			left, err := filepath.Glob(filepath.Join(s.dir, "hanzo-hook-*"))
			if err != nil || len(left) > 0 {
				t.Errorf("files left behind: %v %v", left, err)
			}
		})
	}
}

func TestHookReadsOneObjectAndItsVariables(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.env = append(s.env, "HANZO_TOOL_OUTPUT=stale", "HANZO_TOOL_INPUT_FILE=stale", "PWD=/stale", "KEPT=yes")
	call := Call{
		Subject: Subject{Tool: "billing", Action: "create_invoice"}, Input: json.RawMessage("{\"a\":\n <1>}"),
		SessionID: "s-7", ProjectDir: "/p", Cwd: "/p/sub",
	}
	call.Input = json.RawMessage("{\"n\":12345678901234567890,\n\t\"s\":\"<&>\"}")
	r := s.runner(pre(`cat >pre; env >pre.env`), post(`cat >post; env >post.env`))
	if d := r.Pre(t.Context(), call); d.Denied {
		t.Fatal(d.Reason)
	}
	if w := r.Post(t.Context(), call, json.RawMessage(`{"ok":true}`)); len(w) > 0 {
		t.Fatal(w)
	}
	args := "{\"n\":12345678901234567890, \t\"s\":\"<&>\"}"
	wantPre := `{"session_id":"s-7","cwd":"/p/sub","hook_event_name":"PreToolUse","tool_name":"billing","tool_action":"create_invoice","tool_input":` + args + "}\n"
	if got := s.read("pre"); got != wantPre {
		t.Errorf("stdin\n%swant\n%s", got, wantPre)
	}
	wantPost := strings.Replace(strings.TrimSuffix(wantPre, "}\n"), "PreToolUse", "PostToolUse", 1) + `,"tool_response":{"ok":true}}` + "\n"
	if got := s.read("post"); got != wantPost {
		t.Errorf("stdin\n%swant\n%s", got, wantPost)
	}
	for file, want := range map[string][]string{
		"pre.env":  {"HANZO_TOOL_NAME=billing", "HANZO_TOOL_ACTION=create_invoice", "HANZO_TOOL_INPUT=" + args, "HANZO_SESSION_ID=s-7", "HANZO_PROJECT_DIR=/p", "PWD=" + s.dir, "KEPT=yes"},
		"post.env": {"HANZO_TOOL_NAME=billing", `HANZO_TOOL_OUTPUT={"ok":true}`},
	} {
		lines := strings.Split(s.read(file), "\n")
		for _, line := range want {
			if !slices.Contains(lines, line) {
				t.Errorf("%s lacks %s:\n%s", file, line, strings.Join(lines, "\n"))
			}
		}
		if strings.Contains(s.read(file), "stale") {
			t.Errorf("%s has a stale variable", file)
		}
	}
	if strings.Contains(s.read("pre.env"), "HANZO_TOOL_OUTPUT") {
		t.Error("a pre-hook has an output")
	}
}

func TestNoBearerReachesAHook(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for _, name := range bearers {
		s.env = append(s.env, name+"=sk-secret")
	}
	if d := s.runner(pre("env >env")).Pre(t.Context(), writeCall("{}")); d.Denied {
		t.Fatal(d.Reason)
	}
	if strings.Contains(s.read("env"), "sk-secret") {
		t.Errorf("a bearer is in the hook's environment:\n%s", s.read("env"))
	}
}

// Public report: exit 2 was logged and the tool ran anyway (claude-code#13756).
func TestExitCodes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, command  string
		denied, failed bool
		reason         string
	}{
		{"0 allows", "exit 0", false, false, ""},
		{"0 with words allows", "echo fine >&2; echo 'decision: block'; echo '{\"decision\":\"approve\"}'", false, false, ""},
		{"0 with JSON that denies", "echo '{\"decision\":\"block\",\"reason\":\"not today\"}'", true, false, "not today"},
		{"0 with newer JSON that denies", "echo '{\"hookSpecificOutput\":{\"permissionDecision\":\"deny\",\"permissionDecisionReason\":\"never\"}}'", true, false, "never"},
		{"0 with JSON that denies without words", "echo '{\"decision\":\"block\"}'", true, false, "gave no reason"},
		{"0 with JSON that allows", "echo '{\"hookSpecificOutput\":{\"permissionDecision\":\"allow\"}}'", false, false, ""},
		{"0 with JSON that ends the work", `echo '{"continue":false,"stopReason":"enough"}'`, true, false, "enough"},
		{"0 with JSON that goes on", `echo '{"continue":true,"suppressOutput":true}'`, false, false, ""},
		{"0 with JSON that asks for other arguments", `echo '{"hookSpecificOutput":{"permissionDecision":"allow","updatedInput":{"command":"ls"}}}'`, true, false, "cannot change a call"},
		{"0 with two objects", `echo '{"a":1} {"decision":"block","reason":"second"}'`, true, false, "second"},
		{"0 with a line of text in front", `echo '[INFO] looking'; echo '{"decision":"block","reason":"third"}'`, true, false, "third"},
		{"0 with a byte order mark", `printf '\357\273\277{"decision":"block"}'`, true, false, "gave no reason"},
		{"0 with an array", `echo '[{"permissionDecision":"deny","reason":"fourth"}]'`, true, false, "fourth"},
		{"0 with a decision as an object", `echo '{"hookSpecificOutput":{"decision":{"behavior":"deny","message":"fifth"}}}'`, true, false, "fifth"},
		{"0 with other capitals", `echo '{"decision":"Block"}'`, true, false, "gave no reason"},
		{"0 with a word that is unknown", `echo '{"decision":"perhaps"}'`, true, false, `decision:"perhaps"`},
		{"0 with what asks the user", `echo '{"permissionDecision":"ask"}'`, true, false, "gave no reason"},
		{"0 with half an object", `echo '{"decision":"block","reason":'`, true, true, "begins as a JSON object"},
		{"0 with brackets that are no JSON", `echo '[WARN] {x}'; echo '{y}'`, false, false, ""},
		{"0 with braces that are text", `echo '{exec} called'; echo "{'a': 1}"`, false, false, ""},
		{"0 with a long reason", `printf '{"decision":"block","reason":"'; head -c 200000 /dev/zero | tr '\0' x; printf '"}'`, true, false, "xxx"},
		{"0 with a reason that is too long", `printf '{"decision":"block","reason":"'; head -c 2000000 /dev/zero | tr '\0' x; printf '"}'`, true, true, "longer than"},
		{"0 with much text", "head -c 2000000 /dev/zero | tr '\\0' x", false, false, ""},
		{"2 denies with stderr", "echo no >&2; exit 2", true, false, "no"},
		{"2 denies without stderr", "exit 2", true, false, "gave no reason"},
		{"1 is a fault", "echo oops >&2; exit 1", true, true, "exit code 1"},
		{"3 is a fault", "exit 3", true, true, "exit code 3"},
		{"255 is a fault", "exit 255", true, true, "exit code 255"},
		{"a fault tells stderr", "echo oops >&2; exit 1", true, true, "oops"},
		{"a signal is a fault", "kill -9 $$", true, true, "signal killed"},
		{"a syntax error is no allowance", "if then", true, false, ""},
		{"a reason over lines", "printf 'a\\nb\\n' >&2; exit 2", true, false, "a\nb"},
		{"control characters go", "printf 'a\\033[31mb\\0c' >&2; exit 2", true, false, "a[31mbc"},
		{"bytes that are no UTF-8", "printf 'a\\377b' >&2; exit 2", true, false, "a\uFFFDb"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			d := s.runner(pre(c.command)).Pre(t.Context(), writeCall("{}"))
			if d.Denied != c.denied || d.Failed != c.failed || !strings.Contains(d.Reason, c.reason) {
				t.Errorf("%+v, want denied %v, failed %v, reason with %q", d, c.denied, c.failed, c.reason)
			}
			if c.reason == "no" && d.Reason != "no" {
				t.Errorf("reason %q, want the hook's own words alone", d.Reason)
			}
			if got := len(s.logged()); (got == 1) != c.failed {
				t.Errorf("%d lines logged, want one for a fault only", got)
			}
		})
	}
}

// Public reports: a hook over its limit let the tool proceed, or froze the session (claude-code#84656, #85250).
func TestHookOverItsLimitDeniesAndIsGone(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	alive := s.pipe("alive")
	slow := pre("exec 3>alive; sleep 600; exit 0")
	slow.TimeoutMS = 300
	slow.ToolPattern = "fs"
	r := s.runner(slow, pre("exit 0"))
	denied := make(chan Decision, 1)
	go func() { denied <- r.Pre(context.Background(), writeCall("{}")) }()
	// Other calls still work meanwhile.
	if d := r.Pre(t.Context(), Call{Subject: Subject{Tool: "git", Action: "push", Local: true}}); d.Denied {
		t.Errorf("another call: %s", d.Reason)
	}
	select {
	case d := <-denied:
		if !d.Denied || !d.Failed || !strings.Contains(d.Reason, "limit of 300 ms") {
			t.Errorf("%+v, want denied for its limit", d)
		}
	case <-time.After(limit):
		t.Fatal("the call hangs")
	}
	alive.gone()
}

func TestHookThatIgnoresSignalsIsKilled(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	alive := s.pipe("alive")
	h := pre("trap '' TERM INT HUP; while :; do sleep 1; done >alive")
	h.TimeoutMS = 200
	if d := s.runner(h).Pre(t.Context(), writeCall("{}")); !d.Denied {
		t.Error("allowed")
	}
	alive.gone()
}

func TestCancelledCallEndsItsHook(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	alive := s.pipe("alive")
	started := s.pipe("started")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		started.begun()
		cancel()
	}()
	h := pre("exec 3>alive; echo >started; sleep 600")
	h.TimeoutMS = MaxTimeoutMS
	d := s.runner(h).Pre(ctx, writeCall("{}"))
	if !d.Denied || d.Failed || !strings.Contains(d.Reason, "cancelled") {
		t.Errorf("%+v, want denied, not failed, for the cancelled call", d)
	}
	alive.gone()
	if d := s.runner(h).Pre(ctx, writeCall("{}")); !d.Denied {
		t.Error("a call that was cancelled before is allowed")
	}
}

// Public report: a hook's stdin stayed open, or one that did not read blocked the session (claude-code#90585).
func TestHooksThatReadOrDoNotRead(t *testing.T) {
	t.Parallel()
	big := `{"content":"` + strings.Repeat("x", 5_000_000) + `"}`
	for name, c := range map[string]struct {
		command string
		denied  bool
	}{
		"reads all":            {"cat >/dev/null; exit 0", false},
		"never reads":          {"exit 0", false},
		"reads a little":       {"head -c 10 >/dev/null; exit 0", false},
		"closes stdin":         {"exec <&-; exit 2", true},
		"child holds stdin":    {"sleep 600 <&0 & exit 0", false},
		"child holds stderr":   {"sleep 600 & exit 2", true},
		"closes stderr":        {"exec 2>&-; exit 2", true},
		"reads after a moment": {"sleep 0.2; wc -c >/dev/null; exit 0", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			h := pre(c.command)
			h.TimeoutMS = 60_000
			begun := time.Now()
			if d := s.runner(h).Pre(t.Context(), writeCall(big)); d.Denied != c.denied || d.Failed {
				t.Errorf("%+v, want denied %v", d, c.denied)
			}
			if took := time.Since(begun); took > limit {
				t.Errorf("it took %v", took)
			}
		})
	}
}

func TestChildrenOfAHookDieWithIt(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	alive := s.pipe("alive")
	if d := s.runner(pre("exec 3>alive; sleep 600 & exit 0")).Pre(t.Context(), writeCall("{}")); d.Denied {
		t.Error(d.Reason)
	}
	alive.gone()
}

func TestDaemonOfAHookDoesNotDelayIt(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/usr/bin/setsid"); err != nil {
		t.Skip("setsid is missing")
	}
	s := newStage(t)
	alive := s.pipe("alive")
	begun := time.Now()
	// It leaves the group, keeps stderr and stdin open, and ends by itself once the pipe is removed from it.
	d := s.runner(pre("setsid sh -c 'echo $$ >pid; exec sleep 30' >alive <&0 & while [ ! -s pid ]; do sleep 0.01; done; exit 0")).Pre(t.Context(), writeCall(strings.Repeat(" ", 1<<20)+"{}"))
	if d.Denied {
		t.Error(d.Reason)
	}
	if took := time.Since(begun); took > limit {
		t.Errorf("it took %v", took)
	}
	var pid int
	if _, err := fmt.Sscan(s.read("pid"), &pid); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	alive.gone()
}

func TestStderrIsBoundedAtARuneBoundary(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	s.write("say", strings.Repeat("€", 1<<20), 0o644) // three bytes each: the bound falls into one
	d := s.runner(pre("cat say >&2; exit 2")).Pre(t.Context(), writeCall("{}"))
	if !d.Denied || d.Failed {
		t.Fatalf("denied %v, failed %v", d.Denied, d.Failed)
	}
	if len(d.Reason) > MaxStderr || len(d.Reason) < MaxStderr-8 || !utf8.ValidString(d.Reason) || strings.ContainsRune(d.Reason, utf8.RuneError) {
		t.Errorf("%d bytes, valid %v; want about %d of whole runes", len(d.Reason), utf8.ValidString(d.Reason), MaxStderr)
	}
	if !strings.HasSuffix(d.Reason, "€…") {
		t.Errorf("ends in %q, want a sign that it was cut", d.Reason[len(d.Reason)-8:])
	}
}

func TestFirstDenialEnds(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	r := s.runner(
		pre("echo 1 >>ran"), Hook{Event: PreToolUse, Command: "echo other >>ran", ToolPattern: "git.*"},
		Hook{Event: PreToolUse, Command: "echo 2 >>ran; echo stop >&2; exit 2", ToolPattern: "FS.write"},
		pre("echo 3 >>ran"), post("echo post >>ran"),
	)
	if d := r.Pre(t.Context(), writeCall("{}")); !d.Denied || d.Reason != "stop" {
		t.Errorf("%+v, want the second hook's denial", d)
	}
	if got := s.read("ran"); got != "1\n2\n" {
		t.Errorf("ran %q, want the first and the second", got)
	}
	if r.Matches(PostToolUse, Subject{Tool: "any"}) != true || s.runner().Matches(PreToolUse, Subject{Tool: "any"}) {
		t.Error("Matches is wrong")
	}
}

// Public report: one tool kind escaped the hooks (claude-code#26923).
func TestEveryCallMeetsADenyAllHook(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for _, pattern := range []string{"", "*"} {
		h := pre("exit 2")
		h.ToolPattern = pattern
		r := s.runner(h)
		for _, subject := range []Subject{
			{Tool: "fs", Action: "write", Local: true}, {Tool: "exec", Action: "exec", Local: true}, {Tool: "git", Action: "", Local: true}, {Tool: "billing", Action: "create"},
			{Tool: "never heard of", Action: ""}, {Tool: "", Action: ""}, {Tool: "x.y", Action: "*"}, {Tool: "fs", Action: strings.Repeat("a", 200<<10)},
		} {
			if d := r.Pre(t.Context(), Call{Subject: subject}); !d.Denied {
				t.Errorf("%q escaped the pattern %q", subject, pattern)
			}
		}
	}
}

func TestNulInANameIsRefusedAndNotCut(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	if d := s.runner(pre("exit 0")).Pre(t.Context(), Call{Subject: Subject{Tool: "a\x00b"}}); !d.Denied || !d.Failed {
		t.Errorf("%+v, want denied: no program can be told such a name", d)
	}
}

// Public report: a stalled post-hook emptied all results (claude-code#70455).
func TestPostHooksOnlyWarn(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	alive := s.pipe("alive")
	slow := post("exec 3>alive; sleep 600")
	slow.TimeoutMS = 200
	warnings := s.runner(slow, post("echo careful >&2; exit 2"), post("yes | head -c 10000000"), post("yes | head -c 10000000 >&2"), post("exit 1"), post("exit 0")).
		Post(t.Context(), writeCall("{}"), json.RawMessage(`{"content":[]}`))
	if len(warnings) != 3 {
		t.Fatalf("%d warnings, want 3: %.300q", len(warnings), warnings)
	}
	for i, want := range []string{"limit of 200 ms", "careful", "exit code 1"} {
		if !strings.Contains(warnings[i], want) {
			t.Errorf("warning %q, want %q", warnings[i], want)
		}
	}
	alive.gone()
}

func TestManyHooksAtOnce(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	r := s.runner(pre(`case "$HANZO_TOOL_INPUT" in *odd*) echo "$HANZO_TOOL_INPUT" >&2; exit 2;; esac`))
	var wg sync.WaitGroup
	for i := range 3 * maxRunning {
		wg.Go(func() {
			input := fmt.Sprintf(`{"n":%d,"k":%q}`, i, [2]string{"even", "odd"}[i%2])
			d := r.Pre(context.Background(), writeCall(input))
			if d.Denied != (i%2 == 1) || d.Failed || d.Denied && d.Reason != input {
				t.Errorf("%d: %+v", i, d)
			}
		})
	}
	wg.Wait()
}

func TestOutcomesLeaveNothingBehind(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("open files are counted in /proc")
	}
	s := newStage(t)
	open := func() int {
		entries, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(entries)
	}
	slow := pre("sleep 600")
	slow.TimeoutMS = 50
	runners := []*Runner{s.runner(pre("exit 0")), s.runner(pre("exit 2")), s.runner(slow), s.runner(pre("./missing")), s.runner(Hook{Event: PreToolUse, Command: "true", Dir: s.dir + "/gone"})}
	runners[0].Pre(t.Context(), writeCall("{}"))
	files, routines := open(), runtime.NumGoroutine()
	for range 20 {
		for _, r := range runners {
			r.Pre(t.Context(), writeCall(`{"x":"`+strings.Repeat("x", 200<<10)+`"}`))
		}
	}
	deadline := time.Now().Add(limit)
	for open() > files || runtime.NumGoroutine() > routines {
		if time.Now().After(deadline) {
			t.Fatalf("%d files, were %d; %d goroutines, were %d", open(), files, runtime.NumGoroutine(), routines)
		}
		runtime.Gosched()
	}
}

func TestStdoutIsNotOurs(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("the file is named in /proc")
	}
	s := newStage(t)
	d := s.runner(pre("x=$(readlink /proc/$$/fd/1); echo $x >&2; exit 2")).Pre(t.Context(), writeCall("{}"))
	ours, err := os.Readlink("/proc/self/fd/1")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(d.Reason, "pipe:") || d.Reason == ours {
		t.Errorf("stdout is %q, ours %q", d.Reason, ours)
	}
}

func TestHookDiesWithAKilledServer(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux ends a child with its parent")
	}
	if dir := os.Getenv("HOOKS_TEST_SERVER"); dir != "" {
		s := &stage{t: t, dir: dir, env: []string{"PATH=" + os.Getenv("PATH")}}
		h := pre("exec 3>alive; echo >&3; exec sleep 600")
		h.TimeoutMS = MaxTimeoutMS
		s.runner(h).Pre(t.Context(), writeCall("{}"))
		return
	}
	s := newStage(t)
	alive := s.pipe("alive")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	server, err := os.StartProcess(self, []string{self, "-test.run=^TestHookDiesWithAKilledServer$"}, &os.ProcAttr{Env: append(os.Environ(), "HOOKS_TEST_SERVER="+s.dir)})
	if err != nil {
		t.Fatal(err)
	}
	alive.begun()
	if err := server.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := server.Wait(); err != nil {
		t.Fatal(err)
	}
	alive.gone()
}

func BenchmarkHook(b *testing.B) {
	s := newStage(b)
	s.write("check", "#!/bin/sh\nexit 0\n", 0o755)
	input := `{"path":"a","content":"hello"}`
	for name, command := range map[string]string{"shell": "exit 0", "script": "./check"} {
		r := s.runner(pre(command))
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if d := r.Pre(context.Background(), writeCall(input)); d.Denied {
					b.Fatal(d.Reason)
				}
			}
		})
	}
	b.Run("the shell alone", func(b *testing.B) {
		null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
		if err != nil {
			b.Fatal(err)
		}
		defer func() { _ = null.Close() }()
		for b.Loop() {
			p, err := os.StartProcess("/bin/sh", []string{"sh", "-c", "exit 0"}, &os.ProcAttr{Files: []*os.File{null, null, null}})
			if err != nil {
				b.Fatal(err)
			}
			if _, err := p.Wait(); err != nil {
				b.Fatal(err)
			}
		}
	})
	r := s.runner(pre("exit 0"))
	big := `{"content":"` + string(bytes.Repeat([]byte("x"), 5_000_000)) + `"}`
	b.Run("5 MB of input", func(b *testing.B) {
		for b.Loop() {
			if d := r.Pre(context.Background(), writeCall(big)); d.Denied {
				b.Fatal(d.Reason)
			}
		}
	})
}

func TestDrainTakesWhatIsThere(t *testing.T) {
	t.Parallel()
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _, _ = reader.Close(), writer.Close() }()
	if _, err := writer.WriteString("a reason"); err != nil {
		t.Fatal(err)
	}
	if err := reader.SetReadDeadline(time.Now()); err != nil {
		t.Fatal(err)
	}
	said := tailless{limit: MaxStderr}
	drain(reader, &said) // the writer is still open: waiting for its end would hang
	if got := said.text(); got != "a reason" {
		t.Errorf("got %q", got)
	}
}
