package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"
)

// TestBodiesTakeRoomAsTheyCome: what is read counts, with what it costs, until it is given back; who finds no room is
// told so in time, and a small body never waits for a large one.
func TestBodiesTakeRoomAsTheyCome(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBodies(8*(firstBytes+requestCost), 2*bodyStep)
		read := func(r io.Reader) ([]byte, func(), error) { return b.read(t.Context(), r) }
		small, freeSmall, err := read(strings.NewReader("small"))
		if string(small) != "small" || err != nil {
			t.Fatalf("%q %v", small, err)
		}
		text := strings.Repeat("0123456789abcdef", (firstBytes+bodyStep+bodyStep/2)/16)
		large, freeLarge, err := read(strings.NewReader(text))
		if string(large) != text || err != nil {
			t.Fatalf("%d bytes, %v", len(large), err)
		}
		if b.first.TryAcquire(8*(firstBytes+requestCost)-firstBytes-2*requestCost-5+1) || b.rest.TryAcquire(bodyStep/2+1) || !b.rest.TryAcquire(bodyStep/2) {
			t.Error("what is held is not what was read")
		}
		begun := time.Now()
		_, free, err := read(strings.NewReader(text))
		free()
		if took := time.Since(begun); !errors.Is(err, errNoRoom) || took != roomTime {
			t.Errorf("no room: %v after %v", err, took)
		}
		if again, free, err := read(strings.NewReader("small")); string(again) != "small" || err != nil {
			t.Errorf("a small one: %q %v", again, err)
		} else {
			free()
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, free, err = b.read(ctx, strings.NewReader(text)); !errors.Is(err, context.Canceled) {
			t.Errorf("a client that goes: %v", err)
		}
		free()
		_, free, err = read(io.MultiReader(strings.NewReader("half"), iotest.ErrReader(io.ErrUnexpectedEOF)))
		if !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("half a body: %v", err)
		}
		free()
		b.rest.Release(bodyStep / 2)
		freeSmall()
		freeLarge()
		if !b.first.TryAcquire(8*(firstBytes+requestCost)) || !b.rest.TryAcquire(2*bodyStep) {
			t.Error("room was not given back")
		}
	})
}

// TestHTTPBodiesThatNeverCome: large requests of which nothing comes but their first byte delay nobody.
func TestHTTPBodiesThatNeverCome(t *testing.T) {
	t.Parallel()
	h := serveHTTP(t, t.TempDir(), nil, "--no-door", "--http-no-token")
	session := h.session("2025-11-25", "{}")
	for range 8 {
		fmt.Fprintf(h.dial(), "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: %d\r\n\r\n{", 64<<20)
	}
	time.Sleep(100 * time.Millisecond) // nothing tells that they are being read
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if got := text(t, h.doContext(ctx, "POST", request("1", "ping", ""), session)); !strings.Contains(got, `"id":1,"result"`) {
		t.Errorf("%s", got)
	}
}
