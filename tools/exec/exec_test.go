package exec

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/hanzoai/hanzo-mcp/sandbox/launch"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/job"
)

func TestDeclaration(t *testing.T) {
	t.Parallel()
	if err := New(Config{}).Check(); err != nil {
		t.Error(err)
	}
}

func TestExitCodes(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{})
	if err := os.WriteFile(filepath.Join(r.dir, "notexec"), []byte("#!/bin/sh\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, args   string
		exit         int
		code         tools.Code
		status, text string
	}{
		{"true", `{"command":"true"}`, 0, "", "completed", ""},
		{"echo", `{"command":"echo hello"}`, 0, "", "completed", "hello\n"},
		{"three", `{"command":"exit 3"}`, 3, tools.ExitNonzero, "failed", ""},
		{"modulo 256", `{"command":"exit 256"}`, 0, "", "completed", ""},
		{"not found", `{"command":"nosuchcmd"}`, 127, tools.ExitNonzero, "failed", "nosuchcmd"},
		{"not executable", `{"command":"./notexec"}`, 126, tools.ExitNonzero, "failed", "ermission denied"},
		{"pipeline gives its last", `{"command":"false | true"}`, 0, "", "completed", ""},
		{"comment only", `{"command":"# only a comment"}`, 0, "", "completed", ""},
		{"killed by a signal", `{"command":"kill -9 $$"}`, 137, tools.ExitNonzero, "failed", ""},
		{"argv", `{"command":["printf","%s|","a b","$HOME","*"]}`, 0, "", "completed", "a b|$HOME|*|"},
		{"argv as text", `{"command":"[\"printf\",\"%s|\",\"a b\"]"}`, 0, "", "completed", "a b|"},
		{"test is no argv", `{"command":"[ -n x ] && echo yes"}`, 0, "", "completed", "yes\n"},
		{"argv not found", `{"command":["nosuchcmd"]}`, 127, tools.ExitNonzero, "failed", ""},
		{"argv not executable", `{"command":["./notexec"]}`, 126, tools.ExitNonzero, "failed", ""},
		{"empty", `{"command":""}`, -1, tools.InvalidParams, "", ""},
		{"blank", `{"command":" \n "}`, -1, tools.InvalidParams, "", ""},
		{"empty argv", `{"command":[]}`, -1, tools.InvalidParams, "", ""},
		{"missing", `{"action":"exec"}`, -1, tools.InvalidParams, "", ""},
		{"a number", `{"command":7}`, -1, tools.InvalidParams, "", ""},
		{"argv of numbers", `{"command":["echo",1,2.50,true]}`, 0, "", "completed", "1 2.50 true\n"},
		{"argv with null", `{"command":["echo",null]}`, -1, tools.InvalidParams, "", ""},
		{"NUL", `{"command":"echo a\u0000b"}`, -1, tools.InvalidParams, "", ""},
		{"variable name", `{"command":"true","env":{"A=B":"c"}}`, -1, tools.InvalidParams, "", ""},
		{"quotes", `{"command":"sh -c \"echo 'a b'\""}`, 0, "", "completed", "a b\n"},
		{"alias run", `{"action":"run","command":"echo hi"}`, 0, "", "completed", "hi\n"},
		{"both streams in order", `{"command":"for i in 1 2 3; do echo o$i; echo e$i >&2; done; exit 3"}`, 3, tools.ExitNonzero, "failed", "o1\ne1\no2\ne2\no3\ne3\n"},
		{"number in env", `{"command":"echo $PORT","env":{"PORT":8080}}`, 0, "", "completed", "8080\n"},
		{"shell", `{"command":"echo $0","shell":"sh"}`, 0, "", "completed", "sh"},
		{"shell missing", `{"command":"echo","shell":"nosuchsh"}`, -1, tools.NotFound, "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			rep := r.call(tc.args)
			if rep.exit() != tc.exit || rep.code != tc.code || rep.data.Status != tc.status {
				t.Errorf("exit %d %s %q (%s), want %d %s %q; text %q", rep.exit(), rep.code, rep.data.Status, rep.msg, tc.exit, tc.code, tc.status, rep.Text)
			}
			if !strings.Contains(rep.Text, tc.text) {
				t.Errorf("text %q, want %q in it", rep.Text, tc.text)
			}
		})
	}
	if rep := r.run("kill -9 $$"); rep.data.Signal != "SIGKILL" {
		t.Errorf("signal %q, want SIGKILL", rep.data.Signal)
	}
	if rep := r.run("nosuchcmd"); !strings.Contains(rep.warnings(), "PATH=") {
		t.Errorf("warnings %q do not show the path searched", rep.warnings())
	}
}

func TestCommandTooLong(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{})
	rep := r.run("echo " + strings.Repeat("x", 200_000))
	if rep.code != tools.TooLarge {
		t.Errorf("%s %s, want TOO_LARGE", rep.code, rep.msg)
	}
	rep = r.call(m{"command": []string{"echo", strings.Repeat("x", 200_000)}})
	if rep.code == "" || rep.code == tools.InternalError || !strings.Contains(rep.msg, "too long") {
		t.Errorf("argv: %s %s", rep.code, rep.msg)
	}
}

func TestReadingStdinDoesNotHang(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{})
	for _, line := range []string{"cat", "read x; echo rc=$?", "sort", "python3"} {
		if line == "python3" {
			need(t, line)
		}
		within(t, 2*time.Second, line, func() {
			if rep := r.run(line); rep.exit() != 0 {
				t.Errorf("%s: exit %d, %s", line, rep.exit(), rep.msg)
			}
		})
	}
}

func TestStdin(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{})
	long := strings.Repeat("0123456789abcde\n", 20_000)
	if rep := r.call(m{"command": "wc -c", "stdin": long}); strings.TrimSpace(rep.Text) != "320000" {
		t.Errorf("long: %q %s", rep.Text, rep.msg)
	}
	if rep := r.call(m{"command": "cat; echo end", "stdin": "given"}); rep.Text != "givenend\n" {
		t.Errorf("short: %q %s", rep.Text, rep.msg)
	}
	within(t, 2*time.Second, "input that nobody reads", func() {
		if rep := r.call(m{"command": "exit 0", "stdin": long}); rep.exit() != 0 {
			t.Errorf("unread: %d %s", rep.exit(), rep.msg)
		}
	})
}

func TestBackgroundedChildDoesNotDelayTheReply(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{})
	within(t, time.Second, "the reply", func() {
		rep := r.run("sleep 61.5 & echo done")
		if rep.Text != "done\n" || rep.exit() != 0 || rep.code != "" {
			t.Errorf("%q exit %d %s", rep.Text, rep.exit(), rep.msg)
		}
		if !rep.data.Lingering || !strings.Contains(rep.warnings(), rep.data.ProcID) {
			t.Errorf("nothing says that a process was left: %+v %q", rep.data, rep.warnings())
		}
		if rep := r.call(m{"action": "kill", "proc_id": rep.data.ProcID}); rep.code != "" || rep.data.Lingering || rep.exit() != 0 {
			t.Errorf("kill: %+v %s", rep.data, rep.msg)
		}
	})
	gone(t, "61.5", 2*time.Second)
}

func TestOutputIsWholeThoughAChildKeepsThePipe(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{})
	for range 20 {
		rep := r.call(m{"command": "sleep 62.5 & seq 1 20000; exit 4", "max_chars": 1 << 20})
		if !strings.HasSuffix(rep.Text, "\n20000\n") || rep.exit() != 4 {
			t.Fatalf("exit %d, output ends with %q", rep.exit(), rep.Text[max(0, len(rep.Text)-20):])
		}
		r.call(m{"action": "kill", "proc_id": rep.data.ProcID})
	}
	// A child that floods must not hold the reply either.
	within(t, 5*time.Second, "with a flood", func() {
		if rep := r.run("yes 63.5 & echo done"); rep.exit() != 0 || !strings.Contains(rep.Text, "done") && !rep.data.Truncated {
			t.Errorf("exit %d", rep.exit())
		} else {
			r.call(m{"action": "kill", "proc_id": rep.data.ProcID, "signal": "KILL"})
		}
	})
	gone(t, "62.5", 2*time.Second)
	gone(t, "63.5", 2*time.Second)
}

func TestTimeoutEndsTheGroup(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{})
	within(t, 2*time.Second, "the reply", func() {
		rep := r.call(m{"command": "echo before; sh -c 'sleep 301.5 & sleep 302.5'", "timeout": 300})
		if rep.code != tools.Timeout || rep.data.Status != "timed_out" || rep.Text != "before\n" {
			t.Errorf("%s %s %q", rep.code, rep.data.Status, rep.Text)
		}
		if !strings.Contains(rep.warnings(), "milliseconds") {
			t.Errorf("no warning about milliseconds: %q", rep.warnings())
		}
	})
	gone(t, "301.5", time.Second)
	gone(t, "302.5", time.Second)
	rep := r.call(m{"command": `trap "" TERM; sleep 303.5; sleep 303.5`, "timeout": "200ms"})
	if rep.code != tools.Timeout {
		t.Errorf("ignoring TERM: %s", rep.code)
	}
	gone(t, "303.5", time.Second)
}

func TestLongCommandGoesOnInTheBackground(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{job: job.Config{Foreground: 300 * time.Millisecond}})
	rep := r.run("echo before; sleep 1; echo after; exit 5")
	if rep.data.Status != "running" || rep.Text != "before\n" || rep.code != "" || rep.exit() != -1 {
		t.Fatalf("%+v %q %s", rep.data, rep.Text, rep.msg)
	}
	rep = r.call(m{"action": "wait", "proc_id": rep.data.ProcID, "timeout": "10s"})
	if rep.data.Status != "failed" || rep.exit() != 5 || rep.Text != "after\n" || rep.code != "" {
		t.Errorf("%+v %q %s", rep.data, rep.Text, rep.msg)
	}
}

func TestCancelKillsTheTree(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{})
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(300*time.Millisecond, cancel)
	within(t, 2*time.Second, "cancelling", func() {
		rep := r.callCtx(ctx, m{"command": "sleep 304.5 & sh -c 'sleep 305.5; true'"})
		if rep.code != tools.Cancelled {
			t.Errorf("%s", rep.code)
		}
		gone(t, "304.5", time.Second)
		gone(t, "305.5", time.Second)
	})
}

func TestNothingCarriesOver(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{})
	r.run("cd /; export Z=1")
	if rep := r.run("pwd; echo \"$Z\"; echo $PWD"); rep.Text != r.dir+"\n\n"+r.dir+"\n" {
		t.Errorf("%q", rep.Text)
	}
}

func TestFolder(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{})
	for _, dir := range []string{"sub", "gone"} {
		if err := os.Mkdir(filepath.Join(r.dir, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	os.Remove(filepath.Join(r.dir, "gone"))
	os.WriteFile(filepath.Join(r.dir, "file"), nil, 0o644)
	os.Symlink("sub", filepath.Join(r.dir, "link"))
	os.Symlink("/", filepath.Join(r.dir, "out"))
	for _, tc := range []struct {
		name, cwd, want string
		code            tools.Code
	}{
		{"relative", "sub", filepath.Join(r.dir, "sub"), ""},
		{"absolute", r.dir, r.dir, ""},
		{"link inside", "link", filepath.Join(r.dir, "sub"), ""},
		{"deleted", "gone", "gone", tools.NotFound},
		{"file", "file", "file", tools.InvalidParams},
		{"outside", "/", "/", tools.PermissionDenied},
		{"link outside", "out", "out", tools.PermissionDenied},
		{"dots", "../..", "..", tools.PermissionDenied},
	} {
		t.Run(tc.name, func(t *testing.T) {
			rep := r.call(m{"command": "pwd", "cwd": tc.cwd})
			if rep.code != tc.code {
				t.Fatalf("%s %s, want %q", rep.code, rep.msg, tc.code)
			}
			if tc.code == "" && rep.Text != tc.want+"\n" {
				t.Errorf("ran in %q, want %q", rep.Text, tc.want)
			}
			if tc.code != "" && !strings.Contains(rep.msg, tc.want) {
				t.Errorf("%q does not name %q", rep.msg, tc.want)
			}
		})
	}
	os.RemoveAll(r.dir)
	if rep := r.run("pwd"); rep.code != tools.NotFound || !strings.Contains(rep.msg, r.dir) {
		t.Errorf("deleted root: %s %s", rep.code, rep.msg)
	}
}

func TestBearerIsNowhere(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{env: []string{"HANZO_API_KEY=" + secret, "OTHER=x" + secret, "OPENAI_API_KEY=sk-x"}})
	if rep := r.run("env"); strings.Contains(rep.Text, secret) || !strings.Contains(rep.Text, "PATH=") || !strings.Contains(rep.Text, "OPENAI_API_KEY") {
		t.Errorf("%q", rep.Text)
	}
	// Output that has it all the same, whole and in two pieces.
	rep := r.run("printf 'a hk-0123456789'; sleep 0.3; printf 'abcdef b\n'; echo hk-0123456789abcdef")
	if want := "a [redacted:hanzo] b\n[redacted:hanzo]\n"; rep.Text != want {
		t.Errorf("%q, want %q", rep.Text, want)
	}
}

func TestBytesThatAreNotUTF8(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{})
	rep := r.run(`printf 'a\377b\n'`)
	if rep.Text != "a\ufffdb\n" || !strings.Contains(rep.warnings(), "UTF-8") || rep.data.Bytes != 4 {
		t.Errorf("%q %q %d", rep.Text, rep.warnings(), rep.data.Bytes)
	}
}

func TestANSIIsStrippedUnlessRaw(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{})
	line := `printf '\033[31mred\033[0m \033]0;title\007plain\n'`
	if rep := r.run(line); rep.Text != "red plain\n" {
		t.Errorf("%q", rep.Text)
	}
	if rep := r.call(m{"command": line, "raw": true}); rep.Text != "\x1b[31mred\x1b[0m \x1b]0;title\aplain\n" {
		t.Errorf("raw: %q", rep.Text)
	}
}

func TestFloodIsCutInTheMiddle(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{})
	rep := r.run("seq 1 2000000")
	if !strings.HasPrefix(rep.Text, "1\n2\n3\n") || !strings.HasSuffix(rep.Text, "\n1999999\n2000000\n") {
		t.Errorf("head %q tail %q", rep.Text[:20], rep.Text[len(rep.Text)-20:])
	}
	if n := utf8.RuneCountInString(rep.Text); n > tools.DefaultChars+200 {
		t.Errorf("%d characters", n)
	}
	if !rep.Envelope.Meta.Truncated || !rep.data.Truncated || rep.data.Bytes != 14888896 {
		t.Errorf("%+v", rep.data)
	}
	if file, err := os.ReadFile(rep.data.LogFile); err != nil || len(file) != 14888896 {
		t.Errorf("log file: %d bytes, %v", len(file), err)
	}
	if fi, err := os.Stat(rep.data.LogFile); err == nil && fi.Mode().Perm() != 0o600 {
		t.Errorf("log file mode %v", fi.Mode())
	}
	if fi, err := os.Stat(filepath.Dir(rep.data.LogFile)); err == nil && fi.Mode().Perm() != 0o700 {
		t.Errorf("log folder mode %v", fi.Mode())
	}
	// The line in the middle tells how to go on, and it is true.
	i := strings.Index(rep.Text, "[… ")
	j := strings.IndexByte(rep.Text[i:], '\n')
	head := rep.Text[:i]
	page := r.call(m{"action": "logs", "proc_id": rep.data.ProcID, "offset": len(head)})
	if !strings.Contains(rep.Text[i:i+j], "proc_id="+rep.data.ProcID) || !strings.HasPrefix(page.Text, next(head)) {
		t.Errorf("%q, page begins %q", rep.Text[i:i+j], page.Text[:20])
	}
	// Pages put together are the output.
	var all strings.Builder
	for off := int64(0); ; {
		page := r.call(m{"action": "logs", "proc_id": rep.data.ProcID, "offset": off, "max_chars": 4 << 20})
		all.WriteString(page.Text)
		if off = *page.data.NextOffset; !page.data.Truncated {
			break
		}
	}
	if all.Len() != 14888896 || !strings.HasSuffix(all.String(), "\n2000000\n") {
		t.Errorf("pages have %d bytes", all.Len())
	}
}

// next is the line after the last one of a text that seq wrote.
func next(text string) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	n := 0
	for _, c := range lines[len(lines)-1] {
		n = n*10 + int(c-'0')
	}
	s := ""
	for n++; n > 0; n /= 10 {
		s = string(rune('0'+n%10)) + s
	}
	return s + "\n"
}

func TestOneLongLineIsCutAtRunes(t *testing.T) {
	t.Parallel()
	need(t, "python3")
	r := newRig(t, rigConfig{})
	rep := r.call(m{"command": `python3 -c 'print("é漢"*200000, end="")'`, "max_chars": 1000})
	if !utf8.ValidString(rep.Text) || strings.Contains(rep.Text, "\ufffd") || rep.data.Bytes != 1_000_000 || !rep.data.Truncated {
		t.Errorf("%+v %q", rep.data, rep.Text[:100])
	}
	rep = r.call(m{"command": `python3 -c 'print("é漢"*10000)'`})
	if rep.data.Truncated || utf8.RuneCountInString(rep.Text) != 20001 {
		t.Errorf("20001 characters in 50001 bytes were cut: %+v", rep.data)
	}
}

func TestSandboxIsNamedWhenItRefuses(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{})
	const outside = "/usr/local/hanzo-mcp-test" // not in /tmp, which children find empty
	rep := r.run("echo x > " + outside)
	if rep.exit() == 0 {
		_ = os.Remove(outside)
		if runtime.GOOS == "linux" {
			t.Fatal("nothing confines children here")
		}
		t.Skip("nothing confines children on this system")
	}
	if !strings.Contains(rep.warnings(), "the sandbox allows writes only under "+r.dir) {
		t.Errorf("%q, %q", rep.warnings(), rep.Text)
	}
	rep = r.run("git init " + outside + "/repo || { echo Read-only file system; exit 1; }")
	if !strings.Contains(rep.warnings(), "git tool") {
		t.Errorf("%q", rep.warnings())
	}
	if rep := r.run("cat nosuchfile"); strings.Contains(rep.warnings(), "sandbox") {
		t.Errorf("blamed for %q", rep.Text)
	}
}

func TestTerminal(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no terminals there")
	}
	r := newRig(t, rigConfig{mode: launch.Off})
	rep := r.call(m{"command": "test -t 0 && test -t 1 && stty size; echo a; exit 6", "pty": true})
	if rep.Text != "40 120\na\n" || rep.exit() != 6 {
		t.Errorf("%q exit %d %s", rep.Text, rep.exit(), rep.msg)
	}
	rep = r.call(m{"command": "cat", "pty": true, "stdin": "one\ntwo", "timeout": "5s"})
	if rep.exit() != 0 || !strings.Contains(rep.Text, "two") {
		t.Errorf("%q exit %d %s", rep.Text, rep.exit(), rep.msg)
	}
}

func TestConfiguredShell(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{shell: "sh"})
	if rep := r.run("echo $0"); !strings.HasSuffix(strings.TrimSpace(rep.Text), "sh") || strings.Contains(rep.Text, "bash") {
		t.Errorf("%q", rep.Text)
	}
}

func TestProgressIsTheLastLine(t *testing.T) {
	t.Parallel()
	r := newRig(t, rigConfig{})
	c, err := tools.Prepare(r.tool, []byte(`{"command":"for i in 1 2 3; do printf '\\033[1mline %s\\n' $i; sleep 0.4; done"}`), &tools.Session{})
	if err != nil {
		t.Fatal(err)
	}
	c.Roots = r.roots
	var got []string
	c.Progress = func(s string) { got = append(got, s) }
	c.Run(context.Background())
	if len(got) < 2 || len(got) > 6 || got[len(got)-1] != "line 3" {
		t.Errorf("%q", got)
	}
}
