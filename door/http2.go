package door

import (
	"bytes"
	"errors"
	"io"
	"strings"
)

// maxReplays is how often net/http may send a request again that a door has refused by REFUSED_STREAM or GOAWAY, which
// promise that nothing was done. It waits 1, 2, 4 … s in between: up to a minute, in which callers give up.
const maxReplays = 3

// errRefusing ends these tries.
var errRefusing = errors.New("it is refusing calls at the moment")

// bodies gives the body of a request anew for each of its replays.
func bodies(body []byte) func() (io.ReadCloser, error) {
	replays := 0
	return func() (io.ReadCloser, error) {
		if replays++; replays > maxReplays {
			return nil, notSent{errRefusing}
		}
		return io.NopCloser(bytes.NewReader(body)), nil
	}
}

// turnedAway begins the error of a request that a GOAWAY says was not looked at. Errors of HTTP/2 have no names in net/http.
const turnedAway = "http2: Transport received GOAWAY from server ErrCode:"

// overHTTP2 are the reasons of errors of HTTP/2 in words, by what their texts hold.
var overHTTP2 = []struct{ text, cause string }{
	{turnedAway, "it is refusing calls at the moment"},
	{"http2: server sent GOAWAY", "it is shutting down, and closed the connection"},
	{"http2: client connection lost", "no sign of life came from it for 30s"},
	{"http2: failed reading the frame payload", "it does not speak HTTP/2, though it agreed to"},
	{"http2: frame too large", "it does not speak HTTP/2, though it agreed to"},
	{"COMPRESSION_ERROR", "the header of its answer cannot be read, or is larger than 64 KiB"},
	{"http2: response header list larger", "the header of its answer is larger than 64 KiB"},
	{"connection error: ", "it does not keep to HTTP/2"},
	{"stream error: ", "it broke off the call"},
}

// http2Cause is the reason of an error of HTTP/2, "" for others.
func http2Cause(err error) string {
	text := err.Error()
	for _, e := range overHTTP2 {
		if strings.Contains(text, e.text) {
			return e.cause
		}
	}
	return ""
}
