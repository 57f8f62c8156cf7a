package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestStdoutHasOnlyMessages(t *testing.T) {
	t.Parallel()
	for name, env := range map[string][]string{
		"normal":        nil,
		"debug":         {"DEBUG=1"},
		"door down":     {"HANZO_MCP_DOOR=http://127.0.0.1:1/"},
		"door nonsense": {"HANZO_MCP_DOOR=::no url::"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := []string{}
			if name == "debug" {
				args = append(args, "--debug")
			}
			c := start(t, env, args...) // the client fails the test for any other line
			c.initialize("2025-11-25", "{}")
			c.ask("2", "tools/list", "")
			c.raw(call("3", "exec", `{"command":"echo hi"}`))
			if r := parseResult(t, c.wait("3")); r.Payload != "hi\n" {
				t.Errorf("payload %q", r.Payload)
			}
		})
	}
}

func TestBrokenSettingsStillServeAndRefuse(t *testing.T) {
	t.Parallel()
	config := t.TempDir()
	if err := os.MkdirAll(filepath.Join(config, "hanzo"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(config, "hanzo", "settings.json"), []byte(`{"hooks":[{"event":`), 0o600); err != nil {
		t.Fatal(err)
	}
	c := start(t, []string{"XDG_CONFIG_HOME=" + config})
	c.initialize("2025-11-25", "{}")
	c.raw(call("1", "exec", `{"command":"echo hi > here"}`))
	if r := parseResult(t, c.wait("1")); r.Error.Code != "PERMISSION_DENIED" || !strings.Contains(r.Error.Message, "settings.json:") {
		t.Errorf("error %+v", r.Error)
	}
	if _, err := os.Stat(filepath.Join(c.dir, "here")); err == nil {
		t.Error("the command ran")
	}
	if !strings.Contains(c.stderr.String(), "settings.json:") {
		t.Errorf("stderr does not name the place: %s", c.stderr)
	}
}

func TestEndOfInputExitsAtOnce(t *testing.T) {
	t.Parallel()
	c := start(t, nil)
	begun := time.Now()
	if err := c.end(); err != nil {
		t.Errorf("exit: %v", err)
	}
	if took := time.Since(begun); took > drainLimit*4/5 {
		t.Errorf("took %v", took)
	}
}

func TestOneShotPipeGetsItsAnswers(t *testing.T) {
	t.Parallel()
	c := start(t, nil)
	c.raw(request("1", "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}`) +
		`{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n" + request("2", "tools/list", ""))
	if err := c.end(); err != nil {
		t.Errorf("exit: %v", err)
	}
	c.wait("1")
	c.wait("2")
}

func TestCallInFlightAtEndOfInputIsAnswered(t *testing.T) {
	t.Parallel()
	c := start(t, nil)
	c.raw(call("7", "exec", `{"command":"sleep 2; echo ok"}`))
	if err := c.end(); err != nil {
		t.Errorf("exit: %v", err)
	}
	if r := parseResult(t, c.wait("7")); r.Payload != "ok\n" {
		t.Errorf("payload %q", r.Payload)
	}
}

func TestDrainIsBoundedAndLeavesNothing(t *testing.T) {
	t.Parallel()
	c := start(t, nil)
	mark := fmt.Sprintf("36%d", os.Getpid())
	c.raw(call("7", "exec", `{"command":"sleep `+mark+`"}`))
	c.alive()
	c.in.Close()
	begun := time.Now()
	c.waitExit(16 * time.Second)
	if took := time.Since(begun); took < 9*time.Second {
		t.Errorf("the drain took only %v", took)
	}
	if out, _ := exec.Command("pgrep", "-f", "sleep "+mark).Output(); len(out) > 0 {
		t.Errorf("the command is still there: %s", out)
	}
}

func TestBadLines(t *testing.T) {
	t.Parallel()
	c := start(t, nil, "--no-door")
	for _, bad := range []struct{ name, line, reply string }{
		{"cut off", `{"jsonrpc":"2.0","method":"test","params":`, `-32700`},
		{"brace", `{`, `-32700`},
		{"invalid UTF-8", "\xff\xfe", `-32700`},
		{"invalid UTF-8 in a string", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"a\":\"\xff\"}}", `-32700`},
		{"number", `42`, `-32600`},
		{"string", `"x"`, `-32600`},
		{"empty batch", `[]`, `-32600`},
		{"null", `null`, `-32600`},
		{"duplicate method", `{"jsonrpc":"2.0","method":"ping","method":"tools/list"}`, ``},
	} {
		c.raw(bad.line + "\n")
		if bad.reply == "" {
			continue
		}
		if got := c.wait("null"); !strings.Contains(got, `"code":`+bad.reply) {
			t.Errorf("%s: %s", bad.name, got)
		}
	}
	if got := c.ask("7", "", ""); !strings.Contains(got, "-3260") {
		t.Errorf("no method: %s", got)
	}
	c.raw(`{"jsonrpc":"1.0","id":8,"method":"ping"}` + "\n")
	if got := c.wait("8"); !strings.Contains(got, "-32600") {
		t.Errorf("wrong version: %s", got)
	}
	c.raw("\xef\xbb\xbf\r\n\r\n")
	c.alive()
}

func TestByteOrderMarkAndCRLF(t *testing.T) {
	t.Parallel()
	c := start(t, nil, "--no-door")
	c.raw("\xef\xbb\xbf" + strings.TrimSuffix(request("1", "ping", ""), "\n") + "\r\n")
	if got := c.wait("1"); got != `{"jsonrpc":"2.0","id":1,"result":{}}` {
		t.Error(got)
	}
}

func TestLineOverTheLimitIsSkipped(t *testing.T) {
	t.Parallel()
	c := start(t, []string{"HANZO_MCP_MAX_MESSAGE_BYTES=2000"}, "--no-door")
	c.raw(`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"` + strings.Repeat("a", 1<<20) + `"}}` + "\n")
	if got := c.wait("1"); !strings.Contains(got, "-32600") || !strings.Contains(got, "2000 bytes") {
		t.Error(got)
	}
	c.raw(`{"jsonrpc":"2.0","method":"x","params":{"x":"` + strings.Repeat("a", 1<<20) + `"},"id":2}` + "\n") // too far behind
	if got := c.wait("null"); !strings.Contains(got, "-32600") {
		t.Error(got)
	}
	c.raw(`{"jsonrpc":"2.0","id":"deep","method":"ping","params":{"x":` + strings.Repeat("[", 990) + strings.Repeat("]", 990) + `}}` + "\n")
	c.wait(`"deep"`)
	c.alive()
}

func TestIDsComeBackExactly(t *testing.T) {
	t.Parallel()
	c := start(t, nil, "--no-door")
	for _, id := range []string{`"1"`, `0`, `-7`, `9007199254740993`, `123456789012345678901234567890`, `""`, `"a\u0062"`, `1.50`} {
		if got, want := c.ask(id, "ping", ""), `{"jsonrpc":"2.0","id":`+id+`,"result":{}}`; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		c.raw(call(id, "nosuchtool", "{}"))
		if got := c.wait(id); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":`+id+`,"result":`) {
			t.Errorf("local answer to %s: %.100s", id, got)
		}
	}
}

func TestCloseIDsAreCancelledApart(t *testing.T) {
	t.Parallel()
	c := start(t, nil)
	c.raw(call("9007199254740992", "exec", `{"command":"sleep 30; echo A"}`) +
		call("9007199254740993", "exec", `{"command":"sleep 1; echo B"}`) +
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":9007199254740992}}` + "\n")
	if r := parseResult(t, c.wait("9007199254740993")); r.Payload != "B\n" {
		t.Errorf("payload %q", r.Payload)
	}
	c.alive()
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, line := range c.lines {
		if strings.Contains(line, `"id":9007199254740992,`) {
			t.Errorf("the cancelled call was answered: %s", line)
		}
	}
}

func TestCancelEndsTheWork(t *testing.T) {
	t.Parallel()
	c := start(t, nil)
	mark := fmt.Sprintf("37%d", os.Getpid())
	pidFile := filepath.Join(c.dir, "pid")
	c.raw(call("5", "exec", `{"command":"touch pid; exec sleep `+mark+`"}`))
	waitFor(t, 10*time.Second, "the command to start", func() bool { _, err := os.Stat(pidFile); return err == nil })
	c.raw(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":5}}` + "\n")
	waitFor(t, 20*time.Second, "the command to end", func() bool {
		out, _ := exec.Command("pgrep", "-f", "sleep "+mark).Output()
		return len(out) == 0
	})
	c.alive()
}

// waitFor polls for something that another process does.
func waitFor(t *testing.T, limit time.Duration, what string, done func() bool) {
	t.Helper()
	deadline := time.After(limit)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-deadline:
			t.Fatalf("waited %v for %s", limit, what)
		case <-tick.C:
		}
	}
}

func TestSlowCallDelaysNobody(t *testing.T) {
	t.Parallel()
	c := start(t, nil, "--no-door")
	c.raw(call("10", "exec", `{"command":"sleep 6"}`))
	begun := time.Now()
	c.ask("11", "ping", "")
	c.ask("12", "tools/list", "")
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("ping and list took %v", took)
	}
	select {
	case <-c.reply("10"):
		t.Error("the slow call came first")
	default:
	}
	c.wait("10")
}

func TestNotificationsAreNotAnswered(t *testing.T) {
	t.Parallel()
	c := start(t, nil, "--no-door")
	for _, n := range []string{"notifications/initialized", "notifications/roots/list_changed", "notifications/does_not_exist", "ping"} {
		c.raw(`{"jsonrpc":"2.0","method":"` + n + `"}` + "\n")
	}
	c.alive()
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.lines) != 1 {
		t.Errorf("lines: %q", c.lines)
	}
}

func TestBrokenOutputEndsTheServer(t *testing.T) {
	t.Parallel()
	self, _ := os.Executable()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "serve", "--no-door")
	cmd.Env = []string{asProgram + "=1", "HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH")}
	cmd.Stdout = w
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	r.Close()
	for range 2 {
		_, _ = in.Write([]byte(request("1", "ping", "")))
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		_ = cmd.Process.Kill()
		t.Fatal("still running 20 s after its output was gone")
	}
	if cpu := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(); cpu > time.Second {
		t.Errorf("used %v of CPU", cpu)
	}
}

func TestSignalEndsTheServer(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP} {
		t.Run(sig.String(), func(t *testing.T) {
			t.Parallel()
			c := start(t, nil, "--no-door")
			mark := fmt.Sprintf("38%d%d", sig, os.Getpid())
			c.raw(call("1", "exec", `{"command":"touch up; sleep `+mark+`"}`))
			waitFor(t, 10*time.Second, "the command", func() bool { _, err := os.Stat(filepath.Join(c.dir, "up")); return err == nil })
			_ = c.cmd.Process.Signal(sig)
			if err := c.waitExit(20 * time.Second); err != nil {
				t.Errorf("exit: %v", err)
			}
			if out, _ := exec.Command("pgrep", "-f", "sleep "+mark).Output(); len(out) > 0 {
				t.Errorf("left behind: %s", out)
			}
		})
	}
}

func TestManyCallsInOneWrite(t *testing.T) {
	t.Parallel()
	c := start(t, nil, "--no-door")
	var all strings.Builder
	for i := range 50 {
		name := fmt.Sprintf("f%d", i)
		if err := os.WriteFile(filepath.Join(c.dir, name), []byte(strings.Repeat(fmt.Sprintf("%02d", i), 512<<10)), 0o644); err != nil {
			t.Fatal(err)
		}
		all.WriteString(call(fmt.Sprint(i), "exec", `{"command":["cat",`+string(mustJSON(name))+`],"max_chars":2000000}`))
	}
	c.raw(all.String())
	for i := range 50 {
		r := parseResult(t, c.wait(fmt.Sprint(i)))
		if want := strings.Repeat(fmt.Sprintf("%02d", i), 512<<10); r.Payload != want {
			t.Errorf("call %d: %d bytes, want %d", i, len(r.Payload), len(want))
		}
	}
}

func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}
