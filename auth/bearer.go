package auth

import (
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// Origin is scheme://host:port of a URL, in lower case and with the port always
// written out: two URLs of one origin give the same text.
func Origin(u *url.URL) string {
	scheme, port := strings.ToLower(u.Scheme), u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[scheme]
	}
	return scheme + "://" + net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}

// Loopback reports whether a URL's host is this machine by its spelling: no
// name is resolved.
func Loopback(u *url.URL) bool {
	host := strings.ToLower(u.Hostname())
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// verdict is why a bearer must not be sent, "" if it may.
type verdict string

func (v verdict) allow(t Token) Token {
	if v != "" {
		t.Value, t.Withheld = "", string(v)
	}
	return t
}

// reach says which bearers may be sent to a door.
type reach struct {
	env    verdict // from the environment, as the address is
	stored verdict // from a file or the command
}

func reachOf(door *url.URL, origins []string) reach {
	const plain = "a bearer is not sent over plain http to another machine"
	switch scheme := strings.ToLower(door.Scheme); {
	case door.Hostname() == "" || scheme != "http" && scheme != "https":
		return reach{env: "the door's address is no http or https URL", stored: "the door's address is no http or https URL"}
	case Loopback(door):
		return reach{}
	case scheme == "http":
		return reach{env: plain, stored: plain}
	}
	origin := Origin(door)
	host, found := strings.CutSuffix(origin, ".hanzo.ai:443")
	if found && host != "https://" {
		return reach{}
	}
	if slices.ContainsFunc(origins, func(s string) bool {
		u, err := url.Parse(s)
		return err == nil && Origin(u) == origin
	}) {
		return reach{}
	}
	return reach{stored: verdict("a stored bearer is not sent to " + origin + "; name that origin in door.origins of the user settings to allow it")}
}

// Transport lets requests with a bearer pass to one origin only. It fails any
// other request that carries one; it never takes the bearer off.
type Transport struct {
	Origin string            // as Origin gives it
	Base   http.RoundTripper // nil: http.DefaultTransport
}

var errForeign = errors.New("a bearer must not leave the door's origin")

// RoundTrip sends req.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Header.Get("Authorization") != "" &&
		(Origin(req.URL) != t.Origin || req.URL.Scheme != "https" && !Loopback(req.URL) || req.Host != "" && !strings.EqualFold(req.Host, req.URL.Host)) {
		if req.Body != nil {
			req.Body.Close()
		}
		return nil, errForeign
	}
	base := t.Base
	if base == nil {
		base = http.DefaultTransport
	}
	return base.RoundTrip(req)
}
