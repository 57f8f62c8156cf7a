package door

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/fakedoor"
)

// Over TLS the door may speak HTTP/2: calls, streams and cancellation are the same.
func TestCallOverTLS(t *testing.T) {
	t.Parallel()
	for _, two := range []bool{false, true} {
		var door fakedoor.Server
		server := httptest.NewUnstartedServer(&door)
		server.EnableHTTP2 = two
		server.StartTLS()
		defer server.Close()
		base := NewTransport()
		base.TLSClientConfig = &tls.Config{RootCAs: x509.NewCertPool()}
		base.TLSClientConfig.RootCAs.AddCert(server.Certificate())
		defer base.CloseIdleConnections()
		url := server.URL + "/v1/mcp"
		c := open(t, Config{URL: url, Transport: base, Auth: env(url, map[string]string{"HANZO_API_KEY": "tok_S3CRET"})})
		for _, stream := range []fakedoor.Stream{fakedoor.NoStream, fakedoor.CRLF} {
			door.Set(func(s *fakedoor.Script) { s.Stream, s.StreamOpen = stream, true })
			for _, tool := range []string{"fixed_1k", "fixed_8m"} {
				if r := c.Call(deadline(t), Caller{}, call(t, "1", tool, "")); r.Made {
					t.Errorf("HTTP/2 %v, %s: %.300s", two, tool, r.Result)
				}
			}
		}
		door.Set(func(s *fakedoor.Script) { s.Hang = true })
		before := len(door.Requests(""))
		ctx, cancel := context.WithCancel(deadline(t))
		done := make(chan Reply)
		go func() { done <- c.Call(ctx, Caller{}, call(t, "1", "x", "")) }()
		requests := door.Wait(deadline(t), "", before+1)
		cancel()
		if r := <-done; !r.Canceled {
			t.Errorf("%s", r.Result)
		}
		select {
		case <-requests[before].Ended():
		case <-time.After(20 * time.Second):
			t.Error("the door's request goes on")
		}
	}
	// A certificate that nobody vouches for is no door.
	server := httptest.NewTLSServer(&fakedoor.Server{})
	defer server.Close()
	c := open(t, Config{URL: server.URL})
	if got := text(t, c.Call(deadline(t), Caller{}, call(t, "1", "x", ""))); !strings.Contains(got, "certificate") {
		t.Error(got)
	}
}
