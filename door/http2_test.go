package door

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// http2Door is a door that speaks HTTP/2 frame by frame: answer gets each request when it has come whole, and how many came
// before it on all connections.
func http2Door(t *testing.T, answer func(f *http2.Framer, conn net.Conn, stream uint32, id string, before int)) (Config, *atomic.Int64) {
	t.Helper()
	certified := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(certified.Close)
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: certified.TLS.Certificates, NextProtos: []string{"h2"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	requests := new(atomic.Int64)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				if _, err := io.ReadFull(conn, make([]byte, len(http2.ClientPreface))); err != nil {
					return
				}
				f := http2.NewFramer(conn, conn)
				_ = f.WriteSettings()
				bodies := map[uint32][]byte{}
				for {
					frame, err := f.ReadFrame()
					if err != nil {
						return
					}
					switch frame := frame.(type) {
					case *http2.SettingsFrame:
						if !frame.IsAck() {
							_ = f.WriteSettingsAck()
						}
					case *http2.DataFrame:
						id := frame.StreamID
						bodies[id] = append(bodies[id], frame.Data()...)
						if frame.StreamEnded() {
							var m struct{ ID json.RawMessage }
							_ = json.Unmarshal(bodies[id], &m)
							answer(f, conn, id, string(m.ID), int(requests.Add(1)-1))
						}
					}
				}
			}()
		}
	}()
	base := NewTransport()
	base.TLSClientConfig = &tls.Config{RootCAs: x509.NewCertPool()}
	base.TLSClientConfig.RootCAs.AddCert(certified.Certificate())
	t.Cleanup(base.CloseIdleConnections)
	return Config{URL: "https://" + listener.Addr().String() + "/v1/mcp", Transport: base, Timeout: time.Minute}, requests
}

func reply(f *http2.Framer, stream uint32, id string) {
	var head bytes.Buffer
	enc := hpack.NewEncoder(&head)
	_ = enc.WriteField(hpack.HeaderField{Name: ":status", Value: "200"})
	_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: head.Bytes(), EndHeaders: true})
	_ = f.WriteData(stream, true, []byte(`{"jsonrpc":"2.0","id":`+id+`,"result":{}}`))
}

// What a door of HTTP/2 says in frames is told in words, with whether the call may have been carried out.
func TestHTTP2Refusals(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]struct {
		answer   func(f *http2.Framer, conn net.Conn, stream uint32, id string, before int)
		want     string // "": a reply
		done     bool
		requests int64
	}{
		"refused once": {func(f *http2.Framer, _ net.Conn, stream uint32, id string, before int) {
			if before == 0 {
				_ = f.WriteRSTStream(stream, http2.ErrCodeRefusedStream)
				return
			}
			reply(f, stream, id)
		}, "", false, 2},
		"refused always": {func(f *http2.Framer, _ net.Conn, stream uint32, _ string, _ int) {
			_ = f.WriteRSTStream(stream, http2.ErrCodeRefusedStream)
		}, "could not be reached: it is refusing calls at the moment", false, maxReplays + 1},
		"turned away": {func(f *http2.Framer, _ net.Conn, _ uint32, _ string, _ int) {
			_ = f.WriteGoAway(0, http2.ErrCodeEnhanceYourCalm, nil)
		}, "could not be reached: it is refusing calls at the moment", false, 1},
		"going down": {func(f *http2.Framer, conn net.Conn, stream uint32, _ string, _ int) {
			_ = f.WriteGoAway(stream, http2.ErrCodeNo, nil)
			_ = conn.Close()
		}, "gave no answer: it is shutting down, and closed the connection", true, 1},
		"broken off": {func(f *http2.Framer, _ net.Conn, stream uint32, _ string, _ int) {
			_ = f.WriteRSTStream(stream, http2.ErrCodeInternal)
		}, "gave no answer: it broke off the call", true, 1},
		"no HTTP/2": {func(_ *http2.Framer, conn net.Conn, _ uint32, _ string, _ int) {
			_, _ = conn.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n"))
		}, "gave no answer: it does not speak HTTP/2, though it agreed to", true, 1},
		"header in pieces": {func(f *http2.Framer, _ net.Conn, stream uint32, _ string, _ int) {
			_ = f.WriteHeaders(http2.HeadersFrameParam{StreamID: stream, BlockFragment: []byte{0xff, 0xff, 0xff, 0xff}, EndHeaders: true})
		}, "gave no answer: the header of its answer cannot be read", true, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config, requests := http2Door(t, at.answer)
			r := open(t, config).Call(deadline(t), Caller{}, call(t, "1", "x", ""))
			if at.want == "" {
				if r.Made {
					t.Errorf("%s", r.Result)
				}
			} else if got := text(t, r); !strings.Contains(got, at.want) || strings.Contains(got, perhapsDone) != at.done || strings.Contains(got, "http2") {
				t.Error(got)
			}
			equal(t, requests.Load(), at.requests)
		})
	}
}
