package door

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/hanzoai/hanzo-mcp/auth"
)

const (
	connectLimit = 5 * time.Second
	callDials    = 3
	idleLimit    = 50 * time.Second // below that of usual balancers, which drop without a word
	idlePerHost  = 64
)

// NewTransport is a transport for doors: connections are kept, a dead one is
// found out, and bodies come as they were sent.
func NewTransport() *http.Transport {
	return &http.Transport{
		Proxy:                  http.ProxyFromEnvironment, // passes loopback by
		DialContext:            (&net.Dialer{Timeout: connectLimit}).DialContext,
		TLSHandshakeTimeout:    connectLimit,
		ForceAttemptHTTP2:      true,
		HTTP2:                  &http.HTTP2Config{SendPingTimeout: 15 * time.Second, PingTimeout: 15 * time.Second},
		MaxIdleConns:           idlePerHost,
		MaxIdleConnsPerHost:    idlePerHost,
		IdleConnTimeout:        idleLimit,
		MaxResponseHeaderBytes: 64 << 10,
		ReadBufferSize:         16 << 10,
		WriteBufferSize:        16 << 10,
		DisableCompression:     true,
	}
}

// unauthorized is the door's 401.
type unauthorized struct{ header http.Header }

func (*unauthorized) Error() string { return "the door answered 401" }

// request is one message for the door.
type request struct {
	message  *Message
	modern   bool   // for a caller that speaks 2026-07-28
	bearer   string // "": none
	progress *progress
	limit    int // bytes of answer
	dials    int // how often a connection is tried
}

// post sends a message and gives the door's answer to it: a result or an error.
// It follows one redirect that keeps method, body and origin.
func (c *Client) post(ctx context.Context, r request) (answer, error) {
	body, header := c.body(r.message, r.modern), c.header(r.message, r.bearer)
	target := c.url
	for hop := 0; ; hop++ {
		resp, err := c.send(ctx, target, header, body, r.dials)
		if err != nil {
			return answer{}, err
		}
		if resp.StatusCode/100 != 3 {
			defer resp.Body.Close()
			if resp.StatusCode == http.StatusUnauthorized {
				return answer{}, &unauthorized{resp.Header}
			}
			return c.read(resp, r)
		}
		next, err := c.redirect(resp, target, hop)
		resp.Body.Close() // unread: a body that stalls must not delay the call
		if err != nil {
			return answer{}, err
		}
		target = next
	}
}

// send does one request. Only a failed dial is tried again, since nothing has
// been sent then.
func (c *Client) send(ctx context.Context, target *url.URL, header http.Header, body []byte, dials int) (*http.Response, error) {
	backoff := Backoff{Base: 100 * time.Millisecond, Max: time.Second}
	start := time.Now()
	for try := 1; ; try++ {
		req := (&http.Request{
			Method: http.MethodPost, URL: target, Host: target.Host,
			Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
			Header:        header,
			Body:          io.NopCloser(bytes.NewReader(body)),
			GetBody:       func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil },
			ContentLength: int64(len(body)),
		}).WithContext(ctx)
		resp, err := c.http.RoundTrip(req)
		var op *net.OpError
		if err == nil || try == dials || ctx.Err() != nil || !errors.As(err, &op) || op.Op != "dial" {
			return resp, err
		}
		delay := backoff.Next()
		if time.Since(start)+delay >= connectLimit {
			return nil, err
		}
		select {
		case <-time.After(delay):
		case <-ctx.Done():
			return nil, err
		}
	}
}

// redirect judges a redirect: the same origin, method and body kept, once.
func (c *Client) redirect(resp *http.Response, from *url.URL, hop int) (*url.URL, error) {
	location := resp.Header.Get("Location")
	to, err := from.Parse(location)
	if err != nil || location == "" {
		return nil, faultf("answered %s without a usable Location", status(resp))
	}
	shown := c.quote([]byte(to.Redacted()))
	switch {
	case resp.StatusCode != http.StatusTemporaryRedirect && resp.StatusCode != http.StatusPermanentRedirect:
		return nil, faultf("answered %s to %s, which would change the request; set HANZO_MCP_DOOR to the door's own address", status(resp), shown)
	case to.Hostname() == "" || auth.Origin(to) != auth.Origin(c.url) || to.User != nil:
		return nil, faultf("redirects to %s, another origin, which is not followed; set HANZO_MCP_DOOR if that is the right address", shown)
	case hop > 0:
		return nil, faultf("redirects twice, last to %s; set HANZO_MCP_DOOR to the door's own address", shown)
	}
	to.Fragment = ""
	return to, nil
}

// read takes the answer to r off a response.
func (c *Client) read(resp *http.Response, r request) (answer, error) {
	if coding := resp.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return answer{}, faultf("sent an answer in an encoding that was not asked for (%s)", c.quote([]byte(coding)))
	}
	if resp.ContentLength > int64(r.limit) {
		return answer{}, tooLarge(r.limit)
	}
	if media, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";"); strings.EqualFold(strings.TrimSpace(media), "text/event-stream") {
		return c.readStream(resp, r)
	}
	text, err := readBody(nil, resp.Body, resp.ContentLength, r.limit)
	return c.judge(resp, text, err, r.message.ID)
}

// judge makes an answer of a whole body, and a fault of any other.
func (c *Client) judge(resp *http.Response, text []byte, err error, id []byte) (answer, error) {
	if err != nil && (isFault(err) || resp.Request.Context().Err() != nil) {
		return answer{}, err
	}
	a, ok := parseAnswer(text)
	switch {
	case ok && a.method == "" && answers(a.id, id):
		return a, nil
	case ok && a.method == "":
		return answer{}, faultf("answered another request: its id is %s", c.quote(a.id))
	case resp.StatusCode/100 != 2:
		return answer{}, c.refused(resp, text)
	case err != nil:
		return answer{}, brokenf("broke off its answer after %d bytes, which began with %s", len(text), c.quote(text))
	}
	return answer{}, faultf("answered %s with no JSON-RPC reply but %s", status(resp), c.quote(text))
}

// readStream takes the answer off an event stream. Progress is passed on, other
// messages are not for us; what comes after the answer is not waited for.
func (c *Client) readStream(resp *http.Response, r request) (answer, error) {
	var found answer
	var wrong error
	var stray []byte
	each := func(f Frame) bool {
		a, ok := parseAnswer(f.Data)
		switch {
		case !ok && stray == nil:
			stray = f.Data
		case !ok:
		case a.method != "":
			r.progress.fromDoor(f.Data)
		case !answers(a.id, r.message.ID):
			wrong = faultf("answered another request: its id is %s", c.quote(a.id))
		default:
			found = a
		}
		return found.result == nil && found.err == nil && wrong == nil
	}
	frames := Frames{Max: r.limit}
	chunk := make([]byte, 32<<10)
	for total := 0; ; {
		n, err := resp.Body.Read(chunk)
		if total == 0 && isJSON(chunk[:n]) { // in spite of its media type
			text, err := readBody(chunk[:n:n], resp.Body, resp.ContentLength, r.limit)
			return c.judge(resp, text, err, r.message.ID)
		}
		if total += n; total > r.limit || frames.Feed(chunk[:n], each) != nil {
			return answer{}, tooLarge(r.limit)
		}
		if err != nil && found.result == nil && found.err == nil && wrong == nil {
			frames.End(each)
		}
		switch {
		case wrong != nil:
			return answer{}, wrong
		case found.result != nil || found.err != nil:
			return found, nil
		case err == nil:
		case resp.Request.Context().Err() != nil:
			return answer{}, err
		case resp.StatusCode/100 != 2:
			return answer{}, c.refused(resp, stray)
		case err == io.EOF:
			return answer{}, brokenf("ended its event stream without a reply; it sent %s", c.quote(stray))
		default:
			return answer{}, brokenf("broke off its event stream before the reply")
		}
	}
}

// isJSON reports whether a body that should be an event stream begins with a
// JSON object: no field of an event does.
func isJSON(begin []byte) bool {
	begin = bytes.TrimLeft(bytes.TrimPrefix(begin, []byte("\xef\xbb\xbf")), " \t\r\n")
	return len(begin) > 0 && begin[0] == '{'
}

// readBody reads on after begin, into a buffer of the right size if the length
// is known. With an error it gives what there was.
func readBody(begin []byte, body io.Reader, length int64, limit int) ([]byte, error) {
	size := 16 << 10
	if length >= 0 {
		size = int(length) + 1 // one more, to see the end without growing
	}
	text := append(make([]byte, 0, max(size, len(begin)+1)), begin...)
	for {
		n, err := body.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]
		switch {
		case len(text) > limit:
			return nil, tooLarge(limit)
		case err == io.EOF:
			return text, nil
		case err != nil:
			return text, err
		}
		if len(text) == cap(text) {
			text = append(make([]byte, 0, min(2*cap(text), limit+1)), text...)
		}
	}
}

func tooLarge(limit int) error {
	return &fault{
		text:  fmt.Sprintf("sent more than %d bytes, the limit of HANZO_MCP_MAX_DOOR_BYTES; ask for less", limit),
		large: true,
	}
}

func isTooLarge(err error) bool {
	var f *fault
	return errors.As(err, &f) && f.large
}

func isFault(err error) bool {
	var f *fault
	return errors.As(err, &f)
}

func status(resp *http.Response) string {
	return strings.TrimSpace("HTTP " + strconv.Itoa(resp.StatusCode) + " " + http.StatusText(resp.StatusCode))
}
