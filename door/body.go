package door

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

// read takes the answer to r off a response, which cancel ends.
func (c *Client) read(resp *http.Response, r request, cancel context.CancelFunc) (answer, error) {
	if coding := resp.Header.Get("Content-Encoding"); coding != "" && !strings.EqualFold(coding, "identity") {
		return answer{}, brokenf(resp, "sent an answer in an encoding that was not asked for (%s)", c.quote([]byte(coding)))
	}
	if resp.ContentLength > int64(r.limit) {
		return answer{}, tooLarge(resp, r.limit)
	}
	body := bufio.NewReaderSize(resp.Body, sniff)
	if isStream(body, resp.Header.Get("Content-Type")) {
		return c.readStream(resp, body, r)
	}
	text, err := readBody(resp, body, r.limit, cancel)
	return c.judge(resp, text, err, r.message.ID)
}

// sniff is how much of a body may be blank before its media type counts.
const sniff = 512

// eventFields begin the lines of an event stream.
var eventFields = [][]byte{[]byte("data:"), []byte("event:"), []byte("id:"), []byte("retry:"), []byte(":")}

// isStream reports whether a body is an event stream. Its first bytes tell, since some servers name another media type:
// no field of an event begins as a JSON object does. Where they do not tell, the media type does.
func isStream(body *bufio.Reader, contentType string) bool {
	media, _, _ := strings.Cut(contentType, ";")
	named := strings.EqualFold(strings.TrimSpace(media), "text/event-stream")
	for n := 1; n <= sniff; n++ {
		begin, err := body.Peek(n)
		if err != nil {
			return named
		}
		if bytes.HasPrefix(byteOrderMark, begin) {
			continue
		}
		begin = bytes.TrimLeft(bytes.TrimPrefix(begin, byteOrderMark), " \t\r\n")
		switch {
		case len(begin) == 0:
			continue
		case begin[0] == '{':
			return false
		case named:
			return true
		}
		perhaps := false
		for _, field := range eventFields {
			if bytes.HasPrefix(begin, field) {
				return true
			}
			perhaps = perhaps || bytes.HasPrefix(field, begin)
		}
		if !perhaps {
			return false
		}
	}
	return named
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// judge makes an answer of a whole body, and a fault of any other.
func (c *Client) judge(resp *http.Response, text []byte, err error, id []byte) (answer, error) {
	if err != nil && (isFault(err) || resp.Request.Context().Err() != nil) {
		return answer{}, err
	}
	a, ok := parseAnswer(text)
	switch {
	case ok && a.method == "" && a.isFor(id, resp):
		return a, nil
	case ok && a.method == "":
		return answer{}, brokenf(resp, "answered another request: its id is %s", c.quote(a.id))
	case resp.StatusCode/100 != 2:
		return answer{}, c.refused(resp, text)
	case err != nil:
		return answer{}, brokenf(resp, "broke off its answer after %d bytes, which began with %s", len(text), c.quote(text))
	}
	return answer{}, brokenf(resp, "answered %s with no JSON-RPC reply but %s", status(resp), c.quote(text))
}

// isFor reports whether a reply is that to the request with an id. A request that a server refuses as a whole has an
// error with an id of the server's own: "server-error", -1.
func (a *answer) isFor(id []byte, resp *http.Response) bool {
	return answers(a.id, id) || a.err != nil && resp.StatusCode/100 != 2
}

// readStream takes the answer off an event stream. Progress is passed on, other messages and replies to others are not
// for us; what comes after the answer is not waited for.
func (c *Client) readStream(resp *http.Response, body io.Reader, r request) (answer, error) {
	var found, refusal answer
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
		case answers(a.id, r.message.ID):
			found = a
		case a.isFor(r.message.ID, resp):
			refusal = a
		case wrong == nil:
			wrong = brokenf(resp, "answered another request: its id is %s", c.quote(a.id))
		}
		return found.result == nil && found.err == nil
	}
	frames := Frames{Max: r.limit}
	chunk := make([]byte, 32<<10)
	for total := 0; ; {
		n, err := body.Read(chunk)
		if total += n; total > r.limit || frames.Feed(chunk[:n], each) != nil {
			return answer{}, tooLarge(resp, r.limit)
		}
		if err != nil && found.result == nil && found.err == nil {
			frames.End(each)
		}
		switch {
		case found.result != nil || found.err != nil:
			return found, nil
		case err == nil:
		case refusal.err != nil:
			return refusal, nil
		case wrong != nil:
			return answer{}, wrong
		case resp.Request.Context().Err() != nil:
			return answer{}, err
		case resp.StatusCode/100 != 2:
			return answer{}, c.refused(resp, stray)
		case err == io.EOF:
			return answer{}, brokenf(resp, "ended its event stream without a reply; it sent %s", c.quote(stray))
		default:
			return answer{}, brokenf(resp, "broke off its event stream before the reply")
		}
	}
}

// endWait is how long the end of a body is waited for when what came of it is a whole answer.
const endWait = time.Second

// readBody reads a body into a buffer of the right size if its length is known. With an error it gives what there was. A
// body with a whole answer that does not end is ended by cancel.
func readBody(resp *http.Response, body io.Reader, limit int, cancel context.CancelFunc) ([]byte, error) {
	size := 16 << 10
	if resp.ContentLength >= 0 {
		size = int(resp.ContentLength) + 1 // one more, to see the end without growing
	}
	var mu sync.Mutex // of text and ended; what is read is written behind the end of text
	text, ended := make([]byte, 0, size), false
	quiet := time.AfterFunc(endWait, func() {
		mu.Lock()
		defer mu.Unlock()
		if isAnswer(text) {
			ended = true
			cancel()
		}
	})
	defer quiet.Stop()
	for {
		n, err := body.Read(text[len(text):cap(text)])
		mu.Lock()
		text = text[:len(text)+n]
		if len(text) == cap(text) && err == nil && len(text) <= limit {
			text = append(make([]byte, 0, min(2*cap(text), limit+1)), text...)
		}
		whole := ended
		mu.Unlock()
		switch {
		case len(text) > limit:
			return nil, tooLarge(resp, limit)
		case err == io.EOF, err != nil && whole:
			return text, nil
		case err != nil:
			return text, err
		}
		quiet.Reset(endWait)
	}
}

// isAnswer reports whether a text is a whole answer.
func isAnswer(text []byte) bool {
	if !bytes.HasSuffix(bytes.TrimRight(text, " \t\r\n"), []byte("}")) {
		return false
	}
	_, ok := parseAnswer(text)
	return ok
}

func tooLarge(resp *http.Response, limit int) error {
	return &fault{
		text:  fmt.Sprintf("sent more than %d bytes, the limit of HANZO_MCP_MAX_DOOR_BYTES", limit),
		large: true,
		begun: mayBeDone(resp),
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
