package fetch

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zstd"

	"github.com/hanzoai/hanzo-mcp/tools"
)

func TestEncodings(t *testing.T) {
	t.Parallel()
	const said = "the same text, many times over. "
	text := strings.Repeat(said, 100)
	pack := func(name string, b []byte) []byte {
		var out bytes.Buffer
		var w io.WriteCloser
		switch name {
		case "gzip":
			w = gzip.NewWriter(&out)
		case "br":
			w = brotli.NewWriter(&out)
		case "zstd":
			w, _ = zstd.NewWriter(&out)
		case "deflate":
			w = zlib.NewWriter(&out)
		case "raw-deflate":
			w, _ = flate.NewWriter(&out, 5)
		}
		w.Write(b)
		w.Close()
		return out.Bytes()
	}
	at := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		name := r.URL.Path[1:]
		switch name {
		case "raw-deflate":
			w.Header().Set("Content-Encoding", "deflate")
			w.Write(pack(name, []byte(text)))
		case "double":
			w.Header().Set("Content-Encoding", "gzip, br")
			w.Write(pack("br", pack("gzip", []byte(text))))
		case "liar":
			w.Header().Set("Content-Encoding", "gzip")
			io.WriteString(w, text)
		case "unknown":
			w.Header().Set("Content-Encoding", "x-lzw")
			io.WriteString(w, text)
		case "onion":
			w.Header().Set("Content-Encoding", "gzip, gzip, gzip, gzip, gzip")
			io.WriteString(w, text)
		case "cut":
			w.Header().Set("Content-Encoding", "gzip")
			b := pack("gzip", []byte(text))
			w.Write(b[:len(b)/2])
		case "empty":
			w.Header().Set("Content-Encoding", "br")
		default:
			w.Header().Set("Content-Encoding", name)
			w.Write(pack(name, []byte(text)))
		}
	})
	w := newWorld(t, Config{})
	for _, name := range []string{"gzip", "br", "zstd", "deflate", "raw-deflate", "double", "liar", "unknown"} {
		if got, _ := w.ok("fetch", args{"url": at + "/" + name}); got != text {
			t.Errorf("%s: %.60q", name, got)
		}
	}
	if got, _ := w.ok("fetch", args{"url": at + "/empty"}); got != "" {
		t.Errorf("empty: %q", got)
	}
	w.fails(tools.HTTPError, "fetch", args{"url": at + "/onion"})
	w.fails(tools.HTTPError, "fetch", args{"url": at + "/cut"})
}

// Bombs, endless and lying bodies stop at the limit, in little memory.
func TestBodiesWithoutEnd(t *testing.T) {
	bomb := func(kind string) []byte {
		var out bytes.Buffer
		var w io.WriteCloser
		switch kind {
		case "gzip":
			w = gzip.NewWriter(&out)
		case "br":
			w = brotli.NewWriterLevel(&out, 5)
		case "zstd":
			w, _ = zstd.NewWriter(&out)
		}
		zeros := bytes.Repeat([]byte("a"), 1<<20)
		for range 200 {
			w.Write(zeros)
		}
		w.Close()
		return out.Bytes()
	}
	bombs := map[string][]byte{"gzip": bomb("gzip"), "br": bomb("br"), "zstd": bomb("zstd")}
	var emptyMember bytes.Buffer
	gzip.NewWriter(&emptyMember).Close()
	at := rawServer(t, func(c net.Conn, r *http.Request) {
		head := func(extra string) { fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n%s\r\n", extra) }
		switch name := r.URL.Path[1:]; name {
		case "endless":
			head("")
			for chunk := bytes.Repeat([]byte("x"), 64<<10); ; {
				if _, err := c.Write(chunk); err != nil {
					return
				}
			}
		case "huge":
			head("Content-Length: 10000000000\r\n")
			for chunk := bytes.Repeat([]byte("x"), 64<<10); ; {
				if _, err := c.Write(chunk); err != nil {
					return
				}
			}
		case "members":
			head("Content-Encoding: gzip\r\n")
			for chunk := bytes.Repeat(emptyMember.Bytes(), 4000); ; {
				if _, err := c.Write(chunk); err != nil {
					return
				}
			}
		case "headers":
			fmt.Fprint(c, "HTTP/1.1 200 OK\r\n")
			for {
				if _, err := fmt.Fprintf(c, "X-A: %s\r\n", strings.Repeat("y", 4000)); err != nil {
					return
				}
			}
		default:
			head("Content-Encoding: " + name + "\r\n")
			c.Write(bombs[name])
		}
	})
	w := newWorld(t, Config{})
	var before, after runtime.MemStats
	for _, name := range []string{"endless", "huge", "gzip", "br", "zstd"} {
		runtime.GC()
		runtime.ReadMemStats(&before)
		start := time.Now()
		out := w.call("fetch", args{"url": at + "/" + name, "max_chars": 1000})
		runtime.ReadMemStats(&after)
		d := dataOf(t, out)
		if !out.Envelope.OK || !out.Envelope.Meta.Truncated || d["size"] != float64(maxBody) || len(out.Text) > 1000 {
			t.Errorf("%s: %v %v", name, out.Envelope.Error, d)
		}
		if used := after.Sys - min(before.Sys, after.Sys); used > 100<<20 {
			t.Errorf("%s: %d MiB more from the system", name, used>>20)
		}
		t.Logf("%s: %v, %d MiB allocated in all", name, time.Since(start).Round(time.Millisecond), (after.TotalAlloc-before.TotalAlloc)>>20)
		w.session = &tools.Session{ID: name}
	}
	w.fails(tools.HTTPError, "fetch", args{"url": at + "/members"})
	w.fails(tools.HTTPError, "fetch", args{"url": at + "/headers"})
}

// A slow body ends with the time for the call, and what came is given; a body that is shorter than announced too.
func TestSlowAndShort(t *testing.T) {
	t.Parallel()
	at := rawServer(t, func(c net.Conn, r *http.Request) {
		switch r.URL.Path {
		case "/slow":
			fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nstart ")
			for {
				if _, err := c.Write([]byte("x")); err != nil {
					return
				}
				time.Sleep(20 * time.Millisecond)
			}
		case "/silent":
			io.Copy(io.Discard, c)
		case "/short":
			fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\nonly this")
		}
	})
	w := newWorld(t, Config{})
	start := time.Now()
	if out := w.fails(tools.Timeout, "fetch", args{"url": at + "/slow", "timeout": 400}); !strings.HasPrefix(out.Text, "start x") {
		t.Errorf("slow: %q", out.Text)
	}
	w.fails(tools.Timeout, "fetch", args{"url": at + "/silent", "timeout": "300ms"})
	if took := time.Since(start); took > 20*time.Second {
		t.Errorf("took %v", took)
	}
	if out := w.fails(tools.HTTPError, "fetch", args{"url": at + "/short"}); out.Text != "only this" || !strings.Contains(out.Envelope.Error.Message, "100 bytes") {
		t.Errorf("short: %q %v", out.Text, out.Envelope.Error)
	}
}

// Cancelling closes the connection.
func TestCancelClosesTheConnection(t *testing.T) {
	t.Parallel()
	begun, closed := make(chan struct{}, 1), make(chan struct{}, 1)
	at := rawServer(t, func(c net.Conn, r *http.Request) {
		fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\nx")
		begun <- struct{}{}
		io.Copy(io.Discard, c)
		closed <- struct{}{}
	})
	w := newWorld(t, Config{})
	ctx, cancel := context.WithCancel(context.Background())
	go func() { <-begun; cancel() }()
	out := w.callCtx(ctx, "fetch", args{"url": at})
	if out.Envelope.OK || out.Envelope.Error.Code != tools.Cancelled {
		t.Errorf("%+v", out.Envelope)
	}
	select {
	case <-closed:
	case <-time.After(20 * time.Second):
		t.Error("the connection is still open")
	}
}

// Nothing stays behind: no goroutine, no connection.
func TestNothingStays(t *testing.T) {
	at := serve(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "x") })
	secure, cfg := serveTLS(t, func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "x") })
	w := newWorld(t, Config{TLS: cfg})
	w.ok("fetch", args{"url": at})
	w.ok("fetch", args{"url": secure})
	start := runtime.NumGoroutine()
	for range 20 {
		w.ok("fetch", args{"url": at})
		w.ok("fetch", args{"url": secure})
	}
	for deadline := time.Now().Add(20 * time.Second); runtime.NumGoroutine() > start+4; runtime.Gosched() {
		if time.Now().After(deadline) {
			b := make([]byte, 1<<16)
			t.Fatalf("%d goroutines, %d at first\n%s", runtime.NumGoroutine(), start, b[:runtime.Stack(b, true)])
		}
	}
}

// A body that stands still ends its request, one that trickles does not.
func TestIdle(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancelCause(context.Background())
		r, w := io.Pipe()
		body := watch(r, time.Second, stop)
		defer body.stop()
		go func() {
			for range 8 {
				time.Sleep(900 * time.Millisecond)
				if _, err := w.Write([]byte("x")); err != nil {
					return
				}
			}
		}()
		for i := range 8 {
			if _, err := body.Read(make([]byte, 1)); err != nil || ctx.Err() != nil {
				t.Fatalf("byte %d: %v, %v", i, err, context.Cause(ctx))
			}
		}
		begun := time.Now()
		<-ctx.Done()
		if took := time.Since(begun); took != time.Second || !errors.Is(context.Cause(ctx), errIdle) {
			t.Errorf("after %v: %v", took, context.Cause(ctx))
		}
	})
}

// Work that cannot be interrupted does not hold a cancelled call, and its panic is the call's.
func TestAwait(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(context.Background())
	release := make(chan struct{})
	defer close(release)
	begun := make(chan struct{})
	go func() { <-begun; cancel() }()
	if _, err := await(ctx, func() int { close(begun); <-release; return 1 }); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	if v, err := await(ctx, func() int { return 2 }); v != 2 || err != nil {
		t.Errorf("after the end: %d %v", v, err)
	}
	defer func() {
		if recover() != "ours" {
			t.Error("no panic")
		}
	}()
	_, _ = await(context.Background(), func() int { panic("ours") })
}
