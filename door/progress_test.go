package door

import (
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
			p.stop()
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
		p.stop()
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
		defer p.stop()
		for n := range 1000 {
			p.fromDoor([]byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":` + strings.Repeat("9", n/10+1) + `}}`))
		}
		if got > maxBurst {
			t.Errorf("%d passed on", got)
		}
	})
}
