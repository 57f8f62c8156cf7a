package main

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/fakedoor"
)

// benchHTTP is a hanzo-mcp serving HTTP, as a process of its own, and a client of it.
type benchHTTP struct {
	url, session string
	process      *os.Process
	client       *http.Client
}

func startBenchHTTP(b *testing.B, env []string) *benchHTTP {
	b.Helper()
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	dir := b.TempDir()
	for name, content := range map[string][]byte{"go.mod": []byte("module x\n"), "small": bytes.Repeat([]byte("0123456789abcde\n"), 64)} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			b.Fatal(err)
		}
	}
	cmd := exec.Command(self, "serve", "--http=127.0.0.1:0", "--http-no-token", "--sandbox", "workspace")
	cmd.Dir = dir
	cmd.Env = append([]string{asProgram + "=1", "HOME=" + b.TempDir(), "PATH=" + os.Getenv("PATH"), "TMPDIR=" + b.TempDir()}, env...)
	said := newErrorLog(b)
	cmd.Stderr = said.File
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = cmd.Process.Signal(os.Interrupt); _ = cmd.Wait() })
	h := &benchHTTP{process: cmd.Process, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 300}}}
	b.Cleanup(h.client.CloseIdleConnections)
	for deadline := time.Now().Add(10 * time.Second); h.url == ""; time.Sleep(5 * time.Millisecond) {
		h.url = regexp.MustCompile(`http://[0-9.:]+/mcp`).FindString(said.String())
		if time.Now().After(deadline) {
			b.Fatalf("it does not listen: %s", said)
		}
	}
	h.session = h.begin(b)
	return h
}

func (h *benchHTTP) begin(b *testing.B) string {
	b.Helper()
	resp := h.do(b, http.MethodPost, request("0", "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"b","version":"1"}}`), "")
	_, _ = io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	return resp.Header.Get("Mcp-Session-Id")
}

func (h *benchHTTP) do(b *testing.B, method, body, session string) *http.Response {
	req, err := http.NewRequest(method, h.url, strings.NewReader(body))
	if err != nil {
		b.Error(err)
		return nil
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		req.Header.Set("Mcp-Session-Id", session)
	}
	resp, err := h.client.Do(req)
	if err != nil {
		b.Error(err)
	}
	return resp
}

func (h *benchHTTP) ask(b *testing.B, message string) {
	resp := h.do(b, http.MethodPost, message, h.session)
	if resp == nil {
		return
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK || bytes.Contains(body, []byte(`"isError":true`)) {
		b.Errorf("%s %v: %.300s", resp.Status, err, body)
	}
}

// median runs f b.N times and reports the median in microseconds under a name.
func median(b *testing.B, name string, f func()) float64 {
	times := make([]time.Duration, b.N)
	for i := range times {
		begun := time.Now()
		f()
		times[i] = time.Since(begun)
	}
	slices.Sort(times)
	us := float64(times[len(times)/2].Nanoseconds()) / 1000
	b.ReportMetric(us, name)
	return us
}

// BenchmarkHTTP measures calls through the whole program over HTTP on loopback.
func BenchmarkHTTP(b *testing.B) {
	d := &fakedoor.Server{}
	if err := d.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(d.Close)
	h := startBenchHTTP(b, []string{"HANZO_MCP_DOOR=" + d.URL()})
	read := call("1", "fs", `{"action":"read","path":"small"}`)
	b.Run("read1k", func(b *testing.B) { median(b, "p50-µs", func() { h.ask(b, read) }) })
	b.Run("ping", func(b *testing.B) { median(b, "p50-µs", func() { h.ask(b, request("1", "ping", "")) }) })
	b.Run("list", func(b *testing.B) { median(b, "p50-µs", func() { h.ask(b, request("1", "tools/list", "")) }) })
	b.Run("read1k/16 in flight", func(b *testing.B) {
		work := make(chan struct{})
		var all sync.WaitGroup
		for range 16 {
			all.Go(func() {
				for range work {
					h.ask(b, read)
				}
			})
		}
		for range b.N {
			work <- struct{}{}
		}
		close(work)
		all.Wait()
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
	})
	// A door on loopback that answers at once is a hop of 100 µs, and a forwarded call has two of them, whoever forwards:
	// "plain-ratio" is what the reverse proxy of net/http costs here. "5ms" has a door that takes what a near one does.
	door, err := url.Parse(strings.TrimSuffix(d.URL(), "/v1/mcp"))
	if err != nil {
		b.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(door)
	proxy.ErrorLog = log.New(io.Discard, "", 0) // it tells of connections that end with a run
	plain := httptest.NewServer(proxy)
	b.Cleanup(plain.Close)
	for _, c := range []struct {
		name, tool string
		delay      time.Duration
	}{{"1k", "fixed_1k", 0}, {"1m", "fixed_1m", 0}, {"1k 5ms", "fixed_1k", 5 * time.Millisecond}, {"1m 5ms", "fixed_1m", 5 * time.Millisecond}} {
		b.Run("forward/"+c.name, func(b *testing.B) {
			d.Set(func(s *fakedoor.Script) { s.Delay = c.delay })
			forward := request("1", "tools/call", `{"name":"`+c.tool+`"}`)
			post := func(address string) {
				resp, err := h.client.Post(address, "application/json", strings.NewReader(forward))
				if err != nil {
					b.Fatal(err)
				}
				_, _ = io.ReadAll(resp.Body)
				resp.Body.Close()
			}
			ways := []func(){func() { h.ask(b, forward) }, func() { post(d.URL()) }, func() { post(plain.URL + "/v1/mcp") }}
			took := make([][]time.Duration, len(ways))
			for range b.N { // turn about, so that a busy machine is as busy for all
				for i, way := range ways {
					begun := time.Now()
					way()
					took[i] = append(took[i], time.Since(begun))
				}
			}
			var p50 [3]float64
			for i := range took {
				slices.Sort(took[i])
				p50[i] = took[i][b.N/2].Seconds()
			}
			b.ReportMetric(p50[0]*1e6, "p50-µs")
			b.ReportMetric(p50[1]*1e6, "direct-µs")
			b.ReportMetric(p50[0]/p50[1], "ratio")
			b.ReportMetric(p50[2]/p50[1], "plain-ratio")
		})
	}
}

// BenchmarkIdleSessions measures what the process holds with 200 sessions that have listed and are idle, and when each
// has a stream open too.
func BenchmarkIdleSessions(b *testing.B) {
	d := &fakedoor.Server{}
	if err := d.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(d.Close)
	for range b.N {
		h := startBenchHTTP(b, []string{"HANZO_MCP_DOOR=" + d.URL()})
		h.ask(b, request("1", "tools/list", ""))
		b.ReportMetric(resident(b, h.process), "MB-alone")
		var sessions []string
		for range 200 {
			h.session = h.begin(b)
			h.ask(b, request("1", "tools/list", ""))
			sessions = append(sessions, h.session)
		}
		b.ReportMetric(resident(b, h.process), "MB-sessions")
		for _, session := range sessions {
			resp := h.do(b, http.MethodGet, "", session)
			if resp == nil || resp.StatusCode != http.StatusOK {
				b.Fatalf("stream: %v", resp)
			}
			defer resp.Body.Close()
		}
		b.ReportMetric(resident(b, h.process), "MB-streams")
	}
}

// resident is a process's resident memory in MB.
func resident(b *testing.B, p *os.Process) float64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Pid))
	if err != nil {
		b.Skipf("no /proc: %v", err)
	}
	var kb float64
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	_, _ = fmt.Sscan(rest, &kb)
	return kb / 1024
}
