package door

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpproxy"
)

// proxyFault is why a request was not made through the proxy that the environment names. It comes before anything is sent.
type proxyFault struct {
	text string
	mend string // what to do, "" when only time helps
}

func (f *proxyFault) Error() string { return f.text }

// unreadable stands for a proxy that is no URL, until it is known whether the request would go through it.
const unreadable = "proxy.invalid:1"

// environmentProxy is http.ProxyFromEnvironment, which passes loopback by, but for a variable that holds no URL: what is to
// go through a proxy does not go past it. Of two spellings the one in capitals counts.
func environmentProxy(getenv func(string) string) func(*http.Request) (*url.URL, error) {
	first := func(name string) (value, found string) {
		for _, found = range []string{name, strings.ToLower(name)} {
			if value = strings.TrimSpace(getenv(found)); value != "" {
				return value, found
			}
		}
		return "", name
	}
	type variable struct{ name, fault, mend string }
	used := map[string]variable{}
	read := func(name string) string {
		value, found := first(name)
		fault, mend := proxyURLFault(value)
		used[name] = variable{found, fault, mend}
		if fault != "" {
			return "http://" + unreadable
		}
		return value
	}
	config := httpproxy.Config{HTTPProxy: read("HTTP_PROXY"), HTTPSProxy: read("HTTPS_PROXY"), CGI: getenv("REQUEST_METHOD") != ""}
	config.NoProxy, _ = first("NO_PROXY")
	proxy := config.ProxyFunc()
	return func(r *http.Request) (*url.URL, error) {
		u, err := proxy(r.URL)
		switch {
		case err != nil: // the process looks like a CGI script, whose HTTP_PROXY a request can set
			return nil, &proxyFault{"HTTP_PROXY is not used, since REQUEST_METHOD is set, as in a CGI script", "Unset one of the two."}
		case u != nil && u.Host == unreadable:
			v := used[strings.ToUpper(r.URL.Scheme)+"_PROXY"]
			return nil, &proxyFault{v.name + " " + v.fault, v.mend}
		}
		return u, nil
	}
}

// proxyURLFault says what is wrong with the value of a variable for a proxy, and what to do; "" when nothing is.
func proxyURLFault(value string) (fault, mend string) {
	if value == "" {
		return "", ""
	}
	text := value
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || strings.ContainsAny(u.Host, " \t"):
		return "is no URL of a proxy", "Correct it, as in http://user:password@host:3128 with % signs of a password written as %25, or unset it."
	case strings.HasPrefix(strings.ToLower(u.Scheme), "socks") && !slices.Contains([]string{"socks5", "socks5h"}, strings.ToLower(u.Scheme)):
		return "names a proxy of an unknown kind, " + strings.ToLower(u.Scheme), "Write socks5:// (or http://) before its host, or unset it."
	}
	return "", ""
}

// connectAnswer judges what a proxy answers to CONNECT. Its own words are left out: anybody may be the proxy.
func connectAnswer(_ context.Context, _ *url.URL, _ *http.Request, resp *http.Response) error {
	switch resp.StatusCode {
	case http.StatusOK:
		return nil
	case http.StatusProxyAuthRequired:
		return &proxyFault{"the proxy answered " + status(resp), proxySignIn}
	}
	return &proxyFault{text: "the proxy answered " + status(resp)}
}

const proxySignIn = "Give the proxy's user and password in HTTPS_PROXY (or HTTP_PROXY), as in http://user:password@host:3128."

// mendOf says what to do about an error from before the request went out.
func mendOf(err error) string {
	var proxy *proxyFault
	if errors.As(err, &proxy) && proxy.mend != "" {
		return proxy.mend
	}
	return mendCertificate(err)
}
