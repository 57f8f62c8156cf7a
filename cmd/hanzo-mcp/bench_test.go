package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/fakedoor"
	"github.com/hanzoai/hanzo-mcp/hooks"
	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/fs"
)

// pipeClient drives a hanzo-mcp that runs as a process of its own, one reply at a time.
type pipeClient struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	lines *lineReader
}

func startBench(b *testing.B, env []string, args ...string) *pipeClient {
	b.Helper()
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	dir := b.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module x\n"), 0o644); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "small"), bytes.Repeat([]byte("0123456789abcde\n"), 64), 0o644); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "big"), bytes.Repeat([]byte("0123456789abcde\n"), 10<<16), 0o644); err != nil {
		b.Fatal(err)
	}
	c := &pipeClient{cmd: exec.Command(self, append([]string{"serve", "--sandbox", "workspace"}, args...)...)}
	c.cmd.Dir = dir
	c.cmd.Env = append([]string{asProgram + "=1", "HOME=" + b.TempDir(), "PATH=" + os.Getenv("PATH")}, env...)
	c.in, err = c.cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		b.Fatal(err)
	}
	c.lines = newLineReader(out, 64<<20)
	b.Cleanup(func() { c.in.Close(); _ = c.cmd.Wait() })
	return c
}

func (c *pipeClient) ask(b *testing.B, message string) int {
	if _, err := io.WriteString(c.in, message); err != nil {
		b.Fatal(err)
	}
	line, err := c.lines.next()
	if err != nil {
		b.Fatal(err)
	}
	if bytes.Contains(line, []byte(`"isError":true`)) {
		b.Fatalf("%.500s", line)
	}
	return len(line)
}

// inFlight keeps n requests under way.
func (c *pipeClient) inFlight(b *testing.B, n int, message string) {
	slots := make(chan struct{}, n)
	var done sync.WaitGroup
	done.Go(func() {
		for range b.N {
			if _, err := c.lines.next(); err != nil {
				b.Error(err)
				return
			}
			<-slots
		}
	})
	for range b.N {
		slots <- struct{}{}
		if _, err := io.WriteString(c.in, message); err != nil {
			b.Fatal(err)
		}
	}
	done.Wait()
}

// BenchmarkServe measures calls through the whole program over stdio.
func BenchmarkServe(b *testing.B) {
	d := &fakedoor.Server{}
	if err := d.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(d.Stop)
	c := startBench(b, []string{"HANZO_MCP_DOOR=" + d.URL()})
	read := call("1", "fs", `{"action":"read","path":"small"}`)
	for name, message := range map[string]string{
		"ping":      request("1", "ping", ""),
		"list":      request("1", "tools/list", ""),
		"read1k":    read,
		"read10m":   call("1", "fs", `{"action":"read","path":"big","limit":10000000,"max_chars":16777216}`),
		"exec":      call("1", "exec", `{"command":"echo hello"}`),
		"exec10m":   call("1", "exec", `{"command":"cat big","max_chars":16777216}`),
		"forward1k": request("1", "tools/call", `{"name":"fixed_1k"}`),
		"forward1m": request("1", "tools/call", `{"name":"fixed_1m"}`),
		"forward8m": request("1", "tools/call", `{"name":"fixed_8m"}`),
	} {
		b.Run(name, func(b *testing.B) {
			for range b.N {
				c.ask(b, message)
			}
		})
	}
	b.Run("read1k/16 in flight", func(b *testing.B) { c.inFlight(b, 16, read) })
	b.Run("forward1k/16 in flight", func(b *testing.B) { c.inFlight(b, 16, request("1", "tools/call", `{"name":"fixed_1k"}`)) })
	b.Run("exec/16 in flight", func(b *testing.B) { c.inFlight(b, 16, call("1", "exec", `{"command":"echo hello"}`)) })
	for name, tool := range map[string]string{"post1k": "fixed_1k", "post1m": "fixed_1m", "post8m": "fixed_8m"} {
		b.Run(name, func(b *testing.B) {
			for range b.N {
				resp, err := http.Post(d.URL(), "application/json", strings.NewReader(request("1", "tools/call", `{"name":"`+tool+`"}`)))
				if err != nil {
					b.Fatal(err)
				}
				_, err = io.Copy(io.Discard, resp.Body)
				resp.Body.Close()
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkStart measures from exec to the reply to initialize, and to tools/list with the door's 110 tools.
func BenchmarkStart(b *testing.B) {
	d := &fakedoor.Server{}
	if err := d.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(d.Stop)
	for name, last := range map[string]string{"initialize": "", "list": request("2", "tools/list", "")} {
		b.Run(name, func(b *testing.B) {
			for range b.N {
				c := startBench(b, []string{"HANZO_MCP_DOOR=" + d.URL()})
				c.ask(b, request("1", "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"b","version":"1"}}`))
				if last != "" {
					c.ask(b, last)
				}
				b.StopTimer()
				c.in.Close()
				_ = c.cmd.Wait()
				b.StartTimer()
			}
		})
	}
}

// BenchmarkGate measures what rules and roots add to a read of 1 KiB: "root" is the same read through os.Root alone.
func BenchmarkGate(b *testing.B) {
	dir := b.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "f"), bytes.Repeat([]byte("0123456789abcde\n"), 64), 0o644); err != nil {
		b.Fatal(err)
	}
	roots, err := sandbox.Open(sandbox.Config{Dirs: []string{dir}})
	if err != nil {
		b.Fatal(err)
	}
	rules := make([]hooks.Rule, 0, 20)
	for i := range 19 {
		rules = append(rules, hooks.Rule{Pattern: fmt.Sprintf("git.x%d", i), Mode: hooks.Deny})
	}
	rules = append(rules, hooks.Rule{Pattern: "*", Mode: hooks.Allow})
	policy, err := hooks.NewPolicy(hooks.Names{Local: localNames}, hooks.Tier{Name: "user", Rules: rules})
	if err != nil {
		b.Fatal(err)
	}
	tool, gate, session := fs.New(fs.Config{}), tools.NewGate(), &tools.Session{ID: "b"}
	runWith := func(b *testing.B, guard *tools.Guard) {
		for range b.N {
			c, err := tools.Prepare(tool, []byte(`{"action":"read","path":"f"}`), session)
			if err != nil {
				b.Fatal(err)
			}
			if out, err := gate.Local(context.Background(), c, guard, tools.Caller{}); err != nil || !out.Envelope.OK {
				b.Fatal(err, out)
			}
		}
	}
	b.Run("root", func(b *testing.B) {
		root, err := os.OpenRoot(dir)
		if err != nil {
			b.Fatal(err)
		}
		defer root.Close()
		for range b.N {
			if _, err := root.ReadFile("f"); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("read", func(b *testing.B) { runWith(b, &tools.Guard{Roots: roots}) })
	b.Run("read with 20 rules", func(b *testing.B) { runWith(b, &tools.Guard{Roots: roots, Rules: policy}) })
}

// TestManyCallsLeaveNothing makes calls of each kind and compares descriptors and memory before and after.
func TestManyCallsLeaveNothing(t *testing.T) {
	t.Parallel()
	d := fakedoor.Start(t, fakedoor.Script{})
	c := start(t, []string{"HANZO_MCP_DOOR=" + d.URL()})
	c.initialize("2025-11-25", "{}")
	if err := os.WriteFile(filepath.Join(c.dir, "f"), []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	round := func(n int) {
		var all sync.WaitGroup
		for i := range 16 {
			all.Go(func() {
				for j := range n {
					id := fmt.Sprintf(`"%d.%d"`, i, j)
					switch j % 4 {
					case 0:
						c.ask(id, "tools/call", `{"name":"fixed_1k"}`)
					case 1:
						c.ask(id, "tools/list", "")
					default:
						c.ask(id, "tools/call", `{"name":"fs","arguments":{"action":"read","path":"f"}}`)
					}
					c.mu.Lock()
					delete(c.replies, id)
					c.lines = nil
					c.mu.Unlock()
				}
			})
		}
		all.Wait()
	}
	descriptors := func() int {
		list, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", c.cmd.Process.Pid))
		if err != nil {
			t.Skipf("no /proc: %v", err)
		}
		return len(list)
	}
	round(4)
	before, begun := descriptors(), time.Now()
	round(200)
	if after := descriptors(); after > before+16+3 { // each of the callers may keep a connection to the door
		t.Errorf("%d descriptors before, %d after", before, after)
	}
	t.Logf("3,200 calls in %v", time.Since(begun))
}
