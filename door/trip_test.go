package door

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/auth"
	"github.com/hanzoai/hanzo-mcp/fakedoor"
)

// What was never sent was not carried out, and the call says so.
func TestCallNeverSent(t *testing.T) {
	t.Parallel()
	hangs := NewTransport()
	hangs.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	silent, err := net.Listen("tcp", "127.0.0.1:0") // it never answers the handshake
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	for name, test := range map[string]struct {
		config Config
		want   string
	}{
		"no connection":     {Config{URL: "http://door.example/v1/mcp", Transport: hangs}, "could not be reached: no connection within 50ms"},
		"no TLS":            {Config{URL: "https://" + silent.Addr().String() + "/v1/mcp"}, "could not be reached: no connection within 50ms"},
		"connection closed": {Config{URL: "http://127.0.0.1:1/v1/mcp", Timeout: time.Minute}, "could not be reached: connection refused"},
	} {
		if test.config.Timeout == 0 {
			test.config.Timeout = 50 * time.Millisecond
		}
		c := open(t, test.config)
		if got := text(t, c.Call(deadline(t), Caller{}, call(t, "1", "x", ""))); !strings.Contains(got, test.want) || strings.Contains(got, perhapsDone) {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// A command that hangs for the whole time of the call is what the call tells of.
func TestCallNotSentForTheCommand(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("needs sh")
	}
	path := filepath.Join(t.TempDir(), "hanzo")
	if err := os.WriteFile(path, []byte("#!/bin/sh\nexec sleep 300\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	door := fakedoor.Start(t, fakedoor.Script{})
	chain := &auth.Chain{Door: door.URL(), LookPath: func(string) (string, error) { return path, nil }, Environ: os.Environ}
	t.Cleanup(chain.Close)
	c := open(t, Config{URL: door.URL(), Auth: chain, Timeout: 200 * time.Millisecond})
	got := text(t, c.Call(deadline(t), Caller{}, call(t, "1", "x", "")))
	if !strings.Contains(got, "`hanzo auth token` gave nothing within 200ms") || strings.Contains(got, perhapsDone) {
		t.Error(got)
	}
	equal(t, len(door.Requests("")), 0)
}

// A proxy that cannot be reached is named, without its password.
func TestCallDeadProxy(t *testing.T) {
	t.Parallel()
	base := NewTransport()
	base.Proxy = http.ProxyURL(&url.URL{Scheme: "http", Host: "127.0.0.1:1", User: url.UserPassword("me", "S3CRET")})
	defer base.CloseIdleConnections()
	var logged log
	c := open(t, Config{URL: "https://door.example/v1/mcp", Transport: base, Log: logged.add})
	got := text(t, c.Call(deadline(t), Caller{}, call(t, "1", "x", "")))
	c.List(deadline(t), 5*time.Second)
	logged.wait(t, 1)
	for _, told := range append(logged.all(), got) {
		if !strings.Contains(told, "could not be reached through the proxy 127.0.0.1:1: connection refused") || strings.Contains(told, "S3CRET") {
			t.Error(told)
		}
	}
}

// A kept connection that the door has closed without a word costs a list and a call that only reads nothing; any other
// call may have been carried out.
func TestCallOnClosedConnection(t *testing.T) {
	t.Parallel()
	door := fakedoor.Start(t, fakedoor.Script{DropKept: true, Tools: []string{tool("get", `,"annotations":{"readOnlyHint":true}`), tool("put"), tool("odd", `,"annotations":{"readOnlyHint":"true"}`)}})
	now := newClock()
	c := open(t, Config{URL: door.URL(), Now: now.Now})
	for range 2 {
		equal(t, toolNames(c.List(deadline(t), 5*time.Second)), "get put")
		now.add(defaultTTL)
	}
	for n := range 3 {
		if r := c.Call(deadline(t), Caller{}, call(t, "1", "get", "")); r.Made {
			t.Errorf("%d: %s", n, r.Result)
		}
	}
	before := len(door.Requests("tools/call"))
	for _, name := range []string{"put", "unknown"} {
		if r := c.Call(deadline(t), Caller{}, call(t, "1", "get", "")); r.Made { // there is a kept connection
			t.Errorf("%s", r.Result)
		}
		got := text(t, c.Call(deadline(t), Caller{}, call(t, "1", name, "")))
		if !strings.Contains(got, "it closed the connection") || !strings.Contains(got, perhapsDone) {
			t.Errorf("%s: %s", name, got)
		}
	}
	sent := map[string]int{}
	for _, r := range door.Requests("tools/call")[before:] {
		sent[r.Tool]++
	}
	equal(t, sent["put"], 1)
	equal(t, sent["unknown"], 1)
}

// A read whose answer has begun is not sent again.
func TestReadThatBeganIsNotSentAgain(t *testing.T) {
	t.Parallel()
	door := fakedoor.Start(t, fakedoor.Script{Tools: []string{tool("get", `,"annotations":{"readOnlyHint":true}`)}})
	c := open(t, Config{URL: door.URL()})
	c.List(deadline(t), 5*time.Second)
	door.Set(func(s *fakedoor.Script) { s.CutBody = true })
	if got := text(t, c.Call(deadline(t), Caller{}, call(t, "1", "get", ""))); !strings.Contains(got, "broke off") {
		t.Error(got)
	}
	equal(t, len(door.Requests("tools/call")), 1)
}
