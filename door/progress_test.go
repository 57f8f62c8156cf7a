package door

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// One notification each 5 s with exactly the caller's token and rising values,
// until the door sends one, and none after the result.
func TestProgressTicks(t *testing.T) {
	t.Parallel()
	for _, token := range []string{`"p1"`, "7", "9007199254740993"} {
		synctest.Test(t, func(t *testing.T) {
			var got []string
			c := New(Config{URL: "http://127.0.0.1:1/v1/mcp"})
			p := c.startProgress(Caller{Notify: func(m []byte) { got = append(got, string(m)) }}, []byte(token))
			time.Sleep(11 * time.Second)
			synctest.Wait()
			equal(t, strings.Join(got, "\n"),
				`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`+token+`,"progress":0.000001,"message":"waiting for the door, 5s"}}
{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`+token+`,"progress":0.000002,"message":"waiting for the door, 10s"}}`)
			p.fromDoor([]byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"x","progress":0.1}}`))
			time.Sleep(time.Minute)
			equal(t, len(got), 3)
			equal(t, got[2], `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":`+token+`,"progress":0.1}}`)
			p.stop(true)
			p.fromDoor([]byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"x","progress":0.2}}`))
			time.Sleep(time.Minute)
			equal(t, len(got), 3)
			c.Close()
		})
	}
}

func TestProgressNoToken(t *testing.T) {
	t.Parallel()
	c := New(Config{URL: "http://127.0.0.1:1/v1/mcp"})
	defer c.Close()
	for _, p := range []*progress{c.startProgress(Caller{Notify: func([]byte) {}}, nil), c.startProgress(Caller{}, []byte("1"))} {
		if p != nil {
			t.Error("progress without a token or without a taker")
		}
		p.fromDoor(nil)
		p.stop(true)
	}
}

// A door cannot flood a client.
func TestProgressFlood(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var got int
		c := New(Config{URL: "http://127.0.0.1:1/v1/mcp"})
		defer c.Close()
		p := c.startProgress(Caller{Notify: func([]byte) { got++ }}, []byte("1"))
		defer p.stop(true)
		for n := range 1000 {
			p.fromDoor([]byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":` + strings.Repeat("9", n/10+1) + `}}`))
		}
		if got > maxBurst {
			t.Errorf("%d passed on", got)
		}
	})
}

// Of a burst the last is not lost: it comes when its second is over, at the latest before the result.
func TestProgressBurstEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var got []string
		c := New(Config{URL: "http://127.0.0.1:1/v1/mcp"})
		defer c.Close()
		p := c.startProgress(Caller{Notify: func(m []byte) { got = append(got, string(m)) }}, []byte("1"))
		burst := func(from, to int) {
			for n := from; n <= to; n++ {
				p.fromDoor([]byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":` + strconv.Itoa(n) + `}}`))
			}
		}
		last := func(n, progress int) {
			t.Helper()
			p.mu.Lock()
			defer p.mu.Unlock()
			if len(got) != n || !strings.Contains(got[n-1], `"progress":`+strconv.Itoa(progress)+`}`) {
				t.Fatalf("%d, last %s", len(got), got[len(got)-1])
			}
		}
		burst(1, 300)
		last(maxBurst, maxBurst)
		time.Sleep(time.Second)
		synctest.Wait()
		last(maxBurst+1, 300)
		burst(301, 600)
		last(2*maxBurst, 300+maxBurst-1)
		p.stop(true)
		last(2*maxBurst+1, 600)
		burst(601, 602)
		time.Sleep(time.Minute)
		last(2*maxBurst+1, 600)

		p = c.startProgress(Caller{Notify: func(m []byte) { got = append(got, string(m)) }}, []byte("1"))
		burst(1, 300)
		p.stop(false) // nothing for a call that was canceled
		last(3*maxBurst+1, maxBurst)
	})
}

// roundTrip is a transport of one function.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// A call that waits for its place has progress, and its own time begins only then.
func TestProgressBeforeTheCall(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		sent := 0
		answers := roundTrip(func(req *http.Request) (*http.Response, error) {
			sent++
			return &http.Response{StatusCode: 200, Header: http.Header{}, ContentLength: -1, Request: req,
				Body: io.NopCloser(strings.NewReader(`{"jsonrpc":"2.0","id":1,"result":{}}`))}, nil
		})
		c := New(Config{URL: "http://127.0.0.1:1/v1/mcp", Transport: answers, Timeout: 10 * time.Second})
		defer c.Close()
		var got []string
		caller := Caller{Notify: func(m []byte) { got = append(got, string(m)) }, Before: func(context.Context) error {
			time.Sleep(11 * time.Second)
			equal(t, sent, 0)
			return nil
		}}
		r := c.Call(t.Context(), caller, call(t, "1", "x", `,"_meta":{"progressToken":"p"}`))
		if r.Made || sent != 1 || len(got) != 2 || !strings.Contains(got[1], `"progressToken":"p"`) {
			t.Errorf("%s, %d sent, progress %q", r.Result, sent, got)
		}
		caller.Before = func(context.Context) error { return errors.New("ended") }
		if r := c.Call(t.Context(), caller, call(t, "1", "x", "")); !r.Canceled || sent != 1 {
			t.Errorf("%+v, %d sent", r, sent)
		}
	})
}
