package door

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	stdlog "log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/hanzoai/hanzo-mcp/fakedoor"
)

// variables is an environment.
type variables map[string]string

func (v variables) get(name string) string { return v[name] }

// through is a transport that goes by these variables.
func through(t *testing.T, env variables) *http.Transport {
	t.Helper()
	base := NewTransport()
	base.Proxy = environmentProxy(env.get)
	t.Cleanup(base.CloseIdleConnections)
	return base
}

// A blank variable names no proxy; one that cannot be read is told of without its password, and no request goes past it.
func TestProxyThatIsNoURL(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		" ": "", "proxy:3128": "proxy:3128", " http://u:p@proxy:3128 ": "proxy:3128", "socks5://proxy:1080": "proxy:1080", "u:p@proxy:3128": "proxy:3128", "localhost:3128": "localhost:3128",
		"http://u:S3CRET%zz@proxy:3128": "!", "http://u:S3CRET@bad host:1": "!", "http://": "!", "ftp://proxy:21": "proxy:21", "://x": "!", ":3128": ":3128", "http://:3128": ":3128", "socks://proxy:1080": "!", "socks4://proxy:1080": "!",
	} {
		proxy := environmentProxy(variables{"HTTPS_PROXY": value, "HTTP_PROXY": value}.get)
		for _, door := range []string{"https://door.example/v1/mcp", "http://door.example/v1/mcp"} {
			u, err := url.Parse(door)
			if err != nil {
				t.Fatal(err)
			}
			got, err := proxy(&http.Request{URL: u})
			switch {
			case err != nil && want != "!", err == nil && want == "!":
				t.Errorf("%q: %v", value, err)
			case err == nil && (got == nil) != (want == ""), got != nil && got.Host != want:
				t.Errorf("%q: %v", value, got)
			}
		}
	}
	bad := variables{"HTTPS_PROXY": "http://u:S3CRET%zz@proxy:3128", "HTTP_PROXY": "http://u:S3CRET%zz@proxy:3128"}
	c := open(t, Config{URL: "https://door.example/v1/mcp", Transport: through(t, bad)})
	got := text(t, c.Call(deadline(t), Caller{}, call(t, "1", "x", "")))
	if !strings.Contains(got, "HTTPS_PROXY is no URL of a proxy. Correct it") || strings.Contains(got, "S3CRET") || strings.Contains(got, perhapsDone) || strings.Contains(got, "invalid") {
		t.Error(got)
	}
	door := fakedoor.Start(t, fakedoor.Script{}) // this machine is not behind the proxy
	c = open(t, Config{URL: door.URL(), Transport: through(t, bad)})
	if r := c.Call(deadline(t), Caller{}, call(t, "1", "x", "")); r.Made {
		t.Errorf("%s", r.Result)
	}
	bad["NO_PROXY"] = "door.example"
	u, _ := url.Parse("https://door.example/")
	if got, err := environmentProxy(bad.get)(&http.Request{URL: u}); got != nil || err != nil {
		t.Error(got, err)
	}
}

// Of two spellings of a variable the one in capitals counts, and the one that was read is named.
func TestProxyOfTwoSpellings(t *testing.T) {
	t.Parallel()
	u, _ := url.Parse("http://door.example/v1/mcp")
	for _, c := range []struct {
		env  variables
		want string
	}{
		{variables{"HTTP_PROXY": "http://a:1", "http_proxy": "http://b:1"}, "a:1"},
		{variables{"HTTP_PROXY": " ", "http_proxy": "http://b:1"}, "b:1"},
		{variables{"HTTP_PROXY": "http://a:1", "http_proxy": "x y"}, "a:1"},
		{variables{"http_proxy": "x y"}, "http_proxy is no URL"},
		{variables{"http_proxy": "socks://a:1"}, "http_proxy names a proxy of an unknown kind, socks"},
		{variables{"HTTP_PROXY": "http://a:1", "NO_PROXY": "door.example", "no_proxy": "other"}, "direct"},
		{variables{"HTTP_PROXY": "http://a:1", "NO_PROXY": "other", "no_proxy": "door.example"}, "a:1"},
	} {
		got := "direct"
		if proxy, err := environmentProxy(c.env.get)(&http.Request{URL: u}); err != nil {
			got = err.Error()
		} else if proxy != nil {
			got = proxy.Host
		}
		if !strings.HasPrefix(got, c.want) {
			t.Errorf("%v: %s, want %s", c.env, got, c.want)
		}
	}
}

// Nothing was sent when the variables of a CGI script forbid the proxy.
func TestProxyOfACGIScript(t *testing.T) {
	t.Parallel()
	c := open(t, Config{URL: "http://door.example/v1/mcp", Transport: through(t, variables{"HTTP_PROXY": "http://proxy:3128", "REQUEST_METHOD": "GET"})})
	got := text(t, c.Call(deadline(t), Caller{}, call(t, "1", "x", "")))
	if !strings.Contains(got, "could not be reached: HTTP_PROXY is not used, since REQUEST_METHOD is set") || strings.Contains(got, perhapsDone) {
		t.Error(got)
	}
}

// speaks listens and answers each connection with the same bytes.
func speaks(t *testing.T, answer string) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				_, _ = conn.Read(make([]byte, 4096))
				_, _ = io.WriteString(conn, answer)
				_, _ = io.Copy(io.Discard, conn)
			}()
		}
	}()
	return listener.Addr().String()
}

// What a proxy or a door says in its status line is not passed on raw or whole; a proxy that wants a password is told of.
func TestStatusLines(t *testing.T) {
	t.Parallel()
	long := "\x1b]0;pwn\x07\x1b[31m" + strings.Repeat("x", 5000)
	for name, test := range map[string]struct {
		answer, door, want string
		proxy              bool
	}{
		"CONNECT 407":  {"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n", "https://door.example/v1/mcp", "the proxy answered HTTP 407 Proxy Authentication Required. Give the proxy's user and password in HTTPS_PROXY", true},
		"CONNECT long": {"HTTP/1.1 502 " + long + "\r\nContent-Length: 0\r\n\r\n", "https://door.example/v1/mcp", "the proxy answered HTTP 502 Bad Gateway. Local tools still work; try this one again later", true},
		"407":          {"HTTP/1.1 407 " + long + "\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno", "http://door.example/v1/mcp", "answered HTTP 407 Proxy Authentication Required with no. Give the proxy's user and password", true},
		"malformed":    {"HTTP/1.1 " + long + "\r\n\r\n", "", "malformed HTTP", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			addr := speaks(t, test.answer)
			config := Config{URL: test.door}
			if test.proxy {
				config.Transport = through(t, variables{"HTTPS_PROXY": addr, "HTTP_PROXY": addr})
			} else {
				config.URL = "http://" + addr + "/v1/mcp"
			}
			var logged log
			config.Log = logged.add
			c := open(t, config)
			got := text(t, c.Call(deadline(t), Caller{}, call(t, "1", "x", "")))
			if !strings.Contains(got, test.want) {
				t.Errorf("got %q, want %q in it", got, test.want)
			}
			c.List(deadline(t), 10*time.Second)
			logged.wait(t, 1)
			for _, line := range append(logged.all(), got) {
				if len(line) > 1000 || strings.ContainsAny(line, "\x1b\x07") {
					t.Errorf("%d bytes: %q", len(line), line)
				}
			}
		})
	}
}

// A certificate that is not trusted comes with what to do about it.
func TestCertificates(t *testing.T) {
	t.Parallel()
	server := httptest.NewUnstartedServer(&fakedoor.Server{})
	server.Config.ErrorLog = stdlog.New(io.Discard, "", 0)
	server.StartTLS()
	t.Cleanup(server.Close)
	trusting := NewTransport()
	trusting.TLSClientConfig = &tls.Config{RootCAs: x509.NewCertPool()}
	trusting.TLSClientConfig.RootCAs.AddCert(server.Certificate())
	t.Cleanup(trusting.CloseIdleConnections)
	_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
	for name, test := range map[string]struct {
		config Config
		want   []string
	}{
		"unknown": {Config{URL: server.URL}, []string{"authority that is not known here", "NODE_EXTRA_CA_CERTS"}},
		"name":    {Config{URL: "https://localhost:" + port, Transport: trusting}, []string{"for another host", "HANZO_MCP_DOOR"}},
	} {
		c := open(t, test.config)
		got := text(t, c.Call(deadline(t), Caller{}, call(t, "1", "x", "")))
		for _, want := range append(test.want, "certificate", "could not be reached") {
			if !strings.Contains(got, want) || strings.Contains(got, "again later") || strings.Contains(got, perhapsDone) {
				t.Errorf("%s: got %q, want %q in it", name, got, want)
			}
		}
	}
}
