package door

import (
	"context"
	"net/http"
	"net/url"
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

// A Client forwards calls to one door and keeps its list of tools. Its methods
// may be called at the same time.
type Client struct {
	config Config
	url    *url.URL
	fault  string // why the address cannot be used; each call says it
	http   http.RoundTripper
	list   list
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
}

// Reply is the one reply to a call; exactly one of Result and Error is set
// unless Canceled. Both are on one line; the bytes belong to the receiver.
type Reply struct {
	Result   []byte // raw
	Error    []byte // raw error object: code, message, data
	IsError  bool   // Result says isError:true
	Made     bool   // Result was made here, since the door gave none
	Canceled bool   // the context ended: nothing is to be sent
}

// Call forwards a request and gives its reply, whatever the door does.
func (c *Client) Call(ctx context.Context, caller Caller, m Message) Reply { return Reply{} }

// New makes a client. It starts nothing and never fails: an address that cannot
// be used is what each call then answers with.
func New(config Config) *Client { return &Client{config: config} }

// Close ends what runs in the background and closes idle connections.
func (c *Client) Close() {}

// Address is the door's URL (HIP-0300 §2.2): HANZO_MCP_DOOR, else /v1/mcp of
// HANZO_API_BASE or of https://api.hanzo.ai.
func Address(getenv func(string) string) string { return "" }
