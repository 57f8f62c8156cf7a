package door

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

// trip is how far one request came. Its parts are set from several goroutines.
type trip struct {
	asked   atomic.Bool // for a connection: the transport tells how far it comes
	got     atomic.Bool // there is a connection, on which the request may have gone out
	kept    atomic.Bool // it was used before
	replied atomic.Bool // a byte of an answer came
}

// follow makes the transport tell t of a request.
func (t *trip) follow(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { // again when the transport itself takes another, since nothing had gone out
			t.asked.Store(true)
			t.got.Store(false)
		},
		GotConn: func(info httptrace.GotConnInfo) {
			t.got.Store(true)
			t.kept.Store(info.Reused)
		},
		GotFirstResponseByte: func() { t.replied.Store(true) },
	})
}

// notSent is a transport's error from before the request went out.
type notSent struct{ error }

func (e notSent) Unwrap() error { return e.error }

// fail marks the error of a request that did not go out.
func (t *trip) fail(err error) error {
	if unsent(err) {
		return err
	}
	if !t.got.Load() && (t.asked.Load() || before(err)) || strings.HasPrefix(err.Error(), turnedAway) {
		return notSent{err}
	}
	return err
}

// send does one request. What may have been received is not sent again: a failed dial is tried again, and once a request
// that only reads, when the connection was a kept one that the door had closed without a word.
func (c *Client) send(ctx context.Context, target *url.URL, header http.Header, body []byte, r request) (*http.Response, error) {
	backoff := Backoff{Base: 100 * time.Millisecond, Max: time.Second}
	start, again := time.Now(), c.onlyReads(r.message)
	for try := 1; ; try++ {
		var t trip
		req := (&http.Request{
			Method: http.MethodPost, URL: target, Host: target.Host,
			Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Header:        header,
			Body:          io.NopCloser(bytes.NewReader(body)),
			GetBody:       bodies(body),
			ContentLength: int64(len(body)),
		}).WithContext(t.follow(ctx))
		resp, err := c.http.RoundTrip(req)
		if err == nil {
			return resp, nil
		}
		if again && ctx.Err() == nil && t.kept.Load() && !t.replied.Load() {
			again = false
			c.closeIdle() // they may be as dead
			continue
		}
		var op *net.OpError
		if try >= r.dials || ctx.Err() != nil || !errors.As(err, &op) || op.Op != "dial" {
			return nil, t.fail(err)
		}
		delay := backoff.Next()
		if time.Since(start)+delay >= connectLimit {
			return nil, t.fail(err)
		}
		select {
		case <-time.After(delay):
		case <-ctx.Done():
			return nil, t.fail(err)
		}
	}
}

// onlyReads reports whether a request may be sent twice: a list, or a call of a tool that says so.
func (c *Client) onlyReads(m *Message) bool {
	return m.Method == "tools/list" || m.Method == "tools/call" && c.ReadOnly(m.Name)
}

// closeIdle makes the next request take a new connection.
func (c *Client) closeIdle() {
	if t, ok := c.base.(interface{ CloseIdleConnections() }); ok {
		t.CloseIdleConnections()
	}
}
