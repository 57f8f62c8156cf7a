package door

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode"
	"unicode/utf8"
)

// maxQuote bounds how much of the door's body an answer quotes.
const maxQuote = 1 << 10

// A fault is why the door gave no reply to pass on; its text is for the caller.
type fault struct {
	text  string
	large bool // it is the size of the answer
	begun bool // the door may have done what was asked
}

func (f *fault) Error() string { return f.text }

func faultf(format string, args ...any) error {
	return &fault{text: fmt.Sprintf(format, args...)}
}

// brokenf is faultf for an answer that cannot be passed on.
func brokenf(resp *http.Response, format string, args ...any) error {
	return &fault{text: fmt.Sprintf(format, args...), begun: mayBeDone(resp)}
}

// mayBeDone reports whether what was asked may have been done, by the status of the answer: a door that says 200 did it, a
// server that fails, or a proxy that gave up on one, may have.
func mayBeDone(resp *http.Response) bool { return resp.StatusCode/100 != 4 }

// refused is the fault of an answer that is none, by its status.
func (c *Client) refused(resp *http.Response, body []byte) error {
	text := "answered " + status(resp) + " with " + c.quote(body)
	after := strings.TrimSpace(resp.Header.Get("Retry-After"))
	switch _, err := strconv.ParseUint(after, 10, 32); {
	case err == nil:
		text += "; it asks to wait " + after + " s before the next call"
	case isDate(after):
		text += "; it asks to wait until " + after
	}
	switch resp.StatusCode {
	case http.StatusNotFound, http.StatusMethodNotAllowed, http.StatusNotAcceptable, http.StatusGone, http.StatusUnsupportedMediaType, http.StatusUpgradeRequired:
		text += "; is this the door? HANZO_MCP_DOOR names its address"
	case http.StatusRequestEntityTooLarge:
		text += "; send less at once"
	case http.StatusProxyAuthRequired:
		text += ". " + strings.TrimSuffix(proxySignIn, ".")
	case http.StatusForbidden:
		for _, challenge := range resp.Header.Values("WWW-Authenticate") {
			for scope := range challengeParams(challenge, "scope") {
				text += "; the bearer lacks the scope " + cut(c.quote([]byte(scope)), 200)
			}
		}
	}
	return &fault{text: text, begun: mayBeDone(resp)}
}

func isDate(text string) bool {
	_, err := http.ParseTime(text)
	return err == nil
}

// made is the result that stands for the reply which the door did not give.
func (c *Client) made(text string, modern bool) Reply {
	kind := ""
	if modern {
		kind = `"resultType":"complete",`
	}
	text = c.clean(text)
	return Reply{
		Result:  []byte(`{` + kind + `"content":[{"type":"text","text":` + jsonString(text) + `}],"isError":true}`),
		IsError: true,
		Made:    true,
	}
}

// perhapsDone is what a caller must know of a request that was sent and not answered: it could be a payment.
const perhapsDone = "The call may have been carried out: look before you make it again."

// unreachable says in words why there is no reply.
func (c *Client) unreachable(err error) string {
	door := "The Hanzo door at " + c.shown() + " "
	var f *fault
	switch {
	case errors.As(err, &f) && f.begun:
		return door + f.text + ". " + perhapsDone + " Local tools still work."
	case f != nil:
		return door + f.text + ". Local tools still work."
	case unsent(err):
		text := door + "could not be reached" + c.via() + ": " + c.cause(err, c.config.Timeout) + ". "
		if mend := mendOf(err); mend != "" {
			return text + mend + " Local tools still work."
		}
		return text + "Local tools still work; try this one again later."
	}
	return door + "gave no answer: " + c.cause(err, c.config.Timeout) + ". " + perhapsDone + " Local tools still work."
}

// unsent reports whether an error came before the request went out.
func unsent(err error) bool {
	var early notSent
	return errors.As(err, &early)
}

// before is unsent for a transport that does not tell how far it came.
func before(err error) bool {
	var dns *net.DNSError
	var op *net.OpError
	var cert *tls.CertificateVerificationError
	var header tls.RecordHeaderError
	var proxy *proxyFault
	return errors.As(err, &proxy) || errors.As(err, &dns) || errors.As(err, &cert) || errors.As(err, &header) ||
		errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect")
}

// via names the proxy on the way to the door, without its password.
func (c *Client) via() string {
	t, ok := c.base.(*http.Transport)
	if !ok || t.Proxy == nil {
		return ""
	}
	proxy, err := t.Proxy(&http.Request{URL: c.url, Header: http.Header{}})
	if err != nil || proxy == nil {
		return ""
	}
	return " through the proxy " + cut(proxy.Host, maxLogged)
}

// cause is the plain reason of a transport error: no URL, no addresses. What is not one of the usual ones may quote who
// answered.
func (c *Client) cause(err error, limit time.Duration) string {
	var dns *net.DNSError
	var op *net.OpError
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		return "there is no host " + dns.Name
	case errors.As(err, &dns):
		return "its host name could not be looked up"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused"
	case unsent(err) && (timedOut(err) || errors.Is(err, context.DeadlineExceeded)):
		return "no connection within " + min(connectLimit, limit).String()
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE),
		strings.Contains(err.Error(), "server closed idle connection"): // an error of net/http without a name
		return "it closed the connection"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded):
		return "no answer within " + limit.String()
	}
	var call *os.SyscallError
	if errors.As(err, &op) && errors.As(op, &call) { // without the addresses
		return op.Op + ": " + call.Err.Error()
	}
	if bad := badCertificate(err); bad != "" {
		return bad
	}
	if why := http2Cause(err); why != "" {
		return why
	}
	return cut(c.quote([]byte(err.Error())), maxLogged)
}

func timedOut(err error) bool {
	var timed net.Error
	return errors.As(err, &timed) && timed.Timeout()
}

// quote is a piece of the door's body for an answer.
func (c *Client) quote(body []byte) string {
	text := strings.TrimSpace(strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return r
		}
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || unicode.Is(unicode.Bidi_Control, r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(c.clean(string(body)), "\ufffd")))
	if text == "" {
		return "an empty body"
	}
	return cut(text, maxQuote)
}

// cut shortens text to n bytes, at the end of a character.
func cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	const dots = "…"
	n -= len(dots)
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + dots
}

// shown is the door's address as it may be told.
func (c *Client) shown() string {
	if c.url == nil {
		return "(no address)"
	}
	return c.url.Scheme + "://" + c.url.Host + c.url.EscapedPath()
}
