package auth

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

func TestOrigin(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"https://API.Hanzo.ai/v1":      "https://api.hanzo.ai:443",
		"https://api.hanzo.ai:443":     "https://api.hanzo.ai:443",
		"http://[::1]/":                "http://[::1]:80",
		"HTTP://127.0.0.1:8400/x?y#z":  "http://127.0.0.1:8400",
		"https://u:p@host.example/":    "https://host.example:443",
		"https://host.example:8443/..": "https://host.example:8443",
	} {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if got := Origin(u); got != want {
			t.Errorf("%s: got %s", text, got)
		}
	}
}

// A request with a bearer passes to the door's origin only, not to another port
// of its host, not under another host name, not over plain http.
func TestTransport(t *testing.T) {
	t.Parallel()
	var seen []string
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		seen = append(seen, r.Header.Get("Authorization"))
	}))
	defer server.Close()
	door, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	send := func(origin, target, host, bearer string) error {
		t.Helper()
		req, err := http.NewRequest(http.MethodPost, target, strings.NewReader("{}"))
		if err != nil {
			t.Fatal(err)
		}
		if host != "" {
			req.Host = host
		}
		if bearer != "" {
			req.Header.Set("Authorization", "Bearer "+bearer)
		}
		resp, err := (&Transport{Origin: origin}).RoundTrip(req)
		if err == nil {
			resp.Body.Close()
		}
		return err
	}
	own := Origin(door)
	if err := send(own, server.URL+"/x", "", "tok_S3CRET"); err != nil {
		t.Error(err)
	}
	if err := send("https://door.example:443", server.URL, "", ""); err != nil {
		t.Error("without a bearer: ", err)
	}
	for name, err := range map[string]error{
		"another port": send("http://127.0.0.1:1", server.URL, "", "tok_S3CRET"),
		"another host": send(own, strings.Replace(server.URL, "127.0.0.1", "localhost", 1), "", "tok_S3CRET"),
		"Host header":  send(own, server.URL, "evil.example", "tok_S3CRET"),
		"plain http":   send("http://door.example:80", "http://door.example/", "", "tok_S3CRET"),
	} {
		if err == nil || strings.Contains(err.Error(), "S3CRET") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if strings.Join(seen, ",") != "Bearer tok_S3CRET," {
		t.Errorf("%q", seen)
	}
}
