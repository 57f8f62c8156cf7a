package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// pieces gives a stream in reads of the sizes in cuts, over and over; 0 is a read of nothing.
type pieces struct {
	rest []byte
	cuts []byte
	next int
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.rest) == 0 {
		return 0, io.EOF
	}
	size := 1 << 20
	if len(p.cuts) > 0 {
		size = int(p.cuts[p.next%len(p.cuts)])
		if p.next++; p.next%100 == 0 {
			size++ // not nothing for ever
		}
	}
	n := copy(b, p.rest[:min(size, len(p.rest))])
	p.rest = p.rest[n:]
	return n, nil
}

// wholeLines is what lineReader must give, from the stream as a whole; "" is a line over the limit.
func wholeLines(stream []byte, max int) (lines []string) {
	for i, raw := range bytes.SplitAfter(stream, []byte("\n")) {
		if len(raw) > max+2 {
			lines = append(lines, "")
			continue
		}
		if i == 0 {
			raw = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
		}
		if line := bytes.Trim(raw, " \t\r\n"); len(line) > 0 {
			lines = append(lines, string(line))
		}
	}
	return lines
}

// FuzzFrame: how a stream comes in pieces never changes its lines; lines over the limit are skipped, and no more.
func FuzzFrame(f *testing.F) {
	long := strings.Repeat("x", 300)
	for _, stream := range []string{
		"", "\n", "\n\n\r\n", "{}", "{}\n", "{}\r\n{}", "\xef\xbb\xbf{}\n", "\xef\xbb\xbf\n{}\n", "a\n\xef\xbb\xbfb\n", " \t{} \t\r\n",
		long + "\n{}\n", "{}\n" + long, long + long + "\n" + long + "\nend", "\xef\xbb\xbf" + long + "\n{}\n", "a\rb\n", "\x00\n", "a\n \n\t\nb",
		long[:101] + "\n", long[:102] + "\n", long[:100] + "\r\n", long[:102], long[:103], "\xef\xbb\xbf" + long[:98] + "\n", long[:101] + "\r\n{}\n",
	} {
		for _, cuts := range []string{"", "\x01", "\x00\x01", "\x02\x03\x05", "\xff"} {
			f.Add([]byte(stream), []byte(cuts), uint16(100), uint8(16))
		}
	}
	f.Fuzz(func(t *testing.T, stream, cuts []byte, max uint16, buffer uint8) {
		l := lineReader{r: bufio.NewReaderSize(&pieces{rest: stream, cuts: cuts}, int(buffer)), max: int(max)}
		want := wholeLines(stream, int(max))
		for i := 0; ; i++ {
			line, err := l.next()
			if errors.Is(err, io.EOF) {
				if i != len(want) {
					t.Errorf("%d lines, want %q", i, want)
				}
				return
			}
			if err != nil && !errors.Is(err, errLongLine) {
				if errors.Is(err, io.ErrNoProgress) {
					return // a hundred reads of nothing
				}
				t.Fatal(err)
			}
			if err != nil { // the beginning of what was skipped
				if len(line) > headOfLong {
					t.Fatalf("%d bytes of a long line", len(line))
				}
				line = nil
			}
			if i >= len(want) || string(line) != want[i] || (err != nil) != (want[i] == "") {
				t.Fatalf("line %d is %q (%v), want %q", i, line, err, want)
			}
		}
	})
}

// ourHost is who we are, written without the code under test: a name, or an address, and a port.
var (
	ourHost   = regexp.MustCompile(`^(?i)\[*(localhost|127\.0\.0\.1|::1)\]*(:[^:\[\]]*)?$`)
	ourOrigin = regexp.MustCompile(`^(?i)https?://(?:[^/?#]*@)?([^/?#@]*)(?:[/?#].*)?$`)
)

// FuzzHTTPHeaders: whatever the headers are, the front does not panic, and a request under a foreign Host, from a
// foreign Origin or without the token is refused before anything else.
func FuzzHTTPHeaders(f *testing.F) {
	front := &httpFront{
		srv:  newServer(&console{w: io.Discard, level: quiet}, options{noDoor: true, toolsSet: true}, func(string) string { return "" }),
		open: true, bodies: newBodies(inputBudget, inputBudget), hosts: []string{"localhost", "127.0.0.1", "::1"}, stop: f.Context(),
	}
	f.Cleanup(front.srv.close)
	front.sessions.init(front.srv)
	session := front.sessions.create(f.Context()).id
	var lock sync.Mutex // sessions are ended in between
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for _, host := range []string{
		"localhost", "LOCALHOST:8300", "127.0.0.1:1", "[::1]", "[::1]:2", "::1", "]::1", "", "evil.com", "evil.com:8300", "localhost.evil.com", "127.0.0.1.evil.com",
		"localhost@evil.com", "evil.com#localhost", "localhost:80:evil", "[::1].evil.com", "[::1%25evil]:1", "127.1", "2130706433", "0.0.0.0", "localhost.", "localhost\x00.evil", "xn--lcalhost-54a",
	} {
		f.Add(host, "", "application/json", "*/*", "2025-11-25", session, "POST", "X-A", "b", ping)
		f.Add("localhost", "http://"+host, "application/json", "*/*", "", session, "POST", "Mcp-Name", "x", ping)
	}
	for _, origin := range []string{"null", "https://localhost", "file://", "http://localhost@evil.com", "http://evil.com@localhost", "http://[::1]:9", "//localhost", "javascript:localhost", "http:localhost", "http://localhost\\.evil.com"} {
		f.Add("localhost", origin, "application/json", "application/json;q=0, text/event-stream", "2026-07-28", "", "POST", "Mcp-Method", "ping", ping)
	}
	f.Add("localhost", "", "text/plain", "x;;=", "\xff", "0", "DELETE", "Origin", "http://evil.com", "{")
	f.Add("localhost", "", "application/json; charset=\"", ",,,", "1999", session, "GET", "Last-Event-ID", "1", "")
	f.Add("localhost", "", "application/json", "", "2026-07-28", "", "POST", "Mcp-Param-A", "=?base64?!?=", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"fs","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`)
	f.Fuzz(func(t *testing.T, host, origin, media, accept, version, id, method, name, value, body string) {
		if method == http.MethodGet {
			accept = "application/json" // a stream would stay open
		}
		if strings.Contains(body, "subscriptions") {
			return
		}
		req := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(body))
		req.Method, req.Host = method, host
		req.Header = http.Header{"Content-Type": {media}, "Accept": {accept}}
		for header, v := range map[string]string{"Origin": origin, "Mcp-Protocol-Version": version, "Mcp-Session-Id": id} {
			if v != "" {
				req.Header.Set(header, v)
			}
		}
		req.Header.Add(name, value)
		lock.Lock()
		defer lock.Unlock()
		w := httptest.NewRecorder()
		front.ServeHTTP(w, req)
		foreign := !ourHost.MatchString(host)
		for _, o := range req.Header.Values("Origin") {
			m := ourOrigin.FindStringSubmatch(o)
			foreign = foreign || o != "" && (m == nil || !ourHost.MatchString(m[1]))
		}
		if foreign && w.Code != http.StatusForbidden && w.Code != http.StatusBadRequest {
			t.Errorf("%d for Host %q, Origin %q", w.Code, host, req.Header.Values("Origin"))
		}
		if foreign && w.Header().Get("Mcp-Session-Id") != "" {
			t.Error("a session was made")
		}
		// With a token, nothing passes without it, whatever else is right.
		front.open = false
		closed := httptest.NewRecorder()
		req.Body = io.NopCloser(strings.NewReader(body))
		front.ServeHTTP(closed, req)
		front.open = true
		if closed.Code != http.StatusUnauthorized && closed.Code != http.StatusForbidden && closed.Code != http.StatusBadRequest {
			t.Errorf("%d without the token", closed.Code)
		}
	})
}
