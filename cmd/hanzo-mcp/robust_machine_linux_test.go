package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/fakedoor"
)

// through makes the program start through a shell line, in which "$@" is the program.
func through(t *testing.T, cmd *exec.Cmd, line string) {
	t.Helper()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh")
	}
	cmd.Args = append([]string{"sh", "-c", line, "sh", cmd.Path}, cmd.Args[1:]...)
	cmd.Path = sh
}

// preparePipes is openPipes with a change of the command before it starts.
func preparePipes(t *testing.T, env []string, prepare func(*exec.Cmd), args ...string) *pipes {
	t.Helper()
	return startPipes(t, env, prepare, args)
}

// TestNoDescriptorsLeft: with hardly any descriptors, each call is answered once, by an error where it must be, and the
// server works again when there are some.
func TestNoDescriptorsLeft(t *testing.T) {
	t.Parallel()
	t.Run("stdio", func(t *testing.T) {
		t.Parallel()
		const n = 450
		// Up to 32 idle connections to the door are kept: a limit near that would stay used up for a while.
		// The door holds each call for so long that a busy machine, too, has more of them under way than descriptors.
		d := fakedoor.Start(t, fakedoor.Script{Delay: 600 * time.Millisecond, Methods: []string{"tools/call"}, Results: map[string]string{"t": good}})
		p := preparePipes(t, []string{"HANZO_MCP_DOOR=" + d.URL()}, func(cmd *exec.Cmd) { through(t, cmd, `ulimit -n 100; exec "$@"`) })
		var all strings.Builder
		for i := range n {
			if i%3 == 0 {
				all.WriteString(call(fmt.Sprint(i), "exec", `{"command":"sleep 0.2; echo ok"}`))
			} else {
				all.WriteString(request(fmt.Sprint(i), "tools/call", `{"name":"t"}`))
			}
		}
		p.send(all.String())
		got := p.lines(n)
		failed := 0
		seen := map[string]int{}
		for id, lines := range got {
			seen[id] = len(lines)
			if strings.Contains(lines[0], `"isError":true`) {
				failed++
			}
		}
		each(t, seen, n)
		t.Logf("%d of %d calls failed", failed, n)
		if failed == 0 {
			t.Error("descriptors were never short: the limit is too high for this test")
		}
		last := ""
		for deadline := time.Now().Add(30 * time.Second); ; {
			p.send(call(`"again"`, "exec", `{"command":"echo ok"}`) + request(`"door"`, "tools/call", `{"name":"t"}`))
			after := p.lines(2)
			if last = after[`"again"`][0] + after[`"door"`][0]; !strings.Contains(last, `"isError":true`) {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("calls do not work again: %s", last)
			}
			time.Sleep(10 * time.Millisecond)
		}
		p.end(15 * time.Second)
	})
	t.Run("http", func(t *testing.T) {
		t.Parallel()
		h := prepareHTTP(t, t.TempDir(), []string{}, func(cmd *exec.Cmd) { through(t, cmd, `ulimit -n 40; exec "$@"`) }, "--no-door")
		session := h.session("2025-11-25", "{}")
		var conns []net.Conn
		for range 60 {
			conns = append(conns, h.dial()) // the kernel takes them, the server cannot
		}
		time.Sleep(100 * time.Millisecond) // nothing tells that accept fails
		for _, c := range conns {
			c.Close()
		}
		for i := range 10 {
			id := fmt.Sprint(i)
			if got := text(t, h.do("POST", request(id, "tools/call", `{"name":"fs","arguments":{"action":"stat","path":"."}}`), session)); !strings.Contains(got, `"id":`+id+`,"result"`) {
				t.Errorf("got %.300s", got)
			}
		}
	})
}

// TestDiskFull: with no room for temporary files and none below the root, what was there stays whole, each call gets its
// reply, and output is still given from memory.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	dir, temp := t.TempDir(), t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	p := preparePipes(t, []string{"TMPDIR=" + temp, "HANZO_MCP_TEST_DIR=" + dir}, func(cmd *exec.Cmd) {
		cmd.Dir = dir
		through(t, cmd, `mount -t tmpfs -o size=64k tmpfs "$TMPDIR" && mount -t tmpfs -o size=1m tmpfs "$HANZO_MCP_TEST_DIR" || exit 77
cd "$HANZO_MCP_TEST_DIR" && mkdir .git && head -c 600000 /dev/zero | tr '\0' o >old && exec "$@"`)
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
			UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
		}
	}, "--no-door", "--project-dir", dir)
	if p == nil {
		t.Skip("no user namespaces here")
	}
	p.send(request(`"up"`, "ping", ""))
	if _, err := p.out.Peek(1); err != nil {
		t.Skipf("no tmpfs in a user namespace here: %v, %v", err, p.cmd.Wait())
	}
	p.lines(1)
	content := strings.Repeat("n", 700_000)
	p.send(call("0", "fs", `{"action":"write","path":"old","content":"`+content+`","overwrite":true}`) +
		call("1", "fs", `{"action":"write","path":"new","content":"`+content+`"}`) +
		call("2", "exec", `{"command":"head -c 300000 /dev/zero | tr '\\0' x","max_chars":1000000}`) +
		call("3", "exec", `{"command":"head -c 5000000 /dev/zero | tr '\\0' x; echo end"}`))
	got := p.lines(4)
	seen := map[string]int{}
	for id, lines := range got {
		seen[id] = len(lines)
	}
	each(t, seen, 4)
	for _, id := range []string{"0", "1"} {
		if r := parseResult(t, got[id][0]); r.OK || !strings.Contains(strings.ToLower(r.Error.Message), "space") {
			t.Errorf("write %s: %+v", id, r.Error)
		}
	}
	if r := parseResult(t, got["2"][0]); !r.OK || len(r.Payload) != 300_000 {
		t.Errorf("output: %d bytes, %+v", len(r.Payload), r.Error)
	}
	if r := parseResult(t, got["3"][0]); !strings.Contains(r.Payload, "end") {
		t.Errorf("long output: %.200q, %+v", r.Payload, r.Error)
	}
	p.send(call("4", "fs", `{"action":"stat","path":"old"}`) + call("5", "fs", `{"action":"list","path":"."}`) + call("6", "fs", `{"action":"read","path":"old","max_chars":1000000}`))
	got = p.lines(3)
	if r := parseResult(t, got["6"][0]); r.Payload != strings.Repeat("o", 600_000) {
		t.Errorf("the old file has changed: %d bytes %.100q %+v", len(r.Payload), r.Payload, r.Error)
	}
	if list := parseResult(t, got["5"][0]); strings.Contains(list.Payload, "new") || strings.Count(fmt.Sprint(list.Payload, list.Data), "tmp") > 0 {
		t.Errorf("left behind: %q %v", list.Payload, list.Data)
	}
	p.end(15 * time.Second)
}

// TestStoppedAndContinued: a server that was stopped (a laptop's lid, ^Z) answers what came meanwhile, once.
func TestStoppedAndContinued(t *testing.T) {
	t.Parallel()
	for _, tr := range transports {
		t.Run(tr.name, func(t *testing.T) {
			t.Parallel()
			d := fakedoor.Start(t, fakedoor.Script{Delay: 300 * time.Millisecond, Methods: []string{"tools/call"}, Results: map[string]string{"t": good}})
			r := tr.start(t, []string{"HANZO_MCP_DOOR=" + d.URL()})
			r.local(`"warm"`)
			for round := range 3 {
				var all sync.WaitGroup
				for i := range 12 {
					id := fmt.Sprintf(`"%d.%d"`, round, i)
					all.Go(func() {
						switch i % 3 {
						case 0:
							if got := r.ask(id, "tools/call", `{"name":"t"}`); !strings.HasSuffix(got, good+"}") {
								t.Errorf("forwarded: %.300s", got)
							}
						case 1:
							r.ask(id, "tools/call", `{"name":"exec","arguments":{"command":"sleep 0.2; echo ok"}}`)
						default:
							r.local(id)
						}
					})
				}
				waitFor(t, 20*time.Second, "a call at the door", func() bool { return len(d.Requests("tools/call")) > 4*round })
				if err := r.process.Signal(syscall.SIGSTOP); err != nil {
					t.Fatal(err)
				}
				time.Sleep(400 * time.Millisecond) // the door answers while nobody reads
				if err := r.process.Signal(syscall.SIGCONT); err != nil {
					t.Fatal(err)
				}
				all.Wait()
			}
			r.local(`"after"`)
		})
	}
}

// TestClockJumps: approvals end by the time that has passed since the start; a clock set back or forth opens nothing.
func TestClockJumps(t *testing.T) {
	t.Parallel()
	a := newApprovals()
	if one, two := a.now(), a.now(); two.Round(0).Before(one.Round(0)) { // Round takes the steady part of a time off
		t.Error("the time that counts went back")
	}
	now := time.Now()
	a.now = func() time.Time { return now }
	call := []byte("the call")
	fresh := func() string {
		return a.seal(approvalState{Call: call, Expiry: a.now().Add(promptLimit).Unix(), Nonce: fmt.Appendf(nil, "%d", now.UnixNano())})
	}
	if state := fresh(); !a.spend(state, call) || a.spend(state, call) {
		t.Error("a state is good once")
	}
	state := fresh()
	now = now.Add(time.Hour)
	if a.spend(state, call) {
		t.Error("a state is good after its time")
	}
	now = now.Add(-48 * time.Hour)
	if state := fresh(); !a.spend(state, call) || a.spend(state, call) {
		t.Error("with the clock set back a state is good once")
	}
}

// startPipes starts a program whose pipes the test holds, nil when the kernel refuses to start it so.
func startPipes(t *testing.T, env []string, prepare func(*exec.Cmd), args []string) *pipes {
	t.Helper()
	p := newPipes(t, env, args...)
	prepare(p.cmd)
	if err := p.begin(); errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EINVAL) {
		return nil
	} else if err != nil {
		t.Fatal(err)
	}
	return p
}
