package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/textproto"
	"net/url"
	"strings"
	"syscall"

	"github.com/hanzoai/hanzo-mcp/sandbox"
	"github.com/hanzoai/hanzo-mcp/tools"
	"github.com/hanzoai/hanzo-mcp/tools/fetch/guard"
)

// refusal is the error for an address that may not be reached.
func refusal(err error, hops []hop) error {
	text := err.Error()
	if n := len(hops); n > 0 {
		text = "a redirect led to " + hops[n-1].To + ": " + text
	}
	d := tools.Details{Param: "url"}
	if r := (*guard.Refused)(nil); errors.As(err, &r) {
		d.Actual = r.Host
	}
	return tools.Errorf(tools.PermissionDenied, "%s", text).With(d)
}

// explain turns the error of an exchange into one that says what is wrong and what to do. What to do
// depends on the method: another request than a look may have been carried out all the same.
func explain(ctx context.Context, err error, method string, at *url.URL, hops []hop) error {
	var e *tools.Error
	var refused *guard.Refused
	var dns *net.DNSError
	var netErr net.Error
	var op *net.OpError
	where := at.Scheme + "://" + at.Host
	fail := func(code tools.Code, format string, args ...any) error {
		return tools.Errorf(code, format, args...).With(tools.Details{Param: "url", Actual: tools.Cut(shown(at), 300)})
	}
	switch {
	case errors.As(err, &e):
		return e
	case errors.As(err, &refused):
		return refusal(refused, hops)
	case ctx.Err() != nil:
		return ended(ctx, at)
	case errors.Is(err, errHostBehindProxy):
		return tools.Errorf(tools.InvalidParams, "%v; leave it out", err).With(tools.Details{Param: "headers"})
	case errors.As(err, &op) && op.Op == "proxyconnect":
		return fail(tools.HTTPError, "the proxy that the environment names for %s cannot be reached (%s); the user can check HTTP_PROXY, HTTPS_PROXY and NO_PROXY", where, tools.Cut(op.Err.Error(), 200))
	case errors.As(err, &dns) && dns.IsNotFound:
		return fail(tools.NotFound, "no host is called %s; check the spelling of the URL", at.Hostname())
	case errors.As(err, &dns):
		return fail(tools.HTTPError, "looking up %s: %s; there may be no network", at.Hostname(), dns.Err)
	case tlsFault(err) != "":
		return fail(tools.HTTPError, "the TLS connection to %s was refused by this side: %s", where, tlsFault(err))
	case errors.Is(err, syscall.ECONNREFUSED):
		return fail(tools.HTTPError, "nothing listens at %s (connection refused); check that the server runs, and the port", where)
	case errors.Is(err, syscall.ENETUNREACH), errors.Is(err, syscall.EHOSTUNREACH):
		return fail(tools.HTTPError, "%s cannot be reached from here (%v)", where, syscallCause(err))
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fail(tools.HTTPError, "%s closed the connection without an answer; %s, or check that it speaks %s", where, retry(method), at.Scheme)
	case errors.As(err, &netErr) && netErr.Timeout():
		return fail(tools.Timeout, "%s did not answer in time; %s, or give a longer timeout", where, retry(method))
	case strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"):
		return fail(tools.HTTPError, "%s speaks plain HTTP, not TLS; use http://%s", where, at.Host)
	case foreign(err) != "":
		return fail(tools.HTTPError, "what listens at %s does not speak HTTP (it says %s); check the port", where, foreign(err))
	case errors.As(err, new(textproto.ProtocolError)):
		return fail(tools.HTTPError, "%s answers with a header that is no HTTP (%s), so its answer cannot be read here; exec with curl may do it", where, quote(tools.Cut(err.Error(), 200)))
	}
	return fail(tools.HTTPError, "requesting %s: %v", where, tools.Cut(err.Error(), 300))
}

// retry is what to do about a request of which nobody knows what became.
func retry(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return "try again"
	}
	return "the " + method + " may have been carried out, look before you send it again"
}

// foreign is how a server began its answer that does not speak HTTP, "" when it is something else.
func foreign(err error) string {
	_, said, found := strings.Cut(err.Error(), "malformed HTTP response ")
	if !found {
		return ""
	}
	return tools.Cut(said, 100)
}

// ended is the error of a context that is over: the call's time, the server's silence, or a cancellation.
func ended(ctx context.Context, at *url.URL) error {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errIdle), errors.Is(cause, errTimeout):
		return tools.Errorf(tools.Timeout, "%s: %v; try again, give a longer timeout, or use download for something large", tools.Cut(shown(at), 200), cause).
			With(tools.Details{Param: "timeout"})
	}
	return ctx.Err()
}

// tlsFault says what is wrong with a certificate or a handshake, "" when it is something else.
func tlsFault(err error) string {
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	var alert tls.AlertError
	var verify *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	switch {
	case errors.As(err, &name):
		return fmt.Sprintf("its certificate is not for %s (%s)", name.Host, tools.Cut(name.Error(), 200))
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return fmt.Sprintf("its certificate has expired or is not yet valid (%s to %s)", invalid.Cert.NotBefore.Format("2006-01-02"), invalid.Cert.NotAfter.Format("2006-01-02"))
	case errors.As(err, &invalid):
		return "its certificate is invalid: " + tools.Cut(invalid.Error(), 200)
	case errors.As(err, &unknown):
		who := ""
		if unknown.Cert != nil {
			who = " (issued by " + tools.Cut(unknown.Cert.Issuer.String(), 100) + ")"
		}
		return "its certificate is signed by an authority that this machine does not know" + who + "; a self-signed server needs its certificate in the system's store, or exec with curl -k when you know whose it is"
	case errors.As(err, &verify):
		return tools.Cut(verify.Error(), 200)
	case errors.As(err, &record):
		return "what it sends is no TLS; if it is a plain HTTP server, use http://"
	case errors.As(err, &alert):
		return "the handshake failed: " + alert.Error()
	}
	return ""
}

func syscallCause(err error) error {
	var no syscall.Errno
	if errors.As(err, &no) {
		return no
	}
	return err
}

// shown is a URL as it stands in answers: without the password.
func shown(u *url.URL) string {
	if u.User == nil {
		return u.String()
	}
	plain := *u
	plain.User = nil
	return plain.String()
}

func quote(s string) string { return sandbox.Printable(tools.Cut(s, 300)) }
