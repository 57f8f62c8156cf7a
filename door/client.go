// Package door is the way to the cloud's tools (HIP-0300 §2.2): it splits the
// client's messages, forwards calls to the door by one POST each, and keeps the
// list of the door's tools.
//
// Bytes are the point. What the caller sent and what the door answered is passed
// on raw: numbers, key order, unknown members, what is absent. Nothing about the
// cloud's tools is written here. A call has exactly one reply, whatever the door
// does, with one exception: a canceled one has none.
//
// The package never shows a bearer, never sends one to another origin than the
// door's, and holds no more of an answer than its limit. It imports neither tools
// nor cmd; routing and the merge with local tools are the caller's.
package door

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/hanzoai/hanzo-mcp/auth"
)

// Config says which door and how. Zero values mean the default.
type Config struct {
	URL     string        // of the door; see Address
	Auth    *auth.Chain   // nil: no bearer is sent
	Name    string        // of the client, told to the door; "": hanzo-mcp
	Version string        // of the client; "": dev
	Timeout time.Duration // of a call; 0: 11 minutes
	MaxSize int           // of an answer, in bytes; 0: 16 MiB

	// Local are the names of local tools that hide the door's tools of the same
	// name (see SameName). A name given to the door with --door-tools is left out.
	Local []string

	// Log takes one line for a person, without its end and without a bearer: a
	// list that could not be had, a bearer redacted. nil: nothing is said.
	Log func(line string)

	// Changed is told, in a goroutine of its own, that the list is another than
	// List last gave. nil: nobody is told.
	Changed func()

	Transport http.RoundTripper // nil: one of the client's own, see NewTransport
	Now       func() time.Time  // nil: time.Now
}

const (
	defaultTimeout = 11 * time.Minute
	defaultMaxSize = 16 << 20
)

// A Client forwards calls to one door and keeps its list of tools. Its methods
// may be called at the same time.
type Client struct {
	config   Config
	url      *url.URL // nil: see fault
	fault    string   // why the address cannot be used; each call says it
	http     http.RoundTripper
	base     http.RoundTripper // below http
	own      *http.Transport   // base, that Close empties; nil if it was given
	hop      string            // see HopHeader
	agent    []string
	metaHead []byte
	list     list
}

// New makes a client. It starts nothing and never fails: an address that cannot
// be used is what each call then answers with.
func New(config Config) *Client {
	if config.Name == "" {
		config.Name = "hanzo-mcp"
	}
	if config.Version == "" {
		config.Version = "dev"
	}
	if config.Timeout <= 0 {
		config.Timeout = defaultTimeout
	}
	if config.MaxSize <= 0 {
		config.MaxSize = defaultMaxSize
	}
	c := &Client{
		config:   config,
		hop:      newHop(),
		agent:    []string{strings.Join(strings.Fields(config.Name), "-") + "/" + config.Version},
		metaHead: metaHead(config.Name, config.Version),
	}
	c.list.init(config.Local)
	u, err := url.Parse(config.URL)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		c.fault = "The address of the Hanzo door is no http or https URL" + misread(config.URL) + "."
	case u.User != nil:
		c.fault = "The address of the Hanzo door must not hold a user name or password."
	default:
		u.Fragment = ""
		c.url = u
		c.base = config.Transport
		if c.base == nil {
			c.own = NewTransport()
			c.base = c.own
		}
		c.http = &auth.Transport{Origin: auth.Origin(u), Base: c.base}
	}
	if c.fault != "" {
		c.fault += " Correct HANZO_MCP_DOOR or HANZO_API_BASE, or do without with --no-door. Local tools still work."
	}
	return c
}

// Close ends what runs in the background and closes idle connections.
func (c *Client) Close() {
	c.list.close()
	if c.own != nil {
		c.own.CloseIdleConnections()
	}
}

// Caller is who a call is forwarded for.
type Caller struct {
	// Modern: the caller speaks 2026-07-28 as the session knows it. It is enough
	// that the message itself says so.
	Modern bool
	// Notify takes a notifications/progress message with the caller's token, one
	// line without its end; it is called from other goroutines, never at the same
	// time, and never after Call has returned. nil: no progress.
	Notify func(message []byte)
	// Before is waited for before anything is sent, while there is progress: for a
	// place among the calls under way. It fails only when its context has ended; the
	// reply is then Canceled. nil: nothing is waited for.
	Before func(ctx context.Context) error
	// Hops are the servers that the call came through, as Hops gives them.
	Hops []string
}

// Reply is the one reply to a call; exactly one of Result and Error is set
// unless Canceled. Both are on one line; the bytes belong to the receiver.
type Reply struct {
	Result   []byte // raw
	Error    []byte // raw error object: code, message, data
	IsError  bool   // Result says isError:true
	Made     bool   // Result was made here, since the door gave none
	Canceled bool   // the context was canceled: nothing is to be sent
}

// Call forwards a request, that is a Message with an ID from Split, and gives
// its reply, whatever the door does. Canceling ctx closes the connection to the
// door.
func (c *Client) Call(ctx context.Context, caller Caller, m Message) Reply {
	if m.ID == nil {
		return Reply{Canceled: true}
	}
	modern := caller.Modern || m.Modern()
	if c.fault != "" {
		return c.made(c.fault, modern)
	}
	if why := c.loops(caller.Hops); why != "" {
		return c.made(why, modern)
	}
	progress := c.startProgress(caller, m.ProgressToken)
	if caller.Before != nil && caller.Before(ctx) != nil {
		progress.stop(false)
		return Reply{Canceled: true}
	}
	limited, cancel := context.WithTimeout(ctx, c.config.Timeout)
	defer cancel()
	a, sent, err := c.authorized(limited, request{
		message: &m, modern: modern, hops: caller.Hops, progress: progress, limit: c.config.MaxSize, dials: callDials,
	})
	progress.stop(ctx.Err() == nil)
	if errors.Is(ctx.Err(), context.Canceled) {
		return Reply{Canceled: true}
	}
	var refused *unauthorized
	switch {
	case err == nil:
		c.list.revive(c)
		return c.reply(a, modern)
	case errors.As(err, &refused):
		return c.made(c.signIn(refused, sent), modern)
	}
	return c.made(c.unreachable(err), modern)
}

// authorized posts r with the bearer there is. After a 401 it asks once more for
// one, and posts once more if that gives another. A short word that the command
// printed may be no bearer at all: then it posts once more without.
func (c *Client) authorized(ctx context.Context, r request) (answer, auth.Token, error) {
	var token auth.Token
	if c.config.Auth != nil {
		token = c.config.Auth.Token(ctx, auth.Ask{})
		if ctx.Err() != nil {
			return answer{}, token, faultf("was not asked: `%s` gave nothing within %v, the time of the whole call (HANZO_MCP_DOOR_TIMEOUT)", auth.Command, c.config.Timeout)
		}
	}
	r.bearer = token.Value
	a, err := c.post(ctx, r)
	var refused *unauthorized
	if c.config.Auth == nil || !errors.As(err, &refused) {
		return a, token, err
	}
	other := c.config.Auth.Token(ctx, auth.Ask{Retry: true, Refused: token.Value})
	switch {
	case other.Value != "" && other.Value != token.Value:
		r.bearer = other.Value
		a, err = c.post(ctx, r)
		return a, other, err
	case token.Doubtful:
		r.bearer = ""
		if plain, again := c.post(ctx, r); !errors.As(again, new(*unauthorized)) {
			return plain, token, again
		}
	}
	return a, token, err
}

// reply makes what goes to the caller of an answer: verbatim, but on one line
// and without our bearer.
func (c *Client) reply(a answer, modern bool) Reply {
	if a.inputRequired && !modern {
		return c.made(c.moreInput(a.result), modern)
	}
	value := a.result
	if value == nil {
		value = a.err
	}
	if a.breaks {
		OneLine(value)
	}
	value, found := c.redact(value, a.odd)
	if found {
		c.log("the door's answer contained the bearer; it was taken out")
		if !valid(value) {
			return c.made("The door's answer contained the bearer in a place that cannot be redacted, so it is not shown. "+perhapsDone, modern)
		}
	}
	if a.err != nil {
		return Reply{Error: value}
	}
	return Reply{Result: value, IsError: a.isError}
}

func valid(text []byte) bool {
	s := scanner{b: text}
	s.value(0)
	return !s.bad && s.i == len(text)
}

func (c *Client) bearers() []string {
	if c.config.Auth == nil {
		return nil
	}
	return c.config.Auth.Bearers()
}

// redact takes the bearer out of raw JSON; odd is what the scanner says of it.
func (c *Client) redact(text []byte, odd bool) ([]byte, bool) {
	if odd {
		return auth.Redact(text, c.bearers())
	}
	return auth.RedactPlain(text, c.bearers())
}

// clean takes bearers out of a text that is made here, which may quote a URL.
func (c *Client) clean(text string) string {
	secrets := c.bearers()
	for _, s := range secrets {
		secrets = append(secrets, url.QueryEscape(s), url.PathEscape(s))
	}
	return auth.RedactString(text, secrets)
}

func (c *Client) log(format string, args ...any) {
	if c.config.Log != nil {
		c.config.Log(c.clean(fmt.Sprintf(format, args...)))
	}
}

func (c *Client) now() time.Time {
	if c.config.Now == nil {
		return time.Now()
	}
	return c.config.Now()
}
