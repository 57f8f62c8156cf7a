package door

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/hanzoai/hanzo-mcp/auth"
)

const (
	connectLimit = 5 * time.Second
	callDials    = 3
	idleLimit    = 50 * time.Second // below that of usual balancers, which drop without a word
	idlePerHost  = 32
)

// NewTransport is a transport for doors: connections are kept, a dead one is
// found out, and bodies come as they were sent.
func NewTransport() *http.Transport {
	return &http.Transport{
		Proxy:                  environmentProxy(os.Getenv),
		OnProxyConnectResponse: connectAnswer,
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
type unauthorized struct {
	header http.Header
	reason string // the door's own, as far as it gave one
}

func (*unauthorized) Error() string { return "the door answered 401" }

// request is one message for the door.
type request struct {
	message  *Message
	modern   bool   // for a caller that speaks 2026-07-28
	bearer   string // "": none
	hops     []string
	progress *progress
	limit    int // bytes of answer
	dials    int // how often a connection is tried
}

// post sends a message and gives the door's answer to it: a result or an error.
// It follows one redirect that keeps method, body and origin.
func (c *Client) post(ctx context.Context, r request) (answer, error) {
	body, header := c.body(r.message, r.modern), c.header(r)
	target := c.url
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for hop := 0; ; hop++ {
		resp, err := c.send(ctx, target, header, body, r)
		if err != nil {
			return answer{}, err
		}
		if r.bearer != "" && resp.StatusCode != http.StatusUnauthorized {
			c.config.Auth.Taken(r.bearer)
		}
		if resp.StatusCode/100 != 3 {
			defer resp.Body.Close()
			if resp.StatusCode == http.StatusUnauthorized {
				return answer{}, &unauthorized{resp.Header, c.reason(resp, r.bearer, cancel)}
			}
			return c.read(resp, r, cancel)
		}
		next, err := c.redirect(resp, target, hop)
		resp.Body.Close() // unread: a body that stalls must not delay the call
		if err != nil {
			return answer{}, err
		}
		target = next
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

func status(resp *http.Response) string {
	return strings.TrimSpace("HTTP " + strconv.Itoa(resp.StatusCode) + " " + http.StatusText(resp.StatusCode))
}
